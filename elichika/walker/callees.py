"""What the calls of a recursive function run, before its walk."""

from __future__ import annotations

import builtins
from contextlib import suppress
from functools import partial
from typing import Any

import gast

from canonicalizer.asked import OPERATORS, ask
from canonicalizer.comprehensions import function_of
from canonicalizer.dispatch import Tests, can_dispatch, choosing, constructing, dispatching
from canonicalizer.forms import names_in
from canonicalizer.group import Member
from canonicalizer.scopes import kind_of
from canonicalizer.spreads import Shape, given_to, shape_of, spread
from canonicalizer.template import expression
from canonicalizer.walking import by_type
from elichika import idioms
from elichika.lowerings.python.caches import run_by
from elichika.lowerings.python.objects import (
    blank,
    chosen,
    hides,
    is_of,
    other,
    owner,
    runs,
    tested,
)
from elichika.program.places import Program
from elichika.program.source import SourceUnavailable
from elichika.state.store import ITEMS, MISSING
from elichika.values.functions import Frame
from elichika.values.symbolic import UNSET, Choice
from elichika.walker.callee_frames import CalleeFrames
from elichika.walker.companions import companions, plain_attributes, relatives
from elichika.walker.definitions import (
    class_called,
    class_for_super,
    defaults_of,
    first_parameter,
    held_above,
    is_computed,
    is_function,
    keeps_iterator,
    makes,
    method_of,
    with_public_names,
)
from elichika.walker.entries import Entry, Setting
from elichika.walker.function_tables import FunctionTables, Own, numbered, option_of
from elichika.walker.memos import Memos
from elichika.walker.scopes import Scopes
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["Callees"]

#: The special methods that operators and loops ask.
ASKED = ("__contains__", "__iter__", *OPERATORS)
#: What a call asks of what it calls, where that is one of several functions.
TESTS = Tests(is_of, runs, owner, chosen, other)


