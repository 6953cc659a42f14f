"""Objects that call each other through what they hold: two visitors, a helper and its owner."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs import Program
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)


class Odd:
    def __init__(self, keys: Any) -> None:
        self.keys, self.other = keys, None

    def visit(self, i: Any) -> Any:
        if i >= len(self.keys):
            return 0
        return self.keys[i] + self.other.visit(2 * i + 1) + self.other.visit(2 * i + 2)


class Even(Odd):
    def visit(self, i: Any) -> Any:
        if i >= len(self.keys):
            return 1
        return 2 * self.keys[i] - self.other.visit(2 * i + 1) + self.other.visit(2 * i + 2)


class Lone:
    def __init__(self, keys: Any) -> None:
        self.keys, self.other, self.seen = keys, None, 0

    def visit(self, i: Any) -> Any:
        self.seen += 1
        if i >= len(self.keys):
            return self.seen
        return 3 - self.other.visit(2 * i + 1) + 2 * self.other.visit(i + len(self.keys))


def paired(one: Any, other: Any) -> Any:
    one.other, other.other = other, one
    return one


@case()
def two_visitors_of_one_base(self, s, n):
    return paired(Odd(s), Even(s)).visit(0)


@case()
def two_visitors_of_unlike_classes(self, s, n):
    lone = Lone(s)
    return paired(Odd(s), lone).visit(0), lone.seen


@case()
def the_data_decide_which_begins(self, s, n):
    odd, lone = Odd(s), Lone(s)
    paired(odd, lone)
    first = odd if n > 1 else lone
    return first.visit(0), lone.seen


class Tree:
    def __init__(self, keys: Any) -> None:
        self.keys, self.nodes = keys, Nodes(self)

    def total(self, i: Any) -> Any:
        if i >= len(self.keys):
            return 0
        if self.keys[i] == 0:
            return 1 + self.total(i + 1)
        return self.keys[i] + self.nodes.below(i)


class Nodes:
    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def below(self, i: Any) -> Any:
        return self.tree.total(2 * i + 1) + 2 * self.tree.total(2 * i + 2)


@case()
def a_helper_that_calls_its_owner(self, s, n):
    return Tree(s).total(0)


class Ask:
    def __init__(self, keys: Any) -> None:
        self.keys, self.at, self.answer = keys, 0, None

    def __call__(self, i: Any) -> Any:
        self.at = i
        return 1 if i >= len(self.keys) else 2 + self.answer.next


class Answer:
    def __init__(self, ask: Any) -> None:
        self.ask = ask

    @property
    def next(self) -> Any:
        i = self.ask.at
        return 3 * self.ask(i + 1 + self.ask.keys[i])


@case()
def a_property_of_another_object(self, s, n):
    ask = Ask(s)
    ask.answer = Answer(ask)
    return ask(0)


class Checked:
    def __init__(self, most: Any) -> None:
        self.most, self.safe = most, None

    def run(self, s: Any, i: Any) -> Any:
        if i >= len(s):
            return 0
        if s[i] > self.most:
            raise ValueError(i)
        return 1 + self.safe.run(s, i + 1)


class Safe:
    def __init__(self, checked: Any) -> None:
        self.checked, self.log = checked, []

    def run(self, s: Any, i: Any) -> Any:
        try:
            return self.checked.run(s, i) + self.checked.run(s, i + 2)
        except ValueError:
            self.log.append(i)
            return 100
        finally:
            self.log.append(-i)


@case()
def one_catches_what_the_other_raises(self, s, n):
    checked = Checked(n)
    checked.safe = Safe(checked)
    return checked.safe.run(s, 0), checked.safe.log


@case()
def what_is_raised_leaves_all_of_them(self, s, n):
    checked = Checked(n)
    checked.safe = Safe(checked)
    return checked.run(s, 0), checked.safe.log


class Steps:
    def __init__(self, *others: Any) -> None:
        self.others, self.count = [*others], 0

    def run(self, s: Any, i: Any) -> Any:
        self.count += 1
        if i >= len(s):
            return self.count
        return s[i] + 2 * self.others[i % 2].run(s, i + 1)


@case()
def one_of_a_list_of_others(self, s, n):
    odd, checked = Lasting(), Lasting()
    steps = Steps(odd, checked)
    odd.after, checked.after = steps, odd
    return steps.run(s, 0), steps.count, odd.count, checked.count


class Lasting:
    def __init__(self) -> None:
        self.after, self.count = None, 0

    def run(self, s: Any, i: Any) -> Any:
        self.count += 1
        return 7 if i >= len(s) else 1 - self.after.run(s, i + 1)


@case()
def one_of_them_is_none(self, s, n):
    first, last = Lasting(), Lasting()
    first.after = last
    return first.run(s, len(s) - n)


def walked(visitor: Any, s: Any, i: Any) -> Any:
    return visitor.end if i >= len(s) else visitor.visit(s, i)


class Walking:
    def __init__(self, end: Any) -> None:
        self.end = end

    def visit(self, s: Any, i: Any) -> Any:
        return s[i] * walked(self, s, 2 * i + 1) + walked(self, s, 2 * i + 2)


@case()
def a_function_and_an_object(self, s, n):
    return walked(Walking(n), s, 0)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_companions(program: Program) -> None:
    hold(program)
