"""Lists in lists of dynamic length, in lists again: the innermost ones live in arenas."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

SIZES = ((2, 3, 3), (1, 1, 2), (3, 2, 1), (4, 5, 0), (2, 6, 4))
BATCHES = [(f32(batch, time, 3), n) for batch, time, n in SIZES]

case = Table(BATCHES, {"x": {0: "batch", 1: "time"}})


def nested(x, n):
    out = []
    for i in range(len(x)):
        inner = []
        for j in range(n):
            inner.append([k for k in range(j)])
        out.append(inner)
    return out


@case()
def hypotheses_of_a_batch(self, x, n):
    outs = [[[0.0, [0]]] for _ in range(len(x))]
    for t in range(int(n)):
        for i in range(len(x)):
            hyps = []
            for score, toks in outs[i]:
                for k in range(3):
                    hyps.append([score + float(x[i, 0, k]), toks + [k]])
            hyps.sort(key=lambda h: -h[0])
            outs[i] = hyps[:2]
    return [o[0][1] for o in outs]


@case()
def dicts_with_lists(self, x, n):
    out = []
    for i in range(len(x)):
        out.append([{"k": [j] * i, "v": x[i, 0]} for j in range(n)])
    return [sum(len(d["k"]) for d in o) for o in out], [d["v"] for o in out for d in o]


@case()
def two_in_each_of_some(self, x, n):
    a = [[[] for _ in range(2)] for _ in range(len(x))]
    for t in range(n):
        for i in range(len(x)):
            a[i][t % 2].append(t)
    return a


@case()
def segments(self, x, n):
    segs = []
    cur = []
    for t in range(x.shape[1]):
        if x[0, t, 0] > 0:
            cur.append([t, [float(v) for v in x[0, t, :2]]])
        else:
            segs.append(cur)
            cur = []
    segs.append(cur)
    return [len(s) for s in segs], [s[0][1] for s in segs if s]


@case()
def paths_that_fork(self, x, n):
    lev = [[[0]]]
    for t in range(n):
        new = []
        for path in lev[-1]:
            new.append(path + [t])
            new.append(path + [-t])
        lev.append(new)
    return [len(paths) for paths in lev], lev[-1]


@case()
def some_none(self, x, n):
    a = []
    for i in range(len(x)):
        row = []
        for j in range(n):
            row.append([x[i, 0], None if j % 2 else j])
        a.append(row)
    return [[0 if c[1] is None else c[1] for c in r] for r in a]


@case()
def beams_of_a_batch(self, x, n):
    beams = [[([0], 0.0)] for _ in range(len(x))]
    for t in range(n):
        for i in range(len(beams)):
            new = []
            for seq, s in beams[i]:
                for k in range(2):
                    new.append((seq + [k], s + float(x[i, 0, k])))
            new.sort(key=lambda b: b[1], reverse=True)
            beams[i] = new[:2]
    return [b[0][0] for b in beams], [b[0][1] for b in beams]


@case()
def work_on_a_stack(self, x, n):
    out = []

    def walk(lo, hi):
        st = [(lo, hi, [])]
        while st:
            low, h, path = st.pop()
            if h - low <= 1:
                out.append((low, path))
            else:
                m = (low + h) // 2
                st.append((low, m, path + [0]))
                st.append((m, h, path + [1]))

    walk(0, len(x))
    return out


@case()
def two_lists_in_a_tuple(self, x, n):
    out = []
    for i in range(len(x)):
        inner = []
        for j in range(n):
            inner.append(([k for k in range(j)], [float(v) for v in x[i, :j, 0]], j))
        out.append(inner)
    return [[sum(p[0]) + p[2] for p in o] for o in out], [[sum(p[1]) for p in o] for o in out]


@case()
def dicts_of_lists_and_dicts(self, x, n):
    out = []
    for i in range(len(x)):
        inner = []
        for j in range(n):
            inner.append(
                {
                    "ids": [k for k in range(j)],
                    "sc": [float(v) for v in x[i, :j, 0]],
                    "n": {"d": [j]},
                }
            )
        out.append(inner)
    for o in out:
        for d in o:
            d["n"]["d"].append(1)
    return [[sum(p["ids"]) + len(p["n"]["d"]) for p in o] for o in out], [
        [sum(p["sc"]) for p in o] for o in out
    ]


@case()
def beams_of_objects(self, x, n):
    class H:
        def __init__(self, s, t):
            self.s = s
            self.t = t

    beams = [[H(0.0, [1])] for _ in range(len(x))]
    for t in range(n):
        for i in range(len(x)):
            cand = [H(b.s + float(x[i, 0, k]), b.t + [k]) for b in beams[i] for k in range(2)]
            beams[i] = sorted(cand, key=lambda h: -h.s)[:2]
    return [b[0].t for b in beams], [b[0].s for b in beams]


@case()
def grouped_by_key(self, x, n):
    groups = {}
    for i in range(len(x)):
        for t in range(x.shape[1]):
            groups.setdefault(int(x[i, t].argmax()), []).append([i, [t] * i])
    return {k: [g[0] for g in v] for k, v in groups.items()}, [
        len(g[1]) for v in groups.values() for g in v
    ]


@case()
def looked_for(self, x, n):
    a = nested(x, n)
    return [0] in a[0], [7] in a[0], a[0].count([]), len(a[0])


@case()
def summed_and_sorted(self, x, n):
    a = nested(x, n)
    return sum(a[0], []), sorted(a[0])  # noqa: RUF017


@case()
def longest_and_shortest(self, x, n):
    a = nested(x, n)
    return max(a[0], default=[]), min(a[0], key=len, default=[])


@case()
def chained(self, x, n):
    a = nested(x, n)
    return list(itertools.chain(*a[0])), [len(r) for r in a[-1]]


@case()
def turned_and_sorted(self, x, n):
    a = nested(x, n)
    a[0].reverse()
    a[-1].sort(key=lambda r: -len(r))
    return [len(r) for r in a[0]], [len(r) for r in a[-1]]


@case()
def index_of_one(self, x, n):
    a = nested(x, n)
    try:
        i = a[0].index([0])
    except ValueError:
        i = -1
    return i


@case()
def grown_in_every_way(self, x, n):
    a = nested(x, n)
    a[0] = a[0] + [[5, 5]]
    a[0] += [[6]]
    a[0].extend([[7, 8]])
    a[0].insert(0, [9])
    p = a[0].pop()
    return len(a[0]), p, a[0][0], [sum(r) for r in a[0]]


@case()
def flattened(self, x, n):
    a = nested(x, n)
    return [r for row in a for r in row if len(r) > 1]


@case()
def sliced(self, x, n):
    a = nested(x, n)
    b = [row[::-1] for row in a]
    c = [row[:1] for row in a]
    return [len(r) for r in b[0]], [len(r) for r in c]


@case()
def as_tuples_in_a_set(self, x, n):
    a = nested(x, n)
    t = [tuple(r) for r in a[0]]
    s = set(t)
    return len(s), t


@case()
def sums(self, x, n):
    a = nested(x, n)
    return np.array([sum(map(sum, row)) for row in a]), any(map(len, a[0])), all(a[0])


@case()
def one_of_two(self, x, n):
    a = nested(x, n)
    r = a[0] if n > 1 else a[-1]
    r.append([42])
    return [len(q) for q in a], r[-1]


@case()
def slices_written(self, x, n):
    a = nested(x, n)
    del a[0][:1]
    a[0][:0] = [[1, 2]]
    return [len(q) for q in a[0]]


@case()
def mapped(self, x, n):
    a = nested(x, n)

    def f(r):
        return [v * 2 for v in r]

    b = [[f(r) for r in row] for row in a]
    return b[0], len(b)


@case()
def counted(self, x, n):
    a = nested(x, n)
    s = {}
    for row in a:
        for r in row:
            s[len(r)] = s.get(len(r), 0) + 1
    return s


@case()
def identity(self, x, n):
    a = nested(x, n)
    x0 = a[0]
    y = a[0]
    return x0 is y, x0 is a[-1], (a[0][0] is a[-1][0]) if n > 0 else None


def test_not_as_a_result() -> None:
    def forward(self, x, n):
        return nested(x, n)

    with pytest.raises(REFUSED, match="in a list cannot be a result"):
        compiled(Program(forward, BATCHES, {"x": {0: "batch", 1: "time"}}))


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_nested_lists(program: Program) -> None:
    hold(program)
