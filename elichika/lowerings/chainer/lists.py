"""Functions of Chainer and numpy that take or give lists whose length is known at run time only."""

from __future__ import annotations

import operator
from itertools import pairwise
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
from elichika.lowerings.chainer import ragged
from elichika.lowerings.joined_choices import between_elements
from elichika.registry import lowers, lowers_lists, takes_choices
from elichika.state.joins import ArrayType, ChoiceType, ScalarType, Static, TupleType, VarType
from elichika.values.symbolic import Array, Choice, DynamicTuple, Scalar, Seq, Var
from onnx_graph import Dim, Value, dims_of, dtype_of
from onnx_graph.passes.stacks import NO_SPLIT

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def contents(w: ContainerContext, items: Any) -> Seq:
    """Return the contents of a list or tuple of dynamic length."""
    found: Seq = w.items_of(w.narrow(items))
    return found


def _static(w: LoweringContext, value: Any, what: str) -> int:
    value = w.narrow(value)
    if not isinstance(value, (int, np.integer)):
        w.refuse(f"`{what}` must be known before the model runs")
    return int(value)


def _rank(items: Seq) -> int:
    element = items.element
    if isinstance(element, VarType):
        element = element.array
    return len(element.dims) if isinstance(element, ArrayType) else 0


def dtype_in(items: Seq) -> np.dtype[Any]:
    """Return the dtype of the elements, which are of one kind."""
    return items.element.leaves({})[0].dtype


def require_some(
    w: ContainerContext, items: Seq, exception: type[BaseException], message: str
) -> None:
    """Make the model fail where the list is empty."""
    w.check(w.scalar(bool, w.sequences.not_empty(items)), exception, message)


def require_alike(
    w: ContainerContext,
    items: Seq,
    exception: type[BaseException],
    message: str,
    but: int | None = None,
) -> None:
    """Make the model fail where the arrays of a list differ in shape, along an axis `but` aside."""
    element = items.element
    if isinstance(element, VarType):
        element = element.array
    if not isinstance(element, ArrayType):
        return
    axes = [axis for axis, dim in enumerate(element.dims) if dim is None and axis != but]
    if axes:
        same = ragged.alike(w.graph, w.sequences.settled(items).sequences[0], axes)
        w.check(w.scalar(bool, same), exception, message)


def _joined(
    w: ContainerContext, seq: Seq, axis: int, *, new_axis: bool, numpy: bool = False
) -> Value:
    """Concatenate or stack the elements of a list that must not be empty."""
    if numpy and isinstance(seq.element, VarType):
        w.refuse("an array of Variables is not compiled", "use `F.stack` or `F.concat`")
    if not numpy and isinstance(seq.element, ScalarType):
        w.raise_static(TypeError("a list of numbers is no list of arrays"))
    tensors = w.sequences.tensors(seq, "joining")
    kind, message = (
        (ValueError, "need at least one array to concatenate")
        if numpy
        else (chainer.utils.type_check.InvalidType, "at least one array is needed")
    )
    rank = _rank(seq) + new_axis
    if not -rank <= axis < rank:
        w.raise_static(ValueError(f"axis {axis} is out of bounds"))
    if kind is ValueError:
        require_some(w, seq, kind, message)
    else:
        require_some(w, seq, TypeError, message)
    message = "all the input arrays must have the same shape"
    if not new_axis:
        message += ", the axis of concatenation aside"
    failure = ValueError if numpy else TypeError
    require_alike(w, seq, failure, message, None if new_axis else axis % rank)
    result: Value = w.graph.ConcatFromSequence(tensors, axis=axis % rank, new_axis=int(new_axis))
    return result


