"""What tools make of our files: `python -m benchmarks.tools`, run by `make tools`.

The six models of `models/small.py`, and one with a check at run time, are compiled here;
`benchmarks/apply_tools.py` lets each tool change each of them, in an environment of the tools, and
runs what comes out. That is compared with eager Chainer. The table goes into docs/deploying.md; the
exit code is 1 where a tool does not do what is expected of it and no gap of the tool, listed here,
says why.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chainer
import numpy as np
from chainer import links as L

import elichika
from benchmarks.apply_tools import TOOLS
from benchmarks.encoding import decoded, encoded
from benchmarks.tool_readers import MODULES
from elichika.signature.feeds import feeds_from_leaves
from models.small import SMALL, Small
from tests.models.parity import assert_same, eager, worst_difference

CASES = Path("build/tools")
DOCUMENT = Path("docs/deploying.md")
BEGIN, END = "<!-- written by make tools -->\n", "<!-- end -->\n"
SECONDS = 120
QUANTIZED, HALF = 0.1, 0.01
"""The largest difference of a float that is expected, as a part of the largest of its output."""
TOLERANCES = {
    "quantize_dynamic": QUANTIZED,
    "quantize_dynamic, EnableSubgraph": QUANTIZED,
    "quantize_dynamic, EnableSubgraph, QUInt8": QUANTIZED,
    "quant_pre_process, quantize_dynamic, QUInt8": QUANTIZED,
    "float16 of onnxconverter-common": HALF,
    "float16 of onnxruntime": HALF,
}
"""Of the tools that lose digits; the others are held to the contract's tolerances."""
SUBGRAPHS = ", EnableSubgraph"
NAMED = ("netron", "openvino", "torch")
"""Tools whose names do not begin with onnx."""
TENSORS = "its words as a tensor"
"""The decoder, compiled with `tensors=True`."""
COLUMNS = ("CNN", "LSTM", "encoder", "GRU", "attention", "decoder", TENSORS, "check")
"""The models, in their order."""


class Positive(chainer.Chain):
    """Raises where a number is not positive."""

    def forward(self, x: Any) -> Any:
        """Return numbers [rows, 3] doubled."""
        assert (x > 0).all(), "not positive"
        return x * 2


CHECKED = Small(
    "a check",
    Positive,
    tuple((np.full((rows, 3), sign, np.float32),) for rows, sign in ((2, 1), (4, 3), (2, -1))),
    {"x": {0: "rows"}},
)
MODELS = (*SMALL, SMALL[-1], CHECKED)


@dataclass(frozen=True)
class Gap:
    """What a tool is known not to do: `tools` and `pattern` are regular expressions."""

    tools: str
    outcome: str
    pattern: str
    reason: str


GAPS = (
    Gap(
        "symbolic",
        "refused",
        "make_sequence_value_info",
        "for SplitToSequence it calls a function that onnx has under another name; a file compiled "
        "with `tensors=True` has none. `quant_pre_process` goes without it: "
        "`skip_symbolic_shape=True`, as here",
    ),
    Gap(
        "quant_pre_process, quantize",
        "refused",
        "Inferred shape and existing shape differ",
        "onnxruntime's optimizer lists the types of weights that it computes, and its quantizer "
        "transposes those and not the list. Quantize without `quant_pre_process`, or with "
        "`skip_optimization=True`",
    ),
    Gap(
        "onnx2torch",
        "refused",
        "operation_type='(If|Loop)'",
        "it has no If and no Loop",
    ),
    Gap(
        "onnx2torch",
        "refused",
        "allowzero=1",
        "it has no Loop, nor a Reshape to sizes that may be 0 (`allowzero`)",
    ),
    Gap(
        "OpenVINO",
        "refused",
        "SplitToSequence: .* requires static dimension",
        "it makes only lists whose length it knows beforehand; a file compiled with `tensors=True` "
        "has none",
    ),
    Gap(
        "onnxruntime-web",
        "refused",
        "non-tensor typed value",
        "its JavaScript API passes no lists out; a file compiled with `tensors=True` has none",
    ),
    Gap(
        "",
        "differs",
        "^a value where the chain raises",
        "it takes a Reshape to the sizes that a value has anyway for nothing, and the check in it",
    ),
    Gap(
        f"^quantize_dynamic({SUBGRAPHS})?$",
        "differs",
        "^off by",
        "an x86 processor without VNNI instructions adds the products of signed weights in sixteen "
        "bits, which are too few for some. Quantize to QUInt8",
    ),
    Gap(
        f"^quantize_dynamic({SUBGRAPHS})?$",
        "differs",
        "^other words",
        "eight bits choose the other one of two words that are about as good, and what follows it "
        "follows that; so does eager Chainer with weights that are rounded to eight bits",
    ),
)


