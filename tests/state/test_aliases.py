"""Programs that the random generator found, made small: each was wrong, crashed, or refused."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, Program, chain_with, check, compiled, f32
from tests.second_opinion import agrees

INPUTS = [(f32(2, 3), 2, True), (f32(1, 3), 0, False), (f32(4, 3), 3, False), (f32(3, 3), 1, True)]
FOUND: list[Program] = []


class State:
    """An object of the program."""

    def __init__(self, h: Any) -> None:
        self.h = h
        self.items: list[Any] = []


def attributes() -> dict[str, Any]:
    """The attributes of the chains."""
    return {"h": None, "state": np.zeros(3, np.float32), "items": []}


def found(forward: Any) -> Any:
    """Add a program."""
    FOUND.append(Program(forward, INPUTS, {0: {0: "rows"}}, attributes=attributes))
    return forward


def found_or_refused(forward: Any) -> Any:
    """Add a program that may be refused."""
    FOUND.append(Program(forward, INPUTS, {0: {0: "rows"}}, True, attributes))
    return forward


@found
def array_made_before_a_loop(self, x, n, c):
    y = np.clip(np.zeros(3, np.float32), -4, 4)
    z = y
    for _ in range(n):
        z += x[-1]
    return y


@found
def inner_loop_that_rebinds_a_row(self, x, n, c):
    for i, y in enumerate(x):
        for _ in x.copy():
            y *= 0.5
            y = i
    return x


@found
def inner_loop_that_changes_the_kind(self, x, n, c):
    m = F.relu(x).array
    for _ in range(n):
        m = m > 1.5
        for _ in m:
            m = np.maximum(x, 0)
    return m.astype(np.float32)


@found
def view_carried_with_its_base(self, x, n, c):
    a = x * 2
    v = a[0]
    for i in range(n):
        v += 1
        a = x * 3
        v = a[0]
    v += 10
    return a, v


@found
def views_of_other_rows_on_each_side(self, x, n, c):
    if c:
        a = x * 2
        v = a[0]
    else:
        a = x * 3
        v = a[1]
    v += 10
    return a, v


@found_or_refused
def one_of_two_new_arrays_in_a_loop(self, x, n, c):
    y = x * 2
    f = x * 3
    w = f
    for i in range(n):
        w += 1
        f = x * i
        w = f if i % 2 == 0 else y
    w += 10
    return y, f, w


@found_or_refused
def one_of_two_new_arrays_in_a_branch(self, x, n, c):
    y = x * 2
    if n > 0:
        f = x * n
        w = f if c else y
    else:
        f = x
        w = y
    w += 10
    return y, f, w


@found
def name_of_a_name_in_a_loop(self, x, n, c):
    y = x[0]
    z = x[0]
    for a1 in range(len(x)):
        if c:
            z += 1.5
        else:
            z = y
    return y


@found
def rows_of_an_array_that_is_bound_again(self, x, n, c):
    m = np.maximum(x, 0)
    for a1 in range(len(x)):
        for y1 in m:
            y = y1 + x
            m -= y.astype(np.float32)
            m = x * 2
    return y


@found
def inner_loop_writes_what_it_was_given(self, x, n, c):
    m = np.maximum(x, 0)
    s = x[0] * 0
    for a1 in range(n):
        k = m
        for i in range(len(x)):
            m -= 1
            m = x * 2
        s = s * 10 + k[1]
    return s


@found
def row_or_array_then_written(self, x, n, c):
    y = x.sum(axis=0)
    for i in range(n):
        if c:
            y = x[i % len(x)]
        y += 1
    return y, x


@found
def first_or_last_row_written(self, x, n, c):
    y = x[0]
    if c:
        y = x[-1]
    y += 1
    return y, x


@found
def best_row_written(self, x, n, c):
    best = None
    for i in range(len(x)):
        if best is None or x[i].sum() > best.sum():
            best = x[i]
    best += 10
    return best, x


@found
def previous_row_written(self, x, n, c):
    y = x[0]
    for row in x:
        y += row
        y = row
    y *= 2
    return x, y


@found_or_refused
def row_of_an_array_bound_again(self, x, n, c):
    m = x * 2
    y = m[0]
    for row in x:
        y += row
        y = m[n % len(x)]
        if c:
            m = m + 1
    y *= 2
    return m, y, x


@found_or_refused
def row_or_copy_written(self, x, n, c):
    m = x * 2
    y = m[0]
    t = 0
    while t < n:
        t += 1
        m[0] = y + t
        if c:
            y = m[-1] * 2
        elif t > 1:
            y = m[1 % len(x)]
        y[0] = 7
    return m, y


@found
def slice_that_moves(self, x, n, c):
    m = x * 2
    y = m[1:]
    t = 0
    while t < n:
        t += 1
        y += 1
        y = m[t:]
    return m, y


@found
def list_or_none_is_another_name_of_a_list(self, x, n, c):
    if n > 0:
        a = [x]
        b = a if c else None
    else:
        a = []
        b = None
    a.append(x)
    return (len(b) if b is not None else 0), x


@found
def tuple_or_none_holds_a_list_of_another_name(self, x, n, c):
    if n > 0:
        a = [x * 2]
        b = (a, 1) if c else None
    else:
        a = []
        b = None
    a += [x]
    return len(b[0]) if b is not None else x


@found
def array_or_none_is_another_name_of_an_array(self, x, n, c):
    if n > 0:
        a = x * 2
        b = a if c else None
    else:
        a = x * 3
        b = None
    a += 1
    return b if b is not None else x


@found
def list_returned_from_a_loop_that_may_make_another(self, x, n, c):
    a = n
    for b in range(n, 4):
        if n:
            return [a]
    return [x]


@found
def names_that_choose_among_two_lists_in_a_loop(self, x, n, c):
    a = []
    b = []
    d = a
    e = b
    for i in range(n):
        a = [x]
        b = [x, x]
        d = a if c else b
        e = a if i > 1 else b
        d.append(x)
        e.append(x)
    a.append(x)
    d.append(x)
    e.append(x)
    return len(a), len(b), len(d), len(e), x


@found
def object_that_a_loop_makes_once_or_each_turn(self, x, n, c):
    s = None
    o = State(x)
    for i in range(n):
        if s is None:
            s = State(x * i)
            o = s
        else:
            o = State(x)
        s.h = s.h + 1
        o.h = o.h * 2
    o.h = o.h + 1
    return (s.h if s is not None else x), o.h


@found
def list_in_a_list_that_is_made_anew_at_times(self, x, n, c):
    out = None
    inner = [x]
    for i in range(n):
        inner = [x]
        if out is None or i == 2:
            out = [inner]
    inner.append(x)
    return (len(out[0]) if out is not None else 0), x


@found
def dict_kept_from_the_first_turn(self, x, n, c):
    d = None
    e = {"a": x}
    for i in range(n):
        e = {"a": x * i}
        if d is None:
            d = e
        e["a"] = e["a"] + 1
    if d is not None:
        d["a"] = d["a"] * 2
    return e["a"], (d["a"] if d is not None else x)


@found
def object_that_keeps_the_array_of_a_turn(self, x, n, c):
    s = None
    y = x * 1
    for i in range(n):
        y = x * i
        if s is None or c:
            s = State(y)
        y += 1
    y *= 2
    return (s.h if s is not None else y), y


@found
def chosen_array_in_a_list(self, x, n, c):
    y = x * 2
    z = x * 3
    w = y if c else z
    items = []
    for i in range(n):
        items.append(w)
    y += 1
    return items, x


@found
def array_in_a_list_that_is_written_later(self, x, n, c):
    y = x[0] * 2
    items = [x[0] * 1]
    for i in range(n):
        items.append(y)
        items.append(x[0] * i)
    s = F.stack(items)
    y += 1
    t = F.stack(items)
    k = items[-1] + items[0]
    return s, t, k, sum(items), items[::2], items


@found
def array_written_while_a_list_holds_it(self, x, n, c):
    y = x[0] * 2
    items = []
    for i in range(n):
        if i > 0:
            y += 1
        items.append(y)
        if i == 2:
            items.pop(0)
    y[0] = 7
    return items, y


@found
def array_put_into_a_list_and_written_in_nested_loops(self, x, n, c):
    y = x[0] * 2
    items = []
    for i in range(n):
        for j in range(i):
            items.append(y)
            y += j
        if c:
            items.append(x[0] * i)
    y += 1
    return items, y


@found
def array_in_a_tuple_in_a_list(self, x, n, c):
    y = x[0] * 2
    items = []
    for i in range(n):
        items.append((y, i))
    y += 1
    return items, y


@found
def array_written_while_a_loop_runs_over_it(self, x, n, c):
    y = x[0] * 2
    items = [x[0] * 1]
    for i in range(n):
        items.append(y)
    s = x[0] * 0
    for v in items:
        y += 1
        s = s + v
    return s, y


@found_or_refused
def element_that_is_written(self, x, n, c):
    y = x[0] * 2
    items = []
    for i in range(n):
        items.append(y)
    for v in items:
        v += 1
    return y, items


@found
def slices_of_a_list_replaced(self, x, n, c):
    items = [1, 2, 3, 4]
    m = [i for i in range(n)]
    items[1:3] = m
    items[-2:] = m
    items[5:2] = [9]
    return items, x


@found
def views_made_while_compiling(self, x, n, c):
    b = np.zeros((2, 3), np.float32)
    y = b[1]
    z = b.T[::2]
    y *= 0.5
    y += x[0]
    z[0] = 3
    for i in range(n):
        y += 1
    return b, y, z, x


@found
def array_or_variable_on_it(self, x, n, c):
    y = x * 2
    z = y
    if c:
        z = chainer.Variable(y)
    y += 1
    w = z
    z += 5
    return y, z, w


@found
def rows_in_a_list_of_an_array_that_is_written(self, x, n, c):
    items = [r for r in x if r.sum() > 0]
    x -= 1
    return items, x


@found
def view_put_into_a_list_and_written(self, x, n, c):
    y = x[0]
    items = []
    t2 = 0
    while True:
        t2 += 1
        if c or t2 > 3:
            break
        y += y
        items += [y]
    x[0, 1] = 7
    return items, x


@found
def views_of_one_array_in_a_list(self, x, n, c):
    items = []
    for i in range(n):
        items.append(x[i % x.shape[0]])
        items.append(x[0] * i)
        items.append(x[-1, ::2] if c else x[0, ::2])
    x += 1
    k = items[::2]
    x += 1
    return items[:2], k, x


@found
def view_of_a_chosen_array_in_a_list(self, x, n, c):
    y = x * 2
    z = x * 3
    w = y if c else z
    v = w[0]
    items = []
    for i in range(n):
        items.append(v)
        items.append(w[-1])
    y += 1
    z += 2
    w += 5
    return items, x


@found_or_refused
def iterator_over_one_of_two_lists(self, x, n, c):
    s = x * 0
    few = [x] if c else [x * 2, x]
    for i in range(n):
        self.items = few if i % 2 else None
    if self.items is None:
        self.items = few
    for y in reversed(self.items):
        s = s * 2 + y
    return s


@pytest.mark.parametrize("program", FOUND, ids=lambda p: p.name)
def test_found(program: Program) -> None:
    try:
        model = compiled(program)
    except REFUSED:
        assert program.refuse
        return
    check(program, model)
    agrees(program, model, most=1)


def test_second_opinion_covers_loops_and_lists() -> None:
    programs = {program.name: program for program in FOUND}
    for name in ("view_carried_with_its_base", "dict_kept_from_the_first_turn"):
        assert agrees(programs[name], compiled(programs[name]), most=4) == 4


def test_array_of_objects_is_refused() -> None:
    def forward(self, x, n, c):
        return np.zeros(3, object), x

    with pytest.raises(REFUSED, match="an array of Python objects is not a tensor"):
        compiled(Program(forward, INPUTS))


def test_known_variables_of_one_array_are_not_taken_for_one() -> None:
    """What a branch gives may be another Variable of the array that the first one has."""

    def forward(self, x):
        first = chainer.Variable(np.zeros(3, np.float32))
        other = chainer.functions.relu(x)
        if len(x):
            other = chainer.functions.identity(first)
        else:
            first.array = np.array([3], np.float32)
        return first is other

    with pytest.raises(elichika.StagingError, match="both were made of one array"):
        elichika.compile_model(
            chain_with(forward), [f32(3)], dynamic_axes={"x": {0: "n"}}, verify=False
        )
