"""Objects in results: a namedtuple of the class's name stands for each, with its attributes.

`_x` and `__x` of the class are called `x`, as the properties are that read them.
"""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, MappingView, Sequence
from typing import Any

from elichika.signature.structure import DictOf, ItemsOf, OneOf, RecordOf, RowsOf, Structure

#: What a model gives as a list of its items.
GONE_THROUGH: tuple[Any, ...] = (range, Iterator, MappingView)

__all__ = ["conformed", "fields_of", "record"]


def fields_of(cls: type, attributes: Iterable[str]) -> dict[str, str]:
    """Return the field for each attribute that has one, by the field.

    Of two that come to one name the first counts, a public one before others.
    """
    attributes = list(attributes)
    found: dict[str, str] = {}
    for public in (True, False):
        for name in attributes:
            field = _stripped(cls, name)
            if (name == field) is public and field.isidentifier() and not keyword.iskeyword(field):
                found.setdefault(field, name)
    return {field: name for name in attributes for field, of in found.items() if of == name}


def record(name: str, fields: Mapping[str, Any]) -> Any:
    """Return a namedtuple of these fields."""
    return namedtuple(name, tuple(fields))(**fields)


def conformed(value: Any, structure: Structure) -> Any:
    """Return what the chain gave with records in the places of objects, where the model has them.

    So are lists in the places of iterators, ranges and views of dicts. What has another structure
    stays as it is.
    """
    match structure:
        case ItemsOf("list") | RowsOf("list") if isinstance(value, GONE_THROUGH):
            return conformed(list(value), structure)
        case RecordOf(name, fields, items) if not isinstance(value, tuple):
            if type(value).__name__ != name or not hasattr(value, "__dict__"):
                return value
            names = fields_of(type(value), vars(value))
            if not all(field in names for field in fields):
                return value
            held = (getattr(value, names[field]) for field in fields)
            return record(name, dict(zip(fields, map(conformed, held, items), strict=True)))
        case RecordOf(_, _, items) if len(items) == len(value):
            parts = _parts(value, items)
            return value if parts is None else type(value)(*parts)
        case ItemsOf(_, items) if type(value) in (tuple, list) and len(items) == len(value):
            parts = _parts(value, items)
            return value if parts is None else type(value)(parts)
        case RowsOf(_, item) if type(value) in (tuple, list):
            parts = _parts(value, [item] * len(value))
            return value if parts is None else type(value)(parts)
        case DictOf(_, keys, items) if isinstance(value, dict) and list(value) == list(keys):
            parts = _parts(list(value.values()), items)
            return value if parts is None else type(value)(zip(keys, parts, strict=True))
        case OneOf(_, alternatives):
            for alternative in alternatives:
                made = conformed(value, alternative)
                if made is not value:
                    return made
    return value


def _parts(values: Sequence[Any], items: Sequence[Structure]) -> list[Any] | None:
    """Return the parts conformed, or None where all are as they were."""
    made = [conformed(value, item) for value, item in zip(values, items, strict=True)]
    return None if all(a is b for a, b in zip(made, values, strict=True)) else made


def _stripped(cls: type, name: str) -> str:
    for base in cls.__mro__:
        mangled = f"_{base.__name__.lstrip('_')}__"
        if name.startswith(mangled) and not name.endswith("__"):
            return name[len(mangled) :]
    return name.lstrip("_")
