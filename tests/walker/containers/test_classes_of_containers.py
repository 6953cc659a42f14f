"""Operators and copies of dicts, sets and views, and of what extends them and sets items itself."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (([3, 1, 2, 1], 2), ([], 0), ([5], 5), ([2, 2], 3), ([-1, 4, 0, 4], 1))
]
case = Table(INPUTS, {"x": {0: "n"}})
refused = Table(INPUTS, {"x": {0: "n"}})


class Negated(defaultdict):
    def __missing__(self, key):
        return -key


class Tagged(OrderedDict):
    tag = 3


class Marked(set):
    tag = 2


class Sevens(list):
    def __iter__(self):
        return iter([7])


class Doubled(OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class DoubledDict(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class DoubledDefault(defaultdict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Tens(OrderedDict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 10


class Keyed(OrderedDict):
    def keys(self):
        return ["a"]


class TenCounts(Counter):
    def __getitem__(self, key):
        return super().__getitem__(key) * 10


class Around(tuple):
    def __getitem__(self, key):
        return tuple.__getitem__(self, key % len(self))


class Nines(set):
    def __iter__(self):
        return iter([9])


@case()
def spread_as_python_asks(self, x, n):
    d = {"z": 1}
    d.update(Tens(a=n))
    spread = {**Tens(a=n)}, (lambda **k: k["a"])(**Tens(a=n)), {**Keyed(b=1, a=n)}
    return dict(Tens(a=n)), d, dict(Keyed(b=1, a=n)), dict(TenCounts(a=n)), spread


@case()
def counted_by_get(self, x, n):
    counts = TenCounts(a=n)
    counts.update({"c": 4})
    counts.update("aa")
    return list(dict.values(counts))


@case()
def copies_past_an_own_iter(self, x, n):
    return Sevens([n]).copy(), sorted({n}.union(Nines([n + 1]))), sorted(set(Nines([n])))


@case()
def tuples_of_a_class_in_order(self, x, n):
    return Around((n, 1)) < (n, 3), (n, 1) < Around((n, 3)), max(Around((1, n)), (1, 3)) == (1, 3)


@case()
def merged_by_default(self, x, n):
    counts = defaultdict(int)
    for v in x.tolist():
        counts[v] += 1
    one, other = counts | {n: 100}, {n: 5} | counts
    one[77] += 1
    return sorted(one.items()), sorted(other.items()), type(other) is defaultdict, other["none"]


@case()
def merged_with_ordered(self, x, n):
    one = defaultdict(int, b=1) | OrderedDict(a=n)
    other = OrderedDict(a=n) | defaultdict(int, b=1)
    third = {"b": n} | OrderedDict(a=1)
    kinds = [type(d).__name__ for d in (one, other, third)]
    return kinds == ["defaultdict", "OrderedDict", "OrderedDict"], list(third.items())


@case()
def sets_changed_in_place(self, x, n):
    held = Marked([n])
    same = held
    for v in x.tolist():
        held |= {v}
        held -= {n}
        held ^= {v + 1}
    return held.tag, same is held, sorted(held), type(held) is Marked


@case()
def what_dicts_set_themselves(self, x, n):
    d = DoubledDict()
    d.update(a=n)
    d.setdefault("b", n)
    d |= {"c": n}
    d["d"] = n
    return list(d.values())


@case()
def what_a_factory_makes(self, x, n):
    d = DoubledDefault(lambda: 3)
    return d["a"] + n, d["a"] + n


@case()
def views_of_items(self, x, n):
    d, e = {1: n, 2: 3}, {1: 2, 2: 3}
    same = d.items() == e.items(), d.items() != {**e, 2: n}.items(), d.items() == {(1, 2), (2, 3)}
    return same, sorted(d.items() & e.items()), len(d.items() | e.items()), d.items() <= {(1, 2)}


@case()
def views_of_items_of_the_run(self, x, n):
    d = {v: i for i, v in enumerate(x.tolist())}
    e = {v: i * 2 for i, v in enumerate(x.tolist())}
    f = {v: i for i, v in enumerate(x.tolist())}
    parts = sorted(d.items() & e.items()), sorted(d.items() - e.items())
    return parts, d.items() <= e.items(), d.items() == f.items(), d.items() != e.items()


@case()
def no_factory_any_more(self, x, n):
    d = defaultdict(None if n > 2 else int)
    try:
        for v in x.tolist():
            d[v] += 1
    except KeyError as e:
        return -1, e.args[0]
    if n > 1:
        d.default_factory = None
    try:
        d["none"] += 1
    except KeyError:
        return -2, len(d)
    return d["none"], len(d)


@case()
def items_past_an_own_iter(self, x, n):
    d = Sevens([n, 1])
    d.sort()
    return n in d, 7 in d, d.index(1), d[0], d[1], [*d], sum(d)


@refused()
def copy_of_a_class(self, x, n):
    d = Negated(int)
    d["a"] = n
    return d.copy()[6]


@refused()
def copy_of_an_ordered_class(self, x, n):
    return Tagged(a=n).copy().tag


@refused()
def merged_class(self, x, n):
    return ({"b": 1} | Tagged(a=n)).tag


@refused()
def updated_by_its_own(self, x, n):
    d = Doubled()
    d.update(a=n)
    return d["a"]


@refused()
def default_by_its_own(self, x, n):
    d = Doubled()
    d.setdefault("a", n)
    return d["a"]


@refused()
def made_by_its_own(self, x, n):
    d = DoubledDefault(int)
    d[n] += 1
    return d[n]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_as_python(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
