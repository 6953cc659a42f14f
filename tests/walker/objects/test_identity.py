"""`is` of what was known and then rebound: proven, asked when the model runs, or refused."""

from __future__ import annotations

import time
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled, f32
from tests.table import ROW_AXES, ROWS, Table


def arrays() -> dict[str, Any]:
    """Return attributes: two arrays, another name of one, a list of one, and two Parameters."""
    one, two = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    p, q = (chainer.Parameter(np.full(3, k, np.float32)) for k in (1, 2))
    return {"one": one, "two": two, "same": one, "cur": one, "kept": [one], "p": p, "q": q}


case = Table()
HELD: list[Program] = []


def held() -> Any:
    """Enter a `forward` of a chain that holds these arrays."""

    def enter(forward: Any) -> Any:
        HELD.append(Program(forward, ROWS, ROW_AXES, attributes=arrays))
        return forward

    return enter


@case()
def constants(self, x, n, c):
    a, b, other = np.arange(3), np.zeros(3, int), np.zeros(3, int)
    if c:
        a = b
    return a is b, b is a, a is not b, a is other, other is a, a is None


@held()
def attribute_rebound(self, x, n, c):
    if c:
        self.cur = self.two
    return self.cur is self.two, self.cur is self.one, self.same is self.one, self.cur


@held()
def attribute_in_a_loop(self, x, n, c):
    a = x
    for _ in range(n):
        a = self.same
    return a is self.one, self.one is a, a is x


@held()
def parameters(self, x, n, c):
    w = self.q if c else self.p
    return w is self.q, self.p is w, w.array is self.q.array, w.array is self.p.array, w


@held()
def parameters_in_turn(self, x, n, c):
    w, k = self.p, 0
    for _ in range(n):
        if w is self.p:
            w = self.q
            k += 1
        else:
            w = self.p
    return w is self.q, w, k


@case()
def ping_pong(self, x, n, c):
    a, b = np.zeros(3), np.zeros(3)
    cur = a
    for i in range(n):
        cur = b if cur is a else a
        cur += 1
        cur[0] = i
    return a, b, cur is a, cur is b


@held()
def ping_pong_of_attributes(self, x, n, c):
    for i in range(n):
        if c or i > 1:
            self.cur = self.two if self.cur is self.one else self.one
        self.cur += 1
    return self.one, self.two, self.cur is self.one


@case()
def ping_pong_of_lists(self, x, n, c):
    a, b = [1], [2]
    cur = a
    for i in range(n):
        cur = b if cur is a else a
        cur.append(i)
    return a, b, cur is a


@held()
def swapped(self, x, n, c):
    a, b = self.one, self.two
    for _ in range(n):
        a, b = b, a
        a += 1
    return a is self.one, b is self.one, self.one, self.two


@held()
def a_write_under_the_test(self, x, n, c):
    a = self.one
    b, w = a, 0
    while w < n:
        w += 1
        if w == 2:
            b = np.zeros(3, np.float32)
        if a is b:
            b[...] = 5
    return a, b


@case()
def known_or_computed(self, x, n, c):
    a = np.zeros(3)
    b = a
    if c:
        a = np.zeros(3) + n
    a += 1
    return a is b, a, b


@case()
def zero_turns(self, x, n, c):
    a = np.arange(3.0)
    b = a
    for i in range(n):
        a = a + i
    return a is b


@case()
def before_the_last_turn(self, x, n, c):
    a = np.arange(3)
    b = a
    for _ in range(n):
        b = a
        a = a.copy()
    return a is b


@case()
def one_of_one_of(self, x, n, c):
    a, b = x + 1, x + 2
    first = a if c else b
    second = first if n > 1 else a
    return second is first, first is second, second is a, second is b, first is b


@held()
def values_of_a_dict(self, x, n, c):
    d = {"a": self.one, "b": self.two}
    cur = d["a"] if c else d["b"]
    cur += 5
    return d, [cur is v for v in d.values()]


@held()
def picked_from_a_list(self, x, n, c):
    both = [self.one, self.two]
    a, b = both[n % 2], both[0] if c else both[1]
    return a is self.one, a is b, b is self.two


@held()
def attribute_of_an_object(self, x, n, c):
    class Node:
        pass

    p, q = Node(), Node()
    p.v = q.v = self.one
    r = p if c else q
    r.v = self.two
    return p.v is self.one, q.v is self.two, p is r, p.v is q.v


@held()
def among_items(self, x, n, c):
    a = self.one if c else self.two
    return a in [a, 3], [a, 1] == [a, 2], [1, a] == [2, self.one], (a, n) == (a, 2)


@held()
def an_item_that_may_be_it(self, x, n, c):
    a = self.one if c else self.two
    return [a, 1].index(a), [self.one, a].index(self.one)


