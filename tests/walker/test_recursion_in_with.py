"""Functions that call themselves within a `with`: it is left by the call that has entered it."""

from __future__ import annotations

import contextlib
from typing import Any

import chainer
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array([3, 1, 4, 1, 5]), 3),
    (np.zeros(0, np.int64), 0),
    (np.array([7]), 1),
    (np.array([2, 9, 2, -4]), 2),
    (np.array([1, 1, 1, 0, 1, 2]), 6),
    (np.array([1, 1]), -1),
]
calls = Table(INPUTS, {"x": {0: "length"}})


class Depth:
    """Counts how deep calls are."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def __enter__(self) -> Any:
        self.now += 1
        self.most = max(self.now, self.most)
        return self

    def __exit__(self, *raised: Any) -> None:
        self.now -= 1


def deepest(n: int, depth: Any) -> Any:
    """Return in the `with`, on both ways."""
    with depth:
        if n <= 0:
            return depth.now
        return deepest(n - 1, depth) + deepest(n - 2, depth)


@calls()
def how_deep_calls_are(self, x, n):
    depth = Depth()
    return deepest(n, depth), depth.now, depth.most


def failing(n: int, depth: Any) -> Any:
    """Raise deep inside."""
    with depth as held:
        if n <= 0:
            return held.now
        if n == 3:
            raise ValueError(n + 10)
        return failing(n - 1, depth) * 2


@calls()
def each_with_is_left_when_something_is_raised(self, x, n):
    depth = Depth()
    try:
        result = failing(n, depth)
    except ValueError as error:
        result = -error.args[0]
    return result, depth.now, depth.most


def read(x: Any, i: Any, depth: Any) -> Any:
    """Fail where there is no such row."""
    with depth:
        v = x[i]
        return v + read(x, i + v, depth) if v > 0 else v


@calls()
def what_python_raises_itself(self, x, n):
    depth = Depth()
    try:
        result = read(x, 0, depth)
    except IndexError:
        result = -77
    return result, depth.now


@calls()
def what_nobody_catches(self, x, n):
    return read(x, n - 3, Depth())


def tried(x: Any, i: int, depth: Any) -> Any:
    """Catch around the `with`."""
    try:
        with depth:
            if i >= len(x):
                raise ValueError(i)
            return x[i] + tried(x, i + 1, depth)
    except ValueError as error:
        return error.args[0]


@calls()
def a_try_around(self, x, n):
    depth = Depth()
    return tried(x.tolist(), 0, depth), depth.now, depth.most


class Ending(Depth):
    """Ends what is raised at one depth."""

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        self.now -= 1
        return kind is not None and issubclass(kind, ValueError) and self.now == 2


def ended(n: int, depth: Any) -> Any:
    """Go on after the `with` where that has ended what was raised."""
    result = 0
    with depth:
        if n <= 0:
            raise ValueError
        result = ended(n - 1, depth) + 1
    return result


@calls()
def an_exception_is_ended(self, x, n):
    depth = Ending()
    try:
        result = ended(n, depth)
    except ValueError:
        result = -50
    return result, depth.now


class On:
    """Holds an item on a path."""

    def __init__(self, path: Any, item: Any) -> None:
        self.path, self.item = path, item

    def __enter__(self) -> None:
        self.path.append(self.item)

    def __exit__(self, *raised: Any) -> None:
        self.path.pop()


def subsets(x: Any, i: int, path: Any, sums: Any) -> None:
    """Undo on the way back."""
    if i == len(x):
        sums.append(sum(path))
        return
    subsets(x, i + 1, path, sums)
    with On(path, x[i]):
        subsets(x, i + 1, path, sums)


@calls()
def a_manager_of_each_call(self, x, n):
    path, sums = [], []
    subsets(x[:3].tolist(), 0, path, sums)
    return path, sums


def in_a_loop(n: int, depth: Any) -> Any:
    """Leave the `with` by `break` and `continue`."""
    total = 0
    for i in range(n):
        with depth:
            if i > 2:
                break
            if i == 1:
                continue
            total += in_a_loop(n - 1, depth) + depth.now
    return total


@calls()
def a_with_in_a_loop(self, x, n):
    depth = Depth()
    return in_a_loop(min(n, 4), depth), depth.now, depth.most


def halved(n: int) -> Any:
    """Use managers without any effect."""
    with np.errstate(all="ignore"), contextlib.nullcontext(n) as held:
        if held <= 0:
            return 1.0
        return halved(n - 1) / 2


@calls()
def without_effect(self, x, n):
    return halved(n)


class Tree:
    """Is a manager itself."""

    def __init__(self) -> None:
        self.level = 0

    def __enter__(self) -> None:
        self.level += 1

    def __exit__(self, *raised: Any) -> None:
        self.level -= 1

    def walked(self, n: int) -> Any:
        with self:
            return self.level if n <= 0 else self.walked(n - 1) * 2 + self.level


@calls()
def a_method_of_the_manager(self, x, n):
    tree = Tree()
    return tree.walked(n), tree.level


def told() -> Any:
    """Return what the configuration says now."""
    return (1 if chainer.config.train else 2) + (10 if chainer.config.enable_backprop else 20)


def seen(n: int, log: Any) -> Any:
    """Note the settings before, in and after a `with`."""
    log.append(told())
    if n <= 0:
        return 1
    with chainer.using_config("train", n % 2 == 0):
        y = seen(n - 1, log)
        log.append(told())
    log.append(told())
    return y * 2


@calls()
def settings(self, x, n):
    log = []
    return seen(n, log), log, told()


def nested(n: int) -> Any:
    """Use two settings, and one again."""
    if n <= 0:
        return told()
    with chainer.using_config("train", n % 2 == 1), chainer.no_backprop_mode():
        y = nested(n - 1)
        with chainer.force_backprop_mode():
            z = nested(n - 2)
    return y * 2 + z + told()


@calls()
def settings_in_settings(self, x, n):
    return nested(n), told()


def unset(n: int, log: Any) -> None:
    """Raise in it."""
    log.append(told())
    with chainer.no_backprop_mode():
        if n <= 0:
            raise ValueError(n)
        unset(n - 2, log)


@calls()
def settings_where_something_is_raised(self, x, n):
    log = []
    try:
        unset(n, log)
    except ValueError as error:
        log.append(error.args[0])
    return log, told()


def grown(n: int) -> Any:
    """Give a setting a value that only the run knows."""
    if n <= 0:
        return chainer.config.grown
    with chainer.using_config("grown", chainer.config.grown + n):
        y = grown(n - 1)
    return y * 10 + chainer.config.grown


@calls()
def a_setting_of_the_program(self, x, n):
    with chainer.using_config("grown", 1):
        return grown(n)


def made_before(n: int) -> Any:
    """Make the manager a line before it is entered."""
    setting = chainer.using_config("train", n % 2 == 0)
    with setting:
        y = told() if n <= 0 else made_before(n - 1)
    return y * 10 + told()


@calls()
def a_setting_made_in_the_same_call(self, x, n):
    return made_before(n)


def read_behind(n: int, depth: Any) -> Any:
    """Read behind a `with` without calls what that has set."""
    with depth, np.errstate(all="ignore"):
        y = n * 2 + depth.now
    z = 0 if n <= 0 else read_behind(n - 1, depth)
    return y + z * 3


@calls()
def what_a_with_sets(self, x, n):
    return read_behind(n, Depth())


@pytest.mark.parametrize("program", calls.programs, ids=lambda p: p.name)
def test_recursion_in_with(program: Program) -> None:
    hold(program)


@contextlib.contextmanager
def noted(path: Any) -> Any:
    path.append(1)
    yield
    path.pop()


def by_generator(n: int, path: Any) -> Any:
    with noted(path):
        return len(path) if n <= 0 else by_generator(n - 1, path) + 1


def suppressed(n: int) -> Any:
    with contextlib.suppress(ValueError):
        if n <= 0:
            raise ValueError
        return suppressed(n - 1) + 1
    return 5


def shared(n: int, setting: Any) -> Any:
    with setting:
        return 1 if n <= 0 else shared(n - 1, setting) + 1


def ended_unset(n: int) -> Any:
    if n <= 0:
        raise ValueError
    with Ending():
        y = ended_unset(n - 1)
    return y


def suppressed_unset(n: int, x: Any) -> Any:
    with contextlib.suppress(IndexError):
        y = x[n]
    return 0 if n <= 0 else suppressed_unset(n - 1, x) + y


BEFORE = "a function calls itself in a `with` on a setting that was made before"
UNSET = "this `with` may end what is raised in it, and `y` may not be set behind it"


@pytest.mark.parametrize(
    ("forward", "why"),
    [
        (lambda self, n: by_generator(n, []), "calls itself in a `with` on a generator"),
        (lambda self, n: suppressed(n), "calls itself in a `with` on `suppress`"),
        (lambda self, n: shared(n, chainer.using_config("train", False)), BEFORE),
        (lambda self, n: ended_unset(n), UNSET),
        (lambda self, n: suppressed_unset(n, np.ones(2)), UNSET),
    ],
)
def test_what_is_refused(forward: Any, why: str) -> None:
    with pytest.raises(REFUSED, match=why):
        compiled(Program(forward, [(3,)]))
