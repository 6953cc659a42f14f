"""Random recursive programs, compiled: `python -m tests.walker.fuzz_recursion COUNT START`.

Prints how many agree with Python, are refused and why, or are wrong; the text of those that are.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from functools import partial
from typing import Any

import numpy as np

import elichika
from tests.programs import REFUSED, Program, compiled, differences
from tests.sources import module_of

from .recursive_draws import program

__all__ = ["INPUTS", "judged", "main"]

#: An array, how deep, and a number: depth 0 and 1 among them.
INPUTS: list[tuple[Any, ...]] = [
    (np.array([1.0, -2.0, 3.5]), 3, 2),
    (np.array([2.0, 1.0]), 0, 1),
    (np.array([0.5]), 1, 4),
    (np.zeros(0), 2, 3),
    (np.array([4.0, -1.0, 2.0, 6.0, 1.0]), 4, 0),
    (np.array([1.0, 2.0, 3.0, 4.0]), 5, 7),
]
AXES = {"x": {0: "length"}}


#: How long a compile may take, beside others on a machine.
SECONDS = 3_600
#: A program that makes more calls for an input is not run on it: the model would run for minutes.
MOST_CALLS = 1_000


class TooLong(BaseException):
    """A program makes too many calls."""


def outcome_of(forward: Any, row: tuple[Any, ...]) -> str:
    """Return what an input is: `fine`, one that `raises`, or one that takes too `long`."""
    count = 0

    def counted(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename == forward.__code__.co_filename
        if count > MOST_CALLS:
            raise TooLong

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        forward(None, *copy.deepcopy(row))
    except TooLong:
        return "long"
    except Exception:
        return "raises"
    finally:
        sys.setprofile(before)
    return "fine"


def judged(seed: int) -> tuple[str, str]:
    """Return what became of a program: `same`, `wrong`, `refused` or `useless`, and how."""
    source = program(seed)
    forward = module_of(source, f"draw_{seed}.py")["forward"]
    rows = [(outcome_of(forward, row), row) for row in INPUTS]
    inputs = [row for wanted in ("fine", "raises") for what, row in rows if what == wanted]
    if not any(what == "fine" for what, _ in rows):
        return "useless", "it raises for every input"
    draw = Program(forward, inputs, AXES)
    try:
        model = compiled(draw, partial(elichika.compile_model, max_seconds=SECONDS))
    except (*REFUSED, elichika.BudgetError) as error:
        return "refused", error.message
    found = differences(draw, model)
    return ("wrong", f"{found[0]}\n\n{source}") if found else ("same", "")


def main(count: int, start: int = 0) -> int:
    """Judge that many programs from a seed on."""
    found: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(start, start + count):
        what, how = judged(seed)
        found[what] += 1
        if what == "wrong":
            print(f"program {seed}: {how}\n", flush=True)
        elif what == "refused":
            reasons[how] += 1
    for reason, times in reasons.most_common(12):
        print(f"{times:5} refused: {reason}")
    print(dict(found))
    return int(found["wrong"] > 0 or found["refused"] > 0.05 * count)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
