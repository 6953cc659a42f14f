"""The whole numbers that a model compares with: sizes and counts about them take other branches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from onnx import GraphProto, TensorProto, numpy_helper

from elichika.model.protos import bodies

__all__ = ["thresholds"]

COMPARISONS = ("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal")
LEAST, MOST = 2, 64
"""Smaller numbers are tried anyway, and larger ones cost too much where they are sizes."""
INTEGERS = (TensorProto.INT64, TensorProto.INT32)


def thresholds(graph: GraphProto) -> list[int]:
    """Return the numbers that something is compared with, each once, the smallest first."""
    return sorted(set(_compared(graph, {})))


def _compared(graph: GraphProto, known: dict[str, TensorProto]) -> Iterator[int]:
    known = {**known, **{tensor.name: tensor for tensor in graph.initializer}}
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                known[node.output[0]] = attribute.t
        if node.op_type in COMPARISONS:
            for name in node.input:
                yield from _number(known.get(name))
        for body in bodies(node).values():
            yield from _compared(body, known)


def _number(tensor: TensorProto | None) -> Iterator[int]:
    if tensor is None or tensor.data_type not in INTEGERS or np.prod(tensor.dims) != 1:
        return
    number = int(numpy_helper.to_array(tensor).reshape(-1)[0])
    if LEAST <= number <= MOST:
        yield number
