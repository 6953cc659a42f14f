"""What onnx itself says of a model: its checker, and its ReferenceEvaluator on the inputs."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from elichika import CompiledModel, ElichikaError
from elichika.signature.feeds import feeds_from_leaves
from tests.programs import Program, assert_equal

__all__ = ["agrees", "has_known_bug"]


def agrees(program: Program, model: CompiledModel, most: int = 2) -> int:
    """Hold the checker's full check and the evaluator's results; return how many were compared.

    Args:
        program: Its inputs are tried in their order.
        model: The compiled program.
        most: How many inputs to try: the evaluator is slow.
    """
    onnx.checker.check_model(model.proto, full_check=True)
    if has_known_bug(model.proto.graph):
        return 0
    evaluator = ReferenceEvaluator(model.proto)
    compared = 0
    for inputs in program.inputs[:most]:
        leaves = model.signature.inputs.leaves(copy.deepcopy(inputs), {})
        feeds = dict(feeds_from_leaves(model.signature.inputs, leaves))
        try:
            expected = model.run(feeds)
        except ElichikaError:
            continue
        with np.errstate(all="ignore"):
            found = evaluator.run(None, feeds)
        assert_equal(list(expected), [_plain(value) for value in found], f"{inputs!r}: ")
        compared += 1
    return compared


def has_known_bug(graph: onnx.GraphProto) -> bool:
    """Tell whether the evaluator is known to be wrong on something in a graph.

    It makes no turn of a Loop without a condition, gives stacked scalars the shape (N, 1), and
    fails on stacks of no turn.
    """
    for node in _nodes(graph):
        if node.op_type == "Loop":
            (body,) = (attribute.g for attribute in node.attribute if attribute.name == "body")
            if not node.input[1] or len(body.output) > len(node.input) - 1:
                return True
    return False


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _nodes(attribute.g)


def _plain(value: Any) -> Any:
    """Return a result of the evaluator as onnxruntime gives it."""
    return list(value) if isinstance(value, (list, tuple)) else value
