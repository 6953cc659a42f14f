"""The order in which CPython goes through a set of ints that was only added to."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["in_order_of_a_set"]

#: What CPython takes the remainder by where it hashes an int.
PRIME = 2**61 - 1
#: How many places next to each other are tried at once.
NEAR = 9
#: From this many keys on, a table grows to twice the keys, before that to four times.
MANY = 50000


def in_order_of_a_set(keys: Any) -> list[int]:
    """Return keys, given in the order in which they came, in the order of a set of them."""
    hashes = np.fmod(keys, PRIME)
    hashes = np.where(hashes == -1, -2, hashes)  # -1 says that there is no hash
    mask = mask_of(len(keys))
    places = hashes & mask
    order = np.argsort(places, kind="stable")
    ranked = places[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = in_table(hashes)
    found: list[int] = keys[order].tolist()
    return found


def mask_of(number: int) -> int:
    """Return the size of the table of so many keys, less one."""
    mask, used = 7, 5  # how many keys make the table grow: three fifths
    while used <= number:
        mask = grown(used)
        used = (mask * 3 + 4) // 5
    return mask


def grown(used: int) -> int:
    """Return the size that a table of so many keys grows to, less one."""
    wanted = used * 2 if used > MANY else used * 4
    mask = 7
    while mask < wanted:
        mask = mask * 2 + 1
    return mask


def in_table(hashes: Any) -> Any:
    """Return the numbers of keys in the order of a table that they come into one by one."""
    mask = 7
    table = np.full(8, -1)
    for number in range(len(hashes)):
        table[free_place(table, mask, hashes[number])] = number
        if (number + 1) * 5 >= mask * 3:
            old = table[table >= 0]
            mask = grown(number + 1)
            table = np.full(mask + 1, -1)
            for other in old:
                table[free_place(table, mask, hashes[other])] = other
    return table[table >= 0]


def free_place(table: Any, mask: Any, key: Any) -> Any:
    """Return where a table that may be full elsewhere has a place for a key."""
    place = key & mask
    rest = key
    shifted = False
    while True:
        last = place + NEAR if place + NEAR <= mask else place
        free = np.flatnonzero(table[place : last + 1] < 0)
        if len(free) > 0:
            return place + free[0]
        rest = rest >> 5 if shifted else (rest >> 5) & (2**59 - 1)  # as without a sign
        shifted = True
        place = (place * 5 + 1 + rest) & mask
