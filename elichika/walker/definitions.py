"""What classes, functions and tables of the program say, of which calls may lead to recursion."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from canonicalizer.copies import copied
from canonicalizer.forms import names_in
from canonicalizer.group import Default, Kept
from canonicalizer.names import bound_by
from canonicalizer.scopes import own_nodes
from canonicalizer.walking import by_type
from elichika.lowerings.python.caches import default_of
from elichika.program.places import Program
from elichika.values.functions import Closure, Frame, Remembered, is_private
from elichika.walker.arena_plan import is_plainly_made
from elichika.walker.core import PLAIN

__all__ = [
    "class_called",
    "class_for_super",
    "defaults_of",
    "first_parameter",
    "held_above",
    "is_computed",
    "is_function",
    "items_of",
    "keeps_iterator",
    "makes",
    "method_of",
    "parts_of",
    "sees_alike",
    "values_of",
    "with_public_names",
]


#: The functions of numpy whose result is a new array, whatever they are given.
MAKERS = frozenset(
    {
        *("arange", "array", "concatenate", "copy", "empty", "empty_like", "eye", "full"),
        *("full_like", "hstack", "identity", "ones", "ones_like", "repeat", "stack"),
        *("tile", "vstack", "zeros", "zeros_like"),
    }
)

#: The classes of what defaults are often, and a walk does not make.
CALLED = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type)


def makes(call: Any, program: Program, named: Callable[[str], Any]) -> bool:
    """Tell whether a call in a function is of numpy's, whose result is a new array."""
    match call.func:
        case gast.Attribute(value=gast.Name(id=name), attr=made) if (
            name not in program.locals and named(name) is np
        ):
            words = {keyword.arg for keyword in call.keywords}
            return made in MAKERS and words.isdisjoint({None, "copy", "out"})
    return False


def is_function(value: Any) -> bool:
    """Tell whether a value is a function of Python or of the walked program."""
    return type(value) in (types.FunctionType, Closure)


def method_of(cls: type, name: str, asked: bool | None = None) -> Any:
    """Return what a class has by a name: of a property its function.

    Args:
        cls: The class.
        name: The name.
        asked: Whether it is to be a property; None for either.
    """
    held = held_above(cls, None, name)
    if asked is not None and (type(held) is property) is not asked:
        return None
    return held.fget if type(held) is property else held


def is_computed(cls: type, name: str) -> bool:
    """Tell whether a class of the program computes an attribute."""
    held = held_above(cls, None, name)
    return type(held) is property and is_function(held.fget)


def keeps_iterator(called: Frame, call: Any) -> bool:
    """Tell whether a call needs an iterator, where what it calls returns a list of its items."""
    return hasattr(called.program.tree, "collects") and not hasattr(call, "gone_through")


def items_of(held: Any) -> list[Any]:
    """Return what a list, tuple or dict of the program holds."""
    match held:
        case list() | tuple():
            return list(held)
        case dict():
            return list(held.values())
    return []


def values_of(tree: Any, name: str) -> list[Any]:
    """Return what a function assigns to a name of its own."""
    found = []
    for node in own_nodes(tree):
        match node:
            case gast.Assign(targets=[gast.Name(id=bound)], value=value) if bound == name:
                found.append(value)
    return found


def parts_of(display: Any) -> list[Any]:
    """Return the items of a list, tuple or dict as it is written; nothing of anything else."""
    return list(getattr(display, "elts", getattr(display, "values", ())))


def sees_alike(function: Closure, caller: Frame) -> bool:
    """Tell whether a function, where its caller runs, would see the names that it sees."""
    names = names_in(function.program.tree) - function.program.locals
    scope = caller.parent
    while scope is not None and scope is not function.frame:
        if not names.isdisjoint({*scope.program.locals, *scope.cells}):
            return False
        scope = scope.parent
    return scope is function.frame or (
        function.frame.globals is caller.globals and _reads_globals(function, names)
    )


def _reads_globals(function: Closure, names: set[str]) -> bool:
    """Tell whether a function reads no name of the functions around it."""
    scope: Frame | None = function.frame
    while scope is not None:
        if not names.isdisjoint({*scope.program.locals, *scope.cells}):
            return False
        scope = scope.parent
    return True


def held_above(cls: type, owner: Any, name: str) -> Any:
    """Return what a class has by a name, or what `super()` gives in a method of its `owner`."""
    classes = list(cls.__mro__)
    after = classes.index(owner) + 1 if owner in classes else 0
    held = (vars(base).get(name) for base in classes[after:])
    return next((found for found in held if found is not None), None)


def with_public_names(tree: Any, class_name: str | None) -> Any:
    """Return a method whose private names are those of its class, for it runs among others."""
    private = [node.attr for node in by_type(tree)[gast.Attribute] if is_private(node.attr)]
    if not private or class_name is None:
        return tree
    made = copied(tree)
    for node in by_type(made)[gast.Attribute]:
        if is_private(node.attr):
            node.attr = f"_{class_name.lstrip('_')}{node.attr}"
    return made


def class_for_super(frame: Frame, cls: type | None) -> type | None:
    """Return the class of the receiver where a method asks for the one above its own by `super`."""
    return cls if any(name == "super" for name in names_in(frame.program.tree)) else None


def first_parameter(program: Program) -> str | None:
    """Return the first parameter of a function, if it is never another thing."""
    args = program.tree.args
    names = [node.id for node in (*args.posonlyargs, *args.args)][:1]
    bound = {name for node in own_nodes(program.tree) for name in bound_by(node)}
    return names[0] if names and names[0] not in bound else None


def defaults_of(function: Any, program: Program) -> dict[str, Any]:
    """Return what parameters are where a call leaves them out: the same in every walk."""
    match function:
        case Remembered():
            return defaults_of(function.function, program)
        case Closure():
            defaults, others = function.defaults, function.kw_defaults
        case _:
            defaults, others = function.__defaults__ or (), function.__kwdefaults__ or {}
    spec = program.tree.args
    positional = [node.id for node in (*spec.posonlyargs, *spec.args)]
    values = {**dict(zip(positional[::-1], defaults[::-1], strict=False)), **others}
    found = {name: value for name, value in values.items() if _lasts(value)}
    numbers = dict(zip(positional[::-1], range(len(defaults))[::-1], strict=False))
    for name in values.keys() - found.keys():
        place = numbers.get(name, name)
        if type(function) is types.FunctionType:
            found[name] = Default(function, place)
        else:
            found[name] = Kept(id(program.tree), place, values[name], default_of)
    return found


def _lasts(value: Any) -> bool:
    """Tell whether a value is known by what it is alone, in every walk."""
    match value:
        case tuple():
            return type(value) is tuple and all(map(_lasts, value))
    return type(value) in (*PLAIN, *CALLED)


def class_called(call: Any, program: Program, named: Callable[[str], Any]) -> type | None:
    """Return the class of the program that a call in a function makes an object of."""
    match call.func:
        case gast.Name(id=name) if name not in program.locals:
            found = named(name)
            if type(found) is type and is_plainly_made(found):
                return found
    return None
