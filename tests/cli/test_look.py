"""`elichika inspect` and `elichika explain`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import onnxruntime
import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from elichika.model.inspection import inspect_model


class Steps(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.step = chainer.links.Linear(3, 3)

    def forward(self, x: Any, n: int) -> Any:
        h = chainer.functions.tanh(x)
        for i in range(n):
            h = self.step(h)
            if h.array.sum() > i:
                h = h - 1
        assert n < 5
        return h


def run(*arguments: object, text: str = "") -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("look") / "steps.onnx"
    x = np.ones((2, 3), "float32")
    elichika.compile_model(Steps(), (x, 2), path, dynamic_axes={"x": {0: "batch"}}, verify=False)
    return path


@pytest.mark.parametrize(
    ("part", "count", "text"),
    [
        (b"\x0a\x00", 2000, "it has more than 2,000,000 parts"),
        (b"\x2a\x00", 2000, "it has more than 2,000,000 parts"),
        (b"", 100, "a parameter has more than 64 axes"),
    ],
)
def test_a_small_file_does_not_become_a_large_model(
    part: bytes, count: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elichika.model.protobuf_bounds.MOST_PARTS", 1000)
    graph = onnx.GraphProto(name="g")
    if not part:
        graph.initializer.add(name="w", dims=[1] * count, data_type=1, raw_data=b"\0" * 4)
    model = onnx.ModelProto(ir_version=8, opset_import=[onnx.OperatorSetIdProto(version=18)])
    contents = graph.SerializeToString() + part * count
    length, size = len(contents), b""
    while length > 0x7F:
        size, length = size + bytes([length & 0x7F | 0x80]), length >> 7
    path = tmp_path / "hostile.onnx"
    path.write_bytes(model.SerializeToString() + b"\x3a" + size + bytes([length]) + contents)
    for command in (["inspect"], ["explain", "--error", str(path)]):
        result = CliRunner().invoke(app, [*command, str(path)])
        assert result.exit_code == 2 and text in result.stderr


def test_what_inspect_finds(model: Path) -> None:
    found = inspect_model(model)
    assert [str(port) for port in found.inputs] == ["x: float32[batch, 3]", "n: int64[]"]
    assert [port.dtype for port in found.outputs] == ["float32"]
    (loop,) = found.blocks
    assert loop.op_type == "Loop" and loop.place == "test_look.py:29"
    assert [(block.op_type, block.place) for block in loop.blocks] == [("If", "test_look.py:31")]
    assert loop.nodes < found.nodes == sum(found.operators.values())
    assert found.parameters[0][1:] == ("float32", (3, 3), 36)
    assert found.bytes == model.stat().st_size and found.opset == 18
    assert "tract has no Loop" in found.notes
    assert any(
        note.startswith("OpenVINO leaves out some checks") for note in found.notes
    )  # `assert n < 5`


def test_the_summary_and_json(model: Path) -> None:
    shown = run("inspect", model)
    assert shown.exit_code == 0
    assert "Loop  test_look.py:29" in shown.stdout and "If  test_look.py:31" in shown.stdout
    data = json.loads(run("inspect", model, "--json").stdout)
    assert data["opset"] == 18 and data["blocks"][0]["op_type"] == "Loop"


def test_explain(model: Path) -> None:
    session = onnxruntime.InferenceSession(str(model))
    with pytest.raises(Exception, match="node") as raised:
        session.run(None, {"x": np.ones((2, 3), "float32"), "n": np.array(7)})
    shown = run("explain", model, text=str(raised.value))
    assert shown.exit_code == 0, shown.stderr
    assert "test_look.py:33 in forward" in shown.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file"),
        (b"no model", "holds no ONNX model"),
        (b"", "holds no ONNX model"),
    ],
)
def test_no_model(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    if content is not None:
        path.write_bytes(content)
    for command in ("inspect", "explain"):
        shown = run(command, path)
        assert shown.exit_code == 2 and message in shown.stderr
        assert "Traceback" not in shown.stderr


def test_a_text_of_another_model(model: Path, tmp_path: Path) -> None:
    shown = run("explain", model, text="running Add node. Name:'elsewhere'")
    assert shown.exit_code == 2 and "names no node of this model" in shown.stderr
    shown = run("explain", model, "--error", tmp_path / "no.txt")
    assert shown.exit_code == 2 and "Cannot read" in shown.stderr


@pytest.mark.parametrize("damage", ['{"nodes": 3}', "{", '{"sources": [{}]}', "[]"])
def test_a_damaged_source_map(damage: str, model: Path, tmp_path: Path) -> None:
    proto = onnx.load(model)
    for entry in proto.metadata_props:
        if entry.key == "elichika.source_map":
            entry.value = damage
    path = tmp_path / "damaged.onnx"
    onnx.save(proto, path)
    assert inspect_model(path).blocks[0].place is None
    shown = run("explain", path, text="running Add node. Name:'elsewhere'")
    assert shown.exit_code == 2 and "Traceback" not in shown.stderr


def test_trace_marks_the_line_of_a_difference(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import chainer\nfrom chainer import functions as F\nclass Net(chainer.Chain):\n"
        "    def forward(self, x, n):\n        for i in range(n):\n"
        "            x = F.tanh(x) + i\n        return x * 2\n"
    )
    (tmp_path / "other.py").write_text((tmp_path / "net.py").read_text().replace("x * 2", "x * 3"))
    model, source = str(tmp_path / "net.onnx"), f"{tmp_path / 'net.py'}:Net"
    given = ("--input", "x=float32[2,3]", "--input", "n=3")
    assert run("export", source, *given, "-o", model).exit_code == 0
    plain = run("trace", model, *given)
    assert plain.exit_code == 0 and "net.py:6" in plain.stdout and "float32[2, 3]" in plain.stdout
    right = run("trace", model, *given, "--against", source, "--json")
    found = json.loads(right.stdout)
    assert (right.exit_code, found["differs first at"]) == (0, "nowhere")
    assert [1] in [row["iterations"] for row in found["steps"]]
    assert run("trace", model).exit_code == 0
    (tmp_path / "net.py").write_text((tmp_path / "other.py").read_text())
    wrong = run("trace", model, *given, "--against", source, "--json")
    found = json.loads(wrong.stdout)
    assert (wrong.exit_code, found["differs first at"]) == (3, "net.py:7")
    assert [row["place"] for row in found["steps"] if row["differs"]] == ["net.py:7"]
