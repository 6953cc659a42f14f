"""Whether a signature that was read from a file can be one: nothing of it is trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elichika.signature.inputs import InputSpec
from elichika.signature.outputs import LEAF_KINDS
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
    _require(signature.method is None or isinstance(signature.method, str))
    _require(isinstance(signature.train, bool))
    for spec in inputs.specs:
        _require_input(spec)
    for leaf in outputs.specs:
        _require(isinstance(leaf.name, str) and leaf.kind in LEAF_KINDS)
        _require(isinstance(leaf.optional, bool))
    names = [parameter.name for parameter in inputs.parameters]
    _require(set(inputs.arguments) <= set(names))
    for argument in inputs.arguments.values():
        _require_structure(argument, len(inputs.specs))
    _require_structure(outputs.structure, len(outputs.specs))


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("no signature of elichika")


def _require_input(spec: InputSpec) -> None:
    _require(isinstance(spec.name, str))
    _require(spec.kind in ("variable", "ndarray", "scalar", "list"))
    _require(spec.element in ("variable", "ndarray", "scalar", None))
    _require(spec.length is None or isinstance(spec.length, str))
    _require((spec.kind == "list") == (spec.element is not None))
    _require("scalar" not in (spec.kind, spec.element) or spec.python_type is not None)
    for dim in spec.dims:
        _require(dim is None or (isinstance(dim, (int, str)) and not isinstance(dim, bool)))
    for step in spec.path:
        _require(isinstance(step, (int, str)))


def _require_structure(structure: Structure, count: int) -> None:
    for index in structure.slots:
        _require(type(index) is int and 0 <= index < count)
    pending = [structure]
    while pending:
        part = pending.pop()
        _require(part.is_whole)
        pending += part.parts
