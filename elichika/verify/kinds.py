"""Values of inputs and results by their kind: what is in them, how they are told and copied."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import singledispatch
from typing import Any

import chainer
import numpy as np

__all__ = ["LEAVES", "Kind", "bare", "copied", "form_of", "kind_of", "leaves", "shown"]

LEAVES = ("number", "numpy", "array")
"""The families of what an output of a model stands for."""


class Kind:
    """What verification asks of a value; here of a constant: text, None, an object.

    Attributes:
        family: Values of one family are compared with one another.
    """

    family = "constant"

    def bare(self, value: Any) -> Any:
        """Return a value without the Variable around it."""
        return value

    def parts(self, value: Any) -> Mapping[Any, Any]:
        """Return what is in a container, by the step to it."""
        return {}

    def shown(self, value: Any) -> str:
        """Return a value in few words."""
        return "None" if value is None else f"{type(value).__name__} {value!r}"

    def form(self, value: Any) -> Any:
        """Return all of a value but the contents of its tensors and numbers, comparable."""
        return type(value), None

    def copied(self, value: Any) -> Any:
        """Return a value that has its own arrays."""
        return copy.deepcopy(value)


class _Text(Kind):
    def form(self, value: str) -> Any:
        return type(value), value


class _Number(Kind):
    family = "number"


class _NumpyNumber(Kind):
    family = "numpy"

    def shown(self, value: Any) -> str:
        return f"{value.dtype} {value}"

    def form(self, value: Any) -> Any:
        return type(value), value.dtype, value.shape


class _Array(_NumpyNumber):
    family = "array"

    def shown(self, value: Any) -> str:
        return f"{value.dtype}{list(value.shape)}"

    def copied(self, value: Any) -> Any:
        return value.copy()


class _Variable(_Array):
    def bare(self, value: chainer.Variable) -> Any:
        return value.array

    def shown(self, value: chainer.Variable) -> str:
        return shown(value.array)

    def form(self, value: chainer.Variable) -> Any:
        return form_of(value.array)

    def copied(self, value: chainer.Variable) -> Any:
        return chainer.Variable(np.array(value.array))


class _List(Kind):
    family = "container"

    def parts(self, value: Any) -> Mapping[Any, Any]:
        return dict(enumerate(value))

    def shown(self, value: Any) -> str:
        return f"a {type(value).__name__} of {len(value)}"

    def form(self, value: Any) -> Any:
        return type(value), [form_of(item) for item in value]

    def copied(self, value: Any) -> Any:
        return list(map(copied, value)) if type(value) is list else super().copied(value)


class _Tuple(_List):
    def copied(self, value: Any) -> Any:
        return tuple.__new__(type(value), map(copied, value))


class _Mapping(Kind):
    family = "container"

    def parts(self, value: Any) -> Mapping[Any, Any]:
        return {key: value[key] for key in value}

    def shown(self, value: Any) -> str:
        return f"a {type(value).__name__} with the keys {', '.join(map(repr, value))}"

    def form(self, value: Any) -> Any:
        return type(value), [(key, form_of(item)) for key, item in value.items()]

    def copied(self, value: Any) -> Any:
        if type(value) is not dict:
            return super().copied(value)
        return {key: copied(item) for key, item in value.items()}


@singledispatch
def kind_of(value: Any) -> Kind:
    """Return the kind of a value, by its class."""
    return CONSTANT


CONSTANT = Kind()
for _cls, _kind in (
    (str, _Text()),
    (int, _Number()),
    (float, _Number()),
    (np.generic, _NumpyNumber()),
    (np.str_, _NumpyNumber()),  # which is a str as well
    (np.ndarray, _Array()),
    (chainer.Variable, _Variable()),
    (list, _List()),
    (tuple, _Tuple()),
    (Mapping, _Mapping()),
):
    kind_of.register(_cls, lambda _, kind=_kind: kind)


def bare(value: Any) -> Any:
    """Return a value without the Variable around it."""
    return kind_of(value).bare(value)


def shown(value: Any) -> str:
    """Return a value in few words."""
    return kind_of(value).shown(value)


def form_of(value: Any) -> Any:
    """Return all of a value but the contents of its tensors and numbers, comparable."""
    return kind_of(value).form(value)


def copied(value: Any) -> Any:
    """Return a value that has its own arrays."""
    return kind_of(value).copied(value)


def leaves(value: Any) -> Iterator[Any]:
    """Yield the arrays and numbers in a value, left to right."""
    kind = kind_of(value)
    if kind.family in LEAVES:
        yield kind.bare(value)
    for part in kind.parts(value).values():
        yield from leaves(part)
