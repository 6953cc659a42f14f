"""Builtins that make one value of many: `sum`, `any`, `all`, `max`, `min`."""

from __future__ import annotations

import builtins
import operator
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.iterators.base import DictView
from elichika.lowerings.python.iterables import list_
from elichika.lowerings.python.sets import SET_DECIDES, in_any_order, thawed
from elichika.lowerings.python.sorting import sure_key
from elichika.program.raised import StopConsuming
from elichika.registry import always, lowers, takes_spreads
from elichika.state.joins.plain import ANY_INT
from elichika.state.store import MISSING
from elichika.values import python_words
from elichika.values.kinds import is_number_of_the_run, is_set, is_spread, magnitude
from elichika.values.symbolic import Scalar

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext
    from elichika.state.store import Mark


@lowers(builtins.sum)
@always
def sum_(w: ContainerContext, iterable: Any, start: Any = 0) -> Any:
    """Add up items from the left."""
    iterable = thawed(w, w.settled(iterable))
    if is_set(iterable) and _holds_ints(w, iterable):
        iterable = in_any_order(w, iterable)
    if not w.is_known(iterable):
        return w.call(idioms.lists.total, [iterable, start], {})
    return reduce(partial(w.binary, operator.add), w.static_items(iterable), start)


def _holds_ints(w: ContainerContext, held: Any) -> bool:
    """Tell whether all items of a set are ints, whose sum is the same in any order."""
    table = w.tables.opened(held)
    if table is None:
        return all(type(key) is int for key in w.items_of(held))
    return bool(table.type.key == ANY_INT)


@lowers(builtins.any)
@always
def any_(w: ContainerContext, iterable: Any) -> Any:
    """Tell whether some item is true."""
    return _quantified(w, iterable, False)


@lowers(builtins.all)
@always
def all_(w: ContainerContext, iterable: Any) -> Any:
    """Tell whether all items are true."""
    return _quantified(w, iterable, True)


class _ManyItems(Exception):
    """How often a generator yields is known only when the model runs."""


class _Quantifier:
    """What is known of `any` or `all` of the items that were taken so far."""

    def __init__(self, w: ContainerContext, conjunction: bool) -> None:
        self._w = w
        self._scope = w.graph.scope
        self._conjunction = conjunction
        self.result: Any = conjunction
        self.decided_by: Mark | None = None  # the first item of which the model tells

    def take(self, item: Any) -> None:
        """Take one more item.

        Raises:
            StopConsuming: No other item is asked for.
            _ManyItems: It is one of several.
        """
        w = self._w
        if w.graph.scope is not self._scope:
            raise _ManyItems
        truth = w.truth(item)
        if not is_number_of_the_run(truth):
            if bool(truth) != self._conjunction:
                self.result = not self._conjunction
                raise StopConsuming
            return
        self.decided_by = self.decided_by or w.store.mark()
        if self._conjunction:
            self.result = w.both(self.result, truth)
        else:
            self.result = w.not_(w.both(w.not_(self.result), w.not_(truth)))


def _quantified(w: ContainerContext, iterable: Any, conjunction: bool) -> Any:
    idiom = idioms.lists.all_of if conjunction else idioms.lists.any_of
    given = iterable = w.iterator(iterable)
    if w.is_iterator(given):
        iterable = w.call(idioms.iterators.asked, [given], {})
    generator, site = w.as_generator(iterable), w.site()
    if generator is None and (not w.is_known(iterable) or w.is_stepwise(site)):
        return w.call(idiom, [iterable], {})
    source = iterable if generator is None else generator
    of, mark = _Quantifier(w, conjunction), w.store.mark()
    try:
        if generator is not None:
            w.consume(generator, of.take)
        else:
            for item in w.remaining(iterable):
                of.take(item)
    except StopConsuming:
        if generator is not None:
            raise
    except _ManyItems:
        w.store.undo(mark)
        if given is not iterable:
            return w.call(idiom, [w.call(idioms.iterators.asked, [given], {})], {})
        return _quantified(w, w.ready(source), conjunction)
    if of.decided_by is not None:
        w.require_unseen(source, mark, of.decided_by)
        if generator is None:
            w.leave(iterable, site)
    return of.result


