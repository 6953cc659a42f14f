"""Draws arrays and index expressions, reads and writes, and holds models of many against numpy.

`python -m tests.lowerings.numpy.soak_indexing 5000` prints how many were held, and fails at the
first that differs. The draws are the same each time; a second argument chooses others.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from elichika import ElichikaError
from tests.lowerings.numpy.harness import compiled, eager, hold, model_of

TOGETHER = 12
DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool", "float16")
#: Sizes of axis 0 and of the others, and the two indices, of the runs; the first is the example.
RUNS = ((3, 2, 1, 2), (2, 2, 0, -1), (5, 2, 4, 1), (1, 2, -1, 5), (3, 4, 2, 0))


def entry(draw: random.Random) -> str:
    """Draw one entry of an index."""
    kind = draw.randrange(9)
    if kind <= 1:
        return draw.choice(("0", "-1", "i", "-i - 1", "j % 2"))
    if kind <= 4:
        ends = [draw.choice(("", "", "0", "1", "-1", "2", "-2", "i", "j", "-7", "9")) for _ in "ab"]
        return f"{ends[0]}:{ends[1]}" + draw.choice(("", "", ":2", ":-1", ":-2", ":3"))
    if kind == 5:
        return "None"
    if kind == 6:
        return draw.choice(("[0, -1]", "[[0], [-1]]", "np.array([0, 0, -1])", "[True, False]"))
    if kind == 7:
        return draw.choice(("k", "k[:, None]", "-k - 1", "k % 2"))
    return draw.choice(("m", "~m"))


def expression(draw: random.Random, rank: int) -> str:
    """Draw the text between the brackets."""
    whole = f"x {draw.choice('<>')} 1"
    if rank and draw.random() < 0.05:
        return whole
    entries = [entry(draw) for _ in range(draw.randint(1, max(1, rank) + 1))]
    if draw.random() < 0.3:
        entries.insert(draw.randint(0, len(entries)), "...")
    return ", ".join(entries) + ("," if len(entries) == 1 else "")


def statement(draw: random.Random, rank: int) -> tuple[str, str]:
    """Draw an index, and a read or a write as statements that append to `out`."""
    index = expression(draw, rank)
    kind = draw.randrange(4)
    if kind <= 1:
        return index, f"out.append(x[{index}])"
    value = draw.choice(("5", "n", f"x[{index}][::-1]" if kind == 3 else "-1", "True"))
    operator = draw.choice(("=", "=", "+=", "*="))
    return index, f"y = x.copy()\ny[{index}] {operator} {value}\nout.append(y)"


def inputs_of(draw: random.Random, dtype: str, rank: int) -> list[dict[str, Any]]:
    """Return the inputs of all runs."""
    made = []
    for first, others, i, j in RUNS:
        shape = (first, *(others,) * (rank - 1))[:rank]
        noise = np.random.RandomState(draw.randrange(2**31)).randint(0, 7, shape)
        made.append(
            {
                "x": np.asarray(noise).astype(dtype),
                "i": i,
                "j": j,
                "n": draw.randrange(6),
                "k": np.array([0, first - 1]),
                "m": np.arange(first) % 2 == 0,
            }
        )
    return made


def is_usable(index: str, code: str, runs: list[dict[str, Any]]) -> bool:
    """Tell whether numpy runs the statements on all inputs.

    Where index arrays select nothing, numpy does not look whether they are in range; a model may.
    """
    model = model_of(f"out = []\n{code}\nreturn out", list(runs[0]))
    if any(isinstance(eager(model, run), Exception) for run in runs):
        return False
    read = model_of(f"x[{index}]", list(runs[0]))
    arrays = any(sign in index for sign in ("k", "m", "["))
    return not arrays or all(np.size(eager(read, run)) for run in runs)


def refused(codes: list[str], runs: list[dict[str, Any]]) -> int:
    """Hold one model of all the statements; return how many of them are refused."""
    try:
        body = "\n".join(codes)
        model = model_of(f"out = []\n{body}\nreturn tuple(out)", list(runs[0]))
        made = compiled(model, runs[0], symbolic=True)
    except ElichikaError as error:
        if len(codes) == 1:
            print(f"refused: {codes[0]!r}: {error.message}")
            return 1
        return sum(refused([code], runs) for code in codes)
    for run in runs:
        hold_one(model, made, run, codes)
    return 0


def hold_one(model: Any, made: Any, run: Mapping[str, Any], codes: list[str]) -> None:
    """Compare on one input, and say which statements were in the model."""
    try:
        hold(model, made, run)
    except AssertionError as error:
        raise AssertionError(f"{codes}: {error}") from None


def soak(count: int, seed: int) -> tuple[int, int]:
    """Hold at least `count` draws; return how many were held, and how many refused."""
    draw = random.Random(seed)
    held = left = 0
    while held < count:
        dtype, rank = draw.choice(DTYPES), draw.randint(1, 4)
        runs = inputs_of(draw, dtype, rank)
        codes: list[str] = []
        while len(codes) < TOGETHER:
            index, code = statement(draw, rank)
            if is_usable(index, code, runs):
                codes.append(code)
        missed = refused(codes, runs)
        held, left = held + len(codes) - missed, left + missed
    return held, left


def main() -> None:
    """Run as a program."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    started = time.perf_counter()
    held, left = soak(count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{held} held, {left} refused, in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
