"""`state=True` with dicts and sets whose keys only the run knows: they last from call to call."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import chainer
import numpy as np
import pytest

import elichika

WORDS = ("the", "cat", "sat", "on", "mat", "a", "dog", "ran")
CALLS = [
    *([3, 1, 2, 1], [0, 1, 2], [], [5], [2, 2, 2]),
    *([4, 0, 4, 1], [7, 3, 5, 1, 0, 2, 1], [], [3]),
]
Program = Callable[[Any, Any], Any]


def counts(self: Any, x: Any) -> Any:
    for v in x.tolist():
        self.held[v] = self.held.get(v, 0) + 1
    return list(self.held.items())


def seen(self: Any, x: Any) -> Any:
    new = 0
    for v in x.tolist():
        new += v not in self.held
        self.held.add(v)
    return sorted(self.held), new


def oldest_goes(self: Any, x: Any) -> Any:
    missed = 0
    for v in x.tolist():
        if v not in self.held:
            missed += 1
            if len(self.held) >= 3:
                del self.held[next(iter(self.held))]
            self.held[v] = v * v
    return missed, list(self.held)


def words(self: Any, x: Any) -> Any:
    for v in x.tolist():
        self.held[WORDS[v]] = self.held.get(WORDS[v], 0) + 1
    return self.held.get("cat", 0), sorted(self.held.values())


def pairs(self: Any, x: Any) -> Any:
    numbers = x.tolist()
    for pair in pairwise(numbers):
        self.held[pair] = self.held.get(pair, 0) + 1
    return list(self.held.items())


def sums_of_rows(self: Any, x: Any) -> Any:
    for v in x.tolist():
        self.held[v] = self.held.get(v, np.zeros(2, np.float32)) + np.float32([v, 1])
    return [self.held[v] for v in sorted(self.held)]


def most_common(self: Any, x: Any) -> Any:
    self.held.update(x.tolist())
    return self.held.most_common(2)


def made_by_a_factory(self: Any, x: Any) -> Any:
    for v in x.tolist():
        self.held[v] += 2
    return sorted(self.held.items())


def another_in_each_call(self: Any, x: Any) -> Any:
    before = sorted(self.held.items())
    self.held = {v: i for i, v in enumerate(x.tolist())}
    return before


PROGRAMS: list[tuple[Program, Callable[[], Any]]] = [
    (counts, lambda: {9: 1, 1: 5}),
    (seen, set),
    (oldest_goes, dict),
    (words, dict),
    (pairs, dict),
    (sums_of_rows, dict),
    (most_common, Counter),
    (made_by_a_factory, lambda: defaultdict(int)),
    (another_in_each_call, dict),
]


@pytest.mark.parametrize(("program", "make"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_keyed_state(program: Program, make: Callable[[], Any]) -> None:
    def chain() -> chainer.Chain:
        made: Any = type("Net", (chainer.Chain,), {"forward": program})()
        made.held = make()
        return made

    inputs = [np.array(call, np.int64) for call in CALLS]
    model = elichika.compile_model(chain(), inputs[:1], dynamic_axes={"x": {0: "l"}}, state=True)
    for order in (inputs, inputs[::-1]):
        model.reset()
        eager = chain()
        for x in order:
            np.testing.assert_equal(model(x), eager.forward(x))
