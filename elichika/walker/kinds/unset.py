"""What is unset, or has no common type: an error once it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elichika.walker.kinds.kind import Kind

if TYPE_CHECKING:
    from elichika.iterators.base import Staged
    from elichika.walker.kinds.context import KindContext

__all__ = ["Unset"]


class Unset(Kind):
    """No value."""

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Raise that there is no value."""
        w.undefined(obj, "what this is an attribute of", UnboundLocalError)

    def set_attribute(
        self, w: KindContext, obj: Any, name: str, value: Any, *, plain: bool
    ) -> None:
        """Raise that there is no value."""
        w.undefined(obj, "what this is an attribute of", UnboundLocalError)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Raise that there is no value."""
        return bool(w.undefined(value, "this value", UnboundLocalError))

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Raise that there is no value."""
        return w.iterate(w.undefined(value, "what this loop runs over", UnboundLocalError))

    def get_item(self, w: KindContext, obj: Any, index: Any) -> Any:
        """Raise that there is no value."""
        return w.get_item(w.undefined(obj, "what this is an item of", UnboundLocalError), index)

    def set_item(self, w: KindContext, obj: Any, index: Any, value: Any) -> None:
        """Raise that there is no value."""
        w.undefined(obj, "what this is an item of", UnboundLocalError)

    def contains(self, w: KindContext, container: Any, value: Any) -> Any:
        """Raise that there is no value."""
        return w.undefined(container, "what this is looked for in", UnboundLocalError)
