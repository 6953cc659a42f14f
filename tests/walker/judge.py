"""Whether a random program, compiled once, does what it does eagerly."""

from __future__ import annotations

import copy
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

import elichika
from tests import programs
from tests.programs import outcome, unsigned
from tests.sources import module_of
from tests.walker.random_programs import RandomProgram, random_program

__all__ = ["Judgement", "judge", "judge_seed", "usable"]

#: A run of a program that takes longer does not count.
SECONDS = 2
#: A float64 may come of float32 numbers, whose rounding differs.
TOLERANCE = {"float64": 1e-4, "float32": 1e-4, "float16": 1e-2}
Inputs = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Judgement:
    """What became of a program.

    Attributes:
        verdict: `parity`, `refused`, `WRONG`, `crashed`, or `unstable` (eager itself flips).
        detail: What is wrong, or why it was refused.
        differs: Whether the results on the inputs are not all the same.
    """

    verdict: str
    detail: str = ""
    differs: bool = True


def inputs_of(program: RandomProgram) -> Inputs:
    """Six inputs: other values, numbers of rows, numbers and truths."""
    source = random.Random(program.seed)
    rows = [source.choice([2, 3]), 1, source.choice([1, 2, 3]), 4, source.choice([0, 2, 5]), 3]
    numbers = [source.choice([1, 2, 3]), 0, 1, 2, 3, source.choice([4, 5, -1])]
    result: Inputs = []
    for index, (count, number) in enumerate(zip(rows, numbers, strict=True)):
        x = _quarters(source, 3 if program.static else count)
        given: Any = chainer.Variable(x) if program.variable else x
        arguments: tuple[Any, ...] = (given, number, source.random() < 0.5 or index == 0)
        if program.items:
            arguments += (list(_quarters(source, source.randrange(index == 0, 4))),)
        result.append(arguments)
    return result


def _quarters(source: random.Random, rows: int) -> np.ndarray[Any, Any]:
    values = [[source.randrange(-8, 9) / 4 for _ in range(3)] for _ in range(rows)]
    return np.array(values, np.float32).reshape(rows, 3)


class TooLong(BaseException):
    """A run takes too long."""


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """Stop what runs here after a time."""

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def eager(space: dict[str, Any], inputs: Inputs) -> list[Any] | None:
    """What the chain gives for each input, or None if that takes too long."""
    try:
        with deadline(SECONDS):
            return [outcome(space["Model"]().forward, arguments) for arguments in inputs]
    except TooLong:
        return None


def usable(results: list[Any] | None) -> bool:
    """Whether a program runs on its example and on most other inputs."""
    if results is None or isinstance(results[0], Exception):
        return False
    return sum(isinstance(r, Exception) for r in results) <= 2


def judge(program: RandomProgram) -> Judgement | None:
    """Compile a program and compare it with eager on its inputs; None if it is no usable one."""
    file = f"program_{program.seed}"
    space = module_of(program.source, f"{file}.py")
    inputs = inputs_of(program)
    expected = eager(space, inputs)
    if expected is None or not usable(expected):
        return None
    differs = len({_text(r) for r in expected}) > 1
    axes = None if program.static else {0: {0: "rows"}}
    try:
        model = elichika.compile_model(
            space["Model"](), copy.deepcopy(inputs[0]), dynamic_axes=axes, verify=False
        )
    except elichika.ElichikaError as error:
        line = bool(error.frames) and error.frames[0].file == f"{file}.py"
        return Judgement("refused" if line else "crashed", str(error), differs)
    except Exception as error:
        return Judgement("crashed", f"{type(error).__name__}: {error}", differs)
    for index, (arguments, wanted) in enumerate(zip(inputs, expected, strict=True)):
        found = outcome(model, arguments)
        problem = difference(wanted, found)
        if problem:
            verdict = "WRONG" if _is_stable(space, arguments, wanted) else "unstable"
            return Judgement(verdict, f"input {index} {arguments}: {problem}", differs)
    return Judgement("parity", "", differs)


def difference(expected: Any, found: Any) -> str | None:
    """How a result of the model differs from the eager one, the signs of zeros apart."""
    return programs.difference(unsigned(expected), unsigned(found), TOLERANCE)


def _is_stable(space: dict[str, Any], arguments: tuple[Any, ...], wanted: Any) -> bool:
    """Whether eager gives nearly the same on nearly the same input."""
    for factor in (1 + 1e-6, 1 - 1e-6, 1 + 3e-7, 1 - 3e-7):
        nudged = copy.deepcopy(arguments)
        arrays = [getattr(nudged[0], "array", nudged[0]), *(nudged[3] if nudged[3:] else [])]
        for array in arrays:
            array *= np.float32(factor)
        again = (eager(space, [nudged]) or [None])[0]
        if isinstance(wanted, Exception) != isinstance(again, Exception):
            return False
        if not isinstance(wanted, Exception) and _shape_of(wanted) != _shape_of(again):
            return False
    return True


def _shape_of(value: Any) -> Any:
    """A result with its floats rounded."""
    if isinstance(value, dict):
        return {k: _shape_of(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shape_of(v) for v in value]
    if isinstance(value, chainer.Variable):
        value = value.array
    if isinstance(value, (float, np.floating, np.ndarray)):
        array = np.asarray(value, np.float64)
        largest = np.max(np.abs(array), initial=0.0)
        step = 10.0 ** np.floor(np.log10(largest) - 2) if 0 < largest < np.inf else 1.0
        return array.shape, (np.round(array / step + 0.123) * step).tolist().__repr__()
    return value


def _text(value: Any) -> str:
    return repr(value)


def judge_seed(level: int, seed: int, size: int) -> tuple[RandomProgram, Judgement]:
    """The first usable program of a seed, and what became of it."""
    for attempt in range(1000):
        program = random_program(level, seed * 1000 + attempt, size)
        found = judge(program)
        if found is not None:
            return program, found
    raise AssertionError(f"no usable program for seed {seed}")
