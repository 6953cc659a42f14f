"""Frozensets of the run, sets as results, and lists and tuples of any length in order."""

from __future__ import annotations

import collections

import pytest

from tests.programs import Program
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)


@case()
def operators(self, s, n):
    one, two = frozenset(s.tolist()) | {n}, frozenset([1, 2, 3])
    three = {5, n} | one
    kinds = [isinstance(one, frozenset), type(three) is set, isinstance(two ^ one, frozenset)]
    same = [one == set(s.tolist()) | {n}, one <= two, type(two | {n}) is frozenset]
    return len(one & two), sorted(one - two), sorted(two | {n}), kinds, same, 3 in one


@case()
def methods(self, s, n):
    one, two = frozenset(s.tolist()), frozenset([1, 2, 3])
    sizes = [len(one.union([n], two)), len(two.symmetric_difference(s.tolist()))]
    kinds = [type(one.union(two)) is frozenset, type(two.intersection(one)) is frozenset]
    truths = [one.issubset(two), two.issuperset(one), one.isdisjoint({n}), one.copy() == one]
    return sizes, kinds, truths, sorted(one.difference(two)), sorted(two.union(s.tolist()))


@case()
def joined_and_grown(self, s, n):
    held = frozenset()
    for word in s.tolist():
        held = held | {word}
    first = held
    held |= {n, 17}
    if n > 2:
        held = frozenset([n])
    return len(first), sorted(held), [word for word in frozenset(s.tolist())], hasattr(held, "add")


@case()
def sets_as_results(self, s, n):
    pairs, words, found = {(word, n) for word in s.tolist()}, set(), {}
    for word in s.tolist():
        words.add("many" if word > 2 else "few")
        found.setdefault(word % 3, set()).add(word)
    parts = set()
    for i in range(len(s)):
        parts.add(tuple(s.tolist()[: i % 3]))
    return set(s.tolist()), frozenset(s.tolist()), [pairs, 3], words, found, parts


@case()
def a_set_or_none(self, s, n):
    few = {1, 2}
    if n > 1:
        few.add(n)
    return few, set(s.tolist()) if n > 2 else None, {tuple(s.tolist()[:n]): n}


@case()
def known_or_not(self, s, n):
    one, two = frozenset([1, 2]), frozenset()
    if n > 1:
        one, two = one | {n}, frozenset(word for word in s.tolist() if word > 1)
    return one, two, set(), 1 in one


@case()
def names_that_may_be_missing(self, s, n):
    found, few = {"all": 1}, {"a": 1, "b": 2}
    for word in s.tolist():
        found["all"] += word
        if word > 2:
            found["large"] = word
    if n > 1:
        del few["a"]
    return found, few


@case()
def rows_in_order(self, s, n):
    rows, words, groups = [], [], {}
    for i, word in enumerate(s.tolist()):
        rows.append([word, i])
        words.append(tuple(s.tolist()[i : i + word % 3]))
        groups.setdefault(word % 3, []).append(word)
    rows.sort(reverse=True)
    return rows, sorted(words), sorted(groups.values())


@case()
def two_lists_in_order(self, s, n):
    one, two = s.tolist()[:n], s.tolist()[1:]
    return sorted([one, two, s.tolist()]), sorted([tuple(one), tuple(two)], reverse=True)


@case()
def moved_before_there_is_any(self, s, n):
    held, hits = collections.OrderedDict(), 0
    for word in s.tolist():
        try:
            held.move_to_end(word, last=word > 2)
            hits += 1
        except KeyError:
            held[word] = len(held)
            if len(held) > n:
                held.popitem(last=False)
    return hits, list(held.items())


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_frozensets(program: Program) -> None:
    hold(program)
