"""What examples showed of each argument, what it became, and why: the types of a profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elichika.signature.forms import in_words
from elichika.signature.inputs import InputSignature, InputSpec, Size
from elichika.signature.slots import ABSENT
from elichika.signature.structure import OneOf, Structure

__all__ = ["PROFILE_KEY", "Argument", "equal_sizes", "profile_of", "with_one_name"]

PROFILE_KEY = "elichika.profile"
"""Of a model's metadata: a line for each argument."""


@dataclass(frozen=True)
class Argument:
    """An argument of the call.

    Attributes:
        name: What the program calls it.
        became: What the model takes: `float32[x_0, 3] or None`.
        seen: What the calls gave, and in how many of them: `float32[1..7, 3]`, 5.
        why: Why it became that.
    """

    name: str
    became: str
    seen: tuple[tuple[str, int], ...]
    why: str

    def __str__(self) -> str:
        seen = ", ".join(f"{text} in {_calls(count)}" for text, count in self.seen)
        return f"{self.name}: {self.became}; seen: {seen}; {self.why}"


def profile_of(signature: InputSignature, counts: Sequence[int]) -> list[Argument]:
    """Return what became of the arguments of examples.

    Args:
        signature: The inputs, with the leaves of the examples.
        counts: How many calls each example stands for.
    """
    return [
        Argument(
            name,
            signature.in_words(structure),
            tuple(_seen(signature, structure, counts)),
            _why(signature, structure),
        )
        for name, structure in signature.arguments.items()
    ]


def _seen(
    signature: InputSignature, structure: Structure, counts: Sequence[int]
) -> list[tuple[str, int]]:
    """Return what was seen of an argument, each kind of it by itself."""
    kinds: dict[str, tuple[Structure, list[int]]] = {}
    for number, leaves in enumerate(signature.examples):
        kind = structure.taken(signature.variant_of(leaves))
        kinds.setdefault(repr(kind), (kind, []))[1].append(number)
    found = []
    for kind, numbers in kinds.values():
        examples = [signature.examples[number] for number in numbers]

        def shown(index: int, examples: Sequence[list[Any]] = examples) -> str:
            return _ranges(signature.specs[index], [leaves[index] for leaves in examples])

        found.append((in_words(kind, shown), sum(counts[number] for number in numbers)))
    return found


def _ranges(spec: InputSpec, leaves: Sequence[Any]) -> str:
    """Return the sizes or numbers that were seen of an input: `float32[1..7, 3]`."""
    if spec.kind == "list":
        items = [item for leaf in leaves for item in leaf]
        return f"list of {_range([len(leaf) for leaf in leaves])} {_items(spec, items)}"
    return _items(spec, leaves)


def _items(spec: InputSpec, leaves: Sequence[Any]) -> str:
    if spec.python_type is not None:
        return f"{spec.described.removeprefix('list of ')} {_range(leaves)}".rstrip()
    sizes = zip(*(np.shape(leaf) for leaf in leaves), strict=True)
    return f"{spec.dtype}[{', '.join(_range(axis) for axis in sizes)}]"


def _range(numbers: Sequence[Any]) -> str:
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}..{high}"


def _why(signature: InputSignature, structure: Structure) -> str:
    """Say why an argument is what it is."""
    reasons = ["its kind differs"] if _has_choice(structure) else []
    slots = dict.fromkeys(structure.slots)
    specs = [spec for spec in (signature.specs[index] for index in slots) if spec.kind != "tag"]
    for spec in specs:
        numbered = [(axis, dim) for axis, dim in enumerate(spec.dims) if type(dim) is not int]
        for axis, dim in numbered:
            by_user = type(dim) is str and dim not in signature.inferred
            where = "" if len(specs) == 1 else f" of {spec.name}"
            why = f"is {dim} by dynamic_axes" if by_user else "differs"
            reasons.append(f"axis {axis}{where} {why}")
        if spec.kind == "scalar":
            reasons.append("numbers are inputs")
    return ", ".join(dict.fromkeys(reasons)) or "alike in all"


def _has_choice(structure: Structure) -> bool:
    return type(structure) is OneOf or any(map(_has_choice, structure.parts))


def equal_sizes(signature: InputSignature) -> list[list[str]]:
    """Return the names of sizes that were equal in all examples, though nothing says they are."""
    columns: dict[str, list[int | None]] = {}
    for index, spec in enumerate(signature.specs):
        for axis, dim in enumerate(spec.dims):
            if type(dim) is str and dim in signature.inferred:
                leaves = [leaves[index] for leaves in signature.examples]
                columns[dim] = [None if one is ABSENT else np.shape(one)[axis] for one in leaves]
    groups: list[list[str]] = []
    for name in columns:
        same = [g for g in groups if all(_equal(columns[name], columns[one]) for one in g)]
        if same:
            same[0].append(name)
        else:
            groups.append([name])
    return [names for names in groups if len(names) > 1]


def with_one_name(
    signature: InputSignature, needed: Sequence[tuple[str, str]]
) -> tuple[InputSignature, dict[str, str]]:
    """Give sizes one name that a program needs to be equal, and that were in all examples.

    Args:
        signature: The inputs.
        needed: Pairs of names; those that the user gave stay.

    Returns:
        The inputs, and what names became.
    """
    groups = equal_sizes(signature)
    became: dict[str, str] = {}
    for pair in needed:
        one, other = (became.get(name, name) for name in pair)
        if one != other and any({*pair} <= {*names} for names in groups):
            first = next(str(dim) for dim in _dims(signature) if dim in (one, other))
            last = other if first == one else one
            became |= {name: first for name, kept in became.items() if kept == last}
            became[last] = first
    specs = [
        replace(spec, dims=tuple(became.get(str(dim), dim) for dim in spec.dims))
        for spec in signature.specs
    ]
    return replace(signature, specs=tuple(specs)), became


def _dims(signature: InputSignature) -> list[Size]:
    return [dim for spec in signature.specs for dim in spec.dims]


def _equal(one: Sequence[int | None], other: Sequence[int | None]) -> bool:
    """Tell whether two sizes were equal in all examples that have both, and that some have."""
    both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return bool(both) and all(a == b for a, b in both)


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"
