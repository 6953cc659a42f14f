"""Sums, products, extremes, statistics: reductions along axes, and running ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import broadcast_into
from elichika.lowerings.numpy.arguments import (
    NOT_GIVEN,
    axes_of,
    axis_of,
    count,
    finish,
    fresh,
    is_empty,
    only_default,
    operand,
    require_out,
    require_same,
    stand,
    static,
    tensor,
)
from elichika.lowerings.numpy.extremes import extreme, place_of, reduced
from elichika.numbers.kernels import apply, cast, constant, where
from elichika.numbers.promotion import ask, wrap
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

FEW = 16
"""Up to this many integers are multiplied without a Loop."""


def _keeps(w: LoweringContext, keepdims: Any) -> int:
    return 0 if keepdims is NOT_GIVEN else int(bool(static(w, keepdims, "keepdims")))


def kept(w: LoweringContext, value: Value, where_: Any, neutral: Any) -> Value:
    """Return a value with a neutral number where numpy's `where` of a reduction does not hold."""
    if where_ is NOT_GIVEN or where_ is True:
        return value
    g: ONNXGraph = w.graph
    given = tensor(w, where_, np.bool_)
    if len(dims_of(given)) > len(dims_of(value)):
        message = "input operand has more dimensions than allowed by the axis remapping"
        w.raise_static(ValueError(message))
    flags = broadcast_into(w, given, dims_of(value))
    other = neutral if isinstance(neutral, Value) else constant(g, neutral, value)
    return where(g, flags, value, other)


def _summing(function: Any, op: str) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NOT_GIVEN,
        where: Any = NOT_GIVEN,
    ) -> Any:
        a = operand(w, a)
        dtype = static(w, dtype, "dtype")
        if dtype is None and out is not None:  # numpy computes in that
            dtype = stand(w, out[0] if isinstance(out, tuple) else out).dtype
        rank = len(w.dims(a))
        axes = axes_of(w, rank, axis)
        found = ask(w, function, stand(w, a), axis=axes if rank else None, dtype=dtype).dtype
        g, value = w.graph, tensor(w, a)
        if found == np.bool_:
            w.refuse("a sum of bools as a bool is not compiled", "use `np.any`")
        keeps = _keeps(w, keepdims)
        value = kept(w, value, where, 0 if op == "ReduceSum" else 1)
        if found.kind in "iu":
            small = dtype_of(value).kind == "b" or dtype_of(value).itemsize <= 4
            add = reduced if small and op == "ReduceSum" else _exact
            wide = np.dtype(np.int64)  # onnxruntime adds no empty uint64; the bits are the same
            total = cast(g, add(g, op, cast(g, value, wide), axes, keeps), found)
        else:
            total = reduced(g, op, cast(g, value, found), axes, keeps)
        if initial is not NOT_GIVEN:
            both = "Add" if op == "ReduceSum" else "Mul"
            total = apply(g, both, [total, tensor(w, initial, found)])
        return finish(w, total, out)

    return lowering


def _exact(g: ONNXGraph, op: str, value: Value, axes: tuple[int, ...], keepdims: int) -> Value:
    """Add or multiply 64-bit integers, which wrap as numpy's do.

    onnxruntime reduces them in double precision; MatMul and Mul are exact.
    """
    if not axes:
        return value
    dims = dims_of(value)
    rest = [axis for axis in range(len(dims)) if axis not in axes]
    amount, left = count([dims[axis] for axis in axes]), [dims[axis] for axis in rest]
    flat = g.Transpose(value, perm=[*rest, *axes]) if len(dims) > 1 else value
    flat = g.Reshape(flat, g.shape_tensor([count(left), amount]), allowzero=1)
    if op == "ReduceSum":
        one = g.constant(np.ones((), dtype_of(value)))
        total = g.MatMul(flat, g.Expand(one, g.shape_tensor([amount, 1])))
    else:
        total = _multiplied(g, flat, amount)
    shape = [1 if axis in axes else dims[axis] for axis in range(len(dims))] if keepdims else left
    result: Value = g.Reshape(total, g.shape_tensor(shape), allowzero=1)
    return result


