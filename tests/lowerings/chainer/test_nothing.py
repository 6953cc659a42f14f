"""Sums over nothing and regions that are not there, which onnxruntime gets wrong by itself."""

from __future__ import annotations

from typing import Any

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, check, compiled, f32

SHAPES = [
    ((2, -1), (3, -1, 7)),
    ((-1,), (3, -1, 7)),
    ((3, 2, -1), (-1,)),
    ((3, 2, -1), (-1, 7)),
    ((1, 2, -1), (3, -1, 7)),
    ((2, 1, 2, -1), (1, 3, -1, 7)),
    ((3, 2, -1), (3, -1, 7)),
]


def product(self: Any, x: Any, y: Any) -> Any:
    return np.matmul(-x, -y) * 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_a_product_may_sum_nothing(shapes: Any, dtype: str) -> None:
    """Between products that sum something, as memory is used again."""
    inputs = [
        tuple((9 * f32(*(size if d < 0 else d for d in shape))).astype(dtype) for shape in shapes)
        for size in (5, 0, 1, 6, 0)
    ]
    axes = {n: {shape.index(-1): "size"} for n, shape in zip("xy", shapes, strict=True)}
    program = Program(product, inputs, axes)
    check(program, compiled(program))


TURNED = [
    ((2, -1, 3), (2, -1, 4), (0, 2, 1), (0, 1, 2)),
    ((2, -1, 3), (4, -1), (0, 2, 1), (1, 0)),
    ((2, 3, -1), (2, 4, -1), (0, 1, 2), (0, 2, 1)),
    ((2, 3, -1), (4, 2, -1), (0, 1, 2), (1, 2, 0)),
    ((-1, 2, 3), (2, -1, 4), (1, 2, 0), (0, 1, 2)),
    ((3, 2, -1), (2, -1, 4), (1, 0, 2), (0, 1, 2)),
    ((2, 5, -1, 3), (2, 5, -1, 4), (0, 1, 3, 2), (0, 1, 2, 3)),
    ((2, 3, 5, -1), (2, -1, 5, 4), (0, 2, 1, 3), (0, 2, 1, 3)),
]


@pytest.mark.parametrize("turned", TURNED, ids=str)
def test_a_product_of_turned_operands_may_sum_nothing(turned: Any) -> None:
    one, other, left, right = turned

    def forward(self: Any, x: Any, y: Any) -> Any:
        return F.matmul(F.transpose(-x, left), F.tanh(F.transpose(y, right)))

    shapes = (one, other)
    inputs = [
        tuple(f32(*(size if d < 0 else d for d in shape)) for shape in shapes)
        for size in (5, 0, 1, 6, 0)
    ]
    axes = {n: {shape.index(-1): "size"} for n, shape in zip("xy", shapes, strict=True)}
    program = Program(forward, inputs, axes)
    check(program, compiled(program))


def regions(self: Any, x: Any, r: Any, i: Any) -> Any:
    return (
        F.roi_average_align_2d(x, r, i, 2, 0.5, 2),
        F.roi_average_align_2d(x, r, i, 2, 0.5, (2, 1)),
        F.roi_average_align_2d(x, r, i, (2, 3), 0.5, None),
        F.roi_max_align_2d(x, r, i, 2, 0.5, 2),
        F.roi_max_align_2d(x, r, i, 2, 0.5, None),
        F.roi_average_pooling_2d(x, r, i, 2, 0.5),
        F.roi_max_pooling_2d(x, r, i, 2, 0.5),
    )


REGIONS = np.array([[0, 0, 6, 8], [1, 2, 5, 9]], np.float32)


def numbers(*values: int) -> Any:
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    "inputs",
    [
        (f32(2, 3, 5, 6), REGIONS, numbers(1, 0)),
        (f32(2, 3, 5, 6), REGIONS, numbers(-1, 0)),
        (f32(2, 3, 5, 6), REGIONS, numbers(2, 0)),
        (f32(2, 3, 5, 6), REGIONS, numbers(-3, 0)),
        (f32(2, 3, 5, 6), REGIONS[:0], numbers()),
        (f32(1, 3, 1, 9), 10 * REGIONS, numbers(0, 0)),
        (f32(2, 3, 5, 6), -REGIONS, numbers(1, 1)),
        (f32(2, 3, 5, 6), REGIONS * np.float32(np.nan), numbers(0, 1)),
    ],
)
def test_regions(inputs: Any, built: Any) -> None:
    check(Program(regions, [inputs]), built)


@pytest.fixture(scope="module")
def built() -> Any:
    axes = {"x": {0: "batch", 2: "height", 3: "width"}, "r": {0: "count"}, "i": {0: "count"}}
    return compiled(Program(regions, [(f32(2, 3, 5, 6), REGIONS, numbers(0, 1))], axes))
