"""The graph values that carry a value, and stand-ins where a value is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onnx_graph import Dim, Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext


@dataclass(frozen=True)
class Leaf:
    """One graph value of a type: a tensor, or a sequence of tensors; or the tag of a choice."""

    dtype: np.dtype[Any]
    dims: tuple[int | Dim | None, ...] | None
    sequence: bool = False
    tag: bool = False


Memo = dict[int, Any]
#: A place of the program that makes objects, and the class of the objects.
Site = tuple[Any, type]
#: Where a memo of `build` keeps the arrays of each group, by the group.
GROUPS = -1


@dataclass(eq=False)
class Hole:
    """A leaf of a value that is not there, until another name of the same object fills it.

    Attributes:
        owned: It belongs to an object, which alone can fill it.
    """

    leaf: Leaf
    value: Value | None = None
    owned: bool = False


def filled(w: StateContext, leaves: list[Value | Hole]) -> list[Value]:
    """Return the leaves with a stand-in in each hole that is left."""
    values: list[Value] = []
    for leaf in leaves:
        if isinstance(leaf, Hole):
            values.append(w.absent(leaf.leaf) if leaf.value is None else leaf.value)
        else:
            values.append(leaf)
    return values


def fill(memo: Memo, ident: int, values: list[Value | Hole]) -> list[Value | Hole]:
    """Put the leaves of an object into the holes that an absent name of it left, if any."""
    for hole, value in zip(memo[ident], values, strict=True):
        hole.value = value.value if isinstance(value, Hole) else value
    memo[ident] = True
    return []


def hollow(ident: int, leaves: list[Leaf], memo: Memo) -> list[Value | Hole]:
    """Return holes for the leaves that belong to an object, once."""
    if ident in memo:
        return []
    holes: list[Value | Hole] = [Hole(leaf, owned=True) for leaf in leaves]
    memo[ident] = holes
    return holes
