"""Lists of arrays whose length is known at run time only: what they hold, and joining them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika import idioms
from elichika.lowerings import ragged
from elichika.lowerings.sizes import known_now
from elichika.state.joins import ArrayType, ScalarType, Static, VarType
from elichika.values.kinds import is_integer
from elichika.values.symbolic import Seq
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def contents(w: ContainerContext, items: Any) -> Seq:
    """Return the contents of a list or tuple of dynamic length."""
    found: Seq = w.items_of(w.narrow(items))
    return found


def known_number(w: LoweringContext, value: Any, what: str) -> int:
    """Return an int that must be known while compiling; `what` names the argument."""
    value = w.narrow(value)
    if not is_integer(value):
        w.refuse(f"`{what}` must be known before the model runs")
    return int(value)


def rank_in(items: Seq) -> int:
    """Return the number of axes of the elements: arrays, Variables or numbers."""
    array = array_type(items.element)
    return 0 if array is None else len(array.dims)


def array_type(element: Any) -> ArrayType | None:
    """Return the type of arrays, or of those that Variables are of; None of other elements."""
    array = element.array if isinstance(element, VarType) else element
    return array if isinstance(array, ArrayType) else None


def dtype_in(items: Seq) -> np.dtype[Any]:
    """Return the dtype of the elements, which are of one kind."""
    return items.element.leaves({})[0].dtype


def require_some(
    w: ContainerContext, items: Seq, exception: type[BaseException], message: str
) -> None:
    """Make the model fail where the list is empty."""
    w.check(w.sequences.not_empty(items), exception, message)


def require_no_numbers(
    w: LoweringContext, items: Seq, exception: type[BaseException], message: str
) -> None:
    """Raise where elements are numbers."""
    if isinstance(items.element, ScalarType):
        w.raise_static(exception(message))


def require_alike(
    w: ContainerContext,
    items: Seq,
    exception: type[BaseException],
    message: str,
    but: int | None = None,
) -> None:
    """Make the model fail where the arrays of a list differ in shape, along an axis `but` aside."""
    array = array_type(items.element)
    dims = () if array is None else array.dims
    axes = [axis for axis, dim in enumerate(dims) if dim is None and axis != but]
    if axes:
        same = ragged.alike(w.graph, w.sequences.settled(items).sequences[0], axes)
        w.check(same, exception, message)


def joined(
    w: ContainerContext, seq: Seq, axis: int, *, new_axis: bool, numpy: bool = False
) -> Value:
    """Concatenate or stack the elements of a list that must not be empty."""
    if numpy and isinstance(seq.element, VarType):
        w.refuse("an array of Variables is not compiled", "use `F.stack` or `F.concat`")
    if not numpy:
        require_no_numbers(w, seq, TypeError, "a list of numbers is not a list of arrays")
    tensors = w.sequences.tensors(seq, "joining")
    failure = ValueError if numpy else TypeError
    rank = rank_in(seq) + new_axis
    if not -rank <= axis < rank:
        w.raise_static(ValueError(f"axis {axis} is out of bounds"))
    message = "need at least one array to concatenate" if numpy else "at least one array is needed"
    require_some(w, seq, failure, message)
    message = "all the input arrays must have the same shape"
    if not new_axis:
        message += ", the axis of concatenation aside"
    require_alike(w, seq, failure, message, None if new_axis else axis % rank)
    result: Value = w.graph.ConcatFromSequence(tensors, axis=axis % rank, new_axis=int(new_axis))
    return result


def vertical(w: ContainerContext, seq: Seq, numpy: bool = False) -> Value:
    """Join rows; scalars and vectors become some."""
    rank = rank_in(seq)
    rows = joined(w, seq, 0, new_axis=rank < 2, numpy=numpy)
    return w.graph.Unsqueeze(rows, [1]) if rank == 0 else rows


def horizontal(w: ContainerContext, seq: Seq, numpy: bool = False) -> Value:
    """Join vectors along axis 0, others along axis 1; scalars become vectors."""
    rank = rank_in(seq)
    return joined(w, seq, 0 if rank < 2 else 1, new_axis=rank == 0, numpy=numpy)


def arrays_in(w: ContainerContext, items: Any, numpy: bool = False) -> Seq:
    """Return the contents of a list of arrays: None among them is an error.

    So is a number for Chainer; numpy makes an array of it.
    """
    seq = contents(w, items)
    parts = getattr(seq.element, "alternatives", ())
    kinds = {(one.dtype, len(one.dims)) if one else None for one in map(array_type, parts)}
    if not numpy and len(kinds) == 1 and None not in kinds:  # Chainer makes Variables of arrays
        seq, parts = contents(w, w.call(idioms.lists.as_variables, [items], {})), ()
    others = [
        part == Static(None) or (not numpy and isinstance(part, ScalarType)) for part in parts
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
    w.check(all_arrays, TypeError, message)
    before = sum(len(part.leaves({})) for part in parts[:place])
    own = len(parts[place].leaves({}))
    return Seq(parts[place], seq.sequences[1 + before : 1 + before + own], seq.stored)


def variables(w: ContainerContext, sequence: Value, like: Any) -> Any:
    """Return a list, or a tuple as `like` is, of Variables."""
    return w.sequences.like(like, variables_in(w, sequence))


def variables_in(w: ContainerContext, sequence: Value) -> Seq:
    """Return the contents of a list of Variables."""
    return Seq(VarType(chainer.Variable, arrays_of(w, sequence)), (sequence,))


def arrays_of(w: ContainerContext, sequence: Value) -> ArrayType:
    """Return the type of the arrays of a sequence."""
    dims = dims_of(w.graph.SequenceAt(sequence, w.graph.constant(np.array(0))))
    known = tuple(d if known_now(d) else None for d in dims)
    return ArrayType(dtype_of(sequence), known, w.idents.new())
