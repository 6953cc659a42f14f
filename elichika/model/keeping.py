"""Which nodes of loops a session keeps on the CPU, beside a GPU.

By itself onnxruntime computes with single numbers on the GPU, unless they come from sizes, and
fetches what decides how a loop goes on: each of these copies waits for the GPU. Here the nodes of
loops that compute with nothing but numbers are named, or with whole numbers and lists of them,
whichever saves copies; a loop of only such nodes is kept as a whole, and copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx

from elichika.errors import InputError
from elichika.model.placement import Placement, inferred_types, placement_of
from elichika.model.protos import bodies
from elichika.model.source_map import SourceMap

__all__ = ["kept_nodes", "setting"]

LONGEST = 8000
"""Characters that a setting may have; onnxruntime takes 8,192."""
SEPARATORS = frozenset("(),;=")
READING_SIZES = ("Shape", "Size", "SequenceLength")
WHOLE = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "BOOL", "STRING")


def kept_nodes(model: onnx.ModelProto) -> dict[str, str]:
    """Return the nodes that stay on the CPU: their names, and the parts that no others have.

    Raises:
        InputError: The types of the model do not fit together.
    """
    lines = SourceMap({})
    graph = inferred_types(model).graph
    every = list(_all_names(graph))
    choices: list[dict[str, str]] = [{}]
    for lists in (False, True):
        chosen = set(_Numbers(graph, lists=lists).names)
        others = "\n".join(name for name in every if name not in chosen)
        parts = {name: _part(name, others) for name in chosen}
        choices.append({name: part for name, part in parts.items() if part})
    sayable = [kept for kept in choices if len(_said(kept)) <= LONGEST]
    return min(sayable, key=lambda kept: _copies(placement_of(model, lines, kept)))


def _copies(found: Placement) -> int:
    return sum(len(loop.values) for loop in found.loops)


def _part(name: str, others: str) -> str:
    """Return the shortest end of a name that is in no other one; nothing where there is none."""
    starts = [place for place, letter in enumerate(name) if letter in "/#"]
    for start in (*reversed(starts), 0):
        part = name[start:]
        if part and SEPARATORS.isdisjoint(part) and part not in others:
            return part
    return ""


def _said(kept: Mapping[str, str]) -> str:
    return f"cpu({', '.join(sorted(set(kept.values())))})" if kept else ""


def setting(model: onnx.ModelProto) -> str:
    """Return what a session is told; nothing where onnxruntime may do as it does."""
    try:
        return _said(kept_nodes(model))
    except InputError:  # onnxruntime itself says what is wrong with the model
        return ""


def _all_names(graph: onnx.GraphProto) -> Iterator[str]:
    for node in graph.node:
        yield node.name
        for body in bodies(node).values():
            yield from _all_names(body)


class _Numbers:
    """The nodes within loops that compute with numbers alone."""

    def __init__(self, graph: onnx.GraphProto, *, lists: bool) -> None:
        self._lists = lists
        self.names: list[str] = []
        self._small: set[str] = set()
        self._graph(graph, in_loop=False)

    def _graph(self, graph: onnx.GraphProto, *, in_loop: bool) -> bool:
        """Note the nodes of a graph; tell whether all of it computes with numbers."""
        for tensor in graph.initializer:
            number = list(tensor.dims) in ([], [1])
            if number or (self._lists and _element(tensor.data_type) in WHOLE):
                self._small.add(tensor.name)
        for value in (*graph.input, *graph.value_info, *graph.output):
            if self._is_small(value.type):
                self._small.add(value.name)
        whole = True
        for node in graph.node:
            inside = [
                self._graph(body, in_loop=in_loop or node.op_type == "Loop")
                for body in bodies(node).values()
            ]
            values = [name for name in (*node.input, *node.output) if name]
            if node.op_type in READING_SIZES:  # its result lies on the CPU as it is
                continue
            if all(inside) and self._small.issuperset(values):
                if in_loop or node.op_type == "Loop":
                    self.names.append(node.name)
            elif not _is_check(node):
                whole = False
        return whole

    def _is_small(self, kind: onnx.TypeProto) -> bool:
        which = kind.WhichOneof("value")
        if which in ("sequence_type", "optional_type"):
            inner = getattr(kind, which).elem_type
            return self._is_small(inner) and (self._lists or which == "optional_type")
        if which != "tensor_type":
            return False
        tensor = kind.tensor_type
        if self._lists and _element(tensor.elem_type) in WHOLE:
            return True
        dims = tensor.shape.dim
        return tensor.HasField("shape") and all(one.dim_value == 1 for one in dims)


def _is_check(node: onnx.NodeProto) -> bool:
    """Tell whether a node fails where the program does; it takes what is on the CPU."""
    return node.op_type == "Range" and "Check(" in node.name


def _element(data_type: int) -> str:
    name: str = onnx.TensorProto.DataType.Name(data_type)
    return name
