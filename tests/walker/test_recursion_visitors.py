"""Methods that are found by a text which the data decide: visitors of trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

INPUTS = [
    (np.array(values, np.int64),)
    for values in [
        [2, 3, -1],
        [1],
        [2, 3, -1, 4, -2],
        [2, 3, 4, -2, -1, 5, 6, -1, -2],
        [2, -9],
        [2, 3, -2, -9, 4, -1, -9],
    ]
]
case = Table(INPUTS, {"tokens": {0: "tokens"}})


class Number:
    kind = "number"

    def __init__(self, value: Any) -> None:
        self.value = value


class Negated:
    kind = "negated"

    def __init__(self, inner: Any) -> None:
        self.inner = inner


class Pair:
    def __init__(self, kind: str, left: Any, right: Any) -> None:
        self.kind, self.left, self.right = kind, left, right


def parsed(tokens: Any) -> Any:
    """Return the tree of an expression whose operators come after their operands."""
    stack = []
    for token in tokens.tolist():
        if token >= 0:
            stack.append(Number(token))
        elif token == -9:
            stack.append(Negated(stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(Pair("add" if token == -1 else "mul", left, right))
    return stack[-1]


class Evaluation:
    def visit(self, node: Any) -> Any:
        return getattr(self, "visit_" + node.kind)(node)

    def visit_number(self, node: Any) -> Any:
        return node.value

    def visit_negated(self, node: Any) -> Any:
        return -self.visit(node.inner)

    def visit_add(self, node: Any) -> Any:
        return self.visit(node.left) + self.visit(node.right)

    def visit_mul(self, node: Any) -> Any:
        return self.visit(node.left) * self.visit(node.right)


class Renamed(Evaluation):
    def visit(self, node: Any) -> Any:
        name = f"visit_{node.kind}"
        return getattr(self, name)(node)

    def visit_number(self, node: Any) -> Any:
        return super().visit_number(node) + 1


class Classes(Evaluation):
    def visit(self, node: Any) -> Any:
        method = getattr(self, "visit_%s" % type(node).__name__.lower(), self.other)  # noqa: UP031
        return method(node)

    def other(self, node: Any) -> Any:
        return self.visit(node.left) + 7


class Counting:
    def __init__(self) -> None:
        self.counts = {"number": 0, "negated": 0, "add": 0, "mul": 0}

    def visit(self, node: Any) -> None:
        self.counts[node.kind] += 1
        method = getattr(self, "in_{}".format(node.kind), None)  # noqa: UP032
        if method is not None:
            method(node)

    def in_negated(self, node: Any) -> None:
        self.visit(node.inner)

    def in_add(self, node: Any) -> None:
        for child in [node.left, node.right]:
            self.visit(child)

    in_mul = in_add


class Expression:
    def __init__(self, kind: str, left: Any = None, right: Any = None, value: Any = 0) -> None:
        self.kind, self.left, self.right, self.value = kind, left, right, value

    def result(self) -> Any:
        return getattr(self, "of_" + self.kind)()

    def of_number(self) -> Any:
        return self.value

    def of_negated(self) -> Any:
        return -self.left.result()

    def of_add(self) -> Any:
        return self.left.result() + self.right.result()

    def of_mul(self) -> Any:
        return self.left.result() * self.right.result()


class Arrays:
    NAMES = ("number", "add", "mul", "negated")

    def __init__(self, kinds: Any, left: Any, right: Any, values: Any) -> None:
        self.kinds, self.left, self.right, self.values = kinds, left, right, values

    def visit(self, i: Any) -> Any:
        return getattr(self, "visit_" + self.NAMES[self.kinds[i]])(i)

    def visit_number(self, i: Any) -> Any:
        return self.values[i]

    def visit_negated(self, i: Any) -> Any:
        return -self.visit(self.left[i])

    def visit_add(self, i: Any) -> Any:
        return self.visit(self.left[i]) + self.visit(self.right[i])

    def visit_mul(self, i: Any) -> Any:
        return self.visit(self.left[i]) * self.visit(self.right[i])


@case()
def by_an_attribute(self, tokens):
    return Evaluation().visit(parsed(tokens))


@case()
def by_a_name_in_a_subclass(self, tokens):
    return Renamed().visit(parsed(tokens))


@case()
def by_the_class_of_the_node(self, tokens):
    return Classes().visit(parsed(tokens))


@case()
def where_some_have_none(self, tokens):
    counting = Counting()
    counting.visit(parsed(tokens))
    return counting.counts


@case()
def of_the_node_itself(self, tokens):
    stack = []
    for token in tokens.tolist():
        if token >= 0:
            stack.append(Expression("number", value=token))
        elif token == -9:
            stack.append(Expression("negated", stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(Expression("add" if token == -1 else "mul", left, right))
    return stack[-1].result()


@case()
def over_arrays(self, tokens):
    n = len(tokens)
    kinds = np.where(tokens >= 0, 0, np.where(tokens == -1, 1, np.where(tokens == -2, 2, 3)))
    left, right = np.zeros(n, np.int64), np.zeros(n, np.int64)
    stack = []
    for i in range(n):
        if kinds[i] > 0:
            if kinds[i] < 3:
                right[i] = stack.pop()
            left[i] = stack.pop()
        stack.append(i)
    return Arrays(kinds, left, right, tokens).visit(stack[-1])


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_recursion_visitors(program: Program) -> None:
    hold(program)
