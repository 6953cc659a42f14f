"""Attributes and methods of arrays and numpy scalars.

Methods that are also functions of numpy are registered with these, in the `numpy_*` files.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from elichika import idioms
from elichika.indexing import assigned, getitem
from elichika.lowerings.numpy.arguments import static
from elichika.lowerings.numpy.operands import tensor
from elichika.lowerings.numpy.views import backwards, read_only, whole
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask, refuse_dtype, representative, wrap
from elichika.registry import always, lowers
from elichika.state.joins import ScalarType
from elichika.state.store import ITEMS
from elichika.values.c_order import contiguous, in_order, laid_out
from elichika.values.functions import BoundMethod
from elichika.values.kinds import is_array
from elichika.values.symbolic import PYTHON_DTYPES, Array, Scalar, Seq
from onnx_graph import Value, all_known, dims_of, dtype_of
from onnx_graph.dims import product
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def attribute(w: LoweringContext, obj: Any, name: str) -> Any:
    """Return `obj.name` of an array or number."""
    number = isinstance(obj, Scalar)
    if number and obj.is_python:
        return _of_python_number(w, obj, name)
    found = (number and _OF_NUMBERS.get(name)) or _ATTRIBUTES.get(name)
    if found:
        return found(w, obj)
    method = getattr(np.ndarray, name, None) if hasattr(w.type_of(obj), name) else None
    if method is None:
        kind = obj.type.__name__ if number else "numpy.ndarray"
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
    return BoundMethod(getattr(obj.type, name), obj)


def _shape(w: LoweringContext, obj: Any) -> tuple[Any, ...]:
    return tuple(w.dim_scalar(dim) for dim in w.dims(obj))


def _dtype(w: LoweringContext, obj: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = dtype_of(w.read(obj)) if isinstance(obj, Array) else obj.dtype
    return found


def _imaginary(w: LoweringContext, obj: Any) -> Any:
    g = w.graph
    zeros = g.Expand(g.constant(np.zeros((), _dtype(w, obj))), g.shape_tensor(w.dims(obj)))
    return read_only(w, w.new_array(zeros))


def _flat(w: LoweringContext, obj: Any) -> Any:
    return w.call(idioms.arrays.FlatIterator, [w.as_array(obj)], {})


def _buffer(w: LoweringContext, obj: Any) -> Any:
    return w.call(idioms.buffers.Buffer, [obj], {})


def _set_flag(flags: Flags, name: str, value: Any) -> None:
    """Say how the memory of an array may be used."""


@lowers(_set_flag)
@always
def _refuse_flag(w: LoweringContext, flags: Flags, name: str, value: Any) -> NoReturn:
    w.refuse(f"assignment to `flags.{name}` of an array is not compiled")


class Flags:
    """What is known of the memory layout of an array that is surely in C order."""

    c_contiguous = contiguous = forc = True
    fnc = False

    def __init__(self, *, owned: bool, writeable: bool) -> None:
        vars(self).update(owndata=owned, writeable=writeable)

    __setattr__ = _set_flag

    def __getitem__(self, name: str) -> bool:
        return bool(getattr(self, name.lower()))


def _flags(w: LoweringContext, obj: Any) -> Flags:
    array = w.as_array(obj) if is_array(obj) else None
    if array is None:
        ordered = contiguous(w.graph, w.value_of(obj))
    else:
        ordered = in_order(w, array) and not array.joined
    if not ordered:
        w.refuse(
            "`flags` of an array whose memory layout is not known is not compiled",
            "copy the array first: `x.copy()`",
        )
    if array is None:  # a number of numpy's
        return Flags(owned=True, writeable=False)
    return Flags(owned=array.view is None, writeable=array.writable)


_ATTRIBUTES: dict[str, Any] = {
    "shape": _shape,
    "ndim": lambda w, obj: len(w.dims(obj)),
    "size": lambda w, obj: w.dim_scalar(product(w.dims(obj))),
    "dtype": _dtype,
    "itemsize": lambda w, obj: _dtype(w, obj).itemsize,
    "nbytes": lambda w, obj: w.dim_scalar(product(w.dims(obj)) * _dtype(w, obj).itemsize),
    "T": backwards,
    "real": lambda w, obj: obj,
    "imag": _imaginary,
    "flat": _flat,
    "data": _buffer,
    "flags": _flags,
    "__array_priority__": lambda w, obj: 0.0,
    "__class__": lambda w, obj: np.ndarray,
}
_OF_NUMBERS: dict[str, Any] = {
    "imag": lambda w, obj: obj.type(0),
    "__class__": lambda w, obj: obj.type,
}


# Methods without a function of their own


def _anew(w: LoweringContext, obj: Any, value: Value, order: Any) -> Any:
    """Return contents as a copy of an array or a number has them."""
    if isinstance(obj, Scalar):
        return wrap(w, value)
    return laid_out(w, w.new_array(value), static(w, order, "order"), obj)


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
    return _anew(w, array, cast(w.graph, w.value_of(array), target), order)


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
#: Up to this many elements are listed one by one.
FEW = 1024


def python_number(w: LoweringContext, value: Value) -> Scalar:
    """Return the Python number that equals a 0-d value."""
    kind = _PYTHON[dtype_of(value).kind]
    if dtype_of(value) == np.uint64:
        fits = w.graph.LessOrEqual(value, np.uint64(2**63 - 1))
        w.check(fits, OverflowError, "an int exceeds 64 bits")
    dtype = dtype_of(value)
    bound = 2 ** (8 * dtype.itemsize) if dtype.kind in "iu" and dtype.itemsize < 8 else None
    return w.scalar(kind, cast(w.graph, value, PYTHON_DTYPES[kind]), bound)


@lowers(np.ndarray.item)
def item(w: LoweringContext, array: Any, *index: Any) -> Any:
    """The only element, or the one at an index, as a Python number."""
    g, value = w.graph, w.value_of(array)
    dims = dims_of(value)
    if index:
        if len(index) == 1 and type(index[0]) is tuple:
            (index,) = index
        elif len(index) == 1:
            array = w.new_array(g.Reshape(value, [-1]))
        if len(index) != len(w.dims(array)):
            w.raise_static(ValueError("incorrect number of indices for array"))
        return python_number(w, w.value_of(getitem(w, w.as_array(array), tuple(index))))
    message = "can only convert an array of size 1 to a Python scalar"
    w.check(g.compare(product(dims), "==", 1), ValueError, message)
    return python_number(w, g.Reshape(value, g.constant(np.zeros(0, np.int64))) if dims else value)


@lowers(np.ndarray.tolist)
def tolist(w: ContainerContext, array: Any) -> Any:
    """Nested lists of Python numbers; of dynamic length where sizes are unknown or large."""
    value = w.value_of(array)
    dims = dims_of(value)
    if not dims:
        return python_number(w, value)
    if not all_known(dims) or math.prod(dims) > FEW:
        if len(dims) == 1 and dtype_of(value) != np.uint64:
            return w.tables.floats.list_of(_numbers(w, value))
        return w.call(idioms.arrays.tolist, [w.as_array(array)], {})
    rows = [tolist(w, wrap(w, w.graph.Gather(value, np.int64(i), axis=0))) for i in range(dims[0])]
    return w.tables.floats.list_of(w.new_list(rows))


def _numbers(w: ContainerContext, value: Value) -> Any:
    """Return the list of a vector's elements as Python numbers."""
    kind = _PYTHON[dtype_of(value).kind]
    column = cast(w.graph, value, PYTHON_DTYPES[kind])
    made = w.new_list([])
    rows = surely(w.graph.SplitToSequence(column, None, axis=0, keepdims=0))
    w.store.set(made, ITEMS, Seq(ScalarType(kind, dtype_of(value) == np.int64), (rows,)))
    return made


@lowers(np.ndarray.view)
def reinterpret(w: LoweringContext, array: Any, *args: Any, **kwargs: Any) -> Any:
    """Only a view of the same dtype: the bytes of a value are not known."""
    alone = len(args) <= 1 and not kwargs
    if alone and (not args or args[0] is np.ndarray or np.dtype(args[0]) == _dtype(w, array)):
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
    return _anew(w, array, w.value_of(array), "K")


@lowers(float.is_integer)
def is_integer(w: LoweringContext, number: Scalar) -> Scalar:
    """Whether a float is a whole number."""
    g, value = w.graph, number.onnx_value
    whole = g.And(g.Equal(g.Floor(value), value), g.Not(g.IsInf(value)))
    return w.scalar(bool, whole)


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


@lowers(np.ndarray.copy)
def copy(w: LoweringContext, array: Any, order: Any = "C") -> Any:
    """A copy."""
    return _anew(w, array, tensor(w, array), order)
