"""Which functions can be walked, and their canonical programs."""

from __future__ import annotations

import types
from typing import Any

from elichika.errors import UnsupportedSyntax
from elichika.program import native_code as natives
from elichika.program.canonical import program_of
from elichika.program.places import Program
from elichika.registry import lowering_of
from elichika.values.functions import BoundMethod, Closure
from elichika.walker.walk import Walk


class Sources:
    """The Python of functions."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._programs: dict[Any, Any] = {}

    def has_source(self, function: Any) -> bool:
        """Tell whether a function is Python code that can be walked (or has a lowering)."""
        if isinstance(function, (Closure, BoundMethod)) or lowering_of(function) is not None:
            return True
        return isinstance(function, types.FunctionType) and not natives.is_native(function)

    def program_of(self, function: types.FunctionType) -> Program:
        """Return the canonical program of a Python function.

        Raises:
            SourceUnavailable: Its source cannot be read.
            UnsupportedSyntax: It has a statement or expression that is not compiled.
        """
        known = self._programs.get(id(function.__code__))
        if known is None:
            code = function.__code__
            try:
                known = (program_of(code, code.co_filename, code.co_linetable), code)
            except UnsupportedSyntax as error:
                error.frames = (*self.w.here(), *error.frames)
                raise
            self._programs[id(code)] = known
        return known[0]
