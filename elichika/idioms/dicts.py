"""What dicts and sets do with as many keys as are known only when the model runs."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any


def fill(made: dict[Any, Any], pairs: Any) -> None:
    """Set an item for each pair."""
    for key, value in pairs:
        made[key] = value


def fill_all(made: dict[Any, Any], keys: Any, value: Any) -> None:
    """Set one value for all keys."""
    for key in keys:
        made[key] = value


def count(made: dict[Any, Any], pairs: Any, sign: int) -> None:
    """Add amounts, or take them away."""
    for key, amount in pairs:
        made[key] = made[key] + amount * sign


def count_each(made: dict[Any, Any], keys: Any, sign: int) -> None:
    """Add one for each key, or take it away."""
    for key in keys:
        made[key] = made[key] + sign


def add(made: set[Any], keys: Any) -> None:
    """Add keys."""
    for key in keys:
        made.add(key)


def most_common(pairs: Any, number: int | None) -> list[Any]:
    """Sort pairs by the amount, the largest first; those of one amount keep their order."""
    ranked = sorted(pairs, key=lambda pair: pair[1], reverse=True)
    return ranked if number is None else ranked[: max(number, 0)]


def elements(pairs: Any) -> Any:
    """Repeat each key as often as its amount says."""
    made = []
    for key, amount in pairs:
        for _ in range(amount):
            made.append(key)
    return iter(made)


# -- equality and Counters -------------------------------------------------------------------------


def alike(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    """Tell whether two dicts hold equal values by the same keys."""
    if len(left) != len(right):
        return False
    for key, value in left.items():
        if key not in right:
            return False
        if not same(value, right[key]):
            return False
    return True


def alike_in_order(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    """Tell whether two dicts hold equal values by the same keys, in the same order."""
    if len(left) != len(right):
        return False
    for (key, value), (other, held) in zip(left.items(), right.items(), strict=True):
        if key != other:
            return False
        if not same(value, held):
            return False
    return True


def same(one: Any, other: Any) -> bool:
    """Compare as containers do; has a lowering."""
    return one is other or bool(one == other)


def counted_alike(left: Counter[Any], right: Counter[Any]) -> bool:
    """Tell whether each key occurs as often in both."""
    return at_most(left, right) and at_most(right, left)


def added(made: Counter[Any], left: Counter[Any], right: Counter[Any]) -> None:
    """Add amounts; those that are positive are kept."""
    for key, amount in left.items():
        total = amount + right[key]
        if total > 0:
            made[key] = total
    for key, amount in right.items():
        if key not in left and amount > 0:
            made[key] = amount


def subtracted(made: Counter[Any], left: Counter[Any], right: Counter[Any]) -> None:
    """Take amounts away; those that are positive are kept."""
    for key, amount in left.items():
        total = amount - right[key]
        if total > 0:
            made[key] = total
    for key, amount in right.items():
        if key not in left and amount < 0:
            made[key] = 0 - amount


def largest(made: Counter[Any], left: Counter[Any], right: Counter[Any]) -> None:
    """Keep the larger amount of each key, if it is positive."""
    for key, amount in left.items():
        total = max(amount, right[key])
        if total > 0:
            made[key] = total
    for key, amount in right.items():
        if key not in left and amount > 0:
            made[key] = amount


def smallest(made: Counter[Any], left: Counter[Any], right: Counter[Any]) -> None:
    """Keep the smaller amount of each key, if it is positive."""
    for key, amount in left.items():
        total = min(amount, right[key])
        if total > 0:
            made[key] = total


def at_most(left: Counter[Any], right: Counter[Any]) -> bool:
    """Tell whether no key occurs more often on the left."""
    mine = all(left[key] <= right[key] for key in left)
    return mine and all(left[key] <= right[key] for key in right)


def at_least(left: Counter[Any], right: Counter[Any]) -> bool:
    """Tell whether no key occurs more often on the right."""
    return at_most(right, left)


def less(left: Counter[Any], right: Counter[Any]) -> bool:
    """Tell whether no key occurs more often on the left, and one less."""
    return at_most(left, right) and not counted_alike(left, right)


def more(left: Counter[Any], right: Counter[Any]) -> bool:
    """Tell whether no key occurs more often on the right, and one less."""
    return less(right, left)


#: What operators of Counters do.
COUNTED: dict[Any, Callable[..., None]] = {
    operator.add: added,
    operator.sub: subtracted,
    operator.or_: largest,
    operator.and_: smallest,
}
ORDERS: dict[Any, Callable[..., bool]] = {
    operator.le: at_most,
    operator.ge: at_least,
    operator.lt: less,
    operator.gt: more,
}


def has_own(receiver: Any, name: str) -> bool:
    """Tell whether an object itself has an attribute."""
    return name in vars(receiver)
