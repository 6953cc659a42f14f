"""Functions, methods and classes: what a call of each runs."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from elichika.lowerings.python.caches import cache_clear
from elichika.program import native_code
from elichika.registry import lowering_of
from elichika.state.store import MISSING
from elichika.values.functions import BoundMethod, Closure, Remembered
from elichika.values.symbolic import Choice, Spread
from elichika.walker.kinds.disguised import is_disguised, refuse_disguised
from elichika.walker.kinds.kind import Arguments, Kind, Whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext

__all__ = [
    "BoundMethods",
    "BoundOperators",
    "BuiltinMethods",
    "Classes",
    "Closures",
    "Functions",
    "LruCaches",
    "Methods",
    "Partials",
    "RememberedFunctions",
]


class Closures(Kind):
    """A function that the walked program defines."""

    is_symbolic = True

    def type_of(self, value: Closure) -> type:
        """Return the type of functions."""
        return types.FunctionType

    def call(self, w: KindContext, function: Closure, args: list[Any], kwargs: Arguments) -> Any:
        """Walk the function."""
        if any(type(arg) is Spread for arg in args):
            return w.call_spread(function, args, kwargs)
        return w.call_closure(function, args, kwargs)

    def attribute(self, w: KindContext, obj: Closure, name: str, default: Any) -> Any:
        """Return what the program gave it, or its name."""
        if name == "__dict__":
            return w.space_of(obj)

        def absent() -> Any:
            if name == "__name__":
                return obj.__name__
            w.refuse(f"`{name}` of a function is not supported")

        held = w.given(obj, name)
        return absent() if held is MISSING else w.or_else(held, absent, f"`{name}`")


class BoundMethods(Kind):
    """A method with its receiver, either of which only the walk may know."""

    is_symbolic = True

    def type_of(self, value: BoundMethod) -> type:
        """Return the type of methods."""
        return types.MethodType

    def call(
        self, w: KindContext, function: BoundMethod, args: list[Any], kwargs: Arguments
    ) -> Any:
        """Call the function with the receiver before the arguments."""
        receiver, method = w.narrow(function.receiver), function.function
        if isinstance(receiver, Choice):
            return w.choices.apply(
                receiver, lambda one: w.call(BoundMethod(method, one), args, kwargs)
            )
        return w.call(method, [receiver, *args], kwargs)

    def attribute(self, w: KindContext, obj: BoundMethod, name: str, default: Any) -> Any:
        """Return the function, the receiver, or what the function has."""
        if name == "__call__":
            return obj
        if name == "__func__":
            return obj.function
        if name == "__self__":
            return obj.receiver
        return w.get_attribute(obj.function, name, default)


class Methods(Kind):
    """A method of Python's.

    Functions of `numpy.random` are methods since numpy 2.4; lowerings are of them bound.
    """

    def call(
        self, w: KindContext, function: types.MethodType, args: list[Any], kwargs: Arguments
    ) -> Any:
        """Call the function with the receiver before the arguments."""
        if lowering_of(function) is not None:
            return super().call(w, function, args, kwargs)
        return w.call(BoundMethod(function.__func__, function.__self__), args, kwargs)


class BuiltinMethods(Kind):
    """A function of C, perhaps bound to an object: `[].append`."""

    def call(self, w: KindContext, function: Any, args: list[Any], kwargs: Arguments) -> Any:
        """Call the method of the type, where that has a lowering."""
        owner = function.__self__
        if not isinstance(owner, (types.ModuleType, type, type(None))):
            method = getattr(type(owner), function.__name__, None)
            if method is not None and lowering_of(method) is not None:
                return w.call(method, [owner, *args], kwargs)
        return super().call(w, function, args, kwargs)


class BoundOperators(BuiltinMethods):
    """A method of an operator, bound to an object: `[].__setitem__`."""

    def call(self, w: KindContext, function: Any, args: list[Any], kwargs: Arguments) -> Any:
        """Call the object itself, or the method of its type."""
        if function.__name__ == "__call__":
            return w.call(function.__self__, args, kwargs)
        return super().call(w, function, args, kwargs)


class Partials(Kind):
    """A `functools.partial`."""

    def parts(self, w: KindContext, value: functools.partial[Any]) -> Iterable[Any]:
        """Return the function and the arguments that it holds."""
        return (value.func, *value.args, *value.keywords.values())

    def call(
        self, w: KindContext, function: functools.partial[Any], args: list[Any], kwargs: Arguments
    ) -> Any:
        """Call the function with the arguments that it holds before the others."""
        return w.call(function.func, [*function.args, *args], {**function.keywords, **kwargs})


class LruCaches(Kind):
    """A function of Python that remembers what it returned."""

    def run(self, w: KindContext, function: Any, args: list[Any], kwargs: Arguments) -> Any:
        """Call it now, or walk it where an argument is of the run."""
        if not w.is_symbolic((tuple(args), tuple(kwargs.values()))):
            return super().run(w, function, args, kwargs)
        return w.remembering.call(w.remembering.of(function), args, kwargs)


class RememberedFunctions(Kind):
    """A function that the walked program defines, and that remembers what it returned."""

    is_symbolic = True

    def call(self, w: KindContext, function: Remembered, args: list[Any], kwargs: Arguments) -> Any:
        """Walk the function, where it does not remember."""
        return w.remembering.call(function, args, kwargs)

    def attribute(self, w: KindContext, obj: Remembered, name: str, default: Any) -> Any:
        """Return the function that it runs, its name, or what forgets."""
        if name == "__wrapped__":
            return obj.function
        if name == "cache_clear":
            return functools.partial(cache_clear, obj)
        if name == "__name__":
            return w.get_attribute(obj.function, name, default)
        w.refuse(f"`{name}` of a function that remembers what it returns is not compiled")


class Functions(Kind):
    """A function of Python."""

    def run(
        self, w: KindContext, function: types.FunctionType, args: list[Any], kwargs: Arguments
    ) -> Any:
        """Walk the function, or run it now."""
        return w.call_function(function, args, kwargs)


class Classes(Whole):
    """A class."""

    def run(self, w: KindContext, function: type, args: list[Any], kwargs: Arguments) -> Any:
        """Make an object, by the metaclass where the program has one."""
        if is_disguised(function):
            refuse_disguised(w)
        made = type(function).__call__
        if isinstance(made, types.FunctionType) and not native_code.is_native(made):
            return w.call(made, [function, *args], kwargs)
        return w.instantiate(function, args, kwargs)
