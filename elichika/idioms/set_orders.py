"""The order in which CPython goes through a set of ints that was only added to.

A set is a table of 8, 32, 128 … places, which grows when three fifths of it are taken.  A key goes
to the place that the last bits of its hash name, or to a free one after that: so where no two keys
want one place, the order is that of the places, whenever the keys came.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

__all__ = ["in_order_of_a_set"]

#: What CPython takes the remainder by where it hashes an int.
PRIME = 2**61 - 1
#: How many places after the first are tried next to each other.
NEAR = 9
#: With more keys than these a table grows to more than twice the keys, before that to four times.
MANY = 50000


def _full(mask: int) -> int:
    """Return with how many keys a table grows."""
    return (mask * 3 + 4) // 5


def _next(mask: int, _: Any = None) -> int:
    """Return the size of the table after one of a size, both less one."""
    keys = _full(mask)
    wanted: int = 2 ** (keys * (2 if keys > MANY else 4)).bit_length() - 1
    return wanted


#: The sizes that tables have, less one, and with how many keys each of them grows.
MASKS = np.array([*accumulate(range(24), _next, initial=7)])
FULL = np.array([_full(int(mask)) for mask in MASKS])


def in_order_of_a_set(keys: Any) -> Any:
    """Return the numbers of keys, given as they came, in the order of a set of them."""
    hashes = np.fmod(keys, PRIME)
    hashes = np.where(hashes == -1, -2, hashes)  # -1 says that there is no hash
    places = hashes & MASKS[(len(keys) >= FULL).sum()]
    order = np.argsort(places, kind="stable")
    ranked = places[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = _in_tables(hashes)
    return order


def _in_tables(hashes: Any) -> Any:
    """Return the numbers of keys in the order of a table that they come into one by one."""
    order = np.arange(0)
    came = 0
    for size in range((len(hashes) >= FULL).sum() + 1):
        upto = min(int(FULL[size]), len(hashes))
        order = _filled(hashes, np.concatenate([order, np.arange(came, upto)]), MASKS[size])
        came = upto
    return order


def _filled(hashes: Any, order: Any, mask: Any) -> Any:
    """Return the numbers of keys in the order of an empty table that they are put into."""
    table = np.full(mask + 1, -1)
    for number in order:
        place = hashes[number] & mask
        rest = (hashes[number] >> 5) & (2**59 - 1)  # as without a sign
        free = _free(table, place, mask)
        while not free.any():
            place = (place * 5 + 1 + rest) & mask
            rest = rest >> 5
            free = _free(table, place, mask)
        table[place + np.argmax(free)] = number
    return table[table >= 0]


def _free(table: Any, place: Any, mask: Any) -> Any:
    """Tell which of the places are free that are tried one after another."""
    near = NEAR if place + NEAR <= mask else 0
    return table[place : place + near + 1] < 0
