"""Builtins that ask for types, numbers and attributes."""

from __future__ import annotations

import builtins
import collections
import sys
import types
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor, DictView, InstanceDict, SymbolicRange
from elichika.lowerings.python import named
from elichika.lowerings.sizes import product
from elichika.numbers.promotion import ask
from elichika.numbers.python_operands import LIMIT, finite_bound
from elichika.program.raised import Raised, genuine
from elichika.registry import always, lowers, takes_choices, takes_spreads
from elichika.values import python_words
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import (
    is_array,
    is_choice,
    is_container,
    is_number_of_the_run,
    is_tensor,
    magnitude,
)
from elichika.values.symbolic import PYTHON_DTYPES, UNSET, Choice, Conflict, Text
from onnx_graph import Value, compare, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(builtins.type)
@always
@takes_choices
def type_(w: ContainerContext, value: Any, *rest: Any) -> Any:
    """Return the type the value has in the program; what is known of it narrows the value too."""
    if rest:
        w.refuse("classes cannot be made inside a compiled function")
    value = w.narrow(value)
    if is_choice(value):
        kinds = {n: type_(w, value.alternatives[n]) for n in w.choices.left(value)}
        one, *others = kinds.values()  # what the facts exclude is of any class that is there
        held = tuple(kinds.get(n, one) for n in range(len(value.alternatives)))
        return Choice(value.tag, held) if any(kind is not one for kind in others) else one
    if isinstance(value, Cursor):
        w.refuse("which kind of iterator this is is not followed", "test for `Iterator`")
    return w.class_of(value)


@lowers(builtins.callable)
@always
def callable_(w: LoweringContext, value: Any) -> Any:
    """What has `__call__` is callable, functions of the walked program too."""
    return isinstance(value, (Closure, BoundMethod)) or w.special(value, "__call__") is not None


#: The lengths of what Python has no class for.
_LENGTHS: dict[type, Any] = {
    SymbolicRange: lambda w, value: value.length,
    DictView: lambda w, value: w.sequences.length(value.mapping),
    InstanceDict: lambda w, value: len(w.attributes_of(value.obj)),
    collections.deque: lambda w, value: w.sequences.length(value),
}


@lowers(builtins.len)
@always
def len_(w: ContainerContext, value: Any) -> Any:
    """Return a size: an int where known."""
    value = w.narrow(value)
    if is_array(value):
        dims = w.dims(value)
        if not dims:
            w.raise_static(TypeError("len() of unsized object"))
        return w.dim_scalar(dims[0])
    own = w.overriding(value, "__len__")
    if own is not None:
        return w.call(idioms.results.length, [w.call(own, [value], {})], {})
    if is_container(value):
        return w.sequences.length(value)
    if type(value) in _LENGTHS:
        return _LENGTHS[type(value)](w, value)
    if isinstance(value, tuple) and type(value).__len__ is tuple.__len__:
        return len(value)
    method = w.special(value, "__len__")
    if method is not None and w.has_source(method) and method is not len:
        return w.call(idioms.results.length, [w.call(method, [value], {})], {})
    if method is None and type(value) is not Conflict:
        kind = w.type_of(value).__name__
        w.raise_static(genuine(TypeError(f"object of type '{kind}' has no len()")))
    return w.native(len, [value], {})


@lowers(builtins.abs)
def abs_(w: LoweringContext, value: Any) -> Any:
    """Return the magnitude."""
    if not is_tensor(value):
        return w.call(w.special(value, "__abs__"), [value], {})
    if is_array(value) or not value.is_python:
        return w.call(np.absolute, [value], {})
    kind = int if value.type is bool else value.type
    result = w.graph.Abs(w.value_of(value, PYTHON_DTYPES[kind]))
    if kind is int and magnitude(value) >= LIMIT:
        kept = w.graph.GreaterOrEqual(result, w.graph.constant(np.int64(0)))
        w.check(kept, OverflowError, "an int exceeds 64 bits")
    return w.scalar(kind, result, value.bound)


@lowers(builtins.bool)
def bool_(w: LoweringContext, value: Any) -> Any:
    """Return the truth of a value."""
    return w.truth(value)


