"""`chainer.Function`s of the program: accumulators that begin as None, any number of arrays."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table()


class Recurrent(chainer.Function):
    def forward(self, inputs):
        xp = chainer.cuda.get_array_module(*inputs)
        x, _ = inputs
        states = None
        c = xp.zeros((x.shape[1],), x.dtype)
        for t in range(len(x)):
            c = c * 0.5 + x[t]
            h = xp.tanh(c)[None]
            states = h if states is None else xp.concatenate((states, h))
        return states, c


class Sums(chainer.FunctionNode):
    def forward(self, inputs):
        (x,) = inputs
        total = None
        for row in x:
            total = row if total is None else total + row
        return (total,)


class Scaled(chainer.Function):
    def forward(self, inputs):
        t, xs = inputs[0], inputs[1:]
        out = np.zeros_like(xs[0])
        for x in xs:
            out += x
        return (out * t.sum(),)


class Weighted(chainer.FunctionNode):
    def forward(self, inputs):
        out = np.zeros_like(inputs[0])
        for i, x in enumerate(inputs):
            out = out + x * i
        return out, np.stack(inputs)


class Doubled(chainer.Function):
    def forward(self, inputs):
        return tuple(x * 2 for x in inputs)


class Twice(chainer.FunctionNode):
    def forward(self, inputs):
        return tuple(x * 2 for x in inputs)


class Total(chainer.Function):
    def __init__(self, number):
        self.number = number

    def forward(self, inputs):
        return (inputs[0].sum(),) if self.number > 0 else [inputs[0]]


class Two(chainer.Function):
    def forward(self, inputs):
        a, b = inputs
        return (a + b,)


class Checked(Two):
    def check_type_forward(self, in_types):
        chainer.utils.type_check.expect(in_types.size() == 2)


@case()
def concatenated(self, x, n, c):
    states, last = Recurrent()(x, np.ones(2, "f"))
    return states, last


@case()
def accumulated(self, x, n, c):
    y = Sums().apply((x,))[0]
    return y if n else F.tanh(y) * 2


@case()
def any_number(self, x, n, c):
    return Scaled()(np.ones(2, "f"), *[x * i for i in range(n)])


@case()
def of_rows(self, x, n, c):
    return Scaled()(np.ones(2, "f"), *[chainer.Variable(row) for row in x])


@case()
def applied(self, x, n, c):
    xs = [x * i for i in range(n)]
    return Weighted().apply(xs), Weighted().apply(tuple(xs))


@case()
def as_many_as_there_are(self, x, n, c):
    ys = Doubled()(*[x * i for i in range(1 + n)])
    return [y + 1 for y in ys], Doubled()(*[x * i for i in range(1)])


@case()
def applied_to_as_many(self, x, n, c):
    return Twice().apply([x * i for i in range(n)])


@case()
def a_number_is_no_array(self, x, n, c):
    return Total(n)(x) if n else x


@case()
def a_list_is_no_tuple(self, x, n, c):
    return Total(-n)(x) if n else x


@case()
def two(self, x, n, c):
    return Two()(*[x] * n)


@case()
def variables_of_nothing(self, x, n, c):
    v = chainer.Variable()
    return v if n else x, chainer.Variable(None)


@case()
def transposed(self, x, n, c):
    xs = [x[: i + 1] for i in range(n)][::-1]
    ts = F.transpose_sequence(xs)
    return ts, F.transpose_sequence(ts)


@case()
def transposed_of_known_number(self, x, n, c):
    return F.transpose_sequence([x, x[:1]])


@case()
def within_a_function(self, x, n, c):
    def joined(*inputs):
        return F.pad_sequence(inputs), F.transpose_sequence(inputs[::-1]), len(inputs)

    xs = [x[: i + 1] for i in range(n)]
    return joined(*xs) if n and len(x) else 0


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)


refused = Table()


@refused()
def with_a_check(self, x, n, c):
    return Checked()(*[x] * n)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
