"""What Python demands of what special methods give: walked where a method is the program's."""

from __future__ import annotations

import operator
from typing import Any

#: What is raised here is what Python raises.
RAISES_AS_PYTHON = True


def truth(made: Any) -> bool:
    """Return what `bool` gives where a class's `__bool__` returned something."""
    if type(made) is not bool:
        raise TypeError(f"__bool__ should return bool, returned {type(made).__name__}")
    return bool(made)


def number(made: Any, kind: Any, name: str, of: Any) -> Any:
    """Return what `int` or `float` gives where the method of a name returned something."""
    if name == "__float__":
        if not isinstance(made, float):
            raise TypeError(
                f"{of.__name__}.__float__ returned non-float (type {type(made).__name__})"
            )
    elif not isinstance(made, int):
        raise TypeError(f"{name} returned non-int (type {type(made).__name__})")
    return kind(made)


def length(made: Any) -> int:
    """Return what `len` gives where a class's `__len__` returned something."""
    found: int = operator.index(made) + 0  # a bool is 0 or 1
    if found < 0:
        raise ValueError("__len__() should return >= 0")
    return found
