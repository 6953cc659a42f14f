"""Other runtimes than onnxruntime, for a second opinion on a model.

Each is a class with a `run` like that of `Session` in `session.py`. What they are able to do was
measured: `docs/runtimes.md`.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnx

from elichika.errors import InputError, ModelRuntimeError
from elichika.model.files import temporary_folder
from elichika.model.session import DeadlineError
from elichika.process.deadlines import called_within

__all__ = ["RUNTIMES", "OpenVINO", "Reference", "Runner", "runner"]

RUNTIMES = ("onnxruntime", "openvino", "reference")
LONGEST = 400
"""Characters of what a runtime says."""
NOISE = (
    "FrontEnd API failed with OpConversionFailure:",
    "Model wasn't fully converted.",
    "Failed operations detailed log:",
    "Check 'false'",
)
"""What OpenVINO says of every model that it cannot load."""
REPORTING = "openvino_telemetry"
TICK = 0.05
"""Seconds between two looks at the clock."""

_importing = threading.Lock()


class Runner(Protocol):
    """A model in a runtime."""

    def run(self, feeds: Mapping[str, Any], *, seconds: float | None = None) -> list[Any]:
        """Return all outputs, in the model's order.

        Raises:
            InputError: The runtime is not able to load the model.
            ModelRuntimeError: A run failed.
            DeadlineError: It took longer than `seconds`.
        """


def runner(name: str, write: Callable[[Path], None]) -> Runner:
    """Load a model into a runtime.

    Args:
        name: `openvino` or `reference`.
        write: Writes the model to a file.

    Raises:
        InputError: There is no such runtime, it is not installed, or it cannot load the model.
    """
    kinds: dict[str, Callable[[Path], Runner]] = {"openvino": OpenVINO, "reference": Reference}
    if name not in kinds:
        raise InputError(f"runtime is one of {', '.join(RUNTIMES)}, not {name!r}")
    with temporary_folder() as folder:
        path = folder / "model.onnx"
        write(path)
        return kinds[name](path)


class Reference:
    """A model in `onnx.reference.ReferenceEvaluator`: Python and numpy, slow.

    Three operators that it gets wrong are those of `elichika.model.reference_operators`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from onnx.reference import ReferenceEvaluator

        from elichika.model.reference_operators import OPERATORS

        try:
            self._evaluator = ReferenceEvaluator(onnx.load(os.fspath(path)), new_ops=[*OPERATORS])
        except Exception as error:  # whatever it raises on an operator that it lacks
            raise InputError(f"onnx's reference cannot load the model: {_text(error)}") from None

    def run(self, feeds: Mapping[str, Any], *, seconds: float | None = None) -> list[Any]:
        """Return all outputs; see `Runner`."""
        try:
            with np.errstate(all="ignore"):
                run = partial(self._evaluator.run, None, dict(feeds))
                results = called_within(seconds, _Stop, run)
        except _Stop:
            raise DeadlineError(f"stopped after {seconds:.1f} s") from None
        except Exception as error:
            raise ModelRuntimeError(f"onnx's reference failed: {_text(error)}") from error
        return [list(value) if isinstance(value, (list, tuple)) else value for value in results]


class _Stop(BaseException):
    """Raised inside a run that takes too long."""


class OpenVINO:
    """A model in OpenVINO, on the CPU, in the precision that the model has."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            with _importing, _unreported():
                openvino = import_module("openvino")
        except ModuleNotFoundError as error:
            if error.name != "openvino":
                raise
            raise InputError("openvino is not installed: pip install openvino") from None
        self._core = openvino.Core()
        try:
            self._read = self._core.read_model(os.fspath(path))
            self._compiled = self._compile()
        except RuntimeError as error:
            raise InputError(f"OpenVINO cannot load the model: {_text(error)}") from None

    def _compile(self) -> Any:
        return self._core.compile_model(self._read, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def run(self, feeds: Mapping[str, Any], *, seconds: float | None = None) -> list[Any]:
        """Return all outputs; see `Runner`."""
        request = self._compiled.create_infer_request()
        start = time.perf_counter()
        try:
            request.start_async(dict(feeds), share_inputs=False)
            while not request.wait_for(int(TICK * 1000)):
                if seconds is not None and time.perf_counter() - start > seconds:
                    request.cancel()
                    raise DeadlineError(f"stopped after {seconds:.1f} s")
            results = request.results
            return [np.array(results[port]) for port in self._compiled.outputs]
        except (RuntimeError, TypeError, ValueError) as error:
            self._compiled = self._compile()  # after a failure, it takes sizes for those before
            raise ModelRuntimeError(f"OpenVINO failed: {_text(error)}") from error


@contextmanager
def _unreported() -> Iterator[None]:
    """Import OpenVINO without the package that tells its makers, of which it has a stub."""
    modules: dict[str, Any] = sys.modules
    absent = REPORTING not in modules
    if absent:
        modules[REPORTING] = None
    try:
        yield
    finally:
        if absent:
            del modules[REPORTING]


def _text(error: BaseException) -> str:
    """Return what a runtime says, without the places in its own code."""
    text = re.sub(r"Exception from \S+:\d+:|failed at \S+:\d+:", "", str(error))
    for words in NOISE:
        text = text.replace(words, "")
    return f"{type(error).__name__}: {' '.join(text.split())}"[:LONGEST]
