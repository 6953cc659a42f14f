"""Random results: nested structures of arrays, Variables, numbers, texts, None and objects.

`python -m tests.signature.random_results 1000` compiles the programs of so many seeds, runs each
on five inputs, and compares values, dtypes, shapes, structure and the types of numbers.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter, namedtuple
from typing import Any

import chainer
import chainer.functions as F
import numpy as np

import elichika
from tests.programs import Program, chain_of, compiled, difference, f32, outcome
from tests.sources import module_of

Pair = namedtuple("Pair", "u v")
INPUTS = [(f32(n, 3) - 1, k) for n, k in ((4, 3), (1, 0), (6, 5), (3, 1), (2, -2))]
#: Parts that stand anywhere, in a loop over the rows, and outside of one.
LEAVES = (
    "x; n; float(x[0, 0]); None; 's'; 1; 2.5; True; chainer.Variable(x); x[0, 0]; np.float32(n); "
    "x[0] > 0; np.arange(n); len(x); acc; acc; (); []; np.int32(n); x.shape"
)
ANYWHERE = LEAVES.split("; ")
IN_LOOP = ["row", "i", "F.relu(row)"]
OUTSIDE = ["x[0]", "n + 1", "F.relu(x)"]
TESTS = ["n > 2", "x[0, 0] > 0", "len(x) > 2", "n % 2 == 0"]
TESTS_OF_ROWS = ["row[0] > 0", "i > 1"]


class Held:
    """An object of the program."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.b = b


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def value(self, depth: int, in_loop: bool) -> str:
        """An expression."""
        kind = self.draw.random()
        if depth <= 0 or kind < 0.35:
            return self.draw.choice(ANYWHERE + (IN_LOOP if in_loop else OUTSIDE))
        one, other, third = (self.value(depth - 1, in_loop) for _ in range(3))
        forms = {
            0.5: f"({one}, {other})",
            0.6: f"[{one}, {other}]",
            0.68: f"{{'k': {one}, 'j': {other}}}",
            0.73: f"Pair({one}, {other})",
            0.83: f"({one} if {self.test(in_loop)} else {other})",
            0.9: f"[{one} for _ in range({self.draw.choice(['n', 'len(x)', '2'])})]",
            0.95: f"[{one}, {other}, {third}][{self.draw.choice(['n % 3', '0', 'len(x) % 3'])}]",
            1.0: f"Held({one}, {other})",
        }
        return next(form for bound, form in forms.items() if kind < bound)

    def test(self, in_loop: bool) -> str:
        """A condition that is known when the model runs."""
        return self.draw.choice(TESTS + (TESTS_OF_ROWS if in_loop else []))

    def loop(self) -> list[str]:
        """A loop over the rows that fills a list."""
        lines = ["out = []", "for i, row in enumerate(x):"]
        if self.draw.random() < 0.4:
            lines.append(f"    if {self.test(True)}: acc = {self.value(1, True)}")
        lines.append(f"    out.append({self.value(2, True)})")
        if self.draw.random() < 0.3:
            lines.append(f"    if {self.test(True)}: out.append({self.value(1, True)})")
        result = ["out", "out", "(out, acc)", "out[-1] if out else acc", "len(out)"]
        return [*lines, f"acc = {self.draw.choice(result)}"]

    def program(self) -> str:
        """The source of a `forward`."""
        lines = ["acc = x", f"acc = {self.value(1, False)}"]
        for _ in range(self.draw.randint(1, 3)):
            kind = self.draw.random()
            if kind < 0.4:
                lines += self.loop()
            elif kind < 0.7:
                lines.append(f"if {self.test(False)}: acc = {self.value(2, False)}")
            else:
                lines.append(f"acc = {self.value(2, False)}")
        result = self.draw.choice(["acc", "acc", "(acc, n)", self.value(1, False)])
        body = "\n    ".join([*lines, f"return {result}"])
        return f"def forward(self, x, n):\n    {body}\n"


def forward_of(source: str, seed: int) -> Any:
    """Return the function, with a source that can be read again."""
    names = {"chainer": chainer, "F": F, "np": np, "Pair": Pair, "Held": Held}
    return module_of(source, f"<result {seed}>", names)["forward"]


def types_in(value: Any) -> Any:
    """Return a result with the types of its numbers in place of all that it holds."""
    if isinstance(value, (list, tuple)):
        return [types_in(item) for item in value]
    if isinstance(value, Held):
        return [types_in(value.a), types_in(value.b)]
    if isinstance(value, dict):
        return {key: types_in(item) for key, item in value.items()}
    return np.ndarray if isinstance(value, chainer.Variable) else type(value)


def judged(seed: int) -> tuple[str, str]:
    """Return `parity`, `refused` or `WRONG`, and what there is to say of it."""
    source = Writer(seed).program()
    program = Program(forward_of(source, seed), INPUTS, {0: {0: "rows"}})
    try:
        model = compiled(program)
    except elichika.ElichikaError as error:
        bug = "bug of elichika" in str(error)
        return ("WRONG" if bug else "refused"), f"{source}{error}"
    for number, inputs in enumerate(INPUTS):
        expected = outcome(chain_of(program).forward, inputs)
        found = outcome(model, inputs)
        problem = difference(expected, found)
        if not problem and not isinstance(expected, Exception):
            same = types_in(expected) == types_in(found)
            problem = None if same else "the types of numbers differ"
        if problem:
            return "WRONG", f"{source}inputs {number}: {problem}"
    try:
        model.verify()
    except elichika.VerificationError as error:
        return "WRONG", f"{source}{error}"
    return "parity", ""


def main() -> None:
    """Judge many seeds, and show what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--start", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for seed in range(asked.start, asked.start + asked.count):
        verdict, detail = judged(seed)
        counts[verdict] += 1
        if verdict == "WRONG":
            print(f"seed {seed}:\n{detail}\n", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    sys.exit(1 if counts["WRONG"] else 0)


if __name__ == "__main__":
    main()
