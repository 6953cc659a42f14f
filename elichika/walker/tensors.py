"""Numbers, arrays and Variables of the program, as tensors of the graph."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import chainer
import numpy as np

from elichika.state.joins import Leaf
from elichika.values.c_order import UNORDERED
from elichika.values.symbolic import (
    COUNTER_BOUND,
    PYTHON_DTYPES,
    Array,
    Choice,
    Scalar,
    Symbolic,
    Var,
)
from elichika.walker.native.costs import too_large
from elichika.walker.walk import Walk
from onnx_graph import Dim, GraphError, Value, dims_of, dtype_of
from onnx_graph.dims import possible


class Tensors:
    """Tensors of what the program holds, and numbers of what the graph has."""

    def __init__(self, w: Walk) -> None:
        self.w = w

    def constant(self, value: Any) -> Value:
        """Return the graph constant for a static number or array."""
        if isinstance(value, np.ndarray):
            if value.dtype == object:
                self.w.refuse("an array of Python objects is not a tensor")
            name = self.w.names.get(id(value))
            if 0 in value.strides and not name:
                self.w.require_room(too_large(value))
            made = self.w.graph.initializer(name, value) if name else self.w.graph.constant(value)
            if value.ndim > 1 and not value.flags.c_contiguous:
                made.meta[UNORDERED] = True
            return made
        return self.w.graph.constant(value)

    def absent(self, leaf: Leaf) -> Value:
        """Return a stand-in for a graph value that is not there."""
        if leaf.sequence:
            return self.w.graph.SequenceEmpty(dtype=leaf.dtype)
        dims = [None if dim is None else possible(dim) for dim in leaf.dims or ()]
        known = [dim if isinstance(dim, int) else 0 for dim in dims]
        if known != dims:
            with suppress(GraphError):  # a size that cannot be computed here is 0
                shape = self.w.graph.shape_tensor([d if d is not None else 0 for d in dims])
                return self.w.graph.Expand(self.w.graph.constant(np.zeros((), leaf.dtype)), shape)
        if math.prod(known) > 100_000:
            shape = self.w.graph.constant(np.array(known, np.int64))
            return self.w.graph.Expand(self.w.graph.constant(np.zeros((), leaf.dtype)), shape)
        return self.w.graph.constant(np.zeros(known, leaf.dtype))

    def scalar(self, type_: type, value: Value, bound: int | None = None) -> Scalar:
        """Return a Python or numpy scalar whose 0-d tensor is `value`."""
        return Scalar(type_, value, bound=bound)

    def dim_scalar(self, dim: int | Dim) -> int | Scalar:
        """Return a size as Python sees it: an int where known."""
        if isinstance(dim, int):
            return dim
        return Scalar(int, dim=dim, graph=self.w.graph, bound=COUNTER_BOUND)

    def scalar_value(self, value: Any, dtype: np.dtype[Any]) -> Value:
        """Return a number, static or not, as a 0-d tensor of `dtype`."""
        if isinstance(value, Symbolic):
            return self.value_of(value, dtype)
        return self.w.graph.constant(np.array(value, dtype))

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        """Return the graph value of a number, array or Variable.

        Args:
            value: `Scalar`, `Array`, `Var`, or a static number, array or Variable.
            dtype: Cast to this.
        """
        value = self.w.narrow(value)
        if isinstance(value, Scalar):
            result = value.onnx_value
            if value.whole is not None and dtype is not None and np.dtype(dtype) == np.int64:
                result = value.whole
        elif isinstance(value, Array):
            result = self.w.read(value)
        elif isinstance(value, Var):
            result = self.w.read(value.array)
        elif isinstance(value, chainer.Variable):
            result = self.w.read(self.w.as_var(value).array)
        elif isinstance(value, np.ndarray):
            result = self.w.read(self.w.as_array(value))
        elif isinstance(value, (bool, int, float, np.generic)):
            kind = PYTHON_DTYPES.get(type(value))
            result = self.w.graph.constant(np.asarray(value, dtype or kind))
        elif isinstance(value, Choice):
            return self.w.choices.as_tensor(value, dtype)
        else:
            self.w.refuse(f"a tensor is needed here, not {type(value).__name__}")
        if dtype is not None and dtype_of(result) != np.dtype(dtype):
            result = self.w.graph.Cast(result, to=np.dtype(dtype))
        return result

    def dims(self, value: Any) -> tuple[int | Dim, ...]:
        """Return the sizes of an array, Variable or scalar."""
        if isinstance(value, (Array, Var, Scalar, Choice)):
            return tuple(dims_of(self.value_of(value)))
        return tuple(np.shape(value))
