"""Recorded calls: what is kept of them, and models that are compiled from them."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L

import elichika
from tests.programs import chain_with, f32, ints
from tests.recording.compared import agree, described

Pair = namedtuple("Pair", "left right")


class Net(chainer.Chain):
    """A classifier with a method besides `forward`."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(3, 5)
            self.out = L.Linear(5, 2)

    def forward(self, x: Any, mask: Any = None) -> Any:
        h = F.relu(self.hidden(x))
        return self.out(h if mask is None else h * mask)

    def predict(self, x: Any, k: int = 1) -> Any:
        return F.argmax(self(x), axis=1), k * 2


class Called(chainer.Chain):
    """A chain with a `__call__` of its own, as old programs have."""

    def __call__(self, xs: Any, weights: Any) -> Any:
        return F.stack(xs), [weight * 2 for weight in weights]


@pytest.fixture
def net() -> Net:
    return Net()


@pytest.fixture
def calls(net: Net) -> Any:
    with elichika.profile(net) as recorded:
        for size in (3, 5, 1, 7, 3):
            net(f32(size, 3))
            net.predict(f32(size, 3), size)
        net(f32(4, 3), f32(4, 5))
        net(f32(6, 3), mask=f32(6, 5))
    return recorded


def test_what_is_kept(calls: Any) -> None:
    assert repr(calls).splitlines() == [
        "/.forward: 12 calls of 3 kinds, 5 kept",
        "/.predict: 5 calls of 1 kind, 3 kept",
        "/hidden.forward: 12 calls of 1 kind, 3 kept",
        "/out.forward: 12 calls of 1 kind, 3 kept",
    ]


def test_compiled(net: Net, calls: Any) -> None:
    model = elichika.compile_model(net, calls, verify=False)
    assert described(model) == "x float32[x_0, 3]; mask_kind int; mask float32[mask_0, 5]"
    agree(net, model, (f32(9, 3),), (f32(0, 3),), (f32(2, 3), f32(2, 5)), (f32(2, 3), f32(1, 5)))


def test_a_method(net: Net, calls: Any) -> None:
    model = elichika.compile_model(net, calls, method="predict", verify=False)
    assert described(model) == "x float32[x_0, 3]; k int"
    agree(net.predict, model, (f32(9, 3), 5), (f32(2, 3), -1))


def test_a_link(net: Net, calls: Any) -> None:
    model = elichika.compile_model(net.out, calls)
    assert described(model) == "x float32[x_0, 5]"
    agree(net.out, model, (f32(9, 5),))


def test_verified_on_what_was_recorded(net: Net, calls: Any) -> None:
    agreed = elichika.compile_model(net, calls).report.verification.agreed
    assert [*agreed][:5] == ["the example", *(f"examples[{number}]" for number in range(4))]


def test_nothing_changes(net: Net) -> None:
    before = dict(vars(Net)), L.Linear.forward, dict(vars(net))
    with pytest.raises(KeyError), elichika.profile(net):
        net(f32(2, 3))
        raise KeyError
    assert (dict(vars(Net)), L.Linear.forward, dict(vars(net))) == before


def test_examples_are_as_they_were_given(net: Net) -> None:
    x = f32(2, 3)
    kept = x.copy()
    with elichika.profile(net) as calls:
        net(x)
        x[:] = 0
    np.testing.assert_array_equal(calls.of(net)[0].args[0], kept)


def test_only_this_chain(net: Net) -> None:
    with elichika.profile(net) as calls:
        Net()(f32(2, 3))
    assert repr(calls) == "no calls"


def test_a_call_of_its_own(tmp_path: Path) -> None:
    chain = Called()
    with elichika.profile(chain) as calls:
        chain([f32(2), f32(2)], [1, 2])
        chain([f32(2)] * 3, [0.5])
    calls.save(tmp_path / "calls.npz")
    for shown in (calls, elichika.load_calls(tmp_path / "calls.npz")):
        model = elichika.compile_model(chain, shown, verify=False)
        agree(chain, model, ([f32(2)] * 5, [3, 4, 5]), ([f32(2)], [0.25, 1.5]))


def test_bounded() -> None:
    class Echo(chainer.Chain):
        def forward(self, x: Any, n: Any) -> Any:
            return x * n

    chain = Echo()
    with elichika.profile(chain) as calls:
        for size in [*range(1, 500), 3, 4]:
            chain(f32(size, 3), -size)
    kept = calls.of(chain)
    assert len(kept) == 2 and {len(call.args[0]) for call in kept} == {1, 499}
    assert calls.recorded["/", "forward"].count == 501


def test_too_many_kinds() -> None:
    class Echo(chainer.Chain):
        def forward(self, text: Any) -> Any:
            return text

    chain = Echo()
    with elichika.profile(chain) as calls:
        for number in range(300):
            chain(str(number))
    with pytest.raises(elichika.InputError, match="called in more than 256 ways"):
        elichika.compile_model(chain, calls)


