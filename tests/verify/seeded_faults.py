"""How many seeded faults the default verification finds: `make faults`.

Each fault goes into a model that was compiled from a program of the control-flow tables or of
`models/`. One that the runtime does not load is none: another is drawn. One that verification does
not find is run beside the right model on some hundred other inputs, among them all those of the
table. Only where both give the same bits on all of them, or fail alike, is it called equivalent; it
is shown with its place, so that a reader can see why.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import elichika
from elichika.model.session import DeadlineError
from elichika.signature.feeds import feeds_from_leaves
from elichika.signature.reading import read_call
from elichika.verify.compare import compare
from elichika.verify.derive import Trial, derived
from models.zoo import ZOO
from tests.programs import REFUSED, Program, chain_of, outcome
from tests.verify.faults import Fault, faults
from tests.workers import Died, results

TABLES = (
    "test_arrays",
    "test_branches",
    "containers.test_lists",
    "test_loops",
    "test_algorithms_of_models",
    "test_algorithms_on_numbers",
    "test_algorithms_on_series",
    "test_algorithms_on_graphs",
    "test_recursion",
)
MODELS = (
    "K-means",
    "L-BFGS",
    "Principal components",
    "Memory network",
    "BiLSTM-CRF tagger, Viterbi",
)
SECONDS = 180.0
"""The longest that one fault may take; the process is ended then, and the fault found."""
TIMES = 40
"""How often another fault is drawn where the runtime does not load one."""
SEEDS = 6
OTHERS = 300
"""Inputs on which a fault that was not found is held against the right model."""
LEAST = 0.95
FOUND, MISSED, SAME, SMALL = "found", "missed", "equivalent", "below the tolerance"
BROKEN = "not judged"


@dataclass(frozen=True)
class Judged:
    """What became of a fault."""

    verdict: str
    kind: str
    place: str
    program: str
    detail: str = ""


@cache
def subjects() -> dict[str, Program]:
    """Return the programs, by name."""
    found = {}
    for name in TABLES:
        module = import_module(f"tests.walker.{name}")
        for value in vars(module).values():
            for program in getattr(value, "programs", ()):
                if isinstance(program, Program) and not program.refuse:
                    found[f"{name.rpartition('test_')[2]}.{program.name}"] = program
    return found


@dataclass
class Subject:
    """A compiled program, its chain and the inputs to compare on."""

    model: Any
    chain: Any
    inputs: Sequence[tuple[Any, ...]]


@cache
def subject(name: str) -> Subject | None:
    """Compile a program; None where it is refused, or has no graph to speak of."""
    try:
        if name in subjects():
            program = subjects()[name]
            chain, inputs, axes = chain_of(program), program.inputs, program.axes
            model = elichika.compile_model(chain, inputs[0], dynamic_axes=axes, verify=False)
        else:
            (entry,) = (model for model in ZOO if model.name == name)
            chain = entry.build()
            inputs = [entry.inputs(**sizes) for sizes in entry.sizes]
            model = elichika.compile_model(
                chain,
                inputs[0],
                dynamic_axes=entry.dynamic_axes,
                static=entry.static,
                method=entry.method,
                verify=False,
            )
    except (*REFUSED, elichika.ElichikaError):
        return None
    return Subject(model, chain, inputs)


@cache
def seen_values(name: str) -> dict[str, Any]:
    """Return the whole numbers and bools of the main graph on the example."""
    found = subject(name)
    assert found is not None
    proto = onnx.ModelProto.FromString(found.model.proto.SerializeToString())
    shaped = onnx.shape_inference.infer_shapes(proto)
    wanted = [
        value
        for value in shaped.graph.value_info
        if value.type.HasField("tensor_type")
        and value.type.tensor_type.elem_type in (onnx.TensorProto.INT64, onnx.TensorProto.BOOL)
    ]
    del proto.graph.output[:]
    proto.graph.output.extend(wanted)
    if not wanted:
        return {}
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    leaves = [spec.to_python(spec.example) for spec in found.model.signature.inputs.specs]
    feeds = dict(feeds_from_leaves(found.model.signature.inputs, leaves))
    return dict(zip([value.name for value in wanted], session.run(None, feeds), strict=True))


def answered(number: int, seed: int) -> Judged:
    """Judge in a process of its own, and say so where that itself goes wrong."""
    try:
        return judged(number, seed)
    except Exception as error:
        return Judged(BROKEN, "any", f"fault {number}", "", f"{type(error).__name__}: {error}")


def judged(number: int, seed: int) -> Judged:
    """Draw a fault, and say what becomes of it."""
    warnings.simplefilter("ignore")
    draw = random.Random(f"{seed}/{number}")
    names = [*subjects(), *MODELS * 4]
    for _ in range(TIMES):
        name = draw.choice(names)
        found = subject(name)
        if found is None:
            continue
        proto = onnx.ModelProto.FromString(found.model.proto.SerializeToString())
        kinds = faults(proto, seen_values(name))
        if not kinds:
            continue
        fault = draw.choice(kinds[draw.choice(sorted(kinds))])
        fault.make()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fault.onnx"
            onnx.save(proto, str(path))
            if _loads(path):
                return _judged(name, found, fault, path)
    raise AssertionError("no fault that the runtime loads was drawn")


def _loads(path: Path) -> bool:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:  # whatever it raises on a graph that is none
        return False
    return True


def _judged(name: str, found: Subject, fault: Fault, path: Path) -> Judged:
    wrong = elichika.load(path)
    try:
        wrong.verify(found.inputs[0], chain=found.chain)
    except elichika.VerificationError as error:
        return Judged(FOUND, fault.kind, fault.place, name, error.message)
    verdict, detail = _beside(found, wrong)
    return Judged(verdict, fault.kind, fault.place, name, detail)


def _beside(found: Subject, wrong: Any) -> tuple[str, str]:
    """Compare the right model and the wrong one on other inputs."""
    verdict, detail, count = SAME, "", 0
    for trial in islice(_others(found), OTHERS):
        count += 1
        right, other = (_run(model, trial) for model in (found.model, wrong))
        if _alike(right, other):
            continue
        eager = _eager(found, trial)
        if isinstance(eager, Exception) != isinstance(right, Exception):
            continue  # no input of this kind: Chainer or numpy refuse it, and the model need not
        if isinstance(right, Exception) or isinstance(other, Exception):
            return MISSED, f"{trial.text}: {_said(right)}, not {_said(other)}"
        outputs = found.model.signature.outputs
        if compare(right, other, outputs.structure, outputs.specs).differences:
            return MISSED, f"{trial.text}: {_said(right)}, not {_said(other)}"
        verdict = SMALL
    return verdict, detail or f"on {count} other inputs"


def _others(found: Subject) -> Iterator[Trial]:
    signature = found.model.signature.inputs
    for number, inputs in enumerate(found.inputs):
        yield Trial(f"inputs {number}", read_call(signature, inputs))
    for seed in range(SEEDS):
        for inputs in found.inputs:
            yield from derived(signature.specs, read_call(signature, inputs), seed)


def _values(found: Subject, trial: Trial) -> list[Any]:
    specs = found.model.signature.inputs.specs
    return [spec.to_python(leaf) for spec, leaf in zip(specs, trial.leaves, strict=True)]


def _run(model: Any, trial: Trial) -> Any:
    specs = model.signature.inputs.specs
    leaves = [spec.to_python(leaf) for spec, leaf in zip(specs, trial.leaves, strict=True)]
    try:
        return model.call_with(leaves, seconds=5.0)
    except (elichika.ElichikaError, DeadlineError) as error:
        return error


def _eager(found: Subject, trial: Trial) -> Any:
    signature = found.model.signature
    call = signature.inputs.rebuild(_values(found, trial))
    method = signature.method
    function = found.chain if method is None else getattr(found.chain, method)
    return outcome(lambda: function(*call.args, **call.kwargs), ())


def _alike(right: Any, other: Any) -> bool:
    if isinstance(right, Exception) or isinstance(other, Exception):
        return isinstance(right, Exception) and isinstance(other, Exception)
    return repr(_plain(right)) == repr(_plain(other))


def _plain(value: Any) -> Any:
    """Return a result with the bytes of its arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return type(value).__name__, array.dtype.str, array.shape, array.tobytes()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [_plain(item) for item in value]
    return value


