"""Functions of Chainer that take or give lists whose length is known at run time only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer import functions as F
from chainer.functions.array.concat import Concat
from chainer.functions.array.hstack import Hstack
from chainer.functions.array.pad_sequence import PadSequence
from chainer.functions.array.stack import Stack
from chainer.functions.array.transpose_sequence import TransposeSequence
from chainer.functions.array.vstack import Vstack
from chainer.functions.math.basic_math import MultiAdd

from elichika import idioms
from elichika.idioms import list_gradients as ways
from elichika.lowerings import ragged
from elichika.lowerings.chainer.splitting import require_splittable
from elichika.lowerings.joined_lists import (
    arrays_in,
    contents,
    dtype_in,
    horizontal,
    joined,
    known_number,
    rank_in,
    require_alike,
    require_some,
    variables,
    vertical,
)
from elichika.lowerings.sizes import known_now
from elichika.registry import lowers, lowers_lists, takes_choices
from elichika.values.kinds import is_number_of_the_run
from elichika.values.symbolic import COUNTER_BOUND, Array, Choice, DynamicTuple, Scalar, Seq, Var
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers_lists(Concat)
def concat(w: ContainerContext, node: Any, items: Any) -> Any:
    """One axis, 1 by default."""
    axis = known_number(w, w.get_attribute(node, "axis"), "axis")
    seq = arrays_in(w, items)
    return (_concatenated(w, seq, axis, joined(w, seq, axis, new_axis=False)),)


@lowers_lists(Stack)
def stack(w: ContainerContext, node: Any, items: Any) -> Any:
    """Join along a new axis."""
    axis = known_number(w, w.get_attribute(node, "axis"), "axis")
    seq = arrays_in(w, items)
    return (_stacked(w, seq, axis, joined(w, seq, axis, new_axis=True)),)


@lowers_lists(Vstack)
def vstack(w: ContainerContext, node: Any, items: Any) -> Any:
    """Scalars and vectors become rows."""
    seq = arrays_in(w, items)
    made, rank = vertical(w, seq), rank_in(seq)
    if rank:
        return (_stacked(w, seq, 0, made) if rank == 1 else _concatenated(w, seq, 0, made),)
    column = w.new_var(made)
    w.tape.lists.join(seq, column, ways.of_rows, _length(w, seq))
    return (column,)


@lowers_lists(Hstack)
def hstack(w: ContainerContext, node: Any, items: Any) -> Any:
    """Vectors are joined along axis 0, others along axis 1; scalars become vectors."""
    seq = arrays_in(w, items)
    made, rank = horizontal(w, seq), rank_in(seq)
    if rank:
        return (_concatenated(w, seq, 0 if rank == 1 else 1, made),)
    return (_stacked(w, seq, 0, made),)


def _stacked(w: ContainerContext, items: Seq, axis: int, made: Value) -> Var:
    """Return what was joined along a new axis, as a Variable."""
    variable = w.new_var(made)
    axis %= rank_in(items) + 1
    w.tape.lists.join(items, variable, ways.of_stacked, axis, _length(w, items))
    return variable


def _concatenated(w: ContainerContext, items: Seq, axis: int, made: Value) -> Var:
    """Return what was joined along an axis that the items have, as a Variable."""
    variable = w.new_var(made)
    if w.tape.is_kept:
        axis %= rank_in(items)
        w.tape.lists.join(items, variable, ways.of_concatenated, axis, _sizes(w, items, axis))
    return variable


def _sizes(w: ContainerContext, items: Seq, axis: int) -> Array:
    """Return how long each item is along an axis."""
    sequence = w.sequences.tensors(items, "joining")
    return w.new_array(ragged.lengths_of(w.graph, sequence, axis))


def _length(w: ContainerContext, items: Seq) -> Scalar:
    return w.scalar(int, w.sequences.length_of(items), bound=COUNTER_BOUND)


@lowers_lists(MultiAdd)
def multi_add(w: ContainerContext, node: Any, items: Any) -> Any:
    """The sum from the left."""
    require_some(w, arrays_in(w, items), IndexError, "at least one array is needed")
    return (w.call(idioms.lists.added, [items], {}),)


@lowers_lists(PadSequence)
def pad_sequence(w: ContainerContext, node: Any, items: Any) -> Any:
    """[b, t, …], as long as the longest."""
    seq = arrays_in(w, items)
    if rank_in(seq) == 0:
        w.raise_static(TypeError("pad_sequence takes arrays with at least one axis"))
    sequence = w.sequences.tensors(seq, "pad_sequence")
    require_some(w, seq, TypeError, "at least one array is needed")
    require_alike(w, seq, TypeError, "the arrays differ along an axis that is not padded", 0)
    arrays = ragged.from_sequence(w.graph, sequence)
    padded = w.new_var(_padded(w, node, arrays, dtype_in(seq)))
    w.tape.lists.join(seq, padded, ways.of_padded, w.new_array(arrays.lengths))
    return (padded,)


def _padded(w: LoweringContext, node: Any, arrays: ragged.Ragged, dtype: np.dtype[Any]) -> Value:
    g = w.graph
    length = w.narrow(w.get_attribute(node, "length"))
    padding = w.narrow(w.get_attribute(node, "padding"))
    limit = ragged.longest(g, arrays.lengths)
    if length is not None:
        given = w.scalar_value(length, np.dtype(np.int64))
        fits = g.LessOrEqual(limit, given)
        w.check(fits, TypeError, "an array is longer than `length`")
        limit = given
    if isinstance(padding, (Array, Var, Choice)):
        w.refuse("the padding of `pad_sequence` must be a number")
    if is_number_of_the_run(padding):
        fill = w.value_of(padding, dtype)
    else:
        filled = np.empty((), dtype)
        filled[...] = padding
        fill = g.constant(filled)
    return ragged.padded(g, arrays, limit, fill, steps_first=False)


@lowers(F.transpose_sequence)
def transpose_arrays(w: ContainerContext, xs: Any) -> Any:
    """As of a list of dynamic length, where lengths are those of the run."""
    items = w.static_items(xs)
    if all(known_now(w.dims(one)[0]) for one in items if w.dims(one)):
        return w.walked(F.transpose_sequence, [xs], {})
    held = w.sequences.promoted([w.call(chainer.as_variable, [one], {}) for one in items])
    return transpose_sequence(w, w.sequences.like([], held))


@lowers_lists(F.transpose_sequence)
def transpose_sequence(w: ContainerContext, xs: Any) -> Any:
    """Array t has row t of each array that is long enough; lengths must descend."""
    seq = arrays_in(w, xs)
    some = w.scalar(bool, w.sequences.not_empty(seq))
    return w.branch(some, lambda: _transposed(w, seq), lambda: ())


def _transposed(w: ContainerContext, seq: Seq) -> Any:
    g = w.graph
    sequence = w.sequences.tensors(seq, "transpose_sequence")
    require_alike(w, seq, TypeError, "the arrays differ along another axis than the first", 0)
    arrays = ragged.from_sequence(g, sequence)
    require_descending(w, arrays.lengths)
    if w.tape.is_kept:
        items, lengths = w.sequences.new_tuple(seq), w.new_array(arrays.lengths)
        return w.call(idioms.lists.transposed, [items, lengths], {})
    number, inside = ragged.grid(g, arrays, ragged.longest(g, arrays.lengths), steps_first=True)
    flat = g.constant(np.array([-1]))
    order = g.Compress(g.Reshape(number, flat), g.Reshape(inside, flat), axis=0)
    counts = g.ReduceSum(g.Cast(inside, to=np.dtype(np.int64)), [1], keepdims=0)
    require_splittable(w, arrays.rows)
    pieces = g.SplitToSequence(g.Gather(arrays.rows, order, axis=0), counts, axis=0)
    return variables(w, pieces, DynamicTuple())


def require_descending(w: LoweringContext, lengths: Value) -> None:
    """Make the model fail, as Chainer does, where sequences are not sorted by length."""
    g = w.graph
    big = np.iinfo(np.int64).max
    before, after = g.Slice(lengths, [0], [-1], [0]), g.Slice(lengths, [1], [big], [0])
    wrong = g.Cast(g.Less(before, after), to=np.dtype(np.int64))
    none = g.Equal(g.ReduceSum(wrong, [0], keepdims=0), g.constant(np.array(0)))
    w.check(none, TypeError, "the lengths of the sequences must descend")


@lowers_lists(TransposeSequence)
def transpose_node(w: ContainerContext, node: Any, items: Any) -> Any:
    """As the function does."""
    return transpose_sequence(w, items)


@lowers(F.get_item)
@takes_choices
def get_item(w: ContainerContext, x: Any, slices: Any) -> Any:
    """A list of ints is one index, however long it is; of other items, a tuple of indices."""
    slices = w.narrow(slices)
    if w.is_dynamic(slices) and w.type_of(slices) is list:
        element = contents(w, slices).element
        if not issubclass(getattr(element, "type", object), int):
            w.refuse(
                "Chainer takes a list of anything but Python's ints as a tuple of indices",
                "make an array of it: `np.array(...)`",
            )
        slices = w.numbers_in(slices)
    elif type(slices) is tuple:
        numbers = map(w.numbers_in, slices)
        slices = tuple(e if n is None else n for e, n in zip(slices, numbers, strict=True))
    return w.walked(F.get_item, [x, slices], {})
