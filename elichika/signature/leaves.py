"""The leaves of example inputs: arrays, Variables, numbers, and lists of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.values.words import a_value

__all__ = [
    "ARRAY_TYPES",
    "SCALARS",
    "Leaf",
    "arrays_of",
    "host_array",
    "is_array",
    "own",
    "read_leaf",
    "read_list",
    "share_memory",
]

ARRAY_TYPES: tuple[type, ...] = chainer.get_array_types()
_ARRAYS = (chainer.Variable, *ARRAY_TYPES)
SCALARS = (bool, int, float)
DTYPE_KINDS = "biuf"
INT64 = np.iinfo(np.int64)


def is_array(value: object) -> bool:
    """Tell whether a value is an array, of any device, or a Variable."""
    return isinstance(value, _ARRAYS)


def host_array(value: Any, where: str) -> np.ndarray[Any, Any]:
    """Return the numpy array behind an array or Variable of any device.

    Raises:
        InputError: It has no data, or elements that ONNX or Chainer do not compute with.
    """
    array = value.array if isinstance(value, chainer.Variable) else value
    if array is None:
        raise InputError(f"`{where}` is a Variable without data.")
    if not isinstance(array, np.ndarray):
        device: Any = chainer.backend.CpuDevice()
        array = np.asarray(device.send(array))
    if isinstance(array, np.ma.MaskedArray):
        raise InputError(f"`{where}` is a masked array; pass its data and its mask.")
    array = np.asarray(array)
    if array.dtype.kind not in DTYPE_KINDS or array.dtype.itemsize > 8:
        raise InputError(f"`{where}` is an array of dtype {array.dtype}, which no model takes.")
    if not array.dtype.isnative:
        raise InputError(f"`{where}` has elements in foreign byte order; convert it first.")
    return array


def arrays_of(leaf: Any) -> list[np.ndarray[Any, Any]]:
    """Return the arrays on the host that a leaf is, or holds."""
    parts = leaf if type(leaf) is list else [leaf]
    arrays = (getattr(part, "array", part) for part in parts)
    return [array for array in arrays if type(array) is np.ndarray]


def share_memory(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Tell whether two arrays share an element, or may where that is hard to tell."""
    try:
        return bool(np.shares_memory(one, other, max_work=10_000))
    except RuntimeError:  # numpy's TooHardError
        return True


@dataclass
class Leaf:
    """A leaf of the examples: what `InputSpec` says of it, and its host value."""

    kind: str
    dtype: np.dtype[Any]
    value: Any
    python_type: type | None = None
    element: str | None = None

    @property
    def form(self) -> tuple[Any, ...]:
        """What the elements of one list have in common."""
        return self.dtype, self.kind, self.python_type

    @property
    def shown(self) -> str:
        """What it is, for messages."""
        if self.python_type in SCALARS:
            return f"Python {self.python_type.__name__}"
        return f"{self.kind} {self.dtype}"


def read_leaf(value: Any, where: str) -> Leaf | None:
    """Return an array or scalar as a leaf, or None if it is neither.

    Raises:
        InputError: Its elements have no type that a model takes, or it is out of range.
    """
    if isinstance(value, SCALARS) and type(value) in SCALARS:
        if type(value) is int and not INT64.min <= value <= INT64.max:
            raise InputError(f"`{where}` is {value}, which does not fit into 64 bits.")
        dtype = np.dtype({bool: np.bool_, int: np.int64, float: np.float64}[type(value)])
        return Leaf("scalar", dtype, value, type(value))
    if isinstance(value, np.generic):
        if value.dtype.kind not in DTYPE_KINDS or value.dtype.itemsize > 8:
            raise InputError(f"`{where}` is of dtype {value.dtype}, which no model takes.")
        return Leaf("scalar", value.dtype, value, type(value))
    if is_array(value):
        array = host_array(value, where)
        kind = "variable" if isinstance(value, chainer.Variable) else "ndarray"
        return Leaf(kind, array.dtype, array)
    return None


def read_list(value: list[Any], where: str) -> Leaf | None:
    """Return a list of arrays or of numbers as one leaf; None for an empty one.

    Raises:
        InputError: It holds something else, or unlike things.
    """
    leaves = []
    for number, item in enumerate(value):
        leaf = read_leaf(item, f"{where}[{number}]")
        if leaf is None:
            raise InputError(
                f"`{where}[{number}]` is {a_value(item)}; a list holds arrays or numbers of one "
                "kind (use a tuple for a fixed number of unlike things, or name it in static).",
                hint=f"for an array of numbers pass np.array({where})"
                if type(item) is list
                else None,
            )
        leaves.append(leaf)
    if not leaves:
        return None
    first = leaves[0]
    for number, leaf in enumerate(leaves):
        if leaf.form != first.form:
            raise InputError(
                f"`{where}` mixes {first.shown} and {leaf.shown} (element {number}); "
                "the elements of a list have one type."
            )
    values = [leaf.value for leaf in leaves]
    return Leaf("list", first.dtype, values, first.python_type, first.kind)


def own(value: Any) -> Any:
    """Return host values in memory that the user does not write to."""
    if isinstance(value, list):
        return [own(item) for item in value]
    return value.copy() if isinstance(value, np.ndarray) else value
