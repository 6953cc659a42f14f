"""Values of closed bodies, read from outside: by a gradient, which goes back into a branch.

A body that is *reopened* gives what is read of it as a further result of its node: an If with a
stand-in on its other side, a Loop as a stack over its turns, of which the present one is taken.
Where turns differ in size a Loop carries a sequence that each turn adds to. ONNX wants the results
of a Loop in order, what it carries first; here they come late, and `settle` brings them there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph import size_values
from onnx_graph.dims import Dim, compare, is_known, possible
from onnx_graph.errors import GraphError, NotKeptError
from onnx_graph.passes.editing import rebuilt
from onnx_graph.passes.safety import cannot_fail
from onnx_graph.scopes import Body, Scope
from onnx_graph.values import Dims, describe, dims_of, is_tensor, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["Lifting"]


class Lifting:
    """What the closed bodies of a graph give beyond their results."""

    def __init__(self, graph: ONNXGraph) -> None:
        self.graph = graph
        self._reopened: dict[Body, Value | None] = {}
        self._lifted: dict[Value, Value] = {}
        self._late: dict[ir.Node, list[int]] = {}

    @contextmanager
    def reopened(self, body: Body, turn: Value | None = None) -> Iterator[None]:
        """Let values of a closed body be read within the block; of a Loop, those of a turn."""
        before, self._reopened = self._reopened, {**self._reopened, body: turn}
        try:
            yield
        finally:
            self._reopened = before

    def reach(self, value: Value) -> Value:
        """Return a value as it can be used here: lifted, where it is of a reopened body.

        Raises:
            NotKeptError: It cannot be lifted.
        """
        if not self._reopened or value.graph is None:
            return value
        owner = self.graph.owner(value)
        if owner.encloses(self.graph.scope) or owner not in self._reopened:
            return value
        assert isinstance(owner, Body)
        lifted, turn = self._lift(owner, value), self._reopened[owner]
        outer = self.reach(lifted)
        if turn is None or lifted is value:
            return outer
        if type(outer.type) is ir.SequenceType:
            return self.graph.SequenceAt(outer, turn)
        return self.graph.Gather(outer, turn, axis=0)

    def size(self, dim: Dim) -> Value | None:
        """Return a size that tensors of a reopened body have, None where there is no such one."""
        for body in self._reopened:
            if (source := body.sources.get(dim.text)) is not None:
                return self.reach(size_values.read(self.graph, body, *source))
        return None

    def stacks(self, value: Value) -> bool:
        """Tell whether a value of a Loop's body has the same sizes in all turns."""
        body, dims = self.graph.owner(value), shape_or_none(value)
        outer = body.parent if type(body) is Body else None
        return outer is None or (
            dims is not None and all(self._outlives(dim, outer) for dim in dims)
        )

    def turns(self, body: Body) -> Value | int | Dim:
        """Return how many turns a Loop made: the size of its stacks, where that is known here."""
        height = body.height
        assert height is not None
        if is_known(height):
            return height
        stack = self.reach(self._lift(body, body.iteration))
        if self._outlives(height, self.graph.scope):
            return height
        return self.graph.Squeeze(self.graph.Shape(stack), self.graph.constant([0]))

    def settle(self) -> None:
        """Bring the results of Loops into the order of ONNX; nothing is lifted after it."""
        for node, late in self._late.items():
            if node.graph is None:  # nobody used it
                continue
            body = node.attributes["body"].as_graph()
            first = len(node.inputs) - 2 - len(late)
            rest = [i for i in range(first, len(node.outputs)) if i not in late]
            order = [*range(first), *late, *rest]
            given = list(body.outputs)
            body.outputs[:] = [given[0], *(given[1 + index] for index in order)]
            rebuilt(self.graph, node, list(node.inputs), order)
        if self._lifted:  # sizes that a stand-in needs may be computed behind its If
            self.graph.main.graph.sort()
        self._late.clear()
        self._lifted.clear()

    def _lift(self, body: Body, value: Value) -> Value:
        """Return a value of a body as a result of the node that the body is of."""
        if value not in self._lifted:
            if body.node is None:
                raise NotKeptError(f"{describe(value)} of a body without results is not kept")
            if self._moved_out(body, body.node, value):
                return value
            lift = self._out_of_loop if body.loop else self._out_of_branch
            self._lifted[value] = lift(body, body.node, value)
        return self._lifted[value]

    def _moved_out(self, body: Body, node: ir.Node, value: Value) -> bool:
        """Move what makes a value out of its body where that reads nothing of it and cannot fail.

        Out of a branch, scalars alone: a side that does not run should cost nothing.
        """
        made = value.producer()
        if made is None or value.is_graph_output() or not made.inputs or not cannot_fail(made):
            return False
        if not body.loop and shape_or_none(value) != ():
            return False
        within = [x for x in made.inputs if x is not None and x.graph is body.graph]
        if not all(self._moved_out(body, node, x) for x in within):
            return False
        body.graph.remove(made)
        assert body.parent is not None
        body.parent.graph.insert_before(node, made)
        return True

    def _out_of_loop(self, body: Body, node: ir.Node, value: Value) -> Value:
        dims, outer = shape_or_none(value), body.parent
        assert outer is not None
        if not is_tensor(value) or dims is None or value.type is None:
            raise NotKeptError(f"{describe(value)} of a loop is not kept")
        if not all(self._outlives(dim, outer) for dim in dims):
            return self._list_out_of_loop(body, node, value, outer)
        (given,) = self.graph.emit_into(body, "Identity", [value], {})
        body.graph.outputs.append(given)
        assert body.height is not None
        whole = (body.height, *dims)
        return self._sized(self._result(node, value, whole, outer), whole, outer)

    def _sized(self, stack: Value, dims: Dims, outer: Scope) -> Value:
        """Return a stack with its sizes, where they can be computed, also if there is no turn.

        Then onnxruntime gives 0 for the sizes of rows that are not constants.
        """
        if all(map(is_known, dims[1:])) or compare(dims[0], ">", 0):
            return stack
        before, self.graph.scope = self.graph.scope, outer
        try:
            sizes = [possible(dim) for dim in dims[1:]]
            shape = self.graph.shape_tensor([self.graph.size(stack, 0), *sizes])
            return self.graph.Reshape(stack, shape, allowzero=1)
        except GraphError:
            return stack
        finally:
            self.graph.scope = before

    def _list_out_of_loop(self, body: Body, node: ir.Node, value: Value, outer: Scope) -> Value:
        """Let a Loop carry the sequence of what its turns hold."""
        assert value.dtype is not None
        dims = [dim if self._outlives(dim, outer) else None for dim in dims_of(value)]
        before = body.sequence_input(value.dtype.numpy(), dims)
        (grown,) = self.graph.emit_into(body, "SequenceInsert", [before, value], {})
        first = {"dtype": value.dtype}
        (empty,) = self.graph.emit_into(outer, "SequenceEmpty", [], first, after=body.iteration)
        node.resize_inputs(len(node.inputs) + 1)
        node.replace_input_with(len(node.inputs) - 1, empty)
        body.graph.outputs.append(grown)
        self._late.setdefault(node, []).append(len(node.outputs))
        node.resize_outputs(len(node.outputs) + 1)
        result = node.outputs[-1]
        result.type, result.shape = before.type, before.shape
        return result

    def _outlives(self, dim: int | Dim, outer: Scope) -> bool:
        """Tell whether a size of a body is known outside of it."""
        return all(scope.encloses(outer) for scope in self.graph.birthplace(dim))

    def _out_of_branch(self, body: Body, node: ir.Node, value: Value) -> Value:
        if type(value.type) is ir.SequenceType:
            return self._list_out_of_branch(body, node, value)
        dims = shape_or_none(value)
        if not is_tensor(value) or dims is None or value.type is None or value.dtype is None:
            raise NotKeptError(f"{describe(value)} of a branch is not kept")
        outer = body.parent
        assert outer is not None
        outlives = [self._outlives(dim, outer) for dim in dims]
        for side in self._sides(node):
            if side is body:
                (given,) = self.graph.emit_into(side, "Identity", [value], {})
            else:
                given = self._standin(side, value, dims if all(outlives) else None)
            side.graph.outputs.append(given)
        pairs = zip(dims, outlives, strict=True)
        kept = [dim if stays else self.graph.fresh_dim(outer) for dim, stays in pairs]
        return self._result(node, value, tuple(kept), outer)

    def _list_out_of_branch(self, body: Body, node: ir.Node, value: Value) -> Value:
        """Let an If give a sequence, an empty one from its other side."""
        for side in self._sides(node):
            if side is body:
                (given,) = self.graph.emit_into(side, "Identity", [value], {})
            else:
                (given,) = self.graph.emit_into(side, "SequenceEmpty", [], {"dtype": value.dtype})
            side.graph.outputs.append(given)
        outer, dims = body.parent, shape_or_none(value)
        assert outer is not None
        kept = [dim if self._outlives(dim, outer) else None for dim in dims or ()]
        node.resize_outputs(len(node.outputs) + 1)
        result = node.outputs[-1]
        result.type, result.shape = value.type, None if dims is None else ir.Shape(kept)
        return result

    def _result(self, node: ir.Node, value: Value, dims: Dims, scope: Scope) -> Value:
        """Add a result to a node."""
        node.resize_outputs(len(node.outputs) + 1)
        result = node.outputs[-1]
        result.type, result.shape = value.type, ir.Shape(dims)
        self.graph.remember_symbols(scope, result, dims)
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
                return self.graph.shape_tensor([possible(dim) for dim in dims])
        except GraphError:
            return None
        return self.graph.constant(np.array(dims, np.int64))
