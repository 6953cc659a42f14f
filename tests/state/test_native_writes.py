"""What Python runs by itself while compiling leaves the chain as it is, in every branch."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable
from typing import Any

import chainer
import numpy as np
import pytest
import scipy.linalg

import elichika
from tests.programs import Program, check, compiled

INPUTS = [(2,), (5,), (0,)]
#: What a model does of these, as Python does.
FOLLOWED: list[Callable[[Any], Any]] = [
    lambda o: np.cumsum(o.b, out=o.a),
    lambda o: np.cumsum(o.b, 0, None, o.a),
    lambda o: o.b.cumprod(out=o.a),
    lambda o: np.add.accumulate(o.b, out=o.a),
    lambda o: np.nancumsum(o.b, out=o.a),
    lambda o: np.fill_diagonal(o.m, 7),
    lambda o: np.fill_diagonal(o.m.T[1:], 7),
    lambda o: np.multiply.accumulate(o.m, 0, None, o.m),
    lambda o: o.a.fill.__call__(7),
    lambda o: o.items.append.__call__(7),
    lambda o: o.items.__setitem__(0, 7),
    lambda o: o.table.__setitem__("a", 7),
    lambda o: np.add.__call__(o.a, 1, out=o.a),
    lambda o: operator.methodcaller("fill", 7)(o.a),
    lambda o: [give(7) for give in (o.items.append, o.a.fill)],
]
#: What a model cannot do.
REFUSED: list[Callable[[Any], Any]] = [
    lambda o: o.a.__setitem__(0, 7),
    lambda o: functools.partial(o.a.__setitem__, 0)(7),
    lambda o: list(map(o.a.__setitem__, [0], [7])),
    lambda o: getattr(o.a, "__iadd__")(7),  # noqa: B009
    lambda o: o.v.array.__imul__(7),
    lambda o: o.queue.__setitem__(0, 7),
    lambda o: o.queue.__iadd__([7]),
    lambda o: o.data.__setitem__(0, 7),
    lambda o: scipy.linalg.solve(o.m, o.a, overwrite_b=True),
    lambda o: scipy.linalg.lu_factor(o.m.T, overwrite_a=True),
]


def attributes() -> dict[str, Any]:
    return {
        "a": np.arange(3.0),
        "b": np.array([1.0, -2.0, 3.0]),
        "m": np.eye(3) + 1,
        "v": chainer.Variable(np.ones(3, np.float32)),
        "items": [1, 2],
        "table": {"a": 1},
        "queue": collections.deque([1, 2]),
        "data": bytearray(b"ab"),
    }


def program_of(change: Callable[[Any], Any]) -> Program:
    """Return a program that changes what its chain holds where `n` is large."""

    def forward(self: Any, n: int) -> Any:
        if n > 2:
            change(self)
        held = self.a, self.b, self.m, self.v.array, self.items, dict(self.table)
        return *held, list(self.queue), self.data[0]

    return Program(forward, INPUTS, attributes=attributes)


def shown(chain: Any) -> str:
    return repr({name: getattr(chain, name) for name in attributes()})


@pytest.mark.parametrize("change", FOLLOWED)
def test_followed(change: Callable[[Any], Any]) -> None:
    program = program_of(change)
    model = compiled(program)
    check(program, model)


@pytest.mark.parametrize("change", REFUSED)
def test_refused(change: Callable[[Any], Any]) -> None:
    chain = type("Chain", (chainer.Chain,), {"forward": program_of(change).forward})()
    vars(chain).update(attributes())
    before = shown(chain)
    with pytest.raises(elichika.StagingError, match="in a way that is not followed"):
        elichika.compile_model(chain, INPUTS[0])
    assert shown(chain) == before
