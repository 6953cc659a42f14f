"""Runs the core tests in each interpreter and set of versions that this machine has.

`python -m benchmarks.matrix` makes an environment for each row below `build/matrix` and writes the
table to `docs/tested.md`. A row whose interpreter is missing is left out, and said.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.program.test_file_names import PROGRAM

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "matrix"
TABLE = ROOT / "docs" / "tested.md"
CORE = (
    "tests/test_contract.py",
    "tests/process",
    "tests/test_pages.py",
    "tests/program/test_file_names.py",
    "tests/call/test_streams.py",
    "tests/walker/test_traps.py",
    "tests/signature",
    "tests/verify",
    "tests/cli",
)
SHOWN = ("numpy", "onnx", "onnxruntime", "setuptools", "chainer")
TOOLS = ("pytest>=9", "coverage>=7", "hypothesis>=6", "pytest-xdist>=3")
BUILD = "setuptools<81\n"
"""What Chainer's wheel is built with."""


@dataclass(frozen=True)
class Setting:
    """An interpreter, and what is installed besides elichika's own choice."""

    python: str
    packages: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Its environment."""
        words = [self.python, *self.packages]
        return FOLDER / "-".join(
            "".join(c for c in word if c.isalnum() or c == ".") for word in words
        )


SETTINGS = (
    Setting("3.10", ("numpy==1.23.*", "onnxruntime==1.20.1", "onnx==1.18.0", "setuptools<74")),
    Setting("3.11", ("numpy==1.24.*", "onnxruntime==1.20.1", "onnx==1.18.0", "setuptools<74")),
    Setting("3.11", ("numpy==1.26.*", "onnxruntime==1.31.1", "setuptools<74")),
    Setting("3.11", ("numpy>=2", "onnxruntime==1.31.1", "setuptools>=81")),
    Setting("3.12", ("numpy>=2", "onnxruntime==1.31.1", "setuptools>=81")),
    Setting("3.13", ("numpy>=2", "onnxruntime==1.31.1", "setuptools>=81")),
)


def interpreters(version: str) -> Iterator[str]:
    """Yield the commands that may start a version of Python."""
    yield from filter(None, [shutil.which(f"python{version}")])
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for path in sorted(home.glob(f"versions/{version}.*/bin/python")):
        yield str(path)


def interpreter(version: str) -> str | None:
    """Return a command that starts a version of Python, None if there is none."""
    test = f"import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != {_pair(version)})"
    for command in interpreters(version):
        if subprocess.run([command, "-c", test], capture_output=True, check=False).returncode == 0:
            return command
    return None


def _pair(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def environment(setting: Setting, command: str) -> Path:
    """Make the environment of a setting if it is not there; return its interpreter."""
    python = setting.folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = setting.folder / "ready"
    if done.exists():
        return python
    subprocess.run([command, "-m", "venv", "--clear", str(setting.folder)], check=True)
    constraint = FOLDER / "build.txt"
    constraint.write_text(BUILD)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    building = {"PIP_CONSTRAINT": str(constraint), "PIP_BUILD_CONSTRAINT": str(constraint)}
    wheels = str(FOLDER / "wheels")
    build = [*pip, "wheel", "--use-pep517", "--no-deps", "--wheel-dir", wheels, "chainer>=7,<8"]
    subprocess.run(build, check=True, env={**os.environ, **building})
    install = [*pip, "install", "--find-links", wheels, *setting.packages, *TOOLS, str(ROOT)]
    subprocess.run(install, check=True)
    done.touch()
    return python


def versions(python: Path) -> list[str]:
    """Return the versions of what is in an environment, Python's own first."""
    program = (
        "import platform; from importlib.metadata import version; "
        f"print(platform.python_version(), *map(version, {SHOWN!r}))"
    )
    done = subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def run_tests(python: Path, tests: Sequence[str], log: Path, jobs: int) -> str:
    """Run the tests, keep what they say, and return their last line."""
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(jobs), *tests]
    settings = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    log.write_text(done.stdout + done.stderr)
    last = done.stdout.rstrip().rsplit("\n", 1)[-1].strip("= ")
    return last.rsplit(" in ", 1)[0] if done.returncode in (0, 1) else f"did not run: {log}"


def digest(python: Path, folder: Path) -> str:
    """Compile one model there, and return the start of the digest of its file."""
    (folder / "program.py").write_text(PROGRAM)
    command = [str(python), "-W", "ignore", "program.py"]
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, check=False)
    if done.returncode:
        return "failed"
    return hashlib.sha256((folder / "net.onnx").read_bytes()).hexdigest()[:8]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the matrix; the exit code is 1 if a test failed or nothing ran."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="a version of Python")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("tests", nargs="*", default=CORE)
    chosen = parser.parse_args(arguments)
    rows, missing, failed = [], [], False
    FOLDER.mkdir(parents=True, exist_ok=True)
    for setting in SETTINGS:
        if chosen.only not in (None, setting.python):
            continue
        command = interpreter(setting.python)
        if command is None:
            missing.append(setting.python)
            print(f"Python {setting.python}: not on this machine")
            continue
        python = environment(setting, command)
        result = run_tests(python, chosen.tests, setting.folder / "tests.log", chosen.jobs)
        failed |= "failed" in result or "error" in result or "did not run" in result
        rows.append([*versions(python), result, digest(python, setting.folder)])
        print(*rows[-1], sep="  ", flush=True)
    if chosen.only is None and chosen.tests == CORE:
        TABLE.write_text(table(rows, missing))
    return 1 if failed or not rows else 0


def table(rows: Sequence[Sequence[str]], missing: Sequence[str]) -> str:
    """Return the page of the documentation."""
    head = ["Python", *SHOWN, "core tests", "bytes"]
    lines = [HEAD, _row(head), _row(["---"] * len(head)), *map(_row, rows)]
    if missing:
        lines += ["", f"Not on the machine that wrote this: Python {', '.join(missing)}."]
    return "\n".join([*lines, FOOT])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


HEAD = """# What was tested

`make matrix` runs the core tests (contract, traps of control flow, signatures, verification, state,
command line, these pages) in each interpreter and set of versions found on the machine, and writes
this table. The last column is the start of the SHA-256 of one model compiled in that row: the bytes
are those of the program, to which numpy 2 has other promotion rules than 1.
The tutorial needs scikit-learn and is skipped here; what else is skipped says why.
"""
FOOT = """
The whole suite is run with Python 3.11, numpy 1.26 and the newest onnxruntime here.

Old onnxruntimes lack two kernels that few models need: 1.20 has no Cos of float64 (normal numbers
of `random="onnx"`), and before 1.23 there is no SplitToSequence of bools (results that are lists of
numbers of several types). Such models are refused there when they are verified.

All rows are Linux on x86-64. Windows and macOS are **untested**: names in models use forward
slashes and files are replaced by what replaces them on any system, but nothing was run there.

On a GPU **nothing was run**: `make gpu` compares the models and the control-flow tables on
onnxruntime's CUDA provider, and says `no GPU here: untested` where there is none, as on all
machines so far. What would run there was worked out instead: [GPU](gpu.md).
"""

if __name__ == "__main__":
    sys.exit(main())
