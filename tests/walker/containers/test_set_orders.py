"""The order of a set of ints is CPython's if it was only added to, and then only taken out of."""

from __future__ import annotations

import random

import numpy as np
import pytest

import elichika
from elichika.idioms.set_orders import in_order_of_a_set
from tests.programs import Program, chain_with, compiled
from tests.table import Table, hold

#: Keys that want one place, few and none, as many as make tables grow, and large ones.
KEYS = [
    (np.array([-1, -2, -1, 16, 8, 0, 24, 32, 64, 96, -3], np.int64), 5),
    (np.array([], np.int64), 0),
    (np.array([2, 2, 2], np.int64), 3),
    (np.arange(30) * 32, 1),
    (np.random.RandomState(0).randint(-(2**63), 2**63 - 1, 90), 7),
    (np.random.RandomState(1).randint(-50, 50, 200), -3),
    (np.array([2**61 - 1, -(2**61), 2**61, 0, 2**62, -(2**63)]), 0),
]
case = Table(KEYS, {"x": {0: "keys"}})
refused = Table(KEYS, {"x": {0: "keys"}})


@case()
def added(self, x, n):
    seen = {100, 3}
    for v in x.tolist():
        if v % 2:
            seen.add(v)
    if n > 1:
        seen.add(n)
    return [v + 1 if v < 9 else v for v in seen]


