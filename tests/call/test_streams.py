"""`state=True`: what a call leaves on the chain goes into the next call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import assert_equal, f32


class Recurrent(chainer.Chain):
    """A stateful link, a counter, and a value that is only kept for the user to look at."""

    def __init__(self, make: Callable[[], chainer.Link]) -> None:
        super().__init__()
        with self.init_scope():
            self.cell = make()
            self.out = L.Linear(4, 2)
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.y = self.out(self.cell(x))
        return self.y * self.calls


class Remembering(chainer.Chain):
    """A memory that starts as None, an array that is changed in place, and a flag."""

    def __init__(self) -> None:
        super().__init__()
        self.memory: Any = None
        self.total = np.zeros(3, np.float32)
        self.started = False
        self.pair = (0, 1.5)

    def forward(self, x: Any) -> Any:
        self.total += x.array.sum(axis=0)
        if self.memory is None:
            self.memory = F.tanh(x)
        else:
            self.memory = self.memory * 0.5 + F.tanh(x)
        y = self.memory + self.total + self.pair[0] * self.pair[1]
        if not self.started:
            y = y + 100
        self.started = True
        self.pair = (self.pair[0] + 1, self.pair[1] * 2)
        return y


class Normalized(chainer.Chain):
    """Running statistics, which change in training mode."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.bn = L.BatchNormalization(3, decay=0.8)

    def forward(self, x: Any, finetune: bool) -> Any:
        return self.bn(x, finetune=finetune), self.bn.avg_mean, self.bn.avg_var


def check(chain: chainer.Chain, model: Any, *calls: tuple[Any, ...], train: bool = False) -> None:
    """Call both in a row."""
    for number, inputs in enumerate(calls):
        with chainer.using_config("train", train), chainer.no_backprop_mode():
            expected = chain(*inputs)
        assert_equal(expected, model(*inputs), f"call {number}: ")


CELLS: dict[str, Callable[[], chainer.Link]] = {
    "LSTM": lambda: L.LSTM(3, 4),
    "StatefulGRU": lambda: L.StatefulGRU(3, 4),
    "StatefulPeepholeLSTM": lambda: L.StatefulPeepholeLSTM(3, 4),
    "StatefulZoneoutLSTM": lambda: L.StatefulZoneoutLSTM(3, 4),
    "StatefulMGU": lambda: L.StatefulMGU(3, 4),
}


@pytest.mark.parametrize("name", CELLS)
def test_stateful_links_run_as_streams(name: str, tmp_path: Path) -> None:
    chain = Recurrent(CELLS[name])
    before = {path: link.__dict__.copy() for path, link in chain.namedlinks()}
    model = elichika.compile_model(chain, (f32(5, 3),), dynamic_axes="batch", state=True)
    assert {path: link.__dict__ for path, link in chain.namedlinks()} == before
    # LSTM lets a batch shrink from one step to the next; the others do not
    sizes = (5, 5, 3, 3, 1) if name == "LSTM" else (4, 4, 4)
    calls = [(f32(size, 3, seed=seed),) for seed, size in enumerate(sizes)]
    check(chain, model, *calls)
    chain.cell.reset_state()
    chain.calls = 0
    model.reset()
    check(chain, model, *((f32(2, 3, seed=seed),) for seed in range(3)))
    model.save(tmp_path / "model.onnx")
    loaded = elichika.load(tmp_path / "model.onnx")
    chain.cell.reset_state()
    chain.calls = 0
    check(chain, loaded, *calls)
    held = loaded.state
    again = loaded(*calls[-1])
    loaded.state = held
    np.testing.assert_array_equal(loaded(*calls[-1]), again)


def test_only_what_calls_read_is_state() -> None:
    model = elichika.compile_model(Recurrent(CELLS["LSTM"]), (f32(5, 3),), state=True)
    assert sorted(model.state) == ["calls", "cell/c", "cell/c/tag", "cell/h", "cell/h/tag"]
    outputs = [output.name for output in model.proto.graph.output]
    assert outputs[1:] == [f"{name}/next" for name in model.state]


def test_memory_arrays_and_flags() -> None:
    chain = Remembering()
    model = elichika.compile_model(chain, (chainer.Variable(f32(2, 3)),), state=True)
    assert chain.memory is None and not chain.total.any() and not chain.started
    check(chain, model, *((chainer.Variable(f32(2, 3, seed=seed)),) for seed in range(4)))


def test_running_statistics() -> None:
    chain = Normalized()
    model = elichika.compile_model(
        chain, (f32(4, 3), False), train=True, state=True, static=("finetune",), dynamic_axes="n"
    )
    check(chain, model, (f32(4, 3), False), (f32(7, 3), False), (f32(2, 3), False), train=True)
    chain = Normalized()
    model = elichika.compile_model(
        chain, (f32(4, 3), True), train=True, state=True, static=("finetune",)
    )
    check(chain, model, *((f32(4, 3, seed=seed), True) for seed in range(4)), train=True)


class Aliased(chainer.Chain):
    """One array under two names from the second call on."""

    def __init__(self) -> None:
        super().__init__()
        self.a: Any = None
        self.b: Any = None

    def forward(self, x: Any) -> Any:
        if self.a is None:
            self.a = self.b = x * 2
        self.a += x
        return self.b + 0


class Rebound(chainer.Chain):
    """An array of the chain that is written, under a name that may be bound to another one."""

    def __init__(self) -> None:
        super().__init__()
        self.a = self.b = np.zeros(3, np.float32)

    def forward(self, x: Any) -> Any:
        self.a += x
        if x.sum() > 0:
            self.a = self.a * 2
        return self.b + 0


def test_one_array_under_two_names_stays_one() -> None:
    model = elichika.compile_model(Aliased(), (f32(3),), state=True)
    check(Aliased(), model, *((f32(3, seed=seed),) for seed in range(4)))


def test_a_write_that_another_name_may_see_is_refused() -> None:
    with pytest.raises(elichika.StagingError, match="may share"):
        elichika.compile_model(Rebound(), (f32(3),), state=True)


class Weighing(chainer.Chain):
    """A state that may be an array of the chain, which a call writes."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = np.ones((2, 3), np.float32)
        self.held: Any = None

    def forward(self, x: Any) -> Any:
        if self.held is None:
            self.held = self.weights
        y = self.held + x
        self.weights += x
        return y + self.held


def test_state_that_is_an_array_of_the_chain() -> None:
    model = elichika.compile_model(Weighing(), (f32(2, 3),), state=True)
    check(Weighing(), model, *((f32(2, 3, seed=seed),) for seed in range(4)))


class Growing(chainer.Chain):
    def forward(self, x: Any) -> Any:
        self.seen = [*getattr(self, "seen", []), x]
        return sum(self.seen)


def test_state_of_growing_length_is_refused() -> None:
    with pytest.raises(elichika.StagingError, match=r"cannot be an input|does not settle"):
        elichika.compile_model(Growing(), (f32(3),), state=True)


def test_without_state_every_call_is_the_first() -> None:
    model = elichika.compile_model(Recurrent(CELLS["LSTM"]), (f32(5, 3),))
    assert model.state == {}
    np.testing.assert_array_equal(model(f32(5, 3)), model(f32(5, 3)))


def test_another_state_is_refused() -> None:
    model = elichika.compile_model(Recurrent(CELLS["LSTM"]), (f32(5, 3),), state=True)
    with pytest.raises(elichika.InputError, match="The state has calls, "):
        model.state = {"h": f32(5, 4)}
