"""Padding arrays by widths that may be known only when the model runs."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.chainer.padding import SOURCES, extended
from elichika.lowerings.numpy.arguments import size_item, static
from elichika.lowerings.numpy.operands import operand, require_numbers, tensor
from elichika.numbers.kernels import apply, cast
from elichika.registry import lowers
from elichika.values.kinds import is_array, is_listed, is_number
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of, is_known

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

#: How `pad` may fill what it adds.
MODES = ", ".join(["constant", *SOURCES])


def _widths(w: LoweringContext, pad_width: Any, rank: int) -> list[list[Any]]:
    """Return the width before and after each axis, as `size_item`s."""
    pad_width = w.narrow(pad_width)
    if is_array(pad_width) and not w.is_symbolic(pad_width):
        pad_width = pad_width.tolist()
    if is_number(pad_width):
        return [[size_item(w, pad_width)] * 2] * rank
    rows = [w.narrow(item) for item in w.items(pad_width)]
    if not any(is_listed(row) for row in rows):
        pair = [size_item(w, row) for row in rows]
        return [[pair[0], pair[-1]]] * rank
    pairs = [[size_item(w, item) for item in w.items(row)] for row in rows]
    pairs = [[pair[0], pair[-1]] for pair in pairs]
    if len(pairs) not in (1, rank):
        w.raise_static(ValueError("operands could not be broadcast together with remapped shapes"))
    return pairs * rank if len(pairs) == 1 else pairs


@lowers(np.pad)
def pad(
    w: LoweringContext, array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any
) -> Any:
    """Pad with a constant, or with the array's own elements."""
    value, g = tensor(w, array), w.graph
    dims = dims_of(value)
    mode = static(w, mode, "mode")
    require_numbers(w, pad_width)
    if not dims:
        for width in itertools.chain(*_widths(w, pad_width, 1)):
            _require_width(w, width)
        return w.new_array(value)
    widths = _widths(w, pad_width, len(dims))
    number = kwargs.pop("constant_values", 0)
    if (mode != "constant" and mode not in SOURCES) or kwargs:
        shown = "".join(f" with `{name}`" for name in sorted(kwargs))
        w.refuse(
            f"`pad` in mode {mode!r}{shown} is not compiled", f"the modes that compile are {MODES}"
        )
    for width in itertools.chain(*widths):
        _require_width(w, width)
    if mode == "constant":
        pads = g.shape_tensor([pair[0] for pair in widths] + [pair[1] for pair in widths])
        number = operand(w, number)
        if len(w.dims(number)):
            w.refuse(
                "`pad` with several constants is not compiled",
                "pad side by side, each with its constant",
            )
        filler = cast(g, tensor(w, number), dtype_of(value))
        return w.new_array(_padded(g, value, pads, filler))
    for axis, (pair, size) in enumerate(zip(widths, dims, strict=True)):
        if pair != [0, 0]:
            _require_elements(w, pair, size)
            value = extended(g, value, axis, pair[0], pair[1], mode)
    return w.new_array(value)


def _padded(g: ONNXGraph, value: Value, pads: Value, filler: Value) -> Value:
    """Name the axes, as `elichika.lowerings.chainer.padding` does for onnxruntime."""
    axes = g.constant(np.arange(len(dims_of(value))))
    return apply(g, "Pad", [value, pads, filler, axes], mode="constant")


def _require_width(w: LoweringContext, width: Any) -> None:
    g = w.graph
    legal = width >= 0 if is_known(width) else g.GreaterOrEqual(g.dim_value(width), np.int64(0))
    w.check(legal, ValueError, "index can't contain negative values")


def _require_elements(w: LoweringContext, pair: list[Any], size: Any) -> None:
    """See that an axis which is made longer has an element."""
    if compare(size, ">=", 1) is True:
        return
    g = w.graph
    widths = [g.dim_value(width) for width in pair]
    some = g.GreaterOrEqual(g.dim_value(size), np.int64(1))
    unchanged = g.Equal(g.Add(*widths), np.int64(0))
    message = "can't extend empty axis using modes other than 'constant' or 'empty'"
    w.check(g.Or(some, unchanged), ValueError, message)
