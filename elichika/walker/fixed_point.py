"""A Loop node: turns are walked until the types of what they carry settle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elichika.program.raised import Raised
from elichika.state.facts import Known
from elichika.state.join_errors import LOOP, explained
from elichika.state.joins import (
    AGAIN,
    ConflictType,
    Joiner,
    Leaf,
    Type,
    TypeReader,
    filled,
    nesting,
    refers_to_undone,
    sharing,
)
from elichika.state.partitions import numbered
from elichika.state.store import ITEMS, MISSING, Key, Mark
from elichika.values.symbolic import UNSET, Scalar, Seq
from elichika.walker.carried import build_all, encode_all
from elichika.walker.checks import Checks
from elichika.walker.locations import Locations
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk
from onnx_graph import Body, Value

#: Types only grow and every chain is short; this stops a bug from looping forever.
MAX_TRIALS = 40
#: How deep tuples, objects and choices may nest in what a loop carries.
MAX_STRUCTURE = 7


@dataclass
class Trial:
    """One walk of a loop's body.

    Attributes:
        body: What it emitted.
        mark: Where the store was before.
        carried: The types of what goes from turn to turn, joined with those after it.
        ends: What the body gives of these, once they have settled.
        condition: Whether there is another turn.
        failure: What the turn raises, whenever there is one.
    """

    body: Body
    mark: Mark
    carried: dict[Key, Type]
    ends: list[Value] = field(default_factory=list)
    condition: Value | None = None
    failure: Raised | None = None


class FixedPoint:
    """Loops whose turns are decided when the model runs."""

    def __init__(self, w: Walk, checks: Checks, sharing: Sharing, locations: Locations) -> None:
        self.w = w
        self.checks = checks
        self.sharing = sharing
        self.locations = locations
        self.loop_memo: dict[Any, Any] = {}

    def staged_loop(
        self,
        node: Any,
        trip: Value | None,
        start: Any,
        turn: Callable[[Value], Any],
        most: int | None = None,
    ) -> None:
        """Emit a Loop whose body is a walk of one turn.

        Args:
            node: The `for` or `while` of the program.
            trip: The most turns, a 0-d int64, or None.
            start: Whether the first turn runs: True or a bool `Scalar`.
            turn: Walks one turn given the iteration number; returns whether another one runs.
            most: How many nodes the body may have, if that is limited.
        """
        frame = self.w.frames[-1]
        dead = frame.program.locals - frame.program.liveness.carried(node)
        site = self.w.region_site()
        self.w.arenas.enter()
        last = self._last_trial(site, dead, turn, most)
        self.w.store.undo(last.mark)
        if last.failure is not None:
            last.body.discard()
            self._require_no_turn(last.failure, trip, start)
            return
        carried = self.loop_memo[site] = last.carried
        with self.w.located():
            initial = self._embed_all(carried)
            results = self.w.graph.Loop(
                trip,
                None if start is True else self.w.scalar_value(start, np.dtype(bool)),
                last.body,
                initial=initial,
                cond_out=last.condition,
                carried=last.ends,
                scans=[],
            )
        build_all(self.w, carried, iter(results), {})
        for name in sorted(dead):
            if self.w.store.get(frame, name) is not MISSING:
                self.w.store.set(frame, name, UNSET)

    def _last_trial(
        self, site: Any, dead: frozenset[str], turn: Callable[[Value], Any], most: int | None
    ) -> Trial:
        """Walk turns until the types of what they carry stay as they are, or one raises."""
        frame, carried = self.w.frames[-1], self._remembered(site)
        for _ in range(MAX_TRIALS):
            trial = Trial(self.w.graph.body("loop", loop=True), self.w.store.mark(), carried)
            noted = self.w.report.entries()
            with self.w.facts.scope() as known, self.w.in_region(trial.mark), trial.body:
                self._install(trial.body, carried)
                for name in sorted(dead):
                    self.w.store.set(frame, name, UNSET)
                try:
                    again = turn(trial.body.iteration)
                except Raised as raised:
                    trial.failure = raised
                    return trial
                trial.carried = self.grow(carried, trial.mark, frame, dead, known)
                if most is not None and sum(1 for _ in trial.body.graph.all_nodes()) > most:
                    self.w.refuse("this loop has more nodes when it is rolled")
                if _settled(carried, trial.carried):
                    trial.ends = self._embed_all(trial.carried)
                    trial.condition = self.w.scalar_value(again, np.dtype(bool))
                    return trial
            self.w.store.undo(trial.mark)
            self.w.report.restore(noted)
            trial.body.discard()
            carried = trial.carried
        self.w.refuse("the state of this loop does not settle into one type")

    def _remembered(self, site: Any) -> dict[Key, Type]:
        """Return what an earlier walk of the loop carried, joined with what is there now."""
        reader, joiner = TypeReader(self.w, self.w.store.mark()), Joiner(self.w, widen=True)
        known = {
            key: type_
            for key, type_ in self.loop_memo.get(site, {}).items()
            if self.w.store.get_key(key) is not MISSING and not refers_to_undone(self.w, type_)
        }
        held = [
            reader.version(key[1], self.w.held(self.w.store.owner(key), key[1])) for key in known
        ]
        joined = joiner.join_all(zip(known.values(), held, strict=True))
        return dict(zip(known, map(_bounded, joined), strict=True))

    def _require_no_turn(self, failure: Raised, trip: Value | None, start: Any) -> None:
        """Replace a loop whose first turn raises by a check that it has no turn."""
        self.checks.refuse_caught(failure.error)
        g = self.w.graph
        runs = start
        if trip is not None:
            runs = self.w.both(start, self.w.scalar(bool, g.Greater(trip, g.constant(0))))
        if not isinstance(runs, Scalar):
            raise failure
        self.w.check(self.w.not_(runs), type(failure.error), str(failure.error))

    def _install(self, body: Body, carried: dict[Key, Type]) -> None:
        listed: dict[int, Any] = {}
        leaves = [leaf for type_ in carried.values() for leaf in type_.leaves(listed)]
        build_all(self.w, carried, iter([_head(body, leaf) for leaf in leaves]), {})

    def _embed_all(self, carried: dict[Key, Type]) -> list[Value]:
        return filled(self.w, encode_all(self.w, carried, {}))

    def grow(
        self,
        carried: dict[Key, Type],
        mark: Mark,
        frame: Any,
        dead: frozenset[str],
        known: Known,
    ) -> dict[Key, Type]:
        """Join the types at the head with those at the end of the turn.

        What the turn found out holds at its end, not at the head: there only `known` does.
        """
        before = self.w.store.versions_at(mark)
        keys = [
            key
            for key in dict.fromkeys((*carried, *self.w.store.changes_since(mark)))
            if not key[1].startswith("~")
            and not self.w.store.is_fresh(self.w.store.owner(key), mark)
            and not (self.w.store.owner(key) is frame and key[1] in dead)
        ]
        reader, entries = TypeReader(self.w, mark, remember=True), TypeReader(self.w, mark)
        self._freeze(keys)
        met: dict[Key, tuple[Type, Type]] = {}
        for key in keys:
            owner, slot = self.w.store.owner(key), key[1]
            now = self.w.held(owner, slot)
            if key in carried:
                met[key] = carried[key], reader.version(slot, now)
                continue
            entry = before.get(key, MISSING)
            entry = self.locations.initial(owner, slot) if entry is MISSING else entry
            if entry is now:
                continue
            with self.w.facts.only(known):
                first = entries.version(slot, entry)
            end = reader.version(slot, now)
            if first == end and not end.leaves({}) and _stays(entry, now, slot):
                continue
            met[key] = first, end
        joined = map(_bounded, Joiner(self.w, widen=True).join_all(met.values()))
        places = self.w.store.places_at(mark)
        return {
            key: explained(type_, met[key], (places.get(key), self.w.store.place_of(key)), LOOP)
            for key, type_ in zip(met, joined, strict=True)
        }

    def _freeze(self, keys: list[Key]) -> None:
        """Arrays that a turn stores in a list of dynamic length are copies there from now on."""
        for key in keys:
            version = self.w.store.get_key(key)
            if isinstance(version, Seq):
                for array in version.stored:
                    if self.sharing.lasting(array) is None:
                        self.sharing.freeze(array)


def _head(body: Body, leaf: Leaf) -> Value:
    if leaf.sequence:
        value: Value = body.sequence_input(leaf.dtype, leaf.dims)
    else:
        value = body.input(leaf.dtype, leaf.dims or ())
    return value


def _stays(before: Any, now: Any, slot: str) -> bool:
    """Tell whether two values of a location, which are alike, are one object as well."""
    if before is now:
        return True
    if slot == ITEMS and isinstance(before, tuple):
        return all(map(_stays, before, now, [""] * len(before)))
    if slot == ITEMS and isinstance(before, dict):
        return all(_stays(held, now[key], "") for key, held in before.items())
    return not isinstance(before, (tuple, *AGAIN, np.generic)) or isinstance(before, bool)


def _settled(carried: dict[Key, Type], grown: dict[Key, Type]) -> bool:
    if list(carried) != list(grown) or carried != grown:
        return False
    if sharing(carried.values()) != sharing(grown.values()):
        return False
    return numbered(carried.values()) == numbered(grown.values())


def _bounded(type_: Type) -> Type:
    """Refuse a structure that nests deeper at each turn: its type would never settle."""
    if nesting(type_) > MAX_STRUCTURE:
        return ConflictType("it nests deeper at each turn of a loop")
    return type_
