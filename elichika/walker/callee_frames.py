"""In which frame a function of a group runs, and what a name stands for there."""

from __future__ import annotations

import functools
import types
from typing import Any

from elichika.program.canonical import listing, reading
from elichika.program.places import Program
from elichika.program.raised import Raised
from elichika.program.source import SourceUnavailable
from elichika.registry import lowering_of
from elichika.values.functions import Closure, Frame, Remembered, class_name_of
from elichika.walker.definitions import sees_alike
from elichika.walker.memos import Memos
from elichika.walker.scopes import Scopes
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["CalleeFrames"]

#: What Python makes of a function that remembers what it returned.
LRU_CACHE = type(functools.cache(len))


class CalleeFrames:
    """Makes the frames of functions that see the names which their caller sees.

    Attributes:
        cells: What they read of functions around them, by its name.
    """

    def __init__(self, w: Walk, sources: Sources, scopes: Scopes, memos: Memos) -> None:
        self.w = w
        self.sources, self.scopes, self.memos = sources, scopes, memos
        self.cells: dict[str, Any] = {}

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

    def of(self, function: Any, caller: Frame) -> Frame | None:
        """Return a frame for a call of a function that sees the names that its caller sees."""
        if type(function) is Remembered:
            return self._frame_with_memo(function, caller)
        if type(function) is Closure:
            program, space, cells = function.program, caller.globals, caller.cells
            fits = sees_alike(function, caller)
            owner, name = function.owner or function.frame.owner, function.frame.class_name
            name = name if function.owner is None else function.owner.__name__
        elif type(function) is types.FunctionType and lowering_of(function) is None:
            try:
                program = self.sources.program_of(function)
            except SourceUnavailable:
                return None
            held = function.__closure__ or ()
            cells = dict(zip(function.__code__.co_freevars, held, strict=True))
            space, fits = function.__globals__, caller.parent is None
            owner = cells["__class__"].cell_contents if "__class__" in cells else None
            name = class_name_of(function)
            fits = fits and space is caller.globals
            program, cells = self._held_together(program, cells)
        else:
            return None
        if not fits:
            return None
        if program.is_generator and id(program.tree) in self.w.plan.listed:
            program = listing(program)
        return Frame(program, space, caller.parent, cells, owner, name)

    def _held_together(
        self, program: Program, cells: dict[str, Any]
    ) -> tuple[Program, dict[str, Any]]:
        """Give names of functions around other names where they are another's in those before."""
        table: dict[str, str] = {}
        for name, cell in cells.items():
            new, number = name, 0
            while name != "__class__" and self.cells.setdefault(new, cell) is not cell:
                number += 1
                new = f"{name}_{number}"
            table[name] = new
        held = {table[name]: cell for name, cell in cells.items()}
        if all(old == new for old, new in table.items()):
            return program, held
        return reading(program, tuple(table.items())), held

    def _frame_with_memo(self, function: Remembered, caller: Frame) -> Frame | None:
        """Return a frame for a call of a function that remembers, if its name stands for that."""
        frame = self.of(function.function, caller)
        if frame is None or self.named(frame, frame.program.name) is not function:
            return None
        frame.program = self.memos.numbered(function)
        return frame
