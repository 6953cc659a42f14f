"""Lists, dicts and objects as elements of a list of dynamic length: copies, written no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.joins.containers import HeapType, ItemsType, KeysType, SeqType, TupleType
from elichika.joins.leaves import Hole, Leaf, Memo
from elichika.joins.types import ConflictType, ScalarType, Type
from elichika.values import DynamicTuple, Seq
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.walker.core import Core


@dataclass(frozen=True)
class RowType(Type):
    """A list or tuple of numbers of one type: a vector.

    Attributes:
        number: None while no list with a number in it was seen.
    """

    cls: type
    number: type | None

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [] if self.number is None else [Leaf(ScalarType(self.number).dtype, (None,))]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        return [w.value_of(w.call(np.array, [value, leaf.dtype], {})) for leaf in self.leaves({})]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.number is None:
            return () if self.cls is DynamicTuple else w.sealed(w.new_list(()))
        pieces = w.graph.SplitToSequence(next(leaves), None, axis=0, keepdims=0)
        numbers = Seq(ScalarType(self.number), (pieces,))
        return w.sealed(w.sequences.like(self.cls(), numbers))


def row_parts(type_: Type) -> tuple[Type, ...]:
    """Return the types of the items that each element has, none where the number is not known."""
    if isinstance(type_, HeapType) and type_.cls is list:
        type_ = type_.items[0]
    return type_.items if isinstance(type_, (TupleType, ItemsType)) else ()


def as_element(w: Core, type_: HeapType) -> Type:
    """Return the type of a list, dict or object as an element of a list of dynamic length."""
    w.frozen_idents.add(type_.ident)
    return as_row(w, type_) or _sealed(w, type_)


def as_row(w: Core, type_: Type) -> RowType | None:
    """Return the type of a list or tuple of numbers of one type as an element, else None."""
    cls: type = DynamicTuple
    if isinstance(type_, HeapType):
        if type_.cls not in (list, DynamicTuple):
            return None
        cls, type_ = type_.cls, type_.items[0]
    if isinstance(type_, SeqType):
        items: tuple[Type, ...] = (type_.element,)
    elif isinstance(type_, (ItemsType, TupleType)):
        items = tuple(map(w.sequences.element_type, type_.items))
    else:
        return None
    kinds = {item.type for item in items if isinstance(item, ScalarType)}
    if len(kinds) > 1 or not all(isinstance(item, ScalarType) for item in items):
        return None
    return RowType(cls, kinds.pop() if kinds else None)


def _sealed(w: Core, type_: HeapType) -> Type:
    """Return the type of a list of known length, dict or object as an element."""
    of = w.sequences.element_type
    inside: list[Type] = []
    for item in type_.items:
        if isinstance(item, (ItemsType, KeysType)):
            inside.append(replace(item, items=tuple(map(of, item.items))))
        elif isinstance(item, (SeqType, ConflictType)):
            name = "tuple" if type_.cls is DynamicTuple else type_.cls.__name__
            return ConflictType(
                f"a list of dynamic length can hold a {name} of dynamic length of numbers only"
            )
        else:
            inside.append(of(item))
    return replace(type_, ident=w.next_ident(), items=tuple(inside), sealed=True)
