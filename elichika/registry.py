"""The registry of lowerings: which graph nodes stand for a call.

One registry serves Chainer's FunctionNode classes, functions (of Chainer, numpy, builtins) and
methods of arrays.  The most specific key wins; registering twice is an error.
What users register comes through `extending.py`.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import chainer

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from onnx_graph import Value

__all__ = [
    "Lowering",
    "always",
    "list_lowering_of",
    "lowering_of",
    "lowers",
    "lowers_lists",
    "lowers_to",
    "may_share",
    "note_sharing",
    "operator_of",
    "registered",
    "takes_choices",
    "takes_spreads",
    "walked",
]

Lowering = Callable[..., Any]
_F = TypeVar("_F", bound=Lowering)
_registry: dict[Any, Lowering] = {}
_lists: dict[Any, Lowering] = {}
_sharing: list[Any] = []
#: How members of a function node begin that say nothing of what it computes.
_HARMLESS = ("__", "backward", "double_backward", "check_type_", "label", "apply")


def lowers(*keys: Any) -> Callable[[_F], _F]:
    """Register a lowering for each of `keys`.

    It is called with a `LoweringContext` and what the key is called with in the program: for a
    function `lowering(w, *args, **kwargs)`, which returns what the program gets; for a
    `chainer.FunctionNode` (or `Function`) class `lowering(w, node, *inputs)` with tensors, and its
    result is fresh unless the class is one of `VIEW_FUNCTIONS`. `extending.py` is for users.

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

    Called like any lowering; for a `chainer.FunctionNode` class as `lowering(w, node, inputs)`,
    with the list in the place of the inputs.

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
    return _found(_lists, key)


def lowers_to(op_type: str, *keys: type[chainer.FunctionNode]) -> None:
    """Register one-input FunctionNode classes that are one ONNX operator."""
    lowers(*keys)(operator_of(op_type))


def operator_of(op_type: str) -> Lowering:
    """Return the lowering to one operator of one input."""

    def unary(w: LoweringContext, node: Any, x: Value) -> Any:
        return w.graph.emit(op_type, [x], {})

    return unary


def walked(idiom: Any) -> Lowering:
    """Return the lowering that reads a function or class of `idioms` instead."""
    return lambda w, *args, **kwargs: w.call(idiom, list(args), kwargs)


def lowering_of(key: Any) -> Lowering | None:
    """Return the lowering of a callable; of a class, that of its nearest registered base."""
    return _found(_registry, _registered_as(key))


def _found(lowerings: dict[Any, Lowering], key: Any) -> Lowering | None:
    """Return what is registered for a callable; an object of the program is not asked its hash."""
    if type(type(key).__hash__) is types.FunctionType:
        return None
    try:
        return lowerings.get(key)
    except TypeError:  # unhashable: never registered
        return None


def note_sharing(*keys: Any) -> None:
    """Note that what the lowerings of these give may share memory with what they are given."""
    _sharing.extend(keys)


def may_share(key: Any) -> bool:
    """Tell whether a user's lowering, of a class that of its base, did not say that it is fresh."""
    found = _registered_as(key) if _sharing else None
    return any(found is other for other in _sharing)


def _registered_as(key: Any) -> Any:
    """Return the key of a callable: of a class, the nearest base whose methods it leaves alone."""
    if not isinstance(key, type) or not issubclass(key, (chainer.FunctionNode, chainer.Function)):
        return key
    changed: set[str] = set()
    for cls in key.__mro__:
        if cls in _registry:
            return None if changed.intersection(dir(cls)) else cls
        changed |= {name for name, held in vars(cls).items() if _computes(name, held)}
    return None


def _computes(name: str, held: Any) -> bool:
    """Tell whether a member of a class may have a part in what its `forward` computes."""
    return hasattr(held, "__get__") and not name.startswith(_HARMLESS)


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
