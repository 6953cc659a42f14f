"""Programs that a tracing exporter gets silently wrong on any input but the one it saw.

Each is compiled on input A and must be right on A, on B, which takes another way, and on three
more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L

import elichika
from models.weights import seeded
from tests.models.parity import assert_same, eager
from tests.programs import f32

Axes = Mapping[str, Mapping[int, str]] | None


class Branch(chainer.Chain):
    def forward(self, x):
        if float(F.sum(x).array) > 0:
            return x * 2
        return x - 1


class Steps(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(4, 4)

    def forward(self, x):
        h = chainer.Variable(np.zeros((1, 4), np.float32))
        for t in range(x.shape[0]):
            h = F.tanh(self.l(h) + x[t : t + 1])
        return h


class Doubling(chainer.Chain):
    def forward(self, x):
        while F.sum(x).array < 100:
            x = x * 2
        return x


class Mean(chainer.Chain):
    def forward(self, x):
        return F.sum(x, 0) / len(x)


class Mask(chainer.Chain):
    def forward(self, x):
        m = (x.array > 0).astype("f")
        return x * m


class Flatten(chainer.Chain):
    def forward(self, x):
        h = F.relu(x)
        return F.reshape(h, (h.shape[0], -1))


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    return np.abs(f32(*shape, seed=seed)) + np.float32(0.1)


ROWS: dict[type[chainer.Chain], tuple[Axes, list[Any]]] = {
    Branch: (None, [positive(2, 3), -positive(2, 3), *(f32(2, 3, seed=i) for i in (1, 2, 3))]),
    Steps: ({"x": {0: "time"}}, [f32(n, 4, seed=n) for n in (3, 5, 1, 2, 70)]),
    Doubling: (None, [positive(3) * np.float32(scale) for scale in (1, 0.01, 30, 60, 1000)]),
    Mean: ({"x": {0: "n"}}, [f32(n, 4, seed=n) for n in (3, 5, 1, 2, 7)]),
    Mask: (None, [chainer.Variable(f32(3, 4, seed=i)) for i in range(5)]),
    Flatten: ({"x": {0: "batch"}}, [f32(n, 3, 2, 2, seed=n) for n in (2, 5, 1, 3, 7)]),
}


@pytest.mark.parametrize("program", ROWS, ids=lambda program: program.__name__)
def test_right_on_the_example_and_on_other_inputs(program: type[chainer.Chain]) -> None:
    axes, inputs = ROWS[program]
    with seeded(0):
        chain = program()
    model = elichika.compile_model(chain, inputs[:1], dynamic_axes=axes)
    for x in inputs:
        assert_same(eager(chain, x), model(x))


def test_the_inputs_tell_the_programs_from_their_traces() -> None:
    """A branch goes both ways, a while turns a different number of times, sizes differ."""
    sums: list[Any] = [float(x.sum()) for x in ROWS[Branch][1]]
    assert min(sums) < 0 < max(sums)
    assert len({int(np.ceil(np.log2(100 / x.sum()))) for x in ROWS[Doubling][1]}) == 5
    for program in (Steps, Mean, Flatten):
        assert len({len(x) for x in ROWS[program][1]}) == 5
