"""What an If or a Loop carries: the locations that it changes, each by its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from elichika.state.joins import Hole, Memo, Type
from elichika.state.store import Key
from elichika.walker.walk import Walk
from onnx_graph import Value

__all__ = ["Carried", "build_all", "encode_all"]

#: The types of locations.
Carried = Mapping[Key, Type]


def encode_all(w: Walk, carried: Carried, memo: Memo) -> list[Value | Hole]:
    """Return the graph values of what locations hold now."""
    return [
        leaf
        for key, type_ in carried.items()
        for leaf in type_.encode(w, w.held(w.store.owner(key), key[1]), memo)
    ]


def build_all(w: Walk, carried: Carried, leaves: Iterator[Value], memo: Memo) -> None:
    """Let locations hold what graph values stand for."""
    for key, type_ in carried.items():
        w.store.set_key(key, type_.build(w, leaves, memo))
