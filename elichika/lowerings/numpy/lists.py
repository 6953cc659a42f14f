"""Functions of numpy that take lists whose length is known at run time only."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.joined_choices import between_elements
from elichika.lowerings.joined_lists import (
    array_type,
    arrays_in,
    contents,
    dtype_in,
    horizontal,
    joined,
    known_number,
    rank_in,
    require_alike,
    require_no_numbers,
    vertical,
)
from elichika.lowerings.numpy.creation import dtype_asked
from elichika.lowerings.numpy.rows import array_of_rows
from elichika.numbers.kernels import cast
from elichika.registry import lowers_lists
from elichika.state.joins import ScalarType, Type, VarType
from elichika.state.joins.containers import row_parts
from elichika.values.symbolic import Choice, Seq
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers_lists(np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
def array(w: ContainerContext, items: Any, dtype: Any = None, **options: Any) -> Any:
    """An empty list gives float64[0] whatever a longer one gives."""
    if options.pop("copy", True) is not True or options:
        w.refuse(
            "`np.array` of a list of dynamic length takes no argument but `dtype`",
            "leave the others out, and change the result",
        )
    seq = contents(w, items)
    if isinstance(seq.element, VarType):
        w.refuse("an array of Variables is not compiled", "use `F.stack`")
    wanted = dtype_asked(w, dtype)
    columns = _numbers_in(row_parts(seq.element))
    if columns:
        return _matrix(w, seq, wanted or np.result_type(*columns), wanted)
    if array_type(seq.element) is None and not _numbers_in([seq.element]):
        return array_of_rows(w, items, wanted)
    sequence = w.sequences.tensors(seq, "np.array")
    own = dtype_in(seq)
    if rank_in(seq) == 0 and (wanted is not None or own == np.float64):
        return w.new_array(_stacked(w, seq, sequence, wanted or own))
    some = w.sequences.not_empty(seq)
    full = w.new_array(_stacked(w, seq, sequence, wanted or own))
    return w.narrow(Choice(some, (full, w.new_array(w.constant(np.zeros(0, wanted))))))


def _numbers_in(row: Iterable[Type]) -> list[Any]:
    """Return the dtype of each item if all are numbers, else nothing."""
    found = [item.dtype if type(item) is ScalarType else None for item in row]
    return [] if None in found else found


def _matrix(w: ContainerContext, seq: Seq, dtype: np.dtype[Any], wanted: Any) -> Any:
    """Return the matrix of a list of rows of numbers, all as long; without any, a vector."""
    g = w.graph

    def full() -> Any:
        stack = partial(g.ConcatFromSequence, axis=0, new_axis=1)
        columns = [surely(stack(s)) for s in seq.sequences]
        columns = [cast(g, column, dtype) for column in columns]
        return w.new_array(g.Concat(*[g.Unsqueeze(column, [1]) for column in columns], axis=1))

    some = w.scalar(bool, w.sequences.not_empty(seq))
    return w.branch(some, full, lambda: w.new_array(w.constant(np.zeros(0, wanted))))


def _stacked(w: ContainerContext, seq: Seq, sequence: Value, dtype: np.dtype[Any]) -> Value:
    """Stack the elements along axis 0, none of them too."""
    g = w.graph
    message = "setting an array element with a sequence: the shape is inhomogeneous"
    require_alike(w, seq, ValueError, message)
    some = w.sequences.not_empty(seq)
    if w.facts.of(some) is True:
        result: Value = surely(g.ConcatFromSequence(sequence, axis=0, new_axis=1))
    else:
        then, other = g.body("then"), g.body("else")
        with then:
            yes = surely(g.ConcatFromSequence(sequence, axis=0, new_axis=1))
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