def _said(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 90 else f"{text[:90]} …"


def main(arguments: Sequence[str] | None = None) -> int:
    """Seed faults and print what was found; 1 where it is too little."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args(arguments)
    tasks = [(number, chosen.seed) for number in range(chosen.count)]
    all_of: list[Judged] = []
    for task, answer in results(answered, tasks, chosen.jobs, SECONDS):
        if isinstance(answer, Died):
            answer = Judged(FOUND, "any", f"fault {task[0]}", "", f"the process dies: {answer}")
        all_of.append(answer)
        if answer.verdict != FOUND:
            print(f"{answer.verdict}: {answer.kind}: {answer.program}: {answer.place}")
            print(f"    {answer.detail}", flush=True)
    return summed(all_of)


def summed(all_of: Sequence[Judged]) -> int:
    """Print how many were found; 1 where it is too little."""
    counts = Counter(one.verdict for one in all_of)
    told = counts[FOUND] + counts[MISSED]
    for kind in sorted({one.kind for one in all_of}):
        verdicts = Counter(one.verdict for one in all_of if one.kind == kind)
        print(f"{kind}: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    print(
        f"{counts[FOUND]} of {told} faults found ({counts[FOUND] / max(told, 1):.1%}); besides, "
        f"{counts[SAME]} that change no bit on {OTHERS} other inputs and {counts[SMALL]} below "
        "the tolerance"
    )
    return int(counts[FOUND] < LEAST * told or counts[BROKEN] > 0)


if __name__ == "__main__":
    sys.exit(main())
