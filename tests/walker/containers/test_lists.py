"""Lists, tuples and dicts that loops and branches make, grow, read, change and return."""

from __future__ import annotations

import itertools
from collections import namedtuple

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import NUMBERS, VECTOR_AXES, VECTORS, Table, hold

case = Table()
Pair = namedtuple("Pair", "score row")


@case()
def append_rows(self, x, n, c):
    out = []
    for row in x:
        out.append(row * 2)
    return out


@case()
def append_numbers(self, x, n, c):
    out = []
    for i in range(n):
        out.append(i * i)
    return out, len(out)


@case()
def append_in_a_branch(self, x, n, c):
    out = []
    for row in x:
        if row[0] > 0:
            out.append(row)
    return out


@case()
def append_an_array_or_a_variable(self, x, n, c):
    out = []
    for row in x:
        out.append(row if n > 1 else F.relu(row))
    return out


@case()
def first_an_array_then_variables(self, x, n, c):
    out, best = [], None
    for row in x:
        best = row if best is None else F.maximum(best, row)
        out.append((best, len(out)))
    return out


@case()
def append_one_array_under_two_names(self, x, n, c):
    out = []
    for row in x:
        v = chainer.Variable(row)
        out.append((v, v.array) if row[0] > 0 else (row, row))
    return out


@case()
def list_of_none_filled_and_stacked(self, x, n, c):
    rows = [None] * len(x)
    for i in range(len(x) - 1, -1, -1):
        rows[i] = F.relu(x[i]) * (i + n)
    return F.stack(rows), F.vstack(rows), F.hstack(rows), F.concat(rows, axis=0), rows


@case()
def list_of_none_filled_in_part(self, x, n, c):
    rows = [None] * len(x)
    for i in range(len(x)):
        if x[i, 0] > 0:
            rows[i] = x[i]
    return rows, [row is None for row in rows]


@case()
def list_of_zeros_filled_and_joined(self, x, n, c):
    rows = [0] * len(x)
    for i in range(len(x)):
        rows[i] = F.relu(x[i])
    return F.vstack(rows), F.hstack(rows), F.pad_sequence(rows)


@case()
def list_of_one_text(self, x, n, c):
    out = []
    for row in x:
        if row[0] > 0:
            out.append("s")
    return len(out), out, out[:2], out + ["t"], out * 2


@case()
def list_of_known_tuples(self, x, n, c):
    out = [(None, "a") for _ in range(n)]
    return len(out), out, [None] * n


@case()
def append_in_both_branches(self, x, n, c):
    up, down = [], []
    for i in range(n):
        if i % 2:
            up.append(x * i)
        else:
            down.append(x - i)
    return up, down


@case()
def two_appends_a_turn(self, x, n, c):
    out = []
    for i in range(n):
        out.append(i)
        out.append(-i)
    return out


@case()
def append_to_a_started_list(self, x, n, c):
    out = [x.sum(axis=0)]
    for i in range(n):
        out.append(out[-1] * np.float32(0.5))
    return out


@case()
def append_after_the_loop(self, x, n, c):
    out = []
    for i in range(n):
        out.append(x[:1] + i)
    out.append(x[:1])
    return out


@case()
def conditional_append_outside_a_loop(self, x, n, c):
    out = [x]
    if c:
        out.append(x + 1)
    if n > 1:
        out.append(x + 2)
    return out


@case()
def ragged_elements(self, x, n, c):
    out = []
    for i in range(x.shape[0]):
        out.append(x[:i])
    return out


@case()
def concatenate_the_list(self, x, n, c):
    out = [x]
    for i in range(n):
        out.append(x * i)
    return F.concat(out, axis=0)


@case()
def stack_the_list(self, x, n, c):
    out = []
    for i in range(n + 1):
        out.append(x + i)
    return np.stack(out, axis=1)


@case()
def vstack_of_rows(self, x, n, c):
    rows = [x[:1].sum(axis=0)]
    for row in x:
        if row.sum() > 0:
            rows.append(row)
    return F.vstack([chainer.Variable(r) for r in rows])


