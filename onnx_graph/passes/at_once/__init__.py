"""Loops whose turns do not depend on one another are computed for all turns at once.

s = Loop(n, True, 0) { If(Less(xs[turn], y)) { Add(s, 1) } { s } }
s = ReduceSum(Where(Less(xs, y), 1, 0))

So are two such loops, one in the other, whose turns are then a table. What a turn does may read its
number, rows of arrays and what is there before the loop; of what is carried it may only add to a
number, make a truth true, keep the best with its place, write another element of an array than any
other turn, count by keys, or leave for the end what it made. Numbers are summed one after the
other, so that each turn may read the sum up to it, and end the loop by it; a check holds if it does
in all turns that come to it. Turns after the one that ends a loop are computed, too, and masked. A
turn that may fail otherwise, but for a row that is not there, stays in its loop; so does one that
computes large arrays. Where there may be more turns than the arrays of the model are long, the loop
stays as well, for more than `MOST` turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.integers import Integers
from onnx_graph.passes.at_once.carried import found, result
from onnx_graph.passes.at_once.planned import Planned, begins
from onnx_graph.passes.at_once.turns import MOST, Turns
from onnx_graph.passes.at_once.written import find_written
from onnx_graph.passes.editing import before, bodies, nested, replace, surely_replace
from onnx_graph.passes.recurrences.spread import at_source
from onnx_graph.passes.sizes import learn
from onnx_graph.scopes import Body, Scope, detach
from onnx_graph.values import dims_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "stacks": "a list that each turn appends to is no list",
    "ranges": "an index that is surely within its list has no check",
    "hoisting": "what is the same in each turn is computed before",
}

STAYS = "onnx_graph.at_once.stays"
"""Marks a loop that is left for more turns than that."""


def run(graph: ONNXGraph) -> int:
    """Compute loops at once; return how many."""
    count = 0
    while (found := next(_found(graph), None)) is not None:
        found.replace()
        count += 1
    return count


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No loop has turns that do not depend on one another."""
    for _ in _found(graph):
        yield "a loop whose turns do not depend on one another"


def _found(graph: ONNXGraph) -> Iterator[_AtOnce]:
    integers = Integers(graph.main.graph)
    for scope in reversed(list(nested(graph.main.graph))):
        for node in scope:
            if node.op_type == "Loop" and STAYS not in node.meta and node.inputs[0] is not None:
                found = _AtOnce(graph, node, integers)
                if found.planned():
                    yield found


class _AtOnce:
    """A loop that is to be replaced."""

    def __init__(self, graph: ONNXGraph, loop: ir.Node, integers: Integers) -> None:
        """Plan nothing yet."""
        self._graph, self._loop = graph, loop
        self._turns = Turns(graph, loop, None, integers, result, found)
        find_written(self._turns)
        self._results: dict[Value, Planned] = {}

    def planned(self) -> bool:
        """Plan all that is read of the loop; False if something cannot be had."""
        turns = self._turns
        if not turns.is_known or (turns.ends is not None and not turns.is_bounded):
            return False
        carried = len(self._loop.inputs) - 2
        for number, value in enumerate(self._loop.outputs):
            if number >= carried and not begins(self._loop):
                return False
            if value.uses() or value.is_graph_output():
                plan = result(turns, number)
                if plan is None:
                    return False
                self._results[value] = plan
        return bool(self._results) and turns.is_whole()

    def replace(self) -> None:
        """Put operators in the place of the loop, or a choice between these and the loop."""
        graph, loop = self._graph, self._loop
        with before(graph, loop), at_source(graph, loop):
            made = self._made() if begins(loop) else self._begun()
            for old, new in zip(self._results, made, strict=True):
                if not replace(graph, old, new):
                    surely_replace(graph, old, graph.Identity(new))
        for body in bodies(loop):
            detach(body)
        assert loop.graph is not None
        loop.graph.remove(loop, safe=True)

    def _begun(self) -> list[Value]:
        """Emit the results where there is a first turn, else what there was before."""
        g, loop = self._graph, self._loop
        then, other = g.body("then"), g.body("else")
        with then:
            made = self._made()
        pairs = zip(loop.outputs, loop.inputs[2:], strict=True)
        return g.If(loop.inputs[1], then, made, other, [v for k, v in pairs if k in self._results])

    def _made(self) -> list[Value]:
        """Emit the results, or a choice between these and the loop."""
        if self._turns.is_bounded and not self._turns.has_inner:
            return self._all()
        return self._guarded()

    def _all(self) -> list[Value]:
        """Emit the results, and what may fail."""
        made = [self._emitted(value) for value in self._results]
        self._turns.keep()
        return made

    def _emitted(self, old: Value) -> Value:
        """Emit what is computed at once, with the sizes that are known of it."""
        made = self._results[old].emit()
        learn(self._graph, old, made)
        node, dims = made.producer(), shape_or_none(old)
        is_new = node is not None and node.graph is self._graph.scope.graph
        if is_new and dims is not None and len(dims) == len(dims_of(made)):
            made.shape = ir.Shape(dims)
        return made

    def _guarded(self) -> list[Value]:
        """Emit the choice between the turns at once, and the loop."""
        g = self._graph
        counts = [g.Cast(count, to=np.float64) for count in self._turns.all_counts()]
        product = counts[0] if len(counts) == 1 else g.Mul(*counts)
        test = g.LessOrEqual(product, np.float64(MOST))
        then, other = g.body("then"), g.body("else")
        with then:
            made = self._all()
        copy = self._moved(other)
        pairs = zip(self._loop.outputs, copy.outputs, strict=True)
        others = [new for old, new in pairs if old in self._results]
        return g.If(test, then, made, other, others)

    def _moved(self, home: Body) -> ir.Node:
        """Return the loop as one of a branch."""
        loop = self._loop
        attributes = list(loop.attributes.values())
        (body,) = bodies(loop)
        loop.attributes.clear()
        outputs = [Value(type=value.type, shape=value.shape) for value in loop.outputs]
        copy = ir.Node("", "Loop", list(loop.inputs), attributes, outputs=outputs)
        copy.meta.update({**loop.meta, STAYS: True})
        home.graph.append(copy)
        self._graph.body_of(body).parent = home
        _deepen(self._graph, body)
        return copy


def _deepen(graph: ONNXGraph, body: ir.Graph) -> None:
    """Say of the scopes in a body that is elsewhere now how deep they are."""
    scope: Scope = graph.body_of(body)
    assert scope.parent is not None
    scope.depth = scope.parent.depth + 1
    for node in body:
        for inner in bodies(node):
            graph.body_of(inner).parent = scope
            _deepen(graph, inner)
