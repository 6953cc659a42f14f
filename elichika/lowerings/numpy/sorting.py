"""Sorting, searching, counting, choosing."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import (
    along,
    axes_of,
    axis_of,
    finish,
    in_line,
    integral,
    only_default,
    static,
    without_fractions,
)
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.numbers.kernels import apply, cast, choose, constant, every, where
from elichika.numbers.operators import comparison
from elichika.numbers.promotion import ask, broadcast, result_dtype, wrap
from elichika.numbers.sizes import require_same
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of
from onnx_graph.failing import demanded

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def sorted_values(w: LoweringContext, value: Value, axis: int) -> tuple[Value, Value]:
    """Return a value in ascending order along an axis, and the places; nan come last."""
    g: ONNXGraph = w.graph
    dtype = dtype_of(value)
    if dtype == np.uint64:
        w.refuse("sorting uint64 is not compiled", "use int64: `x.astype('int64')`")
    size = g.shape_tensor([dims_of(value)[axis]])
    carrier = {"bool": "int32", "uint16": "int32", "uint32": "int64"}.get(dtype.name)
    keys = cast(g, value, carrier) if carrier else value
    if dtype.kind == "f":  # TopK promises nothing of nan: sort them as infinite, behind infinity
        bad = g.IsNaN(value)
        keys = where(g, bad, constant(g, np.inf, value), value)
        _, places = g.TopK(keys, size, axis=axis, largest=0, sorted=1, outputs=2)
        late = cast(g, g.GatherElements(g.Cast(bad, to=np.int32), places, axis=axis), np.int32)
        _, order = g.TopK(late, size, axis=axis, largest=0, sorted=1, outputs=2)
        places = g.GatherElements(places, order, axis=axis)
        values = g.GatherElements(value, places, axis=axis)
    else:
        values, places = g.TopK(keys, size, axis=axis, largest=0, sorted=1, outputs=2)
        values = cast(g, values, dtype)
    values.shape = places.shape = value.shape
    return values, places


def _require_legal(w: LoweringContext, sort: Any, order: Any, options: dict[str, Any]) -> None:
    only_default(w, "sort", order=order)
    ask(w, sort, **{name: static(w, value, name) for name, value in options.items()})


@lowers(np.ndarray.sort)
def sort(
    w: LoweringContext, array: Any, axis: Any = -1, kind: Any = None, order: Any = None, **more: Any
) -> None:
    """Sort in place."""
    _require_legal(w, np.ones(1).sort, order, {"kind": kind, **more})
    target = w.as_array(array)
    (axis,) = axes_of(w, len(w.dims(target)), axis)
    w.write(target, sorted_values(w, w.read(target), axis)[0])


@lowers(np.argsort, np.ndarray.argsort)
def argsort(
    w: LoweringContext, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **more: Any
) -> Any:
    """The places that sort; among equals the first comes first, as with a stable sort."""
    _require_legal(w, np.ones(1).argsort, order, {"kind": kind, **more})
    value = in_line(w.graph, tensor(w, a))
    return w.new_array(sorted_values(w, *along(w, value, axis))[1])


# Where


@lowers(np.where)
def where_(w: LoweringContext, condition: Any, x: Any = None, y: Any = None) -> Any:
    """Choose between two, or the places that hold."""
    if x is None and y is None:
        return nonzero(w, condition)
    chosen = operand(w, condition)
    a, b = operand(w, x), operand(w, y)

    def chosen_from(one: Any, other: Any) -> Any:
        return np.where(np.ones(np.ndim(stand(w, chosen)) and 1, bool), one, other)

    dtype = result_dtype(w, chosen_from, a, b)
    broadcast(w, w.dims(chosen), w.dims(a), w.dims(b))
    flags = tensor(w, chosen, np.bool_)
    return w.new_array(choose(w.graph, flags, tensor(w, a, dtype), tensor(w, b, dtype)))


def places_of(w: LoweringContext, value: Value) -> Value:
    """Return the places that are not zero, one row for each axis."""
    g: ONNXGraph = w.graph
    flags = cast(g, value, np.bool_)
    key = ("nonzero", flags)
    found = g.memoised(g.scope, key)
    if found is None:
        found = g.scope.memo[key] = g.NonZero(flags)
    return found


@lowers(np.nonzero, np.ndarray.nonzero)
def nonzero(w: LoweringContext, a: Any) -> Any:
    """The places that are not zero, one vector for each axis."""
    value = in_line(w.graph, tensor(w, a))
    rank = len(dims_of(value))
    found = places_of(w, value)
    return tuple(w.new_array(w.graph.Gather(found, np.int64(i), axis=0)) for i in range(rank))


@lowers(np.argwhere)
def argwhere(w: LoweringContext, a: Any) -> Any:
    """The places that are not zero, one row for each."""
    value = tensor(w, a)
    rows = w.graph.Transpose(places_of(w, in_line(w.graph, value)), perm=[1, 0])
    if not dims_of(value):
        rows = w.graph.Slice(rows, np.array([0]), np.array([0]), np.array([1]))
    return w.new_array(rows)


@lowers(np.searchsorted, np.ndarray.searchsorted)
def searchsorted(w: LoweringContext, a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Where to insert numbers into a sorted vector: how many come before."""
    only_default(w, "searchsorted", sorter=sorter)
    g = w.graph
    line, numbers = operand(w, a), operand(w, v)
    if (depth := len(w.dims(line))) != 1:
        how = "object too deep" if depth else "object of too small depth"
        w.raise_static(ValueError(f"{how} for desired array"))
    both = [dtype_of(tensor(w, one)) for one in (line, numbers)]
    if all(one.kind in "biu" and one != np.uint64 for one in both):
        common = np.dtype(np.int64)
    else:
        common = result_dtype(w, np.add, line, numbers)
    keys, wanted = tensor(w, line, common), tensor(w, numbers, common)
    rank = len(dims_of(wanted))
    asked = static(w, side, "side")
    ask(w, np.searchsorted, np.zeros(1), 0, asked)  # which sides there are
    op = "Less" if asked[0] in "lL" else "LessOrEqual"
    before = apply(g, op, [keys, g.Unsqueeze(wanted, [rank])])
    if common.kind == "f":  # nan comes after everything
        bad = g.Unsqueeze(g.IsNaN(wanted), [rank])
        last = g.IsNaN(keys) if op == "LessOrEqual" else None
        behind = g.Or(g.Not(g.IsNaN(keys)), last) if last is not None else g.Not(g.IsNaN(keys))
        before = g.Or(before, g.And(bad, behind))
    total = g.ReduceSum(g.Cast(before, to=np.int64), [rank], keepdims=0)
    return wrap(w, total)


