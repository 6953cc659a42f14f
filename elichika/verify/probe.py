"""A copy of a model that says which branches it took and how often its loops turned.

Each graph gets one more result, a vector of counts: an If has one for each branch and then those of
what is in them; a Loop has three, for no turn, one and more, and then those of its body, which it
carries and adds up. The copy returns the vector of the main graph and nothing else, so that the
runtime leaves out what decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, helper, numpy_helper

from elichika.model.protos import bodies, put

__all__ = ["COUNTS", "TURNS", "Cell", "has_control", "probed"]

COUNTS = "elichika_reached"
"""The output of the copy, and how the names of what is added begin."""
BRANCHES = ("then_branch", "else_branch")
TURNS = ("no iteration", "one iteration", "more iterations")


@dataclass(frozen=True)
class Cell:
    """What one count is of.

    Attributes:
        node: The name of the If or Loop.
        what: The branch of an If, or one of `TURNS`.
    """

    node: str
    what: str


def has_control(graph: GraphProto) -> bool:
    """Tell whether there is something to count."""
    return any(node.op_type in ("If", "Loop") for node in graph.node)


def _is_whole(node: NodeProto) -> bool:
    """Tell whether a node has the bodies of an If or a Loop; in a damaged file it may lack some."""
    wanted = BRANCHES if node.op_type == "If" else ("body",)
    return node.op_type in ("If", "Loop") and set(wanted) <= set(bodies(node))


def probed(model: ModelProto) -> tuple[ModelProto, list[Cell]]:
    """Return the copy, and what its counts are of."""
    prober = _Prober()
    graph = GraphProto()
    graph.name = model.graph.name
    graph.input.extend(model.graph.input)
    graph.node.extend(model.graph.node)
    result, cells = prober.counted(graph)
    final = NodeProto(op_type="Identity", input=[result], output=[COUNTS])
    graph.node.append(final)
    graph.output.append(_counts_info(COUNTS, len(cells)))
    _keep_needed(graph)
    needed = {name for node in graph.node for name in _used(node)}
    graph.initializer.extend(one for one in model.graph.initializer if one.name in needed)
    sparse = model.graph.sparse_initializer
    graph.sparse_initializer.extend(one for one in sparse if one.values.name in needed)
    changed = helper.make_model(graph, opset_imports=model.opset_import)
    changed.ir_version = model.ir_version
    return changed, cells


class _Prober:
    """Adds counts to graphs, in place, under fresh names."""

    def __init__(self) -> None:
        self._made = 0

    def _fresh(self) -> str:
        self._made += 1
        return f"{COUNTS}_{self._made}"

    def _op(self, op_type: str, inputs: Sequence[str], **attributes: Any) -> NodeProto:
        return helper.make_node(op_type, inputs, [self._fresh()], **attributes)

    def _constant(self, values: Sequence[int]) -> NodeProto:
        tensor = numpy_helper.from_array(np.array(values, np.int64))
        return self._op("Constant", [], value=tensor)

    def counted(self, graph: GraphProto) -> tuple[str, list[Cell]]:
        """Add the counts of all that a graph does; return their name, and what they are of."""
        nodes: list[NodeProto] = []
        parts: list[str] = []
        cells: list[Cell] = []
        for node in graph.node:
            nodes.append(node)
            if _is_whole(node):
                added = self._branches(node) if node.op_type == "If" else self._turns(node, nodes)
                parts.append(added[0])
                cells += added[1]
        last = self._op("Concat", parts, axis=0) if parts else self._constant([])
        nodes.append(last)
        put(graph.node, nodes)
        return last.output[0], cells

    def _branches(self, node: NodeProto) -> tuple[str, list[Cell]]:
        graphs = bodies(node)
        found = [self.counted(graphs[name]) for name in BRANCHES]
        for index, name in enumerate(BRANCHES):
            ones = self._constant([int(index == 0), int(index == 1)])
            parts = [result if other == index else None for other, (result, _) in enumerate(found)]
            zeros = self._constant([0] * len(found[1 - index][1]))
            inputs = [zeros.output[0] if part is None else part for part in parts]
            whole = self._op("Concat", [ones.output[0], *inputs], axis=0)
            graphs[name].node.extend([ones, zeros, whole])
            count = 2 + sum(len(cells) for _, cells in found)
            graphs[name].output.append(_counts_info(whole.output[0], count))
        node.output.append(self._fresh())
        arms = [Cell(node.name, name) for name in BRANCHES]
        return node.output[-1], arms + [cell for _, cells in found for cell in cells]

    def _turns(self, node: NodeProto, nodes: list[NodeProto]) -> tuple[str, list[Cell]]:
        """Carry the sum of one for each turn and the counts of the body."""
        body = bodies(node)["body"]
        result, cells = self.counted(body)
        carried, size = len(node.input) - 2, 1 + len(cells)
        one = self._constant([1])
        step = self._op("Concat", [one.output[0], result], axis=0)
        so_far = self._fresh()
        total = self._op("Add", [so_far, step.output[0]])
        body.input.append(_counts_info(so_far, size))
        body.node.extend([one, step, total])
        outputs = list(body.output)
        outputs.insert(1 + carried, _counts_info(total.output[0], size))
        put(body.output, outputs)
        start = self._constant([0] * size)
        nodes.insert(len(nodes) - 1, start)
        node.input.append(start.output[0])
        results = list(node.output)
        results += [""] * (carried - len(results))
        results.insert(carried, self._fresh())
        node.output[:] = results
        return self._classes(results[carried], size, nodes), [
            *(Cell(node.name, turns) for turns in TURNS),
            *cells,
        ]

    def _classes(self, total: str, size: int, nodes: list[NodeProto]) -> str:
        """Put the number of turns into its class."""
        sizes = self._constant([1, size - 1])
        parts = helper.make_node(
            "Split", [total, sizes.output[0]], [self._fresh(), self._fresh()], axis=0
        )
        zero, one = self._constant([0]), self._constant([1])
        turns, rest = parts.output
        compared = [
            self._op("Equal", [turns, zero.output[0]]),
            self._op("Equal", [turns, one.output[0]]),
            self._op("Greater", [turns, one.output[0]]),
        ]
        casts = [self._op("Cast", [test.output[0]], to=onnx.TensorProto.INT64) for test in compared]
        whole = self._op("Concat", [*(cast.output[0] for cast in casts), rest], axis=0)
        nodes += [sizes, parts, zero, one, *compared, *casts, whole]
        return str(whole.output[0])


def _counts_info(name: str, size: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [size])


def _used(node: NodeProto) -> Iterator[str]:
    """Yield the names that a node reads, those that the graphs in it read among them."""
    yield from node.input
    for graph in bodies(node).values():
        yield from (value.name for value in graph.output)
        for inner in graph.node:
            yield from _used(inner)


def _keep_needed(graph: GraphProto) -> None:
    """Leave out the nodes of the main graph that the counts do not need."""
    needed = {COUNTS}
    kept = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed.update(_used(node))
            kept.append(node)
    put(graph.node, kept[::-1])
