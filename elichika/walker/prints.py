"""What the program prints and logs of values of the run, where the model is to print it too.

Each place that prints has a list of what it prints, to which each turn adds; and one list more has
the places in the order in which they print.  Branches and loops join these lists like any others,
and in the end they are outputs.  The words around the values are known, and go into the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

from elichika.values.kinds import is_number
from elichika.values.symbolic import Array, Choice, DynamicTuple, Scalar, Text, Var
from elichika.walker.walk import Walk

__all__ = ["Prints"]


@dataclass(frozen=True)
class Held:
    """A value of the run within what is printed, as it was then."""

    value: Any


@dataclass(eq=False)
class Printing:
    """A place that prints.

    Attributes:
        number: Which one.
        values: A list of what it prints each time: a tuple of values of the run.
        how: What is done with them.
    """

    number: int
    values: list[Any]
    how: dict[str, Any]


class Prints:
    """The part of the walker that follows what the program prints."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self.enabled = False
        self.order: list[Any] = w.store.always([])
        self.places: dict[Any, Printing] = {}

    def made(self, function: str, *args: Any) -> Any:
        """Return how a text is made, of what the values are now; None where nobody prints."""
        return (function, [self.kept(arg) for arg in args]) if self.enabled else None

    def printed(self, how: dict[str, Any], args: list[Any]) -> None:
        """Print some values here."""
        values: list[Any] = []
        texts = [self._message(arg) if "print" in how else arg for arg in args]
        parts = [_told(self.kept(text), values) for text in texts]
        how = {**how, "parts": parts}
        new = Printing(len(self.places), self.w.store.always([]), how)
        # one place is walked more than once, for each of several objects, with other words
        site = (*map(id, self.w.node_stack), json.dumps(how))
        place = self.places.setdefault(site, new)
        if values:
            self.w.append(place.values, tuple(values))
        self.w.append(self.order, place.number)

    def kept(self, value: Any) -> Any:
        """Return what of a value is printed, which changes no more: texts, and what is `Held`."""
        value = self.w.tables.keys.narrowed(value)
        if type(value) is Choice:
            return Held(value) if all(map(_is_shown, value.alternatives)) else Text.SHOWN
        for kinds, keep in KEPT:
            if isinstance(value, kinds):
                return keep(self, value) if _is_told(value) else Text.SHOWN
        return Held(value) if is_number(value) else Text.SHOWN

    def _message(self, value: Any) -> Any:
        """Return what an exception says, other things as they are."""
        value = self.w.narrow(value)
        return self.w.call(str, [value], {}) if isinstance(value, BaseException) else value

    def _text(self, value: Text) -> Any:
        return Text.SHOWN if value.made is None else value.made

    def _array(self, value: Any) -> Any:
        return Held(self.w.new_array(self.w.value_of(value)))

    def _variable(self, value: Any) -> Any:
        return "variable", [self._array(value)]

    def _tuple(self, value: Any) -> Any:
        return "tuple", list(map(self.kept, value))

    def _list(self, value: Any) -> Any:
        if self.w.is_dynamic(value):
            held = Held(self.w.call(list, [value], {}))
            return ("tuple of", [held]) if type(value) is DynamicTuple else held
        return "list", list(map(self.kept, self.w.items(value)))

    def _dict(self, value: Any) -> Any:
        if self.w.tables.opened(value) is not None:
            return Held(self.w.call(dict, [value], {}))
        items = self.w.sure_items(value)
        return "dict", [self.kept(one) for item in items.items() for one in item]


KEPT: tuple[tuple[Any, Callable[[Prints, Any], Any]], ...] = (
    (str, lambda _, value: value),
    (Text, Prints._text),
    (type(None), lambda _, value: ("none", [])),
    ((Var, chainer.Variable), Prints._variable),
    ((Array, np.ndarray), Prints._array),
    (tuple, Prints._tuple),
    ((list, DynamicTuple), Prints._list),
    (dict, Prints._dict),
)


def _is_told(value: Any) -> bool:
    """Tell whether a value has the text of its built-in type: a named tuple, for one, has not."""
    kind: Any = type(value)
    base: Any = next((one for one in (tuple, list, dict) if issubclass(kind, one)), None)
    return base is None or (kind.__repr__ is base.__repr__ and kind.__str__ is base.__str__)


def _is_shown(value: Any) -> bool:
    """Tell whether one of several values is a text, a number, or None."""
    return type(value) in (type(None), str, Scalar, int, float, bool)


def _told(kept: Any, values: list[Any]) -> Any:
    """Return something as data, with the numbers of the values in it."""
    match kept:
        case Held(value):
            values.append(value)
            return {"value": len(values) - 1}
        case (function, parts):
            return {"call": function, "of": [_told(part, values) for part in parts]}
    return kept
