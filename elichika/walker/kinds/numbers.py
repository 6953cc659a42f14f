"""Numbers that are known only when the model runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import indexing
from elichika.iterators.base import Staged
from elichika.numbers import operators
from elichika.values.symbolic import Scalar
from elichika.walker.kinds.kind import Kind, Whole
from onnx_graph.dims import compare

if TYPE_CHECKING:
    from elichika.walker.kinds.context import KindContext

__all__ = ["KnownNumbers", "Numbers"]


class KnownNumbers(Whole):
    """A number that is known while compiling, of Python or of numpy."""

    is_plain = True


class Numbers(Kind):
    """A number or bool, of Python or of numpy."""

    is_plain = True

    def unary(self, w: KindContext, op: Any, operand: Scalar) -> Any:
        """Return `-x`, `+x` or `~x`."""
        with w.located():
            return operators.unary(w, op, operand)

    def type_of(self, value: Scalar) -> type:
        """Return the type of number that it is."""
        return value.type

    def attribute(self, w: KindContext, obj: Scalar, name: str, default: Any) -> Any:
        """Return `obj.name`, as numpy's numbers have it."""
        return w.array_attribute(obj, name, default)

    def truth(self, w: KindContext, value: Scalar) -> Any:
        """Return whether it is not 0; known, where the present branch says so."""
        if value.type is bool:
            return w.known_truth(value)
        if value.dim is not None:
            decided = compare(value.dim, "!=", 0)
            if decided is not None:
                return decided
        tensor = value.onnx_value
        if value.dtype == np.dtype(bool):
            return w.truth(w.scalar(bool, tensor))
        return w.scalar(bool, w.graph.Cast(tensor, to=np.dtype(bool)))

    def iterate(self, w: KindContext, value: Scalar) -> Staged:
        """Raise a TypeError."""
        w.raise_static(TypeError(f"'{value.type.__name__}' object is not iterable"))

    def get_item(self, w: KindContext, obj: Scalar, index: Any) -> Any:
        """Return `obj[index]`: a number of numpy's is indexed like an array without axes."""
        if issubclass(obj.type, np.generic):
            with w.located():
                return indexing.getitem(w, w.new_array(obj.onnx_value), index)
        if not obj.is_python:
            return obj if index == () else w.get_item(w.call(np.asarray, [obj], {}), index)
        return super().get_item(w, obj, index)
