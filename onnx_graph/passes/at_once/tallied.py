"""Dicts that turns count by: keys in the order in which they come first, and a sum for each.

    for word in words:
        counts[word] = counts.get(word, 0) + 1

counts is Unique(words, sorted=0) and how often each is there. Both columns begin without an item,
and a turn puts a key behind the others where it is not there, and a number to what stands by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.at_once.planned import Planned, once
from onnx_graph.passes.editing import made_by, original
from onnx_graph.passes.lookups import BRANCHES, columns_of, is_one
from onnx_graph.passes.sizes import counted
from onnx_graph.values import const_array, dims_of, rank_of

if TYPE_CHECKING:
    from onnx_graph.passes.at_once.turns import Turns

__all__ = ["by_answer", "grown_column", "looked_up", "tallied"]

#: From which opset on ScatterElements adds.
_ADDS = 16


@dataclass(frozen=True)
class _Put:
    """What a turn does to a column.

    Attributes:
        keys: The column of keys, as the turn finds it.
        key: The key that it looks up.
        test: Whether it does, and the truth that does not let it; None for each turn.
        number: What is added to what stands by the key; None of the keys themselves.
    """

    keys: Value
    key: Value
    test: tuple[Value, bool] | None
    number: Value | None


def tallied(turns: Turns, number: int) -> Planned | None:
    """Plan a column of keys, or of the sums that stand by them."""
    if turns.depth > 1 or turns.ends is not None or turns.graph.opset < _ADDS:
        return None
    put = _put(turns, number)
    if put is None or not _begins_empty(turns, number):
        return None
    held = list(turns.body.inputs)[2:]
    if put.keys not in held:
        return None
    of_keys = held.index(put.keys)
    keys = _put(turns, of_keys)
    if keys is None or not _begins_empty(turns, of_keys) or keys.number is not None:
        return None
    if (keys.keys, keys.key, keys.test) != (put.keys, put.key, put.test):
        return None
    return _planned(turns, put)


def _planned(turns: Turns, put: _Put) -> Planned | None:
    g, key = turns.graph, turns.plan(put.key)
    number = None if put.number is None else turns.plan(put.number)
    test = None if put.test is None else turns.plan(put.test[0])
    missing = (put.number is None) != (number is None) or (put.test is None) != (test is None)
    if key is None or missing:
        return None
    if test is not None and put.test is not None and not put.test[1]:
        test = turns.negated(test)
    truths = test

    def taken(planned: Planned) -> Value:
        """Emit a number of each turn that puts something."""
        every = turns.flat(planned)
        if truths is None:
            return every
        rows = turns.shared(("rows", put.test), lambda: _rows(turns, truths))
        return g.Gather(every, rows(), axis=0)

    unique = turns.shared(
        ("tallied", put.keys), lambda: g.Unique(taken(key), sorted=0, outputs=4)[0]
    )

    def emit() -> Value:
        found = unique()
        node = found.producer()
        if number is None or node is None:
            return found
        none = g.Expand(g.constant(0), g.Shape(found))
        return g.ScatterElements(none, node.outputs[2], taken(number), axis=0, reduction="add")

    return Planned(0, 1, once(emit))


def _rows(turns: Turns, truths: Planned) -> Value:
    g = turns.graph
    rows: Value = g.Squeeze(g.NonZero(turns.full(truths)), [0])
    return rows


def _begins_empty(turns: Turns, number: int) -> bool:
    start = turns.loop.inputs[2 + number]
    is_vector = start is not None and start.dtype is ir.DataType.INT64 and rank_of(start) == 1
    return start is not None and is_vector and dims_of(start)[0] == 0


def _put(turns: Turns, number: int) -> _Put | None:
    """Return what a turn does to a column that it carries, if it looks up a key."""
    body, inner = turns.body, turns.body.inputs[2 + number]
    value, test = original(body, body.outputs[1 + number]), None
    node = value.producer()
    if node is not None and node.op_type == "If" and node.inputs[0] is not None:
        sides = turns.enter(node)
        if sides is None:
            return None
        ends = [original(side, side.outputs[value.index() or 0]) for side in sides]
        asked = looked_up(node.inputs[0].producer())
        if asked is not None:
            there, missing = by_answer(node.inputs[0], ends)
            return _by_answer(inner, *asked, there, missing)
        if inner not in ends:
            return None
        value, test = ends[1 - ends.index(inner)], (node.inputs[0], ends.index(inner) == 1)
    found = grown_column(value, inner)
    return None if found is None else _Put(found[0], found[1], test, found[2])


Columns = tuple[Value, Value, Value]
"""Keys, those with one more behind them, and that one."""


def looked_up(node: ir.Node | None) -> tuple[Value, Columns] | None:
    """Return where a key stands, and that key, if a node tells whether it is there.

    A Less tells it, and a GreaterOrEqual the contrary.
    """
    if node is None or node.op_type not in BRANCHES or len(node.inputs) != 2:
        return None
    place, count = node.inputs
    columns = [] if place is None else list(columns_of(place))
    if place is None or len(columns) != 1 or counted(count) is not columns[0][0]:
        return None
    return place, columns[0]


def by_answer(truth: Value, ends: list[Value]) -> list[Value]:
    """Return what an If that asks for a key gives where it is there, and where it is not."""
    node = truth.producer()
    return ends if node is not None and node.op_type == "Less" else ends[::-1]


def _by_answer(
    inner: Value, place: Value, columns: Columns, there: Value, missing: Value
) -> _Put | None:
    """Return what a turn does to a column that is longer where a key was not there."""
    keys, _, key = columns
    row = made_by(missing, "Concat")
    if row is None or len(row.inputs) != 2 or row.inputs[0] is not inner or row.inputs[1] is None:
        return None
    if inner is keys:
        fits = there is inner and is_one(row.inputs[1], key)
        return _Put(keys, key, None, None) if fits else None
    write = made_by(there, "ScatterElements")
    added = _added(write, None, inner, place)
    return _Put(keys, key, None, added) if added and is_one(row.inputs[1], added) else None


def grown_column(value: Value, inner: Value) -> tuple[Value, Value, Value | None] | None:
    """Return the keys, the key, and what is added, if a column has a row for the key."""
    write = made_by(value, "ScatterElements")
    cut = made_by(value if write is None else write.inputs[0], "Slice")
    if cut is None or len(cut.inputs) != 4 or not _is_known(cut.inputs[1], 0):
        return None
    data, end = cut.inputs[0], _operand(cut.inputs[2], "Unsqueeze")
    most, more = _sides(end, "Max"), None
    for count, other in (most, most[::-1]):
        step = made_by(other, "Add")
        if step is not None and counted(count) is not None:
            more, keys = step, counted(count)
    if more is None or data is None:
        return None
    place = next((one for one in more.inputs if one is not None and const_array(one) is None), None)
    one = next((one for one in more.inputs if one is not place), None)
    if place is None or not _is_known(one, 1):
        return None
    columns = list(columns_of(place))
    if len(columns) != 1 or columns[0][0] is not keys:
        return None
    ((_, grown, key),) = columns
    if data is grown:
        return (keys, key, None) if keys is inner and write is None else None
    added = _added(write or made_by(data, "ScatterElements"), data, inner, place)
    return None if added is None else (keys, key, added)


def _added(write: ir.Node | None, data: Value | None, inner: Value, place: Value) -> Value | None:
    """Return what is added to the number at a place of a column, or to 0 behind it.

    Args:
        write: What writes the sum.
        data: What it writes to, before or after that is cut; None of the column itself.
        inner: The column.
        place: Where the sum stands.
    """
    if write is None or "reduction" in write.attributes or len(write.inputs) != 3:
        return None
    longer, at, new = write.inputs
    if data is None:
        begins = longer is inner
    else:
        row = made_by(longer if write.outputs[0] is data else data, "Concat")
        begins = row is not None and row.inputs[0] is inner and len(row.inputs) == 2
        begins = begins and row is not None and _is_known(row.inputs[1], 0)
    if longer is None or not begins or _operand(at, "Unsqueeze") is not place:
        return None
    sides = _sides(_operand(new, "Unsqueeze"), "Add")
    for held, number in (sides, sides[::-1]):
        read = made_by(held, "Gather")
        if read is not None and read.inputs[0] is longer and read.inputs[1] is place:
            return number
    return None


def _sides(value: Value | None, operator: str) -> tuple[Value | None, Value | None]:
    node = made_by(value, operator)
    if node is None or len(node.inputs) != 2:
        return None, None
    return node.inputs[0], node.inputs[1]


def _operand(value: Value | None, operator: str) -> Value | None:
    node = made_by(value, operator)
    return None if node is None else node.inputs[0]


def _is_known(value: Value | None, number: int) -> bool:
    array = None if value is None else const_array(value)
    return array is not None and array.size == 1 and bool((array == np.array(number)).all())
