from __future__ import annotations

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
    assert sorted(p.name for p in (tmp_path / "big").iterdir()) == ["m.onnx", "m.onnx.data"]
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
