"""Joining arrays of which some have one of two dtypes, as arrays of lists that may be empty."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins import ArrayType
from elichika.values.kinds import alternatives_of, is_array, is_choice, is_listed
from elichika.values.symbolic import Choice, Seq
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def between_choices(join: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that joins arrays take such ones: it gives a choice of two dtypes.

    Of each the first alternative is an array, and the second one of a dtype that prevails.
    """

    @functools.wraps(join)
    def joined(w: ContainerContext, arrays: Any, *args: Any, **kwargs: Any) -> Any:
        arrays = w.narrow(arrays)
        if not is_listed(arrays) or w.is_dynamic(arrays):
            return join(w, arrays, *args, **kwargs)
        items = [w.narrow(item) for item in w.items(arrays)]
        chosen = [item for item in items if is_choice(item)]
        if not chosen or not _alike(w, items, chosen):
            return join(w, arrays, *args, **kwargs)
        firsts = [w.choices.tag_is(item, 0) for item in chosen]
        wide = [
            w.new_array(w.choices.as_tensor(item)) if is_choice(item) else item for item in items
        ]
        narrow = [alternatives_of(item)[0] for item in items]
        alternatives = tuple(join(w, parts, *args, **kwargs) for parts in (narrow, wide))
        return w.narrow(Choice(functools.reduce(w.graph.And, firsts), alternatives))

    return joined


def _alike(w: LoweringContext, items: list[Any], chosen: list[Choice]) -> bool:
    """Tell whether the dtype of the join is the same with any of the second alternatives."""
    pairs = [item.alternatives for item in chosen]
    if not all(len(pair) == 2 and all(map(is_array, pair)) for pair in pairs):
        return False
    types = [[w.value_of(a) for a in pair] for pair in pairs]
    if any(len(dims_of(a)) != len(dims_of(b)) for a, b in types):
        return False
    rest = [dtype_of(w.value_of(i)) for i in items if is_array(i)]
    if len(rest) + len(chosen) != len(items):
        return False
    firsts = [dtype_of(a) for a, _ in types]
    return len({np.result_type(*rest, *firsts, dtype_of(b)) for _, b in types}) == 1 and all(
        np.result_type(dtype_of(a), dtype_of(b)) == dtype_of(b) for a, b in types
    )


def between_elements(w: ContainerContext, items: Any, join: Callable[[Any], Value]) -> Any:
    """Do as `between_choices` does with a list of dynamic length.

    Args:
        w: The walker.
        items: The list.
        join: Joins a list of arrays of one dtype.
    """
    seq = w.items_of(w.narrow(items))
    types = _pair_of(seq.element.copied)
    if types is None:
        return w.new_array(join(items))
    first, second = types
    seq = w.sequences.settled(seq)
    some = w.sequences.not_empty(seq)
    w.check(some, ValueError, "need at least one array to concatenate")
    g = w.graph
    tags, narrow, _ = seq.sequences

    def element(place: Value) -> Any:
        held = w.sequences.build(seq, place)
        return w.new_array(w.choices.as_tensor(held, second.dtype))

    wide = w.sequences.collected(w.sequences.length_of(seq), second, element)
    firsts = g.Cast(g.ConcatFromSequence(tags, axis=0, new_axis=1), to=np.dtype(np.int64))
    all_first = g.Cast(g.ReduceMin(firsts, [0], keepdims=0), to=np.dtype(bool))
    items = Seq(first, (narrow,))
    return w.branch(
        w.scalar(bool, all_first),
        lambda: w.new_array(join(w.sequences.like([], items))),
        lambda: w.new_array(join(w.sequences.like([], wide))),
    )


def _pair_of(element: Any) -> tuple[ArrayType, ArrayType] | None:
    """Return two types of arrays, the dtype of the second prevailing, that elements may have."""
    parts: Any = getattr(element, "alternatives", ())
    if len(parts) != 2 or not all(isinstance(part, ArrayType) for part in parts):
        return None
    first, second = parts
    if len(first.dims) != len(second.dims):
        return None
    if np.result_type(first.dtype, second.dtype) != second.dtype:
        return None
    dims = tuple(a if a == b else None for a, b in zip(first.dims, second.dims, strict=True))
    return first, replace(second, dims=dims)
