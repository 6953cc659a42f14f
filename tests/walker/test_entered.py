"""Functions of the program that native code calls: numpy's, and Chainer's for known arrays."""

from __future__ import annotations

import functools
import re

import chainer
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [(2, True), (0, False), (5, True), (1, False), (3, True)]
case, refused = Table(INPUTS, {}), Table(INPUTS, {})
STATE = {"k": 1}
LOG: list[int] = []
X = np.arange(3, dtype=np.float32)


def scaled(v):
    return v * STATE["k"]


def noted(v):
    LOG.append(1)
    return v


BY_ITEMS = np.vectorize(scaled)


class Scaled(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * STATE["k"],)


class OldScaled(chainer.Function):
    def forward(self, inputs):
        return (inputs[0] * STATE["k"],)


class Counted(chainer.FunctionNode):
    def __init__(self, counts):
        self.counts = counts

    def forward(self, inputs):
        self.counts["k"] = self.counts.get("k", 0) + 1
        return (inputs[0] + self.counts["k"],)


class Kept:
    def __init__(self, k):
        self.k = k

    @property
    def double(self):
        return self.k * STATE["k"]


KEPT = Kept(3)


@case()
def own_function(self, n, c):
    STATE["k"] = n
    y = Scaled().apply((X,))[0].array
    STATE["k"] = 1
    return y


@case()
def own_function_of_old_style(self, n, c):
    if c:
        STATE["k"] = 4
    y = OldScaled()(X).array
    STATE["k"] = 1
    return y


@case()
def own_function_that_counts(self, n, c):
    counts = {}
    y = X
    for _ in range(n):
        y = Counted(counts).apply((X,))[0].array
    return y, counts.get("k", 0)


@case()
def own_function_whose_sizes_are_read(self, n, c):
    y = Scaled().apply((X,))[0].array
    return np.zeros(int(y.sum())), n


@case()
def by_index(self, n, c):
    STATE["k"] = n
    y = np.fromfunction(scaled, (3,))
    STATE["k"] = 1
    return y


@case()
def by_pieces(self, n, c):
    if c:
        STATE["k"] = 4
    y = np.piecewise(np.arange(3.0), [np.arange(3) > 1], [scaled, 7])
    STATE["k"] = 1
    return y, n


@case()
def by_rows(self, n, c):
    if c:
        STATE["k"] = 4
    y = np.apply_along_axis(scaled, 0, np.ones((2, 2)))
    STATE["k"] = 1
    return y, n


@case()
def by_items(self, n, c):
    if c:
        STATE["k"] = 4
    y = BY_ITEMS(np.arange(3))
    STATE["k"] = 1
    return y, n


@refused()
def by_a_ufunc(self, n, c):
    if c:
        STATE["k"] = 4
    y = np.frompyfunc(scaled, 1, 1)([1, 2]).astype(np.float32)
    STATE["k"] = 1
    return y, n


@refused()
def by_a_ufunc_that_changes_something(self, n, c):
    if c:
        np.frompyfunc(functools.partial(noted), 1, 1)([1, 2])
    return len(LOG), n


@refused()
def by_a_pattern(self, n, c):
    return len(re.sub("a", noted, "aab")) + n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
