"""Finding the type of a value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.iterators.base import Cursor, DictView, InstanceDict, SymbolicRange
from elichika.state.aliases import is_reference, memory_of, origins_of, window_of
from elichika.state.joins.arrays import ArrayType, ViewType
from elichika.state.joins.choices import ChoiceType
from elichika.state.joins.containers import HeapType, ItemsType, KeysType, SeqType, TupleType
from elichika.state.joins.plain import ConflictType, ContentsType, ScalarType, Static, TextType
from elichika.state.joins.references import RefType
from elichika.state.joins.structures import (
    UNWRITTEN,
    DictViewType,
    ErrorType,
    MethodType,
    RangeType,
    SliceType,
    held_by_error,
)
from elichika.state.joins.types import State, Type
from elichika.state.joins.variables import VarType
from elichika.state.store import CONTENTS, ITEMS, Mark
from elichika.values.c_order import in_order
from elichika.values.constant_views import owner_of
from elichika.values.exceptions import holds_args, own_attributes
from elichika.values.functions import BoundMethod, Closure, GeneratorCall, closures_of
from elichika.values.set_orders import order_of
from elichika.values.symbolic import Array, Choice, Conflict, DynamicTuple, Scalar, Seq, Text, Var
from elichika.values.tables import Table
from elichika.values.words import a_or_an
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.state.context import StateContext

#: How many exceptions are followed that lead to another one: each turn may add one.
LINKS_KEPT = 3


@contextmanager
def inside(value: Any, around: set[int]) -> Iterator[bool]:
    """Read what a value holds within the block; tell whether it does not stand in itself.

    Args:
        value: A list, dict, object or exception.
        around: The identities of those that are read just now.
    """
    new = id(value) not in around
    around.add(id(value))
    yield new
    if new:
        around.remove(id(value))


class TypeReader:
    """Finds the types of values; objects born after `mark` are fresh.

    Args:
        w: The walker.
        mark: What was born before it exists already.
        remember: The walker is to know later which objects the types stand for.
        end: Gives the state that is read, if it is that of an arm, for a moment.
    """

    def __init__(
        self, w: StateContext, mark: Mark, *, remember: bool = False, end: State | None = None
    ) -> None:
        self.w = w
        self.mark = mark
        self.ends = () if end is None else (end,)
        self._idents = w.idents.latest if remember else {}
        self._memo: dict[int, Any] = {}
        self._keep: list[Any] = []
        self._groups: dict[int, int] = {}
        self._errors: set[int] = set()

    def version(self, slot: str, version: Any) -> Type:
        """Return the type of a location's version."""
        if slot == CONTENTS:
            value = version if isinstance(version, Value) else self.w.constant(version)
            return ContentsType(dtype_of(value), tuple(dims_of(value)))
        if slot == ITEMS and not isinstance(version, Conflict):
            if isinstance(version, Seq):
                return SeqType(version.element)
            if isinstance(version, Table):
                return version.type
            if isinstance(version, dict):
                return KeysType(tuple(version), self.all_of(version.values()), order_of(version))
            return ItemsType(self.all_of(version))
        return self.of(version)

    def of(self, value: Any) -> Type:
        """Return the type of a value."""
        value = self.w.narrow(value)
        return _read.dispatch(type(value))(value, self)

    def all_of(self, values: Iterable[Any]) -> tuple[Type, ...]:
        """Return the types of some values."""
        return tuple(map(self.of, values))

    def object(self, value: Any) -> Type:
        """Return the type of what may be an object that the walk made."""
        if self.w.arenas.holds(value):
            return RefType(self.w.arenas.require(value)[0])
        if self.w.store.is_fresh(value, self.mark) or isinstance(value, DynamicTuple):
            return self.heap(value)
        return Static(value, self.ends)

    def is_fresh_array(self, value: Any) -> bool:
        """Tell whether an array, or that whose memory it shows, is fresh."""
        return isinstance(value, np.ndarray) and self.w.store.is_fresh(owner_of(value), self.mark)

    def is_local(self, cls: type) -> bool:
        """Tell whether a class holds what is made in the branch, or reads names that are."""
        if not self.mark.clock:  # nothing is outside of the whole walk
            return False
        fresh = functools.partial(self.w.store.is_fresh, mark=self.mark)
        return fresh(cls) or any(
            fresh(closure.frame)
            for base in self.w.made_classes.intersection(cls.__mro__)
            for attribute in vars(base).values()
            for closure in closures_of(attribute)
        )

    def array(self, array: Array) -> ArrayType | ViewType:
        """Return the type of an array."""
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
            own = w.idents.of(array)
            if not array.writable:
                w.idents.unwritable.add(own)
            return ArrayType(
                dtype, dims, own, (array,), existing=True, ordered=ordered, several=several
            )
        ident = w.idents.new()
        if not array.writable:
            w.idents.unwritable.add(ident)
        window = window_of(array)
        if array.view is not None and window is not None:
            dtypes = tuple(dtype_of(operand) for operand in window.operands)
            return ViewType(dtype, dims, ident, self.array(array.view.base), window, dtypes)
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
        return self._groups.setdefault(id(root), self.w.idents.new())

    def error(self, error: BaseException) -> Type:
        """Return the type of an exception by what it holds."""
        if not holds_args(type(error), error.args):
            kind = a_or_an(type(error).__name__)
            return ConflictType(f"{kind} holds more than its arguments")
        own = own_attributes(error)
        slots = tuple(dict.fromkeys((*UNWRITTEN, *own, *self.w.heap_slots(error))))
        with inside(error, self._errors) as new:
            if not new:
                return ConflictType("it holds itself")
            made = ErrorType(type(error), slots, self.all_of(held_by_error(self.w, error, slots)))
        return _linked(made, LINKS_KEPT)

    def heap(self, obj: Any) -> Type:
        """Return the type of a list, dict or object by what it holds."""
        if id(obj) in self._memo:
            known = self._memo[id(obj)]
            sites = self.w.store.sites_of(obj)
            return ConflictType("it holds itself", sites) if known is None else known
        if self.is_local(type(obj)):
            return ConflictType(f"the class `{type(obj).__name__}` was made in a branch")
        self._memo[id(obj)] = None
        self._keep.append(obj)
        slots = self.w.heap_slots(obj)
        items = tuple(self.version(slot, self.w.held(obj, slot)) for slot in slots)
        sealed = self.w.store.is_sealed(obj)
        sites = self.w.store.sites_of(obj)
        made = HeapType(type(obj), self.w.idents.new(), tuple(slots), items, sealed, sites)
        self._idents[id(obj)] = made.ident
        self._memo[id(obj)] = made
        return made


