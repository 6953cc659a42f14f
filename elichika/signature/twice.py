"""Which lists and dicts of a call are one object that stands at two places.

rows=[d, d]     `rows[0]` and `rows[1]` are one dict
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from elichika.values.words import a_or_an

__all__ = ["what_is_twice"]

_LEAVES = (bool, int, float, str)


def what_is_twice(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Say which lists and dicts stand twice in the arguments of a call, which are by parameter.

    Returns:
        By class, a message about one of it, for where the program can tell.
    """
    places: dict[int, str] = {}
    found: dict[str, str] = {}
    for name, argument in arguments.items():
        for where, value in _held(argument, name):
            first, kind = places.setdefault(id(value), where), type(value).__name__
            if first != where:
                text = (
                    f"`{first}` and `{where}` are one {kind}, and the program can tell: it writes "
                    f"to {a_or_an(kind)} of the inputs, asks whether two are one, or copies two "
                    "with `deepcopy`."
                )
                found.setdefault(kind, text)
    return found


def _held(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the lists and dicts that a value is or holds, and where each is."""
    match value:
        case dict():
            yield where, value
            for key, part in value.items():
                yield from _held(part, f"{where}[{key!r}]")
        case list() | tuple():
            fields = getattr(type(value), "_fields", None)
            if type(value) is list:
                yield where, value
            for number, part in enumerate(value):
                if type(part) not in _LEAVES:  # a list of many numbers
                    step = f"[{number}]" if fields is None else f".{fields[number]}"
                    yield from _held(part, where + step)
