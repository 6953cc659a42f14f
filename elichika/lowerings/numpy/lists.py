"""Functions of numpy that take lists whose length is known at run time only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.joined_choices import between_elements
from elichika.lowerings.joined_lists import (
    arrays_in,
    contents,
    dtype_in,
    horizontal,
    joined,
    known_number,
    rank_in,
    require_alike,
    require_no_numbers,
    require_some,
    vertical,
)
from elichika.registry import lowers_lists
from elichika.state.joins import ScalarType, TupleType, VarType
from elichika.values.symbolic import Choice, Seq
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers_lists(np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
def array(w: ContainerContext, items: Any, dtype: Any = None, **options: Any) -> Any:
    """An empty list gives float64[0] whatever a longer one gives."""
    if options:
        w.refuse(
            "of a list of dynamic length, `np.array` takes a dtype only",
            "leave the others out, and change the result",
        )
    seq = contents(w, items)
    if isinstance(seq.element, VarType):
        w.refuse("an array of Variables is not compiled", "use `F.stack`")
    if isinstance(seq.element, TupleType):
        return _rows(w, seq, seq.element, dtype)
    sequence = w.sequences.tensors(seq, "np.array")
    own = dtype_in(seq)
    wanted = None if dtype is None else np.dtype(dtype)
    if rank_in(seq) == 0 and (wanted is not None or own == np.float64):
        return w.new_array(_stacked(w, seq, sequence, wanted or own))
    some = w.sequences.not_empty(seq)
    full = w.new_array(_stacked(w, seq, sequence, wanted or own))
    return w.narrow(Choice(some, (full, w.new_array(w.constant(np.zeros(0, wanted))))))


def _rows(w: ContainerContext, seq: Seq, row: TupleType, dtype: Any) -> Any:
    """Return the matrix of a list of tuples of numbers, which must not be empty."""
    kinds = {item.type if isinstance(item, ScalarType) else None for item in row.items}
    if None in kinds or len(kinds) != 1:
        w.refuse(
            "of a list of tuples `np.array` takes numbers of one type only",
            "make them floats: `(float(a), b)`",
        )
    require_some(w, seq, ValueError, "an array of no tuples has no columns here")
    g = w.graph
    columns = [g.ConcatFromSequence(s, axis=0, new_axis=1) for s in seq.sequences]
    matrix = g.Concat(*[g.Unsqueeze(column, [1]) for column in columns], axis=1)
    wanted = dtype_of(matrix) if dtype is None else np.dtype(dtype)
    return w.new_array(g.Cast(matrix, to=wanted) if wanted != dtype_of(matrix) else matrix)


def _stacked(w: ContainerContext, seq: Seq, sequence: Value, dtype: np.dtype[Any]) -> Value:
    """Stack the elements along axis 0, none of them too."""
    g = w.graph
    message = "setting an array element with a sequence: the shape is inhomogeneous"
    require_alike(w, seq, ValueError, message)
    some = w.sequences.not_empty(seq)
    if w.facts.of(some) is True:
        result: Value = g.ConcatFromSequence(sequence, axis=0, new_axis=1)
    else:
        then, other = g.body("then"), g.body("else")
        with then:
            yes = g.ConcatFromSequence(sequence, axis=0, new_axis=1)
        none = g.constant(np.zeros([0] * len(dims_of(yes)), dtype_in(seq)))
        result = g.If(some, then, [yes], other, [none])[0]
    return g.Cast(result, to=dtype) if dtype != dtype_of(result) else result


def _plain(w: LoweringContext, options: dict[str, Any]) -> None:
    if options:
        w.refuse(
            f"`{next(iter(options))}` is not supported on a list of dynamic length",
            "leave it out, and change the result: `.astype(...)`",
        )


@lowers_lists(np.concatenate)
def concatenate(w: ContainerContext, items: Any, axis: Any = 0, **options: Any) -> Any:
    """Join along an axis."""
    _plain(w, options)
    message = "zero-dimensional arrays cannot be concatenated"
    require_no_numbers(w, contents(w, items), ValueError, message)
    return _along(w, items, axis, new_axis=False)


def _along(w: ContainerContext, items: Any, axis: Any, *, new_axis: bool) -> Any:
    place = known_number(w, axis, "axis")
    return between_elements(
        w,
        items,
        lambda one: joined(w, arrays_in(w, one, True), place, new_axis=new_axis, numpy=True),
    )


@lowers_lists(np.stack)
def np_stack(w: ContainerContext, items: Any, axis: Any = 0, **options: Any) -> Any:
    """Join along a new axis."""
    _plain(w, options)
    return _along(w, items, axis, new_axis=True)


@lowers_lists(np.vstack)
def np_vstack(w: ContainerContext, items: Any, **options: Any) -> Any:
    """Scalars and vectors become rows."""
    _plain(w, options)
    return between_elements(w, items, lambda one: vertical(w, arrays_in(w, one, True), numpy=True))


@lowers_lists(np.hstack)
def np_hstack(w: ContainerContext, items: Any, **options: Any) -> Any:
    """Vectors are joined along axis 0, others along axis 1; scalars become vectors."""
    _plain(w, options)
    return between_elements(
        w, items, lambda one: horizontal(w, arrays_in(w, one, True), numpy=True)
    )
