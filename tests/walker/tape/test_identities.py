"""`chainer.grad` by Variables that control flow gave: it looks for an object on the ways back."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import pytest

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

INPUTS = [
    (f32(3, 2), 2),
    (f32(1, 2, seed=1), 0),
    (f32(5, 2, seed=2), 4),
    (f32(2, 2, seed=3), 1),
    (f32(4, 2, seed=4), 7),
    (f32(2, 2, seed=5), 3),
]
AXES = {"x": {0: "rows"}}
case = Table(INPUTS, AXES)


def layer() -> Any:
    return L.Linear(2, 2, initialW=f32(2, 2, seed=7))


@case()
def one_of_two(self, x, n):
    v, u = chainer.Variable(x), chainer.Variable(x * 2)
    w = v if n > 2 else u
    (g,) = chainer.grad([F.sum(w**2)], [w])
    return g


@case()
def behind_one_of_two(self, x, n):
    v, u = chainer.Variable(x), chainer.Variable(x * 2)
    w = v if n > 2 else u
    (g,) = chainer.grad([F.sum(w**2)], [v])
    return F.sum(v) * 0 if g is None else F.sum(g)


@case()
def after_a_loop(self, x, n):
    v = h = chainer.Variable(x)
    for _ in range(n):
        h = h * 2
    (g,) = chainer.grad([F.sum(h**2)], [h])
    (z,) = chainer.grad([F.sum(h**2)], [v])
    return g, z


@case()
def descent(self, x, n):
    w = chainer.Variable(x)
    for _ in range(n):
        (g,) = chainer.grad([F.sum(F.tanh(w) ** 2)], [w])
        w = chainer.Variable((w - 0.1 * g).array)
    return w


@case()
def descent_along_the_tape(self, x, n):
    w = chainer.Variable(x)
    for _ in range(n):
        (g,) = chainer.grad([F.sum(F.tanh(w) ** 2)], [w])
        w = w - 0.1 * g
    return w


@case()
def two_of_their_own(self, x, n):
    a, b = chainer.Variable(x), chainer.Variable(x * 2)
    for _ in range(n):
        g, h = chainer.grad([F.sum(F.tanh(a * b) ** 2)], [a, b])
        a, b = a - 0.1 * g, b - 0.1 * h
    return a, b


@case()
def one_of_an_outer_loop(self, x, n):
    a = chainer.Variable(x)
    out = F.sum(a)
    for _ in range(n):
        for j in range(n):
            (g,) = chainer.grad([F.sum(a**2)], [a])
            out += F.sum(g) * (j + 1)
        a = chainer.Variable(a.array * 0.5)
    return out


@case(a=layer)
def a_parameter_and_a_state(self, x, n):
    h = chainer.Variable(x * 2)
    out = F.sum(h)
    for _ in range(n):
        y = F.sum(F.tanh(self.a(h)) ** 2)
        g, step = chainer.grad([y], [self.a.W, h])
        out += F.sum(g)
        h = chainer.Variable(h.array - 0.1 * step.array)
    return h, out


@case(a=layer, b=layer)
def parameters_in_a_dict(self, x, n):
    weights = {name: p for name, p in sorted(self.namedparams())}
    for _ in range(n):
        y = F.linear(F.tanh(F.linear(x, weights["/a/W"])), weights["/b/W"])
        gradients = chainer.grad([F.sum(y**2)], list(weights.values()))
        for name, g in zip(weights, gradients):
            if g is not None:
                weights[name] = weights[name] - 0.1 * g
    return list(weights.values())


def total(g, v):
    return F.sum(v) * 0 if g is None else F.sum(g)


@case()
def chosen_beside_another_one(self, x, n):
    v = a = b = c = chainer.Variable(x)
    out = F.sum(v)
    for _ in range(n):
        w = a if float(F.sum(a).array) > 0 else b
        g, h = chainer.grad([F.sum(c**2)], [w, c])
        out += total(g, v) + total(h, v)
        a, b, c = (chainer.Variable(one.array * 2) for one in (a, b, c))
    return out


@case()
def an_inner_loop_begins_with_it(self, x, n):
    v = a = chainer.Variable(x)
    out = F.sum(v)
    for _ in range(n):
        b = a
        for _ in range(n):
            g, h = chainer.grad([F.sum(b**2)], [a, b])
            out += total(g, v) + total(h, v)
            b = chainer.Variable(b.array * 0.5)
        a = chainer.Variable(a.array * 0.5)
    return out


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.forward.__name__)
def test_program(program: Program) -> None:
    hold(program)


# -- what may be found under another name ----------------------------------------------------------


def read_twice_from_a_dict(self, x, n):
    v, u = chainer.Variable(x), chainer.Variable(x * 2)
    first, second = {"k": v}, {"k": u}
    w = first if n > 2 else second
    return chainer.grad([F.sum(w["k"] ** 2)], [w["k"]])


def read_twice_from_a_link(self, x, n):
    link = self.a if n > 2 else self.b
    return chainer.grad([F.sum(link(x) ** 2)], [link.W])


def read_twice_from_a_list(self, x, n):
    v = chainer.Variable(x)
    hs = [v * i for i in range(n + 1)]
    return chainer.grad([F.sum(hs[n] ** 2)], [hs[n]])


def used_under_its_own_name(self, x, n):
    v, u = chainer.Variable(x), chainer.Variable(x * 2)
    w = v if n > 2 else u
    return chainer.grad([F.sum(v**2) + F.sum(u)], [w])


def one_side_is_used(self, x, n):
    v = chainer.Variable(x)
    w = h = F.tanh(v)
    if n > 2:
        w = F.sin(v)
    return chainer.grad([F.sum(h**2)], [w])


def the_first_turn_begins_with_it(self, x, n):
    v = w = chainer.Variable(x)
    out = F.sum(v)
    for _ in range(n):
        (g,) = chainer.grad([F.sum(v**2)], [w])
        out += 0 if g is None else F.sum(g)
        w = w * 1
    return out


def made_of_the_other_before_the_loop(self, x, n):
    a = chainer.Variable(x)
    b = a * 2
    for _ in range(n):
        g, h = chainer.grad([F.sum(F.tanh(a * b) ** 2)], [a, b])
        a, b = a - 0.1 * g, b - 0.1 * h
    return a, b


def swapped_in_the_turn(self, x, n):
    a, b = chainer.Variable(x), chainer.Variable(x * 2)
    for _ in range(n):
        g, _ = chainer.grad([F.sum(F.tanh(a) ** 2) + F.sum(b)], [a, b])
        a, b = b - 0.1 * g, a
    return a, b


def chosen_in_the_turn(self, x, n):
    v = a = b = chainer.Variable(x)
    out = F.sum(v)
    for i in range(n):
        w = a if i % 2 else b
        (g,) = chainer.grad([F.sum(v**2)], [w])
        out += total(g, v)
        a, b = a * 1, b * 1
    return out


def behind_what_a_turn_begins_with(self, x, n):
    v = chainer.Variable(x)
    c = v * 2
    out = F.sum(v)
    for _ in range(n):
        g, h = chainer.grad([F.sum(c**2)], [v, c])
        out += total(g, v) + total(h, v)
        c = chainer.Variable(c.array * 0.5)
    return out


def made_of_it_by_the_turn_before(self, x, n):
    v, c = chainer.Variable(x), chainer.Variable(x * 2)
    out = F.sum(v)
    for _ in range(n):
        g, h = chainer.grad([F.sum(c**2 * v)], [v, c])
        out += total(g, v) + total(h, v)
        c = c * v
    return out


@pytest.mark.parametrize(
    "forward",
    [
        chosen_in_the_turn,
        behind_what_a_turn_begins_with,
        made_of_it_by_the_turn_before,
        read_twice_from_a_dict,
        read_twice_from_a_link,
        read_twice_from_a_list,
        used_under_its_own_name,
        one_side_is_used,
        the_first_turn_begins_with_it,
        made_of_the_other_before_the_loop,
        swapped_in_the_turn,
    ],
)
def test_what_may_be_another_one(forward: Any) -> None:
    program = Program(forward, INPUTS, AXES, attributes=lambda: {"a": layer(), "b": layer()})
    with pytest.raises(REFUSED, match="may be another one of this computation"):
        compiled(program)
