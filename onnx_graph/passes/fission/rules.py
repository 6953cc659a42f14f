"""What a body computes of values that all turns have, for all turns at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, compare, is_known, multiply
from onnx_graph.passes.editing import original, stays
from onnx_graph.passes.recurrences.counts import Count
from onnx_graph.passes.recurrences.spread import Plan, Spread, at_source
from onnx_graph.passes.recurrences.sums import plain_gemm
from onnx_graph.values import const_array, dims_of, entries_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["AllTurns", "elements"]

SMALL = 4096
"""A value of so many numbers may be kept of each turn."""

_UNARY = frozenset(
    {
        *("Cast", "Tanh", "Sigmoid", "Relu", "Neg", "Abs", "Exp", "Log", "Sqrt", "Reciprocal"),
        *("LeakyRelu", "Elu", "Softplus", "Erf", "Sign", "Floor", "Ceil", "Not", "IsNaN"),
    }
)
_ELEMENTWISE = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Where", "And", "Or", "Xor"),
        *("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"),
    }
)


class AllTurns(Spread):
    """Plans what is computed for all turns at once, of values that are there for all of them.

    Attributes:
        wanted: The values of turns that plans ask for, which the loop has to give.
        stacked: These for all turns, once they are there.
    """

    def __init__(
        self,
        graph: ONNXGraph,
        body: ir.Graph,
        count: Count,
        given: Collection[Value],
        bounds: Sequence[int | Dim],
        before: AllTurns | None = None,
    ) -> None:
        """Plan for a body.

        Args:
            graph: The graph.
            body: The body.
            count: How many turns there are.
            given: Values of the body that the loop can give of all turns.
            bounds: Numbers of elements that may be kept of each turn.
            before: What is planned already.
        """
        super().__init__(graph, body, count, [])
        self._given, self._bounds, self._before = given, bounds, before
        self._plans: dict[Value, Plan | None] = {}
        self._splits: dict[ir.Node, Sequence[Value]] = {}

    def plan(self, value: Value) -> Plan | None:
        """Return what emits a value of the body for all turns, [turns, ...]; None if it cannot."""
        value = original(self._body, value)
        if value not in self._plans:
            self._plans[value] = self._planned(value)
        return self._plans[value]

    def is_read(self, value: Value) -> bool:
        """Tell whether a value is a row of what is there before the loop."""
        node = original(self._body, value).producer()
        return node is not None and node.op_type == "Gather" and self._read(node) is not None

    def _planned(self, value: Value) -> Plan | None:
        plan = None if self._before is None else self._before.plan(value)
        if plan is not None:
            return plan
        if value in self._given:
            self.wanted.add(value)
            return lambda: self.stacked[value]
        node = value.producer()
        if node is None or value.graph is not self._body or stays(node) or not self._fits(value):
            return None
        return self._divided(node, value) if node.op_type == "Split" else super().plan(value)

    def _fits(self, value: Value) -> bool:
        """Tell whether a value has the same sizes in all turns, and not too many elements."""
        dims, home = shape_or_none(value), self._graph.owner(value).parent
        if dims is None or home is None:
            return False
        born = (scope for dim in dims for scope in self._graph.birthplace(dim))
        number = elements(dims)
        few = number <= SMALL if is_known(number) else False
        return all(scope.encloses(home) for scope in born) and (
            few or any(compare(number, "<=", bound) is True for bound in self._bounds)
        )

    def _rule(self, node: ir.Node) -> Plan | None:
        kind = node.op_type
        if kind in _ELEMENTWISE:
            return self._elementwise(node)
        if kind in _UNARY:
            (value,) = node.inputs
            attributes = {name: one.value for name, one in node.attributes.items()}
            return None if value is None else self._applied(node, self.plan(value), attributes)
        rule = _RULES.get(kind)
        return super()._rule(node) if rule is None else rule(self, node) or super()._rule(node)

    def _full(self, value: Value | None) -> Plan | None:
        """Plan an operand, also one that is the same in all turns."""
        if value is None or not self._is_outer(value):
            return None if value is None else self.plan(value)
        g = self._graph
        return lambda: g.Expand(value, self._of_all(g.Shape(value)))

    def _aligned(self, value: Value | None, rank: int) -> Plan | None:
        """Plan an operand of what has as many axes in each turn."""
        if value is None or self._is_outer(value):
            return None if value is None else lambda: value
        plan, dims, g = self.plan(value), shape_or_none(value), self._graph
        if plan is None or dims is None or len(dims) == rank:
            return plan if dims is not None else None
        axes = list(range(1, 1 + rank - len(dims)))
        return lambda: g.Unsqueeze(plan(), axes)

    def _elementwise(self, node: ir.Node) -> Plan | None:
        rank, g = len(dims_of(node.outputs[0])), self._graph
        plans = [self._aligned(value, rank) for value in node.inputs]
        parts = [plan for plan in plans if plan is not None]
        if len(parts) < len(plans) or all(self._is_outer(v) for v in node.inputs if v is not None):
            return None
        return lambda: g.emit(node.op_type, [part() for part in parts])

    def _divided(self, node: ir.Node, value: Value) -> Plan | None:
        """Plan a part of a Split."""
        whole, *sizes = node.inputs
        plan = None if whole is None else self.plan(whole)
        number = value.index()
        if plan is None or whole is None or number is None or any(sizes):
            return None
        axis, g, count = _axis(node, whole), self._graph, len(node.outputs)

        def emit() -> Value:
            if node not in self._splits:
                with at_source(g, node):
                    attributes = {"axis": axis, "num_outputs": count}
                    self._splits[node] = g.emit("Split", [plan()], attributes, outputs=count)
            return self._splits[node][number]

        return emit

    def _of_all(self, sizes: Value) -> Value:
        """Emit sizes for all turns."""
        g = self._graph
        return g.Concat(g.Unsqueeze(self._count.value(), [0]), sizes, axis=0)

    def reshaped(self, node: ir.Node) -> Plan | None:
        """Plan a Reshape."""
        value, sizes = node.inputs
        plan, g = None if value is None else self.plan(value), self._graph
        if plan is None or sizes is None or not self._is_outer(sizes):
            return None
        if not all(map(_is_plain, entries_of(sizes))):  # of no turns, -1 means nothing
            dims = dims_of(node.outputs[0])
            if not all(map(is_known, dims)):
                return None
            sizes = g.constant(np.array(dims, np.int64))
        attributes = {name: one.value for name, one in node.attributes.items()}
        return lambda: g.emit("Reshape", [plan(), self._of_all(sizes)], attributes)

    def with_axes(self, node: ir.Node) -> Plan | None:
        """Plan what adds, removes or sums axes."""
        value, axes = (*node.inputs, None)[:2]
        known = None if axes is None else const_array(axes)
        plan, g = None if value is None else self.plan(value), self._graph
        sums = node.op_type == "ReduceSum" and "noop_with_empty_axes" not in node.attributes
        if plan is None or value is None or (known is None and not (axes is None and sums)):
            return None
        of = node.outputs[0] if node.op_type == "Unsqueeze" else value
        rank = len(dims_of(of))
        some = () if known is None else tuple(known.tolist())
        places = [axis % rank for axis in some] if some else range(rank)
        shifted = [axis + 1 for axis in places]
        if node.op_type != "ReduceSum":
            return lambda: g.emit(node.op_type, [plan(), g.constant(shifted)])
        keeps = node.attributes["keepdims"].as_int() if "keepdims" in node.attributes else 1
        if not shifted:
            return plan
        return lambda: g.ReduceSum(plan(), shifted, keepdims=keeps)

    def turned(self, node: ir.Node) -> Plan | None:
        """Plan a Transpose."""
        value, g = node.inputs[0], self._graph
        plan = None if value is None else self.plan(value)
        if plan is None or "perm" not in node.attributes:
            return None
        perm = [0, *(axis + 1 for axis in node.attributes["perm"].as_ints())]
        return lambda: g.Transpose(plan(), perm=perm)

    def at_indices(self, node: ir.Node) -> Plan | None:
        """Plan what reads or writes elements at indices."""
        data, g = node.inputs[0], self._graph
        plans = [self._full(value) for value in node.inputs]
        parts = [plan for plan in plans if plan is not None]
        if data is None or len(parts) < len(plans):
            return None
        attributes: dict[str, Any] = {"axis": _axis(node, data)}
        if "reduction" in node.attributes:
            attributes["reduction"] = node.attributes["reduction"].as_string()
        return lambda: g.emit(node.op_type, [part() for part in parts], attributes)

    def picked(self, node: ir.Node) -> Plan | None:
        """Plan a Gather by an index that is the same in all turns."""
        data, index = node.inputs
        if data is None or index is None or self._is_outer(data) or const_array(index) is None:
            return None
        plan, axis, g = self.plan(data), _axis(node, data), self._graph
        return None if plan is None else lambda: g.Gather(plan(), index, axis=axis)

    def product(self, node: ir.Node) -> Plan | None:
        """Plan a Gemm with what is there before the loop, of all rows of all turns."""
        left, right, *added = node.inputs
        bias = added[0] if added else None
        plan = None if left is None or not plain_gemm(node) else self.plan(left)
        if plan is None or left is None or right is None or not self._is_outer(right):
            return None
        rank = None if bias is None else len(shape_or_none(bias) or (0, 0))
        width, to = dims_of(left)[1], dims_of(node.outputs[0])[1]
        if not (is_known(width) and is_known(to)) or (
            bias is not None and (not self._is_outer(bias) or rank != 1)
        ):
            return None
        turned = node.attributes["transB"].as_int() if "transB" in node.attributes else 0
        more, g = [] if bias is None else [bias], self._graph

        def emit() -> Value:
            whole = plan()
            rows = g.Reshape(whole, [-1, width])
            made = g.emit("Gemm", [rows, right, *more], {"transB": turned})
            sizes = g.Concat(g.Shape(whole, start=0, end=2), g.constant([to]), axis=0)
            return g.Reshape(made, sizes)

        return emit


def elements(dims: Sequence[int | Dim]) -> int | Dim:
    """Return how many elements a tensor has."""
    number: int | Dim = 1
    for dim in dims:
        number = multiply(number, dim)
    return number


def _is_plain(entry: int | Dim | None) -> bool:
    """Tell whether an entry of a shape is a size, or means that of the operand, and not -1."""
    return type(entry) is Dim or (is_known(entry) and entry >= 0)


def _axis(node: ir.Node, value: Value) -> int:
    """Return the axis of a node, one further."""
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 0
    return int(np.int64(axis) % len(dims_of(value))) + 1


_RULES: Mapping[str, Callable[[AllTurns, ir.Node], Plan | None]] = {
    "Gemm": AllTurns.product,
    "Gather": AllTurns.picked,
    "GatherElements": AllTurns.at_indices,
    "ScatterElements": AllTurns.at_indices,
    "Reshape": AllTurns.reshaped,
    "Unsqueeze": AllTurns.with_axes,
    "Squeeze": AllTurns.with_axes,
    "ReduceSum": AllTurns.with_axes,
    "Transpose": AllTurns.turned,
}
