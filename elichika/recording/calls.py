"""Calls that were recorded: how many of each kind, with an example of each extreme."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import chainer

from elichika.errors import InputError, meant
from elichika.recording.measure import Form, Room, copied, mark, measure, whole
from elichika.signature import BoundCall
from elichika.values.words import several

__all__ = ["Calls", "Kind", "Recorded", "shown_calls"]

MOST_KINDS = 256
"""Of calls of one method; more are counted, and not told apart."""
MOST_MARKS = 4096
"""Of calls that are known by what they look like."""


@dataclass
class Kind:
    """Calls of one form.

    Attributes:
        count: How many there were.
        first: The first of them.
        least: For each size and number, the least that was seen; the call that had it is in `low`,
            unless it is the first.
        most: The largest; its calls are in `high`.
    """

    count: int
    first: BoundCall
    least: list[Any]
    most: list[Any]
    low: dict[int, BoundCall] = field(default_factory=dict)
    high: dict[int, BoundCall] = field(default_factory=dict)

    def take(self, numbers: Sequence[Any], keep: Callable[[], BoundCall]) -> None:
        """Keep a call if it is an extreme."""
        kept: BoundCall | None = None
        for index, number in enumerate(numbers):
            low, high = number < self.least[index], number > self.most[index]
            if low or high:
                kept = kept or keep()
                (self.least if low else self.most)[index] = number
                (self.low if low else self.high)[index] = kept

    @property
    def kept(self) -> list[BoundCall]:
        """The first call, and each that is an extreme, as they are kept."""
        found = [self.first, *self.low.values(), *self.high.values()]
        return list({id(call): call for call in found}.values())

    @property
    def examples(self) -> list[BoundCall]:
        """The first call, and each that is an extreme."""
        return [BoundCall(whole(call.args), whole(call.kwargs)) for call in self.kept]


class Recorded:
    """The calls of one method of one link."""

    def __init__(self, room: Room | None = None) -> None:
        """Start without calls.

        Args:
            room: Where their large arrays have to fit, if anywhere.
        """
        self.room = room
        self.kinds: dict[Form, Kind] = {}
        self.others = 0
        self._marks: dict[Any, Kind] = {}

    def add(self, args: Sequence[Any], kwargs: Mapping[str, Any], count: int = 1) -> None:
        """Record a call, before it runs.

        Args:
            args: Its positional arguments.
            kwargs: Its keyword arguments.
            count: How often it came.
        """
        seen: Any = mark(args[0]) if len(args) == 1 else tuple([mark(value) for value in args])
        if kwargs:
            seen = None, seen, mark(kwargs)
        known = self._marks.get(seen)
        if known is not None:
            known.count += count
        else:
            self._add_unseen(seen, args, kwargs, count)

    def _add_unseen(
        self, seen: Any, args: Sequence[Any], kwargs: Mapping[str, Any], count: int
    ) -> None:
        """Record a call that is unlike those before it."""

        def keep() -> BoundCall:
            return BoundCall(copied(tuple(args), self.room), copied(dict(kwargs), self.room))

        forms, numbers = measure((tuple(args), dict(kwargs)))
        kind = self.kinds.get(forms)
        if kind is None:
            if len(self.kinds) == MOST_KINDS:
                self.others += count
                return
            kind = self.kinds[forms] = Kind(count, keep(), list(numbers), list(numbers))
        else:
            kind.count += count
            kind.take(numbers, keep)
        if len(self._marks) < MOST_MARKS:
            self._marks[seen] = kind  # objects in it live: the first call of the kind has them

    @property
    def count(self) -> int:
        """How many calls there were."""
        return self.others + sum(kind.count for kind in self.kinds.values())

    def __str__(self) -> str:
        kinds = several(len(self.kinds), "kind")
        return f"{several(self.count, 'call')} of {kinds}, {self.kept} kept"

    @property
    def kept(self) -> int:
        """How many examples there are."""
        return sum(len(kind.kept) for kind in self.kinds.values())

    @property
    def examples(self) -> list[BoundCall]:
        """An example of each extreme, the first call first."""
        return [call for kind in self.kinds.values() for call in kind.examples]


class Calls:
    """The calls of a chain, its links and their methods.

    Attributes:
        recorded: By the path of the link (`/` is the chain) and the name of the method; a call of
            the link itself is one of its `forward`, or of its own `__call__`.
    """

    def __init__(self, chain: chainer.Link | None = None) -> None:
        """Start without calls.

        Args:
            chain: Whose calls they are; None for those from a file.
        """
        self.chain = chain
        self.recorded: dict[tuple[str, str], Recorded] = {}

    def of(self, link: chainer.Link, method: str | None = None) -> list[BoundCall]:
        """Return the examples of a link's calls.

        Args:
            link: The chain, or one of its links; of calls from a file, it is taken for the chain.
            method: The method; None for a call of the link itself.

        Raises:
            InputError: There are none.
        """
        return self._recorded(link, method).examples

    def _recorded(self, link: chainer.Link, method: str | None) -> Recorded:
        """Return the calls of a method, of which all kinds are kept."""
        path = self._path(link)
        own = any(
            "__call__" in vars(base) for base in type(link).__mro__ if base is not chainer.Link
        )
        name = method or ("__call__" if own and (path, "__call__") in self.recorded else "forward")
        found = self.recorded.get((path, name))
        if found is None or not found.count:
            names = [f"{path}.{name}" for path, name in self.recorded]
            shown = ", ".join(f"`{one}`" for one in names) or "none"
            raise InputError(
                f"no call of `{path}.{name}` was recorded; those that were are {shown}",
                hint=meant(f"{path}.{name}", names),
            )
        if found.others:
            raise InputError(
                f"`{path}.{name}` was called in more than {MOST_KINDS} ways; not all are kept",
                hint="a text or an object that differs in each call cannot be an input of a model",
            )
        return found

    def counts(self, link: chainer.Link, method: str | None = None) -> list[int]:
        """Return how many calls each example stands for: most stand behind the first of a kind."""
        found: list[int] = []
        for kind in self._recorded(link, method).kinds.values():
            others = len(kind.kept) - 1
            found += [kind.count - others, *(1 for _ in range(others))]
        return found

    def _path(self, link: chainer.Link) -> str:
        if self.chain is None or link is self.chain:
            return "/"
        for path, one in self.chain.namedlinks():
            if one is link:
                return str(path)
        raise InputError(f"the calls are not of this {type(link).__name__}, nor of a chain with it")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the examples to an `.npz` file, for `elichika.load_calls`.

        Raises:
            InputError: The file cannot be written, or an argument is an object that no file keeps.
        """
        from elichika.recording.files import save_calls

        save_calls(self, path)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.recorded)

    def __repr__(self) -> str:
        lines = [
            f"{path}.{name}: {found}"
            for (path, name), found in self.recorded.items()
            if found.count
        ]
        return "\n".join(lines) or "no calls"


def shown_calls(
    chain: chainer.Link, method: str | None, inputs: Any, examples: Sequence[Any] | None
) -> tuple[Any, list[Any], list[int]]:
    """Return the first input, the further ones, and how many calls each of these stands for.

    Recorded calls may stand in the place of the first.
    """
    more = list(examples or ())
    if type(inputs) is not Calls:
        return inputs, more, [1] * (1 + len(more))
    (first, *others), counts = inputs.of(chain, method), inputs.counts(chain, method)
    return first, [*others, *more], [*counts, *(1 for _ in more)]
