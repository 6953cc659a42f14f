"""Joining what a location holds on two ways to one place.

A `Type` describes the values a location may hold: a skeleton of Python structure with tensor
leaves.  `TypeReader` finds the type of a value, `join` the least type of two, and every type can
list its `leaves`, `embed` a value into them, and `build` a value from them.  If, Loop and early
return all go through these four; a Loop iterates `join` until the types no longer change.

Identity follows design rule: two existing objects stay a choice of references, two fresh ones
become one new object (remembered by the pair), an existing and a fresh array become an array that
knows, by a tag, whether it is the existing one.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.aliases import (
    Origin,
    Seen,
    is_origin,
    key_of,
    memory_of,
    origins_of,
    remade,
    window_of,
)
from elichika.iteration import DictView, InstanceDict, Staged
from elichika.partitions import is_node, parts, references, resolved
from elichika.sequences import DynamicTuple, Seq
from elichika.store import Mark
from elichika.values import (
    PYTHON_DTYPES,
    UNDEF,
    UNSET,
    WIDE_BOUND,
    Array,
    Choice,
    Conflict,
    Scalar,
    Text,
    Var,
    Window,
)
from elichika.walker.scopes import BoundMethod, Closure, GeneratorCall
from onnx_graph import Dim, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.walker.core import Core

MAX_ALTERNATIVES = 8


@dataclass(frozen=True)
class Leaf:
    """One graph value of a type: a tensor, or a sequence of tensors."""

    dtype: np.dtype[Any]
    dims: tuple[int | Dim | None, ...] | None
    sequence: bool = False


Memo = dict[int, Any]
#: Where a memo of `build` keeps the arrays of each group, by the group.
GROUPS = -1


@dataclass(eq=False)
class Hole:
    """A leaf of a value that is not there, until another name of the same object fills it.

    Attributes:
        owned: It belongs to an object, which alone can fill it.
    """

    leaf: Leaf
    value: Value | None = None
    owned: bool = False


def filled(w: Core, leaves: list[Value | Hole]) -> list[Value]:
    """Return the leaves with a stand-in in each hole that is left."""
    values: list[Value] = []
    for leaf in leaves:
        if isinstance(leaf, Hole):
            values.append(w.absent(leaf.leaf) if leaf.value is None else leaf.value)
        else:
            values.append(leaf)
    return values


def _fill(memo: Memo, ident: int, values: list[Value | Hole]) -> list[Value | Hole]:
    """Put the leaves of an object into the holes that an absent name of it left, if any."""
    for hole, value in zip(memo[ident], values, strict=True):
        hole.value = value.value if isinstance(value, Hole) else value
    memo[ident] = True
    return []


def split(
    w: Core, type_: Type, choice: Choice, places: Iterable[int], memo: Memo
) -> list[Value | Hole]:
    """Return the leaves of some alternatives of a choice in a type that holds them all."""
    result: list[Value | Hole] | None = None
    made: Memo = {}
    for index in places:
        copies = {k: _holes_again(held) for k, held in memo.items()}
        made = dict(copies)
        leaves = type_.encode(w, choice.alternatives[index], made)
        kept = [h for held in copies.values() if isinstance(held, list) for h in held]
        new = [held for k, held in made.items() if k not in memo and held is not True]
        if new or any(hole.value is not None for hole in kept):
            w.refuse("one of several objects meets another name of the same object here")
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


def _selected(w: Core, tag: Value, yes: Value | Hole, no: Value | Hole) -> Value | Hole:
    if isinstance(yes, Hole):
        return no
    return yes if isinstance(no, Hole) else w.select(tag, yes, no)


class Type:
    """What a location may hold."""

    #: A choice is encoded by encoding its alternatives.
    splits = False

    def leaves(self, memo: Memo) -> list[Leaf]:
        """List the graph values that carry it; a shared object is listed once (`memo`)."""
        return []

    def encode(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        """Return the graph values for `value` in the order of `leaves`; holes for `UNDEF`."""
        value = w.narrow(value)
        if isinstance(value, Choice) and self.splits:
            return split(w, self, value, range(len(value.alternatives)), memo)
        return self.hollow(memo) if value is UNDEF else self.embed(w, value, memo)

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        """Return the graph values for a value that is there."""
        return []

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        """Return holes for all leaves."""
        return [Hole(leaf) for leaf in self.leaves({})]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        """Make a value of this type from graph values."""
        raise NotImplementedError


def same_static(a: Any, b: Any) -> bool:
    """Tell whether two static values are one for the program: identity, or equal immutables."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, complex, np.floating)):
        return repr(a) == repr(b)
    if isinstance(a, (int, str, bytes, bool, np.dtype, slice, range, np.generic)):
        return bool(a == b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_static, a, b))
    if isinstance(a, Closure):
        return (
            a.program is b.program
            and a.frame is b.frame
            and same_static(a.defaults, b.defaults)
            and not a.kw_defaults
            and not b.kw_defaults
        )
    return False


