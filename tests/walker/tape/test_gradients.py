"""Programs that differentiate, by `backward` and `chainer.grad`, and train."""

from __future__ import annotations

import copy
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, Program, chain_with, compiled, difference, f32, outcome
from tests.table import Table, hold

#: A matrix of dynamic length, another one, and a number.
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


# -- backward ----------------------------------------------------------------------------------


@case()
def of_an_input(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x * x + F.tanh(x)).backward()
    return x.grad


@case()
def of_two_inputs(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    loss = F.sum(x * y - F.exp(y) / (1 + x * x))
    loss.backward()
    return loss, x.grad, y.grad


@case()
def a_value_used_many_times(self, x, y, n):
    x = chainer.Variable(x)
    h = F.sigmoid(x)
    F.sum(h * h + h * F.relu(h) + h).backward()
    return x.grad


@case()
def an_array_has_no_gradient(self, x, y, n):
    v = chainer.Variable(x)
    F.sum(v * y).backward()
    return v.grad, v.node.requires_grad, F.sum(F.tanh(y)).requires_grad


@case()
def what_is_not_reached_has_none(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    h = F.tanh(x)
    F.sum(h).backward()
    return x.grad, y.grad is None, h.grad is None


@case(l=lambda: L.Linear(2, 2, initialW=f32(2, 2)))
def the_gradient_of_what_a_branch_chose(self, x, y, n):
    self.l.cleargrads()
    v, w, table = chainer.Variable(x), chainer.Variable(y), chainer.Variable(f32(2, 2))
    chosen, p = (v, self.l.W) if n > 1 else (w, table)
    made = F.tanh(v) if n > 2 else w
    F.sum(F.matmul(chosen * v * made, p)).backward()
    found = chosen.grad, p.grad, made.grad, v.grad, w.grad
    v.cleargrad()
    w.grad = np.ones_like(y)
    return found, chosen.grad, self.l.W.grad


@case()
def an_array_is_changed_in_place(self, x, y, n):
    w = chainer.Variable(x.copy())
    for _ in range(n):
        w.cleargrad()
        F.sum((w - y) ** 2).backward()
        w.array -= 0.1 * w.grad
        w.data *= 0.5
    return w, w.grad


@case()
def rows_of_a_table(self, x, y, n):
    """Ids that come again, from the end, and are ignored; none at all fail in Chainer too."""
    table = chainer.Variable(np.concatenate([y, np.ones((3, 2), np.float32)]))
    ids = np.array([0, 1, -1, n % 3, 0, n % 3], np.int32)[: max(n, 0)].reshape(1, -1)
    read = F.embed_id(ids, table) * F.embed_id(ids, table, ignore_label=1)
    F.sum(read * read).backward(enable_double_backprop=True)
    found = table.grad_var
    table.cleargrad()
    F.sum(found * found).backward()
    return found, table.grad


@case()
def numpy_breaks_the_tape(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x * np.tanh(x.array) + F.sin(x).array).backward()
    return x.grad


@case()
def gradients_are_added_up(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x * x).backward()
    F.sum(F.exp(x)).backward()
    return x.grad


@case()
def gradients_are_cleared(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x * x).backward()
    x.cleargrad()
    before = x.grad
    F.sum(F.exp(x)).backward()
    return before is None, x.grad


@case()
def gradients_are_zeroed(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x * x).backward()
    x.zerograd()
    zeros = x.grad.copy()
    F.sum(F.exp(x)).backward()
    return zeros, x.grad


@case()
def given_seed(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    h.grad = y
    h.backward()
    return x.grad


@case()
def retained_gradients(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    F.sum(h * h).backward(retain_grad=True)
    return x.grad, h.grad


@case()
def scaled_loss(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x * x).backward(loss_scale=8.0)
    return x.grad


@case()
def several_outputs(self, x, y, n):
    x = chainer.Variable(x)
    a, b = F.split_axis(x, 2, axis=1)
    F.sum(a * F.exp(b)).backward()
    return x.grad


@case()
def one_of_several_outputs(self, x, y, n):
    x = chainer.Variable(x)
    a, _ = F.split_axis(x, 2, axis=1)
    F.sum(a * a).backward()
    return x.grad


@case()
def slices(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(x[:, 0] * x[:, 1] + F.sum(x[:1])).backward()
    return x.grad


@case()
def shapes(self, x, y, n):
    x = chainer.Variable(x)
    h = F.concat([F.transpose(x), F.transpose(F.tanh(x))], axis=0)
    h = F.reshape(h, (2, 2, len(x)))
    F.sum(F.broadcast_to(F.sum(h, axis=1, keepdims=True), h.shape) * h).backward()
    return x.grad


@case()
def made_of_what_is_known(self, x, y, n):
    """No gradient goes there, but a function made it."""
    known = F.relu(F.exp(np.ones((2, 2), np.float32)))
    fixed = chainer.Variable(np.ones(2, np.float32), requires_grad=False)
    loss = F.sum(F.tanh(fixed))
    loss.backward()
    told = known.creator is None, known.rank, known.requires_grad, loss.grad is None
    x = chainer.Variable(x)
    F.sum(F.matmul(x, known)).backward()
    return told, x.grad, known.grad


@case()
def unchained(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    k = F.exp(h)
    k.unchain()
    F.sum(k * h).backward()
    return x.grad, k.grad, k.creator is None


@case()
def unchained_backwards(self, x, y, n):
    x = chainer.Variable(x)
    h = F.exp(F.tanh(x))
    h.unchain_backward()
    F.sum(h * F.sin(h)).backward()
    return x.grad is None, h.grad


@case()
def without_backprop(self, x, y, n):
    x = chainer.Variable(x)
    with chainer.no_backprop_mode():
        h = F.tanh(x)
        with chainer.force_backprop_mode():
            k = F.exp(x)
    F.sum(h * k).backward()
    return x.grad, h.grad


@case()
def no_gradient_wanted(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y, requires_grad=False)
    F.sum(x * y).backward()
    return x.grad, y.grad is None, y.requires_grad


@case()
def written_after_use(self, x, y, n):
    x = chainer.Variable(x.copy())
    h = x * x
    x.array[...] = 2
    F.sum(h).backward()
    return x.grad


@case()
def written_after_a_mean(self, x, y, n):
    v = chainer.Variable(x)
    loss = F.sum(F.normalize(v + 1))
    v.array[:] = y
    loss.backward()
    return v.grad


# -- parameters --------------------------------------------------------------------------------


@case(l=lambda: L.Linear(2, 3))
def of_parameters(self, x, y, n):
    self.cleargrads()
    F.sum(F.tanh(self.l(x))).backward()
    return self.l.W.grad, self.l.b.grad


@case(l=lambda: L.Linear(2, 3))
def of_known_values_alone(self, x, y, n):
    self.cleargrads()
    loss = F.sum(self.l.W**2) * 0.5
    loss.backward()
    return loss, self.l.W.grad, self.l.b.grad is None


@case(l=lambda: L.Linear(2, 3))
def steps_by_hand(self, x, y, n):
    for _ in range(3):
        self.cleargrads()
        F.mean_squared_error(self.l(x + 1), np.zeros((len(x), 3), np.float32)).backward()
        for p in self.params():
            p.array -= 0.25 * p.grad
    return self.l.W.array, self.l.b.array


@case(l=lambda: L.Linear(2, 2))
def whole_steps_in_a_loop(self, x, y, n):
    for i in range(n):
        self.cleargrads()
        F.sum(F.square(self.l(x) - y)).backward()
        for p in self.params():
            p.array -= 0.01 * p.grad
    return self.l.W.array, self.l.b.array


@case(l=lambda: L.Linear(2, 2))
def whole_steps_until_it_is_good(self, x, y, n):
    loss, steps = 10.0, 0
    while loss > 0.5 and steps < 20:
        self.cleargrads()
        error = F.sum(F.square(self.l(x) - y))
        error.backward()
        for p in self.params():
            p.array -= 0.02 * p.grad
        loss = float(error.array)
        steps += 1
    return steps, self.l.W.array


@case(l=lambda: L.Linear(2, 2))
def a_step_in_a_branch(self, x, y, n):
    if n > 1:
        self.cleargrads()
        F.sum(F.square(self.l(x))).backward()
        self.l.W.array -= 0.1 * self.l.W.grad
    return self.l(x)


@case(l=lambda: L.Linear(2, 2))
def frozen(self, x, y, n):
    self.cleargrads()
    v = chainer.Variable(x)
    with chainer.no_backprop_mode():
        h = self.l(v)
    F.sum(h * v).backward()
    return v.grad, self.l.W.grad is None


# -- chainer.grad ------------------------------------------------------------------------------


@case()
def by_grad(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    return chainer.grad([F.sum(h * h)], [x, h])


@case()
def by_grad_of_two(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    a, b = F.sum(x * y), F.sum(F.exp(x))
    gx, gy = chainer.grad((a, b), (x, y), grad_outputs=(None, F.exp(a)))
    return gx, gy, x.grad is None


@case()
def by_grad_of_what_does_not_depend(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    gx, gy = chainer.grad([F.sum(x * x)], [x, y])
    return gx, gy is None


@case()
def by_grad_with_sums(self, x, y, n):
    x = chainer.Variable(x)
    (gx,) = chainer.grad([F.sum(x * x)], [x], grad_inputs=[chainer.Variable(y)], set_grad=True)
    return gx, x.grad


@case()
def second_order(self, x, y, n):
    x = chainer.Variable(x)
    (gx,) = chainer.grad([F.sum(F.tanh(x) ** 3)], [x], enable_double_backprop=True)
    (ggx,) = chainer.grad([F.sum(gx * gx)], [x])
    return gx, ggx


@case()
def third_order(self, x, y, n):
    x = chainer.Variable(x)
    g = F.sum(x**4)
    for _ in range(3):
        (g,) = chainer.grad([g], [x], enable_double_backprop=True)
        g = F.sum(g * 0.5)
    return g


@case(l=lambda: L.Linear(2, 1))
def gradient_penalty(self, x, y, n):
    v = chainer.Variable(x)
    (gx,) = chainer.grad([F.sum(F.tanh(self.l(v)))], [v], enable_double_backprop=True)
    self.cleargrads()
    F.sum(F.square(F.sqrt(F.sum(gx * gx, axis=1) + 1e-4) - 1)).backward()
    return self.l.W.grad, self.l.b.grad


@case(l=lambda: L.Linear(2, 1))
def fast_gradient_sign(self, x, y, n):
    v = chainer.Variable(x)
    self.cleargrads()
    F.sum(F.square(self.l(v))).backward()
    return x + 0.1 * np.sign(v.grad)


# -- branches ----------------------------------------------------------------------------------


@case()
def through_a_branch(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x) if n > 1 else F.exp(x) * x
    F.sum(h).backward()
    return x.grad


@case()
def through_nested_branches(self, x, y, n):
    x = chainer.Variable(x)
    k = F.sin(x)
    if n > 0:
        h = F.tanh(k)
        if n > 2:
            h = h * h * k
    else:
        h = k
    F.sum(h * k).backward()
    return x.grad


@case()
def a_swap(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    a, b = (x, y) if n > 1 else (y, x)
    F.sum(F.exp(a) * F.sin(b)).backward()
    return x.grad, y.grad


@case()
def one_of_two_has_a_gradient(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    F.sum(F.exp(x if n > 1 else y)).backward()
    return x.grad, y.grad


@case()
def early_returns(self, x, y, n):
    def loss(h):
        if n > 2:
            return F.sum(h)
        h = h * 2
        if n > 0:
            return F.sum(F.tanh(h))
        return F.sum(h * h)

    x = chainer.Variable(x)
    found = loss(F.sin(x))
    (gx,) = chainer.grad([found], [x])
    return found, gx


@case()
def decided_by_the_data(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    if F.sum(h).array > 0.5:
        h = F.concat([h, x * x], axis=0)[: len(x)]
    F.sum(h * h).backward()
    return x.grad


@case()
def unchained_in_one_branch(self, x, y, n):
    x = chainer.Variable(x)
    if n > 1:
        h = F.tanh(x)
        h.unchain()
    else:
        h = F.sin(x)
    F.sum(h * x).backward()
    return x.grad


@case()
def parts_of_a_branch_in_containers(self, x, y, n):
    x = chainer.Variable(x)
    state = {"h": x, "all": []}
    if n > 1:
        state["h"] = F.tanh(x)
        state["all"].append(F.sum(state["h"]))
    else:
        state["all"].append(F.sum(F.exp(x)))
    F.sum(F.broadcast_to(state["all"][0], x.shape) * state["h"]).backward()
    return x.grad


@case()
def in_and_after_a_branch(self, x, y, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    if n > 1:
        F.sum(h).backward()
    F.sum(h * h).backward()
    return x.grad


@case(a=lambda: L.Scale(1, (2,)), b=lambda: L.Scale(1, (2,)))
def a_layer_that_is_left_out(self, x, y, n):
    self.cleargrads()
    h = self.a(x)
    if n > 1:
        h = F.relu(self.b(h))
    F.sum(h * h).backward()
    return self.a.W.grad, self.b.W.grad


@case(scale=lambda: L.Scale(1, (2,)))
def an_array_or_a_variable(self, x, y, n):
    self.cleargrads()
    h = F.tanh(x if n > 1 else y * self.scale.W)
    F.sum(h * h).backward()
    return self.scale.W.grad


@case(scale=lambda: L.Scale(1, (2,)))
def none_or_a_variable(self, x, y, n):
    self.cleargrads()
    h = None
    if n > 1:
        h = F.tanh(x * self.scale.W)
    if h is None:
        h = F.exp(y * self.scale.W)
    F.sum(h).backward()
    return self.scale.W.grad


# -- loops -------------------------------------------------------------------------------------


@case()
def through_turns(self, x, y, n):
    v = h = chainer.Variable(x)
    for _ in range(n):
        h = F.tanh(h)
    F.sum(h).backward()
    return v.grad


@case(scale=lambda: L.Scale(1, (2,)))
def turns_with_a_parameter(self, x, y, n):
    self.cleargrads()
    v = chainer.Variable(x)
    h = v * 0
    for _ in range(n):
        h = F.tanh(h * self.scale.W + v)
    loss = F.sum(h * h)
    loss.backward()
    return loss, v.grad, self.scale.W.grad


@case(scale=lambda: L.Scale(1, (2,)))
def a_sum_over_turns(self, x, y, n):
    self.cleargrads()
    v = h = chainer.Variable(x)
    loss = chainer.Variable(np.zeros((), np.float32))
    for _ in range(n):
        h = F.tanh(h * self.scale.W)
        loss += F.sum(h * h)
    loss.backward()
    return loss, v.grad, self.scale.W.grad


@case(scale=lambda: L.Scale(1, (2,)))
def a_sum_from_zero(self, x, y, n):
    self.cleargrads()
    v = h = chainer.Variable(x)
    loss = 0
    for _ in range(n):
        h = F.tanh(h * self.scale.W)
        loss += F.sum(h * h)
    if n > 0:
        loss.backward()
    return loss, v.grad, self.scale.W.grad


@case()
def branches_and_a_break_in_turns(self, x, y, n):
    v = h = chainer.Variable(x)
    total = 0
    for i in range(n):
        h = F.tanh(h) if i % 2 else F.sin(h) * F.sin(v)
        total = total + F.sum(h)
        if total.array > 0.5:
            break
    if n > 0:
        total.backward()
    return v.grad


@case()
def two_values_change_places(self, x, y, n):
    a, b = p, q = chainer.Variable(x), chainer.Variable(y)
    for _ in range(n):
        a, b = F.sin(b), a
    F.sum(a * F.exp(b)).backward()
    return p.grad, q.grad


@case()
def a_loop_in_a_branch(self, x, y, n):
    v = h = chainer.Variable(x)
    if n > 1:
        for _ in range(n):
            h = F.sigmoid(h)
    (gx,) = chainer.grad([F.sum(h * v)], [v])
    return gx


@case()
def a_while_on_the_data(self, x, y, n):
    v = h = chainer.Variable(x)
    while F.sum(h * h).array > 0.1:
        h = h * 0.5
    F.sum(F.exp(h)).backward()
    return v.grad


@case()
def two_loops(self, x, y, n):
    v = h = chainer.Variable(x)
    for _ in range(n):
        h = F.tanh(h)
    k = h
    for _ in range(abs(n)):
        k = F.sin(k) + h
    F.sum(k).backward()
    return v.grad


SERIES = [(f32(b, t, 2),) for b, t in ((2, 3), (1, 1), (4, 6), (3, 2), (2, 9))]
SERIES_AXES = {"x": {0: "batch", 1: "time"}}


@case(SERIES, SERIES_AXES, scale=lambda: L.Scale(1, (2,)))
def a_recurrence_from_none(self, x):
    self.cleargrads()
    h = None
    for t in range(x.shape[1]):
        h = F.tanh(x[:, t] if h is None else h * self.scale.W + x[:, t])
    F.sum(h * h).backward()
    return self.scale.W.grad


# -- functions of the program ------------------------------------------------------------------


class StraightThrough(chainer.FunctionNode):
    """Rounds forwards, and is the identity backwards."""

    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        return (np.sign(x),)

    def backward(self, indexes: Any, grads: Any) -> Any:
        return grads


class Gate(chainer.FunctionNode):
    """Keeps its inputs, and what it computed."""

    def forward(self, inputs: Any) -> Any:
        x, g = inputs
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        self.gate = 1 / (1 + np.exp(-g))
        return (x * self.gate,)

    def backward(self, indexes: Any, grads: Any) -> Any:
        self.get_retained_inputs()
        (y,) = self.get_retained_outputs()
        (gy,) = grads
        found = []
        for index in indexes:
            found.append(gy * self.gate if index == 0 else gy * y * (1 - self.gate))
        return tuple(found)


class OldSquare(chainer.Function):
    """Of the old style: arrays backwards, too."""

    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        return (x * x,)

    def backward(self, inputs: Any, grads: Any) -> Any:
        return (2 * inputs[0] * grads[0],)


class KeptSquare(OldSquare):
    """Of the old style; it says what it needs backwards, and so has its node early."""

    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return super().forward(inputs)


@case()
def of_a_function_of_the_old_style_that_keeps_its_input(self, x, y, n):
    x = chainer.Variable(x)
    y = F.sum(KeptSquare()(x) * x)
    (found,) = chainer.grad([y], [x])
    y.backward()
    return found, x.grad


@case()
def straight_through(self, x, y, n):
    x = chainer.Variable(x)
    (h,) = StraightThrough().apply((x,))
    F.sum(h * y + x).backward()
    return x.grad


@case()
def gates(self, x, y, n):
    x, y = chainer.Variable(x), chainer.Variable(y)
    F.sum(Gate().apply((x, y))[0]).backward()
    return x.grad, y.grad


@case()
def half_of_a_gate(self, x, y, n):
    y = chainer.Variable(y)
    F.sum(Gate().apply((x, y))[0]).backward()
    return y.grad


@case()
def old_style(self, x, y, n):
    x = chainer.Variable(x)
    F.sum(OldSquare()(x) * y).backward()
    return x.grad


@pytest.mark.filterwarnings("ignore:Variable.zerograd is deprecated:DeprecationWarning")
@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_gradients(program: Program) -> None:
    hold(program)


# -- optimizers --------------------------------------------------------------------------------

OPTIMIZERS = (
    *("AdaDelta", "AdaGrad", "Adam", "AdamW", "AMSGrad", "AdaBound", "AMSBound", "RMSprop"),
    *("CorrectedMomentumSGD", "MomentumSGD", "NesterovAG", "RMSpropGraves", "SGD", "SMORMS3"),
)
HOOKS = (
    chainer.optimizer_hooks.WeightDecay(0.1),
    chainer.optimizer_hooks.Lasso(0.1),
    chainer.optimizer_hooks.GradientClipping(0.5),
    chainer.optimizer_hooks.GradientHardClipping(-0.1, 0.1),
    chainer.optimizer_hooks.GradientLARS(),
)


def _trained(optimizer: Any) -> chainer.Chain:
    def forward(self: Any, x: Any) -> Any:
        losses = []
        for _ in range(3):
            loss = F.mean_squared_error(self.b(F.tanh(self.a(x))), x)
            self.cleargrads()
            loss.backward()
            self.optimizer.update()
            losses.append(loss)
        return losses, [p.array for _, p in sorted(self.namedparams())]

    np.random.seed(0)
    chain = chain_with(forward)
    with chain.init_scope():
        chain.a, chain.b = L.Linear(3, 4), L.Linear(4, 3)
    chain.optimizer = optimizer.setup(chain)
    return chain


def _check_training(make: Any) -> None:
    model = elichika.compile_model(make(), (f32(2, 3),), dynamic_axes="batch", verify=False)
    for count in (2, 1, 5):
        inputs = (f32(count, 3, seed=count),)
        problem = difference(outcome(make(), inputs), outcome(model, inputs))
        assert problem is None, problem


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name: str) -> None:
    _check_training(lambda: _trained(getattr(chainer.optimizers, name)()))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook.name))
def test_hooks(hook: Any) -> None:
    def make() -> chainer.Chain:
        chain = _trained(chainer.optimizers.MomentumSGD(lr=0.1))
        chain.optimizer.add_hook(hook)
        return chain

    _check_training(make)


# -- networks ----------------------------------------------------------------------------------


def _steps(loss: Any, **links: Any) -> chainer.Chain:
    """Make a chain whose call is one step, and gives the loss and all parameters after it."""

    def forward(self: Any, *inputs: Any) -> Any:
        found = loss(self, *inputs)
        self.cleargrads()
        found.backward()
        self.optimizer.update()
        return found, [p.array for _, p in sorted(self.namedparams())]

    chain = chain_with(forward)
    with chain.init_scope():
        for name, link in links.items():
            setattr(chain, name, link)
    chain.optimizer = chainer.optimizers.MomentumSGD(lr=0.1).setup(chain)
    return chain


def _check_steps(make: Any, inputs: Any, axes: Any = None) -> None:
    np.random.seed(0)
    chain = make()
    model = elichika.compile_model(chain, inputs[0], dynamic_axes=axes, verify=False)
    for given in inputs:
        problem = difference(outcome(copy.deepcopy(chain), given), outcome(model, given))
        assert problem is None, problem


def _labels(*values: int) -> Any:
    return np.array(values, np.int32)


def test_a_classifier() -> None:
    def loss(self: Any, x: Any, t: Any) -> Any:
        return F.softmax_cross_entropy(self.b(F.relu(self.a(x))), t)

    inputs = [(f32(2, 3), _labels(1, 4)), (f32(1, 3), _labels(0)), (f32(3, 3), _labels(2, -1, 2))]
    _check_steps(lambda: _steps(loss, a=L.Linear(3, 4), b=L.Linear(4, 5)), inputs, "batch")


def test_a_convolutional_classifier() -> None:
    def loss(self: Any, x: Any, t: Any) -> Any:
        h = F.max_pooling_2d(F.relu(self.norm(self.a(x))), 2)
        h = F.average_pooling_2d(F.relu(self.b(h)), 2)
        return F.softmax_cross_entropy(self.c(h), t)

    def make() -> chainer.Chain:
        links = {"a": L.Convolution2D(1, 3, 3), "norm": L.BatchNormalization(3)}
        links |= {"b": L.Convolution2D(3, 4, 3, pad=1), "c": L.Linear(16, 5)}
        return _steps(loss, **links)

    inputs = [(f32(2, 1, 10, 10, seed=s), _labels(s, 1)) for s in range(3)]
    _check_steps(make, inputs)


def test_attention() -> None:
    def loss(self: Any, x: Any, t: Any) -> Any:
        q, k, v = self.q(x), self.k(x), self.v(x)
        weights = F.softmax(F.matmul(q, k, transb=True) / 2.0, axis=1)
        return F.softmax_cross_entropy(self.out(self.norm(x + F.matmul(weights, v))), t)

    def make() -> chainer.Chain:
        links = {name: L.Linear(4, 4, nobias=True) for name in "qkv"}
        return _steps(loss, norm=L.LayerNormalization(4), out=L.Linear(4, 5), **links)

    _check_steps(make, [(f32(2, 4, seed=s), _labels(s, 1)) for s in range(3)])


def test_an_embedding_and_an_lstm() -> None:
    def loss(self: Any, ids: Any, t: Any) -> Any:
        self.lstm.reset_state()
        for i in range(3):
            h = self.lstm(self.embed(ids[:, i]))
        return F.softmax_cross_entropy(self.out(h), t)

    def make() -> chainer.Chain:
        return _steps(loss, embed=L.EmbedID(7, 3), lstm=L.LSTM(3, 4), out=L.Linear(4, 5))

    ids = [np.random.RandomState(s).randint(0, 7, (2, 3)).astype(np.int32) for s in range(3)]
    _check_steps(make, [(one, _labels(s, 1)) for s, one in enumerate(ids)])


# -- what is refused ---------------------------------------------------------------------------


def test_one_of_two_variables_is_not_cleared() -> None:
    def forward(self: Any, x: Any, n: Any) -> Any:
        x = chainer.Variable(x)
        h = chainer.Variable(x.array) if n > 2 else x
        F.sum(F.exp(h)).backward()
        h.cleargrad()
        return x.grad

    program = Program(forward, [(f32(2, 2), 3)])
    with pytest.raises(REFUSED, match="asked of a Variable that comes from a branch or a loop"):
        compiled(program)


def test_a_write_after_the_branch_is_refused() -> None:
    def forward(self: Any, x: Any, n: Any) -> Any:
        x = chainer.Variable(x)
        h = F.exp(x) if n > 2 else F.tanh(x)
        h.array[...] = 0
        F.sum(h).backward()
        return x.grad

    program = Program(forward, [(f32(2, 2), 3)])
    with pytest.raises(REFUSED, match="was written again before its gradient is taken"):
        compiled(program)


def test_a_gradient_into_former_turns_is_refused() -> None:
    def forward(self: Any, x: Any, n: Any) -> Any:
        h = chainer.Variable(x)
        for _ in range(n):
            h = F.tanh(h)
            F.sum(h).backward()
        return h

    program = Program(forward, [(f32(2, 2), 3)])
    with pytest.raises(REFUSED, match="would continue into the iterations of the loop before"):
        compiled(program)


def test_turns_that_write_what_they_read_are_refused() -> None:
    def forward(self: Any, x: Any, w: Any, n: Any) -> Any:
        v = h = chainer.Variable(x)
        for _ in range(n):
            h = F.tanh(h * w)
            w *= 2
        F.sum(h).backward()
        return v.grad

    program = Program(forward, [(f32(2, 2), f32(2, 2), 3)])
    with pytest.raises(REFUSED, match="which function made this Variable"):
        compiled(program)


def test_turns_of_unlike_sizes() -> None:
    """What a turn keeps grows: a Loop carries a sequence of it."""

    def forward(self: Any, x: Any, n: Any) -> Any:
        v = h = chainer.Variable(x)
        for _ in range(n):
            h = F.tanh(F.concat([h, h], axis=0))
        F.sum(h * h).backward()
        return h, v.grad

    inputs = [
        (f32(2, 2), 3),
        (f32(1, 2), 0),
        (f32(3, 2), 1),
        (f32(2, 2, seed=1), 5),
        (f32(0, 2), 2),
    ]
    hold(Program(forward, inputs, {"x": {0: "rows"}}))


def test_an_lstm_in_a_loop_of_any_length() -> None:
    """Its state begins as None: the first turn stands before the loop."""

    class Tagger(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.lstm, self.out = L.LSTM(3, 4), L.Linear(4, 2)

        def forward(self, xs: Any, labels: Any) -> Any:
            self.lstm.reset_state()
            loss = 0
            for t in range(xs.shape[0]):
                loss += F.softmax_cross_entropy(self.out(self.lstm(xs[t])), labels[t])
            self.cleargrads()
            loss.backward()
            weights = self.lstm.upward.W, self.lstm.lateral.W, self.out.b
            return loss, [weight.grad for weight in weights]

    def inputs(length: int, batch: int) -> tuple[Any, Any]:
        labels = np.arange(length * batch, dtype=np.int32).reshape(length, batch) % 2
        return f32(length, batch, 3, seed=length), labels

    axes = {"xs": {0: "time", 1: "batch"}, "labels": {0: "time", 1: "batch"}}
    model = elichika.compile_model(Tagger(), inputs(4, 2), dynamic_axes=axes, verify=False)
    for sizes in [(4, 2), (1, 2), (2, 3), (7, 1), (3, 1), (1, 1)]:
        model.verify(inputs(*sizes))


@pytest.mark.parametrize("scale, sizes", [(0.5, (2, 3)), (0.3, (3, 4)), (1.0, (1, 1))])
@pytest.mark.parametrize("axes", [None, {"x": {0: "n", 2: "h", 3: "w"}, "rois": {0: "r"}}])
def test_regions(scale: float, sizes: tuple[int, int], axes: Any) -> None:
    """The places of maxima are written into an array that begins as one known while compiling."""

    def forward(self: Any, x: Any, rois: Any) -> Any:
        x = chainer.Variable(x)
        y = F.roi_pooling_2d(x, rois, *sizes, scale)
        F.sum(y * y).backward()
        return x.grad

    regions = np.array(
        [[0, 0, 0, 9, 9], [1, 2, 1, 7, 11], [1, 3, 3, 5, 20], [1, -3, -4, 2, 2]], "f"
    )
    runs = [
        (f32(2, 3, 6, 7, seed=seed), regions[::step])
        for seed, step in [(0, 1), (1, -1), (2, 1), (3, -1), (4, 1)]
    ]
    hold(Program(forward, runs, axes))


def test_the_file_is_verified() -> None:
    """Verification runs Chainer with its tape."""

    def forward(self: Any, x: Any) -> Any:
        x = chainer.Variable(x)
        F.sum(F.tanh(x)).backward()
        return x.grad

    elichika.compile_model(chain_with(forward), (f32(3, 2),), dynamic_axes="rows", verify=True)
