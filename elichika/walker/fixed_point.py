"""A Loop node: turns are walked until the types of what they carry settle."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from elichika.errors import StagingError, UnsupportedFunction, UnsupportedSyntax
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
    sharing,
    within_themselves,
    without_sizes_of,
)
from elichika.state.partitions import numbered
from elichika.state.store import ITEMS, MISSING, Key, Mark
from elichika.values.symbolic import COUNTER_BOUND, UNSET, Scalar, Seq
from elichika.values.tables import Table
from elichika.walker.carried import StayingTags, build_all, encode_all, keys_at, leaves_of
from elichika.walker.drafts import Drafts
from elichika.walker.jumps import Jumps
from elichika.walker.locations import Locations
from elichika.walker.loop_memory import LoopMemory
from elichika.walker.sharing import Sharing
from elichika.walker.tape.control import Cut, renamed
from elichika.walker.trials import Seen, StagedLoop, Trial
from elichika.walker.walk import Walk
from onnx_graph import Body, Value

#: Types only grow and every chain is short; this stops a bug from looping forever.
MAX_TRIALS = 40
#: How deep tuples, objects and choices may nest in what a loop carries.
MAX_STRUCTURE = 7


class FixedPoint:
    """The part of the walker that finds what goes from turn to turn."""

    def __init__(
        self, w: Walk, jumps: Jumps, sharing: Sharing, locations: Locations, drafts: Drafts
    ) -> None:
        self.w = w
        self.drafts = drafts
        self.jumps = jumps
        self.sharing = sharing
        self.locations = locations
        self.memory = LoopMemory(w)

    def walked(self, loop: StagedLoop) -> Trial:
        """Walk turns until the types of what they carry stay as they are, or one raises.

        The state is as before; `emit` makes the Loop of what this returns.
        """
        self.w.arenas.enter()
        last = self._last_trial(loop, self.dead(loop))
        self.w.store.undo(last.mark)
        if last.failure is None:
            self.memory.keep(last.carried, last.cut, keys_at(last.carried, last.stays), last.first)
        return last

    def emit(self, last: Trial) -> None:
        """Emit a Loop with the body of the last walk, and let the state be that after it."""
        loop = last.loop
        if last.failure is not None:
            last.body.discard()
            self._require_no_turn(last.failure, loop)
            return
        with self.w.located():
            with self.w.tape.control.meeting() as entries:
                initial = self._embed_all(last.carried)
            changing = [index for index in range(len(initial)) if index not in last.stays]
            results = self.w.graph.Loop(
                loop.trip,
                None if loop.start is True else self.w.scalar_value(loop.start, np.dtype(bool)),
                last.body,
                initial=[initial[index] for index in changing],
                cond_out=last.condition,
                carried=[last.ends[index] for index in changing],
                scans=[],
            )
        for index, result in zip(changing, results, strict=True):
            initial[index] = result
        with self.w.tape.control.meeting() as made:
            build_all(self.w, last.carried, iter(initial), {})
        self.w.tape.control.record_loop(last, entries, last.heads, last.tails, made)
        self.forget(last.dead)
        self.jumps.go_on()

    def dead(self, loop: StagedLoop) -> frozenset[str]:
        """Return the names that no turn takes over from the one before, nor what follows."""
        program = self.w.frames[-1].program
        return program.locals - program.liveness.carried(loop.node)

    def forget(self, dead: frozenset[str]) -> None:
        """Unset the names of the present frame that nothing reads any more."""
        frame = self.w.frames[-1]
        for name in sorted(dead):
            if self.w.store.get(frame, name) is not MISSING:
                self.w.store.set(frame, name, UNSET)

    def _last_trial(self, loop: StagedLoop, dead: frozenset[str]) -> Trial:
        recalled = self.memory.recalled()
        seen = Seen(recalled.cut, recalled.first, StayingTags(recalled.stays))
        carried = {key: _bounded(type_) for key, type_ in recalled.types.items()}
        full = False
        for _ in range(MAX_TRIALS):
            noted, used = self.w.report.entries(), self.drafts.used
            frozen = dict(self.sharing.frozen), set(self.w.idents.frozen)
            trial = self._begun(loop, dead, carried, seen)
            draft = self.drafts.is_open or not (carried or full)
            try:
                with self.drafts.within(draft):
                    done = self._walked_once(trial, seen)
            except (StagingError, UnsupportedFunction, UnsupportedSyntax):
                if not draft or self.drafts.is_open or self.drafts.used == used:
                    raise
                done = True
                self.sharing.frozen, self.w.idents.frozen = frozen
            full = draft and not self.drafts.is_open and self.drafts.used > used
            if done and not full:
                return trial
            self.w.store.undo(trial.mark)
            self.w.report.restore(noted)
            trial.body.discard()
            carried = trial.carried
        self.w.refuse("the state of this loop does not settle into one type")

    def _begun(
        self, loop: StagedLoop, dead: frozenset[str], carried: dict[Key, Type], seen: Seen
    ) -> Trial:
        """Return a trial that has not been walked."""
        cut = self._begun_without_past(carried, seen.ended, seen.past, seen.shared)
        if tags(carried.values()):
            with self.w.tape.control.meeting():
                seen.staying.assume(carried, self._embed_all(carried))
        body = self.w.graph.body("loop", loop=True)
        trial = Trial(loop, dead, body, self.w.store.mark(), carried, cut=cut, first=seen.first)
        trial.stays = seen.staying.assumed
        return trial

    def _walked_once(self, trial: Trial, seen: Seen) -> bool:
        """Walk a trial; tell whether its types have settled, or it raises."""
        frame, loop, body = self.w.frames[-1], trial.loop, trial.body
        carried, cut = trial.carried, trial.cut
        with self.w.facts.scope() as known, self.w.in_region(trial.mark), body:
            with self.w.tape.control.meeting() as trial.heads:
                self._install(body, carried, trial.stays)
            self.w.tape.control.begin_turn(trial.heads, cut)
            for name in sorted(trial.dead):
                self.w.store.set(frame, name, UNSET)
            self.jumps.begin_turn()
            try:
                number = Scalar(int, body.iteration, bound=COUNTER_BOUND)
                again = self.jumps.region(partial(loop.turn, number), leaving=False)
            except Raised as raised:
                trial.failure = raised
                return True
            if not carried:
                seen.first = trial.first = self._tags_left(trial.mark, frame, trial.dead)
            trial.carried = self.grow(carried, trial.mark, frame, trial.dead, known)
            if loop.most is not None and _nodes(body) > loop.most:
                self.w.refuse("as a Loop this loop has more nodes")
            holds = seen.end(cut, self._ended_without_past(trial))
            seen.staying.end(trial.carried, trial.ends)
            if not (_settled(carried, trial.carried) and holds & seen.staying.hold(carried)):
                return False
            trial.changes = self.w.store.changes_since(trial.mark)
            trial.heads = renamed(trial.heads, carried, trial.carried)
            trial.condition = self.w.scalar_value(again, np.dtype(bool))
            return True

    def _begun_without_past(
        self, carried: dict[Key, Type], ended: dict[Key, Cut], past: set[Key], shared: set[Key]
    ) -> dict[Key, Cut]:
        """Return what has no past before a loop, of what has none at the end of a turn."""
        if not ended.keys() - past:
            return {}
        with self.w.tape.control.meeting() as met:
            self._embed_all(carried)
        found = self.w.tape.control.without_past(carried, met)
        return {
            key: replace(held, alone=held.alone and key not in shared)
            for key, held in found.items()
            if key in ended and key not in past
        }

    def _ended_without_past(self, trial: Trial) -> dict[Key, Cut]:
        """Embed what a turn ends with; return what of it has no past."""
        with self.w.tape.control.meeting() as trial.tails:
            trial.ends = self._embed_all(trial.carried)
        return self.w.tape.control.without_past(trial.carried, trial.tails)

    def _tags_left(self, mark: Mark, frame: Any, dead: frozenset[str]) -> int:
        """Count the choices in what has changed since a mark, as it is now."""
        reader = TypeReader(self.w, mark)
        return tags(
            reader.version(key[1], self.w.held(self.w.store.owner(key), key[1]))
            for key in self._changed(mark, frame, dead)
        )

    def runs(self, loop: StagedLoop) -> Any:
        """Return whether a loop has a turn: True or a bool `Scalar`."""
        if loop.trip is None:
            return loop.start
        g = self.w.graph
        return self.w.both(loop.start, self.w.scalar(bool, g.Greater(loop.trip, g.constant(0))))

    def _require_no_turn(self, failure: Raised, loop: StagedLoop) -> None:
        """Replace a loop whose first turn raises by a check that it has no turn."""
        runs = self.runs(loop)
        if not isinstance(runs, Scalar):
            raise failure
        self.w.check(self.w.not_(runs), type(failure.error), str(failure.error))

    def _install(self, body: Body, carried: dict[Key, Type], stays: dict[int, Value]) -> None:
        heads = [
            stays[index] if index in stays else _head(body, leaf)
            for index, leaf in enumerate(leaves_of(carried))
        ]
        build_all(self.w, carried, iter(heads), {})

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
        keys = list(dict.fromkeys((*carried, *self._changed(mark, frame, dead))))
        reader, entries = TypeReader(self.w, mark, remember=True), TypeReader(self.w, mark)
        self._freeze(keys)
        outside = self.w.graph.scope.parent or self.w.graph.scope
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
        joined = [
            _bounded(without_sizes_of(self.w, outside, type_))
            for type_ in Joiner(self.w, widen=True, turns=True).join_all(met.values())
        ]
        places = self.w.store.places_at(mark)
        return {
            key: explained(type_, met[key], (places.get(key), self.w.store.place_of(key)), LOOP)
            for key, type_ in zip(met, joined, strict=True)
        }

    def _changed(self, mark: Mark, frame: Any, dead: frozenset[str]) -> list[Key]:
        """Return the locations, there before a turn, that it has changed for the next one."""
        return [
            key
            for key in self.w.store.changes_since(mark)
            if not key[1].startswith("~")
            and not self.w.store.is_fresh(self.w.store.owner(key), mark)
            and not (self.w.store.owner(key) is frame and key[1] in dead)
        ]

    def _freeze(self, keys: list[Key]) -> None:
        """Arrays that a turn stores in a list of dynamic length are copies there from now on."""
        for key in keys:
            version = self.w.store.get_key(key)
            if isinstance(version, (Seq, Table)):
                for array in version.stored:
                    if self.sharing.lasting(array) is None:
                        self.sharing.freeze(array)


def tags(types: Iterable[Type]) -> int:
    """Count the tags of choices in what has these types."""
    memo: dict[int, Any] = {}
    return sum(leaf.tag for type_ in types for leaf in type_.leaves(memo))


def asked_tags(trial: Trial) -> int:
    """Count the tags of choices that a turn asks for."""
    leaves = [one for i, one in enumerate(leaves_of(trial.carried)) if i not in trial.stays]
    heads = zip(leaves, trial.body.carried_inputs, strict=True)
    return sum(leaf.tag and bool(head.uses()) for leaf, head in heads)


def later(w: Walk, number: Any, by: int) -> Any:
    """Return the number of a turn some turns later: an int, or a `Scalar` where it is one."""
    if type(number) is int:
        return number + by
    if not by:
        return number
    added = w.binary(operator.add, number, by)
    added.bound = COUNTER_BOUND
    return added


def _nodes(body: Body) -> int:
    return sum(1 for _ in body.graph.all_nodes())


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
        reason = "it nests deeper at each iteration of a loop"
        return ConflictType(reason, within_themselves(type_))
    return type_