def arrays_in(w: ContainerContext, items: Any, numpy: bool = False) -> Seq:
    """Return the contents of a list of arrays: None among them is an error.

    So is a number for Chainer; numpy makes an array of it.
    """
    seq = contents(w, items)
    parts = seq.element.alternatives if isinstance(seq.element, ChoiceType) else ()
    others = [
        part == Static(None) or (isinstance(part, ScalarType) and not numpy) for part in parts
    ]
    if len(parts) != 2 or sum(others) != 1:
        return seq
    g, place = w.graph, others.index(False)
    body, tags = g.body("list", loop=True), seq.sequences[0]
    start = g.constant(np.array(True))
    so_far = body.input(np.dtype(bool), ())
    with w.facts.scope(), body:
        first = g.SequenceAt(tags, body.iteration)
        still = g.And(so_far, first if place == 0 else g.Not(first))
    length = w.sequences.length_of(seq)
    (all_arrays,) = g.Loop(
        length, None, body, initial=[start], cond_out=None, carried=[still], scans=[]
    )
    message = "a number or None is among the arrays of a list"
    w.check(w.scalar(bool, all_arrays), TypeError, message)
    before = sum(len(part.leaves({})) for part in parts[:place])
    own = len(parts[place].leaves({}))
    return Seq(parts[place], seq.sequences[1 + before : 1 + before + own], seq.stored)


# -- Chainer -------------------------------------------------------------------------------------


@lowers_lists(Concat)
def concat(w: ContainerContext, node: Any, items: Any) -> Any:
    """One axis, 1 by default."""
    axis = _static(w, w.get_attribute(node, "axis"), "axis")
    return (w.new_var(_joined(w, arrays_in(w, items), axis, new_axis=False)),)


@lowers_lists(Stack)
def stack(w: ContainerContext, node: Any, items: Any) -> Any:
    """Join along a new axis."""
    axis = _static(w, w.get_attribute(node, "axis"), "axis")
    return (w.new_var(_joined(w, arrays_in(w, items), axis, new_axis=True)),)


@lowers_lists(Vstack)
def vstack(w: ContainerContext, node: Any, items: Any) -> Any:
    """Scalars and vectors become rows."""
    return (w.new_var(_vertical(w, arrays_in(w, items))),)


@lowers_lists(Hstack)
def hstack(w: ContainerContext, node: Any, items: Any) -> Any:
    """Vectors are joined along axis 0, others along axis 1; scalars become vectors."""
    return (w.new_var(_horizontal(w, arrays_in(w, items))),)


@lowers_lists(MultiAdd)
def multi_add(w: ContainerContext, node: Any, items: Any) -> Any:
    """The sum from the left."""
    require_some(w, arrays_in(w, items), IndexError, "at least one array is needed")
    return (w.call(idioms.lists.added, [items], {}),)


def _vertical(w: ContainerContext, seq: Seq, numpy: bool = False) -> Value:
    rank = _rank(seq)
    joined = _joined(w, seq, 0, new_axis=rank < 2, numpy=numpy)
    return w.graph.Unsqueeze(joined, [1]) if rank == 0 else joined


def _horizontal(w: ContainerContext, seq: Seq, numpy: bool = False) -> Value:
    rank = _rank(seq)
    return _joined(w, seq, 0 if rank < 2 else 1, new_axis=rank == 0, numpy=numpy)


@lowers_lists(PadSequence)
def pad_sequence(w: ContainerContext, node: Any, items: Any) -> Any:
    """[b, t, …], as long as the longest."""
    seq = arrays_in(w, items)
    if isinstance(seq.element, ScalarType) or _rank(seq) == 0:
        w.raise_static(TypeError("pad_sequence takes arrays with at least one axis"))
    sequence = w.sequences.tensors(seq, "pad_sequence")
    require_some(w, seq, TypeError, "at least one array is needed")
    require_alike(w, seq, TypeError, "the arrays differ along an axis that is not padded", 0)
    arrays = ragged.from_sequence(w.graph, sequence)
    return (w.new_var(_padded(w, node, arrays, dtype_in(seq))),)


