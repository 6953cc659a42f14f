from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from onnx_graph import ONNXGraph, export
from tests.onnx_graph.claims import session


def _graph(count: int = 3) -> ONNXGraph:
    g = ONNXGraph()
    h = g.input("x", np.float32, ("batch", 40))
    for index in range(count):
        weight = np.random.default_rng(index).standard_normal((40, 40)).astype(np.float32)
        h = g.MatMul(h, g.initializer(f"l{index}/W", weight if index % 2 else weight.T))
    g.output("y", g.Add(h, 1))
    return g


def _run(path: Path) -> np.ndarray:
    x = np.arange(80, dtype=np.float32).reshape(2, 40) / 80
    return session(str(path)).run(None, {"x": x})[0]  # type: ignore[arg-type, no-any-return]


def test_the_file_is_the_model(tmp_path: Path) -> None:
    g = _graph()
    export.save(g, tmp_path / "m.onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
    loaded, direct = onnx.load(tmp_path / "m.onnx"), g.to_model()
    assert {t.name: onnx.numpy_helper.to_array(t).tobytes() for t in loaded.graph.initializer} == {
        t.name: onnx.numpy_helper.to_array(t).tobytes() for t in direct.graph.initializer
    }
    x = np.arange(80, dtype=np.float32).reshape(2, 40) / 80
    expected = session(direct.SerializeToString()).run(None, {"x": x})[0]
    np.testing.assert_array_equal(_run(tmp_path / "m.onnx"), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]


def test_large_models_use_external_data(tmp_path: Path) -> None:
    g = _graph()
    export.save(g, tmp_path / "m.onnx")
    expected = _run(tmp_path / "m.onnx")
    (tmp_path / "big").mkdir()
    export.save(g, tmp_path / "big" / "m.onnx", limit=1000)
    model, data = sorted((tmp_path / "big").iterdir())
    assert model.name == "m.onnx" and re.fullmatch(r"m\.onnx\.[0-9a-f]{16}\.data", data.name)
    onnx.checker.check_model(str(tmp_path / "big" / "m.onnx"))
    np.testing.assert_array_equal(_run(tmp_path / "big" / "m.onnx"), expected)


def test_same_construction_same_bytes(tmp_path: Path) -> None:
    export.save(_graph(), tmp_path / "a.onnx")
    export.save(_graph(), tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    (tmp_path / "m.onnx").write_text("old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(export, "_write_array", fail)
    for limit in (10**9, 1000):
        with pytest.raises(error):
            export.save(_graph(), tmp_path / "m.onnx", limit=limit)
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]
    assert (tmp_path / "m.onnx").read_text() == "old"


def test_parameters_are_named_after_their_contents(tmp_path: Path) -> None:
    """Saving again replaces them, other models keep theirs, and equal ones have one name."""
    for name, count in (("a.onnx", 3), ("b.onnx", 3), ("a.onnx", 2), ("a.onnx", 2)):
        export.save(_graph(count), tmp_path / name, limit=1000)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 4 and names[1].split(".")[2] != names[3].split(".")[2]
    export.save(_graph(), tmp_path / "a.onnx")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", *names[2:]]


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize("killed", [False, True])
def test_at_any_moment_a_model_has_its_own_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, killed: bool
) -> None:
    """Ended before the first or second file takes its place; a kill cleans nothing up."""
    path = tmp_path / "m.onnx"
    export.save(_graph(2), path, limit=1000)
    before, names = _run(path), sorted(tmp_path.iterdir())
    replace, steps = os.replace, iter(range(9))

    def ended(source: str, target: Path) -> None:
        if next(steps) == step:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", ended)
        if killed:
            patch.setattr(os, "unlink", lambda name: None)
            patch.setattr(Path, "unlink", lambda path, missing_ok=False: None)
        with pytest.raises(KeyboardInterrupt):
            export.save(_graph(3), path, limit=1000)
    np.testing.assert_array_equal(_run(path), before)
    assert killed or sorted(tmp_path.iterdir()) == names
    export.save(_graph(3), path, limit=1000)
    assert len([item for item in tmp_path.iterdir() if not item.name.startswith(".")]) == 2


_MEASURE = """
import resource, sys
import numpy as np
from onnx_graph import ONNXGraph, export
g = ONNXGraph()
h = g.input("x", np.float32, ("batch", 2048))
for index in range(8):
    h = g.MatMul(h, g.initializer(f"W{index}", np.full((2048, 2048), index, np.float32)))
g.output("y", h)
export.save(_small := (lambda s: (s.output("y", s.Relu(s.input("x", np.float32, (1,)))), s)[1])(
    ONNXGraph()), sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
export.save(g, sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_saving_needs_little_memory(tmp_path: Path) -> None:
    """128 MiB of parameters are written without a copy of them in memory."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(tmp_path / "m.onnx")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 20 * 1024
    assert (tmp_path / "m.onnx").stat().st_size > 128 * 2**20
