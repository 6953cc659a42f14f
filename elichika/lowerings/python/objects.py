"""Partial functions, properties, namespaces, casts: what Python makes of objects."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import logging
import operator
import traceback
import types
import typing
import warnings
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import six

from elichika import idioms
from elichika.registry import always, lowers, takes_choices, takes_spreads
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import has_space
from elichika.values.symbolic import UNSET, Choice, Symbolic

if TYPE_CHECKING:
    from collections.abc import Callable

    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def blank(cls: type) -> Any:
    """Return a new object of a class that holds nothing yet; has a lowering."""
    return object.__new__(cls)


@lowers(blank)
@always
def _blank(w: ContainerContext, cls: type) -> Any:
    return w.store.born(object.__new__(cls))


def tested(value: Any) -> Any:
    """Return a value as what was asked of it says that it is; has a lowering."""
    return value


@lowers(tested)
@always
@takes_choices
def _tested(w: ContainerContext, value: Any) -> Any:
    return w.choices.tested(value)


def hides(receiver: Any, name: str) -> bool:
    """Tell whether an object has another thing by a name than its class; has a lowering."""
    return name in vars(receiver)


@lowers(hides)
@always
def _hides(w: ContainerContext, receiver: Any, name: str) -> Any:
    return name in w.heap_slots(receiver) and w.call(idioms.dicts.has_own, [receiver, name], {})


def is_of(called: Any, function: Any, receiver: Any) -> bool:
    """Tell whether something is a method of an object; has a lowering."""
    return runs(called, function) and called.__self__ is receiver


@lowers(is_of)
@always
def _is_of(w: ContainerContext, called: Any, function: Any, receiver: Any) -> bool:
    held = _method(w, called)
    return held is not None and held.function is function and held.receiver is receiver


def runs(called: Any, function: Any) -> bool:
    """Tell whether something is a method that runs a function; has a lowering."""
    return getattr(called, "__func__", None) is function


@lowers(runs)
@always
def _runs(w: ContainerContext, called: Any, function: Any) -> bool:
    held = _method(w, called)
    return held is not None and held.function is function


def owner(called: Any, function: Any) -> Any:
    """Return the object of a method that was found to run a function; has a lowering."""
    return called.__self__


@lowers(owner)
@always
@takes_choices
def _owner(w: ContainerContext, called: Any, function: Any) -> Any:
    held = _restricted(w, called, lambda one: _runs(w, one, function))
    if type(held) is Choice:
        return w.choices.apply(held, lambda one: _owner(w, one, function))
    method = _method(w, held)
    return None if method is None else method.receiver


def chosen(called: Any, function: Any) -> Any:
    """Return what was found to be a function, or a method that runs it; has a lowering."""
    return called


@lowers(chosen)
@always
@takes_choices
def _chosen(w: ContainerContext, called: Any, function: Any) -> Any:
    found = _restricted(w, called, lambda one: one is function or _runs(w, one, function))
    return called if found is UNSET else found


def other(called: Any, functions: tuple[Any, ...], receiver: Any) -> Any:
    """Return what was found to be none of some functions; has a lowering.

    Args:
        called: What is called.
        functions: The functions, each with a test that it did not pass.
        receiver: The object that a method was not of.
    """
    return called


@lowers(other)
@always
@takes_choices
def _other(
    w: ContainerContext, called: Any, functions: tuple[tuple[Any, Any], ...], receiver: Any
) -> Any:
    def passes(one: Any, function: Any, test: Any) -> bool:
        if test is is_of:
            return _is_of(w, one, function, receiver)
        return _runs(w, one, function) if test is runs else one is function

    def stays(one: Any) -> bool:
        return not any(passes(one, *tried) for tried in functions)

    found = _restricted(w, called, stays)
    return idioms.signals.unreached if found is UNSET else found


def _method(w: ContainerContext, called: Any) -> BoundMethod | None:
    """Return a method with what it runs and what it is of; None of what is no method."""
    match called:
        case types.MethodType(__func__=held, __self__=owner):
            return BoundMethod(held, owner)
        case BoundMethod(function=held, receiver=owner):
            return BoundMethod(held, w.narrow(owner))
    return None


def _restricted(w: ContainerContext, value: Any, stays: Callable[[Any], bool]) -> Any:
    """Return a choice without some of its alternatives; UNSET where none stays."""
    value = w.choices.tested(value)
    if type(value) is not Choice:
        return value if stays(value) else UNSET
    parts = tuple(_restricted(w, one, stays) for one in value.alternatives)
    left = [index for index, one in enumerate(parts) if one is not UNSET]
    made: Any = Choice(value.tag, parts) if left else UNSET
    for index in range(len(parts))[::-1]:
        made = w.choices.without(made, index) if left and index not in left else made
    return made


@lowers(typing.cast)
@always
@takes_choices
def cast(w: LoweringContext, typ: Any, val: Any) -> Any:
    """Return the value."""
    return val


@lowers(functools.wraps)
@always
def wraps(
    w: LoweringContext,
    wrapped: Any,
    assigned: Any = functools.WRAPPER_ASSIGNMENTS,
    updated: Any = functools.WRAPPER_UPDATES,
) -> Any:
    """Return a decorator; of what it hands on, the name alone can be read."""
    return functools.partial(idioms.iterators.wrapping, wrapped, assigned)


@lowers(idioms.iterators.wrapping)
@always
def wrapping(w: ContainerContext, wrapped: Any, assigned: Any, wrapper: Any) -> Any:
    """Give the name of a function to another."""
    if isinstance(wrapper, Closure) and "__name__" in assigned:
        return dataclasses.replace(wrapper, name=w.get_attribute(wrapped, "__name__", None))
    return wrapper


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


def _iterator(name: str) -> Callable[[LoweringContext, Any], Any]:
    """Return what iterates over what a method of a dict gives."""
    return lambda w, d: w.call(iter, [w.call(w.get_attribute(d, name), [], {})], {})


for _name in ("items", "values", "keys"):
    lowers(getattr(six, f"iter{_name}"))(always(takes_choices(_iterator(_name))))


def _logs(name: str, owner: Any) -> None:
    @lowers(getattr(owner, name))
    @always
    @takes_spreads
    def lowering(w: ContainerContext, *args: Any, **kwargs: Any) -> None:
        if not w.prints.enabled or kwargs:
            w.call(idioms.signals.note, ["logging has no effect in the model"], {})
            return
        logger, *rest = args if owner is logging.Logger else (logging.root, *args)
        level = rest.pop(0) if name == "log" else LEVELS[name]
        w.prints.printed({"log": logger.name, "level": level}, rest)


#: How grave each is.
LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "exception": logging.ERROR,
    "log": 0,
}
for _name in LEVELS:
    _logs(_name, logging)
    _logs(_name, logging.Logger)


@lowers(warnings.warn)
@lowers(traceback.print_exc)
@always
@takes_spreads
def warn(w: LoweringContext, *args: Any, **kwargs: Any) -> None:
    """Do nothing in the model; the report says so."""
    w.call(idioms.signals.note, ["logging has no effect in the model"], {})


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
    """Read a name known while compiling, as checks of arguments do; other code is not compiled.

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
@takes_choices
def vars_(w: LoweringContext, *objects: Any) -> Any:
    """Return the dict of an object's attributes; of one of several that of the same one."""
    if len(objects) != 1:
        w.refuse("`vars` is compiled with one object only")
    obj = w.narrow(objects[0])
    if type(obj) is Choice:
        return Choice(obj.tag, tuple(vars_(w, one) for one in obj.alternatives))
    if isinstance(obj, (Symbolic, type, types.ModuleType)) or not has_space(obj):
        w.refuse("`vars` is compiled only for objects of classes of the program")
    return w.get_attribute(obj, "__dict__")
