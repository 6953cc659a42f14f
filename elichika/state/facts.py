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
Known = tuple[dict[int, bool], dict[int, int], dict[int, frozenset[int]]]


class Facts:
    """A scoped set of bool graph values whose truth is known."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}
        self._numbers = ValueNumbers()
        self._index: dict[int, int] = {}
        self._excluded: dict[int, frozenset[int]] = {}

    def of(self, value: Value) -> bool | None:
        """Return the known truth of a 0-d bool value, or None."""
        return self._known.get(self._numbers.of(value))

    def index_of(self, tag: Value, count: int) -> int | None:
        """Return the known value of an index tag below `count`, or None."""
        number = self._numbers.of(tag)
        if number in self._index:
            return self._index[number]
        rest = set(range(count)) - self._excluded.get(number, frozenset())
        return rest.pop() if len(rest) == 1 else None

    def excludes(self, tag: Value, index: int) -> bool:
        """Tell whether an index tag is known not to have a value."""
        return index in self._excluded.get(self._numbers.of(tag), ())

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
            self._known, self._index, self._excluded = before

    @contextmanager
    def only(self, known: Known) -> Iterator[None]:
        """Within the block, know what a `scope` began with and no more."""
        with self.scope():
            truths, indices, excluded = known
            self._known, self._index = dict(truths), dict(indices)
            self._excluded = dict(excluded)
            yield

    def _all(self) -> Known:
        return dict(self._known), dict(self._index), dict(self._excluded)

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
        elif node.op_type == "Equal":
            tag, constant = node.inputs
            if constant is not None and constant.const_value is not None and tag is not None:
                number = constant.const_value.numpy()
                if number.shape == () and number.dtype.kind == "i":
                    of = self._numbers.of(tag)
                    if truth:
                        self._index[of] = int(number)
                    else:
                        excluded = self._excluded.get(of, frozenset())
                        self._excluded[of] = excluded | {int(number)}

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
