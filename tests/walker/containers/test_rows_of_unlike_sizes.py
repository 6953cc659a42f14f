"""Lists of any length in lists of any length, of arrays of unlike sizes, of lists, of dicts."""

from __future__ import annotations

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

SIZES = ((3, 4), (2, 6), (5, 1), (1, 3), (4, 2), (1, 1))
case = Table([(f32(*size, 4),) for size in SIZES], {"x": {0: "batch", 1: "time"}})


@case()
def pieces_appended_by_row(self, x):
    rows = [[] for _ in range(len(x))]
    for t in range(x.shape[1]):
        for b in range(len(x)):
            rows[b].append(x[b, : t + 1])
    return [F.concat(row, axis=0) for row in rows]


@case()
def some_rows_stay_empty(self, x):
    rows = [[] for _ in range(len(x))]
    for t in range(x.shape[1]):
        for b in range(len(x)):
            if x[b, t, 0] > 0:
                rows[b].append(x[b, :t, t % 4 :])
    return [sum([F.sum(a) for a in row], 0.0) for row in rows], [len(row) for row in rows]


@case()
def slices_of_one_row_each(self, x):
    steps = []
    for t in range(x.shape[1]):
        steps.append([F.softmax(x[b : b + 1, t]) for b in range(len(x))])
    return [F.vstack(step) for step in steps]


@case()
def lists_of_ints_by_row_and_step(self, x):
    out = [[[] for _ in range(x.shape[1])] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            out[b][t].append(int(x[b, t].argmax()))
            if x[b, t, 0] > 0:
                out[b][t - 1].append(-1)
    return [o[0] for o in out], sum(len(w) for o in out for w in o)


@case()
def hypotheses_of_each_row(self, x):
    hyps = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            hyps[b].append({"s": float(x[b, t, 0]), "y": list(range(t)), "h": x[b, : t + 1]})
    best = [max(h, key=lambda one: one["s"]) for h in hyps]
    return [h["y"] for h in best], [h["h"] for h in best]


@case()
def hypotheses_that_change(self, x):
    hyps = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            hyps[b].append({"s": float(x[b, t, 0]), "y": list(range(t))})
    for row in hyps:
        for h in row:
            h["y"].append(7)
            h["s"] += 1
    return [h[0]["y"] for h in hyps], [h[-1]["s"] for h in hyps]


@case()
def one_or_two_arrays(self, x):
    rows = []
    for b in range(len(x)):
        rows.append([x[b, : b + 1], x[b]] if x[b, 0, 0] > 0 else [x[b]])
    return [len(row) for row in rows], F.concat([F.concat(row, axis=0) for row in rows], axis=0)


@case()
def arrays_of_several_dtypes_in_tuples(self, x):
    rows = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            rows[b].append((x[b, :t] > 0, t, x[b, t:].astype("d"), None))
    counts = sum(one[1] for row in rows for one in row)
    return [row[-1][0] for row in rows], [row[0][2].sum() for row in rows], counts


@case()
def variables_or_none(self, x):
    rows = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            rows[b].append(None if x[b, t, 0] > 0 else F.relu(x[b, t:]))
    total = 0.0
    for row in rows:
        for h in row:
            if h is not None:
                total = total + F.sum(h)
    return total


@case()
def sorted_taken_and_turned(self, x):
    out = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            out[b].insert(0, x[b, :t])
    for row in out:
        row.sort(key=lambda v: -len(v))
    last = [row.pop() for row in out]
    return last, [F.concat(row[::-1] + [x[0]], axis=0) for row in out]


@case()
def sizes_of_zero(self, x):
    out = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            out[b].append(x[b, t:, :t])
    return [row[0] for row in out], [row[-1].shape for row in out]


@case()
def four_deep(self, x):
    out = []
    for b in range(len(x)):
        row = []
        for t in range(x.shape[1]):
            row.append([[m + b for m in range(k)] for k in range(t)])
        out.append(row)
    return sum(v for a in out for b in a for c in b for v in c), len(out[-1][-1])


@case()
def by_key_and_row(self, x):
    found = {}
    for b in range(len(x)):
        for t in range(x.shape[1]):
            found.setdefault(int(x[b, t].argmax()), []).append(x[b, t:])
    return [F.concat(found[k], axis=0) for k in sorted(found)]


@case()
def bytes_of_unlike_sizes(self, x):
    y = (x > 0).astype(np.uint8)
    out = [[] for _ in range(len(x))]
    for b in range(len(x)):
        for t in range(x.shape[1]):
            out[b].append(y[b, :t])
    return [row[-1] for row in out], [int(a.sum()) for row in out for a in row]


@case()
def taken_out_and_appended_to(self, x):
    rows = []
    for b in range(len(x)):
        rows.append([np.zeros(b)])
    last = rows.pop()
    last.append(x)
    return last


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_rows_of_unlike_sizes(program: Program) -> None:
    hold(program)
