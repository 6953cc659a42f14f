"""Arrays that are known at first, and written before functions of numpy and Chainer take them."""

from __future__ import annotations

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

INPUTS = [
    (f32(2, 3), 2),
    (np.ones((2, 3), np.float32), 1),
    (-f32(2, 3), 0),
    (f32(2, 3, seed=3), 2),
    (f32(2, 3, seed=4) * 3, 1),
]
case = Table(INPUTS, {})


@case()
def masks(self, x, n):
    fixed, chosen, whole = np.ones(3, bool), np.ones(3, bool), np.ones((2, 3), bool)
    fixed[0] = False
    chosen[n] = False
    if n > 1:
        whole[0] = False
    parts = [F.where(mask, x[0], x[1]) for mask in (fixed, chosen, whole[1])]
    return parts, F.where(whole, x, x * 3), x[:, fixed]


@case()
def a_view_of_a_mask(self, x, n):
    mask = np.zeros(4, bool)
    view = mask[1:]
    mask[n + 1] = True
    return F.where(view, x[0], x[1])


@case()
def places_to_split_at(self, x, n):
    fixed, chosen = np.zeros(1, int), np.array([1])
    fixed[0] = 1
    chosen[0] = n
    pieces = [np.split(x, fixed, 1), np.array_split(x, fixed, 1), F.split_axis(x, chosen, 1)]
    return pieces, np.split(x, chosen, axis=1), np.array_split(x, chosen, 1)


@case()
def indices_and_labels(self, x, n):
    order, labels = np.array([1, 0]), np.array([0, 1])
    order[0], order[1] = n % 2, 1 - n % 2
    labels[0] = n
    loss = F.softmax_cross_entropy(x, labels)
    return F.permutate(x, order), F.select_item(x, labels), loss, F.embed_id(labels, F.transpose(x))


@case()
def cross_products(self, x, n):
    """A vector's component is no mere number: it takes part in the dtype of the product."""
    whole = np.array([2, 1, 3])
    whole[0] = n
    flat = np.cross(x[:, :2], whole[:2]), np.cross(x[:, :2], whole), np.cross(whole, x[:, :2])
    return np.cross(x, whole), np.cross(whole, whole[::-1]), flat


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_programs(program: Program) -> None:
    hold(program)
