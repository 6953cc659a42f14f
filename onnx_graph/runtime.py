"""onnxruntime, which several packages provide, and which may not be installed."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import Any

__all__ = ["RuntimeMissing", "runtime"]


REPORTING = "ORT_DISABLE_TELEMETRY"
"""Of the environment: onnxruntime 1.31 by itself tells its makers of each session."""
OLDEST = (1, 20)
"""Older ones give a Loop that ends within an If values that were never written."""

_importing = threading.Lock()


class RuntimeMissing(ImportError):
    """No package that provides onnxruntime is installed, or one that is too old."""


def runtime() -> Any:
    """Return the module `onnxruntime`, imported at the first call, reporting to nobody.

    Raises:
        RuntimeMissing: It is not installed, or too old to be right.
    """
    try:
        with _importing:
            onnxruntime = _unreported()
    except ModuleNotFoundError as error:
        if error.name != "onnxruntime":
            raise
        raise RuntimeMissing(
            "onnxruntime is not installed: pip install onnxruntime, "
            "or pip install onnxruntime-gpu where there is a GPU",
            name="onnxruntime",
        ) from None
    if tuple(int(part) for part in onnxruntime.__version__.split(".")[:2]) < OLDEST:
        raise RuntimeMissing(
            f"onnxruntime {onnxruntime.__version__} is too old: it runs loops with an early return "
            f"on memory that was never written; use {OLDEST[0]}.{OLDEST[1]} or newer",
            name="onnxruntime",
        )
    return onnxruntime


def _unreported() -> Any:
    """Import onnxruntime without its reports, and end them where somebody else imported it.

    The import of a module that another thread is importing waits until that is done.
    """
    before = os.environ.get(REPORTING)
    os.environ[REPORTING] = "1"
    try:
        onnxruntime = import_module("onnxruntime")
    finally:
        if before is None:
            del os.environ[REPORTING]
        else:
            os.environ[REPORTING] = before
    onnxruntime.disable_telemetry_events()
    return onnxruntime
