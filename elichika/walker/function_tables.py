"""Which functions of the program a call may run that chooses one: of a list, of a dict, of two.

    STEPS[n % 2](n - 1)                   {"+": add, "-": sub}[op](a, b)
    f = first if n > 3 else second        OPS.get(op, other)(a, b)
    f(n)                                  self.steps[n % 2](n - 1)

    node.step = step                      node.step(n - 1)

    getattr(self, "visit_" + kind)(node)

What is found is a guess: the function that makes such a call asks which of them it has, and calls
whatever else it may be as it is.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from canonicalizer.dispatch import Option
from canonicalizer.group import Member
from canonicalizer.scopes import parameters_of
from elichika.state.store import ITEMS
from elichika.values.functions import BoundMethod, Frame
from elichika.values.kinds import alternatives_of
from elichika.values.symbolic import Choice
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

__all__ = ["FunctionTables", "Own", "numbered", "option_of"]


class Own(NamedTuple):
    """A method of an object that the caller has.

    Attributes:
        function: The method.
        on: The name of the caller that holds the object.
        cls: The class of the object where the data decide it; None where it is known.
    """

    function: Any
    on: str | None
    cls: type | None = None


def numbered(one: Any) -> Any:
    """Return what names a function of a table."""
    return (id(one.function), True, one.cls) if type(one) is Own else (id(one), False)


def option_of(one: Any, member: Member) -> Option:
    """Return what a call may run that calls a function of a table."""
    if type(one) is Own:
        return Option(one.function, member, "own" if one.cls is None else "any")
    return Option(one, member, "")


class FunctionTables:
    """Finds the functions that a call chooses from.

    Attributes:
        named: Returns what a name stands for in a frame.
        class_of: Returns the class of an object that has a method by a name, None for another.
        classes: Returns the classes of the objects whose methods a call may be of.
        objects: The objects that the arguments of the outermost call lead to.
        given: The functions among these.
    """

    def __init__(
        self,
        w: Walk,
        named: Callable[[Frame, str], Any],
        class_of: Callable[[str, Any], type | None],
        classes: Callable[[], list[type]],
    ) -> None:
        self.w = w
        self.named, self.class_of, self.classes = named, class_of, classes
        self.objects, self.given = list[Any](), list[Any]()

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
            case gast.Call(
                func=gast.Name(id="getattr"), args=[gast.Name(id=name), text, *other], keywords=[]
            ) if self.named(setting.frame, "getattr") is getattr:
                found = self._methods(name, *ends_of(text, program.tree), setting)
                return found and [*found, *self._shown(other, setting)]
            case gast.Name(id=name) if name in program.locals:
                values = values_of(program.tree, name)
                others = (value for value in values if type(value) is not gast.Name)
                found = self._shown(values, setting)
                if name in parameters_of(program.tree.args):
                    found += self.given
                return found + [one for value in others for one in self.called(value, setting)]
            case gast.IfExp(body=one, orelse=other):
                return self._shown([one, other], setting)
            case gast.Attribute(value=gast.Name(id=name), attr=attr):
                return self._held(name, attr, setting)
        return []

    def _held(self, name: str, attr: str, setting: Setting) -> list[Any]:
        """Return the functions that an object may have by an attribute of its own."""
        program, owners = setting.frame.program, self.objects
        if name not in program.locals:
            owners = [self.w.narrow(self.named(setting.frame, name))]
        elif name == first_parameter(program) and setting.receiver is not None:
            owners = [setting.receiver]
        found = dict[int, Any]()
        for owner in owners:
            if owner is not None and type(owner) not in (type, types.ModuleType, Choice):
                for one in alternatives_of(self.w.held(owner, attr)):
                    found |= {id(one): one} if is_function(one) else {}
        return list(found.values())

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
        known = (self._own(one, setting) for one in self._items(held))
        return [one for one in known if type(one) is Own or is_function(one)]

    def _methods(self, name: str, start: str, end: str, setting: Setting) -> list[Any]:
        """Return the methods of what a name holds whose names begin and end with some text."""
        receiver, program = setting.receiver, setting.frame.program
        classes = self.classes()
        if receiver is not None and name == first_parameter(program):
            classes = [self.w.type_of(receiver)]
        elif name not in program.locals:
            return []
        found: dict[Any, Own] = {}
        for cls in classes:
            names = {attr: None for base in cls.__mro__ for attr in vars(base)}
            for attr in names:
                if attr.startswith(start) and attr.endswith(end) and not attr.startswith("__"):
                    of = self.class_of(attr, receiver) if classes != self.classes() else cls
                    method = None if of is None else method_of(cls, attr, asked=False)
                    if is_function(method):
                        decided = None if classes != self.classes() else cls
                        found.setdefault(method, Own(method, name, decided))
        return list(found.values())

    def _own(self, held: Any, setting: Setting) -> Any:
        """Return what a table holds: of a method of the receiver its function."""
        receiver, on = setting.receiver, first_parameter(setting.frame.program)
        match held:
            case types.MethodType(__func__=function, __self__=owner):
                pass
            case BoundMethod(function=function, receiver=owner):
                owner = self.w.narrow(owner)
            case _:
                return held
        return Own(function, on) if owner is receiver and is_function(function) else None

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
                    found += [Own(method, name)] if is_function(method) else []
        return found

    def _items(self, held: Any) -> list[Any]:
        """Return what a list, tuple or dict holds now, where that is known."""
        match held:
            case list() | dict():
                held = self.w.held(held, ITEMS)
        return items_of(held)


def ends_of(text: Any, function: Any) -> tuple[str, str]:
    """Return what a text surely begins and ends with, as it is written in a function."""
    match text:
        case gast.Constant(value=str(whole)):
            return whole, whole
        case gast.BinOp(left=left, op=gast.Add(), right=right):
            return ends_of(left, function)[0], ends_of(right, function)[1]
        case gast.BinOp(left=gast.Constant(value=str(whole)), op=gast.Mod()) if (
            whole.count("%") == whole.count("%s") == 1
        ):
            start, end = whole.split("%s")
            return start, end
        case gast.Call(func=gast.Attribute(value=gast.Constant(value=str(whole)), attr="format")):
            return whole.partition("{")[0], whole.rpartition("}")[2]
        case gast.JoinedStr(values=[first, *_, last]):
            return ends_of(first, function)[0], ends_of(last, function)[1]
        case gast.Name(id=name):
            match values_of(function, name):
                case [one] if type(one) is not gast.Name:
                    return ends_of(one, function)
    return "", ""
