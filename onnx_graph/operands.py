"""Operands: what may stand for a value, and whether an operator takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim
from onnx_graph.errors import GraphError
from onnx_graph.schemas import Formal, Signature, signature
from onnx_graph.values import (
    DATA_TYPES,
    const_array,
    describe,
    is_tensor,
    is_value,
    rank_of,
    type_name,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def as_array(contents: object, dtype: npt.DTypeLike = None) -> npt.NDArray[Any]:
    """Return contents as an array; Python floats become float32 unless ``dtype`` is given.

    Raises:
        GraphError: the contents have no common type, or do not fit into ``dtype``.
    """
    if isinstance(contents, (np.ndarray, np.generic)):
        array = np.asarray(contents)
        return array if dtype is None else array.astype(dtype, copy=False)
    natural = np.asarray(contents)
    if natural.size == 0 and natural.dtype.kind == "f":
        natural = natural.astype(np.int64)
    if dtype is None:
        kind = natural.dtype.kind
        if kind == "f":
            return natural.astype(np.float32)
        if kind == "i" or (kind == "u" and natural.max() < 2**63):
            return natural.astype(np.int64)
        if kind in "bUS":
            return natural
        raise GraphError(f"{contents!r} is not a tensor")
    target = np.dtype(dtype)
    if natural.size and (
        (natural.dtype.kind == "f" and target.kind not in "fcV")
        or (natural.dtype.kind in "iu" and target.kind == "b")
        or (natural.dtype.kind in "UOS") != (target.kind in "UOS")
    ):
        raise GraphError(f"{contents!r} does not fit into {target}")
    converted = natural.astype(target)
    if target.kind in "iu" and natural.size and not np.array_equal(converted, natural):
        raise GraphError(f"{contents!r} does not fit into {target}")
    return converted


def as_value(graph: ONNXGraph, operand: object) -> Value:
    """Return the value that an operand stands for, a constant for Python and numpy data."""
    if is_value(operand):
        return graph.lifting.reach(operand)
    inner = getattr(operand, "onnx_value", None)
    if is_value(inner):
        return graph.lifting.reach(inner)
    if isinstance(operand, Dim):
        return graph.dim_value(operand)
    if isinstance(operand, (list, tuple)) and _holds_sizes(operand):
        return graph.shape_tensor(operand)
    return graph.constant(operand)


def _holds_sizes(items: Sequence[object]) -> bool:
    return any(
        isinstance(item, (Value, Dim)) or isinstance(getattr(item, "onnx_value", None), Value)
        for item in items
    )


def _is_literal(operand: object) -> bool:
    if isinstance(operand, (list, tuple)):
        return not _holds_sizes(operand)
    return isinstance(operand, (bool, int, float, str))


def convert(graph: ONNXGraph, op: str, inputs: Sequence[object]) -> list[Value | None]:
    """Turn operands into values and check their number and types against the schema.

    Raises:
        GraphError: naming the operator and the operand.
    """
    schema = signature(op, graph.opset)
    values: list[Value | None] = []
    for operand in inputs:
        literal = operand is None or _is_literal(operand)
        values.append(None if literal else as_value(graph, operand))
    bound = bind(schema, values)
    for index, operand in enumerate(inputs):
        if operand is not None and values[index] is None:
            formal = schema.input(index)
            if formal is None:
                raise GraphError(f"{op} takes no operand {index}")
            values[index] = _literal(graph, schema, formal, bound, operand, index)
    while values and values[-1] is None:
        values.pop()
    check(schema, values, inputs)
    return values


def with_plain_axes(graph: ONNXGraph, op: str, values: list[Value | None]) -> list[Value | None]:
    """Make the axes of a reduction nonnegative.

    onnxruntime 1.31 returns a wrong shape for negative axes when the tensor is empty.
    """
    if op.startswith("Reduce") and len(values) > 1 and values[0] is not None:
        axes = None if values[1] is None else const_array(values[1])
        rank = rank_of(values[0])
        if axes is not None and rank is not None and (axes < 0).any() and (axes >= -rank).all():
            values[1] = graph.constant(np.where(axes < 0, axes + rank, axes).astype(np.int64))
    return values


def bind(schema: Signature, values: Sequence[Value | None]) -> dict[str, str]:
    """Return the types that the tensor operands give to the schema's type variables."""
    bound: dict[str, str] = {}
    for index, value in enumerate(values):
        formal = schema.input(index)
        if value is not None and formal is not None and formal.homogeneous:
            bound.setdefault(formal.type, type_name(value.type))
    return bound


def _literal(
    graph: ONNXGraph,
    schema: Signature,
    formal: Formal,
    bound: dict[str, str],
    operand: object,
    index: int,
) -> Value:
    allowed = schema.allowed(formal)
    wanted = bound.get(formal.type)
    if wanted is None and len(allowed) == 1:
        (wanted,) = allowed
    dtype = None
    if wanted is not None and wanted.startswith("tensor("):
        dtype = DATA_TYPES[wanted[7:-1]].numpy()
    try:
        value = graph.constant(operand, dtype)
    except GraphError as error:
        raise GraphError(f"{schema.op}: operand {index} ({formal.name}): {error}") from error
    bound.setdefault(formal.type, type_name(value.type))
    return value


def check(schema: Signature, values: Sequence[Value | None], inputs: Sequence[object]) -> None:
    """Check operands against the schema.

    Raises:
        GraphError: naming the operator and the operand.
    """
    if len(values) < schema.least:
        raise GraphError(f"{schema.op} needs {schema.least} operands, got {len(values)}")
    bound: dict[str, str] = {}
    for index, value in enumerate(values):
        formal = schema.input(index)
        if formal is None:
            raise GraphError(f"{schema.op} takes {len(schema.inputs)} operands, got {len(values)}")
        if value is None:
            if formal.kind == "single":
                raise GraphError(f"{schema.op}: operand {index} ({formal.name}) is missing")
            continue
        name = type_name(value.type)
        if name not in schema.allowed(formal):
            raise GraphError(
                f"{schema.op}: operand {index} ({formal.name}), {describe(value)}, is of type "
                f"{name}; it takes {_listed(schema.allowed(formal))}"
            )
        if formal.homogeneous and bound.setdefault(formal.type, name) != name:
            shown = ", ".join(describe(item) for item in values if item is not None)
            raise GraphError(
                f"{schema.op}: operand {index} ({formal.name}) is {name}, but an earlier operand "
                f"made {formal.type} {bound[formal.type]}; operands: {shown}"
            )


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))


def is_int64_scalar(value: Value) -> bool:
    """Tell whether a value is a 0-d int64 tensor."""
    return (
        is_tensor(value)
        and value.dtype is ir.DataType.INT64
        and value.shape is not None
        and value.shape.rank() == 0
    )
