"""Types of choices: one of several, told apart by a tag."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.plain import ANY_INT, ScalarType
from elichika.state.joins.types import SHOWN_DEPTH, Type, shown_parts, split
from elichika.values.symbolic import UNDEF, WIDE_BOUND, Choice, Scalar
from onnx_graph import Value
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner

#: Classes of numbers that int64 holds, all of them.
WHOLE = {int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32}


@dataclass(frozen=True)
class ChoiceType(Type):
    """One of several types, told apart by a tag."""

    alternatives: tuple[Type, ...]

    @property
    def parts(self) -> tuple[Type, ...]:
        return self.alternatives

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        return ChoiceType(parts)

    @property
    def options(self) -> tuple[Type, ...]:
        return self.alternatives

    @property
    def form(self) -> Any:
        return len(self.alternatives)

    @property
    def is_plain(self) -> bool:
        return all(part.is_plain for part in self.alternatives)

    @property
    def is_object(self) -> bool:
        return all(part.is_object for part in self.alternatives)

    def stored(self, j: Joiner) -> Type:
        """Join what has become alike, and what cannot be stored at all."""
        joined = _stored(j, self.alternatives)
        if any(leaf.sequence for leaf in joined.leaves({})):  # tuples of unlike lengths became one
            joined = _stored(j, joined.options)
        return joined

    @property
    def whole(self) -> tuple[int, ...]:
        """The alternatives that are whole numbers, if there are several: one leaf carries all."""
        found = tuple(n for n, one in enumerate(self.alternatives) if _is_whole(one))
        return found if len(found) > 1 else ()

    def leaves(self, memo: Memo) -> list[Leaf]:
        tag = np.dtype(bool) if len(self.alternatives) == 2 else np.dtype(np.int64)
        whole, found = self.whole, [Leaf(tag, (), tag=True)]
        for number, alternative in enumerate(self.alternatives):
            if number not in whole:
                found += alternative.leaves(memo)
            elif number == whole[0]:
                found.append(Leaf(np.dtype(np.int64), ()))
        return found

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        held = value.alternatives if isinstance(value, Choice) else (value,)
        numbers = [w.choices.alternative_of(self, one) for one in held]
        leaves: list[Value | Hole] = [self._tag(w, value, numbers)]
        whole = self.whole
        for number, alternative in enumerate(self.alternatives):
            if number in whole:
                mine = [index for index, other in enumerate(numbers) if other in whole]
                leaves += [self._number(w, value, mine)] if number == whole[0] else []
                continue
            mine = [index for index, other in enumerate(numbers) if other == number]
            alike = [index for index, n in enumerate(numbers) if self._one_array(number, n)]
            if len(alike) > len(mine) > 0 and number == min(numbers[index] for index in alike):
                arrays = tuple(getattr(one, "array", one) for one in held)
                array = getattr(alternative, "array", alternative)
                leaves += split(w, array, Choice(value.tag, arrays), alike, memo)
            elif len(mine) > 1:
                leaves += split(w, alternative, value, mine, memo)
            else:
                leaves += alternative.encode(w, held[mine[0]] if mine else UNDEF, memo)
        return leaves

    def _number(self, w: StateContext, value: Any, mine: list[int]) -> Value | Hole:
        """Return what carries a value that may be a whole number, as the alternatives given are."""
        leaf = Leaf(np.dtype(np.int64), ())
        if not mine:
            return Hole(leaf)
        if type(value) is not Choice:
            return w.scalar_value(value, leaf.dtype)
        return split(w, ANY_INT, value, mine, {})[0]

    def _one_array(self, number: int, other: int) -> bool:
        """Tell whether two alternatives are one, or handles on one array, each its own value's."""
        arrays = [
            getattr(self.alternatives[n], "array", self.alternatives[n]) for n in (number, other)
        ]
        return number == other or (arrays[0].node is not None and arrays[0].node == arrays[1].node)

    def _tag(self, w: StateContext, value: Any, numbers: list[int]) -> Value:
        """Return the tag of a value whose alternatives, or itself, are those of these numbers."""
        g, two = w.graph, len(self.alternatives) == 2
        first, *others = [np.array(n == 0) if two else np.array(n, np.int64) for n in numbers]
        if all(first == other for other in others):
            return g.constant(first)
        if numbers == list(range(len(numbers))) and two is (len(numbers) == 2):
            return cast(Value, value.tag)
        if two:
            firsts = [index for index, number in enumerate(numbers) if number == 0]
            return functools.reduce(g.Or, [w.choices.tag_is(value, index) for index in firsts])
        if len(numbers) == 2:
            return g.Where(value.tag, *map(g.constant, (first, *others)))
        return surely(g.Gather(g.constant(np.array(numbers, np.int64)), value.tag, axis=0))

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        whole, (tag, *_) = self.whole, self.leaves({})
        found: list[Value | Hole] = [Hole(tag)]
        for number, alternative in enumerate(self.alternatives):
            if number not in whole:
                found += alternative.hollow(memo)
            elif number == whole[0]:
                found.append(Hole(Leaf(np.dtype(np.int64), ())))
        return found

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        tag, count, built = next(leaves), len(self.alternatives), []
        whole, number = self.whole, None
        for index, alternative in enumerate(self.alternatives):
            if index in whole:
                number = next(leaves) if number is None else number
                built.append(_number_of(w, cast(ScalarType, alternative), number))
                continue
            with w.choices.under(tag, index, count):
                built.append(alternative.build(w, leaves, memo))
        return Choice(tag, tuple(built))

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"one of {shown_parts(self.alternatives, depth)}"


def _stored(j: Joiner, parts: Sequence[Type]) -> Type:
    """Join elements of a list in the form that it holds them in."""
    joined, *others = [part.stored(j) for part in parts]
    joiner = j.apart()
    for other in others:
        joined = joiner.join(joined, other)
    return joined


def _is_whole(type_: Type) -> bool:
    return type(type_) is ScalarType and type_.type in WHOLE


def _number_of(w: StateContext, type_: ScalarType, number: Value) -> Scalar:
    """Return the number that an int64 is, where it is of a class."""
    held = number if type_.dtype == np.int64 else w.graph.Cast(number, to=type_.dtype)
    return Scalar(type_.type, held, bound=2**63 if type_.wide else WIDE_BOUND, whole=number)
