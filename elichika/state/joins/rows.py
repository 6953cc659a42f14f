"""Lists, dicts and objects as elements of a list of dynamic length: copies, written no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo, Site
from elichika.state.joins.plain import ConflictType, ScalarType
from elichika.state.joins.types import Type, carried, carriers, lasting
from elichika.values.symbolic import DynamicTuple, Seq
from onnx_graph import ONNXGraph, Value
from onnx_graph.failing import surely
from onnx_graph.passes.stacks import NO_SPLIT

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner

INT64 = np.dtype(np.int64)
#: Of these onnxruntime splits no tensors.
NO_ROWS = frozenset(np.dtype(kind.numpy()) for kind in NO_SPLIT)


@dataclass(frozen=True)
class RowType(Type):
    """A list or tuple of any length.

    Each leaf of its elements is stacked along a new first axis if all elements surely have one
    shape, which is known or in which sizes of the inputs stand. Else it is packed: the numbers of
    all elements one after another, and beside them the shapes, a row for each element.

    Attributes:
        element: None while no list with something in it was seen.
    """

    splits = True

    cls: type
    element: Type | None
    sites: frozenset[Site] = field(default=frozenset(), compare=False)
    #: Leaves of any shape are stacked: those of what a table holds.
    stacks_all: bool = False

    @property
    def parts(self) -> tuple[Type, ...]:
        return () if self.element is None else (self.element,)

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        return replace(self, element=parts[0]) if parts else self

    @property
    def own_parts(self) -> tuple[Type, ...]:
        return ()

    @property
    def form(self) -> Any:
        return self.cls, [_is_packed(leaf) for leaf in self._own]

    @property
    def _own(self) -> list[Leaf]:
        """The leaves of one element."""
        return [] if self.element is None else carriers(self.element)

    @property
    def is_known(self) -> bool:
        return self.element is None

    @property
    def is_packed(self) -> bool:
        """Whether elements may have shapes of their own."""
        return any(map(_is_packed, self._own))

    @property
    def is_plain(self) -> bool:
        return isinstance(self.element, ScalarType)

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [held for leaf in self._own for held in _held_by(leaf)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        if self.element is None:
            return []
        return [*self.stacked(w, value if isinstance(value, tuple) else w.items_of(value))]

    def stacked(self, w: StateContext, items: Any) -> list[Value]:
        """Return the leaves of what a list holds."""
        assert self.element is not None
        if isinstance(items, Seq):
            sequences = w.sequences.as_sequences(items, self.element)
            return self._stacked(w, Seq(self.element, tuple(sequences)))
        w.sequences.freeze(tuple(items))
        return self.concatenated(w, [carried(w, self.element, item) for item in items])

    def concatenated(self, w: StateContext, rows: list[list[Value]]) -> list[Value]:
        """Stack the elements of a list of known length."""
        if not rows:
            return self._none(w)
        made: list[Value] = []
        for leaf, column in zip(self._own, zip(*rows, strict=True), strict=True):
            if _is_packed(leaf) and not self.stacks_all:
                made += packed(w.graph, column)
            else:
                g = w.graph
                made.append(g.Concat(*(g.Unsqueeze(v, [0]) for v in column), axis=0))
        return made

    def _stacked(self, w: StateContext, items: Seq) -> list[Value]:
        """Stack the elements of a list of dynamic length."""
        g = w.graph
        some = w.sequences.not_empty(items)

        def of_some() -> list[Value]:
            made: list[Value] = []
            for leaf, sequence in zip(self._own, items.sequences, strict=True):
                if _is_packed(leaf) and not self.stacks_all:
                    made += packed_sequence(g, sequence, leaf)
                else:
                    made.append(g.ConcatFromSequence(sequence, axis=0, new_axis=1))
            return made

        if w.facts.of(some) is True:
            return of_some()
        then, other = g.body("then"), g.body("else")
        with then:
            yes = of_some()
        with other:
            no = self._none(w)
        return [*g.If(some, then, yes, other, no)]

    def _none(self, w: StateContext) -> list[Value]:
        """Stack no elements."""
        found = []
        for leaf in self._own:
            whole, *shapes = _held_by(leaf)
            if self.stacks_all:
                whole, shapes = Leaf(leaf.dtype, (None, *(leaf.dims or ()))), []
            found.append(w.absent(Leaf(leaf.dtype, (0, *(whole.dims or ())[1:]))))
            found += [w.absent(Leaf(INT64, (0, len(leaf.dims or ())))) for _ in shapes]
        return found

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.element is None:
            return () if self.cls is DynamicTuple else self._made(w, ())
        g = w.graph
        pieces = [
            unpacked(g, next(leaves), next(leaves), leaf)
            if _is_packed(leaf)
            else g.SplitToSequence(next(leaves), None, axis=0, keepdims=0)
            for leaf in self._own
        ]
        items = Seq(self.element, tuple(pieces))
        return w.sequences.new_tuple(items) if self.cls is DynamicTuple else self._made(w, items)

    def _made(self, w: StateContext, items: Any) -> Any:
        made: list[Any] = w.store.born([])
        w.store.made_at(made, self.sites)
        w.set_items(made, items)
        return w.sealed(made)

    def join(self, j: Joiner, other: RowType) -> Type | None:
        if self.cls is not other.cls:
            return None
        if self.element is None or other.element is None:
            row = self if other.element is None else other
            return replace(row, sites=self.sites | other.sites)
        if isinstance(self.element, ScalarType) and isinstance(other.element, ScalarType):
            number = self.element.join(j, other.element)
            return None if number is None else replace(self, element=number)
        element = j.join(self.element, other.element).stored(j)
        return row_of(j, self.cls, element, self.sites | other.sites)

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        row = None if other.listed is None else other.listed.any_row(j)
        return None if row is None else self.join(j, row)


def common(j: Joiner, items: Iterable[Type]) -> Type:
    """Return the type of elements of a list of such items, of which there is one at least."""
    element, *others = [item.stored(j) for item in items]
    joiner = j.apart()
    for other in others:
        element = joiner.join(element, other).stored(j)
    return element


def row_of(j: Joiner, cls: type, element: Type, sites: frozenset[Site] = frozenset()) -> Type:
    """Return the type of a list of any length of such elements, which are copies from now on."""
    if stacks(j, element):
        for array in element.arrays_held:  # which change no more
            j.w.freeze(array)
        return RowType(cls, element.copied, sites)
    return no_row(cls, sites_unstacked(j, element))


def stacks(j: Joiner, element: Type) -> bool:
    """Tell whether the leaves of elements can be stacked, or packed."""
    leaves = [] if element.is_conflict else carriers(element)
    return bool(leaves) and not any(
        leaf.sequence
        or leaf.dims is None
        or (leaf.dtype in NO_ROWS and not _is_packed(leaf))
        or lasting(j.w, leaf.dims) != leaf.dims
        for leaf in leaves
    )


def _is_packed(leaf: Leaf) -> bool:
    """Tell whether elements may have a leaf of unlike shapes."""
    return None in (leaf.dims or ())


def _held_by(leaf: Leaf) -> list[Leaf]:
    """Return the leaves that hold those of all elements."""
    if not _is_packed(leaf):
        return [Leaf(leaf.dtype, (None, *(leaf.dims or ())))]
    return [Leaf(leaf.dtype, (None,)), Leaf(INT64, (None, len(leaf.dims or ())))]


def packed(g: ONNXGraph, values: Iterable[Value]) -> list[Value]:
    """Pack some tensors: return their numbers one after another, and their shapes."""
    flat, shapes = [], []
    for value in values:
        flat.append(g.Reshape(value, g.constant(np.array([-1]))))
        shapes.append(g.Unsqueeze(g.Shape(value), [0]))
    return [g.Concat(*flat, axis=0), g.Concat(*shapes, axis=0)]


def packed_sequence(g: ONNXGraph, sequence: Value, leaf: Leaf) -> list[Value]:
    """Pack the tensors of a sequence, of which there is one at least."""
    body = g.body("packed", loop=True)
    grown = body.sequence_input(leaf.dtype, (None,))
    with body:
        value = surely(g.SequenceAt(sequence, body.iteration))
        end = g.SequenceInsert(grown, g.Reshape(value, g.constant(np.array([-1]))))
        shape = g.Shape(value)
    start, length = [g.SequenceEmpty(dtype=leaf.dtype)], g.SequenceLength(sequence)
    flat, shapes = g.Loop(
        length, None, body, initial=start, cond_out=None, carried=[end], scans=[shape]
    )
    return [g.ConcatFromSequence(flat, axis=0, new_axis=0), shapes]


def unpacked(g: ONNXGraph, flat: Value, shapes: Value, leaf: Leaf) -> Value:
    """Return the sequence of the tensors that were packed."""
    zero = g.constant(np.array([0]))
    counts = g.ReduceProd(shapes, g.constant(np.array([1])), keepdims=0)
    ends = g.CumSum(counts, g.constant(np.array(0)))
    starts = g.Sub(ends, counts)
    body = g.body("unpacked", loop=True)
    grown = body.sequence_input(leaf.dtype, leaf.dims)
    with body:
        at = g.Unsqueeze(body.iteration, [0])
        of = [surely(g.Gather(ends_of, at, axis=0)) for ends_of in (starts, ends)]
        shape = surely(g.Gather(shapes, body.iteration, axis=0))
        sizes = [
            g.Slice(shape, np.array([i]), np.array([i + 1]), zero)
            if dim is None
            else g.shape_tensor([dim])
            for i, dim in enumerate(leaf.dims or ())
        ]
        value = surely(g.Reshape(g.Slice(flat, *of, zero), g.Concat(*sizes, axis=0), allowzero=1))
        end = g.SequenceInsert(grown, value)
    (made,) = g.Loop(
        g.size(shapes, 0),
        None,
        body,
        initial=[g.SequenceEmpty(dtype=leaf.dtype)],
        cond_out=None,
        carried=[end],
        scans=[],
    )
    return made


def sites_unstacked(j: Joiner, element: Type) -> frozenset[Site]:
    """Return the places that make the lists, dicts and objects which keep elements from stacking.

    In an arena each of them is a number.
    """
    if stacks(j, element):
        return frozenset()
    own: frozenset[Site] = getattr(element, "sites", frozenset())
    return own.union(*(sites_unstacked(j, part) for part in element.parts if not own))


def sites_within(j: Joiner, *lists: Type) -> frozenset[Site]:
    """Return the places that make what keeps the elements of some lists from stacking."""
    inside = (part for one in lists for held in one.parts for part in held.parts)
    return frozenset[Site]().union(*(sites_unstacked(j, part) for part in inside))


def no_row(cls: type, sites: frozenset[Site] = frozenset()) -> ConflictType:
    """Return the type of what lists of dynamic length cannot hold: lists of unlike things.

    Args:
        cls: The class of the list.
        sites: The places that make what it could hold from arenas.
    """
    name = "tuple" if cls is DynamicTuple else cls.__name__
    return ConflictType(
        f"a list of dynamic length can hold a {name} of dynamic length only where its elements are "
        "numbers or arrays of one dtype and number of axes",
        sites,
    )
