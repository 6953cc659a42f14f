"""Builtins that make iterators and containers, and those that consume them."""

from __future__ import annotations

import builtins
import operator
import types
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.iterators import Backwards, Enumerate, Map, Over, Zip
from elichika.iterators.base import ENDED, Cursor, InstanceDict, SymbolicRange
from elichika.numbers.python_numbers import magnitude
from elichika.registry import always, lowers, takes_choices, takes_spreads
from elichika.state.store import MISSING
from elichika.values.functions import Closure, GeneratorCall
from elichika.values.symbolic import COUNTER_BOUND, DynamicTuple, Scalar, Spread, Symbolic
from elichika.walker.loops import StopConsuming
from onnx_graph import compare

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.walker.walker import Walker


@lowers(builtins.range)
def range_(w: LoweringContext, *bounds: Any) -> Any:
    """Return a range whose length is known when the model runs."""
    if not 1 <= len(bounds) <= 3:
        w.raise_static(TypeError(f"range expected 1 to 3 arguments, got {len(bounds)}"))
    bounds = tuple(map(w.whole, bounds))
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    for bound in (start, stop, step):
        if isinstance(bound, Scalar) and not issubclass(bound.type, (int, np.integer)):
            w.raise_static(
                TypeError(f"'{bound.type.__name__}' object cannot be interpreted as an integer")
            )
    zero = "range() arg 3 must not be zero"
    if isinstance(step, Scalar):
        w.check(w.binary(operator.ne, step, 0), ValueError, zero)
    elif step == 0:
        w.raise_static(ValueError(zero))
    span = w.binary(operator.sub, stop, start)
    if isinstance(step, Scalar) or step != 1:
        # ceil(span / step) for either sign of the step
        over = w.binary(operator.floordiv, w.unary(operator.neg, span), step)
        span = w.unary(operator.neg, over)
    if isinstance(span, Scalar) and not (
        span.dim is not None and compare(span.dim, ">=", 0) is True
    ):
        g = w.graph
        clipped = g.Max(w.value_of(span, np.int64), g.constant(np.array(0, np.int64)))
        span = w.scalar(int, clipped, COUNTER_BOUND)
    elif not isinstance(span, Scalar):
        span = max(span, 0)
    return SymbolicRange(start, stop, step, span)


def index_of(w: LoweringContext, value: Any) -> None:
    """Raise what Python does where a value is no integer."""
    kind = w.type_of(value)
    if not hasattr(kind, "__index__"):
        text = f"'{kind.__name__}' object cannot be interpreted as an integer"
        w.raise_static(TypeError(text))


@lowers(builtins.enumerate)
@always
@takes_choices
def enumerate_(w: Walker, iterable: Any, start: Any = 0) -> Any:
    """Pair each item with its number."""
    index_of(w, start)
    child = w.iterator(iterable)
    if w.as_generator(child) is not None:
        return w.call(idioms.iterators.enumerated, [child, start], {})
    return w.started(Enumerate(child, start))


@lowers(builtins.iter)
@always
def iter_(w: Walker, iterable: Any, *sentinel: Any) -> Any:
    """Return an iterator."""
    if sentinel:
        return w.call(idioms.iterators.until, [iterable, *sentinel], {})
    return w.iterator(iterable)


@lowers(builtins.next)
@always
def next_(w: Walker, iterator: Any, *default: Any) -> Any:
    """Take the next item of an iterator."""
    iterator = w.narrow(iterator)
    if not w.is_asked(iterator):
        method = w.special(iterator, "__next__")
        if method is None:
            w.raise_static(TypeError(f"'{w.type_of(iterator).__name__}' object is not an iterator"))
    elif not isinstance(iterator, (Cursor, GeneratorCall)) and not default:
        return w.call(w.special(iterator, "__next__"), [iterator], {})

    def ended() -> Any:
        if default:
            return default[0]
        w.raise_static(StopIteration("the iterator has no more items"))

    return w.ask(iterator, lambda item: item, ended)


@lowers(builtins.zip)
@always
@takes_choices
@takes_spreads
def zip_(w: Walker, *iterables: Any, strict: Any = False) -> Any:
    """Run several iterables side by side, as far as the shortest."""
    if any(isinstance(one, Spread) for one in iterables):
        return w.columns(w.together(list(iterables)))
    strict = w.truth(strict)
    if isinstance(strict, Scalar):
        w.refuse(
            "whether `zip` is strict must be known before the model runs",
            "compare the lengths with `assert`",
        )
    return w.started(Zip(tuple(map(w.iterator, iterables)), strict))


def listed(w: Walker, iterable: Any) -> Any:
    """Return what an iterator gives as a list, if it is known how much; others as they are."""
    return w.settled(iterable)


@lowers(builtins.reversed)
@always
def reversed_(w: Walker, iterable: Any) -> Any:
    """Run an iterable backwards."""
    iterable = w.narrow(iterable)
    method = None if isinstance(iterable, Symbolic) else w.special(iterable, "__reversed__")
    if isinstance(method, (types.FunctionType, Closure)):
        return w.call(iter, [w.call(method, [iterable], {})], {})
    for name in ("__len__", "__getitem__"):
        if isinstance(iterable, tuple) and w.overriding(iterable, name) is not None:
            w.refuse(f"`reversed` of a tuple whose class has its own `{name}` is not compiled")
    if w.is_asked(iterable) or isinstance(iterable, (set, frozenset)):
        kind = w.type_of(iterable).__name__
        w.raise_static(TypeError(f"'{kind}' object is not reversible"))
    kept = isinstance(iterable, (list, tuple))
    staged = w.container_iterate(iterable) if kept else w.iterate(w.settled(iterable))
    return w.started(Backwards(staged, w.binary(operator.sub, staged.length, 1), iterable))


