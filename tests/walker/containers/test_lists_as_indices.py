"""Lists that loops fill as indices, alone and in tuples, of arrays and Variables."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

case = Table()


@case()
def order_in_tuple(self, x, n, c):
    order = [i % 2 for i in range(n)]
    return x[:, order]


@case()
def order_of_a_branch(self, x, n, c):
    order = [1, 0] if c else [0, 0]
    return x[:, order], x[[order[n % 2]]]


@case()
def order_list_v(self, x, n, c):
    v = chainer.Variable(x)
    order = []
    for i in range(n):
        order.append(i % 2)
    return v[:, order]


@case()
def get_item_pair(self, x, n, c):
    rows = list(range(len(x)))
    columns = [i % 2 for i in rows]
    return F.get_item(x, (rows, columns))


@case()
def get_item_pair_v(self, x, n, c):
    rows = [i for i in range(len(x))]
    columns = [int(x[i].argmax()) for i in rows]
    return chainer.Variable(x)[rows, columns], x[rows, columns]


@case()
def only_rows(self, x, n, c):
    idx = [i for i in range(len(x)) if x[i, 0] > 0]
    return x[idx], F.get_item(x, idx) if idx else None, chainer.Variable(x)[idx, :]


@case()
def only_rows2(self, x, n, c):
    idx = [i for i in range(len(x)) if x[i, 0] > 0]
    return x[idx, 1], x[idx, :1], x[idx, ::-1], x[idx, None], x[..., [i % 2 for i in range(n)]]


@case()
def write_list(self, x, n, c):
    idx = [i for i in range(len(x)) if x[i, 0] > 0]
    x = x.copy()
    x[idx, 0] = 9
    x[:, [i % 2 for i in range(n)]] = 3
    return x


@case()
def np_ints_x(self, x, n, c):
    idx = [row.argmax() for row in x]
    return x[idx]


@case()
def bool_list(self, x, n, c):
    idx = [bool(row[0] > 0) for row in x]
    return chainer.Variable(x)[idx], x[idx]


@case()
def static_sym(self, x, n, c):
    return (
        chainer.Variable(x)[[n - 1, 0]],
        chainer.Variable(x)[:, [n % 2, 0]],
        F.get_item(x, ([n - 1, 0], [0, n % 2])),
    )


@case()
def pair_in_a_list(self, x, n, c):
    columns = [int(x[i].argmax()) for i in range(len(x))]
    return F.get_item(x, [range(len(x)), columns]), F.get_item(x, [slice(1, None), [n % 2, 0]])


@case()
def mixed_np(self, x, n, c):
    idx = [np.int64(0), n % 2]
    return F.get_item(x, idx)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
