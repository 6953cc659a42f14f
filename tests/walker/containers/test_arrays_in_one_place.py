"""`d[k] += a` where a dict or list of the run holds an array: right where it is in one place."""

# ruff: noqa: B008, E731, E741  as programs have it
from __future__ import annotations

import functools
from collections import defaultdict

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled, differences
from tests.table import Table, hold

LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
        *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})
unsure = Table(LISTS, {"x": {0: "n"}})


@case()
def zeros_put_in_first(self, x, n):
    d = {}
    for i, v in enumerate(x):
        k = int(v)
        if k not in d:
            d[k] = np.zeros(2, np.float32)
        d[k] += np.float32(i)
    return d


@case()
def defaultdict_of_zeros(self, x, n):
    d = defaultdict(lambda: np.zeros(2, np.float32))
    for i, v in enumerate(x):
        d[int(v)] += np.float32(i)
    return len(d), d[n]


@case()
def rows_of_a_list(self, x, n):
    rows = [np.zeros(2, np.float32) for _ in range(len(x))]
    for i in range(len(x)):
        rows[int(x[i]) % len(x)] += np.float32(i + 1)
    return rows


@case()
def each_key_gone_through(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    for k in d:
        d[k] += k
    for k in d:
        d[k] *= 2
    return sum(d.values(), np.zeros(2)), list(d.values())


@case()
def means_of_groups(self, x, n):
    d, c = {}, {}
    feats = np.stack([x * 1.0, x * 2.0], 1)
    for i in range(len(x)):
        k = int(x[i])
        if k not in d:
            d[k] = np.zeros(2)
            c[k] = 0
        d[k] += feats[i]
        c[k] += 1
    for k in d:
        d[k] /= c[k]
    return [d[k] for k in sorted(d)]


@case()
def setdefault_of_zeros(self, x, n):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(int(v), np.zeros(2))
        d[int(v)] -= i
    return np.stack(list(d.values())) if len(d) else np.zeros((0, 2))


@case()
def added_or_put_in(self, x, n):
    d = {}
    for i, v in enumerate(x):
        if int(v) in d:
            d[int(v)] += i
        else:
            d[int(v)] = np.full(2, i)
    return d


@case()
def added_or_computed(self, x, n):
    d = {}
    for i, v in enumerate(x):
        k = int(v)
        if k in d:
            d[k] += x[:2].sum() * np.ones(2)
        else:
            d[k] = np.arange(2) * 1.0 * i
        if i == n:
            d[k] -= 1
    return d


@case()
def list_of_known_rows(self, x, n):
    m = [np.ones(3) * i for i in range(n + 1)]
    for v in x:
        m[int(v) % len(m)] *= 2
        m[0] += 1
    return m


@case()
def another_dtype_added(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2, np.float32)
    for k in d:
        d[k] += np.ones(2)
    for k in d:
        d[k] += np.float64(1e-9)
    return d


@case()
def another_size_added(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    for k in d:
        d[k] += np.ones(n)
    return d


@case()
def failure_caught(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    t = 0
    for v in x:
        try:
            d[int(v)] += np.ones(n)
        except ValueError:
            t += 1
    return d, t


@case()
def added_to_itself(self, x, n):
    d = {}
    for i, v in enumerate(x):
        d[int(v)] = np.ones(2) * i
    for v in x:
        d[int(v)] += d[int(x[0])]
    for k in d:
        d[k] += d[k]
    return d


@case()
def while_with_break(self, x, n):
    d = {}
    i = 0
    while i < len(x):
        k = int(x[i])
        if k < 0:
            break
        if k not in d:
            d[k] = np.zeros(2)
        d[k] += i
        i += 1
    return d


@case()
def two_dicts(self, x, n):
    d = {}
    e = {}
    for v in x:
        k = int(v)
        if k not in d:
            d[k] = np.zeros(2)
        if k not in e:
            e[k] = np.ones(2)
        d[k] += 1
        e[k] *= 2
    return d, e


@case()
def in_a_recursion(self, x, n):
    def f(t, d):
        if t == 0:
            return 0
        d[t % 3] += 1
        return f(t - 1, d) + f(t // 2, d)

    d = {i: np.zeros(2) for i in range(len(x))}
    return f(min(n, len(x)), d) if len(x) > 2 else 0, d


@case()
def zip_made_before(self, x, n):
    rows = [np.zeros(2) for _ in range(len(x))]
    z = zip(rows, range(len(x)))
    for i in range(len(x)):
        rows[i] += 1
    return [a * b for a, b in z]


@case()
def remembered_by_lru_cache(self, x, n):
    @functools.lru_cache(None)
    def mk(k):
        return np.zeros(2)

    a = mk(0)
    a += 1
    b = mk(0)
    b[0] += 5
    return a, mk(0), mk(1)


@unsure()
def put_in_by_a_function(self, x, n):
    def add(d, k, a):
        d[k] = a

    d = {}
    for v in x:
        add(d, int(v), np.zeros(2))
    for v in x:
        d[int(v)] += 1
    return d


@unsure()
def one_array_by_all_keys(self, x, n):
    d = {}
    z = np.zeros(2)
    for i, v in enumerate(x):
        d[int(v)] = z
        d[int(v)] += 1
    return z, d


@unsure()
def name_of_what_is_there(self, x, n):
    d = {}
    for i, v in enumerate(x):
        d[int(v)] = np.zeros(2)
        h = d[int(v)]
        d[int(v)] += 1
        if n > 1:
            d[100] = h
    return d


@unsure()
def copy_of_the_dict(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    e = dict(d)
    for k in d:
        d[k] += 1
    return e, d


@unsure()
def by_two_keys_at_once(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = d[-int(v)] = np.zeros(2)
        d[int(v)] += 1
    return d


@unsure()
def slice_of_the_list(self, x, n):
    rows = [np.zeros(2) for _ in range(len(x))]
    part = rows[1:]
    for i in range(len(x)):
        rows[i] += 1
    return part, rows


@unsure()
def tuple_of_the_list(self, x, n):
    rows = [np.zeros(2) for _ in range(len(x))]
    t = tuple(rows)
    for i in range(len(x)):
        rows[i] += 1
    return t, rows


@unsure()
def one_row_repeated(self, x, n):
    rows = [np.zeros(2)] * len(x)
    for i in range(len(x)):
        rows[i] += i
    return rows


@unsure()
def row_of_the_last_turn(self, x, n):
    rows = [np.zeros(2) for _ in range(len(x))]
    last = None
    for i in range(len(x)):
        if last is not None:
            last += 1
        rows[i] += 1
        last = rows[i]
    return rows


@unsure()
def list_of_values(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    vals = list(d.values())
    for k in d:
        d[k] += 1
    return vals


@unsure()
def appended_elsewhere(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    out = []
    for k in d:
        out.append(d[k])
        d[k] += 1
    return out


@unsure()
def own_set_item(self, x, n):
    class W:
        def __init__(self):
            self.d = {}

        def __getitem__(self, k):
            return self.d[k]

        def __setitem__(self, k, v):
            pass

    w = W()
    for v in x:
        w.d[int(v)] = np.zeros(2)
    for v in x:
        w[int(v)] += 1
    return w.d


@unsure()
def changed_by_the_operand(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)

    def f(k):
        d[k] += 1
        return 1

    for v in x:
        d[int(v)] += f(int(v))
    return d


@unsure()
def changed_in_finally(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)

    def g(k):
        try:
            return d[k]
        finally:
            d[k] += 1

    return [g(int(v)) for v in x], d


@unsure()
def view_of_what_is_there(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros((2, 2))
    for k in d:
        r = d[k][0]
        d[k] += 1
        r += 5
    return d


@unsure()
def views_of_a_pool(self, x, n):
    pool = np.zeros((4, 2))
    d = {}
    for v in x:
        d[int(v)] = pool[int(v) % 4]
    for k in d:
        d[k] += 1
    return pool, d


@unsure()
def named_before_it_is_put_in(self, x, n):
    d = {}
    for v in x:
        for k in d:
            d[k] += 1
        h = np.zeros(2)
        d[int(v)] = h
        h += 3
    return d


@unsure()
def second_name_of_the_list(self, x, n):
    a = [np.zeros(2) for _ in range(len(x))]
    b = a
    c = a[:]
    for i in range(len(x)):
        a[i] += 1
        b[i] += 1
    return a, c


@unsure()
def comprehension_of_the_list(self, x, n):
    a = [np.zeros(2) for _ in range(len(x))]
    b = [v for v in a]
    for i in range(len(x)):
        a[i] += 1
    return a, b


@unsure()
def got_before(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    r = d.get(n, None)
    for k in d:
        d[k] += 1
    return r, d


@unsure()
def iterator_of_values(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    it = iter(d.values())
    h = next(it, None)
    for k in d:
        d[k] += 1
    return h


@unsure()
def put_in_by_update(self, x, n):
    d = {}
    for v in x:
        z = np.zeros(2)
        d.update({int(v): z})
        d[int(v)] += 1
        z = None
    return d


@unsure()
def fromkeys_of_one_array(self, x, n):
    d = dict.fromkeys(x.tolist(), np.zeros(2))
    for v in x:
        d[int(v)] += 1
    return d


@unsure()
def comprehension_of_one_array(self, x, n):
    z = np.zeros(2)
    d = {int(k): z for k in x}
    z = None
    for v in x:
        d[int(v)] += 1
    return d


@unsure()
def rows_of_an_array(self, x, n):
    base = np.zeros((len(x), 2))
    rows = []
    for r in base:
        rows.append(r)
    for i in range(len(rows)):
        rows[i] += 1
    return base, rows


@unsure()
def extended_by_the_list(self, x, n):
    a = [np.zeros(2) for _ in range(len(x))]
    b = []
    b.extend(a)
    for i in range(len(a)):
        a[i] += 1
    return b


@unsure()
def list_added_to_another(self, x, n):
    a = [np.zeros(2) for _ in range(len(x))]
    b = a + [np.ones(2)]
    for i in range(len(a)):
        a[i] += 1
    return b


@unsure()
def one_row_in_two_places(self, x, n):
    a = [np.zeros(2) for _ in range(len(x))]
    if len(x) > 1:
        a[0] = a[1]
    for i in range(len(a)):
        a[i] += 1
    return a


@unsure()
def value_of_the_last_turn(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    prev = np.zeros(2)
    t = np.zeros(2)
    for v in x:
        d[int(v)] += 1
        t = t + prev
        prev = d[int(v)]
    return t


@unsure()
def yielded_by_a_generator(self, x, n):
    d = {}

    def gen():
        for v in x:
            if int(v) not in d:
                d[int(v)] = np.zeros(2)
            yield d[int(v)]

    out = []
    for h in gen():
        out.append(h)
        d[3] = np.ones(2)
        d[3] += 1
    return out


@unsure()
def returned_with_the_dict(self, x, n):
    d = {}
    for v in x:
        k = int(v)
        if k not in d:
            d[k] = np.zeros(2)
        d[k] += 1
        if k == n:
            return d[k], d
    return np.ones(2), d


@unsure()
def largest_of_values(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    m = max(d.values(), key=lambda a: a.sum()) if len(d) else np.ones(2)
    for k in d:
        d[k] += 1
    return m


@unsure()
def items_changed_in_place(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    for k, h in d.items():
        h += 1
    return d


@unsure()
def by_a_key_of_another_dict(self, x, n):
    d = {}
    e = {}
    for v in x:
        k = int(v)
        if k not in d:
            d[k] = np.zeros(2)
        if k not in e:
            e[k] = d[k]
        d[k] += 1
    return e


@unsure()
def default_argument(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    f = lambda h=d.get(n): h
    for k in d:
        d[k] += 1
    return f()


@unsure()
def filtered_values(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    s = [h for h in d.values() if h.sum() == 0]
    for k in d:
        d[k] += 1
    return s


@unsure()
def argument_of_an_exception(self, x, n):
    d = {}
    try:
        for v in x:
            d[int(v)] = np.zeros(2)
            if v > 3:
                raise ValueError(d[int(v)])
    except ValueError as e:
        for k in d:
            d[k] += 1
        return e.args[0]
    return np.ones(2)


@unsure()
def row_of_the_loop(self, x, n):
    rows = [np.zeros(2) for _ in range(len(x))]
    for i, r in enumerate(rows):
        rows[i] += 1
        rows[i] = rows[i] + r
    return rows


@unsure()
def name_of_known_zeros(self, x, n):
    d = {}
    z = np.zeros(2)
    d[n] = z
    d[n] += 1
    return z, d


@unsure()
def name_of_computed_zeros(self, x, n):
    d = {}
    z = np.zeros(2) + n
    d[n] = z
    d[n] += 1
    return z, d


@unsure()
def list_that_keeps_it(self, x, n):
    l = []
    z = np.zeros(2)
    keep = [z]
    for v in x:
        l.append(np.ones(2))
    l.append(keep[0])
    l[-1] += 1
    return z, l


@unsure()
def attribute_that_keeps_it(self, x, n):
    d = {}
    z = np.zeros(2)

    class C:
        pass

    c = C()
    c.h = z
    z = None
    d[n] = c.h
    d[n] += 1
    return c.h, d


@unsure()
def view_of_a_named_array(self, x, n):
    d = {}
    z = np.zeros(4)
    d[n] = z[:2]
    d[n] += 1
    return z, d


@unsure()
def default_of_a_function(self, x, n):
    d = {}

    def mk(a=np.zeros(2)):
        return a

    for v in x:
        d[int(v)] = mk()
        d[int(v)] += 1
    return mk(), d


@unsure()
def one_array_of_lru_cache(self, x, n):
    import functools

    @functools.lru_cache(None)
    def mk(k):
        return np.zeros(2)

    d = {}
    for v in x:
        d[int(v)] = mk(0)
    for k in d:
        d[k] += 1
    return d


@unsure()
def two_keys_at_once(self, x, n):
    d = {}
    d[n] = d[n + 1] = np.zeros(2)
    d[n] += 1
    return d


@unsure()
def put_in_two_dicts(self, x, n):
    d = {}
    e = {}

    def both(k, a):
        d[k] = a
        e[k] = a

    for v in x:
        both(int(v), np.zeros(2))
    for k in d:
        d[k] += 1
    return d, e


@unsure()
def one_row_of_known_zeros(self, x, n):
    l = [np.zeros(2)] * len(x)
    for i in range(len(x)):
        l[i] += 1
    return l


@unsure()
def iterator_of_a_list(self, x, n):
    d = {}
    for v in x:
        d[int(v)] = np.zeros(2)
    it = iter([d.get(n)])
    for k in d:
        d[k] += 1
    return next(it)


@unsure()
def arrays_of_lru_cache(self, x, n):
    @functools.lru_cache(None)
    def mk(k):
        return np.zeros(2) + k

    d = {}
    for v in x:
        d[int(v)] = mk(int(v))
    for k in d:
        d[k] += 1
    return d, [mk(k) for k in d]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_in_one_place(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", unsure.programs, ids=lambda p: p.name)
def test_perhaps_in_two(program: Program) -> None:
    """Another name or place of the array would not see the write: refused, or right."""
    try:
        model = compiled(program)
    except REFUSED:
        return
    assert differences(program, model) == []
