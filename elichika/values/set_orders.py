"""What is known of the order in which Python goes through a set."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from elichika.values.kinds import is_number
from elichika.values.tables import Table

__all__ = ["KNOWN", "Added", "Order", "Shown", "as_shown", "order_of"]


class Order(IntEnum):
    """What is known of the order in which Python goes through a set; of two the larger holds.

    Attributes:
        ADDED: It was only added to: the keys stand as they came, and the order follows from that.
        SHOWN: Keys were only taken out since: they stand in that order, which stays.
        UNKNOWN: A table that keys were taken out of and put into: where they are is not followed.
    """

    ADDED = 0
    SHOWN = 1
    UNKNOWN = 2


class Added(dict[Any, Any]):
    """What a set holds by known keys if it was only added to: they stand as they came."""


class Shown(dict[Any, Any]):
    """What a set holds by known keys that stand in Python's own order."""


#: What a dict or set holds by known keys is one of these.
KNOWN = (dict, Added, Shown)
_ORDERS: dict[Any, Order] = {Added: Order.ADDED, Shown: Order.SHOWN}


def order_of(items: Any) -> Order:
    """Return what is known of the order of what a set holds."""
    if type(items) is Table:
        return items.type.order
    return _ORDERS.get(type(items), Order.UNKNOWN)


def as_shown(keys: Iterable[Any]) -> list[Any] | None:
    """Return known keys in the order of a set that they are added to one by one.

    Returns:
        None where that is one of this process alone: texts have other hashes in the next.
    """
    made: set[Any] = set()
    for key in keys:
        if not _is_hashed_alike(key):
            return None
        made.add(key)
    return list(made)


def _is_hashed_alike(key: Any) -> bool:
    """Tell whether all Pythons have one hash for a key."""
    if type(key) is tuple:
        return all(map(_is_hashed_alike, key))
    return is_number(key) and bool(key == key)
