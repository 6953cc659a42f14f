"""Types of arrays: what they may share with arrays that exist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.aliases import (
    Origin,
    Seen,
    is_origin,
    joined_view,
    key_of,
    operands_of,
    rebuilt,
    shown_by,
    told_apart,
    united,
    window_of,
)
from elichika.state.joins.leaves import GROUPS, Hole, Leaf, Memo, fill, hollow
from elichika.state.joins.plain import joined_dims, tensor
from elichika.state.joins.types import SHOWN_DEPTH, Dims, Type, lasting
from elichika.values.c_order import ORDERED
from elichika.values.symbolic import Array, Window
from onnx_graph import Value, dtype_of

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner


class _Tensor(Type):
    """An array, whether it owns its memory or not."""

    splits = True

    dtype: np.dtype[Any]
    dims: Dims
    ident: int

    @property
    def family(self) -> type[Type]:
        return ArrayType

    def lifts(self, value: Any) -> bool:
        return isinstance(value, np.ndarray)

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return tensor(self.dtype, self.dims)

    def as_view(self, j: Joiner) -> _Tensor:
        """Return the type of an existing view as that of a view of an existing array."""
        return self

    def as_array(self) -> ArrayType:
        """Return the type of an array that may be such a view of an existing array."""
        raise NotImplementedError

    def freeze(self, w: StateContext) -> None:
        """Forbid writes to the arrays that it may be, or may be a view of."""
        raise NotImplementedError

    def join(self, j: Joiner, other: _Tensor) -> Type | None:
        """Join views that select in unlike ways, or of unlike arrays, or one with an array."""
        views = self.as_view(j), other.as_view(j)
        if views[0] is not self or views[1] is not other:
            return j.compatible(*views)
        return self.as_array().joined(j, other.as_array())


@dataclass(frozen=True)
class ArrayType(_Tensor):
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

    dtype: np.dtype[Any]
    dims: Dims
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

    @property
    def node(self) -> int | None:
        return None if self.existing else self.ident

    @property
    def named(self) -> tuple[Any, ...]:
        return (*map(shown_by, self.origins), *self.shares)

    def outliving(self, w: StateContext) -> Type | None:
        """Return that of an array that may be a new one as well; that stays so without origins."""
        if self.existing or self.always:
            return None
        there = tuple(one for one in self.origins if not w.store.was_undone(shown_by(one)))
        shares = tuple(one for one in self.shares if not w.store.was_undone(one))
        return replace(self, origins=there, shares=shares)

    @property
    def form(self) -> Any:
        return self.dtype, len(self.dims), [key_of(origin) for origin in self.origins]

    def renumbered(self, number: Callable[[int], int]) -> Type:
        groups = frozenset(map(number, sorted(self.groups)))
        return replace(self, ident=number(self.ident), groups=groups)

    def freeze(self, w: StateContext) -> None:
        for origin in self.origins:
            w.freeze(shown_by(origin))
        w.idents.frozen.add(self.ident)

    def stored(self, j: Joiner) -> Type:
        w = j.w
        kept: list[Origin] = []
        for origin in self.origins:
            named = w.lasting(origin)
            if named is None:
                w.freeze(shown_by(origin))
            else:
                kept.append(named)
        for shared in self.shares:
            w.freeze(shared)
        if not (self.existing and kept):
            w.idents.frozen.add(self.ident)
        return ArrayType(self.dtype, lasting(w, self.dims), w.idents.new(), tuple(kept))

    @property
    def copied(self) -> Type:
        return replace(self, origins=()) if self.origins else self

    @property
    def arrays_held(self) -> tuple[Array, ...]:
        return tuple(map(shown_by, self.origins))

    def _own(self) -> list[Leaf]:
        leaves = [Leaf(self.dtype, self.dims)]
        for origin in self.origins:
            dtypes = np.dtype(bool), *operands_of(origin)
            leaves += [Leaf(dtype, ()) for dtype in dtypes]
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
            array.origins = tuple(rebuilt(w, origin, leaves) for origin in self.origins)
            array.frozen = self.frozen or w.idents.is_frozen(self.ident)
            array.joined = True
            array.always = self.always
            array.variables = 2 if self.several else 0
            array.writable = not w.idents.is_unwritable(self.ident)
            array.ordered = self.ordered
            w.share(array, *self.shares)
            for group in sorted(self.groups):
                mates = memo.setdefault(GROUPS, {}).setdefault(group, [])
                w.share(array, *mates)
                mates.append(array)
            w.remember_origins(array)
            memo[self.ident] = array
        else:
            w.choices.also_held(self, memo)
        return memo[self.ident]

    def views_built(self, memo: Memo) -> Iterable[Array]:
        made = zip(self.origins, memo[self.ident].origins, strict=True)
        return [view for origin, (_, view) in made if type(origin) is Seen]

    def as_array(self) -> ArrayType:
        return self

    def as_view(self, j: Joiner) -> _Tensor:
        if not self.existing:
            return self
        (array,) = self.origins
        assert isinstance(array, Array)
        window = window_of(array)
        if array.view is None or window is None:
            return self
        dtypes = tuple(dtype_of(operand) for operand in window.operands)
        base = j.read(array.view.base)
        assert isinstance(base, (ArrayType, ViewType))
        return ViewType(self.dtype, self.dims, self.ident, base, window, dtypes)

    def join(self, j: Joiner, other: _Tensor) -> Type | None:
        if isinstance(other, ArrayType):
            return self.joined(j, other)
        return super().join(j, other)

    def joined(self, j: Joiner, other: ArrayType) -> Type | None:
        """Join with another array that is no view."""
        both = self, other
        if self.existing and other.existing and self.origins[0] is other.origins[0]:
            return self
        if self.dtype != other.dtype or len(self.dims) != len(other.dims):
            return None
        pair = self.ident, other.ident
        if pair not in j.pairs:
            shares = {id(array): array for side in both for array in side.shares}
            j.pairs[pair] = ArrayType(
                self.dtype,
                joined_dims(self.dims, other.dims),
                j.w.idents.joined(pair),
                united(told_apart((*self.origins, *other.origins))),
                tuple(shares.values()),
                self.groups | other.groups,
                frozen=self.frozen or other.frozen,
                ordered=self.ordered and other.ordered,
                always=all(side.existing or side.always for side in both),
                several=self.several or other.several,
            )
        return j.pairs[pair]


@dataclass(frozen=True)
class ViewType(_Tensor):
    """A view of an array that is joined as well: its base, and the operands that select."""

    dtype: np.dtype[Any]
    dims: Dims
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
    def node(self) -> int | None:
        return self.ident

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.base,)

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        return replace(self, base=parts[0])

    @property
    def form(self) -> Any:
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
            memo[self.ident] = joined_view(w, base, self.window, leaves)
        else:
            w.choices.also_held(self, memo)
        return memo[self.ident]

    def views_built(self, memo: Memo) -> Iterable[Array]:
        return [memo[self.ident]]

    @property
    def may_fail(self) -> bool:
        """Whether there may be no such row to be read, or no such shape."""
        kind, *parts = self.window.key
        if kind == "reshaped":  # of a size of the run; what is (1, -1) holds any number
            known = all(type(size) is int for size in self.base.dims)
            fails = not known and not (-1 in parts and {1, -1}.issuperset(parts))
        else:
            fails = any(type(part) is tuple and part[0] == "int" for part in parts)
        return fails or (isinstance(self.base, ViewType) and self.base.may_fail)

    def or_nothing(self) -> Type:
        return self.as_array() if self.may_fail else self  # what is not there cannot be read

    def renumbered(self, number: Callable[[int], int]) -> Type:
        base: Any = self.base.renumbered(number)
        return replace(self, base=base, ident=number(self.ident))

    def freeze(self, w: StateContext) -> None:
        self.base.freeze(w)

    def stored(self, j: Joiner) -> Type:
        alone = self.as_array()
        if not alone.origins or any(j.w.lasting(origin) is None for origin in alone.origins):
            self.base.freeze(j.w)
        return alone.stored(j)

    def join(self, j: Joiner, other: _Tensor) -> Type | None:
        if not isinstance(other, ViewType):
            return super().join(j, other)
        pair = self.ident, other.ident
        if pair in j.pairs:
            return j.pairs[pair]
        base = j.compatible(self.base, other.base) if self.form == other.form else None
        if not isinstance(base, (ArrayType, ViewType)):
            return super().join(j, other)
        dims = joined_dims(self.dims, other.dims)
        j.pairs[pair] = replace(self, dims=dims, ident=j.w.idents.new(), base=base)
        return j.pairs[pair]

    def as_array(self) -> ArrayType:
        base = self.base
        if isinstance(base, ViewType):
            base = base.as_array()
        elif base.existing:
            (owner,) = base.origins
            assert isinstance(owner, Array)
            seen = Seen(owner, self.window)
            return ArrayType(self.dtype, self.dims, self.ident, (seen,))
        old = [shown_by(origin).root for origin in base.origins]
        return ArrayType(
            self.dtype,
            self.dims,
            self.ident,
            shares=(*base.shares, *old),
            groups=base.groups,
            frozen=base.frozen,
        )
