"""What all passes need: walking nested graphs, replacing values, rebuilding nodes."""

from __future__ import annotations

from collections.abc import Container, Iterator, MutableSequence, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.failing import may_fail
from onnx_graph.marks import CHECK, DEMANDED, HINT, MAY_FAIL
from onnx_graph.schemas import HOLDERS
from onnx_graph.values import dims_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope

OUTPUTS_FIRST = {"If": 0, "Loop": 1}
"""How many results of a body are not results of its node (a Loop's condition)."""


def used(node: ir.Node) -> bool:
    """Tell whether anybody reads a result of a node."""
    return any(value.uses() or value.is_graph_output() for value in node.outputs)


def bodies(node: ir.Node) -> list[ir.Graph]:
    """Return the subgraphs of a node."""
    if node.op_type not in HOLDERS:
        return []
    return [
        attribute.value
        for attribute in node.attributes.values()
        if attribute.type is ir.AttributeType.GRAPH
    ]


def made_by(value: Value | None, operator: str) -> ir.Node | None:
    """Return the node that makes a value, if it is of an operator."""
    node = None if value is None else value.producer()
    return node if node is not None and node.op_type == operator else None


def nested(graph: ir.Graph) -> Iterator[ir.Graph]:
    """Return a graph and all graphs inside it, the inner ones first."""
    for node in graph:
        if node.op_type in HOLDERS:
            for body in bodies(node):
                yield from nested(body)
    yield graph


def owners(main: ir.Graph) -> dict[int, tuple[ir.Node, str]]:
    """Return for the `id` of each graph inside another one: which node holds it, and as what."""
    return {
        id(attribute.as_graph()): (node, name)
        for scope in nested(main)
        for node in scope
        if bodies(node)
        for name, attribute in node.attributes.items()
        if attribute.type is ir.AttributeType.GRAPH
    }


def is_check(node: ir.Node) -> bool:
    """Tell whether a node is a check, may fail as the program does, or holds such a node."""
    return (
        CHECK in node.meta
        or MAY_FAIL in node.meta
        or any(is_check(inner) for body in bodies(node) for inner in body)
    )


def is_demanded(node: ir.Node) -> bool:
    """Tell whether a node, or one that it holds, fails where the program does."""
    return DEMANDED in node.meta or any(map(is_demanded, chain.from_iterable(bodies(node))))


def stays(node: ir.Node) -> bool:
    """Tell whether a node that nobody uses stays: one that fails where the program does."""
    return (
        is_check(node)
        or may_fail(node)
        or (not used(node) and is_demanded(node))
        or any(stays(inner) for body in bodies(node) for inner in body)
    )


def may_replace(graph: ONNXGraph, old: Value, new: Value) -> bool:
    """Tell whether ONNX lets ``new`` be used wherever ``old`` is, also as a result."""
    if not old.is_graph_output():
        return True
    home = old.graph
    fits = home is not None and new.graph is home and may_be_result(home, new)
    if home is graph.main.graph:
        fits = fits and new.producer() is not None
    return fits and not new.is_graph_output()


def replace(graph: ONNXGraph, old: Value, new: Value) -> bool:
    """Use ``new`` wherever ``old`` is used, also as a result; False where ONNX forbids that."""
    if not may_replace(graph, old, new):
        return False
    home = old.graph
    if old.is_graph_output():
        assert home is not None
        for index, value in enumerate(home.outputs):
            if value is old:
                home.outputs[index] = new
        for name, value in graph.outputs.items():
            if value is old:
                graph.outputs[name] = new
    if HINT in old.meta and not new.is_initializer():
        new.meta.setdefault(HINT, old.meta[HINT])
    old.replace_all_uses_with(new)
    return True


def rebuilt(
    graph: ONNXGraph, node: ir.Node, inputs: Sequence[Value | None], kept: Sequence[int]
) -> ir.Node:
    """Replace an If or Loop by one with other inputs and fewer results; its bodies move over."""
    new = remade(graph, node, inputs, kept)
    assert node.graph is not None
    node.graph.remove(node, safe=True)
    return new


def remade(
    graph: ONNXGraph,
    node: ir.Node,
    inputs: Sequence[Value | None],
    kept: Sequence[int],
    added: Sequence[Value] = (),
) -> ir.Node:
    """Put an If or Loop with other inputs and results before one; its bodies move over.

    The results `kept` are replaced by those of the new node, whose last ones are `added`. The old
    one is to be removed when nobody uses its other results.
    """
    attributes = list(node.attributes.values())
    node.attributes.clear()
    outputs = []
    for index in kept:
        old = node.outputs[index]
        value = Value(type=old.type, shape=old.shape)
        value.meta.update(old.meta)
        outputs.append(value)
    new = ir.Node("", node.op_type, inputs, attributes, outputs=[*outputs, *added])
    new.meta.update(node.meta)
    assert node.graph is not None
    node.graph.insert_before(node, new)
    for index, value in zip(kept, outputs, strict=True):
        surely_replace(graph, node.outputs[index], value)
    return new


def surely_replace(graph: ONNXGraph, old: Value, new: Value) -> None:
    """Use ``new`` wherever ``old`` is used, where ONNX allows it."""
    replaced = replace(graph, old, new)
    assert replaced


def copied(graph: ONNXGraph, scope: Scope, value: Value) -> Value:
    """Return an Identity of a tensor at the end of a scope."""
    assert value.type is not None
    types = [(value.type, dims_of(value))]
    (copy,) = graph.emit_into(scope, "Identity", [value], {}, types=types)
    return copy


def copied_before(node: ir.Node, value: Value) -> Value:
    """Return an Identity of a value, put before a node."""
    copy = ir.Node("", "Identity", [value])
    copy.outputs[0].type, copy.outputs[0].shape = value.type, value.shape
    assert node.graph is not None
    node.graph.insert_before(node, copy)
    return copy.outputs[0]


def original(body: ir.Graph, value: Value) -> Value:
    """Return what a value is a copy of, as far as a body makes the copies."""
    producer = value.producer()
    while producer is not None and producer.op_type == "Identity" and producer.graph is body:
        (source,) = producer.inputs
        assert source is not None
        value, producer = source, source.producer()
    return value


def drop(values: MutableSequence[Value], gone: Container[int]) -> None:
    """Take some values out of the inputs or outputs of a body."""
    kept = [value for index, value in enumerate(values) if index not in gone]
    values.clear()
    values.extend(kept)


def captures(node: ir.Node) -> Iterator[Value]:
    """Return the operands of a node and all values that its bodies use."""
    for value in node.inputs:
        if value is not None:
            yield value
    for body in bodies(node):
        for inner in body:
            yield from captures(inner)


def encloses(outer: ir.Graph, value: Value) -> bool:
    """Tell whether a value belongs to ``outer`` or to a graph inside it."""
    home = value.graph
    return home is outer or any(home is inner for inner in nested(outer))


@contextmanager
def before(graph: ONNXGraph, node: ir.Node) -> Iterator[None]:
    """Emit into the scope of a node, before it."""
    home = node.graph
    assert home is not None
    scope, graph.scope = graph.scope, graph.owner(node.outputs[0])
    end = home[-1]
    graph.forget()
    try:
        yield
    finally:
        graph.scope = scope
    nodes = list(home)
    made = nodes[nodes.index(end) + 1 :]
    home.remove(made)
    home.insert_before(node, made)
