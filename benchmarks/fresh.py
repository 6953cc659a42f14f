"""Does what README says to a stranger, in fresh environments of each Python found here.

`python -m benchmarks.fresh` clones this repository, and builds its wheel. For each Python it makes
an environment without a cache, types README's command to install, once in the clone and once with
the wheel, and then all else that README shows. It prints a transcript, which is also written below
`build/fresh`, and ends with an error where a command fails. `docs/fresh.md` has the transcripts of
all Pythons, once each of them passed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from benchmarks.matrix import interpreter
from tests.pages import blocks

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "fresh"
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
PAGE = ROOT / "docs" / "fresh.md"
HEAD = """# README's commands in fresh environments

Written by `make fresh`: what a new user types, with nothing but Python and a clone of the
repository, or a wheel of it. Each environment is new and has no cache; the commands are taken from
README. Where a command prints nothing, it succeeded.
"""
NOISE = re.compile(r"^( *(?:WARNING|DEPRECATION): .*|\[notice\].*|)\n", re.MULTILINE)
"""What pip says of the index that it asks."""
VARIABLES = (
    "PYTHONPATH",
    "PYTHONWARNINGS",
    "PIP_CONSTRAINT",
    "PIP_BUILD_CONSTRAINT",
    "VIRTUAL_ENV",
)
"""What a stranger's shell does not have of ours."""


class Fresh:
    """A shell with an environment in which nothing is installed."""

    def __init__(self, python: str, folder: Path, transcript: TextIO) -> None:
        """Make the environment."""
        self.folder, self.transcript = folder, transcript
        subprocess.run([python, "-m", "venv", folder / "env"], check=True)
        kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        path = f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.variables = {**kept, "PATH": path, "PIP_NO_CACHE_DIR": "1", "PIP_QUIET": "1"}

    def type(self, command: str, where: Path, shown: str | None = None) -> str:
        """Run a command of bash; return what it prints.

        Raises:
            SystemExit: It fails.
        """
        self._write(f"$ {shown or command}\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=where,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._write(done.stdout)
        if done.returncode:
            self._write(f"exit code {done.returncode}\n")
            raise SystemExit(f"failed: {command}")
        return done.stdout

    def _write(self, text: str) -> None:
        for file in (sys.stdout, self.transcript):
            file.write(text)
            file.flush()


def installing(wheel: Path | None) -> str:
    """Return README's command to install from a clone, or that for a wheel."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(block for block in blocks(readme) if block.language == "sh").source.strip()
    return shown if wheel is None else shown.replace("'.[cpu]'", f"'./{wheel}[cpu]'")


def follow(fresh: Fresh, where: Path) -> None:
    """Do what README shows after installing, in an empty folder."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    where.mkdir()
    program = ""
    for block in blocks(readme):
        if block.title is not None:
            (where / block.title).write_text(block.source, encoding="utf-8")
        elif block.language == "python":
            program += block.source
            (where / "example.py").write_text(program, encoding="utf-8")
            fresh.type("python -W ignore example.py", where)
        elif block.language == "console":
            for command in re.findall(r"^\$ (.*(?:\\\n.*)*)$", block.source, re.MULTILINE):
                fresh.type(command, where)


def write_page() -> None:
    """Write the page, if there is a transcript of each Python."""
    texts = {version: FOLDER / f"{version}.txt" for version in PYTHONS}
    if not all(path.is_file() for path in texts.values()):
        return
    parts = [HEAD]
    for version, path in texts.items():
        text = NOISE.sub("", path.read_text(encoding="utf-8"))
        parts.append(f"\n## Python {version}\n\n```text\n{text.rstrip()}\n```\n")
    PAGE.write_text("".join(parts), encoding="utf-8")


def main() -> None:
    """Try each Python."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", default=PYTHONS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for version in parser.parse_args().pythons:
        python = interpreter(version)
        if python is None:
            sys.stdout.write(f"Python {version} is not here\n")
            continue
        with (
            tempfile.TemporaryDirectory() as made,
            (FOLDER / f"{version}.txt").open("w", encoding="utf-8") as transcript,
        ):
            folder, clone = Path(made), Path(made) / "elichika"
            subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
            for name, wheel in (("clone", None), ("wheel", folder / "dist")):
                (folder / name).mkdir()
                fresh = Fresh(python, folder / name, transcript)
                fresh.type("python --version", clone)
                if wheel is not None:
                    fresh.type("python -m pip wheel --no-deps -w ../dist .", clone)
                    (wheel,) = wheel.glob("elichika-*.whl")
                    shutil.rmtree(clone)
                file = wheel and wheel.relative_to(folder)
                fresh.type(installing(file), clone if wheel is None else folder)
                fresh.type(
                    "PIP_QUIET=0 python -m pip list | grep -i -E '^(elichika|chainer|numpy|onnx)'",
                    folder,
                )
                follow(fresh, folder / name / "work")
    write_page()


if __name__ == "__main__":
    main()
