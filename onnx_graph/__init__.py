"""ONNX graphs with control flow, built and typed node by node; see :class:`ONNXGraph`."""

from onnx_ir import Value

from onnx_graph.builder import ONNXGraph
from onnx_graph.dims import Dim, all_known, compare, is_known, is_size, parse, same, substitute
from onnx_graph.errors import GraphError, NotKeptError
from onnx_graph.scopes import Body
from onnx_graph.values import (
    describe,
    dims_of,
    dtype_of,
    is_optional,
    is_sequence,
    is_tensor,
    is_value,
    rank_of,
)

__all__ = [
    "Body",
    "Dim",
    "GraphError",
    "NotKeptError",
    "ONNXGraph",
    "Value",
    "all_known",
    "compare",
    "describe",
    "dims_of",
    "dtype_of",
    "is_known",
    "is_optional",
    "is_sequence",
    "is_size",
    "is_tensor",
    "is_value",
    "parse",
    "rank_of",
    "same",
    "substitute",
]
