"""Branches on tensors, scalars, sizes and None; lazy operators; what a branch leaves behind."""

from __future__ import annotations

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import NUMBERS, Table, hold

case = Table()


@case()
def sum_decides(self, x, n, c):
    if F.sum(x).array > 0:
        return F.relu(x)
    return F.tanh(x)


@case()
def float_of_a_loss(self, x, n, c):
    loss = F.sum(x * x)
    scale = 1.0
    if float(loss.array) > 4.0:
        scale = 0.5
    return loss * scale


@case()
def elif_chain(self, x, n, c):
    if n == 0:
        y = x
    elif n == 1:
        y = x * 2
    elif n == 2 and c:
        y = F.exp(x)
    else:
        y = x - n
    return y


@case()
def nested_three_deep(self, x, n, c):
    y = 0
    if n > 0:
        if c:
            y += 1
            if n > 1:
                y += 10
        else:
            y += 100
    else:
        y -= 1
    return y


@case()
def size_decides(self, x, n, c):
    if x.shape[0] > 3:
        return x[:3]
    return F.concat((x, x), axis=0)


@case()
def empty_input(self, x, n, c):
    if len(x) == 0:
        return np.zeros((1, 2), np.float32)
    return x.max(axis=0, keepdims=True)


@case()
def odd_or_even_rows(self, x, n, c):
    half = x.shape[0] // 2
    if x.shape[0] % 2:
        return x[half]
    return x[:half].sum(axis=0)


@case()
def conditional_expression(self, x, n, c):
    return (x if c else -x) * (n if n > 1 else 0.5)


@case()
def nested_conditional_expressions(self, x, n, c):
    kind = 0 if n == 0 else 1 if n == 1 else 2 if n < 4 else 3
    return kind, x * kind


@case(NUMBERS)
def or_gives_an_operand(self, a, b, s):
    return a or b, b or a or 7


@case(NUMBERS)
def and_gives_an_operand(self, a, b, s):
    return a and b, (b and s) or -1


@case()
def and_is_lazy(self, x, n, c):
    return n < x.shape[0] and x[n].sum() > 0


@case()
def or_is_lazy(self, x, n, c):
    if n >= len(x) or x[n, 0] < 0:
        return 0
    return 1


@case(NUMBERS)
def chained_comparison(self, a, b, s):
    return -3 < a <= b, 0 < a < 10 < 20, b == b >= a


@case(NUMBERS)
def chained_comparison_is_lazy(self, a, b, s):
    calls = []

    def seen(value):
        calls.append(value)
        return value

    ok = seen(0) < seen(a) < seen(b)
    return ok, len(calls)


@case(NUMBERS)
def membership(self, a, b, s):
    return a in (0, 1, 9), b not in [3, 4], a in range(0, 10, 2)


@case(NUMBERS)
def not_of_numbers(self, a, b, s):
    return not a, not s, not (a and b)


@case(NUMBERS)
def sign_function(self, a, b, s):
    if s > 0:
        return 1
    elif s < 0:
        return -1
    else:
        return 0


@case(NUMBERS)
def clamp(self, a, b, s):
    low, high = min(a, b), max(a, b)
    if s < low:
        s = low
    elif s > high:
        s = high
    return s


@case()
def truth_of_one_element(self, x, n, c):
    y = x[:1, 0] > 0
    if y:
        return x
    return -x


@case()
def truth_of_an_array_fails(self, x, n, c):
    if x[:, 0] > 0:
        return x
    return -x


@case()
def any_and_all(self, x, n, c):
    if (x > 1).any():
        return 1
    if (x < 0).all():
        return 2
    return 3


@case()
def none_or_array(self, x, n, c):
    mask = None
    if c:
        mask = x > 0
    if mask is None:
        return x
    return np.where(mask, x, 0)


@case()
def none_chain(self, x, n, c):
    h = None
    if n > 0:
        h = x
    if n > 2:
        h = None
    if h is not None and c:
        h = h + 1
    return 0 if h is None else h


@case()
def default_argument(self, x, n, c):
    def scaled(y, scale=None):
        if scale is None:
            scale = y.shape[0]
        return y * scale

    return scaled(x, n if c else None)


@case()
def both_sides_set_many(self, x, n, c):
    if c:
        a, b, k = x, x + 1, n
    else:
        a, b, k = x * 2, x, -n
    return a + k, b


