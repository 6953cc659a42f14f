"""Lists of arrays of unlike lengths as tensors: rows one after the other, and a length for each.

`lengths` and `starts` are int64 vectors with one item for each array of the list; arrays are told
apart by b, their rows by t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onnx_graph import ONNXGraph, Value, dims_of


@dataclass(frozen=True)
class Ragged:
    """The rows of all arrays, concatenated, and how many each array has."""

    rows: Value
    lengths: Value


def from_sequence(g: ONNXGraph, sequence: Value) -> Ragged:
    """Concatenate the arrays of a sequence, which is not empty."""
    return Ragged(g.ConcatFromSequence(sequence, axis=0), lengths_of(g, sequence))


def from_arrays(g: ONNXGraph, arrays: list[Value]) -> Ragged:
    """Concatenate arrays, at least one."""
    rows = arrays[0] if len(arrays) == 1 else g.Concat(*arrays, axis=0)
    return Ragged(rows, g.shape_tensor([dims_of(a)[0] for a in arrays]))


def lengths_of(g: ONNXGraph, sequence: Value, axis: int = 0) -> Value:
    """Return the size of an axis of each tensor of a sequence."""
    known = g.scope.memo.get(("lengths", sequence, axis))
    if known is None:
        body = g.body("lengths", loop=True)
        with body:
            element = g.SequenceAt(sequence, body.iteration)
            length = g.size(element, axis)
        count = g.SequenceLength(sequence)
        (known,) = g.Loop(count, None, body, initial=[], cond_out=None, carried=[], scans=[length])
        g.scope.memo[("lengths", sequence, axis)] = known
    return known


def alike(g: ONNXGraph, sequence: Value, axes: list[int]) -> Value:
    """Tell whether the tensors of a sequence have the same sizes along some axes, a 0-d bool.

    onnxruntime's ConcatFromSequence does not ask: it passes over empty tensors, whatever their
    sizes, and leaves what they should have filled as it finds it.
    """
    true = g.constant(np.array(True))
    body = g.body("alike", loop=True)
    so_far = body.input(np.dtype(bool), ())
    with body:
        first, element = g.SequenceAt(sequence, 0), g.SequenceAt(sequence, body.iteration)
        goes_on = so_far
        for axis in axes:
            goes_on = g.And(goes_on, g.Equal(g.size(element, axis), g.size(first, axis)))
    count = g.SequenceLength(sequence)
    (result,) = g.Loop(
        count, None, body, initial=[true], cond_out=goes_on, carried=[goes_on], scans=[]
    )
    return result


def starts_of(g: ONNXGraph, lengths: Value) -> Value:
    """Return the number of the first row of each array."""
    result: Value = g.CumSum(lengths, g.constant(np.array(0, np.int64)), exclusive=1)
    return result


def longest(g: ONNXGraph, lengths: Value) -> Value:
    """Return the largest length, a 0-d int64."""
    result: Value = g.ReduceMax(lengths, [0], keepdims=0)
    return result


def count_up(g: ONNXGraph, limit: Value) -> Value:
    """Return 0, 1, … below a 0-d int64."""
    result: Value = g.Range(g.constant(np.array(0, np.int64)), limit, g.constant(np.array(1)))
    return result


def grid(g: ONNXGraph, ragged: Ragged, limit: Value, *, steps_first: bool) -> tuple[Value, Value]:
    """Return the row number of each (b, t) and whether it is there, both int64/bool [b, t].

    With `steps_first` both are [t, b]. Row numbers that are not there are out of range.
    """
    across, down = ([0], [1]) if steps_first else ([1], [0])
    steps = g.Unsqueeze(count_up(g, limit), down)
    starts = g.Unsqueeze(starts_of(g, ragged.lengths), across)
    inside = g.Less(steps, g.Unsqueeze(ragged.lengths, across))
    return g.Add(starts, steps), inside


def padded(g: ONNXGraph, ragged: Ragged, limit: Value, fill: Value, *, steps_first: bool) -> Value:
    """Return the rows as [b, t, …], or [t, b, …], with `fill` (0-d) where there is none."""
    rest = list(dims_of(ragged.rows))[1:]
    row = g.Expand(fill, g.shape_tensor([1, *rest]))
    rows = g.Concat(ragged.rows, row, axis=0)
    number, inside = grid(g, ragged, limit, steps_first=steps_first)
    last = g.Sub(g.size(rows, 0), g.constant(np.array(1)))
    result: Value = g.Gather(rows, g.Where(inside, number, last), axis=0)
    return result


def unpadded(g: ONNXGraph, ragged: Ragged, values: Value) -> Value:
    """Return the rows of `values`, [b, t, d], that are there: [rows, d]."""
    _, inside = grid(g, ragged, g.size(values, 1), steps_first=False)
    flat = g.Reshape(values, g.shape_tensor([-1, dims_of(values)[2]]))
    result: Value = g.Compress(flat, g.Reshape(inside, g.constant(np.array([-1]))), axis=0)
    return result
