"""The type of keys that are texts: which of some known ones, by a number of each.

{"the": 2, "cat": 1}     numbers [5714…, 2180…], which any two models have in common
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.types import SHOWN_DEPTH, Type, split
from elichika.values.symbolic import Choice
from onnx_graph import ONNXGraph, Value, rank_of
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.state.context import StateContext

__all__ = ["TextsType", "number_of", "tags_of", "texts_of"]


@dataclass(frozen=True)
class TextsType(Type):
    """One of some texts, as a key.

    Attributes:
        texts: Those that it may be, in their order.
    """

    texts: tuple[str, ...]

    @property
    def form(self) -> Any:
        return TextsType

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(np.dtype(np.int64), ())]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        if type(value) is not Choice:
            return [w.graph.constant(np.array(number_of(value)))]
        if any(type(one) is not str for one in value.alternatives):
            return split(w, self, value, range(len(value.alternatives)), memo)
        numbers = list(map(number_of, value.alternatives))
        if len(numbers) == 2:
            return [w.graph.Where(value.tag, *(np.array(one) for one in numbers))]
        return [surely(w.graph.Gather(np.array(numbers), value.tag, axis=0))]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        number = next(leaves)
        if len(self.texts) == 1:
            return self.texts[0]
        return Choice(tags_of(w.graph, self.texts, number), self.texts)

    def takes(self, value: Any) -> bool:
        return type(value) is str and value in self.texts

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"one of the texts {', '.join(map(repr, self.texts))}"


def tags_of(g: ONNXGraph, texts: tuple[str, ...], numbers: Value) -> Value:
    """Return which of some texts numbers stand for, as the tag of a choice between them."""
    own = list(map(number_of, texts))
    if len(own) == 2:
        return g.Equal(numbers, np.array(own[0]))
    axis = rank_of(numbers) or 0
    same = g.Equal(g.Unsqueeze(numbers, [axis]), np.array(own))
    return g.ArgMax(g.Cast(same, to=np.int32), axis=axis, keepdims=0)


def texts_of(texts: Iterable[str]) -> TextsType | None:
    """Return the type of one of some texts, None where two of them have one number."""
    known = tuple(sorted(set(texts)))
    return TextsType(known) if len(set(map(number_of, known))) == len(known) else None


def number_of(text: str) -> int:
    """Return the number that stands for a text."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
