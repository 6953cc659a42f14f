"""Compiles random programs of `alias_programs`, and holds each against Python on six inputs.

`python -m tests.walker.containers.soak_arenas 200` prints what became of them; the exit code tells
whether none was wrong. A second argument is the first seed.
"""

from __future__ import annotations

import functools
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import elichika
from tests.programs import Program, check, compiled, outcome
from tests.sources import module_of
from tests.walker.containers.alias_programs import HEAD, Writer

X = np.array([1.0, 2.0], np.float32)
INPUTS: list[tuple[Any, ...]] = [
    *((X, 3, 2), (X, 0, 0), (X, 1, 1), (X, 5, 3), (X * 2, 2, 6), (X, 4, 1))
]
SECONDS = 60.0


def program_of(seed: int) -> Program:
    """Return the program of a seed."""
    text = f"{HEAD}\n\n{Writer(seed).program()}\n"
    names = {"__name__": "alias_programs"}
    return Program(module_of(text, f"<alias program {seed}>", names)["forward"], INPUTS)


def held(seed: int, compiler: Callable[..., Any] = elichika.compile_model) -> tuple[str, str]:
    """Return what became of a program, and why: right, refused, raises (in Python), slow, wrong."""
    program = program_of(seed)
    if isinstance(outcome(lambda *args: program.forward(None, *args), INPUTS[0]), Exception):
        return "raises", ""
    try:
        model = compiled(program, functools.partial(compiler, max_seconds=SECONDS))
    except elichika.BudgetError as error:
        return "slow", error.message
    except (elichika.StagingError, elichika.UnsupportedFunction) as error:
        return "refused", error.message
    except Exception as error:
        return "wrong", f"{type(error).__name__} while compiling: {error}"
    try:
        check(program, model)
    except AssertionError as error:
        return "wrong", str(error)
    return "right", ""


def main() -> None:
    """Run as a program."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    warnings.simplefilter("ignore")
    start, tally = time.perf_counter(), Counter[str]()
    for seed in range(first, first + count):
        found, why = held(seed)
        tally[found] += 1
        if found in ("refused", "slow", "wrong"):
            print(f"{seed} {found}: {why}", flush=True)
    spent = time.perf_counter() - start
    print(", ".join(f"{n} {name}" for name, n in tally.most_common()), f"in {spent:.0f} s")
    sys.exit(bool(tally["wrong"]))


if __name__ == "__main__":
    main()
