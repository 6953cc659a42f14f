"""Builtins that make one value of many: `sum`, `any`, `all`, `max`, `min`."""

from __future__ import annotations

import builtins
import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.lowerings.python.iterables import is_long, list_, listed
from elichika.numbers.python_numbers import magnitude
from elichika.registry import always, lowers, takes_spreads
from elichika.state.store import MISSING
from elichika.values.kinds import is_number_of_the_run, is_spread
from elichika.values.symbolic import Scalar
from elichika.walker.core import StopConsuming

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(builtins.sum)
@always
def sum_(w: ContainerContext, iterable: Any, start: Any = 0) -> Any:
    """Add up items from the left."""
    iterable = listed(w, iterable)
    if is_long(w, iterable):
        return w.call(idioms.lists.total, [iterable, start], {})
    total = start
    for item in w.static_items(iterable):
        total = w.binary(operator.add, total, item)
    return total


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


def _quantified(w: ContainerContext, iterable: Any, conjunction: bool) -> Any:
    result: list[Any] = [conjunction]
    iterable = w.iterator(iterable)
    if w.is_iterator(iterable):
        iterable = w.call(idioms.iterators.each, [iterable], {})
    generator, site = w.as_generator(iterable), w.site()
    if generator is None and (is_long(w, iterable) or w.is_stepwise(site)):
        return w.call(idioms.lists.all_of if conjunction else idioms.lists.any_of, [iterable], {})
    scope = w.graph.scope
    stops: list[Any] = []

    def take(item: Any) -> None:
        if w.graph.scope is not scope:
            raise _ManyItems
        truth = w.truth(item)
        if not is_number_of_the_run(truth):
            if bool(truth) != conjunction:
                result[0] = not conjunction
                raise StopConsuming
            return
        stops.append(w.store.mark())
        if conjunction:
            result[0] = w.both(result[0], truth)
        else:
            result[0] = w.not_(w.both(w.not_(result[0]), w.not_(truth)))

    mark = w.store.mark()
    if generator is not None:
        try:
            w.consume(generator, take)
            if stops:
                w.require_unseen(generator, mark, stops[0])
        except _ManyItems:
            w.store.undo(mark)
            result[0] = _quantified(w, w.ready(generator), conjunction)
        return result[0]
    try:
        for item in w.remaining(iterable):
            take(item)
    except StopConsuming:
        pass
    if stops:
        w.require_unseen(iterable, mark, stops[0])
        w.leave(iterable, site)
    return result[0]


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
        args = (listed(w, args[0]),)
    if len(args) == 1 and is_long(w, args[0]):
        return _dynamic_extreme(w, better, args[0], key, default)
    items = w.static_items(args[0]) if len(args) == 1 else list(args)
    if not items:
        if default is MISSING:
            w.raise_static(ValueError("arg is an empty sequence"))
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


def _dynamic_extreme(
    w: ContainerContext, better: Any, iterable: Any, key: Any, default: Any
) -> Any:
    if key is not None:
        return extreme_by_key(w, better, iterable, key, default)
    items = list_(w, iterable)
    length = w.sequences.length(items)
    some = w.truth(w.binary(operator.gt, length, 0))
    walked = idioms.lists.largest if better is operator.gt else idioms.lists.smallest
    if default is not MISSING:
        return w.branch(some, lambda: w.call(walked, [items, length], {}), lambda: default)
    w.check(some, ValueError, "arg is an empty sequence")
    return w.call(walked, [items, length], {})


def extreme_by_key(w: ContainerContext, better: Any, iterable: Any, key: Any, default: Any) -> Any:
    """Return the first of the items with the best key; their number is known at run time."""
    items = w.call(list, [iterable], {})
    some = w.truth(w.binary(operator.gt, w.sequences.length(items), 0))
    if default is not MISSING:
        return w.branch(
            some, lambda: w.call(idioms.lists.best_of, [items, key, better], {}), lambda: default
        )
    w.check(some, ValueError, "arg is an empty sequence")
    return w.call(idioms.lists.best_of, [items, key, better], {})
