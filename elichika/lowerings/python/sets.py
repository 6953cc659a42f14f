"""Sets, and their methods."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.program.raised import genuine
from elichika.registry import always, lowers
from elichika.values.kinds import is_set

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

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
    w.set_items(made, {})
    iterable = w.settled(w.narrow(iterable))
    if is_set(iterable):
        w.set_items(made, w.items_of(iterable))
    elif w.is_known(iterable):
        for item in w.static_items(iterable):
            w.call(set.add, [made, item], {})
    else:
        w.call(idioms.dicts.add, [made, iterable], {})
    return made


def _in_place(method: Any, op: Any) -> None:
    @lowers(method)
    @always
    def lowering(w: ContainerContext, obj: Any, *others: Any) -> None:
        for other in others:
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
    @lowers(method)
    def lowering(w: ContainerContext, obj: Any, *others: Any) -> Any:
        made = set_(w, obj)
        for other in others:
            made = w.binary(op, made, set_(w, other))
        return made


def _asking(method: Any, op: Any) -> None:
    @lowers(method)
    def lowering(w: ContainerContext, obj: Any, other: Any) -> Any:
        return w.binary(op, set_(w, obj), set_(w, other))


for _maker, _operator in _MADE.items():
    _combining(_maker, _operator)
for _asker, _comparison in _ASKED.items():
    _asking(_asker, _comparison)


@lowers(set.isdisjoint)
def isdisjoint(w: ContainerContext, obj: Any, other: Any) -> Any:
    """Tell whether two have no member in common."""
    return w.not_(w.truth(w.binary(operator.and_, set_(w, obj), set_(w, other))))


@lowers(set.add)
@always
def add(w: ContainerContext, obj: Any, key: Any) -> None:
    """Add to the store's version."""
    if w.tables.decides(obj, key):
        w.tables.add(obj, key)
        return
    w.set_items(obj, {**w.items_of(obj), w.hashable(key): True})


@lowers(set.discard)
@always
def discard(w: ContainerContext, obj: Any, key: Any) -> None:
    """Take a key out, if it is there."""
    if w.tables.decides(obj, key):
        w.tables.discard(obj, key)
        return
    items = w.items_of(obj)
    w.set_items(obj, {k: v for k, v in items.items() if k != w.hashable(key)})


@lowers(set.remove)
@always
def remove(w: ContainerContext, obj: Any, key: Any) -> None:
    """Take a key out that must be there."""
    if w.tables.decides(obj, key):
        w.tables.discard(obj, key, must=True)
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
    """Take the only key out; which one of several, Python does not say."""
    items = w.sure_items(obj)
    if len(items) > 1:
        w.refuse(
            "which item `pop` takes from a set is not defined",
            "take it from `sorted(...)` of the set",
        )
    if not items:
        w.raise_static(KeyError("pop from an empty set"))
    (key,) = items
    w.set_items(obj, {})
    return key
