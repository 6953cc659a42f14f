"""What tools that read a model expect of it, beyond the standard."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import onnx

__all__ = ["suit_tools"]

MOST_TURNS = "most_turns"
"""The name of the bound of loops that have none."""


def suit_tools(graph: onnx.GraphProto, parameters: Collection[str]) -> None:
    """Change a finished graph, in place, into what tools can read; it computes what it did.

    Types of parameters are not listed: quantizers change parameters and leave that list as it is.
    Nor are those of sequences: converters to half precision change the arrays in them alone. And
    each Loop has a bound: onnxruntime's symbolic shape inference ends where one is left out.

    Args:
        graph: The main graph.
        parameters: Names of parameters that are kept elsewhere.
    """
    known = {tensor.name for tensor in graph.initializer} | set(parameters)
    unbounded = []
    for scope in _scopes(graph):
        kept = [value for value in scope.value_info if _is_listed(value, known)]
        del scope.value_info[:]
        scope.value_info.extend(kept)
        unbounded += [node for node in scope.node if node.op_type == "Loop" and not node.input[0]]
    if unbounded:
        bound = np.array(np.iinfo(np.int64).max)
        graph.initializer.append(onnx.numpy_helper.from_array(bound, MOST_TURNS))
    for node in unbounded:
        node.input[0] = MOST_TURNS


def _is_listed(value: onnx.ValueInfoProto, parameters: Collection[str]) -> bool:
    return value.name not in parameters and value.type.WhichOneof("value") == "tensor_type"


def _scopes(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _scopes(attribute.g)
