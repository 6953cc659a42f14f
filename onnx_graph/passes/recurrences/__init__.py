"""Loops whose turns are steps of an LSTM, a GRU or an RNN of tanh units become that operator.

h = Loop(t, True, h0) { h = Tanh(Add(Gemm(x[turn], W, b), Gemm(h, R))) }
h = If(Size(x) > 0) { Squeeze(RNN(x, W, R, b, h0)) } { the loop }

onnxruntime's LSTM and GRU end the process on an empty batch, give zeros after no turn, and numbers
for nan, so that these ask for ReduceL1(x) <= 1e18 too: the loop stays in a branch, or what there is
after no turn where that is all that is left. A turn that stands before the loop is taken in. Layers
over one another are several operators, and what a turn does with its h alone is done for all turns
at once. A loop that does more with its state stays, and so does one in a graph that takes other
weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, is_size, same
from onnx_graph.marks import CHECK, MAY_FAIL, SOURCE
from onnx_graph.passes.editing import before, bodies, nested, replace, stays
from onnx_graph.passes.gates import ORDERED
from onnx_graph.passes.recurrences.cells import LARGEST, Cell, cells_of
from onnx_graph.passes.recurrences.counts import count_of, is_endless
from onnx_graph.passes.recurrences.operators import Layer, Told, is_zero
from onnx_graph.passes.recurrences.spread import Plan, Spread, at_source, is_small
from onnx_graph.passes.recurrences.turns import FirstTurn
from onnx_graph.scopes import detach
from onnx_graph.sources import Within
from onnx_graph.values import const_array, contents_of, dims_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "checks_first": "what is known of sizes leaves out what asks for them",
    "gates": "gates that alternate in a product are no columns of it",
    "invariants": "a state that is carried twice is one",
}


RECURRENT = ".recurrent"
"""What the name of a weight gets, whose numbers stand as the operator has them."""


def run(graph: ONNXGraph) -> int:
    """Put operators in; return in the place of how many loops."""
    count = 0
    while (found := next(_found(graph), None)) is not None:
        found.replace()
        count += 1
    return count


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No loop is such a recurrence."""
    for recurrence in _found(graph):
        yield f"a loop that is {', '.join(cell.op for cell in recurrence.cells)}"


def _found(graph: ONNXGraph) -> Iterator[_Recurrence]:
    if graph.open_weights:
        return
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "Loop" and (found := _recurrence(graph, node)) is not None:
                yield found


def _recurrence(graph: ONNXGraph, loop: ir.Node) -> _Recurrence | None:
    """Return what a Loop computes, if that is a recurrence."""
    (body,) = bodies(loop)
    carried = len(loop.inputs) - 2
    trip = loop.inputs[0]
    if (
        trip is None
        or not is_endless(loop)
        or not carried
        or any(CHECK in node.meta for node in body)
    ):
        return None
    cells, size = cells_of(body, carried), contents_of(trip)
    if cells is None or not is_size(size):
        return None
    found = _Recurrence(graph, loop, cells, size)
    return found if found.planned() else None