@dataclass(frozen=True, eq=False)
class Static(Type):
    """One value that is known now."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and same_static(self.value, other.value)

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return self.value


@dataclass(frozen=True)
class ConflictType(Type):
    """No common type: reading it is the error."""

    reason: str

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return Conflict(self.reason)


@dataclass(frozen=True)
class ScalarType(Type):
    """A Python or numpy number."""

    type: type

    @property
    def dtype(self) -> np.dtype[Any]:
        return PYTHON_DTYPES.get(self.type) or np.dtype(self.type)

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.dtype, ())]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        return [w.scalar_value(value, self.dtype)]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return Scalar(self.type, next(leaves), bound=WIDE_BOUND)


@dataclass(frozen=True)
class ContentsType(Type):
    """The contents of an array that existed before."""

    dtype: np.dtype[Any]
    dims: tuple[int | Dim | None, ...]

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.dtype, self.dims)]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        return [value if isinstance(value, Value) else w.constant(value)]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return next(leaves)


@dataclass(frozen=True)
class ArrayType(Type):
    """An array: a fresh one, or one of `origins`, told apart by tags.

    Attributes:
        ident: The node in the alias structure.
        origins: The arrays that it may be; the only one, if it is an existing array.
        shares: Existing arrays whose memory it may share.
        groups: Fresh arrays that have a group in common may share memory.
    """

    splits = True

    dtype: np.dtype[Any]
    dims: tuple[int | Dim | None, ...]
    ident: int
    origins: tuple[Origin, ...] = ()
    shares: tuple[Array, ...] = ()
    groups: frozenset[int] = frozenset()
    existing: bool = False
    frozen: bool = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArrayType)
            and (self.dtype, self.dims, self.existing) == (other.dtype, other.dims, other.existing)
            and self.frozen == other.frozen
            and set(map(key_of, self.origins)) == set(map(key_of, other.origins))
            and set(map(id, self.shares)) == set(map(id, other.shares))
        )

    __hash__ = None  # type: ignore[assignment]

    def _own(self) -> list[Leaf]:
        leaves = [Leaf(self.dtype, self.dims)]
        for origin in self.origins:
            dtypes = origin.dtypes if isinstance(origin, Seen) else ()
            leaves += [Leaf(np.dtype(bool), ()), *(Leaf(dtype, ()) for dtype in dtypes)]
        return leaves

    def leaves(self, memo: Memo) -> list[Leaf]:
        if self.existing or self.ident in memo:
            return []
        memo[self.ident] = True
        return self._own()

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        if self.existing or memo.get(self.ident) is True:
            return []
        array = w.as_array(value)
        values: list[Value | Hole] = [w.read(array)]
        for origin in self.origins:
            tag, operands = is_origin(w, array, origin)
            values += [tag, *operands]
        if self.ident in memo:
            return _fill(memo, self.ident, values)
        memo[self.ident] = True
        return values

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return _hollow(self.ident, [] if self.existing else self._own(), memo)

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.existing:
            return self.origins[0]
        if self.ident not in memo:
            array = w.new_array(next(leaves))
            array.origins = tuple(self._origin(w, origin, leaves) for origin in self.origins)
            array.frozen = self.frozen or w.is_frozen(self.ident)
            array.joined = True
            w.share(array, *self.shares)
            for group in sorted(self.groups):
                mates = memo.setdefault(GROUPS, {}).setdefault(group, [])
                w.share(array, *mates)
                mates.append(array)
            w.remember_origins(array)
            memo[self.ident] = array
        return memo[self.ident]

    def _origin(self, w: Core, origin: Origin, leaves: Iterator[Value]) -> tuple[Value, Array]:
        tag = next(leaves)
        if isinstance(origin, Array):
            return tag, origin
        operands = tuple(next(leaves) for _ in origin.dtypes)
        return tag, remade(w, origin.base, origin.window, operands)


@dataclass(frozen=True)
class ViewType(Type):
    """A view of an array that is joined as well: its base, and the operands that select."""

    splits = True

    dtype: np.dtype[Any]
    dims: tuple[int | Dim | None, ...]
    ident: int
    base: ArrayType | ViewType
    window: Window
    dtypes: tuple[np.dtype[Any], ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ViewType) and (self.form, self.dims, self.base) == (
            other.form,
            other.dims,
            other.base,
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def form(self) -> tuple[Any, ...]:
        """What two views must have in common to be joined as a view."""
        return self.dtype, len(self.dims), self.window.key, self.dtypes

    def leaves(self, memo: Memo) -> list[Leaf]:
        if self.ident in memo:
            return []
        memo[self.ident] = True
        return [*self.base.leaves(memo), *self._own()]

    def _own(self) -> list[Leaf]:
        return [Leaf(dtype, ()) for dtype in self.dtypes]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        if memo.get(self.ident) is True:
            return []
        view = w.as_array(value).view
        assert view is not None and view.window is not None
        base = self.base.embed(w, view.base, memo)
        operands: list[Value | Hole] = [*view.window.operands]
        if self.ident in memo:
            return [*base, *_fill(memo, self.ident, operands)]
        memo[self.ident] = True
        return [*base, *operands]

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        if self.ident in memo:
            return []
        base = self.base.hollow(memo)
        return [*base, *_hollow(self.ident, self._own(), memo)]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.ident not in memo:
            base = self.base.build(w, leaves, memo)
            operands = tuple(next(leaves) for _ in self.dtypes)
            memo[self.ident] = remade(w, base, self.window, operands)
        return memo[self.ident]

    def as_array(self) -> ArrayType:
        """Return the type of an array that may be such a view of an existing array."""
        base = self.base
        if isinstance(base, ViewType):
            base = base.as_array()
        elif base.existing:
            (owner,) = base.origins
            assert isinstance(owner, Array)
            seen = Seen(owner, self.window)
            return ArrayType(self.dtype, self.dims, self.ident, (seen,))
        old = [o.base.root if isinstance(o, Seen) else o.root for o in base.origins]
        return ArrayType(
            self.dtype,
            self.dims,
            self.ident,
            shares=(*base.shares, *old),
            groups=base.groups,
            frozen=base.frozen,
        )


@dataclass(frozen=True)
class VarType(Type):
    """A `chainer.Variable`."""

    splits = True

    kind: type
    array: Type

    def leaves(self, memo: Memo) -> list[Leaf]:
        return self.array.leaves(memo)

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        return self.array.embed(w, w.as_var(value).array, memo)

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return self.array.hollow(memo)

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return Var(self.array.build(w, leaves, memo), self.kind)


class _Items(Type):
    """A fixed number of parts."""

    splits = True

    items: tuple[Type, ...]

    def parts(self, w: Core, value: Any) -> list[Any]:
        raise NotImplementedError

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [leaf for item in self.items for leaf in item.leaves(memo)]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        parts = self.parts(w, value)
        return [
            leaf
            for item, part in zip(self.items, parts, strict=True)
            for leaf in item.encode(w, part, memo)
        ]

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return [hole for item in self.items for hole in item.hollow(memo)]

    def built(self, w: Core, leaves: Iterator[Value], memo: Memo) -> list[Any]:
        return [item.build(w, leaves, memo) for item in self.items]


@dataclass(frozen=True)
class TupleType(_Items):
    """A tuple or named tuple."""

    cls: type
    items: tuple[Type, ...]

    def parts(self, w: Core, value: Any) -> list[Any]:
        return list(value)

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return tuple.__new__(self.cls, self.built(w, leaves, memo))


@dataclass(frozen=True)
class SliceType(_Items):
    """A slice: its start, stop and step."""

    items: tuple[Type, ...]

    def parts(self, w: Core, value: Any) -> list[Any]:
        return [value.start, value.stop, value.step]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return slice(*self.built(w, leaves, memo))


@dataclass(frozen=True)
class MethodType(_Items):
    """A method bound to an object."""

    function: Any
    items: tuple[Type, ...]

    def parts(self, w: Core, value: Any) -> list[Any]:
        return [value.receiver]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return BoundMethod(self.function, *self.built(w, leaves, memo))


@dataclass(frozen=True)
class ItemsType(_Items):
    """The contents of a list of known length (the version, a tuple)."""

    items: tuple[Type, ...]

    def parts(self, w: Core, value: Any) -> list[Any]:
        return list(value)

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return tuple(self.built(w, leaves, memo))


@dataclass(frozen=True)
class KeysType(_Items):
    """The contents of a dict (the version, a dict)."""

    keys: tuple[Any, ...]
    items: tuple[Type, ...]

    def parts(self, w: Core, value: Any) -> list[Any]:
        return [value.get(key, UNSET) for key in self.keys]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return dict(zip(self.keys, self.built(w, leaves, memo), strict=True))


@dataclass(frozen=True)
class SeqType(Type):
    """The contents of a list whose length is known when the model runs: parallel sequences."""

    element: Type

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(leaf.dtype, leaf.dims, sequence=True) for leaf in self.element.leaves({})]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        return list(w.sequences.as_sequences(value, self.element))

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        return Seq(self.element, tuple(next(leaves) for _ in self.element.leaves({})))


@dataclass(frozen=True)
class HeapType(Type):
    """A fresh list, dict or object: an identity and the types of its locations.

    Attributes:
        sealed: A list of dynamic length holds a copy of it: it is written no more.
    """

    splits = True

    cls: type
    ident: int
    slots: tuple[str, ...]
    items: tuple[Type, ...] = field(compare=True)
    sealed: bool = False

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

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        if memo.get(self.ident) is True:
            return []
        holes = memo.get(self.ident)
        memo[self.ident] = True
        values = [
            leaf
            for slot, item in zip(self.slots, self.items, strict=True)
            for leaf in item.encode(w, w.held(value, slot), memo)
        ]
        if holes is not None:
            memo[self.ident] = holes
            return _fill(memo, self.ident, values)
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

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.ident not in memo:
            new: Any = self.cls.__new__
            obj = w.store.born(new(self.cls))
            memo[self.ident] = obj
            for slot, item in zip(self.slots, self.items, strict=True):
                w.store.set(obj, slot, item.build(w, leaves, memo))
            if self.sealed or w.is_frozen(self.ident):
                w.sealed(obj)
        return memo[self.ident]


@dataclass(frozen=True)
class ChoiceType(Type):
    """One of several types, told apart by a tag."""

    alternatives: tuple[Type, ...]

    def leaves(self, memo: Memo) -> list[Leaf]:
        tag = np.dtype(bool) if len(self.alternatives) == 2 else np.dtype(np.int64)
        return [Leaf(tag, ()), *(x for a in self.alternatives for x in a.leaves(memo))]

    def embed(self, w: Core, value: Any, memo: Memo) -> list[Value | Hole]:
        return w.choices.embed(self, value, memo)

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        (tag, *_) = self.leaves({})
        return [Hole(tag), *(hole for a in self.alternatives for hole in a.hollow(memo))]

    def build(self, w: Core, leaves: Iterator[Value], memo: Memo) -> Any:
        tag = next(leaves)
        return Choice(tag, tuple(a.build(w, leaves, memo) for a in self.alternatives))


def _hollow(ident: int, leaves: list[Leaf], memo: Memo) -> list[Value | Hole]:
    if ident in memo:
        return []
    holes: list[Value | Hole] = [Hole(leaf, owned=True) for leaf in leaves]
    memo[ident] = holes
    return holes


def nesting(type_: Type) -> int:
    """Return how deep a structure nests."""
    contents = isinstance(type_, (ItemsType, KeysType, SeqType))
    return (not contents) + max(map(nesting, parts(type_)), default=0)


def refers_to_undone(w: Core, type_: Type) -> bool:
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


class TypeReader:
    """Finds the types of values; objects born after `mark` are fresh.

    Args:
        w: The walker.
        mark: What was born before it exists already.
        remember: The walker is to know later which objects the types stand for.
    """

    def __init__(self, w: Core, mark: Mark, *, remember: bool = False) -> None:
        self.w = w
        self.mark = mark
        self._idents = w.latest_idents if remember else {}
        self._memo: dict[int, Any] = {}
        self._keep: list[Any] = []
        self._groups: dict[int, int] = {}

    def version(self, slot: str, version: Any) -> Type:
        """Return the type of a location's version."""
        if slot == "[contents]":
            value = version if isinstance(version, Value) else self.w.constant(version)
            return ContentsType(dtype_of(value), tuple(dims_of(value)))
        if slot == "[items]" and not isinstance(version, Conflict):
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
        if isinstance(value, Choice):
            return ChoiceType(tuple(map(self.of, value.alternatives)))
        if isinstance(value, Conflict):
            return ConflictType(value.reason)
        if isinstance(value, Text):
            return ConflictType(Text.MESSAGE)
        if isinstance(value, tuple):
            return TupleType(type(value), tuple(map(self.of, value)))
        if isinstance(value, slice):
            return SliceType(tuple(map(self.of, (value.start, value.stop, value.step))))
        if isinstance(value, BoundMethod):
            return MethodType(value.function, (self.of(value.receiver),))
        if isinstance(value, Closure):
            if self.w.store.is_fresh(value.frame, self.mark):
                return ConflictType(f"the function `{value.program.name}` was made in a branch")
            return Static(value)
        if isinstance(value, (Staged, GeneratorCall)) and self.w.store.was_born(value):
            return ConflictType("an iterator that was made in a loop or branch")
        if isinstance(value, np.ndarray) and self.w.store.is_fresh(value, self.mark):
            return self._array(self.w.as_array(value))
        if isinstance(value, (DictView, InstanceDict)):
            return ConflictType("a view of a dict that was made in a loop or branch")
        if isinstance(value, functools.partial) and self.w.is_symbolic(value):
            return ConflictType("a partial function that was made in a loop or branch")
        if self.w.store.is_fresh(value, self.mark) or isinstance(value, DynamicTuple):
            return self.heap(value)
        return Static(value)

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
        if not fresh(array):
            return ArrayType(dtype, dims, w.ident_of(array), (array,), existing=True)
        ident = w.next_ident()
        window = window_of(array)
        if array.view is not None and window is not None:
            dtypes = tuple(dtype_of(operand) for operand in window.operands)
            return ViewType(dtype, dims, ident, self._array(array.view.base), window, dtypes)
        origins = tuple(origins_of(array, fresh).values())
        memory = dict.fromkeys(memory_of(array, fresh))
        shares = tuple(root for root in memory if not fresh(root))
        groups = frozenset(self._group(root) for root in memory if fresh(root))
        frozen = w.in_list(array)
        return ArrayType(dtype, dims, ident, origins, shares, groups, frozen=frozen)

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
        self._memo[id(obj)] = None
        self._keep.append(obj)
        slots = self.w.heap_slots(obj)
        items = tuple(self.version(slot, self.w.held(obj, slot)) for slot in slots)
        sealed = self.w.store.is_sealed(obj)
        made = HeapType(type(obj), self.w.next_ident(), tuple(slots), items, sealed)
        self._idents[id(obj)] = made.ident
        self._memo[id(obj)] = made
        return made


