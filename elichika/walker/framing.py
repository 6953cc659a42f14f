"""Recursion that the data decide: its functions become one loop over frames, before their walk."""

from __future__ import annotations

import builtins
import functools
import types
from dataclasses import dataclass
from typing import Any

import gast

from canonicalizer.check import check
from canonicalizer.comprehensions import function_of
from canonicalizer.errors import Unframed
from canonicalizer.frames import framed
from canonicalizer.group import Member, members_of
from canonicalizer.names import bound_by
from canonicalizer.scopes import own_nodes
from canonicalizer.template import expression
from canonicalizer.walking import walk
from elichika.lowerings.python.caches import run_by
from elichika.program.canonical import nested_program
from elichika.program.places import Program, frame_of
from elichika.program.raised import Raised
from elichika.program.source import SourceUnavailable
from elichika.registry import lowering_of
from elichika.state.store import MISSING
from elichika.values.functions import Closure, Frame, Remembered
from elichika.values.symbolic import UNSET, Choice
from elichika.walker.arms import Arms
from elichika.walker.core import PLAIN
from elichika.walker.memos import Memos
from elichika.walker.scopes import Scopes
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["Framing"]

#: What Python makes of a function that remembers what it returned.
LRU_CACHE = type(functools.cache(len))
#: What a method reads of the class that it is written in.
OF_CLASS = {"super", "__class__"}
#: How many parts at the end of what names a call are those of the function.
OF_FUNCTION = 4
#: How many calls of a function are found out to recurse, each by a walk, before all run by loops.
MOST_WALKS = 2


@dataclass(frozen=True)
class Setting:
    """Where a member of a group looks for names, and on what it was called.

    Attributes:
        frame: A frame for a call of it.
        cls: The class of the receiver, None where it is no method.
        receiver: What it was called on.
    """

    frame: Frame
    cls: type | None
    receiver: Any

    @property
    def key(self) -> Any:
        return id(self.frame.program), self.cls, self.frame.owner


