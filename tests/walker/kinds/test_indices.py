"""What Python takes as an index: ints and arrays of one int that have no axes, and nothing else."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, compiled, outcome
from tests.sources import module_of
from tests.table import Table, hold

#: A list of ints, an int, a float, and an array of ints.
INPUTS = [
    ([3, 1, 2], 1, 1.0, np.array([0, 1])),
    ([5], 0, 0.0, np.array([0])),
    ([], 2, -1.0, np.array([], int)),
    ([1, 1, 4, 2], 3, 0.5, np.array([1])),
    ([0, 7], -1, 2.0, np.array([1, 0, 1])),
]
AXES = {"items": {"len": "n"}, "some": {0: "m"}}
case = Table(INPUTS, AXES)


@case()
def a_float_that_is_caught(self, items, n, c, some):
    try:
        return [None, 3][n % 2.0]
    except TypeError:
        return 7


@case()
def a_float_in_a_tuple(self, items, n, c, some):
    try:
        return (10, 20)[c]
    except TypeError:
        return n


@case()
def a_float_to_write_at(self, items, n, c, some):
    held = [n, 20]
    try:
        held[c] = 5
    except TypeError:
        held.append(1)
    return held


@case()
def an_array_with_an_axis(self, items, n, c, some):
    try:
        return [10, 20, 30][some]
    except TypeError:
        return n


@case()
def an_array_without_axes(self, items, n, c, some):
    place = np.asarray(n % 2)
    held = [10, 20, 30]
    held[place] += 1
    held.insert(place, 5)
    return held, held[place:], (1, 2)[place], held.pop(place)


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_told_apart(program: Program) -> None:
    hold(program)


#: What raises TypeError for every input.
UNFIT = {
    "[10, 20][c]": "list indices must be integers",
    "(10, 20)[c]": "tuple indices must be integers",
    "range(5)[c]": "range indices must be integers",
    "range(n)[c]": "range indices must be integers",
    "[1, 2].insert(c, 3)": "cannot be interpreted as an integer",
    "items.insert(c, 3)": "cannot be interpreted as an integer",
    "items.__setitem__(slice(c, None), [1])": "slice indices must be integers",
    "deque(items).rotate(c)": "cannot be interpreted as an integer",
    "[10, 20][some]": "only integer scalar arrays",
    "[10, 20][:some]": "only integer scalar arrays",
    "items[n : n + some]": "only integer scalar arrays",
    "items.pop(some)": "only integer scalar arrays",
    "[10, 20].pop(some)": "only integer scalar arrays",
    "[10, 20].insert(some, 3)": "only integer scalar arrays",
    "np.zeros(np.asarray(c))": "cannot be interpreted as an integer",
    "np.zeros((np.asarray(c), 2))": "only integer scalar arrays",
    "np.eye(3, 3, c)": "cannot be interpreted as an integer",
    "np.partition(some, c)": "Partition index must be integer",
    "np.argpartition(some, c)": "Partition index must be integer",
    "np.bincount(some, None, c)": "cannot be interpreted as an integer",
}


@pytest.mark.parametrize("text", UNFIT)
def test_raises_for_every_input(text: str) -> None:
    forward = _returning(text)
    assert type(outcome(forward, (None, *INPUTS[0]))) is TypeError
    with pytest.raises(elichika.ElichikaError, match=UNFIT[text]):
        compiled(Program(forward, INPUTS, AXES))


def _returning(text: str) -> Any:
    """Return a method with this expression."""
    source = f"def forward(self, items, n, c, some):\n    return {text}\n"
    names = {"np": np, "deque": deque, "__name__": "indices"}
    return module_of(source, f"<{text}>", names)["forward"]
