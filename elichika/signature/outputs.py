"""The outputs of a model as data: named tensors and the structure that they are part of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from elichika.errors import SourceFrame, StagingError
from elichika.signature.constants import is_plain
from elichika.signature.names import Wanted, chosen_names, safe_name, unique_name
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
    from_json,
    rebuild,
)
from elichika.values.words import a_or_an

__all__ = ["Alternatives", "DynamicList", "OutputLeaf", "OutputSignature", "OutputSpec"]

#: What a tensor of a result is to Python.
NOUNS = {"variable": "variable", "ndarray": "array", "numpy": "numpy", "python": "python"}


class _Part:
    """What the walker hands over in a result, beside plain Python."""

    def read(self, reader: _Reader, path: tuple[str, ...]) -> Structure:
        """Return its structure, collecting its leaves."""
        raise NotImplementedError


@dataclass(frozen=True)
class OutputLeaf(_Part):
    """A tensor in a result, as the walker hands it over.

    Attributes:
        kind: `variable`, `ndarray`, `numpy` (a numpy scalar) or `python` (an int, float or bool).
        value: The graph value; handed through to `OutputSignature.values`.
        dtype: Element type.
        optional: The value is an ONNX optional, and None where that is empty.
        hint: A name to prefer.
    """

    kind: str
    value: Any
    dtype: np.dtype[Any]
    optional: bool = False
    hint: str | None = None

    def read(self, reader: _Reader, path: tuple[str, ...]) -> Slot:
        """Return its slot."""
        assert self.kind in NOUNS, self.kind
        return reader.add(self, path)


@dataclass(frozen=True)
class DynamicList(_Part):
    """A list (or, by `kind`, a tuple, a set or a dict of pairs) whose length the model tells.

    `item` is the structure of one row. The value of each leaf in it is a sequence with one element
    a row, or a tensor with the rows along axis 0; there is at least one leaf.
    """

    item: Any
    kind: str = "list"

    def read(self, reader: _Reader, path: tuple[str, ...]) -> Structure:
        """Return the rows; there is a leaf in each."""
        if self.kind in DICTS:
            there = path or ("output",)
            pair = zip(self.item, ("keys", "values"), strict=True)
            item: Structure = ItemsOf("tuple", tuple(reader.read(p, (*there, w)) for p, w in pair))
        else:
            item = reader.read(self.item, path)
        if not item.slots:
            raise StagingError(
                f"{reader.where(path)} a list of dynamic length that holds no tensors.",
                reader.frames,
                "return the length of the list.",
            )
        return RowsOf(self.kind, item)


@dataclass(frozen=True)
class Alternatives(_Part):
    """One of several structures; the leaves of those that were not taken are empty tensors.

    `tag` is a leaf of bool (true for the first of two) or of int64 (an index).
    """

    tag: OutputLeaf
    structures: tuple[Any, ...]

    def read(self, reader: _Reader, path: tuple[str, ...]) -> Structure:
        """Return the structures, and the slot that tells which."""
        there = path or ("output",)
        word = "kind"
        if len(self.structures) == 2 and any(item is None for item in self.structures):
            word = "is_none" if self.structures[0] is None else "is_given"
        tag = self.tag.read(reader, (*there, word))
        held = [item for item in self.structures if _holds_tensors(item)]
        words = _telling(held) if len(held) > 1 else {}
        parts = []
        for item in self.structures:
            named = words.get(id(item))
            parts.append(reader.read(item, (*there, named) if named else path))
        return OneOf(tag, tuple(parts))


def _holds_tensors(value: Any) -> bool:
    """Tell whether there is a tensor in a part of a result."""
    match value:
        case _Part():
            return True
        case dict():
            return any(map(_holds_tensors, value.values()))
        case tuple() | list():
            return any(map(_holds_tensors, value))
    return False


def _telling(alternatives: Sequence[Any]) -> dict[int, str]:
    """Return words that tell alternatives apart, by `id`: `float32`, `array_float32`, `tuple_2`."""
    words = [_word(item, long=False) for item in alternatives]
    taken: set[str] = set()
    told = {}
    for item, word in zip(alternatives, words, strict=True):
        chosen = _word(item, long=True) if words.count(word) > 1 else word
        told[id(item)] = unique_name(chosen, taken)
        taken.add(told[id(item)])
    return told


def _word(item: Any, *, long: bool) -> str:
    """Return what an alternative is, in a word."""
    match item:
        case OutputLeaf(kind, _, dtype):
            return f"{NOUNS[kind]}_{dtype.name}" if long else str(dtype.name)
        case DynamicList():
            return item.kind
    return type(item).__name__


@dataclass(frozen=True)
class OutputSpec:
    """One output of the model; the attributes are those of `OutputLeaf`, and two more.

    Attributes:
        lengths: The number of the output with the lengths of what is padded here; None where
            nothing is. It has one for each element, or a row of them, one for each padded axis.
        axes: The axes of an element that are padded.
    """

    name: str
    kind: str
    dtype: np.dtype[Any]
    optional: bool = False
    lengths: int | None = None
    axes: tuple[int, ...] = ()

    def restore(self, value: Any) -> Any:
        """Return what onnxruntime gave as the chain's kind of value, arrays for Variables."""
        if value is None:
            if self.optional:
                return None
            raise ValueError(f"the output {self.name} is absent")
        array = self._as_declared(np.asarray(value))
        if self.kind == "python":
            return array.item()
        return array[()] if self.kind == "numpy" else array

    def restore_rows(self, rows: Any) -> list[Any]:
        """Return what `restore` gives of each of some values, numbers all at once."""
        if self.kind in ("python", "numpy") and not self.optional:
            array = np.asarray(rows)
            if array.ndim == 1 and array.dtype.kind in "biuf":
                array = self._as_declared(array)
                return array.tolist() if self.kind == "python" else list(array)
        return [self.restore(row) for row in rows]

    def _as_declared(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if array.dtype.type is not self.dtype.type and array.dtype == self.dtype:
            return array.view(self.dtype)  # onnxruntime gives int64 as `np.longlong`
        return array


@dataclass(frozen=True)
class OutputSignature:
    """The outputs in order, and the structure that they are part of.

    Attributes:
        specs: One for each output of the model.
        structure: The result; slots are indices into `specs`.
        values: The graph value of each, as long as the signature has not been through JSON.
    """

    specs: tuple[OutputSpec, ...]
    structure: Structure
    values: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def from_structure(
        cls,
        result: Any,
        *,
        output_names: Wanted = None,
        taken: Collection[str] = (),
        frames: Sequence[SourceFrame] = (),
        nothing: OutputLeaf | None = None,
    ) -> OutputSignature:
        """Flatten what the chain returns.

        Args:
            result: A nest of tuples, lists, dicts and namedtuples whose leaves are `OutputLeaf`,
                `DynamicList`, `Alternatives`, or plain constants (None, str, int, float, bool).
            output_names: Names for the outputs, in order or by the names they have otherwise.
            taken: Names that are in use, those of the inputs.
            frames: Where the result is returned, for the error.
            nothing: The output where there is no other, for a model has one at least; the result
                does not hold it.

        Raises:
            StagingError: Something in it is neither a tensor nor a plain constant.
            InputError: `output_names` does not fit.
        """
        reader = _Reader(set(taken), tuple(frames))
        structure = reader.read(result, ())
        if not reader.leaves and nothing is not None:
            reader.add(nothing, ())
        names = chosen_names("output", reader.names, output_names, taken)
        specs = tuple(
            OutputSpec(name, leaf.kind, np.dtype(leaf.dtype), leaf.optional)
            for name, leaf in zip(names, reader.leaves, strict=True)
        )
        return cls(specs, structure, tuple(leaf.value for leaf in reader.leaves))

    def rebuild(self, values: Sequence[Any]) -> Any:
        """Return the chain's result from the outputs of a run, in the order of `specs`.

        Variables come back as arrays, Python scalars as Python scalars.
        """
        if self._is_padded:
            pairs = zip(self.specs, values, strict=True)
            values = [self._without_padding(spec, value, values) for spec, value in pairs]
        return rebuild(self.structure, values, self._restore, self._restore_rows)

    @cached_property
    def _is_padded(self) -> bool:
        return any(spec.lengths is not None for spec in self.specs)

    def _restore(self, index: int, value: Any) -> Any:
        return self.specs[index].restore(value)

    def _restore_rows(self, index: int, rows: Any) -> list[Any]:
        return self.specs[index].restore_rows(rows)

    @staticmethod
    def _without_padding(spec: OutputSpec, value: Any, values: Sequence[Any]) -> Any:
        """Return the elements of an output in their own sizes."""
        if spec.lengths is None:
            return value
        elements = []
        for row, lengths in zip(value, np.asarray(values[spec.lengths]), strict=True):
            cut = [slice(None)] * row.ndim
            for axis, length in zip(spec.axes, np.atleast_1d(lengths), strict=True):
                cut[axis] = slice(int(length))
            elements.append(row[tuple(cut)].copy())
        return elements

    def to_json(self) -> dict[str, Any]:
        """Return all but the graph values as JSON data."""
        specs: list[dict[str, Any]] = []
        for spec in self.specs:
            specs.append(
                {
                    "name": spec.name,
                    "kind": spec.kind,
                    "dtype": spec.dtype.name,
                    "optional": spec.optional,
                }
            )
            if spec.lengths is not None:
                specs[-1] |= {"lengths": spec.lengths, "axes": list(spec.axes)}
        return {"specs": specs, "structure": self.structure.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OutputSignature:
        """Return the signature that `to_json` made `data` of."""
        specs = tuple(
            OutputSpec(
                item["name"],
                item["kind"],
                np.dtype(item["dtype"]),
                item["optional"],
                item.get("lengths"),
                tuple(item.get("axes", ())),
            )
            for item in data["specs"]
        )
        return cls(specs, from_json(data["structure"]))


class _Reader:
    def __init__(self, taken: set[str], frames: tuple[SourceFrame, ...]) -> None:
        self.leaves: list[OutputLeaf] = []
        self.names: list[str] = []
        self.frames = frames
        self._taken = taken

    def read(self, value: Any, path: tuple[str, ...]) -> Structure:
        """Return the structure of a result, collecting its leaves."""
        if isinstance(value, _Part):
            return value.read(self, path)
        fields = getattr(type(value), "_fields", None)
        if isinstance(value, tuple) and fields is not None:
            items = tuple(
                self.read(part, (*path, f)) for f, part in zip(fields, value, strict=True)
            )
            return RecordOf(type(value).__name__, fields, items, type(value))
        if type(value) in (tuple, list):
            parts = enumerate(value)
            items = tuple(self.read(part, (*path, str(step))) for step, part in parts)
            return ItemsOf(type(value).__name__, items)
        if type(value) in (dict, OrderedDict) and is_plain(list(value)):
            items = tuple(self.read(part, (*path, str(key))) for key, part in value.items())
            return DictOf(type(value).__name__, tuple(value), items)
        if is_plain(value):
            return Constant(value)
        name = getattr(type(value), "stands_for", type(value).__qualname__)
        hint = "return arrays, Variables, numbers, or tuples, lists, dicts and objects of them."
        if name in ("function", "method"):
            hint = "call it in `forward`, whose arguments may be its own, and return what it gives."
        raise StagingError(
            f"{self.where(path)} {a_or_an(name)}, which is not a tensor.", self.frames, hint
        )

    @staticmethod
    def where(path: tuple[str, ...]) -> str:
        """Say, to begin a message, where in the result something is."""
        return "The result" + (f" holds, at {'.'.join(path)}," if path else " is")

    def add(self, leaf: OutputLeaf, path: tuple[str, ...]) -> Slot:
        """Name a leaf and return its slot."""
        words = path if path and not path[0].isdigit() else ("output", *path)
        name = safe_name(leaf.hint or "_".join(words))
        if name in self._taken:
            name = unique_name(f"output_{name}", self._taken)
        self._taken.add(name)
        self.names.append(name)
        self.leaves.append(leaf)
        return Slot(len(self.leaves) - 1)
