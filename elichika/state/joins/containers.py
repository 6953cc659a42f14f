"""Types of tuples, lists, dicts, objects and choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.iterators.base import SymbolicRange
from elichika.state.aliases import Seen
from elichika.state.joins.arrays import ArrayType
from elichika.state.joins.leaves import Hole, Leaf, Memo, Site, fill, filled
from elichika.state.joins.types import Static, Type
from elichika.state.partitions import parts
from elichika.values.functions import BoundMethod, Closure
from elichika.values.symbolic import UNSET, Choice, Seq
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext


class _Items(Type):
    """A fixed number of parts."""

    splits = True

    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        raise NotImplementedError

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [leaf for item in self.items for leaf in item.leaves(memo)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        parts = self.parts(w, value)
        return [
            leaf
            for item, part in zip(self.items, parts, strict=True)
            for leaf in item.encode(w, part, memo)
        ]

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return [hole for item in self.items for hole in item.hollow(memo)]

    def built(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> list[Any]:
        return [item.build(w, leaves, memo) for item in self.items]


@dataclass(frozen=True)
class TupleType(_Items):
    """A tuple or named tuple."""

    cls: type
    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        return list(value)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return tuple.__new__(self.cls, self.built(w, leaves, memo))


@dataclass(frozen=True)
class SliceType(_Items):
    """A slice: its start, stop and step."""

    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        return [value.start, value.stop, value.step]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return slice(*self.built(w, leaves, memo))


@dataclass(frozen=True)
class RangeType(_Items):
    """A `range` with a part known only when the model runs: start, stop, step and length."""

    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        return [value.start, value.stop, value.step, value.length]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return SymbolicRange(*self.built(w, leaves, memo))


@dataclass(frozen=True)
class MethodType(_Items):
    """A method bound to an object."""

    function: Any
    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        return [value.receiver]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return BoundMethod(self.function, *self.built(w, leaves, memo))


@dataclass(frozen=True)
class ItemsType(_Items):
    """The contents of a list of known length (the version, a tuple)."""

    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        return list(value)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return tuple(self.built(w, leaves, memo))


@dataclass(frozen=True)
class KeysType(_Items):
    """The contents of a dict (the version, a dict)."""

    keys: tuple[Any, ...]
    items: tuple[Type, ...]

    def parts(self, w: StateContext, value: Any) -> list[Any]:
        return [value.get(key, UNSET) for key in self.keys]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return dict(zip(self.keys, self.built(w, leaves, memo), strict=True))


#: What carries an element that is the same text, None or number each time: it is counted.
UNIT = Leaf(np.dtype(bool), ())
KNOWN = (type(None), str, bytes, bool, int, float)


def carriers(element: Type) -> list[Leaf]:
    """Return the leaves that carry an element of a list, of which there is one at least.

    None at all for what a list of dynamic length cannot hold: objects without a tensor.
    """
    return element.leaves({}) or ([UNIT] if _is_known(element) else [])


def carried(w: StateContext, element: Type, value: Any) -> list[Value]:
    """Return the graph values that carry an element of a list."""
    values = filled(w, element.encode(w, value, {}))
    return values or [w.graph.constant(np.array(True)) for _ in carriers(element)]


def _is_known(type_: Type) -> bool:
    if isinstance(type_, TupleType):
        return all(map(_is_known, type_.items))
    return isinstance(type_, Static) and isinstance(type_.value, KNOWN)


@dataclass(frozen=True)
class SeqType(Type):
    """The contents of a list whose length is known when the model runs: parallel sequences."""

    element: Type

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(leaf.dtype, leaf.dims, sequence=True) for leaf in carriers(self.element)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return list(w.sequences.as_sequences(value, self.element))

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Seq(self.element, tuple(next(leaves) for _ in carriers(self.element)))


@dataclass(frozen=True)
class HeapType(Type):
    """A fresh list, dict or object: an identity and the types of its locations.

    Attributes:
        sealed: A list of dynamic length holds a copy of it: it is written no more.
        sites: The places of the program that may have made it.
    """

    splits = True

    cls: type
    ident: int
    slots: tuple[str, ...]
    items: tuple[Type, ...] = field(compare=True)
    sealed: bool = False
    sites: frozenset[Site] = frozenset()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeapType)
            and (self.cls, self.slots, self.sealed) == (other.cls, other.slots, other.sealed)
            and (self.items == other.items)
        )

    __hash__ = None  # type: ignore[assignment]

    def leaves(self, memo: Memo) -> list[Leaf]:
        if self.ident in memo:
            return []
        memo[self.ident] = True
        return [leaf for item in self.items for leaf in item.leaves(memo)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        if memo.get(self.ident) is True:
            return []
        if w.arenas.holds(value) and not w.arenas.copying:
            w.refuse("an object that a list of dynamic length holds would become a copy here")
        holes = memo.get(self.ident)
        memo[self.ident] = True
        values = [
            leaf
            for slot, item in zip(self.slots, self.items, strict=True)
            for leaf in item.encode(w, w.held(value, slot), memo)
        ]
        if holes is not None:
            memo[self.ident] = holes
            return fill(memo, self.ident, values)
        return values

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        if self.ident in memo:
            return []
        memo[self.ident] = True
        holes = [hole for item in self.items for hole in item.hollow(memo)]
        own = [hole for hole in holes if isinstance(hole, Hole) and not hole.owned]
        for hole in own:
            hole.owned = True
        memo[self.ident] = own
        return holes

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.ident not in memo:
            new: Any = self.cls.__new__
            obj = w.store.born(new(self.cls))
            w.store.made_at(obj, self.sites)
            memo[self.ident] = obj
            for slot, item in zip(self.slots, self.items, strict=True):
                w.store.set(obj, slot, item.build(w, leaves, memo))
            if self.sealed or w.is_frozen(self.ident):
                w.sealed(obj)
        else:
            w.choices.also_held(self, memo)
        return memo[self.ident]


@dataclass(frozen=True)
class ChoiceType(Type):
    """One of several types, told apart by a tag."""

    alternatives: tuple[Type, ...]

    def leaves(self, memo: Memo) -> list[Leaf]:
        tag = np.dtype(bool) if len(self.alternatives) == 2 else np.dtype(np.int64)
        return [Leaf(tag, ()), *(x for a in self.alternatives for x in a.leaves(memo))]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return w.choices.embed(self, value, memo)

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        (tag, *_) = self.leaves({})
        return [Hole(tag), *(hole for a in self.alternatives for hole in a.hollow(memo))]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        tag, count, built = next(leaves), len(self.alternatives), []
        for index, alternative in enumerate(self.alternatives):
            with w.choices.under(tag, index, count):
                built.append(alternative.build(w, leaves, memo))
        return Choice(tag, tuple(built))


def nesting(type_: Type) -> int:
    """Return how deep a structure nests."""
    contents = isinstance(type_, (ItemsType, KeysType, SeqType))
    return (not contents) + max(map(nesting, parts(type_)), default=0)


def refers_to_undone(w: StateContext, type_: Type) -> bool:
    """Tell whether a type names an object of a part of the walk that was taken back."""
    named: tuple[Any, ...] = ()
    if isinstance(type_, Static):
        value = type_.value
        named = (value.frame if isinstance(value, Closure) else value,)
    elif isinstance(type_, ArrayType):
        origins = (o.base if isinstance(o, Seen) else o for o in type_.origins)
        named = (*origins, *type_.shares)
    return any(map(w.store.was_undone, named)) or any(
        refers_to_undone(w, part) for part in parts(type_)
    )
