"""Changes of programs, and a sample of `make fuzz-mutations`."""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np
import pytest

import elichika
from tests.metamorphic import Source, judged, programs
from tests.mutations import CHANGES, Changed, changed
from tests.programs import Program

PROGRAMS = programs()
TEXT = """
def forward(self, x, n, c):
    total, last = n, 0
    for v in x.tolist():
        last = v
        total += v * 2
    return total, last
""".strip()
INPUTS = [(np.arange(k), k, k > 2) for k in (3, 1, 0, 2)]


def source() -> Source:
    program = Program(lambda self, x, n, c: None, INPUTS, {"x": {0: "N"}})
    return Source("program", TEXT, program, {"np": np})


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_gives_other_programs(name: str) -> None:
    texts = set()
    for seed in range(20):
        tree = ast.parse(TEXT)
        definition: Any = tree.body[0]
        example = dict(zip("xnc", INPUTS[0], strict=True))
        if CHANGES[name](Changed(definition, example, random.Random(seed))):
            texts.add(ast.unparse(ast.fix_missing_locations(tree)))
    assert len(texts - {TEXT}) > 2


def test_a_seed_gives_one_program() -> None:
    given, again = (changed(source(), random.Random(7)) for _ in range(2))
    assert given is not None and again is not None
    assert given.text == again.text != TEXT


def test_what_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    given = changed(source(), random.Random(1))
    assert given is not None
    assert judged(given) == ("parity", "")
    monkeypatch.setattr(elichika, "compile_model", lambda *_, **__: lambda *_: (1, 2))
    assert judged(given)[0] == "WRONG"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("table", ["branches", "exceptions", "iterators", "lists", "loops"])
def test_changed_programs(table: str) -> None:
    ones = [source for source in PROGRAMS if source.name.startswith(f"test_{table}:")]
    for seed in range(5):
        given = changed(ones[5 * seed], random.Random(seed))
        assert given is not None
        verdict, why = judged(given)
        assert verdict in ("parity", "refused", "unusable"), f"{why}\n{given.text}"
