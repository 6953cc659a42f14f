"""Inputs and outputs of the state between calls: their names, of which no two are alike.

self.d = {"a": 1, "b": [2, 3]}      d/a, d/b/0, d/b/1
self.h = None, or an array          h/tag, h
self.d = {1: 1, "1": 2}             d/1, d/1_2
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from itertools import chain, count
from typing import Any

from elichika.signature.names import unique_name
from elichika.state.joins import ChoiceType, KeysType, Leaf, Type
from onnx_graph import Value, dims_of

__all__ = [
    "NEXT",
    "Ends",
    "apart",
    "constants_in",
    "declared",
    "ends_of",
    "free_name",
    "hide_names",
    "ports",
    "show_names",
    "sizes_of",
]

NEXT = "/next"
"""Behind the name of an input in that of the output which is its value after the call."""

UNASKED = "?"
"""Before the name of an input that is not known to be asked for: its own is free for a result."""

Ends = list[tuple[str, Leaf]]
"""What is behind the path of a location in the names of its inputs."""


def ends_of(type_: Type, memo: dict[int, Any]) -> Ends:
    """Return what inputs are of their location: a key of a dict, the tag of a choice, a number."""
    if isinstance(type_, KeysType):
        parts = zip(type_.keys, type_.items, strict=True)
        return [(f"/{key}{end}", x) for key, part in parts for end, x in ends_of(part, memo)]
    leaves = type_.leaves(memo)
    if isinstance(type_, ChoiceType):
        return [("/tag", leaves[0]), *_numbered(leaves[1:])]
    return _numbered(leaves)


def _numbered(leaves: Sequence[Leaf]) -> Ends:
    if len(leaves) == 1:
        return [("", leaves[0])]
    return [(f"/{number}", leaf) for number, leaf in enumerate(leaves)]


def apart(ends: Ends) -> tuple[list[str], list[Leaf]]:
    """Number what two keys have in common: 1 and "1", say."""
    used: set[str] = set()
    found = []
    for end, _ in ends:
        found.append(free_name(end, [""], used))
        used |= ports(found[-1], [""])
    return found, [leaf for _, leaf in ends]


def free_name(base: str, ends: Collection[str], taken: Set[str]) -> str:
    """Return a name, with a number behind it where it is taken, with some ends, or its outputs'."""
    names = chain([base], (f"{base}_{number}" for number in count(2)))
    return next(name for name in names if taken.isdisjoint(ports(name, ends)))


def ports(base: str, ends: Collection[str]) -> set[str]:
    """Return the names of the inputs of a location, and of its outputs."""
    return {name for end in ends for name in (base + end, f"{base}{end}{NEXT}")}


def declared(g: Any, name: str, leaf: Leaf, sizes: set[str]) -> Value:
    """Declare an input; `sizes` has the names of the sizes of all others, and gets its own."""
    symbol = "".join(c if c.isalnum() else "_" for c in name)
    dims: list[int | str] = []
    for axis, size in enumerate(leaf.dims or ()):
        named = unique_name(f"state_{symbol}_{axis}", sizes)
        dims.append(size if isinstance(size, int) else named)
        sizes.add(named)
    value: Value = g.input(name, leaf.dtype, dims)
    return value


def sizes_of(inputs: Iterable[Value]) -> set[str]:
    """Return the names of the sizes of some inputs."""
    dims = (dim for value in inputs for dim in dims_of(value) if not isinstance(dim, int))
    return {str(name) for dim in dims for name in dim.free_symbols()}


def hide_names(inputs: Iterable[Value]) -> None:
    """Leave the names of inputs to results."""
    for value in inputs:
        value.name = f"{UNASKED}{value.name}"


def show_names(inputs: Iterable[Value], taken: set[str]) -> None:
    """Give inputs their names again; others where a result has one of them, or an input."""
    for value in inputs:
        value.name = free_name(str(value.name).removeprefix(UNASKED), [""], taken)
        taken |= ports(value.name, [""])


def constants_in(main: Any) -> list[str]:
    """Return the names of a graph's constants; a weight that is state has the name of its input."""
    return [name for name in main.initializers if name.startswith("constant_")]
