"""Gradients that are one array in Chainer: who writes to one changes the other."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, chain_with, difference, outcome

RUNS = [([3, 1, 4], 2), ([1, 2, 3], 0), ([0, -1, 2], -1), ([2, 2, 2], 1), ([5, 0, 1], 3)]
INPUTS = [(np.array(values, np.float32), n) for values, n in RUNS]


def _chain(program: Any) -> Any:
    chain = chain_with(program)
    with chain.init_scope():
        chain.p = chainer.Parameter(np.ones(3, np.float32))
        chain.q = chainer.Parameter(np.full(3, 2, np.float32))
    return chain


def sum_on_one_side(self, x, n):
    y = (self.p + self.q) * x if n > 0 else self.p * x + self.q * 2
    F.sum(y).backward()
    self.p.grad *= 2
    return self.p.grad, self.q.grad


def what_a_side_gets(self, x, n):
    y = self.p + (self.q * x if n > 0 else self.q)
    F.sum(y * x).backward()
    self.p.grad *= 2
    return self.p.grad, self.q.grad


def by_grad(self, x, n):
    y = self.p + self.q if n > 0 else self.p * self.q
    first, second = chainer.grad([F.sum(y * x)], [self.p, self.q])
    first.array[0] = 9
    return first, second


def through_one_turn(self, x, n):
    y = self.p
    for _ in range(n):
        y = y + self.q
    F.sum(y * x).backward()
    self.p.grad *= 2
    return self.p.grad, self.q.grad


def through_recursion(self, x, n):
    def scaled(depth):
        return (self.p + self.q) * x if depth <= 0 else scaled(depth - 1) * 2

    F.sum(scaled(n)).backward()
    self.p.grad += 1
    return self.p.grad, self.q.grad


def kept_between(self, x, n):
    v = chainer.Variable(x)
    w = F.reshape(v, (3, 1))
    y = F.reshape(w * 2, (3,))
    F.sum(y * self.p).backward(retain_grad=True)
    v.grad[0] = 100
    return v.grad, w.grad, y.grad


def not_written_by_numpy(self, x, n):
    loss = F.sum(self.p * x) if n > 0 else F.sum(self.p)
    loss.backward()
    self.p.grad += 1
    return self.p.grad


def written_in_between(self, x, n):
    z = F.sum(F.matmul(F.reshape(self.p, (1, 3)), x[:, None]) ** 2)
    self.p.array += n
    z.backward()
    return self.p.grad


def updated_in_between(self, x, n):
    optimizer = chainer.optimizers.SGD(0.1).setup(self)

    def judged(h):
        return F.sum(F.softplus(h * F.reshape(F.reshape(self.p, (3, 1)), (3,))))

    made = self.q * x
    first, second = judged(made), judged(-made)
    self.cleargrads()
    first.backward()
    optimizer.update()
    second.backward()
    return self.q.grad


def kept_by_a_dict(self, x, n):
    sums, loss = {}, F.sum(self.p)
    for v in x:
        key = int(v > 1)
        if key not in sums:
            sums[key] = np.zeros(3, np.float32)
        sums[key] += v
        loss = loss + F.sum(self.p * sums[key])
    loss.backward()
    return self.p.grad


def kept_within_a_side(self, x, n):
    if n > 0:
        w = F.reshape(self.p, (3, 1))
        y = F.sum(w * x[:, None])
    else:
        w = F.reshape(self.p * 2, (3, 1))
        y = F.sum(w * 2)
    y.backward(retain_grad=True)
    self.p.grad[...] = 100
    return w.grad, self.p.grad


def kept_within_a_side_and_written(self, x, n):
    held = []
    if n > 0:
        held.append(F.reshape(self.p, (3, 1)))
        y = F.sum(held[0] * x[:, None])
    else:
        held.append(F.reshape(self.p * 2, (3, 1)))
        y = F.sum(held[0] * 2)
    y.backward(retain_grad=True)
    held[0].grad[...] = 100
    return held[0].grad, self.p.grad


def kept_within_turns(self, x, n):
    w, held = self.p * 1, []
    for _ in range(n):
        w = F.reshape(w, (3,)) + self.q
        held.append(w)
    F.sum(w * x).backward(retain_grad=True)
    self.q.grad += 1
    return [v.grad for v in held], self.q.grad


def kept_within_and_outside(self, x, n):
    y = F.reshape(self.p, (3, 1))
    if n > 0:
        a = F.reshape(y, (3,))
        b = a * x
    else:
        a = F.reshape(y, (3,))
        b = a + x
    F.sum(b).backward(retain_grad=True)
    y.grad[0] = 50
    return a.grad, y.grad, self.p.grad


@pytest.mark.parametrize(
    "program",
    [
        sum_on_one_side,
        what_a_side_gets,
        by_grad,
        through_one_turn,
        through_recursion,
        kept_between,
        not_written_by_numpy,
        written_in_between,
        updated_in_between,
        kept_by_a_dict,
        kept_within_a_side,
        kept_within_a_side_and_written,
        kept_within_turns,
        kept_within_and_outside,
    ],
)
def test_a_write_is_refused(program) -> None:
    with pytest.raises(REFUSED, match=r"may share memory|numpy lets|a dict with keys"):
        elichika.compile_model(_chain(program), INPUTS[0], verify=False)


def apart_on_both_sides(self, x, n):
    y = self.p * self.q if n > 0 else self.p * x - self.q
    F.sum(y * x).backward()
    self.p.grad += 1
    self.q.grad *= 3
    return self.p.grad, self.q.grad


def apart_in_turns(self, x, n):
    y = self.p * 1
    for _ in range(n):
        y = F.tanh(y * self.p + self.q) * x
    F.sum(y).backward()
    self.p.grad += 1
    self.q.cleargrad()
    return self.p.grad, self.q.grad


def decayed(self, x, n):
    y = self.p * x if n > 0 else self.q * x - self.p
    F.sum(y * y).backward()
    optimizer = chainer.optimizers.SGD(0.1).setup(self)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.5))
    optimizer.update()
    return self.p.array, self.q.array


def kept_apart_in_turns(self, x, n):
    w, held = self.p * 1, []
    for _ in range(n):
        w = F.tanh(w * self.q)
        held.append(w)
    F.sum(w * x).backward(retain_grad=True)
    self.p.grad += 1
    return [v.grad for v in held], self.p.grad


def shared_and_read(self, x, n):
    y = self.p + self.q if n > 0 else self.p - self.q
    F.sum(y * x).backward()
    return self.p.grad, self.q.grad * 2


def updated_before_the_next(self, x, n):
    optimizer = chainer.optimizers.SGD(0.1).setup(self)
    for _ in range(3):
        loss = F.sum(F.tanh(x * F.reshape(F.reshape(self.p, (3, 1)), (3,)) + self.q))
        self.cleargrads()
        loss.backward()
        if n > 0:
            optimizer.update()
    return self.p.array, self.q.array, loss


@pytest.mark.parametrize(
    "program",
    [
        apart_on_both_sides,
        apart_in_turns,
        decayed,
        shared_and_read,
        updated_before_the_next,
        kept_apart_in_turns,
    ],
)
def test_what_is_apart_is_written(program) -> None:
    model = elichika.compile_model(_chain(program), INPUTS[0], verify=False)
    for inputs in INPUTS:
        want = outcome(_chain(program).forward, inputs)
        assert not difference(want, outcome(model, inputs)), inputs
