"""Dicts of which a branch or a loop decides which one they are, looked through."""

from __future__ import annotations

import chainer
import chainer.functions as F
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

INPUTS = [(f32(rows, 2, seed=rows), n) for rows, n in [(3, 2), (1, 0), (5, 4), (2, 1), (4, 7)]]
case = Table(INPUTS, {"x": {0: "rows"}})


@case()
def made_anew_in_each_turn(self, x, n):
    w = {"a": chainer.Variable(x), "b": chainer.Variable(x * 2)}
    for i in range(n):
        w = {name: v * 0.5 + i for name, v in w.items()}
    return w["a"], w["b"], list(w)


@case()
def made_by_a_function(self, x, n):
    def changed(w):
        return {name: v * 2 for name, v in w.items()}, F.sum(w["a"])

    w, total = {"a": chainer.Variable(x), "b": chainer.Variable(x * 2)}, F.sum(x)
    for _ in range(n):
        w, number = changed(w)
        total += number * 0.01
    return list(w.values()), total


@case()
def views(self, x, n):
    w = {"a": x, "b": x * 2}
    if n > 2:
        w = {"a": x * 3, "b": x}
    return list(w.values()), [key for key in w.keys()], [v.sum() for _, v in w.items()]


@case()
def of_two_that_stay(self, x, n):
    a, b = {"k": x, "l": x * 2}, {"k": x * 5, "l": x * 3}
    w = a if n > 2 else b
    w["k"] = x + 1
    seen = list(w.items())
    a["l"] = x * 0
    return [v for _, v in seen], list(w.values()), len(w), [key for key in w], a["k"], b["k"]


@case()
def written_while_it_is_gone_through(self, x, n):
    a, b = {"k": x, "l": x * 2}, {"k": x * 5, "l": x * 3}
    w = a if n > 2 else b
    for key, value in w.items():
        w[key] = value * 2
    return a["k"], a["l"], b["k"], b["l"]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.forward.__name__)
def test_program(program: Program) -> None:
    hold(program)
