"""What an idiom tells the compiler instead of doing something."""

from __future__ import annotations

from typing import NoReturn


def refuse(message: str) -> NoReturn:
    """Refuse to compile what an idiom does not stand for; no handler of the program catches it."""
    raise NotImplementedError(message)


def note(message: str) -> None:
    """Tell the user something in the report."""


def unreached(*given: object, **named: object) -> NoReturn:
    """Stand where no way leads."""
    raise AssertionError
