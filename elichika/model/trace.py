"""One run of a model, operator by operator: what each gives, in which turn, and in what time."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TypeProto, helper, numpy_helper

from elichika.errors import InputError, ModelRuntimeError, SourceFrame
from elichika.model.protos import bodies
from elichika.model.session import FATAL, require_runtime
from elichika.model.source_map import SourceMap, kernel_message

__all__ = ["Sessions", "Step", "traced"]

Sessions = dict[tuple[bytes, ...], Any]
"""Those of onnxruntime that run one operator, by the operator and the types of its operands."""


@dataclass(frozen=True)
class Step:
    """What an operator gave.

    Attributes:
        op: The operator; `Check` of a node that fails where the program does.
        turns: The numbers of the turns that it is in, of the outermost loop first.
        given: The values that it was given.
        outputs: What it gave, by name; a list of arrays is a sequence.
        seconds: What that took, by itself.
        rows: Of a loop: what its turns gave one by one, where an output has all of them.
        library: The place in Chainer, where no line is the user's.
    """

    name: str
    op: str
    frames: tuple[SourceFrame, ...]
    layer: str
    turns: tuple[int, ...]
    given: tuple[Any, ...]
    outputs: Mapping[str, Any]
    seconds: float
    rows: tuple[Any, ...] = ()
    library: str = ""

    @property
    def label(self) -> str | None:
        """The innermost place, such as `model.py:12`; in Chainer where no line is the user's."""
        return self.frames[-1].label if self.frames else self.library or None


class _Items(list[Any]):
    """A sequence, which has a dtype also where it is empty."""

    dtype = 0


def traced(
    model: onnx.ModelProto,
    lines: SourceMap,
    feeds: Mapping[str, Any],
    sessions: Sessions | None = None,
) -> Iterator[Step]:
    """Run a model; yield its steps, those of loops and branches that are run among them.

    Args:
        model: The model.
        lines: Where its nodes come from.
        feeds: Its inputs.
        sessions: Of single operators, made by runs of models that have much in common.

    Raises:
        ModelRuntimeError: A node fails; with the user's lines, after the steps before it.
        InputError: The model has what is not traced.
    """
    values: dict[str, Any] = {}
    for port in model.graph.input:
        value = feeds.get(port.name)
        kind = port.type.sequence_type.elem_type.tensor_type.elem_type
        is_list = port.type.WhichOneof("value") == "sequence_type"
        values[port.name] = _items(value, kind) if is_list else value
    run = _Run(model, lines, {} if sessions is None else sessions)
    yield from run.graph(model.graph, values, ())


