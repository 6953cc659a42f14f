"""Dicts by keys of the run that hold arrays of any size."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

from .test_tables import WORDS

case = Table(WORDS, {"x": {0: "words"}})


@case()
def beginnings(self, x, n):
    held = {}
    for i, v in enumerate(x.tolist()):
        held[v] = x[:i]
    return [a.sum() for a in held.values()], len(held), n in held, held[n] if n in held else x, held


@case()
def grown_by_key(self, x, n):
    held = {}
    for i, v in enumerate(x.tolist()):
        held[v] = np.concatenate([held[v], x[:1]]) if v in held else x[:i]
    return list(held.items())


@case()
def taken_and_put_again(self, x, n):
    held = {}
    for v in x.tolist():
        held[v] = x + v
    if n in held:
        held[n] = held[n] * 2
    return [held[k] for k in sorted(held)], held.get(3, x), held.pop(1, x[:1]), len(held)


@case()
def with_a_number_beside(self, x, n):
    held = {}
    for i, v in enumerate(x.tolist()):
        held[v, i] = (x[:i], float(i))
    try:
        found = held[n, 1]
    except KeyError:
        found = None
    return held, found


@case()
def grouped_by_parity(self, x, n):
    groups = {}
    for v in x.tolist():
        groups.setdefault(v % 2, x[x % 2 == v % 2])
    copied = dict(groups)
    copied[7] = x
    return {k: a.sum() for k, a in groups.items()}, len(copied), copied


@case()
def in_a_list(self, x, n):
    found = []
    for v in x.tolist():
        held = {}
        held[v] = x[:n]
        found.append(held)
    return found


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)
