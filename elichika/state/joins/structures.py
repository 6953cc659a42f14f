"""Types of values of a fixed number of parts; those of slices, ranges, methods and exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from elichika.iterators.base import DictView, SymbolicRange
from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.plain import ANY_INT
from elichika.state.joins.types import SHOWN_DEPTH, Type
from elichika.values.exceptions import own_attributes
from elichika.values.functions import BoundMethod
from elichika.values.words import a_or_an
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner


class Parts(Type):
    """A fixed number of parts."""

    splits = True

    items: tuple[Type, ...]

    @property
    def parts(self) -> tuple[Type, ...]:
        return self.items

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        this: Any = self
        made: Type = replace(this, items=parts)
        return made

    def taken(self, value: Any) -> Iterable[Any]:
        """Return the parts of a value."""
        raise NotImplementedError

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [leaf for item in self.items for leaf in item.leaves(memo)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return [
            leaf
            for item, part in zip(self.items, self.taken(value), strict=True)
            for leaf in item.encode(w, part, memo)
        ]

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return [hole for item in self.items for hole in item.hollow(memo)]

    def built(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> list[Any]:
        return [item.build(w, leaves, memo) for item in self.items]

    def joined(self, j: Joiner, other: Parts) -> Type:
        """Join part by part with another of as many parts."""
        return self.with_parts(tuple(map(j.join, self.items, other.items)))


@dataclass(frozen=True)
class SliceType(Parts):
    """A slice: its start, stop and step."""

    items: tuple[Type, ...]

    @staticmethod
    def taken(value: Any) -> Iterable[Any]:
        return [value.start, value.stop, value.step]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return slice(*self.built(w, leaves, memo))

    def join(self, j: Joiner, other: SliceType) -> Type | None:
        return self.joined(j, other)


@dataclass(frozen=True)
class RangeType(Parts):
    """A `range` with a part known only when the model runs: start, stop, step and length."""

    items: tuple[Type, ...]

    @staticmethod
    def taken(value: Any) -> Iterable[Any]:
        return [value.start, value.stop, value.step, value.length]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return SymbolicRange(*self.built(w, leaves, memo))

    def join(self, j: Joiner, other: RangeType) -> Type | None:
        items = zip(self.items, other.items, strict=True)
        return RangeType(tuple(x if x == y else ANY_INT for x, y in items))


@dataclass(frozen=True)
class DictViewType(Parts):
    """What `keys`, `values` or `items` of a dict return."""

    kind: str
    items: tuple[Type, ...]

    def taken(self, value: Any) -> Iterable[Any]:
        return [value.mapping]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        (mapping,) = self.built(w, leaves, memo)
        return DictView(mapping, self.kind)

    def join(self, j: Joiner, other: DictViewType) -> Type | None:
        return self.joined(j, other) if self.kind == other.kind else None


@dataclass(frozen=True)
class MethodType(Parts):
    """A method bound to an object."""

    function: Any
    items: tuple[Type, ...]

    def taken(self, value: Any) -> Iterable[Any]:
        return [value.receiver]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return BoundMethod(self.function, *self.built(w, leaves, memo))

    def join(self, j: Joiner, other: MethodType) -> Type | None:
        return self.joined(j, other) if self.function is other.function else None


#: What Python gives where a location of an exception was never written; its arguments always are.
UNWRITTEN = {"args": (), "__cause__": None, "__context__": None, "__suppress_context__": False}


@dataclass(frozen=True)
class ErrorType(Parts):
    """An exception: its arguments, what it follows from, and its own attributes.

    It is a value: where a join copies it, nobody may ask which one it is, or change it.
    """

    cls: type[BaseException]
    slots: tuple[str, ...]
    items: tuple[Type, ...]

    @property
    def form(self) -> Any:
        held = dict(zip(self.slots, self.items, strict=True))
        return self.cls, self.slots, len(getattr(held.get("args"), "items", "?"))

    @property
    def is_known(self) -> bool:
        return all(item.is_known for item in self.items)

    def stored(self, j: Joiner) -> Type:
        return self.with_parts(tuple(item.stored(j) for item in self.items))

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        held = held_by_error(w, value, self.slots)
        w.sealed(value)
        return [
            leaf
            for item, part in zip(self.items, held, strict=True)
            for leaf in item.encode(w, part, memo)
        ]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        made = w.store.born(self.cls.__new__(self.cls))
        for slot, part in zip(self.slots, self.built(w, leaves, memo), strict=True):
            w.store.set(made, slot, part)
        return w.sealed(made)

    def join(self, j: Joiner, other: ErrorType) -> Type | None:
        return self.joined(j, other) if self.form == other.form else None

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return a_or_an(self.cls.__name__)


def held_by_error(w: StateContext, error: BaseException, slots: Iterable[str]) -> list[Any]:
    """Return what an exception holds at some locations."""
    written = w.store.slots(error)
    known = {**UNWRITTEN, "args": error.args, **own_attributes(error)}
    return [w.held(error, slot) if slot in written else known[slot] for slot in slots]
