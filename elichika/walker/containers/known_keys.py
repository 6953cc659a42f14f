"""Keys known only when the model runs, looked for among those of a dict that are known."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from elichika.values.kinds import is_number, type_of_number
from elichika.values.symbolic import UNSET, Array, Choice, DynamicTuple, Scalar
from elichika.walker.kinds import builtin_kind
from elichika.walker.kinds.lists import note_picked
from elichika.walker.walk import Walk

__all__ = ["NEW_KEY", "NO_KEY", "PAIRS", "is_plain", "matching", "pick_by_key", "set_by_key"]

#: What a model says of a key that a dict does not have.
NO_KEY = "the key is not there"
#: Why a dict cannot have a key.
NEW_KEY = "this dict cannot get a key that is known only when the model runs"
#: The way out where a dict cannot have a key.
PAIRS = "keep pairs in a list, or name the argument behind the key in `static`"


#: The classes of what a key of a class may equal; a number by default.
_ALIKE = {tuple: (tuple,), DynamicTuple: (tuple,), Choice: (bool, int, float, tuple, str)}


def matching(w: Walk, items: dict[Any, Any], key: Any) -> list[tuple[Any, Any]]:
    """Return each key that `key` may equal, and whether it does."""
    kinds = _ALIKE.get(type(key), (bool, int, float))
    return [(k, w.same_item(k, key)) for k in items if isinstance(k, kinds)]


def pick_by_key(w: Walk, obj: dict[Any, Any], key: Any, *, there: bool = False) -> Any:
    """Return `obj[key]` where the key is known when the model runs.

    What a `defaultdict` makes for a key that is not there is a new key: the model fails. A Counter
    gives 0, but where the key must be there.
    """
    items = w.sure_items(obj)
    position: Any = 0
    found: Any = False
    values: list[Any] = []
    for held, same in matching(w, items, key):
        found = w.not_(w.both(w.not_(found), w.not_(same)))
        step = w.call(int, [same], {})
        position = w.binary(operator.add, position, w.binary(operator.mul, step, len(values)))
        values.append(items[held])
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
    """Run `obj[key] = value` where the key is known when the model runs.

    The model fails where the key is new: which keys such a dict has is known before. It is refused
    where the key is another number than True or False, and one of these is a key.
    """
    items = dict(w.sure_items(obj))
    found: Any = False
    if bool in map(type, items) and is_number(key) and type_of_number(key) is not bool:
        w.refuse(NEW_KEY, PAIRS)
    for held, same in matching(w, items, key):
        found = w.not_(w.both(w.not_(found), w.not_(same)))
        items[held] = _either(w, same, value, items[held])
    if found is False:
        w.refuse(NEW_KEY, PAIRS)
    w.check(found, KeyError, "this dict cannot get a new key while the model runs")
    w.set_items(obj, items)


def is_plain(held: Any) -> bool:
    """Tell whether what a known key holds, if it is there, is no object that may change."""
    if type(held) in (tuple, Choice):
        return all(map(is_plain, getattr(held, "alternatives", held)))
    return held is UNSET or held is None or is_number(held)
