"""Numbers come back as the very type that Python gives, also one of several."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest

from tests.programs import Program, chain_of, compiled, f32


def picked_from_a_list(self, x, n):
    numbers = [int(n), 2.5, 1]
    return numbers[int(n) % 3]


def branches_of_int_and_float(self, x, n):
    return int(n) + 2**53 if n > 1 else 0.5


def branches_of_python_and_numpy(self, x, n):
    return x[0] if n > 1 else float(x[0])


def branches_of_bool_and_int(self, x, n):
    return n > 2 if n > 1 else int(n)


def sorted_numbers(self, x, n):
    return sorted([x[0], np.float32(n), 2])


def list_of_numbers(self, x, n):
    numbers = [int(n), 2.5, 1]
    return [numbers[i % 3] for i in range(int(n))]


def numbers_of_arrays(self, x, n):
    return [n, x.argmax(), np.int32(n), (x > 1).sum(), np.argsort(x)[0], np.arange(n)]


NO_BOOLS = pytest.mark.skipif(
    tuple(map(int, onnxruntime.__version__.split(".")[:2])) < (1, 23),
    reason="SplitToSequence has no kernel for bools: refused, onnxruntime cannot load it",
)

FORWARDS = [
    numbers_of_arrays,
    picked_from_a_list,
    branches_of_int_and_float,
    branches_of_python_and_numpy,
    branches_of_bool_and_int,
    sorted_numbers,
    pytest.param(list_of_numbers, marks=NO_BOOLS),
]


@pytest.mark.parametrize("forward", FORWARDS)
def test_types_of_numbers(forward: Any) -> None:
    row = np.array([1.25, 2], np.float32)
    inputs = [(row, np.array(n)) for n in (3, 1, 0, 2, 4)]
    program = Program(forward, [*inputs, (f32(2), np.array(2))])
    model = compiled(program)
    for args in program.inputs:
        assert described(model(*args)) == described(chain_of(program).forward(*args))


def described(value: Any) -> Any:
    """Return numbers together with their types."""
    if isinstance(value, list):
        return [described(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.dtype.type, value.tolist()
    return type(value), value


def choices_in_a_choice(self, x, n):
    items = [x] if n > 1 else []
    items.append([items[-1] if items else 7])
    return items if n > 0 else [(), None]


@NO_BOOLS
def test_comparing_takes_the_alternative_of_all_levels() -> None:
    inputs = tuple((f32(3), n) for n in (1, 2, 0))
    model = compiled(Program(choices_in_a_choice, inputs))
    report = model.verify(*inputs[1:])
    assert report.agreed
    assert model(*inputs[1])[1][0].dtype == np.float32
    assert model(*inputs[0]) == [[7]]
