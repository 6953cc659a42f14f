"""Runs models and programs on onnxruntime's CUDA provider: `python -m benchmarks.gpu`.

The models of `make demo` and `make zoo` but for the largest, and the programs of the control-flow
tables, are compared with eager Chainer on the CPU at the usual tolerances; times are held against
the CPU provider's, with inputs and outputs bound to the device too. Where there is no GPU it says
so, and that nothing was tested. The exit code is 1 where something differs.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chainer
import onnxruntime
from onnxruntime import OrtValue

import elichika
from benchmarks.demo import milliseconds
from elichika.signature.feeds import feeds_from_leaves
from models import MODELS, Model
from models.zoo import ZOO
from tests.models.parity import assert_same, worst_difference
from tests.programs import Program, compiled, differences
from tests.walker import test_staging

__all__ = ["main"]

CUDA = "CUDAExecutionProvider"
EXACT: Any = (CUDA, {"use_tf32": "0"})
FAST: Any = (CUDA, {"use_tf32": "1"})
CPU = "CPUExecutionProvider"
FILE = Path("build/gpu/model.onnx")


@dataclass(frozen=True)
class Row:
    """What a model does on the GPU; times in milliseconds."""

    name: str
    worst: float
    tf32: float
    cpu: float
    gpu: float
    bound: float

    def __str__(self) -> str:
        errors = f"error {self.worst:.0e}, {self.tf32:.0e} with TF32"
        times = f"CPU {self.cpu:.1f} ms, GPU {self.gpu:.1f}, bound {self.bound:.1f}"
        return f"{self.name}: {errors}; {times}"


def loaded(model: Any, provider: Any) -> Any:
    """Return the same model with another provider."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    model.save(FILE)
    other = elichika.load(FILE, providers=[provider])
    _ = other.session  # the next model takes the place of the file
    return other


def eager(chain: Any, model: Model, inputs: Any) -> Any:
    """Run the chain on the CPU."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return getattr(chain, model.method)(*copy.deepcopy(inputs))


def bound_run(model: Any, inputs: Any) -> Any:
    """Return a run whose inputs and outputs lie on the device; None where there are lists."""
    device = "cuda" if CUDA in model.session.get_providers() else "cpu"
    leaves = model.signature.inputs.leaves(inputs, {})
    feeds = feeds_from_leaves(model.signature.inputs, leaves)
    try:
        given = {name: OrtValue.ortvalue_from_numpy(value, device) for name, value in feeds.items()}
        return model.bind(given, device=device)
    except (elichika.InputError, RuntimeError):  # onnxruntime binds no lists
        return None


def row(model: Model, exact: Any = EXACT, fast: Any = FAST) -> Row:
    """Compare one model at all its sizes.

    Raises:
        AssertionError: It differs from the chain.
    """
    chain, example = model.build(), model.inputs()
    here = elichika.compile_model(
        chain,
        example,
        method=model.method,
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
    )
    there, quick = loaded(here, exact), loaded(here, fast)
    worst = tf32 = 0.0
    for sizes in model.sizes:
        inputs = model.inputs(**sizes)
        expected, found = eager(chain, model, inputs), there(*inputs)
        assert_same(expected, found, loosened=model.loosened, flips=model.flips)
        worst = max(worst, worst_difference(expected, found))
        try:
            tf32 = max(tf32, worst_difference(expected, quick(*inputs)))
        except (ValueError, IndexError, KeyError):  # it took another branch
            tf32 = float("inf")
    bound = bound_run(there, example)
    times = [milliseconds(lambda one=one: one(*example)) for one in (here, there)]
    return Row(
        model.name, worst, tf32, *times, milliseconds(bound) if bound is not None else float("nan")
    )


def different(programs: Sequence[Program], provider: Any = EXACT) -> Iterator[str]:
    """Yield the programs that give something else on the GPU than the chain, and how."""
    for program in programs:
        try:
            there = loaded(compiled(program), provider)
        except elichika.ElichikaError:
            continue  # it is refused, and its table says so
        for text in differences(program, there)[:1]:
            yield f"{program.name}: {text}"


def main() -> int:
    """Run all of it, where there is a GPU."""
    if CUDA not in onnxruntime.get_available_providers():
        sys.stdout.write("no GPU here: untested\n")
        return 0
    failed = 0
    for model in (*(one for one in MODELS if not one.large), *ZOO):
        try:
            sys.stdout.write(f"{row(model)}\n")
        except (AssertionError, elichika.ElichikaError) as error:
            failed += 1
            sys.stdout.write(f"{model.name}: DIFFERENT: {error}\n")
        sys.stdout.flush()
    found = list(different(test_staging.PROGRAMS))
    sys.stdout.write("".join(f"{text}\n" for text in found))
    sys.stdout.write(f"{len(test_staging.PROGRAMS)} programs, {len(found)} different\n")
    return int(bool(failed or found))


if __name__ == "__main__":
    sys.exit(main())