def _multiplied(g: ONNXGraph, flat: Value, amount: Any) -> Value:
    """Multiply the columns of a matrix, in a Loop where they are not few."""
    total = g.Expand(g.constant(np.ones((), dtype_of(flat))), g.shape_tensor([dims_of(flat)[0], 1]))
    if isinstance(amount, int) and amount <= FEW:
        for column in range(amount):
            total = g.Mul(total, g.Gather(flat, np.array([column]), axis=1))
        return total
    body = g.body("product", loop=True)
    so_far = body.input(dtype_of(flat), dims_of(total))
    with body:
        column = g.Gather(flat, g.Unsqueeze(body.iteration, [0]), axis=1)
        product = g.Mul(so_far, column)
    (total,) = g.Loop(g.dim_value(amount), None, body, initial=[total], carried=[product])
    return total


sum_ = lowers(np.sum, np.ndarray.sum)(_summing(np.sum, "ReduceSum"))
prod_ = lowers(np.prod, np.ndarray.prod)(_summing(np.prod, "ReduceProd"))


def _require_some(w: LoweringContext, dims: Any, axes: tuple[int, ...], message: str) -> None:
    """Raise, or check, that something is reduced."""
    nothing = is_empty(w, [dims[axis] for axis in axes])
    if nothing is True:
        w.raise_static(ValueError(message))
    if nothing is not False:
        w.check(w.graph.Not(nothing), ValueError, message)


def _finding(function: Any, op: str, name: str) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NOT_GIVEN,
        where: Any = NOT_GIVEN,
    ) -> Any:
        value, g = tensor(w, a), w.graph
        dims = dims_of(value)
        axes = axes_of(w, len(dims), axis)
        if where is not NOT_GIVEN:
            if initial is NOT_GIVEN:
                text = f"reduction operation '{function}' does not have an identity, so to use a "
                w.raise_static(ValueError(f"{text}where mask one has to specify 'initial'"))
            value = kept(w, value, where, tensor(w, initial, dtype_of(value)))
        require_out(w, out, dtype_of(value))
        if dtype_of(value) == np.uint64:
            w.refuse(f"`{name}` of uint64 is not compiled", "use int64: `x.astype('int64')`")
        if initial is NOT_GIVEN:
            message = f"zero-size array to reduction operation {function} which has no identity"
            _require_some(w, dims, axes, message)
        result = extreme(g, op, value, axes, _keeps(w, keepdims))
        if initial is not NOT_GIVEN:
            start = tensor(w, initial, dtype_of(value))
            result = apply(g, op.removeprefix("Reduce"), [result, start])
        return finish(w, result, out)

    return lowering


def extreme_number(
    w: LoweringContext, ufunc: np.ufunc, a: Any, axis: Any, out: Any, keepdims: Any
) -> Any:
    """Reduce by `fmax` or `fmin`: the extreme of what is a number; nan where nothing is."""
    value, g = tensor(w, a), w.graph
    if dtype_of(value).kind != "f":
        return (max_ if ufunc is np.fmax else min_)(w, a, axis, out, keepdims)
    require_out(w, out, dtype_of(value))
    axes, keep = axes_of(w, len(dims_of(value)), axis), _keeps(w, keepdims)
    message = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
    _require_some(w, dims_of(value), axes, message)
    bad, least = g.IsNaN(value), -np.inf if ufunc is np.fmax else np.inf
    op = "ReduceMax" if ufunc is np.fmax else "ReduceMin"
    numbers = where(g, bad, constant(g, least, value), value)
    result = reduced(g, op, numbers, axes, keep)
    nothing = all_of(g, bad, axes, keep)
    return finish(w, where(g, nothing, constant(g, np.nan, value), result), out)