class _Run:
    def __init__(self, model: onnx.ModelProto, lines: SourceMap, sessions: Sessions) -> None:
        self._model, self._lines, self._sessions = model, lines, sessions

    def graph(
        self, graph: onnx.GraphProto, values: dict[str, Any], turns: tuple[int, ...]
    ) -> Iterator[Step]:
        """Run the nodes of a graph; `values` gets what they give."""
        values |= {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        for node in graph.node:
            seconds, rows = 0.0, ()
            given = tuple(values[name] for name in node.input if name)
            if node.op_type == "If":
                results = yield from self._branch(node, values, turns)
            elif node.op_type == "Loop":
                results, rows = yield from self._turns(node, values, turns)
            elif bodies(node):
                raise InputError(f"`trace` does not look into {node.op_type}.")
            else:
                results, seconds = self._operator(node, values)
            outputs = dict(zip(node.output, results, strict=False))
            outputs.pop("", None)
            values |= outputs
            frames, layer = self._lines.get(node.name, ()), self._lines.layer(node.name)
            op = "Check" if node.name in self._lines.checks else node.op_type
            library = "" if frames else self._lines.label(node.name) or ""
            yield Step(node.name, op, frames, layer, turns, given, outputs, seconds, rows, library)

    def _branch(
        self, node: NodeProto, values: dict[str, Any], turns: tuple[int, ...]
    ) -> Generator[Step, None, list[Any]]:
        arm = bodies(node)["then_branch" if values[node.input[0]] else "else_branch"]
        inner = dict(values)
        yield from self.graph(arm, inner, turns)
        return [inner[one.name] for one in arm.output]

    def _turns(
        self, node: NodeProto, values: dict[str, Any], turns: tuple[int, ...]
    ) -> Generator[Step, None, tuple[list[Any], tuple[Any, ...]]]:
        body = bodies(node)["body"]
        first, second, *rest = node.input
        most = int(values[first]) if first else math.inf
        goes = bool(values[second]) if second else True
        carried = [values[name] for name in rest]
        rows: list[list[Any]] = [[] for _ in body.output[1 + len(rest) :]]
        turn = 0
        while goes and turn < most:
            inner = dict(values)
            starts = [np.array(turn), np.array(goes), *carried]
            inner |= dict(zip((one.name for one in body.input), starts, strict=True))
            yield from self.graph(body, inner, (*turns, turn))
            ends = [inner[one.name] for one in body.output]
            goes, carried = bool(ends[0]), ends[1 : 1 + len(rest)]
            for row, value in zip(rows, ends[1 + len(rest) :], strict=True):
                row.append(value)
            turn += 1
        ports = body.output[1 + len(rest) :]
        stacked = [_stacked(*pair) for pair in zip(rows, ports, strict=True)]
        return [*carried, *stacked], tuple(value for row in rows for value in row)

    def _operator(self, node: NodeProto, values: Mapping[str, Any]) -> tuple[list[Any], float]:
        names = list(dict.fromkeys(name for name in node.input if name))
        types = [_type_of(values[name]) for name in names]
        key = (node.SerializeToString(), *(one.SerializeToString() for one in types))
        try:
            if key not in self._sessions:
                self._sessions[key] = self._session(node, names, types)
            start = time.perf_counter()
            found = self._sessions[key].run(None, {name: values[name] for name in names})
            seconds = time.perf_counter() - start
        except Exception as error:
            raise self._lines.error(error) or ModelRuntimeError(
                f"{node.op_type} failed: {kernel_message(str(error))}",
                self._lines.get(node.name, ()),
            ) from None
        results = iter(found)
        all_ = [next(results) if name else None for name in node.output]
        dtype = _dtype_in(node, values) if list in map(type, found) else 0
        return [_items(one, dtype) if type(one) is list else one for one in all_], seconds

    def _session(self, node: NodeProto, names: list[str], types: list[TypeProto]) -> Any:
        """Return a model of one node."""
        inputs = [helper.make_value_info(*pair) for pair in zip(names, types, strict=True)]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = helper.make_graph([node], "step", inputs, outputs)
        model = helper.make_model(graph, opset_imports=self._model.opset_import)
        model.ir_version = self._model.ir_version
        runtime = require_runtime()
        options = runtime.SessionOptions()
        options.log_severity_level = FATAL
        options.intra_op_num_threads = 1
        data = model.SerializeToString()
        return runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _items(values: Any, dtype: int) -> _Items:
    items = _Items(values)
    items.dtype = helper.np_dtype_to_tensor_dtype(items[0].dtype) if items else dtype
    return items


def _type_of(value: Any) -> TypeProto:
    if type(value) is _Items:
        return helper.make_sequence_type_proto(helper.make_tensor_type_proto(value.dtype, None))
    dtype = helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype)
    return helper.make_tensor_type_proto(dtype, None)


def _dtype_in(node: NodeProto, values: Mapping[str, Any]) -> int:
    """Return the dtype of the elements of an empty sequence that a node gives."""
    if node.op_type == "SequenceEmpty":
        return next((a.i for a in node.attribute if a.name == "dtype"), onnx.TensorProto.FLOAT)
    value = values[node.input[0]]
    if type(value) is _Items:
        return value.dtype
    return int(helper.np_dtype_to_tensor_dtype(value.dtype))


def _stacked(rows: list[Any], port: onnx.ValueInfoProto) -> Any:
    if rows:
        return np.stack(rows)
    tensor = port.type.tensor_type
    sizes = [dim.dim_value for dim in tensor.shape.dim]
    return np.zeros([0, *sizes], helper.tensor_dtype_to_np_dtype(tensor.elem_type))
