"""What passes find out of sizes that were unknown when the graph was built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, same, substitute, symbols
from onnx_graph.failing import reads_within
from onnx_graph.passes.editing import made_by, nested
from onnx_graph.values import contents_of, rank_of, set_contents, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def counted(value: Value | None) -> Value | None:
    """Return the vector of which a number is the length."""
    size, gather = made_by(value, "Size"), made_by(value, "Gather")
    shape = None if gather is None else made_by(gather.inputs[0], "Shape")
    if gather is not None and shape is not None and not shape.attributes and reads_within(gather):
        index = gather.inputs[1]
        size = shape if index is not None and rank_of(index) == 0 else None
    data = None if size is None else size.inputs[0]
    return data if data is not None and rank_of(data) == 1 else None


def is_unknown(size: int | Dim) -> bool:
    """Tell whether a size is one that nobody knows, and nothing else."""
    return str(size).startswith("unk_") and symbols(size) == {str(size)}


def learn(graph: ONNXGraph, old: Value, new: Value) -> None:
    """Call the unknown sizes of a value what they are called for a value that is the same."""
    before, after = shape_or_none(old), shape_or_none(new)
    if before is None or after is None or len(before) != len(after):
        return
    known = {
        str(one): other
        for one, other in zip(before, after, strict=True)
        if is_unknown(one) and not is_unknown(other)
    }
    rename(graph, known)


def rename(graph: ONNXGraph, known: Mapping[str, int | Dim]) -> None:
    """Call unknown sizes what they are, wherever they are written down."""
    if known:
        for scope in nested(graph.main.graph):
            for value in (*scope.inputs, *(value for node in scope for value in node.outputs)):
                _rename(value, known)


def _rename(value: Value, known: Mapping[str, int | Dim]) -> None:
    held = contents_of(value)
    parts: tuple[Any, ...] = held if type(held) is tuple else (held,)
    if any(part is not None and symbols(part) & known.keys() for part in parts):
        told = [None if part is None else substitute(part, known) for part in parts]
        set_contents(value, told if type(held) is tuple else told[0])
    dims = shape_or_none(value)
    if dims is None or not any(symbols(dim) & known.keys() for dim in dims):
        return
    renamed = [substitute(dim, known) for dim in dims]
    if not all(map(same, dims, renamed)):
        value.shape = ir.Shape(renamed)