def _unique_floats(w: LoweringContext, value: Value, equal_nan: bool) -> tuple[Value, ...]:
    """Return what ONNX's `Unique` does, of floats: onnxruntime's keeps every nan apart.

    Sorted neighbours that differ begin a new element; all nan, which come last, are one.
    """
    g: ONNXGraph = w.graph
    ordered, places = sorted_values(w, value, 0)
    end = np.array([np.iinfo(np.int64).max])
    before = g.Slice(ordered, np.array([0]), np.array([-1]), np.array([0]))
    after = g.Slice(ordered, np.array([1]), end, np.array([0]))
    differ = g.Not(g.Equal(before, after))
    if equal_nan:
        differ = g.And(differ, g.Not(g.And(g.IsNaN(before), g.IsNaN(after))))
    some = g.Min(g.shape_tensor(dims_of(value)), np.array([1]))
    begins = g.Concat(g.Expand(np.array(True), some), differ, axis=0)
    starts = g.Squeeze(g.NonZero(begins), [0])
    number = g.Sub(g.CumSum(g.Cast(begins, to=np.int64), np.int64(0)), np.int64(1))
    inverse = g.ScatterElements(number, places, number, axis=0)
    ends = g.Concat(
        g.Slice(starts, np.array([1]), end, np.array([0])),
        g.Mul(g.shape_tensor(dims_of(value)), some),
        axis=0,
    )
    ends = g.Slice(ends, np.array([0]), g.Shape(starts), np.array([0]))
    return (
        g.Gather(ordered, starts, axis=0),
        g.Gather(places, starts, axis=0),
        inverse,
        g.Sub(ends, starts),
    )


