"""The type of keys that are tuples of any length: numbers, and how many there are.

{(1, 2): 7, (): 8}     numbers [[1, 2], [0, 0]], lengths [2, 0]: what is beyond a length is no part
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.keys import parts_of
from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.mixed_keys import MixedType, numbers_in
from elichika.state.joins.plain import ScalarType
from elichika.state.joins.rows import RowType
from elichika.state.joins.types import SHOWN_DEPTH, Type, carried, carriers
from elichika.values.symbolic import DynamicTuple
from onnx_graph import ONNXGraph, Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.values.tables import Table

__all__ = ["WordType", "aligned", "joined_words", "word_of"]

#: The numbers that onnxruntime pads rows of.
PADDED = (int, float, bool, np.int32, np.int64, np.float32, np.float64)


@dataclass(frozen=True)
class WordType(Type):
    """A tuple of any length of numbers of one type, as a key."""

    splits = True

    number: ScalarType

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.number.dtype, (None,)), Leaf(np.dtype(np.int64), ())]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        items = value if type(value) is tuple else w.items_of(value)
        (row,) = RowType(DynamicTuple, self.number).stacked(w, items)
        return [row, w.graph.size(row, 0)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        row, length = next(leaves), next(leaves)
        whole = w.graph.Slice(row, [0], w.graph.Unsqueeze(length, [0]), [0])
        return RowType(DynamicTuple, self.number).build(w, iter([whole]), memo)

    def takes(self, value: Any) -> bool:
        return type(value) is tuple and all(map(self.number.takes, value))

    def columns(self, w: StateContext, keys: Iterable[Any]) -> list[Value]:
        """Return the columns of some keys."""
        g = w.graph
        rows = [carried(w, self, key) for key in keys]
        if not rows:
            return [g.constant(np.zeros((0, 0), self.number.dtype)), g.constant(np.zeros(0, int))]
        numbers = aligned(g, *(g.Unsqueeze(row, [0]) for row, _ in rows))
        lengths = [g.Unsqueeze(length, [0]) for _, length in rows]
        return [g.Concat(*column, axis=0) for column in (numbers, lengths)]

    def columns_of(self, g: ONNXGraph, table: Table) -> list[Value]:
        """Return the columns of the keys of a table, which may be tuples of one length."""
        columns = list(table.columns[: len(carriers(table.type.key))])
        if type(table.type.key) is WordType:
            return columns
        count = g.Unsqueeze(g.size(columns[0], 0), [0])
        columns = [_numbers(g, *part) for part in parts_of(table.type.key, columns)]
        lengths = g.Expand(np.array([len(columns)]), count)
        return [g.Concat(*(g.Unsqueeze(c, [1]) for c in columns), axis=1), lengths]

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"tuples of any length of {self.number.shown(depth)}"


def _numbers(g: ONNXGraph, part: Any, columns: list[Value]) -> Value:
    """Return the numbers that columns of a part of keys stand for."""
    return numbers_in(g, part.kinds[0], *columns[1:]) if type(part) is MixedType else columns[0]


def word_of(key: Type) -> WordType | None:
    """Return the type of tuples of any length that some keys are of, None of other keys."""
    if type(key) is WordType:
        return key
    number = key.parts[0] if key.parts else None
    if any(part != number for part in key.parts):
        return None
    if type(number) is MixedType and len(number.kinds) == 1 and not number.texts:
        number = ScalarType(number.kinds[0])
    if type(number) is not ScalarType or number.type not in PADDED:
        return None
    return WordType(replace(number, wide=number.type is int))


def joined_words(one: Type, other: Type) -> WordType | None:
    """Return the type of tuples of any length that keys of two types are of, None of others."""
    word = word_of(one)
    return word if word is not None and word in (other, word_of(other)) else None


def aligned(g: ONNXGraph, *rows: Value) -> list[Value]:
    """Return rows of numbers, stacked, with zeros behind the shorter ones."""
    widths = [g.Unsqueeze(g.size(one, 1), [0]) for one in rows]
    widest = g.Max(*widths) if len(widths) > 1 else widths[0]
    zero = np.zeros(1, np.int64)
    pads = [g.Concat(zero, zero, zero, g.Sub(widest, width), axis=0) for width in widths]
    return [g.Pad(one, pad) for one, pad in zip(rows, pads, strict=True)]
