"""Joining and splitting arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import getitem
from elichika.lowerings.chainer.splitting import split_array
from elichika.lowerings.joined_choices import between_choices
from elichika.lowerings.numpy.arguments import axis_of, finish, static
from elichika.lowerings.numpy.operands import operand, require_numbers, stand, tensor
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask, result_dtype
from elichika.numbers.sizes import require_same
from elichika.registry import lowers
from elichika.values.c_order import in_order, laid_out
from elichika.values.kinds import is_array, is_integer, is_listed
from elichika.values.symbolic import Array
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, is_known, is_value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def _operands(w: LoweringContext, arrays: Any) -> list[Any]:
    arrays = w.narrow(arrays)
    if is_array(arrays):
        array = w.as_array(arrays)
        length = w.dims(array)[0] if w.dims(array) else 0
        if not is_known(length):
            w.refuse("joining the rows of an array of unknown length is not compiled", "reshape it")
        return [getitem(w, array, i) for i in range(length)]
    return [operand(w, item) for item in w.items(arrays)]


def _of_any_number(w: LoweringContext, arrays: Any, what: str) -> Array | None:
    """Return an array whose rows, of unknown number, are joined; None of other operands."""
    given = w.narrow(arrays)
    dims = w.dims(given) if type(given) is Array else ()
    if not dims or is_known(dims[0]):
        return None
    some = w.truth(w.binary(operator.gt, w.dim_scalar(dims[0]), 0))
    w.check(some, ValueError, f"need at least one array to {what}")
    return given


def _rows_joined(w: LoweringContext, rows: Array, axis: Any) -> Value:
    """Return the rows of an array joined along one of their axes, or all numbers of them."""
    g, value = w.graph, w.read(rows)
    if static(w, axis, "axis") is None:
        return g.Reshape(value, [-1])
    rank = len(dims_of(value)) - 1
    if not rank:
        w.raise_static(ValueError("zero-dimensional arrays cannot be concatenated"))
    one = axis_of(w, rank, axis)
    moved = g.Transpose(value, perm=_moved(rank + 1, one)) if one else value
    dims = dims_of(moved)
    shape = g.shape_tensor([*dims[:one], dims[one] * dims[one + 1], *dims[one + 2 :]])
    return g.Reshape(moved, shape, allowzero=1)


def _moved(rank: int, axis: int) -> list[int]:
    """Return the axes of an array with the first at another place."""
    others = list(range(1, rank))
    return [*others[:axis], 0, *others[axis:]]


def joined(w: LoweringContext, operands: Sequence[Any], axis: int, dtype: Any = None) -> Value:
    """Return arrays of one rank joined along an axis, in numpy's common dtype."""
    stands = [stand(w, item) for item in operands]
    found = ask(w, np.concatenate, stands, axis=axis, dtype=dtype).dtype
    values = [tensor(w, item, found) for item in operands]
    first = dims_of(values[0])
    for index, value in enumerate(values):
        for one in range(len(first)):
            if one == axis:
                continue
            size = dims_of(value)[one]
            message = (  # onnxruntime's Concat skips empty operands, whatever their sizes
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly, but along dimension {one}, the array at index 0 has size {first[one]} "
                f"and the array at index {index} has size {size}"
            )
            require_same(w, [first[one]], [size], ValueError, message)
    return w.graph.Concat(*values, axis=axis)


@lowers(np.concatenate)
@between_choices
def concatenate(
    w: LoweringContext,
    arrays: Any,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: Any = None,
) -> Any:
    """Join along an axis that is there."""
    rows = _of_any_number(w, arrays, "concatenate")
    if rows is not None:
        value, wanted = _rows_joined(w, rows, axis), static(w, dtype, "dtype")
        return finish(w, value if wanted is None else cast(w.graph, value, np.dtype(wanted)), out)
    parts = _operands(w, arrays)
    if not parts:
        w.raise_static(ValueError("need at least one array to concatenate"))
    dtype = static(w, dtype, "dtype")
    if static(w, axis, "axis") is None:  # arrays of one number count by their values
        dtype = dtype or result_dtype(w, lambda *of: np.concatenate(of, axis=None), *parts)
        parts = [w.new_array(w.graph.Reshape(tensor(w, part), [-1])) for part in parts]
        axis = 0
    ranks = {len(w.dims(part)) for part in parts}
    if len(ranks) > 1:
        w.raise_static(ValueError("all the input arrays must have same number of dimensions"))
    if ranks == {0}:
        w.raise_static(ValueError("zero-dimensional arrays cannot be concatenated"))
    return finish(w, joined(w, parts, axis_of(w, ranks.pop(), axis), dtype), out)


@lowers(np.stack)
@between_choices
def stack(
    w: LoweringContext,
    arrays: Any,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: Any = None,
) -> Any:
    """Join along a new axis."""
    rows = _of_any_number(w, arrays, "stack")
    if rows is not None:
        value, wanted = w.read(rows), static(w, dtype, "dtype")
        one = axis_of(w, len(dims_of(value)), axis)
        value = w.graph.Transpose(value, perm=_moved(len(dims_of(value)), one)) if one else value
        return finish(w, value if wanted is None else cast(w.graph, value, np.dtype(wanted)), out)
    parts = _operands(w, arrays)
    if not parts:
        w.raise_static(ValueError("need at least one array to stack"))
    shapes = [w.dims(part) for part in parts]
    if len({len(shape) for shape in shapes}) > 1:
        w.raise_static(ValueError("all input arrays must have the same shape"))
    one = axis_of(w, len(shapes[0]) + 1, axis)
    wide = [w.new_array(w.graph.Unsqueeze(tensor(w, part), [one])) for part in parts]
    natural = ask(w, np.stack, [stand(w, part) for part in parts]).dtype
    return finish(w, joined(w, wide, one, static(w, dtype, "dtype") or natural), out)


