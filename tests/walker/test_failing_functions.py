"""Functions and links of Chainer that fail for some sizes, and are caught."""

from __future__ import annotations

import contextlib

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer.utils import type_check

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold
from tests.walker.failing import AXES, INPUTS

#: The links of a chain.
LAYERS = {
    "l": lambda: L.Linear(4, 2),
    "g": lambda: L.Linear(2, 1),
    "e": lambda: L.EmbedID(6, 2),
    "bn": lambda: L.BatchNormalization(3),
}
case, refused = Table(INPUTS, AXES), Table(INPUTS, AXES)


@case()
def shape_by_chainer(self, x, y, z, n):
    try:
        return F.reshape(y, (n, -1)).array.sum()
    except Exception:
        return np.float32(-1)


@case()
def add_of_variables(self, x, y, z, n):
    try:
        return F.sum(chainer.Variable(y) + z[:, 0]).array
    except Exception:
        return np.float32(-1)


@case()
def joined_by_chainer(self, x, y, z, n):
    try:
        return F.sum(F.concat([y, z[:, 0]], axis=0)).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case()
def product_by_chainer(self, x, y, z, n):
    try:
        return F.sum(F.matmul(y[None], z)).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case(**LAYERS)
def a_layer(self, x, y, z, n):
    try:
        return self.l(y[None]).array
    except Exception:
        return np.zeros((1, 2), np.float32)


@case(**LAYERS)
def embedded_ids(self, x, y, z, n):
    try:
        return self.e(x).array
    except Exception:
        return np.zeros((1, 2), np.float32)


@case()
def an_item_by_get_item(self, x, y, z, n):
    try:
        return F.get_item(y, n).array
    except IndexError:
        return np.float32(-1)


@case()
def an_item_of_a_variable(self, x, y, z, n):
    try:
        return chainer.Variable(y)[n].array
    except IndexError:
        return np.float32(-1)


@case()
def stacked_variables(self, x, y, z, n):
    try:
        return F.stack([y, z[:, 0]]).array.sum()
    except Exception:
        return np.float32(-1)


@case()
def a_shape_in_each_iteration(self, x, y, z, n):
    out = []
    for i in range(4):
        try:
            out.append(F.sum(F.reshape(y, (i, -1))[0]).array)
        except Exception:
            out.append(np.float32(-1))
    return out


@case()
def several_functions(self, x, y, z, n):
    try:
        h = F.relu(y)
        s = F.softmax(h[None])[0]
        t = F.sum(s).array
        v = int(y[n])
        return t * v
    except IndexError:
        return np.float32(-1)


@case()
def squeezed_by_chainer(self, x, y, z, n):
    try:
        return F.squeeze(z, 0).array
    except Exception:
        return z[0] * 0


@case()
def parts_by_chainer(self, x, y, z, n):
    try:
        return F.split_axis(y, 2, 0)[0].array
    except Exception:
        return y * 0


@refused()
def parts_along_an_axis_of_the_run(self, x, y, z, n):
    try:
        return F.split_axis(y, 2, n)[0].array
    except Exception:
        return y * 0


@refused()
def parts_at_an_end_of_the_run(self, x, y, z, n):
    try:
        return F.split_axis(y, [1], min(n, 0))[0].array
    except IndexError:
        return y * 0


@case()
def stretched_by_chainer(self, x, y, z, n):
    try:
        return F.broadcast_to(y, (3, len(z))).array.sum()
    except Exception:
        return np.float32(-1)


@case()
def cross_entropy(self, x, y, z, n):
    try:
        return F.softmax_cross_entropy(z, x.astype(np.int32)).array
    except Exception:
        return np.float32(-1)


@refused()
def its_text_is_read(self, x, y, z, n):
    try:
        return F.reshape(y, (n, -1)).array.sum()
    except Exception as e:
        print(e)
        return np.float32(-1)


@case()
def raised_again(self, x, y, z, n):
    try:
        return F.reshape(y, (n, -1)).array.sum()
    except Exception:
        raise


