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

from elichika.state.store import Note
from elichika.values.symbolic import Array, View, Window
from onnx_graph import Value, dtype_of

if TYPE_CHECKING:
    from elichika.state.context import AliasContext, StateContext

IsFresh = Callable[[Array], bool]
#: What the origins of a joined array held when it was up to date with them.
SOURCES: Note[list[Value]] = Note("sources")


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


def shown_by(origin: Origin) -> Array:
    """Return the array that an origin is, or that it is a view of."""
    return origin.base if isinstance(origin, Seen) else origin


def operands_of(origin: Origin) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of the operands that say what of an array an origin is."""
    return origin.dtypes if isinstance(origin, Seen) else ()


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


def remade(w: AliasContext, base: Array, window: Window, operands: tuple[Value, ...]) -> Array:
    """Return a view of `base` that selects alike, given these operands."""
    read, write = window.remake(operands)
    again = Window(window.key, operands, window.remake)
    made: Array = w.store.born(Array(w.store, View(base, read, write, again)))
    made.joined = True
    made.variables = 2
    return made


def rebuilt(w: StateContext, origin: Origin, leaves: Iterator[Value]) -> tuple[Value, Array]:
    """Return an origin behind a join, and the tag that tells whether an array is that one."""
    tag = next(leaves)
    if isinstance(origin, Array):
        return tag, origin
    return tag, joined_view(w, origin.base, origin.window, leaves)


def joined_view(w: StateContext, base: Array, window: Window, leaves: Iterator[Value]) -> Array:
    """Return a view behind a join, with its operands among the leaves."""
    made = remade(w, base, window, tuple(next(leaves) for _ in window.operands))
    made.guards = w.choices.guards
    return made


def origins_of(array: Array, fresh: IsFresh) -> dict[Any, Origin]:
    """Return the arrays that exist already and that a fresh array may be, by their keys."""
    found: dict[Any, Origin] = {}
    for member in _followed(array, fresh):
        for _, candidate in member.origins:
            origin = _existing(candidate, fresh)
            if origin is not None:
                found[key_of(origin)] = origin
    return found


def is_reference(array: Array, fresh: IsFresh | None = None) -> bool:
    """Tell whether an array surely is one of its origins, all of which exist already."""
    if fresh is None:
        return array.always
    return all(
        member.always and all(_is_followed(c, fresh) for _, c in member.origins)
        for member in _followed(array, fresh)
    )


def _followed(array: Array, fresh: IsFresh) -> list[Array]:
    """Return an array, and those of the fresh arrays that it may be which have origins."""
    found = {id(array): array}
    todo = [array]
    while todo:
        for _, candidate in todo.pop().origins:
            inner = _existing(candidate, fresh) is None and candidate.view is None
            if inner and candidate.origins and id(candidate) not in found:
                found[id(candidate)] = candidate
                todo.append(candidate)
    return list(found.values())


def _is_followed(candidate: Array, fresh: IsFresh) -> bool:
    inner = candidate.view is None and bool(candidate.origins)
    return inner or _existing(candidate, fresh) is not None


def _existing(candidate: Array, fresh: IsFresh) -> Origin | None:
    """Return an array as an origin: it exists already, or is a view of one that does."""
    if not fresh(candidate):
        return candidate
    window = window_of(candidate)
    if window is None or candidate.view is None or fresh(candidate.view.base):
        return None
    return Seen(candidate.view.base, window)


def told_apart(origins: Iterable[Origin]) -> Iterator[Origin]:
    """Yield arrays, in the place of each that surely is one of its origins, these origins."""
    for origin in origins:
        if isinstance(origin, Array) and is_reference(origin):
            yield from told_apart(candidate for _, candidate in origin.origins)
        else:
            yield origin


def memory_of(array: Array, fresh: IsFresh | None = None) -> Iterator[Array]:
    """Yield the roots whose memory an array may use.

    Args:
        array: The array.
        fresh: With it, what the array uses as one of its origins that exist already is left out.
    """
    seen: set[int] = set()
    todo = [array]
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        root = one.root
        yield root
        for _, candidate in root.origins:
            followed = fresh is not None and one.view is None and _exists(candidate, fresh)
            if not followed:
                todo.append(candidate)
        for shared in (*one.shares, *root.shares):
            yield shared.root


def _exists(array: Array, fresh: IsFresh) -> bool:
    """Tell whether an array exists already, or is a view of one that can be made anew."""
    if array.view is None or array.view.window is None:
        return not fresh(array)
    return not fresh(array) or not fresh(array.view.base)


def is_origin(w: AliasContext, array: Array, origin: Origin) -> tuple[Value, tuple[Value, ...]]:
    """Return a 0-d bool, whether `array` is `origin`, and the operands if that is a view."""
    found = _found(w, array, origin, {})
    if found is None:
        zeros = tuple(w.graph.constant(np.zeros((), dtype)) for dtype in operands_of(origin))
        return w.graph.constant(np.array(False)), zeros
    tag, selected = found
    return (w.graph.constant(np.array(tag)) if isinstance(tag, bool) else tag), selected


#: Whether something is so: surely, or as a 0-d bool of the graph says.
Truth = Value | bool
Found = tuple[Truth, tuple[Value, ...]]


def _found(
    w: AliasContext, array: Array, origin: Origin, memo: dict[int, Found | None]
) -> Found | None:
    """Return whether an array is `origin`, and the operands of the view; None if it cannot be."""
    if id(array) not in memo:
        memo[id(array)] = _looked_up(w, array, origin, memo)
    return memo[id(array)]


def _looked_up(
    w: AliasContext, array: Array, origin: Origin, memo: dict[int, Found | None]
) -> Found | None:
    if array is origin:
        return True, ()
    window = window_of(array)
    if isinstance(origin, Seen) and window is not None and array.view is not None:
        alike = key_of(Seen(array.view.base, window)) == key_of(origin)
        return (True, window.operands) if alike else None
    result: Found | None = None
    for tag, candidate in array.origins:
        inner = _found(w, candidate, origin, memo)
        if inner is None:
            continue
        met, operands = both(w, tag, inner[0]), inner[1]
        if result is not None:
            if not isinstance(met, bool):
                operands = tuple(map(w.graph.Where, [met] * len(operands), operands, result[1]))
            met = either(w, result[0], met)
        result = met, operands
    return result


def both(w: AliasContext, a: Truth, b: Truth) -> Truth:
    """Return the conjunction of two truths."""
    if a is False or b is False:
        return False
    if a is True or b is True:
        return b if a is True else a
    conjunction: Value = w.graph.And(a, b)
    return conjunction


def either(w: AliasContext, a: Truth, b: Truth) -> Truth:
    """Return the disjunction of two truths."""
    if a is True or b is True:
        return True
    if a is False or b is False:
        return b if a is False else a
    disjunction: Value = w.graph.Or(a, b)
    return disjunction


def _none_of(w: AliasContext, tags: Iterable[Truth]) -> Truth:
    result: Truth = False
    for tag in tags:
        result = either(w, result, tag)
    return (not result) if isinstance(result, bool) else w.graph.Not(result)


@dataclass(frozen=True)
class Possible:
    """An array that an array may be.

    Attributes:
        when: Whether it is that one.
        alone: Whether it is that one, and that one none of its own origins.
    """

    array: Array
    when: Truth
    alone: Truth


def named_by(w: AliasContext, array: Array) -> list[Possible]:
    """Return all arrays that an array may be, itself first; what the facts exclude is left out.

    An array comes after those that may be it, and each only once, however many ways lead to it.
    """
    when: dict[int, Truth] = {id(array): True}
    found: list[Possible] = []
    for member in _in_order(array):
        reached = when.get(id(member), False)
        if reached is False:
            continue
        tags = [_known(w, tag) for tag, _ in member.origins]
        for tag, (_, candidate) in zip(tags, member.origins, strict=True):
            way = both(w, reached, tag)
            when[id(candidate)] = either(w, when.get(id(candidate), False), way)
        alone: Truth = False
        if not member.always:
            alone = both(w, reached, _none_of(w, tags)) if tags else reached
        found.append(Possible(member, reached, alone))
    return found


def _known(w: AliasContext, tag: Value) -> Truth:
    truth = w.facts.of(tag)
    if truth is None and tag.const_value is not None:
        truth = bool(tag.const_value.numpy())
    return tag if truth is None else truth


def _in_order(array: Array) -> list[Array]:
    """Return an array and all that it may be, each before those that it may be itself."""
    done: dict[int, Array] = {}
    todo = [(array, False)]
    while todo:
        one, left = todo.pop()
        if id(one) in done:
            continue
        if left:
            done[id(one)] = one
            continue
        todo.append((one, True))
        todo += [(c, False) for _, c in one.origins if id(c) not in done]
    return list(done.values())[::-1]


def may_be_one(a: Array, b: Array) -> bool:
    """Tell whether two arrays, as none of their origins, may be one object in some way."""
    return (a.joined or b.joined) and bool(_own_memory(a) & _own_memory(b))


def _own_memory(array: Array) -> set[int]:
    """Return the roots whose memory an array may use where it is none of its origins."""
    root = array.root
    own = {id(root), *(id(shared.root) for shared in (*array.shares, *root.shares))}
    if array is not root:  # a view of any of what its base may be
        own.update(map(id, memory_of(root)))
    return own