@lowers(np.column_stack)
def column_stack(w: LoweringContext, tup: Any) -> Any:
    """Join vectors as columns; numpy's own code transposes them."""
    parts = []
    for part in _operands(w, tup):
        value = tensor(w, part)
        axes = [[0, 1], [1], []][min(len(dims_of(value)), 2)]
        parts.append(w.new_array(w.graph.Unsqueeze(value, axes)) if axes else part)
    return concatenate(w, parts, 1)


# Splitting


def _pieces(w: LoweringContext, ary: Any, edges: Sequence[Any], axis: int) -> Any:
    array = w.as_array(operand(w, ary))
    rank = len(w.dims(array))
    whole = (slice(None),) * rank
    return w.new_list(
        [
            getitem(w, array, (*whole[:axis], slice(start, stop), *whole[axis + 1 :]))
            for start, stop in pairwise(edges)
        ]
    )


@lowers(np.array_split)
def array_split(w: ContainerContext, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """Views of pieces; numpy's own code takes each edge out of a running sum."""
    dims = w.dims(operand(w, ary))
    axis = axis_of(w, len(dims), axis)
    sections = w.narrow(indices_or_sections)
    if is_listed(sections):
        return _pieces(w, ary, [0, *w.items(sections), None], axis)
    if is_array(sections):
        return _split_at(w, ary, sections, axis)
    parts = static(w, sections, "indices_or_sections")
    if parts <= 0:
        w.raise_static(ValueError("number sections must be larger than 0."))
    g, each, more = w.graph, dims[axis] // parts, dims[axis] % parts
    edges: list[Any] = [0]
    for i in range(parts):
        extra: Any = i < more if is_known(more) else g.Less(np.int64(i), g.dim_value(more))
        extra = int(extra) if is_known(extra) else cast(g, extra, np.int64)
        edges.append(_plus(g, _plus(g, edges[-1], each), extra))
    return _pieces(w, ary, [_number(w, edge) for edge in edges], axis)


def _split_at(w: ContainerContext, ary: Any, places: Any, axis: int) -> Any:
    """Views of pieces where their number is known; else a list of them as they are now."""
    if not w.is_symbolic(places):
        return _pieces(w, ary, [0, *places.tolist(), None], axis)
    array, places = w.as_array(operand(w, ary)), w.as_array(places)
    ends = w.read(places)
    if len(dims_of(ends)) != 1 or (dtype_of(ends).kind not in "iu" and dims_of(ends)[0] != 0):
        w.refuse(
            "splitting at indices that are not a vector of ints is not compiled",
            "make a list of ints of them",
        )
    count = dims_of(ends)[0]
    if not is_known(count):
        return split_array(w, array, cast(w.graph, ends, np.int64), axis)
    edges = [getitem(w, places, i) for i in range(count)]
    return _pieces(w, ary, [0, *edges, None], axis)


def _plus(g: ONNXGraph, a: Any, b: Any) -> Any:
    """Add two sizes or int64 scalars."""
    if is_value(a) or is_value(b):
        return g.Add(g.dim_value(a), g.dim_value(b))
    return a + b


def _number(w: LoweringContext, edge: Any) -> Any:
    return w.scalar(int, edge, 2**40) if is_value(edge) else w.dim_scalar(edge)


@lowers(np.split)
def split(w: ContainerContext, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """Views of equal pieces, or of pieces between indices."""
    dims = w.dims(operand(w, ary))
    sections = w.narrow(indices_or_sections)
    require_numbers(w, sections)
    if is_integer(sections):
        one = axis_of(w, len(dims), axis)
        each, rest = dims[one] // int(sections), dims[one] % int(sections)
        message = "array split does not result in an equal division"
        divides = w.graph.compare(rest, "==", 0)
        w.check(divides, ValueError, message, exact=True)
        if divides is not True:
            return _pieces(w, ary, [w.dim_scalar(each * i) for i in range(sections + 1)], one)
    return array_split(w, ary, sections, axis)


def _as_laid_out(function: Any) -> None:
    """Run numpy's own code, which asks for the memory layout, on a copy where that is not known."""

    @lowers(function)
    def lowering(w: LoweringContext, arr: Any, *args: Any, **kwargs: Any) -> Any:
        array = w.narrow(w.call(np.asarray, [arr], {}))
        if not isinstance(array, Array) or in_order(w, array):
            return w.walked(function, [arr, *args], kwargs)
        plain = w.call(np.array, [array], {"order": "C"})
        made = w.narrow(w.walked(function, [plain, *args], kwargs))
        if not isinstance(made, Array):  # one of several things
            made = w.as_array(w.call(np.array, [made], {}))
        return laid_out(w, made, "K", array)


_as_laid_out(np.delete)
_as_laid_out(np.insert)
