"""Factories for the tests of the command line."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L


class Net(chainer.Chain):
    """Two layers, with a statistic that is saved as well."""

    def __init__(self, n_in: int | None = 4) -> None:
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(n_in, 8)
            self.bn = L.BatchNormalization(8)
            self.l2 = L.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.l2(F.relu(self.bn(self.l1(x))))


class Lazy(Net):
    """Takes the size of its input from the first batch."""

    def __init__(self) -> None:
        super().__init__(None)


class Unsupported(chainer.Chain):
    """Has two things that are not compiled."""

    def forward(self, x: Any) -> Any:
        async def later() -> None: ...

        return self.helper(x)

    def helper(self, x: Any) -> Any:
        async def later() -> None: ...

        return x

    def never_called(self, x: Any) -> Any:
        async def later() -> None: ...

        return x


def seeded() -> Net:
    """Make the same net each time."""
    state = np.random.get_state()
    np.random.seed(0)
    chain = Net()
    np.random.set_state(state)
    return chain


def with_inputs() -> Any:
    """Return the chain with its example."""
    return seeded(), (np.ones((2, 4), np.float32),)


def failing() -> Any:
    """Fail."""
    raise KeyError("no such layer")


def number() -> int:
    """Make no chain."""
    return 3


def needs_an_argument(n: int) -> Net:
    """Want what the command line does not give."""
    return Net(n)


NOTHING = 3


class Steps(chainer.Chain):
    """Keeps a state, and has a loop, a branch and a check."""

    def __init__(self) -> None:
        super().__init__()
        self.h: Any = None

    def forward(self, x: Any, n: int) -> Any:
        h = F.tanh(x)
        for i in range(n):
            h = h * 2
            if h.array.sum() > i:
                h = h - 1
        assert n < 5, "too many"
        self.h = h if self.h is None else self.h + h
        return self.h


class Doubled(L.Linear):
    """Has a `__call__` of its own."""

    def __init__(self) -> None:
        super().__init__(3, 2, initialW=1.0)

    def __call__(self, x: Any) -> Any:
        return super().__call__(x) * 2