@case()
def only_one_side_sets(self, x, n, c):
    y = x
    if n > 1:
        y = y + 1
        if c:
            y = y * n
    return y


@case()
def swap_in_a_branch(self, x, n, c):
    a, b = x, x * 2
    if c:
        a, b = b, a
    return a - b


@case()
def other_shapes_by_branch(self, x, n, c):
    if c:
        y = x
    else:
        y = F.concat((x, x * 2), axis=0)
    return F.sum(y, axis=0), y.shape[0]


@case()
def other_dtypes_at_an_output(self, x, n, c):
    return x.sum() > 0, n if c else n + 1


@case()
def bool_arithmetic(self, x, n, c):
    return (n > 1) + (n > 2) + c, True if n else False


@case()
def decided_by_type(self, x, n, c):
    if isinstance(x, chainer.Variable):
        return x.array
    if x.ndim == 2 and x.dtype == np.float32:
        return x * n
    raise TypeError(x)


@case()
def decided_by_config(self, x, n, c):
    if chainer.config.train:
        return F.dropout(x, 0.9)
    return x + n


@case()
def same_test_twice(self, x, n, c):
    if n > 2:
        y = x * 2
    z = n
    if n > 2:
        z = y + 1
    return z


@case()
def a_flag_of_two_tests(self, x, n, c):
    big = n > 2
    both = big and c
    y = None
    if both:
        y = x * 3
    if both:
        return y
    if big:
        return x
    return x + 1


@case(first=lambda: L.Linear(2, 3), second=lambda: L.Linear(2, 3))
def one_of_two_links(self, x, n, c):
    layer = self.first if c else self.second
    return F.relu(layer(x))


@case(link=lambda: L.Linear(2, 2))
def maybe_apply(self, x, n, c):
    h = x
    if n % 2 == 1:
        h = self.link(h)
    if c:
        h = F.sigmoid(h)
    return h


@case()
def branch_in_a_helper(self, x, n, c):
    def act(h, k):
        if k == 0:
            return F.relu(h)
        if k == 1:
            return F.tanh(h)
        return h

    return act(act(x, n), n - 1)


@case()
def deep_elif_on_rows(self, x, n, c):
    m = x.shape[0]
    if m == 0:
        name = 0
    elif m == 1:
        name = 1
    elif m < 4:
        name = 2
    elif m < 6:
        name = 3
    else:
        name = 4
    return name


FIXED = [(f32(t, 3), n, s) for t in (2, 3, 1) for n in (0, 2) for s in (1.0, -1.0)]


@case(FIXED, {"x": {0: "rows"}})
def fixed_axes(self, x, n, s):
    if s > 0 and n:
        return x * s
    return x[:, ::-1] - n


@case()
def condition_on_a_product(self, x, n, c):
    if x.shape[0] * x.shape[1] == x.size:
        return x
    return n


@case()
def a_test_that_writes(self, x, n, c):
    log = []

    def check(v):
        log.append(v)
        return v > 1

    if check(n) or check(n + 1):
        return len(log), x
    return len(log), -x


@case()
def pass_branches(self, x, n, c):
    if c:
        pass
    else:
        x = x + 1
    if n:
        pass
    elif c:
        pass
    return x


@case()
def dead_code_with_errors(self, x, n, c):
    y = x
    if n > 100:
        y = x.reshape(len(x) + 1, 7)
    return y


@case()
def branch_reads_before_write(self, x, n, c):
    total = x.sum()
    if total > 0:
        total = total - x.mean() if c else total + x[0, 0]
    return total


@case()
def sizes_that_are_none_where_the_branch_is_not_taken(self, x, n, c):
    made = np.zeros((len(x) - 2, 3), np.float32) + n if len(x) > 2 else None
    parts = np.ones((n // len(x), 2), np.float32) if len(x) else 0
    for _ in range(n if len(x) > 3 else 0):
        made = np.ones((len(x) - 3, 3), np.float32)
    rows = F.max_pooling_1d(x.T[None], 3, 1, cover_all=False) if len(x) > 2 else None
    return made, parts, rows


@case()
def an_operand_that_may_be_none(self, x, n, c):
    largest = x.max() if len(x) else None
    if largest is None:
        return c
    least = None if n == 2 and len(x) < 2 else x.min()
    return largest - least if largest > least else least


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_ifs(program: Program) -> None:
    hold(program)
