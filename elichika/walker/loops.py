"""Loops: unrolled where what they run over is known, else a Loop node found by a fixed point."""

from __future__ import annotations

import math
import operator
from typing import Any

import gast
import numpy as np

from elichika.iterators.base import Cursor, Staged
from elichika.values.symbolic import Choice, Scalar
from elichika.values.words import several
from elichika.walker.attempts import Attempts
from elichika.walker.containers.iterables import Iterables
from elichika.walker.containers.iterators import Iterators
from elichika.walker.fixed_point import later
from elichika.walker.peeling import Peeling
from elichika.walker.resuming import Resuming
from elichika.walker.scopes import Scopes
from elichika.walker.trials import StagedLoop
from elichika.walker.visits import Visits
from elichika.walker.walk import Walk

#: A static loop that a turn may leave is rolled where at least so many turns are left.
LEAST_ROLLED = 8
#: Why a static loop is rolled.
TURNS, NODES, LEAVES = "over the limit", "over the limit of nodes", "an iteration may leave it"
#: A rolled body may have so many times the nodes of an unrolled turn; where more, it saves nothing.
SAVING = 4
#: The most turns of a static loop that are unrolled when it cannot be rolled.
MAX_STATIC_TURNS = 10_000


class Loops:
    """The part of the walker that stages loops."""

    def __init__(
        self,
        w: Walk,
        iterables: Iterables,
        iterators: Iterators,
        peeling: Peeling,
        visits: Visits,
        scopes: Scopes,
        attempts: Attempts,
        resuming: Resuming,
    ) -> None:
        self.w = w
        self.iterables = iterables
        self.iterators = iterators
        self.peeling = peeling
        self.visits = visits
        self.scopes = scopes
        self.attempts = attempts
        self.resuming = resuming
        self.unrolling: list[int] = []
        self.rolled = False

    # -- for ----------------------------------------------------------------------------------

    def visit_For(self, node: Any) -> None:
        """Run a `for` (canonical: one target name, at most a final `if done: break`)."""
        iterable = self.w.narrow(self.visits.visit(node.iter))
        if type(iterable) is Choice and any(map(self.iterables.generates, iterable.alternatives)):
            self.w.choices.apply(iterable, lambda one: self._through(node, one))
        else:
            self._through(node, iterable)

    def _through(self, node: Any, iterable: Any) -> None:
        """Run a `for` over one thing; of several, each does it where it is that one."""
        if not (getattr(node, "entered", False) and self.w.is_iterator(iterable)):
            iterable = self.iterables.opened(
                iterable, by_loop=True
            )  # else a generator expression called `iter`
        generator = self.w.as_generator(iterable)
        if generator is not None:
            self.w.consume(generator, lambda item: self._generator_turn(node, item))
            return
        if not self.w.is_asked(iterable):
            items = self.w.tables.floats.iterated(node, iterable)
            with items.alone():
                self._over(node, items)
            return
        iterable = self.iterators.ready(iterable)
        if not isinstance(iterable, (Cursor, Choice)):
            self._run_iterator(node, iterable)
            self.resuming.leave(iterable)
            return
        staged = self.iterators.all_by_number(iterable, self.iterators.site())
        if staged is not None:
            self._over(node, self.w.tables.floats.enumerated(node, iterable, staged))
        else:
            self._step(node, iterable)

    def _over(self, node: Any, staged: Staged) -> None:
        """Run a `for` over items that are asked for by number."""
        if isinstance(staged.length, int):
            if self._over_budget(staged.length) and self._roll_if_possible(node, staged, TURNS):
                return
            self._unroll(node, staged)
        else:
            self.w.report.loop(self.w.user_frame(), "kept", "its length is known at run time")
            self._staged_for(node, staged)

    def _generator_turn(self, node: Any, item: Any) -> Any:
        """Walk one turn; return whether there is no next one."""
        return self.w.not_(self._turn(node, item))

    def _run_iterator(self, node: Any, iterator: Any) -> None:
        """Run a `for` over an object with `__next__`."""

        def asked() -> Any:
            ended, item = self.iterables.advanced(iterator)
            going = self.w.branch(
                self.w.truth(ended), lambda: False, lambda: self._turn(node, item)
            )
            return self.w.truth(going)

        for _ in range(MAX_STATIC_TURNS):
            going = asked()
            if going is False:
                return
            if going is not True:
                self.w.report.loop(self.w.user_frame(), "kept", "its length is known at run time")
                self.peeling.staged_loop(StagedLoop(node, None, going, lambda before: asked()))
                return
        self.w.refuse(f"this loop runs more than {MAX_STATIC_TURNS} iterations")

    def _step(self, node: Any, iterator: Any) -> None:
        """Run a `for` that asks an iterator for each item when it needs it."""

        def asked() -> Any:
            return self.w.truth(
                self.iterators.ask(iterator, lambda item: self._turn(node, item), lambda: False)
            )

        going: Any = True
        for index in range(MAX_STATIC_TURNS):
            if not self._is_known_if(going, iterator):
                break
            self.w.turn_numbers.append(index)
            try:
                going = self.w.truth(self.w.branch(going, asked, lambda: False))
            finally:
                self.w.turn_numbers.pop()
            if going is False:
                self.w.report.loop(self.w.user_frame(), "unrolled", several(index, "iteration"))
                return
        self.w.report.loop(self.w.user_frame(), "kept", "its length is known at run time")
        self.peeling.staged_loop(StagedLoop(node, None, going, lambda before: asked()))

    def _is_known_if(self, going: Any, iterator: Any) -> bool:
        """Tell whether the compiler knows if there is an item, given that the loop goes on."""
        if not isinstance(going, Scalar):
            return self.iterators.most(iterator) is not None
        if self.iterators.asks_objects(iterator):
            return False
        with self.w.facts.assume(going.onnx_value, True):
            return self.iterators.most(iterator) is not None

    def _turn(self, node: Any, item: Any) -> Any:
        """Walk one turn; return whether the loop goes on."""
        self.scopes.bind(node.target.id, item)
        body = node.body
        leaves = isinstance(body[-1], gast.If) and _is_break(body[-1].body)
        self.visits.block(body[:-1] if leaves else body)
        return self.w.not_(self.visits.visit(body[-1].test)) if leaves else True

    def _over_budget(self, turns: int) -> bool:
        """Tell whether a loop has too many turns to unroll; those of loops around it multiply."""
        return turns > 1 and turns * math.prod(self.unrolling) > self.w.limits.max_unroll

    def _unroll(self, node: Any, staged: Staged) -> None:
        self.w.report.loop(self.w.user_frame(), "unrolled", several(staged.length, "iteration"))
        self.unrolling.append(max(staged.length, 1))
        try:
            self._unrolled_turns(node, staged)
        finally:
            self.unrolling.pop()

    def _unrolled_turns(self, node: Any, staged: Staged) -> None:
        going: Any = True
        index, tried, before = 0, set[str](), self.w.graph.nodes
        arms = self.iterables.open_arms
        while True:
            length = staged.current_length()
            if not isinstance(length, int):
                self.w.report.loop(self.w.user_frame(), "kept", "its length is known at run time")
                self._staged_for(node, staged, index, going)
                break
            if index >= length:
                break
            if index > MAX_STATIC_TURNS:
                self.w.refuse(f"this loop runs more than {MAX_STATIC_TURNS} iterations")
            going = self._unrolled_turn(node, staged, index, going)
            if going is False:
                break
            index += 1
            raises = self.iterables.open_arms > arms
            leaves = raises or going is not True
            why = self._why_roll(leaves, index, length, self.w.graph.nodes - before)
            if why is not None and why not in tried:
                tried.add(why)
                most = None
                if why == NODES:
                    most = min(SAVING, length - index) * (self.w.graph.nodes - before) // index
                if self._roll_if_possible(node, staged, why, index, going, most):
                    break

    def _why_roll(self, leaves: bool, index: int, length: int, nodes: int) -> str | None:
        """Say why the rest of a loop should rather be rolled, after some turns with some nodes."""
        if leaves:
            return LEAVES if length - index >= LEAST_ROLLED else None
        over = nodes * length > self.w.limits.max_unroll_nodes * index
        return NODES if over and index < length else None

    def _unrolled_turn(self, node: Any, staged: Staged, index: int, going: Any) -> Any:
        self.w.turn_numbers.append(index)
        try:
            if going is True:
                return self._turn(node, staged.item(index))
            return self.w.truth(
                self.w.branch(going, lambda: self._turn(node, staged.item(index)), lambda: False)
            )
        finally:
            self.w.turn_numbers.pop()

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
        done = self.attempts.attempt(lambda: self._staged_for(node, staged, first, going, most))
        if done is NotImplemented:
            return False
        self.rolled = True
        turns = f"{staged.length} iterations, "
        if first:
            turns += f"the last {staged.length - first} in the Loop: "
        self.w.report.loop(self.w.user_frame(), "kept", turns + why)
        return True

    def _staged_for(
        self,
        node: Any,
        staged: Staged,
        first: int = 0,
        going: Any = True,
        most: int | None = None,
    ) -> None:
        def turn(before: Any) -> Any:
            index = later(self.w, before, first)
            again = self._turn(node, staged.item(index))
            if staged.fails:
                again = self.w.truth(self.w.branch(again, lambda: more(index), lambda: False))
            elif staged.grows:
                again = self.w.both(again, more(index))
            return again

        def more(index: Any) -> Any:
            return self._is_longer(staged, later(self.w, index, 1))

        if staged.grows:
            start = self.w.both(going, self._is_longer(staged, first))
            self.peeling.staged_loop(StagedLoop(node, None, start, turn, most))
            return
        turns = self.w.binary(operator.sub, staged.length, first) if first else staged.length
        trip = self.w.scalar_value(turns, INT64)
        self.peeling.staged_loop(StagedLoop(node, trip, going, turn, most))

    def _is_longer(self, staged: Staged, index: Any) -> Any:
        """Tell, at run time, whether a list that the body may change has an item of a number."""
        number = self.w.scalar_value(index, INT64)
        length = self.w.scalar_value(staged.current_length(), INT64)
        return self.w.scalar(bool, self.w.graph.Less(number, length))

    # -- while --------------------------------------------------------------------------------

    def visit_While(self, node: Any) -> None:
        """Run a `while` (canonical: no break; a flag is part of the test)."""
        turns, arms = 0, self.iterables.open_arms
        while True:
            test = self.visits.truth(node.test)
            if type(test) is Scalar or (test and self.iterables.open_arms > arms):
                break  # the model decides whether there is another turn
            if not test:
                if turns:
                    self.w.report.loop(self.w.user_frame(), "unrolled", several(turns, "iteration"))
                return
            turns += 1
            if turns > MAX_STATIC_TURNS:
                self.w.refuse(f"this loop runs more than {MAX_STATIC_TURNS} iterations")
            self.w.turn_numbers.append(turns)
            try:
                self.visits.block(node.body)
            finally:
                self.w.turn_numbers.pop()
        what = ("kept", "its test is known at run time")
        if hasattr(node, "recursion"):
            what = ("over frames", node.recursion)
        self.w.report.loop(self.w.user_frame(), *what)

        def turn(before: Any) -> Any:
            self.visits.block(node.body)
            return self.visits.truth(node.test)

        self.peeling.staged_loop(StagedLoop(node, None, test, turn))


def _is_break(body: list[Any]) -> bool:
    return len(body) == 1 and isinstance(body[0], gast.Break)


INT64 = np.dtype(np.int64)
