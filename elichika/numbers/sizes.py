"""Conditions on sizes that numpy raises of: decided now, or checked when the model runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from elichika.values.kinds import is_number_of_the_run
from onnx_graph import Dim, ONNXGraph, Value
from onnx_graph.size_values import decided

Size = int | Dim


class Checker(Protocol):
    """What can let a model fail."""

    graph: ONNXGraph

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        """Return the tensor of a number or an array."""

    def check(
        self,
        condition: Any,
        exception: type[Exception],
        message: str,
        *,
        exact: bool | None = None,
    ) -> None:
        """Let the model fail where a bool is False, known while compiling or when it runs."""


def size_of(w: Checker, number: Any) -> int | Dim | Value:
    """Return an int, known or not, as a size; as an int64 scalar where it is none."""
    if not is_number_of_the_run(number):
        return int(number)
    return number.dim if number.dim is not None else w.value_of(number, np.int64)


def require_same(
    w: Checker,
    one: Sequence[Size],
    other: Sequence[Size],
    exception: type[Exception],
    message: str,
    *,
    exact: bool | None = True,
) -> None:
    """Raise, or check, that sizes are equal one by one; `exact`ly so does numpy."""
    for a, b in zip(one, other, strict=True):
        w.check(w.graph.compare(a, "==", b), exception, message, exact=exact)


def require_among(
    w: Checker,
    size: Size,
    wanted: Sequence[Size | Value],
    exception: type[Exception],
    message: str,
) -> None:
    """Raise, or check, that a size is one of several."""
    g = w.graph
    found = [decided(size, "==", one) for one in wanted]
    if True in found:
        return
    if None not in found:
        w.check(False, exception, message)
    own = g.dim_value(size)
    same = [g.Equal(own, g.dim_value(one)) for one in wanted]
    w.check(same[0] if len(same) == 1 else g.Or(*same), exception, message, exact=True)
