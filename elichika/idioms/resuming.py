"""Generators that are sent values, thrown exceptions or closed, as a class."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["Resumable", "asked", "delegated"]

#: What these raise is what Python raises, with its arguments.
RAISES_AS_PYTHON = True
#: Since when `close` returns what the generator does.
RETURNS = sys.version_info >= (3, 13)


class Resumable:
    """What a generator function returns, over a function that runs it up to its next `yield`."""

    def __init__(self, resume: Callable[[Any, Any], tuple[bool, Any, Any]]) -> None:
        self._resume = resume
        self._started = False
        self._running = False
        self._ended = False

    def __iter__(self) -> Any:
        """Return the generator."""
        return self

    def __next__(self) -> Any:
        """Go on with the next item."""
        return self.send(None)

    def send(self, value: Any) -> Any:
        """Go on with the value that the `yield` gives."""
        if self._running:
            raise ValueError("generator already executing")
        if self._ended:
            raise StopIteration
        if not self._started and value is not None:
            raise TypeError("can't send non-None value to a just-started generator")
        return self._go_on(value, None)

    def throw(self, error: Any) -> Any:
        """Go on with an exception that the `yield` raises."""
        if type(error) is type:
            error = error()
        if self._running:
            raise ValueError("generator already executing")
        if self._ended or not self._started:
            self._ended = True
            raise error
        return self._go_on(None, error)

    def close(self) -> Any:
        """End the generator where it stands."""
        if self._running:
            raise ValueError("generator already executing")
        if self._ended or not self._started:
            self._ended = True
            return None
        try:
            self._go_on(None, GeneratorExit())
        except GeneratorExit:
            return None
        except StopIteration as end:
            return end.value if RETURNS else None
        raise RuntimeError("generator ignored GeneratorExit")

    def _go_on(self, value: Any, error: Any) -> Any:
        self._started = True
        self._running = True
        self._ended = True  # so it stays if the generator raises
        try:
            ended, item, result = self._resume(value, error)
        except StopIteration as inner:
            raise RuntimeError("generator raised StopIteration") from inner
        finally:
            self._running = False
        if ended:
            if result is None:
                raise StopIteration
            raise StopIteration(result)
        self._ended = False
        return item


def asked(iterator: Any) -> tuple[bool, Any]:
    """Return whether an iterator has one more item, and that."""
    try:
        return True, next(iterator)
    except StopIteration:
        return False, None


def delegated(source: Any, sent: Any, thrown: Any) -> tuple[bool, Any]:
    """Hand what a generator is sent on to what it yields from; return whether that has ended."""
    try:
        if thrown is not None:
            if isinstance(thrown, GeneratorExit):
                if hasattr(source, "close"):
                    source.close()
                raise thrown
            if not hasattr(source, "throw"):
                raise thrown
            return False, source.throw(thrown)
        if sent is None:
            return False, next(source)
        return False, source.send(sent)
    except StopIteration as end:
        return True, end.value
