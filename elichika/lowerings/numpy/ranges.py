"""Ranges as numpy sees them: without any numbers, an array of no floats."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.iterators.base import SymbolicRange
from elichika.values.symbolic import Array, Choice

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def array_of_range(w: LoweringContext, given: SymbolicRange) -> Any:
    """Return what `np.array` makes of a range: ints, or no floats."""
    some = w.binary(operator.gt, given.length, 0)
    if isinstance(some, bool):
        return _numbers(w, given) if some else w.new_array(w.constant(np.zeros(0)))
    none = w.new_array(w.constant(np.zeros(0)))
    return w.narrow(Choice(w.value_of(some), (_numbers(w, given), none)))


def numbers_of_range(w: LoweringContext, given: SymbolicRange, dtype: Any = None) -> Array:
    """Return the numbers of a range; without any, the model fails unless a dtype is asked for."""
    if dtype is None:
        some = w.binary(operator.gt, given.length, 0)
        w.check(some, ValueError, "numpy makes floats of a range without numbers")
    return _numbers(w, given)


def _numbers(w: LoweringContext, given: SymbolicRange) -> Array:
    from elichika.lowerings.numpy.creation import arange

    made: Array = arange(w, given.start, given.stop, given.step)
    return made
