"""Whose attributes are whose: where the store keeps those of modules and of the configuration."""

from __future__ import annotations

import threading
import types
from typing import Any

from chainer.configuration import LocalConfig

__all__ = ["home"]


def home(obj: Any) -> Any:
    """Return what owns the attributes of an object in the store.

    A module's are the names that its functions see as globals; those of the configuration are
    entries of the present thread.
    """
    if isinstance(obj, types.ModuleType):
        return vars(obj)
    if isinstance(obj, LocalConfig):
        return vars(obj)["_local"].__dict__
    return obj.__dict__ if type(obj) is threading.local else obj
