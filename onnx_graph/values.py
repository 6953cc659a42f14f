"""What is known of a value: element type, rank, sizes and, for shape tensors, its contents."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, is_size
from onnx_graph.errors import GraphError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Dims = tuple["int | Dim", ...]
Contents = "int | Dim | tuple[int | Dim | None, ...] | None"

_CONTENTS = "onnx_graph.contents"
_LARGEST_READ = 256

TYPE_NAMES = {
    ir.DataType.FLOAT: "float",
    ir.DataType.DOUBLE: "double",
    ir.DataType.FLOAT16: "float16",
    ir.DataType.BFLOAT16: "bfloat16",
    ir.DataType.INT8: "int8",
    ir.DataType.INT16: "int16",
    ir.DataType.INT32: "int32",
    ir.DataType.INT64: "int64",
    ir.DataType.UINT8: "uint8",
    ir.DataType.UINT16: "uint16",
    ir.DataType.UINT32: "uint32",
    ir.DataType.UINT64: "uint64",
    ir.DataType.BOOL: "bool",
    ir.DataType.STRING: "string",
    ir.DataType.COMPLEX64: "complex64",
    ir.DataType.COMPLEX128: "complex128",
}
DATA_TYPES = {name: data_type for data_type, name in TYPE_NAMES.items()}


def data_type_of(dtype: npt.DTypeLike) -> ir.DataType:
    """Return onnx-ir's name for a numpy dtype.

    Raises:
        GraphError: ONNX has no such element type.
    """
    numpy_dtype = np.dtype(dtype)
    if numpy_dtype.kind in "OUS":
        return ir.DataType.STRING
    try:
        return ir.DataType.from_numpy(numpy_dtype)
    except TypeError as error:
        raise GraphError(f"ONNX has no element type for {numpy_dtype}") from error


def dtype_of(value: Value) -> np.dtype[np.generic]:
    """Return the element type of a tensor, or of the elements of a sequence or optional."""
    if value.dtype is None:
        raise GraphError(f"{describe(value)} has no element type")
    return np.dtype(value.dtype.numpy())


def rank_of(value: Value) -> int | None:
    """Return the number of axes of a tensor (of an element, for a sequence), None if unknown."""
    return None if value.shape is None else value.shape.rank()


def dims_of(value: Value) -> Dims:
    """Return the sizes of a tensor; of a sequence, those that every element has.

    Raises:
        GraphError: the rank is unknown.
    """
    dims = shape_or_none(value)
    if dims is None:
        raise GraphError(f"the rank of {describe(value)} is unknown")
    return dims


def shape_or_none(value: Value) -> Dims | None:
    """Return the sizes, or None where the rank is unknown."""
    if value.shape is None:
        return None
    return cast(Dims, value.shape.dims)


def is_value(item: object) -> TypeIs[Value]:
    """Tell whether an object is a value of a graph."""
    return isinstance(item, Value)


def is_tensor(value: Value) -> bool:
    """Tell whether a value is a tensor."""
    return isinstance(value.type, ir.TensorType)


def is_truth(value: Value) -> bool:
    """Tell whether a value is a 0-d bool."""
    return value.dtype is ir.DataType.BOOL and value.shape is not None and value.shape.rank() == 0


def is_sequence(value: Value) -> bool:
    """Tell whether a value is a sequence of tensors."""
    return isinstance(value.type, ir.SequenceType)


def is_empty_sequence(value: Value) -> bool:
    """Tell whether a value is the result of SequenceEmpty, which fits any element sizes."""
    producer = value.producer()
    return producer is not None and producer.op_type == "SequenceEmpty"


def is_optional(value: Value) -> bool:
    """Tell whether a value is an optional."""
    return isinstance(value.type, ir.OptionalType)


def type_name(type_: ir.TypeProtocol | None) -> str:
    """Return a type as operator schemas write it, such as ``seq(tensor(float))``."""
    match type_:
        case ir.TensorType(dtype=dtype):
            return _tensor_name(dtype)
        case ir.SequenceType(elem_type=element):
            return f"seq({type_name(element)})"
        case ir.OptionalType(elem_type=element):
            return f"optional({type_name(element)})"
    return "unknown"


@functools.cache
def _tensor_name(dtype: ir.DataType) -> str:
    return f"tensor({TYPE_NAMES.get(dtype, dtype.name.lower())})"


def type_from_name(name: str) -> ir.TypeProtocol:
    """Return the type that a schema writes as ``name``."""
    inner = name[name.index("(") + 1 : -1]
    if name.startswith("tensor("):
        return ir.TensorType(DATA_TYPES[inner])
    if name.startswith("seq("):
        return ir.SequenceType(type_from_name(inner))
    return ir.OptionalType(type_from_name(inner))


def describe(value: Value | None) -> str:
    """Return ``float32[N, 3]`` with the name, for messages."""
    if value is None:
        return "an omitted operand"
    dims = shape_or_none(value)
    shape = "[?]" if dims is None else f"[{', '.join(str(dim) for dim in dims)}]"
    kind = "" if is_tensor(value) else type_name(value.type).split("(")[0] + " of "
    element = "?" if value.dtype is None else str(np.dtype(value.dtype.numpy()))
    name = value.meta.get("onnx_graph.hint") or value.name
    return f"{name!r} {kind}{element}{shape}" if name else f"{kind}{element}{shape}"


def const_array(value: Value) -> npt.NDArray[Any] | None:
    """Return the contents of a constant, None for every other value."""
    tensor = value.const_value
    return None if tensor is None else cast("npt.NDArray[Any]", tensor.numpy())


def set_contents(value: Value, contents: int | Dim | Sequence[int | Dim | None] | None) -> None:
    """Remember what an int64 scalar or vector holds; None entries are unknown."""
    if contents is not None:
        kept = contents if is_size(contents) else tuple(contents)
        value.meta[_CONTENTS] = kept


def contents_of(value: Value) -> int | Dim | tuple[int | Dim | None, ...] | None:
    """Return what is known of an int64 scalar or vector; entries may be None."""
    if _CONTENTS in value.meta:
        return cast("int | Dim | tuple[int | Dim | None, ...]", value.meta[_CONTENTS])
    if value.const_value is None or value.dtype is not ir.DataType.INT64:
        return None
    array = value.const_value.numpy()
    if array.ndim > 1 or array.size > _LARGEST_READ:
        return None
    contents = int(array) if array.ndim == 0 else tuple(int(item) for item in array)
    value.meta[_CONTENTS] = contents
    return contents


def entries_of(value: Value) -> tuple[int | Dim | None, ...]:
    """Return what is known of each entry of an int64 vector, of a scalar of its only one."""
    contents = contents_of(value)
    return contents if isinstance(contents, tuple) else (contents,)
