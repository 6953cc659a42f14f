"""The zeta function and polygamma at 0, at integers below it, at infinities and beside them."""

from __future__ import annotations

import itertools
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import Program, assert_equal, check, compiled
from tests.special.trials import LOOSE, program_from

pytestmark = pytest.mark.filterwarnings("ignore")

Q = (
    *(-np.inf, -3.5, -3, -1.5, -1, -0.5, -0.0, 0.0, 1e-320, 0.5, 1 - 1e-16, 1, 1 + 1e-9, 1.5, 2, 3),
    *(9, 9.5, 20, 300, 1e4, 1e8, 1.1e8, 1e12, 2e13, 2.6e13, 1e200, np.inf, np.nan),
)
ORDERS = (-5, -2, -1, 0, 1, 2, 3, 20, 100, 169, 170, 171, 300)
AXES = {0: {0: "n"}, 1: {0: "n"}}


def summed(s: Any, q: Any) -> Any:
    """Where a sum begins below 0, which is not compiled."""
    return (q < 0) & (q != np.floor(q)) & (s > 1) & (s == np.floor(s))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("orders", ["zeta", "int64", "int32", "int8"])
def test_everywhere(orders: str, dtype: str) -> None:
    first: tuple[Any, ...] = Q if orders == "zeta" else ORDERS
    pairs = np.array(list(itertools.product(first, Q))).T
    q = pairs[1].astype(dtype)
    s = pairs[0].astype(dtype if orders == "zeta" else orders)
    left = summed(s, q) if orders == "zeta" else summed(s + 1.0, q) & (s != 0)
    code = "F.zeta(s, q)" if orders == "zeta" else "F.polygamma(s, q)"
    program = Program(program_from(code, "s, q"), [(s[:3], q[:3])], AXES)
    model = compiled(program)
    for chosen in (~left, slice(0), slice(7, 8)):
        given = s[chosen], q[chosen]
        expected = program.forward(None, *given)
        assert_equal(expected, model(*given), tolerance=LOOSE)
    for k in np.flatnonzero(left):
        with pytest.raises(elichika.ElichikaError, match="compiled for numbers from 0"):
            model(s[k : k + 1], q[k : k + 1])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(
    "s", ["2", "1.1", "1.000000001", "np.float64(1.000000001)", "1e300", "np.inf", "[2, 3, 4]", "f"]
)
def test_numbers(s: str, dtype: str) -> None:
    q = np.array([0.5, 1, 7], dtype)
    runs = [(q, 2.5), (q, 1.000000001), (q, 1e300), (q, np.inf), (q, np.nan), (q, 1.0), (q, 0.0)]
    program = Program(program_from(f"F.zeta({s}, q)", "q, f"), runs)
    check(program, compiled(program))


@pytest.mark.parametrize("s", ["chainer.Variable(q)", "v", "'2'", "None"])
def test_what_scipy_refuses(s: str) -> None:
    q = np.array([0.5, 1, 7], "float32")
    program = Program(program_from(f"F.zeta({s}, q)", "q, v"), [(q, chainer.Variable(q))])
    with pytest.raises(TypeError):
        program.forward(None, *program.inputs[0])
    with pytest.raises(elichika.ElichikaError, match=r"TypeError: ufunc '_?zeta'"):
        compiled(program)
