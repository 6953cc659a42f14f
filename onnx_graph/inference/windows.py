"""Convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_graph.dims import Dim, add, compare, floordiv, is_known, maximum, multiply
from onnx_graph.inference.call import Call, MismatchError, Rule
from onnx_graph.values import Dims


def _windows(
    call: Call, spatial: Dims, kernel: Sequence[int | Dim], ceil: bool
) -> tuple[int | Dim, ...]:
    """Count the window positions along each axis."""
    rank = len(spatial)
    strides = call.ints("strides", [1] * rank)
    dilations = call.ints("dilations", [1] * rank)
    pads = call.ints("pads", [0] * (2 * rank))
    if not len(kernel) == len(strides) == len(dilations) == rank or len(pads) != 2 * rank:
        raise MismatchError(f"kernel, strides, dilations and pads do not fit {rank} spatial axes")
    automatic = call.attribute("auto_pad", "NOTSET")
    counts = []
    for axis, size in enumerate(spatial):
        stride = strides[axis]
        if automatic in ("SAME_UPPER", "SAME_LOWER"):
            counts.append(floordiv(add(size, stride - 1), stride))
            continue
        near, far = (0, 0) if automatic == "VALID" else (pads[axis], pads[axis + rank])
        extent = add(multiply(add(kernel[axis], -1), dilations[axis]), 1)
        room = add(add(size, near + far), multiply(extent, -1))
        if is_known(room) and room < 0:
            raise MismatchError(f"axis {axis + 2}: a window of {extent} does not fit into {size}")
        if ceil and stride > 1:
            counts.append(_ceiling(size, near, room, stride) or call.fresh())
        elif call.op == "Conv" or stride == 1:
            counts.append(add(floordiv(room, stride), 1))
        else:
            # onnxruntime's poolings divide towards zero: a window that hangs out counts.
            over = floordiv(maximum(multiply(room, -1), 0), stride)
            counts.append(add(add(floordiv(maximum(room, 0), stride), multiply(over, -1)), 1))
    return tuple(counts)


def _ceiling(size: int | Dim, near: int, room: int | Dim, stride: int) -> int | None:
    """Count with ceil_mode; a last window that starts in the far padding is dropped."""
    if not is_known(room) or not is_known(size):
        return None
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + near else count


def conv(call: Call) -> Sequence[Dims | None]:
    """Slide a kernel."""
    dims, kernel = call.dims(0), call.dims(1)
    if dims is None or kernel is None:
        return [call.unknown(len(dims or kernel or ()) or None)]
    if len(dims) != len(kernel) or len(dims) < 3:
        raise MismatchError("input and kernel need the same rank, at least 3")
    call.equal_size(dims[1], multiply(kernel[1], call.attribute("group", 1)), "channels")
    return [(dims[0], kernel[0], *_windows(call, dims[2:], kernel[2:], False))]


def conv_transpose(call: Call) -> Sequence[Dims | None]:
    """Spread a kernel."""
    dims, kernel = call.dims(0), call.dims(1)
    if dims is None or kernel is None:
        return [call.unknown(len(dims or kernel or ()) or None)]
    if len(dims) != len(kernel) or len(dims) < 3:
        raise MismatchError("input and kernel need the same rank, at least 3")
    call.equal_size(dims[1], kernel[0], "channels")
    rank = len(dims) - 2
    channels = multiply(kernel[1], call.attribute("group", 1))
    given = call.attribute("output_shape")
    automatic = call.attribute("auto_pad", "NOTSET")
    if given is not None or automatic not in ("NOTSET", "VALID"):
        return [(dims[0], channels, *(call.fresh() for _ in range(rank)))]
    strides = call.ints("strides", [1] * rank)
    dilations = call.ints("dilations", [1] * rank)
    pads = call.ints("pads", [0] * (2 * rank))
    extra = call.ints("output_padding", [0] * rank)
    sizes = []
    for axis in range(rank):
        extent = add(multiply(add(kernel[axis + 2], -1), dilations[axis]), 1)
        near, far = (0, 0) if automatic == "VALID" else (pads[axis], pads[axis + rank])
        steps = multiply(add(dims[axis + 2], -1), strides[axis])
        total = add(add(steps, extent), extra[axis] - near - far)
        sizes.append(total if compare(total, ">=", 0) else call.fresh())
    return [(dims[0], channels, *sizes)]


def pool(call: Call) -> Sequence[Dims | None]:
    """Slide a window without weights."""
    dims = call.dims(0)
    if dims is None:
        return [None] * call.results
    if len(dims) < 3:
        raise MismatchError("the input has no spatial axes")
    kernel = call.ints("kernel_shape", ())
    counts = _windows(call, dims[2:], kernel, bool(call.attribute("ceil_mode", 0)))
    return [(*dims[:2], *counts)] * call.results


def global_pool(call: Call) -> Sequence[Dims | None]:
    """Pool over all spatial axes."""
    dims = call.dims(0)
    return [None if dims is None else dims[:2] + (1,) * (len(dims) - 2)]


def max_roi_pool(call: Call) -> Sequence[Dims | None]:
    """Pool regions to one size."""
    dims, regions = call.dims(0), call.dims(1)
    count = regions[0] if regions else call.fresh()
    channels = dims[1] if dims else call.fresh()
    return [(count, channels, *call.ints("pooled_shape", ()))]


def roi_align(call: Call) -> Sequence[Dims | None]:
    """Sample regions to one size."""
    dims, regions = call.dims(0), call.dims(1)
    count = regions[0] if regions else call.fresh()
    channels = dims[1] if dims else call.fresh()
    height, width = call.attribute("output_height", 1), call.attribute("output_width", 1)
    return [(count, channels, height, width)]


def grid_sample(call: Call) -> Sequence[Dims | None]:
    """Return batch and channels of the input, space of the grid."""
    dims, grid = call.dims(0), call.dims(1)
    if dims is None or grid is None:
        return [None]
    return [(*dims[:2], *grid[1:-1])]


RULES: dict[str, Rule] = {
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "MaxPool": pool,
    "AveragePool": pool,
    "LpPool": pool,
    "GlobalAveragePool": global_pool,
    "GlobalMaxPool": global_pool,
    "GlobalLpPool": global_pool,
    "MaxRoiPool": max_roi_pool,
    "RoiAlign": roi_align,
    "GridSample": grid_sample,
}
