"""Sets, and their methods."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.iterators.base import DictView
from elichika.program.raised import genuine
from elichika.registry import always, lowers
from elichika.values import python_words
from elichika.values.kinds import is_frozen, is_number, is_set
from elichika.values.set_orders import Added, Order, order_of
from elichika.values.tables import FrozenSet

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

#: Why a set is not asked for its items by a key.
SET_DECIDES = "the order of a set is not fixed, so neither is the order of items with equal keys"
_IN_PLACE = {
    set.update: operator.or_,
    set.difference_update: operator.sub,
    set.intersection_update: operator.and_,
    set.symmetric_difference_update: operator.xor,
}


@lowers(builtins.set)
@always
def set_(w: ContainerContext, iterable: Any = ()) -> Any:
    """Make a set."""
    made: set[Any] = w.store.born(set())
    w.set_items(made, Added())
    iterable = w.narrow(iterable)
    if is_set(iterable):  # past an `__iter__` of its class
        w.set_items(made, w.items_of(iterable))
        w.tables.sets.forget_order(made)
    else:
        _add_each(w, made, w.settled(iterable))
    return made


@lowers(builtins.frozenset)
@always
def frozenset_(w: ContainerContext, iterable: Any = ()) -> Any:
    """Make a set that never changes; it is no key where only the run knows its items."""
    iterable = w.narrow(iterable)
    if is_frozen(iterable):
        return iterable
    if w.is_known(iterable) and not w.is_symbolic(iterable) and not is_set(iterable):
        return frozenset(map(w.hashable, w.static_items(iterable)))
    made: FrozenSet = w.store.born(FrozenSet())
    w.set_items(made, w.items_of(set_(w, iterable)))
    return made


def thawed(w: ContainerContext, value: Any) -> Any:
    """Return a known frozenset as a set, and another value as it is."""
    return set_(w, value) if type(value) is frozenset else value


def in_any_order(w: ContainerContext, held: Any) -> DictView:
    """Return what goes through a set where its order does not show: none of its items is nan."""
    known = w.items_of(held) if w.tables.of(held) is None else ()
    if any(is_number(key) and not bool(key == key) for key in known):
        w.refuse("the order of a set is not fixed, and nan is in it", "take it out first")
    return DictView(held, "keys")


def _add_each(w: ContainerContext, obj: Any, iterable: Any) -> None:
    """Add what is in no set itself, one by one."""
    if w.is_known(iterable):
        for item in w.static_items(iterable):
            w.call(set.add, [obj, item], {})
    else:
        w.call(idioms.dicts.add, [obj, iterable], {})
    if type(iterable) is dict:  # for whose keys it makes room beforehand
        w.tables.sets.forget_order(obj)


@lowers(set.copy, frozenset.copy)
@always
def set_copy(w: ContainerContext, obj: Any) -> Any:
    """Return a set of the same items; Python may make it in another order."""
    if type(obj) is FrozenSet:
        return obj
    if type(obj) is not set:
        w.refuse("`copy` of a set whose class extends `set` is not compiled", "make a new one")
    return set_(w, obj)


def _in_place(method: Any, op: Any) -> None:
    @lowers(method)
    @always
    def lowering(w: ContainerContext, obj: Any, *others: Any) -> None:
        for other in others:
            other = w.settled(w.narrow(other))
            if op is operator.or_ and not is_set(other):
                _add_each(w, obj, other)
            else:
                w.augmented("", op, obj, set_(w, other))


for _method, _op in _IN_PLACE.items():
    _in_place(_method, _op)


_MADE: dict[Any, Any] = {
    set.union: operator.or_,
    set.difference: operator.sub,
    set.intersection: operator.and_,
    set.symmetric_difference: operator.xor,
}
_ASKED: dict[Any, Any] = {set.issubset: operator.le, set.issuperset: operator.ge}


def _combining(method: Any, op: Any) -> None:
    @lowers(method, getattr(frozenset, method.__name__))
    def lowering(w: ContainerContext, obj: Any, *others: Any) -> Any:
        made = obj if is_frozen(obj) else set_(w, obj)
        for other in others:
            made = w.binary(op, made, set_(w, other))
        return made


def _asking(method: Any, op: Any) -> None:
    @lowers(method, getattr(frozenset, method.__name__))
    def lowering(w: ContainerContext, obj: Any, other: Any) -> Any:
        return w.binary(op, set_(w, obj), set_(w, other))


for _maker, _operator in _MADE.items():
    _combining(_maker, _operator)
for _asker, _comparison in _ASKED.items():
    _asking(_asker, _comparison)


@lowers(set.isdisjoint, frozenset.isdisjoint)
def isdisjoint(w: ContainerContext, obj: Any, other: Any) -> Any:
    """Tell whether two have no member in common."""
    return w.not_(w.truth(w.binary(operator.and_, set_(w, obj), set_(w, other))))


@lowers(set.add)
@always
def add(w: ContainerContext, obj: Any, key: Any) -> None:
    """Add to the store's version."""
    if w.tables.decides(obj, key):
        w.tables.stores.add(obj, key)
        return
    items = w.items_of(obj)
    if order_of(items) is Order.SHOWN:
        w.tables.sets.forget_order(obj)  # where the key comes to is not followed
        items = w.items_of(obj)
    w.set_items(obj, type(items)({**items, w.hashable(key): True}))


@lowers(set.discard)
@always
def discard(w: ContainerContext, obj: Any, key: Any) -> None:
    """Take a key out, if it is there."""
    if w.tables.decides(obj, key):
        w.tables.stores.discard(obj, key)
        return
    w.tables.sets.let_go(obj)
    items = w.items_of(obj)
    w.set_items(obj, type(items)((k, v) for k, v in items.items() if k != w.hashable(key)))


@lowers(set.remove)
@always
def remove(w: ContainerContext, obj: Any, key: Any) -> None:
    """Take a key out that must be there."""
    if w.tables.decides(obj, key):
        w.tables.stores.discard(obj, key, must=True)
        return
    present = w.container_contains(obj, key)
    if w.is_symbolic(present):
        w.check(present, KeyError, repr(key), (key,))
    elif not present:
        w.raise_static(genuine(KeyError(key)))
    discard(w, obj, key)


@lowers(set.pop)
@always
def pop(w: ContainerContext, obj: Any) -> Any:
    """Take out the key that comes first in the order of the set."""
    size = w.sequences.length(obj)
    w.check(w.binary(operator.gt, size, 0), KeyError, "pop from an empty set", python_words.SET_POP)
    if not w.tables.sets.is_ordered(obj):
        w.tables.sets.ask_order()
        w.refuse(
            "which item `pop` takes from a set is not defined",
            "take it from `sorted(...)` of the set",
        )
    key = w.container_iterate(obj).item(0)
    discard(w, obj, key)
    return key
