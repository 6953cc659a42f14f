"""Exports the programs of the comparison by PyTorch or TensorFlow, in an environment of these.

`python comparison_exports.py torch|scripted|tensorflow FOLDER` writes, for each program, a model or
why there is none, and what the framework itself gives on each input. It imports nothing of
elichika.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from comparison_programs import PROGRAMS, Program


def loaded(program: Program, framework: str, folder: Path) -> Any:
    """Return the module of a program, which is written to a file first."""
    path = folder / f"program_{PROGRAMS.index(program)}.py"
    path.write_text(program.source(framework))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_torch(program: Program, folder: Path, path: Path, scripted: bool) -> Callable[..., Any]:
    """Export by PyTorch; return its own run."""
    import torch

    net = loaded(program, "torch", folder).Net().eval()

    def run(*values: Any) -> Any:
        with torch.no_grad():
            return net(*map(torch.as_tensor, values)).numpy()

    example = tuple(torch.as_tensor(value) for value in program.inputs[0].values())
    names = list(program.inputs[0])
    sizes = {
        name: {axis: f"{name}_{axis}" for axis in program.dynamic.get(name, ())} for name in names
    }

    def export() -> None:
        if scripted:
            torch.onnx.export(
                torch.jit.script(net), example, str(path), dynamo=False, input_names=names,
                dynamic_axes={name: axes for name, axes in sizes.items() if axes},
                opset_version=18,
            )  # fmt: skip
            return
        dims = {
            name: {axis: torch.export.Dim.DYNAMIC for axis in axes} or None
            for name, axes in sizes.items()
        }
        torch.onnx.export(net, example, str(path), dynamo=True, dynamic_shapes=dims, verbose=False)

    run.export = export  # type: ignore[attr-defined]
    return run


def by_tensorflow(program: Program, folder: Path, path: Path) -> Callable[..., Any]:
    """Export by AutoGraph and tf2onnx; return TensorFlow's own run."""
    import tensorflow as tf

    forward = loaded(program, "tensorflow", folder).forward

    def typed(value: Any) -> Any:
        return tf.constant(value, tf.int32 if type(value) is int else None)

    def run(*values: Any) -> Any:
        return forward(*map(typed, values)).numpy()

    def export() -> None:
        import tf2onnx

        specs = []
        for name, value in program.inputs[0].items():
            shape = list(np.shape(value))
            for axis in program.dynamic.get(name, ()):
                shape[axis] = None
            specs.append(tf.TensorSpec(shape, typed(value).dtype, name=name))
        function = tf.function(forward, input_signature=specs)
        tf2onnx.convert.from_function(
            function, input_signature=specs, opset=18, output_path=str(path)
        )

    run.export = export  # type: ignore[attr-defined]
    return run


def main(way: str, folder: Path) -> None:
    """Export all programs in one way."""
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for number, program in enumerate(PROGRAMS):
        path = folder / f"{number}.onnx"
        if way == "tensorflow":
            run = by_tensorflow(program, folder, path)
        else:
            run = by_torch(program, folder, path, way == "scripted")
        row: dict[str, Any] = {"error": None, "seconds": []}
        for index, inputs in enumerate(program.inputs):
            try:
                expected = run(*inputs.values())
                np.save(folder / f"{number}_{index}.npy", expected)
            except Exception as error:
                row[f"eager {index}"] = f"{type(error).__name__}: {error}"[:200]
        start = time.perf_counter()
        try:
            run.export()  # type: ignore[attr-defined]
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        row["seconds"] = time.perf_counter() - start
        found[program.name] = row
        sys.stderr.write(f"{way} {program.name}: {row['error'] or 'exported'}\n")
    (folder / "found.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
