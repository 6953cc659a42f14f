"""How long the nodes of a model take, from onnxruntime's own profile of a run."""

from __future__ import annotations

import json
import re
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from elichika.errors import InputError
from elichika.model.files import temporary_folder
from elichika.model.session import Session
from elichika.model.source_map import SourceMap

__all__ = ["Profile", "profiled"]

KERNEL, RUN = "_kernel_time", "model_run"
RUNS = 5
"""Runs that are measured, after one that is not."""
PATIENCE = 2.0
"""Seconds that all runs may take before there are fewer of them."""
LINE = re.compile(
    r'\{"cat" : "(\w+)",.*?"dur" :(\d+),"ts" :(\d+),"ph" : "X","name" :"(.*?)","args" : \{'
)
"""An event as onnxruntime writes it: one on each line, most of it of no use here."""


@dataclass
class Profile:
    """What nodes took in a run, that of the nodes within them not counted.

    Attributes:
        nodes: Seconds by node of the file.
        other: Seconds of nodes that onnxruntime made itself.
        layers: Seconds by link of the chain.
        runs: How many runs these are the medians of.
    """

    nodes: dict[str, float] = field(default_factory=dict)
    other: float = 0.0
    layers: dict[str, float] = field(default_factory=dict)
    runs: int = 0

    @property
    def total(self) -> float:
        """Seconds of a run."""
        return sum(self.nodes.values()) + self.other


class _Event(NamedTuple):
    """A part of a run, in microseconds."""

    start: int
    long: int
    kind: str
    name: str


def profiled(
    write: Callable[[Path], None], feeds: Mapping[str, Any], lines: SourceMap, names: Iterable[str]
) -> Profile:
    """Run a model a few times and return what its nodes took: the medians of the runs.

    Args:
        write: Writes the model to a path.
        feeds: What it is fed with.
        lines: Its source map.
        names: Those of its nodes.

    Raises:
        InputError: A run has more operators than onnxruntime's profile holds.
    """
    with temporary_folder() as folder:
        session = Session(lambda: lines, write=write, profile=folder / "profile")
        begun = time.perf_counter()
        session.run(feeds)
        for _ in range(_runs(time.perf_counter() - begun)):
            session.run(feeds)
        events = list(_events(Path(session.inference.end_profiling())))
    return _summed(events, lines, frozenset(names))


def _runs(seconds: float) -> int:
    """Return how often a model is run again that takes so long."""
    return max(1, min(RUNS, int(PATIENCE / max(seconds, 1e-9))))


def _events(path: Path) -> Iterator[_Event]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            found = LINE.match(line)
            if found:
                kind, long, start, name = found.groups()
                if kind == "Node" or name == RUN:
                    yield _Event(int(start), int(long), kind, _text(name))


def _text(name: str) -> str:
    return str(json.loads(f'"{name}"')) if "\\" in name else name


def _summed(events: list[_Event], lines: SourceMap, names: frozenset[str]) -> Profile:
    """Add up by node and run; events that lie within another one are not counted to that."""
    whole = sorted(event for event in events if event.name == RUN)
    whole = whole[1:] or whole
    if not whole:
        raise InputError(
            "A run on these inputs has more operators than onnxruntime's profile holds.",
            hint="give inputs with fewer iterations",
        )
    starts = [event.start for event in whole]
    runs: list[dict[str | None, float]] = [defaultdict(float) for _ in starts]
    kernels = [event for event in events if event.kind == "Node" and event.name.endswith(KERNEL)]
    for event, alone in _alone(kernels):
        run = bisect_right(starts, event.start) - 1
        if run >= 0 and event.start <= starts[run] + whole[run].long:
            name = event.name.removesuffix(KERNEL)
            runs[run][name if name in names else lines.known(name)] += alone
    found = Profile(runs=len(runs))
    for known in dict.fromkeys(name for run in runs for name in run):
        seconds = 1e-6 * median(run.get(known, 0.0) for run in runs)
        if known is None:
            found.other = seconds
            continue
        found.nodes[known] = seconds
        layer = lines.layer(known)
        found.layers[layer] = found.layers.get(layer, 0.0) + seconds
    return found


def _alone(events: list[_Event]) -> list[tuple[_Event, float]]:
    """Return events with the microseconds that none within them took; they nest."""
    found: list[list[Any]] = []
    open_: list[list[Any]] = []
    for event in sorted(events, key=lambda one: (one.start, -one.long)):
        while open_ and open_[-1][0].start + open_[-1][0].long <= event.start:
            open_.pop()
        if open_:
            open_[-1][1] -= event.long
        entry = [event, float(event.long)]
        found.append(entry)
        open_.append(entry)
    return [(event, max(0.0, alone)) for event, alone in found]
