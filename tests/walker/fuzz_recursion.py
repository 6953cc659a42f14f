"""Random recursive programs, compiled: `python -m tests.walker.fuzz_recursion COUNT START`.

Prints how many agree with Python, are refused and why, or are wrong; the text of those that are.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
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


def raises(forward: Any, row: tuple[Any, ...]) -> bool:
    """Tell whether a program raises for an input: no example to compile it with."""
    try:
        forward(None, *copy.deepcopy(row))
    except Exception:
        return True
    return False


def judged(seed: int) -> tuple[str, str]:
    """Return what became of a program: `same`, `wrong`, `refused` or `useless`, and how."""
    source = program(seed)
    forward = module_of(source, f"draw_{seed}.py")["forward"]
    draw = Program(forward, sorted(INPUTS, key=lambda row: raises(forward, row)), AXES)
    if raises(forward, draw.inputs[0]):
        return "useless", "it raises for every input"
    try:
        model = compiled(draw)
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
