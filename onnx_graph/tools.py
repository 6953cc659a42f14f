"""What tools that read a model expect of it, beyond the standard."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import onnx

__all__ = ["suit_tools"]

MOST_TURNS = "most_turns"
"""The name of the bound of loops that have none."""


def suit_tools(graph: onnx.GraphProto, parameters: Collection[str]) -> None:
    """Change a finished graph, in place, into what tools can read; it computes what it did.

    Types of parameters are not listed: quantizers change parameters and leave that list as it is.
    Nor are those of sequences: converters to half precision change the arrays in them alone. Each
    Loop has a bound: onnxruntime's symbolic shape inference ends where one is left out. And what a
    run-time check is tied to is listed without its sizes: simplifiers take a Reshape to the sizes
    that something has anyway for nothing, and leave it out with the check. Checks are listed with
    one size for all, which nobody knows: onnxruntime takes long to load a model of many such sizes.

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


def _scopes(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _scopes(attribute.g)
