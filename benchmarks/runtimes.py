"""What other runtimes make of our models: `python -m benchmarks.runtimes`; writes docs/runtimes.md.

The models of `models/` and the control-flow table are compiled, run in onnxruntime, and then in
OpenVINO, onnx's ReferenceEvaluator and onnxruntime-web under Node, as far as these are installed.
Each case that a runtime is not able to run, or runs to another result, has a reason: a gap of the
runtime that is listed here, or the exit code is 1. With `web` only onnxruntime-web is asked.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import onnx

from benchmarks.encoding import decoded, encoded, read
from benchmarks.runtime_cases import GROUPS, same, write
from benchmarks.runtime_gaps import GAPS
from elichika.errors import InputError, ModelRuntimeError
from elichika.model.runtimes import OpenVINO, Reference
from elichika.model.session import DeadlineError

DOCUMENT = Path("docs/runtimes.md")
CASES = Path("build/runtimes")
MODULES = Path("build/web/node_modules")
SECONDS = 5
RUNTIMES = ("openvino", "reference", "web")
TITLES = {
    "openvino": "OpenVINO",
    "reference": "onnx.reference",
    "web": "onnxruntime-web",
}
HEAD = """# Other runtimes

Written by `make runtimes`, which compiles the models of `models/` (all but the largest) and the
programs of the control-flow tables, runs them in onnxruntime on up to six inputs each, and
compares other runtimes with that. *Not able*: the runtime cannot load the model. *Does not fail*:
it gives a value where the model has to fail, as the chain does. Whatever is not the same has its
reason below, or is said to be unexplained. `elichika verify --runtime` runs a model in OpenVINO or
in onnx's own evaluator, whose wrong Loop, SequenceInsert and GatherElements are replaced by those
of `elichika/model/reference_operators.py`.
"""

OUTCOMES = ("same", "not able", "differs", "fails", "does not fail")


@dataclass(frozen=True)
class Verdict:
    """What a runtime makes of a case.

    Attributes:
        outcome: The worst over its inputs, of `OUTCOMES`.
        text: What the runtime says, or how it differs.
    """

    case: str
    outcome: str
    text: str = ""


def verdict(case: str, inputs: Sequence[Mapping[str, Any]], line: Mapping[str, Any]) -> Verdict:
    """Judge what a runtime wrote of a case."""
    if "refused" in line:
        return Verdict(case, "not able", line["refused"])
    found = Verdict(case, "same")
    for expected, run in zip(inputs, line["runs"], strict=True):
        if "error" in expected:
            if "error" not in run:
                found = Verdict(case, "does not fail", expected["error"])
        elif "error" in run:
            return Verdict(case, "fails", run["error"])
        else:
            outputs = [decoded(value) for value in run["outputs"]]
            text = same([decoded(value) for value in expected["outputs"]], outputs)
            if text is not None:
                return Verdict(case, "differs", text)
    return found


def in_python(runtime: str, folder: Path, done: int) -> None:
    """Run the cases after the first ones; print a line of JSON for each."""
    kind = {"openvino": OpenVINO, "reference": Reference}[runtime]
    for name, path, inputs in list(read(folder))[done:]:
        line: dict[str, Any] = {"case": name}
        try:
            model = kind(path)
            line["runs"] = [_one_run(model, case["feeds"]) for case in inputs]
        except InputError as error:
            line["refused"] = error.message
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _one_run(model: Any, feeds: Mapping[str, Any]) -> dict[str, Any]:
    try:
        results = model.run({k: decoded(v) for k, v in feeds.items()}, seconds=SECONDS)
    except (ModelRuntimeError, DeadlineError) as error:
        return {"error": str(error)}
    return {"outputs": [encoded(value) for value in results]}


def asked(runtime: str, folder: Path) -> Iterator[Verdict]:
    """Run all cases in a process that a crash of the runtime may end; yield what came of each."""
    cases = {name: inputs for name, _, inputs in read(folder)}
    done: dict[str, Verdict] = {}
    while len(done) < len(cases):
        if runtime == "web":
            words = ["node", "benchmarks/web.mjs", str(folder), str(MODULES.parent), str(len(done))]
        else:
            here = [sys.executable, "-W", "ignore", "-m", "benchmarks.runtimes"]
            words = [*here, "run", runtime, str(folder), str(len(done))]
        process = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        )
        for line in map(json.loads, process.stdout.splitlines()):
            done[line["case"]] = verdict(line["case"], cases[line["case"]], line)
        if len(done) < len(cases):
            crashed = next(name for name in cases if name not in done)
            done[crashed] = Verdict(crashed, "fails", f"the process ends: {process.returncode}")
    yield from done.values()


def operators_of(graph: onnx.GraphProto) -> set[str]:
    """Return all operators of a graph, those of its subgraphs included."""
    found = {node.op_type for node in graph.node}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found |= operators_of(attribute.g)
    return found


def reason(runtime: str, one: Verdict, folder: Path = CASES) -> str | None:
    """Return the gap of a runtime that a deviation comes of."""
    operators = operators_of(onnx.load(folder / f"{one.case}.onnx").graph)
    for gap in GAPS:
        if gap.explains(runtime, one.outcome, one.text, operators):
            return gap.reason
    return None


def document(found: Mapping[str, Sequence[Verdict]]) -> str:
    """Return the document, of what each runtime makes of each case."""
    lines = [HEAD]
    for group in GROUPS:
        lines += [f"## {GROUPS[group]}", "", f"| | {' | '.join(OUTCOMES)} |", f"|---{'|--:' * 5}|"]
        for runtime, verdicts in found.items():
            counts = Counter(one.outcome for one in verdicts if one.case.startswith(group))
            cells = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
            lines.append(f"| {TITLES[runtime]} {version(runtime)} | {cells} |")
        lines.append("")
    lines += ["## Why", "", "| runtime | | cases | reason | such as |", "|---|---|--:|---|---|"]
    for runtime, verdicts in found.items():
        reasons: dict[tuple[str, str], list[str]] = {}
        for one in verdicts:
            if one.outcome != "same":
                why = reason(runtime, one) or f"not explained: {one.text}"
                reasons.setdefault((one.outcome, why), []).append(one.case)
        for (outcome, why), cases in sorted(reasons.items(), key=lambda item: -len(item[1])):
            example = cases[0].split("_", 2 if cases[0].startswith("control") else 1)[-1]
            lines.append(f"| {TITLES[runtime]} | {outcome} | {len(cases)} | {why} | `{example}` |")
    return "\n".join(lines) + "\n"


def is_there(runtime: str) -> bool:
    """Tell whether a runtime can be asked here."""
    if runtime == "web":
        return shutil.which("node") is not None and (MODULES / "onnxruntime-web").is_dir()
    try:
        metadata.version(runtime if runtime == "openvino" else "onnx")
    except metadata.PackageNotFoundError:
        return False
    return True


def version(runtime: str) -> str:
    """Return the version of a runtime."""
    if runtime == "web":
        text = (MODULES / "onnxruntime-web" / "package.json").read_text()
        return str(json.loads(text)["version"])
    return metadata.version("openvino" if runtime == "openvino" else "onnx")


def main(words: Sequence[str]) -> int:
    """Ask all runtimes, or those named; write the document where all of them were asked."""
    if words[:1] == ["run"]:
        in_python(words[1], Path(words[2]), int(words[3]))
        return 0
    write(CASES)
    found: dict[str, list[Verdict]] = {}
    for runtime in words or RUNTIMES:
        if not is_there(runtime):
            sys.stdout.write(f"{TITLES[runtime]} is not installed\n")
            continue
        found[runtime] = list(asked(runtime, CASES))
        counts = Counter(one.outcome for one in found[runtime])
        sys.stdout.write(f"{TITLES[runtime]} {version(runtime)}: {dict(counts)}\n")
    unknown = [
        f"{TITLES[runtime]}: {one.case} {one.outcome}: {one.text}"
        for runtime, verdicts in found.items()
        for one in verdicts
        if one.outcome != "same" and reason(runtime, one) is None
    ]
    sys.stdout.write("".join(f"{line}\n" for line in unknown))
    if len(found) == len(RUNTIMES):
        DOCUMENT.write_text(document(found))
    return int(bool(unknown) or not found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
