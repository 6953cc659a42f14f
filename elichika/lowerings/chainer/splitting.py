"""Splitting arrays at places, or into a number of parts, known only when the model runs."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer import functions as F

from elichika.idioms import list_gradients as ways
from elichika.lowerings import ragged
from elichika.lowerings.joined_lists import arrays_of, contents, known_number, variables_in
from elichika.lowerings.sizes import known_now
from elichika.registry import lowers, takes_choices
from elichika.state.joins import ScalarType
from elichika.values.kinds import alternatives_of, is_array, is_choice, is_number_of_the_run
from elichika.values.symbolic import Array, Choice, DynamicTuple, Scalar, Seq, Var
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph.passes.stacks import NO_SPLIT

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(F.split_axis)
@takes_choices
def split_axis(
    w: ContainerContext, x: Any, indices_or_sections: Any, axis: Any, force_tuple: Any = True
) -> Any:
    """Pieces between boundaries known when the model runs: a tuple of as many."""
    arguments = [x, indices_or_sections, axis, force_tuple]
    given = w.narrow(indices_or_sections)
    x = w.narrow(x)
    if is_choice(x):
        return w.choices.apply(x, lambda v: split_axis(w, v, given, axis, force_tuple))
    if is_array(given) and w.is_symbolic(given):
        given = w.as_array(given)
    if not w.is_dynamic(given) and not isinstance(given, (Array, Choice, Scalar)):
        return w.walked(F.split_axis, arguments, {})
    tensor = w.value_of(x)
    place = known_number(w, axis, "axis")
    rank = len(dims_of(tensor))
    if not -rank <= place < rank:
        w.raise_static(TypeError(f"axis {place} is out of bounds"))
    place %= rank
    array = w.as_symbolic_array(x)
    size = w.graph.size(tensor, place)
    if is_number_of_the_run(given):
        pieces = _parts(w, tensor, given, place, size, force_tuple)
    else:
        ends = _boundaries(w, given)
        count = dims_of(ends)[0]
        if known_now(count):
            slices = _slices(w, tensor, ends, count, place, size)
            parts = [Var(w.share(w.new_array(piece), array)) for piece in slices]
            shapes = tuple(tuple(map(w.dim_scalar, dims_of(piece))) for piece in slices)
            whole = tuple(map(w.dim_scalar, dims_of(tensor)))
            w.tape.lists.part(x, parts, ways.of_parts, place, whole, shapes, dtype_of(tensor))
            return tuple(parts) if force_tuple or count else parts[0]
        _require_tuple(w, force_tuple)
        pieces = _split_at(w, tensor, ends, place, size)
    w.freeze(array)
    made = variables_in(w, pieces)
    if w.tape.is_kept:
        shape = tuple(map(w.dim_scalar, dims_of(tensor)))
        sizes = w.new_array(ragged.lengths_of(w.graph, pieces, place))
        w.tape.lists.split(x, made, ways.of_pieces, shape, dtype_of(tensor), place, sizes)
    return w.sequences.like(DynamicTuple(), made)


def _split_at(w: LoweringContext, tensor: Value, ends: Value, axis: int, size: Value) -> Value:
    """Return the sequence of pieces between boundaries, which must ascend."""
    g = w.graph
    edges = g.Concat(g.constant(np.array([0])), ends, g.Unsqueeze(size, [0]), axis=0)
    big = np.iinfo(np.int64).max
    lengths = g.Sub(g.Slice(edges, [1], [big], [0]), g.Slice(edges, [0], [-1], [0]))
    ascending = g.GreaterOrEqual(g.ReduceMin(lengths, [0], keepdims=0), g.constant(np.array(0)))
    message = "the boundaries must ascend and lie inside the axis"
    w.check(ascending, TypeError, message)
    require_splittable(w, tensor)
    result: Value = g.SplitToSequence(tensor, lengths, axis=axis)
    return result


def _parts(
    w: LoweringContext, tensor: Value, given: Scalar, axis: int, size: Value, force: Any
) -> Value:
    """Return the sequence of equal parts, of which there are a number known at run time."""
    _require_tuple(w, force)
    if not issubclass(given.type, (int, np.integer)):
        w.raise_static(TypeError("indices_or_sections must be integer or 1-D array."))
    g, zero = w.graph, w.graph.constant(np.array(0))
    number = w.value_of(given, np.int64)
    w.check(g.Greater(number, zero), ValueError, "there is no such number of parts")
    some = g.Max(number, g.constant(np.array(1)))
    even = g.Equal(g.Mod(size, some), zero)
    w.check(even, TypeError, "the axis has no equal parts of that number")
    require_splittable(w, tensor)
    lengths = g.Expand(g.Div(size, some), g.Unsqueeze(some, [0]))
    result: Value = g.SplitToSequence(tensor, lengths, axis=axis)
    return result


def _require_tuple(w: LoweringContext, force: Any) -> None:
    if w.narrow(force) is not True:
        w.refuse(
            "`force_tuple=False` needs a number of pieces that is known while compiling",
            "leave `force_tuple` at its default",
        )


def require_splittable(w: LoweringContext, tensor: Value) -> None:
    """Refuse arrays of a dtype that onnxruntime does not split."""
    if tensor.dtype in NO_SPLIT:
        w.refuse(
            f"splitting an array of {dtype_of(tensor)} into a list of any length is not compiled",
            "split a copy in another dtype: `x.astype('int32')`",
        )


def split_array(w: ContainerContext, array: Array, ends: Value, axis: int) -> Any:
    """Return the list of pieces of an array between boundaries, of which there are any number."""
    tensor = w.read(array)
    sequence = _split_at(w, tensor, ends, axis, w.graph.size(tensor, axis))
    w.freeze(array)
    return w.sequences.like([], Seq(arrays_of(w, sequence), (sequence,)))


def _slices(
    w: LoweringContext, x: Value, ends: Value, count: Any, axis: int, size: Value
) -> list[Value]:
    """Return the pieces between a known number of boundaries, in any order, as slices."""
    g = w.graph
    if count == 0:
        return [x]
    places = [g.Slice(ends, [i], [i + 1], [0]) for i in range(count)]
    last = g.Squeeze(places[-1], [0])
    w.check(g.LessOrEqual(last, size), TypeError, "a boundary lies behind the end")
    first, end = g.constant(np.array([0])), g.constant(np.array([np.iinfo(np.int64).max]))
    edges = [first, *places, end]
    return [g.Slice(x, a, b, [axis]) for a, b in pairwise(edges)]


def _boundaries(w: ContainerContext, given: Any) -> Value:
    """Return boundaries as an int64 vector; numpy makes an empty list one of float64."""
    if w.is_dynamic(given):
        element = contents(w, given).element
        if not isinstance(element, ScalarType) or not issubclass(element.type, (int, np.integer)):
            w.raise_static(TypeError("indices_or_sections must be integers"))
        given = w.call(np.array, [given, np.int64], {})
    for one in alternatives_of(given):
        if not is_array(one):
            w.refuse(
                "the boundaries of split_axis are one of several things",
                "split in the branch that decides",
            )
        value = w.value_of(one)
        if len(dims_of(value)) != 1:
            w.refuse("the boundaries of split_axis must be a vector")
        if dtype_of(value).kind != "i" and dims_of(value)[0] != 0:
            w.raise_static(TypeError("indices_or_sections must be integers"))
    result: Value = w.value_of(given, np.int64)
    return result


@lowers(F.separate)
def separate(w: ContainerContext, x: Any, axis: Any = 0) -> Any:
    """A slice for each index, without the axis."""
    tensor = w.value_of(x)
    place = known_number(w, axis, "axis")
    rank = len(dims_of(tensor))
    if not -rank <= place < rank or known_now(dims_of(tensor)[place]):
        return w.walked(F.separate, [x, axis], {})
    place %= rank
    w.freeze(w.as_symbolic_array(x))
    some = w.binary(operator.gt, w.dim_scalar(dims_of(tensor)[place]), 0)
    w.check(some, ZeroDivisionError, "integer modulo by zero")
    require_splittable(w, tensor)
    pieces = w.graph.SplitToSequence(tensor, None, axis=place, keepdims=0)
    made = variables_in(w, pieces)
    shape = tuple(map(w.dim_scalar, dims_of(tensor)))
    w.tape.lists.split(w.narrow(x), made, ways.of_separated, shape, dtype_of(tensor), place)
    return w.sequences.like(DynamicTuple(), made)
