"""A nan that is among items: Python asks for its identity before it compares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import chain_with

HELD = float("nan")


def counted(self, x, c):
    return [HELD, 2.0].count(HELD if c else float(x[0]))


def in_a_tuple(self, x, c):
    return (HELD if c else float(x[0])) in (1.0, HELD)


def key_of_a_dict(self, x, c):
    return {HELD: 1, 2.0: 3}.get(HELD if c else float(x[0]), 0)


def same_dicts(self, x, c):
    return {"a": HELD} == {"a": HELD if c else float(x[0])}


def same_tuples(self, x, c):
    return (1, HELD) == (1, HELD if c else float(x[0]))


def of_numpy(self, x, c):
    held = np.float64("nan")
    return [held].count(held if c else x.sum(dtype=np.float64))


PROGRAMS = (counted, in_a_tuple, key_of_a_dict, same_dicts, same_tuples, of_numpy)


@pytest.mark.parametrize("forward", PROGRAMS, ids=lambda forward: forward.__name__)
def test_a_nan_that_may_be_the_one_held(forward: Any) -> None:
    chain, numbers = chain_with(forward), np.array([1.0, 2.0])
    axes = {"x": {0: "n"}}
    model = elichika.compile_model(chain, [numbers, True], verify=False, dynamic_axes=axes)
    for x in (numbers, np.array([2.0]), np.array([np.inf])):
        assert model(x, False) == chain(x, False)
    with pytest.raises(elichika.ModelRuntimeError, match="whether a nan is among items"):
        model(numbers, True)


def one_that_is_new(self, x, c):
    made = float("nan") * float(x[0])
    return [made, float(x[1])].count(made), [float(x[0]), float(x[1])].count(made)


def test_a_nan_beside_numbers() -> None:
    chain, x = chain_with(one_that_is_new), np.array([1.0, 2.0])
    model = elichika.compile_model(chain, [x, True], verify=False)
    assert model(x, True) == chain(x, True) == (1, 0)


def a_nan_sought_among_ints(self, x, f):
    numbers = x.tolist()
    return numbers.count(f), numbers.index(f) if f in numbers else -1


def test_no_int_is_the_nan_that_is_sought() -> None:
    chain, x = chain_with(a_nan_sought_among_ints), np.array([1, 2, 2])
    model = elichika.compile_model(chain, [x, 2.0], dynamic_axes={"x": {0: "n"}}, verify=False)
    for inputs in ((x, 2.0), (x, float("nan")), (x[:0], float("nan")), (x[:1], 1.0), (x, 0.5)):
        assert model(*inputs) == chain(*inputs)
