"""Texts of values known only when the model runs: for messages, prints and logs."""

from __future__ import annotations

import builtins
from typing import Any

from elichika.registry import lowers
from elichika.values import Choice, Conflict, Text

#: Methods of str that give a str whatever the str is.
METHODS = (
    *("capitalize", "casefold", "center", "expandtabs", "format", "ljust", "lower", "lstrip"),
    *("removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title"),
    *("upper", "zfill"),
)


@lowers(builtins.str, builtins.repr, builtins.ascii, builtins.format)
@lowers(*(getattr(str, name) for name in METHODS))
def text(w: Any, /, *args: Any, **kwargs: Any) -> Text:
    """A text that depends on what is known only when the model runs."""
    return Text()


@lowers(str.join)
def join(w: Any, separator: Any, items: Any) -> Text:
    """Join texts of which one depends on what is known only when the model runs."""
    if not w.is_dynamic(items):
        for index, item in enumerate(map(w.narrow, w.static_items(items))):
            kind = w.type_of(item)
            if not isinstance(item, (Conflict, Choice, Text)) and not issubclass(kind, str):
                message = f"sequence item {index}: expected str instance, {kind.__name__} found"
                w.raise_static(TypeError(message))
    return Text()
