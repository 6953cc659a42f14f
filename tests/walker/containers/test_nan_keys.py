"""A nan as a key: Python finds it if it is the very object that was put in."""

# ruff: noqa: E741  as programs have it
from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import chain_with

NAN = float("nan")
INPUTS = [[1.5, NAN, 1.5, -0.0, 0.0], [], [NAN] * 4, [np.inf, 1, 2, 1, -0.0], [2.5], [NAN]]


def counted(self, x):
    held = {}
    for number in x.tolist():
        held[number] = held.get(number, 0) + 1
    return list(held.values()), len(held)


def of_an_array(self, x):
    held = {}
    for number in x:
        held[number] = held.get(number, 0) + 1
    return list(held.values())


def asked_before(self, x):
    held = {}
    for i in range(len(x)):
        number = float(x[i])
        if number in held:
            held[number] += 1
        else:
            held[number] = 1
    return list(held.values())


def seen(self, x):
    before, out = set(), []
    for number in x.tolist():
        out.append(number in before)
        before.add(number)
    return out, len(before)


def in_tuples(self, x):
    held = {}
    for number in x.tolist():
        held[number, 1] = held.get((number, 1), 0) + 1
    return list(held.values())


def of_counters(self, x):
    held = Counter()
    for number in x.tolist():
        held[number] += 1
    return list(held.values()), len(set(x))


def of_two_sets(self, x):
    held = set()
    for number in x.tolist():
        held.add(number)
    return len(held & {1.5, 2.0}), len(held | {1.5}), len(held - {0.0}), held == {1.5}


def put_and_asked(self, x):
    held = {}
    for number in x.tolist():
        held[number] = 1
        if number not in held:
            return -1
    return len(held)


def in_a_loop_inside(self, x):
    held, times = {}, 0
    for number in x.tolist():
        for _ in range(2):
            times += number in held
            held[number] = 1
    return times


def put_on_one_side(self, x):
    held, times = {}, 0
    for number in x.tolist():
        if len(x) > 2:
            held[number] = 1
        times += number in held
    return times


def a_set_and_itself(self, x):
    held = set()
    for number in x.tolist():
        held.add(number)
    return len(held & held)


def put_where_it_was_not(self, x):
    d = {}
    for v in x.tolist():
        if v not in d:
            d[v] = 0
        d[v] += 1
    return len(d)


def of_a_defaultdict(self, x):
    d = defaultdict(int)
    for v in x.tolist():
        d[v] += 1
    return len(d), max(d.values(), default=0)


def a_counter(self, x):
    d = Counter(x.tolist())
    return len(d)


def its_own_keys(self, x):
    d = {}
    for v in x.tolist():
        d[v] = d.get(v, 0) + 1
    t = 0
    for k in d:
        t += d[k]
    return t, len(d)


def numbered(self, x):
    d = {}
    for i, v in enumerate(x.tolist()):
        if v in d:
            d[v].append(i)
        else:
            d[v] = [i]
    return sorted(len(q) for q in d.values())


