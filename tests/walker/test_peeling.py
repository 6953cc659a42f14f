"""Loops whose first turn settles what they carry; zero turns, one, many; first turns that fail."""

from __future__ import annotations

from typing import Any

import chainer.functions as F
import chainer.links as L
import numpy as np
import onnx
import pytest

from elichika.walker import peeling
from elichika.walker.peeling import Peeling
from tests.programs import Program, compiled, f32
from tests.table import Table, hold

case = Table()


def _rows(count: int, seed: int = 0) -> Any:
    """Rows of eighths, whose sums are exact."""
    return np.round(f32(count, 4, seed=seed) * 8) / 8


#: Arrays with a first axis that is gone through, and a number.
ROWS = [(_rows(3), 2), (_rows(0), 0), (_rows(1), 1), (_rows(6), -1), (_rows(2, seed=7), 5)]
ROW_AXES = {"x": {0: "rows"}}
#: Batches of series.
SERIES = [(f32(b, t, 3), t) for b, t in ((2, 3), (1, 1), (4, 6), (3, 2), (2, 9))]
EMPTY = [(f32(b, t, 3), t) for b, t in ((2, 0), (0, 3), (0, 0))]
SERIES_AXES = {"x": {0: "batch", 1: "time"}}


@case(ROWS, ROW_AXES)
def state_from_none(self, x, n):
    h = None
    for row in x:
        h = row if h is None else h * 0.5 + row
    return h


@case(ROWS, ROW_AXES)
def attribute_from_none(self, x, n):
    self.h = None
    for row in x:
        if self.h is None:
            self.h = row * n
        else:
            self.h = self.h - row
    return self.h is None, 0 if self.h is None else self.h.sum()


@case(ROWS, ROW_AXES)
def an_input_that_changes_places(self, x, n):
    """What the loop carries of it was never written."""
    a, d, count = x, self, 0
    while n:
        count += 1
        if count:
            d, a = a, d
            break
        else:
            d += n
    return count


@case(ROWS, ROW_AXES)
def number_that_becomes_an_array(self, x, n):
    total = 0
    for row in x:
        total = total + row * n
    return total


@case(ROWS, ROW_AXES)
def int_that_becomes_a_float(self, x, n):
    total, turns = 0, 0
    for row in x:
        total += float(row[0])
        turns += 1
    return total, turns


@case(ROWS, ROW_AXES)
def name_that_only_the_loop_binds(self, x, n):
    for row in x:
        last = row * 2
    return last


@case(ROWS, ROW_AXES)
def two_states(self, x, n):
    h, c = None, None
    for i in range(len(x)):
        if h is None:
            h, c = x[i], x[i] * n
        else:
            h, c = h + c, c * 0.5 + x[i]
    return (h, c) if h is not None else (0, 0)


@case(ROWS, ROW_AXES)
def one_state_settles_and_one_does_not(self, x, n):
    h, best = None, None
    for row in x:
        h = row if h is None else h + row
        if row[0] > 0:
            best = h * 2
    return h, best is None


@case(ROWS, ROW_AXES)
def nothing_settles(self, x, n):
    best = None
    for row in x:
        if row[1] > 0.2 and (best is None or row[1] > best):
            best = row[1]
    return -1.0 if best is None else best


@case(ROWS, ROW_AXES)
def break_on_the_first_turn(self, x, n):
    h = None
    for row in x:
        h = row if h is None else h + row
        if n < 1:
            break
    return h


@case(ROWS, ROW_AXES)
def break_before_the_state_is_set(self, x, n):
    h = None
    for i, row in enumerate(x):
        if i >= n:
            break
        h = row if h is None else h + row
    return h is None, 0 if h is None else h


@case(ROWS, ROW_AXES)
def continue_on_the_first_turn(self, x, n):
    h = None
    for i, row in enumerate(x):
        if i == 0 and n > 1:
            continue
        h = row if h is None else h + row * i
    return h is None, 0 if h is None else h


@case(ROWS, ROW_AXES)
def return_from_a_turn(self, x, n):
    h = None
    for i, row in enumerate(x):
        h = row if h is None else h + row
        if i == n:
            return h * 100
    return h


@case(ROWS, ROW_AXES)
def otherwise(self, x, n):
    h = None
    for row in x:
        h = row if h is None else h + row
        if h[0] > 2:
            break
    else:
        h = (h, 1)
    return h if isinstance(h, tuple) else (h, 0)


@case(ROWS, ROW_AXES)
def index_in_the_first_turn(self, x, n):
    h = None
    for i in range(len(x)):
        h = x[i] * (i + 1) if h is None else h + x[i] * (i + 1)
    return h


