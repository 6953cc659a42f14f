"""Conditions on sizes that Chainer checks and ONNX does not: decided now or at run time."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from elichika.errors import UnsupportedFunction
from elichika.values.kinds import is_integer
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, same
from onnx_graph.dims import maximum

__all__ = [
    "Size",
    "axes_from_the_front",
    "known",
    "known_now",
    "product",
    "rank",
    "require",
    "require_nonempty",
    "same_shape",
    "size_at_least",
    "size_of",
    "trailing_axes",
    "value_of_size",
]

Size = int | Dim

_OPERATORS = {"==": "Equal", ">=": "GreaterOrEqual", "<=": "LessOrEqual", ">": "Greater"}


def known_now(*sizes: Any) -> bool:
    """Tell whether sizes are all numbers."""
    return all(isinstance(size, int) for size in sizes)


def known(sizes: Iterable[Any]) -> list[int]:
    """Return those of some sizes that are numbers."""
    return [size for size in sizes if known_now(size)]


def value_of_size(g: ONNXGraph, size: Any) -> Value:
    """Return a size, which may be a graph value already, as a graph value."""
    return size if isinstance(size, Value) else g.dim_value(size)


def rank(x: Value) -> int:
    """Return the number of axes."""
    return len(dims_of(x))


def axes_from_the_front(x: Value, axes: Iterable[Any]) -> list[int]:
    """Return axes of `x` counted from the front.

    Raises:
        ValueError: One of them is not there, or is given twice; as numpy says it.
    """
    numbers = tuple(map(operator.index, axes))
    np.any(np.empty((1,) * rank(x), np.bool_), axis=numbers)
    return [axis % rank(x) for axis in numbers]


def product(sizes: Iterable[Size]) -> Size:
    """Return the product of sizes."""
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def size_of(item: Any) -> Any:
    """Return what an attribute of a node says of a size: an int, a Dim, or a graph value."""
    if is_integer(item):
        return int(item)
    dim = getattr(item, "dim", None)
    return dim if isinstance(dim, Dim) else getattr(item, "onnx_value", item)


def with_unknown(g: ONNXGraph, shape: Iterable[Any]) -> list[Any]:
    """Return the items of a shape with -1 for each that is below 0: numpy takes any as unknown."""
    return [
        g.Max(item, np.int64(-1)) if isinstance(item, Value) else -1 if _is_below(item) else item
        for item in shape
    ]


def tells_unknown(g: ONNXGraph, shape: list[Any]) -> Value | None:
    """Return whether the unknown size of a shape, if it has one, does not stand beside a 0.

    Numpy cannot tell it there; onnxruntime makes something of it. None where that is sure.
    """
    small = [item for item in shape if type(item) is Value or not compare(item, ">", 0)]
    if len(small) < 2 or Value not in map(type, small):
        return None
    sizes = g.shape_tensor(small)
    none_unknown = g.GreaterOrEqual(g.ReduceMin(sizes, keepdims=0), np.int64(0))
    none_empty = g.Greater(g.ReduceMin(g.Abs(sizes), keepdims=0), np.int64(0))
    result: Value = g.Or(none_unknown, none_empty)
    return result


def _is_below(item: Size) -> bool:
    return compare(item, "<", 0) is True


def require(
    g: ONNXGraph, x: Value, left: Any, op: str, right: Any, message: str, raised: bool = True
) -> Value:
    """Return `x`, tied to a check of two sizes where it is not known that they fit.

    What is known to be false fails when the model runs, as the chain does.

    Args:
        g: The graph.
        x: What waits for the check.
        left: A size.
        op: How it compares.
        right: Another size.
        message: What the model says.
        raised: The chain fails there as well; else no handler of the program runs.
    """
    token, made = _required(g, left, op, right, message, raised)
    return x if token is None or not made else g.tie(x, token)


def _required(
    g: ONNXGraph, left: Any, op: str, right: Any, message: str, raised: bool = True
) -> tuple[Value | None, bool]:
    """Return the token of a check of two sizes, None if they fit, and whether it is a new one."""
    if not isinstance(left, Value) and not isinstance(right, Value):
        if compare(left, op, right):
            return None, False
        key = ("required", str(left), op, str(right), raised)
    else:
        key = ("required", left, op, right, raised)
    token = g.memoised(g.scope, key)
    if token is not None:
        return token, False
    holds = g.emit(_OPERATORS[op], [value_of_size(g, left), value_of_size(g, right)])
    token = g.scope.memo[key] = g.check(holds, message, raised=raised)
    return token, True


def require_nonempty(g: ONNXGraph, x: Value, axes: Iterable[int], what: str) -> Value:
    """Return `x`, checked to have elements along some axes; numpy refuses an empty maximum."""
    dims = dims_of(x)
    for axis in axes:
        x = require(g, x, dims[axis], ">=", 1, f"zero-size array to {what}")
    return x


def size_at_least(
    g: ONNXGraph, x: Value, item: Any, least: int, message: str
) -> tuple[Value, Size]:
    """Return what an attribute of a node says of a size; `x` is checked for it where need be.

    A size that is too small fails when the model runs; until then it is `least`, so that
    nothing divides by zero before.
    """
    size = size_of(item)
    of_run = isinstance(size, Value)
    if known_now(size) or (not of_run and compare(size, ">=", least)):
        return x, size
    x = require(g, x, size, ">=", least, message)
    if not of_run:
        return x, maximum(size, least)
    return x, dims_of(g.Range(0, g.Max(size, least), 1))[0]


def same_shape(g: ONNXGraph, x: Value, y: Value, axes: Iterable[int] | None = None) -> Value:
    """Return `x`, checked to have the sizes of `y`, where ONNX would broadcast.

    The result has the sizes of `y` by name: what is computed of both has them too.
    """
    ours, theirs = dims_of(x), dims_of(y)
    if axes is None and len(ours) != len(theirs):
        raise UnsupportedFunction(f"shapes {_text(ours)} and {_text(theirs)} differ")
    dims = list(ours)
    for axis in range(len(ours)) if axes is None else axes:
        token, _ = _required(g, ours[axis], "==", theirs[axis], f"sizes of axis {axis} differ")
        if token is not None:
            dims[axis] = ours[axis] if known_now(ours[axis]) else theirs[axis]
            x = g.tie(x, token, dims)
    return x


def _text(dims: Iterable[Size]) -> str:
    return "[" + ", ".join(map(str, dims)) + "]"


def trailing_axes(g: ONNXGraph, w: Value, x: Value) -> Value:
    """Line up the axes of `w` with those of `x` behind the batch axis, checked to be equal."""
    for axis, (ours, theirs) in enumerate(zip(dims_of(w), dims_of(x)[1:], strict=False), 1):
        if not same(ours, theirs):
            w = require(g, w, ours, "==", theirs, f"sizes of axis {axis} differ")
    return g.Unsqueeze(w, [0, *range(1 + rank(w), rank(x))])
