"""Python structures as data: what surrounds the tensors of a call or of a result.

A structure is a tree whose leaves are `Slot`s, numbers into a list of tensors, and constants. It
goes to JSON and back, and turns a list of leaf values into the Python object it describes.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = [
    "Constant",
    "DictOf",
    "Frozen",
    "ItemsOf",
    "OneOf",
    "RecordOf",
    "RowsOf",
    "Slot",
    "Structure",
    "constant",
    "from_json",
    "is_plain",
    "rebuild",
    "slots",
    "to_json",
]


@dataclass(frozen=True)
class Slot:
    """A leaf: the number of a tensor."""

    index: int


@dataclass(frozen=True)
class Constant:
    """A value that is the same in every call."""

    value: Any


@dataclass(frozen=True)
class Frozen:
    """What is left of a constant that JSON cannot hold: how it reads and how to recognise it."""

    text: str
    digest: str | None


@dataclass(frozen=True)
class ItemsOf:
    """A tuple or a list of known length."""

    kind: str
    items: tuple[Structure, ...]


@dataclass(frozen=True)
class RecordOf:
    """A namedtuple; `cls` is not kept in JSON, an equal class takes its place."""

    name: str
    fields: tuple[str, ...]
    items: tuple[Structure, ...]
    cls: type | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DictOf:
    """A dict or OrderedDict with known keys, in order."""

    kind: str
    keys: tuple[Any, ...]
    items: tuple[Structure, ...]


@dataclass(frozen=True)
class RowsOf:
    """A list or tuple of dynamic length; each slot below holds one element a row."""

    kind: str
    item: Structure


@dataclass(frozen=True)
class OneOf:
    """One of several structures; `tag` tells which (bool: true for the first; else an index)."""

    tag: Slot
    alternatives: tuple[Structure, ...]


Structure = Slot | Constant | Frozen | ItemsOf | RecordOf | DictOf | RowsOf | OneOf

ITEMS: Mapping[str, Callable[[Iterable[Any]], Any]] = {"tuple": tuple, "list": list}
DICTS: Mapping[str, type[dict[Any, Any]]] = {"dict": dict, "OrderedDict": OrderedDict}


def slots(structure: Structure) -> list[int]:
    """Return the numbers of the tensors below a structure, left to right."""
    match structure:
        case Slot(index):
            return [index]
        case ItemsOf(_, items) | RecordOf(_, _, items) | DictOf(_, _, items):
            return [index for item in items for index in slots(item)]
        case RowsOf(_, item):
            return slots(item)
        case OneOf(tag, alternatives):
            return [tag.index, *(index for item in alternatives for index in slots(item))]
    return []


def rebuild(
    structure: Structure,
    values: Sequence[Any],
    restore: Callable[[int, Any], Any] = lambda _, value: value,
    restore_rows: Callable[[int, Any], Sequence[Any]] = lambda _, rows: rows,
) -> Any:
    """Return the Python object whose tensors are `values`.

    `restore(index, value)` makes the leaf of a slot's value, and `restore_rows(index, rows)` those
    of many at once; slots of alternatives that were not taken are not asked for. A `RowsOf` needs
    at least one slot and has as many rows as its value.
    """

    def visit(part: Structure) -> Any:
        return rebuild(part, values, restore, restore_rows)

    match structure:
        case Slot(index):
            return restore(index, values[index])
        case Constant(value):
            return value
        case ItemsOf(kind, items):
            return ITEMS[kind]([visit(item) for item in items])
        case RecordOf(name, fields, items, cls):
            made: Any = cls or namedtuple(name, fields)
            return tuple.__new__(made, map(visit, items))  # past an own `__new__`
        case DictOf(kind, keys, items):
            return DICTS[kind](zip(keys, map(visit, items), strict=True))
        case RowsOf(kind, item):
            used = slots(item)
            if isinstance(item, Slot):
                return ITEMS[kind](restore_rows(item.index, values[item.index]))
            if isinstance(item, ItemsOf) and all(isinstance(part, Slot) for part in item.items):
                columns = (restore_rows(index, values[index]) for index in used)
                return ITEMS[kind](map(ITEMS[item.kind], zip(*columns, strict=True)))
            count = len(values[used[0]])
            rows = (_row(values, used, number) for number in range(count))
            return ITEMS[kind]([rebuild(item, row, restore, restore_rows) for row in rows])
        case OneOf(tag, alternatives):
            return visit(alternatives[_chosen(values[tag.index])])
        case Frozen(text):
            raise ValueError(f"{text} is not kept in the model")
    raise AssertionError(structure)


def _row(values: Sequence[Any], used: Sequence[int], number: int) -> list[Any]:
    row = list(values)
    for index in used:
        row[index] = values[index][number]
    return row


def _chosen(tag: Any) -> int:
    number = np.asarray(tag)
    return int(not number) if number.dtype == np.bool_ else int(number)


def is_plain(value: object) -> bool:
    """Tell whether a value goes to JSON and comes back equal, with its type."""
    if type(value) in (tuple, list):
        return all(is_plain(item) for item in value)  # type: ignore[attr-defined]
    if type(value) is dict:
        return all(is_plain(key) and is_plain(item) for key, item in value.items())
    return value is None or type(value) in (bool, int, float, str)


def constant(value: object) -> Constant | Frozen:
    """Return what a model keeps of a constant: itself if it is plain, else a fingerprint."""
    if is_plain(value):
        return Constant(value)
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        text = f"{value.dtype}{list(value.shape)}"
        return Frozen(text, f"{value.dtype.str}{value.shape}{digest}")
    return Frozen(f"a {type(value).__qualname__}", None)


def to_json(structure: Structure) -> Any:
    """Return a structure as JSON data."""
    match structure:
        case Slot(index):
            return {"slot": index}
        case Constant(value):
            kept = constant(value)
            return to_json(kept) if isinstance(kept, Frozen) else {"constant": _plain_json(value)}
        case Frozen(text, digest):
            return {"frozen": text, "digest": digest}
        case ItemsOf(kind, items):
            return {kind: [to_json(item) for item in items]}
        case RecordOf(name, fields, items):
            return {
                "record": name,
                "fields": list(fields),
                "items": [to_json(item) for item in items],
            }
        case DictOf(kind, keys, items):
            return {kind: [[_plain_json(k), to_json(i)] for k, i in zip(keys, items, strict=True)]}
        case RowsOf(kind, item):
            return {"rows": to_json(item), "as": kind}
        case OneOf(tag, alternatives):
            return {"tag": tag.index, "one_of": [to_json(item) for item in alternatives]}
    raise AssertionError(structure)


def from_json(data: Any) -> Structure:
    """Return the structure that `to_json` made `data` of."""
    if "slot" in data:
        return Slot(data["slot"])
    if "constant" in data:
        return Constant(_plain_from_json(data["constant"]))
    if "frozen" in data:
        return Frozen(data["frozen"], data["digest"])
    if "record" in data:
        items = tuple(from_json(item) for item in data["items"])
        return RecordOf(data["record"], tuple(data["fields"]), items)
    if "rows" in data:
        return RowsOf(data["as"], from_json(data["rows"]))
    if "one_of" in data:
        return OneOf(Slot(data["tag"]), tuple(from_json(item) for item in data["one_of"]))
    ((kind, content),) = data.items()
    if kind in ITEMS:
        return ItemsOf(kind, tuple(from_json(item) for item in content))
    keys = tuple(_plain_from_json(key) for key, _ in content)
    return DictOf(kind, keys, tuple(from_json(item) for _, item in content))


def _plain_json(value: Any) -> Any:
    if type(value) is float and not math.isfinite(value):
        return {"float": repr(value)}
    if type(value) in (tuple, list):
        return {type(value).__name__: [_plain_json(item) for item in value]}
    if type(value) is dict:
        return {"dict": [[_plain_json(key), _plain_json(item)] for key, item in value.items()]}
    return value


def _plain_from_json(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    if kind == "float":
        return float(content)
    if kind == "dict":
        return {_plain_from_json(key): _plain_from_json(item) for key, item in content}
    return ITEMS[kind]([_plain_from_json(item) for item in content])
