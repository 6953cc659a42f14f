"""How long the nodes of a model take, from onnxruntime's own profile of a run."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from elichika.model.files import temporary_folder
from elichika.model.session import Session
from elichika.model.source_map import SourceMap

__all__ = ["Profile", "profiled"]

KERNEL = "_kernel_time"
RUNS = 5
"""Runs that are measured, after one that is not."""


@dataclass
class Profile:
    """What nodes took in a run, that of the nodes within them not counted.

    Attributes:
        nodes: Seconds by node of the file.
        other: Seconds of nodes that onnxruntime made itself.
        layers: Seconds by link of the chain.
    """

    nodes: dict[str, float] = field(default_factory=dict)
    other: float = 0.0
    layers: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Seconds of a run."""
        return sum(self.nodes.values()) + self.other


def profiled(
    write: Callable[[Path], None], feeds: Mapping[str, Any], lines: SourceMap, names: Iterable[str]
) -> Profile:
    """Run a model a few times and return what its nodes took: the medians of the runs.

    Args:
        write: Writes the model to a path.
        feeds: What it is fed with.
        lines: Its source map.
        names: Those of its nodes.
    """
    with temporary_folder() as folder:
        session = Session(lambda: lines, write=write, profile=folder / "profile")
        for _ in range(1 + RUNS):
            session.run(feeds)
        events = json.loads(Path(session.inference.end_profiling()).read_text(encoding="utf-8"))
    return _summed(events, lines, frozenset(names))


def _summed(events: Sequence[Any], lines: SourceMap, names: frozenset[str]) -> Profile:
    """Add up by node and run; events that lie within another one are not counted to that."""
    starts = sorted(one["ts"] for one in events if one.get("name") == "model_run")[1:]
    runs: list[dict[str | None, float]] = [defaultdict(float) for _ in starts]
    kernels = [e for e in events if e.get("cat") == "Node" and e["name"].endswith(KERNEL)]
    for event, alone in _alone(kernels):
        run = bisect_right(starts, event["ts"])
        if run:
            name = event["name"].removesuffix(KERNEL)
            runs[run - 1][name if name in names else lines.known(name)] += alone
    found = Profile()
    for known in dict.fromkeys(name for run in runs for name in run):
        seconds = 1e-6 * median(run.get(known, 0.0) for run in runs)
        if known is None:
            found.other = seconds
            continue
        found.nodes[known] = seconds
        layer = lines.layer(known)
        found.layers[layer] = found.layers.get(layer, 0.0) + seconds
    return found


def _alone(events: list[Any]) -> list[tuple[Any, float]]:
    """Return events with the microseconds that none within them took; they nest."""
    found: list[list[Any]] = []
    open_: list[list[Any]] = []
    for event in sorted(events, key=lambda one: (one["ts"], -one["dur"])):
        while open_ and open_[-1][0]["ts"] + open_[-1][0]["dur"] <= event["ts"]:
            open_.pop()
        if open_:
            open_[-1][1] -= event["dur"]
        entry = [event, float(event["dur"])]
        found.append(entry)
        open_.append(entry)
    return [(event, max(0.0, alone)) for event, alone in found]
