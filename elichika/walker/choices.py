"""Choices: one of several values told apart by a tag, and operations that dispatch on it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins import (
    ChoiceType,
    Joiner,
    Memo,
    Static,
    Type,
    TypeReader,
)
from elichika.state.store import Mark
from elichika.values.symbolic import PYTHON_DTYPES, UNSET, Array, Choice, Path, Scalar, Var
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.walker.walk import Walk


class Choices:
    """Operations on choices within one walk."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._path: Path = ()

    def tag_is(self, choice: Choice, index: int) -> Value:
        """Return a 0-d bool: whether the alternative `index` is the one."""
        return self._is_one(choice.tag, index, len(choice.alternatives))

    def _is_one(self, tag: Value, index: int, count: int) -> Value:
        g = self.w.graph
        if count == 2:
            return tag if index == 0 else g.Not(tag)
        return g.Equal(tag, g.constant(np.array(index, np.int64)))

    def decided(self, choice: Choice) -> int | None:
        """Return the index of the alternative that the facts leave, or None."""
        return self._known(choice.tag, len(choice.alternatives))

    def left(self, choice: Choice) -> list[int]:
        """Return the indices of the alternatives that the facts do not exclude."""
        indices = range(len(choice.alternatives))
        return [index for index in indices if not self.w.facts.excludes(choice.tag, index)]

    def narrow(self, value: Any) -> Any:
        """Return the alternative of a choice that the present facts leave, if they leave one."""
        while type(value) is Choice:
            index = self.decided(value)
            if index is None:
                return value
            value = value.alternatives[index]
        return value

    def _known(self, tag: Value, count: int) -> int | None:
        if count == 2:
            truth = self.w.facts.of(tag)
            return None if truth is None else (0 if truth else 1)
        return self.w.facts.index_of(tag, count)

    # -- views that only a choice holds ---------------------------------------------------------

    @contextmanager
    def under(self, tag: Value, index: int, count: int) -> Iterator[None]:
        """Build the alternative `index` of a choice of so many within the block."""
        before = self._path
        self._path = (*before, (tag, index, count))
        try:
            yield
        finally:
            self._path = before

    @property
    def guards(self) -> tuple[Path, ...]:
        """What an array that is built now is guarded by (see `Array.guards`)."""
        return (self._path,) if self._path else ()

    def also_held(self, type_: Type, memo: Memo) -> None:
        """Note that something held here is an object that was built before."""
        todo: list[Any] = [type_]
        while todo:
            part = todo.pop()
            for view in part.views_built(memo) if getattr(part, "ident", None) in memo else ():
                if view.guards:
                    view.guards = (*view.guards, self._path) if self._path else ()
            todo += part.parts

    def guard_of(self, array: Array) -> Value | None:
        """Return a 0-d bool, whether any choice holds an array; None if that is known."""
        g, result = self.w.graph, None
        for path in array.guards:
            known = [self._known(tag, count) for tag, _, count in path]
            left = [step for step, found in zip(path, known, strict=True) if found is None]
            if any(found not in (None, step[1]) for found, step in zip(known, path, strict=True)):
                continue
            if not left:
                return None
            held = functools.reduce(g.And, [self._is_one(*step) for step in left])
            result = held if result is None else g.Or(result, held)
        return result

    def without(self, choice: Choice, index: int) -> Any:
        """Return the choice given that it is not the alternative `index`."""
        rest = tuple(a for i, a in enumerate(choice.alternatives) if i != index)
        if len(rest) == 1:
            return rest[0]
        g = self.w.graph
        if len(rest) == 2:
            first = 0 if index != 0 else 1
            return Choice(g.Equal(choice.tag, g.constant(np.array(first, np.int64))), rest)
        above = g.Greater(choice.tag, g.constant(np.array(index, np.int64)))
        shift = g.Cast(above, to=np.dtype(np.int64))
        return Choice(g.Sub(choice.tag, shift), rest)

    def tested(self, value: Any) -> Any:
        """Return a value without the alternatives that the facts exclude, for where they do not."""
        value = self.narrow(value)
        if type(value) is not Choice:
            return value
        left, made = self.left(value), value
        for index in range(len(value.alternatives))[::-1]:
            made = made if index in left else self.without(made, index)
        return made

    def apply(self, choice: Any, operation: Callable[[Any], Any]) -> Any:
        """Do `operation` on the alternative that is the one, in a branch for each."""
        w = self.w
        held = w.narrow(choice)
        if type(held) is not Choice:
            return operation(held)
        index = self.left(held)[0]
        return w.branch(
            w.scalar(bool, self.tag_is(held, index)),
            lambda: operation(held.alternatives[index]),
            lambda: self.apply(held, operation),
        )

    def alternative_of(self, type_: ChoiceType, value: Any) -> int:
        """Return the alternative of a joined type that holds a value."""
        slots = type_.alternatives

        def first(test: Callable[[Type], bool]) -> int | None:
            return next((index for index, slot in enumerate(slots) if test(slot)), None)

        found = first(lambda slot: slot.is_value(value))
        if found is None:
            found = first(lambda slot: slot.is_of(self.w, value))
        if found is not None:
            return found
        mine = TypeReader(self.w, Mark(0, 0)).of(value)
        if mine in slots:
            return slots.index(mine)
        fits: list[int] = []
        for index, slot in enumerate(slots):
            if isinstance(slot, Static):
                continue
            joined = Joiner(self.w, widen=False).compatible(slot, mine)
            if joined is not None and joined.same_form(slot):
                return index
            if joined is not None and joined.family is slot.family:
                fits.append(index)
        if not fits:
            self.w.arenas.refuse("values of too many kinds meet here", value)
        return fits[0]

    def is_uniform(self, choice: Choice) -> bool:
        """Tell whether all alternatives are numbers or tensors of one dtype and rank."""
        kinds = (Array, Var, Scalar, np.ndarray, np.generic, bool, int, float)
        if not all(isinstance(a, kinds) for a in choice.alternatives):
            return False
        values = [self.w.value_of(a) for a in choice.alternatives]
        return len({(dtype_of(v), len(dims_of(v))) for v in values}) == 1

    def as_tensor(self, choice: Choice, dtype: Any = None) -> Value:
        """Return a choice of numbers or tensors as one tensor, its dtype the common one."""
        w = self.w
        if any(a is None or a is UNSET or isinstance(a, str) for a in choice.alternatives):
            w.refuse("a tensor is needed here, but this may be something else", None)
        values = [w.value_of(a) for a in choice.alternatives]
        if dtype is None:
            dtype = np.result_type(*[dtype_of(v) for v in values])
        result = w.value_of(choice.alternatives[-1], dtype)
        for index in range(len(choice.alternatives) - 2, -1, -1):
            tag = self.tag_is(choice, index)
            result = w.select(tag, w.value_of(choice.alternatives[index], dtype), result)
        return result

    def one_array(self, choice: Choice) -> Array | None:
        """Return the array that all alternatives are, or are Variables of, if there is one."""
        arrays = [a.array if isinstance(a, Var) else a for a in choice.alternatives]
        first = arrays[0]
        return first if isinstance(first, Array) and all(a is first for a in arrays) else None

    def numbers(self, choice: Choice) -> Scalar | None:
        """Return a choice of static numbers of one Python type as a scalar, or None."""
        kinds = {a.type if isinstance(a, Scalar) else type(a) for a in choice.alternatives}
        if len(kinds) == 1 and (kind := kinds.pop()) in PYTHON_DTYPES:
            return self.w.scalar(kind, self.as_tensor(choice, PYTHON_DTYPES[kind]))
        return None

    def whole(self, choice: Choice) -> Scalar | None:
        """Return a choice of whole numbers of several classes as the int64 that carries it.

        Where it is an index alone, its class makes no difference. None of another choice.
        """
        carried = {getattr(one, "whole", None) for one in choice.alternatives}
        value = carried.pop() if len(carried) == 1 else None
        return None if value is None else self.w.scalar(int, value)


def choice_in(index: Any) -> tuple[Choice, Callable[[Any], Any]] | None:
    """Return the first choice inside an index, and how to make the index of an alternative."""
    if type(index) is Choice:
        return index, lambda alternative: alternative
    parts: tuple[Any, ...] = ()
    if type(index) is tuple:
        parts = index
    elif isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
    for number, part in enumerate(parts):
        found = choice_in(part)
        if found is not None:
            return found[0], functools.partial(_with_part, index, parts, number, found[1])
    return None


def _with_part(
    index: Any, parts: tuple[Any, ...], number: int, made: Callable[[Any], Any], alternative: Any
) -> Any:
    changed = (*parts[:number], made(alternative), *parts[number + 1 :])
    return slice(*changed) if isinstance(index, slice) else changed
