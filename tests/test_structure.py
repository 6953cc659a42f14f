"""The structure of the product stays within limits; `python -m tests.structure` prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.structure import Structure

ROOT = Path(__file__).parent.parent

#: What the numbers were before the packages were made, what they may be, and what they are to be.
#: A limit goes down with the number; one that goes up needs a reason in the commit.
BEFORE_LIMIT_AIM = {
    "files at the root of elichika/": (52, 8, 8),
    "files in the largest circle": (66, 2, 2),
    "names that are asked of the walk": (276, 199, 120),
    "isinstance calls, by other names too": (2057, 1502, 900),
    "walkers typed as Any": (615, 0, 0),
    "slots named by texts": (170, 8, 8),
    "files above 400 lines": (22, 10, 10),
    "functions above 40 lines": (20, 10, 10),
}


@pytest.fixture(scope="module")
def counts() -> dict[str, int]:
    return Structure(ROOT).counts()


@pytest.mark.parametrize("what", BEFORE_LIMIT_AIM)
def test_limits(counts: dict[str, int], what: str) -> None:
    before, limit, aim = BEFORE_LIMIT_AIM[what]
    assert aim <= limit <= before
    assert counts[what] <= limit


def test_circles_through_the_walker_are_found(tmp_path: Path) -> None:
    package = tmp_path / "elichika"
    package.mkdir()
    for name, text in {
        "walk": "class Walk(Protocol):\n    one: One\n    def two(self): ...\n",
        "one": "from elichika.two import Two\n"
        "class One:\n    def __init__(self, w: Walk, two: Two): self.w = w\n"
        "    def first(self): return self.w.asked()\n",
        "two": "class Two:\n    def __init__(self, w: Walk): self.w = w\n"
        "    def second(self): return self.w.one.first()\n",
        "told": "def told(w: Walker): return w.second()\ndef asked(c: Context): c.second()\n",
    }.items():
        (package / f"{name}.py").write_text(text)
    found = Structure(tmp_path)
    assert found.circles == [{"elichika/one.py", "elichika/two.py"}]
    assert found.hidden["elichika/told.py"] == {"elichika/two.py"}
    assert found.asked == {"one", "two"}
