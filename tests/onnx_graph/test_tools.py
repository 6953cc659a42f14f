"""What tools expect of a file: which types are listed, and a bound for each Loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.quantization import quantize_dynamic

from onnx_graph import ONNXGraph, export
from onnx_graph.tools import MOST_TURNS
from tests.onnx_graph.claims import session

F = np.float32


def product(g: ONNXGraph) -> None:
    x = g.input("x", F, ("n", 40))
    weight = np.random.default_rng(0).standard_normal((5, 40)).astype(F)
    g.output("y", g.Gemm(x, g.initializer("W", weight), np.zeros(5, F), transB=1))


def unbounded(g: ONNXGraph) -> None:
    """Adds 1 until the sum is above 9, and collects what there was in a list."""
    x = g.input("x", F, (3,))
    body = g.body("turn", loop=True)
    with body:
        h, items = body.input(F, (3,), "h"), body.sequence_input(F, (3,), "items")
        more = g.Less(g.ReduceSum(h, keepdims=0), 9.0)
        ends = [g.Add(h, 1), g.SequenceInsert(items, h)]
    start = g.Less(g.ReduceSum(x, keepdims=0), 9.0)
    empty = g.SequenceErase(g.SequenceConstruct(x), 0)
    h, items = g.Loop(None, start, body, [x, empty], cond_out=more, carried=ends)
    g.output("y", h)
    g.output("length", g.SequenceLength(items))


def saved(build: object, path: Path, limit: int = 2**31 - 1) -> onnx.ModelProto:
    g = ONNXGraph()
    build(g)  # type: ignore[operator]
    export.save(g, path, limit=limit)
    return onnx.load(path)


@pytest.mark.parametrize("build", [product, unbounded])
@pytest.mark.parametrize("limit", [100, 2**31 - 1])
def test_listed_types(build: object, limit: int, tmp_path: Path) -> None:
    model = saved(build, tmp_path / "m.onnx", limit)
    parameters = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.value_info:
        assert value.name not in parameters
        assert value.type.HasField("tensor_type")


def test_a_loop_without_a_bound(tmp_path: Path) -> None:
    model = saved(unbounded, tmp_path / "m.onnx")
    (loop,) = (node for node in model.graph.node if node.op_type == "Loop")
    assert loop.input[0] == MOST_TURNS
    run = session((tmp_path / "m.onnx").read_bytes())
    for start, turns in ((5.0, 0), (2.0, 2), (-1.0, 5)):
        y, length = run.run(None, {"x": np.full(3, start, F)})
        assert y.tolist() == [start + turns] * 3
        assert length == turns


def empties(g: ONNXGraph) -> None:
    """Gives rows, or none; the sizes of a number are no numbers."""
    x = g.input("x", F, ("n", 3))
    rows, none = g.body("rows"), g.body("none")
    with rows:
        some = g.Identity(x)
    with none:
        nothing = g.Identity(np.zeros((0, 3), F))
    any_above = g.Greater(g.ReduceMax(x, keepdims=0), 0.0)
    chosen = g.If(any_above, rows, [some], none, [nothing])[0]
    g.output("y", g.ArgMax(chosen, axis=1, keepdims=0))
    g.output("z", g.Reshape(g.ReduceSum(x), np.zeros(0, np.int64)))


def test_what_has_no_elements_is_made_by_a_node(tmp_path: Path) -> None:
    """OpenVINO takes such a tensor of a file for the number 0, which has no axes."""
    openvino = pytest.importorskip("openvino")
    model = saved(empties, tmp_path / "m.onnx")
    assert [list(one.dims) for one in model.graph.initializer if 0 in one.dims] == [[0]]
    compiled = openvino.Core().compile_model(tmp_path / "m.onnx", "CPU")
    run = session((tmp_path / "m.onnx").read_bytes())
    for sign in (1, -1):
        x = np.arange(1, 7, dtype=F).reshape(2, 3) * sign
        for want, found in zip(run.run(None, {"x": x}), compiled(x).values(), strict=True):
            np.testing.assert_array_equal(found, want)
            assert found.shape == want.shape


def tied(g: ONNXGraph) -> None:
    """Doubles what is positive, in a branch; fails for what is not."""
    x = g.input("x", F, ("n", 3))
    token = g.check(g.Greater(g.ReduceMin(x, keepdims=0), 0.0), "not positive")
    more, less = g.body("more"), g.body("less")
    with more:
        doubled = g.Mul(g.tie(x, token), 2.0)
    with less:
        tripled = g.Mul(g.tie(x, token), 3.0)
    above = g.Greater(g.ReduceMax(x, keepdims=0), 9.0)
    g.output("y", g.If(above, more, [doubled], less, [tripled])[0])
    g.output("z", g.Identity(g.Add(g.tie(g.Neg(x), token), x)))


def test_what_a_check_is_tied_to_is_listed_without_its_sizes(tmp_path: Path) -> None:
    """Else simplifiers leave out the Reshape, and the check with it."""
    onnxsim = pytest.importorskip("onnxsim")
    model = saved(tied, tmp_path / "m.onnx")
    scopes = [model.graph, *(a.g for n in model.graph.node for a in n.attribute if a.HasField("g"))]
    reshapes = [node.output[0] for g in scopes for node in g.node if node.op_type == "Reshape"]
    listed = {value.name: value.type.tensor_type for g in scopes for value in g.value_info}
    assert len(reshapes) > 1
    for name in reshapes:
        assert [dim.WhichOneof("value") for dim in listed[name].shape.dim] == [None, None]
    simple, _ = onnxsim.simplify(model)
    x = np.arange(1, 7, dtype=F).reshape(2, 3)
    run = session(simple.SerializeToString())
    np.testing.assert_array_equal(run.run(None, {"x": x})[0], x * 3)
    with pytest.raises(Exception, match="not positive"):
        run.run(None, {"x": x - 4})


def test_a_product_is_quantized(tmp_path: Path) -> None:
    """The quantizer turns the weight, and reads the types of the file afterwards."""
    saved(product, tmp_path / "m.onnx")
    quantize_dynamic(tmp_path / "m.onnx", tmp_path / "q.onnx")
    x = np.random.default_rng(1).standard_normal((7, 40)).astype(F)
    want, found = (
        onnxruntime.InferenceSession(tmp_path / name).run(None, {"x": x})[0]
        for name in ("m.onnx", "q.onnx")
    )
    assert 0 < np.abs(want - found).max() < 0.05 * np.abs(want).max()