def _padded(w: LoweringContext, node: Any, arrays: ragged.Ragged, dtype: np.dtype[Any]) -> Value:
    g = w.graph
    length = w.narrow(w.get_attribute(node, "length"))
    padding = w.narrow(w.get_attribute(node, "padding"))
    limit = ragged.longest(g, arrays.lengths)
    if length is not None:
        given = w.scalar_value(length, np.dtype(np.int64))
        fits = g.LessOrEqual(limit, given)
        w.check(w.scalar(bool, fits), TypeError, "an array is longer than `length`")
        limit = given
    if isinstance(padding, (Array, Var, Choice)):
        w.refuse("the padding of `pad_sequence` must be a number")
    fill = w.value_of(padding, dtype) if isinstance(padding, Scalar) else None
    if fill is None:
        filled = np.empty((), dtype)
        filled[...] = padding
        fill = g.constant(filled)
    return ragged.padded(g, arrays, limit, fill, steps_first=False)


@lowers_lists(F.transpose_sequence)
def transpose_sequence(w: ContainerContext, xs: Any) -> Any:
    """Array t has row t of each array that is long enough; lengths must descend."""
    g = w.graph
    seq = arrays_in(w, xs)
    sequence = w.sequences.tensors(seq, "transpose_sequence")
    require_some(w, seq, ValueError, "transpose_sequence of an empty list")
    require_alike(w, seq, TypeError, "the arrays differ along another axis than the first", 0)
    arrays = ragged.from_sequence(g, sequence)
    require_descending(w, arrays.lengths)
    number, inside = ragged.grid(g, arrays, ragged.longest(g, arrays.lengths), steps_first=True)
    flat = g.constant(np.array([-1]))
    order = g.Compress(g.Reshape(number, flat), g.Reshape(inside, flat), axis=0)
    counts = g.ReduceSum(g.Cast(inside, to=np.dtype(np.int64)), [1], keepdims=0)
    _require_splittable(w, arrays.rows)
    pieces = g.SplitToSequence(g.Gather(arrays.rows, order, axis=0), counts, axis=0)
    return variables(w, pieces, DynamicTuple())


def require_descending(w: LoweringContext, lengths: Value) -> None:
    """Make the model fail, as Chainer does, where sequences are not sorted by length."""
    g = w.graph
    big = np.iinfo(np.int64).max
    before, after = g.Slice(lengths, [0], [-1], [0]), g.Slice(lengths, [1], [big], [0])
    wrong = g.Cast(g.Less(before, after), to=np.dtype(np.int64))
    none = g.Equal(g.ReduceSum(wrong, [0], keepdims=0), g.constant(np.array(0)))
    w.check(w.scalar(bool, none), TypeError, "the lengths of the sequences must descend")


@lowers_lists(TransposeSequence)
def transpose_node(w: ContainerContext, node: Any, items: Any) -> Any:
    """As the function does."""
    return transpose_sequence(w, items)


def variables(w: ContainerContext, sequence: Value, like: Any) -> Any:
    """Return a list, or a tuple as `like` is, of Variables."""
    element = VarType(chainer.Variable, _arrays_of(w, sequence))
    return w.sequences.like(like, Seq(element, (sequence,)))


def _arrays_of(w: ContainerContext, sequence: Value) -> ArrayType:
    """Return the type of the arrays of a sequence."""
    dims = dims_of(w.graph.SequenceAt(sequence, w.graph.constant(np.array(0))))
    known = tuple(d if isinstance(d, int) else None for d in dims)
    return ArrayType(dtype_of(sequence), known, w.next_ident())


