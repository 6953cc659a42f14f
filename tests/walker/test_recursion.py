"""Functions that call themselves: as loops, of turns or over frames."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import chainer.functions as F
import numpy as np
import pytest

from elichika import InputError, Limits, ModelRuntimeError, compile_model
from tests.programs import REFUSED, Program, compiled
from tests.table import NUMBERS, ROW_AXES, ROWS, Table, hold

calls = Table()


def doubled(x: Any, n: int) -> Any:
    """Return early, else call on."""
    if n <= 0:
        return x
    return doubled(x * 2, n - 1)


@calls()
def last_call(self, x, n, c):
    return doubled(x, n)


def without_end(x: Any, y: Any) -> Any:
    """Call itself as the last thing, for ever where there are no rows."""
    if len(x) < 2:
        return without_end(x, y * 2) if y.sum() < 10 else x
    return x


@calls()
def an_end_that_never_comes(self, x, n, c):
    return without_end(x, x + 1)


def total(x: Any, n: int, so_far: Any = 0.0, *, scale: Any = 2) -> Any:
    """One expression, a default and a keyword."""
    return so_far if n <= 0 else total(x, n - 1, so_far + len(x) * scale, scale=1)


@calls()
def last_call_in_an_expression(self, x, n, c):
    return total(x, n), total(x, 1)


def divisor(a: int, b: int) -> int:
    """Euclid."""
    if b == 0:
        return abs(a)
    return divisor(b, a % b)


@calls(NUMBERS)
def greatest_common_divisor(self, a, b, f):
    return divisor(a, b)


def several(x: Any, n: int, out: list[Any]) -> list[Any]:
    """Three calls of itself, one from a loop; a list that grows."""
    if n <= 0:
        return out
    if n % 2 == 0:
        out.append(x * n)
        return several(x, n - 2, out)
    for row in x:
        if row.sum() > 0:
            return several(x - 1, n - 1, out)
    return several(x + 1, n=n - 1, out=out)


@calls()
def several_last_calls(self, x, n, c):
    return several(x, n, [])


class Reader:
    """Keeps a state."""

    def __init__(self, h: Any) -> None:
        self.h = h
        self.steps = 0

    def read(self, h: Any, n: int) -> Any:
        """A method that calls itself and changes attributes."""
        self.steps += 1
        if n <= 0:
            return h, self.steps
        if float(h.sum()) > 40:
            return h * 0, -1
        gate = F.sigmoid(h)
        self.h = self.h + gate.array
        return self.read(h + 1 if n % 2 else gate.array, n - 1)


@calls()
def method_that_calls_itself(self, x, n, c):
    reader = Reader(x * 0)
    h, steps = reader.read(x, n)
    return h, steps, reader.h, reader.steps


@calls()
def nested_function_that_calls_itself(self, x, n, c):
    limit = n * 2

    def climb(h, k, before=None):
        if k >= limit:
            return h, before
        return climb(h + k, k + 1, h)

    return climb(x, 0)


def unset(x: Any, n: int) -> Any:
    """A name of one call is not that of the next."""
    if n > 2:
        extra = x * n
    if n <= 0:
        return x if n < 0 else extra
    return unset(x + 1, n - 1)


@calls([*ROWS, (np.ones((2, 2), np.float32), -1, True)], ROW_AXES)
def names_of_each_call_are_its_own(self, x, n, c):
    return unset(x, n)


@calls()
def depth_known_now(self, x, n, c):
    weights = [x, x * 2, x * 3]

    def descend(h, d):
        if d == 0:
            return h
        if h.sum() > 0:
            return descend(h - weights[d - 1], d - 1)
        return h

    return descend(x, 3)


def found_row(x: Any, i: int) -> Any:
    """Give a view, or nothing."""
    if i >= len(x):
        return None
    if x[i].sum() > 0:
        return x[i], i
    return found_row(x, i + 1)


@calls()
def view_from_a_recursion(self, x, n, c):
    found = found_row(x, n)
    if found is None:
        return 0
    row, i = found
    row[:] = 0
    return x, i


@calls()
def recursion_that_changes_a_list_around_it(self, x, n, c):
    counted = []

    def count(k):
        if k <= 0:
            return len(counted)
        counted.append(k)
        return count(k - 1)

    return count(n), counted


class Total:
    """Gives itself."""

    def __init__(self) -> None:
        self.k = 0

    def run(self, n: int) -> Any:
        """Sum the numbers up to `n`."""
        self.k += n
        if n <= 0:
            return self
        return self.run(n - 1)


@calls()
def recursion_that_gives_the_object_itself(self, x, n, c):
    first = Total()
    last = first.run(n)
    return last.k, last is first


def factorial(n: int) -> int:
    """Multiplies after the call."""
    return 1 if n <= 0 else n * factorial(n - 1)


def fibonacci(n: int) -> int:
    """Calls itself twice."""
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m: int, n: int) -> int:
    """The result of a call is the argument of another one."""
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


SIZES = [(4, 2, True), (0, 0, False), (1, 3, True), (7, 1, True), (-1, 5, False)]


@calls(SIZES)
def numbers(self, n, m, c):
    return factorial(n), fibonacci(n), ackermann(m % 3, n % 4 if n > 0 else 0), factorial(m)


def even(n: int) -> bool:
    """Calls the other one."""
    return True if n <= 0 else odd(n - 1)


def odd(n: int) -> bool:
    """Calls the other one."""
    return False if n <= 0 else even(n - 1)


@calls(SIZES)
def two_functions(self, n, m, c):
    return even(n), odd(m)


def power(x: Any, n: int) -> Any:
    """An array in between."""
    if n <= 0:
        return x * 0 + 1
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


@calls()
def array_by_halves(self, x, n, c):
    return power(x, n)


def deep_sum(xs: Any) -> Any:
    """Slices of an array."""
    if len(xs) <= 1:
        return xs.sum()
    middle = len(xs) // 2
    return deep_sum(xs[:middle]) * 2 + deep_sum(xs[middle:])


@calls()
def slices(self, x, n, c):
    return deep_sum(x)


def reached(graph: Any, seen: Any, i: int, order: list[int]) -> int:
    """A search that writes to an array and a list, from a loop."""
    seen[i] = 1
    order.append(i)
    count = 1
    for j in range(graph.shape[1]):
        if graph[i, j] > 0 and seen[j] == 0:
            count += reached(graph, seen, j, order)
    return count


@calls()
def depth_first_search(self, x, n, c):
    order: list[int] = []
    size = n % 4 + 2 if n > 0 else 2
    graph = np.zeros((size, size), np.int64)
    for i in range(size - 1):
        graph[i, (i * 2 + 1) % size] = 1
        graph[(i + n) % size, i + 1] = 1
    seen = np.zeros(size, np.int64)
    return reached(graph, seen, 0, order), order, seen


@calls(SIZES)
def memo_in_an_array(self, n, m, c):
    table = np.zeros(20, np.int64)

    def fib(k):
        if k < 2:
            return k
        if table[k] == 0:
            table[k] = fib(k - 1) + fib(k - 2)
        return table[k]

    return fib(n), table


def moves(n: int, a: int, b: int, c: int, out: list[int]) -> None:
    """No result, a list that grows between two calls."""
    if n <= 0:
        return
    moves(n - 1, a, c, b, out)
    out.append(a * 10 + c)
    moves(n - 1, b, a, c, out)


@calls(SIZES)
def hanoi(self, n, m, c):
    out: list[int] = []
    moves(n, 1, 2, 3, out)
    return out


class Tree:
    """Nodes in arrays."""

    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right
        self.visits = 0

    def height(self, i: int) -> int:
        """A method that counts its calls."""
        self.visits += 1
        if i < 0:
            return 0
        return 1 + max(self.height(self.left[i]), self.height(self.right[i]))


class Named(Tree):
    """A method that is overridden and calls the one below."""

    def height(self, i: int) -> int:
        """Count double."""
        return 2 * super().height(i)


@calls(SIZES)
def methods(self, n, m, c):
    left, right = np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1])
    tree, other = Tree(left, right), Named(left, right)
    start = m % 5 - 1
    return tree.height(start), tree.visits, other.height(start), other.visits


def layered(x: Any, n: int) -> Any:
    """Give the array itself, or a Variable."""
    if n <= 0:
        return x
    h = layered(x, n - 1)
    return F.tanh(h + 0.5 * layered(x * 2, n - 2))


@calls()
def array_or_variable(self, x, n, c):
    return layered(x, n % 5)


COUNTS = [(n,) for n in (4, 0, 1, 2, 3, 5)]


def by_comprehension(n: int) -> int:
    """Collect in a list."""
    return 1 if n <= 0 else n + sum([by_comprehension(n) for n in range(n)])


def by_generator(n: int, seen: list[int]) -> int:
    """Ask for all items, under a condition."""
    seen.append(n)
    if n <= 0:
        return 1
    most = max(by_generator(n - k, seen) * k for k in (1, 2))
    return most + sum(by_generator(k, seen) for j in range(n) for k in range(j) if k % 2)


def some_below(n: int, seen: list[int]) -> bool:
    """End at the first that is true."""
    seen.append(n)
    return n < -1 if n <= 0 else any(some_below(n - 2 + k, seen) for k in range(2))


def all_below(n: int, seen: list[int]) -> bool:
    """End at the first that is false."""
    seen.append(n)
    return n > -2 if n <= 0 else all(all_below(n - 1 - k, seen) for k in range(3))


@calls(COUNTS)
def calls_in_comprehensions(self, n):
    first: list[int] = []
    some: list[int] = []
    every: list[int] = []
    found = by_generator(n, first), some_below(n, some), all_below(n, every)
    return by_comprehension(n), found, first, some, every


def below(x: Any, n: int) -> Any:
    """Collect arrays of unlike sizes, and pairs."""
    if n <= 0:
        return x[:1], n
    pairs = [below(x[i % 2 :], n - 1 - i) for i in range(n)]
    return np.concatenate([x, *[part for part, _ in pairs]])[:7], len(pairs) + pairs[0][1]


@calls()
def comprehensions_of_arrays(self, x, n, c):
    return below(x, n)


def over_things(n: int, xs: Any) -> int:
    """Loop over lists, pairs and what a call gives."""
    if n <= 0:
        return 1
    total = 0
    for i, x in enumerate(xs):
        if x <= 0:
            break
        total += over_things(n - 1, xs[i:])
    for x, y in zip(xs, xs[2:]):
        total += over_things(n - 2, [y, x]) if x < y else 1
    return total


def counted_down(n: int) -> list[int]:
    """Loop over the result of a call."""
    if n <= 0:
        return [n]
    out: list[int] = []
    for x in counted_down(n - 1):
        for i in range(n):
            out = out + counted_down(x - i - 2)
        out.append(x)
    return out


@calls(COUNTS)
def calls_in_loops_over_lists(self, n):
    return over_things(n, [1, 2, 5, -1, 2])


@calls(COUNTS)
def a_loop_over_the_result_of_a_call(self, n):
    return counted_down(n)


def over_rows(x: Any, n: int) -> Any:
    """Loop over the rows of an array."""
    if n <= 0:
        return x.sum()
    total = x[:1].sum()
    for row in x:
        if row.sum() > 0:
            total = total * 0.5 + over_rows(x[: n % 3], n - 1)
    return total


@calls()
def calls_in_loops_over_rows(self, x, n, c):
    return over_rows(x, n)


def around(left: Any, right: Any, i: int) -> Any:
    """Yield each node before and after the one on its right."""
    if i >= 0:
        yield from around(left, right, left[i])
        yield i
        yield from around(left, right, right[i])
        yield i + 10


@calls(
    [
        (np.array(left, int), np.array(right, int), most)
        for left, right, most in [
            ([1, -1, -1, -1], [2, -1, -1, -1], 9),
            ([1, -1, -1], [2, -1, -1], 1),
            ([1, -1, -1], [2, -1, -1], 0),
            ([-1], [-1], 20),
            ([], [], 3),
        ]
    ],
    {"left": {0: "nodes"}, "right": {0: "nodes"}},
)
def a_generator_left_before_its_end(self, left, right, most):
    total = 0
    for k in around(left, right, len(left) - 1 if len(left) < 2 else 0):
        if k > most:
            break
        total += k + 1
    return total


def searched(x: Any, options: Any) -> Any:
    """Search anew with a changed copy of the options, as the beam search of ESPnet does."""
    least, found, length = int(options.ratio * len(x)), [], 0
    if options.counts:
        first = 3
    for t in range(len(x)):
        length = length + 1 if not options.counts else first
        if x[t, 0] > 0.3 or t == len(x) - 1:
            if length > least:
                found.append({"length": length, "ratio": options.ratio})
            break
    if len(found) == 0 and len(x):
        options = Namespace(**vars(options))
        options.ratio = max(0.0, options.ratio - 0.1)
        return searched(x, options)
    return found


@calls()
def a_second_attempt_with_other_options(self, x, n, c):
    return searched(x, Namespace(ratio=0.9, counts=False))


@pytest.mark.parametrize("program", calls.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)


def over_keys(n: int, keys: Any) -> int:
    """Loop over what has no numbers."""
    return 1 if n <= 0 else sum(over_keys(n - key, keys) for key in keys)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x, n: over_keys(n, {1: 2, 2: 1}),
            "a recursive call, .* stands in a loop over a dict",
        ),
        (
            lambda x, n: over_keys(n, iter((1, 2, 3))),
            "a recursive call, .* stands in a loop over an iterator",
        ),
    ],
    ids=["dict", "iterator"],
)
def test_refused(function: Any, message: str) -> None:
    def forward(self, x, n, c):
        return function(x, n)

    with pytest.raises(REFUSED, match=message):
        compiled(Program(forward, ROWS, ROW_AXES))


def halves(n: int, k: int) -> int:
    """Call itself twice, with something in between."""
    return k if n <= 0 else halves(n - 1, k) + n * halves(n // 2, k)


def two_of(n: int) -> int:
    """Call the other one."""
    return 0 if n <= 0 else 1 + one_of(n - 1)


def one_of(n: int) -> int:
    """Call the other one."""
    return 1 if n <= 0 else n + two_of(n - 2)


def test_the_report_has_functions_and_frames() -> None:
    def forward(self, n, k):
        return factorial(n), halves(n, k), two_of(n)

    model = compiled(Program(forward, [(3, 2)]))
    found = [why for what, why in model.report.loops.values() if what == "over frames"]
    assert found == [
        "`factorial` calls itself; a frame holds `n`",
        "`halves` calls itself; a frame holds `n`, a value in between and where to go on",
        "`two_of` and `one_of` call each other; a frame holds `n` and where to go on",
    ]


def test_the_depth_is_limited() -> None:
    def forward(self, n):
        return factorial(n)

    program = Program(forward, [(3,)])
    model = compiled(
        program, lambda *given, **options: compile_model(*given, **options, max_depth=5)
    )
    assert model(4) == 24
    with pytest.raises(ModelRuntimeError, match="recursion depth exceeded in factorial"):
        model(5)


def test_so_is_that_of_a_call_that_is_the_last_thing() -> None:
    def forward(self, n):
        def collatz(k, steps):
            return steps if k == 1 else collatz(k // 2 if k % 2 == 0 else 3 * k + 1, steps + 1)

        return collatz(n, 0)

    program = Program(forward, [(6,), (1,), (27,), (2,), (97,)])
    hold(program)
    model = compiled(
        program, lambda *given, **options: compile_model(*given, **options, max_depth=100)
    )
    assert model(6) == 8
    for without_end in (27, 0):
        with pytest.raises(ModelRuntimeError, match="recursion depth exceeded in collatz"):
            model(without_end)


def drained(n: int) -> int:
    """Call itself in the middle, and as the last thing: without end from 5 on."""
    if n <= 0:
        return 0
    k = drained(n - 5)
    return drained(n - 1) if n < 5 else drained(n + k)


def test_a_last_call_counts_where_there_are_others() -> None:
    def forward(self, n):
        return drained(n)

    def ping(n):
        return 0 if n == 0 else pong(n - 1)

    def pong(n):
        return 1 if n == 0 else ping(n - 1)

    def both(self, n):
        return ping(n)

    program = Program(forward, [(3,), (0,), (4,), (1,), (-2,)])
    hold(program)
    with pytest.raises(ModelRuntimeError, match="recursion depth exceeded in drained"):
        compiled(program)(5)
    with pytest.raises(ModelRuntimeError, match="recursion depth exceeded in ping"):
        compiled(Program(both, [(3,)]))(-1)


def shallow(n: int) -> int:
    """A last call behind many that return: as deep as `n`."""
    if n <= 0:
        return 0
    if n > 3:
        shallow(n // 4)
    return shallow(n - 1)


def test_a_call_that_has_returned_is_not_counted() -> None:
    def forward(self, n):
        return shallow(n)

    program = Program(forward, [(3,), (0,), (40,), (1,), (99,)])
    hold(program)
    model = compiled(
        program, lambda *given, **options: compile_model(*given, **options, max_depth=100)
    )
    assert model(99) == 0
    with pytest.raises(ModelRuntimeError, match="recursion depth exceeded in shallow"):
        model(100)


@pytest.mark.parametrize("depth", [0, 2.5, None])
def test_a_depth_is_a_positive_int(depth: Any) -> None:
    with pytest.raises(InputError, match="max_depth must be a positive int, not"):
        Limits(max_depth=depth)
