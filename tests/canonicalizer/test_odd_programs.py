"""Programs that random ones seldom are: bodies of functions, in `odd_programs.txt`."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from .fuzz import check

BODIES = Path(__file__).with_name("odd_programs.txt").read_text().rstrip("\n").split("\n===\n")


@pytest.mark.parametrize("start", range(0, len(BODIES), 20))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_same_traces(start: int) -> None:
    for body in BODIES[start : start + 20]:
        source = "def program(world):\n" + indent(body, "    ")
        problem = check(source)
        assert problem is None, f"{problem}\n\n{source}"


def test_iterators_with_too_many_items_are_read_to_their_end() -> None:
    """A known difference, which the document names: Python stops at the first item too many."""
    problem = check("def program(world):\n    [] = world.items('a')\n")
    assert problem is not None and "too many values" in problem