@lowers(F.split_axis)
@takes_choices
def split_axis(
    w: ContainerContext, x: Any, indices_or_sections: Any, axis: Any, force_tuple: Any = True
) -> Any:
    """Pieces between boundaries known when the model runs: a tuple of as many."""
    arguments = [x, indices_or_sections, axis, force_tuple]
    given = w.narrow(indices_or_sections)
    x = w.narrow(x)
    if isinstance(x, Choice):
        return w.choices.apply(x, lambda v: split_axis(w, v, given, axis, force_tuple))
    dynamic = w.is_dynamic(given) or isinstance(given, (Array, Choice, Scalar))
    if isinstance(given, np.ndarray) and w.is_symbolic(given):
        given, dynamic = w.as_array(given), True
    if not dynamic:
        return w.walked(F.split_axis, arguments, {})
    g = w.graph
    tensor = w.value_of(x)
    place = _static(w, axis, "axis")
    rank = len(dims_of(tensor))
    if not -rank <= place < rank:
        w.raise_static(TypeError(f"axis {place} is out of bounds"))
    place %= rank
    array = x if isinstance(x, (Array, np.ndarray)) else w.as_var(x).array
    size = g.size(tensor, place)
    if isinstance(given, Scalar):
        pieces = _parts(w, tensor, given, place, size, force_tuple)
        w.freeze(w.as_array(array))
        return variables(w, pieces, DynamicTuple())
    ends = _boundaries(w, given)
    count = dims_of(ends)[0]
    if isinstance(count, int):
        arrays = tuple(
            w.share(w.new_array(piece), w.as_array(array))
            for piece in _slices(w, tensor, ends, count, place, size)
        )
        return tuple(map(Var, arrays)) if force_tuple or count else Var(arrays[0])
    _require_tuple(w, force_tuple)
    pieces = _split_at(w, tensor, ends, place, size)
    w.freeze(w.as_array(array))
    return variables(w, pieces, DynamicTuple())


def _split_at(w: LoweringContext, tensor: Value, ends: Value, axis: int, size: Value) -> Value:
    """Return the sequence of pieces between boundaries, which must ascend."""
    g = w.graph
    edges = g.Concat(g.constant(np.array([0])), ends, g.Unsqueeze(size, [0]), axis=0)
    big = np.iinfo(np.int64).max
    lengths = g.Sub(g.Slice(edges, [1], [big], [0]), g.Slice(edges, [0], [-1], [0]))
    ascending = g.GreaterOrEqual(g.ReduceMin(lengths, [0], keepdims=0), g.constant(np.array(0)))
    message = "the boundaries must ascend and lie inside the axis"
    w.check(w.scalar(bool, ascending), TypeError, message)
    _require_splittable(w, tensor)
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
    w.check(w.scalar(bool, g.Greater(number, zero)), ValueError, "there is no such number of parts")
    some = g.Max(number, g.constant(np.array(1)))
    even = g.Equal(g.Mod(size, some), zero)
    w.check(w.scalar(bool, even), TypeError, "the axis has no equal parts of that number")
    _require_splittable(w, tensor)
    lengths = g.Expand(g.Div(size, some), g.Unsqueeze(some, [0]))
    result: Value = g.SplitToSequence(tensor, lengths, axis=axis)
    return result


def _require_tuple(w: LoweringContext, force: Any) -> None:
    if w.narrow(force) is not True:
        w.refuse(
            "`force_tuple=False` needs a number of pieces that is known now",
            "leave `force_tuple` at its default",
        )


def _require_splittable(w: LoweringContext, tensor: Value) -> None:
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
    return w.sequences.like([], Seq(_arrays_of(w, sequence), (sequence,)))


def _slices(
    w: LoweringContext, x: Value, ends: Value, count: int, axis: int, size: Value
) -> list[Value]:
    """Return the pieces between a known number of boundaries, in any order, as slices."""
    g = w.graph
    if count == 0:
        return [x]
    places = [g.Slice(ends, [i], [i + 1], [0]) for i in range(count)]
    last = g.Squeeze(places[-1], [0])
    w.check(w.scalar(bool, g.LessOrEqual(last, size)), TypeError, "a boundary lies behind the end")
    first, end = g.constant(np.array([0])), g.constant(np.array([np.iinfo(np.int64).max]))
    edges = [first, *places, end]
    return [g.Slice(x, a, b, [axis]) for a, b in pairwise(edges)]


