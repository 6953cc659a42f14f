"""The page: its template filled with what is known of a model."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnx

from elichika.errors import SourceFrame
from elichika.page.nodes import ARMS, Arm, Group, boxes
from elichika.page.sources import Line, Listing, by_place, listings

if TYPE_CHECKING:
    from jinja2 import Environment

    from elichika.model.inspection import Inspection
    from elichika.model.profile import Profile
    from elichika.model.report import Report
    from elichika.model.source_map import SourceMap

__all__ = ["Facts", "filled", "in_frame", "render", "text_of"]

TEMPLATES = Path(__file__).with_name("templates")
WIDTH, HEIGHT, MARGIN = 600, 260, 56
"""Of the plot of errors, in its own units."""
LEAST, MOST = -9, 0
"""The exponents of the errors that are drawn; what is less is drawn as the least."""
STILL, FAR = -6, 0
"""The exponents of how far outputs moved, of their range."""
WEAK = -2
"""Below this nothing is shown by an output."""


@dataclass(frozen=True)
class Facts:
    """What a page is made of.

    Attributes:
        entry: What was compiled, such as `Encoder.forward`.
        first: The function that was compiled, for the case that none of its lines left a node.
        state: The inputs and outputs by which a call leaves something for the next one.
    """

    entry: str
    graph: onnx.GraphProto
    lines: SourceMap
    inspection: Inspection
    report: Report
    profile: Profile | None = None
    first: Sequence[SourceFrame] = ()
    state: Set[str] = frozenset()


@dataclass(frozen=True)
class Point:
    """An input in the plot of errors: where it is, and what is said of it."""

    x: float
    y: float
    text: str


@dataclass
class Source:
    """The places of nodes that stand together.

    Attributes:
        lines: The indices of their lines on the page, outermost call first.
        label: Such as `model.py:12`.
        layer: The path of their link.
    """

    lines: list[int]
    label: str
    layer: str


@dataclass
class _Page:
    """What the template asks."""

    facts: Facts
    listings: list[Listing]
    groups: list[Group]

    def points(self) -> list[Point]:
        """Return the inputs of the verification where the plot has them."""
        found = self.facts.report.verification
        return [
            Point(
                _across(_exponent(max(found.moved[name].values(), default=0.0), STILL)),
                _up(_exponent(error, LEAST)),
                f"{name}: worst error {error:.1e}, outputs moved {_percent(found.moved[name])}",
            )
            for name, error in found.errors.items()
        ]

    def along(self) -> list[tuple[float, str]]:
        """Return where the plot's lower axis is marked, and how."""
        marks = range(STILL, FAR + 1, 2)
        first = {STILL: "≤ 0.0001 %"}
        return [(_across(at), first.get(at, f"{100 * 10.0**at:g} %")) for at in marks]

    def down(self) -> list[tuple[float, str]]:
        """Return where the plot's left axis is marked, and how."""
        ends = {LEAST: f"≤ 1e{LEAST}", MOST: "1"}
        return [(_up(at), ends.get(at, f"1e{at}")) for at in range(LEAST, MOST + 1, 3)]

    def reached(self) -> list[tuple[str, str, int]]:
        """Return how often branches and loops went each way, in the order of their lines."""
        verification = self.facts.report.verification
        found = verification and verification.reached
        tables = [found.branches, found.loops] if found else []
        rows = [
            (place, ARMS.get(what, what), count)
            for table in tables
            for place, counts in table.items()
            for what, count in counts.items()
        ]
        return sorted(rows, key=lambda row: _place_in_order(row[0]))

    def weakly(self) -> float:
        """Return the width of the part of the plot where outputs hardly moved."""
        return round(_across(WEAK) - MARGIN, 1)


def _exponent(value: float, least: int) -> float:
    return math.log10(max(value, 10.0**least)) if value == value else 0.0


def _across(exponent: float) -> float:
    share = (min(FAR, exponent) - STILL) / (FAR - STILL)
    return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)


