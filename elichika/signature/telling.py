"""What the inputs and outputs of a model are, in a sentence each, for who reads the file alone."""

from __future__ import annotations

from collections.abc import Sequence

from elichika.signature.inputs import InputSignature, InputSpec, show_path
from elichika.signature.outputs import OutputSignature, OutputSpec
from elichika.signature.structure import (
    DICTS,
    SETS,
    As,
    Constant,
    DictOf,
    ItemsOf,
    OneOf,
    RecordOf,
    RowsOf,
    Slot,
    Structure,
)

__all__ = ["tell_inputs", "tell_outputs"]

ELEMENTS = {"variable": "array", "ndarray": "array", "scalar": "number"}
KINDS = {"variable": "array", "ndarray": "array", "numpy": "number", "python": "number"}


def tell_inputs(signature: InputSignature) -> dict[str, str]:
    """Return what each input is, by name: `the argument ids, an array`."""
    told = {spec.name: _input(spec, signature.tensors) for spec in signature.specs}
    for spec in signature.specs:
        lengths = signature.lengths_of(spec)
        if lengths is not None:
            told[spec.name] += f", padded with zeros; {lengths} has the sizes"
            axes = [str(axis + 1) for axis, dim in enumerate(spec.dims) if dim is None]
            told[lengths] = f"the sizes of the arrays in {spec.name} along axis {', '.join(axes)}"
    pending = list(signature.arguments.values())
    while pending:
        structure = pending.pop()
        pending += structure.parts
        match structure:
            case OneOf(Slot(index), alternatives):
                shown = [f"{n}: {signature.in_words(one)}" for n, one in enumerate(alternatives)]
                told[signature.specs[index].name] += "; ".join(shown)
    return told


def _input(spec: InputSpec, tensors: bool) -> str:
    where = f"the argument {show_path(spec.path)}"
    if spec.kind == "tag":
        return f"which of several things the argument {show_path(spec.path)} is: "
    if spec.kind == "list":
        form = "along axis 0, " if tensors else "a sequence of "
        return f"{where}, a list: {form}its {ELEMENTS[str(spec.element)]}s"
    return f"{where}, {_a(ELEMENTS[spec.kind])}"


def tell_outputs(signature: OutputSignature) -> dict[str, str]:
    """Return what each output is, by name: `result['y'], an array, where y_kind is true`."""
    told: dict[str, str] = {}
    _tell(signature.structure, "result", "", signature.specs, told)
    for spec in signature.specs:
        if spec.lengths is not None:
            lengths = signature.specs[spec.lengths].name
            told[spec.name] += f", padded with zeros to the largest; {lengths} has the sizes"
            axes = ", ".join(str(axis + 1) for axis in spec.axes)
            told[lengths] = f"the sizes of the arrays in {spec.name} along axis {axes}"
    return told


def _tell(
    structure: Structure,
    what: str,
    when: str,
    specs: Sequence[OutputSpec],
    told: dict[str, str],
) -> None:
    """Tell what the outputs of a part of the result are.

    Args:
        structure: The part.
        what: What Python calls it.
        when: Where it is there.
        specs: The outputs.
        told: Takes what is told, by name.
    """
    match structure:
        case As(index):
            told[specs[index].name] = f"{what}, a number of several types"
        case Slot(index):
            told[specs[index].name] = f"{what}, {_a(KINDS[specs[index].kind])}{when}"
        case RowsOf():
            told.update(_rows(structure, what, when, specs))
        case OneOf(tag, alternatives):
            name, shown = specs[tag.index].name, []
            values = ["true", "false"] if specs[tag.index].dtype.kind == "b" else None
            for number, part in enumerate(alternatives):
                value = values[number] if values else str(number)
                shown.append(f"{value}: {_shown(part, specs)}")
                _tell(part, what, f"{when}, where {name} is {value}", specs, told)
            told[name] = f"which of several things {what} is: {'; '.join(shown)}{when}"
        case _:
            for step, part in zip(_steps(structure), structure.parts, strict=False):
                _tell(part, f"{what}{step}", when, specs, told)


def _rows(rows: RowsOf, what: str, when: str, specs: Sequence[OutputSpec]) -> dict[str, str]:
    """Tell what the outputs of a list of dynamic length are: one for each part of an item."""
    told: dict[str, str] = {}
    if rows.kind not in DICTS:
        item = f"item i of {what}" if rows.kind in SETS else f"{what}[i]"
        _tell(rows.item, item, when, specs, told)
    else:
        key, value = rows.item.parts
        _tell(key, f"key i of {what}", when, specs, told)
        _tell(value, f"value i of {what}", when, specs, told)
    return {
        name: f"for each i, as a sequence or along axis 0: {text}" for name, text in told.items()
    }


def _steps(structure: Structure) -> list[str]:
    """Return how Python gets at the parts of a structure."""
    match structure:
        case ItemsOf(_, items):
            return [f"[{number}]" for number in range(len(items))]
        case RecordOf(_, fields, _):
            return [f".{field}" for field in fields]
        case DictOf(_, keys, _):
            return [f"[{key!r}]" for key in keys]
    return []


def _shown(structure: Structure, specs: Sequence[OutputSpec]) -> str:
    """Say in short what an alternative is."""
    match structure:
        case Constant(value):
            return repr(value)
        case As(index, kind, dtype):
            return f"{specs[index].name}, a {dtype} of {kind}"
        case Slot(index):
            return specs[index].name
    names = [specs[index].name for index in structure.slots]
    return f"{structure.word} of {', '.join(names)}" if names else f"{structure.word} of constants"


def _a(noun: str) -> str:
    return f"an {noun}" if noun == "array" else f"a {noun}"
