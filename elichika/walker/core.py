"""The walker: an abstract run of a canonical program.

It visits children before parents, left to right as Python evaluates.  What is known while compiling
is run with Python itself; what depends on tensors goes into the graph.  This file holds its state
and the services that lowerings use; the visits are in the files beside it, which `walker.py` puts
together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from elichika.errors import BudgetError, SourceFrame, StagingError
from elichika.program.file_names import portable_file
from elichika.program.places import Place, Program
from elichika.program.raised import Raised
from elichika.state.facts import Facts
from elichika.state.idents import Idents
from elichika.state.store import Mark
from elichika.values.functions import Frame
from elichika.values.symbolic import (
    Array,
    SymbolicUse,
)
from elichika.walker.limits import Limits
from elichika.walker.plan import Plan
from onnx_graph import ONNXGraph, Value

#: Types whose values Python's operators take as they are, and that hold nothing else.
PLAIN = frozenset({bool, int, float, str, bytes, type(None), type(...)})


class Token:
    """The location that threads run-time checks through If and Loop."""


class KeyChanges:
    """How often keys of a dict or set were taken out and put in; or whether, in a turn of a loop.

    Args:
        mapping: The dict or set.
        none: What says that none was: 0 or False.
    """

    def __init__(self, mapping: Any, none: int) -> None:
        self.mapping = mapping
        self.none = none


class Numbering:
    """How many float objects have a number."""


class Pending:
    """What is on its way to a handler: the number of an exception, 0 for none, and exceptions.

    Those that hold values of the run are at locations of their own, by number.
    """


class Core:
    """The state of one abstract run: where it is, what it assumes, and the graph it makes.

    Args:
        graph: The graph under construction.
        names: Initializer names of the chain's parameters and persistent arrays, by `id`.
        report: What became of loops and branches goes there.
        limits: How much the walk may take.
        plan: What it assumes; this walk adds to it.
    """

    def __init__(
        self,
        graph: ONNXGraph,
        names: dict[int, str],
        report: Any,
        limits: Limits | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.graph = graph
        self.plan = Plan() if plan is None else plan
        self.facts = Facts()
        self.report = report
        self.limits = Limits() if limits is None else limits
        graph.watch = self._count_nodes
        self.frames: list[Frame] = []
        self.roots: list[Any] = []
        self.token = Token()
        self.names = names
        self.idents = Idents()
        self.depth = 0
        #: In a `raise`, whether nothing catches what is raised; else None.
        self.raising: bool | None = None
        self.node_stack: list[Any] = []
        self.guarded = 0
        self.returned: list[Any] = []
        self.ended_at: Place | None = None
        self.pending: list[Any] = []
        self.turn_numbers: list[int] = []
        self.tentative = 0
        #: Classes of which an object may have got its attributes in another order than they have.
        self.mixed: set[type] = set()
        self._regions: list[tuple[Mark, Any]] = []
        self.made_classes: set[type] = set()
        self.consumer: Any = None  # the site of the loop that takes items by number
        self.picked: dict[int, tuple[Array, tuple[Any, ...], Value]] = {}

    # -- where we are -------------------------------------------------------------------------

    def here(self) -> tuple[SourceFrame, ...]:
        """Return the places of the program that lead to the present node, outermost first."""
        return self.place().frames

    def place(self) -> Place:
        """Return the present node and the calls that lead to it; after the walk, its end."""
        if not self.frames and self.ended_at is not None:
            return self.ended_at
        return Place(tuple(frame.program for frame in self.frames), tuple(self.node_stack))

    def user_frame(self) -> SourceFrame | None:
        """Return the innermost place in the user's own code."""
        return self.place().innermost

    @contextmanager
    def at(self, node: Any) -> Iterator[None]:
        """Remember that the walk is at `node`; nodes emitted meanwhile carry its line."""
        before = self.node_stack[-1]
        self.node_stack[-1] = node
        try:
            yield
        finally:
            self.node_stack[-1] = before

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        """Stop the compile with the user's line.

        Raises:
            StagingError: Always.
        """
        raise StagingError(message, self.here(), hint)

    def raise_static(self, error: BaseException, near: str | None = None) -> NoReturn:
        """Raise a Python exception in the walked program; `near` says what may be meant.

        Raises:
            SymbolicUse: It is none of the program's: native code was given what only the run knows.
        """
        if type(error) is SymbolicUse:
            raise error
        raise Raised(error, self.here(), near)

    def _count_nodes(self, count: int) -> None:
        """Stop a walk that emits more nodes than it may."""
        most = self.limits.max_nodes
        if most is not None and count > most:
            raise BudgetError(
                f"the model has more than {most} nodes here",
                self.here(),
                "give it more with `max_nodes`, or let a loop run over an input, which is kept",
            )

    def require_room(self, amount: str | None) -> None:
        """Stop a walk that would make something too large; `amount` says what, if anything."""
        if amount is not None:
            raise BudgetError(
                f"this makes {amount} while compiling",
                self.here(),
                "what is computed from the inputs is computed when the model runs",
            )

    # -- values -------------------------------------------------------------------------------

    def place_of_write(self) -> tuple[Program, Any] | None:
        """Return where the program is: the innermost place of the user's, if there is one."""
        if not self.node_stack:
            return None
        innermost = self.frames[-1]
        if innermost.program.library:
            if innermost.called_at is None:
                innermost.called_at = self._place_of_user()
            if innermost.called_at is not None:
                return innermost.called_at
        return innermost.program, self.node_stack[-1]

    def _place_of_user(self) -> tuple[Program, Any] | None:
        """Return the innermost place of the user's, which stays while a call in a library runs."""
        for frame, node in zip(reversed(self.frames), reversed(self.node_stack), strict=False):
            if not frame.program.library:
                return frame.program, node
        return None

    def site_of_birth(self) -> Any:
        """Return what names the place that makes an object, in any run: that of the user.

        A function that calls itself makes it at one place, however deep it is.
        """
        if not self.frames:
            return ()
        innermost = self.frames[-1]
        if innermost.callers is None:
            innermost.callers = self._callers()
        return id(self.node_stack[-1]), *innermost.callers

    def _callers(self) -> tuple[int, ...]:
        """Return the nodes of the calls that led here from the user's code, the innermost first."""
        nodes, programs = list[int](), {id(self.frames[-1].program)}
        within_library = self.frames[-1].program.library
        around = zip(self.frames[-2::-1], self.node_stack[-2::-1], strict=False)
        for frame, node in around if within_library else ():
            if id(frame.program) not in programs:
                nodes.append(id(node))
            programs.add(id(frame.program))
            if not frame.program.library:
                break
        return tuple(nodes)

    @contextmanager
    def in_region(self, mark: Mark) -> Iterator[None]:
        """Walk a region begun at `mark`: a side of a branch, or a turn of a loop."""
        self._regions.append((mark, self.region_site()))
        try:
            yield
        finally:
            self._regions.pop()

    def regions(self) -> list[tuple[Mark, Any]]:
        """Return where the regions around began: marks and sites, outermost first."""
        return self._regions

    def region_site(self) -> Any:
        """Return what names the branch or loop here in any walk."""
        return (tuple(map(id, self.node_stack)), *self.turn_numbers)

    # -- locations ----------------------------------------------------------------------------


class NodePlace:
    """What a graph node remembers of the program; asked when the model is written."""

    def __init__(self, place: Place, layer: str) -> None:
        self._place = place
        self.layer = layer

    @property
    def label(self) -> str:
        """File and line of the innermost place in the user's own code."""
        frame = self._place.innermost
        assert frame is not None
        return frame.label

    @property
    def frames(self) -> tuple[tuple[str, int, str], ...]:
        """The user's places, outermost first."""
        return tuple((f.file, f.line, f.function) for f in self._place.frames if not f.library)

    @property
    def portable_frames(self) -> tuple[tuple[str, int, str], ...]:
        """The same, for a model file: the files' names say nothing of the machine."""
        return tuple((portable_file(file), line, name) for file, line, name in self.frames)