@case()
def made_of_a_list(self, x, n):
    return list(set(x.tolist())), sorted({v // 2 for v in x.tolist()}, key=lambda v: v % 3)


@case()
def updated(self, x, n):
    seen = {n}
    seen.update(x.tolist(), [v // 16 for v in x.tolist()])
    first = seen.pop()
    return first, len(seen), first in seen


@case()
def held_by_a_dict(self, x, n):
    groups = {}
    for v in x.tolist()[:20]:
        groups.setdefault(v % 3, set()).add(v)
    return {k: list(group) for k, group in groups.items()}


@case()
def cleared_and_changed(self, x, n):
    seen = set(x.tolist())
    seen.clear()
    for v in x.tolist():
        seen.add(v % 7)
    for v in seen:
        if v == n:
            seen.add(1000)
    return [v for v in seen], list({8, 0}), {v: i for i, v in enumerate(set(x))}


@case()
def copied_and_changed(self, x, n):
    seen = set(x.tolist())
    copy = seen.copy()
    copy.add(99)
    seen.discard(n)
    return sorted(seen), sorted(copy), list(set().copy()), n in copy, {*x.tolist()} == seen


@case()
def taken_out_in_some_turns(self, x, n):
    held, found = set(x.tolist()), []
    for v in x.tolist()[::2]:
        if v % 3:
            held.discard(v)
        elif v in held:
            held.remove(v)
        found.append(list(held)[:2])
    return found, [v for v in held if v != n]


@case()
def first_of_equal_ones(self, x, n):
    held, found = set(x.tolist()[:25]), []
    while held:
        best = min(held, key=lambda v: v % (n * n + 2))
        held.remove(best)
        found.append(best)
    return found


@case()
def sorted_with_equal_ones(self, x, n):
    held = set(x.tolist())
    held.discard(n)
    by_rest = sorted(held, key=lambda v: v % 2)
    held.add(n)
    return by_rest, sorted(held), max(held, key=lambda v: (v % 2, v))


@case()
def known_ones(self, x, n):
    held = set([9, 1, 8, 17, 0])
    held.discard(17)
    by_none = sorted(held, key=lambda v: n * 0)
    if n > 1:
        held.discard(1)
    with_some = list(held)
    held.discard(n + 8)
    return by_none, with_some, list(held), min(held, key=lambda v: v // 100, default=n)


@case()
def known_ones_in_turns(self, x, n):
    held, found = set(range(4)), []
    while held:
        best = max(held, key=lambda v: (v + n) % 2)
        held.remove(best)
        found.append(best)
    return found


@case()
def of_one_of_two(self, x, n):
    held = set(x.tolist()) if n > 2 else set(range(30, 50))
    if n > 4:
        held.discard(5)
    for v in x.tolist():
        if held and v > n:
            held.pop()
    return list(held)


@case()
def held_by_an_attribute(self, x, n):
    self.held = set(x.tolist())

    def take(v):
        self.held.discard(v)
        return min(self.held, key=lambda u: u % 2, default=None)

    return [take(v) for v in x.tolist()[:6]], list(self.held)


@refused()
def copied(self, x, n):
    return list(set(x.tolist()).copy())


@refused()
def made_of_a_dict(self, x, n):
    return list(set({v: 1 for v in x.tolist()}))


@case()
def taken_out_in_a_branch(self, x, n):
    seen = set(x.tolist())
    if n > 1:
        seen.discard(2)
    return list(seen)


@refused()
def taken_out_in_turns(self, x, n):
    seen = set()
    for v in x.tolist():
        if v in seen:
            seen.remove(v)
        else:
            seen.add(v)
    return list(seen)


@case()
def taken_out_until_empty(self, x, n):
    seen, out = set(x.tolist()), []
    while seen:
        out.append(seen.pop())
    return out


@case()
def taken_out_where_something_is_caught(self, x, n):
    """What puts the order in raises nothing that the handler could get."""
    left, out = set(x.tolist()), []
    try:
        if n % 2:
            left.discard(n)
            out.append(list(left))
        out.append(x[n])
    except (IndexError, ValueError):
        left.discard(2)
        out.append(-1)
    return out, list(left)


@refused()
def popped_and_cleared(self, x, n):
    seen = set(x.tolist())
    if seen:
        seen.pop()
    seen.clear()
    seen.update(x.tolist())
    return seen.pop() if seen else None


@refused()
def joined(self, x, n):
    seen = set(x.tolist())
    seen |= {n}
    return list(seen)


@case()
def constants(self, x, n):
    left = {3, 1, 2, 9}
    left.discard(n)
    doubled = [v * n for v in {1, 2, 3}]
    return (
        list(left),
        doubled,
        min({5, 4, 11}, key=lambda v: v % 2),
        [v for v in (8, 9) if v in left],
    )


@refused()
def constants_in_one_place(self, x, n):
    return list({8, 0, 16, 24, 32, 40}), n


@refused()
def constants_and_one_more(self, x, n):
    held = {1, 2, 3}
    held.add(n)
    return list(held)


@refused()
def floats(self, x, n):
    return list(set((x / 2).tolist()))


def _changed(x, n):
    """A set whose order is not known."""
    held = {int(n), 100}
    for v in x.tolist():
        if v in held:
            held.discard(v)
        else:
            held.add(v)
    return held


@case()
def best_by_keys_that_are_apart(self, x, n):
    held = _changed(x, n)
    return (
        max(held, key=lambda v: ~v),
        min(held, key=lambda v: (v % 2, v)),
        min(held, key=lambda v: [v % 2, ~v]),
        max(held - held, key=lambda v: v % 2, default=n),
    )


@case()
def sorted_by_keys_that_are_apart(self, x, n):
    held = _changed(x, n)
    return sorted(held, key=lambda v: (v % 3, ~v)), sorted(held, key=lambda v: v, reverse=True)


nodes = Table(
    [
        (np.array(steps, np.int64),)
        for steps in ([3, 1, 2, 3, 1, 2, 5], [1], [], [2, 2, 2, 2, 2], [5, 4, 3, 2, 1, 6, 1])
    ],
    {"x": {0: "nodes"}},
)


@nodes()
def shortest_paths(self, x):
    far = {0: 0}
    todo, done = {0}, set()
    while todo:
        node = min(todo, key=lambda v: (far[v], v))
        todo.discard(node)
        done.add(node)
        for other in (node + 1, node + int(x[node]) if node < len(x) else node):
            if other < len(x) and other not in done:
                there = far[node] + int(x[node])
                if there < far.get(other, 1000):
                    far[other] = there
                    todo.add(other)
    return far, sorted(done)


def best_of_some(self, x):
    held = {1, 2} | {int(v) for v in x}
    held.discard(7)
    return max(held, key=lambda v: v % 4)


def order_of_some(self, x):
    held = {1, 2} | {int(v) for v in x}
    held.discard(7)
    return sorted(held, key=lambda v: v % 4)


@pytest.mark.parametrize("program", [best_of_some, order_of_some])
def test_equal_keys_fail(program) -> None:
    """Where CPython's table decides, the model does not answer."""
    told, tied = np.array([7, 8]), np.array([7, 6])
    model = elichika.compile_model(chain_with(program), (told,), dynamic_axes={"x": {0: "n"}})
    assert model(told) == program(None, told)
    with pytest.raises(elichika.ModelRuntimeError, match="equal, and"):
        model(tied)


def one_more_effect(self, x):
    asked = []
    held = {1, 2} | {int(v) for v in x}

    def key(v):
        asked.append(v)
        return v

    return max(held, key=key), asked


def test_what_a_key_function_does_is_not_in_order() -> None:
    with pytest.raises(elichika.StagingError, match="changes something"):
        elichika.compile_model(
            chain_with(one_more_effect), (np.array([3]),), dynamic_axes={"x": {0: "n"}}
        )


@pytest.mark.parametrize("program", [*case.programs, *nodes.programs], ids=lambda p: p.name)
def test_order(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_no_order(program: Program) -> None:
    with pytest.raises(elichika.StagingError, match=r"order of a set|not defined"):
        compiled(program)


#: How keys are drawn: small, of any size, in a few places, those with one hash.
DRAWS = [
    lambda r: r.randrange(-5, 300),
    lambda r: r.randrange(-(2**63), 2**63),
    lambda r: r.randrange(-20, 200) * 32,
    lambda r: r.choice([-1, -2, 2**61 - 1, 2**61, 2**62, -(2**61), -(2**63), 0, 8, 16, 24]),
]


def test_like_cpython() -> None:
    """The program that is walked gives the order of the Python that runs this."""
    draws = random.Random(0)
    for number in range(1200):
        draw = DRAWS[number % len(DRAWS)]
        keys = [*dict.fromkeys(draw(draws) for _ in range(draws.choice([0, 4, 5, 18, 19, 80])))]
        found = np.array(keys, np.int64)[in_order_of_a_set(np.array(keys, np.int64))]
        assert found.tolist() == list(set(keys))


CONSTANT, FROZEN = {9, 1, 8}, frozenset({"bb", "a", "ccc"})


def of_constants(self, x):
    return (
        sorted(CONSTANT, key=lambda v: -v),
        sorted(FROZEN, key=len),
        [min(CONSTANT), max(FROZEN, key=len), min(FROZEN)],
        sum(CONSTANT) + len(x),
    )


def test_constants_of_which_no_order_shows() -> None:
    model = elichika.compile_model(chain_with(of_constants), (np.array([3]),))
    assert model(np.array([3])) == of_constants(None, np.array([3]))


@pytest.mark.parametrize(
    "result",
    [
        lambda x: sorted({"bb", "cc", "a"}, key=len),
        lambda x: max({"bb", "cc", "a"}, key=len),
        lambda x: min({1.5, np.nan, 2.5}),
        lambda x: sorted({1.5, np.nan, 2.5}),
        lambda x: sum({1.5, 0.1} | {2.5}),
        lambda x: list({8, 0, 16, 24, 32, 40}),
    ],
)
def test_constants_of_which_it_shows(result) -> None:
    program = chain_with(lambda self, x: (result(x), len(x)))
    with pytest.raises(elichika.StagingError, match="the order of a set is not fixed"):
        elichika.compile_model(program, (np.array([3]),))
