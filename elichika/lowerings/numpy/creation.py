"""Array creation routines, and numpy's types as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import require_whole
from elichika.iterators.base import SymbolicRange
from elichika.lowerings.numpy.arguments import only_default, shape_items, static
from elichika.lowerings.numpy.operands import (
    array_of_range,
    natural_dtype,
    nested,
    operand,
    stand,
    tensor,
)
from elichika.lowerings.numpy.rows import array_of_rows, is_open
from elichika.lowerings.numpy.shape import expanded
from elichika.lowerings.numpy.views import unsqueezed
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask, refuse_dtype, wrap
from elichika.registry import lowers
from elichika.values.c_order import in_order, laid_out
from elichika.values.kinds import is_array, is_listed
from elichika.values.symbolic import Scalar
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph.dims import product

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def dtype_asked(w: LoweringContext, dtype: Any) -> np.dtype[Any] | None:
    """Return a dtype that the program asks for, None where it asks for none."""
    dtype = static(w, dtype, "dtype")
    if dtype is None:
        return None
    found: np.dtype[Any] = ask(w, np.dtype, dtype)
    if found.kind not in "biuf" or found.itemsize > 8:
        refuse_dtype(w, found)
    return found


@lowers(np.array)
def array(
    w: ContainerContext,
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
    wanted = dtype_asked(w, dtype)
    least, order = int(static(w, ndmin, "ndmin")), static(w, order, "order")
    if is_open(w, given):
        return array_of_rows(w, given, wanted)
    if is_listed(given):
        value = nested(w, given, wanted or natural_dtype(w, given))
    else:
        if isinstance(given, SymbolicRange) and wanted is None and least == 0:
            return array_of_range(w, given)
        given = operand(w, given, wanted)
        same = wanted is None or wanted == np.asarray(stand(w, given)).dtype
        if not static(w, copy, "copy") and same and is_array(given):
            missing = max(0, least - len(w.dims(given)))
            whole = _itself(w, given, order)
            return unsqueezed(w, whole, list(range(missing))) if missing else whole
        value = tensor(w, given, wanted)
    missing = least - len(dims_of(value))
    if missing > 0:
        value = w.graph.Unsqueeze(value, list(range(missing)))
    return laid_out(w, w.new_array(value), order, given)


def _itself(w: LoweringContext, array: Any, order: str | None) -> Any:
    """Return an array where numpy copies only what is in another order than it is asked for."""
    if order in ("K", "A", None):
        return array
    known = in_order(w, w.as_array(array))
    if known and (order == "C" or len(w.dims(array)) <= 1):
        return array
    made = laid_out(w, w.new_array(w.value_of(array)), order, array)
    return w.may_be(made, w.as_array(array))


@lowers(np.asarray, np.asanyarray)
def asarray(
    w: ContainerContext, a: Any, dtype: Any = None, order: Any = None, *, like: Any = None
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
def ascontiguousarray(w: ContainerContext, a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """The array itself where it is in C order, else a copy."""
    made = array(w, a, dtype, copy=False)
    value = w.value_of(made)
    if not dims_of(value):
        return unsqueezed(w, made, [0])
    return made if w.narrow(a) is not made else _itself(w, made, "C")


# Filled arrays


def filled(w: LoweringContext, shape: Any, value: Value) -> Any:
    """Return a fresh array of one number."""
    items = shape_items(w, shape)
    for item in items:
        w.check(
            w.graph.compare(item, ">=", 0),
            ValueError,
            "negative dimensions are not allowed",
            exact=True,
        )
    return w.new_array(expanded(w, value, items) if items else value)


def _filling(number: int) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext, shape: Any, dtype: Any = None, order: Any = "C", *, like: Any = None
    ) -> Any:
        wanted = dtype_asked(w, float if dtype is None else dtype)
        made = filled(w, shape, w.graph.constant(np.array(number, wanted)))
        return laid_out(w, made, static(w, order, "order"))

    return lowering


lowers(np.zeros)(_filling(0))
lowers(np.ones)(_filling(1))
lowers(np.empty)(_filling(0))


@lowers(np.ndarray)
def fresh_memory(
    w: LoweringContext,
    shape: Any,
    dtype: Any = float,
    buffer: Any = None,
    offset: Any = 0,
    strides: Any = None,
    order: Any = None,
) -> Any:
    """An array of whatever is in memory: zeros, as those of `empty`."""
    if (buffer, offset, strides) != (None, 0, None):
        w.refuse("`numpy.ndarray` of memory that exists is not compiled", "use views: `x[1:]`")
    return w.call(np.empty, [shape, dtype, order or "C"], {})


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
    made = filled(w, shape, cast(w.graph, value, dtype_asked(w, dtype) or dtype_of(value)))
    return laid_out(w, made, static(w, order, "order"))


def _filled_like(w: LoweringContext, a: Any, fill: Any, dtype: Any, order: Any, shape: Any) -> Any:
    """Return an array of one number with dtype and sizes of another, where they are not given."""
    a = operand(w, a)
    wanted = dtype_asked(w, dtype) or np.asarray(stand(w, a)).dtype
    sizes = tuple(map(w.dim_scalar, w.dims(a))) if shape is None else shape
    made = filled(w, sizes, fill(wanted))
    return laid_out(w, made, static(w, order, "order"), a)


def _like(number: int) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext,
        a: Any,
        dtype: Any = None,
        order: Any = "K",
        subok: Any = True,
        shape: Any = None,
    ) -> Any:
        fill = lambda wanted: w.graph.constant(np.array(number, wanted))  # noqa: E731
        return _filled_like(w, a, fill, dtype, order, shape)

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
    fill = lambda wanted: cast(w.graph, tensor(w, fill_value), wanted)  # noqa: E731
    return _filled_like(w, a, fill, dtype, order, shape)


# numpy's types as functions


def _typed(kind: type) -> Callable[..., Any]:
    def lowering(w: LoweringContext, value: Any = 0) -> Any:
        given = operand(w, value)
        require_whole(w, given, np.dtype(kind))
        result = cast(w.graph, tensor(w, given), kind)
        if kind is np.float64 and not isinstance(given, Scalar):
            result = _as_float(w, result)
        if is_array(given) and dims_of(result) and dtype_of(w.value_of(given)) == kind:
            return given  # numpy gives the array itself
        return wrap(w, result)

    return lowering


def _as_float(w: LoweringContext, value: Value) -> Value:
    """Make a number of an array of one element, as `numpy.float64` does and the others do not."""
    if not dims_of(value):
        return value
    several = w.graph.compare(product(dims_of(value)), "!=", 1)
    if several is False:
        return w.graph.Reshape(value, w.graph.constant(np.zeros(0, np.int64)))
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
