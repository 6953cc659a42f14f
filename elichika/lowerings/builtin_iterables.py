"""Builtins that make iterators and containers, and those that consume them."""

from __future__ import annotations

import builtins
import operator
import types
from typing import Any

import numpy as np

from elichika import idioms
from elichika.iteration import ENDLESS, InstanceDict, Staged, SymbolicRange
from elichika.python_numbers import magnitude
from elichika.registry import always, lowers, takes_choices, takes_spreads
from elichika.store import MISSING
from elichika.values import (
    COUNTER_BOUND,
    DynamicTuple,
    Scalar,
    Spread,
    Symbolic,
)
from elichika.walker.loops import StopConsuming
from elichika.walker.scopes import Closure, GeneratorCall
from onnx_graph import compare


@lowers(builtins.range)
def range_(w: Any, *bounds: Any) -> Any:
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


def index_of(w: Any, value: Any) -> None:
    """Raise what Python does where a value is no integer."""
    kind = w.type_of(value)
    if not hasattr(kind, "__index__"):
        text = f"'{kind.__name__}' object cannot be interpreted as an integer"
        w.raise_static(TypeError(text))


@lowers(builtins.enumerate)
@always
@takes_choices
def enumerate_(w: Any, iterable: Any, start: Any = 0) -> Any:
    """Pair each item with its number."""
    index_of(w, start)
    if w.as_generator(w.narrow(iterable)) is not None:
        return w.call(idioms.iterators.enumerated, [iterable, start], {})
    staged = staged_of(w, iterable)
    return w.one_shot(
        Staged(
            staged.length,
            lambda i: (w.binary(operator.add, i, start), staged.item(i)),
            staged.uniform,
            staged.current,
        )
    )


@lowers(builtins.iter)
@always
def iter_(w: Any, iterable: Any, *sentinel: Any) -> Any:
    """Return an iterator."""
    if sentinel:
        return w.call(idioms.iterators.until, [iterable, *sentinel], {})
    iterable = w.narrow(iterable)
    if isinstance(iterable, GeneratorCall) or (isinstance(iterable, Staged) and iterable.once):
        return iterable
    return w.one_shot(staged_of(w, iterable))


@lowers(builtins.next)
@always
def next_(w: Any, iterator: Any, *default: Any) -> Any:
    """Take the next item of an iterator."""
    iterator = w.narrow(iterator)
    if isinstance(iterator, GeneratorCall):
        begun = w.as_generator(iterator) is None
        iterator = w.narrow(w.store.get(iterator, "rest")) if begun else w.ahead(iterator)
        if not isinstance(iterator, Staged):
            w.refuse(
                "how much of this generator was used is known only when the model runs",
                "make a list of its items first",
            )
    method = None if isinstance(iterator, Staged) else w.special(iterator, "__next__")
    if method is not None and w.has_source(method):
        if not default:
            return w.call(method, [iterator], {})
        ended, item = w.advanced(iterator)
        return default[0] if ended else item
    if not isinstance(iterator, Staged) or not iterator.once:
        w.raise_static(TypeError(f"'{w.type_of(iterator).__name__}' object is not an iterator"))
    return w.take(iterator, *default)


@lowers(builtins.zip)
@always
@takes_choices
@takes_spreads
def zip_(w: Any, *iterables: Any, strict: Any = False) -> Any:
    """Run several iterables side by side, as far as the shortest."""
    if not iterables:
        return w.new_list(())
    if any(isinstance(one, Spread) for one in iterables):
        return w.columns(w.together(list(iterables)))
    strict = w.truth(strict)
    if isinstance(strict, Scalar):
        w.refuse(
            "whether `zip` is strict must be known before the model runs",
            "compare the lengths with `assert`",
        )
    staged = [staged_of(w, i) for i in iterables]

    apart = _shortest(w, staged)[1] is not False

    def asked(one: Staged, index: Any) -> Any:
        """Python asks for one item more than it uses, of those before the shortest."""
        mark = w.store.mark()
        item = one.item(index)
        if apart and one.calls and one is not staged[-1]:
            w.require_unseen(one, mark)
        return item

    def turns() -> Any:
        """One turn more, which raises, where `strict` finds that lengths differ."""
        least, differ = _shortest(w, staged)
        if not strict or differ is False:
            return least
        return w.binary(operator.add, least, w.call(int, [differ], {}))

    def item(index: Any) -> Any:
        if strict:
            least, differ = _shortest(w, staged)
            if differ is not False:
                there = w.truth(w.binary(operator.lt, index, least))
                w.check(there, ValueError, "the arguments of zip() are not of one length")
        return tuple(asked(s, index) for s in staged)

    grows = any(s.grows for s in staged)
    uniform = all(s.uniform for s in staged)
    return w.one_shot(Staged(turns(), item, uniform, turns if grows else None))


