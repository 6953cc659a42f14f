"""Loops: unrolled where what they run over is known, else a Loop node found by a fixed point."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from elichika.errors import StagingError
from elichika.iterators.base import Cursor, Staged
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
from elichika.values.symbolic import COUNTER_BOUND, UNSET, Choice, Scalar, Seq
from elichika.walker.core import Core, Raised
from onnx_graph import Body, Value

#: Types only grow and every chain is short; this stops a bug from looping forever.
MAX_TRIALS = 40
#: A static loop that a turn may leave is rolled where at least so many turns are left.
LEAST_ROLLED = 8
#: Why a static loop is rolled.
TURNS, NODES, LEAVES = "over the budget", "over the budget of nodes", "a turn may leave"
#: A rolled body may have so many times the nodes of an unrolled turn; where more, it saves nothing.
SAVING = 4
#: How deep tuples, objects and choices may nest in what a loop carries.
MAX_STRUCTURE = 7
#: The most turns of a static loop that are unrolled when it cannot be rolled.
MAX_STATIC_TURNS = 10_000


class Loops(Core):
    """The part of the walker that stages loops."""

    # -- for ----------------------------------------------------------------------------------

    def visit_For(self, node: Any) -> None:
        """Run a `for` (canonical: one target name, at most a final `if done: break`)."""
        iterable = self.opened(self.visit(node.iter))
        generator = self.as_generator(iterable)
        if generator is not None:
            self.consume(generator, lambda item: self._generator_turn(node, item))
            return
        if not self.is_asked(iterable):
            self._over(node, self.iterate(iterable))
            return
        iterable = self.ready(iterable)
        if not isinstance(iterable, (Cursor, Choice)):
            self._run_iterator(node, iterable)
            return
        staged = self.all_by_number(iterable, self.site())
        if staged is not None:
            self._over(node, staged)
        else:
            self._step(node, iterable)

    def _over(self, node: Any, staged: Staged) -> None:
        """Run a `for` over items that are asked for by number."""
        if isinstance(staged.length, int):
            if self._over_budget(staged.length) and self._roll_if_possible(node, staged, TURNS):
                return
            self._unroll(node, staged)
        else:
            self.report.loop(self.user_frame(), "rolled", "its length is known at run time")
            self._staged_for(node, staged)

    def _generator_turn(self, node: Any, item: Any) -> Any:
        """Walk one turn; return whether there is no next one."""
        return self.not_(self._turn(node, item))

    def _run_iterator(self, node: Any, iterator: Any) -> None:
        """Run a `for` over an object with `__next__`, which says when it ends while compiling."""
        for _ in range(MAX_STATIC_TURNS):
            ended, item = self.advanced(iterator)
            if ended:
                return
            again = self._turn(node, item)
            if again is False:
                return
            if again is not True:
                self.refuse(
                    "a `break` that is decided at run time leaves a loop over an iterator",
                    "make a list of it first",
                )
        self.refuse(f"this loop runs more than {MAX_STATIC_TURNS} turns")

    def _step(self, node: Any, iterator: Any) -> None:
        """Run a `for` that asks an iterator for each item when it needs it."""

        def asked() -> Any:
            return self.truth(
                self.ask(iterator, lambda item: self._turn(node, item), lambda: False)
            )

        going: Any = True
        for index in range(MAX_STATIC_TURNS):
            if not self._is_known_if(going, iterator):
                break
            self.turn_numbers.append(index)
            try:
                going = self.truth(self.branch(going, asked, lambda: False))
            finally:
                self.turn_numbers.pop()
            if going is False:
                self.report.loop(self.user_frame(), "unrolled", f"{index} turns known now")
                return
        self.report.loop(self.user_frame(), "rolled", "its length is known at run time")
        self.staged_loop(node, None, going, lambda iteration: asked())

    def _is_known_if(self, going: Any, iterator: Any) -> bool:
        """Tell whether it is known now whether there is an item, given that the loop goes on."""
        if not isinstance(going, Scalar):
            return self.most(iterator) is not None
        with self.facts.assume(going.onnx_value, True):
            return self.most(iterator) is not None

    def _turn(self, node: Any, item: Any) -> Any:
        """Walk one turn; return whether the loop goes on."""
        self.bind(node.target.id, item)
        body = node.body
        leaves = isinstance(body[-1], gast.If) and _is_break(body[-1].body)
        self.block(body[:-1] if leaves else body)
        return self.not_(self.visit(body[-1].test)) if leaves else True

    def _over_budget(self, turns: int) -> bool:
        """Tell whether a loop has too many turns to unroll; those of loops around it multiply."""
        return turns > 1 and turns * math.prod(self.unrolling) > self.limits.max_unroll

    def _unroll(self, node: Any, staged: Staged) -> None:
        self.report.loop(self.user_frame(), "unrolled", f"{staged.length} turns known now")
        self.unrolling.append(max(staged.length, 1))
        try:
            self._unrolled_turns(node, staged)
        finally:
            self.unrolling.pop()

    def _unrolled_turns(self, node: Any, staged: Staged) -> None:
        going: Any = True
        index, tried, before = 0, set[str](), self.graph.nodes
        while True:
            length = staged.current_length()
            if not isinstance(length, int):
                self.refuse(
                    "how long this list is while the loop runs over it depends on the input",
                    "loop over a copy: `for item in list(items)`",
                )
            if index >= length:
                break
            if index > MAX_STATIC_TURNS:
                self.refuse(f"this loop runs more than {MAX_STATIC_TURNS} turns")
            going = self._unrolled_turn(node, staged, index, going)
            if going is False:
                break
            index += 1
            why = self._why_roll(going, index, length, self.graph.nodes - before)
            if why is not None and why not in tried:
                tried.add(why)
                most = None
                if why == NODES:
                    most = min(SAVING, length - index) * (self.graph.nodes - before) // index
                if self._roll_if_possible(node, staged, why, index, going, most):
                    break

    def _why_roll(self, going: Any, index: int, length: int, nodes: int) -> str | None:
        """Say why the rest of a loop should rather be rolled, after some turns with some nodes."""
        if isinstance(going, Scalar):
            return LEAVES if length - index >= LEAST_ROLLED else None
        over = nodes * length > self.limits.max_unroll_nodes * index
        return NODES if over and index < length else None

    def _unrolled_turn(self, node: Any, staged: Staged, index: int, going: Any) -> Any:
        self.turn_numbers.append(index)
        try:
            if going is True:
                return self._turn(node, staged.item(index))
            return self.truth(
                self.branch(going, lambda: self._turn(node, staged.item(index)), lambda: False)
            )
        finally:
            self.turn_numbers.pop()

    def _roll_if_possible(
        self,
        node: Any,
        staged: Staged,
        why: str,
        first: int = 0,
        going: Any = True,
        most: int | None = None,
    ) -> bool:
        """Emit a Loop for the turns from `first` on, unless the body needs to know their number.

        With `most`, a body of more nodes is none either: it would not be smaller than the turns.
        """
        if not staged.uniform:
            return False
        done = self.attempt(lambda: self._staged_for(node, staged, first, going, most))
        if done is NotImplemented:
            return False
        self.rolled = True
        turns = f"{staged.length} turns, "
        if first:
            turns += f"the last {staged.length - first} rolled: "
        self.report.loop(self.user_frame(), "rolled", turns + why)
        return True

    def attempt(self, thunk: Callable[[], Any]) -> Any:
        """Do what emits nodes within bodies only; NotImplemented, and no trace, if refused."""
        mark, noted, nodes = self.store.mark(), self.report.entries(), self.graph.nodes
        frozen = dict(self._frozen), set(self.frozen_idents)
        self.tentative += 1
        try:
            return thunk()
        except StagingError:
            self.store.undo(mark)
            self.report.restore(noted)
            self._frozen, self.frozen_idents = frozen
            self.graph.nodes = nodes
            return NotImplemented
        finally:
            self.tentative -= 1

    def _staged_for(
        self,
        node: Any,
        staged: Staged,
        first: int = 0,
        going: Any = True,
        most: int | None = None,
    ) -> None:
        def turn(iteration: Value) -> Any:
            index: Any = Scalar(int, iteration, bound=COUNTER_BOUND)
            if first:
                index = self.binary(operator.add, index, first)
                index.bound = COUNTER_BOUND
            again = self._turn(node, staged.item(index))
            if staged.grows:
                one = self.graph.Add(iteration, self.graph.constant(np.array(1, np.int64)))
                more = self.graph.Less(one, self.scalar_value(staged.current_length(), INT64))
                again = self.both(again, self.scalar(bool, more))
            return again

        if staged.grows:
            length = self.scalar_value(staged.length, INT64)
            start = self.scalar(bool, self.graph.Greater(length, self.graph.constant(0)))
            self.staged_loop(node, None, start, turn, most)
            return
        turns = self.binary(operator.sub, staged.length, first) if first else staged.length
        self.staged_loop(node, self.scalar_value(turns, INT64), going, turn, most)

    def both(self, a: Any, b: Any) -> Any:
        """Return the conjunction of two truths, without branches."""
        if a is True:
            return b
        if b is True:
            return a
        if a is False or b is False:
            return False
        return self.scalar(bool, self.graph.And(a.onnx_value, b.onnx_value))

    # -- while --------------------------------------------------------------------------------

    def visit_While(self, node: Any) -> None:
        """Run a `while` (canonical: no break; a flag is part of the test)."""
        turns = 0
        while True:
            test = self.truth(self.visit(node.test))
            if isinstance(test, Scalar):
                break
            if not test:
                if turns:
                    self.report.loop(self.user_frame(), "unrolled", f"{turns} turns known now")
                return
            turns += 1
            if turns > MAX_STATIC_TURNS:
                self.refuse(f"this loop runs more than {MAX_STATIC_TURNS} turns")
            self.turn_numbers.append(turns)
            try:
                self.block(node.body)
            finally:
                self.turn_numbers.pop()
        self.report.loop(self.user_frame(), "rolled", "its test is known at run time")

        def turn(iteration: Value) -> Any:
            self.block(node.body)
            return self.truth(self.visit(node.test))

        self.staged_loop(node, None, test, turn)

    # -- the fixed point ----------------------------------------------------------------------

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
        frame = self.frames[-1]
        dead = frame.program.locals - frame.program.liveness.carried(node)
        site = self.region_site()
        self.arenas.enter()
        carried = self._remembered(site)
        failure: Raised | None = None
        for _ in range(MAX_TRIALS):
            mark, noted = self.store.mark(), self.report.entries()
            body = self.graph.body("loop", loop=True)
            with self.facts.scope() as known, self.in_region(mark), body:
                self._install(body, carried)
                for name in sorted(dead):
                    self.store.set(frame, name, UNSET)
                try:
                    again = turn(body.iteration)
                except Raised as raised:
                    failure = raised
                    break
                grown = self.grow(carried, mark, frame, dead, known)
                if most is not None and sum(1 for _ in body.graph.all_nodes()) > most:
                    self.refuse("this loop has more nodes when it is rolled")
                if _settled(carried, grown):
                    carried = grown
                    ends = self._embed_all(carried)
                    condition = self.scalar_value(again, np.dtype(bool))
                    break
            self.store.undo(mark)
            self.report.restore(noted)
            body.discard()
            carried = grown
        else:
            self.refuse("the state of this loop does not settle into one type")
        self.store.undo(mark)
        if failure is not None:
            body.discard()
            self._require_no_turn(failure, trip, start)
            return
        self.loop_memo[site] = carried
        with self.located():
            initial = self._embed_all(carried)
            first = None if start is True else self.scalar_value(start, np.dtype(bool))
            results = self.graph.Loop(
                trip, first, body, initial=initial, cond_out=condition, carried=ends, scans=[]
            )
        supply = iter(results)
        built: dict[int, Any] = {}
        for key, type_ in carried.items():
            self.store.set_key(key, type_.build(self, supply, built))
        for name in sorted(dead):
            if self.store.get(frame, name) is not MISSING:
                self.store.set(frame, name, UNSET)

    def _remembered(self, site: Any) -> dict[Key, Type]:
        """Return what an earlier walk of the loop carried, joined with what is there now."""
        reader, joiner = TypeReader(self, self.store.mark()), Joiner(self, widen=True)
        known = {
            key: type_
            for key, type_ in self.loop_memo.get(site, {}).items()
            if self.store.get_key(key) is not MISSING and not refers_to_undone(self, type_)
        }
        held = [reader.version(key[1], self.held(self.store.owner(key), key[1])) for key in known]
        joined = joiner.join_all(zip(known.values(), held, strict=True))
        return dict(zip(known, map(_bounded, joined), strict=True))

    def _require_no_turn(self, failure: Raised, trip: Value | None, start: Any) -> None:
        """Replace a loop whose first turn raises by a check that it has no turn."""
        self.refuse_caught(failure.error)
        g = self.graph
        runs = start
        if trip is not None:
            runs = self.both(start, self.scalar(bool, g.Greater(trip, g.constant(0))))
        if not isinstance(runs, Scalar):
            raise failure
        self.check(self.not_(runs), type(failure.error), str(failure.error))

    def _install(self, body: Body, carried: dict[Key, Type]) -> None:
        listed: dict[int, Any] = {}
        leaves = [leaf for type_ in carried.values() for leaf in type_.leaves(listed)]
        supply = iter([_head(body, leaf) for leaf in leaves])
        built: dict[int, Any] = {}
        for key, type_ in carried.items():
            self.store.set_key(key, type_.build(self, supply, built))

    def _embed_all(self, carried: dict[Key, Type]) -> list[Value]:
        memo: dict[int, Any] = {}
        leaves = [
            leaf
            for key, type_ in carried.items()
            for leaf in type_.encode(self, self.held(self.store.owner(key), key[1]), memo)
        ]
        return filled(self, leaves)

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
        before = self.store.versions_at(mark)
        keys = [
            key
            for key in dict.fromkeys((*carried, *self.store.changes_since(mark)))
            if not key[1].startswith("~")
            and not self.store.is_fresh(self.store.owner(key), mark)
            and not (self.store.owner(key) is frame and key[1] in dead)
        ]
        reader, entries = TypeReader(self, mark, remember=True), TypeReader(self, mark)
        self._freeze(keys)
        met: dict[Key, tuple[Type, Type]] = {}
        for key in keys:
            owner, slot = self.store.owner(key), key[1]
            now = self.held(owner, slot)
            if key in carried:
                met[key] = carried[key], reader.version(slot, now)
                continue
            entry = before.get(key, MISSING)
            entry = self.initial(owner, slot) if entry is MISSING else entry
            if entry is now:
                continue
            with self.facts.only(known):
                first = entries.version(slot, entry)
            end = reader.version(slot, now)
            if first == end and not end.leaves({}) and _stays(entry, now, slot):
                continue
            met[key] = first, end
        joined = map(_bounded, Joiner(self, widen=True).join_all(met.values()))
        places = self.store.places_at(mark)
        return {
            key: explained(type_, met[key], (places.get(key), self.store.place_of(key)), LOOP)
            for key, type_ in zip(met, joined, strict=True)
        }

    def _freeze(self, keys: list[Key]) -> None:
        """Arrays that a turn stores in a list of dynamic length are copies there from now on."""
        for key in keys:
            version = self.store.get_key(key)
            if isinstance(version, Seq):
                for array in version.stored:
                    if self.lasting(array) is None:
                        self.freeze(array)


class StopConsuming(Exception):
    """The consumer of a generator wants no more items.

    Attributes:
        generator: The generator, once the stop has left its consumer.
    """

    def __init__(self, generator: Any = None) -> None:
        super().__init__()
        self.generator = generator


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


def _is_break(body: list[Any]) -> bool:
    return len(body) == 1 and isinstance(body[0], gast.Break)


INT64 = np.dtype(np.int64)
