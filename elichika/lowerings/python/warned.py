"""Warnings as errors, which a model does not raise: filters of `warnings`, numpy's `seterr`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.registry import always, lowers

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

MESSAGE = "a model cannot raise warnings as errors"
HINT = "test the numbers and `raise`"


@lowers(warnings.simplefilter, warnings.filterwarnings)
@always
def filtered(w: LoweringContext, action: Any, *args: Any, **kwargs: Any) -> None:
    """Other filters have no effect."""
    if action == "error":
        w.refuse(MESSAGE, HINT)


@lowers(warnings.resetwarnings)
@always
def reset(w: LoweringContext) -> None:
    """No filter has an effect."""


@lowers(np.seterr)
@always
def seterr(w: LoweringContext, *modes: Any, **named: Any) -> Any:
    """Let numpy warn or not, while the program is compiled."""
    if not {"raise", "call"}.isdisjoint((*modes, *named.values())):
        w.refuse(MESSAGE, HINT)
    return w.new_dict({**np.seterr(*modes, **named)})
