"""Walks of a loop's body: what each of them is, and what they have shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from elichika.program.raised import Raised
from elichika.state.joins import Type
from elichika.state.store import Key, Mark
from elichika.walker.carried import StayingTags
from elichika.walker.tape.control import Cut
from onnx_graph import Body, Value

__all__ = ["Seen", "StagedLoop", "Trial"]


@dataclass(frozen=True)
class StagedLoop:
    """A loop whose turns are decided when the model runs.

    Attributes:
        node: The `for` or `while` of the program.
        trip: The most turns, a 0-d int64, or None.
        start: Whether the first turn runs: True or a bool `Scalar`.
        turn: Walks one turn, given how many were before; returns whether another one runs.
        most: How many nodes the body may have, if that is limited.
    """

    node: Any
    trip: Value | None
    start: Any
    turn: Callable[[Any], Any]
    most: int | None = None


@dataclass
class Trial:
    """One walk of a loop's body.

    Attributes:
        loop: The loop.
        dead: The names that no turn takes over from the one before.
        body: What it emitted.
        mark: Where the store was before.
        carried: The types of what goes from turn to turn, joined with those after it.
        ends: What the body gives of these, once they have settled.
        stays: What of that is in all turns as it was before the loop, by its place.
        condition: Whether there is another turn.
        failure: What the turn raises, whenever there is one.
        cut: What of it has no past on the tape, and what that is before the first turn.
        first: How many tags of choices there are after the first turn, None if it is not known.
        changes: What the turn changed, as it left it.
        heads: The Variables that it began with.
        tails: Those that it ended with.
    """

    loop: StagedLoop
    dead: frozenset[str]
    body: Body
    mark: Mark
    carried: dict[Key, Type]
    ends: list[Value] = field(default_factory=list)
    stays: dict[int, Value] = field(default_factory=dict)
    condition: Value | None = None
    failure: Raised | None = None
    cut: dict[Key, Cut] = field(default_factory=dict)
    first: int | None = None
    changes: dict[Key, Any] = field(default_factory=dict)
    heads: Any = field(default_factory=dict)
    tails: Any = field(default_factory=dict)


@dataclass
class Seen:
    """What trials of a loop have shown.

    Attributes:
        ended: What has no past on the tape at the end of a turn.
        first: How many tags of choices there are after the first turn, None if it is not known.
        staying: The tags that stay.
        past: What has a past, though it was taken to have none.
        shared: What others hold as well.
    """

    ended: dict[Key, Cut]
    first: int | None
    staying: StayingTags
    past: set[Key] = field(default_factory=set)
    shared: set[Key] = field(default_factory=set)

    def end(self, cut: dict[Key, Cut], ended: dict[Key, Cut]) -> bool:
        """Note what has no past at the end of a turn; tell whether it is what was assumed."""
        self.ended = ended
        self.past |= cut.keys() - ended.keys()
        self.shared |= {key for key, held in ended.items() if not held.alone}
        return all(
            key in ended and (ended[key].alone or not held.alone) for key, held in cut.items()
        )
