"""Iterators and views: they show what they run over as it is when they are asked."""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque

import numpy as np
import pytest
from chainer import functions as F

from tests.iterators import grid as iterator_grid
from tests.programs import REFUSED, Program, check, compiled
from tests.table import Table, hold

case = Table()


@case()
def a_list_that_grows_behind_its_iterator(self, x, n, c):
    items = [n]
    it = iter(items)
    items.append(len(x))
    return list(it), items


@case()
def a_list_that_grows_in_a_branch(self, x, n, c):
    items = [n, 7]
    it = iter(items)
    first = next(it)
    if c:
        items.append(len(x))
    return first, list(it), list(it)


@case()
def a_list_of_rows_that_shrinks(self, x, n, c):
    rows = list(x)
    it = enumerate(rows)
    if len(rows) > 2:
        rows.pop()
        del rows[0]
    return [row.sum() * i for i, row in it]


@case()
def an_iterator_that_has_ended_stays_so(self, x, n, c):
    items = [n]
    it = iter(items)
    before = [v for v in it]
    items.append(5)
    rest = next(it, -1)
    return before, rest, list(it)


@case()
def an_iterator_of_an_array_has_not_ended_before_it_is_asked_once_more(self, x, n, c):
    items = [n, 1]
    it = iter(items)
    first, second = next(it), next(it)
    items.append(len(x))
    return first, second, next(it, -1), next(it, -2)


@case()
def two_iterators_over_one_list(self, x, n, c):
    items = [n, 2, 3]
    a, b = iter(items), iter(items)
    out = [next(a), next(a), next(b)]
    items.insert(0, len(x))
    return out, list(a), list(b)


@case()
def an_iterator_zipped_with_itself(self, x, n, c):
    it = iter([n, 1, 2, n + 3, 4])
    return [a * b for a, b in zip(it, it)], next(it, -1)


@case()
def rows_two_by_two(self, x, n, c):
    it = iter(x)
    return [a + b for a, b in zip(it, it)]


@case()
def zip_takes_one_item_more_of_the_first(self, x, n, c):
    it = iter([n, 1, 2, 3])
    pairs = list(zip(it, [10, 20]))
    return pairs, next(it)


@case()
def zip_asks_the_shorter_one_first(self, x, n, c):
    it = iter([n, 1, 2, 3])
    pairs = list(zip([10, 20], it))
    return pairs, next(it)


@case()
def zip_of_rows_takes_one_row_more(self, x, n, c):
    it = iter(list(x))
    out = [row.sum() * i for row, i in zip(it, range(n))]
    return out, [row.sum() for row in it]


