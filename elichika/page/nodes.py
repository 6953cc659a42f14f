"""The operators of a model as boxes within boxes: what a line became, loops and branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import onnx

__all__ = ["Arm", "Group", "Row", "Typed", "boxes"]

LONGEST = 8
"""Elements of a constant that is written in its place."""
WIDEST = 60
"""Characters of an attribute."""
ARMS = {"then_branch": "then", "else_branch": "else", "body": "each iteration"}


@dataclass(frozen=True)
class Typed:
    """A value: its name, and its type as text."""

    name: str
    type: str


@dataclass
class Arm:
    """A graph within a node.

    Attributes:
        title: What it is: then, else, each turn.
        carried: `(name in a turn, its type, what it starts from, what the turn makes of it)`.
        results: What it gives otherwise.
        groups: What is in it.
    """

    title: str
    carried: list[tuple[str, str, str, str]]
    results: list[str]
    groups: list[Group]


@dataclass
class Row:
    """A node.

    Attributes:
        name: Of the node in the file.
        check: What fails here, if it is a check.
        turns: Of a loop: what tells how often it turns.
        given: Its inputs, constants as numbers.
    """

    name: str
    op: str
    outputs: list[Typed]
    given: str
    attributes: str
    check: str
    arms: list[Arm] = field(default_factory=list)


@dataclass
class Group:
    """Nodes in a row that come from one place and link.

    Attributes:
        source: What tells the places apart, the same for all of them.
    """

    source: Any
    rows: list[Row]


def boxes(graph: onnx.GraphProto, source_of: Any, checks: Mapping[str, str]) -> list[Group]:
    """Return the nodes of a graph, those of one source in a row together.

    Args:
        graph: The main graph.
        source_of: Gives what nodes are put together by, from a name.
        checks: The messages of the nodes that are checks.
    """
    return _Reader(source_of, checks).groups(graph, {})


class _Reader:
    def __init__(self, source_of: Any, checks: Mapping[str, str]) -> None:
        self._source_of, self._checks = source_of, checks

    def groups(self, graph: onnx.GraphProto, around: Mapping[str, str]) -> list[Group]:
        """Read a graph; `around` has the small constants of those that it is in, as text."""
        constants = {**around, **dict(_constants(graph))}
        values = (*graph.input, *graph.value_info, *graph.output)
        types = {value.name: type_text(value.type) for value in values}
        shown = [node for node in graph.node if not _is_literal(node)]
        found = groupby(shown, key=lambda node: self._source_of(node.name))
        return [
            Group(source, [self._row(node, types, constants) for node in nodes])
            for source, nodes in found
        ]

    def _row(
        self, node: onnx.NodeProto, types: Mapping[str, str], constants: Mapping[str, str]
    ) -> Row:
        graphs = {a.name: a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH}
        plain = [a for a in node.attribute if a.name not in graphs]
        return Row(
            node.name,
            node.op_type,
            [Typed(name, types.get(name, "")) for name in node.output if name],
            ", ".join(constants.get(name, name) or "-" for name in node.input),
            ", ".join(f"{a.name}={_attribute(a)}" for a in plain),
            self._checks.get(node.name, ""),
            [self._arm(node, name, inner, constants) for name, inner in _then_first(graphs)],
        )

    def _arm(
        self, node: onnx.NodeProto, name: str, graph: onnx.GraphProto, constants: Mapping[str, str]
    ) -> Arm:
        carried, results = [], [value.name for value in graph.output]
        if node.op_type == "Loop":
            starts = [constants.get(start, start) for start in node.input[2:]]
            pairs = zip(graph.input[2:], starts, results[1:], strict=False)
            carried = [(one.name, type_text(one.type), start, end) for one, start, end in pairs]
            results = results[1 + len(starts) :]
        return Arm(ARMS.get(name, name), carried, results, self.groups(graph, constants))


def _then_first(graphs: Mapping[str, onnx.GraphProto]) -> list[tuple[str, onnx.GraphProto]]:
    return sorted(graphs.items(), key=lambda pair: pair[0], reverse=True)


def _is_literal(node: onnx.NodeProto) -> bool:
    """Tell whether a node only stands for a constant, such as one of no elements."""
    return node.op_type == "Constant" or node.name == f"ConstantOfShape#{node.output[0]}"


def _constants(graph: onnx.GraphProto) -> Iterator[tuple[str, str]]:
    """Yield the names of small constants, and what they hold."""
    tensors = [(tensor.name, tensor) for tensor in graph.initializer]
    for node in graph.node:
        if node.op_type == "Constant":
            tensors += [(node.output[0], a.t) for a in node.attribute if a.name == "value"]
        elif _is_literal(node):
            yield node.output[0], "[]"
    for name, tensor in tensors:
        small = name.startswith("constant_") and int(np.prod(tensor.dims)) <= LONGEST
        if small and tensor.data_location != onnx.TensorProto.EXTERNAL:
            yield name, str(onnx.numpy_helper.to_array(tensor).tolist())


def _attribute(attribute: onnx.AttributeProto) -> str:
    if attribute.type == onnx.AttributeProto.TENSOR:
        return f"a tensor of {list(attribute.t.dims)}"
    value = onnx.helper.get_attribute_value(attribute)
    match value:
        case bytes():
            text = value.decode(errors="replace")
        case int() | float() | str():
            text = str(value)
        case _:
            text = str(list(value))
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def type_text(kind: onnx.TypeProto) -> str:
    """Return a type as `float32[batch, 3]` or `sequence of int64[]`."""
    which = kind.WhichOneof("value")
    if which in ("sequence_type", "optional_type"):
        inner = type_text(getattr(kind, which).elem_type)
        return f"{which.removesuffix('_type')} of {inner}"
    if which != "tensor_type":
        return ""
    tensor = kind.tensor_type
    try:
        dtype = str(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    except (KeyError, TypeError, ValueError):
        dtype = "?"
    if not tensor.HasField("shape"):
        return dtype
    sizes = (
        d.dim_param or (d.dim_value if d.HasField("dim_value") else "?") for d in tensor.shape.dim
    )
    return f"{dtype}[{', '.join(map(str, sizes))}]"
