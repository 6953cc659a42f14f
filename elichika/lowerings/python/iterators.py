"""`itertools` and `functools`: as iterators of the walked program, and as walked programs."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.iterators import Cycle, Groups, Longest, Over, Pairs, Slice, tees
from elichika.iterators.base import ENDLESS, Staged
from elichika.lowerings.numpy.arguments import static
from elichika.registry import always, lowers, takes_spreads
from elichika.state.store import MISSING, Note
from elichika.values.kinds import is_spread

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

#: What was read to make a list ahead of time.
_READING: Note[Any] = Note("reading")


def _asked(w: LoweringContext, function: Any, *args: Any) -> Any:
    """Return what a function gives for known arguments, or raise what it raises."""
    try:
        return function(*args)
    except (TypeError, ValueError, OverflowError) as error:
        w.raise_static(error)


def _walked(function: Any, idiom: Any) -> None:
    @lowers(function)
    @always
    def lowering(w: LoweringContext, *args: Any) -> Any:
        try:
            inspect.signature(idiom).bind(*args)
        except TypeError as error:
            w.raise_static(TypeError(f"{function.__name__}(): {error}"))
        return w.call(idiom, list(args), {})


@lowers(itertools.chain)
@always
@takes_spreads
def chain(w: LoweringContext, *iterables: Any) -> Any:
    """Give the items of one after the other."""
    parts = [
        w.call(idioms.iterators.chained_all, [one.items], {}) if is_spread(one) else one
        for one in iterables
    ]
    return w.call(idioms.iterators.chained, parts, {})


_walked(itertools.chain.from_iterable, idioms.iterators.chained_all)
_walked(itertools.starmap, idioms.iterators.starred)
_walked(itertools.takewhile, idioms.iterators.taken_while)
_walked(itertools.dropwhile, idioms.iterators.dropped_while)
_walked(itertools.filterfalse, idioms.iterators.failing)
_walked(itertools.compress, idioms.iterators.compressed)


@lowers(idioms.iterators.listed_now)
@always
def listed_now(w: ContainerContext, items: Any) -> Any:
    """Make a list, and remember what was read for it."""
    mark = w.store.mark()
    with w.store.reading() as reading:
        made = w.call(list, [items], {})
    w.store.note(made, _READING, w.kept(reading, mark))
    return made


@lowers(idioms.iterators.require_same)
@always
def require_same(w: ContainerContext, items: Any) -> None:
    """Refuse what was read for a list if it is something else now."""
    w.require_unchanged(w.store.noted(items, _READING))


@lowers(itertools.accumulate)
@always
def accumulate(w: LoweringContext, items: Any, func: Any = None, *, initial: Any = None) -> Any:
    """Give what the items up to each give together."""
    function = operator.add if func is None else func
    if initial is None:
        return w.call(idioms.iterators.accumulated, [items, function], {})
    return w.call(idioms.iterators.accumulated_from, [items, function, initial], {})


@lowers(functools.reduce)
@always
def reduce(w: LoweringContext, function: Any, items: Any, initial: Any = MISSING) -> Any:
    """Combine items from the left."""
    if initial is MISSING:
        return w.call(idioms.iterators.reduced_without_start, [function, items], {})
    return w.call(idioms.iterators.reduced, [function, items, initial], {})


@lowers(itertools.count)
@always
def count(w: ContainerContext, start: Any = 0, step: Any = 1) -> Any:
    """Count without an end: the first item is the start itself, the next ones are sums."""
    kinds = [w.type_of(number) for number in (start, step)]
    if any(issubclass(kind, np.generic) and np.dtype(kind).itemsize < 8 for kind in kinds):
        w.refuse("`count` from a small number of numpy's is not compiled", "make it an `int` first")

    def item(index: Any) -> Any:
        return w.binary(operator.add, start, w.binary(operator.mul, index, step))

    return w.started(Over(Staged(ENDLESS, item)))


@lowers(itertools.repeat)
@always
def repeat(w: ContainerContext, value: Any, times: Any = None) -> Any:
    """Give one value again and again."""
    length: Any = ENDLESS if times is None else w.call(len, [w.call(range, [times], {})], {})
    return w.started(Over(Staged(length, lambda index: value), value))


@lowers(itertools.cycle)
@always
def cycle(w: ContainerContext, iterable: Any) -> Any:
    """Give the items again and again."""
    return w.started(Cycle(w, w.iterator(iterable)))


@lowers(itertools.islice)
@always
def islice(w: ContainerContext, iterable: Any, *bounds: Any) -> Any:
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
    stop = part.stop
    if stop is not None:
        stop = w.call(idioms.iterators.from_zero, [w.call(operator.index, [stop], {})], {})
    return w.started(Slice(w.iterator(iterable), start, stop, step))


@lowers(itertools.pairwise)
@always
def pairwise(w: ContainerContext, iterable: Any) -> Any:
    """Give each item with the next."""
    return w.started(Pairs(w.iterator(iterable)))


@lowers(itertools.zip_longest)
@always
@takes_spreads
def zip_longest(w: ContainerContext, *iterables: Any, fillvalue: Any = None) -> Any:
    """Run several iterables side by side, as far as the longest."""
    if any(map(is_spread, iterables)):
        return w.columns(w.together(list(iterables)), fillvalue)
    return w.started(Longest(tuple(map(w.iterator, iterables)), fillvalue))


@lowers(itertools.product)
@always
def product(w: ContainerContext, *iterables: Any, repeat: int = 1) -> Any:
    """Give each combination, the last running fastest."""
    repeat = static(w, repeat, "repeat")
    _asked(w, functools.partial(itertools.product, repeat=repeat))
    staged = [w.iterate(w.call(list, [i], {})) for i in iterables] * repeat
    length: Any = 1
    for one in staged:
        length = w.binary(operator.mul, length, one.length)

    def item(index: Any) -> Any:
        found = []
        for one in reversed(staged):
            found.append(one.item(w.binary(operator.mod, index, one.length)))
            index = w.binary(operator.floordiv, index, one.length)
        return tuple(reversed(found))

    return w.started(Over(Staged(length, item, all(s.uniform for s in staged))))


def _by_position(function: Any, idiom: Any, *settings: Any) -> None:
    """Register what chooses among items by where they stand."""

    @lowers(function)
    @always
    def lowering(w: ContainerContext, iterable: Any, r: Any = MISSING) -> Any:
        pool = w.call(list, [iterable], {})  # at once, as Python does
        if w.is_dynamic(pool) and r is not MISSING and r is not None:
            count = static(w, r, "r")
            _asked(w, function, (), count)
            return w.call(idiom, [pool, operator.index(count), *settings], {})
        items = w.static_items(pool)
        args = () if r is MISSING else (static(w, r, "r"),)
        places = _asked(w, function, range(len(items)), *args)
        return w.over(tuple(tuple(items[i] for i in p) for p in places))


_by_position(itertools.combinations, idioms.iterators.combined, 0, 1)
_by_position(itertools.combinations_with_replacement, idioms.iterators.combined, 0, 0)
_by_position(itertools.permutations, idioms.iterators.permuted, ())


@lowers(itertools.tee)
@always
def tee(w: ContainerContext, iterable: Any, n: int = 2) -> Any:
    """Give iterators over the same items."""
    count = len(_asked(w, itertools.tee, (), static(w, n, "n")))
    return tees(w, w.iterator(iterable), count)


def _grouped(w: ContainerContext, iterable: Any, key: Any) -> Any:
    """Give runs of items whose keys the run compares; nobody sees when these are asked for."""
    mark = w.store.mark()
    with w.store.reading() as reading:
        items = w.call(list, [iterable], {})
        keys = items if key is None else w.call(idioms.lists.keys_of, [items, key], {})
    w.require_unseen(w.iterator(items), mark)
    w.store.note(items, _READING, w.kept(reading, mark))
    return w.call(idioms.iterators.grouped, [items, keys], {})


@lowers(itertools.groupby)
@always
def groupby(w: ContainerContext, iterable: Any, key: Any = None) -> Any:
    """Give runs of items whose keys are equal."""
    mark, iterable = w.store.mark(), w.narrow(iterable)
    if not w.is_iterator(iterable) and not w.is_known(iterable):
        return _grouped(w, iterable, key)
    iterator = w.iterator(iterable)
    with w.store.reading() as reading:
        items = w.static_items(iterator)
        keys = [item if key is None else w.call(key, [item], {}) for item in items]
    w.require_unseen(iterator, mark)
    if w.is_symbolic(tuple(keys)):
        return _grouped(w, tuple(items), key)
    runs = [
        (k, tuple(items[i] for i, _ in group))
        for k, group in itertools.groupby(enumerate(keys), key=operator.itemgetter(1))
    ]
    return w.started(Groups(w, runs, w.kept(reading, mark)))
