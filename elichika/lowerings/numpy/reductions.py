"""Sums, products, extremes and their places, tests of all elements: reductions along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import broadcast_into
from elichika.lowerings.numpy.arguments import (
    NOT_GIVEN,
    Size,
    along,
    axes_of,
    finish,
    out_of,
    require_out,
    static,
)
from elichika.lowerings.numpy.extremes import extreme, place_of, reduced
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.numbers.kernels import apply, cast, constant, where
from elichika.numbers.promotion import ask
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, is_known
from onnx_graph.dims import product

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

FEW = 16
"""Up to this many integers are multiplied without a Loop."""


def keeps(w: LoweringContext, keepdims: Any) -> int:
    """Return `keepdims` as ONNX has it."""
    return 0 if keepdims is NOT_GIVEN else int(bool(static(w, keepdims, "keepdims")))


def kept(w: LoweringContext, value: Value, where_: Any, neutral: Any) -> Value:
    """Return a value with a neutral number where numpy's `where` of a reduction does not hold."""
    if where_ is NOT_GIVEN or where_ is True:
        return value
    given = tensor(w, where_, np.bool_)
    if len(dims_of(given)) > len(dims_of(value)):
        message = "input operand has more dimensions than allowed by the axis remapping"
        w.raise_static(ValueError(message))
    flags = broadcast_into(w, given, dims_of(value))
    return where(w.graph, flags, value, tensor(w, neutral, dtype_of(value)))


def _summing(function: Any, op: str, one: int) -> Callable[..., Any]:
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
        a, target = operand(w, a), out_of(w, out)
        dtype = static(w, dtype, "dtype")
        if dtype is None and target is not None:  # numpy computes in that
            dtype = stand(w, target).dtype
        rank = len(w.dims(a))
        axes = axes_of(w, rank, axis)
        found = ask(w, function, stand(w, a), axis=axes if rank else None, dtype=dtype).dtype
        g, value = w.graph, tensor(w, a)
        if found == np.bool_:
            w.refuse("a sum of bools as a bool is not compiled", "use `np.any`")
        keep = keeps(w, keepdims)
        value = kept(w, value, where, one)
        if found.kind in "iu":
            small = dtype_of(value).kind == "b" or dtype_of(value).itemsize <= 4
            add = reduced if small and op == "ReduceSum" else _exact
            wide = np.dtype(np.int64)  # onnxruntime adds no empty uint64; the bits are the same
            total = cast(g, add(g, op, cast(g, value, wide), axes, keep), found)
        else:
            total = reduced(g, op, cast(g, value, found), axes, keep)
        if initial is not NOT_GIVEN:
            total = apply(g, "Mul" if one else "Add", [total, tensor(w, initial, found)])
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
    amount, left = product([dims[axis] for axis in axes]), [dims[axis] for axis in rest]
    flat = g.Transpose(value, perm=[*rest, *axes]) if len(dims) > 1 else value
    flat = g.Reshape(flat, g.shape_tensor([product(left), amount]), allowzero=1)
    if op == "ReduceSum":
        one = g.constant(np.ones((), dtype_of(value)))
        total = g.MatMul(flat, g.Expand(one, g.shape_tensor([amount, 1])))
    else:
        total = _multiplied(g, flat, amount)
    shape = [1 if axis in axes else dims[axis] for axis in range(len(dims))] if keepdims else left
    return g.Reshape(total, g.shape_tensor(shape), allowzero=1)


def _multiplied(g: ONNXGraph, flat: Value, amount: Size) -> Value:
    """Multiply the columns of a matrix, in a Loop where they are not few."""
    total = g.Expand(g.constant(np.ones((), dtype_of(flat))), g.shape_tensor([dims_of(flat)[0], 1]))
    if is_known(amount) and amount <= FEW:
        for number in range(amount):
            total = g.Mul(total, g.Gather(flat, np.array([number]), axis=1))
        return total
    body = g.body("product", loop=True)
    so_far = body.input(dtype_of(flat), dims_of(total))
    with body:
        column = g.Gather(flat, g.Unsqueeze(body.iteration, [0]), axis=1)
        multiplied = g.Mul(so_far, column)
    (total,) = g.Loop(g.dim_value(amount), None, body, initial=[total], carried=[multiplied])
    return total


sum_ = lowers(np.sum, np.ndarray.sum)(_summing(np.sum, "ReduceSum", 0))
prod_ = lowers(np.prod, np.ndarray.prod)(_summing(np.prod, "ReduceProd", 1))


# Extremes


EMPTY = "zero-size array to reduction operation {} which has no identity"


def _require_comparable(w: LoweringContext, value: Value, name: str) -> None:
    if dtype_of(value) == np.uint64:
        w.refuse(f"`{name}` of uint64 is not compiled", "use int64: `x.astype('int64')`")


def _require_elements(w: LoweringContext, value: Value, axes: Sequence[int], message: str) -> None:
    """Raise, or check, that there are elements along all of some axes."""
    amount = product([dims_of(value)[axis] for axis in axes])
    w.check(w.graph.compare(amount, "!=", 0), ValueError, message, (message,), exact=True)


