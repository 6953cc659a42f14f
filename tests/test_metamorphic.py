"""A sample of the programs with their constants as inputs; `make metamorphic` runs all."""

from __future__ import annotations

import numpy as np
import pytest

import elichika
from tests import metamorphic
from tests.metamorphic import Source, candidates, judged, rewritten, variants
from tests.programs import Program

PROGRAMS = metamorphic.programs()
SAMPLE = [source for source in PROGRAMS if variants(source)][::70]


def program_of(text: str) -> Source:
    program = Program(lambda self, x, n: None, [(np.ones(2, np.float32), 1)])
    return Source("program", text, program, {"np": np})


TEXT = """
def forward(self, x, n):
    y = np.arange(3) + n * 2
    for i in range(2):
        y[0] = -1
    return np.sum(y, axis=0), y.reshape(1, 3), x[1], 'text', (True if n > 1 else None)
"""


def test_constants_become_inputs() -> None:
    source = program_of(TEXT.strip())
    found = candidates(source.text)
    given = rewritten(source, [place for place, plain in found if plain])
    assert given.text == (
        "def forward(self, x, n, given_0, given_1, given_2, given_3):\n"
        "    y = given_0 + n * given_1\n"
        "    for i in range(2):\n"
        "        y[0] = given_2\n"
        "    return (np.sum(y, axis=0), y.reshape(1, 3), x[1], 'text', "
        "True if n > given_3 else None)"
    )
    assert [type(value) for value in given.program.inputs[0][2:]] == [np.ndarray, int, int, int]
    assert [i[3:] for i in given.program.inputs] == [(2, -1, 1), (3, 0, 2)]
    alone = [rewritten(source, [place]).text.count("given_0") for place, _ in found]
    assert alone == [2] * len(found)


def test_what_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def forward(self, x, n):\n    return x * 2"
    given = rewritten(program_of(text), [candidates(text)[0][0]])
    monkeypatch.setattr(elichika, "compile_model", lambda *_, **__: lambda x, n, k: x * 2)
    assert judged(given)[0] == "WRONG"
    monkeypatch.setattr(elichika, "compile_model", lambda *_, **__: lambda x, n, k: x * k)
    assert judged(given)[0] == "parity"


def test_what_a_call_leaves_behind_is_left_out() -> None:
    text = "def forward(self, x, n):\n    return x + next(counter) * 2"
    source = program_of(text)
    source.space["counter"] = iter(range(100))
    assert judged(rewritten(source, [candidates(text)[0][0]]))[0] == "unusable"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", SAMPLE, ids=lambda source: source.name)
def test_rewritten_program(source: Source) -> None:
    given = rewritten(source, variants(source)[0])
    verdict, why = judged(given)
    assert verdict in ("parity", "refused", "unusable"), f"{why}\n{given.text}"