def _shortest(w: Any, staged: list[Staged]) -> tuple[Any, Any]:
    """Return the least of the present lengths, and whether they differ."""
    least, *others = (one.current_length() for one in staged)
    first, differ = least, False
    for other in others:
        if isinstance(other, int) and isinstance(first, int):
            differ = True if other != first else differ
        elif _minimum(w, first, other) is not first:
            apart = w.truth(w.binary(operator.ne, first, other))
            differ = apart if differ is False else w.not_(w.both(w.not_(differ), w.not_(apart)))
        least = _shorter(w, least, other)
    return least, differ


def _shorter(w: Any, a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return _minimum(w, a, b)


def _minimum(w: Any, a: Any, b: Any) -> Any:
    if a is b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.dim is not None and a.dim == b.dim:
        return a
    g = w.graph
    return w.scalar(int, g.Min(w.value_of(a, np.int64), w.value_of(b, np.int64)), COUNTER_BOUND)


def staged_of(w: Any, iterable: Any) -> Staged:
    """Return an iterable as one whose items are known when the model runs; it is used up."""
    iterable = w.drawn(iterable)
    w.spend(iterable)
    staged: Staged = w.iterate(iterable)
    return staged


def listed(w: Any, iterable: Any) -> Any:
    """Return what a generator or an iterator gives as a list, other things as they are."""
    return w.settled(iterable)


@lowers(builtins.reversed)
@always
def reversed_(w: Any, iterable: Any) -> Any:
    """Run an iterable backwards."""
    iterable = w.narrow(iterable)
    method = None if isinstance(iterable, Symbolic) else w.special(iterable, "__reversed__")
    if isinstance(method, (types.FunctionType, Closure)):
        return w.call(iter, [w.call(method, [iterable], {})], {})
    for name in ("__len__", "__getitem__"):
        if isinstance(iterable, tuple) and w.overriding(iterable, name) is not None:
            w.refuse(f"`reversed` of a tuple whose class has its own `{name}` is not compiled")
    kept = isinstance(iterable, (list, tuple))
    staged = w.container_iterate(iterable) if kept else staged_of(w, iterable)

    def item(index: Any) -> Any:
        last = w.binary(operator.sub, staged.length, 1)
        return staged.item(w.binary(operator.sub, last, index))

    return w.one_shot(Staged(staged.length, item, staged.uniform))


@lowers(builtins.map)
@always
def map_(w: Any, function: Any, *iterables: Any) -> Any:
    """Apply a function to each item, when the item is asked for."""
    if not iterables:
        w.raise_static(TypeError("map() must have at least two arguments."))
    base = zip_(w, *iterables)
    return w.one_shot(
        Staged(
            base.length,
            lambda i: w.call(function, list(base.item(i)), {}),
            base.uniform,
            base.current,
            calls=True,
        )
    )


@lowers(builtins.filter)
@always
def filter_(w: Any, function: Any, iterable: Any) -> Any:
    """Keep the items that pass a test."""
    iterable = listed(w, iterable)
    mark = w.store.mark()
    kept = w.call(idioms.lists.kept, [function, iterable], {})
    w.require_unseen(iterable, mark)
    return w.one_shot(w.iterate(kept))


@lowers(builtins.list)
@always
def list_(w: Any, iterable: Any = ()) -> Any:
    """Make a list."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, list) and w.overriding(iterable, "__iter__") is None:
        made = w.new_list(())
        w.store.set(made, "[items]", w.version(iterable, "[items]"))
        return made
    settled = listed(w, iterable)
    if settled is not iterable and isinstance(settled, list):
        return settled
    iterable = settled
    if is_long(w, iterable):
        return w.call(idioms.lists.listed, [iterable], {})
    return w.new_list(w.static_items(iterable))


def is_long(w: Any, iterable: Any) -> bool:
    """Tell whether an iterable has a length that is known only when the model runs."""
    return not isinstance(w.iterate(iterable).length, int)


@lowers(builtins.tuple)
@always
def tuple_(w: Any, iterable: Any = ()) -> Any:
    """Make a tuple."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, DynamicTuple):
        return iterable
    iterable = listed(w, iterable)
    if is_long(w, iterable):
        return w.sequences.new_tuple(w.version(list_(w, iterable), "[items]"))
    return tuple(w.static_items(iterable))


@lowers(builtins.dict)
@always
def dict_(w: Any, source: Any = (), /, **more: Any) -> Any:
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
def sum_(w: Any, iterable: Any, start: Any = 0) -> Any:
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
def any_(w: Any, iterable: Any) -> Any:
    """Tell whether some item is true."""
    return _quantified(w, iterable, False)


@lowers(builtins.all)
@always
def all_(w: Any, iterable: Any) -> Any:
    """Tell whether all items are true."""
    return _quantified(w, iterable, True)


class _ManyItems(Exception):
    """How often a generator yields is known only when the model runs."""


def _quantified(w: Any, iterable: Any, conjunction: bool) -> Any:
    result: list[Any] = [conjunction]
    if w.is_iterator(iterable) or w.own_iter(iterable) is not None:
        iterable = w.call(idioms.iterators.each, [iterable], {})
    generator = w.as_generator(iterable)
    if generator is None:
        iterable = w.settled(iterable)
    if generator is None and is_long(w, iterable):
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
            result[0] = _quantified(w, w.ahead(generator), conjunction)
    else:
        w.spend(iterable)
        staged = w.iterate(iterable)
        if not isinstance(staged.length, int) or staged.length >= ENDLESS:
            w.refuse("the number of items must be known before the model runs here")
        try:
            for index in range(staged.length):
                take(staged.item(index))
            if stops:
                w.require_unseen(iterable, mark, stops[0])
        except StopConsuming:
            pass
    return result[0]


@lowers(builtins.max)
@always
@takes_spreads
def max_(w: Any, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the largest items."""
    return _extreme(w, operator.gt, args, key, default)


@lowers(builtins.min)
@always
@takes_spreads
def min_(w: Any, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the smallest items."""
    return _extreme(w, operator.lt, args, key, default)


_NO_DEFAULT = "Cannot specify a default for max() and min() with multiple positional arguments"


def _extreme(w: Any, better: Any, args: tuple[Any, ...], key: Any, default: Any) -> Any:
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
        new, new_key, old, old_key = item, item_key, best, best_key
        best, best_key = w.branch(
            test, lambda n=new, k=new_key: (n, k), lambda o=old, k=old_key: (o, k)
        )
    return best


def _of_spread(w: Any, better: Any, args: tuple[Any, ...], key: Any, default: Any) -> Any:
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


def _of_ints(w: Any, better: Any, a: Any, b: Any) -> Scalar:
    """Return the larger or smaller of two ints."""
    g = w.graph
    emit = g.Max if better is operator.gt else g.Min
    values = [w.value_of(number, np.int64) for number in (a, b)]
    result: Scalar = w.scalar(int, emit(*values), max(magnitude(a), magnitude(b)))
    return result


def _dynamic_extreme(w: Any, better: Any, iterable: Any, key: Any, default: Any) -> Any:
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


def extreme_by_key(w: Any, better: Any, iterable: Any, key: Any, default: Any) -> Any:
    """Return the first of the items with the best key; their number is known at run time."""
    items = w.call(list, [iterable], {})
    some = w.truth(w.binary(operator.gt, w.sequences.length(items), 0))
    if default is not MISSING:
        return w.branch(
            some, lambda: w.call(idioms.lists.best_of, [items, key, better], {}), lambda: default
        )
    w.check(some, ValueError, "arg is an empty sequence")
    return w.call(idioms.lists.best_of, [items, key, better], {})
