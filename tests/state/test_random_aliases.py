"""A sample of the random programs about aliases; `make fuzz-aliases` runs thousands."""

from __future__ import annotations

import pytest

from tests.state.fuzz import made_small
from tests.state.judge import judge, judge_seed
from tests.state.random_aliases import AliasProgram, alias_program

SEEDS = range(16)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(seed: int) -> None:
    program, judgement = judge_seed(seed, 8)
    assert judgement.verdict in ("parity", "refused"), f"{judgement.detail}\n{program.source}"


def test_a_seed_stands_for_one_program() -> None:
    assert alias_program(3) == alias_program(3) != alias_program(4)
    assert "self.buf" not in alias_program(3, without="self.buf").source.split("forward")[1]


WRONG = """
class Model(chainer.Chain):
    def forward(self, x, y, k, n, c):
        a = y + 1
        b = [n, 2]
        if n > 1:
            a = a * 2
        b.append(state.pop())
        return a, b
"""


@pytest.mark.filterwarnings("ignore")
def test_what_is_wrong_is_found_and_made_small() -> None:
    head = "import chainer\nstate = list(range(1000))\n"
    program = AliasProgram(head + WRONG, 0)
    judgement = judge(program)
    assert judgement is not None
    assert judgement.verdict == "WRONG"
    small, found = made_small(program, judgement)
    assert found.verdict == "WRONG"
    assert "state.pop()" in small.source
    assert "a * 2" not in small.source
