"""`enum` in Python: walked where a value is known when the model runs."""

from __future__ import annotations

from typing import Any

#: What is raised here is what Python raises.
RAISES_AS_PYTHON = True


def member(members: Any, value: Any, name: str) -> Any:
    """Return the member of an Enum that has a value."""
    for one in members:
        if one.value == value:
            return one
    raise ValueError(f"{value!r} is not a valid {name}")
