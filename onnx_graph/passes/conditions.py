"""Simplifies Ifs whose results or conditions are plain.

t = If(c) { True } { False }      # t is c
t = If(c) { False } { True }      # t is Not(c)
t = If(c) { v } { v }             # t is v, of an outer scope
t = If(c) { True } { v }          # t is Or(c, v), and the like for the three other places
t = If(True) { f(x) } { g(x) }    # t is f(x)
t = If(Not(c)) { f(x) } { g(x) }  # t is If(c) { g(x) } { f(x) }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import bodies, copied_before, nested, replace, surely_replace
from onnx_graph.values import const_array, describe, is_truth

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"unused_results": "what nobody uses needs no simpler form"}


def run(graph: ONNXGraph) -> int:
    """Simplify Ifs; return how many results are replaced."""
    changed = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "If" and node.graph is scope:
                changed += _simplify(graph, scope, node)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No If goes by a constant or a Not, and no result of one is one outer value or a known truth.

    Branches that are swapped may show another Not, or a constant: that is for the next round.
    """
    for scope in nested(graph.main.graph):
        for node in scope:
            condition = node.inputs[0] if node.op_type == "If" else None
            if condition is None:
                continue
            if const_array(condition) is not None:
                yield "an If that goes by a constant"
            if _negated(condition) is not None:
                yield "an If that goes by a Not"
            for value, *sides in zip(node.outputs, *(b.outputs for b in bodies(node)), strict=True):
                needed = value.uses() and not value.is_graph_output()
                if needed and _is_plain(condition, *map(_copied, sides)):
                    yield f"a result of an If that is plain, {describe(value)}"


def _is_plain(condition: Value, one: Value | None, other: Value | None) -> bool:
    """Tell whether copies of two outer values need no If to choose between them."""
    if one is None or other is None:
        return False
    if one is other:
        return one is not condition
    known = any(side is condition or const_array(side) is not None for side in (one, other))
    return known and all(is_truth(value) for value in (condition, one, other))


def _simplify(graph: ONNXGraph, scope: ir.Graph, node: ir.Node) -> int:
    condition = node.inputs[0]
    assert condition is not None
    then = node.attributes["then_branch"].as_graph()
    other = node.attributes["else_branch"].as_graph()
    constant = const_array(condition)
    if constant is not None:
        return _inline(graph, scope, node, then if bool(constant) else other)
    changed = _turned(node)
    if changed:
        condition, then, other = node.inputs[0], other, then
        assert condition is not None
    for index, value in enumerate(node.outputs):
        if not value.uses() and not value.is_graph_output():
            continue
        new = _plain(scope, node, condition, then.outputs[index], other.outputs[index])
        if new is not None and replace(graph, value, new):
            changed += 1
    return changed


def _turned(node: ir.Node) -> int:
    """Swap the branches of an If that goes by a Not."""
    positive = _negated(node.inputs[0])
    if positive is None:
        return 0
    then, other = (node.attributes.pop(name) for name in ("then_branch", "else_branch"))
    node.attributes["then_branch"] = ir.Attr("then_branch", other.type, other.value)
    node.attributes["else_branch"] = ir.Attr("else_branch", then.type, then.value)
    node.replace_input_with(0, positive)
    return 1


def _negated(condition: Value | None) -> Value | None:
    """Return what a condition is the Not of."""
    negation = None if condition is None else condition.producer()
    if negation is None or negation.op_type != "Not" or not is_truth(negation.outputs[0]):
        return None
    return negation.inputs[0]


def _plain(
    scope: ir.Graph, node: ir.Node, condition: Value, one: Value, other: Value
) -> Value | None:
    """Return what a result is without the If, None if it needs it."""
    left, right = _copied(one), _copied(other)
    if left is None or right is None:
        return None
    if left is right and left is not condition:
        return left
    if not all(is_truth(value) for value in (condition, left, right)):
        return None
    yes = True if left is condition else _truth(left)
    no = False if right is condition else _truth(right)
    if yes is None and no is None:
        return None
    if (yes, no) == (True, False):
        return condition
    if yes is not None and yes == no:
        return left if _truth(left) is not None else right
    if yes is not None and no is not None:
        return _added(scope, node, "Not", condition)
    if yes is True:
        return _added(scope, node, "Or", condition, right)
    if no is False:
        return _added(scope, node, "And", condition, left)
    negated = _added(scope, node, "Not", condition)
    if yes is False:
        return _added(scope, node, "And", negated, right)
    return _added(scope, node, "Or", negated, left)


def _truth(value: Value) -> bool | None:
    """Return the truth of a 0-d bool if it is known."""
    constant = const_array(value)
    return None if constant is None else bool(constant)


def _added(scope: ir.Graph, node: ir.Node, operator: str, *operands: Value) -> Value:
    """Put an operator on truths before an If."""
    made = ir.Node("", operator, operands)
    made.outputs[0].type, made.outputs[0].shape = operands[0].type, ir.Shape(())
    if SOURCE in node.meta:
        made.meta[SOURCE] = node.meta[SOURCE]
    scope.insert_before(node, made)
    return made.outputs[0]


def _copied(value: Value) -> Value | None:
    """Return the outer value that a body's result is a copy of."""
    node = value.producer()
    if node is None or node.op_type != "Identity":
        return None
    source = node.inputs[0]
    return source if source is not None and source.graph is not value.graph else None


def _inline(graph: ONNXGraph, scope: ir.Graph, node: ir.Node, body: ir.Graph) -> int:
    """Put the nodes of a body in the place of its If."""
    results = list(body.outputs)
    body.outputs.clear()
    moved = list(body)
    body.remove(moved)
    scope.insert_before(node, moved)
    for old, new in zip(list(node.outputs), results, strict=True):
        if not replace(graph, old, new):
            surely_replace(graph, old, copied_before(node, new))
    for attribute in node.attributes.values():
        for inner in list(attribute.as_graph().all_nodes()):
            for index in range(len(inner.inputs)):
                inner.replace_input_with(index, None)
    scope.remove(node, safe=True)
    return 1
