"""Random programs that differentiate, on eight inputs each: `python -m tests.training.fuzz 2000`.

Values of one shape meet in branches, loops of the run, nested ones, breaks and lists, of known
length and of any; what they come to is differentiated by inputs and parameters, by `backward` or
`chainer.grad`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import elichika
from tests.programs import difference, f32, unsigned
from tests.sources import module_of

__all__ = ["Outcome", "main", "outcome_of"]

NAMES = ("a", "b", "c", "d")
INPUTS = [
    (f32(3, 2), f32(3, 2, seed=1), 2),
    (f32(1, 2, seed=2), f32(1, 2, seed=3), 0),
    (-f32(2, 2, seed=4), f32(2, 2, seed=5), 3),
    (f32(0, 2), f32(0, 2), 1),
    (f32(4, 2, seed=6), -f32(4, 2, seed=7), 1),
    (f32(2, 2, seed=8), f32(2, 2, seed=9), -1),
    (f32(5, 2, seed=10), f32(5, 2, seed=11), 5),
    (0 * f32(2, 2), f32(2, 2, seed=12), 4),
]
TOLERANCES = {"float32": 1e-3}
#: Gradients of what control flow gave.
SEVERAL = (
    "loss.backward(retain_grad=True)\n        return v.grad, [h.grad for h in hs], d.grad",
    "loss.backward(retain_grad=True)\n        return hs[-1].grad, a.grad, b.grad, c.grad, w.grad",
    "loss.backward()\n        return [h.grad for h in hs], a.grad, b.grad",
    "gs = chainer.grad([loss], hs)\n        return [None if g is None else g.array for g in gs]",
    "gs = chainer.grad([loss, *hs], [v, w])\n"
    "        return [None if g is None else g.array for g in gs]",
)
HEADER = """\
import chainer
import chainer.functions as F
import numpy as np


