"""Where a run first leaves that of another model of the same chain, step by step.

A file is often wrong where a new model of the chain is right: a tool changed it, or the chain has
changed since. What the new model gives at each step is then what the chain has there, if it gives
what the chain gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from elichika.model.trace import Step

__all__ = ["close", "first_unlike"]

TOLERANCE = 1e-3
"""Relative to the largest magnitude: what rounding does not explain."""
MOST = 0.9
"""Of the names of nodes: so many are the same where the graphs are; they have numbers in them."""


def first_unlike(steps: Sequence[Step], others: Sequence[Step]) -> Step | None:
    """Return the first step that gives something else than its counterpart, one with a line if any.

    Branches and loops give what steps within them do, and are left out.
    """
    names = _counterparts(steps, others)
    known = {(one.name, one.turns): one for one in others}
    unlike = list(_unlike(steps, names, known))
    return next((one for one in unlike if one.label), unlike[0] if unlike else None)


def _unlike(
    steps: Sequence[Step], names: Mapping[str, str], known: Mapping[Any, Step]
) -> Iterator[Step]:
    for step in steps:
        other = known.get((names.get(step.name), step.turns))
        if other is None or step.op in ("If", "Loop"):
            continue
        pairs = zip(step.outputs.values(), other.outputs.values(), strict=False)
        if not all(close(one, right) for one, right in pairs):
            yield step


def _counterparts(steps: Sequence[Step], others: Sequence[Step]) -> Mapping[str, str]:
    """Return the names of nodes with those of the other model."""
    ours, theirs = ({one.name: one for one in each} for each in (steps, others))
    both = ours.keys() & theirs.keys()
    if len(both) > MOST * min(len(ours), len(theirs)):
        return {name: name for name in both}
    a, b = (
        [(one.label, one.layer, one.op, len(one.turns)) for one in each.values()]
        for each in (ours, theirs)
    )
    found: dict[str, str] = {}
    names, same = list(ours), list(theirs)
    for what, first, end, start, stop in SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes():
        if what == "equal" or end - first == stop - start:  # else one is not there
            found |= dict(zip(names[first:end], same[start:stop], strict=True))
    return found


def close(one: Any, right: Any) -> bool:
    """Tell whether values are the same but for rounding, and for axes of one element."""
    match one, right:
        case list(), list():
            return len(one) == len(right) and all(map(close, one, right))
        case (list(), _) | (_, list()):
            return False
    a, b = np.asarray(one).squeeze(), np.asarray(right).squeeze()
    if a.shape != b.shape:
        return False
    if a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return bool((a == b).all())
    with np.errstate(all="ignore"):
        finite = np.abs(b[np.isfinite(b)])
        scale = float(finite.max()) if finite.size else 0.0
        return bool(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True))
