"""Faults that a compiler could make, put into the graph of a model: one at a time, by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, helper, numpy_helper

from elichika.model.protos import bodies

__all__ = ["KINDS", "Fault", "faults"]

SWAPS = {
    "Add": "Sub",
    "Sub": "Add",
    "Mul": "Add",
    "Div": "Mul",
    "Max": "Min",
    "Min": "Max",
    "Greater": "GreaterOrEqual",
    "GreaterOrEqual": "Greater",
    "Less": "LessOrEqual",
    "LessOrEqual": "Less",
    "And": "Or",
    "Or": "And",
    "Not": "Identity",
    "Tanh": "Sigmoid",
    "Sigmoid": "Tanh",
    "Relu": "Identity",
    "Exp": "Identity",
    "Abs": "Identity",
    "Neg": "Identity",
    "ReduceSum": "ReduceMean",
    "ReduceMax": "ReduceMin",
    "ReduceMin": "ReduceMax",
    "ArgMax": "ArgMin",
    "ArgMin": "ArgMax",
    "Floor": "Ceil",
}
ORDERED = ("Sub", "Div", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Mod", "Pow")
COMPARED = {"Less": "Greater", "Greater": "Less", "LessOrEqual": "Less", "GreaterOrEqual": "Less"}
AXES = ("Concat", "Gather", "Softmax", "LogSoftmax", "ArgMax", "ArgMin", "CumSum", "TopK")
SMALL = 64
"""Elements of a constant that may be changed; a parameter that is larger is one of many."""


@dataclass(frozen=True)
class Fault:
    """One fault: its kind, the node where it is, and what makes it."""

    kind: str
    place: str
    make: Callable[[], None]


def faults(model: ModelProto, seen: Mapping[str, Any]) -> dict[str, list[Fault]]:
    """Return the faults that can be put into a model, which they change in place, by kind.

    Args:
        model: The model.
        seen: What values of the main graph are on the example.
    """
    found: dict[str, list[Fault]] = {kind: [] for kind in KINDS}
    for graph in _graphs(model.graph):
        for kind, of_graph in KINDS.items():
            for place, make in of_graph(graph, seen if graph is model.graph else {}):
                found[kind].append(Fault(kind, place, make))
    return {kind: some for kind, some in found.items() if some}


Found = Iterator[tuple[str, Callable[[], None]]]


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    yield graph
    for node in graph.node:
        for body in bodies(node).values():
            yield from _graphs(body)


def _operator(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for node in graph.node:
        if node.op_type in SWAPS and (node.op_type != "ReduceSum" or len(node.input) == 2):
            yield f"{node.name} is {SWAPS[node.op_type]}", lambda node=node: _replace(node)


def _replace(node: NodeProto) -> None:
    node.op_type = SWAPS[node.op_type]
    if node.op_type == "Identity":
        del node.input[1:]
        del node.attribute[:]


def _operands(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for node in graph.node:
        if node.op_type in ORDERED and node.input[0] != node.input[1]:
            yield f"{node.name} with its operands swapped", lambda node=node: _cross(node.input)
        elif node.op_type == "Where" and node.input[1] != node.input[2]:
            yield f"{node.name} with its sides swapped", lambda node=node: _cross(node.input, 1, 2)


def _cross(names: Any, one: int = 0, other: int = 1) -> None:
    names[one], names[other] = names[other], names[one]


def _left_out(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    """An operator that gives back its operand; most are refused by the runtime for their types."""
    for node in graph.node:
        if node.op_type in ("Add", "Mul", "Sub", "Div", "Clip", "Relu", "Tanh", "Floor", "MatMul"):
            yield f"{node.name} left out", lambda node=node: _make_identity(node)


def _make_identity(node: NodeProto) -> None:
    node.op_type = "Identity"
    del node.input[1:]
    del node.attribute[:]


def _arms(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for node in graph.node:
        if node.op_type == "If":
            yield f"{node.name} with its branches swapped", lambda node=node: _swap_arms(node)


def _swap_arms(node: NodeProto) -> None:
    for attribute in node.attribute:
        other = "else_branch" if attribute.name == "then_branch" else "then_branch"
        attribute.name = other


def _dropped(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for node in graph.node:
        if node.op_type == "If":
            for name in ("then_branch", "else_branch"):
                make = lambda node=node, name=name: _drop(node, name)  # noqa: E731
                yield f"{node.name} without its {name}", make


def _drop(node: NodeProto, name: str) -> None:
    """Always take the other branch."""
    graphs = bodies(node)
    (other,) = (graph for key, graph in graphs.items() if key != name)
    copy = GraphProto.FromString(other.SerializeToString())
    _rename(copy)
    graphs[name].CopyFrom(copy)


def _rename(graph: GraphProto) -> None:
    """Give the values that a graph makes, and those within it, other names."""
    made = {name for inner in _graphs(graph) for node in inner.node for name in node.output}
    made |= {value.name for inner in _graphs(graph) for value in inner.input}
    made -= {""}
    for inner in _graphs(graph):
        for node in inner.node:
            node.input[:] = [f"{name}_again" if name in made else name for name in node.input]
            node.output[:] = [f"{name}_again" if name in made else name for name in node.output]
        for value in (*inner.input, *inner.output):
            if value.name in made:
                value.name = f"{value.name}_again"
        del inner.value_info[:]


def _frozen(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    """A size, number or decision that stays what it was on the example."""
    for node in graph.node:
        if node.op_type in ("Constant", "If", "Loop") or len(node.output) != 1:
            continue
        value = seen.get(node.output[0])
        if value is None or value.dtype.kind not in "bi" or value.size > SMALL:
            continue
        make = lambda node=node, value=value: _freeze(node, value)  # noqa: E731
        yield f"{node.name} frozen to {value.tolist()}", make


def _freeze(node: NodeProto, value: Any) -> None:
    output = node.output[0]
    constant = helper.make_node("Constant", [], [output], value=numpy_helper.from_array(value))
    constant.name = node.name
    node.CopyFrom(constant)


def _turns(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for place, node in enumerate(graph.node):
        if node.op_type == "Loop" and node.input[0]:
            for step in (1, -1):
                make = lambda place=place, step=step: _shift(graph, place, step)  # noqa: E731
                yield f"{node.name} with {step:+d} turns", make


def _shift(graph: GraphProto, place: int, step: int) -> None:
    node = graph.node[place]
    limit = np.int64(1) if step > 0 else np.int64(-1)
    amount = helper.make_node(
        "Constant", [], ["fault_step"], value=numpy_helper.from_array(np.array(limit))
    )
    total = helper.make_node("Add", [node.input[0], "fault_step"], ["fault_turns"])
    node.input[0] = "fault_turns"
    nodes = [*graph.node[:place], amount, total, *graph.node[place:]]
    kept = [NodeProto.FromString(one.SerializeToString()) for one in nodes]
    del graph.node[:]
    graph.node.extend(kept)


def _carried(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    """What two carried values become goes to one another, or one keeps what it was."""
    for node in graph.node:
        if node.op_type != "Loop":
            continue
        body = bodies(node)["body"]
        count = len(node.input) - 2
        for place in range(1, count):
            make = lambda body=body, place=place: _cross_outputs(body, place)  # noqa: E731
            yield f"{node.name} with carried values {place - 1} and {place} crossed", make
        for place in range(count):
            if body.input[2 + place].name != body.output[1 + place].name:
                make = lambda body=body, place=place: _keep(body, place)  # noqa: E731
                yield f"{node.name} whose carried value {place} stays", make


def _cross_outputs(body: GraphProto, place: int) -> None:
    one, other = body.output[place], body.output[place + 1]
    one.name, other.name = other.name, one.name


def _keep(body: GraphProto, place: int) -> None:
    output = body.output[1 + place]
    name = f"{output.name}_kept"
    body.node.append(helper.make_node("Identity", [body.input[2 + place].name], [name]))
    output.name = name


def _constants(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for tensor in graph.initializer:
        if 0 < np.prod(tensor.dims) <= SMALL:
            yield f"{tensor.name} changed", lambda tensor=tensor: _change(tensor)
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                tensor = attribute.t
                if 0 < np.prod(tensor.dims) <= SMALL:
                    yield f"{node.output[0]} changed", lambda tensor=tensor: _change(tensor)


def _change(tensor: onnx.TensorProto) -> None:
    array = np.array(numpy_helper.to_array(tensor))
    flat = array.reshape(-1)
    if array.dtype.kind == "b":
        flat[0] = not flat[0]
    elif array.dtype.kind in "iu":
        flat[0] = flat[0] - 1 if flat[0] == np.iinfo(array.dtype).max else flat[0] + 1
    else:
        flat[0] = flat[0] * 1.5 + 0.25
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def _orders(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name == "perm" and len(attribute.ints) > 1:
                make = lambda ints=attribute.ints: _cross(ints)  # noqa: E731
                yield f"{node.name} with its first axes swapped", make


def _other_axis(graph: GraphProto, seen: Mapping[str, Any]) -> Found:
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type in AXES and attribute.name == "axis":
                axis = 1 if attribute.i == 0 else attribute.i - 1
                make = lambda one=attribute, axis=axis: setattr(one, "i", axis)  # noqa: E731
                yield f"{node.name} along axis {axis}", make


KINDS: dict[str, Callable[[GraphProto, Mapping[str, Any]], Found]] = {
    "a wrong operator": _operator,
    "operands swapped": _operands,
    "an operator left out": _left_out,
    "branches swapped": _arms,
    "a branch dropped": _dropped,
    "a size or decision frozen": _frozen,
    "a turn too many or too few": _turns,
    "a carried value wrong": _carried,
    "a constant changed": _constants,
    "axes permuted": _orders,
    "another axis": _other_axis,
}
