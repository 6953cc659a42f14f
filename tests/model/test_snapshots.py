"""Snapshots are loaded whole or not at all, and never unpickled."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import links as L

from elichika.errors import InputError
from elichika.model.snapshots import load_weights
from tests.cli.programs import Lazy, Net


def saved(path: Path, chain: Any) -> Path:
    chainer.serializers.save_npz(str(path), chain)
    return path


def state(chain: Any) -> dict[str, Any]:
    serializer = chainer.serializers.DictionarySerializer()
    serializer.save(chain)
    return {key: np.array(value) for key, value in serializer.target.items()}


def assert_same_state(one: Any, other: Any) -> None:
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize("make", [Net, Lazy])
def test_all_of_a_chain_comes_back(make: Any, tmp_path: Path) -> None:
    source, target = Net(), make()
    source.bn.avg_mean[...] = 3
    load_weights(target, saved(tmp_path / "s.npz", source))
    assert_same_state(state(source), state(target))


def test_the_snapshot_of_a_trainer(tmp_path: Path) -> None:
    source, target = Net(), Net()
    classifier = L.Classifier(source)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(classifier)
    data = chainer.datasets.TupleDataset(np.ones((2, 4), "f"), np.zeros(2, "i"))
    iterator = chainer.iterators.SerialIterator(data, 2)
    updater = chainer.training.updaters.StandardUpdater(iterator, optimizer)
    trainer = chainer.training.Trainer(updater, (1, "iteration"), out=str(tmp_path))
    trainer.run()
    path = saved(tmp_path / "t.npz", trainer)
    with pytest.raises(InputError, match=r"holds none of the chain's parameters") as caught:
        load_weights(target, path)
    prefix = "updater/model:main/predictor"
    assert caught.value.hint == f"it is at {prefix}/: pass --weights-path {prefix}"
    load_weights(target, path, prefix)
    assert np.array_equal(source.l1.W.array, target.l1.W.array)


def other(**arrays: Any) -> Any:
    return lambda path: np.savez(path, **{**state(Net()), **arrays})


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: None, "Cannot read {path}: No such file or directory."),
        (lambda path: path.write_bytes(b"text"), "{path} is not an .npz snapshot."),
        (lambda path: path.write_bytes(b""), "{path} is not an .npz snapshot."),
        (lambda path: saved(path, L.Linear(2, 2)), "{path} holds none of the chain's parameters"),
        (
            lambda path: saved(path, Net(5)),
            "l1/W has shape (8, 4) in the chain and (8, 5) in {path}.",
        ),
        (
            other(**{"l1/W": np.zeros((8, 4), np.complex64)}),
            "l1/W has dtype float32 in the chain and complex64 in {path}.",
        ),
        (
            other(**{"l1/W": np.array(None)}),
            "l1/W was not initialized when {path} was saved.",
        ),
        (other(**{"l3/W": np.zeros(3)}), "{path} holds l3/W, which the chain does not have."),
    ],
)
def test_snapshots_that_do_not_fit(write: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    write(path)
    chain = Net()
    before = state(chain)
    with pytest.raises(InputError) as caught:
        load_weights(chain, path)
    assert caught.value.message.startswith(message.format(path=path))
    assert_same_state(before, state(chain))


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "pwned",))

    path = tmp_path / "s.npz"
    np.savez(path, **{**state(Net()), "l1/W": np.array([Trap()], dtype=object)})
    with pytest.raises(InputError, match="l1/W was not initialized"):
        load_weights(Net(), path)
    assert not (tmp_path / "pwned").exists()


def test_a_header_that_could_hide_its_size(tmp_path: Path) -> None:
    """Of version 3, which numpy reads but does not show; no snapshot of Chainer has one."""
    path = tmp_path / "s.npz"
    np.savez(path, **state(Net()))
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    file = io.BytesIO()
    np.lib.format.write_array(file, np.zeros((8, 4), np.float32), version=(3, 0))
    entries["l1/W.npy"] = file.getvalue().replace(b"(8, 4), }", b"(9999999999, 4), }")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(InputError, match="damaged at l1/W: its header is of version"):
        load_weights(Net(), path)