@case(ROWS, ROW_AXES)
def index_that_fails_on_turn_one(self, x, n):
    h = None
    for i in range(n):
        h = x[i] if h is None else h + x[i]
    return h


@case(ROWS, ROW_AXES)
def first_turn_fails(self, x, n):
    h = None
    for i in range(n):
        h = 10 // (n - 2) if h is None else h + i
    return h


@case(ROWS, ROW_AXES)
def later_turn_fails(self, x, n):
    h = None
    for i in range(len(x)):
        if h is None:
            h = x[i]
        else:
            assert i < n + 3
            h = h + x[i]
    return h


@case(ROWS, ROW_AXES)
def later_turns_always_fail(self, x, n):
    h = None
    for row in x:
        if h is not None:
            raise ValueError("more than one row")
        h = row
    return h


@case(ROWS, ROW_AXES)
def first_turn_leaves_surely(self, x, n):
    h = None
    for row in x:
        if h is None:
            h = row * 3
        break
    return h


@case(ROWS, ROW_AXES)
def while_from_none(self, x, n):
    h, i = None, 0
    while i < len(x):
        h = x[i] if h is None else h * 0.5 + x[i]
        i += 1
    return h, i


@case(ROWS, ROW_AXES)
def while_on_the_state(self, x, n):
    total, i = None, 0
    while i < len(x) and (total is None or total < 3):
        total = abs(float(x[i, 0])) + (0 if total is None else total)
        i += 1
    return total, i


@case(ROWS, ROW_AXES)
def collected(self, x, n):
    kept, h = [], None
    for row in x:
        h = row if h is None else h + row
        kept.append(h)
    return kept


@case(ROWS, ROW_AXES)
def collected_after_a_first_item(self, x, n):
    kept, h = [x.sum(axis=0)], None
    for row in x:
        h = row if h is None else h + kept[-1]
        kept.append(h)
    return kept, len(kept)


@case(ROWS, ROW_AXES)
def list_that_is_none_first(self, x, n):
    kept = None
    for row in x:
        if kept is None:
            kept = [row]
        else:
            kept.append(row * 2)
    return kept is None, 0 if kept is None else kept[-1]


@case(ROWS, ROW_AXES)
def nested(self, x, n):
    total = None
    for row in x:
        h = None
        for v in row:
            h = v if h is None else h * 0.5 + v
        total = h if total is None else total + h
    return total


@case(ROWS, ROW_AXES)
def nested_with_a_state_of_both(self, x, n):
    h = None
    for row in x:
        for i in range(n):
            h = row if h is None else h + row * i
    return h


@case(ROWS, ROW_AXES)
def nested_search(self, x, n):
    best, place = None, (-1, -1)
    for i in range(len(x)):
        for j in range(n):
            v = x[i, j % 4]
            if best is None or v > best:
                best, place = v, (i, j)
    return best, place


@case(ROWS, ROW_AXES)
def one_after_another(self, x, n):
    h = None
    for row in x:
        h = row if h is None else h + row
    for row in x[1:]:
        h = row if h is None else h * row
    for i in range(n):
        h = i if h is None else h + 1
    return h


@case(ROWS, ROW_AXES)
def arrays_that_stay_one_object(self, x, n):
    kept, alias = None, None
    for row in x:
        if kept is None:
            kept = row * 1
            alias = kept
        kept += row
    return kept is alias, kept, alias


@case(ROWS, ROW_AXES)
def arrays_that_the_first_turn_gives(self, x, n):
    start = np.zeros(4, np.float32)
    h = None
    for row in x:
        if h is None:
            h = start
        h += row
    return h is start, start


@case(ROWS, ROW_AXES)
def arrays_rebound_by_turns(self, x, n):
    a, b = np.zeros(4, np.float32), np.ones(4, np.float32)
    cur = None
    for row in x:
        cur = a if cur is None or cur is b else b
        cur += row
    return cur is a, cur is b, a, b


@case(ROWS, ROW_AXES)
def another_size_from_the_second_turn_on(self, x, n):
    h = None
    for row in x:
        h = row[:2] if h is None else np.concatenate([h, row])
    return h


@case(ROWS, ROW_AXES)
def another_type_from_the_third_turn_on(self, x, n):
    h = None
    for i, row in enumerate(x):
        if h is None:
            h = i
        elif i == 1:
            h = h + 1
        else:
            h = h + row[0]
    return h


@case(ROWS, ROW_AXES)
def pairs(self, x, n):
    pair = None
    for row in x:
        pair = (row, 1) if pair is None else (pair[0] + row, pair[1] + 1)
    return pair


