"""Functions that call themselves under a condition known when the model runs.

Where that call is the last thing that the function does, its turns become a loop.
"""

from __future__ import annotations

import types
from typing import Any

import gast
import numpy as np

import canonicalizer
from canonicalizer.tail_calls import turn_of
from elichika import idioms
from elichika.program.canonical import nested_program
from elichika.program.places import Program
from elichika.program.raised import Raised
from elichika.program.source import SourceUnavailable, read_source
from elichika.state.store import MISSING
from elichika.values.functions import Closure, Frame
from elichika.values.symbolic import UNDEF, UNSET, Choice
from elichika.walker.arms import Arms
from elichika.walker.attempts import Attempts
from elichika.walker.core import PLAIN
from elichika.walker.framing import Framing
from elichika.walker.plan import Recursed
from elichika.walker.scopes import Scopes
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

#: How many calls of a function, each under more conditions, may be walked one in the other, before
#: frames are tried.
DEEP = 10
#: How many where the walk has made loops over frames, which each of these calls makes again.
FEW = 4
#: How many calls as deep as that one walk may make without frames: their loops multiply.
MOST_DEEP = 300


class Recursion:
    """The part of the walker that turns recursion into loops."""

    def __init__(
        self,
        w: Walk,
        sources: Sources,
        attempts: Attempts,
        arms: Arms,
        scopes: Scopes,
        framing: Framing,
    ) -> None:
        self.w = w
        self.sources = sources
        self.attempts = attempts
        self.arms = arms
        self.scopes = scopes
        self.framing = framing
        self._turn_programs: dict[tuple[int, int], tuple[Program, Any, Program | None]] = {}
        self.looping: list[Program] = []
        self._deep = 0

    def recursion(self, frame: Frame, bound: dict[str, Any]) -> Any:
        """Run a call of a function by a loop over its turns.

        Returns:
            Its result; NotImplemented where it is to be walked as any other call.
        """
        program = frame.program = self.framing.program_for(frame, bound)
        self._leave_for_frames(program)
        if not any(f.program is program and f.depth < self.w.depth for f in self.w.frames):
            return NotImplemented
        if program in self.looping:
            self.arms.refuse_cycle([program])
        turn = self._turn_program(frame, bound)
        if turn is None:
            return NotImplemented
        arguments = tuple(bound[name.id] for name in turn.tree.args.args)
        going = self.w.scalar(bool, self.w.graph.constant(np.array(True)))
        step = Closure(turn, self.w.store.born(frame), (), {})
        given = [step, arguments, going, UNDEF, self.w.limits.max_depth, program.name]
        self.looping.append(program)
        try:
            return self.attempts.attempt(lambda: self.w.call(idioms.iterators.by_turns, given, {}))
        finally:
            self.looping.pop()

    def _leave_for_frames(self, program: Program) -> None:
        """End the walk where a function calls itself so often that it may be without end."""
        depths = {f.regions for f in self.w.frames if f.program is program}
        if len(depths) < (FEW if self.w.plan.framed else DEEP):
            return
        try:
            self.arms.refuse_cycle([program])
        except Recursed as error:
            if self.w.plan.can_frame(error):
                self.w.plan.tried.add(error.site)
                raise
            self._deep += 1
            if self._deep > MOST_DEEP:
                raise

    def _turn_program(self, frame: Frame, bound: dict[str, Any]) -> Program | None:
        """Return one turn of a function, if a call of itself is the last thing that it does."""
        function, first = self._named(frame), None
        if function is None and frame.program.tree.args.args:
            first = frame.program.tree.args.args[0].id
            function = self._method(frame, bound.get(first))
        key = id(frame.program), id(function)  # a name may stand for another one at each call
        if key not in self._turn_programs:
            made = self._made_turn(frame.program, function, first)
            self._turn_programs[key] = frame.program, function, made
        return self._turn_programs[key][-1]

    def _made_turn(self, program: Program, function: Any, first: str | None) -> Program | None:
        tree = _written(function)
        if not isinstance(tree, gast.FunctionDef) or _rebinds(tree, first or program.name):
            return None
        if type(function) is Closure:
            defaults, others = function.defaults, function.kw_defaults
        else:
            defaults, others = function.__defaults__ or (), function.__kwdefaults__ or {}
        positional = [a.id for a in (*tree.args.posonlyargs, *tree.args.args)]
        values = {**dict(zip(positional[::-1], defaults[::-1], strict=False)), **others}

        def is_self(called: Any) -> bool:
            if first is not None and isinstance(called, gast.Attribute):
                return called.attr == program.name and _is_name(called.value, first)
            return first is None and _is_name(called, program.name)

        plain = {name: value for name, value in values.items() if type(value) in PLAIN}
        turn = turn_of(tree, is_self, plain)
        if turn is None:
            return None
        try:
            canonical = canonicalizer.canonicalize(turn)
        except canonicalizer.UnsupportedSyntax:
            return None
        return nested_program(canonical, program.file, program.library)

    def _named(self, frame: Frame) -> Any:
        """Return the function that a call runs, if its own name stands for it there."""
        program = frame.program
        if program.name in program.locals:
            return None
        self.w.frames.append(frame)
        try:
            found = self.scopes.load(program.name)
        except Raised:
            return None
        finally:
            self.w.frames.pop()
        if type(found) is Closure:
            return found if found.program is program and found.frame is frame.parent else None
        return found if self._runs(found, program) else None

    def _method(self, frame: Frame, receiver: Any) -> Any:
        """Return the method that a call runs, if its name stands for it on the receiver."""
        receiver, program = self.w.narrow(receiver), frame.program
        if receiver is None or type(receiver) is Choice:
            return None
        cls = self.w.type_of(receiver)
        if any(self.w.given(base, program.name) is not MISSING for base in cls.__mro__):
            return None  # the program gave it to a class
        found = getattr(cls, program.name, None)
        if not self._runs(found, program) or self.w.held(receiver, program.name) is not UNSET:
            return None
        return found

    def _runs(self, function: Any, program: Program) -> bool:
        if not isinstance(function, types.FunctionType):
            return False
        try:
            return self.sources.program_of(function) is program
        except SourceUnavailable:
            return False


def _written(function: Any) -> Any:
    """Return the tree of a function as it is written."""
    if type(function) is Closure:
        return getattr(function.program.tree, "origin", None)
    return None if function is None else read_source(function.__code__).tree


def _rebinds(tree: Any, name: str) -> bool:
    """Tell whether a function gives a name another meaning, or names of functions around it."""
    return any(
        isinstance(node, (gast.Global, gast.Nonlocal))
        or (_is_name(node, name) and not isinstance(node.ctx, (gast.Load, gast.Param)))
        for node in gast.walk(tree)
    )


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name
