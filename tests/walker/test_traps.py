"""Programs that break naive designs; each must match eager on every input, or be refused."""

from __future__ import annotations

from typing import Any

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, check, compiled, f32
from tests.second_opinion import agrees

X = f32(3, 2)
ALL = [(X, n, c) for n in (2, 0, 1, 3) for c in (True, False)]
TRAPS: list[Program] = []


class Box:
    """An object of the program."""

    def __init__(self, h: Any, nxt: Any = None) -> None:
        self.h = h
        self.nxt = nxt


def trap(*, refuse: bool = False, inputs: Any = ALL, axes: Any = None) -> Any:
    def register(forward: Any) -> Any:
        TRAPS.append(Program(forward, inputs, axes, refuse))
        return forward

    return register


@trap()
def alias_or_copy(self, x, n, c):
    y = x if c else x + 0
    y += 1
    return x


@trap()
def write_to_the_chosen_one(self, x, n, c):
    y, z = x * 1, x * 2
    w = y if c else z
    w += 100
    return y, z


@trap(refuse=True)
def may_alias_lists(self, x, n, c):
    if c:
        a = [x]
        b = a
    else:
        a = [x]
        b = [x]
    a.append(x)
    return len(b)


@trap()
def alias_at_entry(self, x, n, c):
    a = x * 1
    b = a
    for _ in range(n):
        a += 1
        b = x * 3
    b += 5
    return a, b


@trap(refuse=True)
def swap_lists_in_a_loop(self, x, n, c):
    a, b = [x], [x, x]
    k = a
    for _ in range(n):
        a, b = b, a
        a.append(x)
    return len(k), len(a)


@trap(refuse=True)
def linked_objects(self, x, n, c):
    o = Box(x * 1, None)
    o.nxt = o
    p = o
    for _ in range(n):
        o = Box(o.h + 1, o.nxt)
        o.h += 100
    return p.h


@trap(refuse=True)
def buffer_in_a_list(self, x, n, c):
    buf = x[0] * 0
    out = []
    for i in range(n):
        buf += x[i]
        out.append(buf)
    return out


@trap(refuse=True)
def write_to_an_element(self, x, n, c):
    out = []
    for i in range(n + 1):
        out.append(x[i % 3] * 1)
    e = out[0]
    e += 7
    return out


@trap(refuse=True)
def reshape_shares_memory(self, x, n, c):
    v = F.relu(x)
    y = F.reshape(v, (2, 3))
    y.array[0, 0] = 7
    return v


@trap(refuse=True)
def row_view_in_a_loop(self, x, n, c):
    y = x * 1
    for i in range(n):
        r = y[i]
        r += i
    return y


@trap(refuse=True)
def view_before_a_loop(self, x, n, c):
    y = x * 1
    v = y[0]
    for i in range(n):
        y[0] = y[0] + i
    return v


@trap()
def numpy_scalars_are_immutable(self, x, n, c):
    s = x[0].sum()
    u = s
    s += 1
    return u, s


@trap()
def scalar_promotion(self, x, n, c):
    return x.sum() * 1.0, x.sum() * np.float32(2)


#: numpy 1 widens by the value of a Python number; numpy 2 raises where it does not fit.
BEYOND_UINT8 = 300 if np.__version__.startswith("1.") else 30


@trap(inputs=[(np.array([1, 2, 250], np.uint8),), (np.array([0, 0, 7], np.uint8),)])
def value_dependent_promotion(self, x):
    return x[2] + BEYOND_UINT8


@trap()
def int_to_float(self, x, n, c):
    s = 0
    for _ in range(n):
        s += 0.5
    return s


@trap()
def bool_to_int(self, x, n, c):
    b = True
    for _ in range(n):
        b = b + 1
    return b


@trap()
def number_to_variable(self, x, n, c):
    loss = 0
    for _ in range(n):
        loss += F.sum(x)
    return loss


@trap()
def array_to_variable(self, x, n, c):
    h = x
    for _ in range(n):
        h = F.relu(h)
    return h.array


@trap(inputs=[(X, 2), (X, 0), (X, 5)])
def float_division(self, x, n):
    return 1.0 / n


@trap(inputs=[(1.5,), (float("nan"),), (1e20,), (-2.7,), (float("inf"),)])
def int_of_a_float(self, s):
    return int(s)


