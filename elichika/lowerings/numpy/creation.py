"""Array creation routines, and numpy's types as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import unpacked
from elichika.iterators.base import SymbolicRange
from elichika.lowerings.numpy.arguments import (
    axis_of,
    count,
    fresh,
    only_default,
    operand,
    require_same,
    shape_items,
    size_item,
    stand,
    static,
    tensor,
)
from elichika.lowerings.numpy.ranges import array_of_range
from elichika.lowerings.numpy.shape import expanded, unsqueezed
from elichika.numbers.kernels import cast, choose, where
from elichika.numbers.promotion import ask, refuse_dtype, representative, wrap
from elichika.registry import lowers
from elichika.values.c_order import in_order, laid_out
from elichika.values.symbolic import Array, Scalar, Var
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _dtype(w: LoweringContext, dtype: Any) -> np.dtype[Any] | None:
    dtype = static(w, dtype, "dtype")
    if dtype is None:
        return None
    found: np.dtype[Any] = ask(w, np.dtype, dtype)
    if found.kind not in "biuf" or found.itemsize > 8:
        refuse_dtype(w, found)
    return found


def _leaves(w: LoweringContext, value: Any) -> list[Any]:
    value = w.narrow(value)
    if isinstance(value, (list, tuple)):
        return [leaf for item in w.items(value) for leaf in _leaves(w, item)]
    return [value]


def _nested(w: LoweringContext, value: Any, dtype: np.dtype[Any]) -> Value:
    """Return nested lists of numbers and arrays as one value."""
    value = w.narrow(value)
    if not isinstance(value, (list, tuple)):
        result: Value = tensor(w, value, dtype)
        return result
    if not w.is_symbolic(value):
        return w.graph.constant(np.array(unpacked(w, value), dtype))
    items = [_nested(w, item, dtype) for item in w.items(value)]
    if not items:
        return w.graph.constant(np.zeros(0, dtype))
    for item in items[1:]:
        one, other = dims_of(items[0]), dims_of(item)
        message = "setting an array element with a sequence; the shape is inhomogeneous"
        if len(one) != len(other):
            w.raise_static(ValueError(message))
        require_same(w, one, other, ValueError, message)
    made: Value = w.graph.Concat(*(w.graph.Unsqueeze(i, [0]) for i in items), axis=0)
    return made


def _natural(w: LoweringContext, value: Any) -> np.dtype[Any]:
    """Return the dtype numpy finds for nested lists."""
    leaves = _leaves(w, value)
    if any(isinstance(leaf, Var) for leaf in leaves):
        w.refuse("an array of Variables is not compiled", "use `F.stack`")
    found = ask(w, lambda: np.array([np.ravel(representative(w, leaf))[0] for leaf in leaves]))
    dtype: np.dtype[Any] = found.dtype
    if dtype.kind not in "biuf":
        refuse_dtype(w, dtype)
    return dtype


@lowers(np.array)
def array(
    w: LoweringContext,
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: Any = 0,
    like: Any = None,
) -> Any:
    """A new array; the object itself where `copy=False` and nothing changes."""
    only_default(w, "array", like=like)
    given = w.narrow(object)
    wanted = _dtype(w, dtype)
    if isinstance(given, (list, tuple)):
        value = _nested(w, given, wanted or _natural(w, given))
    else:
        if isinstance(given, SymbolicRange) and wanted is None and ndmin == 0:
            return array_of_range(w, given)
        given = operand(w, given, wanted)
        own = np.asarray(representative(w, given)).dtype
        same = wanted is None or wanted == own
        same = same and int(static(w, ndmin, "ndmin")) <= len(w.dims(given))
        if not static(w, copy, "copy") and same and isinstance(given, (Array, np.ndarray)):
            return _itself(w, given, static(w, order, "order"))
        value = tensor(w, given, wanted)
    missing = int(static(w, ndmin, "ndmin")) - len(dims_of(value))
    if missing > 0:
        value = w.graph.Unsqueeze(value, list(range(missing)))
    return laid_out(w, fresh(w, value), static(w, order, "order"), given)


def _itself(w: LoweringContext, array: Any, order: str | None) -> Any:
    """Return an array where numpy copies only what is in another order than it is asked for."""
    if order in ("K", "A", None):
        return array
    known = in_order(w, w.as_array(array))
    if known and (order == "C" or len(w.dims(array)) <= 1):
        return array
    made = laid_out(w, fresh(w, w.value_of(array)), order, array)
    return w.may_be(made, w.as_array(array))


@lowers(np.asarray, np.asanyarray)
def asarray(
    w: LoweringContext, a: Any, dtype: Any = None, order: Any = None, *, like: Any = None
) -> Any:
    """The array itself, if it is one of this dtype."""
    only_default(w, "asarray", like=like)
    if static(w, order, "order") not in (None, "K", "A", "C"):
        w.refuse(
            "`order` of `asarray` is not compiled",
            "leave it out: the arrays of a model have one layout",
        )
    return array(w, a, dtype, copy=False, order=order)


@lowers(np.ascontiguousarray)
def ascontiguousarray(w: LoweringContext, a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """The array itself where it is in C order, else a copy."""
    made = array(w, a, dtype, copy=False)
    value = w.value_of(made)
    if not dims_of(value):
        return unsqueezed(w, made, [0])
    return made if w.narrow(a) is not made else _itself(w, made, "C")


@lowers(np.copy)
def copy(w: LoweringContext, a: Any, order: Any = "K", subok: bool = False) -> Any:
    """A copy, always an array."""
    return laid_out(w, fresh(w, tensor(w, a)), static(w, order, "order"), w.narrow(a))


# Filled arrays


def filled(w: LoweringContext, shape: Any, value: Value) -> Any:
    """Return a fresh array of one number."""
    g: ONNXGraph = w.graph
    items = shape_items(w, shape)
    for item in items:
        legal = item >= 0 if isinstance(item, int) else None
        if isinstance(item, Dim):
            legal = compare(item, ">=", 0)
        if legal is False:
            w.raise_static(ValueError("negative dimensions are not allowed"))
        if legal is None:
            number = item if isinstance(item, Value) else g.dim_value(item)
            within = g.GreaterOrEqual(number, np.int64(0))
            w.check(within, ValueError, "negative dimensions are not allowed")
    return fresh(w, expanded(w, value, items) if items else value)


def _filling(number: int) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext, shape: Any, dtype: Any = None, order: Any = "C", *, like: Any = None
    ) -> Any:
        wanted = _dtype(w, float if dtype is None else dtype)
        made = filled(w, shape, w.graph.constant(np.array(number, wanted)))
        return laid_out(w, made, static(w, order, "order"))

    return lowering


lowers(np.zeros)(_filling(0))
lowers(np.ones)(_filling(1))
lowers(np.empty)(_filling(0))


@lowers(np.full)
def full(
    w: LoweringContext,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "C",
    *,
    like: Any = None,
) -> Any:
    """An array of one number, or of what broadcasts."""
    value = tensor(w, fill_value)
    made = filled(w, shape, cast(w.graph, value, _dtype(w, dtype) or dtype_of(value)))
    return laid_out(w, made, static(w, order, "order"))


def _like(number: int) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        dtype: Any = None,
        order: Any = "K",
        subok: Any = True,
        shape: Any = None,
    ) -> Any:
        a = operand(w, a)
        wanted = _dtype(w, dtype) or np.asarray(representative(w, a)).dtype
        sizes = tuple(map(w.dim_scalar, w.dims(a))) if shape is None else shape
        made = filled(w, sizes, w.graph.constant(np.array(number, wanted)))
        return laid_out(w, made, static(w, order, "order"), a)

    return lowering


lowers(np.zeros_like)(_like(0))
lowers(np.ones_like)(_like(1))
lowers(np.empty_like)(_like(0))


@lowers(np.full_like)
def full_like(
    w: LoweringContext,
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
) -> Any:
    """An array of one number, of the sizes of another."""
    a = operand(w, a)
    wanted = _dtype(w, dtype) or np.asarray(representative(w, a)).dtype
    sizes = tuple(map(w.dim_scalar, w.dims(a))) if shape is None else shape
    made = filled(w, sizes, cast(w.graph, tensor(w, fill_value), wanted))
    return laid_out(w, made, static(w, order, "order"), a)


# Ranges and matrices


@lowers(np.arange)
def arange(
    w: LoweringContext, *args: Any, dtype: Any = None, like: Any = None, **kwargs: Any
) -> Any:
    """Numbers from start up to stop; ints only, floats where all is known but the stop."""
    if len(args) > 3:
        args, dtype = args[:3], args[3]
    names = dict(zip(("start", "stop", "step"), args, strict=False))
    if len(args) == 1:
        names = {"stop": args[0]}
    names |= kwargs
    if "stop" not in names and "start" in names:
        names = {**names, "stop": names["start"], "start": 0}
    start, stop, step = (
        operand(w, names.get(n, d)) for n, d in (("start", 0), ("stop", 0), ("step", 1))
    )
    stands = [stand(w, n) for n in (start, stop, step)]
    wanted = _dtype(w, dtype)
    natural = ask(w, np.arange, *stands[:2], stands[2], dtype=wanted).dtype
    if natural == np.bool_:
        w.refuse("`arange` of bools is not compiled", "make it of ints, then `astype`")
    g: ONNXGraph = w.graph
    if any(np.asarray(one).dtype.kind == "f" for one in stands):
        return _float_range(w, start, stop, step, natural)
    numbers = [tensor(w, n, np.int64) for n in (start, stop, step)]
    if isinstance(step, Scalar):
        nonzero = g.Not(g.Equal(numbers[2], np.int64(0)))
        w.check(nonzero, ZeroDivisionError, "division by zero")
    return fresh(w, cast(g, g.Range(*numbers), natural))


def _float_range(w: LoweringContext, start: Any, stop: Any, step: Any, dtype: np.dtype[Any]) -> Any:
    """Compute as numpy: the length in float64, then `start + i * (start + step - start)`."""
    g: ONNXGraph = w.graph
    first, last, by = (tensor(w, n, np.float64) for n in (start, stop, step))
    if isinstance(step, Scalar):
        nonzero = g.Not(g.Equal(by, np.float64(0)))
        w.check(nonzero, ZeroDivisionError, "float division by zero")
    length = g.Ceil(g.Div(g.Sub(last, first), by))
    legal = g.Less(g.Abs(length), np.float64(2**40))
    w.check(legal, ValueError, "Maximum allowed size exceeded")
    places = g.Range(np.int64(0), g.Cast(length, to=np.int64), np.int64(1))
    if dtype.kind in "iu":
        w.refuse(
            "`arange` of ints with a float bound is not compiled",
            "make the bound an int: `math.ceil(stop)`",
        )
    low = cast(g, first, dtype)
    delta = g.Sub(cast(g, g.Add(first, by), dtype), low)
    return fresh(w, g.Add(low, g.Mul(cast(g, places, dtype), delta)))


@lowers(np.linspace)
def linspace(
    w: LoweringContext,
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    """Evenly spaced numbers between two ends that are numbers."""
    g: ONNXGraph = w.graph
    closed = bool(static(w, endpoint, "endpoint"))
    first, last = tensor(w, start), tensor(w, stop)
    if dims_of(first) or dims_of(last):
        w.refuse("`linspace` between arrays is not compiled", "scale a `linspace` from 0 to 1")
    wanted = _dtype(w, dtype) or ask(w, np.linspace, stand(w, start), stand(w, stop), 1).dtype
    work = np.float64
    first, last = cast(g, first, work), cast(g, last, work)
    axis_of(w, 1, axis)
    amount = size_item(w, num)
    if isinstance(amount, int) and amount < 0:
        w.raise_static(ValueError(f"Number of samples, {amount}, must be non-negative."))
    total = amount if isinstance(amount, Value) else g.dim_value(amount)
    if not isinstance(amount, int):
        legal = g.GreaterOrEqual(total, np.int64(0))
        w.check(legal, ValueError, "Number of samples must be non-negative.")
    places = cast(g, g.Range(np.int64(0), total, np.int64(1)), work)
    pieces = cast(g, g.Sub(total, np.int64(1)) if closed else total, work)
    none = g.Less(pieces, np.float64(1))
    step = g.Div(g.Sub(last, first), where(g, none, g.constant(np.float64(1)), pieces))
    values = g.Add(first, g.Mul(places, step))
    if closed:
        end = g.And(g.Equal(places, pieces), g.Not(none))
        values = choose(g, end, last, values)
    if wanted.kind in "iu":
        values = g.Floor(values)
    made = fresh(w, cast(g, values, wanted))
    if not static(w, retstep, "retstep"):
        return made
    return made, wrap(w, where(g, none, g.constant(np.float64(np.nan)), step))


@lowers(np.eye)
def eye(
    w: LoweringContext,
    N: Any,  # noqa: N803
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    order: Any = "C",
    *,
    like: Any = None,
) -> Any:
    """Ones on a diagonal."""
    g: ONNXGraph = w.graph
    rows, columns = _range(w, N), _range(w, N if M is None else M)
    shifted = g.Add(g.Unsqueeze(rows, [1]), tensor(w, k, np.int64))
    return fresh(w, cast(g, g.Equal(shifted, g.Unsqueeze(columns, [0])), _dtype(w, dtype)))


@lowers(np.identity)
def identity(w: LoweringContext, n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """A unit matrix."""
    return eye(w, n, dtype=float if dtype is None else dtype)


def _range(w: LoweringContext, length: Any) -> Value:
    item = size_item(w, length)
    number = item if isinstance(item, Value) else w.graph.dim_value(item)
    result: Value = w.graph.Range(np.int64(0), number, np.int64(1))
    return result


@lowers(np.tri)
def tri(
    w: LoweringContext,
    N: Any,  # noqa: N803
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    *,
    like: Any = None,
) -> Any:
    """Ones at and below a diagonal."""
    g: ONNXGraph = w.graph
    rows, columns = _range(w, N), _range(w, N if M is None else M)
    edge = g.Add(g.Unsqueeze(rows, [1]), tensor(w, k, np.int64))
    below = g.LessOrEqual(g.Unsqueeze(columns, [0]), edge)
    return fresh(w, cast(g, below, _dtype(w, dtype)))


def _triangle(upper: bool) -> Callable[..., Any]:
    def lowering(w: LoweringContext, m: Any, k: Any = 0) -> Any:
        value = tensor(w, m)
        g: ONNXGraph = w.graph
        dims = dims_of(value)
        if len(dims) < 2:
            w.refuse("a triangle of an array with less than two axes is not compiled")
        rows = g.Range(np.int64(0), g.dim_value(dims[-2]), np.int64(1))
        columns = g.Range(np.int64(0), g.dim_value(dims[-1]), np.int64(1))
        edge = g.Add(g.Unsqueeze(rows, [1]), tensor(w, k, np.int64))
        columns = g.Unsqueeze(columns, [0])
        left_out = g.Less(columns, edge) if upper else g.Greater(columns, edge)
        return fresh(w, where(g, left_out, g.constant(np.zeros((), dtype_of(value))), value))

    return lowering


lowers(np.triu)(_triangle(True))
lowers(np.tril)(_triangle(False))


@lowers(np.meshgrid)
def meshgrid(
    w: LoweringContext, *xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy"
) -> Any:
    """Coordinate matrices from vectors."""
    viewed = (
        () if static(w, copy, "copy") else [x for x in xi if isinstance(x, (Array, np.ndarray))]
    )
    g: ONNXGraph = w.graph
    vectors = [g.Reshape(tensor(w, x), [-1]) for x in xi]
    rank = len(vectors)
    places = list(range(rank))
    how = static(w, indexing, "indexing")
    if how not in ("xy", "ij"):
        w.raise_static(ValueError("Valid values for `indexing` are 'xy' and 'ij'."))
    if how == "xy" and rank > 1:
        places[0], places[1] = 1, 0
    shape: list[Any] = [1] * rank
    grids = []
    for vector, place in zip(vectors, places, strict=True):
        shape[place] = dims_of(vector)[0]
        grids.append(g.Unsqueeze(vector, [i for i in range(rank) if i != place]))
    if not static(w, sparse, "sparse"):
        grids = [g.Expand(grid, g.shape_tensor(shape)) for grid in grids]
    made = [fresh(w, grid) for grid in grids]
    for array in made if viewed else ():
        w.share(array, *map(w.as_array, viewed))
    return w.new_list(made)


@lowers(np.diag)
def diag(w: LoweringContext, v: Any, k: Any = 0) -> Any:
    """A matrix with a vector on a diagonal, or the diagonal of a matrix."""
    value = tensor(w, v)
    g: ONNXGraph = w.graph
    dims = dims_of(value)
    offset = int(static(w, k, "k"))
    if len(dims) == 2:
        from elichika.lowerings.numpy.linear_algebra import diagonal

        return diagonal(w, v, offset)
    if len(dims) != 1:
        w.raise_static(ValueError("Input must be 1- or 2-d."))
    size = dims[0] + abs(offset)
    indices = g.Range(np.int64(0), g.dim_value(size), np.int64(1))
    on = g.Equal(g.Add(g.Unsqueeze(indices, [1]), np.int64(offset)), g.Unsqueeze(indices, [0]))
    zero = np.zeros((), dtype_of(value))
    pad = g.constant(np.zeros(abs(offset), dtype_of(value)))
    line = (
        value if not offset else g.Concat(*([value, pad] if offset > 0 else [pad, value]), axis=0)
    )
    return fresh(w, choose(g, on, g.Unsqueeze(line, [1]), g.constant(zero)))


# numpy's types as functions


def _typed(kind: type) -> Callable[..., Any]:
    def lowering(w: LoweringContext, value: Any = 0) -> Any:
        given = operand(w, value)
        result = cast(w.graph, tensor(w, given), kind)
        if kind is np.float64 and not isinstance(given, Scalar):
            result = _as_float(w, result)
        is_array = isinstance(given, (Array, np.ndarray)) and bool(dims_of(result))
        if is_array and dtype_of(w.value_of(given)) == kind:  # numpy gives the array itself
            return given
        return wrap(w, result)

    return lowering


def _as_float(w: LoweringContext, value: Value) -> Value:
    """Make a number of an array of one element, as `numpy.float64` does and the others do not."""
    dims = dims_of(value)
    single = compare(count(dims), "==", 1) if dims else False
    if single is True:
        result: Value = w.graph.Reshape(value, w.graph.constant(np.zeros(0, np.int64)))
        return result
    if single is None:
        several = w.graph.Not(w.graph.Equal(w.graph.dim_value(count(dims)), np.int64(1)))
        message = "`numpy.float64` makes a number of an array of one element; use `astype`"
        w.check(several, TypeError, message)
    return value


for _kind in (
    np.bool_,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
):
    lowers(_kind)(_typed(_kind))
