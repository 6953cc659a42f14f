"""`[[] for _ in range(batch)]`, filled by `append` in loops; lists of lists, and arrays of them."""

from __future__ import annotations

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

case = Table()


@case()
def a_number_each(self, x, n, c):
    out = [[] for _ in range(n)]
    for i in range(n):
        out[i].append(i)
    return out, len(out)


@case()
def as_long_as_it_takes(self, x, n, c):
    batch = x.shape[0]
    out = [[] for _ in range(batch)]
    for t in range(n):
        for i in range(batch):
            if x[i, 0] > t:
                out[i].append(t)
    return out, [len(row) for row in out]


@case()
def stacked_arrays(self, x, n, c):
    out = [[] for _ in range(x.shape[0])]
    for t in range(n + 1):
        for i in range(x.shape[0]):
            out[i].append(x[i] * t)
    return [np.stack(row) for row in out]


@case()
def stacked_variables(self, x, n, c):
    out = [[] for _ in range(len(x))]
    for t in range(n + 1):
        for i in range(len(x)):
            out[i].append(F.tanh(x[i] + t))
    return F.stack([F.stack(row) for row in out])


@case()
def greedy_until_the_end(self, x, n, c):
    batch = x.shape[0]
    out = [[] for _ in range(batch)]
    done = [False] * batch
    for t in range(n):
        for i in range(batch):
            if done[i]:
                continue
            word = int(x[i].argmax()) + t
            out[i].append(word)
            if word == 2:
                done[i] = True
        if all(done):
            break
    return out


@case()
def extended(self, x, n, c):
    out = [[] for _ in range(len(x))]
    for i in range(len(x)):
        out[i].extend([x[i, 0], x[i, 1]])
        out[i] += [x[i, 0]]
    return out


@case()
def grown_through_zip(self, x, n, c):
    out = [[] for _ in range(len(x))]
    for t in range(n):
        for row, held in zip(out, x):
            row.append(held[0] + t)
    return out


@case()
def concatenated(self, x, n, c):
    out = [[] for _ in x]
    for t in range(n):
        for i, row in enumerate(x):
            out[i].append(row + t)
    return [F.concat([F.expand_dims(v, 0) for v in row], axis=0) for row in out] if n else out


@case()
def one_list_many_times(self, x, n, c):
    out = [[]] * len(x)
    for i in range(len(x)):
        out[i].append(i)
    return out


@case()
def buckets(self, x, n, c):
    held = [[] for _ in range(n + 1)]
    for i, row in enumerate(x):
        held[i % (n + 1)].append(row)
    return [F.stack(one) if one else None for one in held], [len(one) for one in held]


@case()
def sorted_rows(self, x, n, c):
    out = [[] for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(i):
            out[i].append(float(x[j, 0]))
    return [sorted(row) for row in out], [max(row) if row else 0.0 for row in out]


@case()
def never_filled(self, x, n, c):
    out = [[] for _ in range(n)]
    return out, len(out), [len(row) for row in out]


@case()
def pairs_of_empty_lists(self, x, n, c):
    out = [([], []) for _ in range(n)]
    for left, right in out:
        left.append(x.sum())
        right.append(1)
    return out


@case()
def one_row_taken_out(self, x, n, c):
    out = [[] for _ in range(n + 1)]
    first = out[0]
    first.append(x.sum(axis=0))
    last = out[-1]
    last.append(x.max() + x.sum(axis=0) if len(x) else x.sum(axis=0))
    return out, first, last, first is last


@case()
def an_empty_list_that_takes_an_array(self, x, n, c):
    rows = []
    for _ in range(n):
        rows.append([])
    rows[0].append(x[: n - 1])
    return rows[0]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