def _finding(function: str, op: str, name: str) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NOT_GIVEN,
        where: Any = NOT_GIVEN,
    ) -> Any:
        value = tensor(w, a)
        axes = axes_of(w, len(dims_of(value)), axis)
        if where is not NOT_GIVEN:
            if initial is NOT_GIVEN:
                text = f"reduction operation '{function}' does not have an identity, so to use a "
                w.raise_static(ValueError(f"{text}where mask one has to specify 'initial'"))
            value = kept(w, value, where, initial)
        require_out(w, out, dtype_of(value))
        _require_comparable(w, value, name)
        if initial is NOT_GIVEN:
            _require_elements(w, value, axes, EMPTY.format(function))
        result = extreme(w.graph, op, value, axes, keeps(w, keepdims))
        if initial is not NOT_GIVEN:
            start = tensor(w, initial, dtype_of(value))
            result = apply(w.graph, op.removeprefix("Reduce"), [result, start])
        return finish(w, result, out)

    return lowering


max_ = lowers(np.max, np.ndarray.max)(_finding("maximum", "ReduceMax", "max"))
min_ = lowers(np.min, np.ndarray.min)(_finding("minimum", "ReduceMin", "min"))
if np.amax is not np.max:
    lowers(np.amax)(max_)
    lowers(np.amin)(min_)


def extreme_number(
    w: LoweringContext, ufunc: np.ufunc, a: Any, axis: Any, out: Any, keepdims: Any
) -> Any:
    """Reduce by `fmax` or `fmin`: the extreme of what is a number; nan where nothing is."""
    value, g = tensor(w, a), w.graph
    find, op, least = (
        (max_, "ReduceMax", -np.inf) if ufunc is np.fmax else (min_, "ReduceMin", np.inf)
    )
    if dtype_of(value).kind != "f":
        return find(w, a, axis, out, keepdims)
    require_out(w, out, dtype_of(value))
    axes, keep = axes_of(w, len(dims_of(value)), axis), keeps(w, keepdims)
    _require_elements(w, value, axes, EMPTY.format(ufunc.__name__))
    bad = g.IsNaN(value)
    numbers = where(g, bad, constant(g, least, value), value)
    result = reduced(g, op, numbers, axes, keep)
    nothing = all_of(g, bad, axes, keep)
    return finish(w, where(g, nothing, constant(g, np.nan, value), result), out)


@lowers(*{np.ptp, getattr(np.ndarray, "ptp", np.ptp)})  # the method is gone from numpy 2
def ptp(
    w: LoweringContext, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False
) -> Any:
    """Greatest minus least."""
    value, g = tensor(w, a), w.graph
    if dtype_of(value) == np.bool_:
        ask(w, np.ptp, stand(w, a))
    require_out(w, out, dtype_of(value))
    axes, keep = axes_of(w, len(dims_of(value)), axis), keeps(w, keepdims)
    _require_elements(w, value, axes, EMPTY.format("maximum"))
    ends = [extreme(g, op, value, axes, keep) for op in ("ReduceMax", "ReduceMin")]
    return finish(w, g.Sub(*ends), out)


def _placing(op: str, name: str) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext, a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NOT_GIVEN
    ) -> Any:
        value, g = tensor(w, a), w.graph
        keep = keeps(w, keepdims)
        require_out(w, out, np.dtype(np.int64))
        rank = len(dims_of(value))
        _require_comparable(w, value, name)
        if rank == 0 and axis is not None:
            ask(w, getattr(np, name), stand(w, a), static(w, axis, "axis"))
        whole = axis is None or rank == 0
        value, one = along(w, value, None if whole else axis)
        _require_elements(w, value, (one,), f"attempt to get {name} of an empty sequence")
        place = place_of(g, op, value, one, 0 if whole else keep)
        return finish(w, g.Reshape(place, [1] * rank) if whole and keep else place, out)

    return lowering


argmax_ = lowers(np.argmax, np.ndarray.argmax)(_placing("ArgMax", "argmax"))
argmin_ = lowers(np.argmin, np.ndarray.argmin)(_placing("ArgMin", "argmin"))


# Tests


def any_of(g: ONNXGraph, value: Value, axes: tuple[int, ...], keepdims: int = 0) -> Value:
    """Return whether any element is not zero."""
    flags = cast(g, value, np.bool_)
    if not axes:
        return flags
    total = g.ReduceSum(g.Cast(flags, to=np.int64), list(axes), keepdims=keepdims)
    return g.Greater(total, np.int64(0))


def all_of(g: ONNXGraph, value: Value, axes: tuple[int, ...], keepdims: int = 0) -> Value:
    """Return whether no element is zero."""
    return g.Not(any_of(g, g.Not(cast(g, value, np.bool_)), axes, keepdims))


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
        return finish(w, formula(w.graph, value, axes, keeps(w, keepdims)), out)

    return lowering


any_ = lowers(np.any, np.ndarray.any)(_testing("any", any_of))
all_ = lowers(np.all, np.ndarray.all)(_testing("all", all_of))


@lowers(np.count_nonzero)
def count_nonzero(w: LoweringContext, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """How many elements are not zero: a Python int where no axis is given."""
    value, g = tensor(w, a), w.graph
    axes = axes_of(w, len(dims_of(value)), axis)
    flags = g.Cast(cast(g, value, np.bool_), to=np.int64)
    keep = keeps(w, keepdims)
    total = reduced(g, "ReduceSum", flags, axes, keep)
    return w.scalar(int, total, 2**40) if axis is None and not keep else finish(w, total)
