"""Protobuf messages of models: the graphs in nodes, repeated fields, metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx

__all__ = ["bodies", "metadata_of", "put"]


def bodies(node: onnx.NodeProto) -> dict[str, onnx.GraphProto]:
    """Return the graphs within a node, by attribute."""
    graph = onnx.AttributeProto.GRAPH
    return {item.name: item.g for item in node.attribute if item.type == graph}


def put(field: Any, messages: Sequence[Any]) -> None:
    """Let a repeated field hold these messages; some of them may be from the field itself."""
    kept = [type(message).FromString(message.SerializeToString()) for message in messages]
    del field[:]
    field.extend(kept)


def metadata_of(model: onnx.ModelProto) -> dict[str, str]:
    """Return the metadata of a model."""
    return {entry.key: entry.value for entry in model.metadata_props}
