"""Generators, iterators, ranges and views of dicts: what the program is told of them."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any

from elichika.iterators.base import Cursor, DictView, SymbolicRange
from elichika.iterators.told import AnyIterator
from elichika.state.store import MISSING
from elichika.values.functions import BoundMethod, GeneratorCall
from elichika.values.words import a_or_an
from elichika.walker.walk import Walk

#: What is an iterable of Python in the program, and something of ours in the compiler.
ITERABLES = (Cursor, GeneratorCall, SymbolicRange, DictView)

#: How the methods by which Python iterates are walked.
_WALKED: dict[str, Callable[..., Any]] = {"__iter__": builtins.iter, "__next__": builtins.next}


def attribute_of(w: Walk, obj: Any, real: type, name: str, default: Any) -> Any:
    """Return an attribute of one of `ITERABLES`.

    Args:
        w: The walker.
        obj: What stands for the iterable.
        real: The type that it has in the program.
        name: The attribute.
        default: What to return where there is none, or `MISSING`.

    Raises:
        Raised: An AttributeError: there is none, and no default.
        StagingError: There is one that is not followed.
    """
    kind = "iterator" if real is AnyIterator else real.__name__
    if not hasattr(real, name):
        if default is not MISSING:
            return default
        w.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"))
    if isinstance(obj, SymbolicRange) and name in ("start", "stop", "step"):
        return getattr(obj, name)
    if isinstance(obj, DictView) and hasattr(tuple, name):
        return w.get_attribute(tuple(w.view_items(obj)), name, default)
    if name in _WALKED and isinstance(obj, (Cursor, GeneratorCall)):
        return BoundMethod(_WALKED[name], obj)
    w.refuse(
        f"`{name}` of {a_or_an(kind)} is not compiled", "loop over it, or make a list of it first"
    )


def type_of_iterable(value: Any) -> type | None:
    """Return the type that a generator or an iterator has in the program; None of others."""
    if isinstance(value, GeneratorCall):
        return types.GeneratorType
    return AnyIterator if isinstance(value, Cursor) else None
