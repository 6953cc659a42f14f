"""Views of arrays: those that are written through, those that are not, and the common kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.values.kinds import is_array
from elichika.values.symbolic import Array, Window
from onnx_graph import ONNXGraph, Value, dims_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def view(
    w: LoweringContext, obj: Any, read: Any, write: Any, key: tuple[Any, ...] | None = None
) -> Any:
    """Return a tracked view of an array; of a number, a fresh array.

    Args:
        w: The walker.
        obj: The array or number.
        read: Gives the contents of the view from those of the array.
        write: Gives new contents of the array from those of the view.
        key: What tells it from other views, if its maps use no value of the graph.
    """
    if is_array(obj):
        window = None if key is None else Window(key, (), lambda _: (read, write))
        return w.view(w.as_array(obj), read, write, window)
    return w.new_array(read(w.graph, w.value_of(obj)))


def read_only(w: LoweringContext, obj: Any, read: Any = None) -> Any:
    """Return a view that numpy does not let anyone write through, of a number too."""

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        w.raise_static(ValueError("assignment destination is read-only"))
        return base

    base = w.as_array(obj) if is_array(obj) else w.new_array(w.value_of(obj))
    return w.view(base, read or _all, write, writable=False)


def overlapping(w: LoweringContext, array: Array) -> Array:
    """Return a view of an array of which numpy may hold several elements in one place."""

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        w.refuse(
            "this write changes an array of which several elements may be one in memory",
            "write to a copy: `y = y.copy()` before the change",
        )
        return base

    made = w.view(array, _all, write, writable=False)
    made.joined = array.joined
    return made


def _all(g: ONNXGraph, base: Value) -> Value:
    return base


def whole(w: LoweringContext, obj: Any) -> Any:
    """Return a view of all of an array."""
    return view(w, obj, _all, lambda g, base, new: new, ("whole",))


def transposed(w: LoweringContext, obj: Any, order: tuple[int, ...]) -> Any:
    """Return the view of an array with its axes in another order."""
    if order == tuple(range(len(order))):
        return whole(w, obj)
    back = [int(i) for i in np.argsort(order)]

    def read(g: ONNXGraph, base: Value) -> Value:
        return g.Transpose(base, perm=list(order))

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        return g.Transpose(new, perm=back)

    return view(w, obj, read, write, ("transposed", order))


def backwards(w: LoweringContext, obj: Any) -> Any:
    """Return the view of an array with its axes in the opposite order; a number as it is."""
    return transposed(w, obj, tuple(reversed(range(len(w.dims(obj)))))) if is_array(obj) else obj


def reshaped_back(g: ONNXGraph, base: Value, new: Value) -> Value:
    """Return new contents in the shape of the base they are a reshaped view of."""
    result = g.Reshape(new, g.shape_tensor(dims_of(base)), allowzero=1)
    result.shape = base.shape
    return result


def unsqueezed(w: LoweringContext, obj: Any, axes: list[int]) -> Any:
    """Return a view with axes of size 1 at these places of the result."""
    return view(w, obj, _with(axes), lambda g, base, new: _without(axes)(g, new))


def squeezed(w: LoweringContext, obj: Any, axes: list[int]) -> Any:
    """Return a view without some axes of size 1."""
    return view(w, obj, _without(axes), lambda g, base, new: _with(axes)(g, new))


def _with(axes: list[int]) -> Any:
    return lambda g, value: g.Unsqueeze(value, axes) if axes else value


def _without(axes: list[int]) -> Any:
    return lambda g, value: g.Squeeze(value, axes) if axes else value
