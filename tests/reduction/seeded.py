"""Faults put into programs, and what `elichika reduce` leaves of these.

`python -m tests.reduction.seeded N` puts N faults into programs of 30 to 60 lines, each at another
place or of another kind, and reduces each. It prints the lines before and after, and the median.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from statistics import median

import elichika  # noqa: F401  before Chainer
from elichika.cli.trials import Question, Trials
from tests.reduction.programs import PROGRAMS, Program

SECONDS = 600.0
FAULTS = {
    "a function without a lowering": ("", "np.packbits({0}.array > 0)"),
    "a key that only the run knows": ("", "{{str(float(F.sum({0}).array)): 1}}"),
    "code in a text": ("", "eval('1 + 1')"),
    "the time": ("import time", "time.time()"),
    "a wrong lowering": (
        """
class Half(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 0.5,)


@elichika.lowers(Half)
def half(context, node, x):
    return context.graph.Mul(x, 0.25)
""",
        "{0} = Half().apply(({0},))[0]",
    ),
    "a lowering that is wrong for negative numbers": (
        """
class Size(chainer.FunctionNode):
    def forward(self, inputs):
        return (np.abs(inputs[0]),)


@elichika.lowers(Size)
def size(context, node, x):
    return context.graph.Relu(x)
""",
        "{0} = Size().apply(({0},))[0]",
    ),
    "a lowering that ends in an error": (
        """
class Broken(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] + 1,)


@elichika.lowers(Broken)
def broken(context, node, x):
    return {"Add": context.graph.Add(x, 1.0)}[node.label]
""",
        "{0} = Broken().apply(({0},))[0]",
    ),
}
"""What stands above the program, and the statement at a mark; `{0}` is a Variable there."""


@dataclass(frozen=True)
class Seeded:
    """A program with a fault."""

    name: str
    source: str
    program: Program


def seeded() -> Iterator[Seeded]:
    """Yield programs with a fault each, in an order that mixes kinds and places."""
    most = max(len(program.marks) for program in PROGRAMS)
    for place, (fault, (above, statement)), program in product(
        range(most), FAULTS.items(), PROGRAMS
    ):
        if place < len(program.marks):
            source = program.marked(place, statement)
            yield Seeded(f"{program.name}, {place}: {fault}", f"{HEAD}{above}{source}", program)


HEAD = """import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

import elichika
"""


def lines(source: str) -> int:
    """Return how many lines are not empty."""
    return sum(1 for line in source.splitlines() if line.strip())


def reduced(one: Seeded, folder: Path) -> tuple[str, int]:
    """Return what is left of a program, and how many were tried; nothing, where no fault shows.

    Raises:
        InputError: What is left does not show the fault by itself.
    """
    options = {"method": None, "static": (), "train": False, "random": None}
    question = Question("Net", one.program.inputs, None, None, "", options, False, False)
    with Trials(question, folder) as trials:
        found = trials.first(one.source)
        if found is None:
            return "", trials.count
        small, _, _ = trials.smallest(found, [one.source], SECONDS)
        return small, trials.count


def main() -> None:
    """Reduce faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=50)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print what is left")
    chosen = parser.parse_args()
    left: list[int] = []
    for one in islice(seeded(), chosen.start, None):
        if len(left) == chosen.count:
            break
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            small, tried = reduced(one, Path(folder))
        if not small:
            sys.stdout.write(f"no fault shows: {one.name}\n")
            continue
        left.append(lines(small))
        sys.stdout.write(
            f"{lines(one.source):3} lines to {left[-1]:2}, {tried:4} programs, "
            f"{time.monotonic() - start:5.1f} s: {one.name}\n{small if chosen.show else ''}"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{len(left)} faults, median {median(left)} lines, most {max(left)}\n")


if __name__ == "__main__":
    main()
