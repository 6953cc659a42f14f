"""Choices: one of several values told apart by a tag, and operations that dispatch on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.joins import (
    ArrayType,
    ChoiceType,
    Joiner,
    Static,
    Type,
    TypeReader,
    ViewType,
    filled,
    same_static,
)
from elichika.store import Mark
from elichika.values import PYTHON_DTYPES, UNDEF, UNSET, Choice, Scalar
from onnx_graph import Value, dtype_of

if TYPE_CHECKING:
    from elichika.walker.core import Core


def _kind(type_: Type) -> type[Type]:
    """Return the class of a type; a view is an array."""
    return ArrayType if isinstance(type_, ViewType) else type(type_)


class Choices:
    """Operations on choices within one walk."""

    def __init__(self, w: Core) -> None:
        self.w = w

    def tag_is(self, choice: Choice, index: int) -> Value:
        """Return a 0-d bool: whether the alternative `index` is the one."""
        g = self.w.graph
        if len(choice.alternatives) == 2:
            return choice.tag if index == 0 else g.Not(choice.tag)
        return g.Equal(choice.tag, g.constant(np.array(index, np.int64)))

    def decided(self, choice: Choice) -> int | None:
        """Return the index of the alternative that the facts leave, or None."""
        if len(choice.alternatives) == 2:
            truth = self.w.facts.of(choice.tag)
            return None if truth is None else (0 if truth else 1)
        return self.w.facts.index_of(choice.tag, len(choice.alternatives))

    def without(self, choice: Choice, index: int) -> Any:
        """Return the choice given that it is not the alternative `index`."""
        rest = tuple(a for i, a in enumerate(choice.alternatives) if i != index)
        if len(rest) == 1:
            return rest[0]
        g = self.w.graph
        if len(rest) == 2:
            first = 0 if index != 0 else 1
            return Choice(g.Equal(choice.tag, g.constant(np.array(first, np.int64))), rest)
        above = g.Greater(choice.tag, g.constant(np.array(index, np.int64)))
        shift = g.Cast(above, to=np.dtype(np.int64))
        return Choice(g.Sub(choice.tag, shift), rest)

    def apply(self, choice: Choice, operation: Callable[[Any], Any]) -> Any:
        """Do `operation` on the alternative that is the one, in a branch for each."""
        w = self.w
        choice_now = w.narrow(choice)
        if not isinstance(choice_now, Choice):
            return operation(choice_now)
        choice = choice_now
        first = self.tag_is(choice, 0)
        return w.branch(
            w.scalar(bool, first),
            lambda: operation(choice.alternatives[0]),
            lambda: self._rest(choice, operation),
        )

    def _rest(self, choice: Choice, operation: Callable[[Any], Any]) -> Any:
        rest = self.without(choice, 0)
        if isinstance(rest, Choice):
            return self.apply(rest, operation)
        return operation(rest)

    def embed(self, type_: ChoiceType, value: Any) -> list[Value]:
        """Return tag and payloads of `value` as a choice of this type."""
        w = self.w
        value = w.narrow(value)
        slots = type_.alternatives
        payload: list[list[Value] | None] = [None] * len(slots)
        if isinstance(value, Choice):
            places = [self._place(slots, a) for a in value.alternatives]
            for place, alternative in zip(places, value.alternatives, strict=True):
                leaves = self._leaves(slots[place], alternative)
                if payload[place] is None:
                    payload[place] = leaves
                else:
                    tag = self.tag_is(value, value.alternatives.index(alternative))
                    payload[place] = [
                        w.select(tag, new, old)
                        for new, old in zip(leaves, payload[place] or [], strict=True)
                    ]
            tag = self._retag(value, places, len(slots))
        else:
            place = 0 if value is UNDEF else self._place(slots, value)
            if value is not UNDEF:
                payload[place] = self._leaves(slots[place], value)
            tag = w.graph.constant(
                np.array(place == 0) if len(slots) == 2 else np.array(place, np.int64)
            )
        leaves = [tag]
        for slot, present in zip(slots, payload, strict=True):
            leaves += self._leaves(slot, UNDEF) if present is None else present
        return leaves

    def _leaves(self, slot: Type, value: Any) -> list[Value]:
        return filled(self.w, slot.encode(self.w, value, {}))

    def _place(self, slots: tuple[Type, ...], value: Any) -> int:
        """Return the alternative of a joined type that holds `value`."""
        for index, slot in enumerate(slots):
            if isinstance(slot, Static) and same_static(slot.value, value):
                return index
        mine = TypeReader(self.w, Mark(0, 0)).of(value)
        for index, slot in enumerate(slots):
            if slot == mine:
                return index
        for index, slot in enumerate(slots):
            if isinstance(slot, Static):
                continue
            joined = Joiner(self.w, widen=False)._compatible(slot, mine)
            if joined is not None and _kind(joined) is _kind(slot):
                return index
        self.w.refuse("values of too many kinds meet here")

    def _retag(self, value: Choice, places: list[int], count: int) -> Value:
        g = self.w.graph
        if count == 2:
            firsts = [i for i, place in enumerate(places) if place == 0]
            if len(places) == 2 and firsts == [0]:
                return value.tag
            result = self.tag_is(value, firsts[0])
            for index in firsts[1:]:
                result = g.Or(result, self.tag_is(value, index))
            return result
        if len(places) == 2:
            a, b = (g.constant(np.array(p, np.int64)) for p in places)
            return g.Where(value.tag, a, b)
        if places == list(range(len(places))):
            return value.tag
        return g.Gather(g.constant(np.array(places, np.int64)), value.tag, axis=0)

    def as_tensor(self, choice: Choice, dtype: Any = None) -> Value:
        """Return a choice of numbers or tensors as one tensor, its dtype the common one."""
        w = self.w
        if any(a is None or a is UNSET or isinstance(a, str) for a in choice.alternatives):
            w.refuse("a tensor is needed here, but this may be something else", None)
        values = [w.value_of(a) for a in choice.alternatives]
        if dtype is None:
            dtype = np.result_type(*[dtype_of(v) for v in values])
        result = w.value_of(choice.alternatives[-1], dtype)
        for index in range(len(choice.alternatives) - 2, -1, -1):
            tag = self.tag_is(choice, index)
            result = w.select(tag, w.value_of(choice.alternatives[index], dtype), result)
        return result

    def numbers(self, choice: Choice) -> Scalar | None:
        """Return a choice of static numbers of one Python type as a scalar, or None."""
        kinds = {a.type if isinstance(a, Scalar) else type(a) for a in choice.alternatives}
        if len(kinds) == 1 and (kind := kinds.pop()) in PYTHON_DTYPES:
            return self.w.scalar(kind, self.as_tensor(choice, PYTHON_DTYPES[kind]))
        return None
