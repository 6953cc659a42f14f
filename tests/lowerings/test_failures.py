"""Inputs that eager Chainer refuses make the model fail, at sizes it was not compiled for."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as ort

from tests.lowerings.cases import case, const, f32, i32
from tests.lowerings.harness import Case, build, record

FAILURES = [
    case("F.max(x, axis=1)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    case("F.mean(x, axis=1)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    case("F.mean(x)", x=f32(2, 3), others=[{"x": f32(0, 3)}]),
    case("F.argmax(x, axis=1)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    case("F.logsumexp(x)", x=f32(2, 3), others=[{"x": f32(0, 3)}]),
    case("F.softmax(x)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    case("F.log_softmax(x)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    case("x + y", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(3, 3)}]),
    case("F.squared_error(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(1, 3)}]),
    case("F.mean_squared_error(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"y": f32(2, 1)}]),
    case("F.select_item(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": i32(1)}]),
    case("F.softmax_cross_entropy(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": i32(1)}]),
    case(
        "F.softmax_cross_entropy(x, t)",
        x=f32(2, 3),
        t=i32(2),
        others=[{"t": np.array([0, 3], "i")}],
    ),
    case("F.hinge(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": np.array([0, 3], "i")}]),
    case("F.embed_id(x, W)", x=i32(2), W=const(f32(3, 4)), others=[{"x": np.array([3], "i")}]),
    case("F.broadcast_to(x, (2, 3))", x=f32(1, 3), others=[{"x": f32(3, 3)}]),
    case("F.broadcast_to(x, (2, 1))", x=f32(1, 1), others=[{"x": f32(2, 3)}]),
    case("F.split_axis(x, 2, 0)", x=f32(4, 3), others=[{"x": f32(5, 3)}]),
    case("F.split_axis(x, [2], 0)", x=f32(4, 3), others=[{"x": f32(1, 3)}]),
    case("F.reshape(x, (2, 6))", x=f32(3, 4), others=[{"x": f32(3, 3)}]),
    case("F.concat((x, y))", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(1, 3)}]),
    case("F.stack((x, y))", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(2, 1)}]),
    case("F.squeeze(x, axis=0)", x=f32(1, 3), others=[{"x": f32(2, 3)}]),
    case("F.repeat(x, (1, 2), axis=0)", x=f32(2, 3), others=[{"x": f32(3, 3)}]),
    case("F.pad_sequence((x, y), 3)", x=f32(2), y=f32(3, seed=1), others=[{"x": f32(4)}]),
    case("F.matmul(x, y)", x=f32(2, 3), y=f32(3, 4, seed=1), others=[{"x": f32(2, 2)}]),
    case("F.tensordot(x, y, 1)", x=f32(2, 3), y=f32(3, 4, seed=1), others=[{"x": f32(2, 2)}]),
    case("F.einsum('ij,ij->i', x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(1, 3)}]),
    case("F.einsum('ij,ij->i', x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(2, 1)}]),
    case("F.linear(x, W)", x=f32(2, 3), W=const(f32(4, 3)), others=[{"x": f32(2, 4)}]),
    case("F.lstm(c, x)", c=f32(2, 3), x=f32(2, 12), others=[{"x": f32(3, 12)}]),
    case("F.lstm(c, x)", c=f32(2, 3, 5), x=f32(2, 12, 5), others=[{"c": f32(2, 3, 1)}]),
    case(
        "F.bilinear(x, y, W)",
        x=f32(2, 3),
        y=f32(2, 4),
        W=const(f32(3, 4, 5)),
        dtypes=("float32",),
        others=[{"x": f32(1, 3)}],
    ),
    case(
        "F.contrastive(x, y, t)",
        x=f32(2, 3),
        y=f32(2, 3, seed=1),
        t=i32(2, high=2),
        others=[{"x": f32(0, 3), "y": f32(0, 3), "t": i32(0)}],
    ),
    case(
        "F.triplet(x, y, z)",
        x=f32(2, 3),
        y=f32(2, 3, seed=1),
        z=f32(2, 3, seed=2),
        others=[{k: f32(0, 3) for k in "xyz"}],
    ),
    case("F.shift(x, ksize=3)", x=f32(1, 9, 4, 4), others=[{"x": f32(1, 8, 4, 4)}]),
    case(
        "F.resize_images(x, (3, 4))",
        x=f32(1, 2, 4, 4),
        dtypes=("float32",),
        others=[{"x": f32(0, 2, 4, 4)}],
    ),
    case(
        "F.softmax_cross_entropy(x, t, class_weight=np.ones(4, x.dtype))",
        x=f32(5, 4),
        t=np.zeros(5, "i"),
        others=[{"x": f32(5, 1)}],
    ),
    case("F.lstm(c, x)", c=f32(2, 3), x=f32(2, 12), others=[{"x": f32(2, 16)}]),
    case(
        "F.slstm(c, c, x, y)",
        c=f32(2, 3),
        x=f32(2, 12),
        y=f32(2, 12, seed=1),
        others=[{"x": f32(1, 12)}],
    ),
    case("F.max_pooling_2d(x, 3)", x=f32(1, 2, 7, 7), others=[{"x": f32(0, 2, 7, 7)}]),
    case(
        "F.max_pooling_2d(x, 3, stride=2, cover_all=False)",
        x=f32(1, 2, 7, 7),
        others=[{"x": f32(1, 2, 2, 7)}, {"x": f32(1, 2, 7, 1)}],
    ),
    case(
        "F.average_pooling_2d(x, 3, stride=2)",
        x=f32(1, 2, 7, 7),
        others=[{"x": f32(1, 2, 2, 7)}, {"x": f32(1, 2, 7, 1)}, {"x": f32(1, 2, 0, 7)}],
    ),
    case(
        "F.convolution_2d(x, W, stride=2)",
        x=f32(1, 2, 7, 7),
        W=const(f32(3, 2, 3, 3)),
        others=[{"x": f32(1, 2, 2, 7)}, {"x": f32(1, 2, 7, 1)}, {"x": f32(1, 2, 0, 7)}],
    ),
    case(
        "F.convolution_2d(x, W, stride=2, pad=1)",
        x=f32(1, 2, 7, 7),
        W=const(f32(3, 2, 3, 3)),
        others=[{"x": f32(1, 2, 0, 7)}, {"x": f32(1, 3, 7, 7)}],
    ),
    case(
        "F.deconvolution_2d(x, W, stride=2, outsize=(8, 8))",
        x=f32(1, 2, 3, 3),
        W=const(f32(2, 3, 3, 3)),
        others=[{"x": f32(1, 2, 2, 3)}, {"x": f32(1, 2, 3, 5)}],
    ),
    case(
        "F.unpooling_2d(x, 2, outsize=(4, 4))", x=f32(1, 2, 2, 2), others=[{"x": f32(1, 2, 3, 2)}]
    ),
    case("x[3]", x=f32(4, 2), others=[{"x": f32(3, 2)}]),
    case("F.batch_det(x)", x=f32(2, 3, 3), symbolic=False, others=[{"x": f32(2, 3, 2)}]),
    case("F.prelu(x, W)", x=f32(2, 3), W=const(f32(3)), others=[{"x": f32(2, 2)}]),
    case("F.prelu(x, W)", x=f32(2, 1), W=const(f32(1)), others=[{"x": f32(2, 2)}]),
    case("F.swish(x, W)", x=f32(2, 1), W=const(f32(1)), others=[{"x": f32(2, 2)}]),
    case("F.layer_normalization(x, y, y)", x=f32(2, 3), y=const(f32(3)), others=[{"x": f32(2, 2)}]),
    case(
        "F.fixed_batch_normalization(x, y, y, y, y)",
        x=f32(2, 1, 3),
        y=const(f32(1, low=1)),
        others=[{"x": f32(2, 2, 3)}],
    ),
    case(
        "F.batch_normalization(x, y, y)",
        x=f32(2, 1, 3),
        y=const(f32(1)),
        others=[{"x": f32(2, 2, 3)}],
    ),
    case(
        "F.group_normalization(x, 1, y, y)",
        x=f32(2, 1, 3),
        y=const(f32(1)),
        others=[{"x": f32(2, 2, 3)}],
    ),
    case("F.depth2space(x, 2)", x=f32(1, 4, 2, 2), others=[{"x": f32(1, 6, 2, 2)}]),
    case("F.space2depth(x, 2)", x=f32(1, 1, 4, 4), others=[{"x": f32(1, 1, 5, 4)}]),
    case("F.maximum(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(3, 3)}]),
    case(
        "F.inv(x)",
        x=f32(2, 2) + np.eye(2, dtype="f"),
        symbolic=False,
        others=[{"x": np.ones((2, 2), "f")}],
    ),
]


PARAMETERS = [
    pytest.param(failing, dtype, id=f"{failing.id}-{dtype}")
    for failing in FAILURES
    for dtype in ("float32", "float64")
    if dtype in failing.dtypes
]


@pytest.mark.parametrize(("failing", "dtype"), PARAMETERS)
def test_refused_inputs_fail(failing: Case, dtype: str) -> None:
    def arrays(other: dict[str, np.ndarray]) -> dict[str, object]:
        every = failing.inputs | other
        return {
            n: a.astype(dtype) if getattr(a, "dtype", "") == "f4" else a for n, a in every.items()
        }

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        example = arrays({})
        for name, value in list(example.items()):
            inner = getattr(value, "array", None)
            if inner is not None and inner.dtype == np.float32:
                example[name] = const(inner.astype(dtype))
        (call,) = record(failing, example, {})
        built = build(call, symbolic=failing.symbolic)
        names = [n for n in example if isinstance(example[n], np.ndarray)]
        for other in failing.others:
            bad = example | {n: a for n, a in arrays(dict(other)).items() if n in other}
            with pytest.raises(Exception) as refused:
                record(failing, bad, {})
            assert not isinstance(refused.value, NameError)
            feeds = {}
            for name, array, example_array in zip(
                built.feeds, call.inputs, call.inputs, strict=True
            ):
                if name:
                    matches = [n for n in names if np.array_equal(example[n], example_array)]
                    feeds[name] = np.asarray(bad[matches[0]] if matches else array)
            with pytest.raises((ort.Fail, ort.InvalidArgument, ort.RuntimeException)):
                built.session.run(None, feeds)
