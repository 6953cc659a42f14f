"""`chainer.utils.conv`: windows of images as columns, and columns added up to images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.backends import intel64
from chainer.utils import conv, conv_nd

from elichika.errors import UnsupportedFunction
from elichika.lowerings.chainer.deconvolution import deconvolution
from elichika.lowerings.chainer.windows import MESSAGE, padded, settings, windows
from elichika.lowerings.sizes import Size, known, rank, size_at_least, size_of
from elichika.registry import always, lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, same
from onnx_graph.dims import maximum

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.values.symbolic import Array


@lowers(intel64.inputs_all_ready)
@always
def inputs_all_ready(w: LoweringContext, inputs: Any, supported_ndim: Any = (2, 4)) -> bool:
    """The model does not run iDeep."""
    return False


@lowers(conv.im2col_cpu)
def im2col_cpu(
    w: LoweringContext,
    img: Any,
    kh: Any,
    kw: Any,
    sy: Any,
    sx: Any,
    ph: Any,
    pw: Any,
    pval: Any = 0,
    cover_all: Any = False,
    dy: Any = 1,
    dx: Any = 1,
    out_h: Any = None,
    out_w: Any = None,
) -> Any:
    """Return (n, c, kh, kw, out_h, out_w)."""
    outs = None if out_h is None or out_w is None else (out_h, out_w)
    return _columns(w, img, (kh, kw), (sy, sx), (ph, pw), pval, cover_all, (dy, dx), outs)


@lowers(conv.im2col)
def im2col(
    w: LoweringContext,
    img: Any,
    kh: Any,
    kw: Any,
    sy: Any,
    sx: Any,
    ph: Any,
    pw: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Pad with zeros."""
    return im2col_cpu(w, img, kh, kw, sy, sx, ph, pw, 0, *args, **kwargs)


@lowers(conv_nd.im2col_nd_cpu)
def im2col_nd_cpu(
    w: LoweringContext,
    img: Any,
    ksize: Any,
    stride: Any,
    pad: Any,
    pval: Any = 0,
    cover_all: Any = False,
    dilate: Any = 1,
) -> Any:
    """Return (n, c, k_1, …, out_1, …)."""
    ks, ss, ps = map(w.static_items, (ksize, stride, pad))
    return _columns(w, img, ks, ss, ps, pval, cover_all, conv_nd.as_tuple(dilate, len(ks)))


@lowers(conv_nd.im2col_nd)
def im2col_nd(
    w: LoweringContext, img: Any, ksize: Any, stride: Any, pad: Any, *args: Any, **kwargs: Any
) -> Any:
    """Pad with zeros."""
    return im2col_nd_cpu(w, img, ksize, stride, pad, 0, *args, **kwargs)


@lowers(conv.col2im_cpu, conv.col2im)
def col2im_cpu(
    w: LoweringContext,
    col: Any,
    sy: Any,
    sx: Any,
    ph: Any,
    pw: Any,
    h: Any,
    w_: Any,
    dy: Any = 1,
    dx: Any = 1,
) -> Any:
    """Return (n, c, h, w) of (n, c, kh, kw, out_h, out_w)."""
    return _image(w, col, (sy, sx), (ph, pw), (h, w_), (dy, dx))


@lowers(conv_nd.col2im_nd_cpu, conv_nd.col2im_nd)
def col2im_nd_cpu(
    w: LoweringContext, col: Any, stride: Any, pad: Any, dims: Any, dilate: Any = 1
) -> Any:
    """Return (n, c, *dims) of (n, c, k_1, …, out_1, …)."""
    ss, ps, sizes = map(w.static_items, (stride, pad, dims))
    return _image(w, col, ss, ps, sizes, conv_nd.as_tuple(dilate, len(ss)))


