"""What the options of a compile may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from elichika.errors import InputError

__all__ = ["require_flags", "require_options"]

LAST_RANDOM_OPSET = 21
OPSETS = range(18, onnx.defs.onnx_opset_version() + 1)
FLAGS = (
    *("merge_dtypes", "train", "state", "initialize", "verify"),
    *("tensors", "source_info", "reweightable", "fold_norms", "debug"),
)


def require_flags(values: tuple[Any, ...]) -> None:
    """See that a text such as 'no' does not count as True.

    Args:
        values: Those of `FLAGS`, in their order.

    Raises:
        InputError: One is neither True nor False.
    """
    for name, value in zip(FLAGS, values, strict=True):
        if type(value) not in (bool, np.bool_):
            raise InputError(f"{name} must be True or False, not {value!r}")


def require_options(opset_version: int, random: str | None) -> None:
    """See that there is such an opset, and such a way to draw random numbers.

    Raises:
        InputError: There is not.
    """
    if opset_version not in OPSETS:
        shown = f"{OPSETS[0]} to {OPSETS[-1]}"
        raise InputError(f"opset_version is {shown} with this onnx, not {opset_version!r}")
    if random not in (None, "onnx"):
        raise InputError(f"random is None or 'onnx', not {random!r}")
    if random is not None and opset_version > LAST_RANDOM_OPSET:
        raise InputError(
            f"random='onnx' needs an opset_version up to {LAST_RANDOM_OPSET}, not {opset_version}",
            hint="onnxruntime draws no random numbers in later ones",
        )
