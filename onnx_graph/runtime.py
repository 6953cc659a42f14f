"""onnxruntime, which several packages provide, and which may not be installed."""

from __future__ import annotations

from typing import Any

__all__ = ["RuntimeMissing", "runtime"]


class RuntimeMissing(ImportError):
    """No package that provides onnxruntime is installed."""


def runtime() -> Any:
    """Return the module `onnxruntime`, imported at the first call.

    Raises:
        RuntimeMissing: It is not installed.
    """
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        if error.name != "onnxruntime":
            raise
        raise RuntimeMissing(
            "onnxruntime is not installed: pip install onnxruntime, "
            "or pip install onnxruntime-gpu where there is a GPU",
            name="onnxruntime",
        ) from None
    return onnxruntime