def _boundaries(w: ContainerContext, given: Any) -> Value:
    """Return boundaries as an int64 vector; numpy makes an empty list one of float64."""
    if w.is_dynamic(given):
        seq = contents(w, given)
        if not isinstance(seq.element, ScalarType) or not issubclass(
            seq.element.type, (int, np.integer)
        ):
            w.raise_static(TypeError("indices_or_sections must be integers"))
        given = array(w, given, np.int64)
    choices = given.alternatives if isinstance(given, Choice) else (given,)
    for one in choices:
        if not isinstance(one, (Array, np.ndarray)):
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
    place = _static(w, axis, "axis")
    rank = len(dims_of(tensor))
    if not -rank <= place < rank or not isinstance(dims_of(tensor)[place], Dim):
        return w.walked(F.separate, [x, axis], {})
    place %= rank
    array = x if isinstance(x, (Array, np.ndarray)) else w.as_var(x).array
    w.freeze(w.as_array(array))
    some = w.binary(operator.gt, w.dim_scalar(dims_of(tensor)[place]), 0)
    w.check(some, ZeroDivisionError, "integer modulo by zero")
    _require_splittable(w, tensor)
    pieces = w.graph.SplitToSequence(tensor, None, axis=place, keepdims=0)
    return variables(w, pieces, DynamicTuple())


@lowers(F.get_item)
@takes_choices
def get_item(w: LoweringContext, x: Any, slices: Any) -> Any:
    """A list of numbers is one index, however long it is."""
    numbers = w.numbers_in(slices)
    return w.walked(F.get_item, [x, slices if numbers is None else numbers], {})


# -- numpy ---------------------------------------------------------------------------------------


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
        return _rows(w, seq, dtype)
    sequence = w.sequences.tensors(seq, "np.array")
    own = dtype_in(seq)
    wanted = None if dtype is None else np.dtype(dtype)
    if _rank(seq) == 0 and (wanted is not None or own == np.float64):
        return w.new_array(_stacked(w, seq, sequence, wanted or own))
    some = w.sequences.not_empty(seq)
    full = w.new_array(_stacked(w, seq, sequence, wanted or own))
    return w.narrow(Choice(some, (full, w.new_array(w.constant(np.zeros(0, wanted))))))


def _rows(w: ContainerContext, seq: Seq, dtype: Any) -> Any:
    """Return the matrix of a list of tuples of numbers, which must not be empty."""
    items = seq.element.items if isinstance(seq.element, TupleType) else ()
    kinds = {item.type for item in items if isinstance(item, ScalarType)}
    if len(kinds) != 1 or not all(isinstance(item, ScalarType) for item in items):
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
    if isinstance(contents(w, items).element, ScalarType):
        w.raise_static(ValueError("zero-dimensional arrays cannot be concatenated"))
    place = _static(w, axis, "axis")
    return between_elements(
        w, items, lambda one: _joined(w, arrays_in(w, one, True), place, new_axis=False, numpy=True)
    )


@lowers_lists(np.stack)
def np_stack(w: ContainerContext, items: Any, axis: Any = 0, **options: Any) -> Any:
    """Join along a new axis."""
    _plain(w, options)
    place = _static(w, axis, "axis")
    return between_elements(
        w, items, lambda one: _joined(w, arrays_in(w, one, True), place, new_axis=True, numpy=True)
    )


@lowers_lists(np.vstack)
def np_vstack(w: ContainerContext, items: Any, **options: Any) -> Any:
    """Scalars and vectors become rows."""
    _plain(w, options)
    return between_elements(w, items, lambda one: _vertical(w, arrays_in(w, one, True), numpy=True))


@lowers_lists(np.hstack)
def np_hstack(w: ContainerContext, items: Any, **options: Any) -> Any:
    """Vectors are joined along axis 0, others along axis 1; scalars become vectors."""
    _plain(w, options)
    return between_elements(
        w, items, lambda one: _horizontal(w, arrays_in(w, one, True), numpy=True)
    )
