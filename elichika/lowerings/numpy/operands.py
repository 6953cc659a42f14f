"""Things like arrays as operands: numbers, nested lists, and ranges as numpy sees them."""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from elichika import idioms
from elichika.idioms.buffers import Buffer
from elichika.indexing import require_whole, unpacked
from elichika.iterators.base import SymbolicRange
from elichika.lowerings.numpy.views import read_only
from elichika.numbers.promotion import ask, refuse_dtype, representative
from elichika.numbers.sizes import require_same
from elichika.values.kinds import is_array, is_function, is_listed, is_number
from elichika.values.symbolic import UNDEF, Array, Choice, Scalar, Var
from elichika.values.words import a_or_an
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def operand(w: LoweringContext, value: Any, dtype: Any = None) -> Any:
    """Return a thing like an array as an array or number, symbolic or not; in a dtype, if given."""
    value = w.narrow(value)
    if is_listed(value):
        require_items(w, value)
        if not w.is_symbolic(value):
            return np.asarray(unpacked(w, value))
        return w.new_array(nested(w, value, natural_dtype(w, value)))
    if isinstance(value, SymbolicRange):
        return _numbers_of_range(w, value, dtype)
    if type(value) is range:
        return np.asarray(value, dtype)
    if is_array(value):
        return w.as_array(value) if w.is_symbolic(value) else value
    if is_number(value):
        return value
    if w.type_of(value) is Buffer:
        return w.get_item(w.get_attribute(value, "obj"), ...)
    if w.type_of(value) is getattr(sys.modules.get("PIL.Image"), "Image", None):
        return read_only(w, w.call(idioms.images.to_array, [value], {}))
    if value is UNDEF:
        w.truth(value)  # raises: it is set in later turns of a loop only, so that no run gets here
    _refuse_object(w, value)


def require_items(w: LoweringContext, value: Any) -> None:
    """Refuse a list or tuple that says itself what its items are."""
    if type(value) not in (list, tuple):
        for name in ("__iter__", "__len__", "__getitem__"):
            if is_function(getattr(type(value), name, None)):
                _refuse_object(w, value)


def _refuse_object(w: LoweringContext, value: Any) -> NoReturn:
    kind = w.type_of(value).__name__
    way = "take its `.array`, or a function of `F`" if kind in ("Variable", "Parameter") else None
    w.refuse(f"a numpy function of {a_or_an(kind)} is not compiled", way)


def require_numbers(w: LoweringContext, amount: Any) -> None:
    """Refuse an object with an `__index__`, where numpy's own Python computes with it."""
    amount = w.narrow(amount)
    for part in amount if type(amount) is tuple else ():
        require_numbers(w, part)
    if is_function(w.special(amount, "__index__")):
        _refuse_object(w, amount)


def tensor(w: LoweringContext, value: Any, dtype: Any = None) -> Value:
    """Return a thing like an array as a graph value."""
    given = operand(w, value, dtype)
    if dtype is not None:
        require_whole(w, given, np.dtype(dtype))
    return w.value_of(given, dtype)


def stand(w: LoweringContext, value: Any) -> Any:
    """Return a representative of a thing like an array."""
    return representative(w, operand(w, value))


# Nested lists


def nested(w: LoweringContext, value: Any, dtype: np.dtype[Any]) -> Value:
    """Return nested lists of numbers and arrays as one value."""
    value = w.narrow(value)
    if w.is_dynamic(value):
        value = w.call(np.array, [value, dtype], {})
    if not is_listed(value):
        return tensor(w, value, dtype)
    g = w.graph
    if not w.is_symbolic(value):
        return g.constant(np.array(unpacked(w, value), dtype))
    items = [nested(w, item, dtype) for item in w.items(value)]
    if not items:
        return g.constant(np.zeros(0, dtype))
    first = dims_of(items[0])
    message = "setting an array element with a sequence; the shape is inhomogeneous"
    for item in items[1:]:
        if len(dims_of(item)) != len(first):
            w.raise_static(ValueError(message))
        require_same(w, first, dims_of(item), ValueError, message, exact=None)
    return g.Concat(*(g.Unsqueeze(item, [0]) for item in items), axis=0)


def natural_dtype(w: LoweringContext, value: Any) -> np.dtype[Any]:
    """Return the dtype that numpy finds for nested lists."""
    leaves = _leaves(w, value)
    if any(isinstance(leaf, Var) for leaf in leaves):
        w.refuse("an array of Variables is not compiled", "use `F.stack`")
    found = ask(w, lambda: np.array([np.ravel(representative(w, leaf))[0] for leaf in leaves]))
    dtype: np.dtype[Any] = found.dtype
    if dtype.kind not in "biuf":
        refuse_dtype(w, dtype)
    return dtype


def _leaves(w: LoweringContext, value: Any) -> list[Any]:
    value = w.narrow(value)
    if is_listed(value):
        return [leaf for item in w.items(value) for leaf in _leaves(w, item)]
    return [value]


# Ranges: without any numbers, an array of no floats


def array_of_range(w: LoweringContext, given: SymbolicRange) -> Any:
    """Return what `np.array` makes of a range: ints, or no floats."""
    some = w.binary(operator.gt, given.length, 0)
    if some is True:
        return counted(w, given.start, given.stop, given.step)
    none = w.new_array(w.constant(np.zeros(0)))
    if some is False:
        return none
    numbers = counted(w, given.start, given.stop, given.step)
    return w.narrow(Choice(w.value_of(some), (numbers, none)))


def _numbers_of_range(w: LoweringContext, given: SymbolicRange, dtype: Any) -> Array:
    """Return the numbers of a range; without any, the model fails unless a dtype is asked for."""
    if dtype is None:
        some = w.binary(operator.gt, given.length, 0)
        w.check(some, ValueError, "numpy makes floats of a range without numbers")
    return counted(w, given.start, given.stop, given.step)


def counted(w: LoweringContext, start: Any, stop: Any, step: Any) -> Array:
    """Return the ints from start up to stop as a new array."""
    numbers = [tensor(w, number, np.int64) for number in (start, stop, step)]
    require_step(w, step, numbers[2], "division by zero")
    return w.new_array(w.graph.Range(*numbers))


def require_step(w: LoweringContext, step: Any, value: Value, message: str) -> None:
    """Let the model fail where the step of a range is 0."""
    if isinstance(step, Scalar):
        zero = np.zeros((), dtype_of(value))
        w.check(w.graph.Not(w.graph.Equal(value, zero)), ZeroDivisionError, message)
