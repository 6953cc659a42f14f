"""Dicts whose first keys are known, and that get others when the model runs."""

from __future__ import annotations

from collections import OrderedDict, defaultdict

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

ROWS = [(f32(size), n) for size, n in ((3, 3), (2, 0), (5, 1), (1, 5), (0, 2))]

case = Table(ROWS, {"x": {0: "size"}})


@case()
def one_more_each_turn(self, x, n):
    d = {0: x}
    for i in range(n):
        d[i + 1] = d[i] + 1
    return d[int(n)], len(d)


@case()
def of_one_known_shape(self, x, n):
    d = {0: np.zeros(3, "f")}
    for i in range(n):
        d[i + 1] = d[i] + 1
    return d[int(n)], len(d)


@case()
def peeled_turn(self, x, n):
    d = {}
    h = x
    for i in range(n + 1):
        h = h * 2
        d[i] = h
    return d[0], d[int(n)]


@case()
def variables(self, x, n):
    d = {0: chainer.Variable(x)}
    for i in range(n):
        d[i + 1] = F.tanh(d[i]) * 2
    return d[int(n)]


@case()
def tuples_with_a_number(self, x, n):
    d = {0: (x, 1.0)}
    for i in range(n):
        a, s = d[i]
        d[i + 1] = (a * 2, s + 0.5)
    return d[int(n)]


@case()
def growing_arrays(self, x, n):
    d = {0: x}
    for i in range(n):
        d[i + 1] = np.concatenate([d[i], x])
    return [d[k] for k in sorted(d)], d[int(n)]


@case()
def known_keys_written(self, x, n):
    d = {0: x, 1: x * 2}
    for i in range(n):
        d[i % 2] = d[(i + 1) % 2] + 1
    return d[0], d[1]


@case()
def none_at_first(self, x, n):
    d = {0: None}
    for i in range(n):
        d[i + 1] = x * i if d[i] is None else d[i] + 1
    r = d[int(n)]
    return x if r is None else r


@case()
def default_of_two_before(self, x, n):
    d = {-1: x}
    for i in range(n):
        d[i] = d.get(i - 1, x) + d.get(i - 2, x)
    return d.get(int(n) - 1)


@case()
def set_default(self, x, n):
    d = {0: x}
    for i in range(n):
        d.setdefault(i % 3, x * i)
    return [d[k] for k in d], len(d)


@case()
def taken_out_each_turn(self, x, n):
    d = {0: x}
    for i in range(n):
        d[i + 1] = d[i] * 2
        del d[i]
    return list(d.values()), list(d.keys())


@case()
def memo_of_two(self, x, n):
    memo = {0: x, 1: x * 2}
    for i in range(2, int(n) + 2):
        memo[i] = memo[i - 1] + memo[i - 2]
    return memo[int(n)]


@case()
def items_summed(self, x, n):
    d = {0: x}
    for i in range(n):
        d[i + 1] = d[i] + 1
    s = x * 0
    for k, v in d.items():
        s = s + v * k
    return s


@case()
def texts(self, x, n):
    d = {"a": x}
    for i in range(n):
        d["b" if i % 2 else "a"] = x * i
    return [d[k] for k in d]


@case()
def comprehension_first(self, x, n):
    d = {i: x * i for i in range(2)}
    for i in range(n):
        d[i + 2] = d[i] + d[i + 1]
    return list(d.values())


@case()
def pairs_first(self, x, n):
    d = dict([(0, x), (1, x + 1)])
    for i in range(n):
        d[i + 2] = d[i] + d[i + 1]
    return list(d.values())


@case()
def held_by_self(self, x, n):
    self.cache = {0: x}
    for i in range(n):
        self.cache[i + 1] = self.cache[i] * 2
    return self.cache[int(n)]


@case()
def in_a_branch(self, x, n):
    d = {0: x}
    if n > 2:
        d[int(n)] = x * 2
    return len(d), d.get(int(n), x)


@case()
def unlike_sizes(self, x, n):
    d = {}
    d[int(n)] = np.zeros(3, "f")
    d[int(n) + 1] = np.ones(4, "f")
    for i in range(n):
        d[i] = x
    return [d[k] for k in d]


@case()
def lists_of_numbers(self, x, n):
    d = {0: [1, 2]}
    for i in range(n):
        d[i + 1] = d[i] + [i]
    return d[int(n)]


@case()
def texts_as_values(self, x, n):
    d = {0: "a"}
    for i in range(n):
        d[i + 1] = "b" if d[i] == "a" else "a"
    return 1 if d[int(n)] == "a" else 2


@case()
def dicts_as_values(self, x, n):
    d = {0: {"h": x, "c": 0}}
    for i in range(n):
        d[i + 1] = {"h": d[i]["h"] * 2, "c": d[i]["c"] + 1}
    return d[int(n)]["h"], d[int(n)]["c"]


@case()
def texts_beside_others(self, x, n):
    d = {"a": x, "c": x + 1}
    for i in range(n):
        d["b" if i % 2 else "a"] = x * i
    return [d[k] for k in d], d.get("b", x), "b" in d, len(d)


@case()
def deleted_in_a_branch(self, x, n):
    d = {0: x, 1: x * 2, 2: x * 3}
    if n > 2:
        del d[1]
    return list(d), [v for v in d.values()]


