"""Notices that native code calls a function of the program, before that function does anything.

What the function reads may have changed since the walk began, and what it writes would be the
user's own objects, in every branch at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from elichika.program import native_code as natives
from elichika.program.effects import acts

__all__ = ["Entered", "noticed"]


class Entered(BaseException):
    """Native code called a function of the program; no `except Exception` catches it."""


@contextmanager
def noticed(watched: bool, allowed: Callable[[FrameType], bool]) -> Iterator[None]:
    """Within the block, a call of a function of the program fails.

    Args:
        watched: Whether there may be any.
        allowed: Whether one that was just called may run; what it calls changes nothing either.

    Raises:
        Entered: There was one; it has the name.
    """
    if not watched:
        yield
        return
    before, names = sys.getprofile(), list[str]()

    def look(frame: FrameType, event: str, called: Any) -> None:
        code = frame.f_code
        if event not in ("call", "c_call") or not natives.is_of_program(code):
            return
        if acts(called) if event == "c_call" else not allowed(frame):
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
