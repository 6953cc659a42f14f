"""What dicts and sets do with as many keys as are known only when the model runs."""

from __future__ import annotations

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
