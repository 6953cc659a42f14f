"""What runs on a GPU and what is copied there, worked out without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from typer.testing import CliRunner

from benchmarks.write_kernels import kernels, on_cpu
from elichika import compile_model
from elichika.cli import app
from elichika.errors import InputError
from elichika.model import session as sessions
from elichika.model.keeping import kept_nodes, setting
from elichika.model.placement import Placement, _data, placement_of
from elichika.model.protos import bodies
from elichika.model.source_map import SourceMap
from models.small import SMALL
from onnx_graph import ONNXGraph
from tests.sources import module_of

F, INT = np.float32, np.int64
HEAD = "import chainer\n\n\nclass Net(chainer.Chain):\n"


def placed(build: Any) -> Placement:
    g = ONNXGraph()
    build(g)
    return placement_of(g.to_model(), SourceMap({}))


def test_floats_are_on_the_gpu_and_sizes_stay_beside_them() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("n", 3))
        h = g.Exp(x)
        shape = g.Mul(g.Shape(h), np.array([3, 1]))
        g.output("y", g.Add(g.Expand(F(1), shape), 1.0))

    found = placed(build)
    assert (found.gpu, found.cpu, found.lacking) == (4, 1, [])
    assert found.copies == ["x to gpu"]


def test_types_without_a_kernel() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", INT, (4, 4))
        g.output("y", g.MatMul(x, x))
        g.output("z", g.ArgMax(g.Cast(x, to=np.int32), axis=0))
        g.output("d", g.Det(g.Cast(x, to=F)))

    found = placed(build)
    assert [(one.op_type, one.why) for one in found.lacking] == [
        ("MatMul", "there is no kernel for tensor(int64)"),
        ("ArgMax", "there is no kernel for tensor(int32)"),
        ("Det", "there is no kernel"),
    ]
    assert not any(one.in_loop for one in found.lacking)


def test_checks_fail_there_too() -> None:
    """A step of 0 is an error of the kernel; it has its operands, and the token is, on the CPU."""

    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("n", 3))
        token = g.check(g.Less(g.ReduceMax(x, keepdims=0), 9.0), "too large")
        g.output("y", g.tie(g.Exp(x), token))

    g = ONNXGraph()
    build(g)
    (check,) = (node for node in g.to_model().graph.node if "Check" in node.name)
    assert check.op_type == "Range" and _data()["cpu"]["Range"] == {"inputs": [0, 1, 2]}
    found = placed(build)
    assert found.lacking == [] and found.reads == 0
    assert found.copies == ["x to gpu", "cast_1 to cpu"], "the condition alone comes to the CPU"


def test_reads_by_an_index() -> None:
    def build(g: ONNXGraph) -> None:
        x, i = g.input("x", F, ("n", 3)), g.input("i", INT, (2,))
        g.output("y", g.Gather(g.Exp(x), i))
        g.output("z", g.Gather(g.Exp(x), np.array([0, 1])))

    assert placed(build).reads == 1


def test_recurrences_that_cudnn_does_not_have() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, (5, 2, 3))
        for reset in (0, 1):
            w, r = np.zeros((1, 12, 3), F), np.zeros((1, 12, 4), F)
            g.output(f"y{reset}", g.GRU(x, w, r, hidden_size=4, linear_before_reset=reset))

    found = placed(build)
    assert [(one.op_type, one.why) for one in found.lacking] == [
        ("GRU", "cuDNN's GRU applies the reset gate after the product")
    ]


def test_copies_of_a_turn() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, (3,))
        body = g.body("turn", loop=True)
        h = body.input(F, (3,), "h")
        with body:
            doubled = g.Mul(h, 2.0)
            more = g.Less(g.ReduceSum(doubled, keepdims=0), 9.0)
        (y,) = g.Loop(None, g.constant(np.array(True)), body, [x], cond_out=more, carried=[doubled])
        g.output("y", y)

    (loop,) = placed(build).loops
    assert [text.split(" ")[2] for text in loop.values] == ["cpu"], "the condition alone"


def test_what_is_carried_lies_beside_the_loop() -> None:
    """A number that a body needs on the CPU is copied there, and back, in each turn."""

    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, (3,))
        body = g.body("turn", loop=True)
        size, h = body.input(INT, (1,), "size"), body.input(F, (None,), "h")
        with body:
            wider = g.Expand(g.ReduceSum(h), size)
            longer = g.Add(g.Shape(wider), 1)
        start = [g.constant(np.array([2])), x]
        g.output("y", g.Loop(np.array(4), None, body, start, carried=[longer, wider])[1])

    (loop,) = placed(build).loops
    assert sorted(text.split(" to ")[1] for text in loop.values) == ["cpu", "gpu"]


@pytest.fixture(scope="module")
def small() -> dict[str, Placement]:
    found = {}
    for one in SMALL:
        model = compile_model(
            one.build(), one.inputs[0], dynamic_axes=one.dynamic_axes, verify=False
        )
        found[one.name] = placement_of(model.proto, model.source_map)
    return found


def test_the_small_models(small: dict[str, Placement]) -> None:
    """In the loops of the attention and of the GRU nothing is copied.

    A list that the model gives is made after the loop, of a tensor.
    """
    assert small["LSTM classifier over a `for`"].loops == []
    assert small["the README's encoder"].loops == []
    assert small["convolutions with batch normalization"].copies == ["x to gpu"]
    (loop,) = small["attention"].loops
    assert loop.place == "small.py:107"
    loops = [loop, *small["GRU tagger with a comprehension"].loops]
    assert [one.values for one in loops] == [(), (), ()]
    for name, found in small.items():
        assert found.gpu > found.cpu, name
        assert {one.op_type for one in found.lacking} <= {"GRU", "SplitToSequence"}, name


def test_the_command(tmp_path: Path) -> None:
    one = SMALL[4]
    path = tmp_path / "m.onnx"
    compile_model(one.build(), one.inputs[0], path, dynamic_axes=one.dynamic_axes, verify=False)
    plain = CliRunner().invoke(app, ["inspect", str(path)])
    assert "GPU" not in plain.output
    shown = CliRunner().invoke(app, ["inspect", str(path), "--provider", "cuda"])
    assert shown.exit_code == 0, shown.output
    assert (
        "nodes on the GPU" in shown.output
        and "in each iteration of small.py:107: none" in shown.output
    )
    data = json.loads(
        CliRunner().invoke(app, ["inspect", str(path), "--provider", "cuda", "--json"]).output
    )
    assert data["cuda"]["loops"][0]["place"] == "small.py:107"
    wrong = CliRunner().invoke(app, ["inspect", str(path), "--provider", "tpu"])
    assert wrong.exit_code == 2 and "--provider is cuda, not tpu." in wrong.output


def test_a_model_whose_types_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    g = ONNXGraph()
    g.output("y", g.Add(g.input("x", F, (3,)), 1.0))
    model = g.to_model()
    model.graph.node[0].op_type = "Nothing"
    assert [one.why for one in placement_of(model, SourceMap({})).lacking] == ["there is no kernel"]

    def fails(proto: onnx.ModelProto) -> onnx.ModelProto:
        raise onnx.shape_inference.InferenceError("no\nat all")

    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", fails)
    with pytest.raises(InputError, match=r"The types of the model cannot be told: no$"):
        placement_of(model, SourceMap({}))


TABLE = """\
## Operators implemented by CUDAExecutionProvider

