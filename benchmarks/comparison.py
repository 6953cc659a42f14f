"""Forty small programs beside PyTorch and TensorFlow: `make comparison` writes docs/comparison.md.

Each program is exported by each framework from its first inputs, with the sizes that change named,
and run in onnxruntime on all of them; what comes out is held against what that framework gives
itself. The other frameworks live in environments of their own, below `build/comparison`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import elichika
from benchmarks.comparison_programs import (
    BRANCHES,
    EXITS,
    LISTS,
    LOOPS,
    MODELS,
    PROGRAMS,
    SIZES,
    Program,
)
from elichika.model.inspection import count_nodes

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "comparison"
DOCUMENT = ROOT / "docs" / "comparison.md"
WAYS = {
    "elichika": "elichika",
    "torch": "PyTorch, dynamo",
    "scripted": "PyTorch, scripted",
    "tensorflow": "TensorFlow",
}
GROUPS = {
    "Branches": BRANCHES,
    "Loops": LOOPS,
    "Early exits": EXITS,
    "Lists": LISTS,
    "Attention, cells, search": MODELS,
    "Sizes": SIZES,
}
RUNS = 30
HEAD = """# Beside PyTorch and TensorFlow

Written by `make comparison`. Forty small programs, each written once for Chainer, PyTorch and
TensorFlow (`benchmarks/comparison_programs.py`), exported from one example with the changing sizes
named, and run in onnxruntime on new inputs. Each is compared with its own framework. *Right*: the
same on all inputs. **Wrong**: a file was written without an error, and silently gives something
else on that many of the inputs. *Fails*: the file ends in an error where the framework does not,
or onnxruntime does not load it. *Refused*: there is no file. After *right* stand the number of
operators in the file and the microseconds of one run on the last input: the median of runs in
turns with those of the others, on a machine that was doing other work, too.

The programs are plain Python, with `if`, `for` and lists, as users write it: PyTorch can export
more where a program is rewritten with `torch.cond` and `torch.while_loop`. They are of the kind
that elichika is made for, so the table says little of large models without control flow, of GPUs,
or of speed in training. AutoGraph's lists are `TensorArray`s, as its manual asks for.

"""


@dataclass
class Found:
    """What one way made of one program; where it is right, `run` runs it on the last input."""

    verdict: str
    nodes: int = 0
    microseconds: float = 0.0
    why: str = ""
    run: Callable[[], Any] | None = None

    def cell(self) -> str:
        """Return it as a cell of the table."""
        if self.verdict == "right":
            return f"right ({self.nodes}; {self.microseconds:.0f} µs)"
        return f"**{self.verdict}**" if self.verdict.startswith("wrong") else self.verdict


def by_elichika(program: Program, folder: Path) -> Found:
    """Compile a program, and compare it with Chainer."""
    path = folder / f"program_{PROGRAMS.index(program)}.py"
    path.write_text(program.source("chainer"))
    spec = importlib.util.spec_from_file_location(f"comparison_{PROGRAMS.index(program)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    chain = module.Net()
    axes = {
        name: {axis: f"{name}_{axis}" for axis in found} for name, found in program.dynamic.items()
    }
    try:
        model = elichika.compile_model(
            chain, dict(program.inputs[0]), dynamic_axes=axes or None, verify=False
        )
    except elichika.ElichikaError as error:
        return Found("refused", why=str(error).splitlines()[0])
    expected = [_own(chain, inputs) for inputs in program.inputs]
    return compared(model.proto, program, expected)


def _own(chain: Any, inputs: Mapping[str, Any]) -> np.ndarray[Any, Any] | None:
    try:
        value = chain(**inputs)
    except Exception:
        return None
    return np.asarray(getattr(value, "array", value))


def by_other(way: str) -> Iterator[Found]:
    """Compare what another framework exported."""
    found = json.loads((FOLDER / way / "found.json").read_text())
    for number, program in enumerate(PROGRAMS):
        row = found[program.name]
        if row["error"] is not None:
            yield Found("refused", why=row["error"])
            continue
        expected = []
        for index in range(len(program.inputs)):
            path = FOLDER / way / f"{number}_{index}.npy"
            expected.append(np.load(path) if path.exists() else None)
        yield compared(onnx.load(FOLDER / way / f"{number}.onnx"), program, expected)


def compared(
    proto: onnx.ModelProto, program: Program, expected: Sequence[np.ndarray[Any, Any] | None]
) -> Found:
    """Run a model on all inputs of a program, and hold it against what is expected."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(
            proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        return Found("fails to load", why=" ".join(str(error).split())[:200])
    wrong, failed, tried = 0, 0, 0
    last: Callable[[], Any] | None = None
    for inputs, wanted in zip(program.inputs, expected, strict=True):
        if wanted is None:
            continue
        tried += 1
        feeds = _feeds(session, inputs)
        try:
            actual = session.run(None, feeds)[0]
        except Exception:
            failed += 1
            continue
        last = lambda feeds=feeds: session.run(None, feeds)  # noqa: E731
        same = np.shape(actual) == wanted.shape
        wrong += not (same and np.allclose(actual, wanted, rtol=1e-4, atol=1e-5))
    nodes = count_nodes(proto.graph)
    if wrong:
        return Found(f"wrong on {wrong} of {tried}", nodes)
    if failed:
        return Found(f"fails on {failed} of {tried}", nodes)
    return Found("right", nodes, run=last)


