"""Keys known only when the model runs, looked for among those of a dict that are known."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from elichika.values.kinds import is_number, type_of_number
from elichika.values.symbolic import UNSET, Array, Choice, DynamicTuple, Scalar
from elichika.walker.kinds import builtin_kind
from elichika.walker.kinds.lists import note_picked
from elichika.walker.table_plan import NEW_KEY
from elichika.walker.walk import Walk
from onnx_graph.ranges import range_of

__all__ = [
    *("NO_KEY", "PAIRS", "is_among", "is_plain", "matching", "pick_by_key"),
    "set_by_key",
]

#: What a model says of a key that a dict does not have.
NO_KEY = "the key is not there"
#: The way out where a dict cannot have a key.
PAIRS = "keep pairs in a list, or name the argument behind the key in `static`"


#: The classes of what a key of a class may equal; a number by default.
_ALIKE = {tuple: (tuple,), DynamicTuple: (tuple,), Choice: (bool, int, float, tuple, str)}


def matching(w: Walk, items: dict[Any, Any], key: Any) -> list[tuple[Any, Any]]:
    """Return each key that `key` may equal, and whether it does."""
    kinds = _ALIKE.get(type(key), (bool, int, float))
    return [(k, w.same_item(k, key)) for k in items if isinstance(k, kinds)]


def is_among(w: Walk, tests: list[tuple[Any, Any]], key: Any) -> Any:
    """Return whether a key is one of those that it may equal; the same truth each time.

    Args:
        w: The walk.
        tests: What `matching` gives.
        key: The key.
    """
    known = tuple((type(held), held) for held, _ in tests)
    where = None if type(key) is not Scalar else ("is among", known, key.onnx_value)
    scope = w.graph.scope
    told = None if where is None else w.graph.memoised(scope, where)
    if told is not None:
        return w.truth(w.scalar(bool, told))
    found: Any = False
    for _, same in tests:
        found = w.not_(w.both(w.not_(found), w.not_(same)))
    if where is not None and type(found) is Scalar:
        scope.memo[where] = found.onnx_value
    return found


def pick_by_key(w: Walk, obj: dict[Any, Any], key: Any, *, there: bool = False) -> Any:
    """Return `obj[key]` where the key is known when the model runs.

    A Counter gives 0, but where the key must be there.
    """
    items = w.sure_items(obj)
    position: Any = 0
    tests = matching(w, items, key)
    for number, (_, same) in enumerate(tests):
        step = w.call(int, [same], {})
        position = w.binary(operator.add, position, w.binary(operator.mul, step, number))
    values = [items[held] for held, _ in tests]
    found = is_among(w, tests, key)
    if not there and w.special(obj, "__missing__") is Counter.__missing__:
        position = _either(w, found, position, len(values))
        values.append(0)
    else:
        w.check(found, KeyError, NO_KEY, (key,))
    if len(values) == 1:
        return values[0]
    value = builtin_kind(()).get_item(w, tuple(values), position)
    if type(value) is Array and type(key) is Scalar:
        note_picked(w, value, tuple(items.values()), key)
    return value


def _either(w: Walk, test: Any, then: Any, other: Any) -> Any:
    return w.branch(test, lambda: then, lambda: other)


def set_by_key(w: Walk, obj: dict[Any, Any], key: Any, value: Any) -> None:
    """Run `obj[key] = value` where the key is known when the model runs, and surely is there.

    Which keys such a dict has is known before: it is refused where the key may be a new one, or
    another number than True or False where one of these is a key.
    """
    items = dict(w.sure_items(obj))
    if bool in map(type, items) and is_number(key) and type_of_number(key) is not bool:
        w.refuse(NEW_KEY, PAIRS)
    tests = matching(w, items, key)
    if not _is_one_of(items, key):
        found = is_among(w, tests, key)
        if found is not True and (found is False or w.facts.of(found.onnx_value) is not True):
            w.refuse(NEW_KEY, PAIRS)
    for held, same in tests:
        items[held] = _either(w, same, value, items[held])
    w.set_items(obj, items)


def _is_one_of(items: dict[Any, Any], key: Any) -> bool:
    """Tell whether a key is one of those of a dict, whatever it is when the model runs."""
    if type(key) is Choice:
        known = (type(one) is str for one in key.alternatives)
        return all(known) and all(one in items for one in key.alternatives)
    if type(key) is not Scalar:
        return False
    numbers = range_of(key.onnx_value)
    return numbers is not None and all(number in items for number in numbers)


def is_plain(held: Any) -> bool:
    """Tell whether what a known key holds, if it is there, is no object that may change."""
    if type(held) in (tuple, Choice):
        return all(map(is_plain, getattr(held, "alternatives", held)))
    return held is UNSET or held is None or is_number(held)