#: The methods that a conversion asks, in order.
_CONVERTING = {int: ("__int__", "__index__", "__trunc__"), float: ("__float__", "__index__")}


@lowers(builtins.int)
def int_(w: LoweringContext, value: Any) -> Any:
    """Truncate towards zero; nan, inf and values beyond int64 fail as in Python."""
    return _number(w, value, int)


@lowers(builtins.float)
def float_(w: ContainerContext, value: Any) -> Any:
    """Return a Python float, another one where it is given none."""
    made = _number(w, value, float)
    new = is_array(value) or (is_number_of_the_run(value) and value.type is not float)
    return w.tables.floats.note(made) if new else made


def _number(w: LoweringContext, value: Any, kind: type) -> Any:
    if not is_tensor(value):
        for name in _CONVERTING[kind]:
            method = w.special(value, name)
            if method is not None:
                made = w.call(method, [value], {})
                return w.call(idioms.results.number, [made, kind, name, w.type_of(value)], {})
        given = w.type_of(value).__name__
        w.raise_static(TypeError(f"{kind.__name__}() argument must be a number, not '{given}'"))
    number = value if is_number_of_the_run(value) else None
    if number is not None and number.type is kind:
        return value
    g = w.graph
    tensor = w.value_of(value)
    dims = w.dims(value)
    size: Any = product(dims)
    message = "only size-1 arrays can be converted to Python scalars"
    one_now = compare(size, "==", 1)
    if one_now is False:
        w.raise_static(TypeError(message))
    elif one_now is None:
        one = g.Equal(g.dim_value(size), g.constant(np.array(1, np.int64)))
        w.check(one, TypeError, message)
    if dims:
        tensor = g.Reshape(tensor, g.constant(np.array([], np.int64)))
    source = dtype_of(tensor)
    most = finite_bound(value) if number is not None and number.type is float else None
    if kind is int and source.kind == "f" and most is None:
        _require_int64(w, g.Cast(tensor, to=np.dtype(np.float64)))
    bound = value.bound if number is not None and number.type in (int, bool) else most
    if kind is int and source.itemsize < 8 and source.kind in "iub":
        bound = 2 ** (8 * source.itemsize)
    return w.scalar(kind, g.Cast(tensor, to=PYTHON_DTYPES[kind]), bound)


def _require_int64(w: LoweringContext, number: Value) -> None:
    """Check that a float64 is one of an int that the model holds.

    What a handler may catch is told apart as Python does.
    """
    g = w.graph
    inside = g.Less(g.Abs(number), g.constant(np.array(2.0**63)))
    if not w.guarded:
        w.check(inside, ValueError, "cannot convert float to an int64 integer")
        return
    nan, infinity = python_words.NAN_TO_INT, python_words.INFINITY_TO_INT
    w.check(g.Not(g.IsNaN(number)), ValueError, nan[0], nan)
    w.check(g.Not(g.IsInf(number)), OverflowError, infinity[0], infinity)
    w.check(inside, OverflowError, "an int exceeds 64 bits")


def _require_name(w: LoweringContext, name: Any) -> None:
    if isinstance(name, Text):
        w.refuse(Text.MESSAGE)
    if not isinstance(name, str):
        kind = w.type_of(name).__name__
        w.raise_static(TypeError(f"attribute name must be string, not '{kind}'"))


@lowers(builtins.getattr)
@always
def getattr_(w: ContainerContext, obj: Any, name: Any, *default: Any) -> Any:
    """Return an attribute; of several that numbers of the run name, the one that they do."""
    if type(w.narrow(name)) is Text:
        return _named_attribute(w, w.narrow(obj), w.narrow(name), default)
    _require_name(w, name)
    return w.get_attribute(obj, name, *default)


def _named_attribute(w: ContainerContext, obj: Any, name: Text, default: tuple[Any, ...]) -> Any:
    values = _attributes_for(w, obj, name)
    pick = partial(named.chosen, w, name, values, AttributeError)
    if not default:
        return pick()
    return w.branch(named.is_one(w, name, values), pick, lambda: default[0])


