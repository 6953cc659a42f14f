"""Dicts and sets: views, keys that may not be there, the dict of an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from elichika.iterators.base import DictView, InstanceDict, Staged
from elichika.values.functions import BoundMethod
from elichika.values.symbolic import UNORDERED, UNSET, Choice, Conflict, Scalar, may_be_unset
from elichika.walker.kinds import builtin_kind
from elichika.walker.locations import Locations, own_space
from elichika.walker.walk import Walk


class Mappings:
    """The part of the walker that knows dicts and sets."""

    def __init__(self, w: Walk, locations: Locations) -> None:
        self.w = w
        self.locations = locations

    def with_item(self, items: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
        """Return the contents of a dict with one item set.

        A key that may not be there yet would come last then, and else stay where it is.
        """
        number = list(items).index(key) if key in items else len(items)
        later = list(items.values())[number + 1 :]
        moves = key in items and self._may_be_absent(items[key])
        if moves and any(self.w.narrow(held) is not UNSET for held in later):
            items = {UNORDERED: True, **items}
        return {**items, key: value}

    def _may_be_absent(self, held: Any) -> bool:
        held = self.w.narrow(held)
        return may_be_unset(held) or held is UNSET

    # -- views --------------------------------------------------------------------------------

    def view_items(self, view: DictView) -> list[Any]:
        """Return what a view shows now."""
        items = self.sure_items(view.mapping)
        return list({"keys": items, "values": items.values(), "items": items.items()}[view.kind])

    def iterated(self, mapping: Any, items: Callable[[], list[Any]]) -> Staged:
        """Return what a loop over a dict, a set or a view of a dict runs over."""
        keys = list(self.sure_items(mapping))

        def current() -> int:
            now = list(self.sure_items(mapping))
            if len(now) != len(keys):
                kind = "dictionary" if isinstance(mapping, dict) else "Set"
                self.w.raise_static(RuntimeError(f"{kind} changed size during iteration"))
            if now != keys:
                self.w.refuse("the keys of a dict or set change while an iterator runs over it")
            return len(keys)

        def item(index: Any) -> Any:
            current()
            return builtin_kind(()).get_item(self.w, tuple(items()), index)

        return Staged(len(keys), item, uniform=False, current=current, fails=True)

    # -- the dict of an object ----------------------------------------------------------------

    def open_attributes_of(self, obj: Any) -> dict[str, Any]:
        """Return what an object holds itself, with attributes that may be unset."""
        self.locations.ask_presences(obj)
        held: dict[str, Any] = {}
        if not self.w.store.was_born(obj):
            held.update(own_space(obj))
        for slot in self.w.store.slots(obj):
            if not slot.startswith(("~", "[")):
                held[slot] = self.w.given(obj, slot)
        return held

    def attributes_of(self, obj: Any) -> dict[str, Any]:
        """Return the attributes that an object holds itself, as they are now."""
        held = self.open_attributes_of(obj)
        there: dict[str, Any] = {}
        for name, value in held.items():
            value = self.w.narrow(value)
            present = self.w.is_set(value) if not isinstance(value, Conflict) else True
            if isinstance(present, Scalar):
                self.w.refuse(
                    f"whether the attribute `{name}` is set is known only at run time",
                    "set it on both sides",
                )
            if present:
                there[name] = held[name]
        return there

    def require_attribute_order(self, obj: Any) -> None:
        """Refuse to go through attributes that may have come in another order."""
        self.w.arenas.require_order(obj)
        if type(obj) in self.w.mixed:
            self.w.refuse(
                f"the order of the attributes of this {type(obj).__name__} is not known: one is "
                "set in a branch or loop, or is set again",
                "set all of them first, in `__init__`",
            )

    def instance_method(self, owner: InstanceDict, name: str) -> Any:
        """Return a method of `obj.__dict__`; those that read work on a copy."""
        if name == "get":
            return BoundMethod(dict.get, owner)
        if name not in ("get", "items", "keys", "values", "copy"):
            self.w.refuse(f"`__dict__.{name}` is not supported", "set attributes by `setattr`")
        self.require_attribute_order(owner.obj)
        return self.w.get_attribute(self.w.new_dict(self.attributes_of(owner.obj)), name)

    def sure_items(self, obj: Any, *, ordered: bool = True) -> dict[Any, Any]:
        """Return the contents of a dict or set, refusing keys that may not be there.

        Where they come in an order that is not known, that is refused too if it matters.
        """
        obj = self.w.narrow(obj)
        if type(obj) is Choice:
            return self._items_of_one(obj, ordered)
        if ordered:
            self.w.arenas.require_order(obj)
        if self.w.tables.of(obj) is not None:
            self.w.refuse(
                "this is not compiled for a dict or set whose keys are known only when the model "
                "runs",
                "go through its keys in a loop, those of a set by `sorted`",
            )
        items: dict[Any, Any] = dict(self.w.items_of(obj))
        if items.pop(UNORDERED, False) and ordered:
            self.w.refuse(
                "the order of this dict's keys is known only when the model runs: one that is "
                "set may have been there before",
                "make a dict of its items by name: `{'a': d['a'], 'b': d['b']}`",
            )
        for key, held in items.items():
            if may_be_unset(self.w.narrow(held)):
                self.w.tables.stores.rather(obj, boxed=True)
                self.w.refuse(
                    f"whether the key {key!r} is there is known only when the model runs",
                    "test it with `in`, or set it on both sides",
                )
        return {k: v for k, v in items.items() if self.w.narrow(v) is not UNSET}

    def _items_of_one(self, choice: Choice, ordered: bool) -> dict[Any, Any]:
        """Return the contents of one of several dicts that have the same keys."""
        keys, *others = [list(self.sure_items(one, ordered=ordered)) for one in choice.alternatives]
        if any(other != keys for other in others):
            self.w.refuse(
                "this is one of several dicts with different keys, and which one is known only "
                "when the model runs",
                "go through it in the branch that makes it",
            )

        def item(key: Any) -> Any:
            return self.w.choices.apply(choice, lambda one: self.sure_items(one)[key])

        return {key: item(key) for key in keys}
