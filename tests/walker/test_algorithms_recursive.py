"""Recursive algorithms as people write them: sorting, searching, trees, parsers, games."""

from __future__ import annotations

from typing import Any

import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import VECTOR_AXES, VECTORS, Table, hold

case = Table()

COUNTS = [(n,) for n in (4, 0, 1, 2, 3, 5)]

# -- sorting ----------------------------------------------------------------------------------


def quicksorted(x: Any) -> Any:
    """Give a new array."""
    if len(x) <= 1:
        return x
    pivot, rest = x[0], x[1:]
    smaller = quicksorted(rest[rest < pivot])
    larger = quicksorted(rest[rest >= pivot])
    return np.concatenate([smaller, x[:1], larger])


@case(VECTORS, VECTOR_AXES)
def quicksort(self, x):
    return quicksorted(x)


@case(VECTORS, VECTOR_AXES)
def quicksort_in_place(self, x):
    x = x.copy()

    def partition(low, high):
        pivot, i = x[high], low
        for j in range(low, high):
            if x[j] <= pivot:
                x[i], x[j] = x[j], x[i]
                i += 1
        x[i], x[high] = x[high], x[i]
        return i

    def sort(low, high):
        if low < high:
            middle = partition(low, high)
            sort(low, middle - 1)
            sort(middle + 1, high)

    sort(0, len(x) - 1)
    return x


