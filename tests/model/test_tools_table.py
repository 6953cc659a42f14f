"""The table of tools: what counts as right, what has a reason, what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import apply_tools, tools
from benchmarks.apply_tools import TOOLS
from benchmarks.encoding import encoded
from benchmarks.tools import Verdict, reason, table, verdict
from models.small import SMALL

EXACT, HALF, QUANTIZED = "onnxslim", "float16 of onnxruntime", "quantize_dynamic, EnableSubgraph"


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(tools, "CASES", tmp_path)
    return tmp_path


def given(model: Any, expected: list[Any], changed: Any = lambda y: y) -> dict[str, Any]:
    """Return what a tool's file gives: what the chain gives, changed."""
    return {"outputs": [[encoded(np.asarray(changed(y)))] for y in expected], "quantized": 2}


def test_what_counts_as_right(cases: Path) -> None:
    model, expected = tools.write_case(1, SMALL[1])
    off = {
        part: given(model, expected, lambda y, part=part: y + np.float32(part) * np.abs(y).max())
        for part in (0, 0.005, 0.05, 0.2)
    }
    found = {
        tool: [verdict(tool, one, model, expected).outcome for one in off.values()]
        for tool in (EXACT, HALF, QUANTIZED)
    }
    assert found == {
        EXACT: ["same", "differs", "differs", "differs"],
        HALF: ["near", "near", "differs", "differs"],
        QUANTIZED: ["near", "near", "near", "differs"],
    }
    for tool in (HALF, QUANTIZED):
        for changed in (lambda y: y[:1, :1], lambda y: y.astype(np.float64), lambda y: y * np.nan):
            assert verdict(tool, given(model, expected, changed), model, expected).outcome != "near"
    nothing = {**off[0], "quantized": 0}
    assert verdict(QUANTIZED, nothing, model, expected) == Verdict("nothing to do")
    assert verdict(EXACT, {"refused": "no"}, model, expected) == Verdict("refused", "no")


def test_words_of_a_decoder_are_the_same_or_others(cases: Path) -> None:
    model, expected = tools.write_case(5, SMALL[5])
    same, other = (
        verdict(QUANTIZED, given(model, expected, change), model, expected)
        for change in (lambda y: np.array(y, np.int64), lambda y: np.array([7, *y], np.int64))
    )
    assert same == Verdict("near", "same", 2)
    assert other.outcome == "differs" and other.text.startswith("other words: [7,")
    assert reason(QUANTIZED, other) and not reason(HALF, other)


def test_a_model_that_does_not_fail_differs(cases: Path) -> None:
    model, expected = tools.write_case(6, tools.CHECKED)
    assert [isinstance(one, AssertionError) for one in expected] == [False, False, True]
    good = [[encoded(np.asarray(y))] for y in expected[:2]]
    for last, outcome in (("Fail: index", "same"), (good[0], "differs")):
        said = {"outputs": [*good, last], "quantized": 0}
        assert verdict(EXACT, said, model, expected).outcome == outcome
    said = {"outputs": ["Fail: index", good[1], "Fail"], "quantized": 0}
    assert verdict(EXACT, said, model, expected) == Verdict("fails", "Fail: index")
    made = apply_tools.applied("ORT format", cases / "6")
    assert verdict(EXACT, made, model, expected) == Verdict("same")


def test_reasons_are_numbered() -> None:
    known = Verdict("refused", "TypeError: object of type 'NoneType' has no len()")
    found = {
        "symbolic shape inference": [Verdict("same"), known],
        "onnxslim": [Verdict("differs", "of shape"), known],
    }
    lines = table(found, "With onnx.").splitlines()
    assert lines[2] == "| symbolic shape inference | same | refused (1) |"
    assert lines[3] == "| onnxslim | differs (2) | refused (3) |"
    assert lines[5].startswith("1. It does not read the axes")
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


@pytest.mark.parametrize(
    "tool", ["quantize_dynamic, EnableSubgraph", "float16 of onnxruntime", "ORT format"]
)
def test_tools_of_onnxruntime_on_a_loop(tool: str, cases: Path) -> None:
    """These are here without an environment of tools."""
    model, expected = tools.write_case(3, SMALL[3])
    said = apply_tools.applied(tool, cases / "3")
    one = verdict(tool, said, model, expected)
    assert one.outcome == ("same" if tool == "ORT format" else "near"), one.text
    assert (one.quantized > 1) == ("quantize" in tool)
