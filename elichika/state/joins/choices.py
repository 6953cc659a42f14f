"""Types of choices: one of several, told apart by a tag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.types import SHOWN_DEPTH, Type, shown_parts
from elichika.values.symbolic import Choice
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner


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
        joined, *others = [part.stored(j) for part in self.alternatives]
        joiner = j.apart()
        for other in others:
            joined = joiner.join(joined, other)
        return joined

    def leaves(self, memo: Memo) -> list[Leaf]:
        tag = np.dtype(bool) if len(self.alternatives) == 2 else np.dtype(np.int64)
        own = Leaf(tag, (), tag=True)
        return [own, *(x for a in self.alternatives for x in a.leaves(memo))]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return w.choices.embed(self, value, memo)

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        (tag, *_) = self.leaves({})
        return [Hole(tag), *(hole for a in self.alternatives for hole in a.hollow(memo))]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        tag, count, built = next(leaves), len(self.alternatives), []
        for index, alternative in enumerate(self.alternatives):
            with w.choices.under(tag, index, count):
                built.append(alternative.build(w, leaves, memo))
        return Choice(tag, tuple(built))

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"one of {shown_parts(self.alternatives, depth)}"
