"""`chainer.utils.conv` and `conv_nd`: windows as columns, and columns as images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chainer.utils import conv, conv_nd

from tests.programs import Program, f32
from tests.table import Table, hold

#: Images of dynamic size, and a number.
INPUTS = [
    (f32(2, 3, 7, 6), 5),
    (f32(1, 1, 4, 9), 4),
    (f32(3, 2, 5, 5, seed=1), 8),
    (f32(0, 2, 6, 6), 6),
    (f32(2, 2, 3, 3), 3),
    (f32(2, 2, 1, 3), 3),
]
AXES = {"x": {0: "n", 1: "c", 2: "h", 3: "w"}}
case = Table(INPUTS, AXES)


@case()
def sizes(self: Any, x: Any, n: Any) -> Any:
    found = [conv.get_conv_outsize(size, 3, 2, 1) for size in x.shape[2:]]
    covered = conv.get_conv_outsize(n, 3, 2, 1, cover_all=True, d=2)
    return found, covered, conv.get_deconv_outsize(n, 2, 3, 1, True)


@case()
def columns(self: Any, x: Any, n: Any) -> Any:
    return conv.im2col_cpu(x, 3, 2, 2, 1, 1, 0), conv.im2col(x, 2, 2, 1, 2, 1, 1, dy=2)


@case()
def columns_that_cover_all(self: Any, x: Any, n: Any) -> Any:
    return conv.im2col_cpu(x, 2, 3, 3, 2, 1, 2, pval=-np.inf, cover_all=True)


@case()
def columns_that_may_cover_all(self: Any, x: Any, n: Any) -> Any:
    return conv.im2col_cpu(x, 2, 3, 3, 2, 1, 2, cover_all=n > 4)


@case()
def columns_along_any_axes(self: Any, x: Any, n: Any) -> Any:
    return conv_nd.im2col_nd_cpu(x, (2, 1), (1, 2), (0, 1)), conv_nd.im2col_nd(
        x[:, :, 0], (2,), (2,), (1,), cover_all=True
    )


@case()
def images_of_windows_that_overlap(self: Any, x: Any, n: Any) -> Any:
    col = conv.im2col_cpu(x, 3, 3, 2, 1, 1, 1)
    return conv.col2im_cpu(col * col, 2, 1, 1, 1, x.shape[2], x.shape[3])


@case()
def images_of_windows_side_by_side(self: Any, x: Any, n: Any) -> Any:
    col = conv.im2col_cpu(x, 2, 3, 2, 3, 1, 0, cover_all=True)
    part = conv_nd.im2col_nd_cpu(x, (1, 2), (1, 2), (0, 1))
    return (
        conv.col2im(col * col, 2, 3, 1, 0, x.shape[2], x.shape[3]),
        conv_nd.col2im_nd_cpu(part * part, (1, 2), (0, 1), x.shape[2:]),
    )


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_columns(program: Program) -> None:
    hold(program)