def _columns(
    w: LoweringContext,
    img: Any,
    ksize: Sequence[Any],
    stride: Sequence[Any],
    pad: Sequence[Any],
    fill: Any,
    cover_all: Any,
    dilate: Sequence[Any],
    outs: Sequence[Any] | None = None,
) -> Any:
    """Put the axes of the windows before those of their places."""
    if w.is_symbolic(cover_all):
        rest = partial(_columns, w, img, ksize, stride, pad, fill)
        return w.branch(
            cover_all, lambda: rest(True, dilate, outs), lambda: rest(False, dilate, outs)
        )
    g = w.graph
    x, ks, ss, ps = settings(g, w.value_of(img), ksize, stride, pad)
    targets = None
    if outs is not None:
        x, targets = _targets(g, x, outs, 1)
    seen = windows(
        g, x, ks, ss, ps, cover_all=cover_all, dilate=_numbers(dilate), fill=fill, outs=targets
    )
    first = range(2, rank(seen), 2)
    return w.new_array(g.Transpose(seen, perm=[0, 1, *first, *(axis + 1 for axis in first)]))


def _image(
    w: LoweringContext,
    col: Any,
    stride: Sequence[Any],
    pad: Sequence[Any],
    sizes: Sequence[Any],
    dilate: Sequence[Any],
) -> Array:
    ss, ps, ds = (_numbers(items) for items in (stride, pad, dilate))
    columns, targets = _targets(w.graph, w.value_of(col), sizes, 0)
    return w.new_array(added_up(w.graph, columns, ss, ps, targets, ds))


def added_up(
    g: ONNXGraph,
    columns: Value,
    stride: Sequence[int],
    pad: Sequence[int],
    sizes: Sequence[Size],
    dilate: Sequence[int],
) -> Value:
    """Add (n, c, k_1, …, out_1, …) up to images of (n, c, *sizes)."""
    count = len(stride)
    (n, c), ksize = dims_of(columns)[:2], dims_of(columns)[2 : 2 + count]
    outs = dims_of(columns)[2 + count :]
    apart = zip(ksize, stride, dilate, strict=True)
    if all(same(k, s) and d == 1 for k, s, d in apart):
        return _side_by_side(g, columns, pad, sizes)
    numbers = _numbers(ksize)
    taps = math.prod(numbers)
    flat = g.Reshape(columns, g.shape_tensor([n * c, taps, *outs]), allowzero=1)
    kernel = g.constant(np.eye(taps, dtype=dtype_of(columns)).reshape(taps, 1, *numbers))
    image = deconvolution(g, flat, kernel, None, stride, pad, dilate, 1, sizes)
    return g.Reshape(image, g.shape_tensor([n, c, *sizes]), allowzero=1)


def _side_by_side(g: ONNXGraph, columns: Value, pad: Sequence[int], sizes: Sequence[Size]) -> Value:
    """Put windows that do not overlap beside each other; what none covers is zero."""
    count = len(pad)
    (n, c), ksize = dims_of(columns)[:2], dims_of(columns)[2 : 2 + count]
    outs = dims_of(columns)[2 + count :]
    perm = [axis for i in range(count) for axis in (2 + count + i, 2 + i)]
    spans = [out * k for out, k in zip(outs, ksize, strict=True)]
    turned = g.Transpose(columns, perm=[0, 1, *perm])
    image = g.Reshape(turned, g.shape_tensor([n, c, *spans]), allowzero=1)
    ends = [p + size for p, size in zip(pad, sizes, strict=True)]
    more = [maximum(end - span, 0) for span, end in zip(spans, ends, strict=True)]
    image = padded(g, image, [0] * count, more, 0)
    if not any(pad) and all(map(same, dims_of(image)[2:], sizes)):
        return image
    axes = list(range(2, 2 + count))
    return g.Slice(image, g.shape_tensor(pad), g.shape_tensor(ends), axes)


def _targets(g: ONNXGraph, x: Value, items: Sequence[Any], least: int) -> tuple[Value, list[Size]]:
    """Read sizes; `x` is checked for what they must be at least."""
    sizes = []
    for item in items:
        x, size = size_at_least(g, x, item, least, MESSAGE)
        sizes.append(size)
    return x, sizes


def _numbers(items: Sequence[Any]) -> list[int]:
    """Return sizes that have to be known while compiling."""
    numbers = known(map(size_of, items))
    if len(numbers) < len(items):
        raise UnsupportedFunction(
            "windows whose strides or dilation are known only when the model runs are not compiled",
            hint="give them as numbers",
        )
    return numbers
