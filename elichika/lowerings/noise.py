"""Lowerings of `chainer.functions.noise`: only what does not draw random numbers."""

from __future__ import annotations

from typing import Any

from chainer.functions.noise.dropout import Dropout
from chainer.functions.noise.gaussian import Gaussian
from chainer.functions.noise.simplified_dropconnect import SimplifiedDropconnect
from chainer.functions.noise.zoneout import Zoneout

from elichika.errors import UnsupportedFunction
from elichika.kernels import cast, matmul
from elichika.lowerings.numeric import as_value, constant_like
from elichika.lowerings.sizes import product, rank, same_shape
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

HINT = "Pass the random numbers to the model as an input, and to the function as an argument."


def _given(g: ONNXGraph, drawn: Any, what: str, x: Value) -> Value:
    if drawn is None:
        raise UnsupportedFunction(f"{what} draws random numbers", hint=HINT)
    return cast(g, as_value(g, getattr(drawn, "array", drawn)), dtype_of(x))


@lowers(Gaussian)
def gaussian(g: ONNXGraph, node: Any, mean: Value, ln_var: Value) -> Value:
    """Mean + exp(ln_var / 2) eps."""
    eps = _given(g, node.eps, "gaussian", mean)
    std = g.Exp(g.Mul(same_shape(g, ln_var, mean), constant_like(g, 0.5, mean)))
    return g.Add(mean, g.Mul(std, eps))


@lowers(Dropout)
def dropout(g: ONNXGraph, node: Any, x: Value) -> Value:
    """Reached in training mode only; the mask holds the scale."""
    if node.mask is None and node.dropout_ratio == 0:
        node.mask = g.Expand(constant_like(g, 1, x), g.shape_tensor(dims_of(x)))
        return x
    return g.Mul(x, _given(g, node.mask, "dropout", x))


@lowers(SimplifiedDropconnect)
def simplified_dropconnect(
    g: ONNXGraph, node: Any, x: Value, w: Value, b: Value | None = None
) -> Value:
    """A linear function with weights left out; in test mode the ratio is 0 and none is."""
    x = g.Reshape(x, g.shape_tensor([dims_of(x)[0], product(dims_of(x)[1:])]), allowzero=1)
    if node.ratio or node.mask is not None:
        kept = _given(g, node.mask, "simplified_dropconnect", w)
        w = g.Mul(g.Mul(w, constant_like(g, 1.0 / (1 - node.ratio), w)), kept)
    if rank(w) == 3:
        y = g.Squeeze(matmul(g, w, g.Unsqueeze(x, [2])), [2])
    else:
        y = matmul(g, x, g.Transpose(w, perm=[1, 0]))
    return y if b is None else g.Add(y, b)


@lowers(Zoneout)
def zoneout(g: ONNXGraph, node: Any, h: Value, x: Value) -> Value:
    """Reached in training mode only."""
    raise UnsupportedFunction("zoneout draws random numbers", hint=HINT)
