"""Types of tuples, lists, dicts and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from elichika.state.joins.leaves import Hole, Leaf, Memo, Site, fill
from elichika.state.joins.plain import ANY_INT, ConflictType, ScalarType, Static
from elichika.state.joins.rows import RowType, common, row_of
from elichika.state.joins.structures import Parts
from elichika.state.joins.types import SHOWN_DEPTH, Type, carriers, shown_parts
from elichika.state.store import ITEMS
from elichika.values.set_orders import Added, Order, Shown, as_shown
from elichika.values.symbolic import UNDEF, UNORDERED, UNSET, DynamicTuple, Seq
from elichika.values.words import a_or_an
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner


class Listed(NamedTuple):
    """A list or tuple whose items are looked at: its class, what it holds, who made it."""

    cls: type
    items: ItemsType | SeqType
    sites: frozenset[Site] = frozenset()

    def row(self, j: Joiner) -> Type | None:
        """Return its type as one of any length, if that it is or it holds numbers alone."""
        return self.items.row(j, self.cls, self.sites)

    def any_row(self, j: Joiner) -> RowType | None:
        """Return its type as one of any length, if what it holds is of one form."""
        row = self.row(j) or row_of(j, self.cls, common(j, self.items.parts), self.sites)
        return row if isinstance(row, RowType) else None


@dataclass(frozen=True)
class TupleType(Parts):
    """A tuple or named tuple."""

    cls: type
    items: tuple[Type, ...]

    def taken(self, value: Any) -> Iterable[Any]:
        return list(tuple.__iter__(value))

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return tuple.__new__(self.cls, self.built(w, leaves, memo))

    @property
    def form(self) -> Any:
        return len(self.items)

    @property
    def listed(self) -> Listed | None:
        return Listed(DynamicTuple, ItemsType(self.items)) if self.cls is tuple else None

    @property
    def is_known(self) -> bool:
        return all(item.is_known for item in self.items)

    @property
    def is_plain(self) -> bool:
        return all(item.is_plain for item in self.items)

    def stored(self, j: Joiner) -> Type:
        return self.with_parts(tuple(item.stored(j) for item in self.items))

    def join(self, j: Joiner, other: TupleType) -> Type | None:
        alike = self.cls is other.cls
        if len(self.items) == len(other.items):
            return self.joined(j, other) if alike else None
        if not (alike and self.cls is tuple and j.widen):
            return None
        return _dynamic_tuple(j, ItemsType(self.items), ItemsType(other.items))

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"({shown_parts(self.items, depth)})"


@dataclass(frozen=True)
class ItemsType(Parts):
    """The contents of a list of known length (the version, a tuple)."""

    depth = 0

    items: tuple[Type, ...]

    def taken(self, value: Any) -> Iterable[Any]:
        return list(value)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return tuple(self.built(w, leaves, memo))

    @property
    def form(self) -> Any:
        return len(self.items)

    @property
    def is_plain(self) -> bool:
        return all(item.is_plain for item in self.items)

    def stored(self, j: Joiner) -> Type:
        return self.with_parts(tuple(item.stored(j) for item in self.items))

    def row(self, j: Joiner, cls: type, sites: frozenset[Site]) -> Type | None:
        """Return the type of a list of any length, if it holds numbers of one type alone."""
        there = (item for item in self.items if getattr(item, "value", None) is not UNDEF)
        found = [item.stored(j) for item in there]
        kinds = {item.type if isinstance(item, ScalarType) else None for item in found}
        if len(kinds) > 1 or None in kinds:
            return None
        widest = next((item for item in found if item == ANY_INT), found[0] if found else None)
        return RowType(cls, widest, sites)

    def join(self, j: Joiner, other: ItemsType) -> Type | None:
        if len(self.items) == len(other.items):
            return self.joined(j, other)
        element, *items = (item.stored(j) for item in (*self.items, *other.items))
        return _with_elements(j, element, items)

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"[{shown_parts(self.items, depth)}]"


@dataclass(frozen=True)
class KeysType(Parts):
    """The contents of a dict (the version, a dict).

    Attributes:
        order: What is known of the order, if they are those of a set.
    """

    depth = 0

    keys: tuple[Any, ...]
    items: tuple[Type, ...]
    order: Order = Order.UNKNOWN

    def taken(self, value: Any) -> Iterable[Any]:
        return [value.get(key, UNSET) for key in self.keys]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        held = zip(self.keys, self.built(w, leaves, memo), strict=True)
        return _HELD[self.order](held)

    @property
    def form(self) -> Any:
        return self.keys

    def stored(self, j: Joiner) -> Type:
        return self.with_parts(tuple(item.stored(j) for item in self.items))

    @property
    def shown_in_order(self) -> KeysType:
        """Those of a set in the order in which Python goes through it; any where it is unknown."""
        if self.order is not Order.ADDED:
            return self
        keys = as_shown(self.keys)
        if keys is None:
            return replace(self, order=Order.UNKNOWN)
        items = dict(zip(self.keys, self.items, strict=True))
        return KeysType(tuple(keys), tuple(map(items.__getitem__, keys)), Order.SHOWN)

    def join(self, j: Joiner, other: KeysType) -> Type | None:
        if self.order is not other.order:
            left, right = self.shown_in_order, other.shown_in_order
            if (left.order, right.order) == (Order.SHOWN, Order.SHOWN):
                return left.join(j, right)
            unordered = [replace(one, order=Order.UNKNOWN) for one in (self, other)]
            return unordered[0].join(j, unordered[1])
        if self.keys == other.keys:
            return self.with_parts((*map(j.join, self.items, other.items),))
        sides = (self.keys, self.items), (other.keys, other.items)
        order = Order.UNKNOWN if self.order is Order.ADDED else self.order
        merged = tuple(dict.fromkeys((*self.keys, *other.keys)))
        if UNORDERED in merged:
            rest = tuple(key for key in merged if key is not UNORDERED)
            return KeysType((UNORDERED, *rest), (Static(True), *_by_name(j, rest, *sides)))
        orders = [merged, tuple(dict.fromkeys((*other.keys, *self.keys)))]
        if order is Order.SHOWN:
            orders += [tuple(sorted(merged, key=hash)), tuple(as_shown(merged) or ())]
        kept = (one for one in orders if _keeps(one, self.keys, other.keys))
        moved = (found := next(kept, None)) is None
        merged = found or merged
        if moved and _is_set(self) and _is_set(other):
            return KeysType((UNORDERED, *merged), (Static(True), *_by_name(j, merged, *sides)))
        if moved:
            return ConflictType("a dict whose keys come in another order on each side")
        return KeysType(merged, _by_name(j, merged, *sides), order)

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        own = (key for key in self.keys if key is not UNORDERED)
        return f"a dict with the keys {', '.join(map(repr, own))}"


_HELD: dict[Order, Any] = {Order.ADDED: Added, Order.SHOWN: Shown, Order.UNKNOWN: dict}


def _keeps(merged: tuple[Any, ...], *sides: tuple[Any, ...]) -> bool:
    """Tell whether the keys of all sides come in the order of the merged ones."""
    return all(tuple(key for key in merged if key in keys) == keys for keys in sides)


def _is_set(keys: KeysType) -> bool:
    """Tell whether what a type is of holds keys alone, of which no order is asked."""
    held = [Static(True), Static(UNSET)]
    return all(option in held for item in keys.items for option in item.options)


def _by_name(
    j: Joiner, names: tuple[Any, ...], *sides: tuple[tuple[Any, ...], tuple[Type, ...]]
) -> tuple[Type, ...]:
    """Join what two objects hold under some names, each of which one of them may not have."""
    left, right = (dict(zip(*side, strict=True)) for side in sides)
    missing = Static(UNSET)
    return tuple(j.join(left.get(name, missing), right.get(name, missing)) for name in names)


def _with_elements(j: Joiner, element: Type, items: Iterable[Type]) -> SeqType:
    """Return the contents of a list of dynamic length that holds some more items."""
    for item in items:
        element = j.join(element, item).stored(j)
    return SeqType(element)


def _dynamic_tuple(j: Joiner, mine: Type, theirs: Type) -> Type | None:
    """Join what two tuples hold of which the length is known at run time, or not the same."""
    joined = j.join(mine, theirs)
    if not isinstance(joined, SeqType) or joined.element.is_conflict:
        return None
    return HeapType(DynamicTuple, j.w.idents.new(), (ITEMS,), (joined,))


@dataclass(frozen=True)
class SeqType(Type):
    """The contents of a list whose length is known when the model runs: parallel sequences."""

    depth = 0

    element: Type

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.element,)

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        return SeqType(parts[0])

    @property
    def own_parts(self) -> tuple[Type, ...]:
        return ()

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(leaf.dtype, leaf.dims, sequence=True) for leaf in carriers(self.element)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        w.tape.control.meets_list(self, value)
        return list(w.sequences.as_sequences(value, self.element))

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        made = Seq(self.element, tuple(next(leaves) for _ in carriers(self.element)))
        w.tape.control.meets_list(self, made)
        return made

    def row(self, j: Joiner, cls: type, sites: frozenset[Site]) -> Type | None:
        """Return the type of a list of any length."""
        return row_of(j, cls, self.element, sites)

    def join(self, j: Joiner, other: SeqType) -> Type | None:
        return _with_elements(j, self.element, (other.element,))

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        if not isinstance(other, ItemsType):
            return None
        return _with_elements(j, self.element, (item.stored(j) for item in other.items))

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"a list of {shown_parts((self.element,), depth)}"


@dataclass(frozen=True)
class HeapType(Parts):
    """A fresh list, dict or object: an identity and the types of its locations.

    Attributes:
        sealed: A list of dynamic length holds a copy of it: it is written no more.
        sites: The places of the program that may have made it.
    """

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

    @property
    def node(self) -> int | None:
        return self.ident

    @property
    def form(self) -> Any:
        return self.cls, self.slots

    @property
    def listed(self) -> Listed | None:
        inside = self.items[0] if self.cls in (list, DynamicTuple) else None
        if not isinstance(inside, (ItemsType, SeqType)):
            return None
        return Listed(self.cls, inside, self.sites)

    def renumbered(self, number: Callable[[int], int]) -> Type:
        items = tuple(item.renumbered(number) for item in self.items)
        return replace(self, ident=number(self.ident), items=items)

    def leaves(self, memo: Memo) -> list[Leaf]:
        if self.ident in memo:
            return []
        memo[self.ident] = True
        return super().leaves(memo)

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
            if self.sealed or w.idents.is_frozen(self.ident):
                w.sealed(obj)
        else:
            w.choices.also_held(self, memo)
        return memo[self.ident]

    @property
    def is_plain(self) -> bool:
        return self.cls is list and all(item.is_plain for item in self.items)

    @property
    def is_object(self) -> bool:
        return not issubclass(self.cls, (list, dict))

    def stored(self, j: Joiner) -> Type:
        j.w.arenas.require_plain(self.sites)
        j.w.idents.frozen.add(self.ident)
        row = None if self.listed is None else self.listed.row(j)
        if row is not None:
            return row
        inside: list[Type] = []
        for item in self.items:
            if isinstance(item, SeqType):
                return row_of(j, self.cls, ConflictType("a class of its own"))
            if isinstance(item, ConflictType):
                return replace(item, sites=item.sites or self.sites)
            inside.append(item.stored(j))
        return replace(self, ident=j.w.idents.new(), items=tuple(inside), sealed=True)

    def join(self, j: Joiner, other: HeapType) -> Type | None:
        if self.cls is not other.cls:
            return None
        pair = self.ident, other.ident
        if pair not in j.pairs:
            if not j.may_be_partners(*pair):
                return ConflictType(
                    f"two names may or may not be the same {self.cls.__name__} object"
                )
            slots = tuple(dict.fromkeys((*self.slots, *other.slots)))
            items = _by_name(j, slots, (self.slots, self.items), (other.slots, other.items))
            sealed, sites = self.sealed or other.sealed, self.sites | other.sites
            j.pairs[pair] = HeapType(self.cls, j.w.idents.joined(pair), slots, items, sealed, sites)
        return j.pairs[pair]

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        if self.cls is not DynamicTuple or other.listed is None:
            return None
        return _dynamic_tuple(j, self.items[0], other.listed.items)

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return a_or_an(self.cls.__name__)


def row_parts(type_: Type) -> tuple[Type, ...]:
    """Return the types of the items that each element has, none where the number is not known."""
    inside = type_ if type_.listed is None else type_.listed.items
    return inside.items if isinstance(inside, (TupleType, ItemsType)) else ()
