"""Random programs, run before and after; `make fuzz-canonicalizer` runs more of them."""

from __future__ import annotations

from collections import Counter

import pytest

from .features import DEEP, DEPTH, features_of
from .fuzz import check, report
from .random_programs import program

CHUNK = 25
PLACES = ["if", "if-else", "for", "for-else", "while", "while-else", "with", "try", "except"]
PLACES += ["try-else", "match"]
IN_PROGRAMS = [
    *(f"{jump} in {place}" for jump in ("return", "continue", "break") for place in PLACES),
    *(f"{jump}{DEEP}" for jump in ("return", "continue", "break")),
    *("return without value", "return with value", "no return"),
    *("For with else", "While with else", "While True", "Try with finally", "With of several"),
    *("for in while", "while in for", "for in for", "while in while", "for in for in for"),
    *("Assign in a chain", "Assign to Tuple", "Assign to nested Tuple", "Assign to star", "swap"),
    *("For to Tuple", "For to nested Tuple", "For to star", "For to Attribute", "For to Subscript"),
    *("comprehension to Tuple", "comprehension to nested Tuple", "comprehension to star"),
    *(
        f"{kind} with several {clause}"
        for kind in ("ListComp", "SetComp", "DictComp", "GeneratorExp")
        for clause in ("for", "if")
    ),
    *(f"AugAssign of {kind}" for kind in ("Name", "Attribute", "Subscript", "Slice")),
    *(f"Delete of {kind}" for kind in ("Name", "Attribute", "Subscript", "Tuple")),
    *("Compare in a chain", "NamedExpr", "IfExp", "And", "Or", "Assert", "Match", "Lambda", "USub"),
    *("Nonlocal", "Global", "Yield", "Raise", "ClassDef", "AnnAssign", "JoinedStr"),
    *("test with NamedExpr", "test with Compare", "test with GeneratorExp"),
]


@pytest.mark.parametrize("start", range(0, 400, CHUNK))
def test_same_traces(start: int) -> None:
    for seed in range(start, start + CHUNK):
        source = program(seed)
        problem = check(source)
        assert problem is None, report(seed, source, problem)


def test_everything_is_in_the_programs() -> None:
    found = sum((features_of(program(seed)) for seed in range(400)), start=Counter[str]())
    assert [name for name in IN_PROGRAMS if found[name] < 2] == []
    assert sum(found[f"{DEPTH}{depth}"] for depth in range(5, 40)) > 200


def test_a_failing_program_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A canonicalizer that guards the wrong branch is found, and shown by a few lines."""
    monkeypatch.setattr("canonicalizer.jumps.negated", lambda test: test)
    failing = ((seed, check(program(seed))) for seed in range(100))
    seed, problem = next((seed, problem) for seed, problem in failing if problem)
    shown = report(seed, program(seed), problem)
    small, canonical = shown.split("canonical:")
    assert "expected" in small and "def program(world)" in canonical
    assert len([line for line in small.splitlines() if line]) < 20, shown
