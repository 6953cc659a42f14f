"""Between which bounds all numbers lie that a graph computes, whatever it is given.

    k = Loop(n, True, 1) body (…, k) => (True, Add(Mod(Mul(k, 3), 1009), 1))     # 1 <= k <= 1009

An interval is of all elements of a tensor or list, and holds no matter how many there are.  What a
Loop carries is found by widening: an interval that still grows after some turns grows to the next
of a few bounds, so that few turns are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies
from onnx_graph.values import const_array, rank_of

__all__ = ["Interval", "Intervals"]


class Interval(NamedTuple):
    """All numbers from `low` to `high`, both among them; of infinite bounds nothing is known."""

    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether there are two bounds."""
        return math.isfinite(self.low) and math.isfinite(self.high)


#: Numbers of which nothing is known, and what holds none: an empty list.
ANY, NONE = Interval(-math.inf, math.inf), Interval(math.inf, -math.inf)
LARGEST = 2**63
INT64 = Interval(-LARGEST, LARGEST - 1)
#: No axis, list or loop is that long.
LENGTH = Interval(0, 2**40)
#: What intervals that grow grow to.
LOWS, HIGHS = (0, -(2**31), -(2**47), -LARGEST), (0, 2**31, 2**47, LARGEST - 1)
#: How many turns of a Loop are looked at before that.
TURNS = 3
#: How many elements of a constant are looked at.
MOST = 4096
#: How many nodes are looked at before nothing is known of a graph.
BUDGET = 200_000


class _Spent(Exception):
    """Too many nodes have been looked at."""


class Intervals:
    """The intervals of a graph's whole numbers, and of doubles that are computed of them."""

    def __init__(self, main: ir.Graph) -> None:
        """Go through a graph; nothing of it may change while this is used."""
        self._found: dict[Value, Interval] = {}
        self._looked_at = 0
        try:
            self._scope(main)
        except _Spent:
            self._found.clear()

    def of(self, value: Value | None) -> Interval:
        """Return between which bounds a value lies."""
        if value is None:
            return ANY
        known = const_array(value)
        if known is not None:
            if known.dtype.kind not in "iub" or known.size > MOST:
                return _float_of(known)
            return Interval(int(known.min()), int(known.max())) if known.size else NONE
        return self._found.get(value, _all_of(value))

    def _scope(self, scope: ir.Graph) -> None:
        for node in scope:
            self._looked_at += 1
            if self._looked_at > BUDGET:
                raise _Spent
            if node.op_type == "Loop":
                self._loop(node)
            elif node.op_type == "If":
                arms = bodies(node)
                for body in arms:
                    self._scope(body)
                for index, value in enumerate(node.outputs):
                    self._set(value, _joined(*(self.of(body.outputs[index]) for body in arms)))
            else:
                rule = _RULES.get(node.op_type)
                for value in node.outputs:
                    found = _all_of(value) if rule is None else rule(self, node)
                    self._set(value, found)

    def _set(self, value: Value, found: Interval) -> None:
        """Note an interval; what may not fit the numbers of a dtype wraps around there."""
        whole = _all_of(value)
        fits = found == NONE or (found.low >= whole.low and found.high <= whole.high)
        self._found[value] = found if fits else whole

    def _loop(self, node: ir.Node) -> None:
        (body,) = bodies(node)
        heads, given = list(body.inputs)[2:], list(node.inputs)[2:]
        begins, following = _asked(node.inputs[1]), _asked(body.outputs[0])
        starts = [self._within(one, begins) for one in given]
        self._found[body.inputs[0]] = LENGTH
        self._found[body.inputs[1]] = Interval(0, 1)
        now = [
            _joined(start, self._found.get(head, NONE))
            for start, head in zip(starts, heads, strict=True)
        ]
        turn = 0
        while True:
            for head, held in zip(heads, now, strict=True):
                self._set(head, held)
            self._scope(body)
            results = list(body.outputs)[1 : 1 + len(heads)]
            ends = [self._within(one, following) for one in results]
            grown = [_joined(self.of(head), end) for head, end in zip(heads, ends, strict=True)]
            if all(one == self.of(head) for one, head in zip(grown, heads, strict=True)):
                break
            turn += 1
            now = [
                _widened(self.of(head), one) if turn >= TURNS else one
                for one, head in zip(grown, heads, strict=True)
            ]
        last = map(_joined, map(self.of, given), map(self.of, results))
        scans = [self.of(one) for one in list(body.outputs)[1 + len(heads) :]]
        for value, found in zip(node.outputs, [*last, *scans], strict=True):
            self._set(value, found)

    def _within(self, value: Value | None, asked: list[ir.Node]) -> Interval:
        """Return the interval of a value where some comparisons hold."""
        found = self.of(value)
        for node in asked:
            for place, side in enumerate(node.inputs):
                limit = self.of(node.inputs[1 - place])
                if side is not value or value is None or found == NONE or limit == NONE:
                    continue
                less = (node.op_type in ("Less", "LessOrEqual")) is (place == 0)
                apart = 0 if node.op_type.endswith("OrEqual") else 1
                low = found.low if less else max(found.low, limit.low + apart)
                high = min(found.high, limit.high - apart) if less else found.high
                found = Interval(low, high) if low <= high else NONE
        return found


