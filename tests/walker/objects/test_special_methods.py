"""Special methods of objects that were there before: they see what the model changed."""

from __future__ import annotations

import math
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled


class Reader:
    """Reads an attribute of the chain in every method."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.asked = 0

    def __bool__(self) -> Any:
        return self.owner.k > 5

    def __int__(self) -> Any:
        return self.owner.k

    def __float__(self) -> Any:
        return self.owner.k + 0.5

    def __abs__(self) -> Any:
        return self.owner.k - 1

    def __index__(self) -> Any:
        return self.owner.k % 3

    def __contains__(self, value: Any) -> Any:
        return value == self.owner.k

    def __round__(self, digits: Any = 0) -> Any:
        return self.owner.k + 2

    def __divmod__(self, other: Any) -> Any:
        return self.owner.k, other

    def __getattr__(self, name: str) -> Any:
        if name == "seen":
            return self.owner.k
        raise AttributeError(name)

    def __floor__(self) -> Any:
        self.asked += 1
        return self.owner.k

    def __repr__(self) -> str:
        return "one" if self.owner.k == 3 else "other"


class Model(chainer.Chain):
    """Changes what its reader reads."""

    def __init__(self) -> None:
        super().__init__()
        self.k = 3
        self.reader = Reader(self)

    def forward(self, n):
        if n > 2:
            self.k = n + 7
        else:
            self.k = 10
        r = self.reader
        numbers = int(r), float(r), abs(r), round(r), divmod(r, n), r.seen, r.seen
        return numbers, bool(r), 10 in r, [1.5, 2.5, 3.5][r], list(map(int, [r])), hasattr(r, "no")


def test_methods_see_what_the_model_changed() -> None:
    forward = Model.forward
    program = Program(lambda self, n: forward(Model(), n), [(3,), (0,), (5,), (-1,)])
    check(program, compiled(program))


@pytest.mark.parametrize("ask", [str, repr, math.floor, np.array, np.zeros, lambda r: f"{r}"])
def test_what_native_code_would_ask_is_refused(ask: Any) -> None:
    class Asking(Model):
        def forward(self, n):
            self.k = 10
            return n, ask(self.reader) is None

    with pytest.raises(elichika.ElichikaError, match="whose methods it may call"):
        elichika.compile_model(Asking(), (3,), verify=False)


def test_an_object_that_is_asked_stays_as_it_was() -> None:
    class Asking(Model):
        def forward(self, n):
            return n + math.floor(self.reader)

    chain = Asking()
    model = elichika.compile_model(chain, (3,), verify=False)
    assert chain.reader.asked == 0
    assert [model(n) for n in (3, 0, 5)] == [Asking().forward(n) for n in (3, 0, 5)]


class Ranked:
    """Compares by a sign that the chain holds."""

    def __init__(self, owner: Any, rank: int) -> None:
        self.owner, self.rank = owner, rank

    def __lt__(self, other: Any) -> Any:
        return self.rank * self.owner.sign < other.rank * other.owner.sign


class Sorting(chainer.Chain):
    """Sorts objects after it changed what they compare by."""

    def __init__(self) -> None:
        super().__init__()
        self.sign = 1
        self.held = [Ranked(self, rank) for rank in (1, 2, 0)]

    def forward(self, n):
        self.sign = -1 if n > 2 else 1
        new = sorted([3, 1, 2], key=lambda rank: Ranked(self, rank))
        return [one.rank for one in sorted(self.held)], new, min(self.held).rank


def test_sorting_compares_by_what_the_model_changed() -> None:
    forward = Sorting.forward
    program = Program(lambda self, n: forward(Sorting(), n), [(3,), (0,), (5,)])
    check(program, compiled(program))
