"""Notices that native code calls a function of the program, before that function does anything.

What the function reads may have changed since the walk began, and what it writes would be the
user's own objects, in every branch at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from elichika.program import native_code as natives

__all__ = ["Entered", "noticed"]


class Entered(BaseException):
    """Native code called a function of the program; no `except Exception` catches it."""


@contextmanager
def noticed(watched: bool, allowed: Callable[[str], bool]) -> Iterator[None]:
    """Within the block, a call of a function of the program fails.

    Args:
        watched: Whether there may be any.
        allowed: Whether one of this name may run.

    Raises:
        Entered: There was one; it has the name.
    """
    if not watched:
        yield
        return
    before, names = sys.getprofile(), list[str]()

    def look(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and natives.is_of_program(code) and not allowed(code.co_name):
            names.append(code.co_name)
            raise Entered

    sys.setprofile(look)
    try:
        yield
    except BaseException:
        if not names:
            raise
    finally:
        sys.setprofile(before)
    if names:
        raise Entered(names[0])
