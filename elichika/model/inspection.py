"""What a model file holds: sizes, operators, loops and branches beside the user's lines.

Portability rules are facts measured in the runtimes named, or read in their documentation.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx

from elichika.errors import InputError
from elichika.model.files import refusing
from elichika.model.protobuf_bounds import MOST_PARTS, too_many_parts
from elichika.model.protos import metadata_of
from elichika.model.source_map import SourceMap
from elichika.signature import SIGNATURE_KEY, Signature
from elichika.signature.forms import in_words
from elichika.signature.profile import PROFILE_KEY

__all__ = [
    "Block",
    "Inspection",
    "Layer",
    "Port",
    "count_nodes",
    "inspect_model",
    "inspection_of",
    "node_names",
    "opset_of",
    "ports",
    "read_model",
]

MOST_BYTES = 2**31
"""Of a model file: what protobuf itself can hold."""
MOST_DIMS = 64
"""Axes of a parameter: numpy has no more."""
DEEPEST = 64
"""Nesting of subgraphs that is followed; onnxruntime itself gives up far below."""
NO_TENSORRT = frozenset({"NonZero", "Mod", "OneHot", "RoiAlign", "Unique", "Compress"})
NO_OPENVINO = frozenset({"SplitToSequence"})
NEWEST_EVERYWHERE = 21
"""From opset 22 on several operators have no CPU kernel in onnxruntime."""
UNNAMED = re.compile(r"unk_\d+\Z")
"""A size of which only a run tells anything."""


@dataclass(frozen=True)
class Port:
    """An input or output of a model.

    Attributes:
        dtype: Such as `float32`, `sequence of float32`.
        shape: Its sizes, ints or names; None where the model does not say.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.name}: {self.dtype}"
        sizes = ", ".join(UNNAMED.sub("?", str(size)) for size in self.shape)
        return f"{self.name}: {self.dtype}[{sizes}]"


