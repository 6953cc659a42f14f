"""Objects that live in arenas (`walker/containers/arenas.py`): what carries one is its handle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo, Site
from elichika.state.joins.types import Type
from elichika.values.words import shown_as
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner


@shown_as("object")
class Arena(list[Any]):
    """A location: the records of all objects of one arena.

    Attributes:
        cls: Their class.
        root: The site that stands for it in the plan.
    """

    def __init__(self, cls: type, root: Site) -> None:
        super().__init__()
        self.cls = cls
        self.root = root


@dataclass(frozen=True)
class RefType(Type):
    """An object that lives in an arena: its handle."""

    splits = True

    arena: Arena

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RefType) and self.arena is other.arena

    __hash__ = None  # type: ignore[assignment]

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(np.dtype(np.int64), ())]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        arena, handle = w.arenas.require(value)
        assert arena is self.arena
        return [handle]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return w.arenas.named(self.arena, next(leaves))

    @property
    def is_object(self) -> bool:
        return True

    def join(self, j: Joiner, other: RefType) -> Type | None:
        return j.w.arenas.meet(self, other)

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        return j.w.arenas.meet(self, other)
