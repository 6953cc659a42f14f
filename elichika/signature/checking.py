"""Whether a signature that was read from a file can be one: nothing of it is trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from elichika.signature.inputs import MOST_VARIANTS, InputSpec
from elichika.signature.outputs import NOUNS
from elichika.signature.structure import Structure

if TYPE_CHECKING:
    from elichika.signature import Signature

__all__ = ["require_whole"]


def require_whole(signature: Signature) -> None:
    """Check the parts of a signature against one another.

    Raises:
        ValueError: Something is missing, of another type, or points to nowhere.
    """
    inputs, outputs = signature.inputs, signature.outputs
    _require_all((str, type(None)), signature.method)
    _require_all(bool, signature.train)
    for spec in inputs.specs:
        _require_input(spec)
    for leaf in outputs.specs:
        _require_all(str, leaf.name)
        _require_all(bool, leaf.optional)
        _require(leaf.kind in NOUNS)
        _require_all(int, *leaf.axes)
        _require(leaf.lengths is None or leaf.lengths in range(len(outputs.specs)))
    names = [parameter.name for parameter in inputs.parameters]
    _require(set(inputs.arguments) <= set(names))
    for argument in inputs.arguments.values():
        _require_structure(argument, len(inputs.specs))
    _require(all(key in names for key in inputs.defaults))
    _require(inputs.count_variants <= MOST_VARIANTS)
    ways = replace(inputs, kept=None).variants
    _require({index for way in ways for index in way} <= set(inputs.tags))
    _require(inputs.kept is None or (bool(inputs.kept) and all(way in ways for way in inputs.kept)))
    _require_structure(outputs.structure, len(outputs.specs))


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("no signature of elichika")


def _require_all(types: type | tuple[type, ...], *values: object) -> None:
    _require(all(isinstance(value, types) for value in values))


def _require_input(spec: InputSpec) -> None:
    _require_all(str, spec.name)
    _require_all((str, type(None)), spec.length)
    _require_all((int, str, type(None)), *spec.dims)
    _require_all((int, str), *spec.path)
    _require(spec.kind in ("variable", "ndarray", "scalar", "list", "tag"))
    _require(spec.element in ("variable", "ndarray", "scalar", None))
    _require((spec.kind == "list") == (spec.element is not None))
    _require(not {"scalar", "tag"} & {spec.kind, spec.element} or spec.python_type is not None)
    _require(not any(dim is True or dim is False for dim in spec.dims))


def _require_structure(structure: Structure, count: int) -> None:
    for index in structure.slots:
        _require(type(index) is int and 0 <= index < count)
    pending = [structure]
    while pending:
        part = pending.pop()
        _require(part.is_whole)
        pending += part.parts
