"""Other weights in a compiled model give what the chain gives with them, or one clear line."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import pytest
from chainer import functions as F
from chainer import links as L

from elichika import CompiledModel, ElichikaError, InputError, StagingError, compile_model, load
from elichika.model.weights import WEIGHTS_KEY
from models.zoo import ZOO
from tests.programs import f32
from tests.verify.hand import Program

IDS = np.array([[3, 1, 4, 1], [5, 9, 2, 6]], np.int32)


def drawn(chain: chainer.Link, seed: int) -> chainer.Link:
    """Give a chain other weights, those of seed 3 negative."""
    random = np.random.default_rng(seed)
    arrays = [parameter.array for parameter in chain.params()]
    for link in chain.links():
        kept = [link.__dict__[name] for name in sorted(link._persistent)]
        arrays += [a for a in kept if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    for array in arrays:
        array[...] = random.uniform(0.1, 1, array.shape) * (-1 if seed == 3 else 1)
    for link in chain.links():
        if isinstance(link, L.BatchNormalization):
            link.avg_var[...] = abs(link.avg_var)
    return chain


def saved(chain: chainer.Link, path: Path) -> Path:
    chainer.serializers.save_npz(path, chain)
    return path


class Reader(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(10, 8)
            self.lstm = L.LSTM(8, 16)
            self.out = L.Linear(16, 5)

    def forward(self, ids: Any) -> Any:
        self.lstm.reset_state()
        for t in range(ids.shape[1]):
            h = self.lstm(self.embed(ids[:, t]))
        y = self.out(h)
        return F.normalize(y) if F.max(y).array > 1 else y


def sees(self: Any, x: Any) -> Any:
    h = self.bias(self.scale(F.relu(self.bn(self.conv(x)))))
    return self.norm(self.out(h))


def shares(self: Any, x: Any) -> Any:
    return self.b(F.relu(self.a(x))) + F.matmul(x, self.a.W)


def decides(self: Any, x: Any) -> Any:
    x = x * self.w if self.w.array.sum() > 0 else x - self.w
    if self.one.array:
        x = x + float(self.one.array[0])
    for _ in range(int(abs(self.n.array) * 10)):
        x = x + 1
    return x / max(self.w.array)


def computes(self: Any, x: Any) -> Any:
    e = F.exp(self.w)
    twice = F.concat([self.w, self.w], axis=0)[1:4]
    rows = sum(self.w.array) + self.w.array[0] + self.w.data[-1] + np.sqrt(self.w.array**2 + 1)
    held = np.array(self.w.array) + chainer.Variable(self.one.array)
    for parameter in sorted(self.params(), key=lambda p: p.name):
        rows = rows + F.sum(parameter)
    return x * F.broadcast_to(e / F.sum(e), x.shape) + twice + rows + held + self.n


def looks_up(self: Any, x: Any) -> Any:
    return (
        x[:, self.order] * vars(self)["w"] + self.w.array.T + next(iter(self.params())).array.sum()
    )


def added(self: Any, x: Any) -> Any:
    return 1 / (x * 0 + self.one)


def weights(cls: Any = Program, **arrays: Any) -> Any:
    given = {"w": f32(3), "one": f32(1), "n": np.float32(1), **arrays}
    return {name: partial(chainer.Parameter, np.array(array)) for name, array in given.items()}


def made(forward: Any, **links: Callable[[], Any]) -> Callable[[], chainer.Link]:
    def make() -> chainer.Link:
        chain = Program(forward, **{name: link() for name, link in links.items()})
        if forward is shares:
            chain.b.W = chain.a.W
        if forward is looks_up:
            chain.order = np.array([2, 0, 1])
            chain.register_persistent("order")
        return chain

    return make


CASES: dict[str, tuple[Callable[[], Any], list[Any], Any]] = {
    "reader": (Reader, [IDS, IDS[:1, :2], IDS[:, :1]], {"ids": {0: "batch", 1: "time"}}),
    "network": (
        made(
            sees,
            conv=lambda: L.Convolution2D(3, 8, 3),
            bn=lambda: L.BatchNormalization(8),
            scale=lambda: L.Scale(1, (8,)),
            bias=lambda: L.Bias(1, (8,)),
            out=lambda: L.Linear(8 * 36, 4),
            norm=lambda: L.LayerNormalization(4),
        ),
        [f32(2, 3, 8, 8), f32(1, 3, 8, 8)],
        "n",
    ),
    "shared": (
        made(shares, a=lambda: L.Linear(3, 3), b=lambda: L.Linear(3, 3)),
        [f32(2, 3), f32(1, 3)],
        "n",
    ),
    **{
        name: (made(forward, **weights()), [f32(2, 3), f32(1, 3) - 9], "n")
        for name, forward in {
            "decides": decides,
            "computes": computes,
            "looks up": looks_up,
        }.items()
    },
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_with_other_weights_is_that_of_the_chain_with_them(
    case: str, tmp_path: Path
) -> None:
    make, inputs, axes = CASES[case]
    options: dict[str, Any] = {"dynamic_axes": axes, "examples": [(x,) for x in inputs[1:]]}
    model = compile_model(
        drawn(make(), 0), [inputs[0]], tmp_path / "m.onnx", reweightable=True, **options
    )
    for number, before in enumerate((model, load(tmp_path / "m.onnx"), model, model), 1):
        chain = drawn(make(), number)
        after = before.with_weights(saved(chain, tmp_path / "w.npz"))
        after.save(tmp_path / "other.onnx")
        fresh = compile_model(chain, [inputs[0]], verify=False, **options)
        for x in inputs:
            for found in (after, load(tmp_path / "other.onnx")):
                np.testing.assert_allclose(found(x), fresh(x), rtol=1e-4, atol=1e-5)
        after.verify(*[(x,) for x in inputs], chain=chain)
    assert np.any(model(inputs[0]) != after(inputs[0]))


def test_zeros_of_both_signs(tmp_path: Path) -> None:
    make = made(added, **weights())
    model = compile_model(drawn(make(), 0), [f32(2, 3)], reweightable=True)
    for zero in (0.0, -0.0):
        chain = make()
        chain.one.array[...] = zero
        after = model.with_weights(saved(chain, tmp_path / "w.npz"))
        for x in (f32(2, 3), -f32(2, 3)):
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(after(x), chain(x).array)


def test_state_starts_from_the_weights(tmp_path: Path) -> None:
    make = made(lambda self, x: self.bn(x), bn=lambda: L.BatchNormalization(3))
    options: dict[str, Any] = {"train": True, "state": True}
    model = compile_model(drawn(make(), 0), [f32(4, 3)], reweightable=True, **options)
    chain = drawn(make(), 1)
    model(f32(4, 3))
    after = model.with_weights(saved(chain, tmp_path / "w.npz"))
    np.testing.assert_array_equal(after.state["bn/avg_mean"], chain.bn.avg_mean)
    with chainer.using_config("train", True):
        for scale in (1, 2):
            x = f32(4, 3) * scale
            np.testing.assert_allclose(after(x), chain(x).array, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(after.state["bn/avg_var"], chain.bn.avg_var, rtol=1e-5)
    after.reset()
    assert after.report.notes == [] and np.any(after.state["bn/avg_mean"] != chain.bn.avg_mean)


class View(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.start = np.arange(6, dtype="f").reshape(2, 3).copy()
        self.register_persistent("start")
        self.h = self.start[1]

    def forward(self, x: Any) -> Any:
        self.h = self.h + x
        return self.h


def test_state_that_begins_as_a_part_of_an_array() -> None:
    model = compile_model(View(), [f32(3)], state=True)
    np.testing.assert_array_equal(model.state["h"], [3, 4, 5])
    with pytest.raises(StagingError, match=r"what h is at the start is not known"):
        compile_model(View(), [f32(3)], state=True, reweightable=True)


def test_what_python_alone_computes_of_a_weight_is_refused() -> None:
    for forward in (
        lambda self, x: x * len(f"{self.w.array}"),
        lambda self, x: x * self.w.array.tobytes()[0],
        lambda self, x: x * np.asarray(memoryview(self.w.array)),
    ):
        chain = made(forward, **weights())()
        compile_model(chain, [f32(3)], verify=False)
        with pytest.raises(ElichikaError) as caught:
            compile_model(chain, [f32(3)], reweightable=True)
        files = [Path(frame.file).name for frame in caught.value.frames]
        assert "test_weights.py" in files


def test_a_weight_in_the_memory_of_another_array() -> None:
    chain = L.Linear(2, 3)
    chain.W.array = np.zeros((2, 3), "f").T
    with pytest.raises(InputError, match=r"^W lies in the memory of another array"):
        compile_model(chain, [f32(1, 2)], reweightable=True)


class Counts(chainer.Chain):  # type: ignore[misc]
    def __init__(self, n: int = 3) -> None:
        super().__init__()
        with self.init_scope():
            self.a = L.Linear(3, 3)
            self.b = L.Linear(3, 3)
        self.b.W = self.a.W
        self.add_persistent("n", n)

    def forward(self, x: Any) -> Any:
        return self.b(self.a(x)) * self.n


def entries(**changes: Any) -> dict[str, Any]:
    serializer = chainer.serializers.DictionarySerializer()
    serializer.save(Counts())
    found = {**serializer.target, **changes}
    return {key: np.array(value) for key, value in found.items() if value is not None}


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"a/b": None}, "{path} does not hold a/b."),
        ({"more": f32(1)}, "{path} holds more, which the model does not have."),
        ({"a/W": f32(3, 4)}, "a/W has shape (3, 3) in the model and (3, 4) in {path}."),
        ({"a/b": f32(3) * 1j}, "a/b has dtype float32 in the model and complex64 in {path}."),
        ({"a/b": np.array(None)}, "a/b was not initialized when {path} was saved."),
        ({"n": 4}, "n is 4 in {path}, and the model was made with 3."),
        ({"b/W": f32(3, 3)}, "a/W and b/W are one in the model, and differ in {path}."),
    ],
)
def test_snapshots_that_do_not_fit(held: Any, message: str, tmp_path: Path) -> None:
    model = compile_model(Counts(), [f32(2, 3)], reweightable=True)
    path = tmp_path / "w.npz"
    np.savez(path, **entries(**held))
    with pytest.raises(InputError) as caught:
        model.with_weights(path)
    assert caught.value.message == message.format(path=path)
    np.savez(path, **{f"model/{key}": value for key, value in entries().items()})
    model.with_weights(path, "model")


class Sparse(chainer.Chain):  # type: ignore[misc]
    def __init__(self, kept: Any = None) -> None:
        super().__init__()
        with self.init_scope():
            self.out = L.Linear(3, 2)
            self.unused = L.Linear(None, 2)
        self.add_persistent("kept", kept)
        self.add_persistent("version", "a")

    def forward(self, x: Any) -> Any:
        return self.out(x if self.kept is None else x * self.kept)


def test_what_is_not_there_yet(tmp_path: Path) -> None:
    model = compile_model(Sparse(), [f32(2, 3)], reweightable=True)
    other, path = Sparse(), tmp_path / "w.npz"
    for _ in range(2):
        after = model.with_weights(saved(other, path))
        np.testing.assert_allclose(after(f32(2, 3)), other(f32(2, 3)).array, rtol=1e-5)
        other.unused(f32(1, 4))  # has its size now
    with pytest.raises(InputError, match=r"^kept is 2.0 in .*, and the model was made with None"):
        model.with_weights(saved(Sparse(2.0), path))


@pytest.mark.parametrize("name", ["Seq2seq with attention, greedy", "BiLSTM-CRF tagger, Viterbi"])
def test_a_whole_network(name: str, tmp_path: Path) -> None:
    entry = next(model for model in ZOO if model.name == name)
    chain, examples = entry.build(), [entry.inputs(**sizes) for sizes in entry.sizes]
    options: dict[str, Any] = {"dynamic_axes": entry.dynamic_axes, "method": entry.method}
    model = compile_model(chain, examples[0], reweightable=True, verify=False, **options)
    random = np.random.default_rng(1)
    for parameter in chain.params():
        parameter.array[...] = random.permutation(parameter.array.ravel()).reshape(parameter.shape)
    after = model.with_weights(saved(chain, tmp_path / "w.npz"))
    assert after.verify(*examples, chain=chain).agreed


def test_a_model_that_is_not_made_for_it(tmp_path: Path) -> None:
    model = compile_model(Counts(), [f32(2, 3)], tmp_path / "m.onnx", reweightable=True)
    with pytest.raises(InputError, match=r"made for the weights that it has"):
        compile_model(Counts(), [f32(2, 3)]).with_weights(tmp_path / "w.npz")
    proto = onnx.load(tmp_path / "m.onnx")
    (entry,) = (e for e in proto.metadata_props if e.key == WEIGHTS_KEY)
    whole = json.loads(entry.value)
    for damaged in ("", "[]", "{}", json.dumps({**whole, "arrays": {"a/W": ["a/W", "x", [-1]]}})):
        entry.value = damaged
        onnx.save(proto, tmp_path / "m.onnx")
        with pytest.raises(InputError, match=r"says of its weights is damaged"):
            load(tmp_path / "m.onnx").with_weights(tmp_path / "w.npz")
    assert isinstance(model, CompiledModel)
