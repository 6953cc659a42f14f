"""One run of a command: its summary, its errors, its exit code."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from elichika.errors import ElichikaError, InputError, VerificationError, debugging

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = [
    "BAD_INPUT",
    "DONE",
    "INTERRUPTED",
    "NARROW",
    "UNSUPPORTED",
    "WRONG",
    "Run",
    "in_options",
]

WIDTH, NARROW = 88, 60
"""Of the summary where standard output is no terminal; below which it has no columns."""
OPTIONS = {
    "initialize=True": "--initialize",
    "random='onnx'": "--random onnx",
    "`max_seconds`": "--max-seconds",
    "`max_nodes`": "--max-nodes",
    "`max_depth`": "--max-depth",
    "`max_unroll`": "--max-unroll",
    "in dynamic_axes": "in --input",
    "in static": "in --static",
    "in `static`": "in --static",
    "give the chain the weights that": "pass by --weights the weights that",
    "load a snapshot, run the chain once, or": "give weights by --weights, or",
}
"""What hints say of arguments of Python, as it is on the command line."""
VERIFIED = {
    "unstable": "unstable",
    "open_orders": "open orders",
    "widened": "of another type",
    "refused_by_eager": "refused by Chainer only",
    "not_tried": "not tried",
}
"""The rows of a verification that are there where they hold something."""
DONE, UNSUPPORTED, BAD_INPUT, WRONG = 0, 1, 2, 3
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells have it."""
STATUS = {DONE: "done", UNSUPPORTED: "unsupported", BAD_INPUT: "bad input", WRONG: "wrong"}


@dataclass
class Run:
    """One command: what it says, and how it ends."""

    as_json: bool
    aside: bool = False
    facts: dict[str, Any] = field(default_factory=dict)
    errors: list[ElichikaError] = field(default_factory=list)
    rows: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[RenderableType] = field(default_factory=list)
    code: int = DONE

    def __post_init__(self) -> None:
        self.out = sys.stderr if self.aside else sys.stdout
        self.start = time.perf_counter()

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something takes its time, where someone is looking."""
        if self.as_json or not sys.stderr.isatty():
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(f"{what} …"):
            yield

    def show(self, name: str, text: object, value: Any = None) -> None:
        """Add a row to the summary; `value` is what JSON gets instead of the text."""
        self.rows.append((name, str(text)))
        self.facts[name] = text if value is None else value

    def also(self, picture: RenderableType) -> None:
        """Print something after the summary; JSON leaves it out."""
        self.pictures.append(picture)

    def show_verification(self, report: Any) -> None:
        """Add what was verified."""
        if report is None:
            self.show("verified", "no")
            return
        text = f"on {len(report.agreed)} inputs, {report.accuracy}"
        self.show("verified", text, asdict(report))
        if report.not_reached:
            self.rows.append(("not reached", report.not_reached))
        if report.other_weights:
            text = f"{', '.join(report.other_weights)}: not as in the model, though results agree"
            self.rows.append(("other weights", text))
        if report.draws:
            self.rows.append(("random numbers", report.draws))
        for name in VERIFIED:
            entries = [f"{what}: {why}" for what, why in getattr(report, name)]
            if entries:
                self.rows.append((VERIFIED[name], "\n".join(entries)))

    def report(self, error: ElichikaError) -> None:
        """Say an error."""
        error.hint = error.hint and in_options(error.hint)
        self.errors.append(error)
        if not self.as_json:
            if debugging():
                sys.stderr.write("".join(traceback.format_exception(error)[:-1]))
            sys.stderr.write(f"{type(error).__name__}: {error}\n")

    def stop(self, code: int) -> NoReturn:
        """End with an exit code, after the summary."""
        self.code = code
        raise typer.Exit(code)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        if isinstance(error, ElichikaError):
            self.report(error)
            self.code = _exit_code(error)
        elif error is not None and not isinstance(error, typer.Exit):
            return
        if self.as_json:
            self.out.write(json.dumps(self._json(), ensure_ascii=False) + "\n")
        elif self.rows and not (self.errors and self.code in (BAD_INPUT, WRONG)):
            self._print()
        if isinstance(error, ElichikaError):
            raise typer.Exit(self.code) from None

    def _print(self) -> None:
        """Print the summary as a table, or below one another where there is no room for one."""
        from rich.console import Console
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        given = os.environ.get("COLUMNS", "")
        width = None if self.out.isatty() else int(given) if given.isdigit() else WIDTH
        console: Console = Console(file=self.out, width=width, highlight=False)
        if console.width < NARROW:
            console.print(STATUS[self.code])
            for name, text in self.rows:
                shown = Padding(Text(text, overflow="fold"), (0, 0, 0, 2), expand=False)
                console.print(f"{name}:", shown, sep="")
            console.print(*self.pictures)
            return
        table = Table(show_header=False, title=STATUS[self.code])
        for name, text in self.rows:
            table.add_row(name, Text(text))  # plain: sizes in brackets are no markup
        console.print(table, *self.pictures)

    def _json(self) -> dict[str, Any]:
        errors = [
            {
                "type": type(error).__name__,
                "message": error.message,
                "frames": [
                    {"file": frame.file, "line": frame.line, "function": frame.function}
                    for frame in error.frames
                ],
                "hint": error.hint,
            }
            for error in self.errors
        ]
        return {"status": STATUS[self.code], "exit_code": self.code, **self.facts, "errors": errors}


def in_options(text: str) -> str:
    """Return a hint or a note in the words of the command line."""
    for argument, option in OPTIONS.items():
        text = text.replace(argument, option)
    return text


def _exit_code(error: ElichikaError) -> int:
    if isinstance(error, InputError):
        return BAD_INPUT
    return WRONG if isinstance(error, VerificationError) else UNSUPPORTED
