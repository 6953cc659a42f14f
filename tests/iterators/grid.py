"""Programs whose iterators are made before the lists that they run over change.

A program is a maker, what happens to the list afterwards, and what consumes the iterator; each of
them is written as users write it. The iterator may be asked for an item between, and the list have
a known length or one that the model tells.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.programs import Program, f32

#: Rows `x` of a dynamic number, a count and a switch.
INPUTS: list[tuple[Any, ...]] = [
    (f32(3, 2), 2, True),
    (f32(4, 2), 0, False),
    (f32(1, 2), 1, True),
    (f32(2, 2, seed=5), 3, False),
    (f32(0, 2), 1, True),
    (np.abs(f32(5, 2)), 4, False),
]
AXES = {"x": {0: "rows"}}

Function = Callable[..., Any]


# -- lists --------------------------------------------------------------------------------------


def known(x: Any, n: Any) -> Any:
    return [n, 5, n + 1]


def of_rows(x: Any, n: Any) -> Any:
    return [float(row[0]) for row in x]


def counted(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        items.append(i * 2)
    return items


LISTS = (known, of_rows, counted)


# -- makers -------------------------------------------------------------------------------------


def plain(items: Any, n: Any) -> Any:
    return iter(items)


def zipped(items: Any, n: Any) -> Any:
    return zip(items, [10, 20, 30, 40])


def zipped_behind(items: Any, n: Any) -> Any:
    return zip([10, 20, 30, 40], items)


def zipped_with_itself(items: Any, n: Any) -> Any:
    each = iter(items)
    return zip(each, each)


def mapped(items: Any, n: Any) -> Any:
    return map(lambda v: v * 2 + n, items)


def filtered(items: Any, n: Any) -> Any:
    return filter(lambda v: v > 1, items)


def numbered(items: Any, n: Any) -> Any:
    return enumerate(items, 3)


def backwards(items: Any, n: Any) -> Any:
    return reversed(items)


def chained(items: Any, n: Any) -> Any:
    return itertools.chain(items, [7], items)


def cut(items: Any, n: Any) -> Any:
    return itertools.islice(items, 2)


def cut_by_steps(items: Any, n: Any) -> Any:
    return itertools.islice(items, 1, None, 2)


def longest(items: Any, n: Any) -> Any:
    return itertools.zip_longest(items, [1, 2], fillvalue=-1)


def accumulated(items: Any, n: Any) -> Any:
    return itertools.accumulate(items)


def taken_while(items: Any, n: Any) -> Any:
    return itertools.takewhile(lambda v: v < 5, items)


def dropped_while(items: Any, n: Any) -> Any:
    return itertools.dropwhile(lambda v: v < 2, items)


def pairs(items: Any, n: Any) -> Any:
    return itertools.pairwise(items)


def starred(items: Any, n: Any) -> Any:
    return map(lambda a, b: a * b, items, items)


def product(items: Any, n: Any) -> Any:
    return itertools.product(items, [1, 2])


def generated(items: Any, n: Any) -> Any:
    return (v + n for v in items)


def _doubled(items: Any) -> Any:
    for v in items:
        yield v
        yield v * 2


def yielded(items: Any, n: Any) -> Any:
    return _doubled(items)


def first_of_two(items: Any, n: Any) -> Any:
    return itertools.tee(items)[0]


def in_an_object(items: Any, n: Any) -> Any:
    return iter(_Held(items))


class _Held:
    def __init__(self, items: Any) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)


MAKERS = (
    plain,
    zipped,
    zipped_behind,
    zipped_with_itself,
    mapped,
    filtered,
    numbered,
    backwards,
    chained,
    cut,
    cut_by_steps,
    longest,
    accumulated,
    taken_while,
    dropped_while,
    pairs,
    starred,
    product,
    generated,
    yielded,
    first_of_two,
    in_an_object,
)


# -- what happens to the list ---------------------------------------------------------------------


def nothing(items: Any, x: Any, n: Any, c: Any) -> None:
    pass


def grows(items: Any, x: Any, n: Any, c: Any) -> None:
    items.append(len(x))


def grows_maybe(items: Any, x: Any, n: Any, c: Any) -> None:
    if c:
        items.append(n)


def grows_often(items: Any, x: Any, n: Any, c: Any) -> None:
    for i in range(n):
        items.append(i)


def shrinks(items: Any, x: Any, n: Any, c: Any) -> None:
    if len(items) > 0:
        items.pop()


def shrinks_in_front(items: Any, x: Any, n: Any, c: Any) -> None:
    if len(items) > 0:
        del items[0]


def is_cleared(items: Any, x: Any, n: Any, c: Any) -> None:
    items.clear()


def is_cleared_maybe(items: Any, x: Any, n: Any, c: Any) -> None:
    if c:
        items.clear()


def is_sorted(items: Any, x: Any, n: Any, c: Any) -> None:
    items.sort()


def is_reversed(items: Any, x: Any, n: Any, c: Any) -> None:
    items.reverse()


def is_replaced(items: Any, x: Any, n: Any, c: Any) -> None:
    items[:] = [n, 1]


def is_written(items: Any, x: Any, n: Any, c: Any) -> None:
    for i in range(len(items)):
        items[i] = items[i] + 1


def is_put_in_front(items: Any, x: Any, n: Any, c: Any) -> None:
    items.insert(0, n)


MUTATIONS = (
    nothing,
    grows,
    grows_maybe,
    grows_often,
    shrinks,
    shrinks_in_front,
    is_cleared,
    is_cleared_maybe,
    is_sorted,
    is_reversed,
    is_replaced,
    is_written,
    is_put_in_front,
)


# -- consumers ------------------------------------------------------------------------------------


def as_list(it: Any, items: Any, n: Any, c: Any) -> Any:
    return list(it), list(it)


def as_tuple(it: Any, items: Any, n: Any, c: Any) -> Any:
    return tuple(it)


def looped(it: Any, items: Any, n: Any, c: Any) -> Any:
    out = []
    for v in it:
        out.append(v)
    return out


def left_and_taken_up(it: Any, items: Any, n: Any, c: Any) -> Any:
    out = []
    for v in it:
        out.append(v)
        if len(out) > n:
            break
    rest = []
    for v in it:
        rest.append(v)
    return out, rest


def asked(it: Any, items: Any, n: Any, c: Any) -> Any:
    return next(it, None), next(it, None), [v for v in it]


def asked_maybe(it: Any, items: Any, n: Any, c: Any) -> Any:
    first = next(it, None) if c else None
    return first, [v for v in it]


def unpacked(it: Any, items: Any, n: Any, c: Any) -> Any:
    return [*it, 1, *it]


def counted_up(it: Any, items: Any, n: Any, c: Any) -> Any:
    return sum(1 for _ in it), sum(1 for _ in it)


def changed_meanwhile(it: Any, items: Any, n: Any, c: Any) -> Any:
    out = []
    for v in it:
        out.append(v)
        if len(items) < 4:
            items.append(1)
        if len(out) > 8:
            break
    return out


def ended_before_it_grows(it: Any, items: Any, n: Any, c: Any) -> Any:
    out = list(it)
    items.append(n)
    return out, list(it)


CONSUMERS = (
    as_list,
    as_tuple,
    looped,
    left_and_taken_up,
    asked,
    asked_maybe,
    unpacked,
    counted_up,
    changed_meanwhile,
    ended_before_it_grows,
)


def program(
    of: Function, make: Function, mutate: Function, consume: Function, begun: bool
) -> Program:
    """Return one program; with `begun`, an item is asked for before the list changes."""

    def forward(self: Any, x: Any, n: Any, c: Any) -> Any:
        items = of(x, n)
        it = make(items, n)
        first = next(it, None) if begun else None
        mutate(items, x, n, c)
        return first, consume(it, items, n, c), items

    names = [part.__name__ for part in (of, make, mutate, consume)]
    forward.__name__ = "-".join(names) + ("-begun" if begun else "")
    return Program(forward, INPUTS, AXES, refuse=True)


def programs() -> Iterator[Program]:
    """Yield all programs of the grid."""
    for parts in itertools.product(LISTS, MAKERS, MUTATIONS, CONSUMERS, (False, True)):
        yield program(*parts)