@trap(inputs=[(2,), (0,), (10,), (40,)])
def int_overflow(self, n):
    s = 3
    for _ in range(n):
        s *= 4
    return s


@trap(refuse=True)
def append_while_iterating(self, x, n, c):
    out = []
    for i in range(n):
        out.append(i)
    for e in out:
        if e < 2:
            out.append(e + 2)
    return out


@trap(refuse=True)
def dict_order_differs(self, x, n, c):
    d = {}
    if c:
        d["a"] = x
        d["b"] = x + 1
    else:
        d["b"] = x
        d["a"] = x + 1
    out = x * 0
    for k in d:
        out = out * 2 + d[k]
    return out


@trap()
def key_in_one_branch(self, x, n, c):
    d = {"a": x}
    if c:
        d["b"] = x + 1
    if "b" in d:
        return d["b"]
    return d["a"]


@trap()
def index_error_in_a_loop(self, x, n, c):
    y = x * 1
    for _ in range(n):
        y = y + x[5]
    return y


@trap(refuse=True)
def index_error_caught(self, x, n, c):
    values = [x, x + 1]
    try:
        y = values[n]
    except IndexError:
        y = 0
    return y


@trap()
def string_modes(self, x, n, c):
    mode = "a" if c else "b"
    y = x + 1
    if mode == "a":
        return y
    return y * 2


@trap()
def state_machine(self, x, n, c):
    mode = "start"
    for _ in range(n):
        if mode == "start":
            mode = "middle"
        elif mode == "middle":
            mode = "end"
    if mode == "end":
        return x * 2
    return x


@trap()
def function_choice(self, x, n, c):
    f = np.tanh if c else np.exp
    return f(x)


@trap()
def function_by_index(self, x, n, c):
    fs = [F.relu, F.tanh, F.sigmoid, F.exp]
    return fs[n](x)


@trap()
def none_or_array(self, x, n, c):
    y = None
    if c:
        y = x + 1
    ok = y is not None
    z = x
    if ok:
        z = y * 2
    return z


@trap()
def same_condition_twice(self, x, n, c):
    y = None
    if c:
        y = x + 1
    z = x * 3
    if c:
        z = y * 2
    return z


@trap()
def maybe_unbound(self, x, n, c):
    if c:
        y = x + 1
    if n > 2:
        return y
    return x


@trap()
def loop_variable_after(self, x, n, c):
    for i in range(n):
        pass
    return i


@trap()
def return_inside_nested_loops(self, x, n, c):
    for i in range(n):
        for j in range(n):
            if x[j].sum() > i:
                return x[j]
    return x[0] * 0


@trap()
def best_so_far(self, x, n, c):
    best = None
    for _ in range(2):
        for i in range(n):
            if best is None or x[i].sum() > best.sum():
                best = x[i]
    return best


@trap()
def previous_element(self, x, n, c):
    out = []
    prev = None
    for i in range(n):
        cur = x[i]
        out.append(cur if prev is None else cur + prev)
        prev = cur
    return out


@trap()
def memoised_attribute(self, x, n, c):
    o = Box(None)
    y = x
    for _ in range(n):
        if o.h is None:
            o.h = y + 1
        y = y + o.h
    return y


@trap()
def objects_from_branches(self, x, n, c):
    o = Box(x) if c else Box(x * 2)
    o.h = o.h + 1
    return o.h


@trap()
def list_through_aliases(self, x, n, c):
    xs = []
    a = [xs]
    d = {"k": xs}
    for i in range(n):
        a[0].append(x[i])
    return len(d["k"]), len(xs)


@trap()
def tuples_appended_in_a_branch(self, x, n, c):
    out = []
    for i in range(n):
        if x[i].sum() > 0 or c:
            out.append((x[i], i))
    return out


@trap(refuse=True)
def none_elements(self, x, n, c):
    out = []
    for i in range(n):
        out.append(None if i == 1 else x[i])
    return len(out)


@trap()
def stack_of_work(self, x, n, c):
    st = [n]
    total = 0
    while len(st):
        k = st.pop()
        total += k
        if k > 1:
            st.append(k - 1)
            st.append(k - 2)
    return total


@trap(refuse=True)
def growing_tuple(self, x, n, c):
    t = ()
    for i in range(n):
        t = t + (x[i],)
    return len(t)


@trap()
def break_in_a_static_loop(self, x, n, c):
    h = x
    for k in [1, 2, 3]:
        h = h + k
        if h.sum() > n * 5:
            break
    return h, k


