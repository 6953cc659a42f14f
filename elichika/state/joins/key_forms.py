"""The type of keys of which some are tuples of one length, some of another, some are no tuples.

{"total": 5, (3, 1): 2}     lengths [-1, 2], and for each place in a tuple the columns of a key of
                            several kinds: what is no tuple stands in the first, as a tuple of one
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.containers import TupleType
from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.mixed_keys import MixedType, mixed_of, nothing
from elichika.state.joins.types import SHOWN_DEPTH, Type, split
from elichika.values.symbolic import Choice
from onnx_graph import ONNXGraph, Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext

__all__ = ["NO_TUPLE", "FormsType", "forms_of", "joined_forms"]

#: The length of what is no tuple.
NO_TUPLE = -1
_COLUMNS = 3


@dataclass(frozen=True)
class FormsType(Type):
    """A key that is a tuple of one of several lengths, or no tuple.

    Attributes:
        forms: What a key of each length is, a `MixedType` for each part; by the length.
    """

    forms: tuple[tuple[int, tuple[MixedType, ...]], ...]

    @property
    def form(self) -> Any:
        return self.width

    @property
    def width(self) -> int:
        """How many parts there are at most."""
        return max(len(parts) for _, parts in self.forms)

    @property
    def places(self) -> list[MixedType]:
        """What may stand at each place of a tuple, whatever its length."""
        return [one for one in self.joined_places if one is not None]

    @property
    def joined_places(self) -> list[MixedType | None]:
        """The types of `places`; None where what may stand at one has no type."""
        held = [parts for _, parts in self.forms]
        return [mixed_of(one[i] for one in held if i < len(one)) for i in range(self.width)]

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(np.dtype(np.int64), ()), *(leaf for p in self.places for leaf in p.leaves({}))]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        value = w.narrow(value)
        if type(value) is Choice:
            return split(w, self, value, range(len(value.alternatives)), memo)
        length, held = _parts_of(value)
        parts = dict(self.forms)[length]
        made: list[Value | Hole] = [w.graph.constant(np.array(length))]
        for type_, one in zip(parts, held, strict=True):
            made += type_.encode(w, w.narrow(one), memo)
        return [*made, *nothing(w.graph) * (self.width - len(parts))]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        g, length = w.graph, next(leaves)
        columns = [next(leaves) for _ in range(_COLUMNS * self.width)]
        made, first = list[Any](), list[int]()
        for number, parts in self.forms:
            rows = iter(columns)
            built = tuple(part.build(w, rows, memo) for part in parts)
            first.append(len(made))
            if number != NO_TUPLE:
                made.append(built)
            else:
                made += built[0].alternatives if type(built[0]) is Choice else built
        places = g.Gather(self._by_length(first), g.Add(length, np.int64(1)), axis=0)
        plain = dict(self.forms).get(NO_TUPLE)
        if plain is not None and plain[0].count > 1:
            within = g.Add(places, plain[0].places_of(g, *columns[:2]))
            places = g.Where(g.Equal(length, np.int64(NO_TUPLE)), within, places)
        return Choice(g.Equal(places, np.int64(0)) if len(made) == 2 else places, tuple(made))

    def tags_of(self, g: ONNXGraph, lengths: Value) -> Value:
        """Return which of the forms keys have: the tag of a choice."""
        first, *others = (length for length, _ in self.forms)
        if len(others) == 1:
            return g.Equal(lengths, np.int64(first))
        return g.Gather(
            self._by_length(range(len(self.forms))), g.Add(lengths, np.int64(1)), axis=0
        )

    def _by_length(self, numbers: Iterable[int]) -> np.ndarray[Any, Any]:
        """Return a number for each of the forms, by the length from that of no tuple on."""
        made = np.zeros(self.width + 2, np.int64)
        for (length, _), number in zip(self.forms, numbers, strict=True):
            made[length - NO_TUPLE] = number
        return made

    def takes(self, value: Any) -> bool:
        length, held = _parts_of(value)
        parts = dict(self.forms).get(length)
        if parts is None:
            return False
        return all(type_.takes(one) for type_, one in zip(parts, held, strict=True))

    def seen(self, *, elsewhere: bool) -> FormsType:
        """Return the type of the same keys, which come of another call or of this one."""
        return FormsType(
            tuple(
                (length, tuple(replace(part, elsewhere=elsewhere) for part in parts))
                for length, parts in self.forms
            )
        )

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return " or ".join(
            parts[0].shown(depth)
            if length == NO_TUPLE
            else f"({', '.join(part.shown(depth) for part in parts)})"
            for length, parts in self.forms
        )


def _parts_of(key: Any) -> tuple[int, tuple[Any, ...]]:
    """Return the length of a key, and its parts."""
    return (len(key), key) if type(key) is tuple else (NO_TUPLE, (key,))


def forms_of(key: Any) -> dict[int, tuple[MixedType, ...]] | None:
    """Return what keys of a type are, by their length; None of those that have no such type."""
    if type(key) is FormsType:
        return dict(key.forms)
    parts = tuple(mixed_of((part,)) for part in key.parts or (key,))
    sure = tuple(part for part in parts if part is not None)
    length = len(key.parts) if type(key) is TupleType else NO_TUPLE
    return {length: sure} if len(sure) == len(parts) else None


def joined_forms(one: Any, other: Any) -> FormsType | None:
    """Return the type of keys of two types, some of them tuples; None where there is none."""
    forms, others = forms_of(one), forms_of(other)
    if forms is None or others is None:
        return None
    for length, parts in others.items():
        pairs = zip(forms.get(length, parts), parts, strict=True)
        joined = [mixed_of(pair) for pair in pairs]
        forms[length] = tuple(part for part in joined if part is not None)
        if None in joined:
            return None
    made = FormsType((*sorted(forms.items()),))
    return None if None in made.joined_places else made
