"""Element types of results: bound by the operands through the schema, or named by an attribute."""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from onnx_graph.errors import GraphError
from onnx_graph.inference.call import Call
from onnx_graph.operands import bind
from onnx_graph.schemas import signature
from onnx_graph.values import type_from_name


def _from_attribute(name: str, default: ir.DataType | None) -> Callable[[Call], ir.TypeProtocol]:
    def typed(call: Call) -> ir.TypeProtocol:
        code = call.attribute(name)
        if code is not None:
            return ir.TensorType(ir.DataType(code))
        if default is not None:
            return ir.TensorType(default)
        value = call.operand(0)
        assert value is not None and value.dtype is not None
        return ir.TensorType(value.dtype)

    return typed


def _constant_of_shape(call: Call) -> ir.TypeProtocol:
    value = call.attribute("value")
    return ir.TensorType(ir.DataType.FLOAT if value is None else value.dtype)


def _constant(call: Call) -> ir.TypeProtocol:
    (attribute,) = call.node.attributes.values()
    kinds = {"value_float": "FLOAT", "value_floats": "FLOAT", "value_string": "STRING"}
    kinds |= {"value_int": "INT64", "value_ints": "INT64", "value_strings": "STRING"}
    if attribute.name in kinds:
        return ir.TensorType(ir.DataType[kinds[attribute.name]])
    return ir.TensorType(attribute.value.dtype)


def _element(call: Call) -> ir.TypeProtocol:
    value = call.operand(0)
    assert value is not None and isinstance(value.type, (ir.SequenceType, ir.OptionalType))
    return value.type.elem_type


def _optional_element(call: Call) -> ir.TypeProtocol:
    value = call.operand(0)
    assert value is not None and value.type is not None
    return value.type.elem_type if isinstance(value.type, ir.OptionalType) else value.type


def _wrapped(
    wrapper: Callable[[ir.TypeProtocol], ir.TypeProtocol],
) -> Callable[..., ir.TypeProtocol]:
    def typed(call: Call) -> ir.TypeProtocol:
        value = call.operand(0)
        if value is None or value.type is None:
            raise GraphError(f"{call.op} needs an operand")
        return wrapper(value.type)

    return typed


def _empty(call: Call) -> ir.TypeProtocol:
    code = call.attribute("dtype", ir.DataType.FLOAT)
    return ir.SequenceType(ir.TensorType(ir.DataType(code)))


def _like(call: Call) -> ir.TypeProtocol:
    value = call.operand(1)
    assert value is not None and value.type is not None
    return value.type


_TYPES: dict[str, Callable[[Call], ir.TypeProtocol]] = {
    "Cast": _from_attribute("to", None),
    "CastLike": _like,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "EyeLike": _from_attribute("dtype", None),
    "RandomNormal": _from_attribute("dtype", ir.DataType.FLOAT),
    "RandomUniform": _from_attribute("dtype", ir.DataType.FLOAT),
    "RandomNormalLike": _from_attribute("dtype", None),
    "RandomUniformLike": _from_attribute("dtype", None),
    "Bernoulli": _from_attribute("dtype", None),
    "Multinomial": _from_attribute("dtype", ir.DataType.INT32),
    "HannWindow": _from_attribute("output_datatype", ir.DataType.FLOAT),
    "HammingWindow": _from_attribute("output_datatype", ir.DataType.FLOAT),
    "BlackmanWindow": _from_attribute("output_datatype", ir.DataType.FLOAT),
    "SequenceAt": _element,
    "ConcatFromSequence": _element,
    "SequenceConstruct": _wrapped(ir.SequenceType),
    "SplitToSequence": _wrapped(ir.SequenceType),
    "SequenceEmpty": _empty,
    "Optional": _wrapped(ir.OptionalType),
    "OptionalGetElement": _optional_element,
}


def result_types(call: Call) -> list[ir.TypeProtocol]:
    """Return the types of all results of a node.

    Raises:
        GraphError: the operator has fewer results, or its types cannot be told.
    """
    if call.op in _TYPES:
        return [_TYPES[call.op](call)]
    schema = signature(call.op, call.graph.opset)
    bound = bind(schema, call.inputs)
    types: list[ir.TypeProtocol] = []
    for index in range(call.results):
        formal = schema.output(index)
        if formal is None:
            raise GraphError(f"{call.op} has {len(schema.outputs)} results, not {call.results}")
        if call.op == "LayerNormalization" and index:
            code = call.attribute("stash_type", ir.DataType.FLOAT)
            types.append(ir.TensorType(ir.DataType(code)))
            continue
        name = bound.get(formal.type)
        if name is None:
            allowed = schema.allowed(formal)
            if len(allowed) != 1:
                raise GraphError(f"{call.op}: the type of result {formal.name} is not known")
            (name,) = allowed
        types.append(type_from_name(name))
    return types
