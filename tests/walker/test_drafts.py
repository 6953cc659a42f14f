"""Methods of links that the first walk of a loop's body need not walk again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from elichika.walker.functions import Functions
from tests.programs import f32
from tests.table import Table, hold


class Sub(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.mode, self.calls, self.scale = 0, 0, 1.0
        with self.init_scope():
            self.one, self.other = L.Linear(3, 3), L.Linear(3, 3)
        for number, link in enumerate(self.children()):
            link.W.array[...] = f32(3, 3, seed=number) / 2

    def forward(self, x):
        return F.tanh(self.one(x))

    def by_mode(self, x):
        return self.one(x) if self.mode == 0 else self.one(x).array.astype("d")

    def counted(self, x):
        self.calls += 1
        return self.one(x) * self.calls

    def scaled(self, x):
        return self.one(x) * self.scale

    def same(self, x):
        return x

    def doubled(self, x):
        x[...] = x * 2
        return x

    def several(self, x):
        return self.one(x), {"a": self.other(x)}, [x.shape[0]]

    def few(self, x):
        if x.shape[0] > 3:
            raise ValueError("too many rows")
        return self.one(x)


class Base(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.sub = Sub()


case = Table(
    [(f32(b, 3), n, c) for b, n, c in ((2, 2, 2), (1, 0, 1), (4, 1, 0), (3, 3, 3), (5, 4, 1))],
    {"x": {0: "b"}},
)


@case()
def state_or_nothing(self, x, n, c):
    h, hs = None, []
    for _ in range(n):
        h = self.sub(x if h is None else h)
        hs.append(self.sub(h))
    return h, hs


@case()
def what_it_reads_changes(self, x, n, c):
    y, out = None, []
    for _ in range(n):
        self.sub.mode = 0
        out.append(self.sub.by_mode(x))
        self.sub.mode = 1
        y = self.sub.by_mode(x) + (0 if y is None else y)
        self.sub.mode = 0
    return y, out


@case()
def it_changes_what_it_reads(self, x, n, c):
    y = x
    for _ in range(n):
        for _ in range(2):
            y = self.sub.counted(y)
    return y


@case()
def a_turn_changes_what_it_reads(self, x, n, c):
    y = x
    for _ in range(n):
        self.sub.scale = self.sub.scale + 0.5
        y = self.sub.scaled(y) + self.sub.scaled(x)
    return y


@case()
def it_gives_what_it_is_given(self, x, n, c):
    y, z = x.copy(), x.copy()
    for _ in range(n):
        w = self.sub.same(self.sub.same(y))
        w += 1
        z = z + y
    return y, z


@case()
def it_changes_what_it_is_given(self, x, n, c):
    y = x.copy()
    for _ in range(n):
        y = self.sub.doubled(self.sub.doubled(y))
    return y


@case()
def it_gives_containers(self, x, n, c):
    found, total = [], 0
    for _ in range(n):
        for _ in range(c):
            a, named, sizes = self.sub.several(x)
            found.append(a + named["a"])
            total += sizes[0]
            named["a"] = a
            sizes.append(3)
    return found, total


@case()
def it_raises_at_some_sizes(self, x, n, c):
    y = x
    for _ in range(n):
        y = self.sub.few(y)
        y = self.sub.few(F.concat([y, y], axis=0))
    return y


@case()
def arrays_of_the_turn_in_an_inner_loop(self, x, n, c):
    out = []
    for _ in range(n):
        y = x[: c + 1]
        sums, count = np.zeros_like(y), 0
        for j in range(c):
            sums[j % len(sums)] += self.sub(y).array[0]
            count += self.sub(y).shape[0]
        out += [sums, self.sub(sums).array * count]
    return out


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_programs(program: Any) -> None:
    hold(replace(program, base=Base))


class Tiled(Base):
    def forward(self, x, n, c):
        out = []
        for _ in range(n):
            y = x[:n]
            sums = np.zeros_like(y)
            for _ in range(c):
                sums += self.sub(y).array + self.sub(y * 2).array
            out.append(sums)
        return out


def test_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: Counter[str] = Counter()
    original = Functions.walk_function

    def counted(self: Functions, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        walked[function.__qualname__] += 1
        return original(self, function, args, kwargs)

    monkeypatch.setattr(Functions, "walk_function", counted)
    elichika.compile_model(Tiled(), (f32(4, 3), 2, 3), dynamic_axes={"x": {0: "b"}}, verify=False)
    assert walked["Sub.forward"] == 3  # once for its type, and in the body that the loop gets