@case()
def map_calls_when_it_is_asked(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v + n

    it = map(seen, [1, 2, 3])
    log.append(-1)
    first = next(it)
    log.append(-2)
    return first, list(it), log


@case()
def map_left_at_run_time(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v

    it = map(seen, [0, 1, 2, 3])
    for v in it:
        if v >= n:
            break
    log.append(-1)
    return list(it), log


@case()
def a_row_at_a_time(self, x, n, c):
    it = iter(x)
    total = np.zeros(2, np.float32)
    for row in it:
        total = total + row
        if row.sum() > 0:
            break
    rest = [row * 2 for row in it]
    return total, rest


@case()
def a_header_and_the_rest(self, x, n, c):
    it = iter([n, 2, 3, 4])
    head = next(it)
    total = 0
    for v in it:
        total += v * head
    return total, list(it)


@case()
def a_header_in_a_branch(self, x, n, c):
    it = iter([n, 2, 3, 4])
    head = next(it) if c else 0
    return head, [v + head for v in it]


@case()
def chunks_of_two(self, x, n, c):
    it = iter(range(n))
    out = []
    while True:
        chunk = list(itertools.islice(it, 2))
        if not chunk:
            break
        out.append(sum(chunk))
    return out


@case()
def membership_takes_items(self, x, n, c):
    it = iter([3, 1, 2, 1])
    return 1 in it, 1 in it, list(it), n


@case()
def membership_decided_at_run_time(self, x, n, c):
    it = iter([3, 1, 2, 1])
    return n in it, list(it)


@case()
def membership_of_a_counter(self, x, n, c):
    it = iter(range(n))
    return 2 in it, list(it)


@case()
def quantifiers_take_items(self, x, n, c):
    it = iter([0, n, 0, 4])
    found = any(it)
    rest = list(it)
    more = iter([1, 2, 0, 4])
    return found, rest, all(more), list(more)


@case()
def starred_targets(self, x, n, c):
    it = iter([n, 2, 3])
    a, *b = it
    return a, b, list(it)


@case()
def starred_targets_after_one(self, x, n, c):
    items = [n, 2, 3]
    it = iter(items)
    next(it)
    items.append(len(x))
    a, *b = it
    return a, b


@case()
def held_in_an_attribute(self, x, n, c):
    class Reader:
        def __init__(self, items):
            self.items = items
            self.it = iter(items)

        def read(self):
            return next(self.it, -1)

    reader = Reader([n, 1])
    out = [reader.read()]
    if c:
        out.append(reader.read())
    reader.items.append(len(x))
    return out, reader.read(), reader.read(), reader.read()


@case()
def held_in_lists_and_closures(self, x, n, c):
    items = [n, 1, 2, 3]
    its = [iter(items), iter(items)]

    def read(k):
        return next(its[k])

    out = read(0), read(0), read(1)
    items.append(len(x))
    return out, [*its[0]], [*its[1]]


@case()
def one_of_two_iterators(self, x, n, c):
    a, b = iter([n, 1, 2]), iter([10, 20])
    chosen = a if c else b
    first = next(chosen)
    return first, list(a), list(b)


@case()
def a_loop_over_one_of_two_iterators(self, x, n, c):
    a, b = iter([n, 1, 2]), iter([10, 20])
    out = []
    for v in a if c else b:
        out.append(v)
        if v > n:
            break
    return out, list(a), list(b)


@case()
def asked_in_a_loop_of_a_number_that_the_model_tells(self, x, n, c):
    items = [1, 2, 3, 4, 5, 6]
    it = iter(items)
    total = 0
    for i in range(n):
        total += next(it) * (i + 1)
    items.append(total)
    return total, list(it)


@case()
def asked_of_an_array_in_a_loop(self, x, n, c):
    it = iter(x)
    total = np.zeros(2, np.float32)
    for i in range(n):
        total = total + next(it, np.ones(2, np.float32))
    return total


@case()
def passed_to_functions(self, x, n, c):
    def pair(it):
        return next(it, 0), next(it, 0)

    def rest(it):
        return sum(v for v in it)

    it = iter([n, 2, 3, 4])
    a = pair(it)
    return a, pair(it) if c else (0, 0), rest(it)


@case()
def a_list_that_grows_while_a_zip_runs_over_it(self, x, n, c):
    items = [1, 2]
    out = []
    for a, i in zip(items, range(6)):
        if len(items) < 4:
            items.append(a + i)
        out.append(a)
    return out, items, n


@case()
def a_list_that_grows_while_it_is_mapped(self, x, n, c):
    items = [1, 2]
    out = []
    for v in map(lambda v: v * 2, items):
        out.append(v)
        if v < 6:
            items.append(v)
    return out, items, n


@case()
def backwards_over_a_list_that_shrinks(self, x, n, c):
    items = [n, 1, 2, 3]
    it = reversed(items)
    a = next(it)
    del items[1:]
    return a, list(it), list(it)


@case()
def backwards_over_a_list_that_grows(self, x, n, c):
    items = [n, 1, 2]
    it = reversed(items)
    items.append(9)
    out = []
    for v in it:
        items.append(v)
        out.append(v)
    return out, items


@case()
def backwards_over_rows_that_are_taken(self, x, n, c):
    rows = list(x)
    out = []
    for row in reversed(rows):
        out.append(row.sum())
        if len(rows) > 2:
            rows.pop(0)
    return out


@case()
def rows_are_views(self, x, n, c):
    it = iter(x)
    a = x * 2
    rows = iter(a)
    a[:] = 7
    if len(x) > 0:
        first = next(rows)
        first[0] = n
    return a, [row.sum() for row in rows], [row.sum() for row in it]


@case()
def numbers_of_a_vector_are_read_late(self, x, n, c):
    v = x.sum(axis=0)
    it = iter(v)
    first = next(it)
    v[:] = n
    return first, next(it), next(it, -1)


@case()
def views_of_a_dict(self, x, n, c):
    d = {"a": n}
    keys, values, items = d.keys(), d.values(), d.items()
    d["b"] = len(x)
    d["a"] = 3
    return list(values), [v for _, v in items], len(keys), "b" in keys, sum(values)


@case()
def an_iterator_over_values_that_change(self, x, n, c):
    d = OrderedDict(a=n, b=2)
    it = iter(d.values())
    first = next(it)
    d["b"] = len(x)
    return first, list(it)


@case()
def slices_of_a_list_that_grows(self, x, n, c):
    items = [n]
    a, b = itertools.islice(items, 3), itertools.islice(items, 1, None, 2)
    items += [1, 2, 3, 4]
    return list(a), list(b)


@case()
def pairs_of_a_list_that_grows(self, x, n, c):
    items = [n]
    pairs = itertools.pairwise(items)
    items += [1, 2]
    return list(pairs), list(pairs)


@case()
def cycles_keep_what_they_saw(self, x, n, c):
    items = [n, 1]
    it = itertools.cycle(items)
    out = [next(it), next(it)]
    items[0] = 7
    return out, [next(it) for _ in range(3)]


@case()
def cycles_ask_late(self, x, n, c):
    items = [n]
    it = itertools.cycle(items)
    items.append(len(x))
    return [next(it) for _ in range(5)]


@case()
def rows_with_a_cycle(self, x, n, c):
    return [row.sum() * k for row, k in zip(x, itertools.cycle([1, n]))]


@case()
def tees_share_what_they_saw(self, x, n, c):
    items = [n, 1]
    a, b = itertools.tee(items)
    first = next(a)
    items.append(5)
    return first, list(b), list(a)


@case()
def tees_asked_in_a_loop_before_the_list_grows(self, x, n, c):
    items = [n, 1]
    a, b = itertools.tee(items)
    for _ in range(n):
        next(a, None)
    items.append(5)
    return list(b), list(a)


@case()
def tees_of_rows_asked_in_a_loop_before_the_list_grows(self, x, n, c):
    rows = [row.sum() for row in x]
    a, b = itertools.tee(rows)
    for _ in range(n):
        next(a, None)
    rows.append(x.sum())
    return list(b), list(a)


@case()
def tees_of_rows(self, x, n, c):
    a, b = itertools.tee(row.sum() for row in x)
    next(b, None)
    return [q - p for p, q in zip(a, b)]


@case()
def groups_that_are_left(self, x, n, c):
    groups = itertools.groupby([1, 1, 2, 3, 3])
    out = []
    for key, group in groups:
        out.append((key + n, len(list(group))))
    kept = [list(group) for _, group in list(itertools.groupby([1, 1, 2]))]
    return out, kept


@case()
def the_longest_of_two_that_change(self, x, n, c):
    a, b = [n], [1, 2]
    it = itertools.zip_longest(a, b, fillvalue=-1)
    a += [3, 4]
    first = next(it)
    b.clear()
    return first, list(it)


@case()
def products_copy(self, x, n, c):
    items = [n, 1]
    it = itertools.product(items, repeat=2)
    items.append(2)
    return len(list(it)), items


@case()
def generators_begin_late(self, x, n, c):
    items = [n]

    def given():
        for v in items:
            yield v * 2

    a, b = given(), (v + 1 for v in items)
    items.append(len(x))
    return list(a), list(b)


@case()
def links_in_an_iterator(self, x, n, c):
    steps = [F.relu, F.tanh]
    it = iter(steps)
    steps.append(F.sigmoid)
    h = next(it)(x)
    for step in it:
        h = step(h)
    return h.array


@case()
def arrays_of_an_iterator(self, x, n, c):
    items = [n, 2]
    it = (v for v in items)
    items.append(1)
    return np.array(list(it)), np.array(list(map(float, items)))


@case()
def the_best_of_an_iterator(self, x, n, c):
    items = [n, 2]
    a, b, d = iter(items), iter(items), iter(items)
    items.append(5)
    return max(a), min(b), sorted(d, reverse=True), max(a, default=-1)


@case()
def containers_of_an_iterator(self, x, n, c):
    pairs = [("a", n), ("b", 2)]
    it = iter(pairs)
    pairs.append(("d", len(x)))
    words = ["u", "v"]
    text = iter(words)
    words.append("w")
    return dict(it), "".join(text), tuple(it)


@case()
def deques_that_stay(self, x, n, c):
    q = deque([n, 1, 2], maxlen=3)
    for i in range(n):
        q.append(i)
    it = iter(q)
    first = next(it)
    return first, list(it), [v for v in reversed(q)], sum(q), [v * 2 for v in q]


@case()
def generators_that_have_ended(self, x, n, c):
    def given():
        yield n
        yield 2

    a, b = given(), (row.sum() for row in x)
    out = []
    for v in a:
        out.append(v)
    total = sum(b)
    return out, list(a), next(a, -1), total, list(b)


@case()
def a_dict_whose_values_change_in_a_loop_over_it(self, x, n, c):
    d = {"a": n, "b": 2}
    for k in d:
        d[k] = d[k] * 2
    it = iter(d.items())
    first = next(it) if c else ("z", 0)
    return first, [v for _, v in it], d


failing = Table()


@failing()
def a_deque_that_changes_behind_its_iterator(self, x, n, c):
    q = deque([n])
    it = iter(q)
    q.append(1)
    return list(it)


@failing()
def a_deque_that_changes_in_a_loop_over_it(self, x, n, c):
    q = deque([n, 1])
    for v in reversed(q):
        q.popleft()
    return list(q)


@failing()
def a_dict_that_grows_behind_its_iterator(self, x, n, c):
    d = {"a": n}
    it = iter(d)
    d["b"] = 1
    return [d[k] for k in it]


@failing()
def a_dict_that_grows_behind_a_generator(self, x, n, c):
    d = {"a": n}
    it = (d[k] for k in d)
    d["b"] = 1
    return list(it)


@failing()
def a_set_that_grows_behind_its_iterator(self, x, n, c):
    s = {1}
    it = iter(s)
    s.add(2)
    return [v + n for v in it]


@failing()
def an_iterator_that_gives_nothing_more(self, x, n, c):
    it = iter([n])
    return next(it), next(it)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_iterators(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", failing.programs, ids=lambda p: p.name)
def test_what_python_raises(program: Program) -> None:
    with pytest.raises(REFUSED, match=r"changed size|deque mutated|has no more items"):
        compiled(program)


@pytest.mark.parametrize("program", list(iterator_grid.programs())[::149], ids=lambda p: p.name)
def test_made_before_what_they_run_over_changes(program: Program) -> None:
    try:
        model = compiled(program)
    except REFUSED:
        return
    check(program, model)
