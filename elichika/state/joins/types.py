"""What a location may hold: the interface of its types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo, Site, filled
from elichika.values.symbolic import (
    UNDEF,
    Choice,
)
from onnx_graph import Dim, Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.containers import Listed
    from elichika.state.joins.joining import Joiner
    from elichika.values.symbolic import Array
    from onnx_graph.scopes import Scope

Dims = tuple[int | Dim | None, ...]
State = Callable[[], AbstractContextManager[None]]
"""Gives a state of the store for a moment."""
#: How deep types are shown, and how many parts of each.
SHOWN_DEPTH, MOST_SHOWN = 2, 3


class Type:
    """What a location may hold: a skeleton of Python structure with tensor leaves.

    Four groups of methods: the parts that it is made of, the graph values that carry it, its join
    with another type, and what users are told of it.
    """

    #: A choice is encoded by encoding its alternatives.
    splits = False
    #: How much deeper a structure nests by it.
    depth = 1

    # -- parts --------------------------------------------------------------------------------

    @property
    def node(self) -> int | None:
        """The number of the object of the walk that it stands for, if it does."""
        return None

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types that it is made of."""
        return ()

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        """Return such a type of other parts."""
        return self

    @property
    def own_parts(self) -> tuple[Type, ...]:
        """The parts whose objects others may hold: a list of dynamic length holds copies."""
        return self.parts

    @property
    def options(self) -> tuple[Type, ...]:
        """The alternatives of a choice; of other types the type alone."""
        return (self,)

    @property
    def listed(self) -> Listed | None:
        """What it holds, if it is a list or a plain tuple."""
        return None

    @property
    def named(self) -> tuple[Any, ...]:
        """The objects that it names, those of its parts left out."""
        return ()

    def outliving(self, w: StateContext) -> Type | None:
        """Return what is left of the type without those that were taken back, None if unclear."""
        return None

    @property
    def family(self) -> type[Type]:
        """What types have in common that may be joined without a tag: its class."""
        return type(self)

    @property
    def form(self) -> Any:
        """What tells, apart from the parts, which leaves it has and what they mean."""
        return self

    def same_form(self, other: Type) -> bool:
        """Tell whether values of either are carried by leaves that mean the same."""
        alike = type(self) is type(other) and bool(self.form == other.form)
        return alike and all(map(Type.same_form, self.parts, other.parts))

    def views_built(self, memo: Memo) -> Iterable[Array]:
        """Return the views that `build` has made of a type itself."""
        return ()

    def or_nothing(self) -> Type:
        """Return the type of such a value that may be absent."""
        if not self.own_parts:
            return self
        return self.with_parts(tuple(part.or_nothing() for part in self.parts))

    def renumbered(self, number: Callable[[int], int]) -> Type:
        """Return the type with other numbers for all objects."""
        return self.with_parts(tuple(part.renumbered(number) for part in self.parts))

    # -- as an element of a list of dynamic length --------------------------------------------

    def stored(self, j: Joiner) -> Type:
        """Return the type under which elements of this one are stored: copies, no identity."""
        return self

    @property
    def copied(self) -> Type:
        """The type of elements that are copies alone, whichever arrays they are."""
        return (
            self.with_parts(tuple(part.copied for part in self.parts)) if self.own_parts else self
        )

    @property
    def arrays_held(self) -> tuple[Array, ...]:
        """The arrays that elements may be, of which a list holds no mere copies."""
        return tuple(array for part in self.parts for array in part.arrays_held)

    @property
    def is_conflict(self) -> bool:
        """Whether it is no type at all: to read what has it is an error."""
        return False

    @property
    def is_known(self) -> bool:
        """Whether each element is the same text, None or number: they are only counted."""
        return False

    @property
    def is_plain(self) -> bool:
        """Whether elements hold nothing but numbers, texts and None."""
        return False

    @property
    def is_object(self) -> bool:
        """Whether of elements nothing is compared but what their class does."""
        return False

    def is_value(self, value: Any) -> bool:
        """Tell whether it is the type of this one value, which is known while compiling."""
        return False

    def is_of(self, w: StateContext, value: Any) -> bool:
        """Tell whether an object, or one that it was joined with, is the one that it is of."""
        return self.node is not None and w.idents.is_part_of(value, self.node)

    # -- what carries it ----------------------------------------------------------------------

    def leaves(self, memo: Memo) -> list[Leaf]:
        """List the graph values that carry it; a shared object is listed once (`memo`)."""
        return []

    def encode(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        """Return the graph values for `value` in the order of `leaves`; holes for `UNDEF`."""
        value = w.narrow(value)
        if isinstance(value, Choice) and self.splits:
            return split(w, self, value, range(len(value.alternatives)), memo)
        return self.hollow(memo) if value is UNDEF else self.embed(w, value, memo)

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        """Return the graph values for a value that is there."""
        return []

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        """Return holes for all leaves."""
        return [Hole(leaf) for leaf in self.leaves({})]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        """Make a value of this type from graph values."""
        raise NotImplementedError

    # -- joins --------------------------------------------------------------------------------

    def settles(self, other: Type) -> Type | None:
        """Return the join with any other type, if it hangs on this one alone."""
        return None

    def lifted(self, j: Joiner, other: Type) -> Type:
        """Return the type as it is joined with another: that of a known array as a symbolic one."""
        return self

    def lifts(self, value: Any) -> bool:
        """Tell whether a known array or Variable takes its symbolic form to be joined with it."""
        return False

    def join(self, j: Joiner, other: Any) -> Type | None:
        """Return the least type of this and another of its kind; None if only a choice holds both.

        Args:
            j: What joins the parts.
            other: A type of the same kind.
        """
        return None

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        """Return the least type of this and one of another kind that it can hold as well."""
        return None

    def takes(self, value: Any) -> bool:
        """Tell whether it holds a known value as it is."""
        return False

    # -- for users ----------------------------------------------------------------------------

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        """Name it for the author of the model: `float32[batch, 8]`, `an int`, `None`."""
        return "an object"


#: What carries an element that is known: it is counted.
UNIT = Leaf(np.dtype(bool), ())


def carriers(element: Type) -> list[Leaf]:
    """Return the leaves that carry an element of a list, of which there is one at least.

    None at all for what a list of dynamic length cannot hold: objects without a tensor.
    """
    return element.leaves({}) or ([UNIT] if element.is_known else [])


def carried(w: StateContext, element: Type, value: Any) -> list[Value]:
    """Return the graph values that carry an element of a list."""
    values = filled(w, element.encode(w, value, {}))
    return values or [w.graph.constant(np.array(True)) for _ in carriers(element)]


def nesting(type_: Type) -> int:
    """Return how deep a structure nests."""
    return type_.depth + max(map(nesting, type_.parts), default=0)


def within_themselves(type_: Type, around: frozenset[Site] = frozenset()) -> frozenset[Site]:
    """Return the places that made objects which hold others that were made there."""
    own: frozenset[Site] = getattr(type_, "sites", frozenset())
    inside = (within_themselves(part, around | own) for part in type_.parts)
    return (own & around).union(*inside)


def without_undone(w: StateContext, type_: Type) -> Type | None:
    """Return a type without what it says of a part of the walk that was taken back.

    It holds all that the given one did but the objects and sizes of that part; None if it is not
    clear what that leaves.
    """
    left = without_undone_objects(w, type_)
    if left is None or not all(_is_visible(w, leaf.dims) for leaf in left.leaves({})):
        return None
    return left


def without_undone_objects(w: StateContext, type_: Type) -> Type | None:
    """Return the same with the sizes of that part."""
    parts = [without_undone_objects(w, part) for part in type_.parts]
    if None in parts:
        return None
    left = type_.with_parts(tuple(parts)) if parts else type_
    return left.outliving(w) if any(map(w.store.was_undone, left.named)) else left


def _is_visible(w: StateContext, dims: Dims | None) -> bool:
    """Tell whether sizes can be computed here."""
    here = w.graph.scope.chain()
    return all(
        scope in here for dim in dims or () if dim is not None for scope in w.graph.birthplace(dim)
    )


def with_sizes(type_: Type, change: Callable[[int | Dim], int | Dim | None]) -> Type:
    """Return a type with each size of it, and of its parts, changed."""
    parts = tuple(with_sizes(part, change) for part in type_.parts)
    if any(a is not b for a, b in zip(parts, type_.parts, strict=True)):
        type_ = type_.with_parts(parts)
    dims: Dims = getattr(type_, "dims", ())
    made = tuple(None if dim is None else change(dim) for dim in dims)
    return type_ if made == dims else replace(type_, dims=made)  # type: ignore[type-var]


def without_sizes_of(w: StateContext, scope: Scope, type_: Type) -> Type:
    """Return a type without the sizes that only a turn of a loop has, which other turns have not.

    Args:
        w: The walk.
        scope: What the loop stands in.
        type_: What the turn leaves.
    """

    def kept(dim: int | Dim) -> int | Dim | None:
        return dim if all(born.encloses(scope) for born in w.graph.birthplace(dim)) else None

    return with_sizes(type_, kept)


def renamed_sizes(w: StateContext, old: Type, now: Type) -> dict[str, int | Dim]:
    """Return what sizes of a part that was taken back are now, by where both types have them."""
    found: dict[str, int | Dim] = {}
    if type(old) is type(now):
        for one, other in zip(old.parts, now.parts, strict=False):
            found |= renamed_sizes(w, one, other)
        dims: tuple[Dims, Dims] = getattr(old, "dims", ()), getattr(now, "dims", ())
        for was, is_ in zip(*dims, strict=False):
            symbol = getattr(was, "symbol", None)
            if symbol is not None and is_ is not None and not _is_visible(w, (was,)):
                found[symbol] = is_
    return found


def lasting(w: StateContext, dims: Dims) -> Dims:
    """Forget sizes that may be others in the next turn of a loop."""
    g = w.graph
    return tuple(
        d
        if isinstance(d, int) or (d is not None and all(s is g.main for s in g.birthplace(d)))
        else None
        for d in dims
    )


def shown_parts(parts: tuple[Type, ...], depth: int) -> str:
    """Name some types; those that nest deep or come late are left out."""
    if depth == 0 and parts:
        return "..."
    names = [part.shown(depth - 1) for part in parts[:MOST_SHOWN]]
    return ", ".join([*names, "..."] if len(parts) > MOST_SHOWN else names)


def split(
    w: StateContext, type_: Type, choice: Choice, indices: Iterable[int], memo: Memo
) -> list[Value | Hole]:
    """Return the leaves of some alternatives of a choice in a type that holds them all."""
    result: list[Value | Hole] | None = None
    made: Memo = {}
    for index in indices:
        copies = {k: _holes_again(held) for k, held in memo.items()}
        made = dict(copies)
        leaves = [_of_hole(leaf) for leaf in type_.encode(w, choice.alternatives[index], made)]
        kept = [h for held in copies.values() if isinstance(held, list) for h in held]
        new = [held for k, held in made.items() if k not in memo and held is not True]
        if new or any(hole.value is not None for hole in kept):
            w.arenas.refuse(
                "one of several objects meets another name of the same object here",
                *choice.alternatives,
            )
        if result is None:
            result = leaves
        else:
            tag = w.choices.tag_is(choice, index)
            result = [_selected(w, tag, *pair) for pair in zip(leaves, result, strict=True)]
    memo.update(dict.fromkeys(made.keys() - memo.keys(), True))
    assert result is not None
    return result


def _holes_again(held: Any) -> Any:
    """Return other holes in the place of holes, to see whether they are filled."""
    return [Hole(hole.leaf, owned=True) for hole in held] if isinstance(held, list) else held


def _of_hole(leaf: Value | Hole) -> Value | Hole:
    """Return what a hole was filled with: another handle has the array that it stands for."""
    return leaf.value if type(leaf) is Hole and leaf.value is not None else leaf


def _selected(w: StateContext, tag: Value, yes: Value | Hole, no: Value | Hole) -> Value | Hole:
    if isinstance(yes, Hole):
        return no
    return yes if isinstance(no, Hole) else w.select(tag, yes, no)