def _feeds(session: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file takes of the inputs, under its names and in its dtypes."""
    dtypes = {"tensor(int32)": np.int32, "tensor(int64)": np.int64, "tensor(float)": np.float32}
    feeds = {}
    for port in session.get_inputs():
        name = port.name.partition(":")[0]
        feeds[port.name] = np.asarray(inputs[name], dtypes[port.type])
    return feeds


def measure(found: Sequence[Found]) -> None:
    """Measure what several ways made of one program, in turns: other work slows all of them."""
    times: list[list[float]] = [[] for _ in found]
    for _ in range(RUNS):
        for one, seconds in zip(found, times, strict=True):
            if one.run is not None:
                start = time.perf_counter()
                one.run()
                seconds.append(time.perf_counter() - start)
    for one, seconds in zip(found, times, strict=True):
        one.microseconds = 1e6 * sorted(seconds)[RUNS // 2] if seconds else 0.0


def document(found: Mapping[str, Sequence[Found]], versions: str) -> str:
    """Return the page."""
    ways = [way for way in WAYS if way in found]
    text = HEAD + _counts(found, ways)
    for title, group in GROUPS.items():
        head = f"\n## {title}\n\n| | {' | '.join(WAYS[way] for way in ways)} |\n"
        text += head + "|---|" + "---|" * len(ways) + "\n"
        for program in group:
            cells = [found[way][PROGRAMS.index(program)].cell() for way in ways]
            text += f"| {program.name} | {' | '.join(cells)} |\n"
    return text + _better(found, ways) + f"\n{versions}\n"


def _counts(found: Mapping[str, Sequence[Found]], ways: Sequence[str]) -> str:
    text = "| | right | wrong | fails | refused |\n|---|--:|--:|--:|--:|\n"
    for way in ways:
        of = [row.verdict.split()[0] for row in found[way]]
        counts = [of.count(word) for word in ("right", "wrong", "fails", "refused")]
        text += f"| {WAYS[way]} | {' | '.join(map(str, counts))} |\n"
    return text


def _better(found: Mapping[str, Sequence[Found]], ways: Sequence[str]) -> str:
    """Name the programs in which another one is right with fewer operators or in less time."""
    text = "\n## Where another one is better\n\n"
    for way in ways[1:]:
        fewer, faster, only = [], [], []
        for program, ours, theirs in zip(PROGRAMS, found[ways[0]], found[way], strict=True):
            if theirs.verdict != "right":
                continue
            if ours.verdict != "right":
                only.append(program.name)
                continue
            if theirs.nodes < ours.nodes:
                fewer.append(program.name)
            if theirs.microseconds < 0.8 * ours.microseconds:
                faster.append(program.name)
        for what, names in (
            ("right where elichika is not", only),
            ("fewer operators", fewer),
            ("at least a fifth faster", faster),
        ):
            text += f"- {WAYS[way]}, {what} ({len(names)}): {'; '.join(names) or 'none'}.\n"
    return text


def exported(way: str, python: Path) -> None:
    """Let another framework export all programs, in its environment."""
    script = ROOT / "benchmarks" / "comparison_exports.py"
    subprocess.run([python, "-W", "ignore", script, way, FOLDER / way], check=True)


def main() -> None:
    """Compare, and write the page."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", type=Path, help="a Python that has PyTorch and onnxscript")
    parser.add_argument("--tensorflow", type=Path, help="a Python that has TensorFlow and tf2onnx")
    parser.add_argument("--kept", action="store_true", help="take what was exported before")
    chosen = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = {"elichika": [by_elichika(program, FOLDER) for program in PROGRAMS]}
    versions = [f"elichika {elichika.__version__}", f"onnxruntime {onnxruntime.__version__}"]
    pythons = {
        "torch": chosen.torch,
        "scripted": chosen.torch,
        "tensorflow": chosen.tensorflow,
    }
    for way, python in pythons.items():
        if python is None:
            continue
        if not chosen.kept:
            exported(way, python)
        found[way] = list(by_other(way))
        versions += _versions(python, way)
    for rows in zip(*found.values(), strict=True):
        measure(rows)
    for way, rows in found.items():
        for program, row in zip(PROGRAMS, rows, strict=True):
            sys.stdout.write(f"{way:10} {program.name:32} {row.cell()} {row.why}\n")
    DOCUMENT.write_text(document(found, f"With {', '.join(dict.fromkeys(versions))}."))


def _versions(python: Path, way: str) -> list[str]:
    packages = ("tensorflow-cpu", "tf2onnx") if way == "tensorflow" else ("torch", "onnxscript")
    code = f"from importlib.metadata import version; print(*map(version, {packages!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return [f"{name} {said}" for name, said in zip(packages, done.stdout.split(), strict=True)]


if __name__ == "__main__":
    main()
