"""The graph as text that is easy to read and to compare in tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import CHECK
from onnx_graph.naming import finished_model
from onnx_graph.values import TYPE_NAMES, is_sequence, is_tensor, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

_LONGEST = 8


def to_text(graph: ONNXGraph) -> str:
    """Return the graph with nested subgraphs; small constants are written in place."""
    main = finished_model(graph).graph
    lines = [f"main ({', '.join(_typed(value) for value in main.inputs)})"]
    lines[0] += f" => ({', '.join(_typed(value) for value in main.outputs)}) {{"
    for value in main.initializers.values():
        if not _is_small(value) and value.uses():
            lines.append(f"  {_typed(value)} = initializer")
    lines += [f"  {line}" for node in main for line in _node_lines(node)]
    return "\n".join([*lines, "}"])


def _typed(value: Value) -> str:
    element = TYPE_NAMES.get(value.dtype, "?") if value.dtype is not None else "?"
    dims = shape_or_none(value)
    text = f"{element}[{'?' if dims is None else ', '.join(str(dim) for dim in dims)}]"
    if not is_tensor(value):
        text = f"{'seq' if is_sequence(value) else 'optional'}({text})"
    return f"{value.name}: {text}"


def _is_small(value: Value) -> bool:
    return (
        (value.name or "").startswith("constant_")
        and value.const_value is not None
        and (value.const_value.size <= _LONGEST)
    )


def _operand(value: Value | None) -> str:
    if value is None:
        return "-"
    if value.is_initializer() and _is_small(value):
        assert value.const_value is not None
        array = value.const_value.numpy()
        text = str(array.tolist())
        return text if array.dtype in (np.int64, np.bool_) else f"{array.dtype}({text})"
    return str(value.name)


def _node_lines(node: ir.Node) -> Iterator[str]:
    results = ", ".join(_typed(value) for value in node.outputs)
    operands = ", ".join(_operand(value) for value in node.inputs)
    plain = [
        f"{name}={_attribute(attribute)}"
        for name, attribute in node.attributes.items()
        if attribute.type is not ir.AttributeType.GRAPH
    ]
    graphs = [
        (name, attribute.as_graph())
        for name, attribute in node.attributes.items()
        if attribute.type is ir.AttributeType.GRAPH
    ]
    attributes = f"<{', '.join(plain)}>" if plain else ""
    check = f"  # check: {node.meta[CHECK]}" if CHECK in node.meta else ""
    yield f"{results} = {node.op_type}{attributes}({operands}){check}"
    for name, graph in graphs:
        inputs = ", ".join(_typed(value) for value in graph.inputs)
        yield f"  {name} ({inputs}) => ({', '.join(str(v.name) for v in graph.outputs)}) {{"
        for inner in graph:
            for line in _node_lines(inner):
                yield f"    {line}"
        yield "  }"


def _attribute(attribute: ir.Attr) -> str:
    if attribute.type is ir.AttributeType.TENSOR:
        return str(attribute.as_tensor().numpy().tolist())
    return str(attribute.value)