max_ = lowers(np.max, np.ndarray.max)(_finding("maximum", "ReduceMax", "max"))
min_ = lowers(np.min, np.ndarray.min)(_finding("minimum", "ReduceMin", "min"))
if np.amax is not np.max:
    lowers(np.amax)(max_)
    lowers(np.amin)(min_)


@lowers(*{np.ptp, getattr(np.ndarray, "ptp", np.ptp)})  # the method is gone from numpy 2
def ptp(
    w: LoweringContext, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False
) -> Any:
    """Greatest minus least."""
    value, g = tensor(w, a), w.graph
    if dtype_of(value) == np.bool_:
        ask(w, np.ptp, stand(w, a))
    require_out(w, out, dtype_of(value))
    axes = axes_of(w, len(dims_of(value)), axis)
    message = "zero-size array to reduction operation maximum which has no identity"
    _require_some(w, dims_of(value), axes, message)
    keep = _keeps(w, keepdims)
    ends = [extreme(g, op, value, axes, keep) for op in ("ReduceMax", "ReduceMin")]
    return finish(w, g.Sub(*ends), out)


def _placing(op: str, name: str) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext, a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NOT_GIVEN
    ) -> Any:
        value, g = tensor(w, a), w.graph
        keep = _keeps(w, keepdims)
        require_out(w, out, np.dtype(np.int64))
        rank = len(dims_of(value))
        if dtype_of(value) == np.uint64:
            w.refuse(f"`{name}` of uint64 is not compiled", "use int64: `x.astype('int64')`")
        whole = axis is None or rank == 0
        if whole:
            if rank == 0 and axis is not None:
                ask(w, getattr(np, name), stand(w, a), static(w, axis, "axis"))
            value, axis = g.Reshape(value, [-1]), 0
        one = axis_of(w, len(dims_of(value)), axis)
        message = f"attempt to get {name} of an empty sequence"
        _require_some(w, dims_of(value), (one,), message)
        place = place_of(g, op, value, one, 0 if whole else keep)
        if whole and keep:
            place = g.Reshape(place, [1] * rank)
        return finish(w, place, out)

    return lowering


argmax_ = lowers(np.argmax, np.ndarray.argmax)(_placing("ArgMax", "argmax"))
argmin_ = lowers(np.argmin, np.ndarray.argmin)(_placing("ArgMin", "argmin"))


def any_of(g: ONNXGraph, value: Value, axes: tuple[int, ...], keepdims: int = 0) -> Value:
    """Return whether any element is not zero."""
    flags = cast(g, value, np.bool_)
    if not axes:
        return flags
    total = g.ReduceSum(g.Cast(flags, to=np.int64), list(axes), keepdims=keepdims)
    result: Value = g.Greater(total, np.int64(0))
    return result


def all_of(g: ONNXGraph, value: Value, axes: tuple[int, ...], keepdims: int = 0) -> Value:
    """Return whether no element is zero."""
    result: Value = g.Not(any_of(g, g.Not(cast(g, value, np.bool_)), axes, keepdims))
    return result


def _testing(name: str, formula: Callable[..., Value]) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        *,
        where: Any = NOT_GIVEN,
    ) -> Any:
        value = kept(w, tensor(w, a), where, int(name == "all"))
        axes = axes_of(w, len(dims_of(value)), axis)
        return finish(w, formula(w.graph, value, axes, _keeps(w, keepdims)), out)

    return lowering


any_ = lowers(np.any, np.ndarray.any)(_testing("any", any_of))
all_ = lowers(np.all, np.ndarray.all)(_testing("all", all_of))


