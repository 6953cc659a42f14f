"""Random programs with dicts, sets and exceptions: `python -m tests.walker.fuzz_containers N`.

Prints how many agree with Python, are refused and why, or are wrong; the text of those that are.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np

from elichika.errors import ElichikaError
from tests.programs import REFUSED, Program, compiled, differences, outcome
from tests.sources import module_of

from .container_draws import program

__all__ = ["FIXED", "INPUTS", "judged", "main"]

#: Keys: some twice, none, one, unlike ones, the same, many; and a number.
INPUTS: list[tuple[Any, ...]] = [
    (np.array(keys, np.int64), n)
    for keys, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
        *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4)),
    )
]
AXES = {"x": {0: "length"}}
#: As many keys each time: loops over them are unrolled.
FIXED: list[tuple[Any, ...]] = [
    (np.array(keys, np.int64), n)
    for keys, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2, 3], 0), ([5, 5, 5, 5], 5), ([2, 0, 2, 0], 3)),
        *(([-1, 4, 0, 4], 1), ([7, -3, 5, 1], 4), ([1, 1, 0, 2], 1)),
    )
]


def judged(seed: int) -> tuple[str, str]:
    """Return what became of a program, and how; each third has keys of a known number.

    It is `same`, `wrong`, `refused`, `useless` since Python fails, or a `crash` of the compiler.
    """
    source = program(seed)
    forward = module_of(source, f"draw_{seed}.py")["forward"]
    every, axes = (INPUTS, AXES) if seed % 3 else (FIXED, None)
    given = [outcome(lambda *a: forward(None, *a), inputs) for inputs in every]
    failing = sum(isinstance(one, Exception) for one in given)
    if failing > 3 or isinstance(given[0], Exception):
        return "useless", ""
    draw = Program(forward, every, axes)
    try:
        model = compiled(draw)
    except REFUSED as error:
        return "refused", error.message
    except ElichikaError as error:
        return "crash", f"{error.message}\n\n{source}"
    found = differences(draw, model)
    return ("wrong", f"{found[0]}\n\n{source}") if found else ("same", "")


def main(count: int, start: int = 0) -> int:
    """Judge that many programs from a seed on."""
    found: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(start, start + count):
        what, how = judged(seed)
        found[what] += 1
        if what in ("wrong", "crash"):
            print(f"{what}, program {seed}: {how}\n", flush=True)
        elif what == "refused":
            reasons[how] += 1
    for reason, times in reasons.most_common(12):
        print(f"{times:5} refused: {reason}")
    print(dict(found))
    return int(found["wrong"] > 0 or found["refused"] > 0.05 * count)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
