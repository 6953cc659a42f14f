"""The methods of lists and tuples, and what works on lists: `deque`, `heapq`, `bisect`."""

from __future__ import annotations

import bisect
import collections
import heapq
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.idioms.queues import Deque, steady
from elichika.iterators import Steady
from elichika.lowerings.python.iterables import list_
from elichika.registry import always, lowers, takes_choices
from elichika.values import python_words
from elichika.values.kinds import is_choice, is_number_of_the_run

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


# -- looking for items -----------------------------------------------------------------------------


@lowers(list.index, tuple.index)
@always
def index(w: ContainerContext, obj: Any, value: Any, *bounds: Any) -> Any:
    """Find an item that equals a value."""
    size = w.call(len, [obj], {})
    text = "slice indices must be integers or have an __index__ method"
    given = (w.index_of(w.whole(bound), text) for bound in bounds)
    ends = [w.call(idioms.slices.place_within, [bound, size], {}) for bound in given]
    start, stop = [*ends, *[0, size][len(ends) :]]
    if w.is_dynamic(obj):
        same = w.sequences.comparison(obj, value)
        if not bounds:
            return w.call(idioms.lists.position, [obj, value, same], {})
        return w.call(idioms.slices.position_between, [obj, value, same, start, stop], {})
    items = w.items(obj)
    low = start if type(start) is int else 0
    high = stop if type(stop) is int else len(items)

    def is_it(place: int) -> Any:
        after = w.truth(w.binary(operator.ge, place, start))
        inside = w.both(after, w.truth(w.binary(operator.lt, place, stop)))
        return w.truth(w.branch(inside, lambda: w.same_item(items[place], value), lambda: False))

    return _first(w, is_it, low, high, w.type_of(obj).__name__)


def _first(w: ContainerContext, is_it: Any, place: int, end: int, kind: str) -> Any:
    """Return the first place that is it, before the end of items of known number."""
    if place >= end:
        w.raise_static(ValueError(f"the value is not in {kind}"))
    return w.branch(is_it(place), lambda: place, lambda: _first(w, is_it, place + 1, end, kind))


@lowers(list.count, tuple.count)
@always
def count(w: ContainerContext, obj: Any, value: Any) -> Any:
    """Count the items that equal a value."""
    if w.is_dynamic(obj):
        same = w.sequences.comparison(obj, value)
        return w.call(idioms.lists.count, [obj, value, same], {})
    total: Any = 0
    for item in w.items(obj):
        total = w.binary(operator.add, total, w.call(int, [w.same_item(item, value)], {}))
    return total


@lowers(list.remove)
@always
def remove(w: ContainerContext, obj: Any, value: Any) -> None:
    """Take out the first item that equals a value."""
    place = index(w, obj, value)
    w.container_delete(obj, w.choices.numbers(place) if is_choice(place) else place)


# -- changing lists --------------------------------------------------------------------------------


@lowers(list.append)
@always
@takes_choices
def append(w: ContainerContext, obj: Any, value: Any) -> None:
    """Append in the store."""
    w.append(obj, value)


@lowers(list.extend)
@always
def extend(w: ContainerContext, obj: Any, value: Any) -> None:
    """Extend in the store."""
    w.extend(obj, value)


@lowers(list.pop)
@always
def pop(w: ContainerContext, obj: Any, index: Any = -1) -> Any:
    """Take an element out."""
    if w.items_of(obj) == ():
        w.check(False, IndexError, _EMPTY, python_words.LIST_POP_EMPTY)
    index = w.whole(index)
    if w.guarded:
        _require_item(w, obj, index)
    value = w.container_get(obj, index)
    w.container_delete(obj, index)
    return value


_EMPTY = "pop from empty list"


def _require_item(w: ContainerContext, obj: Any, index: Any) -> None:
    """Check, with the words of `pop`, that there is an item at an index."""
    size = w.sequences.length(obj)
    w.check(w.truth(obj), IndexError, _EMPTY, python_words.LIST_POP_EMPTY)
    if hasattr(w.type_of(index), "__index__") and (w.is_symbolic(index) or index not in (0, -1)):
        below = w.truth(w.binary(operator.lt, index, size))
        above = w.truth(w.binary(operator.ge, index, w.unary(operator.neg, size)))
        inside = w.both(below, above)
        w.check(inside, IndexError, "pop index out of range", python_words.LIST_POP)


@lowers(list.insert)
@always
def insert(w: ContainerContext, obj: Any, index: Any, value: Any) -> None:
    """Insert before a position that is clamped to the list, as Python does."""
    items = w.items_of(obj)
    index = w.index_of(w.whole(index), "'{}' object cannot be interpreted as an integer")
    if not w.is_dynamic(obj):
        if not items or not is_number_of_the_run(index):
            left = list(items)
            left.insert(0 if is_number_of_the_run(index) else index, value)
            w.set_items(obj, tuple(left))
            return
        items = w.sequences.promoted(items)
    g = w.graph
    length = w.sequences.length_of(items)
    place = g.Max(g.Min(w.value_of(index, np.int64), length), g.Neg(length))
    w.set_items(obj, w.sequences.insert(items, value, place))


@lowers(list.reverse)
@always
def reverse(w: ContainerContext, obj: Any) -> None:
    """Reverse in the store."""
    items, backwards = w.items_of(obj), slice(None, None, -1)
    dynamic = w.is_dynamic(obj)
    w.set_items(obj, w.sequences.sliced(items, backwards) if dynamic else items[backwards])


@lowers(list.clear)
@always
def clear(w: ContainerContext, obj: Any) -> None:
    """Empty the list in the store."""
    w.set_items(obj, ())


@lowers(list.copy)
@always
def copy(w: ContainerContext, obj: Any) -> Any:
    """Return a fresh list of the same items, past an `__iter__` of the class."""
    if type(obj) is list:
        return list_(w, obj)
    made = w.new_list(())
    w.set_items(made, w.items_of(obj))
    return made


# -- what works on lists ---------------------------------------------------------------------------


@lowers(collections.deque)
@always
def deque(w: LoweringContext, *args: Any, **kwargs: Any) -> Any:
    """An object of `idioms.queues`, over a list."""
    return w.call(Deque, list(args), kwargs)


def _known_deque(name: str) -> None:
    @lowers(getattr(collections.deque, name))
    @always
    def changed(w: ContainerContext, obj: Any, *given: Any) -> Any:
        """Change a deque that was there before the walk: what it holds is in the store."""
        twin = w.call(Deque, [list_(w, obj), obj.maxlen], {})
        result = w.call(getattr(Deque, name), [twin, *given], {})
        w.set_items(obj, w.items_of(w.get_attribute(twin, "_items")))
        return result


for _name in sorted(vars(Deque).keys() & vars(collections.deque).keys()):
    if not _name.startswith("_") and _name != "maxlen":
        _known_deque(_name)


@lowers(steady)
@always
def deque_iterator(w: ContainerContext, given: Any, items: Any) -> Any:
    """Run over a list as long as the items of a deque stay what they are."""
    return w.started(Steady(w, w.container_iterate(given), items))


def _walked(function: Any, idiom: Any) -> None:
    @lowers(function)
    @always
    def lowering(w: LoweringContext, *args: Any, **kwargs: Any) -> Any:
        return w.call(idiom, list(args), kwargs)


for _of, _idioms in ((heapq, idioms.heaps), (bisect, idioms.searches)):
    for _name in _idioms.__all__:
        _walked(getattr(_of, _name), getattr(_idioms, _name))
