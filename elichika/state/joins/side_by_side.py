"""Known keys of a set, side by side as those of the run stand."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from elichika.state.joins.joining import Joiner
from elichika.state.joins.keys import key_type_of, with_known
from elichika.state.joins.reading import TypeReader
from elichika.state.joins.tables import TableType
from elichika.state.store import ITEMS
from elichika.values.set_orders import Order
from elichika.values.symbolic import UNORDERED
from elichika.values.tables import Table

if TYPE_CHECKING:
    from elichika.state.context import StateContext

__all__ = ["set_of", "type_of_known"]


def type_of_known(keys: Iterable[Any]) -> Any:
    """Return the type of some known keys; None where there is no key, or no type of theirs."""
    first, *others = [key for key in keys if key is not UNORDERED] or [UNORDERED]
    return functools.reduce(with_known, others, key_type_of(first))


def set_of(w: StateContext, own: Any, items: Any) -> Table | None:
    """Return the keys of a type that a set holds, of which some may not be there.

    Args:
        w: The walker.
        own: The type, if there is one.
        items: What a dict or set holds; of a dict it is the keys.
    """
    if own is None:
        return None
    type_: Any = TableType(own, None, Order.ADDED)
    reader = TypeReader(w, w.store.mark())
    joined: Any = Joiner(w, widen=True).compatible(type_, reader.version(ITEMS, items))
    return None if joined.is_conflict else Table(joined, tuple(joined.encode(w, items, {})))
