"""Mathematical functions, logic functions and comparisons: numpy's ufuncs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from elichika import numerics, special_functions
from elichika.kernels import apply, cast, constant, every, negative, where
from elichika.lowerings.arguments import (
    NOT_GIVEN,
    finish,
    fresh,
    only_default,
    operand,
    stand,
    static,
    tensor,
)
from elichika.operators import comparison, matmul, power
from elichika.promotion import ask, broadcast, representative, result_dtype, wrap
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of

Unary = Callable[[ONNXGraph, Value], Value]


def _wanted(w: Any, function: Any, operands: list[Any], dtype: Any) -> np.dtype[Any]:
    """Return the dtype of a ufunc's result, as `dtype=` asks for it."""
    if dtype is None:
        return result_dtype(w, function, *operands)
    asked = static(w, dtype, "dtype")
    stands = [stand(w, one) for one in operands]
    found: np.dtype[Any] = np.asarray(ask(w, function, *stands, dtype=asked)).dtype
    return found


def _whole(function: np.ufunc, lowering: Callable[..., Any]) -> Callable[..., Any]:
    """Return the lowering of a ufunc with the arguments that all ufuncs take.

    Args:
        function: The ufunc, of one result.
        lowering: Called with the walker, the operands, `out` and, by name, `dtype`.
    """

    def whole(
        w: Any,
        *operands: Any,
        out: Any = None,
        where: Any = True,
        casting: Any = "same_kind",
        order: Any = "K",
        subok: Any = True,
        **kwargs: Any,
    ) -> Any:
        if len(operands) > function.nin:
            operands, out = operands[:-1], operands[-1]
        if isinstance(out, tuple):
            (out,) = out
        if static(w, order, "order") not in ("K", "C", "A"):
            w.refuse(f"`order` of `{function.__name__}` is not compiled")
        how = static(w, casting, "casting")
        everywhere = where is True or where is NOT_GIVEN
        if how == "same_kind" and everywhere:
            return lowering(w, *operands, out, **kwargs)
        if out is None:
            w.refuse(f"`{'casting' if everywhere else 'where'}` without `out` is not compiled")
        result = lowering(w, *operands, None, **kwargs)
        w.call(np.copyto, [out, result], {"casting": how, "where": where})
        return out

    return lowers(function)(whole)


def _unary(function: np.ufunc, formula: Unary, own: bool = False) -> None:
    """Register a ufunc of one operand; with `own`, it works in the operand's dtype."""

    def lowering(w: Any, x: Any, out: Any, dtype: Any = None) -> Any:
        x = operand(w, x)
        result = _wanted(w, function, [x], dtype)
        value = tensor(w, x) if own else tensor(w, x, result)
        return finish(w, cast(w.graph, formula(w.graph, value), result), out)

    _whole(function, lowering)


def _op(name: str) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        return apply(g, name, [x])

    return emit


def _rounded(name: str) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        return x if dtype_of(x).kind != "f" else g.emit(name, [x])

    return emit


def _trunc(g: ONNXGraph, x: Value) -> Value:
    if dtype_of(x).kind != "f":
        return x
    result: Value = g.Mul(g.Sign(x), g.Floor(g.Abs(x)))
    return result


def _square(g: ONNXGraph, x: Value) -> Value:
    return numerics.multiply(g, x, x)


def _reciprocal(g: ONNXGraph, x: Value) -> Value:
    if dtype_of(x).kind != "f":
        zero = g.check(every(g, g.Not(numerics.equal(g, x, constant(g, 0, x)))), "reciprocal of 0")
        x, one = g.tie(x, zero), constant(g, 1, x)
        known = g.Or(g.Equal(x, one), g.Equal(x, constant(g, -1, x))) if _signed(x) else None
        unit = g.Equal(x, one) if known is None else known
        return where(g, unit, x, constant(g, 0, x))
    result: Value = g.Div(constant(g, 1, x), x)
    return result


def _signed(x: Value) -> bool:
    return dtype_of(x).kind == "i"


def _sign(g: ONNXGraph, x: Value) -> Value:
    result = apply(g, "Sign", [x])
    if dtype_of(x).kind != "f":
        return result
    return where(g, g.IsNaN(x), x, result)


