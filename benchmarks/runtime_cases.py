"""Cases for other runtimes: models with inputs, and what onnxruntime gives, in files that all read.

A case is `NAME.onnx` and `NAME.json`: a list of objects with `feeds` by input name and, in the
model's order, `outputs`, or `error` where the model has to fail.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import elichika
from benchmarks.encoding import encoded
from elichika.signature.feeds import feeds_from_leaves
from models import MODELS
from models.zoo import ZOO
from tests.programs import Program, compiled
from tests.walker import test_staging

__all__ = ["GROUPS", "same", "write"]

GROUPS = {
    "demo": "Models of `make demo`",
    "zoo": "Models of `make zoo`",
    "control-flow": "Programs with control flow",
}
MOST = 6
"""Inputs of a program."""
TOLERANCE = 1e-4
"""Of a float, relative to the largest of its output."""


def write(folder: Path, programs: int | None = None) -> None:
    """Write all cases, or with so many of the programs only and no models."""
    folder.mkdir(parents=True, exist_ok=True)
    write_programs(folder, test_staging.PROGRAMS[:programs])
    if programs is None:
        write_models(folder)


def write_programs(folder: Path, programs: Iterable[Program]) -> None:
    """Write those of the programs that are compiled."""
    for number, program in enumerate(programs):
        with suppress(elichika.ElichikaError):  # it is refused, and its table says so
            model, calls = compiled(program), copy.deepcopy(list(program.inputs[:MOST]))
            _write_case(folder / f"control-flow_{number:03}_{program.name}", model, calls)


def write_models(folder: Path) -> None:
    """Write the models but for the largest, which have no operators of their own."""
    small = [entry for entry in MODELS if not entry.large]
    for group, models in (("demo", small), ("zoo", ZOO)):
        for entry in models:
            model = elichika.compile_model(
                entry.build(),
                entry.inputs(),
                method=entry.method,
                dynamic_axes=entry.dynamic_axes,
                static=entry.static,
                verify=False,
            )
            calls = [entry.inputs(**sizes) for sizes in entry.sizes[:MOST]]
            _write_case(folder / f"{group}_{_plain(entry.name)}", model, calls)


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name).lower()


def _write_case(stem: Path, model: Any, calls: Sequence[Any]) -> None:
    cases = []
    for inputs in calls:
        try:
            leaves = model.signature.inputs.leaves(inputs, {})
            feeds = feeds_from_leaves(model.signature.inputs, leaves)
        except elichika.InputError:  # such a call does not reach the model
            continue
        case: dict[str, Any] = {"feeds": {name: encoded(value) for name, value in feeds.items()}}
        try:
            case["outputs"] = [encoded(value) for value in model.run_file(feeds, seconds=60)]
        except elichika.ModelRuntimeError as error:
            case["error"] = error.message
        cases.append(case)
    model.save(stem.with_suffix(".onnx"))
    stem.with_suffix(".json").write_text(json.dumps(cases))


def same(expected: list[Any], found: list[Any]) -> str | None:
    """Say in what outputs differ; None where they do not."""
    if len(expected) != len(found):
        return "another number of outputs"
    pairs = zip(expected, found, strict=True)
    return next(filter(None, (_difference(one, other) for one, other in pairs)), None)


def _difference(one: Any, other: Any) -> str | None:
    if isinstance(one, list) or isinstance(other, list):
        if not isinstance(one, list) or not isinstance(other, list):
            return "a sequence and a tensor"
        return same(one, other)
    if one.dtype != other.dtype:
        return f"dtype {other.dtype}, not {one.dtype}"
    if one.shape != other.shape:
        return f"shape {list(other.shape)}, not {list(one.shape)}"
    if one.dtype.kind != "f":
        wide = one.size and one.dtype.itemsize == 8 and int(np.abs(one).max()) >= 2**31
        kind = "integers of more than 32 bits" if wide else "integers or bools"
        if one.dtype == np.uint8 and np.abs(one.astype(int) - other).max(initial=0) == 1:
            kind = f"bytes, {np.mean(one != other):.2%} of them, by one"
        return None if np.array_equal(one, other) else f"other {kind}"
    if not np.array_equal(np.isfinite(one), np.isfinite(other)):
        return "other floats, not all of them finite"
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return "other floats, not all of them finite"
    scale = float(np.abs(one[finite]).max(initial=1e-30))
    off = float(np.abs(one[finite].astype(float) - other[finite]).max(initial=0)) / scale
    return f"other {one.dtype.name}, off by {off:.0e}" if off > TOLERANCE else None
