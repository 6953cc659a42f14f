"""Lowerings of `chainer.functions.noise`: with numbers that are given, or that the model draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer.functions.activation.rrelu import RReLU
from chainer.functions.noise.dropout import Dropout
from chainer.functions.noise.gaussian import Gaussian
from chainer.functions.noise.simplified_dropconnect import SimplifiedDropconnect
from chainer.functions.noise.zoneout import Zoneout

from elichika.lowerings.numeric import as_value, constant_like
from elichika.lowerings.numpy.random_numbers import kept, normal
from elichika.lowerings.sizes import product, rank, same_shape
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _given(g: ONNXGraph, held: Any, dtype: Any) -> Value:
    return cast(g, as_value(g, getattr(held, "array", held)), dtype)


@lowers(Gaussian)
def gaussian(w: LoweringContext, node: Any, mean: Value, ln_var: Value) -> Value:
    """Mean + exp(ln_var / 2) eps."""
    g = w.graph
    dtype = dtype_of(mean)
    if node.eps is None:
        node.eps = cast(g, normal(g, dims_of(ln_var), "gaussian"), dtype)
    std = g.Exp(g.Mul(same_shape(g, ln_var, mean), constant_like(g, 0.5, mean)))
    return g.Add(mean, g.Mul(std, _given(g, node.eps, dtype)))


@lowers(Dropout)
def dropout(w: LoweringContext, node: Any, x: Value) -> Value:
    """Reached in training mode only; the mask holds the scale."""
    g = w.graph
    if node.mask is None and node.dropout_ratio == 0:
        node.mask = g.Expand(constant_like(g, 1, x), g.shape_tensor(dims_of(x)))
        return x
    if node.mask is None:
        mask = cast(g, kept(g, dims_of(x), node.dropout_ratio, "dropout"), dtype_of(x))
        node.mask = g.Mul(mask, constant_like(g, 1.0 / (1 - node.dropout_ratio), x))
    return g.Mul(x, _given(g, node.mask, dtype_of(x)))


@lowers(SimplifiedDropconnect)
def simplified_dropconnect(
    w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None
) -> Value:
    """A linear function with weights left out; in test mode the ratio is 0 and none is."""
    g = w.graph
    x = g.Reshape(x, g.shape_tensor([dims_of(x)[0], product(dims_of(x)[1:])]), allowzero=1)
    if node.ratio or node.mask is not None:
        if node.mask is None:
            sizes = (
                [*dims_of(x)[:1], *dims_of(weight)] if node.use_batchwise_mask else dims_of(weight)
            )
            node.mask = kept(g, sizes, node.ratio, "simplified_dropconnect")
        mask = _given(g, node.mask, dtype_of(weight))
        whole = weight if rank(mask) == 2 else g.Unsqueeze(weight, [0])
        mask = same_shape(g, mask, whole, range(rank(mask) - 2, rank(mask)))
        weight = g.Mul(g.Mul(weight, constant_like(g, 1.0 / (1 - node.ratio), weight)), mask)
    else:
        node.mask = g.Expand(g.constant(np.array(True)), g.shape_tensor(dims_of(weight)))
    if rank(weight) == 3:
        weight = same_shape(g, weight, x, [0])
        y = g.Squeeze(matmul(g, weight, g.Unsqueeze(x, [2])), [2])
    else:
        y = matmul(g, x, g.Transpose(weight, perm=[1, 0]))
    return y if b is None else g.Add(y, b)


@lowers(Zoneout)
def zoneout(w: LoweringContext, node: Any, h: Value, x: Value) -> Value:
    """Reached in training mode only; what is not kept of x is that of h."""
    g = w.graph
    node.flag_x = kept(g, dims_of(x), node.zoneout_ratio, "zoneout")
    node.flag_h = g.Not(node.flag_x)
    dtype = dtype_of(x)
    return g.Add(g.Mul(h, cast(g, node.flag_h, dtype)), g.Mul(x, cast(g, node.flag_x, dtype)))


def draws(node: Any) -> bool:
    """Tell whether a function node draws random numbers, also on inputs known while compiling."""
    if isinstance(node, (Dropout, SimplifiedDropconnect)):
        return node.mask is None
    if isinstance(node, RReLU):
        return bool(chainer.config.train) and node.r is None
    return isinstance(node, Zoneout) or (isinstance(node, Gaussian) and node.eps is None)
