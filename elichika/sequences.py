"""Lists whose length is known only when the model runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.values import COUNTER_BOUND, Array, Choice, Scalar, Symbolic, Var
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.joins import Type
    from elichika.walker.core import Walker


@dataclass(frozen=True, eq=False)
class Seq:
    """The contents of such a list: one ONNX sequence for each leaf of the element type.

    Attributes:
        element: The type of the elements (`joins.Type`).
        sequences: The ONNX sequences, side by side.
        stored: Arrays whose copies were put in since the list became dynamic.
    """

    element: Type
    sequences: tuple[Value, ...]
    stored: tuple[Array, ...] = ()


class Sequences:
    """Operations on lists of dynamic length within one walk."""

    def __init__(self, w: Walker) -> None:
        self.w = w

    def element_type(self, type_: Type) -> Type:
        """Return the type under which elements of `type_` are stored: copies, no identity."""
        from elichika import joins

        w = self.w
        if isinstance(type_, joins.ArrayType):
            for origin in type_.origins:
                w.freeze(origin)
            w.frozen_idents.add(type_.ident)
            return joins.ArrayType(type_.dtype, type_.dims, w.next_ident())
        if isinstance(type_, joins.VarType):
            return joins.VarType(type_.kind, self.element_type(type_.array))
        if isinstance(type_, joins.TupleType):
            return joins.TupleType(type_.cls, tuple(map(self.element_type, type_.items)))
        if isinstance(type_, joins.ChoiceType):
            return joins.ChoiceType(tuple(map(self.element_type, type_.alternatives)))
        if isinstance(type_, joins.Static):
            value = type_.value
            if isinstance(value, (bool, int, float)):
                return joins.ScalarType(type(value))
            if isinstance(value, np.generic) and value.dtype.kind in "biuf":
                return joins.ScalarType(type(value))
            if isinstance(value, np.ndarray):
                return self.element_type(joins.TypeReader(w, w.store.mark()).of(w.as_array(value)))
            if w.is_static_variable(value):
                return self.element_type(joins.TypeReader(w, w.store.mark()).of(w.as_var(value)))
            return type_
        if isinstance(type_, joins.HeapType):
            return joins.ConflictType(
                f"a list of dynamic length cannot hold {type_.cls.__name__} objects"
            )
        return type_

    def as_sequences(self, version: Any, element: Type) -> list[Value]:
        """Return list contents, of static or dynamic length, as sequences of `element`."""
        from elichika import joins

        w, g = self.w, self.w.graph
        if isinstance(version, Seq):
            if version.element == element or not self._changes(version.element, element):
                return list(version.sequences)
            return self._converted(version, element)
        leaves = element.leaves({})
        columns: list[list[Value]] = [[] for _ in leaves]
        for item in version:
            for column, value in zip(
                columns, joins.filled(w, element.encode(w, item, {})), strict=True
            ):
                column.append(value)
            if isinstance(item, (Array, Var)):
                w.freeze(item if isinstance(item, Array) else item.array)
        return [
            g.SequenceConstruct(*column) if column else g.SequenceEmpty(dtype=leaf.dtype)
            for leaf, column in zip(leaves, columns, strict=True)
        ]

    def _changes(self, old: Type, new: Type) -> bool:
        """Tell whether elements of one type are carried by other leaves than those of another."""
        mine = [(x.dtype, x.sequence) for x in old.leaves({})]
        return mine != [(x.dtype, x.sequence) for x in new.leaves({})]

    def _converted(self, version: Seq, element: Type) -> list[Value]:
        self.w.refuse("the elements of this list are of different kinds")

    def length(self, value: Any) -> Any:
        """Return the length of a list, dict or set: an int or an int `Scalar`."""
        items = self.w.version(value, "[items]")
        if isinstance(items, Seq):
            if not items.sequences:
                self.w.refuse("a list of dynamic length holds no tensors")
            length = self.w.graph.SequenceLength(items.sequences[0])
            return Scalar(int, length, bound=COUNTER_BOUND)
        return len(items)

    def build(self, seq: Seq, position: Value) -> Any:
        """Return the element at a position that is in range."""
        w = self.w
        values = iter([w.graph.SequenceAt(s, position) for s in seq.sequences])
        element = seq.element.build(w, values, {})
        for array in _arrays(element):
            array.frozen = True
        return element

    def append(self, items: Seq, value: Any) -> Seq:
        """Return the contents with one more element at the end."""
        return self.insert(items, value, None)

    def insert(self, items: Seq, value: Any, position: Value | None) -> Seq:
        """Return the contents with one more element."""
        from elichika.joins import ConflictType, Joiner, TypeReader, filled

        w, g = self.w, self.w.graph
        type_ = self.element_type(TypeReader(w, w.store.mark()).of(value))
        element = Joiner(w, widen=True).join(items.element, type_)
        element = self.element_type(element)
        if isinstance(element, ConflictType):
            w.refuse(f"this list's elements have no common type: {element.reason}")
        old = self.as_sequences(items, element)
        new = filled(w, element.encode(w, value, {}))
        at = [] if position is None else [position]
        grown = tuple(g.SequenceInsert(s, v, *at) for s, v in zip(old, new, strict=True))
        stored = tuple(_arrays(value))
        return Seq(element, grown, (*items.stored, *stored))

    def erase(self, items: Seq, position: Value) -> Seq:
        """Return the contents without the element at a position that is in range."""
        g = self.w.graph
        return replace(items, sequences=tuple(g.SequenceErase(s, position) for s in items.sequences))

    def position(self, items: Seq, index: Any, what: str = "list index out of range") -> Value:
        """Check an index against the length and return it as a graph value.

        Raises:
            IndexError: In the model, where eager raises it.
        """
        w, g = self.w, self.w.graph
        value = w.value_of(index, np.int64)
        length = g.SequenceLength(items.sequences[0])
        inside = g.And(g.Less(value, length), g.GreaterOrEqual(value, g.Neg(length)))
        w.check(w.scalar(bool, inside), IndexError, what)
        return value


def _arrays(value: Any) -> list[Array]:
    if isinstance(value, Array):
        return [value]
    if isinstance(value, Var):
        return [value.array]
    if isinstance(value, tuple):
        return [a for item in value for a in _arrays(item)]
    if isinstance(value, Choice):
        return [a for item in value.alternatives for a in _arrays(item)]
    return []


__all__ = ["Seq", "Sequences", "Symbolic"]
