"""Final names: once, at export, unique over all scopes; and the source map."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import CHECK, HINT, SOURCE
from onnx_graph.sources import frames_of, label_of, layer_of, portable_frames_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

SOURCE_MAP_KEY = "elichika.source_map"
FIRST_OF_METADATA = 10
"""The IR version from which on nodes have metadata."""


class _Names:
    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def reserve(self, name: str) -> None:
        self._taken.add(name)

    def unique(self, stem: str, *, bare: bool) -> str:
        """Return ``stem`` or ``stem_1``, ``stem_2``, …."""
        if bare and stem not in self._taken:
            self._taken.add(stem)
            return stem
        while True:
            number = self._next.get(stem, 1)
            self._next[stem] = number + 1
            name = f"{stem}_{number}"
            if name not in self._taken:
                self._taken.add(name)
                return name


def finished_model(graph: ONNXGraph) -> ir.Model:
    """Give all nodes and values their names and wrap the main graph in a model."""
    graph.lifting.settle()
    names = _Names()
    main = graph.main.graph
    for name in (*graph.outputs, *main.initializers):
        names.reserve(name)
    for value in main.inputs:
        assert value.name is not None
        names.reserve(value.name)
    _name_nodes(
        main, with_places=graph.source_info, with_metadata=graph.ir_version >= FIRST_OF_METADATA
    )
    fixed = {id(value): name for name, value in graph.outputs.items()}
    _name_values(main, names, fixed, outermost=True)
    model = ir.Model(
        main,
        ir_version=graph.ir_version,
        producer_name=graph.producer[0],
        producer_version=graph.producer[1],
    )
    model.metadata_props.update(graph.metadata)
    sources = _source_map(main, portable_frames_of if graph.source_info else None)
    if sources["nodes"] or sources["checks"]:
        model.metadata_props[SOURCE_MAP_KEY] = json.dumps(
            sources, separators=(",", ":"), ensure_ascii=False
        )
    return model


def source_map(graph: ONNXGraph) -> dict[str, Any]:
    """Return where the nodes of the finished model come from, with the files as Python has them."""
    _name_nodes(graph.main.graph, with_places=graph.source_info)
    return _source_map(graph.main.graph, frames_of)


def _name_nodes(main: ir.Graph, *, with_places: bool, with_metadata: bool = False) -> None:
    for number, node in enumerate(main.all_nodes(), 1):
        source, message = node.meta.get(SOURCE), node.meta.get(CHECK)
        what = node.op_type if message is None else f"Check({_printable(str(message))})"
        told = _told(node, source) if source is not None and with_places else {}
        if with_metadata:
            node.metadata_props.update(told)
        place = _printable("/".join(told.values()))
        node.name = f"{place}/{what}#{number}" if place else f"{what}#{number}"


def _told(node: ir.Node, source: object) -> dict[str, str]:
    """Return the layer, the line and the variable: ``/lstm/upward``, ``model.py:12`` and ``h``."""
    hints = (str(value.meta[HINT]) for value in node.outputs if value.meta.get(HINT))
    told = {"layer": layer_of(source), "line": label_of(source), "variable": next(hints, None)}
    return {f"elichika.{what}": text for what, text in told.items() if text}


def _source_map(main: ir.Graph, frames: Callable[[object], list[object]] | None) -> dict[str, Any]:
    """Return the messages of checks, and with `frames` also the places of all nodes."""
    sources: list[object] = []
    indices: dict[str, int] = {}
    nodes: dict[str, int] = {}
    messages: dict[str, str] = {}
    for node in main.all_nodes():
        assert node.name is not None
        source, message = node.meta.get(SOURCE), node.meta.get(CHECK)
        if message is not None:
            messages[node.name] = str(message)
        if source is not None and frames is not None:
            entry = {"label": label_of(source), "frames": frames(source)}
            if layer_of(source):
                entry["layer"] = layer_of(source)
            text = json.dumps(entry, ensure_ascii=False)
            if text not in indices:
                indices[text] = len(sources)
                sources.append(entry)
            nodes[node.name] = indices[text]
    return {"version": 1, "sources": sources, "nodes": nodes, "checks": messages}


def _printable(text: str) -> str:
    """Return text that stands inside quotes in onnxruntime's messages."""
    return " ".join(text.replace("'", '"').split())


def _name_values(graph: ir.Graph, names: _Names, fixed: dict[int, str], outermost: bool) -> None:
    if not outermost:
        graph.name = names.unique(re.sub(r"\W+", "_", graph.name or "body"), bare=True)
        for value in graph.inputs:
            value.name = names.unique(_stem(value, "carried"), bare=True)
    for node in graph:
        for value in node.outputs:
            value.name = fixed.get(id(value)) or names.unique(
                _stem(value, node.op_type.lower()), bare=value.meta.get(HINT) is not None
            )
        for attribute in node.attributes.values():
            if attribute.type is ir.AttributeType.GRAPH:
                _name_values(attribute.as_graph(), names, fixed, outermost=False)


def _stem(value: Value, default: str) -> str:
    hint = value.meta.get(HINT)
    return str(hint) if hint else default
