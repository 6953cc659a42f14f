"""Sorting, and the methods of lists, tuples, dicts and sets that `builtins.py` leaves."""

from __future__ import annotations

import builtins
import collections
import functools
import operator
from collections.abc import Callable
from typing import Any

from elichika import idioms
from elichika.lowerings.builtins import _is_long, _listed, always, set_
from elichika.queue_idioms import Deque
from elichika.registry import lowers
from elichika.store import MISSING
from elichika.values import Choice, Scalar, Seq


def ordered(w: Any, iterable: Any, key: Any, reverse: Any) -> Any:
    """Return a fresh list of the items in order."""
    if isinstance(reverse, Scalar):
        return w.branch(
            w.truth(reverse),
            lambda: ordered(w, iterable, key, True),
            lambda: ordered(w, iterable, key, False),
        )
    if isinstance(iterable, (set, frozenset)):
        iterable = tuple(w.sure_items(iterable) if isinstance(iterable, set) else iterable)
    iterable = _listed(w, iterable)
    if _is_long(w, iterable):
        return w.call(idioms.ordered, [w.call(list, [iterable], {}), key, bool(reverse)], {})
    items = w.static_items(iterable)
    if isinstance(key, functools.cmp_to_key(lambda a, b: 0).__class__):
        w.refuse("`cmp_to_key` is not supported", "sort by a key")
    keys = items if key is None else [w.call(key, [item], {}) for item in items]
    if not w.is_symbolic(tuple(keys)):
        try:
            places = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(reverse))
        except TypeError as error:
            w.raise_static(error)
        return w.new_list([items[i] for i in places])
    if not all(isinstance(k, (Scalar, bool, int, float)) for k in map(w.narrow, keys)):
        w.refuse("only numbers known when the model runs are sorted", "sort by a key")
    return w.call(idioms.ordered, [w.new_list(items), key, bool(reverse)], {})


@lowers(collections.deque)
@always
def deque(w: Any, *args: Any, **kwargs: Any) -> Any:
    """An object of `queue_idioms`, over a list."""
    return w.call(Deque, list(args), kwargs)


@lowers(builtins.sorted)
@always
def sorted_(w: Any, iterable: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """Return the items in order; items that are equal keep theirs."""
    return ordered(w, iterable, key, reverse)


@lowers(list.sort)
@always
def list_sort(w: Any, obj: Any, *, key: Any = None, reverse: Any = False) -> None:
    """Sort in the store."""
    made = ordered(w, obj, key, reverse)
    w.store.set(obj, "[items]", w.version(made, "[items]"))


def _first(w: Any, items: Any, value: Any, start: int, kind: str) -> Any:
    """Return where the first item that equals `value` is, among items of known number."""
    if start == len(items):
        w.raise_static(ValueError(f"the value is not in {kind}"))
    same = w.truth(w.binary(operator.eq, items[start], value))
    return w.branch(same, lambda: start, lambda: _first(w, items, value, start + 1, kind))


@lowers(list.index, tuple.index)
@always
def index(w: Any, obj: Any, value: Any, *bounds: Any) -> Any:
    """Find an item that equals a value."""
    if bounds:
        w.refuse("`index` with bounds is not compiled")
    if isinstance(obj, list) and isinstance(w.version(obj, "[items]"), Seq):
        w.sequences.require_numbers(obj, value)
        return w.call(idioms.position, [obj, value], {})
    return _first(w, w.items(obj), value, 0, w.type_of(obj).__name__)


@lowers(list.count, tuple.count)
@always
def count(w: Any, obj: Any, value: Any) -> Any:
    """Count the items that equal a value."""
    if isinstance(obj, list) and isinstance(w.version(obj, "[items]"), Seq):
        w.sequences.require_numbers(obj, value)
        return w.call(idioms.count, [obj, value], {})
    total: Any = 0
    for item in w.items(obj):
        same = w.truth(w.binary(operator.eq, item, value))
        total = w.binary(operator.add, total, w.call(int, [same], {}))
    return total


@lowers(list.remove)
@always
def list_remove(w: Any, obj: Any, value: Any) -> None:
    """Take out the first item that equals a value."""
    place = index(w, obj, value)
    if isinstance(place, Choice):
        place = w.choices.numbers(place)
    w.delete_item(obj, place)


@lowers(dict.clear, set.clear)
@always
def clear(w: Any, obj: Any) -> None:
    """Empty in the store."""
    w.store.set(obj, "[items]", {})


@lowers(dict.popitem)
@always
def popitem(w: Any, obj: Any) -> Any:
    """Take the last item out."""
    items = w.sure_items(obj)
    if not items:
        w.raise_static(KeyError("popitem(): dictionary is empty"))
    key = list(items)[-1]
    w.delete_item(obj, key)
    return key, items[key]


@lowers(dict.fromkeys)
@always
def fromkeys(w: Any, keys: Any, value: Any = None) -> Any:
    """Make a dict with one value for all keys."""
    return w.new_dict({w.hashable(key): value for key in w.static_items(keys)})


@lowers(set.pop)
@always
def set_pop(w: Any, obj: Any) -> Any:
    """Take the only key out; which one of several, Python does not say."""
    items = w.sure_items(obj)
    if len(items) > 1:
        w.refuse("which item `pop` of a set takes is not fixed")
    if not items:
        w.raise_static(KeyError("pop from an empty set"))
    (key,) = items
    w.store.set(obj, "[items]", {})
    return key


def _in_place(method: Any, op: Callable[[Any, Any], Any]) -> None:
    @lowers(method)
    @always
    def lowering(w: Any, obj: Any, *others: Any) -> None:
        for other in others:
            w.augmented("", op, obj, set_(w, other))


_in_place(set.update, operator.or_)
_in_place(set.difference_update, operator.sub)
_in_place(set.intersection_update, operator.and_)
_in_place(set.symmetric_difference_update, operator.xor)


def extreme_by_key(w: Any, better: Any, iterable: Any, key: Any, default: Any) -> Any:
    """Return the first of the items with the best key; their number is known at run time."""
    items = w.call(list, [iterable], {})
    some = w.truth(w.binary(operator.gt, w.sequences.length(items), 0))
    if default is not MISSING:
        return w.branch(
            some, lambda: w.call(idioms.best_of, [items, key, better], {}), lambda: default
        )
    w.check(some, ValueError, "arg is an empty sequence")
    return w.call(idioms.best_of, [items, key, better], {})
