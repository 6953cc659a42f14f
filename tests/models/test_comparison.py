"""The forty programs of `make comparison`, for Chainer."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.comparison import Found, by_elichika, document
from benchmarks.comparison_programs import FRAMEWORKS, PROGRAMS, Program


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_it_is_right(program: Program, tmp_path: Path) -> None:
    found = by_elichika(program, tmp_path)
    assert found.verdict == "right", found


def test_each_framework_has_all() -> None:
    assert len(PROGRAMS) == 40 == len({program.name for program in PROGRAMS})
    for program in PROGRAMS:
        for framework in FRAMEWORKS:
            compile(program.source(framework), program.name, "exec")


def test_what_is_better_elsewhere_is_said() -> None:
    ours = [Found("right", 5, 10.0)] * 39 + [Found("refused")]
    theirs = [Found("right", 3, 10.0), Found("wrong on 1 of 2"), *[Found("right", 9, 2.0)] * 38]
    text = document({"elichika": ours, "torch": theirs}, "With nothing.")
    assert "| PyTorch, dynamo | 39 | 1 | 0 | 0 |" in text
    assert f"fewer operators (1): {PROGRAMS[0].name}." in text
    assert f"right where elichika is not (1): {PROGRAMS[-1].name}." in text
    assert "at least a fifth faster (37)" in text and "**wrong on 1 of 2**" in text
