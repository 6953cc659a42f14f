"""Branches: an `if` on a symbolic test becomes an If node, with Python's state joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import gast
import numpy as np

from elichika.program.raised import Raised
from elichika.state.join_errors import BRANCH, explained
from elichika.state.joins import Joiner, Memo, Type, TypeReader, filled
from elichika.state.store import Key, Mark
from elichika.values.symbolic import (
    Scalar,
)
from elichika.walker.carried import build_all, encode_all
from elichika.walker.checks import Checks
from elichika.walker.core import PLAIN
from elichika.walker.kinds import kind_of
from elichika.walker.walk import Walk
from onnx_graph import Body, Value
from onnx_graph.control import holds_check

#: onnxruntime and protobuf stop at 32 nested control-flow levels.
MAX_NESTING = 30


@dataclass
class Arm:
    """One side of a branch after its walk."""

    body: Body
    truth: bool
    value: Any
    changes: dict[Key, Any]
    places: dict[Key, Any]
    failure: Raised | None
    start: Mark


class Branches:
    """The part of the walker that stages tests and branches."""

    def __init__(self, w: Walk, checks: Checks) -> None:
        self.w = w
        self.checks = checks

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
            first.body.discard()
            self._require_not(first.failure, self.w.graph.Not(condition), condition, False)
            return other()
        second = self._walk_arm(condition, False, other)
        if second.failure is not None:
            first.body.discard()
            second.body.discard()
            self._require_not(second.failure, condition, condition, True)
            return then()
        with self.w.located():
            return self._join(condition, first, second, start)

    def _require_not(self, failure: Raised, holds: Value, condition: Value, truth: bool) -> None:
        """Replace a side that only raises by a run-time check."""
        error = failure.error
        self.checks.refuse_caught(error)
        self.w.check(holds, type(error), str(error))
        self.w.facts.learn(condition, truth)

    def _refuse_depth(self) -> NoReturn:
        """Refuse conditions that nest too deeply, and name the recursion that makes them."""
        calls = Counter(frame.program.name for frame in self.w.frames)
        cycle = [name for name, times in calls.items() if times > MAX_NESTING // 3]
        if cycle:
            self.refuse_cycle(cycle)
        self.w.refuse(
            f"conditions known only when the model runs are nested deeper than {MAX_NESTING}",
            "put what comes after a condition into a function, or compute with flags",
        )

    def refuse_cycle(self, names: Sequence[str]) -> NoReturn:
        """Refuse functions that call themselves or each other."""
        self.w.refuse(
            f"{' and '.join(f'`{name}`' for name in names)} "
            f"{'calls itself' if len(names) == 1 else 'call each other'} under a condition known "
            "only when the model runs",
            "a recursion must end on values known before the model runs, or call itself as the "
            "last thing that it does; use a loop",
        )

    def _walk_arm(self, condition: Value, truth: bool, thunk: Callable[[], Any]) -> Arm:

        mark = self.w.store.mark()
        body = self.w.graph.body("then" if truth else "else")
        self.w.depth += 1
        if self.w.depth > MAX_NESTING:
            self._refuse_depth()
        failure: Raised | None = None
        value: Any = None
        with body, self.w.in_region(mark), self.w.facts.assume(condition, truth):
            try:
                value = thunk()
            except Raised as raised:
                failure = raised
            finally:
                self.w.depth -= 1
        changes = self.w.store.changes_since(mark)
        places = {key: self.w.store.place_of(key) for key in changes}
        self.w.store.undo(mark)
        return Arm(body, truth, value, changes, places, failure, mark)

    def _join(self, condition: Value, then: Arm, other: Arm, start: Mark) -> Any:
        """Join the state and the values of two arms; emits the If node."""
        keys = [
            key
            for key in dict.fromkeys((*then.changes, *other.changes))
            if not key[1].startswith("~")
            and not self.w.store.is_fresh(self.w.store.owner(key), start)
        ]
        read: list[list[Type]] = []
        for arm in (then, other):
            with self._at_end(condition, arm):
                reader = TypeReader(self.w, start, remember=True)
                held = [self.w.held(self.w.store.owner(key), key[1]) for key in keys]
                types = [reader.version(key[1], one) for key, one in zip(keys, held, strict=True)]
                read.append([*types, reader.of(arm.value)])
        met = list(zip(*read, strict=True))
        *joined, value_type = Joiner(self.w, widen=False).join_all(met)
        carried: dict[Key, Type] = {}
        for key, type_, both in zip(keys, joined, met, strict=False):
            places = [arm.places.get(key, self.w.store.place_of(key)) for arm in (then, other)]
            carried[key] = explained(type_, both, places, BRANCH)
        leaves: list[list[Value]] = []
        sides: list[Any] = []
        for arm in (then, other):
            with self._at_end(condition, arm), self.w.tape.meeting() as seen:
                sides.append(seen)
                memo: Memo = {}
                values = encode_all(self.w, carried, memo)
                values += value_type.encode(self.w, arm.value, memo)
                leaves.append(filled(self.w, values))
        outs = iter(self._emit_if(condition, then.body, leaves[0], other.body, leaves[1]))
        memo = {}
        with self.w.tape.meeting() as made:
            build_all(self.w, carried, outs, memo)
            value = value_type.build(self.w, outs, memo)
        self.w.tape.record_branch(condition, (then, other), sides, made)
        return value

    @contextmanager
    def _at_end(self, condition: Value, arm: Arm) -> Iterator[None]:
        """Read the state at the end of an arm, and emit nodes there."""
        replayed = self.w.store.replayed(arm.changes)
        with arm.body, replayed, self.w.facts.assume(condition, arm.truth):
            yield

    def _emit_if(
        self,
        condition: Value,
        then: Body,
        yes: list[Value],
        other: Body,
        no: list[Value],
    ) -> list[Value]:
        """Emit the If with an output for each pair that differs; return a value for each pair."""
        results: list[Value | None] = []
        needed: list[int] = []
        for index, (a, b) in enumerate(zip(yes, no, strict=True)):
            if a is b:
                results.append(a)
                continue
            truth = self._constant_truth(a), self._constant_truth(b)
            if truth == (True, False):
                results.append(condition)
            elif truth == (False, True):
                results.append(self.w.graph.Not(condition))
            else:
                results.append(None)
                needed.append(index)
        if needed:
            outs = self.w.graph.If(
                condition, then, [yes[i] for i in needed], other, [no[i] for i in needed]
            )
            for index, out in zip(needed, outs, strict=True):
                results[index] = out
        elif self._has_checks(then) or self._has_checks(other):
            zero = self.w.graph.constant(np.array(0, np.int64))
            self.w.graph.If(condition, then, [zero], other, [zero])
        else:
            then.discard()
            other.discard()
        return [r for r in results if r is not None]

    def _has_checks(self, body: Body) -> bool:
        return holds_check(body.graph)

    def _constant_truth(self, value: Value) -> bool | None:
        tensor = value.const_value
        if tensor is None or str(value.dtype) not in ("BOOL", "DataType.BOOL"):
            return None
        array = tensor.numpy()
        return bool(array) if array.shape == () else None

    def both(self, a: Any, b: Any) -> Any:
        """Return the conjunction of two truths, without branches."""
        if a is True:
            return b
        if b is True:
            return a
        if a is False or b is False:
            return False
        return self.w.scalar(bool, self.w.graph.And(a.onnx_value, b.onnx_value))
