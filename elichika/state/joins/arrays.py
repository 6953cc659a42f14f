"""Types of arrays and Variables: what they may share with arrays that exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.aliases import Origin, Seen, is_origin, key_of, remade
from elichika.state.joins.leaves import GROUPS, Hole, Leaf, Memo, fill, hollow
from elichika.state.joins.types import Type
from elichika.values.c_order import ORDERED
from elichika.values.symbolic import Array, Var, Window
from onnx_graph import Dim, Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext


@dataclass(frozen=True)
class ArrayType(Type):
    """An array: a fresh one, or one of `origins`, told apart by tags.

    Attributes:
        ident: The node in the alias structure.
        origins: The arrays that it may be; the only one, if it is an existing array.
        always: It surely is one of the origins.
        several: The program may have made several Variables of it.
        shares: Existing arrays whose memory it may share.
        groups: Fresh arrays that have a group in common may share memory.
        ordered: Numpy surely holds it in C order.
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
    ordered: bool = False
    always: bool = False
    several: bool = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArrayType)
            and (self.dtype, self.dims, self.existing) == (other.dtype, other.dims, other.existing)
            and (self.frozen, self.ordered) == (other.frozen, other.ordered)
            and (self.always, self.several) == (other.always, other.several)
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

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        if self.existing or memo.get(self.ident) is True:
            return []
        array = w.as_array(value)
        values: list[Value | Hole] = [w.read(array)]
        for origin in self.origins:
            tag, operands = is_origin(w, array, origin)
            values += [tag, *operands]
        if self.ident in memo:
            return fill(memo, self.ident, values)
        memo[self.ident] = True
        return values

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return hollow(self.ident, [] if self.existing else self._own(), memo)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.existing:
            return self.origins[0]
        if self.ident not in memo:
            value = next(leaves)
            if self.ordered:
                value.meta[ORDERED] = True
            array = w.new_array(value)
            array.origins = tuple(self._origin(w, origin, leaves) for origin in self.origins)
            array.frozen = self.frozen or w.is_frozen(self.ident)
            array.joined = True
            array.always = self.always
            array.variables = 2 if self.several else 0
            array.writable = not w.is_unwritable(self.ident)
            array.ordered = self.ordered
            w.share(array, *self.shares)
            for group in sorted(self.groups):
                mates = memo.setdefault(GROUPS, {}).setdefault(group, [])
                w.share(array, *mates)
                mates.append(array)
            w.remember_origins(array)
            memo[self.ident] = array
        return memo[self.ident]

    def _origin(
        self, w: StateContext, origin: Origin, leaves: Iterator[Value]
    ) -> tuple[Value, Array]:
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

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        if memo.get(self.ident) is True:
            return []
        view = w.as_array(value).view
        assert view is not None and view.window is not None
        base = self.base.embed(w, view.base, memo)
        operands: list[Value | Hole] = [*view.window.operands]
        if self.ident in memo:
            return [*base, *fill(memo, self.ident, operands)]
        memo[self.ident] = True
        return [*base, *operands]

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        if self.ident in memo:
            return []
        base = self.base.hollow(memo)
        return [*base, *hollow(self.ident, self._own(), memo)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        if self.ident not in memo:
            base = self.base.build(w, leaves, memo)
            operands = tuple(next(leaves) for _ in self.dtypes)
            memo[self.ident] = remade(w, base, self.window, operands)
            memo[self.ident].guards = w.choices.guards
        else:
            w.choices.also_held(self, memo)
        return memo[self.ident]

    @property
    def may_fail(self) -> bool:
        """Whether there may be no such row to be read."""
        rows = any(type(part) is tuple and part[0] == "int" for part in self.window.key)
        return rows or (isinstance(self.base, ViewType) and self.base.may_fail)

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

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return self.array.embed(w, w.as_var(value).array, memo)

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return self.array.hollow(memo)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Var(self.array.build(w, leaves, memo), self.kind, again=True)
