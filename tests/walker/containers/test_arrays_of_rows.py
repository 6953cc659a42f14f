"""`np.array` of lists of lists that grow, of ints and floats, in loops and branches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

case = Table()


@case()
def array_of_lists(self, x, n, c):
    rows = []
    for i in range(n):
        row = []
        for j in range(len(x)):
            row.append(i * j)
        rows.append(row)
    return np.array(rows), np.array(rows, dtype=np.int32)


@case()
def array_of_float_lists(self, x, n, c):
    rows = []
    for i in range(n):
        row = []
        for j in range(3):
            row.append(float(i * j) + 0.5)
        rows.append(row)
    return np.array(rows, dtype="f")


@case()
def array_of_comp(self, x, n, c):
    return np.array([[i + j for j in range(len(x))] for i in range(n)], dtype=np.int32)


@case()
def array_of_comp_x(self, x, n, c):
    return np.array([[x[j, 0] * i for j in range(len(x))] for i in range(n)], dtype=np.float32)


@case()
def array_of_filled(self, x, n, c):
    batch = len(x)
    rows = [[] for _ in range(batch)]
    for t in range(n):
        for b in range(batch):
            rows[b].append(int(x[b].argmax()) + t)
    return np.array(rows, dtype=np.int32)


@case()
def array_of_filled_nodtype(self, x, n, c):
    batch = len(x)
    rows = [[] for _ in range(batch)]
    for t in range(n):
        for b in range(batch):
            rows[b].append(x[b, 0] + t)
    return np.array(rows)


@case()
def padded2(self, x, n, c):
    batch = len(x)
    rows = [[] for _ in range(batch)]
    for b in range(batch):
        for t in range(b):
            rows[b].append(t)
    longest = max(len(r) for r in rows) if batch else 0
    rows = [row + [-1] * (longest - len(row)) for row in rows]
    return np.array(rows, "i")


@case()
def sentence_strings(self, x, n, c):
    out = [[1] for _ in range(len(x))]
    for i in range(n):
        for o in out:
            o.append(o[-1] * 2)
    return np.asarray(out)


@case()
def int_rows_empty(self, x, n, c):
    rows = [[] for _ in range(len(x))]
    for i in range(n):
        for r in rows:
            r.append(i)
    return np.array(rows), np.array(rows).shape


@case()
def ragged(self, x, n, c):
    rows = [[j for j in range(i)] for i in range(n)]
    return np.array(rows)


@case()
def bools(self, x, n, c):
    return np.array([[bool(v > 0) for v in row] for row in x])


@case()
def arrays_rows(self, x, n, c):
    rows = [[x[i], x[i] * 2] for i in range(len(x))]
    return np.array(rows)


@case()
def f32_and_int(self, x, n, c):
    rows = []
    for i in range(len(x)):
        rows.append([x[i, 0], i])
    for i in range(n):
        rows.append([x[0, 0] if len(x) else np.float32(2), x.max(initial=0)])
    return np.array(rows)


@case()
def f32_or_int(self, x, n, c):
    rows = []
    for i in range(len(x)):
        if x[i, 0] > 0:
            rows.append([x[i, 0], x[i, 1]])
        else:
            rows.append([i, 0])
    return np.array(rows)


@case()
def bool_int_float(self, x, n, c):
    rows = []
    for i in range(n):
        if i == 0:
            rows.append(True)
        elif i == 1:
            rows.append(3)
        else:
            rows.append(0.5)
    return np.array(rows), np.asarray(rows, "f"), np.mean(rows) if rows else 0


@case()
def sums(self, x, n, c):
    rows = [[i, i + 1] for i in range(n)]
    return np.sum(rows), np.sum(rows, axis=0) if n else 0


@case()
def mixed_ufunc(self, x, n, c):
    rows = []
    for i in range(n):
        rows.append([i, 0.5])
    return np.exp(rows), np.asarray(rows) + 1, x[:2] * np.array(rows[:1], "f") if n else 0


@case()
def later_append(self, x, n, c):
    a = [i for i in range(n)]
    m = np.array([a, a])
    a.append(3)
    rows = [[1, 2]]
    for i in range(n):
        rows.append([i, i])
    k = np.array(rows)
    rows.append([5, 6])
    rows[0].append(1)
    return m, a, k, rows


@case()
def deep(self, x, n, c):
    rows = []
    for i in range(n):
        rows.append([[i, 1.5], [2, i]])
    return np.array(rows), np.array(rows, dtype=np.int32)


@case()
def choice_lists(self, x, n, c):
    r = [x.max(initial=0), 1.0] if c else [1.0, 2.0, 3.0]
    return np.array(r), np.array(r, "f")


@case()
def choice_tuples(self, x, n, c):
    r = (n, 1) if c else (0.5, 2)
    return np.array(r), np.array([r, r]), np.asarray(r, np.float32)


@case()
def choice_array(self, x, n, c):
    a = x if c else x.astype("d")
    return np.array([a, a]), np.array([a[0] if len(x) else np.zeros(2), [1, 2]])


@case()
def asarr_f(self, x, n, c):
    rows = [[i, 0.5] for i in range(n)]
    return np.asarray(rows, dtype=x.dtype).reshape(-1, 2) + x.max(initial=0)


@case()
def mix(self, x, n, c):
    out = []
    for i in range(n):
        if i % 2 == 0:
            out.append([0, 0, 0])
        else:
            out.append([x.max(initial=0), 0.5 * i, 2])
    return np.array(out, dtype=np.float32)


@case()
def mix_nodtype(self, x, n, c):
    out = []
    for i in range(n):
        if i % 2 == 0:
            out.append([0, 0, 0])
        else:
            out.append([0.5 * i, 0.25, 2])
    return np.array(out)


@case()
def pose(self, x, n, c):
    poses = []
    for i in range(len(x)):
        joints = []
        for k in range(4):
            if x[i, k % 2] > 0:
                joints.append([x[i, 0], x[i, 1], 2])
            else:
                joints.append([0, 0, 0])
        poses.append(joints)
    return np.array(poses)


@case()
def pose_f(self, x, n, c):
    poses = []
    for i in range(len(x)):
        joints = []
        for k in range(4):
            if x[i, k % 2] > 0:
                joints.append([float(x[i, 0]), float(x[i, 1]), 2])
            else:
                joints.append([0, 0, 0])
        poses.append(joints)
    return np.array(poses)


@case()
def one_row(self, x, n, c):
    return (
        np.array([n, 0.5, 2]),
        np.array([n, 1, c]),
        np.array([n, x.max(initial=0)]),
        np.array([[n, 0.5], [1, 2]]),
    )


@case()
def one_row_branch(self, x, n, c):
    if n > 1:
        r = [0, 0, 0]
    else:
        r = [0.5, n, 1]
    return np.array(r)


@case()
def rows_branch(self, x, n, c):
    rs = []
    if n > 1:
        rs.append([0, 0, 0])
    if c:
        rs.append([0.5, n, 1])
    return np.array(rs), len(rs)


@case()
def tuples(self, x, n, c):
    rs = []
    for i in range(n):
        rs.append((i, i * 0.5))
    return np.array(rs), np.array(rs, np.float32)


@case()
def peaks(self, x, n, c):
    peaks = []
    for i in range(len(x)):
        if x[i, 0] > 0:
            peaks.append([i, x[i, 0], x[i, 1]])
    return np.array(peaks)


@case()
def peaks2(self, x, n, c):
    ys, xs = np.where(x > 0)
    peaks = [(int(a), int(b)) + (x[a, b],) for a, b in zip(ys, xs)]
    return np.array(peaks), np.array([(p[0], p[1]) for p in peaks])


@case()
def flag_first(self, x, n, c):
    rs = [n if c else 0.5, 1]
    return np.array(rs)


@case()
def seq_mixed(self, x, n, c):
    rs = []
    for i in range(n):
        rs.append(i if i % 2 else i * 0.5)
    return np.array(rs), rs


@case()
def ints_bools(self, x, n, c):
    rs = []
    for i in range(n):
        rs.append([True, i > 1])
    rs.append([0, 2])
    return np.array(rs)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
