"""Functions of modules that are other programs for a while, in one thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["in_place", "patching"]

patching = threading.RLock()
"""Held while functions of modules are replaced."""


@contextmanager
def in_place(programs: Sequence[tuple[Any, str, Callable[..., Any]]]) -> Iterator[None]:
    """Run programs in the place of functions, in this thread.

    Args:
        programs: A module, the name of its function, and what runs in its place.
    """
    with patching:
        kept = [(module, name, getattr(module, name)) for module, name, _ in programs]
        thread = threading.get_ident()
        try:
            for (module, name, original), (*_, program) in zip(kept, programs, strict=True):
                setattr(module, name, _in_thread(thread, program, original))
            yield
        finally:
            for module, name, original in kept:
                setattr(module, name, original)


def _in_thread(thread: int, program: Callable[..., Any], original: Any) -> Callable[..., Any]:
    """Return a function that runs a program in one thread and what it stands for in others."""

    def function(*args: Any, **kwargs: Any) -> Any:
        run = program if threading.get_ident() == thread else original
        return run(*args, **kwargs)

    return function
