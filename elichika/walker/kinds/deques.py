"""A `collections.deque` that was there before; one of the walk is a class of `idioms`."""

from __future__ import annotations

import collections
import operator
from typing import TYPE_CHECKING, Any

from elichika.idioms.queues import Deque
from elichika.iterators.base import Staged
from elichika.walker.kinds.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext

__all__ = ["Deques"]


class Deques(Kind):
    """A deque; the contents are a location of the store, like those of a list."""

    def parts(self, w: KindContext, value: Any) -> Iterable[Any]:
        """Return its items, or what stands for them."""
        items = w.items_of(value)
        return items if isinstance(items, tuple) else (items,)

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`, as one of the walk's does."""
        return w.binary(op, *(_twin(w, one) if _was_there(one) else one for one in (left, right)))

    def augmented(
        self, w: KindContext, name: str, op: Any, current: collections.deque[Any], operand: Any
    ) -> Any:
        """Run `current += operand` or `current *= operand`, as one of the walk's does."""
        twin = _twin(w, current)
        if not hasattr(Deque, name):
            return NotImplemented
        w.call(getattr(Deque, name), [twin, operand], {})
        w.set_items(current, w.items_of(w.get_attribute(twin, "_items")))
        return current

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return whether it has an item."""
        return w.truth(_listed(w, value))

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return its items, as long as it stays what it is."""
        before, items = w.items_of(value), w.iterate(_listed(w, value))

        def require_same() -> None:
            now = w.items_of(value)
            if now is before:
                return
            known = type(now) is type(before) is tuple
            if known and len(now) != len(before):
                w.raise_static(RuntimeError("deque mutated during iteration"))
            if not known or any(a is not b for a, b in zip(now, before, strict=True)):
                w.refuse("whether a deque changes while an iterator runs over it is not followed")

        def item(index: Any) -> Any:
            require_same()
            return items.item(index)

        def current() -> Any:
            require_same()
            return items.length

        return Staged(items.length, item, False, current)

    def get_item(self, w: KindContext, obj: Any, index: Any) -> Any:
        """Return `obj[index]`; Python has no slices of deques."""
        if type(index) is slice:
            return w.native(operator.getitem, [obj, index], {})
        return w.call(Deque.__getitem__, [_twin(w, obj), index], {})


def _was_there(value: Any) -> bool:
    return issubclass(type(value), collections.deque)


def _twin(w: KindContext, value: collections.deque[Any]) -> Any:
    """Return a fresh deque of the walk with the same items."""
    return w.call(Deque, [_listed(w, value), value.maxlen], {})


def _listed(w: KindContext, value: Any) -> Any:
    """Return a fresh list of its items."""
    listed = w.new_list(())
    w.set_items(listed, w.items_of(value))
    return listed