def _logarithm(base: float) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        wide = cast(g, x, np.float64)
        return cast(g, g.Div(g.Log(wide), np.float64(np.log(base))), dtype_of(x))

    return emit


def _exp2(g: ONNXGraph, x: Value) -> Value:
    result: Value = g.Pow(constant(g, 2, x), x)
    return result


def _cbrt(g: ONNXGraph, x: Value) -> Value:
    wide = cast(g, x, np.float64)
    root = g.Pow(g.Abs(wide), np.float64(1 / 3))
    return cast(g, g.Mul(g.Sign(wide), root), dtype_of(x))


def _scaled(factor: float) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        result: Value = g.Mul(x, constant(g, factor, x))
        return result

    return emit


def is_nan(g: ONNXGraph, x: Value) -> Value:
    """Return where a value is nan."""
    if dtype_of(x).kind != "f":
        return _none(g, x)
    result: Value = g.IsNaN(x)
    return result


def is_inf(g: ONNXGraph, x: Value) -> Value:
    """Return where a value is infinite."""
    return _none(g, x) if dtype_of(x).kind != "f" else apply(g, "IsInf", [x])


def _none(g: ONNXGraph, x: Value) -> Value:
    result: Value = g.Not(g.Equal(x, x))
    return result


def is_finite(g: ONNXGraph, x: Value) -> Value:
    """Return where a value is finite."""
    result: Value = g.Not(g.Or(is_nan(g, x), is_inf(g, x)))
    return result


def _sign_bit(g: ONNXGraph, x: Value) -> Value:
    if dtype_of(x).kind == "f":
        return special_functions.sign_bit(g, x)
    return negative(g, x) if _signed(x) else _none(g, x)


def _infinite(sign: int) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        if dtype_of(x).kind != "f":
            return _none(g, x)
        result: Value = g.Equal(x, constant(g, sign * np.inf, x))
        return result

    return emit


def _logical_not(g: ONNXGraph, x: Value) -> Value:
    result: Value = g.Not(cast(g, x, np.bool_))
    return result


_UNARY: tuple[tuple[Any, Unary], ...] = (
    (np.exp, _op("Exp")),
    (np.log, _op("Log")),
    (np.sqrt, _op("Sqrt")),
    (np.sin, _op("Sin")),
    (np.cos, _op("Cos")),
    (np.tanh, _op("Tanh")),
    (np.tan, special_functions.tan),
    (np.arcsin, special_functions.arcsin),
    (np.arccos, special_functions.arccos),
    (np.arctan, special_functions.arctan),
    (np.sinh, special_functions.sinh),
    (np.cosh, special_functions.cosh),
    (np.arcsinh, special_functions.arcsinh),
    (np.arccosh, special_functions.arccosh),
    (np.arctanh, special_functions.arctanh),
    (np.log1p, special_functions.log1p),
    (np.expm1, special_functions.expm1),
    (np.log2, _logarithm(2)),
    (np.log10, _logarithm(10)),
    (np.exp2, _exp2),
    (np.cbrt, _cbrt),
    (np.floor, _rounded("Floor")),
    (np.ceil, _rounded("Ceil")),
    (np.rint, _rounded("Round")),
    (np.trunc, _trunc),
    (np.absolute, _op("Abs")),
    (np.fabs, _op("Abs")),
    (np.sign, _sign),
    (np.negative, numerics.negate),
    (np.positive, lambda g, x: x),
    (np.invert, numerics.invert),
    (np.square, _square),
    (np.reciprocal, _reciprocal),
    (np.deg2rad, _scaled(np.pi / 180)),
    (np.radians, _scaled(np.pi / 180)),
    (np.rad2deg, _scaled(180 / np.pi)),
    (np.degrees, _scaled(180 / np.pi)),
    (np.conjugate, lambda g, x: x),
)
for _function, _formula in _UNARY:
    _unary(_function, _formula)

_PREDICATES: tuple[tuple[Any, Unary], ...] = (
    (np.isnan, is_nan),
    (np.isinf, is_inf),
    (np.isfinite, is_finite),
    (np.signbit, _sign_bit),
    (np.logical_not, _logical_not),
)
for _function, _formula in _PREDICATES:
    _unary(_function, _formula, own=True)


