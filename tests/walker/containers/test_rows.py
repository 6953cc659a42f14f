"""Lists, dicts and objects in lists of dynamic length that nothing changes there: copies."""

from __future__ import annotations

import chainer
import numpy as np
import pytest
from chainer import functions as F

import elichika
from tests.programs import Program, check, compiled, f32


def var(*shape):
    return chainer.Variable(f32(*shape))


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


def rows_of_arrays(self, x, n, k):
    rows, row = [[]], []
    for i in range(n):
        row = [*row, x[i] * i]
        rows.append(row)
    s = np.zeros(2, "f")
    for row in rows:
        for a in row:
            s = s + a
        if len(row) > 1:
            s = s + row[-1] * len(row)
    return s, rows, rows[k]


def rows_of_variables_in_dicts(self, x, n):
    found = [{"score": 0.0, "states": [F.relu(x[0])]}]
    for i in range(n):
        grown = []
        for one in found:
            for w in range(2):
                score = one["score"] + float(x.array[i, w])
                grown.append({"score": score, "states": one["states"] + [F.tanh(x[i]) * w]})
        found = sorted(grown, key=lambda one: one["score"])[-3:]
    return F.stack(found[0]["states"]), found[-1]["score"], found[0]["states"]


def rows_of_ids(self, x, n):
    found = [(0.0, [np.full(1, 7, "i")])]
    for i in range(n):
        score, ids = found[-1]
        best = int(np.argmax(x[i]))
        found.append((score + float(x[i, best]), [*ids, np.full(1, best, "i")]))
        if i % 2 == 1:
            found.append((score, ids[1:]))
    score, ids = sorted(found, key=lambda one: one[0])[-1]
    return score, np.concatenate(ids), [len(ids) for _, ids in found]


def rows_in_objects(self, x, n):
    points = []
    for i in range(n):
        points.append(Point(x + i, [x * j for j in range(i)]))
    s = x * 0
    for p in points:
        s = s + p.x * len(p.tags)
        for tag in p.tags[1:]:
            s += tag
    return s, [p.tags for p in points]


def rows_of_pairs_and_of_nothing(self, x, n):
    rows = []
    for i in range(n):
        rows.append([(j, None if j == 1 else x + j) for j in range(i)])
    last = x
    for row in rows:
        for number, a in row:
            last = last * number if a is None else last + a
    return last, [len(row) for row in rows]


def rows_on_one_side_only(self, x, n):
    rows = []
    for i in range(n):
        if i % 3 == 0:
            rows.append([])
        elif i % 3 == 1:
            rows.append([x])
        else:
            rows.append([x, x * 2, x + i])
    return rows, sum([len(row) for row in rows])


def rows_of_an_array(self, x, n):
    rows = x.tolist()
    lengths = x.sum(axis=1).astype("i").tolist()
    best = max(lengths) if lengths else n
    return rows, lengths, (x > n).tolist(), [x[:k].shape for k in lengths], best


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
    Program(rows_of_arrays, [(f32(5, 2), 3, 1), (f32(5, 2), 0, 0), (f32(5, 2), 5, -2)]),
    Program(rows_of_variables_in_dicts, [(var(3, 2), 2), (var(3, 2), 0), (var(3, 2), 3)]),
    Program(rows_of_ids, [(f32(6, 4), 3), (f32(6, 4), 0), (f32(6, 4), 1), (f32(6, 4), 6)]),
    Program(rows_in_objects, [(f32(2), 3), (f32(2), 1), (f32(2), 5)]),
    Program(rows_of_pairs_and_of_nothing, [(f32(2), 3), (f32(2), 0), (f32(2), 5)]),
    Program(
        rows_of_an_array,
        [(f32(4, 2), 1), (f32(0, 2), 0), (f32(1, 5) * 3, 0), (f32(3, 0), 2)],
        axes={"x": {0: "rows", 1: "columns"}},
    ),
    Program(rows_on_one_side_only, [(f32(2), 4), (f32(2), 0), (f32(2), 7)]),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    check(program, compiled(program))


def test_a_list_of_arrays_of_unlike_shapes_in_a_list_is_no_result() -> None:
    def forward(self, n):
        rows = []
        for i in range(n):
            rows.append([np.zeros(j) for j in range(i)])
        return rows

    with pytest.raises(
        elichika.ElichikaError,
        match="a list of lists of dynamic length in a list cannot be a result",
    ):
        compiled(Program(forward, [(3,)]))


def attention_of_decoders(self, x, n):
    alphas = [[] for _ in range(len(x))]
    h = x
    for _ in range(n):
        a = F.softmax(h, axis=1)
        for b in range(len(x)):
            alphas[b].append(a.array[b])
        h = h + a.array
    return alphas, [np.array(rows).sum() for rows in alphas]


def some_rows_of_variables(self, x, n):
    held = [[] for _ in range(len(x))]
    for i in range(n):
        for b in range(len(x)):
            if x[b].sum() > -1:
                held[b].append(F.tanh(x[b] * i))
    return [len(rows) for rows in held], [F.stack(rows) for rows in held if len(rows)]


def rows_of_a_part(self, x, n):
    held = [[] for _ in range(len(x))]
    for i in range(n):
        for b in range(len(x)):
            held[b].append(x[b, 1:] + i)
    return held


SIZED = [
    Program(
        forward,
        [
            (f32(b, t, seed=b), n)
            for b, t, n in ((3, 4, 2), (1, 5, 0), (2, 1, 1), (5, 6, 4), (0, 3, 2))
        ],
        axes={"x": {0: "batch", 1: "time"}},
    )
    for forward in (attention_of_decoders, some_rows_of_variables, rows_of_a_part)
]


@pytest.mark.parametrize("program", SIZED, ids=lambda program: program.name)
def test_arrays_whose_sizes_are_those_of_an_input(program: Program) -> None:
    check(program, compiled(program))
