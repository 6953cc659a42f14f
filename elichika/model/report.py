"""What became of each loop and branch, and how long each stage took."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from elichika.errors import InputError, SourceFrame
from elichika.model.files import refusing, require_writable
from elichika.page import in_frame
from elichika.signature.profile import Argument
from onnx_graph.export import replacing

if TYPE_CHECKING:
    from elichika.model.showing import Shown
    from elichika.recording.watched import Went

__all__ = ["Report"]

#: What is said of a loop whose first turn stands before it.
APART = "; its first iteration stands before it"


@dataclass
class Report:
    """What the compiler did.

    Attributes:
        stages: Seconds by stage.
        loops: `(what, why)` by place: unrolled, or kept as a Loop of the model.
        branches: `(what, why)` by place: decided while compiling, or kept for the model to decide.
        notes: `(place, text)`.
        verification: What was tried on both sides, or None.
        profile: What several examples showed of each argument, and what it became; where they were
            verified, also which way the program went: what its functions were given, how often
            each test was true, and how many iterations its loops had. Each says it as a line.
        places: Where loops and branches are, as they are called here.
        shown: The model, for the page.
    """

    stages: dict[str, float] = field(default_factory=dict)
    loops: dict[str, tuple[str, str]] = field(default_factory=dict)
    branches: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    passes: dict[str, int] = field(default_factory=dict)
    verification: Any = None
    profile: list[Argument | Went] = field(default_factory=list)
    places: dict[str, SourceFrame] = field(default_factory=dict, repr=False, compare=False)
    shown: Shown | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the model, which a copy is told again by its own."""
        return {**self.__dict__, "shown": None}

    def to_html(self, profile: Any = None) -> str:
        """Return the report as one page of HTML that needs no other file and no network.

        Args:
            profile: Inputs to run, as for `verify`: the page has what each line and layer takes.

        Raises:
            InputError: There is no model, or the inputs do not fit.
            ModelRuntimeError: The model failed on them.
        """
        if self.shown is None:
            raise InputError("This report has no model: a page is made of the one of a model.")
        return self.shown.page(self, profile)

    def save_html(self, path: str | os.PathLike[str], profile: Any = None) -> None:
        """Write the page of `to_html` to a file.

        Raises:
            InputError: The file cannot be written, or as for `to_html`.
            ModelRuntimeError: The model failed on the inputs.
        """
        target = require_writable(path)
        page = self.to_html(profile)
        with refusing("write", path), replacing(target) as file:
            file.write(page.encode())

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        if self.shown is None:
            return f"<pre>{escape(str(self))}</pre>"
        return in_frame(self.to_html())

    def loop(self, frame: SourceFrame | None, what: str, why: str) -> None:
        """Note what became of a loop."""
        self.loops[self._placed(frame)] = (what, why)

    def first_turn_apart(self, frame: SourceFrame | None) -> None:
        """Note that the first turn of a loop stands before it."""
        what, why = self.loops[_place(frame)]
        if not why.endswith(APART):
            self.loops[_place(frame)] = (what, why + APART)

    def branch(self, frame: SourceFrame | None, decided: bool | None) -> None:
        """Note what became of a branch: which way it is known to go, or None if it is kept.

        A branch that is walked many times is kept if it is kept once.
        """
        place = self._placed(frame)
        known = self.branches.get(place)
        if decided is None:
            self.branches[place] = ("kept", "its test is known at run time")
        elif known in (None, ("decided", f"its test is always {decided}")):
            self.branches[place] = ("decided", f"its test is always {decided}")
        elif known[0] == "decided":
            self.branches[place] = ("decided", "its test is known each time it is reached")

    def _placed(self, frame: SourceFrame | None) -> str:
        """Return what a place is called, and keep where it is."""
        place = _place(frame)
        if frame is not None:
            self.places[place] = frame
        return place

    def entries(self) -> tuple[Any, ...]:
        """Return what is noted of the walk so far, for `restore`."""
        return dict(self.loops), dict(self.branches), list(self.notes)

    def restore(self, entries: tuple[Any, ...]) -> None:
        """Forget what was noted of a part of the walk that is taken back."""
        loops, branches, notes = entries
        self.loops, self.branches, self.notes = dict(loops), dict(branches), list(notes)

    def note(self, frame: SourceFrame | None, text: str) -> None:
        """Note something the user should know; once for each place."""
        entry = (_place(frame), text)
        if entry not in self.notes:
            self.notes.append(entry)

    def __repr__(self) -> str:
        found = f"loops {len(self.loops)}, branches {len(self.branches)}, notes {len(self.notes)}"
        return f"<Report: {found}; print it for all of it>"

    def __str__(self) -> str:
        lines = [f"{name}: {seconds:.3f} s" for name, seconds in self.stages.items()]
        lines += map(str, self.profile)
        lines += [f"{place}: loop {what} ({why})" for place, (what, why) in self.loops.items()]
        lines += [f"{p}: branch {what} ({why})" for p, (what, why) in self.branches.items()]
        lines += [f"{place}: {text}" if place else text for place, text in self.notes]
        if self.verification is not None:
            lines.append(str(self.verification))
        return "\n".join(lines)


def _place(frame: SourceFrame | None) -> str:
    return "" if frame is None else frame.label
