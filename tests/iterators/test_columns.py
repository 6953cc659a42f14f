"""`zip(*rows)` and `itertools.zip_longest(*rows)` of as many rows as the run says."""

from __future__ import annotations

import itertools

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

SIZES = ((3, 4), (2, 6), (5, 1), (1, 3), (4, 2), (0, 2), (2, 0))
case = Table([(f32(*size, 4),) for size in SIZES], {"x": {0: "batch", 1: "time"}})


@case()
def lists_of_ints(self, x):
    rows = [[int(v) for v in row.argmax(1)] for row in x]
    return list(map(list, zip(*rows))), np.array(list(zip(*rows)))


@case()
def variables_by_step(self, x):
    steps = []
    for t in range(x.shape[1]):
        steps.append(list(x[:, t]))
    return [F.stack(list(row)) for row in zip(*steps)]


@case()
def of_unlike_lengths(self, x):
    rows = [list(range(int(row[0].argmax() + 1))) for row in x] if x.shape[1] else []
    total = 0
    for i, column in enumerate(zip(*rows)):
        total += sum(column) * i + len(column)
    return total, list(zip(*rows))


@case()
def the_longest(self, x):
    rows = [list(range(i)) for i in range(len(x) + x.shape[1])]
    filled = [list(column) for column in itertools.zip_longest(*rows, fillvalue=-1)]
    return filled, [sum(column) for column in zip(*rows[1:])]


@case()
def arrays(self, x):
    rows = list(x)
    return [F.stack(column) for column in zip(*rows)]


@case()
def arrays_of_unlike_sizes(self, x):
    rows = [x[b, : b + 1] for b in range(len(x))]
    return [F.stack(column) for column in zip(*rows)]


@case()
def rows_that_grow_before_the_first_is_taken(self, x):
    rows = [[int(v) for v in row.argmax(1)] for row in x]
    columns = zip(*rows)
    for row in rows:
        row.append(7)
    return [list(column) for column in columns]


@case()
def rows_that_grow_meanwhile(self, x):
    rows = [[int(v) for v in row.argmax(1)] for row in x]
    out = []
    for column in zip(*rows):
        out.append(sum(column))
        if len(rows[0]) < 6:
            rows[0].append(3)
            rows[-1].append(4)
    return out


@case()
def an_item_changed_of_known_rows(self, x):
    rows = [[int(b), 2] for b in range(len(x) + 1)]
    columns = zip(*rows)
    rows[0][0] = 99
    return [list(column) for column in columns]


@case()
def asked_by_next(self, x):
    rows = [[int(v) for v in row.argmax(1)] for row in x]
    columns = zip(*rows)
    first = next(columns, None)
    return first, next(columns, None)


@case()
def beside_another(self, x):
    rows = [[int(v) for v in row.argmax(1)] for row in x]
    return [list(column) for column in zip([0] * x.shape[1], *rows)]


@case()
def twice_is_once(self, x):
    rows = [[int(v) for v in row.argmax(1)] for row in x]
    columns = list(zip(*rows))
    return list(zip(*columns)), len(columns)


@case()
def values_by_key(self, x):
    found = {}
    for b in range(len(x)):
        for t in range(x.shape[1]):
            found.setdefault(int(x[b, t].argmax()), []).append(t)
    return [list(column) for column in itertools.zip_longest(*found.values(), fillvalue=-5)]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_columns(program: Program) -> None:
    hold(program)