@dataclass(frozen=True)
class Block:
    """A Loop, If or Scan, with those inside it.

    Attributes:
        place: The user's line, such as `decoder.py:31`; None if the model does not say.
        nodes: How many nodes its subgraphs hold, those of inner blocks included.
    """

    op_type: str
    name: str
    place: str | None
    nodes: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Layer:
    """What is of one link of the chain, those below it left out.

    Attributes:
        path: Of the link, such as `/lstm/upward`.
        nodes: How many nodes its methods make.
        parameters: How many it has.
        bytes: Of these.
    """

    path: str
    nodes: int
    parameters: int
    bytes: int

    def __str__(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{self.path}: {nodes}, {self.bytes:,} bytes"


@dataclass(frozen=True)
class Inspection:
    """What is in a model file.

    Attributes:
        parameters: Name, dtype, shape and bytes of every initializer, the biggest first.
        layers: The links of the chain that have nodes or parameters, in the order of their nodes.
        operators: How often each operator occurs, subgraphs included.
        notes: Where else the model runs or does not run, and why.
        arguments: What examples showed of each argument, and what it became.
        result: What the model gives, where that is not always of one type: `float32[n] or None`.
    """

    producer: str
    opset: int
    ir_version: int
    bytes: int
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: int
    operators: dict[str, int]
    blocks: tuple[Block, ...]
    parameters: tuple[tuple[str, str, tuple[int, ...], int], ...]
    layers: tuple[Layer, ...]
    notes: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    result: str = ""


def inspect_model(path: str | os.PathLike[str]) -> Inspection:
    """Read a model file without running it, and without its external data.

    Raises:
        InputError: There is no such file, or it holds no ONNX model.
    """
    source = Path(path)
    return inspection_of(read_model(source), source.stat().st_size)


def inspection_of(model: onnx.ModelProto, size: int) -> Inspection:
    """Return what is in a model of so many bytes, without those beside its file."""
    graph = model.graph
    operators = Counter(node.op_type for node in _all_nodes(graph))
    opset = opset_of(model)
    lines = SourceMap.if_whole(metadata_of(model))
    inputs, outputs = ports(graph)
    return Inspection(
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        opset=opset,
        ir_version=model.ir_version,
        bytes=size,
        inputs=inputs,
        outputs=outputs,
        nodes=operators.total(),
        operators=dict(operators.most_common()),
        blocks=tuple(_blocks(graph, lines)),
        parameters=_parameters(graph),
        layers=tuple(_layers(graph, lines)),
        notes=tuple(_notes(opset, operators, inputs + outputs, lines.has_checks)),
        arguments=_arguments(metadata_of(model)),
        result=_result(metadata_of(model), outputs),
    )


def opset_of(model: onnx.ModelProto) -> int:
    """Return the version of ONNX's own operators; 0 where the model does not say."""
    return next((item.version for item in model.opset_import if item.domain == ""), 0)


def _arguments(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines of a profile; none where there is none that can be read."""
    try:
        lines = json.loads(metadata.get(PROFILE_KEY, "[]"))
    except (RecursionError, ValueError):
        return ()
    return tuple(map(str, lines)) if type(lines) is list else ()


def _result(metadata: Mapping[str, str], outputs: tuple[Port, ...]) -> str:
    """Say what a model gives, if that is one of several things."""
    try:
        read = Signature.from_json(metadata[SIGNATURE_KEY]).outputs
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return ""
    types = {port.name: str(port).partition(": ")[2].removesuffix("[]") for port in outputs}
    text = in_words(read.structure, lambda index: types.get(read.specs[index].name, "?"))
    return text if read.structure.count_ways() > 1 else ""


def ports(graph: onnx.GraphProto) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Return the inputs and outputs of a model."""
    initializers = {tensor.name for tensor in graph.initializer}
    inputs = tuple(_port(value) for value in graph.input if value.name not in initializers)
    return inputs, tuple(_port(value) for value in graph.output)


def read_model(path: Path) -> onnx.ModelProto:
    """Read a model without its external data.

    Raises:
        InputError: There is no such file, or it holds no ONNX model.
    """
    with refusing("read", path):
        if not path.is_file():
            given = re.search(r"\.pyc?:|:[A-Z]", str(path))
            hint = "the model comes first, then what makes the chain" if given else None
            raise InputError(f"Cannot read {path}: there is no such file.", hint=hint)
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"Cannot read {path}: no ONNX file is larger than 2 GiB.")
        data = path.read_bytes()
    if too_many_parts(data):
        raise InputError(f"Cannot read {path}: it has more than {MOST_PARTS:,} parts.")
    try:
        model = onnx.load_model_from_string(data)
    except Exception:  # protobuf has an error class for each of its implementations
        raise InputError(f"{path} holds no ONNX model.") from None
    if not model.opset_import or not model.HasField("graph"):
        raise InputError(f"{path} holds no ONNX model.")
    if any(len(tensor.dims) > MOST_DIMS for tensor in model.graph.initializer):
        raise InputError(f"{path} is damaged: a parameter has more than {MOST_DIMS} axes.")
    if not _is_text(model):
        raise InputError(f"{path} is damaged: it holds names that are not text.")
    return model


def _is_text(message: Any) -> bool:
    """Tell whether all strings are UTF-8; protobuf gives those that are not as bytes."""
    for field, content in message.ListFields():
        if field.type == field.TYPE_STRING:
            items = (content,) if isinstance(content, (str, bytes)) else content
            if any(isinstance(item, bytes) for item in items):
                return False
        elif field.type == field.TYPE_MESSAGE:
            items = (content,) if hasattr(content, "ListFields") else content
            if not all(map(_is_text, items)):
                return False
    return True


def count_nodes(graph: onnx.GraphProto) -> int:
    """Return how many nodes a graph has, those of subgraphs included."""
    return sum(1 for _ in _all_nodes(graph))


def node_names(graph: onnx.GraphProto) -> list[str]:
    """Return the names of the nodes of a graph, those of subgraphs included."""
    return [node.name for node in _all_nodes(graph)]


def _subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def _all_nodes(graph: onnx.GraphProto, depth: int = 0) -> Iterator[onnx.NodeProto]:
    if depth > DEEPEST:
        raise InputError(f"The model nests subgraphs more than {DEEPEST} deep.")
    for node in graph.node:
        yield node
        for inner in _subgraphs(node):
            yield from _all_nodes(inner, depth + 1)


def _layers(graph: onnx.GraphProto, lines: SourceMap) -> Iterator[Layer]:
    """Count by link what a model holds; a parameter's name begins with its link's path."""
    nodes = Counter(lines.layer(node.name) for node in _all_nodes(graph))
    counts, sizes = Counter[str](), Counter[str]()
    for name, _, _, size in _parameters(graph):
        path = f"/{name}".rpartition("/")[0]
        counts[path] += 1
        sizes[path] += size
    for path in filter(None, dict.fromkeys((*nodes, *counts))):
        yield Layer(path, nodes[path], counts[path], sizes[path])


def _blocks(graph: onnx.GraphProto, lines: SourceMap) -> Iterator[Block]:
    for node in graph.node:
        inner = tuple(_subgraphs(node))
        if inner:
            yield Block(
                node.op_type,
                node.name,
                lines.label(node.name),
                sum(map(count_nodes, inner)),
                tuple(block for graph in inner for block in _blocks(graph, lines)),
            )


def _port(value: onnx.ValueInfoProto) -> Port:
    kind, words = value.type, ""
    while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
        which = kind.WhichOneof("value")
        words += which.removesuffix("_type") + " of "
        kind = getattr(kind, which).elem_type
    if kind.WhichOneof("value") != "tensor_type":
        return Port(value.name, words + "unknown", None)
    tensor = kind.tensor_type
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"
            for dim in tensor.shape.dim
        )
    return Port(value.name, words + _dtype(tensor.elem_type), shape)


