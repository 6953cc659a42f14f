"""What a body computes in each turn without its state, for all turns at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import add, compare, same
from onnx_graph.marks import MAY_FAIL, SOURCE
from onnx_graph.passes.editing import original
from onnx_graph.passes.recurrences.counts import Count
from onnx_graph.passes.recurrences.sums import plain_gemm
from onnx_graph.passes.recurrences.turns import at_turn, linear
from onnx_graph.passes.shared_weights import turns
from onnx_graph.values import const_array, dims_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["Plan", "Spread", "at_source"]

_UNARY = frozenset({"Cast", "Tanh", "Sigmoid", "Relu", "Neg", "Abs", "Exp", "LeakyRelu", "Elu"})
_BINARY = frozenset({"Add", "Sub", "Mul", "Div"})
_ALONG = frozenset({"Softmax", "LogSoftmax"})
Plan = Callable[[], Value]


@contextmanager
def at_source(graph: ONNXGraph, node: ir.Node) -> Iterator[None]:
    """Let new nodes stand for the place of another."""
    with graph.at(node.meta.get(SOURCE)):
        yield


class Spread:
    """Plans what is computed for all turns at once; nothing is emitted until a plan is called.

    Attributes:
        stacked: The states of cells for all turns, by what they are in one.
        wanted: The states that plans ask for.
        planned: The nodes that plans stand for.
    """

    def __init__(
        self, graph: ONNXGraph, body: ir.Graph, count: Count, states: Sequence[Value]
    ) -> None:
        """Plan for a body with these states."""
        self._graph, self._body, self._count, self._states = graph, body, count, states
        self._made: dict[Value, Value] = {}
        self.stacked: dict[Value, Value] = {}
        self.wanted: set[Value] = set()
        self.planned: set[ir.Node] = set()

    def plan(self, value: Value) -> Plan | None:
        """Return what emits a value of the body for all turns, [turns, ...]; None if it cannot."""
        value = original(self._body, value)
        if any(value is state for state in self._states):
            self.wanted.add(value)
            return lambda: self.stacked[value]
        node = value.producer()
        if node is None or value.graph is not self._body or len(node.outputs) != 1:
            return None
        emit = self._rule(node)
        if emit is None:
            return None
        self.planned.add(node)

        def once() -> Value:
            if value not in self._made:
                with at_source(self._graph, node):
                    made = self._made[value] = emit()
                if MAY_FAIL in node.meta and node.op_type == "Gather":
                    _keep(made, node)
            return self._made[value]

        return once

    def _rule(self, node: ir.Node) -> Plan | None:
        kind, inputs = node.op_type, [value for value in node.inputs if value is not None]
        if kind == "Gather":
            return self._read(node) or self._looked_up(node)
        if kind in _UNARY:
            return self._applied(node, self.plan(inputs[0]), _attributes(node))
        if kind in _ALONG:
            rank = len(shape_or_none(inputs[0]) or ())
            axis = node.attributes["axis"].as_int() if "axis" in node.attributes else -1
            shifted = {"axis": axis % rank + 1} if rank else {}
            return self._applied(node, self.plan(inputs[0]), shifted) if rank else None
        if kind in ("Gemm", "MatMul"):
            return self._multiplied(node)
        if kind in _BINARY:
            return self._combined(node)
        return self._joined(node) if kind == "Concat" else None

    def _applied(self, node: ir.Node, plan: Plan | None, attributes: dict[str, Any]) -> Plan | None:
        if plan is None:
            return None
        g = self._graph
        return lambda: g.emit(node.op_type, [plan()], attributes)

    def _is_outer(self, value: Value) -> bool:
        return value.graph is not self._body

    def _looked_up(self, node: ir.Node) -> Plan | None:
        data, index = node.inputs
        if data is None or index is None or not self._is_outer(data) or _axis(node, 1) != 0:
            return None
        plan, g = self.plan(index), self._graph
        return (
            None if plan is None else lambda: g.emit_into(g.scope, "Gather", [data, plan()], {})[0]
        )

    def _multiplied(self, node: ir.Node) -> Plan | None:
        left, right, *added = node.inputs
        plan = None if left is None else self.plan(left)
        if plan is None or right is None or not self._is_outer(right):
            return None
        if len(shape_or_none(right) or ()) != 2 or len(dims_of(node.outputs[0])) != 2:
            return None
        bias = added[0] if added else None
        gemm = node.op_type == "Gemm"
        if gemm and not plain_gemm(node):
            return None
        if bias is not None and (not self._is_outer(bias) or len(shape_or_none(bias) or (0,)) > 1):
            return None
        g = self._graph

        def emit() -> Value:
            weight = g.Transpose(right, perm=[1, 0]) if gemm and turns(node) else right
            product = g.MatMul(plan(), weight)
            return product if bias is None else g.Add(product, bias)

        return emit

    def _combined(self, node: ir.Node) -> Plan | None:
        parts: list[Plan] = []
        rank = len(shape_or_none(node.outputs[0]) or ())
        for value in node.inputs:
            dims = None if value is None else shape_or_none(value)
            if value is None or dims is None:
                return None
            outer = self._is_outer(value)
            plan = (lambda value=value: value) if outer else self.plan(value)
            if plan is None or (not outer and len(dims) != rank):
                return None
            parts.append(plan)
        g = self._graph
        if all(value is not None and self._is_outer(value) for value in node.inputs):
            return None
        return lambda: g.emit(node.op_type, [part() for part in parts])

    def _joined(self, node: ir.Node) -> Plan | None:
        plans = [None if value is None else self.plan(value) for value in node.inputs]
        parts = [plan for plan in plans if plan is not None]
        if len(parts) != len(plans):
            return None
        axis, g = _axis(node, len(dims_of(node.outputs[0]))) + 1, self._graph
        return lambda: g.Concat(*(part() for part in parts), axis=axis)

    def _read(self, node: ir.Node) -> Plan | None:
        """Plan what turns read of an array, one after the other, in either direction."""
        data, index = node.inputs
        if data is None or index is None or not self._is_outer(data):
            return None
        dims, iteration, count = shape_or_none(data), self._body.inputs[0], self._count
        terms = linear(index)
        step = terms.get(iteration, 0)
        if dims is None or step not in (1, -1) or index.shape is None or index.shape.rank() != 0:
            return None
        axis = _axis(node, len(dims))
        low = dict(at_turn(terms, iteration, count.first))
        if step == -1:
            for key, factor in count.terms.items():
                low[key] = low.get(key, 0) - factor
            low[None] = low.get(None, 0) + 1
        start = low.pop(None, 0)
        if any(low.values()) or start < 0:
            return None
        if compare(add(count.size, start), "<=", dims[axis]) is not True:
            return None
        whole = start == 0 and same(count.size, dims[axis])
        return lambda: self._rows(data, axis, None if whole else start, step)

    def _rows(self, data: Value, axis: int, start: int | None, step: int) -> Value:
        g, rows, dims = self._graph, data, dims_of(data)
        kept = (*dims[:axis], self._count.size, *dims[axis + 1 :])
        assert data.type is not None
        type_ = data.type
        if start is not None:
            low, high = g.constant([start]), g.Unsqueeze(g.Add(self._count.value(), start), [0])
            operands = [rows, low, high, g.constant([axis])]
            (rows,) = g.emit_into(g.scope, "Slice", operands, {}, types=[(type_, kept)])
        if step == -1:
            ends = [g.constant([item]) for item in (-1, np.iinfo(np.int64).min, axis, -1)]
            (rows,) = g.emit_into(g.scope, "Slice", [rows, *ends], {}, types=[(type_, kept)])
        others = [number for number in range(len(dims)) if number != axis]
        return g.Transpose(rows, perm=[axis, *others]) if axis else rows


def _keep(made: Value, node: ir.Node) -> None:
    """Let what may fail as a node does stay."""
    producer = made.producer()
    if producer is not None and producer.op_type == "Gather":
        producer.meta[MAY_FAIL] = node.meta[MAY_FAIL]


def _axis(node: ir.Node, rank: int) -> int:
    return node.attributes["axis"].as_int() % rank if "axis" in node.attributes else 0


def _attributes(node: ir.Node) -> dict[str, Any]:
    return {name: attribute.value for name, attribute in node.attributes.items()}


def is_small(value: Value, largest: float) -> bool:
    """Tell whether what a turn reads of a constant table sums up to no more than this."""
    node = value.producer()
    if node is None or node.op_type != "Gather" or node.inputs[0] is None:
        return False
    table = const_array(node.inputs[0])
    return table is not None and bool(np.abs(table).max(initial=0) < largest / 1e9)
