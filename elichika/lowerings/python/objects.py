"""Copies, partial functions, properties, dataclasses, casts: what Python makes of objects."""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import logging
import operator
import types
import typing
import warnings
from collections import OrderedDict
from collections.abc import Callable
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
import six

from elichika import idioms
from elichika.iterators.base import SymbolicRange
from elichika.lowerings.python.iterables import list_
from elichika.registry import always, lowers, takes_choices, takes_spreads
from elichika.values.functions import BoundMethod, Closure, GeneratorContext
from elichika.values.symbolic import UNSET, Array, Choice, DynamicTuple, Symbolic, Var

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(typing.cast)
@always
@takes_choices
def cast(w: LoweringContext, typ: Any, val: Any) -> Any:
    """Return the value."""
    return val


@lowers(functools.wraps)
@always
def wraps(w: LoweringContext, wrapped: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a decorator that leaves the function as it is."""
    return idioms.iterators.unchanged


@lowers(contextlib.contextmanager)
def contextmanager(w: LoweringContext, function: Any) -> Any:
    """Return what makes contexts of a generator that the program defines."""
    return functools.partial(idioms.iterators.managed, function)


@lowers(idioms.iterators.managed)
@always
def managed(w: LoweringContext, function: Any, /, *args: Any, **kwargs: Any) -> GeneratorContext:
    """A context that runs a generator."""
    return GeneratorContext(w.call(function, list(args), kwargs))


@lowers(functools.partial)
@always
def partial(w: LoweringContext, function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Make a partial function; it never changes, so Python's own will do."""
    return functools.partial(function, *args, **kwargs)


@lowers(type.__call__)
@always
def make(w: ContainerContext, cls: type, /, *args: Any, **kwargs: Any) -> Any:
    """Make an object, for a metaclass that has its own `__call__`."""
    return w.instantiate(cls, list(args), kwargs)


@lowers(builtins.property)
@always
def property_(w: LoweringContext, getter: Any = None, *rest: Any) -> Any:
    """Make a property of a class that the program defines."""
    return property(getter, *rest)


@lowers(builtins.staticmethod)
@always
def staticmethod_(w: LoweringContext, function: Any) -> Any:
    """Make a static method."""
    return staticmethod(function)


@lowers(builtins.classmethod)
@always
def classmethod_(w: LoweringContext, function: Any) -> Any:
    """Make a class method."""
    return classmethod(function)


@lowers(types.SimpleNamespace)
@always
def namespace(w: ContainerContext, /, **attributes: Any) -> Any:
    """Make an object of these attributes."""
    made = w.store.born(types.SimpleNamespace())
    for name, value in attributes.items():
        w.store.set(made, name, value)
    return made


@lowers(types.SimpleNamespace.__eq__)
@always
def same_namespace(w: ContainerContext, left: Any, right: Any, /) -> Any:
    """Compare the attributes."""
    if not isinstance(right, types.SimpleNamespace):
        return NotImplemented
    ours, theirs = (w.new_dict(w.attributes_of(obj)) for obj in (left, right))
    return w.binary(operator.eq, ours, theirs)


@lowers(types.SimpleNamespace.__ne__)
@always
def other_namespace(w: LoweringContext, left: Any, right: Any, /) -> Any:
    """Compare the attributes."""
    same = same_namespace(w, left, right)
    return same if same is NotImplemented else w.not_(w.truth(same))


@lowers(contextlib.nullcontext)
@always
def nullcontext(w: ContainerContext, enter_result: Any = None) -> Any:
    """Make a context manager that does nothing."""
    made = w.store.born(object.__new__(contextlib.nullcontext))
    w.store.set(made, "enter_result", enter_result)
    return made


@lowers(six.iteritems)
@always
def iteritems(w: LoweringContext, d: Any) -> Any:
    """Iterate over the pairs of a dict."""
    return w.call(iter, [w.call(dict.items, [d], {})], {})


@lowers(six.itervalues)
@always
def itervalues(w: LoweringContext, d: Any) -> Any:
    """Iterate over the values of a dict."""
    return w.call(iter, [w.call(dict.values, [d], {})], {})


@lowers(six.iterkeys)
@always
def iterkeys(w: LoweringContext, d: Any) -> Any:
    """Iterate over the keys of a dict."""
    return w.call(iter, [w.call(dict.keys, [d], {})], {})


def _silent(*functions: Any) -> None:
    @lowers(*functions)
    @always
    @takes_spreads
    def lowering(w: ContainerContext, *args: Any, **kwargs: Any) -> None:
        w.report.note(w.user_frame(), "logging has no effect in the model")


_LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")
_silent(*(getattr(logging.Logger, level) for level in _LEVELS))
_silent(*(getattr(logging, level) for level in _LEVELS), warnings.warn)


# Copies


@lowers(copy.copy)
@always
def copy_(w: ContainerContext, x: Any) -> Any:
    """Return a copy that shares what it holds."""
    x = w.narrow(x)
    if isinstance(x, (Array, np.ndarray)):
        return _array_copy(w, x)
    if _is_immutable(x) or isinstance(x, (tuple, Var)):
        return x
    if isinstance(x, (list, dict, set)):
        return _container(w, x, lambda item: item)
    method = w.special(x, "__copy__")
    if method is not None and w.has_source(method):
        return w.call(method, [x], {})
    return _object(w, x, lambda item: item, {})


@lowers(copy.deepcopy)
@always
def deepcopy(w: ContainerContext, x: Any, memo: Any = None) -> Any:
    """Return a copy of an object and of all that it holds."""
    if memo is not None:
        w.refuse("`deepcopy` with a memo is not compiled", "leave the memo out")
    return _deep(w, x, {})


def _deep(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    x = w.narrow(x)
    if id(x) not in memo:
        memo[id(x)] = _deep_new(w, x, memo)
    return memo[id(x)]


def _deep_new(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    """Copy what was not copied before under this name."""
    if isinstance(x, Choice) and any(map(w.arenas.holds, x.alternatives)):
        _close(w, memo)
        return w.choices.apply(x, lambda one: _deep(w, one, {}))
    if w.arenas.holder(x) is not None:
        return _of_arena(w, x, memo)
    if w.is_dynamic(x) and not w.sequences.is_plain(x):
        _close(w, memo)
    if isinstance(x, (Array, np.ndarray)) or w.store.is_sealed(x):
        return _copied_once(w, x, memo, lambda: _deep_of(w, x, memo))
    return _deep_of(w, x, memo)


def _in_list(w: ContainerContext, x: Any) -> bool:
    """Tell whether a list of dynamic length may hold an object."""
    return w.in_list(x) if isinstance(x, Array) else w.arenas.holds(x) or w.store.is_sealed(x)


def _close(w: ContainerContext, memo: dict[Any, Any]) -> None:
    """Refuse further objects of lists, and those before: what is one of them has one copy."""
    if memo.get("closed") or any(_in_list(w, one) for one, _ in memo.get("met", ())):
        w.arenas.refuse_deep()
    memo["closed"] = True


def _copied_once(
    w: ContainerContext, x: Any, memo: dict[Any, Any], copied: Callable[[], Any]
) -> Any:
    """Copy what may be an object that was copied before: then that copy is meant."""
    if memo.get("closed") and _in_list(w, x):
        w.arenas.refuse_deep()
    met = memo.setdefault("met", [])

    def made(others: list[tuple[Any, Any]]) -> Any:
        for place, (other, before) in enumerate(others, 1):
            same = w.identical(other, x)
            if same is not False:
                rest = functools.partial(made, others[place:])
                return w.branch(w.truth(same), functools.partial(_given, before), rest)
        return copied()

    result = made(list(met))
    met.append((x, result))
    return result


def _given(value: Any) -> Any:
    return value


def _of_arena(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    """Copy an object that changes while lists hold it, or a list of such objects."""
    arena = w.arenas.holder(x)
    assert arena is not None
    cls = arena.cls
    if hasattr(cls, "__deepcopy__"):
        _refuse_own(w, cls)
    _require_plain(w, cls)
    if not w.is_dynamic(x):
        return _copied_once(w, x, memo, lambda: w.arenas.another(x))
    _close(w, memo)
    made = w.call(idioms.lists.copied, [x, copy.deepcopy], {})
    if isinstance(x, DynamicTuple):
        return w.call(tuple, [made], {})
    return made


def _deep_of(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    if isinstance(x, (Array, np.ndarray)):
        return _array_copy(w, x)
    if isinstance(x, Var):
        return Var(_deep(w, x.array, memo), x.kind)
    if isinstance(x, Choice):
        return Choice(x.tag, tuple(_deep(w, one, memo) for one in x.alternatives))
    if isinstance(x, BoundMethod):
        return BoundMethod(x.function, _deep(w, x.receiver, memo))
    if w.is_dynamic(x) and type(x) in (list, DynamicTuple):
        return w.sequences.like(x, w.sequences.settled(w.items_of(x)))
    if _is_immutable(x):
        return x
    if isinstance(x, tuple):
        return tuple.__new__(type(x), [_deep(w, item, memo) for item in x])
    if isinstance(x, (list, dict, set)):
        return _container(w, x, lambda item: _deep(w, item, memo))
    method = w.special(x, "__deepcopy__")
    if method is not None:
        _refuse_own(w, type(x))
    return _object(w, x, lambda item: _deep(w, item, memo), memo)


def _refuse_own(w: LoweringContext, cls: type) -> None:
    w.refuse(f"`deepcopy` of a {cls.__name__}, which has `__deepcopy__`, is not compiled")


_IMMUTABLE = (
    *(bool, int, float, complex, str, bytes, type, np.generic, np.dtype, frozenset, range),
    *(DynamicTuple, SymbolicRange, Closure, BoundMethod),
)


def _is_immutable(x: Any) -> bool:
    return (
        x is None
        or x is UNSET
        or isinstance(x, _IMMUTABLE)
        or (callable(x) and not hasattr(x, "__dict__"))
        or (isinstance(x, Symbolic) and not isinstance(x, (Array, Var)))
        or hasattr(x, "__code__")
    )


def _array_copy(w: LoweringContext, x: Any) -> Any:
    return w.call(np.ndarray.copy, [x], {})


def _container(w: ContainerContext, x: Any, each: Any) -> Any:
    if isinstance(x, dict):
        if type(x) not in (dict, OrderedDict):
            w.refuse(f"a copy of a {type(x).__name__} is not compiled")
        copied = w.new_dict({k: each(v) for k, v in w.sure_items(x).items()})
        return copied if type(x) is dict else w.call(OrderedDict, [copied], {})
    if isinstance(x, set):
        return w.call(set, [x], {})
    if type(x) is not list:
        w.refuse(f"a copy of a {type(x).__name__} is not compiled")
    if w.is_dynamic(x):
        return list_(w, x)
    return w.new_list([each(item) for item in w.items(x)])


def _require_plain(w: LoweringContext, cls: type) -> None:
    """Refuse a class that says itself how its objects are copied."""
    special = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__")
    if any(getattr(cls, n, None) is not getattr(object, n, None) for n in special):
        w.refuse(f"a copy of a {cls.__name__} is not compiled")


def _object(w: ContainerContext, x: Any, each: Any, memo: dict[Any, Any]) -> Any:
    """Copy an object of a class of the program, attribute by attribute."""
    _require_plain(w, type(x))
    held = hasattr(x, "__dict__") or w.store.was_born(x)
    if not held or isinstance(x, (chainer.Variable, BaseException)):
        w.refuse(f"a copy of a {type(x).__name__} is not compiled")
    made = w.store.born(object.__new__(type(x)))
    memo[id(x)] = made
    for name, value in w.open_attributes_of(x).items():
        w.store.set(made, name, each(value))
    return made


@lowers(slice)
def slice_(w: LoweringContext, *ends: Any) -> slice:
    """A slice whose ends may be known only when the model runs."""
    return slice(*ends)


@lowers(idioms.signals.refuse)
@always
def refuse(w: LoweringContext, message: str) -> None:
    """End the compilation with the line of the program."""
    w.refuse(message)


@lowers(idioms.signals.note)
@always
def note(w: ContainerContext, message: str) -> None:
    """Note something at the line of the program."""
    w.report.note(w.user_frame(), message)


@lowers(builtins.eval)
@always
def eval_(w: ContainerContext, source: Any, *namespaces: Any) -> Any:
    """Read a name that is known now, as checks of arguments do; other code is not compiled.

    A name of an enclosing function is there for Python only if the code around `eval` names it.
    """
    source = w.narrow(source)
    if namespaces or not isinstance(source, str) or not source.isidentifier() or iskeyword(source):
        w.refuse("`eval` of anything but one name is not compiled", "write the expression itself")
    if w.is_of_enclosing_function(source):
        w.refuse("`eval` of a name of an enclosing function is not compiled", "write the name")
    return w.load(source)


@lowers(builtins.vars)
@always
def vars_(w: LoweringContext, *objects: Any) -> Any:
    """Return the dict of an object's attributes."""
    if len(objects) != 1:
        w.refuse("`vars` takes one object here")
    obj = w.narrow(objects[0])
    if isinstance(obj, (Symbolic, type, types.ModuleType)) or not hasattr(obj, "__dict__"):
        w.refuse("`vars` takes an object of a class of the program here")
    return w.get_attribute(obj, "__dict__")