@functools.singledispatch
def _read(value: Any, reader: TypeReader) -> Type:
    """Return the type of a value, by the class of the value."""
    return reader.object(value)


def _closure(value: Closure, reader: TypeReader) -> Type:
    if reader.w.store.is_fresh(value.frame, reader.mark):
        return ConflictType(f"the function `{value.program.name}` was made in a branch")
    if _holds_fresh((value.defaults, *value.kw_defaults.values()), reader):
        return ConflictType(
            f"the function `{value.program.name}` was made in a branch, and so was what it holds "
            "for an argument that is left out"
        )
    return Static(value)


def _holds_fresh(value: Any, reader: TypeReader) -> bool:
    """Tell whether a value, or an item of a tuple, was made since the mark."""
    if type(value) is tuple:
        return any(_holds_fresh(item, reader) for item in value)
    return reader.w.store.is_fresh(value, reader.mark)


def _iterator(value: Any, reader: TypeReader) -> Type:
    if reader.w.store.is_fresh(value, reader.mark):
        return ConflictType("an iterator that was made in a loop or branch")
    return Static(value)


def _static_array(value: np.ndarray[Any, Any], reader: TypeReader) -> Type:
    if reader.is_fresh_array(value):
        return reader.array(reader.w.as_array(value))
    return reader.object(value)


def _variable(value: Var, reader: TypeReader) -> Type:
    """Return the type of a Variable; a node that was made since is none of after the join."""
    node = value.node
    if node is not None and reader.w.store.is_fresh(node, reader.mark):
        node = None
    own = None if value.again else value
    return VarType(value.kind, reader.array(value.array), node, own)


def _static_variable(value: chainer.Variable, reader: TypeReader) -> Type:
    w = reader.w
    if w.is_static_variable(value) and reader.is_fresh_array(w.variable_array(value)):
        w.store.handled(value, "array", ())
        held = w.as_var(value)
        return VarType(type(value), reader.array(held.array), held.node)
    return reader.object(value)


def _exception(value: BaseException, reader: TypeReader) -> Type:
    """Return the type of an exception; what one follows from that another follows from is left."""
    w = reader.w
    fresh = w.store.is_fresh(value, reader.mark) or not reader.mark.clock
    if not fresh or w.arenas.holds(value) or reader.is_local(type(value)):
        return reader.object(value)
    return reader.error(value)


def _linked(type_: Type, depth: int) -> Type:
    """Return the type of an exception with so many others that it follows from."""
    match type_:
        case ErrorType(items=(args, cause, context, *rest)) if depth:
            parts = (args, _linked(cause, depth - 1), _linked(context, depth - 1), *rest)
        case ErrorType(items=(args, _, _, *rest)):
            unknown = ConflictType(f"{LINKS_KEPT} exceptions are kept of those it follows from")
            parts = (args, unknown, unknown, *rest)
        case ChoiceType():
            parts = tuple(_linked(part, depth) for part in type_.parts)
        case _:
            return type_
    return type_.with_parts(parts)


def _view_of_a_dict(value: Any, reader: TypeReader) -> Type:
    return ConflictType("a view of a dict that was made in a loop or branch")


def _partial(value: functools.partial[Any], reader: TypeReader) -> Type:
    if reader.w.is_symbolic(value):
        return ConflictType("a partial function that was made in a loop or branch")
    return reader.object(value)


def _class(value: type, reader: TypeReader) -> Type:
    if reader.is_local(value):
        return ConflictType(f"the class `{value.__name__}` was made in a branch")
    return reader.object(value)


_READERS: dict[type, Callable[[Any, TypeReader], Type]] = {
    Scalar: lambda value, _: ScalarType.of(value),
    Array: lambda value, reader: reader.array(value),
    Var: _variable,
    Choice: lambda value, reader: ChoiceType(reader.all_of(value.alternatives)),
    Conflict: lambda value, _: ConflictType(value.reason, value.sites),
    Text: lambda value, _: TextType(),
    tuple: lambda value, reader: TupleType(type(value), reader.all_of(tuple.__iter__(value))),
    slice: lambda value, reader: SliceType(reader.all_of(SliceType.taken(value))),
    SymbolicRange: lambda value, reader: RangeType(reader.all_of(RangeType.taken(value))),
    BoundMethod: lambda value, reader: MethodType(value.function, reader.all_of([value.receiver])),
    BaseException: _exception,
    Closure: _closure,
    Cursor: _iterator,
    GeneratorCall: _iterator,
    np.ndarray: _static_array,
    chainer.Variable: _static_variable,
    DictView: lambda value, reader: DictViewType(value.kind, reader.all_of([value.mapping])),
    InstanceDict: _view_of_a_dict,
    functools.partial: _partial,
    type: _class,
}
for _cls, _reader in _READERS.items():
    _read.register(_cls, _reader)
