"""Functions that take or give lists of dynamic length, against Chainer and numpy."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F

from tests.programs import Program, check, compiled, f32
from tests.walker.containers.inputs import LENGTHS, MATRICES, arrays, words

PROGRAMS: list[Program] = []


def program(*inputs: Any, axes: Any = None, **attributes: Any) -> Any:
    """Collect a program with the inputs that it is run on."""

    def collect(forward: Any) -> Any:
        PROGRAMS.append(Program(forward, inputs, axes, attributes=lambda: attributes))
        return forward

    return collect


W = [[(np.random.RandomState(i).randn(4, 3 if i < 4 else 4) * 0.5).astype("f") for i in range(8)]]
B = [[(np.random.RandomState(i).randn(4) * 0.5).astype("f") for i in range(8)]]


@program(
    *[(f32(b, 3), f32(1, bb, 4)) for b, bb in ((2, 2), (3, 3), (2, 4))],
    axes={"x": {0: "b"}, "h": {1: "bh"}},
)
def func(self, x, h):
    return F.n_step_lstm(
        1,
        0.0,
        h,
        h * 2,
        [[chainer.Variable(a) for a in W[0]]],
        [[chainer.Variable(a) for a in B[0]]],
        [x, x[:2], x[:1]],
    )


@program(
    *[
        (sorted(items[0], key=len, reverse=True), f32(1, len(items[0][0]) + 40, 4))
        for items in MATRICES
    ],
    axes={"h": {1: "bh"}},
)
def funcdyn(self, xs, h):
    return F.n_step_lstm(
        1,
        0.0,
        h,
        h * 2,
        [[chainer.Variable(a) for a in W[0]]],
        [[chainer.Variable(a) for a in B[0]]],
        xs,
    )


@program(*[(sorted(items[0], key=len, reverse=True),) for items in MATRICES])
def tseq(self, xs):
    t = F.transpose_sequence(xs)
    return (t, isinstance(t, tuple), F.transpose_sequence(t))


@program(*MATRICES, ([],))
def pads(self, xs):
    return (F.pad_sequence(xs), F.pad_sequence(xs, padding=-1.5), F.pad_sequence(xs, 12))


@program(*MATRICES, ([],), (arrays(9, 9, 9, units=3),))
def padbad(self, xs):
    return F.pad_sequence(xs, 5)


@program(*[(words(*items),) for items in LENGTHS], (words(3, 0, 2),))
def padint(self, xs):
    return F.pad_sequence(xs, padding=-1)


@program(*MATRICES, ([],))
def concatenated(self, xs):
    return F.concat(xs, axis=0)


@program(*[(arrays(*[2] * n, units=3),) for n in (3, 1, 5, 2)], ([],), (arrays(2, 3, units=3),))
def joined(self, xs):
    return (
        F.concat(xs),
        F.stack(xs),
        F.stack(xs, axis=-1),
        F.vstack(xs),
        F.hstack(xs),
        np.concatenate(xs),
        np.stack(xs, 1),
        np.array(xs),
        np.vstack(xs),
        np.hstack(xs),
    )


@program(*[(arrays(*[2] * n),) for n in (3, 1, 5)], ([],))
def joined_vectors(self, xs):
    return (
        F.vstack(xs),
        F.hstack(xs),
        np.vstack(xs),
        np.hstack(xs),
        np.mean(xs),
        np.max(xs, axis=0),
    )


@program(*MATRICES, ([],))
def lens(self, xs):
    items = [len(x) for x in xs]
    return (
        np.cumsum(items),
        np.array(items),
        np.array(items, "f"),
        np.array(items, np.int32),
        np.asarray(items) + 1,
    )


@program(*MATRICES)
def lens2(self, xs):
    items = np.array([len(x) for x in xs])
    return (np.max(items), items.max(), np.arange(9)[None] < items[:, None], len(items), items[0])


@program(*[(words(*items),) for items in LENGTHS])
def embed(self, xs):
    x_len = [len(x) for x in xs]
    sec = np.cumsum(x_len[:-1])
    e = F.concat(xs, axis=0)
    s = F.split_axis(e, sec, 0)
    return (s, type(s) is tuple, s[0], s[-1], len(s), s[1:], list(s), [y + 1 for y in s])


@program(*[(f32(6, 2), np.array(i)) for i in ([2, 4], [0, 6], [3, 3], [5, 2], [2, 7])])
def splitarr(self, x, i):
    return F.split_axis(x, i, 0)


@program(
    *[(f32(6, 2), np.array(i)) for i in ([2, 4], [0], [1, 3, 3], [2, 7], [1, 2, 3, 4])],
    axes={"i": {0: "k"}},
)
def splitdyn(self, x, i):
    return F.split_axis(x, i, 0)


@program(
    *[(f32(b, 2), n) for b, n in ((6, 3), (4, 2), (0, 3), (5, 2), (4, 0), (4, -2), (4, 1), (2, 4))],
    axes={"x": {0: "b"}},
)
def equal_parts(self, x, n):
    ys = F.split_axis(x, n, 0)
    return ys, len(ys)


@program(*[(f32(k, 2),) for k in (3, 1, 5)], axes="n")
def sep(self, x):
    s = F.separate(x)
    return (s, F.stack(s), s[0], F.separate(x, 1))


@program(*MATRICES)
def gens(self, xs):
    return (
        max(len(x) for x in xs),
        sum(len(x) for x in xs),
        list(len(x) for x in xs),
        sum(F.sum(x) for x in xs),
        tuple(x * 2 for x in xs),
    )


@program(*MATRICES)
def attn(self, xs):
    p = F.pad_sequence(xs)
    n = len(xs)  # noqa: F841
    lens = np.array([x.shape[0] for x in xs], "i")
    mask = np.arange(p.shape[1])[None, :] < lens[:, None]
    e = F.sum(p, axis=2)
    e = F.where(mask, e, np.full(e.shape, -1000000000.0, "f"))
    a = F.softmax(e, axis=1)
    return (F.sum(p * F.broadcast_to(a[:, :, None], p.shape), axis=1), mask)


@program(
    *[(np.array([5.0, 3.0, 2.0, 9.0], "f") + shift, n) for shift, n in ((0, 3), (0, 1), (0, 10))],
    (np.array([2.0**54], "f"), 1),
    (np.zeros(0, "f"), 2),
    (np.ones(3, "f"), 0),
    axes={"x": {0: "items"}},
)
def of_two_dtypes(self, x, n):
    """An empty tuple becomes float64[0], others int64."""
    found = [np.array((i,) * int((x > i).sum())) for i in range(n)]
    joined = np.hstack(found)
    return joined, np.concatenate(found), joined.astype(np.int32)


@pytest.mark.parametrize("given", PROGRAMS, ids=lambda p: p.name)
def test_program(given: Program) -> None:
    check(given, compiled(given))
