"""Texts that an int of the run completes, where it is one of few: what is written by them."""

# ruff: noqa: UP031, UP032

from __future__ import annotations

import chainer.functions as F
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

case = Table([(f32(n, 3),) for n in (3, 2, 5, 1, 4)], {"x": {0: "rows"}})


class Holder:
    """Something with attributes."""


@case()
def items_of_known_keys(self, x):
    d = {"k0": x[0], "k1": x[0] * 2}
    for i in range(len(x)):
        d["k%d" % (i % 2)] = x[i]
    return d["k0"], d["k1"]


@case()
def items_of_new_keys(self, x):
    d = {}
    for i in range(len(x)):
        d["k%d" % (i % 2)] = x[i].max()
    return d, len(d), "k1" in d


@case()
def read_and_written(self, x):
    d = {"layer%d" % i: i * 2 for i in range(3)}
    total = 0
    for i in range(len(x)):
        name = "layer%d" % (i % 3)
        total += d[name]
        if name in d:
            d[name] = total
    return total, d


@case()
def written_in_several_ways(self, x):
    d = {"k0": 1.0, "k1": 2.0}
    for i in range(len(x)):
        d["k" + str(i % 2)] *= 2
        d[f"k{i % 2}"] += 1
        d["k{}".format((i + 1) % 2)] -= i
    return d


@case()
def lists_by_setdefault(self, x):
    d = {}
    for i in range(len(x)):
        d.setdefault("k%d" % (i % 2), []).append(i)
    return d["k0"], len(d), sorted(d)


@case()
def lists_made_anew(self, x):
    d = {"k0": [], "k1": []}
    for i in range(len(x)):
        d["k%d" % (i % 2)] = d["k%d" % (i % 2)] + [x[i]]
    return F.stack(d["k0"]), len(d["k1"])


@case()
def deleted_and_taken_out(self, x):
    d = {"k0": 1, "k1": 2, "k2": 3}
    e = dict(d)
    if len(x) > 2:
        del d["k%d" % (len(x) % 3)]
    taken = e.pop("k%d" % (len(x) % 3))
    return sum(d.values()), len(d), taken, len(e)


@case()
def attributes_of_the_chain(self, x):
    self.k0 = self.k1 = x[0]
    for i in range(len(x)):
        setattr(self, "k%d" % (i % 2), x[i])
    return self.k0, self.k1


@case()
def attributes_that_may_be_unset(self, x):
    o = Holder()
    for i in range(len(x)):
        setattr(o, "v%d" % (i % 2), x[i])
    return hasattr(o, "v1"), getattr(o, "v1", None), o.v0


@case()
def texts_that_begin_alike(self, x):
    d = {"1": 5, "11": 7, "01": 2}
    for i in range(len(x)):
        d["%d1" % (i % 2)] = i
    return d


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_few_texts(program: Program) -> None:
    hold(program)
