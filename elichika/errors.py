"""The errors a user of elichika sees; anything else is a bug of ours."""

from __future__ import annotations

import difflib
import functools
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import MethodType, TracebackType
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "DEBUG",
    "BudgetError",
    "ElichikaError",
    "InputError",
    "ModelRuntimeError",
    "OptionError",
    "StagingError",
    "UnsupportedFunction",
    "UnsupportedSyntax",
    "VerificationError",
    "concise",
    "debugging",
    "led_by",
    "meant",
    "no_link",
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


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
DEBUG = "ELICHIKA_DEBUG"
"""The variable of the environment that shows all frames of an error."""
PACKAGE = os.path.join(os.path.dirname(__file__), "")
"""Where the frames are that users do not want to see."""


def debugging() -> bool:
    """Tell whether errors are shown with all their frames."""
    return os.environ.get(DEBUG, "") not in ("", "0")


def concise(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a public function raise our errors without our own frames: they hold the user's."""

    @functools.wraps(function)
    def called(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        __tracebackhide__ = True  # for pytest
        try:
            return function(*args, **options)
        except ElichikaError as error:
            if debugging():
                raise
            error.__context__ = error.__cause__ or error.__context__
            raise error.with_traceback(None) from None

    named: Any = called
    named.__code__ = named.__code__.replace(co_name=function.__name__)  # in tracebacks
    return called


NEAR = 0.66
"""How alike a name and the one that is meant are: one letter of three may differ."""


def meant(name: str, names: Iterable[str]) -> str | None:
    """Return a hint that names what is spelled nearly as `name`; None without any."""
    lower = {known.lower(): known for known in names}
    found = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=NEAR)
    return f"did you mean `{lower[found[0]]}`?" if found else None


def led_by(frames: Sequence[SourceFrame]) -> str:
    """Return the user's expression, on one line, that led into library code; else nothing."""
    users = [frame for frame in frames if not frame.library]
    if not users or not frames[-1].library:
        return ""
    last = users[-1]
    text = linecache.getline(last.file, last.line).encode()
    if last.col is None or last.end_line != last.line:
        return ""
    return text[last.col : last.end_col].decode(errors="ignore").strip()


class ElichikaError(Exception):
    """Base of all errors raised by elichika.

    Attributes:
        message: What is wrong, one sentence.
        frames: The user's places, outermost call first.
        hint: One way out, or None.
        also: What else is known to be wrong, or None.
    """

    also: str | None = None

    def __init__(
        self, message: str, frames: Sequence[SourceFrame] = (), hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.frames = tuple(frames)
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.message]
        if debugging():
            lines += [frame.text() for frame in self.frames]
            return "\n".join([*lines, *self._ends()])
        last_user = max((i for i, f in enumerate(self.frames) if not f.library), default=-1)
        lines += _folded([f for f in self.frames[: last_user + 1] if not f.library])
        folded = self.frames[last_user + 1 :]
        if folded:
            lines.append(f"  (in {folded[-1].function}, {folded[-1].label})")
        return "\n".join([*lines, *self._ends()])

    def _render_traceback_(self) -> list[str]:
        """Return what IPython and notebooks show: their own text, without our frames."""
        shell = sys.modules["IPython"].get_ipython()
        trace = self.__traceback__ if debugging() else _without_ours(self.__traceback__)
        shown: list[str] = shell.InteractiveTB.structured_traceback(
            type(self), self, trace, tb_offset=shell.InteractiveTB.tb_offset
        )
        return shown

    def _ends(self) -> list[str]:
        """Return what is said below the frames."""
        hint = f"Hint: {self.hint}" if self.hint else None
        return [text for text in (self.also, hint) if text]


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of this package."""
    if trace is None:
        return None
    rest = _without_ours(trace.tb_next)
    if trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


#: How many calls are shown before and after those that are left out.
OUTER, INNER = 3, 6


def _folded(frames: Sequence[SourceFrame]) -> list[str]:
    """Show frames on one screen: what repeats is counted, and the middle of many is left out."""
    shown: list[str] = []
    first = 0
    while first < len(frames):
        period, times = _repeats(frames, first)
        cycle = frames[first : first + period]
        kept = min(times, 3 if period == 1 else 1)
        shown += [frame.text() for frame in cycle] * kept
        if times > kept:
            shown.append(_left_out(cycle, times - kept))
        first += period * times
    middle = shown[OUTER:-INNER]
    if len(middle) <= 1:
        return shown
    return [*shown[:OUTER], f"  ... {len(middle)} more calls", *shown[-INNER:]]


def _repeats(frames: Sequence[SourceFrame], first: int) -> tuple[int, int]:
    """Return the length of what repeats from here on, and how often it does."""
    best = 1, 1
    for period in range(1, min(LONGEST_CYCLE, (len(frames) - first) // 2) + 1):
        times = 1
        while all(
            first + times * period + i < len(frames)
            and frames[first + i] == frames[first + times * period + i]
            for i in range(period)
        ):
            times += 1
        if times > max(1 if period > 1 else 3, best[1]) and period * times > best[0] * best[1]:
            best = period, times
    return best if best[1] > 2 or best[0] == 1 else (1, 1)


#: Functions that call one another in turn, of which a repetition is found.
LONGEST_CYCLE = 12


def _left_out(cycle: Sequence[SourceFrame], times: int) -> str:
    if len(cycle) == 1:
        return f"  [Previous line repeated {times} more times]"
    names = list(dict.fromkeys(f"`{frame.function}`" for frame in cycle))
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"  ... {times * len(cycle)} more calls of {listed}"


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


class OptionError(InputError, TypeError):
    """A function was called with an argument that it does not have."""


class VerificationError(ElichikaError):
    """The model and the chain differ."""


class ModelRuntimeError(ElichikaError):
    """The model failed while running, as the chain does on such inputs."""


def no_link(given: Any) -> InputError:
    """Return what is said where something else stands for a chain."""
    hint = None
    if issubclass(type(given), type):
        shown = f"the class {given.__name__}"
        hint = f"pass an object of it: {given.__name__}(…)"
    elif type(given) is MethodType:
        shown = f"the method {given.__name__}"
        hint = f"pass the chain, and method={given.__name__!r}"
    elif type(given) is str:
        shown = repr(given)
        hint = "import what makes the chain, and pass what it makes"
    else:
        shown = type(given).__name__
        if callable(given):
            hint = "a function becomes a chain with chainer.Sequential(function)"
    return InputError(f"a chainer.Link is needed, not {shown}", hint=hint)
