"""Functions as the compiler reads them, for people."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import canonicalizer
from canonicalizer.frames import LIMIT
from elichika.errors import InputError, concise
from elichika.program.framed_source import framed_tree
from elichika.program.source import SourceUnavailable, read_source, refusal

__all__ = ["canonical_source"]

#: What holds a function and is none itself.
HOLDERS = (
    types.MethodType,
    staticmethod,
    classmethod,
    property,
    functools.partial,
    functools.cached_property,
)


@concise
def canonical_source(function: Any, *, frames: bool = False) -> str:
    """Return the canonical program of a function as the compiler reads it.

    Args:
        function: A Python function, method, lambda or property; of a decorated function, what
            `functools.wraps` says it wraps, and of a `functools.partial`, its function.
        frames: Print a function that calls itself, or others of its module that lead back to it,
            as the loop over frames that it becomes where the data decide how deep it goes.

    Raises:
        InputError: It is none of these, or its source cannot be read.
        UnsupportedSyntax: It has a statement or expression that is not compiled, or a call of
            itself that no frame can be made for.
    """
    function = _function_of(function)
    try:
        source = read_source(function.__code__)
    except SourceUnavailable as error:
        raise InputError(f"the source of {function.__qualname__} cannot be read: {error}") from None
    try:
        written = (
            framed_tree(function, LIMIT) if frames else canonicalizer.canonicalize(source.tree)
        )
    except canonicalizer.UnsupportedSyntax as error:
        raise refusal(error, source.file, function.__name__) from None
    return canonicalizer.canonical_source_of(written)


def _function_of(value: Any) -> types.FunctionType:
    """Return the Python function that a value stands for."""
    for name in ("__func__", "fget", "func"):
        value = getattr(value, name, value) if isinstance(value, HOLDERS) else value
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, types.FunctionType):
        return value
    if isinstance(value, type):
        raise InputError(
            f"`{value.__qualname__}` is a class, not a Python function; name one of its methods, "
            f"as in {value.__qualname__}.forward"
        )
    kind = type(value)
    called = getattr(kind, "__call__", None)  # noqa: B004
    if isinstance(called, types.FunctionType):
        raise InputError(
            f"an object of `{kind.__qualname__}` is not a Python function; name one of its "
            f"methods, as in {kind.__qualname__}.{called.__name__}"
        )
    if isinstance(value, types.BuiltinFunctionType | types.MethodDescriptorType):
        raise InputError(f"`{value.__name__}` is built in: it has no Python source")
    raise InputError(f"{value!r} is not a Python function")
