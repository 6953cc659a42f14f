"""Ranges, of known and of run-time bounds."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.iterators.base import Staged, SymbolicRange
from elichika.values import python_words
from elichika.values.symbolic import COUNTER_BOUND, Scalar
from elichika.walker.kinds.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext

__all__ = ["KnownRanges", "Ranges", "Slices"]


class Ranges(Kind):
    """A range of which a bound or the step is known only when the model runs."""

    is_symbolic = True

    def type_of(self, value: SymbolicRange) -> type:
        """Return the type of ranges."""
        return range

    def attribute(self, w: KindContext, obj: SymbolicRange, name: str, default: Any) -> Any:
        """Return `obj.name`."""
        return w.iterable_attribute(obj, name, default)

    def truth(self, w: KindContext, value: SymbolicRange) -> Any:
        """Return whether it has a number."""
        return w.truth(value.length)

    def iterate(self, w: KindContext, value: SymbolicRange) -> Staged:
        """Return its numbers."""
        return Staged(value.length, lambda i: _number(w, value, i))

    def get_item(self, w: KindContext, obj: SymbolicRange, index: Any) -> Any:
        """Return `obj[index]`."""
        if isinstance(index, slice):
            return _part(w, obj, index)
        index = w.index_of(index, "range indices must be integers or slices, not {}")
        if isinstance(index, Scalar) and not index.is_python:
            index = w.call(int, [index], {})
        below = w.truth(w.binary(operator.lt, index, 0))
        position = w.branch(below, lambda: w.binary(operator.add, index, obj.length), lambda: index)
        inside = w.both(
            w.truth(w.binary(operator.ge, position, 0)),
            w.truth(w.binary(operator.lt, position, obj.length)),
        )
        w.check(inside, IndexError, "range object index out of range", python_words.RANGE_INDEX)
        return _number(w, obj, position)

    def contains(self, w: KindContext, container: SymbolicRange, value: Any) -> Any:
        """Return `value in container`, by arithmetic for an int."""
        if not issubclass(w.type_of(value), int):
            return super().contains(w, container, value)
        offset = w.binary(operator.sub, value, container.start)
        position = w.binary(operator.floordiv, offset, container.step)
        inside = w.both(
            w.truth(w.binary(operator.ge, position, 0)),
            w.truth(w.binary(operator.lt, position, container.length)),
        )
        met = w.binary(operator.mod, offset, container.step)
        return w.both(inside, w.truth(w.binary(operator.eq, met, 0)))


class KnownRanges(Kind):
    """A range of Python's."""

    def iterate(self, w: KindContext, value: range) -> Staged:
        """Return its numbers."""
        known = SymbolicRange(value.start, value.stop, value.step, len(value))
        return Staged(len(value), lambda i: _number(w, known, i))

    def get_item(self, w: KindContext, obj: range, index: Any) -> Any:
        """Return `obj[index]`; the index may be a number of the run."""
        if w.is_symbolic(index):
            if isinstance(index, slice):
                return _part(w, obj, index)
            return w.get_item(SymbolicRange(obj.start, obj.stop, obj.step, len(obj)), index)
        return w.native(operator.getitem, [obj, index], {})


def _part(w: KindContext, numbers: Any, index: slice) -> Any:
    """Return the range that a slice of a range is."""
    text = "slice indices must be integers or None or have an __index__ method"
    ends = (index.start, index.stop, index.step)
    bounds = [end if end is None else w.index_of(end, text) for end in ends]
    return w.call(idioms.slices.part_of_range, [numbers, *bounds], {})


def _number(w: KindContext, value: SymbolicRange, index: Any) -> Any:
    """Return the number of a range at a position that is there."""
    plain = isinstance(value.step, int) and value.step == 1
    step = index if plain else w.binary(operator.mul, index, value.step)
    result = w.binary(operator.add, value.start, step)
    if isinstance(result, Scalar):
        result.bound = min(result.bound, COUNTER_BOUND)
    return result


class Slices(Kind):
    """A slice, whose bounds may be known only when the model runs."""

    def parts(self, w: KindContext, value: slice) -> Iterable[Any]:
        """Return its bounds and its step."""
        return (value.start, value.stop, value.step)
