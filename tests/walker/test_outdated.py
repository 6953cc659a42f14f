"""Arrays that no name holds while one is written with which they may share memory."""

from __future__ import annotations

import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, Program, chain_with
from tests.table import Table, hold

ROWS = [
    (np.array(rows, np.float32), n)
    for rows, n in (
        *(([[3, 1, 4], [1, 5, 9]], 2), ([[2, 2, 2], [0, 1, 0]], 1), ([[0, -1, -1], [1, 1, 1]], 0)),
        *(([[1, 2, 3], [4, 5, 6]], 3), ([[0, 0, 0], [0, 0, 0]], -1)),
    )
]
case = Table(ROWS, None)


def unpacked(self, x, n):
    def views():
        yield np.einsum("ij->ji", x)
        x[0] = n
        yield x.sum()

    first, _ = views()
    return first


def mapped(self, x, n):
    def view(_):
        x[0] += n
        return np.einsum("ij->ji", x)

    return list(map(view, range(2)))


def raised(self, x, n):
    def fail():
        try:
            raise ValueError(np.einsum("ij->ji", x))
        finally:
            x[0] = n

    try:
        fail()
    except ValueError as error:
        return error.args[0]


@pytest.mark.parametrize("program", [unpacked, mapped, raised])
def test_they_are_not_read(program) -> None:
    with pytest.raises(REFUSED, match="may share memory with one that was written since"):
        elichika.compile_model(chain_with(program), ROWS[0], verify=False)


@case()
def views_that_are_followed(self, x, n):
    def views():
        for _ in range(2):
            yield x[:1]
            x[0] += n

    return list(views())


@case()
def forgotten(self, x, n):
    y = x.copy()
    z = np.einsum("ij->ji", y)
    total = z.sum()
    z = None
    y += n
    return y, total, np.einsum("ij->ji", y)


@case()
def copied(self, x, n):
    def copies():
        for _ in range(2):
            yield np.einsum("ij->ji", x).copy()
            x[0] += n

    return list(copies())


@pytest.mark.parametrize("program", [*case.programs], ids=lambda p: p.name)
def test_others_are(program: Program) -> None:
    hold(program)
