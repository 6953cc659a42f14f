"""Choices: a verb is asked of each alternative, and what they give is joined."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.iterators.base import Staged
from elichika.state.joins.joining import MAX_ALTERNATIVES
from elichika.values.symbolic import Choice
from elichika.walker.kinds.kind import Arguments, Kind
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext

__all__ = ["Choices"]

_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


class Choices(Kind):
    """One of several values, told apart when the model runs."""

    rank = 5

    def parts(self, w: KindContext, value: Choice) -> Iterable[Any]:
        """Return the alternatives."""
        return value.alternatives

    def unary(self, w: KindContext, op: Any, operand: Choice) -> Any:
        """Return `-x`, `+x` or `~x`."""
        return w.choices.apply(operand, lambda one: w.unary(op, one))

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`; where both are choices, of each pair."""
        compared = _compared(w, op, left, right)
        if compared is not None:
            return compared
        if isinstance(left, Choice):
            return w.choices.apply(left, lambda one: w.binary(op, one, right))
        return w.choices.apply(right, lambda one: w.binary(op, left, one))

    def augmented(self, w: KindContext, name: str, op: Any, current: Choice, operand: Any) -> Any:
        """Run `current op= operand`."""
        return w.choices.apply(current, lambda one: w.augmented(name, op, one, operand))

    def call(self, w: KindContext, function: Choice, args: list[Any], kwargs: Arguments) -> Any:
        """Return `function(*args, **kwargs)`."""
        return w.choices.apply(function, lambda one: w.call(one, args, kwargs))

    def attribute(self, w: KindContext, obj: Choice, name: str, default: Any) -> Any:
        """Return `obj.name`."""
        return w.choices.apply(obj, lambda one: w.get_attribute(one, name, default))

    def set_attribute(
        self, w: KindContext, obj: Choice, name: str, value: Any, *, plain: bool
    ) -> None:
        """Run `obj.name = value`."""
        w.choices.apply(obj, lambda one: w.set_attribute(one, name, value, plain=plain))

    def truth(self, w: KindContext, value: Choice) -> Any:
        """Return `bool(value)`."""
        return w.choices.apply(value, w.truth)

    def iterate(self, w: KindContext, value: Choice) -> Staged:
        """Return what a loop over one of several things runs over: each turn chooses again."""
        if any(map(w.is_asked, value.alternatives)):
            w.refuse(
                "this loop runs over one of several iterators",
                "loop inside the branch that decides",
            )

        staged = w.tables.loops.iterated_one(value, "keys")
        if staged is not None:
            return staged

        def iterated(one: Any) -> Staged:
            mark = w.store.mark()
            staged = w.iterate(one)
            if w.has_acted(mark):  # it would again, at each turn
                w.refuse(
                    "this loop runs over one of several things, and going through one of them "
                    "changes something",
                    "loop inside the branch that decides",
                )
            return staged

        def length() -> Any:
            return w.choices.apply(value, lambda v: iterated(v).current_length())

        def item(index: Any) -> Any:
            return w.choices.apply(value, lambda v: iterated(v).item(index))

        changing = [one for one in value.alternatives if isinstance(one, (list, dict, set))]
        keyed = [one for one in changing if not issubclass(type(one), list)]
        unchanged = w.tables.loops.watched(keyed)

        def current() -> Any:
            unchanged()
            return length()

        return Staged(length(), item, False, current if changing else None)

    def get_item(self, w: KindContext, obj: Choice, index: Any) -> Any:
        """Return `obj[index]`."""
        return w.choices.apply(obj, lambda v: w.get_item(v, index))

    def set_item(self, w: KindContext, obj: Choice, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        w.choices.apply(obj, lambda v: w.set_item(v, index, value))

    def delete_item(self, w: KindContext, obj: Choice, index: Any) -> None:
        """Run `del obj[index]`."""
        w.choices.apply(obj, lambda v: w.delete_item(v, index))

    def contains(self, w: KindContext, container: Choice, value: Any) -> Any:
        """Return `value in container`."""
        return w.choices.apply(container, lambda v: w.contains(v, value))


def _compared(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    """Return how one of many texts compares with a known one, without a branch for each."""
    choice, other = (left, right) if type(left) is Choice else (right, left)
    count = len(choice.alternatives)
    if op not in _COMPARISONS or count <= MAX_ALTERNATIVES:
        return None
    if {*map(type, choice.alternatives), type(other)} != {str}:
        return None
    pairs = [(one, other) if choice is left else (other, one) for one in choice.alternatives]
    truths = w.graph.constant(np.array([op(*pair) for pair in pairs]))
    return w.scalar(bool, surely(w.graph.Gather(truths, choice.tag, axis=0)))
