"""Dicts, sets, views of dicts, and the dict of an object."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from elichika.errors import meant
from elichika.iterators.base import DictView, InstanceDict, Staged
from elichika.lowerings.python import named
from elichika.program.raised import genuine
from elichika.values.set_orders import Order, as_shown, order_of
from elichika.values.symbolic import UNSET, Choice, Text
from elichika.values.tables import FrozenSet
from elichika.walker.kinds import mapping_operators
from elichika.walker.kinds.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext

__all__ = ["DictViews", "Dicts", "FrozenSets", "FrozenSetsOfTheRun", "InstanceDicts", "Sets"]

#: How a dict answers for a key that is not there where no class of the program says so.
_MISSING = (None, Counter.__missing__, defaultdict.__missing__)
#: As many keys are listed where one is missing.
FEW = 6


class _Keyed(Kind):
    """What holds keys."""

    rank = 3

    def parts(self, w: KindContext, value: Any) -> Iterable[Any]:
        """Return what it holds by its keys, which are known."""
        items = w.items_of(value)
        return items.values() if isinstance(items, dict) else (items,)

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`."""
        return mapping_operators.binary(w, op, left, right)

    def contains(self, w: KindContext, container: Any, value: Any) -> Any:
        """Return whether a key is there; numbers of the run are compared with each that may be."""
        if type(value) is Text:
            return named.is_one(w, value, w.sure_items(container, ordered=False))
        if w.tables.decides(container, value):
            return w.tables.contains(container, value)
        return w.is_set(w.given_item(container, w.hashable(value)))


class FrozenSets(_Keyed):
    """A frozenset."""

    def parts(self, w: KindContext, value: frozenset[Any]) -> Iterable[Any]:
        """Return its items."""
        return value

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return its one item; the order of more is not Python's to say."""
        _require_order(w, value)
        return super().iterate(w, value)


class Sets(_Keyed):
    """A set; its contents are a location of the store."""

    def augmented(self, w: KindContext, name: str, op: Any, current: set[Any], operand: Any) -> Any:
        """Run `current op= operand` of two sets."""
        return mapping_operators.augmented_set(w, op, current, operand)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return whether it has an item."""
        return w.truth(w.sequences.length(value))

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return its items, in CPython's order where that is known."""
        table = w.tables.sets.in_order(value)
        if table is not None:
            return w.tables.loops.iterated(value, table, "keys", within=table)
        if not w.tables.sets.is_ordered(value):
            _require_order(w, value)
        return w.iterated(value, lambda: _in_order(w, value))


class FrozenSetsOfTheRun(Sets):
    """A frozenset whose items only the run knows."""

    def type_of(self, value: FrozenSet) -> type:
        """Return the type of frozensets."""
        return frozenset


def _instead(key: Any, keys: Iterable[Any]) -> str | None:
    """Return which key may be meant by one that is not there; else which there are."""
    known = list(keys)
    near = meant(key, [one for one in known if type(one) is str]) if type(key) is str else None
    if near is not None or not known or len(known) > FEW:
        return near
    return f"the keys are {', '.join(map(repr, known))}"


