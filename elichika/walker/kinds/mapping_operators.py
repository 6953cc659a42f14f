"""What operators give of dicts, sets and views of dicts."""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from elichika.idioms import dicts
from elichika.iterators.base import DictView, InstanceDict
from elichika.values.kinds import is_frozen
from elichika.values.words import a_value

if TYPE_CHECKING:
    from elichika.walker.kinds.context import KindContext

__all__ = ["augmented_dict", "augmented_set", "binary"]

_SETS: dict[Any, Callable[[dict[Any, Any], dict[Any, Any]], list[Any]]] = {
    operator.or_: lambda a, b: [*a, *b],
    operator.and_: lambda a, b: [k for k in a if k in b],
    operator.sub: lambda a, b: [k for k in a if k not in b],
    operator.xor: lambda a, b: [k for k in a if k not in b] + [k for k in b if k not in a],
}
_EQUALITY = (operator.eq, operator.ne)
_ORDERS = (*_EQUALITY, operator.lt, operator.le, operator.gt, operator.ge)


def binary(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    """Return `left op right` of two dicts or two sets (or views), else NotImplemented."""
    left, right = (_opened(w, one, ordered=op not in _EQUALITY) for one in (left, right))
    if _are(dict, left, right):
        return _of_dicts(w, op, left, right)
    if not (_is_set(left) and _is_set(right)):
        if op in _EQUALITY and type(left) is not type(right):
            return op is operator.ne
        return NotImplemented
    if _are_items(left) and _are_items(right) and op in _EQUALITY:
        same = _equal(w, left.mapping, right.mapping, counters=False, ordered=False)
        return same if op is operator.eq else w.not_(same)
    left, right = (w.call(set, [one], {}) if _are_items(one) else one for one in (left, right))
    if _is_table(w, left) or _is_table(w, right):
        known = op in _ORDERS or op in _SETS
        return w.tables.sets.algebra(op, left, right) if known else NotImplemented
    ours, theirs = _members(w, left), _members(w, right)
    if op in _ORDERS:
        return op(set(ours), set(theirs))
    if op not in _SETS:
        return NotImplemented
    if is_frozen(left):
        return frozenset(_SETS[op](ours, theirs))
    made: set[Any] = w.store.born(set())
    w.set_items(made, dict.fromkeys(_SETS[op](ours, theirs), True))
    return made


def augmented_dict(w: KindContext, op: Any, current: dict[Any, Any], operand: Any) -> Any:
    """Run `current |= operand`, or what else Counters have; else return NotImplemented."""
    if _are(Counter, current, operand):
        made = _of_counters(w, op, current, operand)
        if made is not NotImplemented:
            w.set_items(current, w.items_of(made))
            return current
        return made
    if op is not operator.or_:
        return NotImplemented
    w.call(dict.update, [current, operand], {})
    return current


def augmented_set(w: KindContext, op: Any, current: set[Any], operand: Any) -> Any:
    """Run `current op= operand` of two sets, else return NotImplemented."""
    changes = set in type(current).__mro__ and not is_frozen(current)
    if not changes or not _is_set(operand) or op not in _SETS:
        return NotImplemented
    if _is_table(w, current) or _is_table(w, operand):
        w.set_items(current, w.items_of(w.tables.sets.algebra(op, current, operand)))
        return current
    keys = _SETS[op](_members(w, current), _members(w, operand))
    w.set_items(current, dict.fromkeys(keys, True))
    return current


#: Dicts of Python of which `|` gives one of the same class.
OF_ITS_CLASS = frozenset({OrderedDict, defaultdict})


def _of_dicts(w: KindContext, op: Any, left: dict[Any, Any], right: dict[Any, Any]) -> Any:
    counters = _are(Counter, left, right)
    if op in _EQUALITY:
        same = _equal(w, left, right, counters, _are(OrderedDict, left, right))
        return same if op is operator.eq else w.not_(same)
    if counters:
        return _of_counters(w, op, left, right)
    if op is not operator.or_:
        return NotImplemented
    made = _copy_of_class(w, left, right)
    w.call(dict.update, [made, right], {})
    return made


def _copy_of_class(w: KindContext, left: Any, right: Any) -> Any:
    """Return a copy of `left`, of the class of the first operand that is no plain dict."""
    for one in (left, right):
        for cls in OF_ITS_CLASS.intersection(type(one).__mro__):
            if type(one) is not cls:
                w.refuse(
                    f"`|` of {a_value(one)}, whose class extends one of Python's, is not compiled",
                    "make a new one and put the items into it",
                )
            factory = [w.get_attribute(one, "default_factory")] if cls is defaultdict else []
            return w.call(cls, [*factory, left], {})
    return w.call(dict, [left], {})


def _of_counters(w: KindContext, op: Any, left: dict[Any, Any], right: dict[Any, Any]) -> Any:
    """Return what an operator gives of two Counters: a Counter, or a bool."""
    if op in dicts.ORDERS:
        return w.call(dicts.ORDERS[op], [left, right], {})
    if op not in dicts.COUNTED:
        return NotImplemented
    made = w.call(Counter, [], {})
    w.call(dicts.COUNTED[op], [made, left, right], {})
    return made


def _equal(
    w: KindContext, left: dict[Any, Any], right: dict[Any, Any], counters: bool, ordered: bool
) -> Any:
    """Return whether two dicts hold the same."""
    if _is_table(w, left) or _is_table(w, right):
        if counters:
            return w.call(dicts.counted_alike, [left, right], {})
        return w.call(dicts.alike_in_order if ordered else dicts.alike, [left, right], {})
    ours, theirs = w.sure_items(left), w.sure_items(right)
    if counters:  # what is not there occurs no time
        keys = dict.fromkeys((*ours, *theirs), 0)
        ours, theirs = {**keys, **ours}, {**keys, **theirs}
    moved = ordered and list(ours) != list(theirs)
    return False if moved else _same_items(w, ours, theirs)


def _same_items(w: KindContext, ours: dict[Any, Any], theirs: dict[Any, Any]) -> Any:
    if set(ours) != set(theirs):
        return False
    result: Any = True
    for key, held in ours.items():
        result = w.both(result, w.same_item(held, theirs[key]))
    return result


def _opened(w: KindContext, value: Any, *, ordered: bool) -> Any:
    """Return the attributes of an object as a dict of their own, and anything else as it is."""
    if type(value) is not InstanceDict:
        return value
    if ordered:
        w.require_attribute_order(value.obj)
    return w.new_dict(w.attributes_of(value.obj))


def _are(cls: type, *values: Any) -> bool:
    return all(isinstance(one, cls) for one in values)


def _members(w: KindContext, value: Any) -> dict[Any, Any]:
    if isinstance(value, DictView):
        return dict.fromkeys(w.static_items(value), True)
    return w.sure_items(value)


def _is_table(w: KindContext, value: Any) -> bool:
    """Tell whether the members of a set are known only when the model runs."""
    return w.tables.opened(getattr(value, "mapping", value)) is not None


def _are_items(value: Any) -> bool:
    """Tell whether a value shows the items of a dict."""
    return getattr(value, "kind", None) == "items"


def _is_set(value: Any) -> bool:
    shows_keys = isinstance(value, DictView) and value.kind != "values"
    return shows_keys or isinstance(value, (set, frozenset))