def _attributes_for(w: ContainerContext, obj: Any, name: Text) -> dict[str, Any]:
    """Return the attributes that a text may name, which reading does not change."""
    kind = w.type_of(obj)
    known = dict.fromkeys([*w.attributes_of(obj), *dir(kind)])
    names = [one for one, _ in named.matches(w, name, known)]
    if hasattr(kind, "__getattr__") or any(
        hasattr(getattr(kind, n, None), "__set__") for n in names
    ):
        w.refuse(Text.MESSAGE)
    return {one: w.get_attribute(obj, one) for one in names}


@lowers(builtins.hasattr)
@always
def hasattr_(w: ContainerContext, obj: Any, name: Any) -> Any:
    """Tell whether there is an attribute."""
    if type(w.narrow(name)) is Text:
        return named.is_one(w, name, _attributes_for(w, w.narrow(obj), name))
    _require_name(w, name)
    try:
        found = w.narrow(w.get_attribute(obj, name, MISSING_ATTRIBUTE))
        if isinstance(found, Conflict):
            w.undefined(found, f"attribute `{name}`", AttributeError)
        if is_choice(found):
            return w.tag_test(found, lambda a: a is not MISSING_ATTRIBUTE)
        return found is not MISSING_ATTRIBUTE
    except Raised as raised:
        if isinstance(raised.error, AttributeError):
            return False
        raise


class _Absent:
    """Stands for an attribute that is not there."""


MISSING_ATTRIBUTE = _Absent()


@lowers(builtins.setattr)
@always
def setattr_(w: ContainerContext, obj: Any, name: Any, value: Any) -> None:
    """Set an attribute in the store."""
    _require_name(w, name)
    w.set_attribute(obj, name, value)


@lowers(builtins.delattr)
@always
def delattr_(w: ContainerContext, obj: Any, name: Any) -> None:
    """Delete an attribute in the store; it must be there."""
    _require_name(w, name)
    w.set_attribute(obj, name, UNSET)


@lowers(object.__delattr__)
@always
def object_delattr(w: ContainerContext, obj: Any, name: Any) -> None:
    """Delete an attribute, past the class's own `__delattr__`."""
    _require_name(w, name)
    w.set_attribute(obj, name, UNSET, plain=True)


@lowers(object.__setattr__)
@always
def object_setattr(w: ContainerContext, obj: Any, name: Any, value: Any) -> None:
    """Set an attribute, past the class's own `__setattr__`."""
    w.set_attribute(obj, name, value, plain=True)


@lowers(object.__getattribute__)
@always
def object_getattribute(w: ContainerContext, obj: Any, name: Any) -> Any:
    """Return an attribute, past the class's own `__getattribute__`."""
    _require_name(w, name)
    return w.lookup_plain(obj, name)


@lowers(object.__init__)
@always
def object_init(w: LoweringContext, obj: Any, /, *args: Any, **kwargs: Any) -> None:
    """Do nothing, as Python does."""


@lowers(types.MethodType)
@always
def method(w: ContainerContext, function: Any, receiver: Any) -> Any:
    """Return a function with its first argument."""
    return BoundMethod(function, receiver)


@lowers(builtins.super)
@always
def super_(w: ContainerContext, *args: Any) -> Any:
    """Return the proxy that looks attributes up past a class."""
    if args:
        return ask(w, super, *args)
    frame = w.frames[-1]
    while frame.parent is not None and frame.owner is None:
        frame = frame.parent
    if frame.owner is None or frame.first_argument is None:
        w.raise_static(RuntimeError("super(): no arguments"))
    return super(frame.owner, w.version(frame, frame.first_argument))


@lowers(builtins.print)
@always
@takes_spreads
@takes_choices
def print_(w: ContainerContext, *args: Any, **kwargs: Any) -> None:
    """Let the model print, or do nothing in it; the report says so."""
    known = {name: w.narrow(one) for name, one in kwargs.items() if name != "file"}
    file = w.narrow(kwargs.get("file"))
    to = next((name for name in ("stdout", "stderr") if file is getattr(sys, name)), None)
    to = "stdout" if file is None else to
    if w.prints.enabled and to and not w.is_symbolic(tuple(known.values())):
        w.prints.printed({"print": to, **known}, list(args))
    else:
        w.call(idioms.signals.note, ["print has no effect in the model"], {})
