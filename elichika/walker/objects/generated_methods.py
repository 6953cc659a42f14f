"""Methods that `dataclasses` and `namedtuple` write: done here, for their text is not kept."""

from __future__ import annotations

import collections
import dataclasses
import operator
import sys
from typing import TYPE_CHECKING, Any

from elichika.state.store import MISSING

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.walker.walk import Walk

_COMPARISONS = {
    "__eq__": operator.eq,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}


def is_generated(function: Any) -> bool:
    """Tell whether `dataclasses` or `namedtuple` wrote a method; a program may write its own."""
    code = function.__code__
    if code.co_filename == collections.namedtuple.__code__.co_filename:
        return function.__name__ in ("_asdict", "_replace", "_make")
    if code.co_filename != "<string>":
        return False
    if sys.version_info < (3, 11):
        return bool(code.co_firstlineno == 2)
    return code.co_qualname.startswith("__create_fn__")


def generated(w: Walk, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a method that `dataclasses` or `namedtuple` wrote, or return NotImplemented."""
    name, obj = function.__name__, args[0] if args else None
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return _of_named_tuple(w, name, obj, kwargs)
    if name == "_make" and isinstance(obj, type) and hasattr(obj, "_fields"):
        return _named_tuple(w, obj, *args[1:])
    if not hasattr(type(obj), "__dataclass_fields__"):
        return NotImplemented
    if name == "__init__":
        return _initialise(w, obj, args[1:], kwargs)
    if name in ("__setattr__", "__delattr__"):  # of a frozen one
        verb = "assign to" if name == "__setattr__" else "delete"
        w.raise_static(dataclasses.FrozenInstanceError(f"cannot {verb} field {args[1]!r}"))
    if name in _COMPARISONS:
        other = args[1]
        if type(other) is not type(obj):
            return NotImplemented
        mine, theirs = (_fields_of(w, o) for o in (obj, other))
        return w.binary(_COMPARISONS[name], mine, theirs)
    return NotImplemented


def _of_named_tuple(w: LoweringContext, name: str, obj: Any, kwargs: dict[str, Any]) -> Any:
    if name == "_asdict":
        return w.new_dict(dict(zip(obj._fields, obj, strict=True)))
    if name == "_replace":
        held = {**dict(zip(obj._fields, obj, strict=True)), **kwargs}
        if len(held) > len(obj):
            w.raise_static(ValueError("Got unexpected field names"))
        make = next(vars(base)["_make"] for base in type(obj).__mro__ if "_make" in vars(base))
        if type(make) is not classmethod or not is_generated(make.__func__):
            return w.call(w.get_attribute(type(obj), "_make"), [tuple(held.values())], {})
        return tuple.__new__(type(obj), held.values())
    return NotImplemented


def _named_tuple(w: LoweringContext, cls: Any, iterable: Any) -> Any:
    items = w.static_items(iterable)
    if len(items) != len(cls._fields):
        w.raise_static(TypeError(f"Expected {len(cls._fields)} arguments, got {len(items)}"))
    return tuple.__new__(cls, items)


def _fields_of(w: LoweringContext, obj: Any) -> tuple[Any, ...]:
    fields = type(obj).__dataclass_fields__.values()
    return tuple(w.get_attribute(obj, f.name) for f in fields if f.compare)


def _initialise(w: Walk, obj: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Set the fields as the generated `__init__` does, then call `__post_init__`."""
    declared = type(obj).__dataclass_fields__.values()
    if any(f._field_type.name not in ("_FIELD", "_FIELD_CLASSVAR") for f in declared):
        w.refuse("a dataclass with `InitVar` is not supported", "write `__init__` yourself")
    fields = [f for f in declared if f._field_type.name == "_FIELD"]
    names = [f.name for f in fields if f.init and not f.kw_only]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    if len(args) > len(names) or set(kwargs) & set(names[: len(args)]):
        w.raise_static(TypeError(f"{type(obj).__name__}.__init__() got too many arguments"))
    for field in fields:
        value = given.pop(field.name, MISSING) if field.init else MISSING
        if value is MISSING and field.default is not dataclasses.MISSING:
            value = field.default
        elif value is MISSING and field.default_factory is not dataclasses.MISSING:
            value = w.call(field.default_factory, [], {})
        elif value is MISSING and field.init:
            w.raise_static(TypeError(f"__init__() missing an argument: '{field.name}'"))
        if value is not MISSING:
            w.set_attribute(obj, field.name, value, plain=True)
    if given:
        w.raise_static(TypeError(f"__init__() got an unexpected argument '{next(iter(given))}'"))
    after = w.special(obj, "__post_init__")
    if after is not None:
        w.call(after, [obj], {})
