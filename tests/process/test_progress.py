"""What is shown while a compile takes its time, on a terminal or in a notebook, and only there."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from elichika.process import progress
from elichika.walker.limits import Limits

PROGRAM = """
import elichika
import chainer
import numpy as np
import rich.console, rich.live, rich.status  # which takes longer than the walk
from chainer import functions as F
from elichika.process import progress

progress.PATIENCE, progress.PAUSE = 0.05, 0.01


class Net(chainer.Chain):
    def forward(self, x, n):
        for i in range(600):
            x = F.tanh(x) * n
        return x


x = np.ones((2, 3), np.float32)
elichika.compile_model(Net(), (x, 2.0), max_unroll=600, max_unroll_nodes=9999)
"""


def run_on_terminal(program: Path) -> str:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", str(program)],
        stderr=follower,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    ) as process:
        os.close(follower)
        found = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # of Linux, where the other side is closed
                break
            if not part:
                break
            found += part
        assert process.wait() == 0, found
    os.close(leader)
    return found.decode(errors="replace")


def test_a_terminal_shows_stage_line_and_counts(tmp_path: Path) -> None:
    program = tmp_path / "net.py"
    program.write_text(PROGRAM)
    shown = run_on_terminal(program)
    assert re.search(r"walking the program · net\.py:\d+ · [\d,]+ nodes", shown)
    assert re.search(r"comparing the model with the chain · [1-9]\d* inputs agree", shown)


def test_a_pipe_gets_nothing(tmp_path: Path) -> None:
    program = tmp_path / "net.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-W", "ignore", str(program)], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(("seconds", "asked"), [(0.0, False), (0.5, True)])
def test_only_what_takes_long_is_shown(
    seconds: float, asked: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_way", lambda: progress._on_terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.2)
    calls = []
    with progress.shown(lambda: calls.append(1) or "[here]"):  # type: ignore[func-returns-value]
        time.sleep(seconds)
    assert bool(calls) == asked
    capsys.readouterr()


class Cell(io.StringIO):
    """Standard error of a notebook's cell, which is not installed here."""

    __module__ = "ipykernel.iostream"


def test_a_notebook_shows_one_line_that_is_empty_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = iter(["the first, which is long", "the second"])
    monkeypatch.setattr(sys, "stderr", Cell())
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setattr(progress, "SLOW", 0.1)
    seen = threading.Event()
    with progress.shown(lambda: next(texts, None) or seen.set() or "the third"):  # type: ignore[func-returns-value]
        assert seen.wait(20)
    written = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert written.startswith("the first, which is long\rthe second".ljust(49) + "\rthe third")
    assert written.endswith(f"\r{' ' * 24}\r")


def test_what_is_said_before_there_is_a_place() -> None:
    limits = Limits()
    assert limits.progress() == "starting"

    def failing() -> str:
        raise LookupError

    limits.counted = failing
    assert limits.progress() == "starting"
