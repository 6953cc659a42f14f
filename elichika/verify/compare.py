"""What eager Chainer gave against what the model gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elichika.signature import OutputSpec
from elichika.signature.constants import ITEMS
from elichika.signature.structure import (
    DICTS,
    Constant,
    DictOf,
    ItemsOf,
    OneOf,
    RecordOf,
    RowsOf,
    Slot,
    Structure,
)
from elichika.verify.kinds import LEAVES, bare, kind_of, shown

__all__ = [
    "TOLERANCES",
    "Comparison",
    "Difference",
    "compare",
    "errors",
    "leaf_at",
    "relative_error",
]

TOLERANCES: Mapping[str, float] = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2}
"""The largest difference allowed, relative to the largest magnitude of the output.

Float64s that float32 holds exactly, on both sides, are measured as what they are: float32s.
"""


@dataclass(frozen=True)
class Difference:
    """A place where two results differ.

    Attributes:
        output: The output of the model, or None where no output stands for the place.
        where: The place in the result, as Python would write it.
        text: What differs.
        steps: The way to the place, to find it again in another result.
        expected: The eager array, where only values differ.
        actual: The model's array, where only values differ.
    """

    output: str | None
    where: str
    text: str
    steps: tuple[Any, ...] = ()
    expected: Any = None
    actual: Any = None


@dataclass(frozen=True)
class Comparison:
    """What came out.

    Attributes:
        differences: In order.
        worst: The largest relative error among the floats that agree.
        widened: Python numbers that came as another type.
    """

    differences: list[Difference]
    worst: float
    widened: list[str]


def compare(
    expected: Any,
    actual: Any,
    structure: Structure,
    specs: Sequence[OutputSpec],
    tolerances: Mapping[str, float] = TOLERANCES,
) -> Comparison:
    """Compare two results.

    A Python number may come as one of another type, if it is equal: where a program returns now an
    int and then a float, the model has one output for both.

    Args:
        expected: What the chain returned.
        actual: What the model returned.
        structure: That of the model's result.
        specs: Its outputs.
        tolerances: By dtype; relative to the largest magnitude of an output.
    """
    walk = _Walk(structure, specs, tolerances)
    walk.visit(expected, actual, (), "")
    return Comparison(walk.differences, walk.worst, walk.widened)


class _Walk:
    """Goes through two results side by side; their structure only names the outputs."""

    def __init__(
        self,
        structure: Structure,
        specs: Sequence[OutputSpec],
        tolerances: Mapping[str, float],
    ) -> None:
        self.differences: list[Difference] = []
        self.worst = 0.0
        self.widened: list[str] = []
        self._structure = structure
        self._specs = specs
        self._tolerances = tolerances

    def visit(self, expected: Any, actual: Any, steps: tuple[Any, ...], where: str) -> None:
        """Compare the parts at one place."""
        family = kind_of(expected).family
        if family != kind_of(actual).family:
            self._unlike(expected, actual, steps, where)
        else:
            getattr(self, f"_{family}")(expected, actual, steps, where)

    def _constant(self, expected: Any, actual: Any, steps: tuple[Any, ...], where: str) -> None:
        if type(expected) is not type(actual) or not _equal(expected, actual):
            self._unlike(expected, actual, steps, where)

    def _container(self, expected: Any, actual: Any, steps: tuple[Any, ...], where: str) -> None:
        """Compare containers of one class, named tuples by their fields, with the same steps."""
        ours, theirs = kind_of(expected).parts(expected), kind_of(actual).parts(actual)
        if _class_of(expected) != _class_of(actual) or list(ours) != list(theirs):
            return self._unlike(expected, actual, steps, where)
        for key, part in ours.items():
            self.visit(part, theirs[key], (*steps, key), f"{where}[{key!r}]")
        return None

    def _number(self, expected: Any, actual: Any, steps: tuple[Any, ...], where: str) -> None:
        if type(expected) is not type(actual) and expected == actual:
            name = self._output_at(steps, actual)
            self.widened.append(f"{name} is {shown(actual)} for {shown(expected)}")
            return None
        if type(expected) is not type(actual):
            return self._unlike(expected, actual, steps, where)
        return self._array(expected, actual, steps, where)

    def _array(self, expected: Any, actual: Any, steps: tuple[Any, ...], where: str) -> None:
        left, right = np.asarray(bare(expected)), np.asarray(bare(actual))
        if left.dtype != right.dtype:
            text = f"dtype {left.dtype} against {right.dtype}"
            return self._differ(text, steps, where, actual)
        if left.shape != right.shape:
            text = f"shape {left.shape} against {right.shape}"
            return self._differ(text, steps, where, actual)
        tolerance = self._tolerances.get(_precision(left, right), 0.0)
        error = relative_error(left, right)
        if error <= tolerance:
            self.worst = max(self.worst, error)
            return None
        text = _values(left, right, error, tolerance)
        return self._differ(text, steps, where, actual, (left, right))

    _numpy = _array

    def _unlike(self, expected: Any, actual: Any, steps: tuple[Any, ...], where: str) -> None:
        self._differ(f"{shown(expected)} against {shown(actual)}", steps, where, actual)

    def _differ(
        self,
        text: str,
        steps: tuple[Any, ...],
        where: str,
        actual: Any,
        arrays: tuple[Any, Any] = (None, None),
    ) -> None:
        output = self._output_at(steps, actual)
        self.differences.append(Difference(output, where, text, steps, *arrays))

    def _output_at(self, steps: tuple[Any, ...], actual: Any) -> str | None:
        """Return the first output that stands for a place of the result."""
        found = _part(self._structure, steps, actual).slots
        return self._specs[found[0]].name if found else None


def _part(structure: Structure, steps: tuple[Any, ...], value: Any) -> Structure:
    """Return the part of a structure at a place where the model gave `value`."""
    match structure:
        case OneOf(_, alternatives):
            parts = [_part(item, steps, value) for item in alternatives]
            return next((part for part in parts if _fits(value, part)), structure)
        case DictOf(_, keys, items) if steps and steps[0] in keys:
            return _part(items[keys.index(steps[0])], steps[1:], value)
        case ItemsOf(_, items) | RecordOf(_, _, items) if steps and _is_index(steps[0], items):
            return _part(items[steps[0]], steps[1:], value)
        case RowsOf("dict" | "OrderedDict", ItemsOf(_, (_, item))) if steps:
            return _part(item, steps[1:], value)
        case RowsOf(_, item) if steps:
            return _part(item, steps[1:], value)
    return structure


def _is_index(step: Any, items: Sequence[Any]) -> bool:
    return isinstance(step, int) and step < len(items)


def _precision(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any]) -> str:
    """Return the dtype that values were computed in: `float(loss.array)` holds a float32."""
    if expected.dtype != np.float64:
        return str(expected.dtype)
    with np.errstate(over="ignore"):
        narrow = all(np.array_equal(a, a.astype("f"), equal_nan=True) for a in (expected, actual))
    return "float32" if narrow else "float64"


def relative_error(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any]) -> float:
    """Return the largest error over the largest magnitude; infinite where kinds of value differ.

    Exact types have error 0 or infinity. NaN equals NaN, an infinity equals the same infinity.
    """
    if expected.size == 0:
        return 0.0
    if expected.dtype.kind != "f":
        return 0.0 if np.array_equal(expected, actual) else float("inf")
    worst = float(errors(expected, actual).max())
    scale = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    return worst / max(scale, float(np.finfo(expected.dtype).tiny)) if worst else 0.0


def errors(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the error of each element: infinite where its kind differs, 1 of exact types."""
    if expected.dtype.kind != "f":
        return np.asarray(expected != actual, np.float64)
    left, right = expected.astype(np.float64), actual.astype(np.float64)
    with np.errstate(all="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        error = np.where(same, 0.0, np.abs(left - right))
    return np.asarray(np.where(np.isfinite(error), error, np.inf))


def _values(expected: Any, actual: Any, error: float, tolerance: float) -> str:
    """Say which element differs most."""
    found = errors(expected, actual)
    index = np.unravel_index(int(found.argmax()), expected.shape)
    if expected.dtype.kind == "f":
        measure = f", a relative error of {error:.1e} where {tolerance:.0e} is allowed"
    else:
        measure = f", and {int(found.sum())} of {expected.size} elements differ" if index else ""
    where = f"at {[int(i) for i in index]}, " if index else ""
    return f"{where}{expected[index]} against {actual[index]}{measure}"


def _class_of(container: Any) -> Any:
    return getattr(type(container), "_fields", type(container))


def _fits(value: Any, structure: Structure) -> bool:
    match structure:
        case Slot():
            return kind_of(value).family in LEAVES
        case OneOf(_, alternatives):
            return any(_fits(value, item) for item in alternatives)
        case Constant(kept):
            return type(value) is type(kept) and _equal(value, kept)
        case ItemsOf(_, items):
            fits = type(value) in (tuple, list) and len(value) == len(items)
            return fits and all(map(_fits, value, items))
        case RecordOf(_, fields, _):
            return getattr(type(value), "_fields", None) == fields
        case DictOf(_, keys, _):
            return isinstance(value, Mapping) and list(value) == list(keys)
        case RowsOf(kind):
            named = type(value).__name__ == kind
            return named or type(value) in ((tuple, list) if kind in ITEMS else DICTS.values())
    return False


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) or (one != one and other != other)


def leaf_at(result: Any, steps: Sequence[Any]) -> Any:
    """Return the part of a result at a place, as an array where it is one.

    Raises:
        LookupError: The result has another structure.
    """
    try:
        for step in steps:
            result = result[step]
    except (TypeError, IndexError, KeyError) as error:
        raise LookupError from error
    return bare(result)