@lowers(np.count_nonzero)
def count_nonzero(w: LoweringContext, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """How many elements are not zero: a Python int where no axis is given."""
    value, g = tensor(w, a), w.graph
    axes = axes_of(w, len(dims_of(value)), axis)
    flags = g.Cast(cast(g, value, np.bool_), to=np.int64)
    keep = _keeps(w, keepdims)
    total = reduced(g, "ReduceSum", flags, axes, keep)
    return w.scalar(int, total, 2**40) if axis is None and not keep else finish(w, total)


# Statistics


def _amount(g: ONNXGraph, value: Value, axes: tuple[int, ...], dtype: Any) -> Value:
    return cast(g, g.dim_value(count([dims_of(value)[axis] for axis in axes])), dtype)


def averaged(g: ONNXGraph, value: Value, axes: tuple[int, ...], keepdims: int) -> Value:
    """Return the mean of floats; nan over nothing."""
    total = reduced(g, "ReduceSum", value, axes, keepdims)
    result: Value = g.Div(total, _amount(g, value, axes, dtype_of(value)))
    return result


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
    return finish(w, cast(w.graph, averaged(w.graph, value, axes, _keeps(w, keepdims)), found), out)


def _narrow(g: ONNXGraph, value: Value) -> Value:
    """Let float32 overflow where float16 does: numpy computes a variance in float16."""
    beyond = g.GreaterOrEqual(g.Abs(value), constant(g, 65520.0, value))
    result: Value = g.Where(beyond, g.Mul(value, constant(g, np.inf, value)), value)
    return result


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
    total = narrow(reduced(g, "ReduceSum", squares, axes, _keeps(w, keepdims)))
    if static(w, ddof, "ddof"):
        less = g.Sub(amount, constant(g, static(w, ddof, "ddof"), amount))
        amount = g.Max(less, constant(g, 0, amount))
    result: Value = g.Div(total, amount)
    return result, found


@lowers(np.var, np.ndarray.var)
def var(
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
    """The variance."""
    only_default(w, "var", where=where)
    value, found = variance(w, a, axis, dtype, ddof, keepdims)
    require_out(w, out, found)
    return finish(w, cast(w.graph, value, found), out)


@lowers(np.std, np.ndarray.std)
def std(
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
    """The standard deviation."""
    only_default(w, "std", where=where)
    value, found = variance(w, a, axis, dtype, ddof, keepdims)
    require_out(w, out, found)
    return finish(w, cast(w.graph, w.graph.Sqrt(value), found), out)


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
    """The mean, or a weighted one where the weights have the array's shape or one axis's."""
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
    axes, keep = axes_of(w, len(dims), axis), _keeps(w, keepdims)
    total = reduced(g, "ReduceSum", scale, axes, keep)
    zero = any_of(g, g.Equal(total, constant(g, 0, total)), tuple(range(len(dims_of(total)))))
    w.check(g.Not(zero), ZeroDivisionError, "Weights sum to zero, can't be normalized")
    weighed = reduced(g, "ReduceSum", g.Mul(value, scale), axes, keep)
    result = finish(w, g.Div(weighed, total))
    return (result, wrap(w, total)) if both else result


# Running sums and products


def _running(function: Any) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext, a: Any, axis: Any = None, dtype: Any = None, out: Any = None
    ) -> Any:
        g = w.graph
        dtype = static(w, dtype, "dtype")
        found = ask(w, function, stand(w, a), dtype=dtype).dtype
        require_out(w, out, found)
        value = tensor(w, a, found)
        if axis is None:
            value, axis = g.Reshape(value, [-1]), 0
        if not dims_of(value):
            value = g.Unsqueeze(value, [0])
        one = axis_of(w, len(dims_of(value)), axis)
        if function is np.cumsum:
            return finish(w, apply(g, "CumSum", [value, g.constant(np.int64(one))]), out)
        return finish(w, _running_product(w, value, one), out)

    return lowering


def _running_product(w: LoweringContext, value: Value, axis: int) -> Value:
    """Multiply along an axis in a Loop: ONNX has no cumulative product."""
    g: ONNXGraph = w.graph
    rank = len(dims_of(value))
    if dtype_of(value) == np.bool_:
        w.refuse("a running product of bools is not compiled", "make ints of them first")
    order = [axis, *(i for i in range(rank) if i != axis)]
    front = g.Transpose(value, perm=order) if axis else value
    rest = list(dims_of(front)[1:])
    one = constant(g, 1, value)
    start = g.Expand(one, g.shape_tensor(rest)) if rest else one
    body = g.body("running", loop=True)
    with body:
        carried = body.input(dtype_of(value), rest)
        row = g.Gather(front, body.iteration, axis=0)
        total = g.Mul(carried, row)
        total.shape = carried.shape
    length = g.dim_value(dims_of(front)[0])
    always = g.constant(np.array(True))
    _, rows = g.Loop(
        length, always, body, [start], carried=[total], scans=[total], cond_out=body.condition
    )
    back = [int(i) for i in np.argsort(order)]
    result: Value = g.Transpose(rows, perm=back) if axis else rows
    result.shape = value.shape
    return result


cumsum = lowers(np.cumsum, np.ndarray.cumsum)(_running(np.cumsum))
cumprod = lowers(np.cumprod, np.ndarray.cumprod)(_running(np.cumprod))


def _extended(w: LoweringContext, a: Any, axis: int, prepend: Any, append: Any) -> Any:
    """Return an array with what is put before and behind it along an axis."""
    parts = [operand(w, a)]
    dims = w.dims(parts[0])
    for place, end in ((0, prepend), (len(parts), append)):
        if end is NOT_GIVEN:
            continue
        end = operand(w, end)
        if not w.dims(end):
            sizes = w.graph.shape_tensor([1 if i == axis else d for i, d in enumerate(dims)])
            end = fresh(w, w.graph.Expand(tensor(w, end), sizes))
        parts.insert(place if place == 0 else len(parts), end)
    if len(parts) == 1:
        return a
    return w.call(np.concatenate, [tuple(parts)], {"axis": axis})


@lowers(np.diff)
def diff(
    w: LoweringContext,
    a: Any,
    n: Any = 1,
    axis: Any = -1,
    prepend: Any = NOT_GIVEN,
    append: Any = NOT_GIVEN,
) -> Any:
    """Differences of neighbours."""
    times = int(static(w, n, "n"))
    if times == 0:
        return a
    if times < 0:
        w.raise_static(ValueError(f"order must be non-negative but got {times!r}"))
    if not w.dims(operand(w, a)):
        w.raise_static(ValueError("diff requires input that is at least one dimensional"))
    g, one = w.graph, axis_of(w, len(w.dims(operand(w, a))), axis)
    value = tensor(w, _extended(w, a, one, prepend, append))
    for _ in range(times):
        low, high = np.array([0]), np.array([2**63 - 1])
        first = g.Slice(value, low, np.array([-1]), np.array([one]))
        later = g.Slice(value, np.array([1]), high, np.array([one]))
        differ = dtype_of(value) == np.bool_
        value = g.Xor(later, first) if differ else g.Sub(later, first)
    return finish(w, value)


# Without nan


def _skipping(function: Any, start: float, inner: Callable[..., Any]) -> Callable[..., Any]:
    def lowering(w: LoweringContext, a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        value, g = tensor(w, a), w.graph
        if dtype_of(value).kind == "f":
            value = where(g, g.IsNaN(value), constant(g, start, value), value)
        return inner(w, wrap(w, value), axis, *args, **kwargs)

    return lowering


lowers(np.nansum)(_skipping(np.nansum, 0.0, sum_))
lowers(np.nanprod)(_skipping(np.nanprod, 1.0, prod_))


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
    axes, keep = axes_of(w, len(dims_of(value)), axis), _keeps(w, keepdims)
    total = reduced(g, "ReduceSum", where(g, bad, constant(g, 0, value), value), axes, keep)
    amount = reduced(g, "ReduceSum", cast(g, g.Not(bad), dtype_of(value)), axes, keep)
    return finish(w, cast(g, g.Div(total, amount), found), out)
