"""Checked protobuf models, and files that appear whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import onnx_ir as ir

from onnx_graph.naming import finished_model

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

LARGEST_PROTO = 2**31 - 1


def to_proto(graph: ONNXGraph) -> onnx.ModelProto:
    """Return the model as protobuf, checked by ``onnx.checker`` with full type inference.

    Raises:
        onnx.checker.ValidationError: the graph is no valid model.
    """
    proto = ir.to_proto(finished_model(graph))
    if proto.ByteSize() < LARGEST_PROTO:
        onnx.checker.check_model(proto, full_check=True)
    return proto
