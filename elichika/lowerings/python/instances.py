"""`isinstance`, by the class that a value has in the program."""

from __future__ import annotations

import builtins
import types
from typing import TYPE_CHECKING, Any, Protocol

import chainer

from elichika.iterators.base import Cursor
from elichika.iterators.told import is_kind
from elichika.numbers.promotion import ask
from elichika.registry import always, lowers, takes_choices
from elichika.values.kinds import OneOfSeveral, is_choice
from elichika.values.symbolic import Choice

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

#: What a `Protocol` holds that it asks nobody for.
_OF_PROTOCOLS = {"_is_protocol", "_is_runtime_protocol"}


@lowers(builtins.isinstance)
@always
@takes_choices
def isinstance_(w: ContainerContext, value: Any, kinds: Any) -> Any:
    """Decide by the class of the value, or as the class of the class says."""
    value, kinds = w.narrow(value), w.narrow(kinds)
    each = w.tag_test if _are_kinds(kinds) else w.choices.apply  # what is none raises there
    if is_choice(value):
        return each(value, lambda one: isinstance_(w, one, kinds))
    if is_choice(kinds):
        return each(kinds, lambda kind: isinstance_(w, value, kind))
    if type(kinds) is types.UnionType:
        kinds = kinds.__args__
    if type(kinds) is tuple:
        return _is_any(w, value, kinds)
    if isinstance(value, Cursor):
        same = ask(w, is_kind, kinds)
        if same is None:
            w.refuse("which kind of iterator this is is not followed", "test for `Iterator`")
        return same
    if w.type_of(value) is OneOfSeveral and not _has_parameters(kinds):
        return ask(w, issubclass, chainer.Variable, kinds)
    if _is_of_attributes(kinds):
        w.refuse(
            f"`isinstance` by the attributes that {kinds.__name__} asks for is not compiled",
            "ask for each: `hasattr(value, 'name')`",
        )
    own = _own_test(w, kinds)
    if own is not None and w.class_of(value) is not kinds:
        return w.truth(w.call(own, [kinds, value], {}))
    found = ask(w, _is_of, w.class_of(value), kinds)
    if found is False:  # Python asks the object itself: what it may say is refused there
        w.get_attribute(value, "__class__")
    return found


def _is_of(kind: type, other: Any) -> bool:
    """Tell whether objects of a class are of another one; `__subclasscheck__` is not asked."""
    plain = getattr(type(other), "__instancecheck__", None) is type.__instancecheck__
    return type.__subclasscheck__(other, kind) if plain else issubclass(kind, other)


def _own_test(w: ContainerContext, kind: Any) -> Any:
    """Return the method in Python by which the class of a class tells what is of it, or None."""
    for base in type(kind).__mro__:
        if "__instancecheck__" in vars(base):
            method = vars(base)["__instancecheck__"]
            return method if type(method) is types.FunctionType and w.has_source(method) else None
    return None


def _is_of_attributes(kind: Any) -> bool:
    """Tell whether a class is a `Protocol` that asks an object for more than methods."""
    bases = [vars(base) for base in getattr(kind, "__mro__", ()) if _is_protocol(base)]
    names = {name for own in bases for name in (*own, *own.get("__annotations__", ()))}
    return any(
        not callable(getattr(kind, name, None))
        for name in names - _OF_PROTOCOLS
        if not name.startswith(("__", "_abc_"))
    )


def _is_protocol(kind: type) -> bool:
    return kind is not Protocol and vars(kind).get("_is_protocol", False)


def _has_parameters(kinds: Any) -> bool:
    """Tell whether a class is one of Parameters."""
    return chainer.Parameter in getattr(kinds, "__mro__", ())


def _are_kinds(kinds: Any) -> bool:
    """Tell whether what may be asked for is a class or a tuple of such in any case.

    Classes whose own class tells what is of them are none of these.
    """
    match kinds:
        case type():
            return type(kinds).__instancecheck__ is type.__instancecheck__
        case Choice(alternatives=parts) | tuple(parts):
            return all(map(_are_kinds, parts))
    return False


def _is_any(w: ContainerContext, value: Any, kinds: tuple[Any, ...]) -> Any:
    """Tell whether a value is of one of some classes; those behind it are not asked."""
    if not kinds:
        return False
    answer = isinstance_(w, value, kinds[0])
    if answer is True or answer is False:
        return answer or _is_any(w, value, kinds[1:])
    return w.branch(answer, lambda: True, lambda: _is_any(w, value, kinds[1:]))
