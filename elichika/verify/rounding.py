"""Differences that rounding explains: what nudging does to the chain's own result."""

from __future__ import annotations

from functools import partial
from typing import Any

import chainer
import numpy as np

from elichika.verify.changes import nudged
from elichika.verify.compare import Difference, errors, leaf_at
from elichika.verify.derive import Trial
from elichika.verify.kinds import form_of, kind_of
from elichika.verify.sides import Sides

__all__ = ["explained_by_rounding"]

NUDGES = 8
AMPLIFIED = 10.0
"""A difference up to this many times what nudging does to eager is put down to rounding."""


def explained_by_rounding(
    sides: Sides, trial: Trial, expected: Any, difference: Difference | None, seed: int
) -> str | None:
    """Say how nudging inputs and parameters changes eager's own result as much.

    Args:
        sides: The chain, with its model.
        trial: The input.
        expected: What the chain gives on it.
        difference: What differs; None where the model fails.
        seed: For what is drawn at random.

    Returns:
        None where nudging changes less.
    """
    changed: Any = None
    for number in range(NUDGES):
        random = np.random.RandomState(seed + number)
        moved = [_moved(leaf, random) for leaf in trial.leaves]
        outcome = sides.run_chain(moved, partial(_nudge, random=random))
        if outcome.stopped or outcome.error is not None:
            return "eager itself fails after rounding"
        if difference is None:
            continue
        if difference.expected is None:
            if form_of(expected) != form_of(outcome.value):
                return "eager's own structure or shape changes with rounding"
            continue
        try:
            other = np.asarray(leaf_at(outcome.value, difference.steps))
        except LookupError:
            return "eager's own structure changes with rounding"
        if other.shape != difference.expected.shape or other.dtype != difference.expected.dtype:
            return "eager's own shape changes with rounding"
        change = errors(difference.expected, other)
        changed = change if changed is None else np.maximum(changed, change)
        if _is_as_large(changed, difference):  # a run of the chain may take a minute
            return f"`{difference.output}` turns on rounding errors"
    return None


def _is_as_large(changed: Any, difference: Difference) -> bool:
    gap = errors(difference.expected, difference.actual)
    if difference.expected.dtype.kind == "f":
        return bool(gap.max() <= AMPLIFIED * changed.max())
    return bool((changed[gap > 0] > 0).all())


def _moved(leaf: Any, random: np.random.RandomState) -> Any:
    match kind_of(leaf).family:
        case "container":
            return [_moved(item, random) for item in leaf]
        case "array":
            return nudged(leaf, random)
    # A test of a number for 0 has no rounding.
    return type(leaf)(nudged(np.asarray(leaf), random)[()]) if leaf else leaf


def _nudge(chain: Any, random: np.random.RandomState) -> None:
    """Nudge the parameters of a chain that owns them."""
    if isinstance(chain, chainer.Link):
        for _, parameter in sorted(chain.namedparams()):
            if isinstance(parameter.array, np.ndarray):
                parameter.array = nudged(parameter.array, random)
