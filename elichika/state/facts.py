"""What the walker knows to be true inside a branch.

Facts, not syntax, narrow: inside `if c:` the value of `c` is true, and so is what follows from it
through `not`, `and` and `or`. They hold of what is computed alike as well: where `l[k]` is read
again, it is what it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from onnx_graph import Value
from onnx_graph.value_numbers import ValueNumbers

_ARMS = ("then_branch", "else_branch")
Indices = frozenset[int]
Known = tuple[dict[int, bool], dict[int, int], dict[int, Indices], dict[int, Indices]]


class Facts:
    """A scoped set of bool graph values whose truth is known."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}
        self._numbers = ValueNumbers()
        self._index: dict[int, int] = {}
        self._excluded: dict[int, Indices] = {}
        self._among: dict[int, Indices] = {}

    def of(self, value: Value) -> bool | None:
        """Return the known truth of a 0-d bool value, or None."""
        return self._known.get(self._numbers.of(value))

    def index_of(self, tag: Value, count: int) -> int | None:
        """Return the known value of an index tag below `count`, or None."""
        number = self._numbers.of(tag)
        if number in self._index:
            return self._index[number]
        rest = [index for index in range(count) if not self._excludes(number, index)]
        return rest[0] if len(rest) == 1 else None

    def excludes(self, tag: Value, index: int) -> bool:
        """Tell whether an index tag is known not to have a value."""
        return self._excludes(self._numbers.of(tag), index)

    def _excludes(self, number: int, index: int) -> bool:
        among = self._among.get(number)
        return index in self._excluded.get(number, ()) or (among is not None and index not in among)

    @contextmanager
    def assume(self, value: Value, truth: bool) -> Iterator[None]:
        """Hold that `value` is `truth`, and what follows from it, within the block."""
        with self.scope():
            self._learn(value, truth)
            yield

    @contextmanager
    def scope(self) -> Iterator[Known]:
        """Forget at the end what is learned within the block; gives what is known before it."""
        before = self._all()
        try:
            yield before
        finally:
            self._known, self._index, self._excluded, self._among = before

    @contextmanager
    def only(self, known: Known) -> Iterator[None]:
        """Within the block, know what a `scope` began with and no more."""
        with self.scope():
            truths, indices, excluded, among = known
            self._known, self._index = dict(truths), dict(indices)
            self._excluded, self._among = dict(excluded), dict(among)
            yield

    def _all(self) -> Known:
        return dict(self._known), dict(self._index), dict(self._excluded), dict(self._among)

    def learn(self, value: Value, truth: bool) -> None:
        """Hold from here on that `value` is `truth` (after a run-time check)."""
        self._learn(value, truth)

    def _learn(self, value: Value | None, truth: bool) -> None:
        if value is None or self._numbers.of(value) in self._known:
            return
        self._known[self._numbers.of(value)] = truth
        node = value.producer()
        if node is None:
            return
        if node.op_type == "Not":
            self._learn(node.inputs[0], not truth)
        elif (node.op_type == "And" and truth) or (node.op_type == "Or" and not truth):
            for operand in node.inputs:
                self._learn(operand, truth)
        elif node.op_type == "If":
            self._learn_arm(node, value, truth)
        elif node.op_type == "Or":
            self._learn_one_of(value)
        elif node.op_type == "Equal":
            for of, number in self._indices(value):
                if of is None:
                    continue
                if truth:
                    self._index[of] = number
                else:
                    self._excluded[of] = self._excluded.get(of, frozenset()) | {number}

    def _learn_one_of(self, value: Value) -> None:
        """Learn that an index tag is one of some, where that is what is asked."""
        found = list(self._indices(value))
        of = {number for number, _ in found}
        if len(of) == 1 and None not in of:
            indices = frozenset(index for _, index in found)
            (tag,) = of
            self._among[tag] = self._among.get(tag, indices) & indices

    def _indices(self, value: Any) -> Iterator[Any]:
        """Yield which tags are compared with which indices by an `Or`, None for anything else."""
        node = value.producer()
        match node and (node.op_type, *node.inputs):
            case ("Or", one, other):
                yield from self._indices(one)
                yield from self._indices(other)
            case ("Equal", tag, Value(const_value=constant)) if constant is not None:
                number = constant.numpy()
                if number.shape == () and number.dtype.kind == "i":
                    yield self._numbers.of(tag), int(number)
                else:
                    yield None, 0
            case _:
                yield None, 0

    def _learn_arm(self, node: Any, value: Value, truth: bool) -> None:
        """Learn which arm was taken, where the other one gives something else."""
        given = [_through(node.attributes[arm].as_graph().outputs[value.index()]) for arm in _ARMS]
        for taken, there, other in ((True, *given), (False, *reversed(given))):
            if other.const_value is not None and bool(other.const_value.numpy()) is not truth:
                self._learn(node.inputs[0], taken)
                self._learn(there, truth)


def _through(value: Any) -> Any:
    """Return what a result of an arm is, from outside perhaps."""
    node = value.producer()
    while node is not None and node.op_type == "Identity":
        value = node.inputs[0]
        node = value.producer()
    return value
