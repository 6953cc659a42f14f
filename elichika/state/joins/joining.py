"""The least type of two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.aliases import told_apart, united
from elichika.state.joins.arrays import ArrayType, VarType, ViewType
from elichika.state.joins.containers import (
    ChoiceType,
    HeapType,
    ItemsType,
    KeysType,
    MethodType,
    RangeType,
    SeqType,
    SliceType,
    TupleType,
)
from elichika.state.joins.reading import TypeReader
from elichika.state.joins.references import RefType
from elichika.state.joins.rows import RowType, as_row, row_of
from elichika.state.joins.types import (
    ConflictType,
    ContentsType,
    ScalarType,
    Static,
    TextType,
    Type,
    one_of,
)
from elichika.state.partitions import is_node, own_parts, parts, references, resolved
from elichika.state.store import ITEMS
from elichika.values.symbolic import PYTHON_DTYPES, UNDEF, UNORDERED, UNSET, Array, DynamicTuple
from onnx_graph import Dim, dtype_of

if TYPE_CHECKING:
    from elichika.state.context import StateContext

MAX_ALTERNATIVES = 8


class Joiner:
    """Joins types pairwise; object nodes are remembered by the pair.

    Args:
        w: The walker.
        widen: Numbers that differ become a scalar at once (in loops) rather than a choice.
    """

    def __init__(self, w: StateContext, *, widen: bool) -> None:
        self.w = w
        self.widen = widen
        self._pairs: dict[tuple[int, int], Type] = {}
        self._partner: dict[tuple[str, int], int] = {}
        self._held: Counter[int] = Counter()

    def join_all(self, pairs: Iterable[tuple[Type, Type]]) -> list[Type]:
        """Join the types of the locations of a whole state, objects by their identity."""
        sides = list(pairs)
        for types in zip(*sides, strict=True):
            self._held += references(types)
        return resolved([self.join(a, b) for a, b in sides], self._pairs)

    def join(self, a: Type, b: Type) -> Type:
        """Return the least type that holds both."""
        if isinstance(a, ConflictType):
            return a
        if isinstance(b, ConflictType):
            return b
        if isinstance(a, Static) and a.value is UNDEF:
            return _or_nothing(b)
        if isinstance(b, Static) and b.value is UNDEF:
            return _or_nothing(a)
        if isinstance(a, ChoiceType) or isinstance(b, ChoiceType):
            return self._choice(a, b)
        joined = self._compatible(a, b)
        return self._choice(a, b) if joined is None else joined

    def _compatible(self, a: Type, b: Type) -> Type | None:
        """Join without a tag, or return None where the two have no common form."""
        a, b = self._lift(a, b), self._lift(b, a)
        if isinstance(a, RefType) or isinstance(b, RefType):
            return self.w.arenas.meet(a, b)
        if isinstance(a, Static) and isinstance(b, Static):
            return self._statics(a, b)
        if type(a) is not type(b):
            if {type(a), type(b)} == {ArrayType, ViewType}:
                return self._join_arrays(a, b)
            return self._numbers(a, b)
        method = getattr(self, f"_join_{type(a).__name__}")
        result: Type | None = method(a, b)
        return result

    def _lift(self, a: Type, b: Type) -> Type:
        """Turn a static array or Variable into its symbolic form where the other side has one."""
        if not isinstance(a, Static):
            return a
        if self.w.arenas.holds(a.value):
            return TypeReader(self.w, self.w.store.mark()).of(a.value)
        if isinstance(a.value, np.ndarray) and a.value.dtype.kind in "biuf":
            if isinstance(b, (ArrayType, ViewType)) or (
                isinstance(b, Static) and isinstance(b.value, np.ndarray) and a != b
            ):
                array = self.w.as_array(a.value)
                return TypeReader(self.w, self.w.store.mark()).of(array)
        elif self.w.is_static_variable(a.value) and (
            isinstance(b, VarType) or (isinstance(b, Static) and a.value is not b.value)
        ):
            var = self.w.as_var(a.value)
            return TypeReader(self.w, self.w.store.mark()).of(var)
        return a

    def _statics(self, a: Static, b: Static) -> Type | None:
        if a == b:
            return a if a.value is b.value else Static(one_of(a.value, b.value))
        if type(a.value) is type(b.value):
            if isinstance(a.value, bool) or (self.widen and type(a.value) in (int, float)):
                return ScalarType(type(a.value))
            if self.widen and isinstance(a.value, np.generic) and a.value.dtype.kind in "biuf":
                return ScalarType(type(a.value))
        return None

    def _numbers(self, a: Type, b: Type) -> Type | None:
        for one, other in ((a, b), (b, a)):
            if (
                isinstance(one, ScalarType)
                and isinstance(other, Static)
                and type(other.value) is one.type
            ):
                fits = not isinstance(other.value, int) or -(2**63) <= other.value < 2**63
                return one if fits else None
            if isinstance(one, TextType) and isinstance(other, Static):
                return one if isinstance(other.value, str) else None
            if isinstance(one, TupleType) and isinstance(other, Static):
                return None
            if isinstance(one, RowType):
                row = as_row(self.w, other)
                return None if row is None else self._join_RowType(one, row)
            if isinstance(one, HeapType) and isinstance(other, TupleType):
                return self._dynamic_tuple(one, other)
        return self._items_and_sequence(a, b)

    def _dynamic_tuple(self, a: Type, b: TupleType) -> Type | None:
        """Join a tuple with another of another length, or of a length known at run time."""
        if b.cls is not tuple:
            return None
        if isinstance(a, HeapType):
            if a.cls is not DynamicTuple:
                return None
            mine = a.items[0]
        else:
            assert isinstance(a, TupleType)
            mine = ItemsType(a.items)
        joined = self.join(mine, ItemsType(b.items))
        if not isinstance(joined, SeqType) or isinstance(joined.element, ConflictType):
            return None
        return HeapType(DynamicTuple, self.w.next_ident(), (ITEMS,), (joined,))

    def _items_and_sequence(self, a: Type, b: Type) -> Type | None:
        if isinstance(a, ItemsType) and isinstance(b, SeqType):
            a, b = b, a
        if not (isinstance(a, SeqType) and isinstance(b, ItemsType)):
            return None
        element = a.element
        for item in map(self.w.sequences.element_type, b.items):
            element = self.w.sequences.element_type(self.join(element, item))
        return SeqType(element)

    def _join_ScalarType(self, a: ScalarType, b: ScalarType) -> Type | None:
        return a if a.type is b.type else None

    def _join_TextType(self, a: TextType, b: TextType) -> Type | None:
        return a

    def _join_ContentsType(self, a: ContentsType, b: ContentsType) -> Type | None:
        if a.dtype != b.dtype or len(a.dims) != len(b.dims):
            return ConflictType(f"array contents: {_tensor(a)} and {_tensor(b)}")
        return ContentsType(a.dtype, _join_dims(a.dims, b.dims))

    def _join_ArrayType(self, a: ArrayType, b: ArrayType) -> Type | None:
        if a.existing and b.existing and a.origins[0] is b.origins[0]:
            return a
        if a.dtype != b.dtype or len(a.dims) != len(b.dims):
            return None
        pair = (a.ident, b.ident)
        if pair not in self._pairs:
            ident = self.w.next_ident()
            self.w.ident_parents[ident] = pair
            shares = {id(s): s for s in (*a.shares, *b.shares)}
            self._pairs[pair] = ArrayType(
                a.dtype,
                _join_dims(a.dims, b.dims),
                ident,
                united(told_apart((*a.origins, *b.origins))),
                tuple(shares.values()),
                a.groups | b.groups,
                frozen=a.frozen or b.frozen,
                ordered=a.ordered and b.ordered,
                always=all(side.existing or side.always for side in (a, b)),
                several=a.several or b.several,
            )
        return self._pairs[pair]

    def _join_ViewType(self, a: ViewType, b: ViewType) -> Type | None:
        pair = (a.ident, b.ident)
        if pair in self._pairs:
            known: Type = self._pairs[pair]
            return known
        base = self._compatible(a.base, b.base) if a.form == b.form else None
        if not isinstance(base, (ArrayType, ViewType)):
            return self._join_arrays(a, b)
        dims = _join_dims(a.dims, b.dims)
        made = ViewType(a.dtype, dims, self.w.next_ident(), base, a.window, a.dtypes)
        self._pairs[pair] = made
        return made

    def _join_arrays(self, a: Any, b: Any) -> Type | None:
        """Join views that select in unlike ways, or of unlike arrays, or one with an array."""
        views = [self._as_view(x) for x in (a, b)]
        if views[0] is not a or views[1] is not b:
            return self._compatible(*views)
        left, right = (x.as_array() if isinstance(x, ViewType) else x for x in (a, b))
        return self._join_ArrayType(left, right)

    def _as_view(self, type_: ArrayType | ViewType) -> ArrayType | ViewType:
        """Return the type of an existing view as that of a view of an existing array."""
        if isinstance(type_, ViewType) or not type_.existing:
            return type_
        (array,) = type_.origins
        assert isinstance(array, Array)
        if array.view is None or array.view.window is None:
            return type_
        base, window = array.view.base, array.view.window
        of = TypeReader(self.w, self.w.store.mark())._array(base)
        dtypes = tuple(dtype_of(operand) for operand in window.operands)
        return ViewType(type_.dtype, type_.dims, type_.ident, of, window, dtypes)

    def _join_VarType(self, a: VarType, b: VarType) -> Type | None:
        array = self._compatible(a.array, b.array)
        if array is None:
            return None
        return VarType(a.kind if a.kind is b.kind else a.kind.__mro__[-2], array)

    def _join_TupleType(self, a: TupleType, b: TupleType) -> Type | None:
        if a.cls is b.cls is tuple and self.widen and len(a.items) != len(b.items):
            return self._dynamic_tuple(a, b)
        if a.cls is not b.cls or len(a.items) != len(b.items):
            return None
        return TupleType(a.cls, tuple(map(self.join, a.items, b.items)))

    def _join_MethodType(self, a: MethodType, b: MethodType) -> Type | None:
        if a.function is not b.function:
            return None
        return MethodType(a.function, tuple(map(self.join, a.items, b.items)))

    def _join_RangeType(self, a: RangeType, b: RangeType) -> Type | None:
        items = zip(a.items, b.items, strict=True)
        return RangeType(tuple(x if x == y else ScalarType(int) for x, y in items))

    def _join_SliceType(self, a: SliceType, b: SliceType) -> Type | None:
        return SliceType(tuple(map(self.join, a.items, b.items)))

    def _join_ItemsType(self, a: ItemsType, b: ItemsType) -> Type | None:
        if len(a.items) == len(b.items):
            return ItemsType(tuple(map(self.join, a.items, b.items)))
        element, *items = map(self.w.sequences.element_type, (*a.items, *b.items))
        for item in items:
            element = self.w.sequences.element_type(self.join(element, item))
        return SeqType(element)

    def _join_RowType(self, a: RowType, b: RowType) -> Type | None:
        if a.cls is not b.cls:
            return None
        if a.element is None or b.element is None:
            row = a if b.element is None else b
            return replace(row, sites=a.sites | b.sites)
        if isinstance(a.element, ScalarType) and isinstance(b.element, ScalarType):
            return a if a == b else None
        element = self.w.sequences.element_type(self.join(a.element, b.element))
        return row_of(self.w, a.cls, element, a.sites | b.sites)

    def _join_SeqType(self, a: SeqType, b: SeqType) -> Type | None:
        return SeqType(self.w.sequences.element_type(self.join(a.element, b.element)))

    def _join_KeysType(self, a: KeysType, b: KeysType) -> Type | None:
        if a.keys == b.keys:
            return KeysType(a.keys, tuple(map(self.join, a.items, b.items)))
        merged = merge_keys(a.keys, b.keys)
        if UNORDERED in merged:
            merged = (UNORDERED, *(key for key in merged if key is not UNORDERED))
        elif _order_differs(a.keys, b.keys):
            return ConflictType("a dict whose keys come in another order on each side")
        missing = Static(UNSET)
        left, right = (
            dict(zip(a.keys, a.items, strict=True)),
            dict(zip(b.keys, b.items, strict=True)),
        )
        return KeysType(
            merged,
            tuple(
                Static(True)
                if k is UNORDERED
                else self.join(left.get(k, missing), right.get(k, missing))
                for k in merged
            ),
        )

    def _join_HeapType(self, a: HeapType, b: HeapType) -> Type | None:
        if a.cls is not b.cls:
            return None
        pair = (a.ident, b.ident)
        if pair not in self._pairs:
            partners = {("a", a.ident): b.ident, ("b", b.ident): a.ident}
            if any(self._partner.get(key, other) != other for key, other in partners.items()):
                return ConflictType(f"two names may or may not be the same {a.cls.__name__} object")
            self._partner |= partners
            left, right = (
                dict(zip(a.slots, a.items, strict=True)),
                dict(zip(b.slots, b.items, strict=True)),
            )
            slots = tuple(dict.fromkeys((*a.slots, *b.slots)))
            missing = Static(UNSET)
            items = tuple(self.join(left.get(s, missing), right.get(s, missing)) for s in slots)
            ident = self.w.next_ident()
            self.w.ident_parents[ident] = pair
            sealed = a.sealed or b.sealed
            self._pairs[pair] = HeapType(a.cls, ident, slots, items, sealed, a.sites | b.sites)
        return self._pairs[pair]

    def _choice(self, a: Type, b: Type) -> Type:
        alternatives: list[Type] = []
        merged: list[dict[int, bool]] = []
        candidates = [(side, x) for side, type_ in enumerate((a, b)) for x in _alternatives(type_)]
        for side, candidate in candidates:
            if isinstance(candidate, ConflictType):
                return candidate
            alone = self._alone(candidate)
            for index, present in enumerate(alternatives):
                if side in merged[index] and not (alone and merged[index][side]):
                    continue  # two objects of one side become one only where nobody can tell
                joined = self._compatible(present, candidate)
                if joined is not None and not isinstance(joined, ConflictType):
                    alternatives[index] = joined
                    merged[index][side] = alone and merged[index].get(side, True)
                    break
            else:
                alternatives.append(candidate)
                merged.append({side: alone})
        self._share_arrays(alternatives, merged)
        if len(alternatives) == 1:
            return alternatives[0]
        if len(alternatives) > MAX_ALTERNATIVES:
            kinds = {type(x.value) for x in alternatives if isinstance(x, Static)}
            if all(isinstance(x, Static) for x in alternatives) and len(kinds) == 1:
                kind = kinds.pop()
                if kind in PYTHON_DTYPES:
                    return ScalarType(kind)
                if kind is str:
                    return TextType()
            return ConflictType(f"more than {MAX_ALTERNATIVES} different values")
        return ChoiceType(tuple(alternatives))

    def _share_arrays(self, alternatives: list[Type], sides: list[dict[int, bool]]) -> None:
        """Let an array and a Variable that come from unlike sides be handles on one array."""
        for i, array in enumerate(alternatives):
            for j, variable in enumerate(alternatives):
                if not isinstance(variable, VarType) or sides[i].keys() & sides[j].keys():
                    continue
                one = self._lift(array, variable)
                if isinstance(one, (ArrayType, ViewType)):
                    joined = self._compatible(one, variable.array)
                    if isinstance(joined, (ArrayType, ViewType)):
                        alternatives[i], alternatives[j] = joined, VarType(variable.kind, joined)
                        return

    def _alone(self, type_: Type) -> bool:
        """Tell whether no object in a type is held elsewhere as well."""
        if is_node(type_) and self._held[type_.ident] > 1:  # type: ignore[attr-defined]
            return False
        return all(map(self._alone, own_parts(type_)))


def _or_nothing(type_: Any) -> Type:
    """Return the type of something that may be absent: a row that is not there cannot be read."""
    if isinstance(type_, ViewType):
        view: Type = type_.as_array() if type_.may_fail else type_
        return view
    changed: dict[str, Any] = {
        name: tuple(map(_or_nothing, getattr(type_, name)))
        for name in ("alternatives", "items")
        if getattr(type_, name, ())
    }
    if isinstance(type_, VarType):
        changed["array"] = _or_nothing(type_.array)
    made: Type = replace(type_, **changed) if changed else type_
    return made


def _alternatives(a: Type) -> tuple[Type, ...]:
    return a.alternatives if isinstance(a, ChoiceType) else (a,)


def _order_differs(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Tell whether the merged key order would be false on one side: extra keys must be last."""
    merged = merge_keys(a, b)
    return tuple(k for k in merged if k in a) != a or tuple(k for k in merged if k in b) != b


def merge_keys(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the keys of both in the order of insertion."""
    return tuple(dict.fromkeys((*a, *b)))


def _join_dims(
    a: tuple[int | Dim | None, ...], b: tuple[int | Dim | None, ...]
) -> tuple[int | Dim | None, ...]:
    return tuple(
        x if x is not None and y is not None and type(x) is type(y) and x == y else None
        for x, y in zip(a, b, strict=True)
    )


def _tensor(a: ContentsType) -> str:
    return f"{a.dtype}[{', '.join('?' if d is None else str(d) for d in a.dims)}]"


def sharing(types: Iterable[Type]) -> set[tuple[int, int]]:
    """Return which of the arrays in some types may share memory, as pairs of their numbers."""
    nodes: dict[int, ArrayType] = {}
    todo = list(types)[::-1]
    while todo:
        type_ = todo.pop()
        if isinstance(type_, ArrayType):
            nodes.setdefault(type_.ident, type_)
        todo += parts(type_)[::-1]
    numbered = list(enumerate(nodes.values()))
    return {(i, j) for i, a in numbered for j, b in numbered[i + 1 :] if a.groups & b.groups}
