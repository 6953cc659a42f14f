"""Measures training: steps, loops of steps and gradients inside a model, against eager Chainer.

Each figure is how many times a call of the model fits into eager Chainer's: the median ratio of
interleaved pairs, of the processor's time, on one thread. A step is compiled with its optimizer and
its state; eager Chainer's is `optimizer.update` on the same inputs. How long a step compiles is
told over how long its forward pass does. Exit code 1 where a bound is missed. Names of rows as
arguments choose among them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import optimizers
from rich.console import Console
from rich.table import Table

import elichika
from benchmarks.control_flow import seconds
from models import lbfgs, maml, tree_lstm

__all__ = ["main"]

#: A step compiles in at most so many times the time of its forward pass.
MOST_COMPILE = 6.0

Arrays = tuple[Any, ...]


class Layers(chainer.Chain):
    """A multilayer perceptron."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.a, self.b = L.Linear(100, 1000), L.Linear(1000, 10)

    def forward(self, x: Any, t: Any) -> Any:
        """Return the loss."""
        return F.softmax_cross_entropy(self.b(F.relu(self.a(x))), t)


class Convolutions(chainer.Chain):
    """A small network of images with batch normalization."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.a, self.b = L.Convolution2D(3, 16, 3, pad=1), L.Convolution2D(16, 32, 3, pad=1)
            self.m, self.n = L.BatchNormalization(16), L.BatchNormalization(32)
            self.c = L.Linear(32 * 64, 10)

    def forward(self, x: Any, t: Any) -> Any:
        """Return the loss."""
        h = F.max_pooling_2d(F.relu(self.m(self.a(x))), 2)
        h = F.max_pooling_2d(F.relu(self.n(self.b(h))), 2)
        return F.softmax_cross_entropy(self.c(h), t)


class Attention(chainer.Chain):
    """A block of a transformer over 32 positions of 128 units, in 4 heads."""

    def __init__(self, units: int = 128, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        with self.init_scope():
            self.q, self.k, self.v, self.o = (L.Linear(units, units) for _ in range(4))
            self.up, self.down = L.Linear(units, 4 * units), L.Linear(4 * units, units)
            self.m, self.n = L.LayerNormalization(units), L.LayerNormalization(units)
            self.out = L.Linear(units, 10)

    def forward(self, x: Any, t: Any) -> Any:
        """Return the loss."""
        batch, length, units = x.shape
        shape = batch, length, self.heads, units // self.heads
        flat = F.reshape(x, (batch * length, units))
        normal = self.m(flat)
        q, k, v = (
            F.transpose(F.reshape(link(normal), shape), (0, 2, 1, 3))
            for link in (self.q, self.k, self.v)
        )
        weights = F.softmax(F.matmul(q, k, transb=True) * shape[-1] ** -0.5, axis=3)
        read = F.transpose(F.matmul(weights, v), (0, 2, 1, 3))
        h = flat + self.o(F.reshape(read, flat.shape))
        h = h + self.down(F.relu(self.up(self.n(h))))
        return F.softmax_cross_entropy(self.out(h), F.flatten(t))


class Language(chainer.Chain):
    """A language model over 35 words, whose state goes on in the next call."""

    def __init__(self, words: int, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(words, units)
            self.l1, self.l2 = L.LSTM(units, units), L.LSTM(units, units)
            self.out = L.Linear(units, words)

    def forward(self, x: Any, t: Any) -> Any:
        """Return the loss."""
        self.l1.reset_state()
        self.l2.reset_state()
        loss = 0
        for i in range(35):
            h = self.l2(self.l1(self.embed(x[:, i])))
            loss += F.softmax_cross_entropy(self.out(h), t[:, i])
        return loss


class Trees(tree_lstm.TreeLSTM):
    """A Tree-LSTM over the nodes of a tree, children first, with a list for cells and states."""

    def forward(self, words: Any, left: Any, right: Any, t: Any) -> Any:
        """Return the loss."""
        cs: list[Any] = []
        hs: list[Any] = []
        for i in range(len(words)):
            if left[i] < 0:
                c, h = self.leaf(words[i : i + 1])
            else:
                a, b = left[i], right[i]
                c, h = self.node((cs[a], hs[a]), (cs[b], hs[b]))
            cs.append(c)
            hs.append(h)
        return F.softmax_cross_entropy(self.label(F.concat(hs, axis=0)), t)


class Steps(chainer.Chain):
    """A linear layer that takes as many steps as it is told."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.layer = L.Linear(784, 10)
        self.optimizer = optimizers.SGD(0.01).setup(self)

    def step(self, x: Any, t: Any) -> Any:
        """Take one step."""
        loss = F.softmax_cross_entropy(self.layer(x), t)
        self.cleargrads()
        loss.backward()
        self.optimizer.update()
        return loss

    def forward(self, x: Any, t: Any, n: Any) -> Any:
        """Return the last loss."""
        loss = 0
        for _ in range(n):
            loss = self.step(x, t)
        return loss


@dataclass(frozen=True)
class Step:
    """A chain that returns its loss, with inputs, and how many times as fast it has to train."""

    name: str
    make: Callable[[], chainer.Chain]
    inputs: Callable[[], Arrays]
    least: float
    axes: Any = None
    optimizer: Callable[[], Any] = optimizers.Adam


def images(batch: int, *shape: int) -> Arrays:
    """Return inputs and labels."""
    random = np.random.RandomState(0)
    x = random.randn(batch, *shape).astype(np.float32)
    return x, random.randint(0, 10, batch).astype(np.int32)


