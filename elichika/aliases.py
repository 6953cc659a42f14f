"""Which arrays an array may be, and with which it may share memory.

A joined array keeps, for each array that it may be (an *origin*), a tag that tells whether it is
that one.  An origin is an array that exists already, or a view of one that is made anew from its
operands.  What is not followed that way is *sharing*: a write is then refused while the other array
can be reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.values import Array, View, Window
from onnx_graph import Value, dtype_of

if TYPE_CHECKING:
    from elichika.walker.core import Core

IsFresh = Callable[[Array], bool]


@dataclass(frozen=True, eq=False)
class Seen:
    """A view of an array that exists, whatever its operands are.

    Attributes:
        dtypes: Those of the operands, which are 0-d.
    """

    base: Array
    window: Window

    @property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """The dtypes of the operands, which are 0-d."""
        return tuple(dtype_of(operand) for operand in self.window.operands)


Origin = Array | Seen


def key_of(origin: Origin) -> Any:
    """Return what tells one origin from another."""
    if isinstance(origin, Seen):
        return id(origin.base), origin.window.key, origin.dtypes
    return id(origin)


def united(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """Return origins without repetition; arrays that are views alike become one view."""
    found = {key_of(origin): origin for origin in origins}
    seen = {key: _seen(origin) for key, origin in found.items()}
    times = Counter(key_of(view) for view in seen.values() if view is not None)
    alike = {key: view for key, view in seen.items() if view and times[key_of(view)] > 1}
    chosen = [alike.get(key) or origin for key, origin in found.items()]
    return tuple({key_of(origin): origin for origin in chosen}.values())


def _seen(origin: Origin) -> Seen | None:
    """Return an origin as a view of its base, None if it is none that can be made anew."""
    if isinstance(origin, Seen):
        return origin
    window = window_of(origin)
    return None if origin.view is None or window is None else Seen(origin.view.base, window)


def window_of(array: Array) -> Window | None:
    """Return what a view selects, if it can be made anew elsewhere."""
    return None if array.view is None else array.view.window


def remade(w: Core, base: Array, window: Window, operands: tuple[Value, ...]) -> Array:
    """Return a view of `base` that selects alike, given these operands."""
    read, write = window.remake(operands)
    again = Window(window.key, operands, window.remake)
    made: Array = w.store.born(Array(w.store, View(base, read, write, again)))
    made.joined = True
    return made


def origins_of(array: Array, fresh: IsFresh) -> dict[Any, Origin]:
    """Return the arrays that exist already and that a fresh array may be, by their keys."""
    found: dict[Any, Origin] = {}
    for _, candidate in array.origins:
        window = window_of(candidate)
        if not fresh(candidate):
            found[key_of(candidate)] = candidate
        elif window is not None and candidate.view and not fresh(candidate.view.base):
            seen = Seen(candidate.view.base, window)
            found[key_of(seen)] = seen
        elif candidate.view is None:
            found |= origins_of(candidate, fresh)
    return found


def memory_of(array: Array, fresh: IsFresh | None = None) -> Iterator[Array]:
    """Yield the roots whose memory an array may use.

    Args:
        array: The array.
        fresh: With it, what the array uses as one of its origins that exist already is left out.
    """
    root = array.root
    yield root
    for _, candidate in root.origins:
        followed = fresh is not None and array.view is None and _exists(candidate, fresh)
        if not followed:
            yield from memory_of(candidate, fresh)
    for shared in (*array.shares, *root.shares):
        yield shared.root


def _exists(array: Array, fresh: IsFresh) -> bool:
    """Tell whether an array exists already, or is a view of one that can be made anew."""
    if array.view is None or array.view.window is None:
        return not fresh(array)
    return not fresh(array) or not fresh(array.view.base)


def is_origin(w: Core, array: Array, origin: Origin) -> tuple[Value, tuple[Value, ...]]:
    """Return a 0-d bool, whether `array` is `origin`, and the operands if that is a view."""
    found = list(_paths(w, array, origin))
    if not found:
        operands = origin.dtypes if isinstance(origin, Seen) else ()
        zeros = tuple(w.graph.constant(np.zeros((), dtype)) for dtype in operands)
        return w.graph.constant(np.array(False)), zeros
    tag, operands_ = found[0]
    for other, others in found[1:]:
        operands_ = tuple(map(w.graph.Where, [other] * len(others), others, operands_))
        tag = w.graph.Or(tag, other)
    return tag, operands_


def _paths(w: Core, array: Array, origin: Origin) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    true = w.graph.constant(np.array(True))
    if array is origin:
        yield true, ()
        return
    window = window_of(array)
    if isinstance(origin, Seen) and window is not None and array.view is not None:
        if key_of(Seen(array.view.base, window)) == key_of(origin):
            yield true, window.operands
        return
    for tag, candidate in array.origins:
        for inner, operands in _paths(w, candidate, origin):
            yield (tag if inner is true else w.graph.And(tag, inner)), operands


def may_be_one(a: Array, b: Array) -> bool:
    """Tell whether two arrays may be one object in a way that is not followed."""
    return (a.joined or b.joined) and bool({*memory_of(a)} & {*memory_of(b)})
