"""What numpy's functions take: arrays and things like arrays, axes, shapes, `out`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import broadcast_into, unpacked
from elichika.iterators.base import SymbolicRange
from elichika.lowerings.numpy.ranges import numbers_of_range
from elichika.numbers.kernels import cast
from elichika.numbers.operators import require_shape
from elichika.numbers.promotion import ask, broadcast, representative, wrap
from elichika.values.symbolic import Array, Scalar, Var
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

Size = int | Dim
NOT_GIVEN = np._NoValue  # type: ignore[attr-defined]


def operand(w: LoweringContext, value: Any, dtype: Any = None) -> Any:
    """Return a thing like an array as an array or number, symbolic or not; in a dtype, if given."""
    value = w.narrow(value)
    if isinstance(value, (list, tuple)):
        if not w.is_symbolic(value):
            return np.asarray(unpacked(w, value))
        from elichika.lowerings.numpy.creation import array

        return array(w, value)
    if isinstance(value, SymbolicRange):
        return numbers_of_range(w, value, dtype)
    if type(value) is range:
        return np.asarray(value, dtype)
    if isinstance(value, Var) or not isinstance(
        value, (Array, Scalar, np.ndarray, np.generic, bool, int, float)
    ):
        kind = w.type_of(value).__name__
        way = (
            "take its `.array`, or a function of `F`" if kind in ("Variable", "Parameter") else None
        )
        w.refuse(f"a numpy function of a {kind} is not compiled", way)
    if isinstance(value, (Scalar, Array)):
        return value
    return w.as_array(value) if isinstance(value, np.ndarray) and w.is_symbolic(value) else value


def tensor(w: LoweringContext, value: Any, dtype: Any = None) -> Value:
    """Return a thing like an array as a graph value."""
    result: Value = w.value_of(operand(w, value, dtype), dtype)
    return result


def stand(w: LoweringContext, value: Any) -> Any:
    """Return a representative of a thing like an array."""
    return representative(w, operand(w, value))


def static(w: LoweringContext, value: Any, what: str) -> Any:
    """Return an argument that must be known now.

    Raises:
        StagingError: It is known only when the model runs.
    """
    value = w.whole(w.narrow(value))
    if type(value) is tuple:
        value = tuple(map(w.whole, value))
    if w.is_symbolic(value):
        w.refuse(
            f"`{what}` is known only when the model runs; the model needs it now",
            "decide with `if` between calls with values that are known",
        )
    return unpacked(w, value) if isinstance(value, (list, tuple)) else value


def only_default(w: LoweringContext, function: str, **keywords: Any) -> None:
    """Refuse keywords that are given and not compiled."""
    for name, value in keywords.items():
        if value is None or value is NOT_GIVEN or (name == "where" and value is True):
            continue
        w.refuse(f"`{name}` of `{function}` is not compiled")


def axes_of(w: LoweringContext, rank: int, axis: Any, like: Any = np.sum) -> tuple[int, ...]:
    """Return axes as numbers from 0 up; all of them for None.

    Args:
        w: The walker.
        rank: How many axes there are; of a single number, some functions take axis 0.
        axis: One axis, or a tuple or list of them.
        like: The function of numpy that raises what is wrong with them.
    """
    axis = static(w, axis, "axis")
    if axis is None:
        return tuple(range(rank))
    given = tuple(axis) if isinstance(axis, (list, tuple)) else axis
    ask(w, like, np.ones((1,) * rank), axis=given)
    if not rank:
        return ()
    return tuple(int(one) % rank for one in (given if isinstance(given, tuple) else (given,)))


def axis_of(w: LoweringContext, rank: int, axis: Any) -> int:
    """Return one axis as a number from 0 up."""
    (found,) = axes_of(w, rank, (int(static(w, axis, "axis")),))
    return found


def in_line(g: ONNXGraph, value: Value) -> Value:
    """Return a single number as a vector of one, anything else as it is."""
    return value if dims_of(value) else g.Reshape(value, [1])


def require_out(w: LoweringContext, out: Any, dtype: np.dtype[Any]) -> None:
    """Refuse an `out` of another dtype, in which numpy would compute."""
    if out is None or out is NOT_GIVEN:
        return
    (out,) = out if isinstance(out, tuple) else (out,)
    if stand(w, out).dtype != dtype:
        w.refuse(
            "an `out` whose dtype is not that of the result is not compiled here",
            "leave `out` out, and use `astype`",
        )


def count(dims: Sequence[Size]) -> Size:
    """Return the number of elements of a shape."""
    total: Size = 1
    for size in dims:
        total = total * size
    return total


def size_item(w: LoweringContext, item: Any) -> Any:
    """Return one size of a shape: an int, a size, or an int64 scalar value."""
    item = w.whole(w.narrow(item))
    if isinstance(item, Scalar):
        if item.dtype.kind not in "iub":
            w.raise_static(TypeError("'float' object cannot be interpreted as an integer"))
        return item.dim if item.dim is not None else w.value_of(item, np.int64)
    if isinstance(item, Array):
        return tensor(w, item, np.int64)
    try:
        return int(item.__index__())
    except (AttributeError, TypeError):
        w.raise_static(
            TypeError(f"'{type(item).__name__}' object cannot be interpreted as an integer")
        )


def shape_items(w: LoweringContext, shape: Any) -> list[Any]:
    """Return a shape as ints, sizes and int64 scalar values."""
    shape = w.narrow(shape)
    if isinstance(shape, SymbolicRange):
        w.refuse("a `range` as a shape is not compiled", "make a tuple of it")
    if isinstance(shape, (Array, np.ndarray)):
        value = tensor(w, shape, np.int64)
        dims = dims_of(value)
        if not dims:
            return [value]
        length = dims[0]
        if not isinstance(length, int):
            w.refuse("a shape of unknown length is not compiled", "write the shape as a tuple")
        assert isinstance(length, int)
        return [w.graph.Gather(value, np.int64(i), axis=0) for i in range(length)]
    if isinstance(shape, (list, tuple)):
        return [size_item(w, item) for item in w.items(shape)]
    return [size_item(w, shape)]


def finish(w: LoweringContext, value: Value, out: Any = None, *, spreads: bool = False) -> Any:
    """Return a result as numpy does: written to `out`, an array, or a numpy scalar.

    Args:
        w: The walker.
        value: The result.
        out: Where it is to be written, if anywhere.
        spreads: Whether `out` may be larger, as that of a ufunc.
    """
    if isinstance(out, tuple):
        (out,) = out
    out = w.narrow(out)
    if out is None or out is NOT_GIVEN:
        return wrap(w, value)
    target = representative(w, out)
    source = np.ones((1,) * len(dims_of(value)), dtype_of(value))
    if not np.can_cast(source.dtype, target.dtype, "same_kind"):
        ask(w, np.add, source, np.zeros((), source.dtype), out=target)
    into = w.as_array(out)
    broadcast(w, dims_of(value), w.dims(into))
    if spreads and len(dims_of(value)) <= len(w.dims(into)):
        value = broadcast_into(w, value, w.dims(into))
    else:
        require_shape(w, value, w.dims(into), "non-broadcastable output operand")
    w.write(into, cast(w.graph, value, target.dtype))
    return out


def fresh(w: LoweringContext, value: Value) -> Array:
    """Return a new array, 0-d ones included."""
    array: Array = w.new_array(value)
    return array


def require_same(
    w: LoweringContext,
    one: Sequence[Size],
    other: Sequence[Size],
    exception: type[Exception],
    message: str,
) -> None:
    """Raise, or check, that sizes are equal one by one."""
    g = w.graph
    for a, b in zip(one, other, strict=True):
        decided = compare(a, "==", b)
        if decided is False:
            w.raise_static(exception(message))
        if decided is None:
            w.check(g.Equal(g.dim_value(a), g.dim_value(b)), exception, message)


def is_empty(w: LoweringContext, dims: Sequence[Size]) -> bool | Value:
    """Tell whether a shape has no elements; a 0-d bool value where that is not known."""
    total = count(dims)
    decided = compare(total, "==", 0)
    if decided is not None:
        return decided
    result: Value = w.graph.Equal(w.graph.dim_value(total), np.int64(0))
    return result
