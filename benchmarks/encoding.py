"""Arrays and lists of arrays in files of JSON, which a process without elichika reads too."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["decoded", "encoded", "read"]


def encoded(value: Any) -> Any:
    """Return an array, or a list of arrays, as JSON has it."""
    if isinstance(value, list):
        return [encoded(item) for item in value]
    array = np.ascontiguousarray(value)
    data = base64.b64encode(array.tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(np.shape(value)), "data": data}


def decoded(value: Any) -> Any:
    """Return the array, or list of arrays, that JSON holds."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    contents = np.frombuffer(base64.b64decode(value["data"]), value["dtype"])
    return contents.reshape(value["shape"])


def read(folder: Path) -> Iterator[tuple[str, Path, list[Mapping[str, Any]]]]:
    """Yield each case: name, model file, what is in its JSON file."""
    for path in sorted(folder.glob("*.json")):
        yield path.stem, path.with_suffix(".onnx"), json.loads(path.read_text())
