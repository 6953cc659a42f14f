"""Writes every model of `models/` with inputs and Chainer's outputs, for runtimes without Chainer.

`python -m benchmarks.write_cases FOLDER`, then, in any environment with numpy and an onnxruntime,
`python benchmarks/run_cases.py FOLDER`.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import chainer
import numpy as np

import elichika
from models import MODELS


def main(folder: Path) -> None:
    """Write `NAME.onnx` and `NAME.pickle`, a list of pairs of inputs and expected outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    for model in MODELS:
        chain, stem = model.build(), folder / model.name.replace(" ", "_").lower()
        elichika.compile_model(
            chain,
            model.inputs(),
            stem.with_suffix(".onnx"),
            dynamic_axes=model.dynamic_axes,
            static=model.static,
            verify=False,
        )
        cases = []
        for sizes in model.sizes:
            inputs = model.inputs(**sizes)
            with chainer.using_config("train", False), chainer.no_backprop_mode():
                cases.append((inputs[0], outputs(chain(*inputs))))
        stem.with_suffix(".pickle").write_bytes(pickle.dumps(cases))


def outputs(y: Any) -> list[np.ndarray | list[np.ndarray]]:
    """Put what a chain of `models/` returns as onnxruntime does: a list is one sequence."""
    if isinstance(y, dict):
        return [chainer.as_array(part) for part in y.values()]
    if isinstance(y, list):
        return [[chainer.as_array(part) for part in y]]
    return [chainer.as_array(y)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
