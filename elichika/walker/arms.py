"""The two arms of a branch: entering one, what it changed, and the If that joins them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np

from elichika.errors import SourceFrame
from elichika.program.places import Program
from elichika.program.raised import Raised
from elichika.state.join_errors import BRANCH, explained
from elichika.state.joins import Joiner, Memo, Type, TypeReader, filled
from elichika.state.store import Key, Mark
from elichika.walker.carried import build_all, encode_all
from elichika.walker.plan import Recursed
from elichika.walker.walk import Walk
from onnx_graph import Body, Value
from onnx_graph.control import holds_check

#: onnxruntime and protobuf stop at 32 nested control-flow levels.
MAX_NESTING = 30
#: A function that is called as often, each time under more conditions, calls itself.
LEAST_CYCLE = 4


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


class Arms:
    """The part of the walker that knows arms."""

    def __init__(self, w: Walk) -> None:
        self.w = w

    def enter(
        self, stack: ExitStack, body: Body, mark: Mark, condition: Value, truth: bool
    ) -> None:
        """Enter an arm; `stack` leaves it."""
        if self.w.depth >= MAX_NESTING:
            self._refuse_depth()
        self.w.depth += 1
        stack.callback(self._ascend)
        for context in (body, self.w.in_region(mark), self.w.facts.assume(condition, truth)):
            stack.enter_context(context)

    def _ascend(self) -> None:
        self.w.depth -= 1

    def left(
        self, body: Body, truth: bool, value: Any, mark: Mark, failure: Raised | None = None
    ) -> Arm:
        """Return an arm as it is at its end."""
        changes = self.w.store.changes_since(mark)
        places = {key: self.w.store.place_of(key) for key in changes}
        return Arm(body, truth, value, changes, places, failure, mark)

    def join(self, condition: Value, then: Arm, other: Arm, start: Mark) -> Any:
        """Join the state and the values of two arms."""
        with self.w.located():
            return self._join(condition, then, other, start)

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
                end = partial(self._at_end, condition, arm)
                reader = TypeReader(self.w, start, remember=True, end=end)
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
            with self._at_end(condition, arm), self.w.tape.control.meeting() as seen:
                sides.append(seen)
                memo: Memo = {}
                values = encode_all(self.w, carried, memo)
                values += value_type.encode(self.w, arm.value, memo)
                leaves.append(filled(self.w, values))
        outs = iter(self._emit_if(condition, then.body, leaves[0], other.body, leaves[1]))
        memo = {}
        with self.w.tape.control.meeting() as made:
            build_all(self.w, carried, outs, memo)
            value = value_type.build(self.w, outs, memo)
        self.w.tape.control.record_branch(condition, (then, other), sides, made)
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

    def _refuse_depth(self) -> NoReturn:
        """Refuse conditions that nest too deeply, and name the recursion that makes them."""
        self.refuse_cycles()
        self.w.refuse(
            f"conditions known only when the model runs are nested deeper than {MAX_NESTING}",
            "put what comes after a condition into a function, or compute with flags",
        )

    def refuse_cycles(self) -> None:
        """Refuse the functions that call themselves or each other in conditions here, if any."""
        depths: dict[Any, set[int]] = {}
        for frame in self.w.frames:
            depths.setdefault(_named(frame.program), set()).add(frame.regions)
        programs = {_named(frame.program): frame.program for frame in self.w.frames}
        cycle = [programs[name] for name, found in depths.items() if len(found) >= LEAST_CYCLE]
        if cycle:
            self.refuse_cycle(cycle)

    def refuse_cycle(
        self, programs: Sequence[Program], why: str = "", place: SourceFrame | None = None
    ) -> NoReturn:
        """Refuse functions that call themselves or each other; another walk may use frames.

        Args:
            programs: What they run.
            why: Why frames do not do it, where that is known.
            place: Where.

        Raises:
            Recursed: Always.
        """
        names = dict.fromkeys(program.name for program in programs)
        named = [_named(program) for program in programs]
        found = (index for index, f in enumerate(self.w.frames) if _named(f.program) in named)
        first = next(found, len(self.w.frames))
        refusal = Recursed(
            f"{' and '.join(f'`{name}`' for name in names)} "
            f"{'calls itself' if len(names) == 1 else 'call each other'} under a condition known "
            f"only when the model runs{f', and {why}' if why else ''}",
            self.w.here()[: first + 1] if place is None else (*self.w.here(), place),
            "a recursion must end on values known before the model runs, or call itself as the "
            "last thing that it does; use a loop",
        )
        if not why and first < len(self.w.frames):
            refusal.site = self.call_site(first, self.w.frames[first].program)
        raise refusal

    def call_site(self, depth: int, program: Program) -> Any:
        """Return what names a call at some depth of calls in every walk."""
        around = zip(self.w.frames[:depth], self.w.node_stack[:depth], strict=True)
        places = [(f.program.file, f.program.name, *_place(node)) for f, node in around]
        return (*places, *_named(program))


def _named(program: Program) -> tuple[Any, ...]:
    """Return what names a function in every walk."""
    return program.file, program.name, *_place(program.tree)


def _place(node: Any) -> tuple[Any, Any]:
    return getattr(node, "lineno", None), getattr(node, "col_offset", None)
