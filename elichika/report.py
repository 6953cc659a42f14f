"""What became of each loop and branch, and how long each stage took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from elichika.errors import SourceFrame

__all__ = ["Report"]


@dataclass
class Report:
    """What the compiler did.

    Attributes:
        stages: Seconds by stage.
        loops: `(place, what, why)`: unrolled or rolled.
        branches: `(place, what)`: staged.
        notes: `(place, text)`.
        verification: What was tried on both sides, or None.
    """

    stages: dict[str, float] = field(default_factory=dict)
    loops: dict[str, tuple[str, str]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    passes: dict[str, int] = field(default_factory=dict)
    verification: Any = None

    def loop(self, frame: SourceFrame | None, what: str, why: str) -> None:
        """Note what became of a loop."""
        self.loops[_place(frame)] = (what, why)

    def branch(self, frame: SourceFrame | None, what: str) -> None:
        """Note what became of a branch."""
        self.branches[_place(frame)] = what

    def note(self, frame: SourceFrame | None, text: str) -> None:
        """Note something the user should know; once for each place."""
        entry = (_place(frame), text)
        if entry not in self.notes:
            self.notes.append(entry)

    def __str__(self) -> str:
        lines = [f"{name}: {seconds:.3f} s" for name, seconds in self.stages.items()]
        lines += [f"{place}: loop {what} ({why})" for place, (what, why) in self.loops.items()]
        lines += [f"{place}: branch {what}" for place, what in self.branches.items()]
        lines += [f"{place}: {text}" for place, text in self.notes]
        if self.verification is not None:
            lines.append(str(self.verification))
        return "\n".join(lines)


def _place(frame: SourceFrame | None) -> str:
    return "" if frame is None else frame.label
