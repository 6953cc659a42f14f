"""Sizes of the operators that have no rule of ours, from onnx-shape-inference.

The library takes symbolic sizes to be large and different names to be equal in places. It is
therefore asked about a copy of the node and believed for the rank; a size is believed if it is a
number and all sizes of all operands are numbers, else it is a fresh unknown symbol.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir
from onnx_ir import Value
from onnx_shape_inference import ShapeInferenceContext, registry

from onnx_graph.dims import all_known, is_known
from onnx_graph.inference.call import Call, MismatchError
from onnx_graph.values import Dims, shape_or_none


def shapes(call: Call) -> Sequence[Dims | None]:
    """Ask the library; see above.

    Raises:
        MismatchError: the library finds the node wrong.
    """
    function = registry.get("", call.op, call.graph.opset)
    if function is None:
        return [None] * call.results
    copies = [None if value is None else _copy(value) for value in call.inputs]
    node = ir.Node(
        "", call.op, copies, list(call.node.attributes.values()), num_outputs=call.results
    )
    for ours, theirs in zip(call.node.outputs, node.outputs, strict=True):
        theirs.type = ours.type
    context = ShapeInferenceContext({"": call.graph.opset}, policy="override")
    try:
        function(context, node)
    except ValueError as error:
        raise MismatchError(str(error)) from error
    static = all(_is_static(value) for value in call.inputs if value is not None)
    results: list[Dims | None] = []
    for value in node.outputs:
        if value.shape is None:
            results.append(None)
        else:
            results.append(
                tuple(dim if static and is_known(dim) else call.fresh() for dim in value.shape.dims)
            )
    return results


def _copy(value: Value) -> Value:
    dims = shape_or_none(value)
    names = None
    if dims is not None:
        names = ir.Shape(
            dim if is_known(dim) else f"size_{axis}_{id(value)}" for axis, dim in enumerate(dims)
        )
    return Value(name="operand", type=value.type, shape=names, const_value=value.const_value)


def _is_static(value: Value) -> bool:
    dims = shape_or_none(value)
    return dims is not None and all_known(dims)
