"""Inputs that eager Chainer refuses make the model fail, at sizes it was not compiled for."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as ort

from tests.lowerings.chainer.alone import build, record
from tests.lowerings.chainer.cases import Case, alone, as_dtype, f32, i32, weight
from tests.lowerings.chainer.table import alone_id

FAILURES = [
    alone("F.max(x, axis=1)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    alone("F.mean(x, axis=1)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    alone("F.mean(x)", x=f32(2, 3), others=[{"x": f32(0, 3)}]),
    alone("F.argmax(x, axis=1)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    alone("F.logsumexp(x)", x=f32(2, 3), others=[{"x": f32(0, 3)}]),
    alone("F.softmax(x)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    alone("F.log_softmax(x)", x=f32(2, 3), others=[{"x": f32(2, 0)}]),
    alone("x + y", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(3, 3)}]),
    alone("F.squared_error(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(1, 3)}]),
    alone(
        "F.mean_squared_error(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"y": f32(2, 1)}]
    ),
    alone("F.select_item(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": i32(1)}]),
    alone("F.softmax_cross_entropy(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": i32(1)}]),
    alone(
        "F.softmax_cross_entropy(x, t)",
        x=f32(2, 3),
        t=i32(2),
        others=[{"t": np.array([0, 3], "i")}],
    ),
    alone("F.hinge(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": np.array([0, 3], "i")}]),
    alone("F.embed_id(x, self.W)", x=i32(2), W=weight(3, 4), others=[{"x": np.array([3], "i")}]),
    alone("F.precision(x, t)", x=f32(2, 3), t=i32(2), others=[{"t": np.array([0, -2], "i")}]),
    alone("F.recall(x, t, 3)", x=f32(2, 3), t=i32(2), others=[{"t": np.array([-3, 1], "i")}]),
    alone(
        "F.f1_score(x, t, ignore_label=1)",
        x=f32(2, 3),
        t=i32(2),
        others=[{"t": np.array([-1, 1], "i")}],
    ),
    alone("F.broadcast_to(x, (2, 3))", x=f32(1, 3), others=[{"x": f32(3, 3)}]),
    alone("F.broadcast_to(x, (2, 1))", x=f32(1, 1), others=[{"x": f32(2, 3)}]),
    alone("F.split_axis(x, 2, 0)", x=f32(4, 3), others=[{"x": f32(5, 3)}]),
    alone("F.split_axis(x, [2], 0)", x=f32(4, 3), others=[{"x": f32(1, 3)}]),
    alone("F.reshape(x, (2, 6))", x=f32(3, 4), others=[{"x": f32(3, 3)}]),
    alone("F.concat((x, y))", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(1, 3)}]),
    alone("F.stack((x, y))", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(2, 1)}]),
    alone("F.squeeze(x, axis=0)", x=f32(1, 3), others=[{"x": f32(2, 3)}]),
    alone("F.repeat(x, (1, 2), axis=0)", x=f32(2, 3), others=[{"x": f32(3, 3)}]),
    alone("F.pad_sequence((x, y), 3)", x=f32(2), y=f32(3, seed=1), others=[{"x": f32(4)}]),
    alone("F.matmul(x, y)", x=f32(2, 3), y=f32(3, 4, seed=1), others=[{"x": f32(2, 2)}]),
    alone("F.tensordot(x, y, 1)", x=f32(2, 3), y=f32(3, 4, seed=1), others=[{"x": f32(2, 2)}]),
    alone(
        "F.einsum('ij,ij->i', x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(1, 3)}]
    ),
    alone(
        "F.einsum('ij,ij->i', x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(2, 1)}]
    ),
    alone("F.linear(x, self.W)", x=f32(2, 3), W=weight(4, 3), others=[{"x": f32(2, 4)}]),
    alone("F.lstm(c, x)", c=f32(2, 3), x=f32(2, 12), others=[{"x": f32(3, 12)}]),
    alone("F.lstm(c, x)", c=f32(2, 3, 5), x=f32(2, 12, 5), others=[{"c": f32(2, 3, 1)}]),
    alone(
        "F.bilinear(x, y, self.W)",
        x=f32(2, 3),
        y=f32(2, 4),
        W=weight(3, 4, 5),
        dtypes=("float32",),
        others=[{"x": f32(1, 3)}],
    ),
    alone(
        "F.contrastive(x, y, t)",
        x=f32(2, 3),
        y=f32(2, 3, seed=1),
        t=i32(2, high=2),
        others=[{"x": f32(0, 3), "y": f32(0, 3), "t": i32(0)}],
    ),
    alone(
        "F.triplet(x, y, z)",
        x=f32(2, 3),
        y=f32(2, 3, seed=1),
        z=f32(2, 3, seed=2),
        others=[{k: f32(0, 3) for k in "xyz"}],
    ),
    alone("F.shift(x, ksize=3)", x=f32(1, 9, 4, 4), others=[{"x": f32(1, 8, 4, 4)}]),
    alone(
        "F.resize_images(x, (3, 4))",
        x=f32(1, 2, 4, 4),
        dtypes=("float32",),
        others=[{"x": f32(0, 2, 4, 4)}],
    ),
    alone(
        "F.softmax_cross_entropy(x, t, class_weight=np.ones(4, x.dtype))",
        x=f32(5, 4),
        t=np.zeros(5, "i"),
        others=[{"x": f32(5, 1)}],
    ),
    alone("F.lstm(c, x)", c=f32(2, 3), x=f32(2, 12), others=[{"x": f32(2, 16)}]),
    alone(
        "F.slstm(c, c, x, y)",
        c=f32(2, 3),
        x=f32(2, 12),
        y=f32(2, 12, seed=1),
        others=[{"x": f32(1, 12)}],
    ),
    alone("F.max_pooling_2d(x, 3)", x=f32(1, 2, 7, 7), others=[{"x": f32(0, 2, 7, 7)}]),
    alone(
        "F.max_pooling_2d(x, 3, stride=2, cover_all=False)",
        x=f32(1, 2, 7, 7),
        others=[{"x": f32(1, 2, 2, 7)}, {"x": f32(1, 2, 7, 1)}],
    ),
    alone(
        "F.average_pooling_2d(x, 3, stride=2)",
        x=f32(1, 2, 7, 7),
        others=[{"x": f32(1, 2, 2, 7)}, {"x": f32(1, 2, 7, 1)}, {"x": f32(1, 2, 0, 7)}],
    ),
    alone(
        "F.convolution_2d(x, self.W, stride=2)",
        x=f32(1, 2, 7, 7),
        W=weight(3, 2, 3, 3),
        others=[{"x": f32(1, 2, 2, 7)}, {"x": f32(1, 2, 7, 1)}, {"x": f32(1, 2, 0, 7)}],
    ),
    alone(
        "F.convolution_2d(x, self.W, stride=2, pad=1)",
        x=f32(1, 2, 7, 7),
        W=weight(3, 2, 3, 3),
        others=[{"x": f32(1, 2, 0, 7)}, {"x": f32(1, 3, 7, 7)}],
    ),
    alone(
        "F.deconvolution_2d(x, self.W, stride=2, outsize=(8, 8))",
        x=f32(1, 2, 3, 3),
        W=weight(2, 3, 3, 3),
        others=[{"x": f32(1, 2, 2, 3)}, {"x": f32(1, 2, 3, 5)}],
    ),
    alone(
        "F.unpooling_2d(x, 2, outsize=(4, 4))", x=f32(1, 2, 2, 2), others=[{"x": f32(1, 2, 3, 2)}]
    ),
    alone("x[3]", x=f32(4, 2), others=[{"x": f32(3, 2)}]),
    alone("F.batch_det(x)", x=f32(2, 3, 3), symbolic=False, others=[{"x": f32(2, 3, 2)}]),
    alone("F.prelu(x, self.W)", x=f32(2, 3), W=weight(3), others=[{"x": f32(2, 2)}]),
    alone("F.prelu(x, self.W)", x=f32(2, 1), W=weight(1), others=[{"x": f32(2, 2)}]),
    alone("F.swish(x, self.W)", x=f32(2, 1), W=weight(1), others=[{"x": f32(2, 2)}]),
    alone(
        "F.layer_normalization(x, self.y, self.y)",
        x=f32(2, 3),
        y=weight(3),
        others=[{"x": f32(2, 2)}],
    ),
    alone(
        "F.fixed_batch_normalization(x, self.y, self.y, self.y, self.y)",
        x=f32(2, 1, 3),
        y=weight(1, low=1),
        others=[{"x": f32(2, 2, 3)}],
    ),
    alone(
        "F.batch_normalization(x, self.y, self.y)",
        x=f32(2, 1, 3),
        y=weight(1),
        others=[{"x": f32(2, 2, 3)}],
    ),
    alone(
        "F.group_normalization(x, 1, self.y, self.y)",
        x=f32(2, 1, 3),
        y=weight(1),
        others=[{"x": f32(2, 2, 3)}],
    ),
    alone("F.depth2space(x, 2)", x=f32(1, 4, 2, 2), others=[{"x": f32(1, 6, 2, 2)}]),
    alone("F.space2depth(x, 2)", x=f32(1, 1, 4, 4), others=[{"x": f32(1, 1, 5, 4)}]),
    alone("F.maximum(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1), others=[{"x": f32(3, 3)}]),
    alone(
        "F.inv(x)",
        x=f32(2, 2) + np.eye(2, dtype="f"),
        symbolic=False,
        others=[{"x": np.ones((2, 2), "f")}],
    ),
]


PARAMETERS = [
    pytest.param(failing, dtype, id=f"{alone_id(failing, failing.expressions[0])}-{dtype}")
    for failing in FAILURES
    for dtype in ("float32", "float64")
    if dtype in failing.dtypes
]


@pytest.mark.parametrize(("failing", "dtype"), PARAMETERS)
def test_refused_inputs_fail(failing: Case, dtype: str) -> None:
    (expression,) = failing.expressions
    example, attributes = failing.converted(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (call,) = record(expression, example, attributes)
        built = build(call, symbolic=failing.symbolic)
        for other in failing.others:
            bad = example | {name: as_dtype(array, dtype) for name, array in other.items()}
            with pytest.raises(Exception) as refused:
                record(expression, bad, attributes)
            assert not isinstance(refused.value, NameError)
            feeds = {}
            for name, array in zip(built.feeds, call.inputs, strict=True):
                if name:
                    matches = [n for n in example if np.array_equal(example[n], array)]
                    feeds[name] = np.asarray(bad[matches[0]] if matches else array)
            with pytest.raises((ort.Fail, ort.InvalidArgument, ort.RuntimeException)):
                built.session.run(None, feeds)
