"""What the library says goes to the logger `elichika`; it prints nothing."""

from __future__ import annotations

import ast
import logging
from pathlib import Path
from typing import Any

import elichika
from tests.cli.programs import Steps
from tests.programs import f32

ROOT = Path(__file__).parents[1]
#: The command line writes to the terminal, and what prints is what the program prints.
TERMINAL = ROOT / "elichika" / "cli"
PRINTS = ROOT / "elichika" / "model" / "prints.py"
#: It shows on stderr what takes more than a second, where somebody looks.
PROGRESS = ROOT / "elichika" / "process" / "progress.py"


def test_a_compile_is_logged(tmp_path: Path, caplog: Any, capsys: Any) -> None:
    path = tmp_path / "steps.onnx"
    with caplog.at_level(logging.DEBUG, "elichika"):
        model = elichika.compile_model(Steps(), (f32(2, 4), 2), path)
    told: dict[int, list[str]] = {logging.DEBUG: [], logging.INFO: []}
    for record in caplog.records:
        told[record.levelno].append(record.getMessage())
    assert any(line.startswith("compiled Steps.forward: ") for line in told[logging.INFO])
    assert f"wrote {path}: {path.stat().st_size} bytes" in told[logging.INFO]
    assert any(line.startswith("Steps in onnxruntime: verified on ") for line in told[logging.INFO])
    stages = [line.split(":")[0] for line in told[logging.DEBUG][:5]]
    assert stages == ["read", "walk", "optimize", "verify", "save"] == list(model.report.stages)
    for place, (what, why) in model.report.loops.items():
        assert f"{place}: {what} ({why})" in told[logging.DEBUG]
    assert {record.name.split(".")[0] for record in caplog.records} == {"elichika"}
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_nothing_is_printed() -> None:
    writes = ("print", "pprint.pprint", "sys.stdout.write", "sys.stderr.write")
    found = [
        f"{path}:{node.lineno}"
        for package in ("elichika", "canonicalizer", "onnx_graph")
        for path in sorted((ROOT / package).rglob("*.py"))
        if not path.is_relative_to(TERMINAL) and path not in (PRINTS, PROGRESS)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in writes
    ]
    assert not found
