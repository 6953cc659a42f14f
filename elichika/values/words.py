"""The words of the program for what stands for its values: no message says those of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T", bound=type)

#: What is said of an operation whose failure a handler could catch, and the way out.
IN_A_TRY = (
    "an operation on values known only when the model runs stands in a `try` (or a `with`) that "
    "could catch its failure",
    "move the operation out, or test its condition with `if`",
)


def a_or_an(word: str) -> str:
    """Return a word behind its article, by its sound: `an int`, `an ndarray`, `a uint8`."""
    vowel = word.startswith("nd") or (
        word[:1].lower() in "aeiou" and not word.startswith(("uint", "ufunc", "unicode"))
    )
    return f"{'an' if vowel else 'a'} {word}"


def a_value(value: object) -> str:
    """Return what a value is, by its class: `an int`."""
    return a_or_an(type(value).__name__)


def several(count: int, word: str) -> str:
    """Return how many there are of something: `1 iteration`, `3 iterations`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def shown_as(word: str) -> Callable[[_T], _T]:
    """Give a class the name that the program has for what it stands for.

    Messages name types by `type(value).__name__`, those of Python and numpy too where they meet
    such a value: all of them say this word.
    """

    def named(cls: _T) -> _T:
        cls.__name__ = cls.__qualname__ = word
        return cls

    return named
