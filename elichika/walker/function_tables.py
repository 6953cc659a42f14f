"""Which functions of the program a call may run that chooses one: of a list, of a dict, of two.

    STEPS[n % 2](n - 1)                   {"+": add, "-": sub}[op](a, b)
    f = first if n > 3 else second        OPS.get(op, other)(a, b)
    f(n)                                  self.steps[n % 2](n - 1)

What is found is a guess: the function that makes such a call asks which of them it has, and calls
whatever else it may be as it is.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from elichika.state.store import ITEMS
from elichika.values.functions import BoundMethod, Frame
from elichika.walker.definitions import (
    first_parameter,
    is_function,
    items_of,
    method_of,
    parts_of,
    values_of,
)
from elichika.walker.entries import Setting
from elichika.walker.walk import Walk

__all__ = ["FunctionTables", "Own"]


class Own(NamedTuple):
    """A method of the object that the caller is a method of."""

    function: Any


class FunctionTables:
    """Finds the functions that a call chooses from.

    Attributes:
        named: Returns what a name stands for in a frame.
        class_of: Returns the class of an object that has a method by a name, None for another.
    """

    def __init__(
        self,
        w: Walk,
        named: Callable[[Frame, str], Any],
        class_of: Callable[[str, Any], type | None],
    ) -> None:
        self.w = w
        self.named, self.class_of = named, class_of

    def called(self, called: Any, setting: Setting) -> list[Any]:
        """Return the functions that a list, tuple or dict has, of which a call runs one."""
        program = setting.frame.program
        match called:
            case (
                gast.Subscript(value=table)
                | gast.Call(func=gast.Attribute(value=table, attr="__getitem__"))
            ):
                return self._functions(table, setting)
            case gast.Call(func=gast.Attribute(value=table, attr="get"), args=[_, *other]):
                found = self._functions(table, setting)
                return found and [*found, *self._shown(other, setting)]
            case gast.Name(id=name) if name in program.locals:
                values = values_of(program.tree, name)
                others = (value for value in values if type(value) is not gast.Name)
                found = self._shown(values, setting)
                return found + [one for value in others for one in self.called(value, setting)]
            case gast.IfExp(body=one, orelse=other):
                return self._shown([one, other], setting)
        return []

    def _functions(self, table: Any, setting: Setting) -> list[Any]:
        """Return the functions of a list, tuple or dict, as far as they are known."""
        program = setting.frame.program
        match table:
            case gast.Name(id=name) if name in program.locals:
                shown = [one for value in values_of(program.tree, name) for one in parts_of(value)]
                return self._shown(shown, setting)
            case gast.Name(id=name):
                held = self.named(setting.frame, name)
            case gast.Attribute(value=gast.Name(id=name), attr=attr) if (
                setting.receiver is not None and name == first_parameter(program)
            ):
                held = self.w.held(setting.receiver, attr)
            case _:
                return self._shown(parts_of(table), setting)
        known = (self._own(one, setting.receiver) for one in self._items(held))
        return [one for one in known if type(one) is Own or is_function(one)]

    def _own(self, held: Any, receiver: Any) -> Any:
        """Return what a table holds: of a method of the receiver its function."""
        match held:
            case types.MethodType(__func__=function, __self__=owner):
                pass
            case BoundMethod(function=function, receiver=owner):
                owner = self.w.narrow(owner)
            case _:
                return held
        return Own(function) if owner is receiver and is_function(function) else None

    def _shown(self, parts: list[Any], setting: Setting) -> list[Any]:
        """Return the functions among parts of a display: of names around, methods of `self`."""
        frame, receiver, found = setting.frame, setting.receiver, list[Any]()
        for part in parts:
            match part:
                case gast.Name(id=name) if name not in frame.program.locals:
                    named = self.named(frame, name)
                    found += [named] if is_function(named) else []
                case gast.Attribute(value=gast.Name(id=name), attr=attr) if (
                    receiver is not None and name == first_parameter(frame.program)
                ):
                    cls = self.class_of(attr, receiver)
                    method = None if cls is None else method_of(cls, attr, asked=False)
                    found += [Own(method)] if is_function(method) else []
        return found

    def _items(self, held: Any) -> list[Any]:
        """Return what a list, tuple or dict holds now, where that is known."""
        match held:
            case list() | dict():
                held = self.w.held(held, ITEMS)
        return items_of(held)
