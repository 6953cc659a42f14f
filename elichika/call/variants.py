"""A call whose arguments are of several kinds: the program once for each, chosen by the tags.

forward(x, n), n: int or float      If n_kind < 1: forward(x, an int)
                                    else:          forward(x, a float)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.call.boundary import assembled
from elichika.signature import BoundCall, InputSignature
from elichika.values.symbolic import Scalar

if TYPE_CHECKING:
    from elichika.walker.walk import Walk

__all__ = ["call_variants"]


def call_variants(
    w: Walk, signature: InputSignature, leaves: Sequence[Any], run: Callable[[BoundCall], Any]
) -> Any:
    """Return what a call gives, whichever kind its arguments are of.

    Args:
        w: The walker.
        signature: The inputs.
        leaves: What stands for them; for tags, numbers of the run.
        run: Walks a call of one kind.
    """
    calls = []
    for way in signature.variants:
        known = [way.get(index, leaf) for index, leaf in enumerate(leaves)]
        calls.append((_code(signature, way), signature.rebuild(known, partial(assembled, w))))
    arguments = [one for _, call in calls for one in (*call.args, *call.kwargs.values())]
    w.roots.extend(arguments)
    w.store.passed.add_all(tuple(arguments))
    w.arenas.passed()
    if len(calls) == 1:
        return run(calls[0][1])
    tags = {index: leaves[index].onnx_value for index in signature.tags}
    g, code = w.graph, None
    for index, step in _steps(signature).items():
        part = g.Mul(tags[index], np.array(step, np.int64))
        code = part if code is None else g.Add(code, part)
    known_codes = np.array([number for number, _ in calls], np.int64)
    found = g.ReduceSum(g.Cast(g.Equal(known_codes, code), to=np.dtype(np.int64)), keepdims=0)
    holds = g.Greater(found, np.array(0, np.int64))
    w.check(
        holds, ValueError, "the inputs that end in `_kind` stand for no call that an example showed"
    )

    def chosen(calls: Sequence[tuple[int, BoundCall]]) -> Any:
        if len(calls) == 1:
            return run(calls[0][1])
        half = len(calls) // 2
        below = g.Less(code, np.array(calls[half][0], np.int64))
        first, second = (partial(chosen, part) for part in (calls[:half], calls[half:]))
        return w.branch(Scalar(bool, below), first, second)

    return chosen(sorted(calls, key=lambda call: call[0]))


def _steps(signature: InputSignature) -> dict[int, int]:
    """Return what each tag counts for in the number of a kind of call."""
    steps, step = dict[int, int](), 1
    for index in signature.tags:
        steps[index] = step
        step *= 1 + max(way.get(index, 0) for way in signature.variants)
    return steps


def _code(signature: InputSignature, way: Mapping[int, int]) -> int:
    """Return the number of a kind of call."""
    return sum(step * way.get(index, 0) for index, step in _steps(signature).items())
