"""Lists, dicts and objects in lists of dynamic length: copies, which nothing writes any more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled, f32


class Point:
    def __init__(self, x, tags):
        self.x = x
        self.tags = tags


def growing_lists(self, n):
    rows = []
    row = []
    for i in range(n):
        row = [*row, i * i]
        rows.append(row)
    return rows


def lengths_and_items(self, n, k):
    rows = [[7], []]
    for i in range(n):
        rows.append([i] * (i % 3))
    total = 0
    for row in rows:
        for number in row:
            total += number
        total += 100 * len(row)
    return total, rows[-1], rows[k]


def hypotheses(self, x, n):
    found = [(0.0, [0], x[0])]
    for i in range(n):
        grown = []
        for score, words, state in found:
            for w in range(2):
                grown.append((score + float(state[w]), [*words, w], state + x[i]))
        found = sorted(grown, key=lambda one: -one[0])[:3]
    return [(words[1:], score) for score, words, _ in found], found[0][2]


def dicts_of_fixed_keys(self, x, n):
    found = [{"score": 0.0, "words": [1]}]
    for i in range(n):
        last = found[-1]
        found.append({"score": last["score"] + i, "words": last["words"] + [i, i]})
    best = found[0]
    for one in found:
        if one["score"] > best["score"]:
            best = one
    return best["words"], best["score"], found


def lists_of_states(self, x, n):
    states = [[x, x * 2]]
    for i in range(n):
        c, h = states[-1]
        states.append([c + h, h * i])
    return states[-1], [h for _, h in states]


def objects(self, x, n):
    points = []
    for i in range(n):
        points.append(Point(x + i, [i]))
    s = x * 0
    for p in points:
        s = s + p.x * len(p.tags) + p.tags[0]
    return s


def tuples_that_grow(self, n):
    rows, t = [], ()
    for i in range(n):
        t = (*t, i)
        rows.append(t)
    return rows, len(rows[-1])


def floats_or_nothing(self, n):
    rows = []
    for i in range(n):
        rows.append([] if i == 1 else [0.5] * i)
    return rows


PROGRAMS = [
    Program(growing_lists, [(3,), (1,), (5,)]),
    Program(lengths_and_items, [(3, 0), (0, 1), (6, -1), (1, -2)]),
    Program(
        hypotheses,
        [(f32(4, 2), 3), (f32(1, 2), 0), (f32(6, 2), 6), (f32(2, 2), 1)],
        axes={"x": {0: "n"}},
    ),
    Program(dicts_of_fixed_keys, [(f32(2), 3), (f32(2), 0), (f32(2), 1)]),
    Program(lists_of_states, [(f32(2), 3), (f32(2), 0), (f32(2), 1)]),
    Program(objects, [(f32(2), 3), (f32(2), 0), (f32(2), 1)]),
    Program(tuples_that_grow, [(3,), (1,), (0,)]),
    Program(floats_or_nothing, [(4,), (1,), (2,)]),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    check(program, compiled(program))


def changed_after_it_was_stored(self, n):
    rows, row = [], [1]
    for i in range(n):
        rows.append(row)
        row.append(i)
    return rows


def changed_after_the_loop(self, n):
    rows, row = [], [1]
    for _ in range(n):
        rows.append(row)
    row.append(5)
    return rows


def changed_before_it_is_stored(self, n):
    rows, row = [], [1]
    for i in range(n):
        row.append(i)
        rows.append(row)
    return rows


def an_element_changed(self, n):
    rows = []
    for i in range(n):
        rows.append([i])
    rows[0].append(5)
    return rows


def an_item_of_an_element_changed(self, n):
    rows = []
    for i in range(n):
        rows.append({"a": i})
    for row in rows:
        row["a"] += 1
    return rows


def an_attribute_changed(self, n):
    points = []
    for i in range(n):
        points.append(Point(i, [i]))
    points[-1].x = 7
    return points[0].x


def changed_in_a_branch(self, n):
    rows, row = [], [1]
    for i in range(n):
        if i % 2 == 0:
            rows.append(row)
        else:
            row += [2]
    return rows


def identity_of_elements(self, n):
    rows = []
    for i in range(n):
        rows.append([i])
    return rows[0] is rows[-1], n


@pytest.mark.parametrize(
    "forward",
    [
        changed_after_it_was_stored,
        changed_after_the_loop,
        changed_before_it_is_stored,
        an_element_changed,
        an_item_of_an_element_changed,
        an_attribute_changed,
        changed_in_a_branch,
        identity_of_elements,
    ],
    ids=lambda forward: forward.__name__,
)
def test_what_would_be_seen_through_a_copy_is_refused(forward: Any) -> None:
    with pytest.raises(elichika.StagingError, match="list of dynamic length"):
        compiled(Program(forward, [(3,)]))


def test_a_list_of_arrays_of_any_length_is_no_element() -> None:
    def forward(self, n):
        rows = []
        for i in range(n):
            rows.append([np.zeros(2)] * i)
        return rows

    with pytest.raises(elichika.ElichikaError, match="list of dynamic length of numbers only"):
        compiled(Program(forward, [(3,)]))
