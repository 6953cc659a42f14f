"""The registry of lowerings: which graph nodes stand for a call.

One registry serves Chainer's FunctionNode classes, functions (of Chainer, numpy, builtins) and
methods of arrays.  The most specific key wins; registering twice is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import chainer

__all__ = [
    "Lowering",
    "always",
    "list_lowering_of",
    "lowering_of",
    "lowers",
    "lowers_lists",
    "lowers_to",
    "registered",
    "takes_choices",
    "takes_spreads",
]

Lowering = Callable[..., Any]
_F = TypeVar("_F", bound=Lowering)
_registry: dict[Any, Lowering] = {}
_lists: dict[Any, Lowering] = {}


def lowers(*keys: Any) -> Callable[[_F], _F]:
    """Register a lowering for each of `keys`.

    * A `chainer.FunctionNode` (or `Function`) class: called as `lowering(g, node, *inputs)` with
      the graph under construction, a real instance of the class with all its attributes, and the
      inputs as graph values; returns a graph value or a tuple of them. Where it returns
      NotImplemented, or needs the number of an attribute that is known only when the model runs,
      the class's own `forward` is walked.
    * Anything else callable (a function, a builtin, `numpy.ndarray.sum`): called as
      `lowering(w, *args, **kwargs)` with the walker and the arguments of the program; returns what
      the program gets.

    Raises:
        ValueError: A key has a lowering already.
    """

    def register(lowering: _F) -> _F:
        for key in keys:
            if key in _registry:
                raise ValueError(f"{key!r} has a lowering already")
            _registry[key] = lowering
        return lowering

    return register


def lowers_lists(*keys: Any) -> Callable[[_F], _F]:
    """Register how a function takes lists of dynamic length; others take the usual way.

    Called as `lowering(w, *args, **kwargs)`; for a `chainer.FunctionNode` class as
    `lowering(w, node, inputs)` with the list.

    Raises:
        ValueError: A key has such a lowering already.
    """

    def register(lowering: _F) -> _F:
        for key in keys:
            if key in _lists:
                raise ValueError(f"{key!r} has a lowering for lists already")
            _lists[key] = lowering
        return lowering

    return register


def list_lowering_of(key: Any) -> Lowering | None:
    """Return how a callable takes lists of dynamic length."""
    try:
        return _lists.get(key)
    except TypeError:  # unhashable: never registered
        return None


def lowers_to(op_type: str, *keys: type[chainer.FunctionNode]) -> None:
    """Register one-input FunctionNode classes that are one ONNX operator."""

    def unary(g: Any, node: Any, x: Any) -> Any:
        return g.emit(op_type, [x], {})

    lowers(*keys)(unary)


def lowering_of(key: Any) -> Lowering | None:
    """Return the lowering of a callable; of a class, that of its nearest registered base."""
    if isinstance(key, type) and issubclass(key, (chainer.FunctionNode, chainer.Function)):
        for cls in key.__mro__:
            if cls in _registry:
                return _registry[cls]
        return None
    try:
        return _registry.get(key)
    except TypeError:  # unhashable: never registered
        return None


def registered() -> tuple[Any, ...]:
    """Return all keys, in the order of registration."""
    return tuple(_registry)


def always(lowering: Any) -> Any:
    """Mark a lowering that is used for static arguments too (it reads or changes the store)."""
    lowering.always = True
    return lowering


def takes_choices(lowering: Any) -> Any:
    """Mark a lowering that handles choices among its arguments itself."""
    lowering.takes_choices = True
    return lowering


def takes_spreads(lowering: Any) -> Any:
    """Mark a lowering that takes `*items` of any length: its arguments may hold a `Spread`."""
    lowering.takes_spreads = True
    return lowering
