"""Whether a program about aliases, compiled once, does what it does eagerly."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import numpy as np

import elichika
from tests.programs import outcome
from tests.sources import module_of
from tests.state.random_aliases import AliasProgram, alias_program
from tests.walker.judge import Judgement, difference, eager, usable

__all__ = ["INPUTS", "judge", "judge_seed"]


Inputs = list[tuple[Any, ...]]


def _rows(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


#: How long one compilation may take.
SECONDS = 60.0
K = np.array([2, 0, 5])
#: Both sides of `c` and of the tests on `y`, no turns, one and several, and 0, 1 and 3 elements.
INPUTS: Inputs = [
    (_rows(1, 2, -1), _rows(0.5, 2, -1), K, 2, True),
    (_rows(1, 2, -1), _rows(-0.5, 2, 1), K - 2, 2, False),
    (_rows(), _rows(-1, 0, 3), K, 0, True),
    (_rows(3), _rows(2, 2, 2), K * 2, 1, False),
    (_rows(-3), _rows(-2, 1, 0), -K, 3, True),
    (_rows(-1, -2, 4), _rows(1, 0, 0), K, 0, False),
    (_rows(), _rows(4, -1, 0.5), K + 1, 3, False),
    (_rows(0, 1), _rows(0, 3, 1), K, 1, True),
]


def judge(program: AliasProgram, inputs: Inputs = INPUTS) -> Judgement | None:
    """Compile a program with the first inputs and compare it with eager on all of them.

    Where eager fails on the first, or on many, there is no judgement.
    """
    file = f"aliases_{program.seed}_{zlib.crc32(program.source.encode()):x}"
    space = module_of(program.source, f"{file}.py")
    expected = eager(space, inputs)
    if expected is None or not usable(expected):
        return None
    try:
        model = elichika.compile_model(
            space["Model"](),
            copy.deepcopy(inputs[0]),
            dynamic_axes={"x": {0: "N"}},
            verify=False,
            max_seconds=SECONDS,
        )
    except elichika.ElichikaError as error:
        place = bool(error.frames) and error.frames[0].file == f"{file}.py"
        internal = "internal error" in str(error)
        return Judgement("refused" if place and not internal else "crashed", str(error))
    except Exception as error:
        return Judgement("crashed", f"{type(error).__name__}: {error}")
    for index, (arguments, wanted) in enumerate(zip(inputs, expected, strict=True)):
        problem = difference(wanted, outcome(model, arguments))
        if problem:
            return Judgement("WRONG", f"input {index} {_shown(arguments)}: {problem}")
    return Judgement("parity")


def _shown(arguments: tuple[Any, ...]) -> str:
    x, y, k, n, c = arguments
    return f"x={x.tolist()} y={y.tolist()} k={k.tolist()} n={n} c={c}"


def judge_seed(seed: int, size: int, without: str = "") -> tuple[AliasProgram, Judgement]:
    """The first usable program of a seed, and what became of it."""
    for attempt in range(1000):
        program = alias_program(seed * 1000 + attempt, size, without)
        found = judge(program)
        if found is not None:
            return program, found
    raise AssertionError(f"no usable program for seed {seed}")