| Op Name | Parameters | OpSet Version | Types Supported |
|---------|------------|---------------|-----------------|
|**Operator Domain:** *ai.onnx*||||
|Abs|*in* X:**T**<br> *out* Y:**T**|13+|**T** = tensor(double), tensor(float)|
|||[6, 12]|**T** = tensor(float)<br/> **S** = seq(tensor(bool))|
|**Operator Domain:** *com.microsoft*||||
|Gelu|*in* X:**T**|1+|**T** = tensor(float)|

## Operators implemented by DmlExecutionProvider
"""
SOURCE = """\
ONNX_OPERATOR_VERSIONED_TYPED_KERNEL_EX(
    Abs, kOnnxDomain, 6, 12, float, kCudaExecutionProvider,
    (*KernelDefBuilder::Create()).InputMemoryType(OrtMemTypeCPUInput, 1)
        .OutputMemoryType(OrtMemTypeCPUInput, 0), Abs);
ONNX_OPERATOR_KERNEL_EX(LSTM, k, 7, (*KernelDefBuilder::Create())
    .InputMemoryType(OrtMemTypeCPUInput, RNN_Input_Index::sequence_lens));
"""


def test_the_table_is_read_from_the_sources(tmp_path: Path) -> None:
    assert kernels(TABLE) == {
        "Abs": [
            [13, None, {"T": ["tensor(double)", "tensor(float)"]}],
            [6, 12, {"T": ["tensor(float)"], "S": ["seq(tensor(bool))"]}],
        ]
    }
    (tmp_path / "abs.cc").write_text(SOURCE)
    assert on_cpu(tmp_path) == {"Abs": {"inputs": [1], "outputs": [0]}, "LSTM": {"inputs": [4]}}
    with pytest.raises(ValueError, match="no table"):
        kernels("")


def test_the_table_has_what_is_known() -> None:
    """Facts of the sources that the analysis rests on."""
    data = _data()
    assert data["cpu"]["Loop"] == {"inputs": [0, 1]} and data["cpu"]["If"] == {"inputs": [0]}
    assert data["cpu"]["Shape"] == {"outputs": [0]} and 1 in data["cpu"]["Reshape"]["inputs"]
    assert data["cpu"]["ReduceMax"] == {"inputs": [1]}
    assert len(data["kernels"]) > 140
    assert "tensor(int64)" not in data["kernels"]["MatMul"][0][2]["T"]


NUMBERS = """
    def forward(self, a, n, limit):
        x = a
        for i in range(n):
            x = 0.5 * (x + a / x)
        k = 0
        while k * k < limit:
            k += 1
        return x, k