@trap()
def break_in_a_long_static_loop(self, x, n, c):
    h = x
    for k in range(60):
        h = h + k
        if h.sum() > n * 500:
            break
    return h, k


@trap()
def symbolic_break_in_while(self, x, n, c):
    i = 0
    while i < 3:
        if x.sum() * i > n:
            break
        i += 1
    return i


@trap()
def a_test_with_side_effects(self, x, n, c):
    seen = []

    def test():
        seen.append(1)
        return len(seen) < n

    while test():
        pass
    return len(seen)


@trap()
def closure_over_a_carried_name(self, x, n, c):
    h = x

    def twice():
        return h * 2

    for _ in range(n):
        h = twice()
    return h


@trap()
def nonlocal_counter(self, x, n, c):
    count = 0

    def bump():
        nonlocal count
        count += 1

    for i in range(n):
        if x[i].sum() > 0:
            bump()
    return count


@trap()
def for_else(self, x, n, c):
    for i in range(n):
        if x[i].sum() > 1:
            break
        if c and i == 1:
            return x * 9
    else:
        return x * 2
    return x * 3


@trap()
def deleted_attribute(self, x, n, c):
    o = Box(x)
    if c:
        del o.h
    if n > 1:
        return o.h
    return x


@trap()
def asserts(self, x, n, c):
    if c:
        assert n < 3
    for i in range(n):
        assert i < 2 or not c
    unused = n > 0
    assert unused or c
    return x


@trap()
def temporaries(self, x, n, c):
    h = x
    for i in range(n):
        a = h + 1
        b = a * 2
        d = b - x
        e = d / 3
        g = e + i
        h = g
    return h


@trap(refuse=True)
def nested_list(self, x, n, c):
    out = [x]
    for _ in range(n):
        out = [out]
    return x


@trap()
def dead_conflicts_compile(self, x, n, c):
    s = ""
    t = None
    for i in range(n):
        s = s + "a"
        t = (x[i], t)
    return x


@trap()
def symbolic_recursion(self, x, n, c):
    def f(x, k):
        return x if k <= 0 else f(x + 1, k - 1)

    return f(x, n)


@trap()
def fibonacci(self, x, n, c):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@trap(inputs=[(X,), (-X,), (np.abs(X),), (-np.abs(X),)])
def filtered_comprehension(self, x):
    return [r * 2 for r in x if r.sum() > 0]


@trap()
def growing_concatenation(self, x, n, c):
    y = x
    for _ in range(n):
        y = np.concatenate([y, x])
    return y


def forty_returns() -> Any:
    lines = ["def forty_early_returns(self, x, n, c):"]
    lines += [f"    if n == {k}:\n        return x + {k}" for k in range(40)]
    return "\n".join([*lines, "    return x * 100"])


def forty_elifs() -> Any:
    lines = ["def forty_branches(self, x, n, c):", "    if n == 0:\n        y = x"]
    lines += [f"    elif n == {k}:\n        y = x + {k}" for k in range(1, 40)]
    return "\n".join([*lines, "    else:\n        y = x * 100", "    return y"])


@pytest.mark.parametrize("program", TRAPS, ids=lambda p: p.name)
def test_trap(program: Program) -> None:
    if program.refuse:
        try:
            model = compiled(program)
        except REFUSED as error:
            assert "File" in str(error)
            return
    else:
        model = compiled(program)
    check(program, model)
    agrees(program, model, most=1)


@pytest.mark.parametrize("source", [forty_returns(), forty_elifs()], ids=["returns", "elifs"])
def test_forty_ways(source: str, tmp_path: Any) -> None:
    path = tmp_path / "forty.py"
    path.write_text(source)
    scope: dict[str, Any] = {"__name__": "forty"}
    exec(compile(source, str(path), "exec"), scope)
    forward = next(v for v in scope.values() if callable(v))
    program = Program(forward, [(X, n, True) for n in (0, 1, 17, 39, 41)])
    check(program, compiled(program))


def test_two_inputs_of_one_size() -> None:
    def forward(self, x, y):
        return x * 2, y + 1

    program = Program(forward, [(f32(2), f32(2))], {"x": {0: "N"}, "y": {0: "N"}})
    model = compiled(program)
    with pytest.raises(Exception, match=r"N|size"):
        model(f32(2), f32(3))