@case()
def deleted_text_in_a_branch(self, x, n):
    d = {"a": x, "b": 2.0}
    if n > 2:
        del d["a"]
    r = 0
    for k, v in d.items():
        r = r + v
    return r


@case()
def popped_or_none(self, x, n):
    d = {0: x, 1: x * 2, 2: x * 3}
    y = d.pop(int(n), None)
    return (x if y is None else y), len(d), [d[k] for k in d]


@case()
def popped_from_the_end(self, x, n):
    d = {0: x}
    for i in range(n):
        d[i + 1] = x * i
    out = []
    while d:
        k, v = d.popitem()
        out.append(v * k)
    return out


@case()
def two_names(self, x, n):
    d = {0: x}
    e = d
    for i in range(n):
        e[i + 1] = d[i] + 1
    return d is e, len(d), d[int(n)]


@case()
def objects(self, x, n):
    class Cell:
        def __init__(self, h):
            self.h = h

    d = {0: Cell(x)}
    for i in range(n):
        d[i + 1] = Cell(d[i].h * 2)
        d[i].h = d[i].h + 1
    return [d[k].h for k in d]


@case()
def ordered(self, x, n):
    d = OrderedDict()
    d["z"] = x
    for i in range(n):
        d["k" if i % 2 else "z"] = x + i
    return list(d.values())


@case()
def made_when_missing(self, x, n):
    d = defaultdict(lambda: x * 3)
    d[0] = x
    for i in range(n):
        d[i] = d[i] + d[i + 1]
    return [d[k] for k in d]


@case()
def lists_of_arrays(self, x, n):
    groups = {0: [x]}
    for i in range(n):
        if i % 2 == 0:
            groups[0].append(x * i)
        else:
            groups[i] = [x + i]
    return [len(groups[k]) for k in groups], groups[0][-1]


@case()
def dtypes(self, x, n):
    d = {0: x, 1: x.astype("d")}
    for i in range(n):
        d[i + 2] = d[i] + d[i + 1]
    return [d[k] for k in d]


@case()
def ranks(self, x, n):
    d = {0: x, 1: x.reshape(1, -1)}
    for i in range(n):
        d[i + 2] = d[i] + d[i + 1]
    return [d[k] for k in d]


@case()
def made_in_branches(self, x, n):
    if n > 2:
        d = {0: x}
    else:
        d = {0: x * 2, 1: x}
    d[int(n)] = x * 3
    return [d[k] for k in d], len(d)


@case()
def made_in_a_loop(self, x, n):
    outs = []
    for t in range(n):
        d = {j: x * j for j in range(2)}
        d[t] = x * 10
        outs.append(d[0] + d[1])
        outs.append(np.array([len(d)], "f"))
    return outs


@case()
def returned(self, x, n):
    d = {0: x}
    for i in range(n):
        d[i + 1] = d[i] + 1
    return d


@case()
def copies(self, x, n):
    d = {0: x}
    e = dict(d)
    f = d.copy()
    for i in range(n):
        e[i + 1] = e[i] * 2
        f[i] = x + i
    return len(d), len(e), len(f), e[int(n)], f[0]


@case()
def updated(self, x, n):
    d = {0: x}
    for i in range(n):
        d.update({i + 1: x * i, 0: d[0] + 1})
    return [d[k] for k in d]


@case()
def spread(self, x, n):
    d = {0: x}
    for i in range(n):
        d = {**d, i + 1: d[i] * 2}
    return [d[k] for k in d]


@case()
def sorted_keys(self, x, n):
    d = {5: x}
    for i in range(n):
        d[i] = x + i
    return [d[k] for k in sorted(d)], max(d), min(d), sum(d)


@case()
def missing_in_a_try(self, x, n):
    d = {0: x}
    for i in range(n):
        d[2 * i] = x * i
    try:
        y = d[int(n)]
    except KeyError:
        y = -x
    return y


@case()
def left_early(self, x, n):
    d = {0: x}
    for i in range(n):
        if i in d and i > 2:
            break
        d[i + 1] = d[i] + i
    return [d[k] for k in d]


@case()
def in_a_while(self, x, n):
    d = {0: x}
    i = 0
    while len(d) <= n:
        d[i + 1] = np.concatenate([d[i], d[i]])
        i += 1
    return [len(v) for v in d.values()]


@case()
def two_kinds(self, x, n):
    held = {}
    for i in range(int(n)):
        held[i] = i
    held[int(n)] = x
    return held


@case()
def five_kinds(self, x, n):
    held = {int(n): "a"}
    held[int(n) + 1] = x
    held[int(n) + 2] = None
    held[int(n) + 3] = (x, 2)
    held[int(n) + 4] = [x, 2]
    return len(held), [held[int(n) + i] is None for i in range(5)], held[int(n) + 4][0]


@case()
def functions(self, x, n):
    held = {0: np.tanh}
    for i in range(int(n)):
        held[i] = (lambda v: v + 1) if i % 2 else np.exp
    return held[0](x), len(held)


@case()
def popped_where_it_may_be(self, x, n):
    held = {1: x}
    return held.pop(int(n), x * 2), len(held)


@case()
def text_of_one_branch(self, x, n):
    held = {"a": int(n)}
    if n > 2:
        held["b"] = 0.5
    return list(held), [held[k] for k in held], held.get("b", 3), len(held)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_dicts_that_grow(program: Program) -> None:
    hold(program)