@lowers(np.unique)
def unique(w: LoweringContext, ar: Any, *args: Any, **kwargs: Any) -> Any:
    """The sorted unique elements, and what else is asked for."""
    names = ("return_index", "return_inverse", "return_counts", "axis", "equal_nan")
    asked = dict(zip(names, args, strict=False)) | kwargs
    asked = {name: static(w, value, name) for name, value in asked.items()}
    axis = asked.pop("axis", None)
    g = w.graph
    value = tensor(w, ar)
    if axis is not None and len(dims_of(value)) != 1:
        w.refuse("`unique` along an axis is not compiled")
    if axis is not None:
        axis_of(w, 1, axis)
    value = g.Reshape(value, [-1])
    dtype = dtype_of(value)
    if dtype.kind == "f":
        alike = bool(asked.pop("equal_nan", True)) and axis is None  # rows with nan are never alike
        if axis is not None and dtype == np.float16:  # numpy sorts these rows in no fixed order
            numbers = every(g, g.Not(g.IsNaN(value)))
            w.check(numbers, ValueError, "the order of nan is not defined")
        results = _unique_floats(w, value, alike)
    else:
        results = g.Unique(cast(g, value, np.int64), axis=0, sorted=1, outputs=4)
    made = [w.new_array(cast(g, results[0], dtype))]
    for name, result in zip(names, results[1:], strict=False):
        if asked.get(name):
            made.append(w.new_array(result))
    return made[0] if len(made) == 1 else tuple(made)


def _weights(w: LoweringContext, value: Value, weights: Any) -> Value:
    """Return the weights of `bincount`: as many as there are numbers."""
    given = tensor(w, weights, np.float64)
    if len(dims_of(given)) != 1:
        w.raise_static(ValueError("object too deep for desired array"))
    message = "The weights and list don't have the same length."
    require_same(w, dims_of(given), dims_of(value), ValueError, message)
    return given