def _asked(condition: Value | None) -> list[ir.Node]:
    """Return comparisons of whole numbers that hold where a condition does."""
    node = None if condition is None else condition.producer()
    if node is None or len(node.inputs) != 2:
        return []
    if node.op_type == "And":
        return [one for value in node.inputs for one in _asked(value)]
    whole = all(one is not None and _is_number(one) for one in node.inputs)
    return [node] if whole and node.op_type in _COMPARISONS else []


def _is_number(value: Value) -> bool:
    """Tell whether a value is one whole number."""
    return value.dtype is ir.DataType.INT64 and value.shape is not None and not rank_of(value)


def _all_of(value: Value) -> Interval:
    """Return what holds of all numbers of a dtype."""
    if value.dtype in _WHOLE:
        return _WHOLE[value.dtype]
    return ANY


def _float_of(known: object) -> Interval:
    """Return the interval of a constant of floats."""
    size, kind = getattr(known, "size", 0), getattr(getattr(known, "dtype", None), "kind", "")
    if kind != "f" or size != 1:
        return ANY
    number = float(known.item())  # type: ignore[attr-defined]
    return Interval(number, number) if math.isfinite(number) else ANY


def _joined(*some: Interval) -> Interval:
    found = NONE
    for one in some:
        if one != NONE:
            low, high = min(found.low, one.low), max(found.high, one.high)
            found = Interval(low, high)
    return found


def _widened(before: Interval, now: Interval) -> Interval:
    """Return an interval that holds another one, which has grown: of few there are."""
    if before == NONE or not now.is_known:
        return now
    low, high = now
    if low < before.low:
        low = max((step for step in LOWS if step <= low), default=-math.inf)
    if high > before.high:
        high = min((step for step in HIGHS if step >= high), default=math.inf)
    return Interval(low, high)


_COMPARISONS = ("Less", "LessOrEqual", "Greater", "GreaterOrEqual")
_WHOLE: Mapping[ir.DataType | None, Interval] = {
    ir.DataType.BOOL: Interval(0, 1),
    ir.DataType.INT8: Interval(-(2**7), 2**7 - 1),
    ir.DataType.UINT8: Interval(0, 2**8 - 1),
    ir.DataType.INT16: Interval(-(2**15), 2**15 - 1),
    ir.DataType.UINT16: Interval(0, 2**16 - 1),
    ir.DataType.INT32: Interval(-(2**31), 2**31 - 1),
    ir.DataType.UINT32: Interval(0, 2**32 - 1),
    ir.DataType.INT64: INT64,
}
_Rule = Callable[[Intervals, ir.Node], Interval]


def _first(known: Intervals, node: ir.Node) -> Interval:
    """Elements of the first operand."""
    return known.of(node.inputs[0])


def _either(*places: int) -> _Rule:
    """Elements of some operands; of all where none are told."""

    def rule(known: Intervals, node: ir.Node) -> Interval:
        given = [node.inputs[place] for place in places] if places else node.inputs
        return _joined(*map(known.of, given))

    return rule


