"""Keys that are one of several texts: they go to a dict as they are, not in a branch for each."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from elichika.values.kinds import alternatives_of
from elichika.values.set_orders import KNOWN
from elichika.values.symbolic import UNORDERED, UNSET, Choice, may_be_unset
from elichika.walker.containers.table_keys import as_tuple, names

if TYPE_CHECKING:
    from elichika.walker.walk import Walk

__all__ = ["TAKEN", "goes_whole", "holds_lists", "puts", "takes_name"]

#: Methods that take a key.
_KEYED = {
    *(dict.get, dict.setdefault, dict.pop, set.add, set.discard, set.remove),
    *(OrderedDict.setdefault, OrderedDict.pop, OrderedDict.move_to_end),
}
#: Functions that change what stands under a name.
_NAMED = {setattr, delattr, object.__setattr__, object.__delattr__, *_KEYED - {dict.get}}
MOST_APART = 30
"""How many texts at most have a branch each, where a dict of known keys is asked for one."""
TAKEN = object()
"""Stands for what is put in where something is taken out."""
#: What those put in that do.
_PUT: dict[Any, Callable[[list[Any]], Any]] = {
    **dict.fromkeys((dict.pop, OrderedDict.pop, set.discard, set.remove), lambda args: TAKEN),
    set.add: lambda args: UNSET,
    dict.setdefault: lambda args: (*args, None)[2],
    OrderedDict.setdefault: lambda args: (*args, None)[2],
}
_FACTORIES = (list, set, dict)
_CLASSES = (dict, set, OrderedDict, defaultdict, Counter)


def holds_lists(w: Walk, obj: Any, *value: Any) -> bool:
    """Tell whether a dict without keys will hold lists, sets or dicts that are empty at first.

    Of a defaultdict it is what makes its values, unless that is a type of numbers.
    """
    if type(obj) is defaultdict:
        return w.get_attribute(obj, "default_factory", None) not in (None, int, float, bool)
    held = [w.items_of(one) for one in value if type(one) in _FACTORIES]
    return any(type(items) in (tuple, *KNOWN) and not items for items in held)


def takes_name(function: Any) -> bool:
    """Tell whether a function changes an attribute or item by the name that it is given."""
    return function in _NAMED


def puts(w: Walk, function: Any, args: list[Any]) -> bool:
    """Tell whether a method takes the key that it is given as it is."""
    if function not in _KEYED or len(args) < 2:
        return False
    put = _PUT.get(function)
    return goes_whole(w, args[0], args[1], *([] if put is None else [put(args)]))


def goes_whole(w: Walk, obj: Any, key: Any, *value: Any) -> bool:
    """Tell whether a dict or set takes a key as it is; it has room for it, and a value, then.

    A dict that surely has a key already keeps its own where none is taken out: which keys it has is
    known.
    """
    key = w.tables.keys.narrowed(key)
    if type(obj) not in _CLASSES or not names(key):
        return False
    if w.tables.of(obj) is not None:
        return True
    items = w.items_of(obj)
    if not items and holds_lists(w, obj, *value):
        return True
    taken = any(one is TAKEN for one in value)
    if taken:
        value = (UNSET,) if type(obj) is set else (*items.values(),)[:1]
    if not value and type(items) in KNOWN:
        return not items or max(len(alternatives_of(part)) for part in as_tuple(key)) > MOST_APART
    if not value or type(items) not in KNOWN or UNORDERED in items:
        return False
    options = key.alternatives if type(key) is Choice else ()
    sure = options and all(one in items and not may_be_unset(items[one]) for one in options)
    return (taken or not sure) and w.tables.stores.make_room(obj, key, *value)
