"""What a typing rule sees of a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, compare, is_known, same
from onnx_graph.values import Dims, const_array, contents_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope


class MismatchError(Exception):
    """The operands do not fit together, whatever their unknown sizes are."""


class Call:
    """A node being typed: its operands, attributes, and a source of unknown sizes."""

    def __init__(self, graph: ONNXGraph, scope: Scope, node: ir.Node) -> None:
        """Wrap a node that has no types yet."""
        self.graph = graph
        self.scope = scope
        self.node = node
        self.op = node.op_type
        self.inputs = node.inputs
        self.results = len(node.outputs)

    def operand(self, index: int) -> Value | None:
        """Return an operand, None where it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def dims(self, index: int) -> Dims | None:
        """Return the sizes of an operand, None where it is left out or of unknown rank."""
        value = self.operand(index)
        return None if value is None else shape_or_none(value)

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute."""
        attribute = self.node.attributes.get(name)
        return default if attribute is None else attribute.value

    def ints(self, name: str, default: Sequence[int]) -> list[int]:
        """Return an attribute of ints."""
        value = self.attribute(name)
        return list(default) if value is None else [int(item) for item in value]

    def contents(self, index: int) -> int | Dim | tuple[int | Dim | None, ...] | None:
        """Return what is known of an int64 operand; entries may be None."""
        value = self.operand(index)
        return None if value is None else contents_of(value)

    def vector(self, index: int) -> list[int | Dim | None] | None:
        """Return the contents of an int64 vector, unknown entries as None.

        A vector of known length and unknown contents gives all None.
        """
        contents = self.contents(index)
        if isinstance(contents, tuple):
            return list(contents)
        dims = self.dims(index)
        if dims is not None and len(dims) == 1 and is_known(dims[0]) and dims[0] <= 64:
            return [None] * dims[0]
        return None

    def numbers(self, index: int) -> list[int] | None:
        """Return the contents of an integer vector if all are known ints."""
        array = self.constant(index)
        if array is not None and array.dtype.kind in "iu" and array.ndim <= 1:
            return [int(item) for item in np.atleast_1d(array)]
        contents = self.contents(index)
        if isinstance(contents, tuple):
            known = [item for item in contents if is_known(item)]
            return known if len(known) == len(contents) else None
        return None

    def constant(self, index: int) -> npt.NDArray[Any] | None:
        """Return the contents of a constant operand."""
        value = self.operand(index)
        return None if value is None else const_array(value)

    def fresh(self) -> Dim:
        """Return a new unknown size."""
        return self.graph.fresh_dim(self.scope)

    def unknown(self, rank: int | None) -> Dims | None:
        """Return ``rank`` unknown sizes."""
        return None if rank is None else tuple(self.fresh() for _ in range(rank))

    def axis(self, axis: int, rank: int) -> int:
        """Return a nonnegative axis.

        Raises:
            MismatchError: it is out of range.
        """
        if not -rank <= axis < rank:
            raise MismatchError(f"axis {axis} is out of range for rank {rank}")
        return axis % rank if rank else 0

    def axes(self, axes: Sequence[int], rank: int) -> list[int]:
        """Return nonnegative axes.

        Raises:
            MismatchError: one is out of range.
        """
        return [self.axis(int(axis), rank) for axis in axes]

    def broadcast(self, shapes: Sequence[Dims | None]) -> Dims | None:
        """Return the sizes that shapes broadcast to, None where a rank is unknown."""
        known = [shape for shape in shapes if shape is not None]
        if len(known) != len(shapes):
            return None
        rank = max(len(shape) for shape in known)
        result: list[int | Dim] = [1] * rank
        for shape in known:
            for axis, dim in enumerate(shape, rank - len(shape)):
                result[axis] = self.broadcast_size(result[axis], dim)
        return tuple(result)

    def broadcast_size(self, one: int | Dim, other: int | Dim) -> int | Dim:
        """Return the size that two sizes broadcast to.

        Raises:
            MismatchError: two numbers differ and neither is 1.
        """
        if one == 1:
            return other
        if other == 1 or same(one, other):
            return one
        if is_known(one) and is_known(other):
            raise MismatchError(f"sizes {one} and {other} do not broadcast")
        if is_known(one) or is_known(other):
            return one if is_known(one) else other
        if compare(one, "!=", 1):
            return one
        if compare(other, "!=", 1):
            return other
        return self.named("broadcast", *sorted((one, other), key=str))

    def named(self, kind: str, *sizes: int | Dim) -> int | Dim:
        """Return the unknown size that is the same function of the same sizes."""
        key = (kind, *(str(size) for size in sizes))
        for enclosing in self.scope.chain():
            if (found := enclosing.unknowns.get(key)) is not None:
                return found
        dim = self.scope.unknowns[key] = self.fresh()
        return dim

    def equal_size(self, one: int | Dim, other: int | Dim, what: str) -> int | Dim:
        """Return the better known of two sizes that must be equal at run time.

        Raises:
            MismatchError: they are different numbers.
        """
        if is_known(one) and is_known(other) and one != other:
            raise MismatchError(f"{what}: sizes {one} and {other} differ")
        return other if is_known(other) else one


Rule = Callable[[Call], "Sequence[Dims | None]"]


def is_open(entry: int | Dim | None) -> bool:
    """Tell whether an entry of a shape may be anything or negative."""
    return entry is None or not compare(entry, ">=", 0)


def surely(entry: int | Dim | None) -> int | Dim:
    """Return an entry that is known."""
    assert entry is not None
    return entry
