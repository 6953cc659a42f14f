"""Where a model file says it comes from: portable places or none; the same bytes anywhere."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import pytest

import elichika
from elichika.program.file_names import portable_file

ROOT = Path(__file__).parents[2]

#: Has what order and names could depend on: sets, closures, loops, branches, checks, dicts.
PROGRAM = """
import elichika, chainer, numpy as np
from chainer import functions as F, links as L

class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.b = L.Linear(3, 3)
            self.a = L.BatchNormalization(3)
        for link in (self.b, self.a):
            for p in link.params():
                p.array[...] = np.arange(p.array.size, dtype="f").reshape(p.shape) / 7

    def forward(self, x, n):
        assert n < 9, "too many turns"
        kept = {"a": x, "b": x * 2}
        names = {"a", "b"}
        outs = []
        for i in range(n):
            h = self.a(self.b(kept["a"]))
            if h.array.sum() > i:
                kept["a"] = F.tanh(h)
            outs.append(h)
        return kept, F.stack(outs) if outs else x, [len(s) for s in sorted(names)]

x = np.ones((2, 3), "f")
elichika.compile_model(Net(), (x, 2), "net.onnx", dynamic_axes={"x": {0: "N"}}, verify=False)
"""


class Net(chainer.Chain):
    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        assert x.shape[0] < 5, "too long"
        return x


def compiled(**options: Any) -> elichika.CompiledModel:
    x = np.ones(3, np.float32)
    return elichika.compile_model(Net(), x, dynamic_axes={"x": {0: "N"}}, verify=False, **options)


def test_the_producer() -> None:
    proto = compiled().proto
    assert (proto.producer_name, proto.producer_version) == ("elichika", elichika.__version__)


def test_places_are_relative_in_the_file_and_whole_in_the_process(tmp_path: Path) -> None:
    model = compiled()
    assert {frame.file for frames in model.source_map.values() for frame in frames} == {__file__}
    assert str(ROOT).encode() not in model.proto.SerializeToString()
    model.save(tmp_path / "net.onnx")
    loaded = elichika.load(tmp_path / "net.onnx")
    files = {frame.file for frames in loaded.source_map.values() for frame in frames}
    assert files == {"tests/program/test_file_names.py"}
    with pytest.raises(elichika.ModelRuntimeError, match=r"(?s)too long.*assert x\.shape\[0\] < 5"):
        loaded(np.ones(7, np.float32))  # the line is found along sys.path


def test_without_source_info() -> None:
    model = compiled(source_info=False)
    text = model.proto.SerializeToString()
    assert b"test_file_names" not in text and b".py" not in text and b'"method":null' in text
    assert (
        b'"method":"forward"'
        in compiled(source_info=False, method="forward").proto.SerializeToString()
    )
    with pytest.raises(elichika.ModelRuntimeError, match="too long") as raised:
        model(np.ones(7, np.float32))
    assert raised.value.frames[0].file == __file__  # the process still knows
    np.testing.assert_array_equal(model(np.ones(2, np.float32)), np.full(2, 2, np.float32))


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lib" / "pack" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    assert portable_file(str(package / "net.py")) == "pack/inner/net.py"
    assert portable_file(str(tmp_path / "lib" / "net.py")) == "lib/net.py"
    assert portable_file("net.py") == "net.py"
    assert portable_file("/tmp/ipykernel_77/4242.py") == "4242.py"
    assert portable_file("<stdin>") == "<stdin>"


def test_the_same_bytes_in_another_folder_and_with_another_hash_seed(tmp_path: Path) -> None:
    checkouts = [ROOT, tmp_path / "another" / "checkout"]
    for package in ("elichika", "canonicalizer", "onnx_graph"):
        shutil.copytree(ROOT / package, checkouts[1] / package)
    digests = set()
    for seed, checkout in enumerate(checkouts):
        folder = tmp_path / f"work{seed}"
        folder.mkdir()
        (folder / "program.py").write_text(PROGRAM)
        environment = {
            **os.environ,
            "PYTHONPATH": str(checkout),
            "PYTHONHASHSEED": str(seed),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-W", "ignore", "program.py"]
        subprocess.run(command, cwd=folder, env=environment, check=True)
        written = (folder / "net.onnx").read_bytes()
        onnx.load_model_from_string(written)
        digests.add(hashlib.sha256(written).hexdigest())
    assert len(digests) == 1
