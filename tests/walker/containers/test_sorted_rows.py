"""`sorted`, `max` and `min` by lists and tuples whose lengths the run decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, Program, chain_with
from tests.table import Table, hold

NUMBERS = [
    (np.array(numbers, np.int64),)
    for numbers in (
        *([3, 1, 2, 3, 1, 2, 5], [1], [], [2, 2, 2, 2, 2], [5, 4, 3, 2, 1, 6, 1]),
        *([1, 2, 1, 2, 1, 2, 3, 3, 3], [0, 0, 0, 1, 0, 0]),
    )
]
FIVE = [
    (np.array(numbers, np.int64),)
    for numbers in (
        *([3, 1, 2, 3, 1], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [5, 4, 3, 2, 1], [1, 2, 1, 2, 1]),
        *([0, 0, 3, 0, 0],),
    )
]
case = Table(NUMBERS, {"x": {0: "n"}})
unrolled = Table(FIVE, None)


class Longest(list):
    """Compares as no list does."""

    def __lt__(self, other):
        return len(self) > len(other)


@unrolled()
@case()
def tuples_in_tuples(self, x):
    rows = []
    for i in range(len(x)):
        rows.append((int(x[i]) % 2, tuple(x[:i].tolist())))
    rows.sort()
    return [len(b) for a, b in rows]


@unrolled()
@case()
def lists_in_tuples(self, x):
    rows = []
    for i in range(len(x)):
        rows.append((int(x[i]) % 2, x[i:].tolist(), i))
    rows.sort(reverse=True)
    return [c for a, b, c in rows]


@unrolled()
@case()
def lists_of_arrays(self, x):
    rows = [(int(v) % 2, x[: int(v)]) for v in x]
    return [a for a, b in sorted(rows, key=lambda r: (r[0], r[1].tolist()))]


@unrolled()
@case()
def lists_alone(self, x):
    rows = [x[i : i + int(v)].tolist() for i, v in enumerate(x)]
    rows.sort()
    return ([len(r) for r in rows], [sum(r) for r in rows])


@unrolled()
@case()
def lists_first_reversed(self, x):
    rows = [(x[i : i + int(v)].tolist(), i) for i, v in enumerate(x)]
    rows.sort(reverse=True)
    return [r[1] for r in rows]


@unrolled()
@case()
def stable(self, x):
    rows = [([int(w) % 2 for w in x[: int(v)]], i) for i, v in enumerate(x)]
    return (
        [i for r, i in sorted(rows, key=lambda r: r[0], reverse=True)],
        [i for r, i in sorted(rows, key=lambda r: r[0])],
    )


@unrolled()
@case()
def floats(self, x):
    rows = [((x[: int(v)] / 2.0).tolist(), i) for i, v in enumerate(x)]
    return [i for r, i in sorted(rows, key=lambda r: (len(r[0]) % 2, r[0]), reverse=True)]


@unrolled()
@case()
def two_lists(self, x):
    rows = [(x[: int(v)].tolist(), tuple(x[i:].tolist()), i) for i, v in enumerate(x)]
    return ([r[2] for r in sorted(rows)], [r[2] for r in sorted(rows, key=lambda r: (r[1], r[0]))])


@unrolled()
@case()
def tuple_within(self, x):
    rows = [((int(v) % 2, (x[: int(v)].tolist(), i)), i) for i, v in enumerate(x)]
    return [r[1] for r in sorted(rows)]


@unrolled()
@case()
def groups_by_their_lists(self, x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(int(v), []).append(i)
    return (
        [k for k, v in sorted(d.items(), key=lambda kv: (-len(kv[1]), kv[1]))],
        [k for k, v in sorted(d.items(), key=lambda kv: kv[1], reverse=True)],
    )


@unrolled()
@case()
def texts_before_lists(self, x):
    rows = [(["a", "b", "c"][int(v) % 3], x[: int(v)].tolist(), i) for i, v in enumerate(x)]
    return [r[2] for r in sorted(rows)]


@unrolled()
@case()
def best_is_the_same_list(self, x):
    ps = [[int(v)] for v in x]
    b = max(ps, key=lambda p: p[0])
    b.append(100)
    return [len(p) for p in ps]


@case()
def beams_by_score_and_labels(self, x):
    d = {(): 0.0}
    for t in range(len(x)):
        n = {}
        for k, s in d.items():
            for c in (0, 1):
                kk = k + (c,)
                n[kk] = n.get(kk, 0.0) + s + float(x[t]) * c * 0.5
        d = {}
        for k, v in sorted(n.items(), key=lambda kv: (-kv[1], kv[0]))[:3]:
            d[k] = v
    return [v for v in d.values()]


@case()
def best_beam(self, x):
    d = {(): 0.0}
    for t in range(len(x)):
        n = {}
        for k, s in d.items():
            for c in (0, 1):
                kk = k + (c,)
                n[kk] = n.get(kk, 0.0) + s + float(x[t]) * c * 0.5
        d = {}
        for k, v in sorted(n.items(), key=lambda kv: (-kv[1], kv[0]))[:3]:
            d[k] = v
    best = max(d.items(), key=lambda kv: (kv[1], kv[0]))
    return (list(best[0]), best[1])


@case()
def prefixes_of_ctc(self, x):
    d = {(): 1.0}
    for t in range(len(x)):
        n = {}
        for k, s in d.items():
            for c in range(3):
                p = float(x[t]) / (c + 1.0)
                kk = k if c == 0 or (len(k) > 0 and k[-1] == c) else k + (c,)
                n[kk] = n.get(kk, 0.0) + s * p
        d = dict(sorted(n.items(), key=lambda kv: (-kv[1], kv[0]))[:3])
    return ([v for v in d.values()], [len(k) for k in d])


@case()
def by_value_and_key(self, x):
    d = {}
    k = ()
    for v in x.tolist():
        k = k + (v,)
        d[k] = d.get(k, 0) + len(k) % 2
    return (
        [b for a, b in sorted(d.items(), key=lambda kv: (kv[1], kv[0]))],
        [len(a) for a, b in sorted(d.items(), key=lambda kv: (kv[1], kv[0]))],
    )


@case()
def of_float32(self, x):
    y = x.astype(np.float32) / 3
    rows = [(list(y[: int(v)]), i) for i, v in enumerate(x)]
    return [i for r, i in sorted(rows, key=lambda r: (r[0], -r[1]))]


@case()
def bools(self, x):
    rows = [([bool(w > 2) for w in x[: int(v)]], i) for i, v in enumerate(x)]
    return [i for r, i in sorted(rows, key=lambda r: (r[0], -r[1]))]


@unrolled()
@case()
def by_one_of_some_numbers(self, x):
    words = ["aa", "b", "ccc"]
    ends = [3 if x.sum() > 7 else 7, 4]
    return (
        sorted([words[v % 3] for v in x.tolist()], key=len),
        sorted(ends, reverse=True),
        sorted([0, 1], key=lambda i: -ends[i]),
    )


@unrolled()
@case()
def of_lists_that_were_sorted_or_turned(self, x):
    pairs = [(len(x), 1), (3, 0), (int(x.sum()), 2)]
    if x.sum() > 7:
        pairs.reverse()
    chosen = [5, len(x), 0] if x.sum() > 5 else [1, 7, 2]
    return (
        sorted(pairs),
        sorted(sorted(pairs), key=lambda pair: pair[1]),
        sorted(range(3), key=lambda i: chosen[i]),
    )


@case()
def best_keys(self, x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(int(v), []).append(i)
    if len(d) == 0:
        return -1
    return (
        max(d, key=d.get),
        min(d, key=lambda k: (len(d[k]), d[k])),
        max(d.items(), key=lambda kv: kv[1])[0],
    )


@case()
def best_tuples(self, x):
    rows = [tuple(x[i : i + int(v)].tolist()) for i, v in enumerate(x)]
    a = max(rows)
    b = min(rows, key=lambda r: (len(r), r))
    return (list(a), list(b), rows.index(a))


@case()
def empties(self, x):
    rows = [([], i) for i, v in enumerate(x)]
    return [r[1] for r in sorted(rows, reverse=True)]


@unrolled()
def own_order_of_lists(self, x):
    rows = [Longest(x[: int(v)].tolist()) for i, v in enumerate(x)]
    return [len(r) for r in sorted(rows)]


PROGRAMS = [*case.programs, *unrolled.programs]


class Ordered:
    def __init__(self, a):
        self.a = a

    def __lt__(self, other):
        return self.a < other.a


@unrolled()
@case()
def objects_behind_equal_numbers(self, x):
    rows = [(v % 2, Ordered(-i)) for i, v in enumerate(x.tolist())]
    ordered = [row[1].a for row in sorted(rows, reverse=True)]
    rows.sort()
    return [(a, b.a) for a, b in rows], ordered


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_order(program: Program) -> None:
    hold(program)


def test_lists_and_tuples_are_not_compared() -> None:
    """Python fails where it compares the two."""
    mixed = chain_with(lambda self, x: sorted([x.tolist(), tuple(x.tolist())]))
    with pytest.raises(REFUSED, match="are sorted"):
        elichika.compile_model(mixed, (np.arange(3),), dynamic_axes={"x": {0: "n"}})


@pytest.mark.parametrize("axes", [None, {"x": {0: "n"}}])
def test_ints_beside_floats_are_told_apart_or_it_fails(axes: Any) -> None:
    def forward(self, x, n, f):
        items = [f, *x.tolist(), n]
        return sorted(items), sorted([(n, 1), (f, 2)])

    inputs = (np.array([3, 1], np.int64), 2, 0.5)
    model = elichika.compile_model(chain_with(forward), inputs, dynamic_axes=axes, verify=False)
    assert model(*inputs) == ([0.5, 1, 2, 3], [(0.5, 2), (2, 1)])
    for numbers, last in (([3, 2**53 + 1], 2), ([3, 1], 2**53 + 1)):
        with pytest.raises(elichika.ModelRuntimeError, match="int with a float is not exact"):
            model(np.array(numbers), last, 2.0**53)
