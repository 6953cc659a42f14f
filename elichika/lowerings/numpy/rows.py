"""`np.array` of lists of lists: lengths and kinds of numbers known only when the model runs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elichika import idioms
from elichika.lowerings.numpy.operands import natural_dtype
from elichika.state.joins import HeapType, TupleType, Type
from elichika.state.joins.rows import RowType
from elichika.values.symbolic import Choice

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

DType = np.dtype[Any]


class _Dtypes(NamedTuple):
    """The dtypes of the numbers and arrays in nested lists: those surely there, and all."""

    sure: frozenset[DType] = frozenset()
    all: frozenset[DType] = frozenset()

    def __or__(self, other: _Dtypes) -> _Dtypes:
        """Both are there."""
        return _Dtypes(self.sure | other.sure, self.all | other.all)

    def __and__(self, other: _Dtypes) -> _Dtypes:
        """One of them is there."""
        return _Dtypes(self.sure & other.sure, self.all | other.all)


def is_open(w: LoweringContext, value: Any) -> bool:
    """Tell whether numpy sees only when the model runs what nested lists hold."""
    value = w.narrow(value)
    match value:
        case list() | tuple() if not w.is_dynamic(value):
            return any(is_open(w, item) for item in w.items(value))
        case list() | Choice():
            return True
    return False


def array_of_rows(w: ContainerContext, rows: Any, wanted: DType | None) -> Any:
    """Return what `np.array` makes of lists: the dtype is that of the numbers that are there."""
    held = _dtypes_in(w, rows)
    if wanted is not None:
        return w.call(idioms.lists.array_of, [rows, wanted], {})

    def found(dtype: DType | None, others: list[DType]) -> Any:
        if dtype is not None and _promoted([dtype, *others]) == dtype:
            others = []
        if not others:
            return w.call(idioms.lists.array_of, [rows, dtype or np.dtype(float)], {})
        first, *rest = others
        return w.branch(
            w.call(idioms.lists.holds_dtype, [rows, first], {}),
            lambda: found(_promoted([first] if dtype is None else [dtype, first]), rest),
            lambda: found(dtype, rest),
        )

    base = _promoted(list(held.sure)) if held.sure else None
    # those that prevail come first: what there is beside them does not matter
    others = sorted(held.all - held.sure, key=lambda one: ("biuf".index(one.kind), one.itemsize))
    return found(base, others[::-1])


def _promoted(dtypes: list[DType]) -> DType:
    found: DType = np.result_type(*dtypes)
    return found


def _dtypes_in(w: ContainerContext, value: Any) -> _Dtypes:
    """Return the dtypes of what nested lists hold."""
    value = w.narrow(value)
    if w.is_dynamic(value):
        return _Dtypes(all=_dtypes_of(w, w.items_of(value).element).all)
    match value:
        case Choice():
            return reduce(_Dtypes.__and__, (_dtypes_in(w, one) for one in value.alternatives))
        case list() | tuple():
            return reduce(_Dtypes.__or__, (_dtypes_in(w, one) for one in w.items(value)), _Dtypes())
    return _one(natural_dtype(w, [value]))


def _dtypes_of(w: ContainerContext, element: Type) -> _Dtypes:
    """Return the dtypes of what nested lists of a type hold."""
    element = w.arenas.seen(element)
    options = element.options
    if len(options) > 1:
        return reduce(_Dtypes.__and__, (_dtypes_of(w, one) for one in options))
    dtype = getattr(element, "dtype", None)
    if dtype is not None:
        return _one(dtype)
    match element:
        case RowType():  # of any length: there may be nothing
            return _Dtypes(all=_joint(w, element.parts).all)
        case TupleType() | HeapType() if element.listed is not None:
            return _joint(w, element.listed.items.parts)
    w.refuse(
        f"an array of lists that hold {element.shown()} is not compiled",
        "hold numbers or arrays in them",
    )


def _joint(w: ContainerContext, parts: Iterable[Type]) -> _Dtypes:
    return reduce(_Dtypes.__or__, (_dtypes_of(w, part) for part in parts), _Dtypes())


def _one(dtype: DType) -> _Dtypes:
    return _Dtypes(frozenset([dtype]), frozenset([dtype]))
