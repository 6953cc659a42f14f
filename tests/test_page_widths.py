"""Code and tables of the pages fit the site: `docs/site.css` has room for so many characters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import FENCE, ROOT, blocks, is_generated

CODE = 100
"""Characters of a line of code that is written by hand; what programs print is wrapped."""
PRINTED = 120
"""Of a command and what it prints."""
TABLE = 100
"""Of the longest words of all columns beside each other, `code` aside, which breaks anywhere."""
COLUMNS = 11
WRITTEN = {"python", "cpp", "js", "html", "sh"}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BREAKS = re.compile(r"[\s/-]+")


def tables(text: str) -> list[list[list[str]]]:
    """Return the cells of each table, without its rule."""
    found = re.findall(r"(?:^\|.*\n?)+", FENCE.sub("", text), re.MULTILINE)
    rows = [[re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in t.splitlines()] for t in found]
    return [[row for row in table if set("".join(row)) - set("-: ")] for table in rows]


def longest_word(cell: str) -> int:
    """Return how wide a cell is at least."""
    shown = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "", cell))
    return max(map(len, BREAKS.split(shown)))


def width(table: list[list[str]]) -> int:
    """Return how wide a table is at least."""
    return sum(max(map(longest_word, column)) for column in zip(*table, strict=True))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_no_wider_than_the_site(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for block in [] if is_generated(path) else blocks(text):
        most = CODE if block.language in WRITTEN else PRINTED
        if block.language in {*WRITTEN, "console"}:
            long = [line for line in block.source.splitlines() if len(line) > most]
            assert not long, f"{path.name}, block at line {block.line}"
    for table in tables(text):
        assert len(table[0]) <= COLUMNS and width(table) <= TABLE, table[0]


def test_what_is_too_wide_is_found() -> None:
    narrow = "| a | `" + 200 * "b" + "` |\n|---|---|\n| some words | [c](" + 200 * "d" + ") |\n"
    assert [width(table) for table in tables(narrow)] == [len("words") + len("[c]")]
    assert [width(table) for table in tables("| " + 150 * "a" + " | b |\n|--|--|\n")] == [151]


def test_the_site_wraps_what_is_longer() -> None:
    style = (ROOT / "docs" / "site.css").read_text(encoding="utf-8")
    for rule in ("white-space: pre-wrap; overflow-wrap: anywhere", "td code { overflow-wrap"):
        assert rule in style
