"""Kills `export` at random moments: `python -m tests.cli.interrupted 50`.

Whatever the moment, the target is absent, or the old file, or a whole new one; after Ctrl-C nothing
else is left in its folder, the exit code is 130 and the text one line.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import onnx

ROOT = Path(__file__).parents[2]
OLD = b"the file that was there"
COMMAND = [
    *(sys.executable, "-W", "ignore", "-m", "elichika_command", "export"),
    *("tests.cli.programs:seeded", "--input", "x=float32[batch,4]", "-o"),
]


def start(folder: Path) -> subprocess.Popen[str]:
    """Start an export into a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary")}
    (folder / "temporary").mkdir(exist_ok=True)
    return subprocess.Popen(
        [*COMMAND, str(folder / "model.onnx")],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def measured(folder: Path) -> float:
    """Return how long an export takes that is left alone."""
    begin = time.perf_counter()
    process = start(folder)
    _, said = process.communicate()
    assert process.returncode == 0, said
    return time.perf_counter() - begin


def outcome(folder: Path, moment: float, number: signal.Signals) -> str:
    """Send a signal after some seconds; return how it ended.

    Raises:
        AssertionError: Something is left that must not be.
    """
    target = folder / "model.onnx"
    before = target.read_bytes() if target.exists() else None
    process = start(folder)
    time.sleep(moment)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    after = target.read_bytes() if target.exists() else None
    if after != before:
        assert after is not None
        onnx.checker.check_model(onnx.load_model_from_string(after))
    if process.returncode == 0:
        assert after is not None
        return "done"
    if number is signal.SIGKILL:
        return "killed"
    if process.returncode == -number and not said:
        return "before Python began"  # it sets its own handler first of all
    assert process.returncode == 130, (process.returncode, said)
    assert said == "Interrupted.\n", said
    left = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert left <= {target.name, "temporary"}, (moment, left)
    return "interrupted"


def moments(count: int, seconds: float, seed: int) -> Iterator[tuple[float, signal.Signals]]:
    """Yield random moments, most of them while files are made, and both signals in turn."""
    draw = random.Random(seed)
    for number in range(count):
        yield (
            seconds * draw.uniform(0.1, 1.05),
            signal.SIGKILL if number % 2 else signal.SIGINT,
        )


def run(count: int, seed: int = 0) -> Counter[str]:
    """Try `count` moments, with and without an old file; return how they ended."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        first = Path(name) / "first"
        first.mkdir()
        seconds = measured(first)
        for index, (moment, number) in enumerate(moments(count, seconds, seed)):
            folder = Path(name) / str(index)
            folder.mkdir()
            if index % 4 > 1:
                (folder / "model.onnx").write_bytes(OLD)
            found[f"{number.name}: {outcome(folder, moment, number)}"] += 1
    return found


if __name__ == "__main__":
    print(dict(run(int(sys.argv[1]) if len(sys.argv) > 1 else 50)))