class Model(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.W = chainer.Parameter(np.array([[0.5, -0.25], [0.75, 0.1]], np.float32))
            self.b = chainer.Parameter(np.array([0.3, -0.2], np.float32))

"""


@dataclass
class Writer:
    """Writes one program."""

    random: random.Random
    twice: float = 0.0
    several: float = 0.0
    lines: list[str] = field(default_factory=list)
    loops: int = 0

    def source(self) -> str:
        """Return the class."""
        self.line(1, "def forward(self, x, y, n):")
        self.line(2, "a, b = chainer.Variable(x), chainer.Variable(y)")
        self.line(2, "v, w, c, d, loss = a, b, a * b, F.tanh(b), F.sum(a)")
        self.line(2, "hs = [F.tanh(a + i) for i in range(abs(n) + 1)]")
        self.block(2, 3, self.random.randint(2, 5))
        self.line(2, f"loss = loss + F.sum({self.value()} * {self.value()})")
        if self.random.random() < self.twice:
            self.line(2, "gs = chainer.grad([loss], [v, w], enable_double_backprop=True)")
            self.line(2, "loss = loss + sum(F.sum(g * g) * 0.1 for g in gs if g is not None)")
        if self.several and self.random.random() < self.several:
            self.line(2, self.random.choice(SEVERAL))
        elif self.random.random() < 0.6:
            self.line(2, "self.cleargrads()")
            self.line(2, "loss.backward()")
            self.line(2, "return loss, v.grad, w.grad, self.W.grad, self.b.grad")
        else:
            self.line(2, "found = chainer.grad([loss], [v, w, self.W, self.b])")
            self.line(2, "return loss, [None if g is None else g.array for g in found]")
        return HEADER + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, nesting: int, count: int, loop: bool = False) -> None:
        for _ in range(count):
            self.statement(depth, nesting, loop)

    def statement(self, depth: int, nesting: int, loop: bool) -> None:
        kinds = ["assign"] * 5 + ["loss", "swap", "detach", "list", "quiet", "any", "any"]
        kinds += ["branch", "branch", "for", "while"] if nesting else []
        kinds += ["leave"] if loop else []
        kind = self.random.choice(kinds)
        target = self.random.choice(NAMES)
        if kind == "assign":
            self.line(depth, f"{target} = {self.expression()}")
        elif kind == "loss":
            self.line(depth, f"loss = loss * 0.5 + F.sum({self.value()})")
        elif kind == "swap":
            one, other = self.random.sample(NAMES, 2)
            self.line(depth, f"{one}, {other} = {other}, {one}")
        elif kind == "detach":
            self.line(depth, f"{target} = {self.value()} * {self.value()}.array")
        elif kind == "list":
            self.line(depth, f"items = [{self.value()}, {self.value()}, {self.value()}]")
            self.line(depth, f"{target} = F.stack(items)[{self.random.randint(0, 2)}]")
        elif kind == "any":
            self.line(depth, self.of_list(target))
        elif kind == "quiet":
            self.line(depth, "with chainer.no_backprop_mode():")
            self.line(depth + 1, f"{target} = {self.expression()}")
        elif kind == "leave":
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, self.random.choice(["break", "continue"]))
        elif kind == "branch":
            self.line(depth, f"if {self.condition()}:")
            self.block(depth + 1, nesting - 1, self.random.randint(1, 2), loop)
            if self.random.random() < 0.6:
                self.line(depth, "else:")
                self.block(depth + 1, nesting - 1, self.random.randint(1, 2), loop)
        else:
            self.loop(kind, depth, nesting)

    def of_list(self, target: str) -> str:
        """Do something with a list of which the run tells the length; it keeps an item."""
        return self.random.choice(
            [
                f"hs.append({self.value()})",
                f"hs.insert({self.random.choice(['0', 'len(hs) // 2', '-1'])}, {self.value()})",
                f"hs[{self.random.choice(['0', '-1', 'n % len(hs)'])}] = {self.value()}",
                f"{target} = hs[{self.random.choice(['0', '-1', 'n % len(hs)'])}]",
                f"{target} = hs.pop() if len(hs) > 1 else hs[0]",
                f"{target} = F.sin(F.mean(F.stack(hs), axis=0))",
                f"{target} = F.concat(hs, axis=1)[:, -2:] * 0.5",
                f"{target} = sum(h * 0.5 for h in hs[1:]) + {self.value()}",
                "hs = [F.sin(h) for h in hs if len(hs) < 9] or [a]",
                "hs = hs[::-1]",
                "hs = hs[: n + 1] + hs[:1]",
            ]
        )

    def loop(self, kind: str, depth: int, nesting: int) -> None:
        self.loops += 1
        name = f"i{self.loops}"
        if kind == "for":
            self.line(
                depth, f"for {name} in range({self.random.choice(['n', 'n + 1', 'len(x)'])}):"
            )
        else:
            self.line(depth, f"{name} = 0")
            self.line(depth, f"while {name} < n and {self.condition()}:")
            self.line(depth + 1, f"{name} += 1")
        self.block(depth + 1, nesting - 1, self.random.randint(1, 3), True)

    def value(self) -> str:
        return self.random.choice(NAMES)

    def condition(self) -> str:
        bound = self.random.choice(["0", "0.5", "-1"])
        tests = [
            f"n > {self.random.randint(0, 3)}",
            f"float(F.sum({self.value()}).array) > {bound}",
        ]
        return self.random.choice([*tests, "n % 2 == 0", "len(x) > 2"])

    def expression(self) -> str:
        one, other = self.value(), self.value()
        return self.random.choice(
            [
                f"F.tanh({one} + {other})",
                f"{one} * F.sigmoid({other})",
                f"F.sin({one}) - {other} * 0.5",
                f"F.matmul({one}, self.W)",
                f"F.tanh(F.matmul({one}, self.W) + F.broadcast_to(self.b, {other}.shape))",
                f"F.maximum({one}, {other}) * 0.9",
                f"{one} + F.broadcast_to(F.sum({other}), {one}.shape) * 0.1",
                f"F.concat([{one}[:, :1], {other}[:, 1:]], axis=1)",
                f"F.where({one}.array > 0, {one}, {other})",
            ]
        )


@dataclass(frozen=True)
class Outcome:
    """What became of a program: `right`, `refused`, `WRONG` or `crashed`, and why."""

    verdict: str
    why: str
    source: str


def outcome_of(seed: int, twice: float = 0.0, several: float = 0.0) -> Outcome:
    """Write, compile and run the program of a seed.

    Args:
        seed: Of the program.
        twice: How probable it is that the gradients are differentiated again.
        several: How probable it is that gradients of what control flow gave are asked for.
    """
    source = Writer(random.Random(seed), twice, several).source()
    space = module_of(source, f"<program {seed}>")
    try:
        model = elichika.compile_model(
            space["Model"](), INPUTS[0], dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, verify=False
        )
    except elichika.ElichikaError as error:
        verdict = "crashed" if "internal error" in error.message else "refused"
        return Outcome(verdict, error.message, source)
    except Exception:
        return Outcome("crashed", traceback.format_exc(limit=-3), source)
    for inputs in INPUTS:
        expected, actual = _ran(space["Model"](), inputs), _ran(model, inputs)
        if not isinstance(expected, Exception) and not _is_tame(expected):
            continue
        found = difference(expected, actual, TOLERANCES)
        if found is not None:
            return Outcome("WRONG", f"n = {inputs[2]}, {len(inputs[0])} rows: {found}", source)
    return Outcome("right", "", source)


def _ran(call: Any, inputs: tuple[Any, ...]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return unsigned(call(inputs[0].copy(), inputs[1].copy(), inputs[2]))
    except Exception as error:
        return error


def _is_tame(value: Any) -> bool:
    """Tell whether numbers are of a size at which float32 tells something."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_tame, value))
    return value is None or bool((np.abs(value) < 1e4).all())


def _seeds(start: int, count: int) -> Iterator[int]:
    return iter(range(start, start + count))


def main() -> int:
    """Try programs; print what became of them, and those that are wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--twice", type=float, default=0.3)
    parser.add_argument("--several", type=float, default=0.3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts, reasons, began = Counter[str](), Counter[str](), time.monotonic()
    for seed in _seeds(options.start, options.count):
        outcome = outcome_of(seed, options.twice, options.several)
        counts[outcome.verdict] += 1
        if outcome.verdict == "refused":
            reasons[outcome.why[:90]] += 1
        elif outcome.verdict != "right":
            print(f"--- {seed}: {outcome.verdict}: {outcome.why}\n{outcome.source}", flush=True)
    print(dict(counts), f"{time.monotonic() - began:.0f} s")
    for reason, number in reasons.most_common(8):
        print(f"{number:6} {reason}")
    return int(bool(counts["WRONG"] or counts["crashed"]))


if __name__ == "__main__":
    sys.exit(main())
