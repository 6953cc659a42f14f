"""What whole models taught: small programs with the idiom each of them fell over."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest
import six
from chainer import functions as F
from chainer.dataset import concat_examples
from chainer.links.rnn.n_step_rnn import argsort_list_descent, permutate_list

import elichika
from tests.programs import Program, check, compiled, f32

LISTS = [([f32(n) for n in lengths],) for lengths in ((3, 1, 4), (2,), (1, 5, 5, 2, 7))]


def read_in_a_loop_what_a_loop_may_have_set(self, x, n, m):
    for i in range(n):
        p = F.relu(x) + i
    s = 0.0
    for _ in range(m):
        s += float(F.sum(p).array)
        p = p * 2
    return s


def state_that_the_first_turn_in_a_branch_makes(self, x, n):
    state = None
    for i in range(n):
        if i % 2:
            held = state
            if held is None:
                held = state = {}
                held["v"] = x * 0
            for key, value in six.iteritems(held):
                held[key] = value + i
    return x if state is None else sum(six.itervalues(state))


def element_at_the_largest(self, x):
    y = F.softmax(x)
    i = int(np.argmax(y.array[0]))
    return y[0, i], y[:, i], F.log(y[-1, i])


def size_kept_on_the_chain(self, x, n):
    self.length = self.h = None
    y = x
    for _ in range(n):
        if self.h is None:
            self.h = F.tanh(x)
            self.length = self.h.shape[0]
        y = F.reshape(y, (1, self.length, -1))[0] + self.h
    return y


def permuted(self, xs):
    order = argsort_list_descent(xs)
    ys = permutate_list(xs, order, inv=False)
    return ys, permutate_list([y * i for i, y in enumerate(ys)], order, inv=True)


def padded_batch(self, xs):
    return concat_examples(xs, padding=-1)


def split_between_sums(self, xs, more):
    ends = np.cumsum([len(x) for x in xs[:-1]])
    joined = np.concatenate([*xs, more])
    return np.split(joined, ends), np.split(joined, np.array([len(more), len(joined)]))


def split_at_what_descends(self, xs):
    return np.split(np.concatenate(xs), np.cumsum([3 - len(x) for x in xs]))


def one_piece(self, x):
    return F.split_axis(x, np.cumsum([len(v) for v in [x][:-1]]), 0)


def configured_inside(self, x):
    with chainer.no_backprop_mode(), chainer.using_config("train", False):
        return F.dropout(x)[-1], chainer.config.train


def moved_by_a_pair(self, x, n):
    y = x.copy()
    y[:, :2] += (n, 0.5)
    y[:, 2:] *= [n + 1, n]
    return y


def labels_of_what_may_be_empty(self, xs, n):
    parts = []
    for k in range(3):
        parts.append(np.array((k,) * (len(xs) - k * n)))
    return np.hstack(parts), np.hstack(parts).astype("i"), np.concatenate([*parts, np.zeros(2)])


def confusion_of(self, guessed, right):
    """As many classes as there are, of which an image may have more than those before it."""
    classes, confusion = 0, np.zeros((0, 0), np.int64)
    for one, other in zip(guessed, right, strict=True):
        most = np.max((one, other))
        if most >= classes:
            more = np.zeros((most + 1, most + 1), np.int64)
            more[:classes, :classes] = confusion
            classes, confusion = most + 1, more
        counted = np.bincount(classes * one.astype(int) + other, minlength=classes**2)
        confusion = confusion + counted.reshape((classes, classes))
    return confusion


def repeated_as_often_as_arrays_say(self, x, n):
    """Numpy's ints repeat lists as Python's do."""
    held = [None] * (x.max() + 1)
    for i in x:
        held[i] = i * 2
    return held, x.sum() * [n], (n, 1) * np.int8(n)


def product_with_bonds(self, x, bonds, rows, columns):
    """A sparse matrix whose entries, and where they are, are data."""
    n = x.shape[1]
    matrix = chainer.utils.CooMatrix(bonds, rows, columns, (n, n))
    return F.sparse_matmul(matrix, x)


def molecule(batch: int, atoms: int, bonds: int) -> tuple[Any, ...]:
    """Features of atoms, and bonds between them."""
    random = np.random.RandomState(atoms)
    rows, columns = random.randint(0, atoms, (2, batch, bonds))
    return f32(batch, atoms, 3), f32(batch, bonds, seed=atoms), rows, columns


def largest_sizes(self, xs):
    sizes = np.array([(len(x), len(x) ** 2) for x in xs])
    return sizes, sizes.max(axis=0), np.array([(0.5 * len(x), 1.0) for x in xs], dtype=np.float32)


PROGRAMS = [
    Program(largest_sizes, LISTS),
    Program(
        state_that_the_first_turn_in_a_branch_makes,
        [(f32(n), n) for n in (4, 0, 1, 2, 7)],
        axes={"x": {0: "n"}},
    ),
    Program(
        read_in_a_loop_what_a_loop_may_have_set,
        [(f32(3), 2, 3), (f32(3), 1, 0), (f32(3), 0, 0), (f32(3), 0, 1), (f32(3), 1, 1)],
    ),
    Program(
        element_at_the_largest,
        [(f32(2, 3),), (f32(1, 7),), (-f32(2, 3),)],
        axes={"x": {0: "a", 1: "b"}},
    ),
    Program(
        size_kept_on_the_chain,
        [(f32(2, 3), 1), (f32(5, 3), 0), (f32(4, 3), 4)],
        axes={"x": {0: "n"}},
    ),
    Program(permuted, LISTS),
    Program(padded_batch, LISTS),
    Program(
        split_between_sums,
        [(*xs, f32(n)) for n, xs in zip((2, 1, 6), LISTS, strict=True)],
        axes={"more": {0: "n"}},
    ),
    Program(one_piece, [(f32(3),), (f32(1),)], axes={"x": {0: "n"}}),
    Program(
        moved_by_a_pair, [(f32(3, 4), 2), (f32(1, 4), 0), (f32(5, 4), -1)], axes={"x": {0: "n"}}
    ),
    Program(
        labels_of_what_may_be_empty,
        [([f32(1)] * m, n) for m, n in ((4, 1), (4, 2), (4, 3), (1, 1))],
    ),
    Program(configured_inside, [(f32(3),), (f32(2),)], axes={"x": {0: "n"}}),
    Program(
        confusion_of,
        [
            tuple([np.random.RandomState(k + n).randint(0, n, n) for n in sizes] for k in (0, 9))
            for sizes in ((3, 5), (4,), (6, 2, 7))
        ],
    ),
    Program(
        repeated_as_often_as_arrays_say,
        [(np.array(x), n) for x, n in (([0, 2, 1], 2), ([1], 0), ([3, 0], 3))],
        axes={"x": {0: "n"}},
    ),
    Program(
        product_with_bonds,
        [molecule(*sizes) for sizes in ((2, 4, 5), (1, 3, 2), (3, 7, 1), (1, 1, 0))],
        axes={
            "x": {0: "b", 1: "n"},
            **{name: {0: "b", 1: "e"} for name in ("bonds", "rows", "columns")},
        },
    ),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    check(program, compiled(program))


def test_bonds_without_a_place_fail_in_the_model() -> None:
    axes = {"bonds": {1: "e"}, "rows": {1: "k"}, "columns": {1: "k"}}
    x, bonds, rows, columns = molecule(2, 4, 5)
    model = compiled(Program(product_with_bonds, [(x, bonds, rows, columns)], axes=axes))
    with pytest.raises(elichika.ModelRuntimeError):
        model(x, bonds, rows[:, :4], columns[:, :4])


def test_boundaries_that_descend_fail_in_the_model() -> None:
    xs: list[Any] = [f32(1), f32(2)]
    model = compiled(Program(split_at_what_descends, [(xs,)]))
    assert len(model(xs)) == 3
    with pytest.raises(elichika.ModelRuntimeError):
        model([f32(1), f32(5)])
