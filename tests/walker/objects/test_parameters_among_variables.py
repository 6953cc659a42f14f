"""A Variable that may be a Parameter: what it is asked is what all Variables have."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest
from chainer import Parameter, Variable

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(rows, np.float32).reshape(-1, 2), n)
    for rows, n in (([1, 2, 3, 4], 7), ([], 0), ([5, -6], 5), ([1, 1, 2, 2, 3, 3], 2))
] + [(np.ones((1, 2), np.float32), 5)]
case = Table(INPUTS, {"x": {0: "n"}})
refused = Table(INPUTS, {"x": {0: "n"}})


def first():
    return Parameter(np.array([3, -1], np.float32))


def second():
    return Parameter(np.array([4, 2], np.float32))


@case(w=first, u=second)
def what_all_variables_have(self, x, n):
    o = self.w if n > 4 else Variable(np.ones(2, np.float32))
    known = isinstance(o, Variable), isinstance(o, (np.ndarray, list)), o.shape, o.dtype.itemsize
    return known, F.tanh(o) * o, o.array


@case(w=first, u=second)
def one_of_two_parameters(self, x, n):
    o = self.w if n > 4 else self.u
    return isinstance(o, Parameter), type(o) is Variable, o is self.w, o * 2


@case(w=first, u=second)
def first_state(self, x, n):
    h = self.w
    for row in x:
        h = F.tanh(h + row)
    return h


@refused(w=first, u=second)
def is_it_one(self, x, n):
    o = self.w if n > 4 else Variable(np.ones(2, np.float32))
    return isinstance(o, Parameter)


@refused(w=first, u=second)
def its_class(self, x, n):
    o = [self.w, Variable(np.ones(2, np.float32))][n % 2]
    return type(o) is Variable


@refused(w=first, u=second)
def what_parameters_have(self, x, n):
    o = self.w if n > 4 else Variable(np.ones(2, np.float32))
    return hasattr(o, "update_rule")


@refused(w=first, u=second)
def what_one_has(self, x, n):
    o = self.w if n > 4 else self.u
    return o.name == "w"


@refused(w=lambda: Variable(np.ones(2, np.float32), name="w"), u=second)
def what_a_variable_is_called(self, x, n):
    o = self.w if n > 4 else Variable(np.ones(2, np.float32))
    return o.name == "w"


@refused(w=first, u=second)
def union(self, x, n):
    o = self.w if n > 4 else Variable(np.ones(2, np.float32))
    return isinstance(o, Parameter | int)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_what_it_is(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)


def test_classes_of_the_program_stay_apart() -> None:
    """A class of the program may answer otherwise: no class stands for both."""

    class Mine(chainer.Variable):
        def __neg__(self):
            return self * 5

    def forward(self, x, n):
        return -(self.mine if n > 4 else self.w)

    def attributes():
        return {"w": first(), "mine": Mine(np.ones(2, np.float32))}

    hold(Program(forward, INPUTS, {"x": {0: "n"}}, attributes=attributes))
