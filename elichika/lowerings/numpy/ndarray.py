"""Attributes and methods of arrays and numpy scalars.

Methods that are also functions of numpy are registered with these, in the `numpy_*` files.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.indexing import assigned
from elichika.lowerings.numpy.arguments import axes_of, count, fresh, only_default, static, tensor
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask, refuse_dtype, representative, wrap
from elichika.registry import lowers
from elichika.values.c_order import contiguous, in_order, laid_out
from elichika.values.functions import BoundMethod
from elichika.values.symbolic import Array, Scalar, Window
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def attribute(w: LoweringContext, obj: Any, name: str) -> Any:
    """Return `obj.name` of an array or number."""
    if isinstance(obj, Scalar) and obj.is_python:
        return _of_python_number(w, obj, name)
    found = _ATTRIBUTES.get(name)
    if found is not None:
        return found(w, obj)
    method = getattr(np.ndarray, name, None)
    if isinstance(obj, Scalar) and not hasattr(obj.type, name):
        method = None
    if method is None:
        kind = obj.type.__name__ if isinstance(obj, Scalar) else "numpy.ndarray"
        w.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"))
    if not callable(method):
        w.refuse(f"attribute `{name}` of an array is not compiled")
    return BoundMethod(method, obj)


def _of_python_number(w: LoweringContext, obj: Scalar, name: str) -> Any:
    if not any(name in vars(base) for base in obj.type.__mro__):
        kind = obj.type.__name__
        w.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"))
    if name in ("real", "numerator"):
        return obj
    if name == "imag":
        return obj.type(0)
    if name == "denominator":
        return 1
    method = getattr(obj.type, name)
    return BoundMethod(method, obj)


def _shape(w: LoweringContext, obj: Any) -> tuple[Any, ...]:
    return tuple(w.dim_scalar(dim) for dim in w.dims(obj))


def _dtype(w: LoweringContext, obj: Any) -> np.dtype[Any]:
    if isinstance(obj, Scalar):
        return obj.dtype
    if isinstance(obj, np.ndarray):
        return obj.dtype
    return dtype_of(w.read(obj))


def _transposed(w: LoweringContext, obj: Any) -> Any:
    if isinstance(obj, Scalar):
        return obj
    return transposed(w, obj, tuple(reversed(range(len(w.dims(obj))))))


def _imaginary(w: LoweringContext, obj: Any) -> Any:
    if isinstance(obj, Scalar):
        return obj.type(0)
    g = w.graph
    zeros = g.Expand(g.constant(np.zeros((), _dtype(w, obj))), g.shape_tensor(w.dims(obj)))
    return read_only(w, fresh(w, zeros))


def _flat(w: LoweringContext, obj: Any) -> Any:
    return w.call(idioms.arrays.FlatIterator, [w.as_array(obj)], {})


class Flags:
    """What is known of the memory layout of an array that is surely in C order."""

    c_contiguous = contiguous = forc = owndata = writeable = True
    fnc = False

    def __getitem__(self, name: str) -> bool:
        return bool(getattr(self, name.lower()))


def _flags(w: LoweringContext, obj: Any) -> Flags:
    ordered = in_order(w, obj) if isinstance(obj, Array) else contiguous(w.graph, w.value_of(obj))
    if not ordered:
        w.refuse(
            "`flags` of an array whose memory layout is not known is not compiled",
            "copy the array first: `x.copy()`",
        )
    return Flags()


_ATTRIBUTES: dict[str, Any] = {
    "shape": _shape,
    "ndim": lambda w, obj: len(w.dims(obj)),
    "size": lambda w, obj: w.dim_scalar(count(w.dims(obj))),
    "dtype": _dtype,
    "itemsize": lambda w, obj: _dtype(w, obj).itemsize,
    "nbytes": lambda w, obj: w.dim_scalar(count(w.dims(obj)) * _dtype(w, obj).itemsize),
    "T": _transposed,
    "real": lambda w, obj: obj,
    "imag": _imaginary,
    "flat": _flat,
    "flags": _flags,
    "__array_priority__": lambda w, obj: 0.0,
    "__class__": lambda w, obj: obj.type if isinstance(obj, Scalar) else np.ndarray,
}


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
    if isinstance(obj, (Array, np.ndarray)):
        window = None if key is None else Window(key, (), lambda _: (read, write))
        return w.view(w.as_array(obj), read, write, window)
    return fresh(w, read(w.graph, w.value_of(obj)))


def read_only(w: LoweringContext, obj: Any, read: Any = None) -> Any:
    """Return a view that numpy does not let anyone write through, of a number too."""

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        w.raise_static(ValueError("assignment destination is read-only"))
        return base

    base = obj if isinstance(obj, (Array, np.ndarray)) else fresh(w, w.value_of(obj))
    return w.view(w.as_array(base), read or _all, write, writable=False)


def overlapping(w: LoweringContext, array: Array) -> Array:
    """Return a view of an array of which numpy may hold several elements in one place."""

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        w.refuse(
            "this write changes an array of which several elements may be one in memory",
            "write to a copy: `y = y.copy()` before the change",
        )
        return base

    made: Array = w.view(array, _all, write, writable=False)
    made.joined = array.joined
    return made


def _all(g: ONNXGraph, base: Value) -> Value:
    return base


def transposed(w: LoweringContext, obj: Any, order: tuple[int, ...]) -> Any:
    """Return the view of an array with its axes in another order."""
    if order == tuple(range(len(order))):
        return whole(w, obj)
    back = [int(i) for i in np.argsort(order)]

    def read(g: ONNXGraph, base: Value) -> Value:
        result: Value = g.Transpose(base, perm=list(order))
        return result

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        result: Value = g.Transpose(new, perm=back)
        return result

    return view(w, obj, read, write, ("transposed", order))


def whole(w: LoweringContext, obj: Any) -> Any:
    """Return a view of all of an array."""
    return view(w, obj, lambda g, base: base, lambda g, base, new: new, ("whole",))


def reshaped_back(g: ONNXGraph, base: Value, new: Value) -> Value:
    """Return new contents in the shape of the base they are a reshaped view of."""
    result: Value = g.Reshape(new, g.shape_tensor(dims_of(base)), allowzero=1)
    result.shape = base.shape
    return result


# Methods without a function of their own


@lowers(np.ndarray.astype)
def astype(
    w: LoweringContext,
    array: Any,
    dtype: Any,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: Any = True,
) -> Any:
    """A copy in another dtype; the array itself where `copy=False` and the dtype is the same."""
    target = ask(w, np.dtype, static(w, dtype, "dtype"))
    own = _dtype(w, array)
    ask(w, representative(w, array).astype, target, casting=static(w, casting, "casting"))
    if target.kind not in "biuf" or target.itemsize > 8:
        refuse_dtype(w, target)
    if not static(w, copy, "copy") and own == target:
        return array
    value = cast(w.graph, w.value_of(array), target)
    if isinstance(array, Scalar):
        return wrap(w, value)
    return laid_out(w, fresh(w, value), static(w, order, "order"), array)


@lowers(np.ndarray.flatten)
def flatten(w: LoweringContext, array: Any, order: Any = "C") -> Any:
    """A one-dimensional copy."""
    from elichika.lowerings.numpy.shape import in_columns

    array = _transposed(w, array) if in_columns(w, array, order) else array
    return fresh(w, w.graph.Reshape(w.value_of(array), [-1]))


@lowers(np.ndarray.fill)
def fill(w: LoweringContext, array: Any, value: Any) -> None:
    """Set every element."""
    target = w.as_array(array)
    g = w.graph
    new = assigned(w, value, dtype_of(w.read(target)))
    if dims_of(new):
        w.refuse("`fill` with an array is not compiled", "write `x[...] = value`")
    w.write(target, g.Expand(new, g.shape_tensor(w.dims(target))) if w.dims(target) else new)


_PYTHON = {"b": bool, "i": int, "u": int, "f": float}


def python_number(w: LoweringContext, value: Value) -> Scalar:
    """Return the Python number that equals a 0-d value."""
    kind = _PYTHON[dtype_of(value).kind]
    if dtype_of(value) == np.uint64:
        fits = w.graph.LessOrEqual(value, np.uint64(2**63 - 1))
        w.check(fits, OverflowError, "an int exceeds 64 bits")
    dtype = {bool: np.bool_, int: np.int64, float: np.float64}[kind]
    result: Scalar = w.scalar(kind, cast(w.graph, value, dtype))
    return result


@lowers(np.ndarray.item)
def item(w: LoweringContext, array: Any, *index: Any) -> Any:
    """The only element, or the one at an index, as a Python number."""
    g, value = w.graph, w.value_of(array)
    dims = dims_of(value)
    if index:
        from elichika.indexing import getitem

        if len(index) == 1 and not isinstance(index[0], tuple):
            array, index = fresh(w, g.Reshape(value, [-1])), (index[0],)
        elif len(index) == 1:
            (index,) = index
        if len(index) != len(w.dims(array)):
            w.raise_static(ValueError("incorrect number of indices for array"))
        return python_number(w, w.value_of(getitem(w, w.as_array(array), tuple(index))))
    total = count(dims)
    message = "can only convert an array of size 1 to a Python scalar"
    decided = compare(total, "==", 1)
    if decided is False:
        w.raise_static(ValueError(message))
    if decided is None:
        w.check(g.Equal(g.dim_value(total), np.int64(1)), ValueError, message)
    return python_number(w, g.Reshape(value, g.constant(np.zeros(0, np.int64))) if dims else value)


@lowers(np.ndarray.tolist)
def tolist(w: LoweringContext, array: Any) -> Any:
    """Nested lists of Python numbers; of dynamic length where sizes are unknown or large."""
    value = w.value_of(array)
    dims = dims_of(value)
    if not dims:
        return python_number(w, value)
    sizes = [size for size in dims if isinstance(size, int)]
    if len(sizes) < len(dims) or math.prod(sizes) > 1024:
        return w.call(idioms.arrays.tolist, [w.as_array(array)], {})
    rows = [tolist(w, wrap(w, w.graph.Gather(value, np.int64(i), axis=0))) for i in range(sizes[0])]
    return w.new_list(rows)


@lowers(np.ndarray.view)
def reinterpret(w: LoweringContext, array: Any, *args: Any, **kwargs: Any) -> Any:
    """Only a view of the same dtype: the bytes of a value are not known."""
    if not kwargs and len(args) <= 1 and (not args or args[0] is np.ndarray):
        return whole(w, array)
    if len(args) == 1 and not kwargs and np.dtype(args[0]) == _dtype(w, array):
        return whole(w, array)
    w.refuse("`view` with another dtype is not compiled", "use `astype`")


@lowers(
    np.ndarray.tobytes,
    np.ndarray.dump,
    np.ndarray.dumps,
    np.ndarray.tofile,
    np.ndarray.resize,
    np.ndarray.byteswap,
    np.ndarray.setflags,
    np.ndarray.getfield,
    np.ndarray.setfield,
)
def _refused(w: LoweringContext, *args: Any, **kwargs: Any) -> Any:
    w.refuse("what this method does to the memory of an array is not compiled")


_WRAPPING = [getattr(np.ndarray, name, None) for name in ("__array_prepare__", "__array_wrap__")]


@lowers(*filter(None, _WRAPPING))
def wrap_array(w: LoweringContext, array: Any, result: Any, *context: Any) -> Any:
    """What numpy asks subclasses of arrays to do: nothing."""
    return result


@lowers(np.ndarray.conj, np.ndarray.conjugate)
def conjugate(w: LoweringContext, array: Any) -> Any:
    """Real arrays are their own conjugates; a method call returns a copy."""
    return wrap(w, w.value_of(array)) if isinstance(array, Scalar) else fresh(w, w.value_of(array))


@lowers(float.is_integer)
def is_integer(w: LoweringContext, number: Scalar) -> Scalar:
    """Whether a float is a whole number."""
    g, value = w.graph, number.onnx_value
    whole = g.And(g.Equal(g.Floor(value), value), g.Not(g.IsInf(value)))
    result: Scalar = w.scalar(bool, whole)
    return result


@lowers(int.bit_length)
def bit_length(w: LoweringContext, number: Any) -> Any:
    """How many binary digits it has."""
    return w.call(idioms.arithmetic.bit_length, [w.call(int, [number], {})], {})


@lowers(int.bit_count)
def bit_count(w: LoweringContext, number: Any) -> Any:
    """How many binary digits are one."""
    return w.call(idioms.arithmetic.bit_count, [w.call(int, [number], {})], {})


@lowers(int.conjugate, float.conjugate, int.__pos__)
def _itself(w: LoweringContext, number: Any) -> Any:
    return number


@lowers(np.ndarray.sort)
def sort(
    w: LoweringContext, array: Any, axis: Any = -1, kind: Any = None, order: Any = None
) -> None:
    """Sort in place."""
    from elichika.lowerings.numpy.sorting import sorted_values

    only_default(w, "sort", order=order)
    target = w.as_array(array)
    (axis,) = axes_of(w, len(w.dims(target)), axis)
    w.write(target, sorted_values(w, w.read(target), axis)[0])


@lowers(np.ndarray.copy)
def copy(w: LoweringContext, array: Any, order: Any = "C") -> Any:
    """A copy."""
    if isinstance(array, Scalar):
        return wrap(w, w.value_of(array))
    return laid_out(w, fresh(w, tensor(w, array)), static(w, order, "order"), array)
