"""Gradients of gradients, through branches, loops and lists that depend on the inputs."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

INPUTS = [
    (f32(3, 2), f32(3, 2, seed=1), 2),
    (f32(1, 2), f32(1, 2, seed=2), 0),
    (f32(0, 2), f32(0, 2), 1),
    (-f32(5, 2), f32(5, 2, seed=3), -3),
    (f32(2, 2, seed=4), f32(2, 2, seed=5), 4),
    (np.zeros((2, 2), np.float32), np.ones((2, 2), np.float32), 3),
]
AXES = {"x": {0: "rows"}, "y": {0: "rows"}}
case = Table(INPUTS, AXES)
refused = Table(INPUTS, AXES)


def slope(y: Any, x: Any) -> Any:
    """Return a gradient that can be differentiated."""
    return chainer.grad([y], [x], enable_double_backprop=True)[0]


class OldSquare(chainer.Function):  # type: ignore[misc]
    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        return (x * x,)

    def backward(self, inputs: Any, grads: Any) -> Any:
        return (2 * inputs[0] * grads[0],)


# -- branches ----------------------------------------------------------------------------------


@case()
def a_penalty(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = F.tanh(x * y) if n > 2 else x * x * y
    g = slope(F.sum(F.exp(h * 0.1) * x), x)
    (F.sum(g * g * y) + F.sum(h)).backward()
    return g, x.grad, y.grad


@case()
def three_times(self, x, y, n):
    x = chainer.Variable(x)
    h = F.sin(x) * x if n > 2 else x * x * x
    g = slope(F.sum(h), x)
    g = slope(F.sum(g * g), x)
    F.sum(g * g).backward()
    return g, x.grad


@case()
def by_what_a_branch_gave(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x) if n > 2 else F.exp(x)
    g = slope(F.sum(h * h), x)
    return chainer.grad([F.sum(g * g)], [h])


@case()
def accumulated_before(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = F.exp(x * 0.3) * y if n > 2 else x * x * y
    F.sum(h).backward(enable_double_backprop=True)
    F.sum(h * h).backward(enable_double_backprop=True)
    g = x.grad_var
    x.cleargrad()
    y.cleargrad()
    F.sum(g * g * y).backward()
    return x.grad, y.grad


@case()
def not_asked_for_twice(self, x, y, n):
    """The gradient is a leaf; what a side forbids for itself does not hold for it."""
    x, y = chainer.Variable(x), chainer.Variable(y)
    if n > 2:
        with chainer.no_backprop_mode():
            c = F.exp(x)
        h = c * x * x
    else:
        h = x * y
    (g,) = chainer.grad([F.sum(h * h)], [x])
    F.sum(g * g * x).backward()
    return x.grad, y.grad


@case()
def none_on_one_side(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = x * x if n > 2 else y * y * x
    found = chainer.grad([F.sum(h * h)], [x, y], enable_double_backprop=True)
    loss = F.sum(x * 0)
    for g in found:
        if g is not None:
            loss = loss + F.sum(g * g)
    loss.backward()
    return x.grad, y.grad


@case()
def an_array_written_in_between(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = F.tanh(x) * y * y if n > 2 else x * x * y
    g = slope(F.sum(h * h), x)
    y.array[...] *= 2
    F.sum(g * g).backward()
    return x.grad, y.grad


@case()
def an_old_function_in_a_side(self, x, y, n):
    """Chainer fails where its gradient would be differentiated."""
    x = chainer.Variable(x)
    h = OldSquare()(x) if n > 2 else x * x
    g = slope(F.sum(h), x)
    F.sum(g * g * x).backward()
    return x.grad


# -- loops -------------------------------------------------------------------------------------


@case()
def turns_with_branches(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = x
    for i in range(n):
        h = F.tanh(h * y) if i % 2 == 0 else h * h * 0.5 + y
    g = slope(F.sum(h * h), x)
    F.sum(g * g).backward()
    return x.grad, y.grad


@case()
def left_by_a_break(self, x, y, n):
    x = chainer.Variable(x)
    h = x
    for _ in range(n):
        h = F.sin(h) * x
        if float(F.sum(h).array) > 0.5:
            break
    (g,) = chainer.grad([h], [x], [chainer.Variable(y)], enable_double_backprop=True)
    F.sum(g * g).backward()
    return x.grad


@case()
def inner_steps(self, x, y, n):
    """What is learned in each turn depends on the gradient of the turn before."""
    first = w = chainer.Variable(x)
    y = chainer.Variable(y)
    labels = np.zeros(len(x), np.int32)
    for _ in range(n):
        loss = F.softmax_cross_entropy(w * y, labels, enable_double_backprop=True)
        w = w - slope(loss, w)
    F.softmax_cross_entropy(w, labels + 1).backward()
    return first.grad, y.grad


@case()
def a_penalty_in_each_turn(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    total = F.sum(x)
    for i in range(n):
        h = F.tanh(x * y) if n > 2 else x * y
        g = slope(F.sum(h * h), x)
        total = total + F.sum(g * g) * (i + 1)
    total.backward()
    return x.grad, y.grad


@case()
def turns_of_unlike_sizes(self, x, y, n):
    v = h = chainer.Variable(x)
    for _ in range(n):
        h = F.tanh(F.concat([h, h], axis=0))
    g = slope(F.sum(h * h), v)
    F.sum(g * g).backward()
    return v.grad


# -- lists -------------------------------------------------------------------------------------


@case()
def states_in_a_list(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h, hs = x, [x]
    for _ in range(abs(n)):
        h = F.tanh(h * y)
        hs.append(h)
    g = slope(F.sum(F.stack(hs) ** 3) + F.sum(hs[-1] * hs[0]), x)
    F.sum(g * g).backward()
    return x.grad, y.grad


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_second_order(program: Program) -> None:
    hold(program)


# -- what is refused ---------------------------------------------------------------------------


@refused()
def by_what_a_loop_gave(self, x, y, n):
    """A turn has it under a name of its own, through which the gradient would go, too."""
    x = chainer.Variable(x)
    h = x
    for _ in range(n):
        h = F.tanh(h)
    g = slope(F.sum(h * h), x)
    return chainer.grad([F.sum(g * g)], [h])


@refused()
def what_a_branch_made_is_written(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = F.exp(x) * y if n > 2 else x * x * y
    g = slope(F.sum(h * h), x)
    h.array[...] = 0
    F.sum(g * g).backward()
    return x.grad, y.grad


@pytest.mark.parametrize("program", refused.programs, ids=lambda program: program.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
