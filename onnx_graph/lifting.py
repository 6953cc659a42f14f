"""Values of closed bodies, read from outside: by a gradient, which goes back into a branch.

A body that is *reopened* gives what is read of it as a further result of its node; the other side
of an If gives a stand-in for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim
from onnx_graph.errors import GraphError
from onnx_graph.scopes import Body, Scope
from onnx_graph.values import Dims, describe, is_tensor, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["Lifting"]


class Lifting:
    """What the closed bodies of a graph give beyond their results."""

    def __init__(self, graph: ONNXGraph) -> None:
        self.graph = graph
        self._reopened: list[Body] = []
        self._lifted: dict[Value, Value] = {}

    @contextmanager
    def reopened(self, body: Body) -> Iterator[None]:
        """Let values of a closed body be read within the block."""
        self._reopened.append(body)
        try:
            yield
        finally:
            self._reopened.pop()

    def reach(self, value: Value) -> Value:
        """Return a value as it can be used here: lifted, where it is of a reopened body.

        Raises:
            GraphError: It cannot be lifted.
        """
        if not self._reopened or value.graph is None:
            return value
        owner = self.graph.owner(value)
        while not owner.encloses(self.graph.scope) and owner in self._reopened:
            assert isinstance(owner, Body) and owner.parent is not None
            value = self._lift(owner, value)
            owner = owner.parent
        return value

    def _lift(self, body: Body, value: Value) -> Value:
        """Return a value of a body as a result of the node that the body is of."""
        if value not in self._lifted:
            if body.loop or body.node is None:
                raise GraphError(f"{describe(value)} of a loop is not kept")
            self._lifted[value] = self._out_of_branch(body, body.node, value)
        return self._lifted[value]

    def _out_of_branch(self, body: Body, node: ir.Node, value: Value) -> Value:
        dims = shape_or_none(value)
        if not is_tensor(value) or dims is None or value.type is None or value.dtype is None:
            raise GraphError(f"{describe(value)} of a branch is not kept")
        outer = body.parent
        assert outer is not None
        outlives = [all(s.encloses(outer) for s in self.graph.birthplace(dim)) for dim in dims]
        for side in self._sides(node):
            if side is body:
                (given,) = self.graph.emit_into(side, "Identity", [value], {})
            else:
                given = self._standin(side, value, dims if all(outlives) else None)
            side.graph.outputs.append(given)
        node.resize_outputs(len(node.outputs) + 1)
        result = node.outputs[-1]
        result.type = value.type
        pairs = zip(dims, outlives, strict=True)
        kept = [dim if stays else self.graph.fresh_dim(outer) for dim, stays in pairs]
        result.shape = ir.Shape(kept)
        self.graph.remember_symbols(outer, result, tuple(kept))
        return result

    def _sides(self, node: ir.Node) -> list[Body]:
        graphs = [node.attributes[name].as_graph() for name in ("then_branch", "else_branch")]
        return [self.graph.body_of(graph) for graph in graphs]

    def _standin(self, side: Scope, value: Value, dims: Dims | None) -> Value:
        """Return zeros of the same sizes, or of none, in another body."""
        assert value.dtype is not None
        zero = np.zeros((), value.dtype.numpy())
        rank = len(shape_or_none(value) or ())
        before, self.graph.scope = self.graph.scope, side
        try:
            shape = self._shape(dims) if dims is not None else None
            if shape is None:
                shape = self.graph.constant(np.zeros(rank, np.int64))
            return self.graph.Expand(self.graph.constant(zero), shape)
        finally:
            self.graph.scope = before

    def _shape(self, dims: Dims) -> Value | None:
        try:
            if any(isinstance(dim, Dim) for dim in dims):
                return self.graph.shape_tensor(list(dims))
        except GraphError:
            return None
        return self.graph.constant(np.array(dims, np.int64))
