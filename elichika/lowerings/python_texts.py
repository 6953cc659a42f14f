"""Texts of values known only when the model runs: for messages, prints and logs."""

from __future__ import annotations

import builtins
from typing import Any

from elichika.registry import lowers
from elichika.values import Text


@lowers(builtins.str, builtins.repr, builtins.ascii, builtins.format, str.format, str.join)
def text(w: Any, /, *args: Any, **kwargs: Any) -> Text:
    """A text that depends on what is known only when the model runs."""
    return Text()