@case()
def through_two_calls(self, x, y, z, n):

    def f(v):
        return F.sum(F.reshape(v, (n, -1)), axis=1)

    def g(v):
        try:
            return f(v)
        finally:
            self.t = 1

    try:
        r = g(y).array
    except Exception:
        r = y
    return r


@case(**LAYERS)
def several_layers(self, x, y, z, n):
    try:
        h = F.relu(self.l(y[None]))
        o = self.g(h)
        e = self.e(x)
        return F.sum(o).array + F.sum(e).array
    except IndexError:
        return np.float32(-2)
    except Exception:
        return np.float32(-1)


@case(**LAYERS)
def two_layers(self, x, y, z, n):
    try:
        h = F.relu(self.l(y[None]))
        o = self.g(h)
        return F.sum(o).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case(**LAYERS)
def ids_one_by_one(self, x, y, z, n):
    out = []
    for v in x:
        try:
            out.append(self.e(v.reshape(1).astype(np.int32)))
        except IndexError:
            out.append(self.e(np.zeros(1, np.int32)))
    if not out:
        return np.zeros((0, 2), np.float32)
    return F.concat(out, axis=0).array


@case(**LAYERS)
def suppressed(self, x, y, z, n):
    with contextlib.suppress(Exception):
        return self.e(x.astype(np.int32)).array
    return np.zeros((0, 2), np.float32)


@case()
def batch_product(self, x, y, z, n):
    try:
        return F.matmul(z[None], y[None, :, None]).array.sum()
    except Exception:
        return np.float32(-9)


@case()
def an_lstm_step(self, x, y, z, n):
    try:
        _, h = F.lstm(z[:1, :2] * 0 + 1, F.broadcast_to(y[None], (1, 8)))
        return F.sum(h).array
    except Exception:
        return np.float32(-9)


@case()
def pooled(self, x, y, z, n):
    try:
        return F.max_pooling_2d(z[None, None], 3, stride=1, cover_all=False).array.sum()
    except Exception:
        return np.float32(-9)


@refused()
def convolved(self, x, y, z, n):
    try:
        return F.convolution_2d(z[None, None], np.ones((1, 1, 3, 3), np.float32)).array.sum()
    except Exception:
        return np.float32(-9)


@case()
def padded_sequences(self, x, y, z, n):
    try:
        return F.pad_sequence([y, z[:, 0]]).array
    except Exception:
        return np.zeros((1, 1), np.float32)


@case(**LAYERS)
def normalized(self, x, y, z, n):
    try:
        return self.bn(z).array.sum()
    except Exception:
        return np.float32(-5)


@case(**LAYERS)
def ids_or_the_first(self, x, y, z, n):
    try:
        h = F.sum(self.e(x), axis=0)
    except IndexError:
        h = self.e(np.zeros(1, np.int32))[0]
    return F.tanh(h).array


@case(**LAYERS)
def ids_summed_up(self, x, y, z, n):
    t = chainer.Variable(np.zeros(2, np.float32))
    for v in x:
        try:
            t = t + self.e(v[None])[0]
        except IndexError:
            t = t * 2
    return t.array


@case()
def selected_items(self, x, y, z, n):
    try:
        return F.select_item(z, x.astype(np.int32)).array
    except Exception:
        return z[:, 0]


@case()
def accuracy(self, x, y, z, n):
    try:
        return F.accuracy(z, x.astype(np.int32)).array
    except Exception:
        return np.float32(-2)


@case()
def joined_as_rows(self, x, y, z, n):
    try:
        return F.concat([y[None], z], axis=0).array.sum()
    except type_check.InvalidType:
        return np.float32(-2)


@case()
def mean_squared_error(self, x, y, z, n):
    try:
        return F.mean_squared_error(y, z[:, 0]).array
    except Exception:
        return np.float32(-2)


@case()
def a_row_of_swapped_axes(self, x, y, z, n):
    try:
        return F.swapaxes(z, 0, 1)[n].array
    except IndexError:
        return z[:, 0]


@case()
def largest_by_chainer(self, x, y, z, n):
    try:
        return F.max(y).array
    except Exception:
        return np.float32(-3)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_caught(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
