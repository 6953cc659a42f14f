"""Which branches, turns and lines of a model the verified inputs reached."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, NodeProto

from elichika.errors import InputError, ModelRuntimeError
from elichika.model.protos import bodies
from elichika.model.session import DeadlineError, Session
from elichika.model.source_map import SourceMap
from elichika.verify.probe import BRANCHES, TURNS, Cell, probed

__all__ = ["Probe", "Reached", "reached"]

Label = Callable[[str], str | None]


@dataclass
class Reached:
    """What the inputs on which chain and model agree went through in the model.

    Attributes:
        inputs: How many of them were looked at.
        branches: How often each branch was taken, by the place of its test and the lines that are
            its own.
        loops: How many runs of a loop had no turn, one and more, by its place.
        lines: Places in parts of the model that no input reached.
        untaken: Places of tests that always went the same way, where the other branch has no lines
            of its own.
    """

    inputs: int = 0
    branches: dict[str, dict[str, int]] = field(default_factory=dict)
    loops: dict[str, dict[str, int]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    untaken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Say in one line what was not reached; empty if there is nothing."""
        parts = _ranges(self.lines)
        parts += [f"one branch of {place}" for place in self.untaken]
        return ", ".join(parts)


@dataclass
class _Region:
    """A graph: the main one, a branch or the body of a loop.

    Attributes:
        owner: The node that it belongs to.
        what: The branch it is.
        around: The graphs that it is in, outermost first.
        labels: The lines behind its own nodes.
        runs: How often it ran.
    """

    owner: NodeProto | None
    what: str
    around: tuple[_Region, ...]
    labels: set[str]
    runs: int


def reached(
    graph: GraphProto,
    label: Label,
    counts: Mapping[Cell, int],
    inputs: int,
    branches: Iterable[str] = (),
) -> Reached:
    """Say what was reached.

    Args:
        graph: The main graph of the model.
        label: Gives the place of a node by its name.
        counts: How often each branch was taken, and each number of turns met.
        inputs: How many inputs were counted.
        branches: The places of the tests that are the program's own; others, which belong to an
            operation, are not called untaken.
    """
    regions = list(_regions(graph, label, counts))
    result = Reached(inputs)
    for region in regions:
        if region.owner is None:
            continue
        place = label(region.owner.name)
        if place is None:
            continue
        if region.owner.op_type == "Loop":
            turns = result.loops.setdefault(place, dict.fromkeys(TURNS, 0))
            for what in TURNS:
                turns[what] += counts.get(Cell(region.owner.name, what), 0)
        else:
            arms = result.branches.setdefault(place, {})
            name = _arm(region, regions, place)
            arms[name] = arms.get(name, 0) + region.runs
    result.lines = sorted(set(_unreached(regions, label)), key=_key)
    own = set(branches)
    result.untaken = [
        place
        for place, arms in result.branches.items()
        if place in own and any(not arms[name] for name in arms if name in BRANCHES)
    ]
    return result


def _regions(graph: GraphProto, label: Label, counts: Mapping[Cell, int]) -> Iterator[_Region]:
    pending: list[tuple[GraphProto, NodeProto | None, str, tuple[_Region, ...]]]
    pending = [(graph, None, "", ())]
    while pending:
        here, owner, what, around = pending.pop()
        labels = {place for node in here.node if (place := label(node.name)) is not None}
        region = _Region(owner, what, around, labels, _runs(owner, what, counts))
        yield region
        for node in here.node:
            for name, body in bodies(node).items():
                pending.append((body, node, name, (*around, region)))


def _runs(owner: NodeProto | None, what: str, counts: Mapping[Cell, int]) -> int:
    if owner is None:
        return 1
    cells = TURNS[1:] if owner.op_type == "Loop" else (what,)
    return sum(counts.get(Cell(owner.name, cell), 0) for cell in cells)


def _arm(region: _Region, regions: Sequence[_Region], place: str) -> str:
    """Name a branch by its lines, and by its place in the operator where it has none."""
    within = [one for one in regions if one is region or region in one.around]
    lines = {label for one in within for label in one.labels} - {place}
    return ", ".join(_ranges(lines)) or region.what


def _unreached(regions: Sequence[_Region], label: Label) -> Iterator[str]:
    """Yield the lines of regions that never ran.

    A line whose other nodes are in the graphs around such a region does not count as reached by
    these: passes move out of a branch what does not depend on it. But the line of a test or loop
    has nodes of its own in the graph around it.
    """
    by_line: dict[str, list[_Region]] = {}
    for region in regions:
        for line in region.labels:
            by_line.setdefault(line, []).append(region)
    for line, having in by_line.items():
        ran = [region for region in having if region.runs]
        for region in having:
            if region.runs or line in set(_owners(region, label)):
                continue
            if all(_is_around(one, region) for one in ran):
                yield line
                break


def _owners(region: _Region, label: Label) -> Iterator[str | None]:
    for one in (region, *region.around):
        if one.owner is not None:
            yield label(one.owner.name)


def _is_around(one: _Region, region: _Region) -> bool:
    return any(one is other for other in region.around)


def _key(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line) if line.isdigit() else 0


def _ranges(places: Iterable[str]) -> list[str]:
    """Write places as ranges of lines: `model.py:4-6`."""
    found = []
    for file, group in groupby(sorted(map(_key, places)), key=lambda key: key[0]):
        runs: list[list[int]] = []
        for _, line in group:
            if runs and line <= runs[-1][1] + 1:
                runs[-1][1] = line
            else:
                runs.append([line, line])
        found += [f"{file}:{a}" if a == b else f"{file}:{a}-{b}" for a, b in runs]
    return found


class Probe:
    """Counts what inputs reach in a model; run by onnxruntime as it is, without optimizations."""

    def __init__(
        self,
        model: onnx.ModelProto,
        feeds: Callable[[list[Any], float | None], Mapping[str, Any]],
        label: Label,
        branches: Iterable[str],
    ) -> None:
        """Make the copy; for the last two see `reached`.

        Args:
            model: The model.
            feeds: Gives what it is fed with, from leaves and the level of random numbers.
            label: Gives the place of a node by its name.
            branches: The places of the program's own tests.
        """
        changed, self._cells = probed(model)
        self._feeds, self._label, self._branches = feeds, label, branches
        self._graph = model.graph
        self._total = np.zeros(len(self._cells), np.int64)
        self._session = Session(
            lambda: SourceMap({}),
            write=lambda path: onnx.save_model(changed, os.fspath(path)),
            threads=1,
            optimize=False,
        )
        self._inputs = 0

    @property
    def is_whole(self) -> bool:
        """Whether everything was reached already."""
        return bool(self._total.all())

    def load(self) -> None:
        """Load the copy, which would else be done at the first look."""
        _ = self._session.inference

    def look(self, leaves: list[Any], level: float | None, seconds: float | None) -> None:
        """Count what one input reaches, unless that fails or takes too long."""
        with suppress(DeadlineError, ModelRuntimeError, InputError):
            (counts,) = self._session.run(self._feeds(leaves, level), seconds=seconds)
            self._total += counts
            self._inputs += 1

    def reached(self) -> Reached:
        """Say what was reached by all of them."""
        pairs = zip(self._cells, self._total, strict=True)
        counts = {cell: int(count) for cell, count in pairs}
        return reached(self._graph, self._label, counts, self._inputs, self._branches)