class Framing:
    """The part of the walker that does recursion with frames."""

    def __init__(self, w: Walk, sources: Sources, arms: Arms, scopes: Scopes, memos: Memos) -> None:
        self.w = w
        self.memos = memos
        self.sources = sources
        self.arms = arms
        self.scopes = scopes
        self.owners: set[Any] = set()

    def program_for(self, frame: Frame, bound: dict[str, Any]) -> Program:
        """Return what a call runs: its function, or a loop where the plan says so."""
        program = frame.program
        if not self.w.plan.framed:
            return program
        site = self.arms.call_site(len(self.w.frames), program)
        again = None if self._is_framed_elsewhere(site) else False
        made = self.w.plan.framed.get(site, again)
        if made is False:
            return program
        if made is None:
            made = self.w.plan.framed[site] = self._made(frame, bound, site)
        return made

    def _is_framed_elsewhere(self, site: Any) -> bool:
        """Whether so many calls of a function run by loops that another walk is no help."""
        places = [
            one[-OF_FUNCTION:] for one, made in self.w.plan.framed.items() if made is not False
        ]
        return places.count(site[-OF_FUNCTION:]) >= MOST_WALKS

    def _made(self, frame: Frame, bound: dict[str, Any], site: Any) -> Program:
        program = frame.program
        names = [node.id for node in program.tree.args.args]
        receiver = self.w.narrow(bound.get(names[0])) if names else None
        cls = self._class_of(program.name, receiver)
        self.owners = {frame.owner}
        entry = self._member(Setting(frame, cls, receiver), {})
        self._leave_for_outermost(entry, site)
        try:
            boxed, sole = self.w.plan.boxes_results, self.w.plan.keeps_tape
            tree = framed(entry, self.w.limits.max_depth, boxed=boxed, sole=sole)
            check(tree)
            if len(self.owners) > 1 and _means_class(tree):
                raise Unframed(tree, "methods of several classes read the class they are of")
        except Unframed as error:
            place = frame_of(error.node, program.file, program.name, library=program.library)
            self.w.plan.tried.clear()  # without its end being known, a walk may take forever
            self.arms.refuse_cycle([program.name], error.why, place)
        return nested_program(tree, program.file, program.library)

    def _leave_for_outermost(self, entry: Member, site: Any) -> None:
        """End the walk where another function of the group was called before: it has the loop."""
        trees = {id(member.tree) for member in members_of(entry)}
        for depth, frame in enumerate(self.w.frames):
            outer = self.arms.call_site(depth, frame.program)
            if id(frame.program.tree) in trees and outer not in self.w.plan.framed:
                self.w.plan.framed.pop(site, None)
                self.arms.refuse_cycle([frame.program.name])

    def _class_of(self, name: str, receiver: Any) -> type | None:
        """Return the class of what has a method by a name, None for what has no such method."""
        if receiver is None or isinstance(receiver, Choice):
            return None
        cls: type = self.w.type_of(receiver)
        method = isinstance(_above(cls, None, name), types.FunctionType)
        given = any(self.w.given(base, name) is not MISSING for base in cls.__mro__)
        own = method and self.w.held(receiver, name) is not UNSET
        return cls if method and not given and not own else None

    def _member(self, setting: Setting, known: dict[Any, Member]) -> Member:
        """Return a function of the group with what its calls lead to."""
        if setting.key in known:
            return known[setting.key]
        tree = setting.frame.program.tree
        if type(tree) is gast.Lambda:
            tree = function_of(tree, "function")
        member = known[setting.key] = Member(tree)
        member.builtin = lambda name: self.named(setting.frame, name) is vars(builtins)[name]

        def callee(call: Any) -> Any:
            found = self._called(call, setting)
            if found is None:
                return None
            called, receiver, defaults = found
            made = self._member(called, known)
            made.defaults = defaults
            return made, receiver

        member.callee = callee
        return member

    def _called(self, call: Any, setting: Setting) -> Any:
        """Return what a call of the program runs, if it may be a member."""
        program = setting.frame.program
        cls, receiver = None, list[Any]()
        match call.func:
            case gast.Name(id=name) if name not in program.locals:
                function = self.named(setting.frame, name)
            case gast.Call(func=gast.Constant(value=made), args=[gast.Name(id=name)]) if (
                made is run_by
            ):
                function = getattr(self.named(setting.frame, name), "function", None)
            case gast.Attribute(value=gast.Name(id=name), attr=attr) if setting.cls is not None:
                cls = self._class_of(attr, setting.receiver)
                if name != _first(program) or cls is None:
                    return None
                function = _above(cls, None, attr)
                receiver = [call.func.value]
            case gast.Attribute(
                value=gast.Call(func=gast.Name(id="super"), args=[], keywords=[]), attr=attr
            ) if setting.cls is not None and _first(program) is not None:
                function, cls = _above(setting.cls, setting.frame.owner, attr), setting.cls
                receiver = [expression("x", at=call, x=_first(program))]
            case _:
                return None
        frame = self._frame_of(function, setting.frame, cls)
        if frame is None:
            return None
        called = Setting(frame, cls, setting.receiver)
        return called, receiver, _defaults(function, frame.program)

    def named(self, frame: Frame, name: str) -> Any:
        """Return what a name stands for in a call, None if nothing."""
        self.w.frames.append(frame)
        try:
            found = self.scopes.load(name)
            return self.memos.of(found) if type(found) is LRU_CACHE else found
        except Raised:
            return None
        finally:
            self.w.frames.pop()

    def _frame_of(self, function: Any, caller: Frame, cls: type | None) -> Frame | None:
        """Return a frame for a call of a function that sees the names that its caller sees."""
        if type(function) is Remembered:
            return self._frame_with_memo(function, caller)
        if isinstance(function, Closure):
            program = function.program
            fits = function.frame is caller.parent
            owner, cells = function.owner or function.frame.owner, caller.cells
            space = caller.globals
        elif isinstance(function, types.FunctionType) and lowering_of(function) is None:
            try:
                program = self.sources.program_of(function)
            except SourceUnavailable:
                return None
            held = function.__closure__ or ()
            cells = dict(zip(function.__code__.co_freevars, held, strict=True))
            space, fits = function.__globals__, caller.parent is None
            owner = caller.owner
            if "__class__" in cells:
                owner = cells["__class__"].cell_contents
            fits = fits and space is caller.globals and _alike(cells, caller.cells)
        else:
            return None
        if not fits or program.is_generator:
            return None
        self.owners.add(owner)
        return Frame(program, space, caller.parent, cells, owner, caller.class_name)

    def _frame_with_memo(self, function: Remembered, caller: Frame) -> Frame | None:
        """Return a frame for a call of a function that remembers, if its name stands for that."""
        frame = self._frame_of(function.function, caller, None)
        if frame is None or self.named(frame, frame.program.name) is not function:
            return None
        frame.program = self.memos.numbered(function)
        return frame


def _above(cls: type, owner: Any, name: str) -> Any:
    """Return what a class has by a name, or what `super()` gives in a method of its `owner`."""
    classes = list(cls.__mro__)
    after = classes.index(owner) + 1 if owner in classes else 0
    held = (vars(base).get(name) for base in classes[after:])
    return next((found for found in held if found is not None), None)


def _first(program: Program) -> str | None:
    """Return the first parameter of a function, if it is never another thing."""
    args = program.tree.args
    names = [node.id for node in (*args.posonlyargs, *args.args)][:1]
    bound = {name for node in own_nodes(program.tree) for name in bound_by(node)}
    return names[0] if names and names[0] not in bound else None


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    names = {*one, *other} - {"__class__"}
    return all(one.get(name) is other.get(name) for name in names)


def _means_class(tree: Any) -> bool:
    """Whether a function reads the class that it is written in, or names private to that."""
    for node in walk(tree):
        match node:
            case gast.Name(id=name) if name in OF_CLASS:
                return True
            case gast.Attribute(attr=name) if name.startswith("__") and not name.endswith("__"):
                return True
    return False


def _defaults(function: Any, program: Program) -> dict[str, Any]:
    """Return the plain values that parameters have where a call leaves them out."""
    match function:
        case Remembered():
            return _defaults(function.function, program)
        case Closure():
            defaults, others = function.defaults, function.kw_defaults
        case _:
            defaults, others = function.__defaults__ or (), function.__kwdefaults__ or {}
    spec = program.tree.args
    positional = [node.id for node in (*spec.posonlyargs, *spec.args)]
    values = {**dict(zip(positional[::-1], defaults[::-1], strict=False)), **others}
    return {name: value for name, value in values.items() if type(value) in PLAIN}
