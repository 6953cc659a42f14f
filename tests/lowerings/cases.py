"""One line for each behaviour of a Chainer function that a lowering must keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import chainer
import numpy as np

from tests.lowerings.harness import Case, Weight

ALL = ("float32", "float64", "float16")
SINGLE = ("float32",)


def f32(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Floats spread over an interval; the shape decides them."""
    rng = np.random.RandomState(seed + 31 * sum(shape) + len(shape))
    return np.asarray(rng.uniform(low, high, shape), np.float32)


def i32(*shape: int, high: int = 3, low: int = 0, seed: int = 0) -> np.ndarray:
    return np.asarray(np.random.RandomState(seed + sum(shape)).randint(low, high, shape), np.int32)


def const(array: np.ndarray) -> Weight:
    return Weight(array)


def case(
    expression: str,
    *,
    links: Mapping[str, Callable[[], chainer.Link]] | None = None,
    others: Sequence[Mapping[str, np.ndarray]] = (),
    dtypes: tuple[str, ...] = ALL,
    train: bool = False,
    resize: bool = True,
    tolerance: Mapping[str, float] | None = None,
    **inputs: Any,
) -> Case:
    return Case(
        expression, inputs, dict(links or {}), others, dtypes, train, resize, dict(tolerance or {})
    )


ACTIVATION = [
    case("F.relu(x)", x=f32(3, 4)),
    case("F.relu(x)", x=f32()),
    case("F.leaky_relu(x)", x=f32(3, 4)),
    case("F.leaky_relu(x, slope=-0.3)", x=f32(2, 3, 4)),
    case("F.sigmoid(x)", x=f32(3, 4)),
    case("F.tanh(x)", x=f32(3, 4)),
    case("F.elu(x)", x=f32(3, 4)),
    case("F.elu(x, alpha=-0.7)", x=f32(3, 4)),
    case("F.selu(x)", x=f32(3, 4)),
    case("F.softmax(x)", x=f32(3, 4)),
    case("F.softmax(x, axis=-1)", x=f32(2, 3, 4)),
    case("F.softmax(x, axis=0)", x=f32(2, 3, 4)),
    case("F.log_softmax(x)", x=f32(3, 4)),
    case("F.log_softmax(x, axis=2)", x=f32(2, 3, 4)),
    case("F.clipped_relu(x, z=1.0)", x=f32(3, 4)),
    case("F.relu6(x * 9)", x=f32(3, 4)),
    case("F.hard_sigmoid(x * 3)", x=f32(3, 4)),
    case("F.softplus(x)", x=f32(3, 4)),
    case("F.softplus(x, beta=2.5)", x=f32(3, 4)),
    case("F.softplus(x - 30)", x=f32(3, 4)),
    case("F.prelu(x, W)", x=f32(2, 3, 4), W=const(f32(3))),
    case("F.prelu(x, W)", x=f32(2, 3, 4), W=const(f32(3, 4))),
    case("F.prelu(x, W)", x=f32(2, 3, 4), W=const(f32())),
    case("F.swish(x, beta)", x=f32(2, 3, 4), beta=const(f32(3))),
    case("F.rrelu(x)", x=f32(3, 4)),
    case("F.crelu(x)", x=f32(3, 4)),
    case("F.crelu(x, axis=-1)", x=f32(2, 3, 4)),
    case("F.maxout(x, 2)", x=f32(3, 4)),
]

BASIC_MATH = [
    case("x + y", x=f32(2, 3), y=f32(2, 3)),
    case("x + y", x=f32(2, 3), y=f32(3)),
    case("x - y", x=f32(2, 1), y=f32(2, 3)),
    case("x * y", x=f32(2, 3), y=f32()),
    case("x / y", x=f32(2, 3), y=f32(2, 3, low=1)),
    case("x + 1", x=f32(2, 3)),
    case("1.5 - x", x=f32(2, 3)),
    case("x - 1.5", x=f32(2, 3)),
    case("x * 0.1", x=f32(2, 3)),
    case("x / 3", x=f32(2, 3)),
    case("3 / x", x=f32(2, 3, low=1)),
    case("x // 0.3", x=f32(2, 3)),
    case("x ** 2", x=f32(2, 3)),
    case("x ** -0.5", x=f32(2, 3, low=0.1)),
    case("2 ** x", x=f32(2, 3)),
    case("x ** y", x=f32(2, 3, low=0.1), y=f32(3)),
    case("-x", x=f32(2, 3)),
    case("abs(x)", x=f32(2, 3)),
    case("F.add(x, y, x)", x=f32(2, 3), y=f32(3)),
    case("x + np.arange(3.0)", x=f32(2, 3)),
    case("x + 1", x=i32(2, 3), dtypes=SINGLE),
    case("x / 2", x=i32(2, 3), dtypes=SINGLE),
    case("x - y", x=i32(2, 3), y=i32(3), dtypes=SINGLE),
]

CASES = [*ACTIVATION, *BASIC_MATH]