def sentences(words: int) -> Arrays:
    """Return twenty sentences, and what comes next in each."""
    found = np.random.RandomState(0).randint(0, words, (20, 36)).astype(np.int32)
    return found[:, :-1].copy(), found[:, 1:].copy()


def positions() -> Arrays:
    """Return sixteen rows of positions, and labels of these."""
    random = np.random.RandomState(0)
    x = random.randn(16, 32, 128).astype(np.float32)
    return x, random.randint(0, 10, (16, 32)).astype(np.int32)


def tree() -> Arrays:
    """Return a tree of forty leaves, and labels."""
    words, left, right = tree_lstm.inputs(leaves=40, seed=3)
    return words, left, right, (np.arange(len(words)) % 5).astype(np.int32)


STEPS = (
    Step("perceptron, SGD", Layers, lambda: images(64, 100), 2.0, "batch", optimizers.SGD),
    Step("perceptron", Layers, lambda: images(64, 100), 2.0, "batch"),
    Step("convolutions", Convolutions, lambda: images(32, 3, 32, 32), 2.0, "batch"),
    Step("transformer block", Attention, positions, 2.0, "batch"),
    Step("language model", lambda: Language(1000, 100), lambda: sentences(1000), 4.0),
    Step(
        "language model, 10,000 words, any batch",
        lambda: Language(10_000, 100),
        lambda: sentences(10_000),
        4.0,
        "batch",
    ),
    Step("Tree-LSTM", lambda: Trees(50, 64, 5), tree, 2.4, "nodes", optimizers.SGD),
)


def main(names: list[str]) -> int:
    """Show the tables; return whether a bound is missed."""
    console = Console(width=None if sys.stdout.isatty() else 110)
    missed: list[str] = []
    table = Table("training", "ms", "times eager", "at least", "compiled in", "of the forward's")
    for one in STEPS:
        if not names or one.name in names:
            table.add_row(one.name, *_step(one, missed))
    for name, least, pair in _whole():
        if not names or name in names:
            table.add_row(name, *_row(name, least, *pair(), missed))
    console.print(table)
    for text in missed:
        console.print(f"MISSED: {text}")
    console.print(f"{len(missed)} missed" if missed else "all kept")
    return 1 if missed else 0


def _row(
    name: str, least: float, mine: Any, other: Any, missed: list[str], pairs: int = 9
) -> tuple[str, ...]:
    mine(), other()
    clock = time.process_time
    times = [(seconds(mine, clock), seconds(other, clock)) for _ in range(pairs)]
    spent, part = median(a for a, _ in times), median(a / b for a, b in times)
    if 1 / part < least:
        missed.append(f"{name}: {1 / part:.2f} times as fast as eager, at least {least:g}")
    return f"{spent * 1e3:.2f}", f"{1 / part:.2f}", f"{least:g}"


def _step(one: Step, missed: list[str]) -> tuple[str, ...]:
    """Compare a step, and how long it compiles."""
    chain, inputs = one.make(), one.inputs()
    optimizer = one.optimizer().setup(chain)

    def forward() -> Any:
        return elichika.compile_model(
            chain, inputs, dynamic_axes=one.axes, train=True, random="onnx", verify=False
        )

    def training() -> Any:
        return elichika.training_step(
            chain, optimizer, inputs, dynamic_axes=one.axes, random="onnx", verify=False
        )

    forward()
    model = training()  # what both have read of Chainer is kept
    spent = [seconds(compile_, time.process_time) for compile_ in (forward, training)]

    def eager() -> Any:
        with chainer.using_config("train", True):
            optimizer.update(chain, *inputs)

    row = _row(one.name, one.least, _called(model, inputs), eager, missed)
    part = spent[1] / spent[0]
    if part > MOST_COMPILE:
        missed.append(f"{one.name}: compiles in {part:.1f} of its forward, at most {MOST_COMPILE}")
    return *row, f"{spent[1]:.1f} s", f"{part:.1f}"


def _whole() -> Iterator[tuple[str, float, Callable[[], tuple[Any, Any]]]]:
    """Yield what is not a step: a name, the bound, and what makes both calls."""
    yield "linear layer, 1,000 steps in one call", 1.3, _steps
    yield "MAML", 2.7, lambda: _call(maml.build(), maml.inputs(n_steps=5), {0: "s", 2: "q"})
    yield "MAML, second order", 2.7, lambda: _call(maml.build(), maml.tasks(), {}, "learn")
    yield "L-BFGS", 2.0, lambda: _call(lbfgs.build(), lbfgs.inputs(200, 30), {})


def _steps() -> tuple[Any, Any]:
    """Compare a loop in a model with calls of the model of its step, which pass the state on."""
    chain, (x, t) = Steps(), images(200, 784)
    options = {"train": True, "state": True, "verify": False}
    whole = elichika.compile_model(chain, (x, t, 3), **options)
    step = elichika.compile_model(chain, (x, t), method="step", **options)
    once = _called(step, (x, t))
    return _called(whole, (x, t, 1000)), lambda: [once() for _ in range(1000)]


def _call(chain: Any, inputs: Arrays, axes: Any, method: str = "forward") -> tuple[Any, Any]:
    named = {place: {0: name} for place, name in axes.items()}
    model = elichika.compile_model(
        chain, inputs, method=method, dynamic_axes=named or None, verify=False
    )
    return _called(model, inputs), lambda: getattr(chain, method)(*inputs)


def _called(model: elichika.CompiledModel, inputs: Arrays) -> Callable[[], Any]:
    """Return a call of a model that uses one thread: a second one would count, waiting, as well."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        model.save(path)
        alone = elichika.load(path, threads=1)
        alone(*inputs)
    return lambda: alone(*inputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
