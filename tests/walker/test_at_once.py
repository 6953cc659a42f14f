"""Loops whose turns are computed at once, and those that must not be; no turn, one, many, nan."""

from __future__ import annotations

import itertools
from typing import Any

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, compiled
from tests.table import Table, hold


def _inputs() -> list[tuple[Any, ...]]:
    rng = np.random.RandomState(0)
    made = [(rng.rand(size).astype(np.float32), n) for size, n in ((8, 4), (0, 3), (1, 0), (2, 9))]
    quarters = (np.round(rng.rand(12) * 4) / 4 - 0.5).astype(np.float32)
    holes = rng.rand(7).astype(np.float32)
    holes[2] = np.nan
    return [*made, (quarters, 5), (holes, 7), (rng.rand(0).astype(np.float32), -2), (-holes, 1)]


at_once = Table(_inputs(), {"x": {0: "length"}})
other = Table(_inputs(), {"x": {0: "length"}})


@at_once()
def doubled(self, x, n):
    ys = [2 * float(v) + 1 for v in x]
    return [y * y for y in ys], len(ys)


@at_once()
def backwards(self, x, n):
    ys = [x[i] for i in range(len(x) - 1, -1, -1)]
    return F.stack(ys) if len(ys) > 0 else x


@at_once()
def sums_in_order(self, x, n):
    total, negative = 0.1, -0.0
    for v in x:
        total += float(v) * 1e8
        negative = negative + float(v) * -0.0
    return total, negative


@other()
def zeros_keep_their_signs(self, x, n):
    kept = []
    for i in range(n):
        if i % 2 == 0:
            kept.append(-abs(x) * i)
    total = -0.0
    for v in x:
        if v > 0.5:
            total += float(v) * -0.0
    return kept, total


@at_once()
def sums_of_the_dtype(self, x, n):
    single, whole = np.float32(0), np.int32(0)
    for v in x:
        single = single + v
    for v in (x > 0.5).astype(np.int32):
        whole = whole + v * 2**30
    return single, whole


@other()
def without_an_end(self, x, n):
    for i in itertools.count():
        if i >= n:
            break
    return i


@at_once()
def large_integers_wrap(self, x, n):
    total = np.int64(n)
    for i in range(len(x)):
        total = total + np.int64(2**62 + 1) * i
    return total


@at_once()
def branches(self, x, n):
    low = middle = high = 0
    total = 0.5
    for v in x:
        w = float(v)
        if w < 0.3:
            low += 1
            total += w
        elif w < 0.6:
            middle += 2
            total -= w
        else:
            high += 1
            total += 1
    return low, middle, high, total


@at_once()
def truths(self, x, n):
    large, small, last = False, True, -1.0
    for v in x:
        large = large or float(v) > 0.9
        small = small and float(v) < 0.8
        last = float(v)
    return large, small, last


@at_once()
def first_best(self, x, n):
    most, least, place, other = -1.0, float("nan"), -1, 0
    for i in range(len(x)):
        if float(x[i]) > most:
            most, place = float(x[i]), i
        if float(x[i]) < least:
            least, other = float(x[i]), i
    return most, place, least, other


@at_once()
def pairs_in_order(self, x, n):
    xs = [float(v) for v in x]
    count = 0
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            if xs[i] < xs[j]:
                count += 1
    return count


@at_once()
def differences(self, x, n):
    xs = [float(v) for v in x]
    total = 0.0
    for i in range(len(xs)):
        for j in range(i):
            total += abs(xs[i] - xs[j])
    return total


