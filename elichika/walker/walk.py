"""What the parts of the walker may ask of the walk."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from elichika.iterators.context import IteratorContext
from elichika.state.context import StateContext
from elichika.walker.kinds.context import KindContext

if TYPE_CHECKING:
    import numpy as np

    from elichika.program.places import Place, Program
    from elichika.state.aliases import Origin
    from elichika.state.facts import Facts
    from elichika.state.store import Mark
    from elichika.values.functions import Frame
    from elichika.walker.choices import Choices
    from elichika.walker.containers.arenas import Arenas
    from elichika.walker.containers.sequences import Sequences
    from elichika.walker.containers.tables import Tables
    from elichika.walker.core import Token
    from elichika.walker.limits import Limits
    from elichika.walker.plan import Plan
    from elichika.walker.prints import Prints
    from elichika.walker.remembering import Remembering
    from elichika.walker.tape.tape import Tape

__all__ = ["Walk"]


class Walk(KindContext, StateContext, IteratorContext, Protocol):
    """The state of the run, and what any part does for any other.

    A part that needs one other part alone is given that part when it is made.
    """

    facts: Facts
    plan: Plan
    prints: Prints
    remembering: Remembering
    report: Any
    limits: Limits
    arenas: Arenas
    choices: Choices
    sequences: Sequences
    tables: Tables
    tape: Tape
    names: dict[int, str]
    frames: list[Frame]
    node_stack: list[Any]
    roots: list[Any]
    token: Token
    guarded: int
    depth: int
    raising: bool | None
    returned: list[Any]
    pending: list[Any]
    ended_at: Place | None
    turn_numbers: list[int]
    mixed: set[type]

    # Where the walk is

    def place(self) -> Place:
        """Return the present node and the calls that lead to it; after the walk, its end."""

    def at(self, node: Any) -> AbstractContextManager[None]:
        """Be at another node for a while."""

    def place_of_write(self) -> tuple[Program, Any] | None:
        """Return the innermost place of the user's, if there is one."""

    def site_of_birth(self) -> Any:
        """Return what names the place that makes an object, the same in every walk."""

    def regions(self) -> list[tuple[Mark, Any]]:
        """Return where the arms and turns around began: marks and sites, outermost first."""

    def region_site(self) -> Any:
        """Return what names the branch or loop here, the same in every walk."""

    def in_region(self, mark: Mark) -> AbstractContextManager[None]:
        """Walk an arm or a turn that began at a mark."""

    # What is held

    def made_inside(self, value: Any) -> bool:
        """Tell whether an arm or a turn made an object: outside there is another."""

    def refuse_write(self, obj: Any) -> Any:
        """Refuse a write to what a list of dynamic length holds a copy of."""

    def contents_version(self, value: np.ndarray[Any, Any]) -> Any:
        """Return what an array known while compiling holds: a numpy array, or a graph value."""

    def lasting(self, origin: Origin) -> Origin | None:
        """Return how an element of a list names the array that it is, None if it cannot."""

    # What Python's operations do

    def plain_number(self, value: Any) -> Any:
        """Return the number that an object of a class derived from one is, others as they are."""