@lowers(np.isposinf)
def isposinf(w: Any, x: Any, out: Any = None) -> Any:
    """Where a value is plus infinity."""
    return finish(w, _infinite(1)(w.graph, tensor(w, x)), out)


@lowers(np.isneginf)
def isneginf(w: Any, x: Any, out: Any = None) -> Any:
    """Where a value is minus infinity."""
    return finish(w, _infinite(-1)(w.graph, tensor(w, x)), out)


@lowers(np.fix)
def fix(w: Any, x: Any, out: Any = None) -> Any:
    """Round towards zero."""
    dtype = np.asarray(ask(w, np.fix, stand(w, x))).dtype
    return finish(w, _trunc(w.graph, tensor(w, x, dtype)), out)


@lowers(np.real)
def _real(w: Any, x: Any) -> Any:
    return operand(w, x)


# Two operands


def _binary(function: np.ufunc, formula: numerics.Binary) -> None:
    def lowering(w: Any, x1: Any, x2: Any, out: Any, dtype: Any = None) -> Any:
        a, b = operand(w, x1), operand(w, x2)
        result = _wanted(w, function, [a, b], dtype)
        broadcast(w, w.dims(a), w.dims(b))
        value = formula(w.graph, tensor(w, a, result), tensor(w, b, result))
        return finish(w, value, out)

    _whole(function, lowering)


def _larger(g: ONNXGraph, a: Value, b: Value) -> Value:
    return numerics.maximum(g, a, b)


def _fmax(function: numerics.Binary) -> numerics.Binary:
    """Skip nan where the other operand is a number."""

    def emit(g: ONNXGraph, a: Value, b: Value) -> Value:
        if dtype_of(a).kind != "f":
            return function(g, a, b)
        one, other = where(g, g.IsNaN(a), b, a), where(g, g.IsNaN(b), a, b)
        return function(g, one, other)

    return emit


def _hypot(g: ONNXGraph, a: Value, b: Value) -> Value:
    large, small = g.Max(g.Abs(a), g.Abs(b)), g.Min(g.Abs(a), g.Abs(b))
    zero = numerics.equal(g, large, constant(g, 0, large))
    ratio = g.Div(small, where(g, zero, constant(g, 1, large), large))
    size = g.Mul(large, g.Sqrt(g.Add(constant(g, 1, a), g.Mul(ratio, ratio))))
    infinite = g.Or(is_inf(g, a), is_inf(g, b))
    return where(g, infinite, constant(g, np.inf, a), size)


def _logaddexp(g: ONNXGraph, a: Value, b: Value) -> Value:
    gap = g.Neg(g.Abs(g.Sub(a, b)))
    same = g.Equal(a, b)
    rest = special_functions.log1p(g, g.Exp(where(g, same, constant(g, 0, a), gap)))
    return numerics.add(g, g.Max(a, b), rest)


def _copysign(g: ONNXGraph, a: Value, b: Value) -> Value:
    size = g.Abs(a)
    return where(g, special_functions.sign_bit(g, b), g.Neg(size), size)


def _heaviside(g: ONNXGraph, a: Value, b: Value) -> Value:
    zero, one = constant(g, 0, a), constant(g, 1, a)
    step = where(g, g.Less(a, zero), zero, where(g, g.IsNaN(a), a, one))
    return where(g, g.Equal(a, zero), b, step)


_BINARY: tuple[tuple[Any, numerics.Binary], ...] = (
    (np.add, numerics.add),
    (np.subtract, numerics.subtract),
    (np.multiply, numerics.multiply),
    (np.true_divide, numerics.true_divide),
    (np.floor_divide, numerics.floor_divide),
    (np.remainder, numerics.remainder),
    (np.fmod, numerics.fmod),
    (np.bitwise_and, numerics.bitwise_and),
    (np.bitwise_or, numerics.bitwise_or),
    (np.bitwise_xor, numerics.bitwise_xor),
    (np.left_shift, numerics.shift_left),
    (np.right_shift, numerics.shift_right),
    (np.maximum, _larger),
    (np.minimum, numerics.minimum),
    (np.fmax, _fmax(numerics.maximum)),
    (np.fmin, _fmax(numerics.minimum)),
    (np.arctan2, special_functions.arctan2),
    (np.hypot, _hypot),
    (np.logaddexp, _logaddexp),
    (np.copysign, _copysign),
    (np.heaviside, _heaviside),
    (np.float_power, numerics.float_power),
)
for _function, _pair in _BINARY:
    _binary(_function, _pair)


