"""Attributes of nodes, converted to the types that the schema asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnx_ir as ir

from onnx_graph.errors import GraphError
from onnx_graph.schemas import Signature
from onnx_graph.scopes import Body
from onnx_graph.values import data_type_of


def _integer(value: object) -> int:
    if isinstance(value, (type, np.dtype)):
        return int(data_type_of(value).value)
    if isinstance(value, ir.DataType):
        return int(value.value)
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return int(value)
    raise TypeError(f"{value!r} is not an int")


def _float(value: object) -> float:
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    raise TypeError(f"{value!r} is not a float")


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return value
    raise TypeError(f"{value!r} is not a str")


def _tensor(value: object) -> ir.TensorProtocol:
    if isinstance(value, ir.TensorProtocol):
        return value
    array = np.asarray(value)
    return ir.Tensor(array, dtype=data_type_of(array.dtype))


def _items(value: object, convert: Callable[[object], object]) -> list[object]:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [convert(item) for item in value]
    raise TypeError(f"{value!r} is not a list")


def _graph(value: object) -> ir.Graph:
    if isinstance(value, Body):
        return value.graph
    if isinstance(value, ir.Graph):
        return value
    raise TypeError(f"{value!r} is not a body")


_CONVERT: Mapping[str, tuple[ir.AttributeType, Callable[[object], object]]] = {
    "INT": (ir.AttributeType.INT, _integer),
    "FLOAT": (ir.AttributeType.FLOAT, _float),
    "STRING": (ir.AttributeType.STRING, _text),
    "TENSOR": (ir.AttributeType.TENSOR, _tensor),
    "GRAPH": (ir.AttributeType.GRAPH, _graph),
    "INTS": (ir.AttributeType.INTS, lambda value: _items(value, _integer)),
    "FLOATS": (ir.AttributeType.FLOATS, lambda value: _items(value, _float)),
    "STRINGS": (ir.AttributeType.STRINGS, lambda value: _items(value, _text)),
}


def convert(schema: Signature, attributes: Mapping[str, object]) -> list[ir.Attr]:
    """Convert attributes by name; None leaves one out.

    Raises:
        GraphError: one is unknown, missing, or of a wrong type.
    """
    converted = []
    for name, value in attributes.items():
        if value is None:
            continue
        kind = schema.attributes.get(name)
        if kind is None or kind not in _CONVERT:
            known = ", ".join(sorted(schema.attributes)) or "none"
            raise GraphError(f"{schema.op} has no attribute {name!r}; it has {known}")
        if isinstance(value, ir.Attr):
            converted.append(value)
            continue
        type_, function = _CONVERT[kind]
        try:
            converted.append(ir.Attr(name, type_, function(value)))
        except (TypeError, ValueError) as error:
            raise GraphError(f"{schema.op}: attribute {name!r}: {error}") from error
    missing = schema.required - {attribute.name for attribute in converted}
    if missing:
        raise GraphError(f"{schema.op} needs the attribute {sorted(missing)[0]!r}")
    return sorted(converted, key=lambda attribute: attribute.name)