@case(ROWS, ROW_AXES)
def dicts(self, x, n):
    found = None
    for i, row in enumerate(x):
        if found is None:
            found = {"sum": row, "turns": 1}
        else:
            found["sum"] = found["sum"] + row
            found["turns"] += i
    return found is None, 0 if found is None else found["turns"]


class Cell:
    def __init__(self, value):
        self.value = value


@case(ROWS, ROW_AXES)
def objects(self, x, n):
    cell = None
    for row in x:
        if cell is None:
            cell = Cell(row)
        else:
            cell.value = cell.value + row
    return cell is None, 0 if cell is None else cell.value


@case(ROWS, ROW_AXES)
def functions(self, x, n):
    def first(row):
        return row * 10

    def later(row):
        return row + n

    step, total = first, 0.0
    for row in x:
        total += float(step(row).sum())
        step = later
    return total


@case(ROWS, ROW_AXES)
def text(self, x, n):
    kind, total = "first", 0.0
    for row in x:
        total += float(row[0]) if kind == "first" else float(row[1])
        kind = "later"
    return total


@case(ROWS, ROW_AXES)
def turns_of_a_list_that_grows(self, x, n):
    queue, last = [0], None
    for i in queue:
        last = i if last is None else last + i
        if i < n:
            queue.append(i + 1)
    return last, len(queue)


@case(ROWS, ROW_AXES)
def pairs_of_neighbours(self, x, n):
    last, total = None, 0.0
    for row in x:
        if last is not None:
            total += float((row * last).sum())
        last = row
    return total


@case(SERIES + EMPTY[1:2], SERIES_AXES, lstm=lambda: L.LSTM(3, 4))
def lstm(self, x, n):
    self.lstm.reset_state()
    for t in range(x.shape[1]):
        h = self.lstm(x[:, t])
    return h


@case(SERIES + EMPTY, SERIES_AXES, lstm=lambda: L.LSTM(3, 4))
def lstm_of_all_states(self, x, n):
    self.lstm.reset_state()
    return F.stack([self.lstm(x[:, t]) for t in range(x.shape[1])], axis=1)


@case(SERIES + EMPTY, SERIES_AXES, gru=lambda: L.StatefulGRU(3, 4))
def stateful_gru(self, x, n):
    self.gru.reset_state()
    for t in range(n):
        h = self.gru(x[:, t])
    return h


@case(SERIES + EMPTY, SERIES_AXES, lstm=lambda: L.StatelessLSTM(3, 4))
def stateless_lstm(self, x, n):
    c = h = None
    for t in range(n):
        c, h = self.lstm(c, h, x[:, t])
    return c, h


@case(SERIES + EMPTY, SERIES_AXES, a=lambda: L.LSTM(3, 4), b=lambda: L.LSTM(4, 2))
def two_layers_with_dropout(self, x, n):
    self.a.reset_state()
    self.b.reset_state()
    y = None
    for t in range(n):
        y = self.b(F.dropout(self.a(x[:, t])))
    return y, self.a.c, self.b.h


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_turns_that_are_long_are_not_peeled(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But where nothing else compiles; all are long here."""
    monkeypatch.setattr(peeling, "LONG", -1)
    hold(program)


def test_a_loop_of_long_turns_asks_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = [one for one in case.programs if one.name == "state_from_none"]
    monkeypatch.setattr(peeling, "LONG", -1)
    assert any("If" in body for body in _bodies(program))


def _loops(graph: Any) -> list[Any]:
    found = []
    for node in graph.node:
        found += [node] * (node.op_type == "Loop")
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found += _loops(attribute.g)
    return found


def _bodies(program: Program) -> list[set[str]]:
    """Return the operators in the body of each Loop."""
    loops = _loops(compiled(program).proto.graph)
    return [{node.op_type for node in loop.attribute[0].g.node} for loop in loops]


@pytest.mark.parametrize(
    "name", ["state_from_none", "two_states", "lstm", "number_that_becomes_an_array"]
)
def test_no_turn_of_the_loop_asks_what_the_first_settled(name: str) -> None:
    (program,) = [one for one in case.programs if one.name == name]
    assert all("If" not in body for body in _bodies(program))


def test_a_loop_that_asks_at_each_turn_stands_as_it_is() -> None:
    (program,) = [one for one in case.programs if one.name == "nothing_settles"]
    assert len(_bodies(program)) == 1


def test_a_refused_peel_leaves_no_trace() -> None:
    """The nodes of `nothing_settles` are those that a compile without peeling gives."""
    (program,) = [one for one in case.programs if one.name == "nothing_settles"]
    tried = compiled(program).proto
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Peeling, "_survey", lambda self, loop: (0, self.fixed_point.walked(loop)))
        plain = compiled(program).proto
    assert tried.SerializeToString() == plain.SerializeToString()