@lowers(np.power)
def power_of(
    w: Any, x1: Any, x2: Any, out: Any = None, *, where: Any = True, dtype: Any = None
) -> Any:
    """Raise to a power."""
    only_default(w, "power", where=where)
    a, b = operand(w, x1), operand(w, x2)
    result = _wanted(w, np.power, [a, b], dtype)
    broadcast(w, w.dims(a), w.dims(b))
    return finish(w, power(w, a, b, result), out)


@lowers(np.matmul)
def matrix_product(w: Any, x1: Any, x2: Any, out: Any = None) -> Any:
    """Multiply matrices."""
    a, b = operand(w, x1), operand(w, x2)
    return finish(w, matmul(w, a, b, result_dtype(w, np.matmul, a, b)), out)


@lowers(np.divmod)
def divide_with_remainder(w: Any, x1: Any, x2: Any) -> Any:
    """Quotient and remainder."""
    a, b = operand(w, x1), operand(w, x2)
    result = result_dtype(w, np.floor_divide, a, b)
    x, y = tensor(w, a, result), tensor(w, b, result)
    g = w.graph
    return wrap(w, numerics.floor_divide(g, x, y)), wrap(w, numerics.remainder(g, x, y))


@lowers(np.modf)
def fraction_and_whole(w: Any, x: Any) -> Any:
    """Fractional and whole part."""
    dtype = ask(w, np.modf, stand(w, x))[0].dtype
    value = tensor(w, x, dtype)
    g = w.graph
    whole = _trunc(g, value)
    rest = where(g, is_inf(g, value), constant(g, 0, value), g.Sub(value, whole))
    return wrap(w, rest), wrap(w, whole)


def _compared(function: np.ufunc, op: Any) -> None:
    def lowering(w: Any, x1: Any, x2: Any, out: Any) -> Any:
        return finish(w, comparison(w, op, operand(w, x1), operand(w, x2)), out)

    _whole(function, lowering)


_COMPARISONS: tuple[tuple[Any, Any], ...] = (
    (np.less, operator.lt),
    (np.less_equal, operator.le),
    (np.greater, operator.gt),
    (np.greater_equal, operator.ge),
    (np.equal, operator.eq),
    (np.not_equal, operator.ne),
)
for _function, _sign_of in _COMPARISONS:
    _compared(_function, _sign_of)


def _logical(function: np.ufunc, op: str) -> None:
    def lowering(w: Any, x1: Any, x2: Any, out: Any) -> Any:
        a, b = operand(w, x1), operand(w, x2)
        broadcast(w, w.dims(a), w.dims(b))
        return finish(w, w.graph.emit(op, [tensor(w, a, np.bool_), tensor(w, b, np.bool_)]), out)

    _whole(function, lowering)


_LOGICAL: tuple[tuple[Any, str], ...] = (
    (np.logical_and, "And"),
    (np.logical_or, "Or"),
    (np.logical_xor, "Xor"),
)
for _function, _name in _LOGICAL:
    _logical(_function, _name)


# Rounding, clipping, closeness


@lowers(np.round, np.around, np.ndarray.round)
def rounded(w: Any, a: Any, decimals: Any = 0, out: Any = None) -> Any:
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
        w.refuse("rounding ints to negative decimals is not compiled")
    return finish(w, value, out)