@dataclass(frozen=True)
class Verdict:
    """What a tool made of a model.

    Attributes:
        outcome: `same`, `near`, `nothing to do`, `refused`, `fails` or `differs`.
        text: What the tool says, or how the result differs.
        quantized: How many operators of integers there are.
        off: The largest difference, as a part of the largest number.
    """

    outcome: str
    text: str = ""
    quantized: int = 0
    off: float = 0.0


@dataclass(frozen=True)
class Case:
    """A model, compiled.

    Attributes:
        stem: Where its file and inputs are, without the ending.
        model: The model.
        expected: What the chain gives of each of the inputs.
        layers: The attributes of the chain that are links with parameters; without normalizations,
            which became part of the weights before them.
    """

    stem: Path
    model: Any
    expected: Sequence[Any]
    layers: set[str]


def write_case(number: int, small: Small) -> Case:
    """Compile a model, and write it with its inputs."""
    chain, stem = small.build(), CASES / str(number)
    model = elichika.compile_model(
        chain,
        small.inputs[0],
        stem.with_suffix(".onnx"),
        dynamic_axes=small.dynamic_axes,
        tensors=COLUMNS[number] == TENSORS,
    )
    cases = []
    for inputs in small.inputs:
        leaves = model.signature.inputs.leaves(inputs, {})
        feeds = feeds_from_leaves(model.signature.inputs, leaves)
        cases.append({"feeds": {name: encoded(value) for name, value in feeds.items()}})
    stem.with_suffix(".json").write_text(json.dumps(cases))
    layers = {name.split("/")[1] for name, _ in chain.namedparams() if name.count("/") > 1}
    layers -= {name for name in layers if type(chain[name]) is L.BatchNormalization}
    return Case(stem, model, [given(chain, inputs) for inputs in small.inputs], layers)


def given(chain: chainer.Chain, inputs: Any) -> Any:
    """Return what a chain gives, as arrays; an AssertionError that it raises."""
    try:
        y = eager(chain, *inputs)
    except AssertionError as error:
        return error
    return y if isinstance(y, list) else chainer.as_array(y)


