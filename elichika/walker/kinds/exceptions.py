"""Exceptions that hold values known only when the model runs.

`ValueError(n)` is a fresh object like one of any class of the program: its `args` are a location,
so it goes through arms and turns by what it holds.  Exceptions of which all is known stay Python's.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from elichika.state.joins.structures import UNWRITTEN
from elichika.state.store import MISSING
from elichika.values.exceptions import OF_TWO, PLAIN
from elichika.values.symbolic import UNSET, Conflict, Text
from elichika.walker.kinds.kind import Arguments, Kind

if TYPE_CHECKING:
    from elichika.walker.kinds.context import KindContext

__all__ = ["ARGS", "LINKS", "Exceptions", "made"]

ARGS = "args"
#: What Python writes into an exception where it is raised, which is not followed.
OF_RAISING = frozenset({"__context__", "__traceback__", "__notes__", "with_traceback", "add_note"})
#: What an exception follows from: as `from` says, as it is raised, and whether `from` stands there.
LINKS = tuple(name for name in UNWRITTEN if name != ARGS)


def made(w: KindContext, cls: type[BaseException], args: list[Any], kwargs: Arguments) -> Any:
    """Return a new exception, by the `__init__` of its class."""
    error = w.store.born(cls.__new__(cls))
    w.store.set(error, ARGS, tuple(args))
    init = w.special(error, "__init__")
    if type(init) is not types.WrapperDescriptorType:
        w.call(init, [error, *args], kwargs)
        w.store.complete(error)
    elif kwargs:
        w.refuse("keyword arguments of this exception are not compiled", "leave them out")
    return error


class Exceptions(Kind):
    """An exception."""

    def parts(self, w: KindContext, value: Any) -> Iterable[Any]:
        """Return what the program gave to it; what it cannot read is not known to Python."""
        held = super().parts(w, value)
        return [Text() if type(part) is Conflict else part for part in held]

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Return an attribute; the arguments are a location where the walk made the exception."""
        if name == "__context__" and w.plan.moves_handlers:
            w.refuse(
                "`__context__` of an exception is not followed where generators are sent values, "
                "thrown exceptions or closed, or a recursive function catches what its calls raise",
                "raise it with `from`, and read `__cause__`",
            )
        named = type(obj) in (AttributeError, NameError, UnboundLocalError)
        if named and name in ("name", "obj") and getattr(obj, name, None) is None:
            w.refuse(f"`{name}` of this exception is not compiled")
        if name in LINKS and w.given(obj, name) is not MISSING:
            return w.undefined(w.given(obj, name), f"`{name}`", AttributeError)
        held = w.given(obj, ARGS)
        if held is MISSING:
            return super().attribute(w, obj, name, default)
        if name == ARGS or type(held) is Conflict:
            return w.undefined(held, "`args`", AttributeError)
        if name == "value" and type(obj) is StopIteration:
            args = w.undefined(held, "`args`", AttributeError)
            return w.get_item(args, 0) if args else None
        if name in OF_RAISING:
            w.refuse(f"`{name}` of this exception is not compiled")
        if name in OF_TWO and issubclass(type(obj), OSError):
            return None  # it was given one argument at most
        if name in LINKS:  # it was raised without `from`
            return UNWRITTEN[name]
        return super().attribute(w, obj, name, default)

    def set_attribute(
        self, w: KindContext, obj: Any, name: str, value: Any, *, plain: bool
    ) -> None:
        """Run `obj.name = value`; what Python writes there itself is not followed."""
        unread = name in OF_RAISING or (name in OF_TWO and issubclass(type(obj), OSError))
        if unread or name in LINKS or (name == ARGS and value is UNSET):
            w.refuse(f"`{name}` of this exception is not compiled")
        if w.store.is_sealed(obj):
            w.refuse(
                "an exception that came of a branch or loop gets an attribute: others may be the "
                "same one",
                "give it to the exception as an argument",
            )
        w.store.rewrite(obj)
        if name == ARGS:
            w.store.set(obj, ARGS, tuple(w.static_items(value)))
            return
        super().set_attribute(w, obj, name, value, plain=plain)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return True, but for classes that say otherwise."""
        return True if type(value) in PLAIN else super().truth(w, value)
