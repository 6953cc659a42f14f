"""Computes now what depends on constants only.

    y = Add([1, 2], [3, 4])       # y is the constant [4, 6]

onnxruntime itself computes, so the arithmetic is that of the model. A node that fails stays: it
must fail when the model runs; a check that holds is a constant too. Results that are larger than
their operands stay as nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import all_known, is_known
from onnx_graph.marks import CHECK
from onnx_graph.passes.editing import nested, replace
from onnx_graph.passes.safety import is_pure
from onnx_graph.passes.wide_integers import is_wide
from onnx_graph.runtime import runtime
from onnx_graph.values import const_array, contents_of, entries_of, is_tensor

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {
    "identities": "a node that gives back its operand needs no session",
    "learned_sizes": "the Shape of known sizes is a constant",
}

_SMALL = 4096
# onnxruntime 1.31 kills the process on some empty operands of these.
_DANGEROUS = frozenset(("Einsum", "Unique", "LSTM", "GRU", "RNN", "Conv", "ConvTranspose"))


def run(graph: ONNXGraph) -> int:
    """Fold constants, outer graphs first; return how many nodes."""
    folded = 0
    for scope in reversed(list(nested(graph.main.graph))):
        for node in list(scope):
            returned = any(value.is_graph_output() for value in node.outputs)
            if returned and not any(value.uses() for value in node.outputs):
                continue
            results = _known_sizes(node)
            if results is None:
                results = _passed(node)
            if results is None:
                results = _evaluated(graph, node)
            if results is None:
                continue
            if returned:  # ONNX returns no constant, but what reads it here may read one
                for value, array in zip(node.outputs, results, strict=True):
                    constant = graph.constant(array)
                    for use in list(value.uses()):
                        use.node.replace_input_with(use.idx, constant)
                folded += 1
                continue
            for value, array in zip(node.outputs, results, strict=True):
                replace(graph, value, graph.constant(array))
            scope.remove(node, safe=True)
            folded += 1
    return folded


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """What depends on constants alone is large, fails, or is a result; no check surely holds."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if _passed(node) is not None:
                yield f"the check {node.meta[CHECK]!r}, which holds"
            elif any(value.is_graph_output() for value in node.outputs):
                continue
            elif _known_sizes(node) is not None or _evaluated(graph, node) is not None:
                yield f"this {node.op_type} of constants"


def _known_sizes(node: ir.Node) -> list[npt.NDArray[np.generic]] | None:
    """Return the contents of Shape and the like where all sizes are numbers."""
    if node.op_type not in ("Shape", "Size") or len(node.outputs) != 1:
        return None
    known = all_known(entries_of(node.outputs[0]))
    return [np.array(contents_of(node.outputs[0]), np.int64)] if known else None


def _passed(node: ir.Node) -> list[npt.NDArray[np.generic]] | None:
    """Return what a check gives whose condition is known to hold: no numbers."""
    if CHECK not in node.meta or node.op_type != "Range" or node.inputs[2] is None:
        return None
    holds = const_array(node.inputs[2])
    return [np.zeros(0, holds.dtype)] if holds is not None and holds.any() else None


def _evaluated(graph: ONNXGraph, node: ir.Node) -> list[npt.NDArray[np.generic]] | None:
    """Compute a node in onnxruntime, None if it is not constant, large, or fails."""
    arrays = [None if value is None else const_array(value) for value in node.inputs]
    known = [array for array in arrays if array is not None]
    constant = all(
        value is None or array is not None for value, array in zip(node.inputs, arrays, strict=True)
    )
    if not constant or not is_pure(node) or node.op_type in _DANGEROUS or is_wide(node):
        return None
    if not all(is_tensor(value) for value in node.outputs):
        return None
    if sum(array.size for array in known) > _SMALL or _is_large(node) or _kills(node, known):
        return None
    results = _run(graph, node, arrays)
    if results is None or sum(result.size for result in results) > _SMALL:
        return None
    typed = [
        (r, v.dtype) for r, v in zip(results, node.outputs, strict=True) if v.dtype is not None
    ]
    return results if all(result.dtype == dtype.numpy() for result, dtype in typed) else None


def evaluated(graph: ONNXGraph, value: Value) -> npt.NDArray[np.generic] | None:
    """Return what a value is, where constants alone decide it."""
    array, node = const_array(value), value.producer()
    if array is not None or node is None:
        return array
    operands = [None if v is None else evaluated(graph, v) for v in node.inputs]
    known = all(v is None or a is not None for v, a in zip(node.inputs, operands, strict=True))
    results = _run(graph, node, operands) if known and is_pure(node) else None
    return None if results is None else results[value.index() or 0]


def _run(
    graph: ONNXGraph, node: ir.Node, arrays: Sequence[npt.NDArray[np.generic] | None]
) -> list[npt.NDArray[np.generic]] | None:
    """Return what a node of constants gives in onnxruntime, None where it fails."""
    copies = [
        None
        if value is None or array is None
        else Value(name=f"x{index}", type=value.type, shape=ir.Shape(array.shape))
        for index, (value, array) in enumerate(zip(node.inputs, arrays, strict=True))
    ]
    outputs = [Value(name=f"y{index}", type=value.type) for index, value in enumerate(node.outputs)]
    inner = ir.Node("", node.op_type, copies, list(node.attributes.values()), outputs=outputs)
    inputs = [copy for copy in copies if copy is not None]
    one = ir.Graph(inputs, outputs, nodes=[inner], name="g", opset_imports={"": graph.opset})
    proto = ir.to_proto(ir.Model(one, ir_version=graph.ir_version))
    ort = runtime()
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    fed = {f"x{index}": array for index, array in enumerate(arrays) if array is not None}
    try:
        session = ort.InferenceSession(
            proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return [np.asarray(result) for result in session.run(None, fed)]
    except Exception:  # whatever onnxruntime raises: the node has to raise it when the model runs
        return None


def _kills(node: ir.Node, operands: Sequence[npt.NDArray[np.generic]]) -> bool:
    """Tell whether a division of integers ends the process in onnxruntime before 1.17."""
    divides = node.op_type in ("Div", "Mod") and operands[-1].dtype.kind in "iu"
    return divides and bool(np.isin(operands[-1], (0, -1)).any())


def _is_large(node: ir.Node) -> bool:
    """Tell whether a result is known to be large, or of unknown size."""
    for value in node.outputs:
        if value.shape is None:
            return node.op_type not in ("Reshape", "Squeeze", "Slice", "Gather")
        sizes = [dim for dim in value.shape.dims if is_known(dim)]
        if len(sizes) != value.shape.rank() or int(np.prod(sizes)) > _SMALL:
            return True
    return False
