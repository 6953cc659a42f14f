"""What tools that read a model expect of it, beyond the standard."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import onnx

__all__ = ["suit_tools"]

MOST_TURNS = "most_turns"
"""The name of the bound of loops that have none."""
SIZES = "_sizes"
"""Ends the names of the sizes of what has no elements."""
ARGUMENTS = frozenset(
    ("Reshape", "Expand", "Resize", "Slice", "Squeeze", "Unsqueeze", "Pad", "Tile", "Split")
)
"""Operators whose operands behind the first are sizes and the like, as those of reductions."""


def suit_tools(graph: onnx.GraphProto, parameters: Collection[str]) -> None:
    """Change a finished graph, in place, into what tools can read; it computes what it did.

    Types of parameters are not listed: quantizers change parameters and leave that list as it is.
    Nor are those of sequences: converters to half precision change the arrays in them alone. Each
    Loop has a bound: onnxruntime's symbolic shape inference ends where one is left out. And what a
    run-time check is tied to is listed without its sizes: simplifiers take a Reshape to the sizes
    that something has anyway for nothing, and leave it out with the check. Checks are listed with
    one size for all, which nobody knows: onnxruntime takes long to load a model of many such sizes.
    A constant of no elements is made by a ConstantOfShape: OpenVINO reads such a tensor of the file
    as the number 0.

    Args:
        graph: The main graph.
        parameters: Names of parameters that are kept elsewhere.
    """
    known = {tensor.name for tensor in graph.initializer} | set(parameters)
    scopes = list(_scopes(graph))
    checks, tied = _checks(scopes)
    for scope in scopes:
        kept = [value for value in scope.value_info if _is_listed(value, known)]
        for value in kept:
            for dim in value.type.tensor_type.shape.dim:
                if value.name in tied:
                    dim.Clear()
                elif value.name in checks:
                    dim.dim_param = checks[0]
        del scope.value_info[:]
        scope.value_info.extend(kept)
    loops = (node for scope in scopes for node in scope.node if node.op_type == "Loop")
    unbounded = [node for node in loops if not node.input[0]]
    if unbounded:
        bound = np.array(np.iinfo(np.int64).max)
        graph.initializer.append(onnx.numpy_helper.from_array(bound, MOST_TURNS))
    for node in unbounded:
        node.input[0] = MOST_TURNS
    _fill_empties(graph, scopes)


def _is_listed(value: onnx.ValueInfoProto, parameters: Collection[str]) -> bool:
    return value.name not in parameters and value.type.WhichOneof("value") == "tensor_type"


def _checks(scopes: Sequence[onnx.GraphProto]) -> tuple[list[str], set[str]]:
    """Return the results of checks, and those of Reshapes to a shape that one's 0 was added to."""
    nodes = [node for scope in scopes for node in scope.node]
    makers = {name: node for node in nodes for name in node.output}
    checks = [
        node.output[0]
        for node in nodes
        if node.op_type == "Range" and node.input[0] == node.input[1]
    ]
    tied = set()
    for node in nodes:
        if node.op_type == "Reshape":
            shape = makers.get(node.input[1])
            terms = shape.input if shape is not None and shape.op_type == "Add" else ()
            makes = [makers[name] for name in terms if name in makers]
            if any(one.op_type == "Size" and one.input[0] in checks for one in makes):
                tied.add(node.output[0])
    return checks, tied


def _fill_empties(graph: onnx.GraphProto, scopes: Sequence[onnx.GraphProto]) -> None:
    """Let nodes make the constants of no elements that operators compute with."""
    read = set(_computed_with(scopes))
    kept, nodes = [], []
    for one in graph.initializer:
        if 0 not in one.dims or one.name not in read or one.data_type == onnx.TensorProto.STRING:
            kept.append(one)
            continue
        sizes = f"{one.name}{SIZES}"
        kept.append(onnx.numpy_helper.from_array(np.array(one.dims, np.int64), sizes))
        zero = np.zeros(1, onnx.helper.tensor_dtype_to_np_dtype(one.data_type))
        node = onnx.helper.make_node(
            "ConstantOfShape",
            [sizes],
            [one.name],
            name=f"ConstantOfShape#{one.name}",
            value=onnx.numpy_helper.from_array(zero),
        )
        nodes.append(node)
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for number, node in enumerate(nodes):
        graph.node.insert(number, node)


def _computed_with(scopes: Sequence[onnx.GraphProto]) -> Iterator[str]:
    """Yield the names of what operators read, but for sizes and axes."""
    for scope in scopes:
        yield from (port.name for port in scope.output)
        for node in scope.node:
            if node.op_type in ARGUMENTS or node.op_type.startswith("Reduce"):
                yield node.input[0]
            elif node.op_type != "ConstantOfShape":
                yield from node.input


def _scopes(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _scopes(attribute.g)
