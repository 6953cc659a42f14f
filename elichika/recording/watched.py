"""What the functions, branches and loops of a program did in the calls that examples show."""

from __future__ import annotations

import io
import random
import threading
import time
import types
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from elichika.program.native_code import is_library
from elichika.recording.marked import Place, marked_functions
from elichika.recording.measure import Form, in_words, measure
from elichika.signature import InputSignature
from elichika.signature.forms import joined
from elichika.values.words import several
from elichika.verify.eager import Eager
from elichika.verify.outside import Outside, around
from elichika.verify.patching import patching

__all__ = ["Went", "watched"]

LONGEST = 5.0
"""Seconds that all runs together may take."""
MOST_LOOKED_AT = 1000
"""Calls of a function whose arguments are looked at."""
MOST_FORMS = 8
"""Of an argument of a function that are told apart."""


@dataclass
class _Seen:
    """The values of a parameter: the least and the largest of their numbers, by form."""

    forms: dict[Form, tuple[list[Any], list[Any]]] = field(default_factory=dict)
    others: bool = False

    def add(self, value: Any) -> None:
        form, numbers = measure(value, identities=False)
        if form in self.forms:
            low, high = self.forms[form]
            low[:], high[:] = map(min, low, numbers), map(max, high, numbers)
        elif len(self.forms) < MOST_FORMS:
            self.forms[form] = list(numbers), list(numbers)
        else:
            self.others = True

    def __str__(self) -> str:
        words = [in_words(form, low, high) for form, (low, high) in self.forms.items()]
        return joined([*dict.fromkeys(words), *(["others"] if self.others else [])])


@dataclass
class Went:
    """A function, a branch or a loop of the program, over all runs.

    Attributes:
        place: Where it is, and which of the three.
        count: How many calls, tests or runs there were.
        true: How many tests were true.
        turns: The fewest and the most iterations of a run.
        parameters: What a function was given.
    """

    place: Place
    count: int = 0
    true: int = 0
    turns: list[int] = field(default_factory=list)
    parameters: list[_Seen] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.place.frame.label}: {getattr(self, f'_{self.place.kind}')()}"

    def _function(self) -> str:
        pairs = zip(self.place.names, self.parameters, strict=True)
        given = ", ".join(f"{name}: {seen}" for name, seen in pairs if name != "self")
        looked = f", {MOST_LOOKED_AT} looked at" if self.count > MOST_LOOKED_AT else ""
        return f"{self.place.frame.function}({given}) in {several(self.count, 'call')}{looked}"

    def _branch(self) -> str:
        often = f"{self.true} of {several(self.count, 'time')}"
        if 0 < self.true < self.count:
            return f"the test is true {often}"
        return f"the test is {'always' if self.true else 'never'} true ({often})"

    def _loop(self) -> str:
        low, high = self.turns
        turns = several(high, "iteration") if low == high else f"{low} to {high} iterations"
        return f"a loop of {turns} in {several(self.count, 'run')}"


def watched(
    chain: Any,
    method: str | None,
    signature: InputSignature,
    functions: Iterable[types.FunctionType],
    train: bool,
) -> tuple[list[Went], int]:
    """Run the chain on the examples, and see which way it goes.

    It is a copy that runs, and what it prints is dropped. An example on which it fails counts.

    Args:
        chain: The chain.
        method: Its method; None for a call of the chain itself.
        signature: The inputs, with the leaves of the examples.
        functions: Those whose branches and loops are asked for; those of libraries are left out.
        train: Whether it runs for `chainer.config.train = True`.

    Returns:
        The functions, branches and loops that were reached, as they stand in the program, and how
        many examples were run: they end where they take too long.
    """
    own = [one for one in functions if not is_library(one.__code__.co_filename)]
    watches: dict[tuple[Place, ...], _Watch] = {}
    run = Eager(chain, method, train=train, outside=Outside(around(chain)))
    until, drawn, ran = time.perf_counter() + LONGEST, random.getstate(), 0
    try:
        telling = marked_functions(own, lambda p: watches.setdefault(p, _Watch(p)))
        with patching, redirect_stdout(io.StringIO()), telling:
            for leaves in signature.examples:
                left = until - time.perf_counter()
                stopped = left <= 0 or run.run(partial(signature.call_of, leaves), left).stopped
                for watch in watches.values():
                    watch.leave()
                if stopped:
                    break
                ran += 1
    finally:
        random.setstate(drawn)
    found = [one for watch in watches.values() for one in watch.found if one.count]
    return sorted(found, key=lambda one: (one.place.frame.file, one.place.frame.line)), ran


class _Watch:
    """What marked functions of a file tell; what they tell in other threads is not kept."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.found = [Went(place) for place in places]
        self._open: dict[int, list[int]] = {}
        self._thread = threading.get_ident()

    def called(self, number: int, values: tuple[Any, ...]) -> None:
        """Keep what a function is given."""
        found = self._counted(number)
        if found is None or found.count > MOST_LOOKED_AT:
            return
        found.parameters = found.parameters or [_Seen() for _ in values]
        for seen, value in zip(found.parameters, values, strict=True):
            seen.add(value)

    def test(self, number: int, value: Any) -> bool:
        """Pass on how a test goes."""
        truth = bool(value)
        found = self._counted(number)
        if found is not None:
            found.true += truth
        return truth

    def begin(self, number: int) -> list[int]:
        """Return what a run of a loop counts with: its place and its iterations so far."""
        run = [number, 0]
        self._open[id(run)] = run
        return run

    def turn(self, run: list[int], value: Any) -> bool:
        """Pass on whether a loop goes on."""
        truth = bool(value)
        run[1] += truth
        if not truth and self._open.pop(id(run), None) is not None:
            self._ran(*run)
        return truth

    def turns(self, number: int, values: Iterable[Any]) -> Iterator[Any]:
        """Pass on what a loop goes through, of which Python takes the iterator at once."""
        return self._passed_on(number, iter(values))

    def _passed_on(self, number: int, values: Iterator[Any]) -> Iterator[Any]:
        count = 0
        try:
            for value in values:
                count += 1
                yield value
        finally:
            self._ran(number, count)

    def leave(self) -> None:
        """Take the loops that were left in an iteration for run."""
        for run in self._open.values():
            self._ran(*run)
        self._open.clear()

    def _ran(self, number: int, turns: int) -> None:
        found = self._counted(number)
        if found is not None:
            low, high = found.turns or (turns, turns)
            found.turns = [min(low, turns), max(high, turns)]

    def _counted(self, number: int) -> Went | None:
        if threading.get_ident() != self._thread:
            return None
        self.found[number].count += 1
        return self.found[number]
