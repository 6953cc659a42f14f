"""Chainer's own handling of batches of arrays of unlike lengths, given as lists of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer import functions as F
from chainer.dataset import convert
from chainer.links.rnn import n_step_rnn

from elichika import idioms
from elichika.lowerings.joined_lists import contents
from elichika.registry import lowers_lists, takes_choices
from elichika.state.joins import ArrayType
from elichika.values.symbolic import Seq
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext


@lowers_lists(convert._concat_arrays_with_padding)
def concat_with_padding(w: ContainerContext, arrays: Any, padding: Any) -> Any:
    """Of vectors what `F.pad_sequence` gives; of arrays of more axes all axes are padded."""
    element = contents(w, arrays).element
    if not isinstance(element, ArrayType) or len(element.dims) != 1:
        return w.walked(convert._concat_arrays_with_padding, [arrays, padding], {})
    return w.get_attribute(w.call(F.pad_sequence, [arrays, None, padding], {}), "array")


@lowers_lists(n_step_rnn.permutate_list)
@takes_choices
def permutate_list(w: ContainerContext, lst: Any, indices: Any, inv: Any) -> Any:
    """The items in another order; `indices` must be a permutation of their numbers."""
    if not w.is_dynamic(lst):
        return w.walked(n_step_rnn.permutate_list, [lst, indices, inv], {})
    g, items = w.graph, contents(w, lst)
    indices = w.native_array(indices) if w.is_dynamic(indices) else indices
    order, length = w.value_of(indices, np.int64), w.sequences.length_of(items)
    alike = g.Equal(g.size(order, 0), length)
    w.check(alike, ValueError, "as many indices as items are needed")
    inverse = _inverse(g, order)
    once = g.Equal(g.ReduceSum(_missing(g, inverse), [0], keepdims=0), g.constant(0))
    w.check(once, ValueError, "the indices of `permutate_list` are not a permutation")
    chosen = inverse if w.narrow(inv) else order
    if w.tape.lists.is_followed(items.element):
        return w.call(idioms.lists.picked, [lst, w.new_array(chosen)], {})

    def item(number: Value) -> Any:
        return w.sequences.build(items, g.Gather(chosen, number, axis=0))

    made: Seq = w.sequences.collected(length, items.element, item)
    return w.sequences.like([], made)


def _inverse(g: Any, order: Value) -> Value:
    """Where each number stands in `order`; -1 for one that does not."""
    none = g.Expand(g.constant(np.int64(-1)), g.Shape(order))
    numbers = g.Range(g.constant(0), g.size(order, 0), g.constant(1))
    return g.ScatterElements(none, order, numbers, axis=0)


def _missing(g: Any, inverse: Value) -> Value:
    return g.Cast(g.Less(inverse, g.constant(0)), to=np.dtype(np.int64))
