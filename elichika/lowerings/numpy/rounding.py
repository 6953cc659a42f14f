"""Rounding, clipping and closeness."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import finish, only_default, static
from elichika.lowerings.numpy.operands import operand, tensor
from elichika.lowerings.numpy.unary import infinite, is_finite
from elichika.numbers import numpy_numbers as numerics
from elichika.numbers.kernels import constant, every, where
from elichika.numbers.operators import comparison
from elichika.numbers.promotion import ask, broadcast, representative, result_dtype, wrap
from elichika.registry import lowers
from elichika.values.kinds import is_array
from onnx_graph import Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(np.round, np.around, np.ndarray.round)
def rounded(w: LoweringContext, a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """Round half to even, to decimals."""
    a = operand(w, a)
    places = int(static(w, decimals, "decimals"))
    dtype = np.asarray(ask(w, np.round, representative(w, a), places)).dtype
    value, g = tensor(w, a, dtype), w.graph
    if dtype.kind == "f":
        if places == 0:
            value = g.Round(value)
        else:
            factor = constant(g, 10.0 ** abs(places), value)
            scale, back = (g.Mul, g.Div) if places > 0 else (g.Div, g.Mul)
            value = back(g.Round(scale(value, factor)), factor)
    elif places < 0:
        w.refuse(
            "rounding ints to negative decimals is not compiled", "write `np.round(x / 10) * 10`"
        )
    elif out is None and is_array(a):  # some versions give the array itself
        return w.may_be(w.new_array(value), w.as_array(a))
    return finish(w, value, out)


@lowers(np.clip)
def clip(
    w: LoweringContext, a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **kwargs: Any
) -> Any:
    """Limit to an interval; the upper end wins."""
    only_default(w, "clip", **kwargs)
    a, low, high = operand(w, a), w.narrow(a_min), w.narrow(a_max)
    bounds = [None if one is None else operand(w, one) for one in (low, high)]
    given = [one for one in bounds if one is not None]
    if not given:
        w.raise_static(ValueError("One of max or min must be given"))

    def clipped(x: Any, *ends: Any) -> Any:
        both = iter(ends)
        return np.clip(x, *(None if one is None else next(both) for one in bounds))

    dtype = result_dtype(w, clipped, a, *given)
    broadcast(w, w.dims(a), *(w.dims(one) for one in given))
    g, value = w.graph, tensor(w, a, dtype)
    if bounds[0] is not None:
        value = numerics.maximum(g, value, tensor(w, bounds[0], dtype))
    if bounds[1] is not None:
        value = numerics.minimum(g, value, tensor(w, bounds[1], dtype))
    return finish(w, value, out, spreads=True)


@lowers(np.ndarray.clip)
def clip_method(
    w: LoweringContext, array: Any, min: Any = None, max: Any = None, out: Any = None
) -> Any:
    """Limit to an interval."""
    return clip(w, array, min, max, out)


@lowers(np.nan_to_num)
def nan_to_num(
    w: LoweringContext,
    x: Any,
    copy: Any = True,
    nan: Any = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Any:
    """Replace nan and infinities; numpy's own code takes three times the nodes."""
    if not static(w, copy, "copy"):
        w.refuse(
            "`nan_to_num` with `copy=False` is not compiled", "write `x[...] = np.nan_to_num(x)`"
        )
    value, g = tensor(w, x), w.graph
    if dtype_of(value).kind == "f":
        ends: Any = np.finfo(dtype_of(value).name)
        top = ends.max if posinf is None else posinf
        low = ends.min if neginf is None else neginf
        shown = [tensor(w, one, dtype_of(value)) for one in (nan, top, low)]
        result = where(g, g.IsNaN(value), shown[0], value)
        result = where(g, infinite(1)(g, value), shown[1], result)
        value = where(g, infinite(-1)(g, value), shown[2], result)
    return wrap(w, value)


def close(
    w: LoweringContext, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
) -> Value:
    """Return where two values are within `atol + rtol * abs(b)`."""
    g = w.graph
    x, y = tensor(w, a, np.float64), tensor(w, b, np.float64)
    broadcast(w, dims_of(x), dims_of(y))
    slack = g.Add(tensor(w, atol, np.float64), g.Mul(tensor(w, rtol, np.float64), g.Abs(y)))
    near = g.LessOrEqual(g.Abs(g.Sub(x, y)), slack)
    finite = g.And(is_finite(g, x), is_finite(g, y))
    result = g.Or(g.And(near, finite), g.Equal(x, y))
    if static(w, equal_nan, "equal_nan"):
        result = g.Or(result, g.And(g.IsNaN(x), g.IsNaN(y)))
    return result


@lowers(np.isclose)
def isclose(
    w: LoweringContext, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
) -> Any:
    """Where two values are close."""
    return wrap(w, close(w, a, b, rtol, atol, equal_nan))


@lowers(np.allclose)
def allclose(
    w: LoweringContext, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
) -> Any:
    """Whether two values are close everywhere."""
    return w.scalar(bool, every(w.graph, close(w, a, b, rtol, atol, equal_nan)))


@lowers(np.array_equal)
def array_equal(w: LoweringContext, a1: Any, a2: Any, equal_nan: Any = False) -> Any:
    """Whether two arrays have the same shape and elements."""
    only_default(w, "array_equal", equal_nan=equal_nan or None)
    a, b = operand(w, a1), operand(w, a2)
    one, other = w.dims(a), w.dims(b)
    if len(one) != len(other) or any(
        compare(x, "==", y) is False for x, y in zip(one, other, strict=True)
    ):
        return False
    g = w.graph
    open_ = [(x, y) for x, y in zip(one, other, strict=True) if not compare(x, "==", y)]
    if not open_:
        return w.scalar(bool, every(g, comparison(w, operator.eq, a, b)))
    common = result_dtype(w, np.add, a, b)
    left, right = tensor(w, a, common), tensor(w, b, common)
    same = g.constant(np.array(True))
    for x, y in open_:
        same = g.And(same, g.Equal(g.dim_value(x), g.dim_value(y)))
    then, differ = g.body("same"), g.body("differ")
    with then:
        equal = every(g, g.Equal(left, right))
    return w.scalar(bool, g.If(same, then, [equal], differ, [g.constant(np.array(False))])[0])
