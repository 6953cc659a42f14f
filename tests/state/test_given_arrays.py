"""Variables that are given another array while another name may hold them; bools as indices."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, chain_of, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(x, np.float32), np.array([y, 2.0, -1.0], np.float32), n)
    for x, y, n in (
        *(([1, 2, -1], 0.5, 2), ([], -1.0, 0), ([1], 1.0, 1), ([2, 2], 3.0, 3)),
        ([1, -1], -2.0, 1),
    )
]
AXES = {"x": {0: "a"}}
case, refused = Table(INPUTS, AXES), Table(INPUTS, AXES)


def made():
    return chainer.Variable(np.ones(3, np.float32)), chainer.Variable(np.zeros(3, np.float32))


@case()
def by_another_name(self, x, y, n):
    b = np.arange(3, dtype=np.float32)
    g, h = made()
    if len(x):
        h = g
        h.array = b
    g.array += 128
    return h, g, b


@case()
def by_a_function_that_gives_it_back(self, x, y, n):
    b = np.arange(3, dtype=np.float32)
    g, h = made()
    if len(x):
        h = F.reshape(g, (3,))
        h.array = b
    g.array += 128
    return h, b


@case()
def the_array_changes(self, x, y, n):
    b = np.arange(3, dtype=np.float32)
    g, h = made()
    if len(x):
        h = g
        g.array = b
    b += 128
    return h, g, b


@case()
def of_one_name(self, x, y, n):
    g, b = made()[0], np.arange(3, dtype=np.float32)
    if len(x):
        g.array = b
    g.array += 128
    return g, b


@case()
def in_place_alone(self, x, y, n):
    g, h = made()
    if len(x):
        h = g
    g.array += 128
    return h, g


PARAMETERS = {
    "w": lambda: chainer.Parameter(np.ones(3, np.float32)),
    "v": lambda: chainer.Parameter(np.zeros(3, np.float32)),
}


@case(**PARAMETERS)
def parameters_written_into(self, x, y, n):
    h = self.w if n > 1 else self.v
    h.array[...] = 7
    return self.w.array, self.v.array


@refused()
def given_after_the_branch(self, x, y, n):
    g, h = made()
    if len(x):
        h = g
    g.array = np.arange(3, dtype=np.float32)
    return h, g


@refused(**PARAMETERS)
def a_parameter_chosen_before(self, x, y, n):
    h = self.w if n > 1 else self.v
    self.w.array = self.w.array * 2
    return h.array


@refused(**PARAMETERS)
def a_parameter_by_an_index(self, x, y, n):
    h = [self.w, self.v][n % 2]
    self.w.array = np.full(3, 4, np.float32)
    return h.array


@refused(**PARAMETERS)
def a_parameter_in_a_loop(self, x, y, n):
    h = self.w
    for i in range(n):
        h = self.v if i % 2 else self.w
        self.v.array = self.v.array + 1
    return h.array


@refused(**PARAMETERS)
def a_parameter_in_a_list(self, x, y, n):
    held = []
    for _ in range(n):
        held.append(self.w)
    self.w.array = np.full(3, 4, np.float32)
    return [one.array for one in held]


def chosen_by_a_bool_of_numpy(self, x, y, n):
    found = (1, 2)[y[0] > 0]
    for _ in range(n):
        found += [3, 4][y[1] < y[0]]
    held = self
    for _ in range(n):
        held = (self, np)[y[0] > 0]
    return found, held is self, range(5)[y[0] > 0]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_held(program: Program) -> None:
    hold(program)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) >= "2.0.0", reason="no index any more")
@pytest.mark.filterwarnings("ignore:In future:DeprecationWarning")
def test_a_bool_of_numpy_is_an_index() -> None:
    program = Program(chosen_by_a_bool_of_numpy, INPUTS, AXES)
    model = compiled(program)
    for inputs in INPUTS:
        assert model(*inputs) == chain_of(program)(*inputs)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