"""


def copies(model: Any, kept: Any) -> list[int]:
    return [len(one.values) for one in placement_of(model.proto, model.source_map, kept).loops]


def test_loops_of_numbers_copy_nothing() -> None:
    chain = module_of(HEAD + NUMBERS, "newton.py")["Net"]()
    model = compile_model(chain, (2.0, 3, 40), verify=False)
    assert all(copies(model, ()))
    assert copies(model, kept_nodes(model.proto)) == [0, 0]


def test_a_decoder_copies_less_than_half() -> None:
    small = SMALL[-1]
    axes = small.dynamic_axes
    model = compile_model(small.build(), small.inputs[0], dynamic_axes=axes, verify=False)
    before, after = copies(model, ()), copies(model, kept_nodes(model.proto))
    assert len(before) == 2 and 2 * sum(after) < sum(before)
    parts = setting(model.proto).removeprefix("cpu(").removesuffix(")").split(", ")
    kept = kept_nodes(model.proto)
    for node in _nodes(model.proto.graph):  # the setting means these and no others
        assert any(part in node.name for part in parts) == (node.name in kept)


def _nodes(graph: onnx.GraphProto) -> Any:
    for node in graph.node:
        yield node
        for body in bodies(node).values():
            yield from _nodes(body)


def test_the_session_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """onnxruntime takes the setting; with the CUDA provider it is given."""
    chain = module_of(HEAD + NUMBERS, "told.py")["Net"]()
    model = compile_model(chain, (2.0, 3, 40), verify=False)
    told: dict[str, str] = {}

    class Options(onnxruntime.SessionOptions):  # type: ignore[misc]
        def add_session_config_entry(self, name: str, value: str) -> None:
            told[name] = value
            super().add_session_config_entry(name, value)

    monkeypatch.setattr(onnxruntime, "SessionOptions", Options)
    monkeypatch.setattr(sessions, "CUDA", "CPUExecutionProvider")
    assert model(2.0, 30, 40)[1] == 7
    assert told == {sessions.OPTION: setting(model.proto)} and setting(model.proto)