def _computed(compute: Callable[..., tuple[float, ...]]) -> _Rule:
    """Return the rule of an operator that is monotone between the corners that it is asked at."""

    def rule(known: Intervals, node: ir.Node) -> Interval:
        given = [known.of(one) for one in node.inputs]
        if NONE in given:
            return NONE
        if not all(one.is_known for one in given) or node.outputs[0].dtype not in _EXACT:
            return _all_of(node.outputs[0])
        if node.outputs[0].dtype is ir.DataType.DOUBLE:
            given = [Interval(float(one.low), float(one.high)) for one in given]
        found = compute(*given)
        return Interval(min(found), max(found))

    return rule


#: Where Python computes what the operator does: doubles, and whole numbers that do not wrap around.
_EXACT = {ir.DataType.INT64, ir.DataType.INT32, ir.DataType.DOUBLE}


def _product(one: Interval, other: Interval) -> tuple[float, ...]:
    return tuple(a * b for a in one for b in other)


def _absolute(one: Interval) -> tuple[float, ...]:
    inside = (0,) if one.low <= 0 <= one.high else ()
    return (abs(one.low), abs(one.high), *inside)


def _remainder(known: Intervals, node: ir.Node) -> Interval:
    """A remainder has the sign of what it is divided by."""
    whole, part = map(known.of, node.inputs)
    mode = node.attributes.get("fmod")
    plain = mode is None or mode.as_int() == 0
    if NONE in (whole, part):
        return NONE
    if not plain or node.outputs[0].dtype not in _WHOLE or not part.is_known or part.low <= 0:
        return _all_of(node.outputs[0])
    if whole.low >= 0:
        return Interval(0, min(whole.high, part.high - 1))
    return Interval(0, part.high - 1)


def _cast(known: Intervals, node: ir.Node) -> Interval:
    """Whole numbers, as others that hold them, or as doubles."""
    source, target = node.inputs[0], node.outputs[0]
    found = known.of(source)
    if source is None or source.dtype not in _WHOLE:
        return _all_of(target)
    if target.dtype is ir.DataType.DOUBLE and found.is_known:
        return Interval(float(found.low), float(found.high))
    fits = target.dtype in _WHOLE and target.dtype is not ir.DataType.BOOL
    return found if fits else _all_of(target)  # `_set` looks whether they do


def _scattered(known: Intervals, node: ir.Node) -> Interval:
    """Elements of the data or the updates, where none are added up."""
    how = node.attributes.get("reduction")
    if how is not None and how.as_string() != "none":
        return _all_of(node.outputs[0])
    return _joined(known.of(node.inputs[0]), known.of(node.inputs[2]))


def _length(known: Intervals, node: ir.Node) -> Interval:
    return LENGTH


def _empty(known: Intervals, node: ir.Node) -> Interval:
    return NONE


_MOVED = (
    *("Identity", "Unsqueeze", "Squeeze", "Reshape", "Slice", "Gather", "GatherElements"),
    *("GatherND", "Expand", "Transpose", "Flatten", "Tile", "SequenceAt", "SequenceErase"),
    *("SplitToSequence", "Split", "ConcatFromSequence", "Compress"),
)
_RULES: Mapping[str, _Rule] = {
    **dict.fromkeys(_MOVED, _first),
    **dict.fromkeys(("Concat", "SequenceConstruct"), _either()),
    **dict.fromkeys(("Size", "Shape", "SequenceLength", "NonZero", "ArgMax", "ArgMin"), _length),
    "SequenceEmpty": _empty,
    "SequenceInsert": _either(0, 1),
    "Where": _either(1, 2),
    "ScatterElements": _scattered,
    "ScatterND": _scattered,
    "Add": _computed(lambda one, other: (one.low + other.low, one.high + other.high)),
    "Sub": _computed(lambda one, other: (one.low - other.high, one.high - other.low)),
    "Mul": _computed(_product),
    "Neg": _computed(lambda one: (-one.high, -one.low)),
    "Abs": _computed(_absolute),
    "Max": _computed(lambda *some: (max(a.low for a in some), max(a.high for a in some))),
    "Min": _computed(lambda *some: (min(a.low for a in some), min(a.high for a in some))),
    "Mod": _remainder,
    "Cast": _cast,
}
