"""Dicts and sets whose keys are of several kinds: texts, None, ints, floats, numbers of numpy."""

# ruff: noqa: E741  as programs have it

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
        *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})


@case()
def perhaps_none(self, x, n):
    m = {}
    if n > 2:
        m[None] = n
    return m


@case()
def perhaps_none_or_a_half(self, x, n):
    m = {}
    if n > 2:
        m[0.5] = n
    if n > 1:
        m[None] = 3
    return m


@case()
def set_of_perhaps_none(self, x, n):
    s = set()
    if n > 2:
        s.add(None)
    return s


@case()
def pair_with_none(self, x, n):
    m = {}
    for v in x:
        m[(None, 1)] = int(v)
    return m


@case()
def text_and_none(self, x, n):
    m = {}
    for v in x:
        m[("a", None)] = int(v)
    return m


@case()
def minus_zero(self, x, n):
    m = {}
    for v in x:
        m[-0.0] = int(v)
    return m


@case()
def thirds_of_float32(self, x, n):
    m = {}
    for v in x:
        m[np.float32(v) / 3] = [int(v)]
    return m


@case()
def list_of_dicts_by_floats(self, x, n):
    l = []
    for v in x:
        d = {}
        d[float(v)] = 1
        if v > 1:
            d[float(v) / 2] = 2
        l.append(d)
    return l


@case()
def list_of_dicts_by_none(self, x, n):
    l = []
    for v in x:
        l.append({None: int(v)})
    return l


@case()
def lengths_of_dicts(self, x, n):
    l = []
    for v in x:
        d = {"t": 1}
        d[int(v)] = 1
        if v > 1:
            d[None] = 2
        l.append(dict(d))
    return [len(d) for d in l]


@case()
def list_of_dicts_of_several_kinds(self, x, n):
    l = []
    for v in x:
        d = {}
        d["a" if v > 1 else int(v)] = 1
        d[int(v) / 2] = 3
        l.append(d)
    return l


@case()
def none_alone(self, x, n):
    d, e = {}, {}
    if n > 2:
        d[None] = 1
    for v in x:
        e[None] = e.get(None, 0) + int(v)
    return d, e, {k: 1 for k in e}, list(e)


@case()
def one_text_alone(self, x, n):
    d = {}
    for v in x:
        d["a"] = d.get("a", 0) + int(v)
    return d, list(d)


@case()
def total_among_counts(self, x, n):
    d = {"total": 0}
    for v in x:
        k = int(v)
        d[k] = d.get(k, 0) + 1
        d["total"] += 1
    return d["total"], len(d)


@case()
def total_in_the_result(self, x, n):
    d = {"total": 0}
    for v in x:
        d[int(v)] = 1
    return d


@case()
def none_is_there_first(self, x, n):
    d = {None: 0}
    for v in x:
        k = int(v) if v > 0 else None
        d[k] = d.get(k, 0) + 1
    return d[None], len(d)


@case()
def halves_among_ints(self, x, n):
    s = set()
    for v in x:
        s.add(int(v))
        s.add(float(v) / 2)
    return len(s), 1.0 in s, 0.5 in s


@case()
def numpy_ints_among_ints(self, x, n):
    s = set()
    for v in x:
        s.add(v)
    s.add(3)
    s.add(n)
    return len(s), 3 in s, n in s


@case()
def true_is_one(self, x, n):
    d = {True: 5}
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    return d[1], len(d)


@case()
def pairs_of_text_and_number(self, x, n):
    d = {("a", 0): 1}
    for v in x:
        d[("a", int(v))] = 2
        d[("b", float(v))] = 3
    return len(d), d.get(("a", 1), -1), ("b", 1) in d


@case()
def pairs_that_begin_with_none(self, x, n):
    d = {}
    prev = None
    for v in x:
        k = (prev, int(v))
        d[k] = d.get(k, 0) + 1
        prev = int(v)
    return len(d), d.get((None, 3), 0), d.get((2, 2), 0)


@case()
def all_but_the_total(self, x, n):
    d = {"total": 0}
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    t = 0
    for k, c in d.items():
        if k != "total":
            t += c * k
    return t


@case()
def text_or_int(self, x, n):
    d = {}
    for v in x:
        k = "neg" if v < 0 else int(v)
        d[k] = d.get(k, 0) + 1
    return d.get("neg", 0), d.get(1, 0), len(d)


