"""What the parts of the walker may ask of the walk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from elichika.iterators.context import IteratorContext
from elichika.state.context import StateContext
from elichika.walker.kinds.context import KindContext

if TYPE_CHECKING:
    import numpy as np

    from elichika.errors import SourceFrame
    from elichika.program.places import Place, Program
    from elichika.state.aliases import Origin
    from elichika.state.facts import Facts
    from elichika.state.store import Mark
    from elichika.values.functions import Frame, GeneratorCall
    from elichika.values.symbolic import Array
    from elichika.walker.choices import Choices
    from elichika.walker.containers.arenas import Arenas
    from elichika.walker.containers.sequences import Sequences
    from elichika.walker.core import Token
    from elichika.walker.limits import Limits
    from elichika.walker.plan import Plan

__all__ = ["Walk"]


class Walk(KindContext, StateContext, IteratorContext, Protocol):
    """The state of the run, and what any part does for any other.

    A part that needs one other part alone is given that part when it is made.
    """

    facts: Facts
    plan: Plan
    report: Any
    limits: Limits
    arenas: Arenas
    choices: Choices
    sequences: Sequences
    names: dict[int, str]
    frames: list[Frame]
    node_stack: list[Any]
    roots: list[Any]
    token: Token
    handlers: list[tuple[type, ...]]
    guarded: int
    depth: int
    raising: bool
    returned: list[Any]
    pending: list[Any]
    ended_at: Place | None
    turn_numbers: list[int]
    mixed: set[type]

    # Where the walk is

    def place(self) -> Place: ...
    def user_frame(self) -> SourceFrame | None: ...
    def at(self, node: Any) -> AbstractContextManager[None]: ...
    def place_of_write(self) -> tuple[Program, Any] | None: ...
    def site_of_birth(self) -> Any: ...
    def regions(self) -> list[tuple[Mark, Any]]: ...
    def region_site(self) -> Any: ...
    def in_region(self, mark: Mark) -> AbstractContextManager[None]: ...

    # What is held

    def given(self, owner: Any, slot: str) -> Any:
        """Return what the program left at a location, or `MISSING` if it left nothing."""

    def version(self, obj: Any, slot: str) -> Any:
        """Return what a location holds; refuse the items of a list that has no common form."""

    def made_inside(self, value: Any) -> bool: ...
    def refuse_write(self, obj: Any) -> Any: ...
    def contents_version(self, value: np.ndarray[Any, Any]) -> Any: ...
    def freeze(self, array: Array) -> None: ...
    def lasting(self, origin: Origin) -> Origin | None: ...

    # Numbers of what was joined

    # What Python's operations do

    def identical(self, left: Any, right: Any) -> Any:
        """Return `left is right`."""

    def set_attribute(self, obj: Any, name: str, value: Any, *, plain: bool = False) -> None:
        """Run `obj.name = value`; with `plain`, past a `__setattr__` of the class."""

    def plain_number(self, value: Any) -> Any:
        """Return the number that an object of a class derived from one is, others as they are."""

    def class_of(self, value: Any) -> type:
        """Return the type that the program is told."""

    def as_generator(self, value: Any) -> GeneratorCall | None:
        """Return a value if it is a generator of the program that was not walked yet."""

    def consume(self, generator: GeneratorCall, consumer: Callable[[Any], Any]) -> Any:
        """Walk a generator; each `yield` calls `consumer` with the item."""