@lowers(np.clip)
def clip(
    w: Any, a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **kwargs: Any
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
    return finish(w, value, out)


@lowers(np.ndarray.clip)
def clip_method(w: Any, array: Any, min: Any = None, max: Any = None, out: Any = None) -> Any:
    """Limit to an interval."""
    return clip(w, array, min, max, out)


@lowers(np.nan_to_num)
def nan_to_num(
    w: Any, x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Replace nan and infinities."""
    if not static(w, copy, "copy"):
        w.refuse("`nan_to_num` with `copy=False` is not compiled")
    value, g = tensor(w, x), w.graph
    if dtype_of(value).kind == "f":
        ends: Any = np.finfo(dtype_of(value).name)
        top = ends.max if posinf is None else posinf
        low = ends.min if neginf is None else neginf
        shown = [tensor(w, one, dtype_of(value)) for one in (nan, top, low)]
        result = where(g, g.IsNaN(value), shown[0], value)
        result = where(g, _infinite(1)(g, value), shown[1], result)
        value = where(g, _infinite(-1)(g, value), shown[2], result)
    return wrap(w, value)


def close(
    w: Any, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
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
    made: Value = result
    return made


@lowers(np.isclose)
def isclose(
    w: Any, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
) -> Any:
    """Where two values are close."""
    return wrap(w, close(w, a, b, rtol, atol, equal_nan))


@lowers(np.allclose)
def allclose(
    w: Any, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
) -> Any:
    """Whether two values are close everywhere."""
    return w.scalar(bool, every(w.graph, close(w, a, b, rtol, atol, equal_nan)))


@lowers(np.array_equal)
def array_equal(w: Any, a1: Any, a2: Any, equal_nan: Any = False) -> Any:
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


# Methods of ufuncs


_REDUCTIONS: dict[Any, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}


@lowers(np.ufunc.reduce)
def reduce(
    w: Any,
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    **kwargs: Any,
) -> Any:
    """Reduce along axes."""
    from elichika.lowerings import numpy_reductions

    if ufunc in (np.fmax, np.fmin):
        only_default(w, "reduce", **kwargs)
        return numpy_reductions.extreme_number(w, ufunc, array, axis, out, keepdims)
    name = _REDUCTIONS.get(ufunc)
    if name is None:
        w.refuse(f"`{ufunc.__name__}.reduce` is not compiled")
    function = getattr(numpy_reductions, f"{name}_")
    if name in ("sum", "prod"):
        return function(w, array, axis, dtype, out, keepdims, **kwargs)
    return function(w, array, axis, out, keepdims, **kwargs)


@lowers(np.ufunc.accumulate)
def accumulate(
    w: Any, ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """Running sums and products."""
    from elichika.lowerings import numpy_reductions

    if ufunc is np.add:
        return numpy_reductions.cumsum(w, array, axis, dtype, out)
    if ufunc is np.multiply:
        return numpy_reductions.cumprod(w, array, axis, dtype, out)
    w.refuse(f"`{ufunc.__name__}.accumulate` is not compiled")


@lowers(np.ufunc.outer)
def outer(w: Any, ufunc: np.ufunc, A: Any, B: Any) -> Any:  # noqa: N803
    """Combine each pair of elements."""
    a, b = tensor(w, A), tensor(w, B)
    rank, more = len(dims_of(a)), len(dims_of(b))
    wide = w.graph.Unsqueeze(a, list(range(rank, rank + more))) if more else a
    left = fresh(w, wide) if dims_of(wide) else w.scalar(dtype_of(wide).type, wide)
    return w.call(ufunc, [left, B], {})


@lowers(np.ufunc.at)
def at(w: Any, ufunc: np.ufunc, a: Any, indices: Any, b: Any = None) -> None:
    """Add at indices, each time an index occurs."""
    from elichika.indexing import assigned, broadcast_into, plan, positions

    if ufunc not in (np.add, np.subtract):
        w.refuse(f"`{ufunc.__name__}.at` is not compiled")
    target = w.as_array(a)
    g, base = w.graph, w.read(target)
    dtype = dtype_of(base)
    given = np.ones(1, np.asarray(stand(w, b)).dtype)
    ask(w, np.add, np.ones(1, dtype), given, out=np.ones(1, dtype), casting="same_kind")
    carrier: Any = {"f": np.float32}.get(dtype.kind, np.int64)
    if dtype == np.float64:
        carrier = np.float64
    chosen = plan(w, dims_of(base), indices)
    places = chosen.read(g, positions(g, base))
    new = cast(g, broadcast_into(w, assigned(w, b, dtype), dims_of(places)), carrier)
    if ufunc is np.subtract:
        new = g.Neg(new)
    flat = g.Reshape(cast(g, base, carrier), [-1])
    total = g.ScatterElements(
        flat, g.Reshape(places, [-1]), g.Reshape(new, [-1]), axis=0, reduction="add"
    )
    shaped = g.Reshape(total, g.shape_tensor(dims_of(base)), allowzero=1)
    shaped.shape = base.shape
    w.write(target, cast(g, shaped, dtype))