class _Recurrence:
    """A Loop that is to be replaced.

    Attributes:
        cells: What its turns are steps of.
    """

    def __init__(self, graph: ONNXGraph, loop: ir.Node, cells: list[Cell], size: int | Dim) -> None:
        """Look whether the turn before the loop is one of its turns."""
        self.cells = cells
        self._graph, self._loop = graph, loop
        (self._body,) = bodies(loop)
        self._carried = len(loop.inputs) - 2
        self._starts: list[Value | None] = list(loop.inputs[2:])
        self._first = FirstTurn(self._body)
        self._taken_in = self._take_in()
        states = [cell.h for cell in cells]
        count = count_of(graph, loop, size, int(self._taken_in))
        self._spread = Spread(graph, self._body, count, states)
        self._inputs: list[list[Plan]] = []
        self._scans: list[Plan] = []

    def _take_in(self) -> bool:
        pairs = zip(list(self._body.outputs)[1:], self._starts, strict=False)
        alike = all(start is not None and self._first.alike(value, start) for value, start in pairs)
        inputs, states = list(self._body.inputs)[2:], self._first.states
        if not alike or not all(
            value in states and _fits(states[value], value) for value in inputs
        ):
            return False
        self._starts = [states[value] for value in inputs]
        return True

    def planned(self) -> bool:
        """Plan all that is read of the loop; False if something cannot be had."""
        before = list(self._body.inputs)[2:]
        if not all(map(_fits, self._starts, before)):
            return False
        for cell in self.cells:
            h, *others = (dims_of(before[number]) for number in cell.states)
            batches = [dims_of(value)[0] for value in cell.inputs]
            if others not in ([], [h]) or not all(same(h[0], batch) for batch in batches):
                return False
            plans = [self._spread.plan(value) for value in cell.inputs]
            self._inputs.append([plan for plan in plans if plan is not None])
            if len(self._inputs[-1]) != len(plans):
                return False
        plans = [
            self._spread.plan(value) for value in list(self._body.outputs)[1 + self._carried :]
        ]
        self._scans = [plan for plan in plans if plan is not None]
        failing = {node for node in self._body if stays(node)}
        seen = failing <= self._spread.planned
        return seen and len(self._scans) == len(plans) and self._in_order()

    def _in_order(self) -> bool:
        """Sort the cells so that each reads those before it alone; False if that is not so."""
        order = {node: number for number, node in enumerate(self._body)}
        made = [order[node] for cell in self.cells if (node := cell.h.producer()) is not None]
        together = sorted(zip(made, range(len(made)), strict=True))
        self.cells = [self.cells[number] for _, number in together]
        self._inputs = [self._inputs[number] for _, number in together]
        return len(made) == len(self.cells)

    def replace(self) -> None:
        """Put the operators in the place of the loop."""
        graph, loop = self._graph, self._loop
        with before(graph, loop), at_source(graph, loop):
            last = self._layers()
            stacks = [plan() for plan in self._scans]
            rests = [graph.Slice(one, [1], [np.iinfo(np.int64).max], [0]) for one in stacks]
        scanned = list(loop.outputs)[self._carried :]
        inner = list(self._body.outputs)[1 + self._carried :]
        for value, output in zip(last, loop.outputs, strict=False):
            if value is not None:
                self._use(output, value)
        for output, one, whole, rest in zip(scanned, inner, stacks, rests, strict=True):
            if self._taken_in:
                self._use_whole(output, one, whole, rest)
            self._use(output, rest if self._taken_in else whole)
        for read in self._first.reads if self._taken_in else ():
            read.meta.pop(MAY_FAIL, None)  # all turns together read it as well
        detach(self._body)
        assert loop.graph is not None
        loop.graph.remove(loop, safe=True)

    def _layers(self) -> list[Value | None]:
        """Emit the cells; return what the loop carries after its last turn, where that is used."""
        g, last = self._graph, list[Value | None]([None] * self._carried)
        told: dict[Value, Told] = {}
        for cell, plans in zip(self.cells, self._inputs, strict=True):
            parts = [plan() for plan in plans]
            x = parts[0] if len(parts) == 1 else g.Concat(*parts, axis=2)
            sure = all(value in told or is_small(value, LARGEST) for value in cell.inputs)
            below = [told[value] for value in cell.inputs if value in told]
            starts = [None if is_zero(self._starts[k]) else self._starts[k] for k in cell.states]
            used = [_is_used(self._loop.outputs[k]) for k in cell.states]
            results = (cell.h in self._spread.wanted, *used, False)[:3]
            if not any(results):
                results = (False, True, False)
            one, two, three = results
            layer = Layer(cell, x, starts, sure, below, (one, two, three))
            with g.at(self._source(cell)):
                made, tells = layer.emit(g, partial(self._weights, cell))
            if sure or layer.asks:
                told[cell.h] = tells
            remaining = iter(made)
            if one:
                self._spread.stacked[cell.h] = next(remaining)
            for number, wanted in zip(cell.states, (two, three), strict=False):
                if wanted:
                    last[number] = next(remaining)
        return last

    def _source(self, cell: Cell) -> object:
        """Return the line of the loop, in the link that has the weights of a cell."""
        source = self._loop.meta.get(SOURCE)
        layer = ""
        for parts in zip(*(name.split("/")[:-1] for name in cell.names), strict=False):
            if len(set(parts)) > 1:
                break
            layer += f"/{parts[0]}"
        return Within(source, layer) if source and layer else source

    def _weights(self, cell: Cell, directions: bool) -> list[Value]:
        """Add the weights of a cell, with their axis of directions or without."""
        names = self._graph.main.graph.initializers
        made = []
        for what, array in zip("WRB", cell.weights, strict=True):
            name = base = self._name(cell, array) or f"{cell.names[0]}.{cell.op.lower()}.{what}"
            number = 1
            while name in names:
                number += 1
                name = f"{base}.{number}"
            of_one = array if directions or what == "B" else array[0]
            made.append(self._graph.initializer(name, of_one))
        return made

    def _name(self, cell: Cell, array: npt.NDArray[Any]) -> str | None:
        """Return the name of a weight that has the numbers of one of the program."""
        for name in dict.fromkeys(cell.names):
            found = self._graph.main.graph.initializers.get(name)
            kept = None if found is None else const_array(found)
            if kept is not None and np.array_equal(np.sort(kept, axis=None), np.sort(array, None)):
                return f"{name.removesuffix(ORDERED)}{RECURRENT}"
        return None

    def _use(self, old: Value, new: Value) -> None:
        if not replace(self._graph, old, new):
            with before(self._graph, self._loop):
                copy = self._graph.Identity(new)
            replaced = replace(self._graph, old, copy)
            assert replaced

    def _use_whole(self, scanned: Value, inner: Value, whole: Value, rest: Value) -> None:
        """Where the turn before the loop is put before the others, use all turns at once."""
        sizes = (*dims_of(scanned)[:1], *dims_of(whole)[1:])
        for node in [use.node for use in scanned.uses()]:
            if node.op_type == "Reshape" and all(map(same, sizes, dims_of(node.outputs[0]))):
                self._put_together(node.outputs[0], inner, whole)
                self._use(node.outputs[0], rest)  # it has these sizes already
                assert node.graph is not None
                node.graph.remove(node, safe=True)
        self._put_together(scanned, inner, whole)

    def _put_together(self, stack: Value, inner: Value, whole: Value) -> None:
        for node in [use.node for use in stack.uses()]:
            head = _putbefore(node, stack)
            if head is not None and self._first.alike(inner, head):
                self._use(node.outputs[0], whole)


def _putbefore(node: ir.Node, stack: Value) -> Value | None:
    """Return what a node puts before a stack, as one element more."""
    if node.op_type != "Concat" or node.attributes["axis"].as_int() or len(node.inputs) != 2:
        return None
    first, rest = node.inputs
    head = None if first is None or rest is not stack else first.producer()
    if head is None or head.op_type != "Unsqueeze" or head.inputs[1] is None:
        return None
    axes = const_array(head.inputs[1])
    return head.inputs[0] if axes is not None and axes.tolist() == [0] else None


def _fits(start: Value | None, state: Value) -> bool:
    """Tell whether a first state has the sizes of those of later turns, or is zero."""
    if is_zero(start) or start is None:
        return True
    dims, others = shape_or_none(start), shape_or_none(state)
    if dims is None or others is None or len(dims) != len(others):
        return False
    return all(map(same, dims, others))


def _is_used(value: Value) -> bool:
    return bool(value.uses()) or value.is_graph_output()
