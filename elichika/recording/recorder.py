"""`profile`: what calls of a chain are given while a program runs."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import chainer

from elichika.errors import InputError
from elichika.recording.calls import Calls, Recorded

__all__ = ["profile"]

CALLED = ("forward", "__call__")


@contextmanager
def profile(chain: chainer.Link) -> Iterator[Calls]:
    """Record the calls of a chain, of its links and of their methods.

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
        raise InputError(f"a chainer.Link is needed, not {type(chain).__name__}")
    calls = Calls(chain)
    targets: dict[tuple[type, str], dict[int, Recorded]] = {}
    for path, link in chain.namedlinks():
        for name, holder in _methods(type(link)).items():
            found = calls.recorded.setdefault((path, name), Recorded())
            targets.setdefault((holder, name), {})[id(link)] = found
    kept = [(cls, name, vars(cls)[name]) for cls, name in targets]
    try:
        for cls, name, function in kept:
            setattr(cls, name, _recording(function, targets[cls, name]))
        yield calls
    finally:
        for cls, name, function in reversed(kept):
            setattr(cls, name, function)
        calls.recorded = {key: found for key, found in calls.recorded.items() if found.count}


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
            if name in CALLED or (own and not name.startswith("_")):
                found.setdefault(name, base)
    return found


def _recording(function: Callable[..., Any], targets: dict[int, Recorded]) -> Callable[..., Any]:
    """Return a function that records what some links are called with."""

    @functools.wraps(function)
    def called(link: Any, /, *args: Any, **kwargs: Any) -> Any:
        found = targets.get(id(link))
        if found is not None:
            found.add(args, kwargs)
        return function(link, *args, **kwargs)

    return called
