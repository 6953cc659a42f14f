"""`profile`: what calls of a chain are given while a program runs."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import chainer

from elichika.errors import no_link
from elichika.recording.calls import Calls, Recorded
from elichika.recording.measure import Room

__all__ = ["profile", "profile_made"]

CALLED = ("forward", "__call__")


@contextmanager
def profile(chain: chainer.Link) -> Iterator[Calls]:
    """Record the calls of a chain, of its links and of their methods; of its copies, too.

    What the chain is given is kept as it is. Of large arrays of floats that its links are given, 32
    MB in all are; of others the first numbers, which stand for the rest.

    The chain stays as it is: the functions of its classes record for as long as this lasts, also
    what other threads call.

        with elichika.profile(chain) as calls:
            evaluate(chain)
        model = elichika.compile_model(chain, calls)

    Args:
        chain: The chain.

    Raises:
        InputError: It is no `chainer.Link`.
    """
    if not issubclass(type(chain), chainer.Link):
        raise no_link(chain)
    with _Recording(Calls(chain)) as recording:
        recording.await_call(chain)
        yield recording.calls


@contextmanager
def profile_made(matches: Callable[[chainer.Link], bool]) -> Iterator[Calls]:
    """Record the calls of all chains that are made meanwhile, as those of one chain.

    Of a chain and those that it holds, which match as well, it is the outer one.

    Args:
        matches: Tells whether a link is such a chain, when it begins to be made.
    """
    make = chainer.Link.__init__

    @functools.wraps(make)
    def made(link: Any, *args: Any, **kwargs: Any) -> None:
        make(link, *args, **kwargs)
        if matches(link):
            recording.await_call(link)

    with _Recording(Calls()) as recording:
        chainer.Link.__init__ = made
        try:
            yield recording.calls
        finally:
            chainer.Link.__init__ = make


class _Recording:
    """Functions of classes that record for a while.

    Attributes:
        calls: What they record.
    """

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._room = Room()
        self._kept: dict[tuple[type, str], Callable[..., Any]] = {}
        self._targets: dict[tuple[type, str], dict[int, Recorded]] = {}
        self._awaited: dict[int, chainer.Link] = {}
        self._chains: list[chainer.Link] = []  # no other link comes to have their ids

    def await_call(self, chain: chainer.Link) -> None:
        """Record a chain from its first call on: by then it has its links."""
        self._awaited[id(chain)] = chain
        self._chains.append(chain)
        for name, holder in _methods(type(chain)).items():
            self._replace(holder, name)
        for cls in type(chain).__mro__:
            if "copy" in vars(cls) and (cls, "copy") not in self._kept:
                self._kept[cls, "copy"] = function = vars(cls)["copy"]
                cls.copy = self._copying(function)  # type: ignore[attr-defined]

    def _copying(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose copies of recorded chains are recorded as well."""

        @functools.wraps(function)
        def copy(link: Any, /, *args: Any, **kwargs: Any) -> Any:
            made = function(link, *args, **kwargs)
            known = [one is made for one in self._chains]
            if any(one is link for one in self._chains) and not any(known):
                self.await_call(made)
            return made

        return copy

    def _watch(self, chain: chainer.Link) -> None:
        """Record the calls of a chain and of its links; a link of another is recorded there."""
        del self._awaited[id(chain)]
        held = (one for other in self._chains for one in other.links(skipself=True))
        if any(one is chain for one in held):
            return
        for path, link in chain.namedlinks():
            for name, holder in _methods(type(link)).items():
                room = None if link is chain else self._room
                found = self.calls.recorded.setdefault((path, name), Recorded(room))
                self._replace(holder, name)[id(link)] = found

    def _replace(self, cls: type, name: str) -> dict[int, Recorded]:
        """Let a function record; return for which links it does."""
        if (cls, name) not in self._targets:
            function = self._kept[cls, name] = vars(cls)[name]
            targets = self._targets[cls, name] = {}
            setattr(cls, name, self._recording(function, targets))
        return self._targets[cls, name]

    def _recording(
        self, function: Callable[..., Any], targets: dict[int, Recorded]
    ) -> Callable[..., Any]:
        awaited, of = self._awaited, targets.get

        @functools.wraps(function)
        def called(link: Any, /, *args: Any, **kwargs: Any) -> Any:
            if awaited and id(link) in awaited:
                self._watch(link)
            found = of(id(link))
            if found is not None:
                found.add(args, kwargs)
            return function(link, *args, **kwargs)

        return called

    def __enter__(self) -> _Recording:
        return self

    def __exit__(self, *_: object) -> None:
        for (cls, name), function in self._kept.items():
            setattr(cls, name, function)
        recorded = self.calls.recorded
        for key in [key for key, found in recorded.items() if not found.count]:
            del recorded[key]


def _methods(cls: type) -> dict[str, type]:
    """Return the methods whose calls are recorded, and the class that has each.

    These are the public ones of the program; of Chainer's own links, `forward` alone.
    """
    found: dict[str, type] = {}
    for base in cls.__mro__:
        own = base.__module__.partition(".")[0] != "chainer"
        for name, member in vars(base).items():
            if type(member) is not types.FunctionType or base is chainer.Link:
                continue
            if name in CALLED or (own and name != "copy" and not name.startswith("_")):
                found.setdefault(name, base)
    return found
