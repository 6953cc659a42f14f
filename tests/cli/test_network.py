"""No command uses the network, whatever runtime it asks.

onnxruntime 1.31 and OpenVINO report each use to their makers, unless they are told not to; both
keep a number for the user's machine below the home folder, by which it shows.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from onnx_graph.runtime import runtime

ROOT = Path(__file__).parents[2]

#: Runs commands in a process that says when Python code opens, resolves or connects anything.
PROGRAM = """
import sys

def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ssl.", "smtplib.", "ftplib.")):
        sys.stderr.write(f"NETWORK {event} {arguments}\\n")

sys.addaudithook(watch)
if "canary" in sys.argv:
    import socket
    socket.socket().close()

from typer.testing import CliRunner
from elichika.cli import app

net, x = "tests.cli.programs:seeded", ["--input", "x=float32[batch,4]"]
commands = [
    ["export", net, *x, "-o", "net.onnx", "--testcase", "case"],
    ["check", net, *x],
    ["inspect", "net.onnx"],
    ["canonical", "tests.cli.programs:Net.forward"],
    ["ops", "F.relu"],
    *(["verify", "net.onnx", net, *x, "--runtime", runtime] for runtime in sys.argv[1].split(",")),
]
for words in commands:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, (words, result.stderr)
"""


def run(folder: Path, *words: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_no_command_uses_the_network(tmp_path: Path) -> None:
    openvino = ",openvino" if find_spec("openvino") else ""
    said = run(tmp_path, f"onnxruntime,reference{openvino}", "canary")
    found = [line for line in said.splitlines() if line.startswith("NETWORK")]
    assert len(found) == 1, found  # the canary's own
    assert {path.name for path in tmp_path.iterdir()} == {"net.onnx", "case"}


def test_what_the_user_imported_reports_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    there = SimpleNamespace(__version__="1.31.1", disable_telemetry_events=lambda: calls.append(1))
    monkeypatch.setitem(sys.modules, "onnxruntime", there)
    assert runtime() is there and calls