class Dicts(_Keyed):
    """A dict; its contents are a location of the store."""

    def augmented(
        self, w: KindContext, name: str, op: Any, current: dict[Any, Any], operand: Any
    ) -> Any:
        """Run `current |= operand`."""
        return mapping_operators.augmented_dict(w, op, current, operand)

    def truth(self, w: KindContext, value: dict[Any, Any]) -> Any:
        """Return whether it has an item."""
        return w.truth(w.sequences.length(value))

    def iterate(self, w: KindContext, value: dict[Any, Any]) -> Staged:
        """Return its keys."""
        return _iterated(w, value, "keys", lambda: list(w.sure_items(value)))

    def get_item(self, w: KindContext, obj: dict[Any, Any], index: Any) -> Any:
        """Return `obj[index]`; the key may be a number of the run."""
        index = w.narrow(index)
        missing = w.special(obj, "__missing__")
        if missing is None and type(index) is Text:
            return named.chosen(w, index, w.sure_items(obj, ordered=False), KeyError)
        if missing in _MISSING and w.tables.decides(obj, index):
            return w.tables.pick(obj, index)
        key = w.hashable(index)
        held = w.given_item(obj, key)
        if missing is not None:
            return w.or_else(held, lambda: self._missing(w, obj, key), f"key {key!r}")
        if held is UNSET:
            w.raise_static(genuine(KeyError(key)), _instead(key, w.items_of(obj)))
        return w.undefined(held, f"key {key!r}", KeyError)

    def _missing(self, w: KindContext, obj: dict[Any, Any], key: Any) -> Any:
        """Return what a dict that has its own `__missing__` gives for a key that is not there."""
        missing = w.special(obj, "__missing__")
        if missing is Counter.__missing__:
            return 0
        if w.has_source(missing):
            return w.call(missing, [obj, key], {})
        factory = w.get_attribute(obj, "default_factory", None)
        return w.choices.apply(factory, lambda one: self._made_by(w, obj, key, one))

    def _made_by(self, w: KindContext, obj: dict[Any, Any], key: Any, factory: Any) -> Any:
        """Set an item that is not there by what makes it, and return it."""
        if factory is None:
            w.raise_static(genuine(KeyError(key)))
        value = w.call(factory, [], {})
        w.call(w.special(obj, "__setitem__"), [obj, key, value], {})
        return value

    def set_item(self, w: KindContext, obj: dict[Any, Any], index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        if w.tables.decides(obj, index) or type(w.narrow(index)) is Choice:
            w.tables.stores.set(obj, index, value)
        else:
            w.set_items(obj, w.with_item(w.items_of(obj), w.hashable(index), value))

    def delete_item(self, w: KindContext, obj: dict[Any, Any], index: Any) -> None:
        """Run `del obj[index]`; of a Counter the key need not be there."""
        counts = w.special(obj, "__missing__") is Counter.__missing__
        if w.tables.decides(obj, index):
            w.tables.stores.discard(obj, index, must=not counts)
            return
        items = w.items_of(obj)
        key = w.hashable(index)
        held = 0 if counts else w.given_item(obj, key)
        if held is UNSET:
            w.raise_static(genuine(KeyError(key)))
        w.undefined(held, f"key {key!r}", KeyError)
        w.set_items(obj, {k: v for k, v in items.items() if k != key})


class DictViews(Kind):
    """`d.keys()`, `d.values()` and `d.items()`."""

    rank = 3

    def parts(self, w: KindContext, value: DictView) -> Iterable[Any]:
        """Return the dict that it shows."""
        return (value.mapping,)

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`."""
        return mapping_operators.binary(w, op, left, right)

    def type_of(self, value: DictView) -> type:
        """Return the type of such views."""
        return type(getattr({}, value.kind)())

    def attribute(self, w: KindContext, obj: DictView, name: str, default: Any) -> Any:
        """Return `obj.name`."""
        return w.iterable_attribute(obj, name, default)

    def iterate(self, w: KindContext, value: DictView) -> Staged:
        """Return what it shows of the dict."""
        return _iterated(w, value.mapping, value.kind, lambda: w.view_items(value))

    def contains(self, w: KindContext, container: DictView, value: Any) -> Any:
        """Return whether it shows a value."""
        if container.kind == "keys":
            return w.contains(container.mapping, value)
        if w.tables.of(container.mapping) is not None:
            return w.contains(w.call(list, [container], {}), value)
        return w.contains(tuple(w.view_items(container)), value)


class InstanceDicts(Kind):
    """The `__dict__` of an object: its attributes."""

    rank = 3

    def type_of(self, value: InstanceDict) -> type:
        """Return the type of dicts."""
        return dict

    def attribute(self, w: KindContext, obj: InstanceDict, name: str, default: Any) -> Any:
        """Return a method of dicts."""
        return w.instance_method(obj, name)

    def truth(self, w: KindContext, value: InstanceDict) -> bool:
        """Return whether there are attributes."""
        return bool(w.attributes_of(value.obj))

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right` of dicts."""
        return mapping_operators.binary(w, op, left, right)

    def iterate(self, w: KindContext, value: InstanceDict) -> Staged:
        """Return the names of the attributes."""
        w.require_attribute_order(value.obj)
        return w.iterate(tuple(w.attributes_of(value.obj)))

    def get_item(self, w: KindContext, obj: InstanceDict, index: Any) -> Any:
        """Return the attribute of a name."""
        if type(w.narrow(index)) is Text:
            return named.chosen(w, w.narrow(index), w.attributes_of(obj.obj), KeyError)
        key = w.hashable(index)
        return w.undefined(w.own(obj.obj, key), f"key {key!r}", KeyError)

    def set_item(self, w: KindContext, obj: InstanceDict, index: Any, value: Any) -> None:
        """Set the attribute of a name."""
        w.set_own(obj.obj, index, value)

    def contains(self, w: KindContext, container: InstanceDict, value: Any) -> Any:
        """Return whether the object itself has an attribute."""
        return w.is_set(w.own(container.obj, w.hashable(value)))


def _iterated(w: KindContext, mapping: Any, kind: str, items: Callable[[], list[Any]]) -> Staged:
    """Return what a loop over a dict, a set or a view of a dict runs over."""
    one = w.narrow(mapping)
    if type(one) is Choice:
        return w.tables.loops.iterated_one(one, kind) or w.iterated(mapping, items)
    table = w.tables.opened(mapping)
    return (
        w.iterated(mapping, items)
        if table is None
        else w.tables.loops.iterated(mapping, table, kind)
    )


def _in_order(w: KindContext, value: set[Any]) -> list[Any]:
    """Return the known keys of a set in Python's own order."""
    keys = list(w.sure_items(value))
    shown = as_shown(keys) if order_of(w.items_of(value)) is Order.ADDED else keys
    return keys if shown is None else shown


def _require_order(w: KindContext, value: Any) -> None:
    if w.tables.opened(value) is not None or len(w.items_of(value)) > 1:
        w.tables.sets.ask_order()
        w.refuse("the order of a set is not fixed", "iterate over `sorted(...)` of it")
