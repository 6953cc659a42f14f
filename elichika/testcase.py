"""A model with the data that shows it: the layout of ONNX's own backend tests.

DIR/model.onnx
DIR/test_data_set_0/input_0.pb, …, output_0.pb, …
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from elichika.errors import InputError
from elichika.signature.feeds import feeds_from_leaves

if TYPE_CHECKING:
    from elichika.compiled import CompiledModel

__all__ = ["write_testcase"]


def write_testcase(model: CompiledModel, folder: str | os.PathLike[str]) -> None:
    """Write a model, its example inputs, and what onnxruntime makes of them.

    Args:
        model: A model that was compiled in this process, so that it knows its examples.
        folder: Where to write; it is made if it is missing, its files are replaced.

    Raises:
        InputError: The folder cannot be written, or the model was loaded from a file.
    """
    specs = model.signature.inputs.specs
    if any(spec.example is None for spec in specs):
        raise InputError("A model loaded from a file has no example inputs to write.")
    model.reset()
    feeds = {
        **feeds_from_leaves(model.signature.inputs, [spec.example for spec in specs]),
        **model.state,
    }
    results = model.session.run(feeds)
    names = [item.name for item in model.session.inference.get_outputs()]
    data = Path(folder) / "test_data_set_0"
    try:
        data.mkdir(parents=True, exist_ok=True)
        for old in (*data.glob("input_*.pb"), *data.glob("output_*.pb")):
            old.unlink()
        for number, port in enumerate(model.session.inference.get_inputs()):
            _write(data / f"input_{number}.pb", port.name, feeds[port.name])
        for number, (name, value) in enumerate(zip(names, results, strict=True)):
            _write(data / f"output_{number}.pb", name, value)
    except OSError as error:
        raise InputError(f"Cannot write {folder}: {error.strerror or error}.") from None
    model.save(Path(folder) / "model.onnx")


def _write(path: Path, name: str, value: Any) -> None:
    helper = onnx.numpy_helper
    proto: Any
    if value is None:
        proto = helper.from_optional(None, name)
    elif isinstance(value, list):
        proto = helper.from_list([np.asarray(item) for item in value], name)
    else:
        proto = helper.from_array(np.asarray(value), name)
    path.write_bytes(proto.SerializeToString())
