"""Passes on unchanged what loops carry for nobody, though loops within them change it.

ts = Loop(n, True, ts0) { ts = Loop(m, True, ts) { Concat(ts, True) } }    # only ts reads ts
ts = Loop(n, True, ts0) { us = Loop(m, True, ts) { Concat(us, True) }; ts }

Then what is left inside is no longer used, and nothing is carried that nobody uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import OUTPUTS_FIRST, bodies, captures, nested, stays, used

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"unused_results": "what a loop alone carries for nobody is gone"}


def run(graph: ONNXGraph) -> int:
    """Pass on what nobody reads; return how many values of loops."""
    found = list(_unread(graph))
    for body, number in found:
        body.outputs[1 + number] = body.inputs[2 + number]
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """What a loop changes in what it carries is read by something else than that change."""
    for body, number in _unread(graph):
        yield f"{body.inputs[2 + number].name} is changed for nobody"


def _unread(graph: ONNXGraph) -> list[tuple[ir.Graph, int]]:
    """Return the bodies and the places of what they carry that nobody reads, and that changes."""
    loops = [node for scope in nested(graph.main.graph) for node in scope if _holds_others(node)]
    read = _Read(graph.main.graph) if loops else None
    found = []
    for node in loops:
        (body,) = bodies(node)
        for number, inner in enumerate(list(body.inputs)[2:]):
            is_read = {inner, node.outputs[number]} & (read.values if read else set())
            if not is_read and body.outputs[1 + number] is not inner:
                found.append((body, number))
    return found


def _holds_others(node: ir.Node) -> bool:
    """Tell whether a node is a loop with loops or branches in it."""
    return node.op_type == "Loop" and any(bodies(inner) for inner in bodies(node)[0])


class _Read:
    """The values that something reads which stays, or a result of the graph."""

    def __init__(self, main: ir.Graph) -> None:
        self.values: set[Value] = set()
        self._holders = {
            body: node for scope in nested(main) for node in scope for body in bodies(node)
        }
        self._pending = list(main.outputs)
        for scope in nested(main):
            for node in scope:
                self._start(node)
        while self._pending:
            value = self._pending.pop()
            if value not in self.values:
                self.values.add(value)
                self._pending += filter(None, self._behind(value))

    def _start(self, node: ir.Node) -> None:
        """Read what a node reads that stays for itself, and what lets it run.

        An If or a Loop that stays for what is in it has a result, though nobody uses it, and
        computes that.
        """
        inner = bodies(node)
        if inner and not used(node):
            self._pending += node.outputs
        if inner and node.op_type not in OUTPUTS_FIRST:
            self._pending += captures(node)
        elif not inner and stays(node):
            self._pending += filter(None, node.inputs)
            home = node.graph
            while home in self._holders:
                holder = self._holders[home]
                self._pending += filter(None, self._deciding(holder))
                home = holder.graph

    @staticmethod
    def _deciding(node: ir.Node) -> list[Value | None]:
        """Return what decides whether, or how often, the bodies of a node run."""
        if node.op_type == "Loop":
            return [*node.inputs[:2], bodies(node)[0].outputs[0]]
        return list(node.inputs)

    def _behind(self, value: Value) -> list[Value | None]:
        """Return what a value is computed from."""
        node, place = value.producer(), value.index()
        if node is None:
            return self._carried(value)
        assert place is not None
        if node.op_type == "If":
            return [*node.inputs, *(body.outputs[place] for body in bodies(node))]
        if node.op_type != "Loop":
            return list(captures(node))
        (body,) = bodies(node)
        given = [node.inputs[2 + place]] if place < len(node.inputs) - 2 else []
        return [*self._deciding(node), body.outputs[1 + place], *given]

    def _carried(self, value: Value) -> list[Value | None]:
        """Return what an input of a body may be: what there was before, and what a turn makes."""
        home = value.graph
        holder = None if home is None else self._holders.get(home)
        if home is None or holder is None or holder.op_type != "Loop":
            return []
        number = next(n for n, one in enumerate(home.inputs) if one is value) - 2
        if number < 0:
            return [home.outputs[0]] if number == -1 else []
        return [holder.inputs[2 + number], home.outputs[1 + number]]
