"""The verbs, as any object of Python answers them: through the methods of its class."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.iterators.base import Staged
from elichika.program import native_code
from elichika.registry import lowering_of
from elichika.state.store import MISSING
from elichika.values.symbolic import Conflict, Spread, Symbolic
from elichika.values.words import a_or_an

if TYPE_CHECKING:
    from elichika.walker.kinds.context import KindContext

__all__ = ["Arguments", "Dynamic", "Kind", "Whole", "told_truth"]

#: The special methods of operators with one operand.
UNARY = {operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__"}

#: Arguments by name.
Arguments = dict[str, Any]


class Kind:
    """What a value of no special kind does.

    Every verb takes the walk and the value, which is no choice: `Walker` narrows it. What a class
    of the program defines is walked; what nobody defines is asked of Python itself, which raises
    what the program would see.
    """

    #: Of two values, that whose kind ranks higher says what an operator gives of both.
    rank = 0
    #: Whether Python and numpy combine such values without a method of the program.
    is_plain = False
    #: Whether values that are not `Symbolic` are known only when the model runs, as all those are.
    is_symbolic = False

    @property
    def builtin(self) -> Kind:
        """The kind past the methods of a class that the program derives from a built-in type."""
        return self

    def type_of(self, value: Any) -> type:
        """Return the type that a value has in the program."""
        return type(value)

    def parts(self, w: KindContext, value: Any) -> Iterable[Any]:
        """Return what a value holds now: of an object, what the program gave to it."""
        if not w.store.was_born(value):
            return ()
        return [w.store.get(value, slot) for slot in w.store.slots(value)]

    def call(self, w: KindContext, function: Any, args: list[Any], kwargs: Arguments) -> Any:
        """Return `function(*args, **kwargs)`, by a lowering where there is one."""
        if any(type(arg) is Spread for arg in args):
            return w.call_spread(function, args, kwargs)
        lowered = w.lowered_call(function, args, kwargs)
        return self.run(w, function, args, kwargs) if lowered is MISSING else lowered

    def run(self, w: KindContext, function: Any, args: list[Any], kwargs: Arguments) -> Any:
        """Call what has no lowering."""
        if not callable(function) and not isinstance(function, Conflict):
            text = f"'{type(function).__name__}' object is not callable"
            w.raise_static(TypeError(text))
        called = w.special(function, "__call__")
        if lowering_of(called) is not None:
            return w.call(called, [function, *args], kwargs)
        builtin = isinstance(function, (types.BuiltinFunctionType, np.ufunc))
        if builtin or native_code.is_native(function):
            return w.native(function, args, kwargs)
        if called is not None and not isinstance(function, Symbolic) and w.has_source(called):
            return w.call(called, [function, *args], kwargs)
        return w.native(function, args, kwargs)

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Return `obj.name`; the default, unless `MISSING`, where there is no such attribute."""
        return w.lookup(obj, name, default)

    def set_attribute(
        self, w: KindContext, obj: Any, name: str, value: Any, *, plain: bool
    ) -> None:
        """Run `obj.name = value`, or `del obj.name` where the value is `UNSET`."""
        w.change_attribute(obj, name, value, plain=plain)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return `bool(value)`: a bool, or a bool `Scalar`."""
        if native_code.package_of(type(value)) not in ("builtins", "numpy"):
            return told_truth(w, value, w.special, lambda: True)
        return w.native(bool, [value], {})

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return what a loop over a value runs over."""
        items = w.settled(value)
        if items is not value:
            return w.iterate(items)
        known = w.items(w.native(list, [value], {}))
        return Staged(len(known), lambda i: _nth(w, known, i), uniform=False)

    def get_item(self, w: KindContext, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""
        method = w.special(obj, "__getitem__")
        if method is not None and (lowering_of(method) is not None or w.has_source(method)):
            return w.call(method, [obj, index], {})
        return w.native(operator.getitem, [obj, index], {})

    def set_item(self, w: KindContext, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        method = w.special(obj, "__setitem__")
        if method is None or not w.has_source(method):
            kind = w.type_of(obj)
            if not hasattr(kind, "__setitem__"):
                text = f"'{kind.__name__}' object does not support item assignment"
                w.raise_static(TypeError(text))
            w.refuse(f"item assignment to {a_or_an(kind.__name__)} is not compiled")
        w.call(method, [obj, index, value], {})

    def delete_item(self, w: KindContext, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        method = w.special(obj, "__delitem__")
        if method is not None and w.has_source(method):
            w.call(method, [obj, index], {})
            return
        kind = w.type_of(obj)
        if issubclass(kind, np.ndarray):
            w.raise_static(ValueError("cannot delete array elements"))
        if not hasattr(kind, "__delitem__"):
            w.raise_static(TypeError(f"'{kind.__name__}' object doesn't support item deletion"))
        w.refuse(f"`del` of this item of {a_or_an(kind.__name__)} is not compiled")

    def unary(self, w: KindContext, op: Any, operand: Any) -> Any:
        """Return `-x`, `+x` or `~x`."""
        method = w.special(operand, UNARY[op])
        if method is not None:
            return w.call(method, [operand], {})
        return w.native(op, [operand], {})

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`; NotImplemented where methods of the two may tell.

        One of the two is of this kind, and the other of none that ranks higher.
        """
        return NotImplemented

    def augmented(self, w: KindContext, name: str, op: Any, current: Any, operand: Any) -> Any:
        """Run `current op= operand` in place, by the method of a name; else NotImplemented."""
        return NotImplemented

    def contains(self, w: KindContext, container: Any, value: Any) -> Any:
        """Return `value in container`."""
        method = w.special(container, "__contains__")
        if method is not None and w.has_source(method):
            return w.truth(w.call(method, [container, value], {}))
        iterates = method is None and w.own_iter(container) is not None  # as the program says
        if not iterates and is_known(w, container, value):
            return w.native(operator.contains, [container, value], {})
        return w.is_given(w.iterator(container), value)


class Whole(Kind):
    """A value without parts that could change."""

    def parts(self, w: KindContext, value: Any) -> Iterable[Any]:
        """Return nothing."""
        return ()


class Dynamic(Kind):
    """What a list, a dict or an array holds, where that is known only when the model runs."""

    is_symbolic = True


def told_truth(
    w: KindContext, value: Any, method_of: Callable[[Any, str], Any], otherwise: Callable[[], Any]
) -> Any:
    """Return a truth by a method of a value's class, `__bool__` before `__len__`."""
    for name, of in (("__bool__", idioms.results.truth), ("__len__", idioms.results.length)):
        method = method_of(value, name)
        if method is not None:
            return w.truth(w.call(of, [w.call(method, [value], {})], {}))
    return otherwise()


def is_known(w: KindContext, container: Any, value: Any) -> bool:
    """Tell whether Python itself can tell if a value is in a container."""
    asked = w.special(container, "__contains__")
    walked = isinstance(asked, types.FunctionType) and w.has_source(asked)
    return not walked and not w.is_symbolic((container, value))


def are_compared(w: KindContext, *items: Any) -> bool:
    """Tell whether a method of the program compares one of some known values with others."""
    ones = {type(item): item for item in items}.values()
    methods = [w.special(one, "__eq__") for one in ones if native_code.may_call_program(one)]
    return any(type(method) is types.FunctionType and w.has_source(method) for method in methods)


def _nth(w: KindContext, items: tuple[Any, ...], index: Any) -> Any:
    return items[index] if isinstance(index, int) else w.get_item(items, index)
