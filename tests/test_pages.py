"""The pages of the documentation do what they show, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import FENCE, ROOT, blocks, compare, pages, run_page

PAGES = {path.name: path for path in pages()}
NEEDS = {"tutorial.md": "sklearn"}
WRITES = {"README.md": "encoder.onnx", "quickstart.md": "scorer.onnx"}
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    path = PAGES[name]
    ran = run_page(path, tmp_path)
    assert ran or not blocks(path.read_text(encoding="utf-8"))
    assert name not in WRITES or (tmp_path / WRITES[name]).is_file()


@pytest.mark.parametrize("name", PAGES)
def test_programs_import_elichika_before_chainer(name: str) -> None:
    """These tests did so long before, which hides that Chainer alone imports nowhere new."""
    page = blocks(PAGES[name].read_text(encoding="utf-8"))
    files = {block.title: block.source for block in page if block.title is not None}
    commands = "".join(block.source for block in page if block.language == "console")
    programs = [files[file] for file in re.findall(r"^\$ python (\S+)", commands, re.MULTILINE)]
    programs.append("".join(b.source for b in page if b.language == "python" and not b.title))
    later = {"chainer", *(file.removesuffix(".py") for file in files)}
    for program in programs:
        imported = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
        first = min(map(imported.index, later & set(imported)), default=len(imported))
        assert first == len(imported) or "elichika" in imported[:first], imported


def test_each_page_is_in_the_navigation() -> None:
    names = {path.name for path in (ROOT / "docs").glob("*.md")}
    listed = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(names)


@pytest.mark.parametrize("name", PAGES)
def test_the_links_of_a_page_lead_somewhere(name: str) -> None:
    path = PAGES[name]
    for link in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        file, _, section = link.partition("#")
        if "://" in link:
            continue
        target = (path.parent / file) if file else path
        assert target.exists(), link
        if section:
            assert section in _sections(target), link


def _sections(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") for text in headings}


PAGE = """# A page

```python title="made.py"
NUMBER = 3
```

```python
from made import NUMBER

print(NUMBER, "of", 5)
```

```text
{shown}
```

```console
$ elichika canonical made.py:missing
InputError: made.py has no missing.
$ echo $?
2
```
"""


@pytest.mark.parametrize("shown", ["3 of 5", "3 ... 5"])
def test_what_a_page_shows_is_compared(shown: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(shown=shown))
    assert run_page(page, tmp_path) == 4


def test_a_page_that_shows_something_else_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(shown="4 of 5"))
    with pytest.raises(AssertionError, match=r"page\.md:13 shows\s+4 of 5\s[^5]+3 of 5"):
        run_page(page, tmp_path)


def test_a_page_that_leaves_output_out_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\nSo.\n")
    with pytest.raises(AssertionError, match="does not show: 1"):
        run_page(page, tmp_path)


def test_only_the_marks_of_a_page_stand_for_anything() -> None:
    compare("a ... c\n", "a b\nb c\n", "here")
    with pytest.raises(AssertionError):
        compare("a.c\n", "abc\n", "here")
