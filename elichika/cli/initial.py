"""Which parameters of a chain still hold what their initializers drew: it is not trained."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np

from elichika.verify.parameters import named_arrays

__all__ = ["Initial"]


class Initial:
    """What initializers wrote while a chain was made."""

    def __init__(self) -> None:
        """Begin without any."""
        self._written: list[tuple[np.ndarray[Any, Any], int]] = []
        self._to_come: list[str] = []

    def made(self, chain: chainer.Link) -> None:
        """Note which parameters have no array yet: the first call draws them."""
        self._to_come = [name.lstrip("/") for name, p in chain.namedparams() if p.array is None]

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note what initializers that draw write within the block."""
        before = {cls: vars(cls)["__call__"] for cls in _drawing(chainer.Initializer)}
        for cls, call in before.items():
            cls.__call__ = self._noting(call)
        try:
            yield
        finally:
            for cls, call in before.items():
                cls.__call__ = call

    def _noting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def noting(initializer: Any, array: Any, **options: Any) -> Any:
            result = call(initializer, array, **options)
            if type(array) is np.ndarray and array.size and array.min() != array.max():
                self._written.append((array, _sum(array)))
            return result

        return noting

    def held_by(self, chain: chainer.Link) -> list[str]:
        """Return the names of the parameters that hold it still."""
        memory = {_owner(array): name for name, array in reversed(named_arrays(chain))}
        same = [_owner(array) for array, sum in self._written if _sum(array) == sum]
        return sorted({memory[owner] for owner in same if owner in memory} | {*self._to_come})


def _drawing(base: Any) -> Iterator[Any]:
    """Yield the classes of initializers that have a `__call__`, but for that of identities."""
    for cls in base.__subclasses__():
        if "__call__" in vars(cls) and cls.__name__ != "Identity":
            yield cls
        yield from _drawing(cls)


def _owner(array: np.ndarray[Any, Any]) -> int:
    """Return which memory an array shows, by the id of what owns it."""
    found: Any = array
    while type(found.base) is np.ndarray:
        found = found.base
    return id(found)


def _sum(array: np.ndarray[Any, Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).tobytes())