def test_evaluator(net: Net) -> None:
    class Loss(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.predictor = net

        def forward(self, x: Any, t: Any) -> Any:
            loss = F.softmax_cross_entropy(self.predictor(x), t)
            chainer.report({"loss": loss}, self)
            return loss

    data = list(zip(f32(10, 3), ints(10, high=2).astype("i"), strict=True))
    iterator = chainer.iterators.SerialIterator(data, 4, repeat=False, shuffle=False)
    chain = Loss()
    with elichika.profile(chain) as calls:
        chainer.training.extensions.Evaluator(iterator, chain)()
    model = elichika.compile_model(chain.predictor, calls, verify=False)
    assert described(model) == "x float32[x_0, 3]"
    agree(net, model, (f32(9, 3),))
    assert described(elichika.compile_model(chain, calls)) == "x float32[x_0, 3]; t int32[x_0]"


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5][:1], 3: "text"},
        (Pair(f32(2), None), float("inf"), True),
        [np.float32(2)],
        chainer.Variable(f32(2, 2)),
        np.zeros((0, 3), np.int8),
    ],
)
def test_files(tmp_path: Path, value: Any) -> None:
    class Echo(chainer.Chain):
        def forward(self, value: Any, more: Any = None) -> Any:
            return value

    chain = Echo()
    with elichika.profile(chain) as calls:
        chain(value)
        chain(value, more=value)
    calls.save(tmp_path / "calls.npz")
    loaded = elichika.load_calls(tmp_path / "calls.npz", tmp_path / "calls.npz")
    assert loaded.recorded["/", "forward"].count == 4
    first, second = loaded.of(chain)
    for read in (first.args[0], second.args[0], second.kwargs["more"]):
        assert repr(read) == repr(value) and type(read).__name__ == type(value).__name__


def test_objects_are_not_kept_in_files(tmp_path: Path) -> None:
    class Echo(chainer.Chain):
        def forward(self, value: Any) -> Any:
            return value

    chain = Echo()
    with elichika.profile(chain) as calls:
        chain(slice(3))
    with pytest.raises(elichika.InputError) as caught:
        calls.save(tmp_path / "calls.npz")
    assert str(caught.value) == "a call of `/.forward` has a slice, which no file of calls keeps"


def test_damaged_files(tmp_path: Path, calls: Any) -> None:
    path = tmp_path / "calls.npz"
    calls.save(path)
    stored = dict(np.load(path))
    text = bytes(stored["elichika.calls"])
    for number in range(0, len(text), 37):
        damaged = {**stored, "elichika.calls": np.frombuffer(text[:number], np.uint8)}
        np.savez(path, **damaged)
        with pytest.raises(elichika.InputError, match="is damaged"):
            elichika.load_calls(path)


def test_lists_of_values_of_several_kinds() -> None:
    """Calls of one form have as many numbers, however long their lists are."""
    chain = chain_with(lambda self, xs: len(xs))
    with elichika.profile(chain) as recorded:
        for count in (2, 3, 4):
            chain([1, 2.5, 3, 0.5][:count])
    assert repr(recorded) == "/.forward: 3 calls of 1 kind, 3 kept"


class Wide(chainer.Chain):
    """Its link is given far more than the chain is."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.part = Part()

    def forward(self, x: Any, n: int) -> Any:
        return self.part(F.tile(x, (n, 1)), np.arange(20_000))


class Part(chainer.Chain):
    """It is called in several ways."""

    def forward(self, x: Any, ids: Any) -> Any:
        return F.sum(x, axis=1), len(ids)


def test_large_arrays_of_links_are_kept_in_part(tmp_path: Path) -> None:
    chain, x = Wide(), f32(2, 1000)
    with elichika.profile(chain) as recorded:
        for count in (9, 5, 9000, 8, 9001):
            chain(x, count)
    path = tmp_path / "calls.npz"
    recorded.save(path)
    assert path.stat().st_size < 40 * 2**20
    for calls in (recorded, elichika.load_calls(path)):
        first, least, most = calls.recorded["/part", "forward"].examples
        assert [one.args[0].shape[0] for one in (first, least, most)] == [18, 10, 18002]
        np.testing.assert_array_equal(first.args[0].array, np.tile(x, (9, 1)))
        np.testing.assert_array_equal(most.args[0].array.reshape(-1)[:2000], x.reshape(-1))
        np.testing.assert_array_equal(most.args[1], np.arange(20_000))
        assert [one.args[1] for one in calls.of(chain)] == [9, 5, 9001]
    model = elichika.compile_model(chain.part, recorded)
    assert described(model) == "x float32[x_0, 1000]; ids int64[20000]"
