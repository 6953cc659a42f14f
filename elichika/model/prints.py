"""What a model that was compiled with `debug=True` prints once it has run."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import chainer

from elichika.signature import OutputSignature

__all__ = ["PRINTS_KEY", "Prints"]

PRINTS_KEY = "elichika.prints"
UNKNOWN = "…"
"""Stands for what the model does not give."""


def _filled(template: str, *values: Any) -> str:
    return template % (values[0] if len(values) == 1 and type(values[0]) is dict else values)


#: What makes a text, or a container, of its parts.
MADE: dict[str, Callable[..., Any]] = {
    "%": _filled,
    "dict": lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)),
    "format": format,
    "join": lambda *parts: "".join(parts),
    "list": lambda *parts: list(parts),
    "none": lambda: None,
    "repr": repr,
    "str": str,
    "str.format": str.format,
    "tuple": lambda *parts: parts,
    "tuple of": tuple,
    "variable": chainer.Variable,
}


class Prints:
    """The further outputs of a model that prints, and what is done with them."""

    def __init__(self, metadata: Mapping[str, str]) -> None:
        told = json.loads(metadata.get(PRINTS_KEY, "null"))
        self._outputs = None if told is None else OutputSignature.from_json(told["outputs"])
        self._places: list[dict[str, Any]] = [] if told is None else told["places"]

    def show(self, values: Sequence[Any]) -> None:
        """Print and log what these outputs hold, in the order of the program."""
        if self._outputs is None:
            return
        order, *lists = self._outputs.rebuild(values)["printed"]
        given = [iter(rows) for rows in lists]
        for number in order:
            place = self._places[number]
            row = next(given[number]) if _holds_values(place["parts"]) else ()
            _show(place, [_made(part, row) for part in place["parts"]])


def _holds_values(parts: Any) -> bool:
    """Tell whether something that is printed holds values of the run."""
    match parts:
        case {"value": _}:
            return True
        case {"of": inside}:
            return _holds_values(inside)
        case list():
            return any(map(_holds_values, parts))
    return False


def _made(part: Any, row: Sequence[Any]) -> Any:
    match part:
        case {"value": number}:
            return row[number]
        case {"call": name, "of": parts}:
            return _called(name, [_made(one, row) for one in parts])
    return part


def _called(name: str, parts: list[Any]) -> Any:
    try:
        return MADE[name](*parts)
    except (TypeError, ValueError):
        if UNKNOWN not in [one for one in parts if type(one) is str]:
            raise
        return UNKNOWN


def _show(place: Mapping[str, Any], values: list[Any]) -> None:
    match place:
        case {"log": name, "level": level}:
            logging.getLogger(name).log(level, *values)
        case {"print": where, **options}:
            known = {name: one for name, one in options.items() if name != "parts"}
            print(*values, file=getattr(sys, where), **known)
