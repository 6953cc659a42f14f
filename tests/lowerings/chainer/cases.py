"""One behaviour of a Chainer function, link or member, as calls and their inputs.

A row of the table is one of five:

    case(...)     one model of all the calls, held against Chainer, and each lowering alone
    whole(...)    the model; another row has the lowerings, or there is no lowering to hold
    alone(...)    each lowering alone, in milliseconds: further values, sizes and settings
    drawn(...)    the model, where it may draw random numbers
    refused(...)  the compiler says why not

`docs/operators.md` shows all calls but those of `alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import chainer
import numpy as np

ALL = ("float32", "float64", "float16")
REAL = ("float32", "float64")
SINGLE = ("float32",)

# onnxruntime takes no images without channels or pixels, and crashes where a three-dimensional
# ConvTranspose meets an empty batch.
SPATIAL = (0, 2, 3, 4)
BODY = (2, 3, 4)


class Weight:
    """An array that belongs to the model: a parameter, with sizes that never change."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


@dataclass(frozen=True)
class Case:
    """Calls on the same inputs.

    Attributes:
        expressions: Python, over the inputs' names, `F`, `L`, `D`, `np`, `chainer` and `self`.
        inputs: Arrays (each becomes a `Variable`), weights (attributes of `self`), lists of
            arrays, and numbers.
        links: Attributes of `self`.
        dtypes: What the floats are cast to, one model each.
        axes: Which axes of the inputs are dynamic in the second model; None for no second model.
        others: Further inputs, where only those that change are named.
        train: Compile and run for `chainer.config.train = True`.
        refused: What the message of the compiler must contain; empty where the calls compile.
        tolerance: Of a dtype, where it is looser than the contract, with the reason beside it.
        draws: Let the model draw random numbers; they are held at numbers while it is compared.
        whole: Compile one model of all calls.
        alone: Hold each lowering alone.
        resize: For a lowering alone: also try other sizes of each axis, wherever eager Chainer
            takes them; or of these axes, the first of which may be empty.
        symbolic: Also build a lowering alone for unknown sizes.
    """

    expressions: tuple[str, ...]
    inputs: dict[str, Any]
    links: dict[str, Callable[[], Any]] = field(default_factory=dict)
    dtypes: tuple[str, ...] = ALL
    axes: tuple[int, ...] | None = None
    others: Sequence[Mapping[str, Any]] = ()
    train: bool = False
    refused: str = ""
    tolerance: Mapping[str, float] = field(default_factory=dict)
    draws: bool = False
    whole: bool = True
    alone: bool = False
    resize: bool | tuple[int, ...] = True
    symbolic: bool = True

    def converted(self, dtype: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the inputs and the attributes with their floats in a dtype."""
        with chainer.using_config("dtype", np.dtype(dtype)):
            attributes = {name: make() for name, make in self.links.items()}
        inputs = {}
        for name, value in self.inputs.items():
            if isinstance(value, Weight):
                attributes[name] = chainer.Parameter(as_dtype(value.array, dtype))
            else:
                inputs[name] = as_dtype(value, dtype)
        return inputs, attributes


def as_dtype(value: Any, dtype: str) -> Any:
    """Return a value with the floats of its arrays in a dtype."""
    if isinstance(value, (list, tuple)):
        return type(value)(as_dtype(item, dtype) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(dtype)
    return value


def as_variables(value: Any) -> Any:
    """Return a value with a Variable for each array."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(as_variables, value))
    return chainer.Variable(value.copy()) if isinstance(value, np.ndarray) else value


def whole(
    *expressions: str,
    links: Mapping[str, Callable[[], Any]] | None = None,
    dtypes: tuple[str, ...] = ALL,
    axes: tuple[int, ...] | None = (0, 1, 2, 3, 4),
    others: Sequence[Mapping[str, Any]] = (),
    train: bool = False,
    tolerance: Mapping[str, float] | None = None,
    **inputs: Any,
) -> Case:
    """Return calls that must compile and give what Chainer gives."""
    made, bounds = dict(links or {}), dict(tolerance or {})
    return Case(expressions, inputs, made, dtypes, axes, others, train, "", bounds)


def case(
    *expressions: str, resize: bool | tuple[int, ...] = True, symbolic: bool = True, **options: Any
) -> Case:
    """Return such calls whose lowerings are held alone as well."""
    return replace(whole(*expressions, **options), alone=True, resize=resize, symbolic=symbolic)


def alone(expression: str, **options: Any) -> Case:
    """Return a call whose lowerings must give what Chainer gives, each by itself."""
    return replace(case(expression, **options), whole=False)


def drawn(*expressions: str, train: bool = True, **options: Any) -> Case:
    """Return calls that compile where the model may draw random numbers."""
    return replace(whole(*expressions, train=train, **options), draws=True)


def refused(
    expression: str,
    why: str,
    *,
    links: Mapping[str, Callable[[], Any]] | None = None,
    train: bool = False,
    **inputs: Any,
) -> Case:
    """Return a call that the compiler must refuse, saying why."""
    return Case((expression,), inputs, dict(links or {}), SINGLE, None, (), train, why)


def f32(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Return floats spread over an interval; the shape decides them."""
    random = np.random.RandomState(seed + 31 * sum(shape) + len(shape))
    return np.asarray(random.uniform(low, high, shape), np.float32)


def i32(*shape: int, high: int = 3, low: int = 0, seed: int = 0) -> np.ndarray:
    """Return ints of `[low, high)`; the shape decides them."""
    random = np.random.RandomState(seed + sum(shape))
    return np.asarray(random.randint(low, high, shape), np.int32)


def weight(*shape: int, **options: Any) -> Weight:
    """Return floats that belong to the model."""
    return Weight(f32(*shape, **options))
