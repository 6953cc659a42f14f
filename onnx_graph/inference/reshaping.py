"""Operators that give the same elements another shape, or repeat them."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_graph.dims import (
    Dim,
    compare,
    exact_quotient,
    floordiv,
    is_known,
    multiply,
    product,
    same,
)
from onnx_graph.inference.call import Call, MismatchError, Rule, is_open, surely
from onnx_graph.values import Dims


def reshape(call: Call) -> Sequence[Dims | None]:
    """Read the shape operand: 0 copies a size (without allowzero), one -1 is what is left."""
    dims, entries = call.dims(0), call.vector(1)
    if entries is None:
        return [None]
    keep_zero = bool(call.attribute("allowzero", 0))
    if len([entry for entry in entries if entry == -1]) > 1:
        raise MismatchError("more than one -1 in the shape")
    result: list[int | Dim | None] = []
    for index, entry in enumerate(entries):
        if entry == 0 and not keep_zero:
            if dims is not None and index >= len(dims):
                raise MismatchError(f"the shape copies axis {index} of rank {len(dims)}")
            result.append(None if dims is None else dims[index])
        elif entry == -1 or is_open(entry):
            result.append(None)
        elif keep_zero or compare(surely(entry), ">", 0) or _copies(dims, index, entry):
            result.append(surely(entry))
        else:
            result.append(None)
    missing = [index for index, size in enumerate(result) if size is None]
    certain = all(entries[index] is not None for index in missing)
    if dims is not None and len(missing) == 1 and certain and entries[missing[0]] == -1:
        result[missing[0]] = _remaining(call, dims, [size for size in result if size is not None])
    elif dims is not None and not missing:
        _require_same_count(dims, [size for size in result if size is not None])
    return [tuple(call.fresh() if size is None else size for size in result)]


def _copies(dims: Dims | None, index: int, entry: int | Dim | None) -> bool:
    """Tell whether an entry that is 0 at run time, and then copies, copies a 0."""
    if dims is None or entry is None:
        return False
    return index >= len(dims) or same(dims[index], entry)


def _remaining(call: Call, dims: Dims, others: Sequence[int | Dim]) -> int | Dim:
    """Return the size for -1. A rest of size 0 fails at run time, so dividing is safe."""
    total, rest = product(dims), product(others)
    for size in others:
        if size == 0:
            return call.fresh()
    if is_known(total) and is_known(rest) and total % rest:
        raise MismatchError(f"{total} elements do not fill rows of {rest}")
    exact = exact_quotient(total, rest)
    if exact is not None:
        return exact
    if is_known(rest):
        return floordiv(total, rest)
    return call.named("quotient", total, rest)


def _require_same_count(dims: Dims, sizes: Sequence[int | Dim]) -> None:
    total, wanted = product(dims), product(sizes)
    if compare(total, "!=", wanted):
        raise MismatchError(
            f"{total} elements do not have the shape [{', '.join(map(str, sizes))}]"
        )


def flatten(call: Call) -> Sequence[Dims | None]:
    """Return two axes."""
    dims = call.dims(0)
    if dims is None:
        return [call.unknown(2)]
    axis = call.attribute("axis", 1)
    if not -len(dims) <= axis <= len(dims):
        raise MismatchError(f"axis {axis} is out of range for rank {len(dims)}")
    axis = axis + len(dims) if axis < 0 else axis
    return [(product(dims[:axis]), product(dims[axis:]))]


def squeeze(call: Call) -> Sequence[Dims | None]:
    """Drop axes of size 1."""
    dims = call.dims(0)
    if dims is None:
        return [None]
    if call.operand(1) is None:
        if any(compare(dim, "!=", 1) is None and dim != 1 for dim in dims):
            return [None]
        return [tuple(dim for dim in dims if dim != 1)]
    axes = call.numbers(1)
    if axes is None:
        count = call.vector(1)
        return [None if count is None else call.unknown(len(dims) - len(count))]
    gone = set(call.axes(axes, len(dims)))
    for axis in gone:
        call.equal_size(dims[axis], 1, f"axis {axis}")
    return [tuple(dim for axis, dim in enumerate(dims) if axis not in gone)]


def unsqueeze(call: Call) -> Sequence[Dims | None]:
    """Insert axes of size 1."""
    dims, axes = call.dims(0), call.numbers(1)
    if dims is None:
        return [None]
    if axes is None:
        count = call.vector(1)
        return [None if count is None else call.unknown(len(dims) + len(count))]
    rank = len(dims) + len(axes)
    new = set(call.axes(axes, rank))
    if len(new) != len(axes):
        raise MismatchError(f"axes {axes} repeat")
    rest = iter(dims)
    return [tuple(1 if axis in new else next(rest) for axis in range(rank))]


def transpose(call: Call) -> Sequence[Dims | None]:
    """Permute the axes."""
    dims = call.dims(0)
    if dims is None:
        return [None]
    order = call.ints("perm", range(len(dims))[::-1])
    if sorted(order) != list(range(len(dims))):
        raise MismatchError(f"perm {order} for rank {len(dims)}")
    return [tuple(dims[axis] for axis in order)]


def expand(call: Call) -> Sequence[Dims | None]:
    """Broadcast against the shape operand."""
    dims, entries = call.dims(0), call.vector(1)
    if dims is None or entries is None:
        return [None]
    wanted: list[int | Dim] = [call.fresh() if is_open(item) else surely(item) for item in entries]
    return [call.broadcast([dims, tuple(wanted)])]


def tile(call: Call) -> Sequence[Dims | None]:
    """Multiply the sizes by the repeats."""
    dims, repeats = call.dims(0), call.vector(1)
    if dims is None:
        return [None]
    if repeats is None:
        return [call.unknown(len(dims))]
    if len(repeats) != len(dims):
        raise MismatchError(f"{len(repeats)} repeats for rank {len(dims)}")
    return [
        tuple(
            call.fresh() if is_open(times) else multiply(dim, surely(times))
            for dim, times in zip(dims, repeats, strict=True)
        )
    ]


def depth_to_space(call: Call) -> Sequence[Dims | None]:
    """Trade channels for space."""
    dims, block = call.dims(0), call.attribute("blocksize")
    if dims is None or len(dims) != 4:
        return [call.unknown(4)]
    channels = exact_quotient(dims[1], block * block)
    size = floordiv(dims[1], block * block) if channels is None else channels
    return [(dims[0], size, multiply(dims[2], block), multiply(dims[3], block))]


def space_to_depth(call: Call) -> Sequence[Dims | None]:
    """Trade space for channels."""
    dims, block = call.dims(0), call.attribute("blocksize")
    if dims is None or len(dims) != 4:
        return [call.unknown(4)]
    space = (floordiv(dim, block) for dim in dims[2:])
    return [(dims[0], multiply(dims[1], block * block), *space)]


RULES: dict[str, Rule] = {
    "Reshape": reshape,
    "Flatten": flatten,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Transpose": transpose,
    "Expand": expand,
    "Tile": tile,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
}
