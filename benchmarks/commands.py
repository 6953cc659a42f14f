"""The command line that exports a model of `models/zoo.py`, and whether it writes the same file.

`python -m benchmarks.commands` exports every model by `elichika export models.X:build ...` and
compares the file with what `compile_model` writes. Names given as arguments choose among them.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from models import Model
from models.zoo import ZOO

__all__ = ["NESTED", "command", "differs"]

NESTED = ("Tree-LSTM over nested tuples",)
"""No description on a command line is a nested tuple of arrays: a factory would give it."""


def command(model: Model, folder: Path) -> list[str]:
    """Return the words of the command; what it reads of the inputs is written to a folder."""
    words = ["export", f"{model.module}:{model.factory}", "--method", model.method]
    for name in model.static:
        words += ["--static", name]
    function = getattr(model.build(), model.method)
    names = list(inspect.signature(function).parameters)
    stored: dict[str, Any] = {}
    for name, value in zip(names, model.inputs(), strict=False):
        if isinstance(value, np.ndarray):
            stored[name] = value
            words += ["--input", f"{name}={_described(value, _axes(model, name))}"]
        elif isinstance(value, list) and all(isinstance(item, np.ndarray) for item in value):
            stored |= {f"{name}.{number}": item for number, item in enumerate(value)}
        else:
            words += ["--input", f"{name}={value!r}"]
    if stored:
        np.savez(folder / "inputs.npz", **stored)
        words += ["--inputs", str(folder / "inputs.npz")]
    return [*words, "-o", str(folder / "model.onnx"), "--no-verify"]


def _axes(model: Model, name: str) -> dict[Any, str]:
    axes = model.dynamic_axes or {}
    return {0: axes} if isinstance(axes, str) else dict(axes.get(name, {}))


def _described(array: np.ndarray, axes: dict[Any, str]) -> str:
    sizes = (axes.get(axis, str(size)) for axis, size in enumerate(array.shape))
    return f"{array.dtype}[{','.join(sizes)}]"


def differs(model: Model) -> str | None:
    """Return what is wrong with what the command writes, None if nothing is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = CliRunner().invoke(app, command(model, folder))
        if result.exit_code:
            return f"exit code {result.exit_code}: {result.stderr or result.exception}"
        elichika.compile_model(
            model.build(),
            model.inputs(),
            folder / "same.onnx",
            method=model.method,
            dynamic_axes=model.dynamic_axes,
            static=model.static,
            verify=False,
        )
        same = (folder / "model.onnx").read_bytes() == (folder / "same.onnx").read_bytes()
        return None if same else "the files are not the same"


def main(names: list[str]) -> int:
    """Export the models of these names, or all; say which failed."""
    failed = False
    for model in ZOO:
        if model.name in NESTED or (names and model.name not in names):
            continue
        wrong = differs(model)
        failed = failed or wrong is not None
        sys.stdout.write(f"{model.name}: {wrong or 'the same file'}\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
