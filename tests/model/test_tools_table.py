"""The table of tools: what counts as right, what has a reason, what is said of the rest."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from benchmarks import apply_tools, tool_readers, tools
from benchmarks.apply_tools import TOOLS
from benchmarks.encoding import encoded
from benchmarks.tools import Verdict, reason, table, verdict
from models.small import SMALL

EXACT, HALF, QUANTIZED = "onnxslim", "float16 of onnxruntime", "quantize_dynamic, EnableSubgraph"


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(tools, "CASES", tmp_path)
    return tmp_path


def given(case: tools.Case, changed: Any = lambda y: y) -> dict[str, Any]:
    """Return what a tool's file gives: what the chain gives, changed."""
    return {"outputs": [[encoded(np.asarray(changed(y)))] for y in case.expected], "quantized": 2}


def test_what_counts_as_right(cases: Path) -> None:
    case = tools.write_case(1, SMALL[1])
    off = {
        part: given(case, lambda y, part=part: y + np.float32(part) * np.abs(y).max())
        for part in (0, 0.005, 0.05, 0.2)
    }
    found = {
        tool: [verdict(tool, one, case).outcome for one in off.values()]
        for tool in (EXACT, HALF, QUANTIZED)
    }
    assert found == {
        EXACT: ["same", "differs", "differs", "differs"],
        HALF: ["near", "near", "differs", "differs"],
        QUANTIZED: ["near", "near", "near", "differs"],
    }
    for tool in (HALF, QUANTIZED):
        for changed in (lambda y: y[:1, :1], lambda y: y.astype(np.float64), lambda y: y * np.nan):
            assert verdict(tool, given(case, changed), case).outcome != "near"
    nothing = {**off[0], "quantized": 0}
    assert verdict(QUANTIZED, nothing, case) == Verdict("nothing to do")
    assert verdict(EXACT, {"refused": "no"}, case) == Verdict("refused", "no")


def test_words_of_a_decoder_are_the_same_or_others(cases: Path) -> None:
    case = tools.write_case(5, SMALL[5])
    same, other = (
        verdict(QUANTIZED, given(case, change), case)
        for change in (lambda y: np.array(y, np.int64), lambda y: np.array([7, *y], np.int64))
    )
    assert same == Verdict("near", "same", 2)
    assert other.outcome == "differs" and other.text.startswith("other words: [7,")
    assert reason(QUANTIZED, other) and not reason(HALF, other)


def test_a_model_that_does_not_fail_differs(cases: Path) -> None:
    case = tools.write_case(6, tools.CHECKED)
    assert [isinstance(one, AssertionError) for one in case.expected] == [False, False, True]
    good = [[encoded(np.asarray(y))] for y in case.expected[:2]]
    for last, outcome in (("Fail: index", "same"), (good[0], "differs")):
        said = {"outputs": [*good, last], "quantized": 0}
        assert verdict(EXACT, said, case).outcome == outcome
    said = {"outputs": ["Fail: index", good[1], "Fail"], "quantized": 0}
    assert verdict(EXACT, said, case) == Verdict("fails", "Fail: index")
    made = apply_tools.applied("ORT format", case.stem)
    assert verdict(EXACT, made, case) == Verdict("same")


def test_reasons_are_numbered() -> None:
    known = Verdict("refused", "AttributeError: onnx.helper has no make_sequence_value_info")
    found = {
        "symbolic shape inference": [Verdict("same"), known],
        "onnxslim": [Verdict("differs", "of shape"), known],
    }
    lines = table(found, "With onnx.").splitlines()
    assert lines[2] == "| symbolic shape inference | same | refused (1) |"
    assert lines[3] == "| onnxslim | differs (2) | refused (3) |"
    assert lines[5].startswith("1. For SplitToSequence")
    assert lines[6] == "2. Not explained: of shape."


def test_the_page_has_a_row_of_each_tool() -> None:
    text = tools.DOCUMENT.read_text()
    rows = text[text.index(tools.BEGIN) : text.index(tools.END)]
    for tool in TOOLS:
        (row,) = (
            line
            for line in rows.splitlines()
            if line.strip("|` ").startswith(tool + "`") or line.startswith(f"| {tool} |")
        )
        assert row.count("|") == 2 + len(tools.MODELS) and "fails" not in row
    assert "Not explained" not in rows


def shown(case: tools.Case) -> dict[str, Any]:
    """Return what `netron.mjs` prints of a model that Netron shows as it is."""
    model = onnx.load(case.stem.with_suffix(".onnx"))
    told = {port.name: port.doc_string for port in (*model.graph.input, *model.graph.output)}
    return {"described": told, "graph": tool_readers.contents(model.graph)}


def test_what_netron_shows_is_compared_node_by_node(
    cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = tools.write_case(4, SMALL[4])
    printed = shown(case)
    monkeypatch.setattr(tool_readers, "_folder_of_netron", lambda: Path())
    monkeypatch.setattr(
        tool_readers.subprocess,
        "run",
        lambda *_, **__: subprocess.CompletedProcess([], 0, json.dumps(printed), ""),
    )
    assert case.layers == {"embed", "key", "query", "lstm", "out"}
    assert verdict("Netron", tool_readers.in_netron(case.stem), case) == Verdict("same")
    (loop,) = (node for node in printed["graph"]["nodes"] if node["type"] == "Loop")
    inner = loop["graphs"]["body"]["nodes"][3]
    for part, other in (("type", "Nothing"), ("inputs", ["x"]), ("name", "one")):
        before, inner[part] = inner[part], other
        one = verdict("Netron", tool_readers.in_netron(case.stem), case)
        assert one.outcome == "differs" and str(other) in one.text
        inner[part] = before
    loop["graphs"]["body"]["nodes"].pop()
    assert "nodes, not" in verdict("Netron", tool_readers.in_netron(case.stem), case).text
    printed["described"]["ids"] = ""
    assert "descriptions" in verdict("Netron", tool_readers.in_netron(case.stem), case).text


def test_layers_are_in_the_names_of_nodes() -> None:
    assert tools.of_names(["/a/b/m.py:1/Gemm#1", "Add#2"], {"a"}) == Verdict("same")
    assert tools.of_names(["/ab/m.py:1/Gemm#1"], {"a"}) == Verdict("differs", "no node says /a")


@pytest.mark.parametrize(
    "tool", ["quantize_dynamic, EnableSubgraph", "float16 of onnxruntime", "ORT format", "OpenVINO"]
)
def test_tools_on_a_loop(tool: str, cases: Path) -> None:
    """These are here without an environment of tools."""
    case = tools.write_case(3, SMALL[3])
    said = apply_tools.applied(tool, case.stem)
    one = verdict(tool, said, case)
    assert one.outcome == ("same" if tool in ("ORT format", "OpenVINO") else "near"), one.text
    assert (one.quantized > 1) == ("quantize" in tool)
