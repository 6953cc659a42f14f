"""Joining arrays of which some have one of two dtypes, as arrays of lists that may be empty."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from elichika.values import Array, Choice
from onnx_graph import dims_of, dtype_of


def between_choices(join: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that joins arrays take such ones: it gives a choice of two dtypes.

    Of each the first alternative is an array, and the second one of a dtype that prevails.
    """

    @functools.wraps(join)
    def joined(w: Any, arrays: Any, *args: Any, **kwargs: Any) -> Any:
        arrays = w.narrow(arrays)
        if not isinstance(arrays, list | tuple) or w.is_dynamic(arrays):
            return join(w, arrays, *args, **kwargs)
        items = [w.narrow(item) for item in w.items(arrays)]
        chosen = [item for item in items if isinstance(item, Choice)]
        if not chosen or not _alike(w, items, chosen):
            return join(w, arrays, *args, **kwargs)
        firsts = [w.choices.tag_is(item, 0) for item in chosen]
        wide = [
            w.new_array(w.choices.as_tensor(item)) if isinstance(item, Choice) else item
            for item in items
        ]
        narrow = [item.alternatives[0] if isinstance(item, Choice) else item for item in items]
        alternatives = tuple(join(w, parts, *args, **kwargs) for parts in (narrow, wide))
        return w.narrow(Choice(functools.reduce(w.graph.And, firsts), alternatives))

    return joined


def _alike(w: Any, items: list[Any], chosen: list[Choice]) -> bool:
    """Tell whether the dtype of the join is the same with any of the second alternatives."""
    pairs = [item.alternatives for item in chosen]
    if not all(
        len(pair) == 2 and all(isinstance(a, Array | np.ndarray) for a in pair) for pair in pairs
    ):
        return False
    types = [[w.value_of(a) for a in pair] for pair in pairs]
    if any(len(dims_of(a)) != len(dims_of(b)) for a, b in types):
        return False
    rest = [dtype_of(w.value_of(i)) for i in items if isinstance(i, Array | np.ndarray)]
    if len(rest) + len(chosen) != len(items):
        return False
    firsts = [dtype_of(a) for a, _ in types]
    return len({np.result_type(*rest, *firsts, dtype_of(b)) for _, b in types}) == 1 and all(
        np.result_type(dtype_of(a), dtype_of(b)) == dtype_of(b) for a, b in types
    )
