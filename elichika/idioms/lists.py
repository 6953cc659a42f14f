"""What Python does with lists whose length is known when the model runs."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np


def extend(items: list[Any], others: Any) -> None:
    """Append each of `others`."""
    for item in others:
        items.append(item)


def listed(items: Any) -> list[Any]:
    """Make a list."""
    made = []
    for item in items:
        made.append(item)
    return made


def added(arrays: Any) -> Any:
    """Add up arrays, of which there is one at least, as Chainer does."""
    total = chainer.as_variable(arrays[0])
    for number in range(1, len(arrays)):
        total = total + arrays[number]
    return total


def transposed(xs: Any, lengths: Any) -> tuple[Any, ...]:
    """Do what `F.transpose_sequence` does of sequences whose lengths descend."""
    found: list[Any] = []
    longest = int(lengths[0])
    if longest > 0:
        rows = chainer.functions.separate(chainer.functions.pad_sequence(xs), axis=1)
        for step in range(longest):
            found.append(rows[step][: int((lengths > step).sum())])
    return tuple(found)


def arrays_of(inputs: Any) -> tuple[Any, ...]:
    """Make a tuple of arrays, those of Variables among them."""
    return tuple([chainer.as_array(one) for one in inputs])


def as_variables(items: Any) -> list[Any]:
    """Make a list of Variables of arrays and Variables."""
    return [chainer.as_variable(one) for one in items]


def variables_of(outputs: Any) -> tuple[Any, ...]:
    """Make a tuple of Variables of what `forward` of a function gives."""
    return tuple([chainer.Variable(one) for one in outputs])


def one_or_all(outputs: Any) -> Any:
    """Return what a call of an old-style function gives: the one output, or the tuple of all."""
    return outputs[0] if len(outputs) == 1 else outputs


def columns(rows: Any) -> Any:
    """Yield what `zip(*rows)` does of lists, tuples or arrays whose number the run decides."""
    place = 0
    while len(rows) > 0 and min([len(row) for row in rows]) > place:
        yield tuple([row[place] for row in rows])
        place += 1


def columns_filled(rows: Any, filler: Any) -> Any:
    """Yield what `itertools.zip_longest(*rows)` does of them."""
    place = 0
    ended = [False] * len(rows)
    while True:
        ended = [done or len(row) <= place for done, row in zip(ended, rows)]  # noqa: B905
        if all(ended):
            break
        yield tuple([filler if done else row[place] for done, row in zip(ended, rows)])  # noqa: B905
        place += 1


def column(rows: Any, place: int) -> tuple[Any, ...]:
    """Make a tuple of the items at one place of each row."""
    return tuple([row[place] for row in rows])


def kept(test: Any, items: Any) -> list[Any]:
    """Make a list of the items that pass a test."""
    made = []
    for item in items:
        if item if test is None else test(item):
            made.append(item)
    return made


def equals(item: Any, value: Any) -> Any:
    """Tell whether an item equals `value`."""
    return item == value


def is_or_equals(item: Any, value: Any) -> Any:
    """Tell whether an item is or equals `value`."""
    return item is value or item == value


def contains(items: Any, value: Any, same: Any) -> bool:
    """Tell whether an item is the same as `value`."""
    found = False
    for item in items:
        if same(item, value):
            found = True
            break
    return found


def position(items: Any, value: Any, same: Any) -> int:
    """Find the first item that is the same as `value`."""
    found = -1
    for number, item in enumerate(items):
        if same(item, value):
            found = number
            break
    if found < 0:
        raise ValueError("the value is not in list")
    return found


def count(items: Any, value: Any, same: Any) -> int:
    """Count the items that are the same as `value`."""
    found = 0
    for item in items:
        if same(item, value):
            found += 1
    return found


def total(items: Any, start: Any) -> Any:
    """Add up from the left."""
    result = start
    for item in items:
        result = result + item
    return result


def extreme(items: Any, better: Any) -> Any:
    """Return the first of the best items."""
    best = items[0]
    for number in range(1, len(items)):
        item = items[number]
        if better(item, best):
            best = item
    return best


def any_of(items: Any) -> bool:
    """Tell whether an item is true."""
    found = False
    for item in items:
        if item:
            found = True
            break
    return found


def all_of(items: Any) -> bool:
    """Tell whether all items are true."""
    found = True
    for item in items:
        if not item:
            found = False
            break
    return found


def same_lists(ours: Any, others: Any) -> bool:
    """Tell whether two lists hold equal items."""
    same = len(ours) == len(others)
    if same:
        for number in range(len(ours)):
            one, other = ours[number], others[number]
            if one != other:
                if one != one and other != other:
                    raise ValueError("whether a nan is among items asks for its identity")
                same = False
                break
    return same


def same_ints(ours: Any, others: Any) -> bool:
    """Tell whether two lists of ints are equal."""
    same = len(ours) == len(others)
    if same:
        same = not (np.array(ours, np.int64) - np.array(others, np.int64)).any()
    return same


def ordered_lists(compare: Any, ours: Any, others: Any) -> bool:
    """Compare two lists by their first items that differ, or else by their lengths."""
    for number in range(min(len(ours), len(others))):
        one, other = ours[number], others[number]
        if one != other:
            if one != one and other != other:
                raise ValueError("whether a nan is among items asks for its identity")
            return bool(compare(one, other))
    return bool(compare(len(ours), len(others)))


def keys_of(items: Any, key: Any) -> list[Any]:
    """Make a list of what a function gives for each item."""
    return [key(item) for item in items]


def ranks(keys: Any, texts: tuple[str, ...]) -> list[int]:
    """List which of some texts, in their order, each key is."""
    return [rank(key, texts) for key in keys]


def rank(text: str, texts: tuple[str, ...]) -> int:
    """Tell which of some texts one is; has a lowering."""
    return texts.index(text)


def refined(order: Any, keys: Any, reverse: bool) -> Any:
    """Sort places by numbers; places whose numbers are equal keep their order."""
    if len(keys) == 0:
        return order
    numbers = np.array(keys)
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise ValueError("the order of nan is not defined")
    numbers = numbers[order]
    if reverse:
        within = len(numbers) - 1 - np.argsort(numbers[::-1], kind="stable")[::-1]
    else:
        within = np.argsort(numbers, kind="stable")
    return order[within]


def refined_by_rows(order: Any, rows: Any, dtype: Any, reverse: bool) -> Any:
    """Sort places by lists or tuples of numbers; one that the other begins with is less."""
    if len(rows) == 0:
        return order
    lengths = np.array([len(row) for row in rows])
    longest = lengths.max()
    padded = np.stack(
        [
            np.concatenate([np.array(row, dtype), np.zeros(longest - len(row), dtype)])
            for row in rows
        ]
    )
    for place in range(longest - 1, -1, -1):
        order = refined(order, padded[:, place], reverse)
        order = refined(order, lengths > place, reverse)
    return order


def order_by_less(keys: Any, reverse: bool) -> Any:
    """Return the order of items of which only `<` is known, asked as often as there are pairs."""
    number = len(keys)
    keys = keys[::-1] if reverse else keys
    ranks = np.zeros(number, np.int64)
    for later in range(number):
        for earlier in range(later):
            if keys[later] < keys[earlier]:
                ranks[earlier] += 1
            else:
                ranks[later] += 1
    if (np.sort(ranks) != np.arange(number)).any():
        raise ValueError("`<` of these items gives no order")
    order = np.argsort(ranks)
    return (number - 1 - order)[::-1] if reverse else order


def copied(items: Any, of_one: Any) -> list[Any]:
    """Make a list of copies of objects; of one that is there twice, one copy."""
    made: list[Any] = []
    for number in range(len(items)):
        first = 0
        while items[first] is not items[number]:
            first += 1
        made.append(of_one(items[number]) if first == number else made[first])
    return made


def require_apart(order: Any, columns: Any, decides: str) -> None:
    """Raise where neighbours of an order are equal in all columns."""
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        if len(order) > 0:
            numbers = np.array(column)[order]
            same = same & (numbers[1:] == numbers[:-1])
    if same.any():
        raise ValueError(f"numbers are equal, and {decides} decides the order")


def rows_of(rows: Any, form: Any) -> list[Any]:
    """Make dicts of the tuples in some rows that stand for them."""
    return [row_of(row, form) for row in rows]


def row_of(row: Any, form: Any) -> Any:
    """Make what has a form: a class, the keys of a dict, and the forms of what is in it."""
    if form is None:
        return row
    kind, keys, forms = form
    parts = [row_of(part, of_part) for part, of_part in zip(row, forms)]  # noqa: B905
    if keys is not None:
        return kind(zip(keys, parts))  # noqa: B905
    return tuple(parts) if kind is tuple else kind(*parts)


def picked(items: Any, places: Any) -> list[Any]:
    """Make a list of the items at some places."""
    return [items[place] for place in places]


def best_of(items: Any, key: Any, better: Any) -> Any:
    """Return the first of the items whose key is the best."""
    best = 0
    best_key = key(items[0])
    for number in range(1, len(items)):
        item_key = key(items[number])
        if better(item_key, best_key):
            best = number
            best_key = item_key
    return items[best]


def best_in_any_order(items: Any, key: Any, better: Any) -> Any:
    """Return the item whose key is the best, of a set whose order is not known."""
    best, tied = 0, False
    best_key = key(items[0])
    for number in range(1, len(items)):
        item_key = key(items[number])
        if better(item_key, best_key):
            best, tied = number, False
            best_key = item_key
        elif item_key == best_key:
            tied = True
        elif not better(best_key, item_key):
            raise ValueError("the order of nan is not defined")
    if tied:
        raise ValueError("keys are equal, and which of the items comes first in the set decides")
    return items[best]


def array_of(rows: Any, dtype: Any) -> Any:
    """Make an array of lists, one by one."""
    if len(rows) == 0:
        return np.zeros(0, dtype)
    return np.stack([np.array(row, dtype) for row in rows])


def holds_dtype(value: Any, dtype: Any) -> bool:
    """Tell whether anything in nested lists is an array, or makes one, of a dtype."""
    if type(value) not in (list, tuple):
        return bool(np.asarray(value).dtype == dtype)
    found = False
    for item in value:
        if holds_dtype(item, dtype):
            found = True
            break
    return found


def require_exact(keys: Any) -> None:
    """Check that a float64 holds each int that is compared with floats."""
    for key in keys:
        if type(key) is int and not -(2**53) <= key <= 2**53:
            raise OverflowError("comparing this int with a float is not exact in the model")
