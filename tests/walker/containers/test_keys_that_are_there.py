"""Keys of the run that surely are among the known keys of a dict, and those that may be new."""

from __future__ import annotations

from collections import Counter

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
        *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})
refused = Table(LISTS, {"x": {0: "n"}})


@case()
def key_1_mod(self, x, n):
    acc = {0: np.zeros(2, np.float32), 1: np.zeros(2, np.float32)}
    for i in range(len(x)):
        acc[i % 2] += np.float32(x[i])
    return acc[0], acc[1]


@case()
def key_2_mod2(self, x, n):
    acc = {0: 0, 1: 0}
    for i in range(len(x)):
        acc[i % 2] = acc[i % 2] + int(x[i])
    return acc[0], acc[1]


@case()
def key_3_mod(self, x, n):
    acc = {0: np.zeros(2, np.float32), 1: np.zeros(2, np.float32)}
    al = acc[0]
    for i in range(len(x)):
        acc[i % 2] += np.float32(x[i])
    return acc[0], acc[1], al


@case()
def key_4_rebound(self, x, n):
    acc = {0: np.zeros(2, np.float32), 1: np.ones(2, np.float32)}
    h = acc[n % 2]
    acc[0] = np.full(2, 5, np.float32)
    h += 1
    acc[n % 2] = h
    return acc[0], acc[1]


@case()
def key_5_other(self, x, n):
    acc = {0: np.zeros(2, np.float32), 1: np.ones(2, np.float32)}
    h = acc[n % 2]
    n += 1
    acc[n % 2] = h
    return acc[0], acc[1]


@case()
def key_6_view(self, x, n):
    acc = {0: np.zeros(2, np.float32), 1: np.ones(2, np.float32)}
    for v in x:
        acc[int(v) % 2][0] += 1
    return acc[0], acc[1]


@case()
def key_7_missing(self, x, n):
    acc = {0: np.zeros(2, np.float32), 1: np.ones(2, np.float32)}
    acc[n] += 1
    return acc[0], acc[1]


@case()
def key_8_texts(self, x, n):
    acc = {"a": np.zeros(2, np.float32), "b": np.ones(2, np.float32)}
    for v in x:
        acc["a" if v > 1 else "b"] += 1
    return acc["a"], acc["b"]


@case()
def key_9_mod(self, x, n):
    acc = {0: "a", 1: "b", 2: "c"}
    for v in x:
        acc[int(v) % 3] = "d"
    return acc[0] == "d", acc[1] == "d"


@case()
def key_10_read(self, x, n):
    acc = {0: [1], 5: [2, 3]}
    acc[n] = acc[n] + [1]
    return acc[0], acc[5]


@case()
def key_11_in(self, x, n):
    acc = {0: [1], 5: [2, 3]}
    if n in acc:
        acc[n] = [7]
    return acc[0], acc[5]


@case()
def key_12_arg(self, x, n):
    acc = {0: [1], 1: [2, 3], 2: [5]}
    acc[int(np.array([n, 2, 1]).argmax())] = [7]
    return acc


@case()
def key_13_bool(self, x, n):
    acc = {True: [1], False: [2, 3]}
    acc[n > 2] = [7]
    return acc[True], acc[False]


@case()
def key_14_text(self, x, n):
    acc = {"a": [1], "b": [2, 3]}
    acc["a" if n > 2 else "b"] = [7]
    return acc["a"], acc["b"]


@case()
def key_15_where(self, x, n):
    acc = {0: [1], 1: [2, 3]}
    acc[0 if n > 2 else 1] = [7]
    return acc[0], acc[1]


@case()
def key_16_negmod(self, x, n):
    acc = {0: [1], -1: [2, 3]}
    acc[n % -2] = [7]
    return acc[0], acc[-1]


@case()
def key_17_len(self, x, n):
    acc = {k: x * k for k in range(3)}
    for i in range(len(x)):
        acc[i % 3] = acc[i % 3] + x[i]
    return acc[0], acc[1]


@refused()
def new_is(self, x, n):
    a = np.zeros(3)
    d = {0: a}
    for i in range(n):
        d[i + 1] = np.ones(3)
    return d[n] is a


@refused()
def new_grad(self, x, n):
    a = chainer.Variable(x.astype(np.float32))
    d = {0: F.sum(a)}
    for i in range(n):
        d[i + 1] = d[i] * 2
    d[n].backward()
    return a.grad


@case()
def one_that_was_just_put_in(self, x, n):
    """That there is one is known once its order is: no branch of one outcome is left."""
    seen, d0, out, t = set(), Counter(), [], 0
    h, m = {n: x}, {"n": 0}
    seen.add(n)
    if seen:
        for v1 in sorted(seen):
            for _ in d0:
                t += d0.get(v1, 0)
        out.append(10 // (n * n + 1))
    else:
        d0.setdefault(n + n, n)
        m.setdefault("n", t)
    return t, out, sorted(seen), d0, h, list(m), m.get(None, 0)


@refused()
def new_of_unlike_keys(self, x, n):
    d = {b"a": [1], 5: [2, 3]}
    d[n] = [7]
    return len(d)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_keys(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_a_key_that_may_be_new_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
