"""Objects of classes that the program derives from Python's own types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elichika.walker.kinds.kind import Kind, told_truth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.iterators.base import Staged
    from elichika.walker.kinds.context import KindContext

__all__ = ["Extended"]


class Extended(Kind):
    """A kind whose values have a class of the program: its methods come before the type's own.

    Args:
        base: The kind of the type that it is derived from.
    """

    def __init__(self, base: Kind) -> None:
        self.base = base

    @property
    def builtin(self) -> Kind:
        """The kind of the type that it is derived from."""
        return self.base

    def type_of(self, value: Any) -> type:
        """Return the class of the program."""
        return type(value)

    def parts(self, w: KindContext, value: Any) -> Iterable[Any]:
        """Return what a value holds now."""
        return self.base.parts(w, value)

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Return `obj.name`."""
        return self.base.attribute(w, obj, name, default)

    def set_attribute(
        self, w: KindContext, obj: Any, name: str, value: Any, *, plain: bool
    ) -> None:
        """Run `obj.name = value`."""
        self.base.set_attribute(w, obj, name, value, plain=plain)

    def unary(self, w: KindContext, op: Any, operand: Any) -> Any:
        """Return `-x`, `+x` or `~x`."""
        return self.base.unary(w, op, operand)

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`, past the methods of the class."""
        return self.base.binary(w, op, left, right)

    def augmented(self, w: KindContext, name: str, op: Any, current: Any, operand: Any) -> Any:
        """Run `current op= operand` in place, past the methods of the class."""
        return self.base.augmented(w, name, op, current, operand)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return `bool(value)`, which asks `__bool__` and then `__len__`."""
        return told_truth(w, value, w.overriding, lambda: self.base.truth(w, value))

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return what a loop over a value runs over."""
        if w.overriding(value, "__iter__") is not None:
            return w.iterate(w.settled(value))
        return self.base.iterate(w, value)

    def get_item(self, w: KindContext, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""
        own = w.overriding(obj, "__getitem__")
        if own is not None:
            return w.call(own, [obj, index], {})
        return self.base.get_item(w, obj, index)

    def set_item(self, w: KindContext, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        own = w.overriding(obj, "__setitem__")
        if own is not None:
            w.call(own, [obj, index, value], {})
        else:
            self.base.set_item(w, obj, index, value)

    def delete_item(self, w: KindContext, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        own = w.overriding(obj, "__delitem__")
        if own is not None:
            w.call(own, [obj, index], {})
        else:
            self.base.delete_item(w, obj, index)

    def contains(self, w: KindContext, container: Any, value: Any) -> Any:
        """Return `value in container`."""
        own = w.overriding(container, "__contains__")
        if own is not None:
            return w.truth(w.call(own, [container, value], {}))
        return self.base.contains(w, container, value)