class Joiner:
    """Joins types pairwise; object nodes are remembered by the pair.

    Args:
        w: The walker.
        widen: Numbers that differ become a scalar at once (in loops) rather than a choice.
    """

    def __init__(self, w: Core, *, widen: bool) -> None:
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
            return b
        if isinstance(b, Static) and b.value is UNDEF:
            return a
        if isinstance(a, ChoiceType) or isinstance(b, ChoiceType):
            return self._choice(a, b)
        joined = self._compatible(a, b)
        return self._choice(a, b) if joined is None else joined

    def _compatible(self, a: Type, b: Type) -> Type | None:
        """Join without a tag, or return None where the two have no common form."""
        a, b = self._lift(a, b), self._lift(b, a)
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
            return a
        if type(a.value) is type(b.value):
            if isinstance(a.value, bool) or (self.widen and isinstance(a.value, (int, float))):
                return ScalarType(type(a.value))
            if self.widen and isinstance(a.value, np.generic) and a.value.dtype.kind in "biuf":
                return ScalarType(type(a.value))
        return None

    def _numbers(self, a: Type, b: Type) -> Type | None:
        from elichika import rows

        for one, other in ((a, b), (b, a)):
            if (
                isinstance(one, ScalarType)
                and isinstance(other, Static)
                and type(other.value) is one.type
            ):
                fits = not isinstance(other.value, int) or -(2**63) <= other.value < 2**63
                return one if fits else None
            if isinstance(one, TupleType) and isinstance(other, Static):
                return None
            if isinstance(one, HeapType) and isinstance(other, TupleType):
                return self._dynamic_tuple(one, other)
            if isinstance(one, TupleType) and one.cls is tuple and not isinstance(other, TupleType):
                row = rows.as_row(self.w, one)
                return self._join_RowType(row, other) if type(row) is type(other) else None
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
        return HeapType(DynamicTuple, self.w.next_ident(), ("[items]",), (joined,))

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
            origins = {key_of(o): o for o in (*a.origins, *b.origins)}
            shares = {id(s): s for s in (*a.shares, *b.shares)}
            self._pairs[pair] = ArrayType(
                a.dtype,
                _join_dims(a.dims, b.dims),
                ident,
                tuple(origins.values()),
                tuple(shares.values()),
                a.groups | b.groups,
                frozen=a.frozen or b.frozen,
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

    def _join_SliceType(self, a: SliceType, b: SliceType) -> Type | None:
        return SliceType(tuple(map(self.join, a.items, b.items)))

    def _join_ItemsType(self, a: ItemsType, b: ItemsType) -> Type | None:
        if len(a.items) == len(b.items):
            return ItemsType(tuple(map(self.join, a.items, b.items)))
        element, *items = map(self.w.sequences.element_type, (*a.items, *b.items))
        for item in items:
            element = self.w.sequences.element_type(self.join(element, item))
        return SeqType(element)

    def _join_RowType(self, a: Any, b: Any) -> Type | None:
        if a.cls is not b.cls or (a.number and b.number and a.number is not b.number):
            return None
        row: Type = a if b.number is None else b
        return row

    def _join_SeqType(self, a: SeqType, b: SeqType) -> Type | None:
        return SeqType(self.w.sequences.element_type(self.join(a.element, b.element)))

    def _join_KeysType(self, a: KeysType, b: KeysType) -> Type | None:
        if a.keys == b.keys:
            return KeysType(a.keys, tuple(map(self.join, a.items, b.items)))
        keys = tuple(k for k in a.keys if k in b.keys)
        if keys != tuple(k for k in b.keys if k in a.keys) or _order_differs(a.keys, b.keys):
            return ConflictType("a dict whose keys come in another order on each side")
        missing = Static(UNSET)
        merged = merge_keys(a.keys, b.keys)
        left, right = (
            dict(zip(a.keys, a.items, strict=True)),
            dict(zip(b.keys, b.items, strict=True)),
        )
        return KeysType(
            merged,
            tuple(self.join(left.get(k, missing), right.get(k, missing)) for k in merged),
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
            self._pairs[pair] = HeapType(a.cls, ident, slots, items, a.sealed or b.sealed)
        return self._pairs[pair]

    def _choice(self, a: Type, b: Type) -> Type:
        alternatives: list[Type] = []
        merged: list[dict[int, bool]] = []
        candidates = [(side, x) for side, type_ in enumerate((a, b)) for x in _alternatives(type_)]
        for side, candidate in candidates:
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
        return all(map(self._alone, parts(type_)))


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