@lowers(builtins.max)
@always
@takes_spreads
def max_(w: ContainerContext, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the largest items."""
    return _extreme(w, operator.gt, args, key, default)


@lowers(builtins.min)
@always
@takes_spreads
def min_(w: ContainerContext, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the smallest items."""
    return _extreme(w, operator.lt, args, key, default)


_EMPTY = "arg is an empty sequence"
_NO_DEFAULT = "Cannot specify a default for max() and min() with multiple positional arguments"


def _extreme(
    w: ContainerContext, better: Any, args: tuple[Any, ...], key: Any, default: Any
) -> Any:
    if not args:
        w.raise_static(TypeError("max and min expected at least 1 argument, got 0"))
    if any(map(is_spread, args)):
        return _of_spread(w, better, args, key, default)
    if len(args) > 1 and default is not MISSING:
        w.raise_static(TypeError(_NO_DEFAULT))
    if len(args) == 1:
        args, key = (thawed(w, w.settled(args[0])),), sure_key(args[0], key)
        if is_set(args[0]):
            if key is None:
                args = (in_any_order(w, args[0]),)
            elif not w.tables.sets.is_ordered(args[0]):
                w.tables.sets.ask_order()
                return _extreme_of_set(w, better, args[0], key, default)
    if len(args) == 1 and not w.is_known(args[0]):
        return _dynamic_extreme(w, better, args[0], key, default)
    items = w.static_items(args[0]) if len(args) == 1 else list(args)
    if not items:
        if default is MISSING:
            w.check(False, ValueError, _EMPTY, _said_of_none(better))
        return default
    best = items[0]
    best_key = best if key is None else w.call(key, [best], {})
    for item in items[1:]:
        item_key = item if key is None else w.call(key, [item], {})
        test = w.truth(w.binary(better, item_key, best_key))
        if key is None and is_number_of_the_run(test) and _are_ints(item, best):
            best = best_key = _of_ints(w, better, best, item)
            continue
        new, old = (item, item_key), (best, best_key)
        best, best_key = w.branch(test, partial(tuple, new), partial(tuple, old))
    return best


def _of_spread(
    w: ContainerContext, better: Any, args: tuple[Any, ...], key: Any, default: Any
) -> Any:
    """Return the best of `*items`: of one argument, the best of what that holds."""
    items = w.together(list(args))
    length = w.call(len, [items], {})
    some = w.truth(w.binary(operator.gt, length, 0))
    w.check(some, TypeError, "max and min expected at least 1 argument, got 0")

    def of_all() -> Any:
        if default is not MISSING:
            w.raise_static(TypeError(_NO_DEFAULT))
        return _dynamic_extreme(w, better, items, key, MISSING)

    if len(args) > 2:
        return of_all()
    alone = w.truth(w.binary(operator.eq, length, 1))
    return w.branch(
        alone, lambda: _extreme(w, better, (w.get_item(items, 0),), key, default), of_all
    )


def _said_of_none(better: Any) -> tuple[Any, ...]:
    return python_words.no_items(max if better is operator.gt else min)


def _are_ints(*numbers: Any) -> bool:
    return all(
        n.type is int if is_number_of_the_run(n) else type(n) is int and -(2**63) <= n < 2**63
        for n in numbers
    )


def _of_ints(w: LoweringContext, better: Any, a: Any, b: Any) -> Scalar:
    """Return the larger or smaller of two ints."""
    g = w.graph
    emit = g.Max if better is operator.gt else g.Min
    values = [w.value_of(number, np.int64) for number in (a, b)]
    result: Scalar = w.scalar(int, emit(*values), max(magnitude(a), magnitude(b)))
    return result


def _extreme_of_set(w: ContainerContext, better: Any, held: Any, key: Any, default: Any) -> Any:
    """Return the best item of a set whose order is not known: no other has the same key."""
    items = w.call(list, [DictView(held, "keys")], {})
    if w.tables.opened(held) is None:
        mark = w.store.mark()
        keys = [w.call(key, [item], {}) for item in w.static_items(items)]
        w.require_unseen(None, mark)
        known = {*map(type, keys)} in ({int}, {float}, {str}) and not any(k != k for k in keys)
        if known and keys.count(max(keys) if better is operator.gt else min(keys)) > 1:
            w.refuse(SET_DECIDES)
    return _dynamic_extreme(w, better, items, key, default, apart=True)


def _dynamic_extreme(
    w: ContainerContext,
    better: Any,
    iterable: Any,
    key: Any,
    default: Any,
    apart: bool = False,
) -> Any:
    """Return the first of the best items; their number is known at run time.

    `apart`: their order is not known, so no two of them may have the best key.
    """
    items = list_(w, iterable)

    def best() -> Any:
        if key is None:
            return w.call(idioms.lists.extreme, [items, better], {})
        if not apart:
            return w.call(idioms.lists.best_of, [items, key, better], {})
        mark = w.store.mark()
        found = w.call(idioms.lists.best_in_any_order, [items, key, better], {})
        w.require_unseen(None, mark)
        return found

    some = w.truth(w.binary(operator.gt, w.sequences.length(items), 0))
    if default is not MISSING:
        return w.branch(some, best, lambda: default)
    w.check(some, ValueError, _EMPTY, _said_of_none(better))
    return best()
