"""Iterators that were made before the call: asking them takes items from the program."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import chainer
import numpy as np
import pytest

import elichika

X = np.ones(3, np.float32)
ITEMS = [1.0, 2.0, 3.0]


def _generator() -> Iterator[float]:
    yield from ITEMS


MADE: dict[str, Callable[[], Iterator[Any]]] = {
    "list_iterator": lambda: iter(ITEMS),
    "tuple_iterator": lambda: iter(tuple(ITEMS)),
    "list_reverseiterator": lambda: reversed(ITEMS),
    "map": lambda: map(float, ITEMS),
    "generator": _generator,
    "cycle": lambda: itertools.cycle(ITEMS),
    "count": lambda: itertools.count(1.0),
    "islice": lambda: itertools.islice(ITEMS, 3),
}


class Held(chainer.Chain):
    def __init__(self, held: Any) -> None:
        super().__init__()
        self.held = held


class Next(Held):
    def forward(self, x: Any) -> Any:
        return x + next(self.held)


class Method(Held):
    def forward(self, x: Any) -> Any:
        return x + self.held.__next__()


class Loop(Held):
    def forward(self, x: Any) -> Any:
        for item in self.held:
            return x + item
        return x


class Unpacked(Held):
    def forward(self, x: Any) -> Any:
        first, *_ = self.held
        return x + first


class Summed(Held):
    def forward(self, x: Any) -> Any:
        return x + sum(self.held)


class Listed(Held):
    def forward(self, x: Any) -> Any:
        return x + np.array(list(zip(self.held, range(3), strict=False)))[0, 0]


class Found(Held):
    def forward(self, x: Any) -> Any:
        return x + (2.0 in self.held)


class InALoop(Held):
    def forward(self, x: Any) -> Any:
        for _ in range(len(x)):
            x = x + next(self.held, 0.0)
        return x


@pytest.mark.parametrize("kind", [Next, Method, Loop, Unpacked, Summed, Listed, Found, InALoop])
@pytest.mark.parametrize("made", MADE)
def test_a_held_iterator_is_not_asked(made: str, kind: type[Held]) -> None:
    held = MADE[made]()
    with pytest.raises(elichika.StagingError, match=f"this {made} was made before the call"):
        elichika.compile_model(kind(held), [X], dynamic_axes={"x": {0: "n"}}, verify=False)
    assert list(itertools.islice(held, 3)) == list(itertools.islice(MADE[made](), 3))


def test_one_that_is_made_in_the_call() -> None:
    class Kept(Held):
        def forward(self, x: Any) -> Any:
            it = iter(self.held)
            return x + next(it), x * next(it)

    model = elichika.compile_model(Kept(ITEMS), [X])
    assert [float(y.array[0] if hasattr(y, "array") else y[0]) for y in model(X)] == [2.0, 2.0]
