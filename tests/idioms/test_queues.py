"""`collections.deque` of what is known only when the model runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled
from tests.special.trials import program_from

INPUTS: list[tuple[Any, ...]] = [(np.array([0.5, 2], np.float32), n) for n in (2, 0, 1, 3)]
#: A deque of known length, and one of dynamic length.
MADE = ["q = deque([n, 2, 3], 4)\n", "q = deque(maxlen=3)\nfor i in range(n):\n    q.append(i)\n"]
HEAD = "import copy\nfrom collections import deque\n"


@pytest.mark.parametrize("made", MADE, ids=["known", "dynamic"])
@pytest.mark.parametrize(
    "code",
    [
        "k = copy.copy(q)\nq.append(8)\nreturn list(k), list(q), k.maxlen",
        "k = q.copy()\nk.appendleft(8)\nreturn list(k), list(q), k.maxlen",
        "k = copy.deepcopy(q)\nq.append(8)\nreturn list(k), list(q), k.maxlen",
        "r = q\nq *= 2\nreturn list(r), r is q, q.maxlen",
        "r = q\nq = q * 2\nreturn list(r), list(q), q.maxlen, r is q",
        "r = q\nq += [7]\nreturn list(r), r is q",
        "try:\n    q = q + [1]\nexcept TypeError:\n    q.append(7)\nreturn list(q)",
        "return list(q + q), list(q + deque([9]))",
        "try:\n    q[0:1] = [5]\nexcept TypeError:\n    q.append(7)\nreturn list(q)",
        "try:\n    del q[0:1]\nexcept TypeError:\n    q.append(7)\nreturn list(q)",
        "try:\n    q.maxlen = 5\nexcept AttributeError:\n    q.append(7)\nreturn list(q), q.maxlen",
        "try:\n    q.more = 5\nexcept AttributeError:\n    q.append(7)\nreturn list(q)",
        "return hasattr(q, 'items'), hasattr(q, '__dict__'), hasattr(q, 'append'), len(q)",
        "return q == deque([0, 1]), q != deque([0, 1]), q == [0, 1], [0, 1] == q",
    ],
)
def test_as_python(code: str, made: str) -> None:
    program = Program(program_from(f"{HEAD}{made}{code}", "x, n"), INPUTS)
    check(program, compiled(program))


@pytest.mark.parametrize(
    "code",
    [
        "q < deque([1, 3]), q <= deque([2, 2, 3]), q > deque([0]), q >= q, q < deque([])",
        "list(2 * q), list(n * q), list(q * n)",
    ],
)
def test_as_python_of_known_length(code: str) -> None:
    program = Program(program_from(f"{HEAD}{MADE[0]}return {code}", "x, n"), INPUTS)
    check(program, compiled(program))


@pytest.mark.parametrize(
    "code", ["q + [1]", "q < [1]", "q['a']", "q[0:1]", "q * q", "q.pop(0)", "hash(q) + n"]
)
def test_what_python_refuses(code: str) -> None:
    program = Program(program_from(f"{HEAD}{MADE[0]}return len([{code}])", "x, n"), INPUTS)
    with pytest.raises(TypeError):
        program.forward(None, *INPUTS[0])
    with pytest.raises(elichika.ElichikaError):
        compiled(program)
