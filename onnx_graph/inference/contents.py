"""What int64 scalars and vectors hold, as far as it follows from sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onnx_graph.dims import (
    Dim,
    add,
    bounds,
    compare,
    floordiv,
    is_known,
    is_size,
    maximum,
    minimum,
    modulo,
    multiply,
    product,
)
from onnx_graph.inference.call import Call
from onnx_graph.inference.moving import _shape_range

Contents = "int | Dim | tuple[int | Dim | None, ...] | None"
_LONGEST = 64


def known(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    """Return the contents of the first result; entries may be None."""
    rule = _RULES.get(call.op)
    dims = call.node.outputs[0].shape
    if rule is None or dims is None or dims.rank() > 1:
        return None
    if dims.rank() == 1 and (not is_known(dims[0]) or dims[0] > _LONGEST):
        return None
    return rule(call)


def _shape(call: Call) -> tuple[int | Dim | None, ...] | None:
    dims = call.dims(0)
    if dims is None:
        return None
    start, end = _shape_range(call, len(dims))
    return dims[start:end]


def _size(call: Call) -> int | Dim | None:
    dims = call.dims(0)
    return None if dims is None else product(dims)


def _vector(call: Call, index: int) -> tuple[int | Dim | None, ...] | None:
    contents = call.contents(index)
    return contents if isinstance(contents, tuple) else None


def _gather(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    data, index = _vector(call, 0), call.contents(1)
    if data is None:
        return None
    if is_known(index):
        return data[index] if -len(data) <= index < len(data) else None
    if not isinstance(index, tuple):
        return None
    return tuple(
        data[item] if is_known(item) and -len(data) <= item < len(data) else None for item in index
    )


def _slice(call: Call) -> tuple[int | Dim | None, ...] | None:
    data = _vector(call, 0)
    starts, ends = call.numbers(1), call.numbers(2)
    axes = [0] if call.operand(3) is None else call.numbers(3)
    steps = [1] if call.operand(4) is None else call.numbers(4)
    if data is None or not (starts and ends and steps) or not axes:
        return None
    start, end, step = starts[0], ends[0], steps[0]
    if step < 0 and end < -len(data):
        return data[start::step] if start >= -len(data) else ()
    return data[start:end:step]


def _concat(call: Call) -> tuple[int | Dim | None, ...] | None:
    joined: list[int | Dim | None] = []
    for index in range(len(call.inputs)):
        part = call.vector(index)
        if part is None:
            return None
        joined.extend(part)
    return tuple(joined)


def _unsqueeze(call: Call) -> tuple[int | Dim | None, ...] | None:
    contents = call.contents(0)
    return (contents,) if is_size(contents) else None


def _flattened(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    """Pass contents on through Squeeze, Reshape and the like, by the rank of the result."""
    contents = call.contents(0)
    shape = call.node.outputs[0].shape
    assert shape is not None
    if shape.rank() == 1:
        return (contents,) if is_size(contents) else contents
    if isinstance(contents, tuple):
        return contents[0] if len(contents) == 1 else None
    return contents


def _identity(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    return call.contents(0)


def _binary(
    operation: Callable[[int | Dim, int | Dim], int | Dim | None],
) -> Callable[[Call], int | Dim | tuple[int | Dim | None, ...] | None]:
    def apply(one: int | Dim | None, other: int | Dim | None) -> int | Dim | None:
        return None if one is None or other is None else operation(one, other)

    def rule(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
        if len(call.inputs) != 2:
            return None
        one, other = call.contents(0), call.contents(1)
        if not isinstance(one, tuple) and not isinstance(other, tuple):
            return apply(one, other)
        left, right = (_as_vector(call, index) for index in (0, 1))
        if left is None or right is None:
            return None
        length = max(len(left), len(right)) if left and right else 0
        left, right = (list(side) * length if len(side) == 1 else side for side in (left, right))
        return tuple(apply(a, b) for a, b in zip(left, right, strict=False))

    return rule


def _as_vector(call: Call, index: int) -> Sequence[int | Dim | None] | None:
    dims = call.dims(index)
    if dims is None:
        return None
    if not dims:
        contents = call.contents(index)
        return [contents if is_size(contents) else None]
    return call.vector(index)


def _quotient(left: int | Dim, right: int | Dim) -> int | Dim | None:
    """Divide where truncating and flooring agree and the divisor cannot be 0."""
    if compare(left, ">=", 0) and compare(right, ">", 0):
        return floordiv(left, right)
    if is_known(left) and is_known(right) and right:
        magnitude = abs(left) // abs(right)
        return magnitude if (left < 0) == (right < 0) else -magnitude
    return None


def _remainder(call: Call) -> Callable[[int | Dim, int | Dim], int | Dim | None]:
    truncating = bool(call.attribute("fmod", 0))

    def operation(left: int | Dim, right: int | Dim) -> int | Dim | None:
        if not compare(right, ">", 0) or (truncating and not compare(left, ">=", 0)):
            return None
        return modulo(left, right)

    return operation


def _reduced(
    operation: Callable[[int | Dim, int | Dim], int | Dim], start: int | Dim | None
) -> Callable[[Call], int | Dim | tuple[int | Dim | None, ...] | None]:
    def rule(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
        data, shape = _vector(call, 0), call.node.outputs[0].shape
        axes = call.operand(1) is None or call.numbers(1) in ([0], [-1])
        if data is None or not axes or None in data or call.attribute("noop_with_empty_axes", 0):
            return None
        total = start
        for item in data:
            assert item is not None
            total = item if total is None else operation(total, item)
        return total if shape is None or shape.rank() == 0 else (total,)

    return rule


def _range(call: Call) -> tuple[int | Dim | None, ...] | None:
    numbers = [call.contents(index) for index in range(3)]
    start, limit, delta = numbers
    if is_known(start) and is_known(limit) and is_known(delta) and delta:
        return tuple(range(start, limit, delta))
    return None


def _filled(call: Call) -> tuple[int | Dim | None, ...] | None:
    value, dims = call.attribute("value"), call.node.outputs[0].shape
    if value is None or dims is None or dims.rank() != 1:
        return None
    length = dims[0]
    return (int(value.numpy().reshape(-1)[0]),) * length if is_known(length) else None


def _expanded(call: Call) -> tuple[int | Dim | None, ...] | None:
    dims, contents = call.node.outputs[0].shape, call.contents(0)
    if dims is None or dims.rank() != 1 or not is_known(dims[0]):
        return None
    if isinstance(contents, tuple) and len(contents) == dims[0]:
        return contents
    if isinstance(contents, tuple):
        return contents * dims[0] if len(contents) == 1 else None
    return (contents,) * dims[0] if contents is not None else None


def _constant(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    value = call.attribute("value")
    if value is None:
        return None
    array = value.numpy()
    return int(array) if array.ndim == 0 else tuple(int(item) for item in array)


def _cast(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    return call.contents(0)


def _negated(call: Call) -> int | Dim | tuple[int | Dim | None, ...] | None:
    contents = call.contents(0)
    if isinstance(contents, tuple):
        return tuple(None if item is None else multiply(item, -1) for item in contents)
    return None if contents is None else multiply(contents, -1)


def _subtract(left: int | Dim, right: int | Dim) -> int | Dim:
    return add(left, multiply(right, -1))


def least(entry: int | Dim | None) -> int | None:
    """Return a lower bound of an entry."""
    return None if entry is None else bounds(entry)[0]


_RULES: dict[str, Callable[[Call], int | Dim | tuple[int | Dim | None, ...] | None]] = {
    "Shape": _shape,
    "Size": _size,
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _flattened,
    "Reshape": _flattened,
    "Identity": _identity,
    "Cast": _cast,
    "Constant": _constant,
    "Neg": _negated,
    "Add": _binary(add),
    "Sub": _binary(_subtract),
    "Mul": _binary(multiply),
    "Div": _binary(_quotient),
    "Mod": lambda call: _binary(_remainder(call))(call),
    "Max": _binary(maximum),
    "Min": _binary(minimum),
    "ReduceProd": _reduced(multiply, 1),
    "ReduceSum": _reduced(add, 0),
    "ReduceMax": _reduced(maximum, None),
    "ReduceMin": _reduced(minimum, None),
    "Range": _range,
    "ConstantOfShape": _filled,
    "Expand": _expanded,
}
