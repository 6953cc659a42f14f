"""Arguments that numpy's functions share: axes, shapes, `out`, those that must be known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import broadcast_into, unpacked
from elichika.iterators.base import SymbolicRange
from elichika.lowerings.numpy.operands import stand, tensor
from elichika.numbers.kernels import cast
from elichika.numbers.operators import require_shape
from elichika.numbers.promotion import ask, broadcast, representative, wrap
from elichika.values.kinds import (
    is_array,
    is_choice,
    is_function,
    is_integral,
    is_listed,
    is_number,
    type_of_number,
)
from elichika.values.symbolic import Array, Scalar
from elichika.values.words import a_or_an
from onnx_graph import Dim, ONNXGraph, Value, dims_of, dtype_of, is_known

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

Size = int | Dim
NOT_GIVEN = np._NoValue  # type: ignore[attr-defined]


def static(w: LoweringContext, value: Any, what: str) -> Any:
    """Return an argument that must be known while compiling.

    Raises:
        StagingError: It is known only when the model runs.
    """
    value = w.whole(w.narrow(value), by_numpy=True)
    if type(value) is tuple:
        value = tuple(w.whole(part, by_numpy=True) for part in value)
    if w.is_symbolic(value):
        w.refuse(
            f"`{what}` is known only when the model runs, and is needed while compiling",
            "decide with `if` between calls with values that are known",
        )
    return unpacked(w, value) if is_listed(value) else value


def only_default(w: LoweringContext, function: str, **keywords: Any) -> None:
    """Refuse keywords that are given and not compiled."""
    for name, value in keywords.items():
        if value is None or value is NOT_GIVEN or (name == "where" and value is True):
            continue
        w.refuse(f"`{name}` of `{function}` is not compiled")


# Axes


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
    ask(w, like, np.ones((1,) * rank), axis=tuple(axis) if is_listed(axis) else axis)
    return tuple(int(one) % rank for one in several(axis)) if rank else ()


def axis_of(w: LoweringContext, rank: int, axis: Any) -> int:
    """Return one axis as a number from 0 up."""
    (found,) = axes_of(w, rank, (int(static(w, axis, "axis")),))
    return found


def along(w: LoweringContext, value: Value, axis: Any) -> tuple[Value, int]:
    """Return a value and one of its axes; without an axis, the value flat and its only one."""
    if static(w, axis, "axis") is None:
        return w.graph.Reshape(value, [-1]), 0
    return value, axis_of(w, len(dims_of(value)), axis)


def several(given: Any) -> tuple[Any, ...]:
    """Return a list or tuple as a tuple, and one thing as a tuple of it."""
    return tuple(given) if is_listed(given) else (given,)


def in_line(g: ONNXGraph, value: Value) -> Value:
    """Return a single number as a vector of one, anything else as it is."""
    return value if dims_of(value) else g.Reshape(value, [1])


# Shapes


def integral(w: LoweringContext, value: Any) -> Value:
    """Return ints as int64.

    Raises:
        TypeError: They are no ints.
    """
    held = tensor(w, value)
    if dtype_of(held).kind not in "iub":
        w.raise_static(TypeError("'float' object cannot be interpreted as an integer"))
    return cast(w.graph, held, np.int64)


def is_fraction(value: Any) -> bool:
    """Tell whether a value is one float."""
    return is_number(value) and np.dtype(type_of_number(value)).kind == "f"


def without_fractions(w: LoweringContext, value: Any) -> Any:
    """Return indices or amounts: numpy makes ints of floats, alone and in lists, not of arrays."""
    value = w.narrow(value)
    if is_listed(value) and not w.is_dynamic(value):
        return [without_fractions(w, one) for one in w.items(value)]
    return w.call(int, [value], {}) if is_fraction(value) else value


def size_item(w: LoweringContext, item: Any) -> Any:
    """Return one size of a shape: an int, a size, or an int64 scalar value."""
    item = w.whole(w.narrow(item), by_numpy=True)
    if isinstance(item, Scalar):
        if item.dtype.kind not in "iub":
            w.raise_static(TypeError("'float' object cannot be interpreted as an integer"))
        return item.dim if item.dim is not None else w.value_of(item, np.int64)
    if isinstance(item, Array):
        if w.dims(item) or dtype_of(tensor(w, item)).kind not in "iu":
            text = "only integer scalar arrays can be converted to a scalar index"
            w.raise_static(TypeError(text))
        return integral(w, item)
    if is_choice(item):
        if not all(map(is_integral, map(w.narrow, item.alternatives))):
            w.refuse("a size is one of several things here, and not each of them is an int")
        return w.value_of(item, np.int64)
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
    if is_listed(shape):
        return [size_item(w, item) for item in w.items(shape)]
    if not is_array(shape):
        if is_function(w.special(shape, "__len__")):
            name = a_or_an(w.type_of(shape).__name__)
            w.refuse(f"{name} as a shape is not compiled", "make a tuple of it")
        return [size_item(w, shape)]
    value = integral(w, shape)
    dims = dims_of(value)
    if not dims:
        return [value]
    length = dims[0]
    if not is_known(length):
        w.refuse("a shape of unknown length is not compiled", "write the shape as a tuple")
    return [w.graph.Gather(value, np.int64(i), axis=0) for i in range(length)]


# Results


def out_of(w: LoweringContext, out: Any) -> Any:
    """Return where a result is to be written, None for nowhere."""
    if isinstance(out, tuple):
        (out,) = out
    out = w.narrow(out)
    return None if out is NOT_GIVEN else out


def require_out(w: LoweringContext, out: Any, dtype: np.dtype[Any]) -> None:
    """Refuse an `out` of another dtype, in which numpy would compute."""
    out = out_of(w, out)
    if out is not None and stand(w, out).dtype != dtype:
        w.refuse(
            "an `out` whose dtype is not that of the result is not compiled here",
            "leave `out` out, and use `astype`",
        )


def finish(w: LoweringContext, value: Value, out: Any = None, *, spreads: bool = False) -> Any:
    """Return a result as numpy does: written to `out`, an array, or a numpy scalar.

    Args:
        w: The walker.
        value: The result.
        out: Where it is to be written, if anywhere.
        spreads: Whether `out` may be larger, as that of a ufunc.
    """
    out = out_of(w, out)
    if out is None:
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


def listed(w: LoweringContext, function: Any, made: list[Any]) -> Any:
    """Return several results as a function of numpy gives them: a tuple, before numpy 2 a list."""
    return tuple(made) if type(function(0)) is tuple else w.new_list(made)
