"""Which functions of the program a call may run that chooses one: of a list, of a dict, of two.

    STEPS[n % 2](n - 1)                   {"+": add, "-": sub}[op](a, b)
    f = first if n > 3 else second        OPS.get(op, other)(a, b)
    f(n)

What is found is a guess: the function that makes such a call asks which of them it has, and calls
whatever else it may be as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from elichika.state.store import ITEMS
from elichika.values.functions import Frame
from elichika.walker.definitions import (
    first_parameter,
    is_function,
    items_of,
    parts_of,
    values_of,
)
from elichika.walker.entries import Setting
from elichika.walker.walk import Walk

__all__ = ["FunctionTables"]


class FunctionTables:
    """Finds the functions that a call chooses from.

    Attributes:
        named: Returns what a name stands for in a frame.
    """

    def __init__(self, w: Walk, named: Callable[[Frame, str], Any]) -> None:
        self.w = w
        self.named = named

    def called(self, called: Any, setting: Setting) -> list[Any]:
        """Return the functions that a list, tuple or dict has, of which a call runs one."""
        program = setting.frame.program
        match called:
            case gast.Subscript(value=table):
                return self._functions(table, setting)
            case gast.Call(func=gast.Attribute(value=table, attr="get"), args=[_, *other]):
                found = self._functions(table, setting)
                return found and [*found, *self._shown(other, setting.frame)]
            case gast.Name(id=name) if name in program.locals:
                values = values_of(program.tree, name)
                others = (value for value in values if type(value) is not gast.Name)
                found = self._shown(values, setting.frame)
                return found + [one for value in others for one in self.called(value, setting)]
            case gast.IfExp(body=one, orelse=other):
                return self._shown([one, other], setting.frame)
        return []

    def _functions(self, table: Any, setting: Setting) -> list[Any]:
        """Return the functions of a list, tuple or dict, as far as they are known."""
        program = setting.frame.program
        match table:
            case gast.Name(id=name) if name in program.locals:
                shown = [one for value in values_of(program.tree, name) for one in parts_of(value)]
                return self._shown(shown, setting.frame)
            case gast.Name(id=name):
                held = self.named(setting.frame, name)
            case gast.Attribute(value=gast.Name(id=name), attr=attr) if (
                setting.receiver is not None and name == first_parameter(program)
            ):
                held = self.w.held(setting.receiver, attr)
            case _:
                return self._shown(parts_of(table), setting.frame)
        return list(filter(is_function, self._items(held)))

    def _shown(self, parts: list[Any], frame: Frame) -> list[Any]:
        """Return the functions among parts of a display that are names of functions around."""
        names = [one.id for one in parts if type(one) is gast.Name]
        named = (self.named(frame, one) for one in names if one not in frame.program.locals)
        return list(filter(is_function, named))

    def _items(self, held: Any) -> list[Any]:
        """Return what a list, tuple or dict holds now, where that is known."""
        match held:
            case list() | dict():
                held = self.w.held(held, ITEMS)
        return items_of(held)
