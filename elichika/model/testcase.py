"""A model with the data that shows it: the layout of ONNX's own backend tests.

DIR/model.onnx
DIR/test_data_set_0/input_0.pb, …, output_0.pb, …
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from elichika.errors import InputError
from elichika.model.files import refusing, temporary_folder
from elichika.signature.feeds import feeds_from_leaves

if TYPE_CHECKING:
    from elichika.model.compiled import CompiledModel

__all__ = ["write_testcase"]


def write_testcase(model: CompiledModel, folder: str | os.PathLike[str]) -> None:
    """Write a model, its example inputs, and what onnxruntime makes of them.

    Args:
        model: A model that was compiled in this process, so that it knows its examples.
        folder: Where to write; it is made if it is missing. Its files are replaced, all of them
            when all are written.

    Raises:
        InputError: The folder cannot be written, or the model was loaded from a file.
    """
    inputs = model.signature.inputs
    if not inputs.examples:
        raise InputError("A model loaded from a file has no example inputs to write.")
    model.reset()
    feeds = {
        **feeds_from_leaves(inputs, inputs.examples[0]),
        **model.state,
    }
    results = model.run_file(feeds)
    names = [item.name for item in model.session.get_outputs()]
    protos = {
        f"input_{number}.pb": _proto(port.name, feeds[port.name])
        for number, port in enumerate(model.session.get_inputs())
    }
    for number, (name, value) in enumerate(zip(names, results, strict=True)):
        protos[f"output_{number}.pb"] = _proto(name, value)
    with refusing("write", folder):
        _replace(Path(folder) / "test_data_set_0", protos)
    model.save(Path(folder) / "model.onnx")


def _replace(folder: Path, protos: Mapping[str, bytes]) -> None:
    """Write all files, then put them in the place of the old ones."""
    folder.mkdir(parents=True, exist_ok=True)
    with temporary_folder(folder) as partial:
        for name, data in protos.items():
            (partial / name).write_bytes(data)
        for name in protos:
            os.replace(partial / name, folder / name)
    for old in (*folder.glob("input_*.pb"), *folder.glob("output_*.pb")):
        if old.name not in protos:
            old.unlink()


def _proto(name: str, value: Any) -> bytes:
    helper = onnx.numpy_helper
    proto: Any
    if value is None:
        proto = helper.from_optional(None, name)
    elif isinstance(value, list):
        proto = helper.from_list([np.asarray(item) for item in value], name)
    else:
        proto = helper.from_array(np.asarray(value), name)
    return bytes(proto.SerializeToString())
