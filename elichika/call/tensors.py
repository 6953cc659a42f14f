"""Results as tensors alone, for readers of the file to whom a sequence is nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from elichika.signature import InputSpec, OutputSignature, OutputSpec
from elichika.signature.names import unique_name
from elichika.signature.structure import As, OneOf, RowsOf, Slot, Structure, with_slots
from onnx_graph import Value, dims_of, dtype_of, rank_of
from onnx_graph.dims import ANY
from onnx_graph.signed_zeros import chosen

if TYPE_CHECKING:
    from elichika.walker.walk import Walk
    from onnx_graph import ONNXGraph

__all__ = ["as_tensors", "from_tensors"]

NUMBERS = ("python", "numpy")
SHARED = ("int32", "int64", "float32", "float64")
"""What numbers of several types are held as."""
WIDEST = 2**53
"""Up to here a float64 tells whole numbers apart."""
TOO_WIDE = "an int beyond 2**53, where the file has one float for it and for other floats"


def as_tensors(w: Walk, signature: OutputSignature) -> OutputSignature:
    """Return a signature whose values are tensors, and that gives the result that it gave.

    A sequence of alike arrays is one array, with its elements along axis 0; of others, one array
    padded with zeros, and an output of their lengths. Numbers of several types that one place may
    hold are one number, of the least dtype that holds them all; what is an int and a float in turn
    fails where the int is beyond 2**53.

    Args:
        w: The walker.
        signature: That of the result, with its graph values.
    """
    tensors = _Tensors(w, signature)
    for index, value in enumerate(signature.values):
        match value.type:
            case ir.SequenceType():
                tensors.stack(index)
    return tensors.finished(_merged(tensors, signature.structure))


def from_tensors(g: ONNXGraph, spec: InputSpec, lengths: str | None) -> Value:
    """Declare a list that comes as a tensor, and return it as a sequence.

    Args:
        g: The graph.
        spec: What the list is.
        lengths: The name of the input with the sizes of its arrays, if they are padded.
    """
    rows = g.input(spec.name, spec.dtype, [spec.length, *spec.dims])
    axes = [axis for axis, dim in enumerate(spec.dims) if dim is None]
    if lengths is None:
        sizes = None
    else:
        which = [len(axes)] if len(axes) > 1 else []
        sizes = g.input(lengths, np.dtype(np.int64), [spec.length, *which])
    body = g.body("rows", loop=True)
    carried = body.sequence_input(spec.dtype, spec.dims, "items")
    with body:
        item = g.Gather(rows, body.iteration, axis=0)
        if sizes is not None:
            ends = g.Reshape(g.Gather(sizes, body.iteration, axis=0), [-1])
            item = g.Slice(item, np.zeros(len(axes), np.int64), ends, np.array(axes, np.int64))
        longer = g.SequenceInsert(carried, item)
    one = np.zeros([dim if type(dim) is int else 1 for dim in spec.dims], spec.dtype)
    empty = g.SequenceErase(g.SequenceConstruct(one), 0)
    count = g.size(rows, 0)
    (sequence,) = g.Loop(count, None, body, initial=[empty], cond_out=None, carried=[longer])
    return sequence


class _Tensors:
    """The outputs so far."""

    def __init__(self, w: Walk, signature: OutputSignature) -> None:
        self.w, self.g = w, w.graph
        self.specs, self.values = list(signature.specs), list(signature.values)
        self.dropped: set[int] = set()

    def add(self, spec: OutputSpec, value: Value) -> int:
        """Add an output and return its number."""
        names = {one.name for n, one in enumerate(self.specs) if n not in self.dropped}
        self.specs.append(replace(spec, name=unique_name(spec.name, names)))
        self.values.append(value)
        return len(self.specs) - 1

    def stack(self, index: int) -> None:
        """Make one array of a sequence."""
        sequence, spec = self.values[index], self.specs[index]
        assert rank_of(sequence) is not None, "arrays of a list have one rank, or are a choice"
        axes = [axis for axis, dim in enumerate(dims_of(sequence)) if dim == ANY]
        if not axes:
            self.values[index] = _each(self.g, sequence, lambda item: item)
            return
        sizes, self.values[index] = _padded(self.g, sequence, axes)
        named = OutputSpec(f"{spec.name}_lengths", "ndarray", np.dtype(np.int64))
        lengths = self.add(named, sizes)
        self.specs[index] = replace(spec, lengths=lengths, axes=tuple(axes))

    def finished(self, structure: Structure) -> OutputSignature:
        """Return the signature, without what was dropped."""
        kept = [index for index in range(len(self.specs)) if index not in self.dropped]
        numbers = {index: number for number, index in enumerate(kept)}
        specs = []
        for spec in (self.specs[index] for index in kept):
            moved = None if spec.lengths is None else numbers[spec.lengths]
            specs.append(replace(spec, lengths=moved))

        def moved_slot(slot: Slot) -> Slot:
            return replace(slot, index=numbers[slot.index])

        values = tuple(self.values[index] for index in kept)
        return OutputSignature(tuple(specs), with_slots(structure, moved_slot), values)


def _each(g: ONNXGraph, sequence: Value, made: Callable[[Value], Value]) -> Value:
    """Return what is made of each element, along axis 0."""
    body = g.body("each", loop=True)
    with body:
        row = made(g.SequenceAt(sequence, body.iteration))
    count = g.SequenceLength(sequence)
    (rows,) = g.Loop(count, None, body, initial=[], cond_out=None, carried=[], scans=[row])
    return rows


def _padded(g: ONNXGraph, sequence: Value, axes: Sequence[int]) -> tuple[Value, Value]:
    """Return the sizes of axes of the elements, and these with zeros at the ends of the axes."""
    which = np.array(axes, np.int64)
    sizes = _each(g, sequence, lambda item: g.Gather(g.Shape(item), which, axis=0))
    none = np.zeros((1, len(axes)), np.int64)
    most = g.ReduceMax(g.Concat(none, sizes, axis=0), [0], keepdims=0)
    rank = rank_of(sequence) or 0

    def padded(item: Value) -> Value:
        missing = g.Sub(most, g.Gather(g.Shape(item), which, axis=0))
        ends = g.ScatterElements(np.zeros(rank, np.int64), which, missing, axis=0)
        return g.Pad(item, g.Concat(np.zeros(rank, np.int64), ends, axis=0))

    rows = _each(g, sequence, padded)
    return (g.Squeeze(sizes, [1]) if len(axes) == 1 else sizes), rows


def _merged(tensors: _Tensors, structure: Structure) -> Structure:
    """Let alternatives that are numbers share one output."""
    inside = tuple(_merged(tensors, part) for part in structure.parts)
    changed: Any = structure
    match structure:
        case OneOf(tag):
            return OneOf(tag, _shared(tensors, tag, inside[1:]))
        case RowsOf(kind):
            return RowsOf(kind, inside[0])
    made: Structure = replace(changed, items=inside) if inside else structure
    return made


def _shared(
    tensors: _Tensors, tag: Slot, alternatives: tuple[Structure, ...]
) -> tuple[Structure, ...]:
    """Return alternatives of which those that are numbers are of one output, if they can be."""
    specs = tensors.specs
    numbers = {
        place: part.index
        for place, part in enumerate(alternatives)
        if type(part) is Slot and specs[part.index].kind in NUMBERS
    }
    if len(numbers) < 2:
        return alternatives
    common = np.result_type(*(specs[index].dtype for index in numbers.values()))
    wide = [n for n in numbers.values() if common.kind == "f" and _is_wide(specs[n].dtype)]
    if common.name not in SHARED or any(rank_of(tensors.values[n]) != 0 for n in wide):
        return alternatives
    chosen = _chosen(tensors, tensors.values[tag.index], numbers, common, len(alternatives))
    tensors.dropped |= {*numbers.values()}
    first = specs[next(iter(numbers.values()))]
    name = first.name.removesuffix(f"_{first.dtype.name}").removesuffix(f"_{first.kind}")
    shared = tensors.add(OutputSpec(name, "numpy", common), chosen)
    made = list(alternatives)
    for place, index in numbers.items():
        made[place] = As(shared, specs[index].kind, specs[index].dtype.name)
    return tuple(made)


def _chosen(
    tensors: _Tensors, tag: Value, numbers: dict[int, int], common: np.dtype[Any], count: int
) -> Value:
    """Return the number that is taken; an int that a float does not tell apart is an error."""
    g, found = tensors.g, None
    for place, index in numbers.items():
        value = tensors.values[index]
        taken = _is_taken(g, tag, place, count)
        if common.kind == "f" and _is_wide(dtype_of(value)):
            small = g.And(g.LessOrEqual(value, WIDEST), g.GreaterOrEqual(value, -WIDEST))
            tensors.w.check(g.Or(g.Not(taken), small), OverflowError, TOO_WIDE)
        cast = value if dtype_of(value) == common else g.Cast(value, to=common)
        found = cast if found is None else chosen(g, taken, cast, found)
    assert found is not None
    return found


def _is_wide(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize == 8


def _is_taken(g: ONNXGraph, tag: Value, place: int, count: int) -> Value:
    """Tell whether an alternative is the one."""
    if dtype_of(tag) != np.bool_:
        return g.Equal(tag, place)
    assert count == 2
    return g.Not(tag) if place else tag
