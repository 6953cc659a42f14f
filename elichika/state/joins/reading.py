"""Finding the type of a value."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.iterators.base import Cursor, DictView, InstanceDict, SymbolicRange
from elichika.state.aliases import is_reference, memory_of, origins_of, window_of
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
from elichika.state.joins.references import RefType
from elichika.state.joins.types import (
    ConflictType,
    ContentsType,
    ScalarType,
    Static,
    TextType,
    Type,
)
from elichika.state.store import CONTENTS, ITEMS, Mark
from elichika.values.c_order import in_order
from elichika.values.constant_views import owner_of
from elichika.values.functions import BoundMethod, Closure, GeneratorCall, closures_of
from elichika.values.symbolic import Array, Choice, Conflict, DynamicTuple, Scalar, Seq, Text, Var
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.state.context import StateContext


class TypeReader:
    """Finds the types of values; objects born after `mark` are fresh.

    Args:
        w: The walker.
        mark: What was born before it exists already.
        remember: The walker is to know later which objects the types stand for.
    """

    def __init__(self, w: StateContext, mark: Mark, *, remember: bool = False) -> None:
        self.w = w
        self.mark = mark
        self._idents = w.latest_idents if remember else {}
        self._memo: dict[int, Any] = {}
        self._keep: list[Any] = []
        self._groups: dict[int, int] = {}

    def version(self, slot: str, version: Any) -> Type:
        """Return the type of a location's version."""
        if slot == CONTENTS:
            value = version if isinstance(version, Value) else self.w.constant(version)
            return ContentsType(dtype_of(value), tuple(dims_of(value)))
        if slot == ITEMS and not isinstance(version, Conflict):
            if isinstance(version, Seq):
                return SeqType(version.element)
            if isinstance(version, dict):
                return KeysType(tuple(version), tuple(map(self.of, version.values())))
            return ItemsType(tuple(map(self.of, version)))
        return self.of(version)

    def of(self, value: Any) -> Type:
        """Return the type of a value."""
        value = self.w.narrow(value)
        if isinstance(value, Scalar):
            return ScalarType(value.type)
        if isinstance(value, Array):
            return self._array(value)
        if isinstance(value, Var):
            return VarType(value.kind, self._array(value.array))
        if self.w.arenas.holds(value):
            arena, _ = self.w.arenas.require(value)
            return RefType(arena)
        if isinstance(value, Choice):
            return ChoiceType(tuple(map(self.of, value.alternatives)))
        if isinstance(value, Conflict):
            return ConflictType(value.reason)
        if isinstance(value, Text):
            return TextType()
        if isinstance(value, tuple):
            return TupleType(type(value), tuple(map(self.of, value)))
        if isinstance(value, slice):
            return SliceType(tuple(map(self.of, (value.start, value.stop, value.step))))
        if isinstance(value, SymbolicRange):
            parts = (value.start, value.stop, value.step, value.length)
            return RangeType(tuple(map(self.of, parts)))
        if isinstance(value, BoundMethod):
            return MethodType(value.function, (self.of(value.receiver),))
        if isinstance(value, Closure):
            if self.w.store.is_fresh(value.frame, self.mark):
                return ConflictType(f"the function `{value.program.name}` was made in a branch")
            return Static(value)
        if isinstance(value, (Cursor, GeneratorCall)) and self._is_new(value):
            return ConflictType("an iterator that was made in a loop or branch")
        if self._is_fresh_array(value):
            return self._array(self.w.as_array(value))
        if self.w.is_static_variable(value) and self._is_fresh_array(self.w.variable_array(value)):
            return VarType(type(value), self._array(self.w.as_var(value).array))
        if isinstance(value, (DictView, InstanceDict)):
            return ConflictType("a view of a dict that was made in a loop or branch")
        if isinstance(value, functools.partial) and self.w.is_symbolic(value):
            return ConflictType("a partial function that was made in a loop or branch")
        if isinstance(value, type) and self._is_local(value):
            return ConflictType(f"the class `{value.__name__}` was made in a branch")
        if self.w.store.is_fresh(value, self.mark) or isinstance(value, DynamicTuple):
            return self.heap(value)
        return Static(value)

    def _is_fresh_array(self, value: Any) -> bool:
        """Tell whether an array, or that whose memory it shows, is fresh."""
        return isinstance(value, np.ndarray) and self.w.store.is_fresh(owner_of(value), self.mark)

    def _is_new(self, iterator: Any) -> bool:
        return self.w.store.is_fresh(iterator, self.mark)

    def _is_local(self, cls: type) -> bool:
        """Tell whether a class holds what is made in the branch, or reads names that are."""
        fresh = functools.partial(self.w.store.is_fresh, mark=self.mark)
        return fresh(cls) or any(
            fresh(closure.frame)
            for base in self.w.made_classes.intersection(cls.__mro__)
            for attribute in vars(base).values()
            for closure in closures_of(attribute)
        )

    def _array(self, array: Array) -> ArrayType | ViewType:
        known: ArrayType | ViewType | None = self._memo.get(id(array))
        if known is None:
            known = self._read_array(array)
            self._idents[id(array)] = known.ident
            self._memo[id(array)] = known
            self._keep.append(array)
        return known

    def _read_array(self, array: Array) -> ArrayType | ViewType:
        w, fresh = self.w, self._fresh
        value = w.read(array)
        dtype, dims = dtype_of(value), tuple(dims_of(value))
        several = array.variables > 1
        if not fresh(array):
            ordered = in_order(w, array)
            own = w.ident_of(array)
            if not array.writable:
                w.unwritable_idents.add(own)
            return ArrayType(
                dtype, dims, own, (array,), existing=True, ordered=ordered, several=several
            )
        ident = w.next_ident()
        if not array.writable:
            w.unwritable_idents.add(ident)
        window = window_of(array)
        if array.view is not None and window is not None:
            dtypes = tuple(dtype_of(operand) for operand in window.operands)
            return ViewType(dtype, dims, ident, self._array(array.view.base), window, dtypes)
        origins = tuple(origins_of(array, fresh).values())
        memory = dict.fromkeys(memory_of(array, fresh))
        shares = tuple(root for root in memory if not fresh(root))
        groups = frozenset(self._group(root) for root in memory if fresh(root))
        return ArrayType(
            dtype,
            dims,
            ident,
            origins,
            shares,
            groups,
            frozen=w.in_list(array),
            ordered=in_order(w, array),
            always=is_reference(array, fresh),
            several=several,
        )

    def _fresh(self, array: Array) -> bool:
        return self.w.store.is_fresh(array, self.mark)

    def _group(self, root: Array) -> int:
        self._keep.append(root)
        return self._groups.setdefault(id(root), self.w.next_ident())

    def heap(self, obj: Any) -> Type:
        """Return the type of a list, dict or object by what it holds."""
        if id(obj) in self._memo:
            known = self._memo[id(obj)]
            return ConflictType("it holds itself") if known is None else known
        if self._is_local(type(obj)):
            return ConflictType(f"the class `{type(obj).__name__}` was made in a branch")
        self._memo[id(obj)] = None
        self._keep.append(obj)
        slots = self.w.heap_slots(obj)
        items = tuple(self.version(slot, self.w.held(obj, slot)) for slot in slots)
        sealed = self.w.store.is_sealed(obj)
        sites = self.w.store.sites_of(obj)
        made = HeapType(type(obj), self.w.next_ident(), tuple(slots), items, sealed, sites)
        self._idents[id(obj)] = made.ident
        self._memo[id(obj)] = made
        return made
