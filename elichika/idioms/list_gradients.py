"""The ways back from lists of dynamic length: each gives the gradients of what was taken.

The gradient of a list is a tuple with that of each item, of None where it has none. A way is asked
only where what it goes back from has a gradient.
"""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np


def of_items(count: int, gs: Any) -> Any:
    """Of a list of a known number of items."""
    return tuple([gs[place] for place in range(count)])


def of_appended(gs: Any) -> Any:
    """Of a list with one more item at its end."""
    rest = list(gs)
    g = rest.pop()
    return tuple(rest), g


def of_inserted(position: int, gs: Any) -> Any:
    """Of a list with one more item at a position, which may count from the end."""
    place = position + len(gs) - 1 if position < 0 else position
    return gs[:place] + gs[place + 1 :], gs[place]


def of_erased(position: int, gs: Any) -> Any:
    """Of a list without the item at a position, which may count from the end."""
    place = position + len(gs) + 1 if position < 0 else position
    return ((*gs[:place], None, *gs[place:]),)


def of_sliced(length: int, start: int, step: int, gs: Any) -> Any:
    """Of a slice of a list that has some length."""
    found = []
    for place in range(length):
        number, rest = divmod(place - start, step)
        if rest == 0 and 0 <= number < len(gs):
            found.append(gs[number])
        else:
            found.append(None)
    return (tuple(found),)


def of_item(length: int, position: int, g: Any) -> Any:
    """Of one item of a list that has some length; the position may count from the end."""
    wanted = position + length if position < 0 else position
    return (tuple([g if place == wanted else None for place in range(length)]),)


def of_last_turn(count: int, turn: int, g: Any) -> Any:
    """Of what the last turn of a loop began with: that, and a stack of that of all others."""
    return ((g, None),)


def item_added(length: int, position: int, gs: Any, g: Any) -> Any:
    """Return the gradient of a list, which may be None, with one more of an item."""
    if g is None:
        return gs
    if gs is None:
        return of_item(length, position, g)[0]
    sums = list(gs)
    before = sums[position]
    sums[position] = g if before is None else F.add(before, g)
    return tuple(sums)


def of_turn(count: int, turn: int, g: Any) -> Any:
    """Of what one of the other turns of a loop began with."""
    own = np.expand_dims(np.arange(count) == turn, tuple(range(1, g.ndim + 1)))
    all_ = F.broadcast_to(F.expand_dims(g, 0), (count, *g.shape))
    others = F.where(np.broadcast_to(own, all_.shape), all_, np.zeros(all_.shape, g.dtype))
    return ((None, others),)


def of_stacked(axis: int, length: int, g: Any) -> Any:
    """Of `F.stack` and its like, along an axis that it made."""
    return (tuple([_at(g, place, axis) for place in range(length)]),)


def of_rows(length: int, g: Any) -> Any:
    """Of a column of numbers."""
    return (tuple([g[place, 0] for place in range(length)]),)


def of_concatenated(axis: int, sizes: Any, g: Any) -> Any:
    """Of `F.concat` and its like: a part for each item, as long as it is along the axis."""
    found, start = [], 0
    for size in sizes:
        found.append(_part(g, start, start + int(size), axis))
        start += int(size)
    return (tuple(found),)


def of_padded(sizes: Any, g: Any) -> Any:
    """Of `F.pad_sequence`: as many rows of each as it had."""
    found = []
    for place in range(len(sizes)):
        found.append(g[place, : int(sizes[place])])
    return (tuple(found),)


def of_separated(shape: Any, dtype: Any, axis: int, gs: Any) -> Any:
    """Of `F.separate`: a gradient for each index of an axis."""
    filled = []
    for one in gs:
        if one is None:
            filled.append(chainer.Variable(np.zeros((*shape[:axis], *shape[axis + 1 :]), dtype)))
        else:
            filled.append(one)
    return (F.stack(filled, axis),)


def of_parts(axis: int, whole: Any, shapes: Any, dtype: Any, *gs: Any) -> Any:
    """Of `F.split_axis` into a known number of pieces."""
    filled = []
    for shape, one in zip(shapes, gs, strict=True):
        filled.append(chainer.Variable(np.zeros(shape, dtype)) if one is None else one)
    g = F.concat(filled, axis)
    if g.shape != whole:
        raise ValueError("the pieces of an axis that is split do not make it up")
    return (g,)


def of_pieces(shape: Any, dtype: Any, axis: int, sizes: Any, gs: Any) -> Any:
    """Of `F.split_axis`: a gradient for each piece."""
    filled = []
    for place in range(len(gs)):
        if gs[place] is None:
            of_one = (*shape[:axis], int(sizes[place]), *shape[axis + 1 :])
            filled.append(chainer.Variable(np.zeros(of_one, dtype)))
        else:
            filled.append(gs[place])
    return (F.concat(filled, axis),)


def _at(g: Any, place: int, axis: int) -> Any:
    return g[(slice(None),) * axis + (place,)]


def _part(g: Any, start: int, stop: int, axis: int) -> Any:
    return g[(slice(None),) * axis + (slice(start, stop),)]


# -- what Python did with a list, done again with the gradients of its items ----------------------


def items_again(count: int, *gs: Any) -> Any:
    """Of a list of a known number of items."""
    return tuple([gs[place] for place in range(count)])


def appended_again(gs: Any, g: Any) -> Any:
    """Of a list with one more item at its end."""
    return (*gs, g)


def inserted_again(position: int, gs: Any, g: Any) -> Any:
    """Of a list with one more item at a position, which may count from the end."""
    place = position + len(gs) if position < 0 else position
    return (*gs[:place], g, *gs[place:])


def erased_again(position: int, gs: Any) -> Any:
    """Of a list without the item at a position, which may count from the end."""
    place = position + len(gs) if position < 0 else position
    return gs[:place] + gs[place + 1 :]


def sliced_again(made: int, length: int, start: int, step: int, gs: Any) -> Any:
    """Of a slice of `made` items."""
    return tuple([gs[start + number * step] for number in range(made)])


def item_again(length: int, position: int, gs: Any) -> Any:
    """Of one item; the position may count from the end."""
    return gs[position]


#: By their ways back.
AGAIN = {
    of_items: items_again,
    of_appended: appended_again,
    of_inserted: inserted_again,
    of_erased: erased_again,
    of_sliced: sliced_again,
    of_item: item_again,
}
