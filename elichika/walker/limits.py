"""How much a compile may take: turns and nodes of what it unrolls, nodes and seconds in all."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

from elichika.errors import BudgetError, InputError, SourceFrame
from elichika.process.deadlines import called_within
from elichika.program.native_code import is_library

__all__ = ["Limits"]


PACKAGES = ("elichika", "canonicalizer", "onnx_graph")
OURS = tuple(Path(__file__).parents[2] / name for name in PACKAGES)
Result = TypeVar("Result")
MORE = 16
"""Times as much is unrolled where a program is refused with its loops rolled."""


class _OutOfTime(BaseException):
    """Raised inside a compile that has run for too long; no `except Exception` stops it."""


@dataclass
class Limits:
    """How much a compile may take.

    Attributes:
        max_unroll: Loops with more known iterations than this stay loops, where they can; the
            iterations of loops around one multiply.
        max_unroll_nodes: So do loops that would come to more nodes than this.
        max_nodes: The most nodes of the model; None for any number.
        max_seconds: The most seconds that compiling and verifying take; None for any time. One long
            call of native code is waited for.
        max_depth: How deep functions may call themselves when the model runs; deeper it fails with
            a RecursionError.
    """

    max_unroll: int = 64
    max_unroll_nodes: int = 2000
    max_nodes: int | None = 100_000
    max_seconds: float | None = 600.0
    max_depth: int = 1000

    def __post_init__(self) -> None:
        self.begin("starting")
        for name, value in asdict(self).items():
            if value is not None and not hasattr(value, "__float__"):
                raise InputError(f"{name} must be a number, not {value!r}")
        for name in ("max_nodes", "max_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} must be a positive number or None, not {value!r}")
        if type(self.max_depth) is not int or self.max_depth < 1:
            raise InputError(f"max_depth must be a positive int, not {self.max_depth!r}")

    def begin(self, doing: str) -> None:
        """Note what the compile is at from here on; there is no place of the program yet."""
        self.doing = doing
        self.here: Callable[[], Sequence[SourceFrame]] = tuple
        self.counted: Callable[[], str] = str

    def progress(self) -> str:
        """Say in one line what the compile is at; it may be asked by another thread."""
        parts = [self.doing]
        with suppress(LookupError, AttributeError, RuntimeError):  # the walk goes on meanwhile
            frames = [frame for frame in self.here() if not frame.library]
            parts += [frame.label for frame in frames[-1:]]
            parts.append(self.counted())
        return " · ".join(filter(None, parts))

    def unrolling_more(self) -> Limits:
        """Return limits with room for longer loops."""
        turns, nodes = MORE * self.max_unroll, MORE * self.max_unroll_nodes
        more = replace(self, max_unroll=turns, max_unroll_nodes=nodes)
        more.doing, more.here, more.counted = self.doing, self.here, self.counted
        return more

    def kept(self, compiled: Callable[[], Result]) -> Result:
        """Return what a function returns, which is ended when it takes longer than it may.

        Raises:
            BudgetError: The time is over; with the place that was being compiled.
        """
        found: list[Sequence[SourceFrame]] = []

        def remember() -> None:
            with suppress(LookupError, AttributeError):  # the walk may be between two calls
                found.append(self.here())

        try:
            return called_within(self.max_seconds, _OutOfTime, compiled, remember)
        except _OutOfTime as stop:
            frames = found[0] if found and found[0] else _frames_of_chain(stop)
            raise BudgetError(
                f"the compile takes more than {self.max_seconds:g} seconds; it was {self.doing}",
                frames,
                "give it more time with `max_seconds`",
            ) from None


def _frames_of_chain(stop: BaseException) -> Sequence[SourceFrame]:
    """Return the user's places in a traceback, where the chain itself was running."""
    found: list[SourceFrame] = []
    for frame, line in traceback.walk_tb(stop.__traceback__):
        code = frame.f_code
        if not is_library(code.co_filename) and not _is_ours(code.co_filename):
            found.append(SourceFrame(code.co_filename, line, code.co_name))
    return found


def _is_ours(file: str) -> bool:
    return any(Path(file).is_relative_to(folder) for folder in OURS)