@lowers(np.bincount)
def bincount(w: LoweringContext, x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each number from 0 up occurs."""
    g = w.graph
    value = tensor(w, x)
    if dtype_of(value).kind not in "iub" or len(dims_of(value)) != 1:
        ask(w, np.bincount, stand(w, x))
    value = cast(g, value, np.int64)
    least = g.ReduceMin(g.Concat(value, np.zeros(1, np.int64), axis=0), keepdims=0)
    w.check(
        g.GreaterOrEqual(least, np.int64(0)),
        ValueError,
        "'list' argument must have no negative elements",
    )
    top = g.ReduceMax(g.Concat(value, np.full(1, -1), axis=0), keepdims=0)
    least = integral(w, minlength)
    legal = g.GreaterOrEqual(least, np.int64(0))
    w.check(legal, ValueError, "'minlength' must not be negative")
    length = g.Max(g.Add(top, np.int64(1)), least)
    dtype = np.dtype(np.int64 if weights is None else np.float64)
    zeros = g.Expand(np.zeros((), dtype), g.shape_tensor([length]))
    if weights is None:
        ones = g.Expand(np.int64(1), g.shape_tensor([dims_of(value)[0]]))
    else:  # of none, numpy gives ints
        some = g.Greater(g.size(value, 0), np.int64(0))
        w.check(some, ValueError, "weights of no items have another dtype")
        ones = _weights(w, value, weights)
    return w.new_array(g.ScatterElements(zeros, value, ones, axis=0, reduction="add"))


# Choosing elements


@lowers(np.take, np.ndarray.take)
def take(
    w: LoweringContext, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise"
) -> Any:
    """Elements at indices along an axis."""
    g = w.graph
    value, axis = along(w, in_line(g, tensor(w, a)), axis)
    ranged = w.type_of(w.narrow(indices)) is range
    places = operand(w, without_fractions(w, indices), np.int64 if ranged else None)
    nothing = not w.is_symbolic(places) and not np.size(places)
    index = tensor(w, places, np.int64 if nothing else None)
    if dtype_of(index).kind not in "iub":
        w.raise_static(TypeError("Cannot cast array data to dtype('int64') by the rule 'safe'"))
    index = cast(g, index, np.int64)
    how = static(w, mode, "mode")
    size = g.dim_value(dims_of(value)[axis])
    if how == "wrap":
        index = g.Mod(index, g.Max(size, np.int64(1)))
    elif how == "clip":
        index = g.Max(g.Min(index, g.Sub(size, np.int64(1))), np.int64(0))
    return finish(w, demanded(g.Gather(value, index, axis=axis)), out)


@lowers(np.take_along_axis)
def take_along_axis(w: LoweringContext, arr: Any, indices: Any, axis: Any) -> Any:
    """Elements at indices that differ from row to row."""
    g = w.graph
    value, index = tensor(w, arr), tensor(w, indices)
    if dtype_of(index).kind not in "iu":
        w.raise_static(IndexError("`indices` must be an integer array"))
    if static(w, axis, "axis") is None:
        value, axis = g.Reshape(value, [-1]), 0
    rank = len(dims_of(value))
    if len(dims_of(index)) != rank:
        w.raise_static(ValueError("`indices` and `arr` must have the same number of dimensions"))
    one = axis_of(w, rank, axis)
    index = cast(g, index, np.int64)
    for other in range(rank):
        if other == one:
            continue
        mine, its = dims_of(value)[other], dims_of(index)[other]
        if compare(mine, "==", its):
            continue
        shape: list[Any] = [1] * rank
        shape[other] = its
        index = g.Expand(index, g.shape_tensor([mine if i == other else 1 for i in range(rank)]))
        shape[other] = dims_of(index)[other]
        repeated = [shape[other] if i == other else 1 for i in range(rank)]
        value = g.Expand(value, g.shape_tensor(repeated))
    return wrap(w, demanded(g.GatherElements(value, index, axis=one)))


@lowers(np.compress)
def compress(w: LoweringContext, condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Slices along an axis where a vector holds."""
    g = w.graph
    value, axis = along(w, in_line(g, tensor(w, a)), axis)
    places = g.Squeeze(places_of(w, tensor(w, condition, np.bool_)), [0])
    return finish(w, demanded(g.Gather(value, places, axis=axis)), out)


@lowers(np.ndarray.compress)
def compress_method(
    w: LoweringContext, a: Any, condition: Any, axis: Any = None, out: Any = None
) -> Any:
    """Slices along an axis where a vector holds."""
    return compress(w, condition, a, axis, out)


@lowers(np.extract)
def extract(w: LoweringContext, condition: Any, arr: Any) -> Any:
    """Elements where a condition holds, which may have fewer elements than there are."""
    flags = w.new_array(w.graph.Reshape(tensor(w, condition, np.bool_), [-1]))
    return compress(w, flags, arr)


def _common_dtype(w: LoweringContext, choices: list[Any], default: Any) -> np.dtype[Any]:
    """Return the dtype of `np.select`: the choices count first, then the default."""
    first = ask(w, np.result_type, *(np.asarray(stand(w, c)) for c in choices))
    like = np.ones(1, first)

    def joined(_: Any, other: Any) -> Any:
        return np.empty(1, np.result_type(first, np.asarray(other)))

    return result_dtype(w, joined, like, default)


@lowers(np.select)
def select(w: LoweringContext, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The first of several choices whose condition holds; numpy's own code writes by masks."""
    conditions = [operand(w, c) for c in w.items(condlist)]
    choices = [operand(w, c) for c in w.items(choicelist)]
    if len(conditions) != len(choices):
        w.raise_static(ValueError("list of cases must be same length as list of conditions"))
    result = operand(w, default)
    dtype = _common_dtype(w, choices, result)
    for choice in choices:  # numpy copies whole arrays of them
        own = np.asarray(stand(w, choice)).dtype
        ask(w, np.copyto, np.zeros(1, dtype), np.zeros(1, own))
    value = tensor(w, result, dtype)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        if dtype_of(tensor(w, condition)) != np.bool_:
            w.raise_static(TypeError("invalid entry in condlist: should be boolean ndarray"))
        value = choose(w.graph, tensor(w, condition), tensor(w, choice, dtype), value)
    return w.new_array(value)


@lowers(np.isin)
def isin(
    w: LoweringContext,
    element: Any,
    test_elements: Any,
    assume_unique: Any = False,
    invert: Any = False,
) -> Any:
    """Where an element is one of several."""
    g = w.graph
    line = w.new_array(g.Reshape(tensor(w, test_elements), [-1]))
    value = tensor(w, element)
    wide = w.new_array(g.Unsqueeze(value, [len(dims_of(value))]))
    equal = comparison(w, operator.eq, wide, line)
    axis = len(dims_of(value))
    total = g.ReduceSum(g.Cast(equal, to=np.int64), [axis], keepdims=0)
    found = g.Greater(total, np.int64(0))
    return w.new_array(g.Not(found) if static(w, invert, "invert") else found)
