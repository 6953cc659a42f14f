"""Values that are the same in every call: which go to JSON, and which are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from elichika.values.words import a_value

__all__ = ["ITEMS", "is_plain", "plain_from_json", "plain_json", "same_constant", "shown_value"]

ITEMS: Mapping[str, Callable[[Iterable[Any]], Any]] = {"tuple": tuple, "list": list}


def is_plain(value: object) -> bool:
    """Tell whether a value goes to JSON and comes back equal, with its type."""
    if type(value) in (tuple, list):
        return all(is_plain(item) for item in value)  # type: ignore[attr-defined]
    if type(value) is dict:
        return all(is_plain(key) and is_plain(item) for key, item in value.items())
    return value is None or type(value) in (bool, int, float, str)


def plain_json(value: Any) -> Any:
    """Return a plain value as JSON data."""
    if type(value) is float and not math.isfinite(value):
        return {"float": repr(value)}
    if type(value) in (tuple, list):
        return {type(value).__name__: [plain_json(item) for item in value]}
    if type(value) is dict:
        return {"dict": [[plain_json(key), plain_json(item)] for key, item in value.items()]}
    return value


def plain_from_json(data: Any) -> Any:
    """Return the value whose `plain_json` gave `data`."""
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    if kind == "float":
        return float(content)
    if kind == "dict":
        return {plain_from_json(key): plain_from_json(item) for key, item in content}
    return ITEMS[kind]([plain_from_json(item) for item in content])


def same_constant(kept: Any, value: Any) -> bool:
    """Tell whether an argument is surely the constant that a model was compiled for."""
    if kept is value:
        return True
    arrays = [isinstance(one, np.ndarray) for one in (kept, value)]
    if any(arrays):
        return all(arrays) and kept.dtype == value.dtype and np.array_equal(kept, value)
    try:
        return type(kept) is type(value) and bool(kept == value)
    except Exception:  # an object that cannot be compared is not known to be the same
        return False


def shown_value(value: Any) -> str:
    """Return a value for messages: an array by its dtype and sizes."""
    dtype, shape = (getattr(value, name, None) for name in ("dtype", "shape"))
    if type(shape) is tuple and shape:
        return f"an array of {dtype}{list(shape)}"
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if type(value) in (tuple, list):
        return f"{a_value(value)} of {len(value)}"
    return a_value(value)
