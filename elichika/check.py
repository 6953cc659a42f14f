"""What in a chain cannot be compiled: all of it, in one run."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator

import chainer

from elichika.errors import ElichikaError, InputError, UnsupportedSyntax
from elichika.source import canonical_source

__all__ = ["find_unsupported"]


def find_unsupported(
    chain: chainer.Link, compile_it: Callable[[], object], method: str = "forward"
) -> list[ElichikaError]:
    """Return everything that keeps a chain from being compiled, each place once.

    Two searches come together here: the compiler, which knows what is called with what but stops
    at its first error, and the syntax of every method that may be called.

    Args:
        chain: The chain.
        compile_it: Compiles it.
        method: What is called.

    Raises:
        InputError: The inputs or options cannot be used.
    """
    found: list[ElichikaError] = []
    try:
        compile_it()
    except InputError:
        raise
    except ElichikaError as error:
        found.append(error)
    for function in _methods(chain, method):
        try:
            canonical_source(function)
        except UnsupportedSyntax as error:
            found.append(error)
        except InputError:  # no source: the compiler says so where it matters
            continue
    places: dict[object, ElichikaError] = {}
    for one in found:
        last = one.frames[-1] if one.frames else None
        places.setdefault(one.message if last is None else (last.file, last.line), one)
    return list(places.values())


def _methods(chain: chainer.Link, method: str) -> Iterator[types.FunctionType]:
    """Yield the user's methods that a call of the chain may reach, going by their names."""
    by_name: dict[str, list[types.FunctionType]] = {}
    seen: set[type] = set()
    for _, link in sorted(chain.namedlinks()):
        for cls in type(link).__mro__:
            if cls in seen or cls.__module__.partition(".")[0] == "chainer":
                continue
            seen.add(cls)
            for name, member in vars(cls).items():
                if inspect.isfunction(member):
                    by_name.setdefault(name, []).append(member)
    pending = [method, "forward", "__call__"]
    while pending:
        for function in by_name.pop(pending.pop(), []):
            yield function
            pending.extend(_names(function.__code__))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
