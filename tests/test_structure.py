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
    "files in the largest circle": (66, 31, 3),
    "isinstance calls": (2036, 1505, 900),
    "walkers typed as Any": (615, 0, 0),
    "slots named by texts": (170, 28, 20),
    "files above 400 lines": (22, 12, 10),
    "functions above 40 lines": (20, 15, 10),
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
    (package / "core.py").write_text("class Core:\n    def a(self): return self.one()\n")
    (package / "one.py").write_text(
        "from elichika.core import Core\nclass One(Core):\n    def one(self): return self.two()\n"
    )
    (package / "two.py").write_text(
        "from elichika.core import Core\nclass Two(Core):\n    def two(self): return 1\n"
    )
    (package / "told.py").write_text(
        "import elichika.two\ndef told(w: Walker): return w.one()\ndef asked(c: Context): c.two()\n"
    )
    for name, kind in (("keeps", "Core"), ("asks", "Context")):
        (package / f"{name}.py").write_text(
            f"class Kept:\n    def __init__(self, w: {kind}): self.w = w\n"
            "    def told(self): return self.w.one()\n"
        )
    found = Structure(tmp_path)
    names = {f"elichika/{name}.py" for name in ("core", "one", "two")}
    assert found.circles == [names]
    assert found.hidden["elichika/told.py"] == {"elichika/one.py"}
    assert found.hidden["elichika/keeps.py"] == {"elichika/one.py"}
    assert not found.hidden["elichika/asks.py"]
    assert found.imports["elichika/told.py"] == {"elichika/two.py"}
