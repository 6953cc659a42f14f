"""Who shares memory with whom, where that is not followed: such writes are refused."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import chainer
import numpy as np

from elichika.iterators.base import Cursor, DictView, InstanceDict, Staged
from elichika.state.aliases import Origin, Seen, memory_of, window_of
from elichika.values.functions import BoundMethod, Closure, Frame, GeneratorCall
from elichika.values.symbolic import Array, Choice, Seq, Spread, Var
from elichika.walker.core import PLAIN
from elichika.walker.plan import HeldInList
from elichika.walker.walk import Walk


class Sharing:
    """The part of the walker that knows which arrays may share memory."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._sharers: dict[int, list[Array]] = {}
        self._unsure: dict[int, str] = {}
        self.frozen: dict[int, Array] = {}
        self._outdated: dict[int, Array] = {}

    def share(self, array: Array, *others: Array) -> Array:
        """Note that `array` may share memory with others in a way that is not tracked.

        What these may share memory with is noted as well, so that `shares` is all of it.
        """
        roots = {id(root): root for other in others for root in memory_of(other)}
        for known in (array.root, *array.shares):
            roots.pop(id(known), None)
        array.shares = (*array.shares, *roots.values())
        for root in roots.values():
            self._sharers.setdefault(id(root), []).append(array)
        return array

    def may_be(self, array: Array, *others: Array) -> Array:
        """Note that `array` may even be one of others, or share memory with them."""
        self.share(array, *others)
        array.joined = True
        return array

    def share_all(self, made: Any, given: Any, lowering: str) -> None:
        """Note that what a lowering gave may be, or show, any array that it was given.

        Args:
            made: What it gave: arrays, or structures of them.
            given: What it was given.
            lowering: What it stands for, as a user knows it.
        """
        others = list(self._arrays_in(given))
        for array in self._arrays_in(made):
            root = array.root
            if all(root is not other.root for other in others):
                self.may_be(root, *others)
                self._unsure[id(root)] = lowering
                others.append(root)

    def _arrays_in(self, value: Any) -> Iterator[Array]:
        """Yield the arrays that are held by a value, or by what it holds."""
        seen: set[int] = set()
        for item in self._held_by([value], seen):
            if isinstance(item, Array):
                yield item
            elif isinstance(item, np.ndarray) and type(item) in (np.ndarray, np.memmap):
                yield self.w.as_array(item)
            elif isinstance(item, chainer.Variable) and self.w.is_static_variable(item):
                yield self.w.as_var(item).array

    def refuse_in_list(self, array: Array) -> None:
        """Refuse a write to an array that a list of dynamic length holds a copy of."""
        if self.in_list(array):
            raise HeldInList(
                "this write changes an array that a list of dynamic length or a dict with keys of "
                "the run holds",
                self.w.here(),
                "put a copy in: `l.append(a.copy())`; write `d[k] = d[k] + a`, not `d[k] += a`",
            )

    def require_tracked(self, array: Array) -> None:
        """Refuse a write that another array in use may see.

        Raises:
            StagingError: There is one.
        """
        root = array.root
        self.refuse_in_list(array)
        if not array.writable and array.view is None:
            self._refuse_unwritable(array)
        if array.where is not None:
            self.w.refuse(
                "this write goes through a view that was made before the model runs",
                "copy the array first",
            )
        suspects = self._suspects(root)
        for other in suspects:
            self.refuse_in_list(other)
        if suspects:
            living = self._living()
            for other in suspects:
                if id(other) in living or (other.source is not None and other.where is None):
                    self._refuse_shared(root, other)
                self._outdated[id(other)] = other

    def require_present(self, array: Array) -> None:
        """Refuse to read an array that may share memory with one that was written since.

        No name held it then: what did is the tape, a list that is being made, an exception.
        """
        if id(array) in self._outdated:
            self.w.refuse(
                "this reads an array that may share memory with one that was written since",
                "copy it before the write: `y.copy()`, `y * 1` of a Variable; or take gradients "
                "before the write",
            )

    def _refuse_unwritable(self, array: Array) -> NoReturn:
        if array.joined:
            self.w.refuse(
                "whether numpy lets the program write to this array is known only when the model "
                "runs",
                "write to a copy: `y = y.copy()` before the change",
            )
        self.w.raise_static(ValueError("assignment destination is read-only"))

    def _suspects(self, root: Array) -> list[Array]:
        """Return what may share memory with the owner of some: in both directions."""
        found: dict[int, Array] = {}
        for owner in (root, *root.shares):
            found[id(owner)] = owner
            found |= {id(other): other for other in self._sharers.get(id(owner), ())}
        found.pop(id(root), None)
        return list(found.values())

    def _refuse_shared(self, root: Array, other: Array) -> NoReturn:
        unsure = self._unsure.get(id(root)) or self._unsure.get(id(other))
        self.w.refuse(
            "this write changes an array that may share memory with another one in use",
            "write to a copy: `y = y.copy()` before the change"
            if unsure is None
            else f"write to a copy, or say that the results of `{unsure}` are always new: "
            f"`@elichika.lowers({unsure}, fresh=True)`",
        )

    def reachable(self, without: Any = None) -> set[int]:
        """Return the ids of all objects that the program reaches by the names of its functions.

        Args:
            without: An object; what is reached through it only is left out.
        """
        seen: set[int] = set() if without is None else {id(without)}
        values = [
            self.w.store.get(frame, n) for frame in self.w.frames for n in self.w.store.slots(frame)
        ]
        outside = [owner for owner, _ in self.w.store.written()]
        for _ in self._held_by([*self.w.roots, *values, *outside], seen):
            pass
        return seen

    def _living(self) -> set[int]:
        """Return the ids of all objects that the program can still reach, or is about to use."""
        seen = self.reachable()
        for _ in self._held_by([*self.w.pending, *self.w.returned], seen):
            pass
        return seen

    def in_use(self) -> Iterator[Any]:
        """Yield all objects that the program can still reach, or is about to use."""
        values = [
            self.w.store.get(frame, n) for frame in self.w.frames for n in self.w.store.slots(frame)
        ]
        outside = [owner for owner, _ in self.w.store.written()]
        about = [*self.w.pending, *self.w.returned]
        return self._held_by([*self.w.roots, *values, *outside, *about], set())

    def may_share(self, root: Array) -> bool:
        """Tell whether another array may share memory with the owner of some."""
        return bool(self._suspects(root))

    def _held_by(self, values: Iterable[Any], seen: set[int]) -> Iterator[Any]:
        """Yield values and what they hold, each once."""
        todo = list(values)
        while todo:
            value = todo.pop()
            if type(value) in PLAIN or id(value) in seen or isinstance(value, str):
                continue
            seen.add(id(value))
            yield value
            todo.extend(self._parts(value))
            if not self.w.arenas.holds(value):
                todo.extend(self.w.store.get(value, slot) for slot in self.w.store.slots(value))

    def _parts(self, value: Any) -> Iterable[Any]:
        """Return what a value holds by itself, apart from the store."""
        if isinstance(value, Array):
            return [value.root, *(origin for _, origin in value.origins)]
        if isinstance(value, Closure):
            return [*value.defaults, *value.kw_defaults.values(), *self._in_names(value.frame)]
        for kind, parts in _PARTS.items():
            if isinstance(value, kind):
                return parts(value)
        return ()

    def _in_names(self, frame: Frame | None) -> Iterator[Any]:
        while frame is not None:
            yield from (self.w.store.get(frame, name) for name in self.w.store.slots(frame))
            frame = frame.parent

    def freeze(self, array: Array) -> None:
        """Forbid writes to an array that a list of dynamic length holds a copy of.

        A chosen array is one of several: none of them may change.
        """
        for root in memory_of(array):
            self.frozen[id(root)] = root

    def in_list(self, array: Array) -> bool:
        """Tell whether a list of dynamic length holds a copy of this array, or of its memory."""
        return array.frozen or array.root.frozen or id(array.root) in self.frozen

    def lasting(self, origin: Origin) -> Origin | None:
        """Return how an element of a list names the array that it is, or None if it cannot.

        The array, or what it is a view of, was made outside all loops and branches.
        """
        if not self.w.plan.keeps_identity:
            return None
        if isinstance(origin, Seen):
            return origin if self._is_outside(origin.base) else None
        if origin.where is None and self._is_outside(origin):
            return origin
        window = window_of(origin)
        if origin.view is None or window is None or not self._is_outside(origin.view.base):
            return None
        return Seen(origin.view.base, window)

    def _is_outside(self, array: Array) -> bool:
        return not self.w.regions() or not self.w.store.is_fresh(array, self.w.regions()[0][0])


def _inside(function: types.FunctionType) -> list[Any]:
    """Return what a function of ours goes back to."""
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    return [*cells, *(function.__defaults__ or ())]


#: What values hold; containers past the methods of the program's own classes.
_PARTS: dict[type, Any] = {
    Seq: lambda value: value.element.arrays_held,
    Var: lambda value: [value.array, value.node],
    Choice: lambda value: value.alternatives,
    Spread: lambda value: [value.items],
    tuple: tuple.__iter__,
    list: list.__iter__,
    dict: lambda value: [*dict.keys(value), *dict.values(value)],
    DictView: lambda value: [value.mapping],
    InstanceDict: lambda value: [value.obj],
    functools.partial: lambda value: [value.func, *value.args, *value.keywords.values()],
    BoundMethod: lambda value: [value.receiver, value.function],
    types.MethodType: lambda value: [value.__self__, value.__func__],
    GeneratorCall: lambda value: [value.function, *value.args, *value.kwargs.values()],
    Cursor: lambda value: [*vars(value).values()],
    Staged: lambda value: [value.length, value.item, value.current],
    types.FunctionType: _inside,
}
