"""Branches: an `if` on a symbolic test becomes an If node, with Python's state joined."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import gast

from elichika.program.raised import Raised, said
from elichika.values.symbolic import (
    Scalar,
)
from elichika.walker.arms import Arm, Arms
from elichika.walker.core import PLAIN
from elichika.walker.jumps import Jumps
from elichika.walker.kinds import kind_of
from elichika.walker.walk import Walk
from onnx_graph import Value


class Branches:
    """The part of the walker that stages tests and branches."""

    def __init__(self, w: Walk, arms: Arms, jumps: Jumps) -> None:
        self.w = w
        self.arms = arms
        self.jumps = jumps

    def truth(self, value: Any) -> Any:
        """Return what `bool(value)` gives: a bool, or a bool `Scalar`."""
        if type(value) in PLAIN:
            return bool(value)
        value = self.w.narrow(value)
        return kind_of(value).truth(self.w, value)

    def known_truth(self, value: Scalar) -> Any:
        """Return a bool of the run, or the one that it is known to be in the present branch."""
        known = self.w.facts.of(value.onnx_value) if value.dim is None else None
        return value if known is None else known

    def note_branch(self, test: Any, truth: Any) -> None:
        """Put in the report what became of a branch of the user's program.

        Args:
            test: The expression; one on a flag that the canonicalizer made is none of the user's.
            truth: Its truth.
        """
        program = self.w.frames[-1].program
        name = test.operand if isinstance(test, gast.UnaryOp) else test
        if not program.library and getattr(name, "id", None) not in program.generated:
            decided = None if isinstance(truth, Scalar) else bool(truth)
            self.w.report.branch(self.w.user_frame(), decided)

    def not_(self, value: Any) -> Any:
        """Return `not value`."""
        truth = self.truth(value)
        if isinstance(truth, Scalar):
            producer = truth.onnx_value.producer()
            if producer is not None and producer.op_type == "Not":
                (operand,) = producer.inputs
                assert operand is not None
                return self.w.scalar(bool, operand)
            return self.w.scalar(bool, self.w.graph.Not(truth.onnx_value))
        return not truth

    def branch(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """Run one of two thunks, whichever `test` selects when the model runs.

        Args:
            test: A truth: a static bool, or a bool `Scalar`.
            then: Walks the side where the test holds and returns its value.
            other: Walks the other side.

        Returns:
            The joined value; all changes of state are joined in the store.
        """
        if not isinstance(test, Scalar):
            return then() if test else other()
        condition = test.onnx_value
        known = self.w.facts.of(condition)
        if known is not None:
            return then() if known else other()
        self.w.arenas.enter()
        start = self.w.store.mark()
        first = self._walk_arm(condition, True, then)
        if first.failure is not None:
            if self.jumps.jumps(first.failure.error):
                self.jumps.split(condition, False, first.failure.error, first)
                return other()
            first.body.discard()
            self._require_not(first.failure, self.w.graph.Not(condition), condition, False)
            return other()
        second = self._walk_arm(condition, False, other)
        if second.failure is not None:
            first.body.discard()
            if self.jumps.jumps(second.failure.error):
                self.jumps.split(condition, True, second.failure.error, second)
                return then()
            second.body.discard()
            self._require_not(second.failure, condition, condition, True)
            return then()
        joined = self.arms.join(condition, first, second, start)
        self.jumps.go_on()
        return joined

    def _require_not(self, failure: Raised, holds: Value, condition: Value, truth: bool) -> None:
        """Replace a side that only raises by a run-time check."""
        error = failure.error
        self.w.check(holds, type(error), said(error))
        self.w.facts.learn(condition, truth)

    def _walk_arm(self, condition: Value, truth: bool, thunk: Callable[[], Any]) -> Arm:
        mark = self.w.store.mark()
        body = self.w.graph.body("then" if truth else "else")
        failure: Raised | None = None
        value: Any = None
        with ExitStack() as stack:
            self.arms.enter(stack, body, mark, condition, truth)
            try:
                value = self.jumps.region(thunk)
            except Raised as raised:
                failure = raised
        arm = self.arms.left(body, truth, value, mark, failure)
        self.w.store.undo(mark)
        return arm

    def both(self, a: Any, b: Any) -> Any:
        """Return the conjunction of two truths, without branches."""
        if a is True:
            return b
        if b is True:
            return a
        if a is False or b is False:
            return False
        return self.w.scalar(bool, self.w.graph.And(a.onnx_value, b.onnx_value))
