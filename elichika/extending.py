"""What users register: lowerings whose results may share memory, unless they say otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import chainer

from elichika import registry

__all__ = ["lowers", "lowers_to"]

_F = TypeVar("_F", bound=registry.Lowering)


def lowers(*keys: Any, fresh: bool = False) -> Callable[[_F], _F]:
    """Register a lowering for each of `keys`.

    A lowering is called with a `LoweringContext` and with what the key is called with.

    * A `chainer.FunctionNode` (or `Function`) class: called as `lowering(context, node, *inputs)`
      with a real instance of the class, which has all its attributes, and the inputs as graph
      values; returns a graph value or a tuple of them. Where it returns NotImplemented, or needs
      the number of an attribute that is known only when the model runs, the class's own `forward`
      is walked.
    * Anything else callable (a function, a builtin, `numpy.ndarray.sum`): called as
      `lowering(context, *args, **kwargs)` with the arguments of the program; returns what the
      program gets.

    Args:
        *keys: The classes and callables.
        fresh: Every array that they give is new: it is neither an array that they were given, nor
            an array of the node, nor a view of one, and no two results are one. A graph does not
            tell: `x.reshape(-1)` and a copy of it are the same operator, but what is written into
            the first is in `x` as well. Without it a write to a result, or to an input after the
            call, is refused while the other is in use, and so is the question whether they are
            one object.

    Raises:
        TypeError: A key is neither a class nor callable.
        ValueError: A key has a lowering already.
    """
    for key in keys:
        if not callable(key):
            raise TypeError(f"a lowering stands for a class or a callable, not for {key!r}")
    register = registry.lowers(*keys)

    def registering(lowering: _F) -> _F:
        register(lowering)
        if not fresh:
            registry.note_sharing(*keys)
        return lowering

    return registering


def lowers_to(op_type: str, *keys: type[chainer.FunctionNode], fresh: bool = False) -> None:
    """Register one-input FunctionNode classes that are one ONNX operator.

    Args:
        op_type: The operator, of the standard domain.
        *keys: The classes.
        fresh: As in `lowers`: their results are always new arrays.

    Raises:
        ValueError: A class has a lowering already.
    """
    lowers(*keys, fresh=fresh)(registry.operator_of(op_type))