class Callees:
    """Finds what the calls of a function run."""

    def __init__(self, w: Walk, sources: Sources, scopes: Scopes, memos: Memos) -> None:
        self.w = w
        self.sources = sources
        self.frames = CalleeFrames(w, sources, scopes, memos)
        self.tables = FunctionTables(w, self.frames.named, self._class_of, lambda: self.classes)
        #: The classes of the objects whose methods a call may be of.
        self.classes: list[type] = []
        #: How many arguments `*args` and `**kwargs` of the call are.
        self._shape: Shape | None = None
        #: What the numbers and arrays of its arguments are called by.
        self._plain: set[str] = set()

    def entry(self, frame: Frame, receiver: Any, bound: dict[str, Any], *, widened: bool) -> Entry:
        """Return what a call in a frame runs, with what its calls lead to.

        Args:
            frame: The frame.
            receiver: Its first argument, None where there is none.
            bound: The arguments by name; those of `*args` get names of their own.
            widened: More methods lead back to it than at first sight.
        """
        program = frame.program
        self.tables.objects, self.tables.given = [], list(filter(is_function, bound.values()))
        self._shape = given_to(program.tree, bound, self.words(program, bound))
        module = frame.globals.get("__name__", "")
        self._plain = set() if widened else plain_attributes(self.w, bound.values(), module)
        cls = self._class_of(program.name, receiver)
        match receiver:
            case type():
                cls = receiver
        self.classes = self.w.plan.arenas.classes
        several = cls in self.classes or program.name == "__init__"
        found = self._entry(frame, cls, receiver, bound, several=several)
        near = [] if several or cls is None or receiver is cls else relatives(cls, frame)
        if near and not found.recurs and not widened:
            self.classes = list(dict.fromkeys([*self.classes, *near]))
            found = self._entry(frame, cls, receiver, bound, several=True)
        if found.recurs and not widened:
            return found
        held = companions(self.w, bound.values(), module)
        near += map(type, held)
        self.tables.objects = held
        self.classes = list(dict.fromkeys([*self.classes, *near]))
        return self._entry(frame, cls, receiver, bound, several=several or receiver is not cls)

    def words(self, program: Program, bound: dict[str, Any]) -> Any:
        """Return what `**kwargs` of a call holds, by name."""
        name = getattr(program.tree.args.kwarg, "id", None)
        return {} if name is None else self.w.held(bound[name], ITEMS)

    def _entry(
        self,
        frame: Frame,
        cls: type | None,
        receiver: Any,
        bound: dict[str, Any],
        *,
        several: bool,
    ) -> Entry:
        """Return what a call runs; `several` says that its method is called on others as well."""
        if several and receiver is not cls:
            cls, receiver = class_for_super(frame, cls), None
        known: dict[Any, Member] = {}
        self.frames.cells = {name: one for name, one in frame.cells.items() if name != "__class__"}
        entry = self._member(Setting(frame, cls, receiver, self._shape), known)
        return Entry(entry, known, bound)

    def _class_of(self, name: str, receiver: Any) -> type | None:
        """Return the class of what has a method by a name, None for what has no such method."""
        if receiver is None or isinstance(receiver, Choice):
            return None
        cls: type = self.w.type_of(receiver)
        if not self._has_method(cls, name):
            return None
        held = self.w.held(receiver, name)
        if type(held_above(cls, None, name)) is property:
            return cls
        return cls if held is UNSET or held is held_above(cls, None, name) else None

    def _has_method(self, cls: type, name: str) -> bool:
        """Tell whether a class has a method of the program by a name."""
        method = is_function(method_of(cls, name))
        return method and all(self.w.given(base, name) is MISSING for base in cls.__mro__)

    def _is_asked(self, cls: type, name: str, classes: list[type]) -> bool:
        """Tell whether an operator may be a call of a method, and that alone."""
        if name not in OPERATORS or not self._has_method(cls, name):
            return self._has_method(cls, name)
        other, method = OPERATORS[name], method_of(cls, name)
        rivals = classes if other != name else [c for c in classes if c is not cls]
        if other is not None and any(self._has_method(one, other) for one in rivals):
            return False  # Python may ask the other operand
        with suppress(SourceUnavailable):  # Python wrote it, as of a dataclass
            program = getattr(method, "program", None) or self.sources.program_of(method)
            return not program.library and "NotImplemented" not in names_in(program.tree)
        return False

    def _member(self, setting: Setting, known: dict[Any, Member]) -> Member:
        """Return a function of the group with what its calls lead to."""
        if setting.name in known:
            return known[setting.name]
        tree = setting.frame.program.tree
        if type(tree) is gast.Lambda:
            tree = function_of(tree, "function")
        if setting.shape is not None:
            tree = spread(tree, setting.shape)
        classes = [*self.classes, *filter(None, [setting.cls])]
        names = {node.attr for node in by_type(tree)[gast.Attribute]}
        computed = {one for one in names for cls in classes if is_computed(cls, one)}
        asked = {one for one in ASKED for cls in classes if self._is_asked(cls, one, classes)}
        if computed or asked:
            of = setting.frame

            def builds(call: Any) -> bool:
                return class_called(call, of.program, partial(self.frames.named, of)) is not None

            plain = self._plain.__contains__
            tree = ask(tree, computed.__contains__, asked.__contains__, builds, plain)
        member = known[setting.name] = Member(with_public_names(tree, setting.frame.class_name))
        member.program = setting.frame.program
        named = partial(self.frames.named, setting.frame)
        member.cells = setting.frame.cells
        member.builtin = lambda name: named(name) is vars(builtins)[name]
        member.makes = lambda call: makes(call, setting.frame.program, named)

        def callee(call: Any) -> Any:
            found = self._called(call, setting)
            if found is None:
                return self._dispatched(call, setting, known)
            called, receiver, defaults = found
            if called.frame.program.is_generator is not setting.frame.program.is_generator:
                return None
            if keeps_iterator(called.frame, call):
                return None
            made = self._member(called, known)
            made.defaults = defaults
            return made, receiver

        def chosen(call: Any) -> Any:
            called = type(call.func) is not gast.Name
            return self._dispatched(call, setting, known, hidden=True) if called else None

        member.callee, member.chosen = callee, chosen
        return member

    def _called(self, call: Any, setting: Setting) -> Any:
        """Return what a call of the program runs, if it may be a member."""
        program = setting.frame.program
        cls, receiver = None, list[Any]()
        match call.func:
            case gast.Name(id=name) if name not in program.locals:
                function = self.frames.named(setting.frame, name)
            case gast.Attribute(value=gast.Name(id=name) as held, attr=attr) if (
                target := self._class_named(name, setting)
            ) is not None:
                return self._called_of_class(target, attr, held, setting)
            case gast.Call(func=gast.Constant(value=made), args=[gast.Name(id=name)]) if (
                made is run_by
            ):
                function = getattr(self.frames.named(setting.frame, name), "function", None)
            case gast.Attribute(value=gast.Name(id=name), attr=attr) if (
                setting.receiver is not None
                and name == first_parameter(program)
                and setting.cls is not None
            ):
                cls = self._class_of(attr, setting.receiver)
                if cls is None:
                    return None
                function = method_of(cls, attr, hasattr(call, "asked"))
                receiver = [call.func.value]
            case gast.Attribute(
                value=gast.Call(func=gast.Name(id="super"), args=[], keywords=[]), attr=attr
            ) if setting.cls is not None and first_parameter(program) is not None:
                function, cls = held_above(setting.cls, setting.frame.owner, attr), setting.cls
                receiver = [expression("x", at=call, x=first_parameter(program))]
            case _:
                return None
        frame = self.frames.of(function, setting.frame)
        if frame is None:
            return None
        shape = shape_of(frame.program.tree, receiver, call)
        called = Setting(frame, cls, setting.receiver, shape)
        return called, receiver, defaults_of(function, frame.program)

    def _class_named(self, name: str, setting: Setting) -> type | None:
        """Return the class that a name stands for where a function calls something of it."""
        program = setting.frame.program
        found = setting.receiver if name == first_parameter(program) else None
        if name not in program.locals:
            found = self.frames.named(setting.frame, name)
        match found:
            case type():
                return found
        return None

    def _called_of_class(self, cls: type, name: str, written: Any, setting: Setting) -> Any:
        """Return what a call of something of a class runs: `Shape.area(shape)`, `cls.made(n)`."""
        held = held_above(cls, None, name)
        if any(self.w.given(base, name) is not MISSING for base in cls.__mro__):
            return None
        function = getattr(held, "__func__", held)
        receiver = [written] if type(held) is classmethod else []
        frame = self.frames.of(function, setting.frame)
        if frame is None:
            return None
        called = Setting(frame, cls if receiver else None, cls if receiver else None)
        return called, receiver, defaults_of(function, frame.program)

    def _dispatched(
        self, call: Any, setting: Setting, known: dict[Any, Member], *, hidden: bool = False
    ) -> Any:
        """Return what a call runs by the class of an object, if that may be a member.

        Names that it reads may be others than those of the function, if some are `hidden`.
        """
        given, keywords = len(call.args), tuple(one.arg for one in call.keywords)
        if not can_dispatch(call):
            return None
        cls = class_called(call, setting.frame.program, partial(self.frames.named, setting.frame))
        if cls is not None:
            key: Any = cls, given, keywords
            if key not in known:
                init = self._option(cls, "__init__", setting.frame, known, call)
                if init is None:
                    return None
                known[key] = constructing(call, cls, init, blank)
            return known[key], []
        table = self.tables.called(call.func, setting)
        if table and not (hidden and any(type(one) is Own for one in table)):
            return self._of_table(table, call, setting, known)
        match call:
            case gast.Call(func=gast.Name(id="len"), args=[_], keywords=[]) if (
                self.frames.named(setting.frame, "len") is len
            ):
                method, receiver = "__len__", None
            case gast.Call(func=gast.Attribute(value=receiver, attr=method)) if any(
                self._has_method(cls, method) for cls in self.classes
            ):
                pass
            case gast.Call(func=receiver) if self._is_chosen(receiver, setting.frame):
                method = "__call__"
            case _:
                return None
        key = method, given, keywords, hasattr(call, "asked"), hasattr(call, "written")
        if key not in known:
            options = self._options(method, setting.frame, known, call)
            if not options:
                return None
            known[key] = dispatching(call, method, options, hides, tested, idioms.results.length)
        return known[key], [receiver] if receiver else []

    def _of_table(
        self, table: list[Any], call: Any, setting: Setting, known: dict[Any, Member]
    ) -> tuple[Member, list[Any]]:
        """Return what calls a function of a table, and what that gets besides its arguments."""
        on = next((one.on for one in table if type(one) is Own), None)
        table = [one for one in table if type(one) is not Own or one.on == on]
        words = tuple(one.arg for one in call.keywords)
        key: Any = tuple(numbered(one) for one in table), len(call.args), words
        if key not in known:
            made = [(one, self._in_table(one, setting, known, call)) for one in table]
            options = [option_of(one, member) for one, member in made if member is not None]
            known[key] = choosing(call, options, TESTS)
        receiver = [call.func]
        if "itself" in known[key].parameters:
            receiver.append(expression("x", at=call, x=on))
        return known[key], receiver

    def _in_table(
        self, one: Any, setting: Setting, known: dict[Any, Member], call: Any
    ) -> Member | None:
        """Return the member that a function of a table is, None where it is none."""
        caller, cls, receiver, function = setting.frame, None, None, one
        is_own = type(one) is Own
        if is_own:
            function = one.function
        frame = self.frames.of(function, caller)
        if frame is None or frame.program.is_generator or caller.program.is_generator:
            return None
        if keeps_iterator(frame, call):
            return None
        if is_own and one.cls is None:
            receiver, cls = setting.receiver, self.w.type_of(setting.receiver)
        elif is_own:
            cls = class_for_super(frame, one.cls)
        shape = shape_of(frame.program.tree, [call] if is_own else [], call)
        member = self._member(Setting(frame, cls, receiver, shape), known)
        member.defaults = defaults_of(function, frame.program)
        return member

    def _is_chosen(self, called: Any, frame: Frame) -> bool:
        """Tell whether a call decides what it is of: not a name of the module, or of one there."""
        match called:
            case gast.Name(id=name):
                return name in frame.program.locals or self.frames.named(frame, name) is None
            case gast.Attribute(value=inner) | gast.Subscript(value=inner) | gast.Call(func=inner):
                return self._is_chosen(inner, frame)
        return False

    def _options(
        self, method: str, caller: Frame, known: dict[Any, Member], call: Any
    ) -> dict[type, Member]:
        """Return the members that a method is of objects in arenas, by their classes."""
        found = {cls: self._option(cls, method, caller, known, call) for cls in self.classes}
        generates = caller.program.is_generator
        return {
            cls: member
            for cls, member in found.items()
            if member is not None and kind_of(member.tree).generator is generates
        }

    def _option(
        self, cls: type, method: str, caller: Frame, known: dict[Any, Member], call: Any
    ) -> Member | None:
        """Return the member that a method of a class is, None where it is none of the program."""
        asked = hasattr(call, "asked")
        function = method_of(cls, method, asked) if self._has_method(cls, method) else None
        frame = None if function is None else self.frames.of(function, caller)
        if frame is None or keeps_iterator(frame, call):
            return None
        shape = shape_of(frame.program.tree, [call], call) if method != "__len__" else None
        member = self._member(Setting(frame, class_for_super(frame, cls), None, shape), known)
        member.defaults = defaults_of(function, frame.program)
        return member
