"""What a gate takes: a sum of products of values with constant weights, and of constant vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import is_known
from onnx_graph.passes.shared_weights import turns
from onnx_graph.values import const_array, shape_or_none

__all__ = ["Sum", "plain_gemm", "sum_of"]

Array = npt.NDArray[Any]


@dataclass
class Sum:
    """A sum over values of rank 2, as wide as its bias.

    Attributes:
        terms: The weight [inputs, width] of each value.
        bias: A vector.
        rest: What else is added.
        names: Of the weights and biases.
    """

    terms: dict[Value, Array]
    bias: Array
    rest: list[Value] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def plus(self, other: Sum) -> Sum:
        """Return the sum of two."""
        terms = dict(self.terms)
        for value, weight in other.terms.items():
            terms[value] = terms[value] + weight if value in terms else weight
        names = [*self.names, *other.names]
        return Sum(terms, self.bias + other.bias, [*self.rest, *other.rest], names)

    def columns(self, start: int, stop: int) -> Sum:
        """Return some columns of one without a rest."""
        terms = {value: weight[:, start:stop] for value, weight in self.terms.items()}
        return Sum(terms, self.bias[start:stop], [], self.names)


def sum_of(value: Value) -> Sum | None:
    """Return what a value of rank 2 is a sum of; None where it is none."""
    width, node = _width(value), value.producer()
    if width is None:
        return None
    none = np.zeros(width, np.float32)
    array = _vector(value, width)
    if array is not None:
        return Sum({}, array, [], [str(value.name)])
    match "" if node is None else node.op_type:
        case "Add":
            assert node is not None
            left, right = (_addend(part, width) for part in node.inputs)
            return None if left is None or right is None else left.plus(right)
        case "Gemm" | "MatMul":
            assert node is not None
            return _product(node, width)
        case "Split":
            assert node is not None
            return _columns(node, value)
    return Sum({}, none, [value])


def _width(value: Value) -> int | None:
    """Return how wide a matrix is."""
    dims = shape_or_none(value)
    if dims is None or len(dims) != 2 or not is_known(dims[1]):
        return None
    return dims[1]


def _addend(value: Value | None, width: int) -> Sum | None:
    if value is None:
        return None
    array = _vector(value, width)
    return sum_of(value) if array is None else Sum({}, array, [], [str(value.name)])


def _vector(value: Value, width: int) -> Array | None:
    """Return a constant that is the same for each row."""
    array = const_array(value)
    fits = array is not None and (array.ndim < 2 or (array.ndim == 2 and array.shape[0] == 1))
    if array is None or not fits or array.shape[-1:] not in ((), (1,), (width,)):
        return None
    return np.broadcast_to(array.reshape(array.shape[-1:]), (width,))


def plain_gemm(node: ir.Node) -> bool:
    """Tell whether a Gemm does not scale, and does not turn its first operand."""
    scales = (node.attributes[name].as_float() for name in _SCALES if name in node.attributes)
    turned = "transA" in node.attributes and node.attributes["transA"].as_int()
    return not turned and all(scale == 1 for scale in scales)


_SCALES = ("alpha", "beta")


def _product(node: ir.Node, width: int) -> Sum | None:
    operand, weight, *added = node.inputs
    array = None if weight is None else const_array(weight)
    if operand is None or weight is None or array is None or array.ndim != 2:
        return None
    bias, names = np.zeros(width, np.float32), [str(weight.name)]
    if node.op_type == "Gemm":
        if not plain_gemm(node):
            return None
        array = array.T if turns(node) else array
    if added and added[0] is not None:
        known = _vector(added[0], width)
        if known is None:
            return None
        bias, names = known, [*names, str(added[0].name)]
    terms = _parts(operand, array)
    return None if terms is None else Sum(terms, bias, [], names)


def _parts(operand: Value, weight: Array) -> dict[Value, Array] | None:
    """Return the rows of a weight for each part of what it is multiplied with."""
    node = operand.producer()
    if node is None or node.op_type != "Concat" or node.attributes["axis"].as_int() not in (1, -1):
        return {operand: weight}
    terms: dict[Value, Array] = {}
    start = 0
    for part in node.inputs:
        width = None if part is None else _width(part)
        if part is None or width is None:
            return None
        rows = weight[start : start + width]
        terms[part] = terms[part] + rows if part in terms else rows
        start += width
    return terms


def _columns(node: ir.Node, value: Value) -> Sum | None:
    whole = node.inputs[0]
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 0
    found = None if whole is None or axis not in (1, -1) else sum_of(whole)
    if found is None or found.rest:
        return None
    start = 0
    for part in node.outputs:
        width = _width(part)
        if width is None:
            return None
        if part is value:
            return found.columns(start, start + width)
        start += width
    return None
