"""Lowerings of `chainer.functions.activation`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer.functions.activation.clipped_relu import ClippedReLU
from chainer.functions.activation.crelu import CReLU
from chainer.functions.activation.elu import ELU
from chainer.functions.activation.hard_sigmoid import HardSigmoid
from chainer.functions.activation.leaky_relu import LeakyReLU
from chainer.functions.activation.log_softmax import LogSoftmax
from chainer.functions.activation.prelu import PReLUFunction
from chainer.functions.activation.relu import ReLU
from chainer.functions.activation.rrelu import RReLU
from chainer.functions.activation.sigmoid import Sigmoid
from chainer.functions.activation.softmax import Softmax
from chainer.functions.activation.softplus import Softplus
from chainer.functions.activation.swish import Swish
from chainer.functions.activation.tanh import Tanh

from elichika.lowerings.numeric import as_value, constant_like, is_double
from elichika.lowerings.numpy.random_numbers import uniform
from elichika.lowerings.sizes import require_nonempty, same_shape, trailing_axes
from elichika.numbers.kernels import cast
from elichika.numbers.special_functions import expm1, log1p
from elichika.registry import lowers, lowers_to
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

lowers_to("Relu", ReLU)
lowers_to("Sigmoid", Sigmoid)
lowers_to("Tanh", Tanh)


def _leaky(g: ONNXGraph, x: Value, slope: float) -> Value:
    if is_double(x):
        return g.Where(g.Less(x, 0.0), g.Mul(x, slope), x)
    return g.LeakyRelu(x, alpha=slope)


@lowers(LeakyReLU)
def leaky_relu(w: LoweringContext, node: Any, x: Value) -> Value:
    """Multiply what is not positive by the slope."""
    return _leaky(w.graph, x, node.slope)


@lowers(RReLU)
def rrelu(w: LoweringContext, node: Any, x: Value) -> Value:
    """In test mode the slope is the mean of its bounds, in training mode a given or drawn one."""
    g = w.graph
    if chainer.config.train:
        if node.r is None:
            width = g.constant(node.upper - node.lower, np.float64)
            drawn = g.Mul(width, uniform(g, dims_of(x), "rrelu"))
            drawn = g.Add(g.constant(node.lower, np.float64), drawn)
            node.r = cast(g, drawn, dtype_of(x))
        slope = same_shape(g, as_value(g, getattr(node.r, "array", node.r)), x)
        return g.Where(g.Less(x, constant_like(g, 0, x)), g.Mul(x, slope), x)
    mean = (node.lower + node.upper) / 2
    node.r = g.Expand(constant_like(g, mean, x), g.shape_tensor(dims_of(x)))
    return _leaky(g, x, mean)


@lowers(ELU)
def elu(w: LoweringContext, node: Any, x: Value) -> Value:
    """Put alpha * (exp(x) - 1) for what is not positive."""
    g = w.graph
    if is_double(x):
        return g.Where(g.Less(x, 0.0), g.Mul(expm1(g, x), node.alpha), x)
    return g.Elu(x, alpha=node.alpha)


@lowers(ClippedReLU)
def clipped_relu(w: LoweringContext, node: Any, x: Value) -> Value:
    """A cap below 0 is the result everywhere, in Chainer and in Clip."""
    g = w.graph
    return g.Clip(x, 0.0, constant_like(g, node.cap, x))


@lowers(HardSigmoid)
def hard_sigmoid(w: LoweringContext, node: Any, x: Value) -> Value:
    """clip(0.2 x + 0.5, 0, 1)."""
    g = w.graph
    if is_double(x):
        return g.Clip(g.Add(g.Mul(x, 0.2), 0.5), 0.0, 1.0)
    return g.HardSigmoid(x, alpha=0.2, beta=0.5)


def _nonempty(g: ONNXGraph, x: Value, axis: int) -> Value:
    return require_nonempty(g, x, [axis], "reduction operation maximum which has no identity")


@lowers(Softmax)
def softmax(w: LoweringContext, node: Any, x: Value) -> Value:
    """One axis, 1 by default."""
    g = w.graph
    return g.Softmax(_nonempty(g, x, node.axis), axis=node.axis)


@lowers(LogSoftmax)
def log_softmax(w: LoweringContext, node: Any, x: Value) -> Value:
    """One axis, 1 by default."""
    return log_softmax_of(w.graph, _nonempty(w.graph, x, node.axis), node.axis)


def log_softmax_of(g: ONNXGraph, x: Value, axis: int) -> Value:
    """Return scores less the logarithm of the sum of their exponentials, along an axis.

    onnxruntime's LogSoftmax of float64 gives -inf beside an infinite score, where it is nan.
    """
    if dtype_of(x) != np.float64:
        return g.LogSoftmax(x, axis=axis)
    top = g.ReduceMax(x, [axis])
    total = g.Log(g.ReduceSum(g.Exp(g.Sub(x, top)), [axis]))
    return g.Sub(x, g.Add(total, top))


@lowers(Softplus)
def softplus(w: LoweringContext, node: Any, x: Value) -> Value:
    """log(1 + exp(beta x)) / beta; written out, since Softplus loses what is far below zero."""
    g = w.graph
    scaled = x if node.beta == 1 else g.Mul(x, constant_like(g, node.beta, x))
    tail = log1p(g, g.Exp(g.Neg(g.Abs(scaled))))
    if node.beta != 1:
        tail = g.Mul(tail, constant_like(g, node.beta_inv, x))
        scaled = g.Mul(g.Relu(scaled), constant_like(g, node.beta_inv, x))
    return g.Add(g.Relu(scaled), tail)


@lowers(PReLUFunction)
def prelu(w: LoweringContext, node: Any, x: Value, weight: Value) -> Value:
    """The axes of the slope follow the batch axis, where ONNX would align them from the right."""
    g = w.graph
    return g.PRelu(x, trailing_axes(g, weight, x))


@lowers(Swish)
def swish(w: LoweringContext, node: Any, x: Value, beta: Value) -> Value:
    """x * sigmoid(beta x)."""
    g = w.graph
    return g.Mul(x, g.Sigmoid(g.Mul(x, trailing_axes(g, beta, x))))


@lowers(CReLU)
def crelu(w: LoweringContext, node: Any, x: Value) -> Value:
    """The positive part, then the negative part turned positive."""
    g = w.graph
    return g.Relu(g.Concat(x, g.Neg(x), axis=node.axis))
