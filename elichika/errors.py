"""The errors a user of elichika sees; anything else is a bug of ours."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BudgetError",
    "ElichikaError",
    "InputError",
    "ModelRuntimeError",
    "StagingError",
    "UnsupportedFunction",
    "UnsupportedSyntax",
    "VerificationError",
]


@dataclass(frozen=True)
class SourceFrame:
    """A place in the user's program: where a call is, in the terms of Python's tracebacks."""

    file: str
    line: int
    function: str
    col: int | None = None
    end_line: int | None = None
    end_col: int | None = None
    library: bool = False

    @property
    def label(self) -> str:
        """The name nodes carry: file name and line."""
        return f"{self.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line}"

    def text(self) -> str:
        """Render the frame with its source line and a caret under the expression."""
        head = f'  File "{self.file}", line {self.line}, in {self.function}'
        source = linecache.getline(self.file, self.line).rstrip("\n")
        if not source.strip():
            return head
        stripped = source.lstrip()
        shown = f"{head}\n    {stripped}"
        if self.col is None:
            return shown
        indent = len(source) - len(stripped)
        raw = source.encode()
        start = len(raw[: self.col].decode(errors="ignore")) - indent
        stop = len(stripped)
        if self.end_line == self.line and self.end_col is not None:
            stop = len(raw[: self.end_col].decode(errors="ignore")) - indent
        if 0 <= start < stop and stop - start < len(stripped):
            shown += "\n    " + " " * start + "^" * (stop - start)
        return shown


class ElichikaError(Exception):
    """Base of all errors raised by elichika.

    Attributes:
        message: What is wrong, one sentence.
        frames: The user's places, outermost call first.
        hint: One way out, or None.
    """

    def __init__(
        self, message: str, frames: Sequence[SourceFrame] = (), hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.frames = tuple(frames)
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.message]
        last_user = max((i for i, f in enumerate(self.frames) if not f.library), default=-1)
        lines += _folded(
            [frame.text() for frame in self.frames[: last_user + 1] if not frame.library]
        )
        folded = self.frames[last_user + 1 :]
        if folded:
            lines.append(f"  (in {folded[-1].function}, {folded[-1].label})")
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines)


def _folded(texts: list[str]) -> list[str]:
    """Say how often a frame repeats, as Python's tracebacks do, in place of showing it again."""
    shown: list[str] = []
    for text, run in itertools.groupby(texts):
        times = len(list(run))
        shown += [text] * min(times, 3)
        if times > 3:
            shown.append(f"  [Previous line repeated {times - 3} more times]")
    return shown


class UnsupportedSyntax(ElichikaError):
    """A statement or expression that is not compiled."""


class UnsupportedFunction(ElichikaError):
    """A call, on values known only at run time, that has neither a lowering nor Python source."""


class StagingError(ElichikaError):
    """A value has no common type at a join, or Python needs a value that is not known yet."""


class BudgetError(ElichikaError):
    """The compile needs more nodes, seconds or memory than it may take."""


class InputError(ElichikaError):
    """What was passed to elichika cannot be used: inputs, options, files or snapshots."""


class VerificationError(ElichikaError):
    """The model and the chain differ."""


class ModelRuntimeError(ElichikaError):
    """The model failed while running, as the chain does on such inputs."""
