"""Objects of the program in its result: which of their attributes are part of it."""

from __future__ import annotations

import enum
import types
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.iterators.base import Cursor, DictView, SymbolicRange
from elichika.signature.constants import is_plain
from elichika.signature.records import fields_of
from elichika.values.functions import GeneratorCall
from elichika.values.kinds import has_space
from elichika.values.symbolic import Choice, Conflict, Seq, Symbolic
from elichika.values.tables import Table
from elichika.values.words import a_or_an, a_value

if TYPE_CHECKING:
    from elichika.walker.walk import Walk

#: What is an object for Python, but no record of attributes.
OTHERS = (
    chainer.Link,
    chainer.Variable,
    Symbolic,
    BaseException,
    enum.Enum,
    type,
    list,
    tuple,
    dict,
    set,
    types.FunctionType,
    types.MethodType,
    types.ModuleType,
)


def gone_through(w: Walk, value: Any, above: tuple[Any, ...] = ()) -> Any:
    """Return a result with lists in the places of what its caller goes through.

    These are generators and other iterators, ranges, and views of dicts.

    Args:
        w: The walker.
        value: The result, or a part of it.
        above: The containers that hold it.

    Raises:
        StagingError: It holds itself.
    """
    value = w.narrow(value)
    if any(value is other for other in above):
        w.refuse(f"the result holds {a_value(value)} that holds itself")
    inside = partial(gone_through, w, above=(*above, value))
    match value:
        case range() | SymbolicRange() | Cursor() | GeneratorCall() | DictView():
            kind = getattr(type(value), "stands_for", type(value).__name__)
            w.report.note(None, f"{a_or_an(kind)} in the result is a list of what it gives")
            return inside(w.call(list, [value], {}))
        case tuple():
            items = list(map(inside, value))
            return value if _same(items, value) else tuple.__new__(type(value), items)
        case list() if type(value) is list and not w.is_dynamic(value):
            items = list(map(inside, w.items_of(value)))
            return value if _same(items, w.items_of(value)) else w.new_list(items)
        case dict() if type(value) in (dict, OrderedDict) and type(w.items_of(value)) is dict:
            held = w.items_of(value)
            made = {key: inside(part) for key, part in held.items()}
            same = _same(made.values(), held.values())
            return value if same else w.call(type(value), [w.new_dict(made)], {})
        case Choice() if any(type(one) in (range, SymbolicRange) for one in value.alternatives):
            return w.choices.apply(value, inside)
    return value


def _same(items: Iterable[Any], others: Iterable[Any]) -> bool:
    return all(item is other for item, other in zip(items, others, strict=True))


def is_object(value: Any) -> bool:
    """Tell whether a value is an object with attributes, of a class of the program."""
    return (
        has_space(value)
        and not isinstance(value, OTHERS)
        and not hasattr(type(value), "__next__")
        and type(value).__module__.split(".")[0] not in ("builtins", "elichika", "functools")
    )


def told(w: Walk, obj: Any, above: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Return what a result tells of an object, by field; empty if there is nothing to tell.

    Functions, links, devices and whatever else holds no tensor is left out.

    Args:
        w: The walker.
        obj: The object.
        above: The objects that hold it.

    Raises:
        StagingError: It holds itself.
    """
    if any(obj is other for other in above):
        w.refuse(f"the result holds {a_value(obj)} that holds itself")
    above = (*above, obj)
    attributes = w.attributes_of(obj).items()
    held = {k: v for k, v in attributes if not is_unset(k, v) and _is_told(w, v, above)}
    return {field: held[name] for field, name in fields_of(type(obj), held).items()}


def is_unset(name: str, value: Any) -> bool:
    """Tell whether an attribute is a private None: what a property works out where it is asked."""
    return name.startswith("_") and value is None


def _is_told(w: Walk, value: Any, above: tuple[Any, ...]) -> bool:
    value = w.narrow(value)
    if isinstance(value, tuple | list | dict):
        items = value if isinstance(value, tuple) else w.items_of(value)
        if isinstance(items, Seq | Table | Conflict):
            return True
        parts = items.values() if isinstance(items, dict) else items
        return all([_is_told(w, part, above) for part in parts]) or w.is_symbolic(value)
    if is_object(value):
        return bool(told(w, value, above))
    return w.is_static_variable(value) or w.is_symbolic(value) or is_constant(value)


def is_constant(value: Any) -> bool:
    """Tell whether a value known while compiling can be a result: a number, array, text or None."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "biuf"
    return is_plain(value)
