"""Attributes of nodes that are known only when the model runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainer.functions as F
import numpy as np
import onnxruntime
import pytest

from elichika.registry import lowering_of
from elichika.values.symbolic import Scalar
from elichika.walker.walker import Walker
from onnx_graph import Dim, ONNXGraph, dims_of
from tests.lowerings.chainer.alone import record
from tests.lowerings.chainer.cases import f32


def size(g: ONNXGraph, dim: Any) -> Scalar:
    return Scalar(int, dim=dim, graph=g)


ATTRIBUTES: list[tuple[str, tuple[int, ...], tuple[int, ...], Callable[..., Any]]] = [
    ("F.reshape(x, (x.shape[0], -1))", (2, 3, 4), (5, 3, 2), lambda s: {"shape": (s[0], -1)}),
    (
        "F.reshape(x, (x.shape[0] * x.shape[1], x.shape[2]))",
        (2, 3, 4),
        (0, 3, 2),
        lambda s: {"shape": (s[0], s[1], s[2]), "merge": True},
    ),
    ("F.broadcast_to(x, (3, *x.shape))", (2, 1), (4, 5), lambda s: {"_shape": (3, s[0], s[1])}),
    ("x + x.shape[0]", (2, 3), (5, 3), lambda s: {"value": s[0]}),
    ("x * float(x.shape[1])", (2, 3), (5, 4), lambda s: {"value": s[1]}),
    (
        "F.average_pooling_2d(x, x.shape[2:])",
        (1, 2, 3, 4),
        (2, 2, 5, 1),
        lambda s: {"kh": s[2], "kw": s[3], "sy": s[2], "sx": s[3]},
    ),
    (
        "F.max_pooling_2d(x, x.shape[2:])",
        (1, 2, 3, 4),
        (2, 2, 5, 1),
        lambda s: {"ksize": (s[2], s[3]), "stride": (s[2], s[3])},
    ),
    (
        "F.resize_images(x, (x.shape[3], x.shape[2]))",
        (1, 2, 3, 4),
        (2, 2, 5, 1),
        lambda s: {"out_H": s[3], "out_W": s[2]},
    ),
    (
        "F.unpooling_2d(x, 2, outsize=(2 * x.shape[2], 4))",
        (1, 2, 3, 2),
        (2, 2, 5, 2),
        lambda s: {"outh": s[2], "double": True},
    ),
    ("F.pad_sequence((x,), x.shape[0])", (3, 2), (5, 2), lambda s: {"length": s[0]}),
    ("F.split_axis(x, [2, x.shape[1]], 1)", (3, 4), (2, 5), lambda s: {"indices": [2, s[1]]}),
    (
        "F.get_item(x, slice(0, x.shape[1]))",
        (3, 4),
        (5, 2),
        lambda s: {"slices": (slice(0, s[1]),)},
    ),
]


@pytest.mark.parametrize(("expression", "example", "other", "attributes"), ATTRIBUTES)
def test_symbolic_attributes(
    expression: str,
    example: tuple[int, ...],
    other: tuple[int, ...],
    attributes: Callable[..., dict[str, Any]],
) -> None:
    assert F is not None
    (call,) = record(expression, {"x": f32(*example)})
    g = ONNXGraph()
    x = g.input("x", np.float32, [f"s{axis}" for axis in range(len(example))])
    dims = dims_of(x)
    changed = attributes([size(g, dim) for dim in dims])
    if changed.pop("merge", False):
        changed["shape"] = (size(g, dims[0] * dims[1]), size(g, dims[2]))
    if changed.pop("double", False):
        assert isinstance(dims[2], Dim)
        changed["outh"] = size(g, dims[2] * 2)
    for name, value in changed.items():
        setattr(call.node, name, value)
    lowering = lowering_of(type(call.node))
    assert lowering is not None
    results = lowering(Walker(g, {}, None), call.node, x)
    results = results if isinstance(results, tuple) else (results,)
    for index, result in enumerate(results):
        g.output(f"o{index}", result)
    session = onnxruntime.InferenceSession(
        g.to_model().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for shape in (example, other):
        (expected,) = record(expression, {"x": f32(*shape)})
        actual = session.run(None, {"x": f32(*shape)})
        assert len(actual) == len(expected.outputs)
        for one, two in zip(actual, expected.outputs, strict=True):
            assert two is not None and one.shape == two.shape
            np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)