@at_once()
def overlaps(self, x, n):
    b = F.reshape(x[: len(x) // 4 * 4], (-1, 4)).array
    count = 0
    for i in range(b.shape[0]):
        for j in range(b.shape[0]):
            if i != j and b[i][0] < b[j][2] and b[j][0] < b[i][2]:
                count += 1
    return count


@at_once()
def tables_with_sums_outside(self, x, n):
    odd = turns = 0
    for i in range(len(x)):
        near = 0
        for j in range(i, len(x)):
            if x[i] > x[j]:
                near += 1
        if near % 2 == 1:
            odd += 1
        turns += 1
    return odd, turns


@at_once()
def reads_what_it_sums(self, x, n):
    total, count = 0.0, 0
    for v in x:
        total += float(v)
        if total > 1:
            count += 1
    return total, count


@at_once()
def leaves_early(self, x, n):
    count = 0
    for v in x:
        if float(v) > 0.8:
            break
        count += 1
    return count


@at_once()
def first_that_fits(self, x, n):
    place, low = -1, 0.5
    for i in range(len(x)):
        if float(x[i]) > 0.7:
            place = i
            break
        low = float(x[i])
    for v in x:
        if float(v) < 0:
            return place, low, float(v)
    return place, low, 9.0


@at_once()
def last_that_fits(self, x, n):
    place, before = -1, 0.25
    for i in range(len(x)):
        if float(x[i]) > 0.3:
            place = i
        if np.isnan(x[i]):
            continue
        before = float(x[i])
    return place, before


@at_once()
def leaves_both(self, x, n):
    twice, count = False, 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] == x[j]:
                twice = True
                break
            count += 1
        if twice:
            break
    return twice, count


@at_once()
def first_of_each_row(self, x, n):
    places, alone = [], 0
    for i in range(len(x)):
        place, seen = -1, False
        for j in range(len(x)):
            if x[j] > x[i]:
                place = j
                break
        for j in range(i):
            if x[j] == x[i]:
                seen = True
                break
        places.append(place)
        if not seen:
            alone += i
    return places, alone


@at_once()
def best_with_the_last_of_equals(self, x, n):
    most, place = -1.0, -1
    for i in range(len(x)):
        if float(x[i]) >= most:
            most, place = float(x[i]), i
    return most, place


@other()
def best_of_some(self, x, n):
    least, place = float("inf"), -1
    for i in range(len(x)):
        if i != n and float(x[i]) <= least:
            least, place = float(x[i]), i
    nearest = []
    for i in range(len(x)):
        apart, other = 1e9, -1
        for j in range(len(x)):
            if i != j and abs(float(x[i]) - float(x[j])) < apart:
                apart, other = abs(float(x[i]) - float(x[j])), j
        nearest.append(other)
    return least, place, nearest


@other()
def as_many_as_given(self, x, n):
    count = squares = 0
    for i in range(n):
        squares += i * i
    for i in range(len(x)):
        for j in range(n):
            count += i - j
    return count, squares


@at_once()
def read_beyond_the_end_where_there_is_a_turn(self, x, n):
    total = 0.0
    for i in range(len(x)):
        for j in range(n):
            total += float(x[j])
    return total


@at_once()
def writes_its_own_element(self, x, n):
    xs = [float(v) for v in x]
    for i in range(len(xs)):
        if xs[i] > 0.5:
            xs[i] = -xs[i]
    for i in range(len(xs)):
        if i % 2 == 0:
            xs[i] = xs[i] + 1
    return xs


@at_once()
def windows(self, x, n):
    xs, out, total = [float(v) for v in x], [], 0.0
    for i in range(len(xs) - 2):
        inner = 0.0
        for j in range(3):
            inner += xs[i + j]
        out.append(inner / 3)
    for i in range(len(xs) - 1):
        total += xs[i] * xs[i + 1]
    return out, total


@other()
def writes_the_rows_after(self, x, n):
    """The loop within is computed at once."""
    xs = [float(v) for v in x]
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            xs[j] = xs[j] * 0.5 + xs[i] * 0.5
    return xs


@other()
def suppresses(self, x, n):
    """Likewise."""
    xs = [float(v) for v in x]
    gone = [False for _ in xs]
    kept = 0
    for i in range(len(xs)):
        if not gone[i]:
            kept += 1
            for j in range(i + 1, len(xs)):
                if abs(xs[i] - xs[j]) < 0.15:
                    gone[j] = True
    return kept, gone


@other()
def writes_what_others_read(self, x, n):
    xs = [float(v) for v in x]
    for i in range(1, len(xs)):
        xs[i] = xs[i - 1] + 1
    for i in range(len(xs) - 1):
        xs[i] = xs[i + 1] + xs[i]
    for i in range(len(xs)):
        xs[i - 1] = xs[i] * 2
    return xs


@other()
def writes_each_element_twice(self, x, n):
    """From the end on, and from the beginning."""
    xs = [float(v) for v in x]
    for i in range(2 * len(xs)):
        xs[i - len(xs)] = xs[i - len(xs)] * 2 + 1
    for i in range(len(xs)):
        xs[i] = xs[i] + xs[-2] if len(xs) > 1 else 0.0
    return xs


@other()
def writes_beyond_the_end(self, x, n):
    xs = [float(v) for v in x]
    for i in range(n):
        xs[i] = 1.0
    return xs


@other()
def writes_one_element(self, x, n):
    xs = [float(v) for v in x]
    for i in range(n):
        if len(xs) > 0:
            xs[0] = xs[0] + i
    return xs


@other()
def read_after_the_row(self, x, n):
    """The row after the last is read in no turn."""
    xs = [float(v) for v in x]
    total = 0.0
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            total += xs[i + 1] * xs[j]
    return total


@other()
def divides_where_it_may(self, x, n):
    total = 0
    for i in range(n):
        if i != 3:
            total += 100 // (i - 3)
    return total


@other()
def divides_by_zero(self, x, n):
    total = 0
    for i in range(n):
        total += 100 // (i - 3)
    return total


@other()
def leaves_before_a_row_that_is_not_there(self, x, n):
    for i in range(len(x)):
        if x[i + 1] > 0.9:
            return i
    return -1


@other()
def leaves_by_the_sum(self, x, n):
    total, kept = 0.0, []
    for v in x:
        total += float(v)
        if total > 2:
            break
        kept.append(total)
    return total, kept


@other()
def leaves_while_it_writes(self, x, n):
    xs = [float(v) for v in x]
    for i in range(len(xs)):
        if xs[i] > 0.5:
            break
        xs[i] = -1.0
    return xs


@at_once()
def leaves_by_its_sum(self, x, n):
    total = 0.25
    for v in x:
        total += float(v) * 0.5
        if total > n:
            break
    return total


@at_once()
def leaves_by_its_count(self, x, n):
    seen, last = 0, -1.0
    for i in range(len(x)):
        if x[i] > 0.5:
            seen += 1
            last = float(x[i])
        if seen == 2:
            break
    return seen, last


@other()
def leaves_by_its_sum_before_a_row_that_is_not_there(self, x, n):
    total = 0
    for i in range(len(x) + 2):
        total += 1
        if total >= n:
            break
        total += int(x[i] > 2)
    return total


@at_once()
def place_of_the_smallest(self, x, n):
    xs = [float(v) for v in x]
    first, last = 0, 0
    for i in range(1, len(xs)):
        if xs[i] < xs[first]:
            first = i
        if xs[i] <= xs[last]:
            last = i
    return first, last


@at_once()
def counts_in_a_while(self, x, n):
    i, best = 1, 0
    while i < len(x):
        if x[i] > x[best]:
            best = i
        i += 1
    return best, i


@other()
def looks_on_while_it_rises(self, x, n):
    i = 1
    while i < len(x) and x[i] >= x[i - 1]:
        i += 1
    return i


@other()
def looks_for_the_first(self, x, n):
    xs, i, total = [float(v) for v in x], 0, 0.0
    while i < len(xs) and total < 1:
        total += xs[i]
        i += 1
    return i, total


@other()
def looks_beyond_the_end(self, x, n):
    i = 0
    while i < n and x[i] < 0.7:
        i += 1
    return i


@other()
def counts_from_below_zero(self, x, n):
    i, total = -2, 0
    while i < n:
        total += i * i
        i += 1
    return total, i


@other()
def gives_on_its_count(self, x, n):
    i, before = 0, -1
    while i < len(x):
        before = i
        i += 1
    return before, i


@other()
def sorts_by_selection(self, x, n):
    xs = [float(v) for v in x]
    for i in range(len(xs)):
        least = i
        for j in range(i + 1, len(xs)):
            if xs[j] < xs[least]:
                least = j
        xs[i], xs[least] = xs[least], xs[i]
    return xs


@other()
def takes_a_place_that_may_not_be(self, x, n):
    xs = [float(v) for v in x]
    place = n
    for i in range(len(xs)):
        if xs[i] < xs[place]:
            place = i + 1
    return place


@pytest.mark.parametrize("program", at_once.programs, ids=lambda one: one.name)
def test_loops_at_once(program: Program) -> None:
    hold(program)
    graph = compiled(program).proto.graph
    outside = {node.op_type for node in graph.node}
    assert "Loop" not in outside  # but in the branch for more turns than are computed at once


@pytest.mark.parametrize("program", other.programs, ids=lambda one: one.name)
def test_other_loops(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("name", ["writes_the_rows_after", "suppresses", "sorts_by_selection"])
def test_the_loop_within_is_computed_at_once(name: str) -> None:
    (program,) = (one for one in other.programs if one.name == name)
    (loop,) = (node for node in compiled(program).proto.graph.node if node.op_type == "Loop")
    assert "ScatterElements" in str(loop)
    assert 'op_type: "Loop"' not in str(loop.attribute)


@pytest.mark.parametrize("name", ["looks_on_while_it_rises", "looks_for_the_first"])
def test_a_search_stands_in_a_branch(name: str) -> None:
    (program,) = (one for one in other.programs if one.name == name)
    assert "Loop" not in compiled(program).graph.to_text()


def test_many_turns_stay_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables beyond the bound give the same."""
    monkeypatch.setattr("onnx_graph.passes.at_once.MOST", 6)
    names = ("pairs_in_order", "as_many_as_given", "tables_with_sums_outside")
    for program in [*at_once.programs, *other.programs]:
        if program.name in names:
            hold(program)
