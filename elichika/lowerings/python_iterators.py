"""`itertools` and `functools`: as iterators of the walked program, and as walked programs."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from typing import Any

from elichika import idioms
from elichika.iteration import ENDLESS, Staged
from elichika.lowerings.arguments import static
from elichika.lowerings.builtin_iterables import staged_of
from elichika.registry import always, lowers, takes_spreads
from elichika.store import MISSING
from elichika.values import Spread


def _asked(w: Any, function: Any, *args: Any) -> Any:
    """Return what a function gives for known arguments, or raise what it raises."""
    try:
        return function(*args)
    except (TypeError, ValueError, OverflowError) as error:
        w.raise_static(error)


def _walked(function: Any, idiom: Any) -> None:
    @lowers(function)
    @always
    def lowering(w: Any, *args: Any) -> Any:
        try:
            inspect.signature(idiom).bind(*args)
        except TypeError as error:
            w.raise_static(TypeError(f"{function.__name__}(): {error}"))
        return w.call(idiom, list(args), {})


@lowers(itertools.chain)
@always
@takes_spreads
def chain(w: Any, *iterables: Any) -> Any:
    """Give the items of one after the other."""
    parts = [
        w.call(idioms.iterators.chained_all, [one.items], {}) if isinstance(one, Spread) else one
        for one in iterables
    ]
    return w.call(idioms.iterators.chained, parts, {})


_walked(itertools.chain.from_iterable, idioms.iterators.chained_all)
_walked(itertools.starmap, idioms.iterators.starred)
_walked(itertools.takewhile, idioms.iterators.taken_while)
_walked(itertools.dropwhile, idioms.iterators.dropped_while)
_walked(itertools.filterfalse, idioms.iterators.failing)
_walked(itertools.compress, idioms.iterators.compressed)


@lowers(itertools.accumulate)
@always
def accumulate(w: Any, items: Any, func: Any = None, *, initial: Any = None) -> Any:
    """Give what the items up to each give together."""
    function = operator.add if func is None else func
    if initial is None:
        return w.call(idioms.iterators.accumulated, [items, function], {})
    return w.call(idioms.iterators.accumulated_from, [items, function, initial], {})


@lowers(functools.reduce)
@always
def reduce(w: Any, function: Any, items: Any, initial: Any = MISSING) -> Any:
    """Combine items from the left."""
    if initial is MISSING:
        return w.call(idioms.iterators.reduced_without_start, [function, items], {})
    return w.call(idioms.iterators.reduced, [function, items, initial], {})


@lowers(itertools.count)
@always
def count(w: Any, start: Any = 0, step: Any = 1) -> Any:
    """Count without an end."""

    def item(index: Any) -> Any:
        return w.binary(operator.add, start, w.binary(operator.mul, index, step))

    return w.one_shot(Staged(ENDLESS, item))


@lowers(itertools.repeat)
@always
def repeat(w: Any, value: Any, times: Any = None) -> Any:
    """Give one value again and again."""
    length: Any = ENDLESS if times is None else w.call(len, [w.call(range, [times], {})], {})
    return w.one_shot(Staged(length, lambda index: value))


@lowers(itertools.cycle)
@always
def cycle(w: Any, iterable: Any) -> Any:
    """Give the items again and again."""
    items = tuple(w.static_items(iterable))
    if not items:
        return w.one_shot(Staged(0, lambda index: None))

    def item(index: Any) -> Any:
        return w.get_item(items, w.binary(operator.mod, index, len(items)))

    return w.one_shot(Staged(ENDLESS, item))


@lowers(itertools.islice)
@always
def islice(w: Any, iterable: Any, *bounds: Any) -> Any:
    """Give a part of the items."""
    _asked(w, itertools.islice, (), *(0 if w.is_symbolic(b) else b for b in bounds))
    part = slice(*bounds)
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if w.is_symbolic((start, step)):
        w.refuse(
            "where `islice` starts must be known before the model runs",
            "make a list of it and slice that: `items[start:]`",
        )
    staged = staged_of(w, iterable)
    stop = staged.length
    if part.stop is not None:
        given = w.call(idioms.iterators.from_zero, [w.call(operator.index, [part.stop], {})], {})
        stop = w.call(min, [given, stop], {})
    length = w.call(len, [w.call(range, [start, stop, step], {})], {})

    def item(index: Any) -> Any:
        return staged.item(w.binary(operator.add, w.binary(operator.mul, index, step), start))

    return w.one_shot(Staged(length, item, staged.uniform))


@lowers(itertools.pairwise)
@always
def pairwise(w: Any, iterable: Any) -> Any:
    """Give each item with the next."""
    staged = staged_of(w, iterable)
    fewer = w.binary(operator.sub, staged.length, 1)
    return w.one_shot(
        Staged(
            w.call(len, [w.call(range, [fewer], {})], {}),
            lambda i: (staged.item(i), staged.item(w.binary(operator.add, i, 1))),
            staged.uniform,
        )
    )


@lowers(itertools.zip_longest)
@always
def zip_longest(w: Any, *iterables: Any, fillvalue: Any = None) -> Any:
    """Run several iterables side by side, as far as the longest."""
    staged = [staged_of(w, i) for i in iterables]
    if not staged:
        return w.one_shot(Staged(0, lambda index: ()))
    length = staged[0].length
    for one in staged[1:]:
        length = w.call(max, [length, one.length], {})

    def item(index: Any) -> Any:
        return tuple(
            w.branch(
                w.truth(w.binary(operator.lt, index, one.length)),
                lambda one=one: one.item(index),
                lambda: fillvalue,
            )
            for one in staged
        )

    return w.one_shot(Staged(length, item, all(s.uniform for s in staged)))


@lowers(itertools.product)
@always
def product(w: Any, *iterables: Any, repeat: int = 1) -> Any:
    """Give each combination, the last running fastest."""
    repeat = static(w, repeat, "repeat")
    _asked(w, functools.partial(itertools.product, repeat=repeat))
    staged = [staged_of(w, w.call(list, [i], {})) for i in iterables] * repeat
    length: Any = 1
    for one in staged:
        length = w.binary(operator.mul, length, one.length)

    def item(index: Any) -> Any:
        found = []
        for one in reversed(staged):
            found.append(one.item(w.binary(operator.mod, index, one.length)))
            index = w.binary(operator.floordiv, index, one.length)
        return tuple(reversed(found))

    return w.one_shot(Staged(length, item, all(s.uniform for s in staged)))


def _by_position(function: Any) -> None:
    """Register what chooses among items by where they stand."""

    @lowers(function)
    @always
    def lowering(w: Any, iterable: Any, r: Any = MISSING) -> Any:
        items = w.static_items(iterable)
        args = () if r is MISSING else (static(w, r, "r"),)
        places = _asked(w, function, range(len(items)), *args)
        chosen = [tuple(items[i] for i in p) for p in places]
        return w.one_shot(w.iterate(tuple(chosen)))


_by_position(itertools.combinations)
_by_position(itertools.combinations_with_replacement)
_by_position(itertools.permutations)


@lowers(itertools.tee)
@always
def tee(w: Any, iterable: Any, n: int = 2) -> Any:
    """Give iterators over the same items."""
    count = len(_asked(w, itertools.tee, (), static(w, n, "n")))
    items = w.call(list, [iterable], {})
    return tuple(w.one_shot(w.iterate(items)) for _ in range(count))


@lowers(itertools.groupby)
@always
def groupby(w: Any, iterable: Any, key: Any = None) -> Any:
    """Give runs of items whose keys, known now, are equal."""
    items = w.static_items(iterable)
    keys = [item if key is None else w.call(key, [item], {}) for item in items]
    if w.is_symbolic(tuple(keys)):
        w.refuse(
            "the keys of `groupby` must be known before the model runs",
            "compare each item with the one before it in a loop",
        )
    runs = [
        (k, [i for i, _ in group])
        for k, group in itertools.groupby(enumerate(keys), key=operator.itemgetter(1))
    ]
    made = tuple((k, w.one_shot(w.iterate(tuple(items[i] for i in places)))) for k, places in runs)
    return w.one_shot(w.iterate(made))
