"""Means, variances, averages, and reductions of what is not nan."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import (
    NOT_GIVEN,
    axes_of,
    axis_of,
    finish,
    only_default,
    require_out,
    static,
)
from elichika.lowerings.numpy.extremes import reduced
from elichika.lowerings.numpy.operands import operand, require_numbers, stand, tensor
from elichika.lowerings.numpy.reductions import any_of, keeps, prod_, sum_
from elichika.numbers.kernels import cast, constant, where
from elichika.numbers.promotion import ask, wrap
from elichika.numbers.sizes import require_same
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of
from onnx_graph.dims import product

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _amount(g: ONNXGraph, value: Value, axes: tuple[int, ...], dtype: Any) -> Value:
    return cast(g, g.dim_value(product([dims_of(value)[axis] for axis in axes])), dtype)


def averaged(g: ONNXGraph, value: Value, axes: tuple[int, ...], keepdims: int) -> Value:
    """Return the mean of floats; nan over nothing."""
    total = reduced(g, "ReduceSum", value, axes, keepdims)
    return g.Div(total, _amount(g, value, axes, dtype_of(value)))


def _working(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32) if dtype == np.float16 else dtype


@lowers(np.mean, np.ndarray.mean)
def mean(
    w: LoweringContext,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
) -> Any:
    """The mean; of ints in float64, of float16 by way of float32."""
    only_default(w, "mean", where=where)
    dtype = static(w, dtype, "dtype")
    found = np.asarray(ask(w, np.mean, stand(w, a), dtype=dtype)).dtype
    if found.kind != "f":
        w.refuse("a mean as ints is not compiled", "write `x.mean().astype('int64')`")
    require_out(w, out, found)
    value = tensor(w, a, _working(found))
    axes = axes_of(w, len(dims_of(value)), axis, np.mean)
    return finish(w, cast(w.graph, averaged(w.graph, value, axes, keeps(w, keepdims)), found), out)


def _narrow(g: ONNXGraph, value: Value) -> Value:
    """Let float32 overflow where float16 does: numpy computes a variance in float16."""
    beyond = g.GreaterOrEqual(g.Abs(value), constant(g, 65520.0, value))
    return g.Where(beyond, g.Mul(value, constant(g, np.inf, value)), value)


def variance(
    w: LoweringContext, a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: Any
) -> tuple[Value, np.dtype[Any]]:
    """Return the variance, and the dtype numpy gives it."""
    dtype = static(w, dtype, "dtype")
    found = np.asarray(ask(w, np.var, stand(w, a), dtype=dtype)).dtype
    value, g = tensor(w, a, _working(found)), w.graph
    axes = axes_of(w, len(dims_of(value)), axis, np.var)
    amount = _amount(g, value, axes, dtype_of(value))
    narrow = partial(_narrow, g) if found == np.float16 else lambda part: part
    mean_ = g.Div(narrow(reduced(g, "ReduceSum", value, axes, 1)), amount) if axes else value
    rest = narrow(g.Sub(value, mean_))
    squares = narrow(g.Mul(rest, rest))
    total = narrow(reduced(g, "ReduceSum", squares, axes, keeps(w, keepdims)))
    require_numbers(w, ddof)
    if static(w, ddof, "ddof"):
        less = g.Sub(amount, constant(g, static(w, ddof, "ddof"), amount))
        amount = g.Max(less, constant(g, 0, amount))
    result: Value = g.Div(total, amount)
    return result, found


def _spreading(name: str, finished: Callable[[ONNXGraph, Value], Value]) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
        *,
        where: Any = NOT_GIVEN,
    ) -> Any:
        only_default(w, name, where=where)
        value, found = variance(w, a, axis, dtype, ddof, keepdims)
        require_out(w, out, found)
        return finish(w, cast(w.graph, finished(w.graph, value), found), out)

    return lowering


lowers(np.var, np.ndarray.var)(_spreading("var", lambda g, value: value))
lowers(np.std, np.ndarray.std)(_spreading("std", lambda g, value: g.Sqrt(value)))


@lowers(np.average)
def average(
    w: LoweringContext,
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: Any = False,
    *,
    keepdims: Any = NOT_GIVEN,
) -> Any:
    """The mean, or a weighted one where the weights have the array's shape or one axis's.

    numpy's own code moves the axis of the weights to its place: three nodes more.
    """
    g, both = w.graph, static(w, returned, "returned")
    if weights is None:
        found = mean(w, a, axis, keepdims=keepdims)
        some = w.binary(operator.ne, w.call(np.size, [found], {}), 0)
        w.check(w.truth(some), ZeroDivisionError, "division by zero")  # as numpy divides the sizes
        if not both:
            return found
        value, dims = w.value_of(found), w.dims(operand(w, a))
        amount = _amount(g, tensor(w, a), axes_of(w, len(dims), axis), dtype_of(value))
        return found, wrap(w, g.Expand(amount, g.shape_tensor(dims_of(value))))
    value, scale = tensor(w, a), tensor(w, weights)
    dims = dims_of(value)
    if len(dims_of(scale)) != len(dims):
        if axis is None or len(dims_of(scale)) != 1:
            w.raise_static(TypeError("1D weights expected when shapes of a and weights differ."))
        one = axis_of(w, len(dims), axis)
        message = "Length of weights not compatible with specified axis."
        require_same(w, [dims_of(scale)[0]], [dims[one]], ValueError, message)
        scale = g.Unsqueeze(scale, [i for i in range(len(dims)) if i != one])
    else:
        message = "Axis must be specified when shapes of a and weights differ."
        require_same(w, dims_of(scale), dims, TypeError, message)
    found = ask(w, np.average, stand(w, a), weights=np.ones((1,) * len(dims), dtype_of(scale)))
    dtype = np.asarray(found).dtype
    value, scale = cast(g, value, dtype), cast(g, scale, dtype)
    axes, keep = axes_of(w, len(dims), axis), keeps(w, keepdims)
    total = reduced(g, "ReduceSum", scale, axes, keep)
    zero = any_of(g, g.Equal(total, constant(g, 0, total)), tuple(range(len(dims_of(total)))))
    w.check(g.Not(zero), ZeroDivisionError, "Weights sum to zero, can't be normalized")
    weighed = reduced(g, "ReduceSum", g.Mul(value, scale), axes, keep)
    result = finish(w, g.Div(weighed, total))
    return (result, wrap(w, total)) if both else result


# Without nan


def _skipping(start: float, inner: Callable[..., Any]) -> Callable[..., Any]:
    def lowering(w: LoweringContext, a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        value, g = tensor(w, a), w.graph
        if dtype_of(value).kind == "f":
            value = where(g, g.IsNaN(value), constant(g, start, value), value)
        return inner(w, wrap(w, value), axis, *args, **kwargs)

    return lowering


lowers(np.nansum)(_skipping(0.0, sum_))
lowers(np.nanprod)(_skipping(1.0, prod_))


@lowers(np.nanmean)
def nanmean(
    w: LoweringContext,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
) -> Any:
    """The mean of what is not nan."""
    value, g = tensor(w, a), w.graph
    if dtype_of(value).kind != "f":
        return mean(w, a, axis, dtype, out, keepdims)
    found = np.asarray(ask(w, np.nanmean, stand(w, a), dtype=static(w, dtype, "dtype"))).dtype
    require_out(w, out, found)
    value = cast(g, value, _working(found))
    bad = g.IsNaN(value)
    axes, keep = axes_of(w, len(dims_of(value)), axis), keeps(w, keepdims)
    total = reduced(g, "ReduceSum", where(g, bad, constant(g, 0, value), value), axes, keep)
    amount = reduced(g, "ReduceSum", cast(g, g.Not(bad), dtype_of(value)), axes, keep)
    return finish(w, cast(g, g.Div(total, amount), found), out)
