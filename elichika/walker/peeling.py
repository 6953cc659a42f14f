"""The first turn of a loop stands before it where that settles what the loop carries.

`h = None; for t in …: h = step(h, x[t])`: each turn of the Loop would ask whether `h` is None. With
the first turn before the loop, under an If that asks whether there is one, no turn asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.errors import StagingError
from elichika.state.joins import Joiner, Type, TypeReader
from elichika.state.store import MISSING, Key, Mark
from elichika.walker.attempts import Attempts
from elichika.walker.fixed_point import FixedPoint, asked_tags, later, tags
from elichika.walker.trials import StagedLoop, Trial
from elichika.walker.walk import Walk

__all__ = ["Peeling"]

#: What stands for the parts of a loop among the numbers of turns that name a place.
FIRST, OTHERS = 0, -1
#: Statements in the walks of a loop, above which no question of a turn shows in how long it takes.
LONG = 5_000
#: More tags than any turn asks for.
MANY = 1 << 30


class _NoGain(StagingError):
    """The turns after the first ask as much as all turns did."""


class Peeling:
    """The part of the walker that emits loops whose turns are decided when the model runs.

    Attributes:
        peeled: The first turn of a loop stands before it.
        spared: That of another one does not, for its turns are long.
    """

    def __init__(self, w: Walk, fixed_point: FixedPoint, attempts: Attempts) -> None:
        self.w = w
        self.fixed_point = fixed_point
        self.attempts = attempts
        self.peeled = self.spared = False
        self._asked: dict[Any, int] = {}
        self._over_frames = 0

    def staged_loop(self, loop: StagedLoop) -> None:
        """Emit a loop as it stands, or its first turn and then the others where that is better.

        Better means that it is not refused, that fewer tags of choices are asked for in a turn, and
        that no more of them are left after the loop.
        """
        site, trial, noted = self.w.region_site(), None, self.w.report.entries()
        self._over_frames += hasattr(loop.node, "recursion")
        asked = self._asked.get(site)
        if asked is None:
            asked, trial = self._survey(loop)
            self._asked[site] = asked
        if asked:
            if trial is not None:
                trial.body.discard()
                self.w.report.restore(noted)
            if self.attempts.attempt(lambda: self._peel(loop, asked, trial)) is not NotImplemented:
                self.peeled = True
                self.w.report.first_turn_apart(self.w.user_frame())
                return
            self._asked[site], trial = 0, None
        self.fixed_point.emit(trial or self.fixed_point.walked(loop))

    def _survey(self, loop: StagedLoop) -> tuple[int, Trial | None]:
        """Walk a loop as it stands.

        Returns:
            How many tags a turn asks for that the first turn may settle, and the walk; all and None
            where the walk is refused.
        """
        peels = self.w.plan.peels and not hasattr(loop.node, "recursion")  # whose turns are blocks
        if not peels or loop.most is not None or not self._may_be_empty(loop):
            return 0, self.fixed_point.walked(loop)
        before, steps = self._over_frames, self.w.plan.steps
        trial = self.attempts.attempt(lambda: self.fixed_point.walked(loop))
        if trial is NotImplemented:
            return MANY, None
        if self._over_frames > before:  # each walk of it is long, and its operators are many
            return 0, trial
        if self.w.plan.steps - steps > LONG and not self.w.plan.peels_long:
            self.spared |= asked_tags(trial) > 0
            return 0, trial
        settles = trial.first is None or trial.first < tags(trial.carried.values())
        return asked_tags(trial) if trial.failure is None and settles else 0, trial

    def _may_be_empty(self, loop: StagedLoop) -> bool:
        return self.fixed_point.runs(loop) is not True

    def _peel(self, loop: StagedLoop, asked: int, trial: Trial | None) -> None:
        """Emit `if there is a turn: the first one, and a loop over the others`.

        Raises:
            StagingError: It is refused, or no better than the loop as it stands.
        """
        dead = self.fixed_point.dead(loop)
        self.fixed_point.forget(dead)
        mark = self.w.store.mark()

        def taken() -> None:
            self._turns(loop, asked)
            self.fixed_point.forget(dead)
            if trial is not None and self._leaves_more(trial.carried, mark):
                raise _NoGain("more is chosen from after the loop", self.w.here())

        self.w.branch(self.fixed_point.runs(loop), taken, lambda: None)

    def _turns(self, loop: StagedLoop, asked: int) -> None:
        again = self._under(FIRST, lambda: self.w.truth(loop.turn(0)))
        if again is False:
            return
        trip = loop.trip
        if trip is not None:
            trip = self.w.graph.Sub(trip, self.w.graph.constant(np.array(1, np.int64)))

        def turn(before: Any) -> Any:
            return loop.turn(later(self.w, before, 1))

        def others() -> None:
            trial = self.fixed_point.walked(replace(loop, trip=trip, start=again, turn=turn))
            if trial.failure is None and asked_tags(trial) >= asked:
                raise _NoGain("the turns after the first ask for as much", self.w.here())
            self.fixed_point.emit(trial)

        self._under(OTHERS, others)

    def _under(self, number: int, thunk: Callable[[], Any]) -> Any:
        """Walk a part of a loop under a number of its own: what it meets is remembered apart."""
        self.w.turn_numbers.append(number)
        try:
            return thunk()
        finally:
            self.w.turn_numbers.pop()

    def _leaves_more(self, carried: dict[Key, Type], mark: Mark) -> bool:
        """Tell whether more is chosen from after this loop than after the one as it stands."""
        before = self.w.store.versions_at(mark)
        reader, now = TypeReader(self.w, mark), TypeReader(self.w, mark)
        met = []
        for key in carried:
            owner, slot = self.w.store.owner(key), key[1]
            held = self.w.held(owner, slot)
            entry = before.get(key, held)  # without a write since, it is what it was
            entry = self.fixed_point.locations.initial(owner, slot) if entry is MISSING else entry
            met.append((reader.version(slot, entry), now.version(slot, held)))
        joined = Joiner(self.w, widen=False).join_all(met)
        whole = carried.values()
        return any(tags([a]) > tags([b]) for a, b in zip(joined, whole, strict=True))
