"""What turns compute without their state stands before the loop, or after it, for all of them.

h, y = Loop(n, True, h0) body (i, …, h) => (True, k := Tanh(Add(Exp(x[i]), h)), Softmax(k))
a = Exp(x)
h, k = Loop(n, True, h0) body (i, …, h) => (True, k := Tanh(Add(a[i], h)), k)
y = Softmax(k)

In a loop whose number of turns is known before, such nodes run once instead of in each turn. What
may fail stays, and so does what would keep larger arrays of all turns than the loop reads or gives
already, and all of it where few nodes would leave the turns. A scalar that turns add to is summed
after them, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.dims import Dim, compare, is_known, is_size
from onnx_graph.failing import surely
from onnx_graph.marks import CHECK
from onnx_graph.passes.editing import (
    before,
    bodies,
    captures,
    copied,
    drop,
    nested,
    original,
    remade,
    stays,
    surely_replace,
)
from onnx_graph.passes.fission.rules import AllTurns, elements
from onnx_graph.passes.recurrences.counts import Count, count_of, is_endless
from onnx_graph.passes.recurrences.spread import Plan, at_source
from onnx_graph.values import contents_of, dims_of, rank_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "at_once": "a loop without a state is no loop",
    "summed_products": "what turns give only to be summed up is not needed within them",
    "recurrences": "an operator takes what turns compute without their state",
}

LEAST = 6
"""So many nodes fewer are worth it."""


def run(graph: ONNXGraph) -> int:
    """Move what can leave loops, the inner ones first; return out of how many."""
    count = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop" and (found := _fission(graph, node)) is not None:
                found.replace()
                count += 1
    return count


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No loop computes much without its state."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "Loop" and _fission(graph, node) is not None:
                yield "a loop whose turns compute much without their state"


def _fission(graph: ONNXGraph, loop: ir.Node) -> _Fission | None:
    (body,) = bodies(loop)
    trip = loop.inputs[0]
    size = None if trip is None else contents_of(trip)
    if not is_endless(loop) or not is_size(size) or any(CHECK in node.meta for node in body):
        return None
    count = count_of(graph, loop, size)
    if is_known(size) and size < 2:
        return None
    found = _Fission(graph, loop, body, count)
    return found if found.gain >= LEAST else None


class _Fission:
    """A loop and what leaves it.

    Attributes:
        gain: How many nodes fewer its turns have.
    """

    def __init__(self, graph: ONNXGraph, loop: ir.Node, body: ir.Graph, count: Count) -> None:
        """Plan it; nothing changes yet."""
        self._graph, self._loop, self._body, self._count = graph, loop, body, count
        self._carried = len(loop.inputs) - 2
        bounds = self._bounds()
        self._early = AllTurns(graph, body, count, (), bounds)
        for node in body:
            for value in node.outputs:
                self._early.plan(value)
        self._sums = dict(self._summed())
        roots = self._roots()
        while True:
            self._inside, self._cuts = self._needed(roots)
            self._late = AllTurns(graph, body, count, self._givable(), bounds, self._early)
            self._plans = self._planned()
            failed = [index for index, plan in self._plans.items() if plan is None]
            if not failed:
                break
            roots |= {original(body, body.outputs[index]) for index in failed}
            self._sums = {index: put for index, put in self._sums.items() if index not in failed}
        self.gain = self._gain()

    def _bounds(self) -> list[int | Dim]:
        """Return how many elements of a turn are kept of all turns already."""
        scans = [dims_of(value) for value in list(self._body.outputs)[1 + self._carried :]]
        reads = [
            dims_of(node.outputs[0])
            for node in self._body
            if node.op_type == "Gather" and node.inputs[0] is not None
            if node.inputs[0].graph is not self._body and not node.inputs[0].is_initializer()
        ]
        return [elements(dims) for dims in (*scans, *reads)]

    def _summed(self) -> Iterator[tuple[int, Value]]:
        """Yield which outputs are scalars that a turn only adds to, and what it adds."""
        for index in range(1, 1 + self._carried):
            inner, end = self._body.inputs[index + 1], self._body.outputs[index]
            node = end.producer()
            alone = len(inner.uses()) == 1 and not inner.is_graph_output() and not end.uses()
            if node is None or node.op_type != "Add" or not alone or rank_of(end) != 0:
                continue
            puts = [value for value in node.inputs if value is not inner]
            if len(puts) == 1 and puts[0] is not None and _is_number(end):
                yield index, puts[0]

    def _roots(self) -> set[Value]:
        """Return what the turns have to compute."""
        carried = (i for i in range(1 + self._carried) if i not in self._sums)
        roots = {self._body.outputs[index] for index in carried}
        for node in self._body:
            if stays(node) or bodies(node):
                roots.update(node.outputs)
        return roots

    def _needed(self, roots: Iterable[Value]) -> tuple[set[ir.Node], dict[Value, Plan]]:
        """Return the nodes that turns need, and what they read of what stands before the loop."""
        inside: set[ir.Node] = set()
        cuts: dict[Value, Plan] = {}
        open_ = list(roots)
        while open_:
            value = open_.pop()
            node = value.producer()
            if node is None or value.graph is not self._body or node in inside or value in cuts:
                continue
            plan = None if original(self._body, value) is not value else self._early.plan(value)
            if plan is not None and not self._early.is_read(value):
                cuts[value] = plan
                continue
            inside.add(node)
            open_ += [value for value in captures(node) if value.graph is self._body]
        return inside, cuts

    def _givable(self) -> set[Value]:
        """Return what the loop can give of all turns."""
        values = {value for node in self._inside for value in node.outputs}
        values.update(list(self._body.inputs)[2:])
        some = compare(self._count.size, ">=", 1) is True
        return {v for v in values if some or all(map(is_known, shape_or_none(v) or (None,)))}

    def _planned(self) -> dict[int, Plan | None]:
        """Plan the results that the turns need not compute."""
        wanted = {
            index: value
            for index, value in enumerate(self._body.outputs)
            if index > self._carried and not self._is_inside(value)
        }
        return {index: self._late.plan(value) for index, value in {**wanted, **self._sums}.items()}

    def _is_inside(self, value: Value) -> bool:
        origin = original(self._body, value)
        producer = origin.producer()
        return origin.graph is not self._body or producer is None or producer in self._inside

    def _gain(self) -> int:
        """Return how many nodes fewer there are in a turn."""
        given = {original(self._body, value) for value in list(self._body.outputs)}
        leaves = [
            node
            for node in self._body
            if node not in self._inside and node.op_type != "Identity"
            if not self._early.is_read(node.outputs[0])
        ]
        new = [value for value in self._late.wanted if value not in given]
        return len(leaves) - len(self._cuts) - len(new)

    def replace(self) -> None:
        """Take nodes out of the loop."""
        graph, loop, body = self._graph, self._loop, self._body
        with before(graph, loop), at_source(graph, loop):
            for value, early in self._cuts.items():
                self._early.stacked[value] = early()
        gone = sorted(self._plans)
        olds = {index: loop.outputs[index - 1] for index in gone}
        starts = {index: loop.inputs[index + 1] for index in self._sums}
        for index in self._sums:
            _remove(body.outputs[index], body.inputs[index + 1])
        drop(body.outputs, gone)
        drop(body.inputs, [index + 1 for index in self._sums])
        for value in self._cuts:
            self._read(value)
        operands = [x for place, x in enumerate(loop.inputs) if place - 1 not in self._sums]
        kept = [place for place in range(len(loop.outputs)) if place + 1 not in gone]
        given = self._given()
        added = [self._scan(value) for value in self._late.wanted if value not in given]
        new = remade(graph, loop, operands, kept, added)
        for value, place in {**given, **self._given()}.items():
            self._late.stacked[value] = new.outputs[place]
        with before(graph, loop), at_source(graph, loop):
            for index, plan in self._plans.items():
                assert plan is not None
                whole = plan()
                if index in starts:
                    whole = self._total(starts[index], whole)
                result = graph.Identity(whole)
                result.shape = olds[index].shape
                surely_replace(graph, olds[index], result)
        assert loop.graph is not None
        loop.graph.remove(loop, safe=True)

    def _read(self, value: Value) -> None:
        """Let the turns read what stands before the loop now."""
        body = self._body
        read = ir.Node("", "Gather", [self._early.stacked[value], body.inputs[0]])
        (row,) = read.outputs
        row.type, row.shape = value.type, value.shape
        body.insert_before(body[0], read)
        for place, result in enumerate(body.outputs):
            if result is value:
                body.outputs[place] = row
        value.replace_all_uses_with(row)
        surely(row)

    def _given(self) -> dict[Value, int]:
        """Return what the loop gives of all turns, and as which result."""
        first = 1 + self._carried - len(self._sums)
        scans = list(self._body.outputs)[first:]
        return {original(self._body, value): first - 1 + i for i, value in enumerate(scans)}

    def _scan(self, value: Value) -> Value:
        """Let the loop give a value of all turns."""
        body = self._body
        kept = value
        if value.is_graph_output() or not may_be_result(body, value):
            kept = copied(self._graph, self._graph.owner(value), value)
        body.outputs.append(kept)
        return Value(type=value.type, shape=ir.Shape([self._count.size, *dims_of(value)]))

    def _total(self, start: Value | None, puts: Value) -> Value:
        """Emit what a scalar is in the end: numbers are added one after the other, as turns do."""
        g = self._graph
        sums = g.CumSum(g.Concat(g.Unsqueeze(start, [0]), puts, axis=0), g.constant(0))
        return g.Gather(sums, g.constant(-1), axis=0)


def _is_number(value: Value) -> bool:
    return value.dtype in (
        *(ir.DataType.FLOAT, ir.DataType.DOUBLE),
        *(ir.DataType.INT32, ir.DataType.INT64),
    )


def _remove(end: Value, inner: Value) -> None:
    """Remove the sum that a carried value was."""
    node = end.producer()
    assert node is not None and node.graph is not None
    node.graph.outputs[list(node.graph.outputs).index(end)] = inner
    node.graph.remove(node, safe=True)
