"""A parameter, or a Variable of the chain, that is given another array: its aliases stay."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import Program, chain_of, f32, outcome
from tests.table import Table, hold

INPUTS = [(f32(3), n, c) for n, c in ((2, True), (0, False), (1, True), (3, False), (0, True))]


def given() -> Any:
    """Enter a program whose chain has a parameter, a Variable and an array."""
    return case(
        W=lambda: chainer.Parameter(np.ones(3, np.float32)),
        v=lambda: chainer.Variable(np.full(3, 2, np.float32)),
        held=lambda: np.arange(3, dtype=np.float32),
    )


case = Table(INPUTS, None)


@given()
def the_array_that_was_given(self, y, n, c):
    before = self.W.array
    self.W.array = y
    return self.W, self.W.array, self.W.data, before, self.W.array is y, self.W.array is before


@given()
def written_through_the_parameter(self, y, n, c):
    self.W.array = y
    self.W.array += 64
    self.W.data[0] = n
    return y, self.W


@given()
def written_through_the_array(self, y, n, c):
    self.W.array = y
    self.v.data = y[::-1]
    y += 64
    return self.W, self.v, F.relu(self.W)


@given()
def an_array_of_the_chain(self, y, n, c):
    self.W.array = self.held
    self.W.array += n
    self.held[1] = 7
    return self.W, self.held, self.held is self.W.array


@given()
def given_in_a_branch(self, y, n, c):
    if c:
        self.W.array = y
    self.W.array += 1
    return y, self.W, self.W.array is y


@given()
def given_in_a_loop(self, y, n, c):
    old = self.W.array
    for i in range(n):
        self.W.array = self.W.array * 2 + y
    old += 5
    return old, self.W, self.W.array


@given()
def one_of_two_in_each_turn(self, y, n, c):
    z = y * 2
    for i in range(n):
        self.v.array = y if i % 2 else z
        self.v.array[0] += 1
    return y, z, self.v


@given()
def what_is_asked_of_the_new_one(self, y, n, c):
    self.W.array = np.stack([y, y])
    return self.W.shape, self.W.size, self.W.ndim, len(self.W), self.W.T, self.W[0]


@given()
def put_back(self, y, n, c):
    old = self.W.array
    self.W.array = y
    out = self.W + 1
    self.W.array = old
    old += 1
    return out, self.W, y


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_another_array(program: Program) -> None:
    hold(program)


def test_kept_from_call_to_call() -> None:
    def forward(self: Any, y: Any, n: Any, c: Any) -> Any:
        if c:
            self.W.array = self.W.array * 2 + y
        return self.W.array + n

    program = Program(forward, INPUTS, attributes=case.programs[0].attributes)
    model = elichika.compile_model(chain_of(program), INPUTS[0], verify=False, state=True)
    chain = chain_of(program)
    for inputs in INPUTS:
        expected = outcome(chain.forward, inputs)
        np.testing.assert_allclose(outcome(model, inputs), expected, rtol=1e-5)