def numbered_items(self, x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(v, []).append(i)
    return [len(d[k]) for k in d]


def beside_texts(self, x):
    d = {"n": 0}
    for v in x.tolist():
        if v in d:
            d[v] += 1
        else:
            d[v] = 1
        d["n"] += 1
    return d["n"], len(d), sum(d.values())


def in_pairs(self, x):
    d = {}
    for v in x.tolist():
        d[(v, 1)] = 0
        d[(v, 1)] += 1
        d[(1, v)] = d.get((v, 1), 0)
    return len(d), sum(d.values())


def in_an_inner_loop(self, x):
    d = {}
    for v in x.tolist():
        for k in range(3):
            d[v] = d.get(v, 0) + k
    return len(d), sum(d.values())


def of_a_copy(self, x):
    d = {}
    for v in x.tolist():
        if len(x) > 1:
            d[v] = 1
        if v in d:
            d[v] = d[v] + 5
    e = dict(d)
    for k in d:
        if k in e:
            e[k] = e[k] + 1
        else:
            e[k] = 0
    return len(d), sum(d.values()), len(e), sum(e.values())


def made_of_others(self, x):
    d = {}
    for v in x.tolist():
        w = v
        d[v] = 1
        d[w] = 2
        u = v * 1.0
        d[u] = 3
    return len(d), sum(d.values())


def put_by_a_handler(self, x):
    d = {}
    for v in x.tolist():
        try:
            d[v] += 1
        except KeyError:
            d[v] = 1
    return len(d), sum(d.values())


def by_a_function(self, x):
    def put(d, k):
        if k not in d:
            d[k] = 0
        d[k] += 1

    d = {}
    for v in x.tolist():
        put(d, v)
        put(d, v)
    return len(d), sum(d.values())


def equal_to_itself(self, x):
    d = {}
    for v in x.tolist():
        d[v] = 1
    return len(d), d == d


def of_a_list_gone_through_twice(self, x):
    held, numbers = {}, x.tolist()
    for number in numbers:
        held[number] = 1
    return sum(number in held for number in numbers)


class Box:
    """Its `tolist` gives one list each time."""

    def __init__(self, items):
        self.items = items

    def tolist(self):
        return self.items


def of_another_list(self, x):
    box, held = Box(x.tolist()), {}
    for number in box.tolist():
        held[number] = 1
    times = 0
    for number in box.tolist():
        times += number in held
    return times


def items_read_twice(self, x):
    l = x.tolist()
    seen = set()
    c = 0
    for i in range(len(l)):
        if l[i] in seen:
            c += 1
        seen.add(l[i])
    return c, len(seen)


def in_a_list_again(self, x):
    l = x.tolist()
    d = {}
    for v in l:
        d[v] = 1
    return sum(v in d for v in l), len(d)


def items_before(self, x):
    l = x.tolist()
    d = {}
    for i in range(len(l)):
        d[l[i]] = d.get(l[i - 1], 0) + 1
    return len(d), sum(d.values()), [l[-1] in d if len(l) else False]


def two_sets_of_a_list(self, x):
    l = x.tolist()
    s = set(l)
    t = set(l)
    return len(s | t), s == t, [v in s for v in l]


def a_list_of_two_names(self, x):
    l = x.tolist()
    m = l
    d = {v: i for i, v in enumerate(l)}
    return [d[v] for v in m], d.get(l[0], -1) if len(l) else -2


def two_lists(self, x):
    l = x.tolist()
    k = x.tolist()
    s = set(l)
    return [v in s for v in k]


def pairs_of_items(self, x):
    l = x.tolist()
    d = {}
    for v in l:
        for w in l:
            d[(v, w)] = d.get((v, w), 0) + 1
    return len(d), sum(d.values())


def a_list_each_time(self, x):
    out = 0
    d = {}
    for r in range(2):
        l = x.tolist()
        for v in l:
            d[v] = r
        for v in l:
            out += v in d
    return out, len(d)


def counts_of_a_list(self, x):
    l = x.tolist()
    c = Counter(l)
    return [c[v] for v in l], len(c)


SAME = (
    *(counted, of_an_array, asked_before, seen, in_tuples, of_counters, of_two_sets),
    *(of_a_list_gone_through_twice, of_another_list, items_read_twice, in_a_list_again),
    *(items_before, two_sets_of_a_list, a_list_of_two_names, two_lists, pairs_of_items),
    *(a_list_each_time, counts_of_a_list),
    *(put_and_asked, in_a_loop_inside, put_on_one_side, a_set_and_itself),
    *(
        put_where_it_was_not,
        of_a_defaultdict,
        a_counter,
        its_own_keys,
        numbered,
        numbered_items,
        beside_texts,
        in_pairs,
        in_an_inner_loop,
        of_a_copy,
        made_of_others,
        put_by_a_handler,
        by_a_function,
        equal_to_itself,
    ),
)


def compiled(forward: Any) -> Any:
    chain = chain_with(forward)
    axes = {"x": {0: "n"}}
    return chain, elichika.compile_model(
        chain, [np.array(INPUTS[0])], verify=False, dynamic_axes=axes
    )


@pytest.mark.parametrize("forward", SAME, ids=lambda forward: forward.__name__)
def test_a_nan_is_found_if_it_is_the_very_one(forward: Any) -> None:
    chain, model = compiled(forward)
    for x in map(np.array, INPUTS):
        assert model(x) == chain(x)


def by_another_name(self, x):
    held, times = {}, 0
    for number in x.tolist():
        other = number if times < 1 else 0.5
        held[other] = 1
        times += number in held
    return times


def of_the_turn_before(self, x):
    held, times, last = {}, 0, 0.0
    for number in x.tolist():
        times += last in held
        held[number] = 1
        last = number
    return times


def the_same_float(self, x):
    held, times = {}, 0
    for number in x.tolist():
        chosen = number if times < 9 else 0.5
        held[number] = 1
        times += float(chosen) in held
    return times


def of_a_list_that_grew(self, x):
    items, held = x.tolist(), {}
    items.append(1.0)
    for number in items:
        held[number] = 1
    return sum(number in held for number in items)


SAYS = (
    the_same_float,
    *(by_another_name, of_the_turn_before, of_a_list_that_grew),
)


@pytest.mark.parametrize("forward", SAYS, ids=lambda forward: forward.__name__)
def test_a_nan_that_may_be_a_key_fails(forward: Any) -> None:
    """It may be the one that is there: the model says that it cannot tell."""
    chain, model = compiled(forward)
    for x in (np.array([1.5, 2.0, 1.5]), np.array([]), np.array([3.0])):
        assert model(x) == chain(x)
    with pytest.raises(elichika.ModelRuntimeError, match="whether a nan is among keys"):
        model(np.full(4, NAN))