def _dtype(element: int) -> str:
    try:
        return str(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, TypeError, ValueError):
        return "unknown"


def _parameters(graph: onnx.GraphProto) -> tuple[tuple[str, str, tuple[int, ...], int], ...]:
    rows = []
    for tensor in graph.initializer:
        shape = tuple(tensor.dims)
        try:
            width: Any = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        except (KeyError, TypeError, ValueError):
            width = 0
        rows.append((tensor.name, _dtype(tensor.data_type), shape, math.prod(shape) * width))
    return tuple(sorted(rows, key=lambda row: (-row[3], row[0])))


def _notes(
    opset: int, operators: Counter[str], ports: tuple[Port, ...], checks: bool
) -> Iterator[str]:
    """Say where else the model runs, from what those runtimes are known to lack."""
    sequences = sorted(op for op in operators if "Sequence" in op)
    at_boundary = [port.name for port in ports if port.dtype.startswith("sequence")]
    if at_boundary:
        yield ("onnxruntime-web cannot pass sequences in or out: " + ", ".join(at_boundary))
    lacking = sorted(op for op in operators if op in NO_OPENVINO)
    if at_boundary:
        lacking.append("sequences as inputs or outputs")
    if lacking:
        yield "OpenVINO lacks " + ", ".join(lacking)
    elif sequences:
        yield "OpenVINO runs lists of dynamic length in a few patterns only"
    if checks:
        yield "OpenVINO leaves out some checks at run time"
    if operators["LSTM"] or operators["GRU"]:
        yield "OpenVINO leaves padded steps of LSTM and GRU with sequence_lens unzeroed"
    lacking = sorted(op for op in operators if op in NO_TENSORRT) + sequences
    if lacking:
        yield "TensorRT lacks " + ", ".join(lacking)
    if operators["Loop"]:
        yield "tract has no Loop"
    if opset > NEWEST_EVERYWHERE:
        yield f"opset {opset} needs a recent onnxruntime; 18 runs in all since 1.20"
