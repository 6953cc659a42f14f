"""Arrays that change in place: items, slices, masks, views and aliases, in branches and loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import VECTOR_AXES, VECTORS, Table, hold

case = Table()


class Box:
    """An object with one attribute."""

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass
class Cell:
    """What a recurrent unit keeps."""

    h: Any
    c: Any


@case()
def ranges_of_the_run_as_indices(self, x, n, c):
    taken = x[range(len(x))]
    found = np.zeros((9, 9), np.float32)
    found[range(n % 7), range(n % 7 + 1, 1, -1)] = 1
    return taken, found, x[range(len(x) - 1, -1, -2)]


@case()
def in_place_on_a_parameter(self, x, n, c):
    x += 1
    x *= 2
    return x


@case()
def in_place_in_a_branch(self, x, n, c):
    y = x
    if c:
        y -= 1
    return x


@case()
def rebound_or_in_place(self, x, n, c):
    y = x
    y = y + 1 if n > 1 else y
    y += 10
    return x, y


@case()
def in_place_in_a_loop(self, x, n, c):
    y = x.copy()
    for i in range(n):
        y += i
    return x, y


@case()
def alias_made_in_a_loop(self, x, n, c):
    buffer = np.zeros_like(x)
    last = buffer
    for i in range(n):
        last += x
        last = buffer
    return buffer


@case()
def alias_broken_by_a_branch(self, x, n, c):
    y = x
    if c:
        y = y.copy()
    y[...] = 0
    return x


@case()
def item_set_by_a_loop_counter(self, x, n, c):
    y = np.zeros(6, np.float32)
    for i in range(n):
        y[i] = i * i
    return y


@case()
def item_set_from_the_end(self, x, n, c):
    y = np.zeros(6, np.float32)
    for i in range(n):
        y[-i - 1] += i + 1
    return y


@case()
def row_set(self, x, n, c):
    y = x * 0
    for i in range(x.shape[0]):
        y[i] = x[-1 - i]
    return y


@case()
def column_set(self, x, n, c):
    x[:, 0] = x[:, 1] * n
    return x


@case()
def element_of_a_matrix(self, x, n, c):
    for i in range(len(x)):
        for j in range(2):
            x[i, j] = x[i, j] * i + j
    return x


@case()
def element_by_two_brackets(self, x, n, c):
    for i in range(len(x)):
        x[i][1] = x[i][0] + i
    return x


@case()
def slice_set_with_symbolic_bounds(self, x, n, c):
    x[n:] = 0
    x[: n // 2] += 5
    return x


@case()
def strided_slice_set(self, x, n, c):
    x[::2] = -x[::2]
    x[1::2, 1] = 7
    return x


@case()
def reversed_into_itself(self, x, n, c):
    x[:] = x[::-1].copy()
    return x


@case()
def shift_by_overlapping_slices(self, x, n, c):
    for _ in range(n):
        x[1:] = x[:-1]
    return x


@case()
def shift_in_place(self, x, n, c):
    x[1:] += x[:-1]
    return x


@case()
def mask_set(self, x, n, c):
    x[x < 0] = 0
    x[x > 1] *= n
    return x


@case()
def mask_of_rows(self, x, n, c):
    keep = x[:, 0] > 0
    x[keep] = x[keep] * 2
    x[~keep] += 1
    return x


@case()
def mask_in_a_loop(self, x, n, c):
    for i in range(n):
        x[x > i] -= 1
    return x


@case()
def index_array_set(self, x, n, c):
    y = np.zeros((7, 2), np.float32)
    order = np.argsort(x[:, 0])
    y[order] = x
    return y


@case()
def index_array_add(self, x, n, c):
    y = np.zeros(3, np.float32)
    which = np.array([0, 2, 0])
    y[which] += 1
    np.add.at(y, which, n)
    return y


@case()
def view_of_a_row(self, x, n, c):
    y = x.copy()
    for i in range(len(y)):
        row = y[i]
        row += i
    return y


@case()
def view_of_a_view(self, x, n, c):
    y = x[1:]
    z = y[:, 1]
    z += 3
    return x


@case()
def transposed_view(self, x, n, c):
    y = x.T
    y[0] = n
    return x


@case()
def reshaped_view(self, x, n, c):
    y = x.reshape(-1)
    y[:n] = 9
    return x


@case()
def a_view_is_seen_after_a_write_to_the_base(self, x, n, c):
    y = x[:, 0]
    for i in range(n):
        x += 1
    return y


@case()
def a_copy_is_not(self, x, n, c):
    y = x[:, 0].copy()
    x[:] = n
    return y


@case()
def swap_of_rows(self, x, n, c):
    if len(x) > 1:
        x[[0, 1]] = x[[1, 0]]
    return x


@case()
def swap_of_elements(self, x, n, c):
    for i in range(len(x) // 2):
        x[i, 0], x[-1 - i, 0] = x[-1 - i, 0], x[i, 0]
    return x


@case()
def through_an_attribute(self, x, n, c):
    box = Box(x)
    for _ in range(n):
        box.value += 1
    return x


@case()
def attribute_replaced(self, x, n, c):
    box = Box(x)
    if c:
        box.value = x + 5
    box.value *= 2
    return x, box.value


@case()
def through_a_list(self, x, n, c):
    arrays = [x, x.copy()]
    arrays[0] += 1
    arrays[1] += 2
    for a in arrays:
        a *= n
    return arrays, x


@case()
def through_a_dict(self, x, n, c):
    table = {"a": x, "b": x}
    table["a"] += 1
    table["b"] += 1
    return x


@case()
def through_a_function(self, x, n, c):
    def clear(y, below):
        y[y < below] = 0

    for i in range(n):
        clear(x, i - 1)
    return x


@case()
def through_a_closure(self, x, n, c):
    counts = np.zeros(2, np.int64)

    def count(v):
        counts[int(v > 0)] += 1
        return v

    for row in x:
        count(row[0])
    return counts


@case()
def through_a_chosen_array(self, x, n, c):
    a, b = x.copy(), x * 2
    chosen = a if c else b
    chosen += 100
    return a, b


@case()
def one_of_several_by_number(self, x, n, c):
    buffers = [np.zeros(2, np.float32) for _ in range(3)]
    for i in range(len(x)):
        buffers[i % 3] += x[i]
    return buffers


@case()
def state_of_an_object(self, x, n, c):
    cell = Cell(np.zeros(2, np.float32), np.zeros(2, np.float32))
    for row in x:
        cell.c = cell.c * np.float32(0.5) + row
        cell.h = np.tanh(cell.c)
        if c:
            cell.c[0] = 0
    return cell.h, cell.c


@case()
def object_swapped_in_a_loop(self, x, n, c):
    a, b = Box(0), Box(1)
    for i in range(n):
        a, b = b, a
        a.value += i
    return a.value, b.value


@case()
def memoised_on_self(self, x, n, c):
    self.h = None
    for i in range(n):
        if self.h is None:
            self.h = x * 2
        self.h = self.h + i
    return x if self.h is None else self.h


@case(weights=lambda: np.arange(2, dtype=np.float32))
def array_of_the_chain_is_copied_by_a_change(self, x, n, c):
    weights = self.weights
    if c:
        weights = weights + x.sum()
    return weights * n


@case()
def variables_rebind(self, x, n, c):
    v = chainer.Variable(x)
    w = v
    for _ in range(n):
        v += 1
    return v, w


@case()
def variables_share_memory(self, x, n, c):
    v = chainer.Variable(x)
    v.array[:n] = 0
    return x, F.relu(v)


@case()
def numpy_scalars_do_not_share(self, x, n, c):
    s = x.sum()
    t = s
    for i in range(n):
        s += np.float32(i)
    return s, t


@case()
def out_argument(self, x, n, c):
    y = np.empty_like(x)
    np.multiply(x, 2, out=y)
    for _ in range(n):
        np.add(y, x, out=y)
    return y


@case()
def fill_and_sort(self, x, n, c):
    y = x.copy()
    y.sort(axis=0)
    z = np.empty(3, np.int64)
    z.fill(n)
    return y, z


@case()
def double_buffer(self, x, n, c):
    a, b = x.copy(), np.zeros_like(x)
    for _ in range(n):
        b[:] = a * 2 + 1
        a, b = b, a
    return a, b


@case()
def ring_buffer(self, x, n, c):
    ring = np.zeros((3, 2), np.float32)
    for t in range(len(x)):
        ring[t % 3] = x[t]
    return ring, ring[(n + 1) % 3]


@case()
def cache_of_growing_size(self, x, n, c):
    cache = x[:0]
    for i in range(n):
        cache = np.concatenate([cache, x[i % 1 :][:1]], axis=0)
        cache[-1] += i
    return cache


@case()
def clipped_in_place(self, x, n, c):
    np.clip(x, -0.5, 0.5, out=x)
    if n:
        np.maximum(x, 0, x)
    return x


@case()
def bool_array_of_flags(self, x, n, c):
    flags = np.zeros(len(x), bool)
    for i, row in enumerate(x):
        flags[i] = row.sum() > 0
    return x[flags], flags


@case()
def ints_truncate_what_is_stored(self, x, n, c):
    y = np.zeros(3, np.int32)
    y[0] = 2.7
    y[1] = n / 2
    return y


@case()
def diagonal_by_loop(self, x, n, c):
    y = np.zeros((n, n), np.float32)
    for i in range(n):
        y[i, i] = i + 1
    return y


@case()
def triangle_by_loops(self, x, n, c):
    m = len(x)
    y = np.ones((m, m), np.float32)
    for i in range(m):
        y[i, i + 1 :] = 0
    return y


@case()
def written_then_broken_off(self, x, n, c):
    for i in range(len(x)):
        x[i] = 0
        if i == n:
            break
        x[i] = 1
    return x


@case(VECTORS, VECTOR_AXES)
def compaction_in_place(self, x):
    k = 0
    for i in range(len(x)):
        if x[i] > 0:
            x[k] = x[i]
            k += 1
    return x[:k]


@case(VECTORS, VECTOR_AXES)
def reversal_with_two_indices(self, x):
    i, j = 0, len(x) - 1
    while i < j:
        x[i], x[j] = x[j], x[i]
        i += 1
        j -= 1
    return x


@case(VECTORS, VECTOR_AXES)
def dutch_flag(self, x):
    low, mid, high = 0, 0, len(x) - 1
    while mid <= high:
        if x[mid] < 0:
            x[low], x[mid] = x[mid], x[low]
            low += 1
            mid += 1
        elif x[mid] > 1:
            x[mid], x[high] = x[high], x[mid]
            high -= 1
        else:
            mid += 1
    return x, low, high


@case(VECTORS, VECTOR_AXES)
def loop_over_an_array_that_changes(self, x):
    total = 0.0
    for i, v in enumerate(x):
        total += float(v)
        x[-1] = 0
    return total


@case()
def rows_of_one_of_two_ranks(self, x, n, c):
    rows = x if c else x.sum(axis=0)
    canvas = np.zeros((3, 2), np.float32)
    total = canvas
    for row in rows:
        canvas[1:] = row
        total = total + canvas
    return total, len(rows)


@case()
def assigned_whole_or_by_row(self, x, n, c):
    y = np.zeros_like(x)
    y[:] = x if c else x[: n + 1].max(axis=0)
    return y


@case()
def assigned_nothing_or_a_number(self, x, n, c):
    y = np.ones((2, 3), np.float32)
    y[1] = n * 0.5 if c else None
    return y


@case()
def assigned_large_ints_or_floats(self, x, n, c):
    y = np.zeros(2, np.int64)
    y[:] = np.array([2**60 + 1 + n, 3]) if c else x.sum(axis=0)
    return y


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_arrays(program: Program) -> None:
    hold(program)
