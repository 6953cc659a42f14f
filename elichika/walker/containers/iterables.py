"""What can be iterated: lists, rows of arrays, ranges, iterators and generators."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor, Staged
from elichika.iterators.over import Over
from elichika.program.raised import Raised
from elichika.values.functions import Closure, GeneratorCall
from elichika.values.kinds import alternatives_of
from elichika.values.symbolic import Array, Choice, Symbolic
from elichika.values.words import a_value
from elichika.walker.jumps import Jumps
from elichika.walker.kinds import builtin_kind, kind_of
from elichika.walker.native.held import gives_once, require_unheld, rest_of
from elichika.walker.walk import Walk

#: Modules of classes whose lengths are Python's own, or ours.
_NEVER = frozenset({"builtins", "numpy", "collections", "chainer.variable", idioms.queues.__name__})
#: What gives its items by their numbers, as often as it is asked.
NUMBERED = (list, tuple, range, str, np.ndarray, chainer.Variable, chainer.Parameter)


class Iterables:
    """The part of the walker that knows what a loop runs over, and what `next` takes."""

    def __init__(self, w: Walk, jumps: Jumps) -> None:
        self.w = w
        self.jumps = jumps
        self._entered: Any = None

    @property
    def open_arms(self) -> int:
        """In how many arms the walk goes on because the program catches what may be raised."""
        return len(self.jumps.open)

    def iterate(self, value: Any) -> Staged:
        """Return what a loop runs over."""
        value = self.w.narrow(value)
        return kind_of(value).iterate(self.w, value)

    def container_iterate(self, value: Any) -> Staged:
        """Return what a loop runs over, past the `__iter__` of a class that extends a type."""
        return builtin_kind(value).iterate(self.w, value)

    def own_iter(self, value: Any) -> Any:
        """Return the `__iter__` that an object of the program has, or None."""
        if isinstance(value, (Symbolic, Cursor, GeneratorCall)):
            return None
        if isinstance(value, (list, tuple, dict, set, str)):
            return self.w.overriding(value, "__iter__")
        if isinstance(value, chainer.Variable):
            return None
        method = self.w.special(value, "__iter__")
        if method is None and self.w.has_source(self.w.special(value, "__getitem__")):
            return idioms.iterators.by_index  # `__len__` is not asked
        return method if method is not None and self.w.has_source(method) else None

    def generates(self, value: Any) -> bool:
        """Tell whether an object of the program has an `__iter__` that is a generator."""
        match self.own_iter(value):
            case types.FunctionType() as method:
                return inspect.isgeneratorfunction(method)
            case Closure() as method:
                return method.program.is_generator
        return False

    def require_numbered(self, value: Any) -> None:
        """Refuse what a `for` that is left and entered again may not go through by numbers.

        Such loops are around recursive calls, and around a `yield` at which a generator waits.
        """
        value = self.w.narrow(value)
        for one in alternatives_of(value):
            cls = self.w.type_of(one)
            if cls not in NUMBERED:
                self.w.refuse(
                    f"a recursive call, or a `yield` at which a generator waits, "
                    f"stands in a loop over {a_value(one)}",
                    "loop over a list or an array, over `range(...)`, or over `items()` of a dict",
                )

    def opened(self, value: Any, *, by_loop: bool = False) -> Any:
        """Return what `iter` gives for an object of the program, anything else as it is.

        Args:
            value: The object.
            by_loop: A `for` goes through it.  What makes a list also asks how many items there are.
        """
        value = self.w.narrow(value)
        if not by_loop or idioms.is_one_of_these(self.w.frames[-1].globals):
            for one in alternatives_of(value):
                self._require_quiet_length(one)
        if value is self._entered and value is not None:
            self._entered = None
            return value
        if type(value) is Choice and any(map(self._is_opened, value.alternatives)):
            return self.w.choices.apply(value, self.opened)
        method = self.own_iter(value)
        if method is None:
            require_unheld(self.w, value)
            if self.is_iterator(value) and self.w.special(value, "__iter__") is None:
                kind = self.w.type_of(value).__name__
                self.w.raise_static(TypeError(f"'{kind}' object is not iterable"))
            return self.once(value)
        made = self.w.narrow(self.w.call(method, [value], {}))
        if isinstance(made, (list, tuple, dict, set, str, Array, np.ndarray)):
            kind = self.w.type_of(made).__name__
            self.w.raise_static(TypeError(f"iter() returned non-iterator of type '{kind}'"))
        return made

    def once(self, value: Any) -> Any:
        """Return what stands for an iterator that is not of the program, anything else as it is."""
        if not gives_once(self.w, value):
            return value
        rest = rest_of(self.w, value)
        if rest is None:
            items = tuple(self.w.items(self.w.native(list, [value], {})))
            rest = Over(builtin_kind(items).iterate(self.w, items), items)
            vars(rest)["position"] = 0
            self.w.store.lasting[id(value)] = value, rest
        return rest

    def _require_quiet_length(self, value: Any) -> None:
        """Refuse an object of the program that acts, or raises, where it is asked for its length.

        `list`, `sorted`, `f(*v)` and others ask, but not all that go through it.
        """
        if type(value) in NUMBERED or self.w.type_of(value).__module__ in _NEVER:
            return
        for name in ("__len__", "__length_hint__"):
            method = self.w.special(value, name)
            if method is None or not self.w.has_source(method):
                continue
            mark, arms = self.w.store.mark(), self.open_arms
            try:
                self.w.call(method, [value], {})
                acted = self.w.has_acted(mark) or self.open_arms > arms
            except Raised:
                acted = True
            if acted:
                self.w.refuse(
                    f"`{name}` of this object changes something or may raise: what makes a list of "
                    "its items calls it first",
                    "go through it in a loop, or in `[v for v in it]`",
                )

    def _is_opened(self, value: Any) -> bool:
        """Tell whether a value is an iterator of the program that has an `__iter__` of its own."""
        return self.is_iterator(value) and self.own_iter(value) is not None

    @contextmanager
    def entering(self, iterator: Any) -> Iterator[None]:
        """Let the next loop over an iterator of the program not call its `__iter__` once more."""
        before, self._entered = self._entered, iterator
        try:
            yield
        finally:
            self._entered = before

    def is_iterator(self, value: Any) -> bool:
        """Tell whether a value is an object whose class defines `__next__` in Python."""
        method = None if isinstance(value, Cursor) else self.w.special(value, "__next__")
        return method is not None and self.w.has_source(method)

    def advanced(self, iterator: Any) -> tuple[bool, Any]:
        """Call `__next__`; return whether the iterator has ended, and the item."""
        step = self.w.special(iterator, "__next__")
        ended, item = self.jumps.catching(
            (StopIteration,),
            lambda: (False, self.w.call(step, [iterator], {})),
            lambda error: (True, None),
        )
        return ended, item
