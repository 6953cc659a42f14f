"""Sets with known items that a key of the run picks, or that a branch gave some of theirs."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

#: Keys, all of one number: the loops over them are unrolled.
FIVE = [
    (np.array([3, 1, 4, 1, 5]), 2),
    (np.array([1, 1, 1, 1, 1]), 3),
    (np.array([0, -1, -1, 0, 2]), 1),
    (np.array([2, 2, 3, 3, 2]), 0),
    (np.array([5, 4, 3, 2, 1]), 4),
]
ANY = [*FIVE, (np.array([], int), 2), (np.array([3]), 3), (np.array([2, 2, 2, 7, 1, 0, 3]), 2)]
unrolled = Table(FIVE, None)
looped = Table(ANY, {"x": {0: "keys"}})


@unrolled()
@looped()
def inverted_index(self, x, n):
    index = defaultdict(set)
    for place, word in enumerate(x.tolist()):
        index[word].add(place)
    return {word: sorted(places) for word, places in index.items()}, n


@unrolled()
def by_setdefault(self, x, n):
    index = {}
    for place, word in enumerate(x.tolist()):
        index.setdefault(word, set()).add(place)
        index[word].add(n)
    return {word: sorted(places) for word, places in index.items()}


@unrolled()
@looped()
def below(self, x, n):
    index = defaultdict(set)
    for word in x.tolist():
        for bound in range(3):
            if word > bound:
                index[word].add(bound)
    return {word: sorted(bounds) for word, bounds in index.items()}, n


@unrolled()
@looped()
def picked_by_place(self, x, n):
    sets = [{1, 2}, {3}, set(), {5, 6, 7}]
    for value in x.tolist():
        sets[value % 4].add(value)
        sets[value % 4].discard(2)
    there = [[k in one for one in sets] for k in (2, 3, 4)]
    return [sorted(one) for one in sets], [len(one) for one in sets], there, n


@unrolled()
@looped()
def taken_out_of_rows(self, x, n):
    rows = []
    for value in x.tolist():
        rows.append({1, 2, 3})
        rows[-1].discard(value)
        if value > n:
            rows[0].add(9)
    return [sorted(row) for row in rows], sum(9 in row for row in rows)


@unrolled()
@looped()
def beside_known_keys(self, x, n):
    index = {0: set(), 1: {4}}
    for value in x.tolist():
        if value in index:
            index[value].add(value)
        else:
            index[value] = {7}
        index[value].update([1, n])
    shown = {key: sorted(one) for key, one in index.items()}
    return shown, len(index[1]), index[1] == {1, 2, 4}, index[0] | index[1] >= {1}


@unrolled()
@looped()
def cleared_and_removed(self, x, n):
    owner = {}
    for place, value in enumerate(x.tolist()):
        held = owner.get(value)
        if held is None:
            held = {-1}
            owner[value] = held
        same = held
        same.add(place)
        if place == 2:
            held.clear()
        if place == 3:
            same.remove(3)
    return {key: (sorted(one), len(one)) for key, one in owner.items()}, n


@looped()
def copied_then_changed(self, x, n):
    stack = [{0}]
    for value in x.tolist():
        copy = set(stack[-1])
        copy.add(value)
        if value > n:
            copy.discard(0)
        stack.append(copy)
    return [sorted(one) for one in stack], [max(one) for one in stack]


@looped()
def one_of_two(self, x, n):
    stack = [{0}]
    for value in x.tolist():
        one = stack[-1] | {value} if value != n else stack[-1]
        stack.append(one)
    stack[0].add(77)
    return [sorted(one) for one in stack], stack[0] is stack[-1]


@looped()
def tags_of_objects(self, x, n):
    class Node:
        pass

    nodes = []
    for value in x.tolist():
        node = Node()
        node.tags = set()
        node.tags.add("a")
        if value > n:
            node.tags.add("b")
        nodes.append(node)
    return sum("b" in node.tags for node in nodes), [len(node.tags) for node in nodes]


@unrolled()
def some_of_numbers(self, x, n):
    some = {2, 8}
    if n > 1:
        some.add(1)
    if n > 2:
        some.discard(8)
    total = sum(some), max(some), min(some), len(some)
    return total, sorted(some), sorted(some, reverse=True), some == {1, 2, 8}, sorted(some | {n})


@unrolled()
def some_of_floats(self, x, n):
    some = {2.5, 8.0}
    if n > 1:
        some.add(1.5)
    return max(some), min(some), len(some), sorted(some), 8 in some, n in some


@unrolled()
def some_of_texts(self, x, n):
    some = {"x", "y"}
    if n > 1:
        some.discard("x")
    if n > 2:
        some.add("z")
    there = [1 if key in some else 0 for key in ("x", "y", "z", "w")]
    return (
        there,
        len(some),
        [ord(key) for key in sorted(some)],
        some >= {"y"},
        some & {"z"} == {"z"},
    )


@unrolled()
def some_of_pairs(self, x, n):
    some = {(1, 2), (0, 3)}
    if n > 1:
        some.discard((1, 2))
    some.add((n, n))
    return sorted(some), len(some), (2, 2) in some, max(some)


@pytest.mark.parametrize("program", unrolled.programs, ids=lambda p: p.name)
def test_keys_of_known_number(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", looped.programs, ids=lambda p: p.name)
def test_keys_of_any_number(program: Program) -> None:
    hold(program)
