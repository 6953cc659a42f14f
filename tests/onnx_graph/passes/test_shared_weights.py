"""Weights that several products turn: onnxruntime's quantizer would turn them once for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import quantize_dynamic

from onnx_graph import ONNXGraph, Value, export
from onnx_graph.passes import shared_weights
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import check

F, I64 = np.float32, np.int64
X = [{"x": np.full((n, 3), 0.5, F)} for n in (0, 1, 4)]


def weight(rows: int, columns: int) -> Any:
    return np.random.default_rng(rows).standard_normal((rows, columns)).astype(F)


def test_text() -> None:
    def build(g: ONNXGraph) -> None:
        x, w = g.input("x", F, ("n", 3)), g.initializer("W", weight(2, 3))
        g.output("y", g.Add(g.Gemm(x, w, transB=1), g.Gemm(g.Neg(x), w, transB=1)))

    before = """
    W: float[2, 3] = initializer
    gemm_1: float[n, 2] = Gemm<transB=1>(x, W)
    neg_1: float[n, 3] = Neg(x)
    gemm_2: float[n, 2] = Gemm<transB=1>(neg_1, W)
    y: float[n, 2] = Add(gemm_1, gemm_2)
    """
    after = before.replace("<transB=1>", "").replace("W", "W.T").replace("[2, 3]", "[3, 2]")
    check(shared_weights, build, before, after, X)


def test_text_where_it_is_read_in_another_way() -> None:
    def build(g: ONNXGraph) -> None:
        x, w = g.input("x", F, ("n", 3)), g.initializer("W", weight(2, 3))
        g.output("y", g.Gemm(x, w, transB=1))
        g.output("z", g.Gather(w, 1))

    before = """
    W: float[2, 3] = initializer
    y: float[n, 2] = Gemm<transB=1>(x, W)
    z: float[3] = Gather(W, 1)
    """
    after = """
    W: float[2, 3] = initializer
    transpose_1: float[3, 2] = Transpose<perm=(1, 0)>(W)
    y: float[n, 2] = Gemm(x, transpose_1)
    z: float[3] = Gather(W, 1)
    """
    check(shared_weights, build, before, after, X)


def test_what_one_product_reads_stays() -> None:
    g = ONNXGraph()
    x = g.input("x", F, ("n", 3))
    g.output("y", g.Gemm(g.Gemm(x, g.initializer("V", weight(3, 3)), transB=1), weight(3, 3)))
    assert shared_weights.run(g) == 0
    assert next(iter(g.main.graph.initializers)) == "V"


def once(g: ONNXGraph, x: Value, w: Value) -> Value:
    return g.Gemm(x, w, transB=1)


def twice(g: ONNXGraph, x: Value, w: Value) -> Value:
    return g.Gemm(g.Gemm(x, w, transB=1), w, transB=1)


def embedded(g: ONNXGraph, x: Value, w: Value) -> Value:
    return g.Add(g.Gemm(x, w, transB=1), g.Gather(w, 0))


def in_a_loop(g: ONNXGraph, x: Value, w: Value) -> Value:
    body = g.body("turn", loop=True)
    with body:
        h = body.input(F, ("n", 3), "h")
        end = g.Add(g.Gemm(h, w, transB=1), g.Gemm(g.Neg(h), w, transB=1))
    return g.Loop(2, None, body, [g.Gemm(x, w, transB=1)], carried=[end])[0]


@pytest.mark.parametrize("use", [once, twice, embedded, in_a_loop])
def test_quantized(use: Any, tmp_path: Path) -> None:
    """The quantized model of a square weight: it would load, and be wrong."""
    g, array = ONNXGraph(), weight(3, 3)
    g.output("y", use(g, g.input("x", F, ("n", 3)), g.initializer("W", array)))
    g.optimize()
    export.save(g, tmp_path / "m.onnx")
    quantize_dynamic(tmp_path / "m.onnx", tmp_path / "q.onnx", extra_options={"EnableSubgraph": 1})
    plain = session((tmp_path / "m.onnx").read_bytes())
    quantized = session((tmp_path / "q.onnx").read_bytes())
    for feeds in X:
        want, found = plain.run(None, feeds)[0], quantized.run(None, feeds)[0]
        np.testing.assert_allclose(found, want, atol=0.1 * np.abs(want).max(initial=1))
    if use is not embedded:
        operators = onnx.load(tmp_path / "q.onnx").SerializeToString()
        assert b"MatMulInteger" in operators
