"""Calls of links that the first walk of a loop's body need not walk again.

A body is walked until the types of what it carries settle, and what the first walk emits is thrown
away, for hardly ever nothing changes in a turn.  Only its types count.  A method of a link that
was called with such arguments in such a walk before, that changes nothing and reads what it read
then, gives a result of the type that it gave then, so the walk takes the type and goes on.

This is a guess and no more: the body that the loop gets is walked in full, and settles in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np
from onnx_ir import TensorType

from elichika.state.joins import Type, TypeReader, without_undone_objects
from elichika.state.store import Mark
from elichika.values.symbolic import Array, Choice, Scalar, Var
from elichika.walker.arrays import Arrays
from elichika.walker.core import PLAIN
from elichika.walker.walk import Walk
from onnx_graph import Dim, Value
from onnx_graph.dims import substitute, symbols
from onnx_graph.values import data_type_of

__all__ = ["Drafts"]

#: How many calls of a link are remembered for each form of its arguments.
MOST_KEPT = 4


@dataclass(frozen=True)
class _Call:
    """A call of a link that was walked.

    Attributes:
        read: What it read: locations, and what they held.
        result: The type of what it gave.
        fails: Whether it may fail when the model runs.
        sizes: The symbols of its arguments' sizes.
    """

    read: list[tuple[Any, str, Any]]
    result: Type
    fails: bool
    sizes: tuple[str, ...]


@dataclass(frozen=True)
class _Form:
    """What tells calls apart.

    Attributes:
        key: The same for calls that are alike.
        sizes: The symbols of the arguments' sizes; the key numbers them.
    """

    key: Any
    sizes: tuple[str, ...]


class Drafts:
    """The part of the walker that knows what calls of links gave.

    Attributes:
        used: How many calls were not walked so far.
    """

    def __init__(self, w: Walk, arrays: Arrays) -> None:
        self.w = w
        self.arrays = arrays
        self.used = 0
        self._open = False
        self._kept: dict[Any, list[_Call]] = {}

    @property
    def is_open(self) -> bool:
        """Whether what is emitted will be thrown away."""
        return self._open

    @contextmanager
    def within(self, draft: bool) -> Iterator[None]:
        """Walk a trial, in full unless `draft`."""
        before, self._open = self._open, draft
        try:
            yield
        finally:
            self._open = before

    def call(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], walked: Callable[[], Any]
    ) -> Any:
        """Return what a call gives: `walked`, or in a draft a value of its type."""
        form = self._form(function, args, kwargs) if self._open else None
        if form is None:
            return walked()
        for kept in self._kept.get(form.key, ()):
            result = self._again(kept, form.sizes)
            if result is not NotImplemented:
                self.used += 1
                return result
        mark, token = self.w.store.mark(), self._checked()
        with self.w.store.reading(classes=False) as read:
            result = walked()
        self._keep(form, result, read, mark, self._checked() is not token)
        return result

    def _form(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> _Form | None:
        """Return what tells calls of methods of links apart; None of others, or if unclear."""
        if not args or not issubclass(type(args[0]), chainer.Link):
            return None
        link, *others = args
        if self.w.tape.is_kept or self.w.store.was_born(link):
            return None
        if not any(map(self.w.is_symbolic, others)):
            return None
        sizes: dict[str, Dim] = {}
        parts = [self._form_of(value, sizes) for value in (*others, *kwargs.values())]
        key = id(function), id(link), *kwargs, *parts
        return None if None in parts else _Form(key, tuple(sizes))

    def _form_of(self, value: Any, sizes: dict[str, Dim]) -> Any:
        """Return what tells a value from others: where sizes are symbols, which of them are one."""
        match value:
            case Var():
                parts = [self._form_of(value.array, sizes)]
                kind: Any = value.kind
            case Choice():
                parts = [self._form_of(one, sizes) for one in value.alternatives]
                kind = Choice
            case Array():
                form = self.arrays.tensor_form(value)
                if form is None:
                    return None
                return form[0], *(_renamed(dim, sizes) for dim in form[1])
            case _:
                return (type(value), value) if type(value) in PLAIN else None
        return None if None in parts else (kind, *parts)

    def _checked(self) -> Any:
        """Return what the checks so far make up."""
        return self.w.store.get(self.w.token, "value")

    def _keep(self, form: _Form, result: Any, read: list[Any], mark: Mark, fails: bool) -> None:
        """Remember a call, if it changed nothing that was there before."""
        store, own = self.w.store, id(self.w.token)
        changed = (
            key for key in store.changes_since(mark) if not key[1].startswith("~") and key[0] != own
        )
        if not all(store.is_fresh(store.owner(key), mark) for key in changed):
            return
        type_ = TypeReader(self.w, mark).of(result)
        leaves = type_.leaves({})
        if not leaves or any(leaf.sequence for leaf in leaves) or _has_conflict(type_):
            return
        outside = [
            entry
            for entry in read
            if not store.is_fresh(entry[0], mark)
            and type(entry[0]) is not Array
            and entry[0] is not self.w.token
        ]
        calls = self._kept.setdefault(form.key, [])
        del calls[: len(calls) + 1 - MOST_KEPT]
        calls.append(_Call(outside, type_, fails, form.sizes))

    def _again(self, kept: _Call, sizes: tuple[str, ...]) -> Any:
        """Return a value like that which a call gave, or NotImplemented where it may be unlike."""
        store = self.w.store
        if any(store.get(owner, slot) is not version for owner, slot, version in kept.read):
            return NotImplemented
        type_ = without_undone_objects(self.w, kept.result)
        if type_ is None:
            return NotImplemented
        now = {old: Dim(new) for old, new in zip(kept.sizes, sizes, strict=True) if old != new}
        values = (self._stand_in(one.dtype, _now(one.dims, now)) for one in type_.leaves({}))
        if kept.fails:
            store.set(self.w.token, "value", Scalar(int, self._stand_in(np.dtype(np.int64), ())))
        return type_.build(self.w, values, {})

    def _stand_in(self, dtype: np.dtype[Any], dims: tuple[Any, ...]) -> Value:
        """Return a tensor of which nothing is known but dtype and sizes."""
        g = self.w.graph
        sizes = tuple(g.declared_size(g.scope, dim) for dim in dims)
        types = [(TensorType(data_type_of(dtype)), sizes)]
        with self.w.sure():
            (made,) = g.emit_into(g.scope, "Hardmax", [g.constant(0.0)], {}, types=types)
        return made


def _renamed(dim: int | Dim, sizes: dict[str, Dim]) -> Any:
    """Return a size with numbers in place of its symbols, the same for the same ones."""
    if type(dim) is int:
        return dim
    for name in sorted(symbols(dim)):
        sizes.setdefault(name, Dim(f"size_{len(sizes)}"))
    return str(substitute(dim, sizes))


def _now(dims: tuple[Any, ...] | None, symbols: dict[str, Dim]) -> tuple[Any, ...]:
    return tuple(None if dim is None else substitute(dim, symbols) for dim in dims or ())


def _has_conflict(type_: Type) -> bool:
    return type_.is_conflict or any(map(_has_conflict, type_.parts))