@case()
def bools(self, x, n, c):
    b, d, e, one = bool(n > 1), x.sum() > 0, bool(c), 1
    return b is True, False is b, b is None, b is e, d is True, d is b, d is d, b is one, b is not e


@case()
def variables(self, x, n, c):
    v, w = F.relu(x), F.relu(x + 1)
    u = w if c else v
    return u is v, u is w, u.array is v.array, F.dropout(v) is v


@case()
def texts(self, x, n, c):
    one, other = "train", "test"
    m = "train" if c else "test"
    for _ in range(n):
        m = "test" if m is one else "train"
    return m is one, m is other, m is None


@case()
def a_view_made_on_one_side(self, x, n, c):
    a, b = x.copy(), x
    if c:
        a = np.arange(3.0)
        b = a[1:]
    a += 64
    return a, b


@case()
def a_variable_made_on_one_side(self, x, n, c):
    a, v = x + 0, None
    if c:
        a = np.arange(3.0)
        v = chainer.Variable(a)
    a += 1
    return a, 0 if v is None else v.array


@held()
def a_variable_of_a_known_array(self, x, n, c):
    v, w = chainer.Variable(self.one), chainer.Variable(x)
    told = v.array is self.one, w.array is x, v is w, chainer.Variable(x) is w
    if c:
        v = chainer.Variable(self.two)
    v.array[0] = 5
    return told, v.array is self.two, self.one, self.two


@held()
def a_known_view(self, x, n, c):
    a = before = self.one
    b = a[:]
    for _ in range(n):
        a = b
    a += 1
    return a is b, a is before, b, before


def tuples(self, x, n, c):
    t = u = (1, n)
    for _ in range(n):
        t = (1, n)
    return t is u


def tuples_known(self, x, n, c):
    a, b = (1, self), (1, self)
    return (a if c else b) is a


def tuples_after_zero_turns(self, x, n, c):
    t = u = (self, 2)
    for i in range(n):
        if i == 1:
            t = (self, 2)
    return t is u


def numbers(self, x, n, c):
    three = 3
    return n is three


def texts_with_spaces(self, x, n, c):
    one = "a b"
    return ("a b" if c else "c d") is one


def views(self, x, n, c):
    a, b = x[:1], x[:1]
    u = b if c else a
    return u is b


def two_variables_of_one_array(self, x, n, c):
    v, w = chainer.Variable(x), chainer.Variable(x)
    u = w if c else v
    return u is v


def equal_views_time_after_time(self, x, n, c):
    v = x[1:]
    u = v
    for _ in range(n):
        v = x[::1][1:]
    return v is u


def variables_time_after_time(self, x, n, c):
    v = chainer.Variable(x)
    u = v
    for _ in range(n):
        v = chainer.Variable(x)
    return v is u


def variables_of_an_array_that_is_made(self, x, n, c):
    y = x + 1
    v = chainer.Variable(y)
    u = v
    while n > 0:
        n -= 1
        if c:
            v = chainer.Variable(y)
    return v is u


OPEN = (
    equal_views_time_after_time,
    variables_time_after_time,
    variables_of_an_array_that_is_made,
    tuples,
    tuples_known,
    tuples_after_zero_turns,
    numbers,
    texts_with_spaces,
    views,
    two_variables_of_one_array,
)


@pytest.mark.parametrize("program", [*case.programs, *HELD], ids=lambda p: p.name)
def test_identity(program: Program) -> None:
    check(program, compiled(program))


@pytest.mark.parametrize("forward", OPEN, ids=lambda f: f.__name__)
def test_what_cannot_be_told_is_refused(forward: Any) -> None:
    program = Program(forward, ROWS, ROW_AXES)
    with pytest.raises(elichika.StagingError, match=r"(?s)test_identity\.py.* is "):
        compiled(program)


SWAPS = "        if a[0] > {k}:\n            a, b = b, a\n        a[0] += 1\n"


def test_swapping_time_after_time_is_compiled_in_a_moment(tmp_path: Any) -> None:
    lines = "".join(SWAPS.format(k=k % 3) for k in range(20))
    path = tmp_path / "swaps.py"
    path.write_text(
        "def forward(self, x):\n    a, b = x * 1, x * 2\n    if True:\n"
        + lines
        + "    return a, b\n"
    )
    scope: dict[str, Any] = {"__name__": "swaps"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    inputs = [(x,) for x in (f32(3), f32(3, seed=1), 4 * f32(1), f32(5, seed=2))]
    program = Program(scope["forward"], inputs, {"x": {0: "n"}})
    start = time.perf_counter()
    model = compiled(program)
    assert time.perf_counter() - start < 30, "doubling with each statement takes hours"
    check(program, model)
