"""Exceptions that hold values known only when the model runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elichika.registry import always, lowers
from elichika.values.exceptions import PLAIN

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext


@lowers(*{vars(cls)["__init__"] for cls in PLAIN - {object}})
@always
def exception_init(w: ContainerContext, error: BaseException, /, *args: Any) -> None:
    """Hold the arguments."""
    w.store.set(error, "args", args)
