"""One run of a command: its summary, its errors, its exit code."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, NoReturn

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from elichika.errors import ElichikaError, InputError, VerificationError

__all__ = ["BAD_INPUT", "DONE", "INTERRUPTED", "UNSUPPORTED", "WRONG", "Run"]

WIDTH = 110
"""Of the summary where standard output is no terminal."""
DONE, UNSUPPORTED, BAD_INPUT, WRONG = 0, 1, 2, 3
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells have it."""
STATUS = {DONE: "done", UNSUPPORTED: "unsupported", BAD_INPUT: "bad input", WRONG: "wrong"}


@dataclass
class Run:
    """One command: what it says, and how it ends."""

    as_json: bool
    facts: dict[str, Any] = field(default_factory=dict)
    errors: list[ElichikaError] = field(default_factory=list)
    rows: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[RenderableType] = field(default_factory=list)
    code: int = DONE

    def __post_init__(self) -> None:
        self.console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
        self.progress = Console(stderr=True, quiet=self.as_json)
        self.start = time.perf_counter()

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something takes its time, where someone is looking."""
        if not self.progress.is_terminal:
            yield
            return
        with self.progress.status(f"{what} …"):
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
        text = f"on {len(report.agreed)} inputs, worst relative error {report.worst:.1e}"
        self.show("verified", text, asdict(report))
        if report.not_reached:
            self.rows.append(("not reached", report.not_reached))
        if report.draws:
            self.rows.append(("random numbers", report.draws))
        for name in ("unstable", "open_orders", "widened", "refused_by_eager", "not_tried"):
            entries = [f"{what}: {why}" for what, why in getattr(report, name)]
            if entries:
                self.rows.append((name.replace("_", " "), "\n".join(entries)))

    def report(self, error: ElichikaError) -> None:
        """Say an error."""
        self.errors.append(error)
        if not self.as_json:
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
            sys.stdout.write(json.dumps(self._json(), ensure_ascii=False) + "\n")
        elif self.rows and not (self.errors and self.code in (BAD_INPUT, WRONG)):
            table = Table(show_header=False, title=STATUS[self.code])
            for name, text in self.rows:
                table.add_row(name, Text(text))  # plain: sizes in brackets are no markup
            self.console.print(table, *self.pictures)
        if isinstance(error, ElichikaError):
            raise typer.Exit(self.code) from None

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


def _exit_code(error: ElichikaError) -> int:
    if isinstance(error, InputError):
        return BAD_INPUT
    return WRONG if isinstance(error, VerificationError) else UNSUPPORTED