@case()
def half_or_int(self, x, n):
    d = {}
    for v in x:
        k = v / 2 if v % 2 else int(v // 2)
        d[k] = d.get(k, 0) + 1
    return len(d), d.get(1, 0), d.get(0.5, 0), d.get(1.0, 0)


@case()
def floats_looked_for_among_ints(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = 1
    return (n / 2) in d, (n * 1.0) in d


@case()
def set_in_the_result(self, x, n):
    s = set()
    for v in x:
        s.add(v)
    s.add(n)
    return s


@case()
def sorted_set(self, x, n):
    s = set()
    for v in x:
        s.add(int(v))
        s.add(int(v) / 2)
    return sorted(s)


@case()
def pairs_in_the_result(self, x, n):
    d = {("a", 0): 1}
    for v in x:
        d[("a", int(v))] = 2
        d[("b", int(v) / 2)] = 3
    return d


@case()
def keys_in_the_result(self, x, n):
    d = {"total": 0}
    for v in x:
        d[int(v)] = 1
    return list(d)


@case()
def sorted_items(self, x, n):
    d = {0.5: 0}
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    return sorted(d.items())


@case()
def none_or_int(self, x, n):
    d = {}
    for v in x:
        k = int(v) if v > 0 else None
        d[k] = d.get(k, 0) + 1
    return d.get(None, 0), len(d)


@case()
def none_asked_for_first(self, x, n):
    d = {None: 0}
    for v in x:
        k = int(v) if v > 0 else None
        d[k] = d.get(k, 0) + 1
    return (d[None] if None in d else -1), len(d)


@case()
def truths_among_ints(self, x, n):
    d = {}
    for v in x:
        d[bool(v > 1)] = 1
        d[int(v)] = 2
    return d


@case()
def updated_by_known_keys(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = 1
    e = {"a": 2, 0.5: 3}
    d.update(e)
    return d


@case()
def known_keys_merged_with_those(self, x, n):
    d = {"a": 2, 0.5: 3}
    e = {int(v): 1 for v in x}
    return {**d, **e}


@case()
def ints_equal_to_floats(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = 1
    e = {}
    for v in x:
        e[float(v)] = 1
    return d == e, set(d) == set(e), set(d) <= {1.0, 2.0, 3.0}


@case()
def algebra_of_ints_and_halves(self, x, n):
    s = set()
    for v in x:
        s.add(int(v))
    t = set()
    for v in x:
        t.add(float(v) / 2)
    return len(s & t), len(s | t), len(s - t), len(s ^ t), s.isdisjoint(t)


@case()
def zeros_of_either_sign(self, x, n):
    d = {}
    for v in x:
        d[v * 0.0] = 1
        d["q"] = 2
    return d


@case()
def taken_out(self, x, n):
    d = {"total": 0}
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    a = d.pop(n, -1)
    d.pop("total")
    d.pop(3, None)
    return a, d


@case()
def tuples_of_any_length(self, x, n):
    d = {(): 0}
    for i in range(len(x)):
        d[tuple(x[:i].tolist())] = i
    return len(d)


@case()
def lists_by_setdefault(self, x, n):
    d = {"all": []}
    for v in x:
        d.setdefault(int(v), []).append(int(v))
        d["all"].append(int(v))
    return len(d["all"]), len(d)


@case()
def sums_as_values(self, x, n):
    d = {"sum": x.sum() * 1.0}
    for v in x:
        d[int(v)] = x[:2].sum() * 1.0
    return d


@case()
def float16_among_ints(self, x, n):
    d = {}
    for v in x.astype(np.float16) / 2:
        d[v] = 1
    d[n] = 2
    d[n / 2] = 3
    return d


@case()
def last_one_begins_as_none(self, x, n):
    seen = {None}
    c = 0
    prev = None
    for v in x:
        if prev in seen:
            c += 1
        prev = int(v)
        seen.add(prev)
    return c, len(seen)


@case()
def counted_by_a_function(self, x, n):
    def count(keys, d):
        for k in keys:
            d[k] = d.get(k, 0) + 1
        return d

    d = count(x.tolist(), {})
    d = count([0.5, "a", None], d)
    return d


@case()
def texts_looked_for_among_ints(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = 1
    return d.get("a", -1), "b" in d, None in d


@case()
def counter_with_a_text(self, x, n):
    c = Counter(x.tolist())
    c["a"] += 2
    c.update([0.5, 1])
    return c


@case()
def defaultdict_of_ints(self, x, n):
    d = defaultdict(int)
    for v in x:
        d["n"] += 1
        d[int(v)] += 1
    return dict(d)


@case()
def defaultdict_of_lists(self, x, n):
    d = defaultdict(list)
    for v in x:
        d["n"].append(1)
        d[int(v)].append(2)
    return len(d), len(d["n"]), len(d[n])


@case()
def sorted_by_value(self, x, n):
    d = {0.5: 2}
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    return sorted(d, key=d.get), sorted(d, key=lambda k: -k), max(d), min(d), max(d, key=d.get)


@case()
def sum_of_keys(self, x, n):
    d = {0.5: 2}
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    return sum(d), sum(d.values()), [k * 2 for k in d], {k: v for k, v in d.items() if k > 0}


@case()
def deleted_on_the_way(self, x, n):
    d = {0.5: 2}
    for v in x:
        d[int(v)] = 1
    for k in list(d):
        if k > 1:
            del d[k]
    return d


@case()
def groups_with_a_rest(self, x, n):
    d = {"other": []}
    for i, v in enumerate(x):
        if v < 3:
            d.setdefault(int(v), []).append(i)
        else:
            d["other"].append(i)
    return len(d), d["other"], sorted(len(g) for g in d.values())


@case()
def memo_that_counts_calls(self, x, n):
    memo = {"calls": 0}

    def f(k):
        memo["calls"] += 1
        if k < 2:
            return k
        if k in memo:
            return memo[k]
        memo[k] = f(k - 1) + f(k - 2)
        return memo[k]

    return f(n + 3), memo["calls"]


@case()
def text_of_one_branch(self, x, n):
    d = {}
    if n > 2:
        d["big"] = n
    else:
        d[n] = 1
    for v in x:
        d[int(v)] = 5
    return len(d), d.get("big", -1), d.get(2, -1)


@case()
def numpy_truths_among_ints(self, x, n):
    s = set()
    for v in x:
        s.add(v > 1)
        s.add(v)
    return len(s), True in s, 0 in s


@case()
def large_numbers(self, x, n):
    d = {}
    for v in x:
        d[int(v) + 2**62] = 1
        d[float(v) * 2.0**61] = 2
        d[float(v) * 1e300] = 3
    return d


@case()
def thirds_among_doubles(self, x, n):
    d = {}
    for v in x.astype(np.float32) / 3:
        d[v] = 1
    return (1 / 3) in d, np.float32(1 / 3) in d, float(np.float32(1 / 3)) in d, 1 in d


@case()
def pairs_of_two_forms(self, x, n):
    best = {}
    for i in range(len(x)):
        for j in range(i):
            k = (int(x[i]), "l") if i % 2 else (int(x[j]), 0.5)
            best[k] = max(best.get(k, 0), i + j)
    return best


NARROW = [
    (np.array(numbers, np.uint8), n)
    for numbers, n in (
        *(([3, 1, 44, 1], 300), ([0, 1, 2], 256), ([], 1), ([5], 5)),
        *(([255, 2, 2], -1), ([7, 1], 263)),
    )
]
narrow = Table(NARROW, {"x": {0: "n"}})


@narrow()
def wide_number_in_a_set(self, x, n):
    s = set()
    for v in x:
        s.add(v)
    return n in s, len(s)


@narrow()
def wide_number_by_get(self, x, n):
    d = {}
    for v in x:
        d[v] = 1
    return d.get(n, -1)


@narrow()
def wide_number_put_in(self, x, n):
    d = {}
    for v in x:
        d[v] = 1
    d[n] = 2
    return d


@narrow()
def signed_bytes(self, x, n):
    d = {}
    for v in x.astype(np.int8):
        d[v] = 1
    return [k in d for k in (255, -1, n, 1)], len(d)


@narrow()
def int_among_truths(self, x, n):
    d = {}
    for v in x:
        d[bool(v > 1)] = 1
    return n in d, 2 in d, 1 in d, d.get(n, -5)


@narrow()
def wide_number_in_a_pair(self, x, n):
    d = {}
    for v in x:
        d[(v, 1)] = 1
    return (n, 1) in d, (300, True) in d, (44, 1) in d


@narrow()
def algebra_with_wide_numbers(self, x, n):
    s = set()
    for v in x:
        s.add(v)
    t = set()
    for v in range(n % 7):
        t.add(v * 100)
    return len(s & t), len(s | t), s <= t


FLOATS = [
    (np.array(numbers), n)
    for numbers, n in (
        *(([1.5, 2.5], 3), ([-0.0, 1.0], 0), ([0.0, -0.0], 5), ([-0.0], 1), ([], 0)),
        *(([3.0, -0.0, 0.0, 2.5], 3), ([-3.0, 0.0], -3)),
    )
]
zeros = Table(FLOATS, {"x": {0: "n"}})


@zeros()
def zeros_beside_ints(self, x, n):
    m = {n: 0}
    for i, v in enumerate(x.tolist()):
        if v not in m:
            m[v] = i
    return list(m), m


@zeros()
def zeros_at_every_other_place(self, x, n):
    m = {}
    for i, v in enumerate(x.tolist()):
        m[v if i % 2 else n] = i
    return list(m.keys())


programs = [*case.programs, *narrow.programs, *zeros.programs]


@pytest.mark.parametrize("program", programs, ids=lambda p: p.name)
def test_keys(program: Program) -> None:
    hold(program)