def asked(python: str, tool: str, case: Case) -> dict[str, Any]:
    """Let a tool have a model in a process of its own; return what that says."""
    words = [python, "-W", "ignore", "-m", "benchmarks.apply_tools", tool, str(case.stem)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"fails": f"it takes longer than {SECONDS} s"}
    if done.returncode:
        return {"fails": f"the process ends: {done.returncode} {done.stderr[-200:]}"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def verdict(tool: str, said: dict[str, Any], case: Case) -> Verdict:
    """Hold what a tool's file gives against what the chain gives."""
    for outcome in ("refused", "fails", "differs"):
        if outcome in said:
            return Verdict(outcome, said[outcome])
    if "shown" in said:
        return of_names(said["shown"], case.layers)
    quantized = said.get("quantized", 0)
    parts = []
    for wanted, outputs in zip(case.expected, said["outputs"], strict=True):
        one = of_run(tool, case.model, wanted, outputs)
        if one.outcome != "near":
            return Verdict(one.outcome, one.text, quantized)
        parts.append(one.off)
    if tool not in TOLERANCES:
        return Verdict("same")
    if "quantize" in tool and not quantized:
        return Verdict("nothing to do")
    return Verdict("near", f"{max(parts):.2%}" if max(parts) else "same", quantized)


def of_names(names: Sequence[str], layers: set[str]) -> Verdict:
    """Tell whether the names of nodes, as they are shown, have all layers of a chain."""
    missing = [one for one in sorted(layers) if not any(n.startswith(f"/{one}/") for n in names)]
    return Verdict("differs", f"no node says /{missing[0]}") if missing else Verdict("same")


def of_run(tool: str, model: Any, wanted: Any, outputs: Any) -> Verdict:
    """Hold what one run gives against what the chain gives: near, or what is wrong with it."""
    if isinstance(wanted, AssertionError):
        if isinstance(outputs, str):
            return Verdict("near")
        return Verdict("differs", "a value where the chain raises")
    if isinstance(outputs, str):
        return Verdict("fails", outputs)
    found = model.signature.outputs.rebuild([decoded(value) for value in outputs])
    bound = TOLERANCES.get(tool)
    if bound is None:
        try:
            assert_same(wanted, found)
        except AssertionError as error:
            return Verdict("differs", str(error))
        return Verdict("near")
    if isinstance(wanted, list):
        if wanted == found:
            return Verdict("near")
        return Verdict("differs", f"other words: {found}, not {wanted}")
    if (wanted.dtype, wanted.shape) != (found.dtype, found.shape):
        return Verdict("differs", f"{found.dtype}{found.shape}")
    off = worst_difference(wanted, found)
    if not off <= bound:  # nor where it is nan
        return Verdict("differs", f"off by {off:.1%}")
    return Verdict("near", off=off)


def reason(tool: str, one: Verdict) -> str | None:
    """Return the gap of the tool that a verdict comes of."""
    for gap in GAPS:
        fits = re.search(gap.tools, tool) and gap.outcome == one.outcome
        if fits and re.search(gap.pattern, one.text):
            return gap.reason
    return None


def cells(tool: str, verdicts: Sequence[Verdict], reasons: list[str]) -> Iterator[str]:
    """Yield the text of each cell; reasons are numbered in the order of their use."""
    yield f"`{tool}`" if "_" in tool.split()[0] else tool
    for one in verdicts:
        text = one.text if one.outcome == "near" else one.outcome
        if one.quantized and one.outcome == "near":
            text += f", {one.quantized}"
        if one.outcome in ("refused", "fails", "differs"):
            why = reason(tool, one) or f"not explained: {one.text}"
            if why not in reasons:
                reasons.append(why)
            text += f" ({reasons.index(why) + 1})"
        yield text


def table(found: dict[str, list[Verdict]], versions: str) -> str:
    """Return the table, and the reasons below it."""
    reasons: list[str] = []
    lines = [f"| | {' | '.join(COLUMNS)} |", f"|---{'|--:' * len(COLUMNS)}|"]
    lines += [f"| {' | '.join(cells(tool, one, reasons))} |" for tool, one in found.items()]
    lines += ["", *(f"{n}. {text[0].upper()}{text[1:]}." for n, text in enumerate(reasons, 1))]
    return "\n".join([*lines, "", versions, ""])


def versions(python: str) -> str:
    """Return the versions of the tools."""
    words = [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    listed = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    found = {one["name"]: one["version"] for one in listed}
    named = [name for name in found if name.startswith("onnx") or name in NAMED]
    web = json.loads((MODULES / "node_modules/onnxruntime-web/package.json").read_text())
    tools = [*(f"{name} {found[name]}" for name in named), f"onnxruntime-web {web['version']}"]
    return f"With {', '.join(sorted(tools))}."


def main(python: str) -> int:
    """Ask all tools of all models, and write the table."""
    CASES.mkdir(parents=True, exist_ok=True)
    cases = [write_case(number, small) for number, small in enumerate(MODELS)]
    found: dict[str, list[Verdict]] = {}
    unknown = False
    for tool in TOOLS:
        found[tool] = [verdict(tool, asked(python, tool, case), case) for case in cases]
        sys.stdout.write(f"{tool}: {', '.join(one.outcome for one in found[tool])}\n")
        for small, one in zip(MODELS, found[tool], strict=True):
            if one.outcome in ("refused", "fails", "differs"):
                known = reason(tool, one)
                unknown |= known is None
                sys.stdout.write(f"  {small.name}: {one.text}\n    {known or 'NOT EXPLAINED'}\n")
        sys.stdout.flush()
    text = DOCUMENT.read_text()
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    DOCUMENT.write_text(f"{head}\n{table(found, versions(python))}\n{tail}")
    return int(unknown)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