def _up(exponent: float) -> float:
    share = (min(MOST, exponent) - LEAST) / (MOST - LEAST)
    return round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 1)


def _percent(moves: Mapping[str, float]) -> str:
    return f"{100 * max(moves.values(), default=0.0):.3g} %"


def _place_in_order(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line) if line.isdigit() else 0


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.0f}" if seconds >= 1 else f"{1000 * seconds:.3g}"


def render(facts: Facts) -> str:
    """Return the page of a model, which asks nothing of any other file."""
    report, lines = facts.report, facts.lines
    noted = [report.places[label] for label in (*report.loops, *report.branches)]
    frames = [*facts.first, *(frame for name in lines for frame in lines[name]), *noted]
    found = listings(dict.fromkeys(frames))
    places = by_place(found)
    sources = _Sources(lines, places)
    groups = boxes(facts.graph, sources.of, lines.checks)
    _annotate(facts, places, groups)
    script, style = text_of("report.js"), text_of("report.css")
    return (
        _environment()
        .get_template("report.html")
        .render(
            page=_Page(facts, found, groups),
            facts=facts,
            report=report,
            inspection=facts.inspection,
            verification=report.verification,
            profile=facts.profile,
            words={v.name: v.doc_string for v in (*facts.graph.input, *facts.graph.output)},
            script=script,
            style=style,
            hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            width=WIDTH,
            height=HEIGHT,
            margin=MARGIN,
        )
    )


def in_frame(page: str) -> str:
    """Return a page as a frame of another one, whose styles it leaves alone."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="elichika report" '
        'style="width:100%;height:80vh;border:0"></iframe>'
    )


class _Sources:
    """Gives the same source for the same places and link."""

    def __init__(self, lines: SourceMap, places: Mapping[tuple[str, int], Line]) -> None:
        self._lines, self._places = lines, places
        self._known: dict[Any, Source] = {}

    def of(self, name: str) -> Source:
        frames, layer = tuple(self._lines.get(name, ())), self._lines.layer(name)
        key = (frames, layer)
        if key not in self._known:
            on_page = (self._places.get((frame.file, frame.line)) for frame in frames)
            indices = list(dict.fromkeys(line.index for line in on_page if line is not None))
            self._known[key] = Source(indices, self._lines.label(name) or "", layer)
        return self._known[key]


def _annotate(
    facts: Facts, places: Mapping[tuple[str, int], Line], groups: Sequence[Group]
) -> None:
    """Write to lines what became of them, what no input reached, and what they took."""
    report = facts.report
    by_index = {line.index: line for line in places.values()}
    for what, entries in (("loop", report.loops), ("branch", report.branches)):
        for label, (became, why) in entries.items():
            frame = report.places[label]
            line = places.get((frame.file, frame.line))
            if line is not None:
                line.notes.append((what, f"{what} {became}: {why}"))
    reached = report.verification and report.verification.reached
    missing = set(reached.lines) if reached else set()
    for (file, number), line in places.items():
        short = file.replace("\\", "/").rsplit("/", 1)[-1]
        if f"{short}:{number}" in missing:
            line.notes.append(("unreached", "no verified input reached this"))
    times = facts.profile.nodes if facts.profile else {}
    for group in _all(groups):
        for index in group.source.lines:
            by_index[index].nodes += len(group.rows)
            by_index[index].seconds += sum(times.get(row.name, 0.0) for row in group.rows)


def _all(groups: Iterable[Group]) -> Iterator[Group]:
    for group in groups:
        yield group
        for row in group.rows:
            for arm in row.arms:
                yield from _all(arm.groups)


def _held(arm: Arm) -> int:
    """Return how many operators an arm has."""
    return sum(len(group.rows) for group in _all(arm.groups))


def filled(name: str, **values: Any) -> str:
    """Return a template with what it asks for, escaped."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "held": _held,
        "milliseconds": _milliseconds,
        "percent": _percent,
    }
    return environment


def text_of(name: str) -> str:
    """Return a file beside the templates."""
    return (TEMPLATES / name).read_text(encoding="utf-8")