@case()
def extend_with_a_list(self, x, n, c):
    out = []
    for i in range(n):
        out.extend([i, i + 10])
    return out


@case()
def extend_with_rows(self, x, n, c):
    out = [x[:1].sum(axis=0)]
    out.extend(x)
    if c:
        out.extend(x[:n])
    return out


@case()
def insert_at_the_front(self, x, n, c):
    out = []
    for i in range(n):
        out.insert(0, i)
    return out


@case()
def insert_at_a_symbolic_place(self, x, n, c):
    out = [10, 20, 30]
    out.insert(n, 99)
    return out


@case()
def pop_from_the_end(self, x, n, c):
    out = [1, 2, 3]
    total = 0
    for _ in range(n):
        total = total * 10 + out.pop()
    return total, out


@case()
def pop_from_the_front(self, x, n, c):
    queue = [n]
    seen = 0
    while queue:
        k = queue.pop(0)
        seen += 1
        if k > 1:
            queue.append(k - 1)
            queue.append(k // 2)
    return seen


@case()
def delete_an_item(self, x, n, c):
    out = [1, 2, 3, 4]
    if c:
        del out[n]
    return out


@case()
def index_by_a_number(self, x, n, c):
    values = [3, 1, 4, 1]
    return values[n], values[-n]


@case()
def index_into_a_dynamic_list(self, x, n, c):
    out = []
    for i in range(n + 1):
        out.append(x[:2] * i)
    return out[n], out[-1], out[n // 2]


@case()
def slices_of_a_dynamic_list(self, x, n, c):
    out = []
    for i in range(n + 2):
        out.append(i)
    return out[1:], out[:-1], out[::2], out[::-1]


@case()
def item_assignment(self, x, n, c):
    out = []
    for i in range(n):
        out.append(0)
    for i in range(n):
        out[i] = i * 3
    return out


@case()
def item_assignment_of_a_static_list(self, x, n, c):
    out = [0, 0, 0]
    out[n] = 7
    out[-1] += 1
    return out


@case()
def plus_and_times(self, x, n, c):
    out = [1] * n
    out = out + [2, 3]
    out += [4]
    return out, len(out)


@case()
def table_of_zeros(self, x, n, c):
    counts = [0] * 4
    for row in x:
        k = int(abs(row[0]) * 2) % 4
        counts[k] += 1
    return counts


@case()
def membership_in_a_dynamic_list(self, x, n, c):
    out = []
    for i in range(n):
        if i * 2 not in out:
            out.append(i * i)
    return out, 4 in out


@case()
def count_index_and_sum(self, x, n, c):
    out = []
    for i in range(n + 1):
        out.append(i % 2)
    return out.count(1), out.index(0), sum(out), max(out), min(out)


@case()
def reverse_and_sort(self, x, n, c):
    out = []
    for i in range(n):
        out.append((i * 7) % 5)
    out.reverse()
    ordered = sorted(out)
    return out, ordered


@case()
def comprehension_over_rows(self, x, n, c):
    return [row.sum() for row in x], [i for i in range(n)]


@case()
def comprehension_with_a_test(self, x, n, c):
    return [i * i for i in range(n) if i != 1]


@case()
def nested_comprehension(self, x, n, c):
    return [i * 10 + j for i in range(n) for j in range(i)]


@case()
def dict_comprehension(self, x, n, c):
    scaled = {k: x * (v if v < 2 else -v) for k, v in {"a": 1, "b": n}.items()}
    return scaled


@case()
def list_of_tuples(self, x, n, c):
    out = []
    for i in range(n):
        out.append((i, x[:1] * i))
    total = 0
    for k, row in out:
        total += k
    return out, total


@case()
def list_of_lists_static(self, x, n, c):
    grid = [[0, 0], [0, 0]]
    for i in range(n):
        grid[i % 2][i // 2 % 2] += 1
    return grid


@case()
def list_of_named_tuples(self, x, n, c):
    best = Pair(-1.0, -1)
    for i in range(n):
        pair = Pair(float(i * 3 % 4), i)
        if pair.score > best.score:
            best = pair
    return best.score, best.row


@case()
def tuple_grows(self, x, n, c):
    shape = ()
    for i in range(n):
        shape = shape + (i,)
    return len(shape), shape


@case()
def tuple_is_unpacked(self, x, n, c):
    state = (x, 0)
    for i in range(n):
        h, k = state
        state = (h * 2, k + i)
    h, k = state
    return h, k


@case()
def starred_unpacking(self, x, n, c):
    first, *rest = [n, 2, 3] if c else [4, n]
    return first, sum(rest)


@case()
def dict_of_states(self, x, n, c):
    state = {"h": x, "c": x * 0}
    for _ in range(n):
        state["c"] = state["c"] + state["h"]
        state["h"] = np.tanh(state["c"])
    return state


@case()
def dict_keys_by_branch(self, x, n, c):
    out = {"x": x}
    if c:
        out["y"] = n
    if "y" in out:
        return out["y"]
    return len(out)


@case()
def dict_get_with_default(self, x, n, c):
    out = {}
    if n > 1:
        out["k"] = n
    return out.get("k", -1), out.get("z", 3)


@case()
def missing_key_fails(self, x, n, c):
    out = {}
    if c:
        out["k"] = x
    return out["k"]


@case()
def dict_setdefault(self, x, n, c):
    seen = {}
    for k in ("a", "b", "a"):
        seen.setdefault(k, []).append(n if n > 1 else -5)
    return seen


@case()
def counter_by_key(self, x, n, c):
    hits = {0: 0, 1: 0}
    for i in range(3):
        if i < n:
            hits[i % 2] = hits[i % 2] + n
    return hits[0], hits[1]


@case()
def list_cleared(self, x, n, c):
    window = []
    out = []
    for i in range(n):
        window.append(i)
        if len(window) == 2:
            out.append(sum(window))
            window.clear()
    return out, window


@case()
def moving_window(self, x, n, c):
    window = [0.0, 0.0, 0.0]
    means = []
    for i in range(n):
        window = window[1:] + [float(i)]
        means.append(sum(window) / 3)
    return means


@case()
def list_passed_to_a_function(self, x, n, c):
    def collect(out, k):
        for i in range(k):
            out.append(i)
        return out

    a = []
    b = collect(a, n)
    b.append(-1)
    return len(a), b


@case()
def list_chosen_by_a_branch(self, x, n, c):
    a, b = [x], [x, x * 2]
    chosen = a if c else b
    return len(chosen), chosen[0]


@case()
def lists_rebuilt_each_turn(self, x, n, c):
    out = [1]
    for _ in range(n):
        out = [0] + out
    return out


@case()
def pascal_triangle_row(self, x, n, c):
    row = [1]
    for _ in range(n):
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
    return row


@case()
def zip_of_dynamic_lists(self, x, n, c):
    a, b = [], []
    for i in range(n):
        a.append(i)
        b.append(i * 2)
    return [p + q for p, q in zip(a, b)], [i * v for i, v in enumerate(b)]


@case()
def last_is_none(self, x, n, c):
    last = None
    out = []
    for i in range(n):
        if last is not None:
            out.append(last + i)
        last = i
    return out


@case()
def split_and_join(self, x, n, c):
    parts = F.split_axis(chainer.Variable(x), 2, axis=1)
    if c:
        parts = parts[::-1]
    return F.concat(parts, axis=1)


@case()
def early_append_then_break(self, x, n, c):
    out = []
    for row in x:
        out.append(row)
        if row.sum() > 1 or len(out) == n:
            break
    return out


@case()
def empty_list_output(self, x, n, c):
    out = []
    for i in range(n - 1):
        out.append(x[0] * i)
    return out


@case(VECTORS, VECTOR_AXES)
def partition(self, x):
    pivot = 0.5
    low = [v for v in x if v < pivot]
    high = [v for v in x if v >= pivot]
    return low + high, len(low)


@case(VECTORS, VECTOR_AXES)
def running_maximum(self, x):
    out = []
    for v in x:
        if not out or v > out[-1]:
            out.append(v)
    return out


@case(NUMBERS)
def digits(self, a, b, s):
    a = abs(a)
    out = []
    while a:
        out.append(a % 10)
        a //= 10
    return out[::-1]


@case(NUMBERS)
def prime_factors(self, a, b, s):
    a = abs(a) + 2
    out = []
    p = 2
    while a > 1:
        while a % p == 0:
            out.append(p)
            a //= p
        p += 1
    return out


@case()
def list_that_shrinks_beside_another(self, x, n, c):
    rows, twice = [r for r in x], [r * 2 for r in x]
    total, turns = x.sum(axis=0) * 0, 0
    for a, b in zip(rows, twice):
        total = total + a * b
        turns += 1
        if turns == n:
            rows.pop()
    return total, turns


@case()
def list_that_shrinks_in_a_loop_over_it_reversed(self, x, n, c):
    rows = [r for r in x]
    total, turns = x.sum(axis=0) * 0, 0
    for row in reversed(rows):
        total = total + row
        turns += 1
        if turns < n:
            rows.pop()
    return total, turns


@case()
def list_emptied_in_a_loop_over_it(self, x, n, c):
    rows, turns = [r for r in x], 0
    for _ in rows:
        turns += 1
        if turns == n:
            if c:
                rows.clear()
            else:
                rows.pop(0)
    return turns, len(rows)


@case()
def rest_of_an_iterator_over_a_list(self, x, n, c):
    rest = iter([r for r in x])
    total = next(rest, None)
    if total is None:
        total = x.sum(axis=0)
    for i, row in enumerate(rest):
        total = total + row * i
    return total


@case()
def words_of_each_column_until_it_ends(self, x, n, c):
    words = []
    alive = np.ones(len(x), bool)
    for i in range(n):
        found = np.where(alive, (np.abs(x[:, 0]) * 10).astype("i") + i, -1)
        words.append(found)
        alive &= found < 9
        if not alive.any():
            break
    words = np.array(words).T if words else np.zeros((len(x), 0), "i")
    return [row[row >= 0] for row in words], alive


@case()
def lengths_beside_none_and_one(self, x, n, c):
    rows = [row for row in x if row[0] > 0]
    found = []
    if len(rows) > 0:
        found.append(np.array(rows).sum(axis=1)[0])
    if 0 != len(rows):
        found.append(np.array(rows).sum(axis=1)[-1])
    if len(rows) >= 1 and c:
        found.append(rows[-1][1])
    if len(rows) == 0 or 1 > len(rows):
        found.append(x.sum())
    elif not len(rows) <= 0:
        found.append(rows[0][1])
    return found, len(rows)


@case()
def lists_of_ints_as_indices(self, x, n, c):
    keep = []
    for i in range(len(x)):
        if x[i, 0] > 0 and len(keep) < n:
            keep.append(i)
    kept = x[keep] if keep else x[:0]
    y = x.copy()
    y[keep] += 1
    y[keep, 0] = 5
    return kept, x[keep], x[keep, 1], y, F.get_item(chainer.Variable(x), keep)


@case()
def lists_of_bools_as_masks(self, x, n, c):
    wanted = []
    for row in x:
        wanted.append(bool(row.sum() > 0) != c)
    y = x * 2
    y[wanted] = -1
    return x[wanted], y


@case()
def lists_of_numbers_that_are_no_indices(self, x, n, c):
    places = []
    for i in range(n + 1):
        places.append(i - 2)
    return x[places]


@case()
def a_list_and_a_tuple_have_no_order(self, x, n, c):
    order = 0
    try:
        order = [n] < (n, 1)
    except TypeError:
        order = 7
    try:
        order += [n] + (1,)
    except TypeError:
        order += 1
    return order, [n] == (n,), [n, 1] < [n, 2]


@case()
def orders_of_lists_of_unknown_lengths(self, x, n, c):
    a, b = x[:, 0].tolist(), x[:, 1].tolist()
    counts, best = list(range(n)), [0]
    for i in range(n):
        if counts[i:] > best:
            best = counts[i:]
    return a < b, b >= a, sorted(a) < sorted(b), counts <= [0, 1, n if c else 2], best


@case()
def choices_among_items_of_unknown_number(self, x, n, c):
    chosen = itertools.combinations(x[:, 0].tolist(), 3)
    first, places = next(chosen, None), list(range(n))
    pairs, found = itertools.combinations(places, 2), 0
    places.append(9)
    for a, b in pairs:
        places.append(a)
        found += a * b
        if found > 4 and c:
            break
    orders = [a - b for a, b in itertools.permutations(range(n), 2)]
    again = list(itertools.combinations_with_replacement(range(n), 2))
    return first, [sum(three) for three in chosen], found, orders, again


class Tagged:
    def __init__(self):
        self.tags = []
        self.next = None


@case()
def objects_without_numbers_of_a_dynamic_number(self, x, n, c):
    made, one = [Tagged() for _ in range(n)], Tagged()
    shared = [one for _ in range(n)]
    for i in range(len(x)):
        if n > 0:
            made[i % n].tags.append(i)
            shared[0].tags.append(x[i, 0])
    for i in range(n - 1):
        made[i].next = i + 1
    walked, at = [], 0 if n else None
    while at is not None:
        walked.append(at)
        at = made[at].next
    return [len(a.tags) for a in made], one.tags, walked, all(a is one for a in shared), len(made)


@case()
def known_arrays_beside_lists(self, x, n, c):
    a, sizes = np.array((1, 2)), [1, n]
    a[0] = 3
    given = a == [3, 2], [3, 1] != a, a == (3, n), np.array(()) == (), np.any(a < [9, 9])
    return given, a + [1, 2], (2, 2) * a, a - sizes, np.arange(2) == sizes, a @ [1, 2]


@case()
def lists_to_which_arrays_are_added(self, x, n, c):
    numbers = other = [1, 2]
    numbers += np.array((1, n))
    one = [0.5]
    one += np.float32(n)
    row = [1.0, 2.0]
    row += x[0] if len(x) else [3.0]
    return numbers, other, one, row


@case()
def delete_by_what_is_no_index(self, x, n, c):
    known, made = [1, 2], [float(v) for v in x[:, 0]]
    if n > 100:
        del known[1.0]
    for items in known, made:
        try:
            del items["a"]
        except TypeError:
            items.append(n)
        try:
            del items["a":]
        except TypeError:
            items.append(2)
    return known, made


class Slot:
    def __init__(self):
        self.row, self.count = None, 0


@case()
def an_item_that_was_tested_is_read_again(self, x, n, c):
    largest = [None] * 4
    for i, row in enumerate(x):
        k = i * n % 4
        if largest[k] is None:
            largest[k] = row
        else:
            largest[k] = np.maximum(largest[k], row)
    return [-1.0 if row is None else row.sum() for row in largest]


@case()
def an_attribute_of_an_item_that_was_tested_is_read_again(self, x, n, c):
    slots = [Slot() for _ in range(3)]
    for i, row in enumerate(x):
        k = (i + n) % 3
        if slots[k].row is None:
            slots[k].row = row
        else:
            slots[k].row = slots[k].row + row
            slots[k].count += 1
    return [(slot.row, slot.count) for slot in slots]


@case()
def an_item_that_was_tested_is_set_before_it_is_read(self, x, n, c):
    held = [None, x, None, n]
    k = n % 4
    if held[k] is None:
        held[k] = n + 1
        return held[k]
    if held[k] is not x:
        held[k] = None
    return held[k] is None, k


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_lists(program: Program) -> None:
    hold(program)
