"""Names of inputs and outputs, after where they are in a call or a result."""

from __future__ import annotations

import re

__all__ = ["safe_name", "unique_name"]


def safe_name(text: str) -> str:
    """Return text as a name of letters, digits and underscores."""
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "value"


def unique_name(name: str, taken: set[str]) -> str:
    """Return `name`, or `name_2`, `name_3`, … if it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
