"""The type of keys of several kinds.

{"total": 5, 3: 1, 2.5: 4}     kinds [str, int, float], whole [5714…, 3, 0], rest [0, 0, 2.5]

Equal numbers are one key in Python, whatever their classes: each is a whole number and a rest, of
which one is 0.  A text is the number that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.plain import ScalarType
from elichika.state.joins.texts import TextsType, number_of, texts_of
from elichika.state.joins.types import SHOWN_DEPTH, Type, split
from elichika.values.kinds import type_of_number
from elichika.values.symbolic import PYTHON_DTYPES, Choice
from elichika.values.words import a_or_an
from onnx_graph import ONNXGraph, Value
from onnx_graph.failing import surely
from onnx_graph.signed_zeros import chosen

if TYPE_CHECKING:
    from elichika.state.context import StateContext

__all__ = [
    "FLOATS",
    "GROUPS",
    "MixedType",
    "is_float",
    "mixed_of",
    "nothing",
    "numbers_in",
    "of_numbers",
    "of_texts",
]

#: The classes of keys in the order of their numbers: a model may carry these from call to call.
KINDS: tuple[type, ...] = (
    *(bool, int, float, NoneType, str, np.bool_),
    *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32),
    *(np.float16, np.float32, np.float64),
)
_CODES = {kind: code for code, kind in enumerate(KINDS)}
#: Which keys may be equal: numbers, None, texts.
GROUPS = np.array([{NoneType: 1, str: 2}.get(kind, 0) for kind in KINDS])
_NANS = 3
_LIMIT = 2.0**63
FLOATS = (float, np.float16, np.float32, np.float64)


@dataclass(frozen=True)
class MixedType(Type):
    """A key of one of several kinds, or a float.

    A nan has in the place of a whole number that of its object, 0 if it is not known which it is:
    as Python does, a nan is found among keys if it is the very one.

    Attributes:
        kinds: The classes that it may be of, in the order of `KINDS`.
        texts: Those that it may be, in their order.
        elsewhere: It comes of another call, in which objects had other numbers.
    """

    kinds: tuple[type, ...]
    texts: tuple[str, ...] = ()
    elsewhere: bool = False

    @property
    def form(self) -> Any:
        return MixedType

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(np.dtype(kind), ()) for kind in (np.int64, np.int64, np.float64)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        g = w.graph
        if type(value) is Choice:
            return split(w, self, value, range(len(value.alternatives)), memo)
        if value is None or type(value) is str:
            whole = 0 if value is None else number_of(value)
            return [g.constant(one) for one in _plain(type(value), whole)]
        kind = type_of_number(value)
        number = w.tables.floats.number(value) if is_float(kind) else None
        return [*of_numbers(g, kind, w.scalar_value(value, _dtype(kind)), number)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        g = w.graph
        code, whole, rest = (next(leaves) for _ in range(3))
        held: list[Any] = [None if kind is NoneType else kind for kind in self.known]
        for place, kind in enumerate(self.known):
            if kind is not NoneType:
                numbers = iter([numbers_in(g, kind, whole, rest)])
                held[place] = ScalarType(kind, kind is int).build(w, numbers, memo)
                if is_float(kind):
                    w.tables.floats.known_as(held[place], whole)
        held += self.texts
        if len(held) == 1:
            return held[0]
        return Choice(self.tags_of(g, code, whole), tuple(held))

    @property
    def known(self) -> list[type]:
        """The classes of those that are no texts."""
        return [kind for kind in self.kinds if kind is not str]

    def tags_of(self, g: ONNXGraph, code: Value, whole: Value) -> Value:
        """Return which of the kinds but texts, or which text, keys are: the tag of a choice."""
        tags = self.places_of(g, code, whole)
        return g.Equal(tags, np.int64(0)) if self.count <= 2 else tags

    @property
    def count(self) -> int:
        """How many kinds but texts, and texts, there are."""
        return len(self.known) + len(self.texts)

    def places_of(self, g: ONNXGraph, code: Value, whole: Value) -> Value:
        """Return where what keys are stands among the kinds but texts and the texts."""
        known = self.known
        places = np.zeros(len(KINDS), np.int64)
        for place, kind in enumerate(known):
            places[_CODES[kind]] = place
        tags = surely(g.Gather(g.constant(places), code, axis=0))
        for place, text in enumerate(self.texts, len(known)):
            is_text = g.Equal(code, np.int64(_CODES[str]))
            here = g.And(is_text, g.Equal(whole, np.int64(number_of(text))))
            tags = g.Where(here, np.int64(place), tags)
        return tags

    def takes(self, value: Any) -> bool:
        if type(value) is str:
            return value in self.texts
        return type(value) in self.kinds and (type(value) is not int or -(2**63) <= value < 2**63)

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        named = [a_or_an(kind.__name__) for kind in self.known if kind is not NoneType]
        named += ["None"] * (NoneType in self.kinds)
        return " or ".join([*named, *map(repr, self.texts)])


def _dtype(kind: type) -> np.dtype[Any]:
    return PYTHON_DTYPES.get(kind) or np.dtype(kind)


def _plain(kind: type, whole: int) -> tuple[Any, ...]:
    return np.array(_CODES[kind]), np.array(whole, np.int64), np.array(0.0)


def is_float(kind: type) -> bool:
    """Tell whether numbers of a class may be nan."""
    return issubclass(kind, (float, np.floating))


def of_numbers(
    g: ONNXGraph, kind: type, numbers: Value, of: Value | None = None
) -> tuple[Value, ...]:
    """Return the columns of numbers of a class, or those of one number.

    Args:
        g: The graph.
        kind: The class.
        numbers: The numbers.
        of: The number of the object that a nan is; 0 if it is not given.
    """
    code = g.Expand(g.constant(np.array(_CODES[kind])), g.Shape(numbers))
    if not is_float(kind):
        whole = g.Cast(numbers, to=np.dtype(np.int64))
        return code, whole, g.Expand(g.constant(np.array(0.0)), g.Shape(numbers))
    real = g.Cast(numbers, to=np.dtype(np.float64))
    is_whole = g.And(g.Equal(g.Floor(real), real), g.Less(g.Abs(real), np.float64(_LIMIT)))
    whole = g.Cast(g.Where(is_whole, real, np.float64(0)), to=np.dtype(np.int64))
    # the rest of a zero is that zero, for its sign
    rest = chosen(g, g.Equal(whole, np.int64(0)), real, g.constant(np.array(0.0)))
    return code, whole if of is None else g.Where(g.IsNaN(real), of, whole), rest


def numbers_in(g: ONNXGraph, kind: type, whole: Value, rest: Value) -> Value:
    """Return the numbers of a class that stand in columns."""
    if not is_float(kind):
        return g.Cast(whole, to=_dtype(kind))
    is_rest = g.Or(g.Equal(whole, np.int64(0)), g.IsNaN(rest))
    real = chosen(g, is_rest, rest, g.Cast(whole, to=np.dtype(np.float64)))
    return g.Cast(real, to=_dtype(kind))


def nothing(g: ONNXGraph, like: Value | None = None) -> list[Value]:
    """Return the columns where no key stands: of as many as there are in another column, or of one.

    They are equal to one another.
    """
    made = [g.constant(one) for one in _plain(bool, 0)]
    return made if like is None else [g.Expand(one, g.Shape(like)) for one in made]


def of_texts(g: ONNXGraph, numbers: Value) -> list[Value]:
    """Return the columns of texts by their numbers."""
    code, _, rest = _plain(str, 0)
    shape = g.Shape(numbers)
    return [g.Expand(g.constant(code), shape), numbers, g.Expand(g.constant(rest), shape)]


def mixed_of(types: Iterable[Any]) -> MixedType | None:
    """Return the type of keys of some types of numbers, texts and None; None of other types."""
    kinds, texts, elsewhere = set[type](), set[str](), False
    for type_ in types:
        match type_:
            case ScalarType():
                kinds.add(type_.type)
            case TextsType():
                kinds.add(str)
                texts.update(type_.texts)
            case MixedType():
                kinds.update(type_.kinds)
                texts.update(type_.texts)
                elsewhere = elsewhere or type_.elsewhere
            case _:
                return None
    if not kinds <= set(KINDS) or (texts and texts_of(texts) is None):
        return None
    return MixedType(tuple(sorted(kinds, key=KINDS.index)), tuple(sorted(texts)), elsewhere)
