"""Multiplies a batch normalization by known statistics into the weights of the layer before it.

y = BatchNormalization(Conv(x, W, b), gamma, beta, mean, var)
y = Conv(x, W.normalized, b.normalized)      # W * s and (b - mean) * s + beta, of each channel,
                                             # where s is gamma / sqrt(var + epsilon)

onnxruntime does the same each time that it loads a model, and then holds both weights. The layer is
a convolution, a transposed one, or a product, which nothing else reads, as nothing else reads its
weights. They are computed in float64; where they do not fit into a float32 then, or would become
zero, nothing changes. Nor does it in a graph that takes other weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import copied_before, nested, replace, surely_replace
from onnx_graph.passes.shared_weights import turns
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "identities": "a copy between a layer and its normalization hides it",
    "duplicates": "which leaves one of two layers that are alike",
}

NORMALIZED = ".normalized"
"""What the name of a weight gets that a normalization is multiplied into."""
BETA = 2
"""Which operand of a normalization is added to what it gives."""
_CHANNELS = {"Conv": 0, "ConvTranspose": 1, "Gemm": 1}
"""The axis of a weight that has the channels of the result."""
_Array = npt.NDArray[Any]


@dataclass
class _Folded:
    """A normalization and the layer before it, with what the weights become."""

    norm: ir.Node
    layer: ir.Node
    weight: _Array
    bias: _Array


def run(graph: ONNXGraph) -> int:
    """Fold normalizations; return how many."""
    count = 0
    for found in _found(graph):
        _fold(graph, found)
        count += 1
    return count


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No normalization is left that its layer can take in."""
    for found in _found(graph):
        yield f"{found.norm.outputs[0].name} normalizes a {found.layer.op_type}"


def _found(graph: ONNXGraph) -> Iterator[_Folded]:
    if graph.open_weights or not graph.folds_norms:
        return
    for scope in nested(graph.main.graph):
        for node in list(scope):
            if node.op_type == "BatchNormalization" and (found := _folded(node)) is not None:
                yield found


def _folded(norm: ir.Node) -> _Folded | None:
    """Return what becomes of a normalization and its layer; None where it stays."""
    layer = _layer(norm)
    if layer is None:
        return None
    weight, bias = _float32(layer.inputs[1]), _bias(layer)
    gamma, *others = statistics = [_float32(value) for value in norm.inputs[1:]]
    axis = 0 if layer.op_type == "Gemm" and turns(layer) else _CHANNELS[layer.op_type]
    if weight is None or bias is None or gamma is None or gamma.shape != (weight.shape[axis],):
        return None
    if bias.shape not in ((), gamma.shape):
        return None
    beta, mean, var = (np.zeros(0) if one is None else one.astype(np.float64) for one in others)
    if not all(one is not None and one.shape == gamma.shape for one in statistics):
        return None
    with np.errstate(all="ignore"):
        factor = gamma / np.sqrt(var + norm.attributes.get_float("epsilon", 1e-5))
        along = np.expand_dims(factor, [k for k in range(weight.ndim) if k != axis])
        wide = weight * along, (bias - mean) * factor + beta
        narrow = [one.astype(np.float32) for one in wide]
    small = np.finfo(np.float32).tiny
    lost = (wide[0] != 0) & (np.abs(weight) >= small) & (np.abs(narrow[0]) < small)
    kept = not lost.any() and all(np.isfinite(one).all() for one in narrow)
    return _Folded(norm, layer, *narrow) if kept else None


def _layer(norm: ir.Node) -> ir.Node | None:
    """Return the layer that a normalization, and nothing else, reads."""
    value = norm.inputs[0]
    layer = None if value is None else value.producer()
    if value is None or layer is None or layer.op_type not in _CHANNELS:
        return None
    number = layer.attributes.get_float
    plain = number("alpha", 1.0) == 1 == number("beta", 1.0)
    plain &= layer.op_type == "Conv" or layer.attributes.get_int("group", 1) == 1
    plain &= layer.graph is norm.graph and len(norm.outputs) == 1
    alone = all(map(_is_read_once, (value, *layer.inputs[1:2])))
    return layer if plain and alone else None


def _is_read_once(value: Value | None) -> bool:
    return value is not None and len(value.uses()) == 1 and not value.is_graph_output()


def _bias(layer: ir.Node) -> _Array | None:
    """Return the bias of a layer, zero where it has none; None of one that is not known."""
    value = layer.inputs[2] if len(layer.inputs) > 2 else None
    return np.zeros((), np.float32) if value is None else _float32(value)


def _float32(value: Value | None) -> _Array | None:
    array = None if value is None else const_array(value)
    return array if array is not None and array.dtype == np.float32 else None


def _fold(graph: ONNXGraph, found: _Folded) -> None:
    """Give the layer its new weights, and take the normalization away."""
    norm, layer = found.norm, found.layer
    for place, array in ((1, found.weight), (2, found.bias)):
        named = layer.inputs[1] if place == 1 else norm.inputs[BETA]
        assert named is not None
        layer.resize_inputs(max(place + 1, len(layer.inputs)))
        layer.replace_input_with(place, _added(graph, f"{named.name}{NORMALIZED}", array))
    layer.outputs[0].shape = norm.outputs[0].shape
    if not replace(graph, norm.outputs[0], layer.outputs[0]):
        surely_replace(graph, norm.outputs[0], copied_before(norm, layer.outputs[0]))
    assert norm.graph is not None
    norm.graph.remove(norm, safe=True)


def _added(graph: ONNXGraph, name: str, array: _Array) -> Value:
    """Add a weight, by another name where two layers have the same normalization."""
    names, number, free = graph.main.graph.initializers, 1, name
    while free in names:
        number += 1
        free = f"{name}.{number}"
    return graph.initializer(free, array)