def merge_sorted(x: Any) -> Any:
    """Merge two halves into a new array."""
    n = len(x)
    if n <= 1:
        return x
    left, right = merge_sorted(x[: n // 2]), merge_sorted(x[n // 2 :])
    out = np.zeros(n, x.dtype)
    i = j = 0
    for k in range(n):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            out[k] = left[i]
            i += 1
        else:
            out[k] = right[j]
            j += 1
    return out


@case(VECTORS, VECTOR_AXES)
def merge_sort(self, x):
    return merge_sorted(x)


# -- graphs -----------------------------------------------------------------------------------


def graph_of(n: int, seed: int, density: float = 0.4) -> Any:
    """Return a random matrix of edges."""
    return (np.random.RandomState(seed).rand(n, n) < density).astype(np.int64)


GRAPHS = [(graph_of(n, n),) for n in (4, 1, 2, 3, 6, 7)]
GRAPH_AXES = {0: {0: "N", 1: "N"}}


@case(GRAPHS, GRAPH_AXES)
def depth_first_search(self, edges):
    n = len(edges)
    visited = np.zeros(n, bool)
    order = []

    def visit(i):
        visited[i] = True
        order.append(i)
        for j in range(n):
            if edges[i, j] and not visited[j]:
                visit(j)

    for i in range(n):
        if not visited[i]:
            visit(i)
    return order, visited


class Searcher:
    """A search that keeps its state in attributes."""

    def __init__(self, edges: Any) -> None:
        self.edges, self.clock = edges, 0
        self.entered = np.zeros(len(edges), np.int64)
        self.left = np.zeros(len(edges), np.int64)
        self.cyclic = False

    def visit(self, i: int) -> None:
        """Note when a node is entered and left."""
        self.clock += 1
        self.entered[i] = self.clock
        for j in np.where(self.edges[i])[0]:
            if self.entered[j] == 0:
                self.visit(j)
            elif self.left[j] == 0:
                self.cyclic = True
        self.clock += 1
        self.left[i] = self.clock


@case(GRAPHS, GRAPH_AXES)
def depth_first_times(self, edges):
    search = Searcher(edges)
    search.visit(0)
    return search.entered, search.left, search.cyclic, search.clock


# -- numbers ----------------------------------------------------------------------------------


def fibonacci(n: int) -> int:
    """Call twice."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@case([(n,) for n in (6, 0, 1, 2, 9)])
def fibonacci_without_memo(self, n):
    return fibonacci(n)


@case([(n,) for n in (6, 0, 1, 2, 30)])
def fibonacci_with_array(self, n):
    memo = np.full(n + 2, -1, np.int64)

    def fib(k):
        if memo[k] >= 0:
            return memo[k]
        if k < 2:
            memo[k] = k
        else:
            memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n), memo


@case([(n,) for n in (6, 0, 1, 2, 30)])
def fibonacci_with_dict(self, n):
    memo = {0: 0, 1: 1}

    def fib(k):
        if k in memo:
            return memo[k]
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)


def memoized(n: int, memo: Any) -> int:
    """Take the memo as an argument."""
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    memo[n] = memoized(n - 1, memo) + memoized(n - 2, memo)
    return memo[n]


@case([(n,) for n in (6, 0, 1, 2, 30)])
def fibonacci_with_dict_argument(self, n):
    memo: dict[int, int] = {}
    return memoized(n, memo), len(memo)


def ackermann(m: int, n: int) -> int:
    """The argument of a call is the result of another."""
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@case([(2, 3), (0, 0), (0, 4), (1, 0), (1, 5), (2, 0), (3, 2)])
def ackermann_function(self, m, n):
    return ackermann(m, n)


def is_even(n: int) -> bool:
    """Call the other one."""
    return n == 0 or is_odd(n - 1)


def is_odd(n: int) -> bool:
    """Call the other one."""
    return n != 0 and is_even(n - 1)


@case([(n,) for n in (5, 0, 1, 2, 40)])
def even_and_odd(self, n):
    return is_even(n), is_odd(n)


def moves(n: int, a: str, b: str, c: str, out: Any) -> None:
    """Move a tower: a list of pairs."""
    if n == 0:
        return
    moves(n - 1, a, c, b, out)
    out.append((a, c))
    moves(n - 1, b, a, c, out)


@case(COUNTS)
def hanoi_as_pairs(self, n):
    out: list[Any] = []
    moves(n, 0, 1, 2, out)
    return out


def hanoi_moves(n: int, a: int, b: int, c: int) -> Any:
    """Give lists."""
    if n == 0:
        return []
    return hanoi_moves(n - 1, a, c, b) + [a * 3 + c] + hanoi_moves(n - 1, b, a, c)


@case(COUNTS)
def hanoi_of_lists(self, n):
    return hanoi_moves(n, 0, 1, 2)


def hanoi_steps(n: int) -> int:
    """Count."""
    if n == 0:
        return 0
    return 2 * hanoi_steps(n - 1) + 1


@case(COUNTS)
def hanoi_counted(self, n):
    return hanoi_steps(n)


@case(COUNTS)
def hanoi_on_pegs(self, n):
    pegs = np.zeros((3, n + 1), np.int64)
    height = np.array([n, 0, 0])
    for i in range(n):
        pegs[0, i] = n - i

    def move(k, a, b, c):
        if k > 0:
            move(k - 1, a, c, b)
            height[a] -= 1
            pegs[c, height[c]] = pegs[a, height[a]]
            height[c] += 1
            move(k - 1, b, a, c)

    move(n, 0, 1, 2)
    return pegs, height


# -- searching --------------------------------------------------------------------------------


@case(COUNTS)
def n_queens(self, n):
    columns = np.zeros(n, np.int64)

    def place(row):
        if row == n:
            return 1
        found = 0
        for column in range(n):
            safe = True
            for other in range(row):
                if columns[other] == column or abs(columns[other] - column) == row - other:
                    safe = False
            if safe:
                columns[row] = column
                found += place(row + 1)
        return found

    return place(0)


@case(COUNTS)
def n_queens_with_all(self, n):
    solutions = []

    def place(queens, row):
        if row == n:
            solutions.append(queens)
            return
        for column in range(n):
            before = queens[:row]
            if np.all(before != column) and np.all(np.abs(before - column) != row - np.arange(row)):
                place(np.concatenate([before, np.array([column]), queens[row + 1 :]]), row + 1)

    place(np.zeros(n, np.int64), 0)
    return solutions


@case([(n,) for n in (3, 0, 1, 2, 4)])
def permutations_by_swapping(self, n):
    items, found = np.arange(n), []

    def permute(k):
        if k == n:
            found.append(items.copy())
            return
        for i in range(k, n):
            items[k], items[i] = items[i], items[k]
            permute(k + 1)
            items[k], items[i] = items[i], items[k]

    permute(0)
    return found, items


SHORT = [(f32(3),), (f32(0),), (f32(1),), (f32(2),), (f32(4),)]


def subsets_of(xs: Any) -> Any:
    """Give rows of what is in."""
    if len(xs) == 0:
        return np.zeros((1, 0), bool)
    rest = subsets_of(xs[1:])
    without = np.concatenate([np.zeros((len(rest), 1), bool), rest], axis=1)
    within = np.concatenate([np.ones((len(rest), 1), bool), rest], axis=1)
    return np.concatenate([without, within])


@case(SHORT, VECTOR_AXES)
def subsets_as_masks(self, x):
    return subsets_of(x)


def subset_sums(xs: Any, i: int, total: Any, out: Any) -> None:
    """Take an item or leave it."""
    if i == len(xs):
        out.append(total)
        return
    subset_sums(xs, i + 1, total, out)
    subset_sums(xs, i + 1, total + xs[i], out)


@case(SHORT, VECTOR_AXES)
def subsets_as_sums(self, x):
    out: list[Any] = []
    subset_sums(x, 0, 0.0, out)
    return out


def subset_lists(xs: Any) -> Any:
    """Add to each a comprehension's result."""
    if len(xs) == 0:
        return [0.0]
    rest = subset_lists(xs[1:])
    return rest + [xs[0] + one for one in rest]


@case(SHORT, VECTOR_AXES)
def subsets_as_lists(self, x):
    return subset_lists(x)


# -- trees ------------------------------------------------------------------------------------


@case(VECTORS, VECTOR_AXES)
def binary_tree_insertion(self, x):
    n = len(x)
    left, right = np.full(n, -1), np.full(n, -1)

    def insert(root, i):
        if x[i] < x[root]:
            if left[root] < 0:
                left[root] = i
            else:
                insert(left[root], i)
        elif right[root] < 0:
            right[root] = i
        else:
            insert(right[root], i)

    def in_order(i, out):
        if i >= 0:
            in_order(left[i], out)
            out.append(x[i])
            in_order(right[i], out)

    for i in range(1, n):
        insert(0, i)
    out: list[Any] = []
    if n > 0:
        in_order(0, out)
    return left, right, out


def inserted(left: Any, right: Any, x: Any, root: int, i: int) -> int:
    """Give the root of what was inserted into."""
    if root < 0:
        return i
    if x[i] < x[root]:
        left[root] = inserted(left, right, x, left[root], i)
    else:
        right[root] = inserted(left, right, x, right[root], i)
    return root


@case(VECTORS, VECTOR_AXES)
def binary_tree_of_roots(self, x):
    left, right = np.full(len(x), -1), np.full(len(x), -1)
    root = -1
    for i in range(len(x)):
        root = inserted(left, right, x, root, i)
    return root, left, right


def tree_of(leaves: int, seed: int = 0) -> tuple[Any, ...]:
    """Return words and children of a random tree, the root first."""
    random = np.random.RandomState(seed)
    left, right = [-1], [-1]
    ends = [0]
    for _ in range(leaves - 1):
        i = ends.pop(random.randint(len(ends)))
        left[i], right[i] = len(left), len(left) + 1
        ends += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    words = random.randint(0, 10, len(left)).astype(np.int32)
    return words, np.array(left, np.int32), np.array(right, np.int32)


def chain_tree(leaves: int) -> tuple[Any, ...]:
    """Return a tree that is as deep as it can be."""
    inner = leaves - 1
    left = np.full(2 * leaves - 1, -1, np.int32)
    right = left.copy()
    left[0 : 2 * inner : 2] = np.arange(1, 2 * inner, 2)
    right[0 : 2 * inner : 2] = np.arange(2, 2 * inner + 1, 2)
    return np.arange(2 * leaves - 1).astype(np.int32) % 10, left, right


TREES = [tree_of(4), tree_of(1), tree_of(2), tree_of(9, 3), chain_tree(12), tree_of(20, 5)]
TREE_AXES = {0: {0: "N"}, 1: {0: "N"}, 2: {0: "N"}}
LAYERS = {
    "embed": lambda: L.EmbedID(10, 6),
    "leaf": lambda: L.Linear(6, 6),
    "mid": lambda: L.Linear(12, 30),
}


@case(TREES, TREE_AXES, **LAYERS)
def tree_lstm(self, words, left, right):
    def node(i):
        if left[i] < 0:
            c = self.leaf(self.embed(words[i : i + 1]))
            return c, F.tanh(c)
        lc, lh = node(left[i])
        rc, rh = node(right[i])
        return F.tree_lstm(lc, rc, self.mid(F.concat((lh, rh))))[:2]

    return node(0)


TREE_LISTS = [
    tuple(list(part) for part in zip(*trees, strict=True))
    for trees in (
        [tree_of(3), tree_of(1)],
        [tree_of(1)],
        [tree_of(2, 1), chain_tree(6), tree_of(5, 2)],
        [tree_of(7, 4), tree_of(1), tree_of(2), tree_of(3)],
        [chain_tree(9)],
    )
]


@case(TREE_LISTS, {}, **LAYERS)
def tree_lstm_over_a_list(self, words, lefts, rights):
    def node(word, left, right, i):
        if left[i] < 0:
            c = self.leaf(self.embed(word[i : i + 1]))
            return c, F.tanh(c)
        lc, lh = node(word, left, right, left[i])
        rc, rh = node(word, left, right, right[i])
        return F.tree_lstm(lc, rc, self.mid(F.concat((lh, rh))))[:2]

    states = []
    for k in range(len(words)):
        states.append(node(words[k], lefts[k], rights[k], 0)[1])
    return F.concat(states, axis=0)


# -- parsers ----------------------------------------------------------------------------------

#: Tokens: numbers from 0 on; below these are + - * / ( ) and the end.
PLUS, MINUS, TIMES, DIVIDE, OPEN, CLOSE, END = range(-1, -8, -1)


def tokens_of(text: str) -> tuple[Any]:
    """Return an expression of digits as tokens."""
    signs = {"+": -1, "-": -2, "*": -3, "/": -4, "(": -5, ")": -6}
    return (np.array([signs[c] if c in signs else int(c) for c in text] + [END]),)


EXPRESSIONS = [
    tokens_of(text)
    for text in (
        "1+2*3",
        "7",
        "(5)",
        "((1+2)*(3-4))*5",
        "8/(2+2)-(3*(4-(5+6)))",
        "((((((((2))))))))+1",
        "9-3-2-1",
    )
]


class Parser:
    """Recursive descent over tokens with a position that all share."""

    def __init__(self, tokens: Any) -> None:
        self.tokens, self.at = tokens, 0

    def expression(self) -> Any:
        """Read terms."""
        value = self.term()
        while self.tokens[self.at] == PLUS or self.tokens[self.at] == MINUS:
            sign = self.tokens[self.at]
            self.at += 1
            other = self.term()
            value = value + other if sign == PLUS else value - other
        return value

    def term(self) -> Any:
        """Read factors."""
        value = self.factor()
        while self.tokens[self.at] in (TIMES, DIVIDE):
            sign = self.tokens[self.at]
            self.at += 1
            if sign == TIMES:
                value *= self.factor()
            else:
                value /= self.factor()
        return value

    def factor(self) -> Any:
        """Read a number or what is in parentheses."""
        token = self.tokens[self.at]
        self.at += 1
        if token == OPEN:
            value = self.expression()
            self.at += 1
            return value
        return float(token)


@case(EXPRESSIONS, {0: {0: "N"}})
def recursive_descent(self, tokens):
    parser = Parser(tokens)
    return parser.expression(), parser.at


@case(EXPRESSIONS, {0: {0: "N"}})
def recursive_descent_with_nonlocal(self, tokens):
    at = 0

    def take():
        nonlocal at
        at += 1
        return tokens[at - 1]

    def expression():
        value = term()
        while tokens[at] == PLUS or tokens[at] == MINUS:
            value = value + term() if take() == PLUS else value - term()
        return value

    def term():
        value = factor()
        while tokens[at] == TIMES or tokens[at] == DIVIDE:
            value = value * factor() if take() == TIMES else value / factor()
        return value

    def factor():
        token = take()
        if token == OPEN:
            value = expression()
            take()
            return value
        return float(token)

    return expression(), at


def read_sum(tokens: Any, at: int) -> Any:
    """Give a value and the position after it."""
    value, at = read_product(tokens, at)
    while tokens[at] == PLUS or tokens[at] == MINUS:
        other, after = read_product(tokens, at + 1)
        value = value + other if tokens[at] == PLUS else value - other
        at = after
    return value, at


def read_product(tokens: Any, at: int) -> Any:
    """Give a value and the position after it."""
    value, at = read_atom(tokens, at)
    while tokens[at] == TIMES or tokens[at] == DIVIDE:
        other, after = read_atom(tokens, at + 1)
        value = value * other if tokens[at] == TIMES else value / other
        at = after
    return value, at


def read_atom(tokens: Any, at: int) -> Any:
    """Give a value and the position after it."""
    if tokens[at] == OPEN:
        value, at = read_sum(tokens, at + 1)
        return value, at + 1
    return float(tokens[at]), at + 1


@case(EXPRESSIONS, {0: {0: "N"}})
def recursive_descent_with_positions(self, tokens):
    return read_sum(tokens, 0)


# -- games ------------------------------------------------------------------------------------

LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
)


def won(board: Any, player: int) -> Any:
    """Tell whether a player has a line."""
    return bool(np.any(np.all(board[LINES] == player, axis=1)))


def minimax(board: Any, player: int, depth: int) -> int:
    """Return the value of a position for the player whose turn it is."""
    if won(board, -player):
        return -1
    if depth == 0 or np.all(board != 0):
        return 0
    best = -2
    for i in range(9):
        if board[i] == 0:
            board[i] = player
            best = max(best, -minimax(board, -player, depth - 1))
            board[i] = 0
    return best


def board_of(text: str) -> Any:
    """Return a position."""
    return np.array([".XO".index(c) for c in text]) * 1 - 3 * np.array([c == "O" for c in text])


BOARDS = [
    (board_of(text), player, depth)
    for text, player, depth in (
        ("X.O.X...O", 1, 2),
        (".........", 1, 0),
        (".........", -1, 1),
        ("XX.OO....", 1, 4),
        ("XOXOXO.X.", -1, 4),
        ("XXXOO....", -1, 4),
        ("X.O.X....", -1, 4),
    )
]


@case(BOARDS)
def minimax_of_tic_tac_toe(self, board, player, depth):
    return minimax(board, player, depth), board


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
