"""Indexing of graph values, for lowerings that have no walker."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from elichika.errors import StagingError
from elichika.indexing.entries import plan
from elichika.numbers.kernels import cast
from elichika.values.kinds import is_listed
from elichika.values.symbolic import Scalar
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, is_value


class _Bare:
    """The services of an index that holds graph values, sizes, ints and arrays only."""

    def __init__(self, graph: ONNXGraph) -> None:
        self.graph = graph
        self.guarded = 0
        self.tokens: list[Value] = []

    def raise_static(self, error: BaseException) -> NoReturn:
        raise error

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        raise StagingError(message, (), hint)

    def check(
        self,
        condition: Any,
        exception: type[BaseException],
        message: str,
        *,
        exact: bool | None = None,
    ) -> None:
        self.tokens.append(self.graph.check(condition, f"{exception.__name__}: {message}"))

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        inner = getattr(value, "onnx_value", value)
        result = inner if is_value(inner) else self.graph.constant(np.asarray(inner))
        return result if dtype is None else cast(self.graph, result, dtype)

    def narrow(self, value: Any) -> Any:
        return value

    def items(self, value: Any) -> tuple[Any, ...]:
        return tuple(value)

    def is_symbolic(self, value: Any) -> bool:
        return is_listed(value) and any(map(is_value, value))

    def native_array(self, value: Any) -> NoReturn:
        self.refuse("a list of tensors is not an index")

    def numbers_in(self, value: Any) -> None:
        return None


def index_value(g: ONNXGraph, value: Value, index: Any) -> Value:
    """Return the elements of a tensor that an index selects.

    Args:
        g: The graph under construction.
        value: A tensor.
        index: As in `array[index]`; what is known when the model runs are int64 scalars, sizes, and
            tensors of ints or bools. A scalar tensor counts as an int.

    Raises:
        IndexError: The index fits at no size.
    """
    entries = index if isinstance(index, tuple) else (index,)
    bare = _Bare(g)
    chosen = plan(bare, dims_of(value), tuple(map(_scalar_entry, entries)))
    for token in bare.tokens:
        value = g.tie(value, token)
    return chosen.read(g, value)


def _scalar_entry(entry: Any) -> Any:
    if is_value(entry) and not dims_of(entry) and dtype_of(entry).kind in "iu":
        return Scalar(int, entry)
    return entry
