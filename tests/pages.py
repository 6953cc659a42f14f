"""Runs the pages of the documentation: what a page shows is what happens.

The blocks of a page run in its order, in one namespace and one folder:

* `python` is executed; a `text` block right after it is what it prints;
* a block of any language with `title="FILE"` is written to that file instead;
* `console` has commands after `$ `, each with what it prints: `elichika …`, `python FILE`, and
  `echo $?` for the exit code of the one before;
* `sh` is for what is not run: installing, compiling C++.

In shown output `...` stands for anything, and what is measured may differ: seconds, relative
errors, how many inputs a verification found time for, versions of numpy and elichika, bytes, and
how wide a table is. All numbers may differ in a block that begins with ```{.text .measured}.

`python -m tests.pages PAGE FOLDER` runs one page and leaves its files in a folder.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from typer.testing import CliRunner

from elichika import registry
from elichika.cli import app

ROOT = Path(__file__).parents[1]
GENERATED = "Written by `"
"""What the head of a generated page says; such a page has tests of its own."""
FENCE = re.compile(r"^```(?:\{\.)?(\w+)([^\n]*)\n(.*?)^```[ ]*$", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r'title="([^"]+)"')
MEASURED = re.compile(
    r"(?<=on )\d+(?= inputs)|\d\.\d+e[-+]\d\d|\d+\.\d+(?= s\b)|(?<=seconds │ )\d+\.\d+"
    r"|(?<=numpy )\d+\.\d+\.\d+|(?<=elichika )\d+\.\d+\.\d+"
    r"|[\d,]+(?= bytes)|(?<=bytes │ )[\d,]+"
)
SHOWN_ONLY = {"sh", "cpp", "html", "js"}


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    language: str
    title: str | None
    source: str
    line: int
    follows: bool
    """Whether only blank lines are between it and the block before."""
    measured: bool
    """Whether all numbers in its output may differ."""


def pages() -> list[Path]:
    """Return the hand-written pages, the README first."""
    written = sorted((ROOT / "docs").glob("*.md"))
    return [ROOT / "README.md", *(path for path in written if not is_generated(path))]


def is_generated(path: Path) -> bool:
    """Tell whether a program writes a page."""
    return GENERATED in "\n".join(path.read_text(encoding="utf-8").splitlines()[:5])


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page in its order."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        language, information, source = match.groups()
        title = TITLE.search(information)
        follows = bool(found) and not text[end : match.start()].strip()
        line = text[: match.start(3)].count("\n")
        measured = ".measured" in information
        found.append(Block(language, title and title[1], source, line, follows, measured))
        end = match.end()
    return found


def run_page(path: Path, folder: Path) -> int:
    """Run a page in a folder, and return how many blocks were executed or compared.

    Raises:
        AssertionError: A block fails in another way than the page shows, or prints something else.
    """
    page = _Page(path, folder)
    np.random.seed(0)
    with _in_folder(folder):
        for block in blocks(path.read_text(encoding="utf-8")):
            page.run(block)
        page.require_shown()
    return page.count


class _Page:
    """What has happened on a page so far."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder
        self.names = ModuleType(path.stem).__dict__
        self.printed: str | None = None
        self.exit_code = 0
        self.count = 0
        self.lines: list[str] = []

    def run(self, block: Block) -> None:
        """Run one block."""
        if not (block.language == "text" and block.follows):
            self.require_shown()
        if block.title is not None:
            target = self.folder / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.source, encoding="utf-8")
        elif block.language in SHOWN_ONLY:
            return
        else:
            method = getattr(self, block.language, None)
            assert method is not None, f"{self.place(block)}: {block.language} is not run"
            method(block)
        self.count += 1

    def place(self, block: Block) -> str:
        """Return where a block is."""
        return f"{self.path.name}:{block.line}"

    def require_shown(self) -> None:
        """Check that the block before printed nothing that the page leaves out."""
        assert not self.printed, f"{self.path.name} does not show: {self.printed}"
        self.printed = None

    def python(self, block: Block) -> None:
        """Execute a block; what it prints is for the next one to show."""
        # Blank lines keep the page's line numbers in tracebacks and in the compiler's errors.
        source = "\n" * block.line + block.source
        name, lines = str(self.path), source.splitlines(keepends=True)
        self.lines += ["\n"] * (block.line - len(self.lines)) + lines[block.line :]
        linecache.cache[name] = (len(source), None, self.lines, name)  # the Python of the page
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(source, str(self.path), "exec"), self.names)
        self.printed = self.clean(printed.getvalue())

    def text(self, block: Block) -> None:
        """Compare what was printed."""
        assert self.printed is not None, f"{self.place(block)}: output of which block?"
        compare(block.source, self.printed, self.place(block), measured=block.measured)
        self.printed = None

    def console(self, block: Block) -> None:
        """Run commands, and compare what each prints."""
        parts = re.split(r"^\$ ", block.source, flags=re.MULTILINE)
        assert not parts[0].strip(), f"{self.place(block)}: a command starts with $"
        for part in parts[1:]:
            command, _, shown = part.replace("\\\n", "").partition("\n")
            printed, place = self.clean(self.command(command)), f"{self.place(block)}: {command}"
            compare(shown, printed, place, measured=block.measured)

    def command(self, command: str) -> str:
        """Run a command in this process; return what it prints."""
        words = shlex.split(command)
        if command == "echo $?":
            return f"{self.exit_code}\n"
        if words[0] == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                runpy.run_path(words[1], run_name="__main__")
            self.exit_code = 0
            return printed.getvalue()
        assert words[0] == "elichika", f"{self.path.name}: {words[0]} is not run"
        result = CliRunner().invoke(app, words[1:])
        assert isinstance(result.exception, SystemExit | None), result.exc_info
        self.exit_code = result.exit_code
        return result.stderr + result.stdout  # as they come: an error is said before the summary

    def clean(self, text: str) -> str:
        """Return an output without what differs from machine to machine."""
        return text.replace(f"{self.folder}{os.sep}", "")


def compare(shown: str, printed: str, place: str, *, measured: bool = False) -> None:
    """Check that a page shows what was printed; `...` stands for anything."""
    expected, actual = (_lines(text, measured) for text in (shown, printed))
    pattern = ".*".join(re.escape(part) for part in "\n".join(expected).split("..."))
    if re.fullmatch(pattern, "\n".join(actual), re.DOTALL) is None:
        text = "\n".join(actual)
        raise AssertionError(f"{place} shows\n{shown}\nbut this is printed\n{text}")


def _lines(text: str, measured: bool) -> list[str]:
    if "│" in text:  # a table
        text = re.sub(" +", " ", re.sub("─+", "─", text))
        text = "\n".join(map(str.strip, text.splitlines()))
    text = re.sub(r"\d+", "#", text) if measured else MEASURED.sub("#", text)
    return [line.rstrip() for line in text.strip("\n").splitlines()]


@contextlib.contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Work in a folder that is imported from; forget its modules and their lowerings afterwards."""
    before, path, modules = Path.cwd(), list(sys.path), set(sys.modules)
    lowerings = dict(registry._registry)
    os.chdir(folder)
    linecache.clearcache()  # another page has a model.py of its own
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path
        registry._registry.clear()
        registry._registry.update(lowerings)
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder):
                del sys.modules[name]


if __name__ == "__main__":
    target = Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    run_page(Path(sys.argv[1]).resolve(), target.resolve())
