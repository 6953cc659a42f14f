"""Python structures as data: what surrounds the tensors of a call or of a result.

A structure is a tree whose leaves are `Slot`s, numbers into a list of tensors, and constants. It
goes to JSON and back, turns a list of leaf values into the Python object it describes, and finds
the leaves of such an object.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from elichika.errors import InputError
from elichika.signature.constants import (
    ITEMS,
    is_plain,
    plain_from_json,
    plain_json,
    same_constant,
    shown_value,
)
from elichika.signature.slots import Found, Leaves

__all__ = [
    "As",
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
    "rebuild",
    "with_slots",
]

DICTS: Mapping[str, type[dict[Any, Any]]] = {"dict": dict, "OrderedDict": OrderedDict}
#: What is made of rows; those of a dict are pairs.
SETS: Mapping[str, Callable[[Any], Any]] = {"set": set, "frozenset": frozenset}
ROWS: Mapping[str, Callable[[Any], Any]] = {**ITEMS, **DICTS, **SETS}


class Structure:
    """A tree, or a part of one."""

    @property
    def parts(self) -> tuple[Structure, ...]:
        """The structures directly below."""
        return ()

    @property
    def slots(self) -> list[int]:
        """The numbers of the tensors below it, left to right."""
        return [index for part in self.parts for index in part.slots]

    @property
    def word(self) -> str:
        """What Python calls it."""
        return str(getattr(self, "kind", "value"))

    def ways(self) -> list[dict[int, int]]:
        """Return the choices that can be made of it: an alternative for each tag that counts."""
        made: list[dict[int, int]] = [{}]
        for part in self.parts:
            made = [{**one, **other} for one in made for other in part.ways()]
        return made

    def taken(self, way: Mapping[int, int]) -> Structure:
        """Return what it is where these choices are made."""
        changed: Any = self
        return (
            replace(changed, items=tuple(i.taken(way) for i in self.parts)) if self.parts else self
        )

    def count_ways(self) -> int:
        """Return how many there are."""
        return math.prod(part.count_ways() for part in self.parts)

    @property
    def is_whole(self) -> bool:
        """Whether what was read from a file can be one, apart from its parts."""
        return True

    def filled(self, leaves: Leaves) -> Any:
        """Return the Python object that has these leaves."""
        raise NotImplementedError

    def match(self, value: Any, where: str, found: Found) -> None:
        """Find the leaves of a value, which must have this form.

        Raises:
            InputError: It has another one.
        """

    def to_json(self) -> Any:
        """Return it as JSON data."""
        raise NotImplementedError


@dataclass(frozen=True)
class Slot(Structure):
    """A leaf: the number of a tensor."""

    index: int

    @property
    def slots(self) -> list[int]:
        return [self.index]

    def filled(self, leaves: Leaves) -> Any:
        return leaves.restore(self.index, leaves.values[self.index])

    def match(self, value: Any, where: str, found: Found) -> None:
        found[self.index] = value

    def to_json(self) -> Any:
        return {"slot": self.index}


@dataclass(frozen=True)
class As(Slot):
    """A number of a type that another number shares the tensor of.

    Attributes:
        kind: `python` or `numpy`.
        dtype: The name of its own dtype.
    """

    kind: str
    dtype: str

    @property
    def is_whole(self) -> bool:
        return self.kind in ("python", "numpy") and np.dtype(self.dtype).kind in "bif"

    def filled(self, leaves: Leaves) -> Any:
        number = np.asarray(leaves.values[self.index]).astype(self.dtype)[()]
        return number.item() if self.kind == "python" else number

    def to_json(self) -> Any:
        return {"slot": self.index, "as": self.kind, "dtype": self.dtype}


@dataclass(frozen=True)
class Constant(Structure):
    """A value that is the same in every call."""

    value: Any

    def filled(self, leaves: Leaves) -> Any:
        return self.value

    def match(self, value: Any, where: str, found: Found) -> None:
        if not same_constant(self.value, value):
            raise InputError(
                f"`{where}` is {value!r}, but the model was compiled for {self.value!r}."
            )

    def to_json(self) -> Any:
        kept = constant(self.value)
        return {"constant": plain_json(self.value)} if kept == self else kept.to_json()


@dataclass(frozen=True)
class Frozen(Structure):
    """What is left of a constant that JSON cannot hold: how it reads and how to recognise it."""

    text: str
    digest: str | None

    def filled(self, leaves: Leaves) -> Any:
        raise ValueError(f"{self.text} is not kept in the model")

    def match(self, value: Any, where: str, found: Found) -> None:
        given = constant(value)
        if not isinstance(given, Frozen) or self.digest is None or given.digest != self.digest:
            raise InputError(
                f"`{where}` was fixed at {self.text} when the model was compiled; leave it out."
            )

    def to_json(self) -> Any:
        return {"frozen": self.text, "digest": self.digest}


@dataclass(frozen=True)
class ItemsOf(Structure):
    """A tuple or a list of known length."""

    kind: str
    items: tuple[Structure, ...]

    @property
    def parts(self) -> tuple[Structure, ...]:
        return self.items

    @property
    def is_whole(self) -> bool:
        return self.kind in ITEMS

    def filled(self, leaves: Leaves) -> Any:
        return ITEMS[self.kind]([item.filled(leaves) for item in self.items])

    def match(self, value: Any, where: str, found: Found) -> None:
        if type(value).__name__ != self.kind or len(value) != len(self.items):
            raise InputError(f"`{where}` must be a {self.kind} of {len(self.items)} items.")
        for number, (item, part) in enumerate(zip(self.items, value, strict=True)):
            item.match(part, f"{where}[{number}]", found)

    def to_json(self) -> Any:
        return {self.kind: [item.to_json() for item in self.items]}


@dataclass(frozen=True)
class RecordOf(Structure):
    """A namedtuple; `cls` is not kept in JSON, an equal class takes its place."""

    name: str
    fields: tuple[str, ...]
    items: tuple[Structure, ...]
    cls: type | None = field(default=None, compare=False)

    @property
    def parts(self) -> tuple[Structure, ...]:
        return self.items

    @property
    def is_whole(self) -> bool:
        return isinstance(self.name, str) and len(self.fields) == len(self.items)

    def filled(self, leaves: Leaves) -> Any:
        made: Any = self.cls or namedtuple(self.name, self.fields)
        items = (item.filled(leaves) for item in self.items)
        return tuple.__new__(made, items)  # past an own `__new__`

    def match(self, value: Any, where: str, found: Found) -> None:
        if getattr(type(value), "_fields", None) != self.fields:
            shown = ", ".join(self.fields)
            raise InputError(f"`{where}` must be a {self.name} with the fields {shown}.")
        for name, item, part in zip(self.fields, self.items, value, strict=True):
            item.match(part, f"{where}.{name}", found)

    def to_json(self) -> Any:
        items = [item.to_json() for item in self.items]
        return {"record": self.name, "fields": list(self.fields), "items": items}


@dataclass(frozen=True)
class DictOf(Structure):
    """A dict or OrderedDict with known keys, in order."""

    kind: str
    keys: tuple[Any, ...]
    items: tuple[Structure, ...]

    @property
    def parts(self) -> tuple[Structure, ...]:
        return self.items

    @property
    def is_whole(self) -> bool:
        return self.kind in DICTS and len({*self.keys}) == len(self.items)

    def filled(self, leaves: Leaves) -> Any:
        items = (item.filled(leaves) for item in self.items)
        return DICTS[self.kind](zip(self.keys, items, strict=True))

    def match(self, value: Any, where: str, found: Found) -> None:
        if type(value) is not DICTS[self.kind] or tuple(value) != self.keys:
            shown = ", ".join(map(repr, self.keys)) or "none"
            ordered = ", in this order" if len(self.keys) > 1 else ""
            raise InputError(f"`{where}` must be a {self.kind} with the keys {shown}{ordered}.")
        for key, item in zip(self.keys, self.items, strict=True):
            item.match(value[key], f"{where}[{key!r}]", found)

    def to_json(self) -> Any:
        pairs = zip(self.keys, self.items, strict=True)
        return {self.kind: [[plain_json(key), item.to_json()] for key, item in pairs]}


@dataclass(frozen=True)
class RowsOf(Structure):
    """A list, tuple, dict or set of dynamic length; each slot below holds one element a row.

    There is at least one slot; there are as many rows as its value has.
    """

    kind: str
    item: Structure

    @property
    def parts(self) -> tuple[Structure, ...]:
        return (self.item,)

    @property
    def is_whole(self) -> bool:
        pairs = self.kind not in DICTS or len(self.item.parts) == 2
        return self.kind in ROWS and pairs and bool(self.item.slots)

    def taken(self, way: Mapping[int, int]) -> Structure:
        return RowsOf(self.kind, self.item.taken(way))

    def match(self, value: Any, where: str, found: Found) -> None:
        if type(value).__name__ != self.kind:
            raise InputError(f"`{where}` must be a {self.kind}.")
        slots = self.item.slots
        found.update({index: [] for index in slots})
        for number, item in enumerate(value):
            row = Found(found.takes, found.shown)
            self.item.match(item, f"{where}[{number}]", row)
            for index in slots:
                found[index].append(row[index])

    def filled(self, leaves: Leaves) -> Any:
        if leaves.assemble is not None:
            return leaves.assemble(self, leaves)
        made, used = ROWS[self.kind], self.item.slots
        match self.item:  # what needs no structure for each row
            case Slot(index):
                return made(leaves.rows(index))
            case ItemsOf(kind, items) if all(isinstance(item, Slot) for item in items):
                return made(map(ITEMS[kind], zip(*map(leaves.rows, used), strict=True)))
        count = len(leaves.values[used[0]])
        return made([self.item.filled(leaves.row(used, number)) for number in range(count)])

    def to_json(self) -> Any:
        return {"rows": self.item.to_json(), "as": self.kind}


@dataclass(frozen=True)
class OneOf(Structure):
    """One of several structures; `tag` tells which (bool: true for the first; else an index)."""

    tag: Slot
    alternatives: tuple[Structure, ...]

    @property
    def parts(self) -> tuple[Structure, ...]:
        return (self.tag, *self.alternatives)

    @property
    def is_whole(self) -> bool:
        return len(self.alternatives) > 1

    def filled(self, leaves: Leaves) -> Any:
        tag = np.asarray(leaves.values[self.tag.index])
        chosen = int(not tag) if tag.dtype == np.bool_ else int(tag)
        return self.alternatives[chosen].filled(leaves)

    def ways(self) -> list[dict[int, int]]:
        return [
            {self.tag.index: number, **way}
            for number, part in enumerate(self.alternatives)
            for way in part.ways()
        ]

    def taken(self, way: Mapping[int, int]) -> Structure:
        return self.alternatives[way[self.tag.index]].taken(way)

    def count_ways(self) -> int:
        return sum(part.count_ways() for part in self.alternatives)

    def match(self, value: Any, where: str, found: Found) -> None:
        for exact in (True, False):
            for number, part in enumerate(self.alternatives):
                tried = Found(found.takes, found.shown)
                try:
                    part.match(value, where, tried)
                except InputError:
                    continue
                if all(found.takes(index, leaf, exact) for index, leaf in tried.items()):
                    found.update(tried)
                    found[self.tag.index] = number
                    return
        raise InputError(f"`{where}` is {shown_value(value)}, not {found.shown(self)}.")

    def to_json(self) -> Any:
        return {"tag": self.tag.index, "one_of": [item.to_json() for item in self.alternatives]}


def rebuild(structure: Structure, values: Sequence[Any], *restore: Any) -> Any:
    """Return the Python object whose tensors are `values`; see `Leaves` for `restore`.

    Slots of alternatives that were not taken are not asked for.
    """
    return structure.filled(Leaves(values, *restore))


def with_slots(structure: Structure, change: Callable[[Slot], Slot]) -> Structure:
    """Return a structure with other slots in the places of its own."""
    changed: Any = structure
    match structure:
        case Slot():
            return change(structure)
        case OneOf(tag, alternatives):
            return OneOf(change(tag), tuple(with_slots(item, change) for item in alternatives))
        case RowsOf(kind, item):
            return RowsOf(kind, with_slots(item, change))
    if not structure.parts:
        return structure
    inside = tuple(with_slots(item, change) for item in structure.parts)
    made: Structure = replace(changed, items=inside)
    return made


def constant(value: object) -> Constant | Frozen:
    """Return what a model keeps of a constant: itself if it is plain, else a fingerprint."""
    if is_plain(value):
        return Constant(value)
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        text = f"{value.dtype}{list(value.shape)}"
        return Frozen(text, f"{value.dtype.str}{value.shape}{digest}")
    return Frozen(f"a {type(value).__qualname__}", None)


def from_json(data: Any) -> Structure:
    """Return the structure whose `to_json` gave `data`."""
    if "slot" in data and "as" in data:
        return As(data["slot"], data["as"], data["dtype"])
    if "slot" in data:
        return Slot(data["slot"])
    if "constant" in data:
        return Constant(plain_from_json(data["constant"]))
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
    keys = tuple(plain_from_json(key) for key, _ in content)
    return DictOf(kind, keys, tuple(from_json(item) for _, item in content))