@lowers(builtins.map)
@always
def map_(w: Walker, function: Any, *iterables: Any) -> Any:
    """Apply a function to each item, when the item is asked for."""
    if not iterables:
        w.raise_static(TypeError("map() must have at least two arguments."))
    children = tuple(map(w.iterator, iterables))
    if len(children) == 1 and w.as_generator(children[0]) is not None:
        return w.call(idioms.iterators.mapped, [function, *children], {})
    return w.started(Map(function, children))


@lowers(builtins.filter)
@always
def filter_(w: Walker, function: Any, iterable: Any) -> Any:
    """Keep the items that pass a test."""
    return w.call(idioms.iterators.kept, [function, w.iterator(iterable)], {})


@lowers(builtins.list)
@always
def list_(w: Walker, iterable: Any = ()) -> Any:
    """Make a list."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, list) and w.overriding(iterable, "__iter__") is None:
        made = w.new_list(())
        w.set_items(made, w.items_of(iterable))
        return made
    settled = listed(w, iterable)
    if settled is not iterable and isinstance(settled, list):
        return settled
    iterable = settled
    whole = _whole_list(w, iterable)
    if whole is not None:
        return list_(w, whole)
    if is_long(w, iterable):
        return w.call(idioms.lists.listed, [iterable], {})
    return w.new_list(w.static_items(iterable))


def _whole_list(w: Walker, iterator: Any) -> Any:
    """Return the list that an iterator runs over, which is used up; None if it runs over none."""
    if type(iterator) is not Over or iterator.reading is not None:
        return None
    place = w.position(iterator)
    if not isinstance(iterator.source, list) or not isinstance(place, int) or place:
        return None
    w.stand(iterator, ENDED)
    return iterator.source


def is_long(w: Walker, iterable: Any) -> bool:
    """Tell whether an iterable has a length that is known only when the model runs."""
    return not w.is_known(iterable)


@lowers(builtins.tuple)
@always
def tuple_(w: Walker, iterable: Any = ()) -> Any:
    """Make a tuple."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, DynamicTuple):
        return iterable
    iterable = listed(w, iterable)
    if is_long(w, iterable):
        return w.sequences.new_tuple(w.items_of(list_(w, iterable)))
    return tuple(w.static_items(iterable))


@lowers(builtins.dict)
@always
def dict_(w: Walker, source: Any = (), /, **more: Any) -> Any:
    """Make a dict."""
    source = w.narrow(source)
    if isinstance(source, (dict, InstanceDict)):
        items = dict(w.mapping_items(source))
    else:
        pairs = [w.static_items(pair) for pair in w.static_items(source)]
        items = {w.hashable(k): v for k, v in pairs}
    return w.new_dict({**items, **more})


@lowers(builtins.sum)
@always
def sum_(w: Walker, iterable: Any, start: Any = 0) -> Any:
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
def any_(w: Walker, iterable: Any) -> Any:
    """Tell whether some item is true."""
    return _quantified(w, iterable, False)


@lowers(builtins.all)
@always
def all_(w: Walker, iterable: Any) -> Any:
    """Tell whether all items are true."""
    return _quantified(w, iterable, True)


class _ManyItems(Exception):
    """How often a generator yields is known only when the model runs."""


def _quantified(w: Walker, iterable: Any, conjunction: bool) -> Any:
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
        if not isinstance(truth, Scalar):
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
def max_(w: Walker, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the largest items."""
    return _extreme(w, operator.gt, args, key, default)


@lowers(builtins.min)
@always
@takes_spreads
def min_(w: Walker, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the smallest items."""
    return _extreme(w, operator.lt, args, key, default)


_NO_DEFAULT = "Cannot specify a default for max() and min() with multiple positional arguments"


def _extreme(w: Walker, better: Any, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    if not args:
        w.raise_static(TypeError("max and min expected at least 1 argument, got 0"))
    if any(isinstance(arg, Spread) for arg in args):
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
        if key is None and isinstance(test, Scalar) and _are_ints(item, best):
            best = best_key = _of_ints(w, better, best, item)
            continue
        new, old = (item, item_key), (best, best_key)
        best, best_key = w.branch(test, partial(tuple, new), partial(tuple, old))
    return best


def _of_spread(w: Walker, better: Any, args: tuple[Any, ...], key: Any, default: Any) -> Any:
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
        n.type is int if isinstance(n, Scalar) else type(n) is int and -(2**63) <= n < 2**63
        for n in numbers
    )


def _of_ints(w: LoweringContext, better: Any, a: Any, b: Any) -> Scalar:
    """Return the larger or smaller of two ints."""
    g = w.graph
    emit = g.Max if better is operator.gt else g.Min
    values = [w.value_of(number, np.int64) for number in (a, b)]
    result: Scalar = w.scalar(int, emit(*values), max(magnitude(a), magnitude(b)))
    return result


def _dynamic_extreme(w: Walker, better: Any, iterable: Any, key: Any, default: Any) -> Any:
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


def extreme_by_key(w: Walker, better: Any, iterable: Any, key: Any, default: Any) -> Any:
    """Return the first of the items with the best key; their number is known at run time."""
    items = w.call(list, [iterable], {})
    some = w.truth(w.binary(operator.gt, w.sequences.length(items), 0))
    if default is not MISSING:
        return w.branch(
            some, lambda: w.call(idioms.lists.best_of, [items, key, better], {}), lambda: default
        )
    w.check(some, ValueError, "arg is an empty sequence")
    return w.call(idioms.lists.best_of, [items, key, better], {})
