"""The recipe for a lowering works as CONTRIBUTING.md prints it; the files it names exist."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from chainer.functions.activation.clipped_relu import ClippedReLU

from elichika import lowers, registry
from tests.lowerings.chainer.alone import check_alone
from tests.lowerings.chainer.cases import case, f32
from tests.lowerings.chainer.whole import check_whole

ROOT = Path(__file__).parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


def block(start: str) -> str:
    """Return the indented block of the file that starts with `start`."""
    match = re.search(
        rf"^ {{8}}{re.escape(start)}.*\n(?: {{8}}.*\n)*", CONTRIBUTING.read_text(), re.M
    )
    assert match is not None
    return textwrap.dedent(match[0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_the_lowering_of_the_recipe_passes_its_line(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(registry._registry, ClippedReLU)
    names = {"lowers": lowers, "ClippedReLU": ClippedReLU}
    exec(block("@lowers"), names)
    assert registry.lowering_of(ClippedReLU) is names["clipped_relu"]
    (line,) = eval(f"[{block('case(')}]", {"case": case, "f32": f32})
    check_alone(line, *line.expressions, dtype)
    assert check_whole(replace(line, dtypes=(dtype,))).failures == []


def test_the_places_of_tests_are_there() -> None:
    text = CONTRIBUTING.read_text()
    section = text[text.index("\n## Where a test goes\n") : text.index("\n## Pages\n")]
    named = re.findall(r"`((?:tests|elichika|models)/[^`]*)`", section)
    assert len(named) > 20
    assert [path for path in named if not list(ROOT.glob(path.rstrip("/")))] == []
    folders = {path.name for path in (ROOT / "tests").iterdir() if (path / "__init__.py").is_file()}
    assert folders - {path.split("/")[1] for path in named if path.startswith("tests/")} == set()
