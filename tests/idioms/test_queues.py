"""`collections.deque` of what is known only when the model runs."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, chain_of, check, compiled
from tests.special.trials import program_from

INPUTS: list[tuple[Any, ...]] = [(np.array([0.5, 2], np.float32), n) for n in (2, 0, 1, 3)]
#: A deque of known length, and one of dynamic length.
MADE = ["q = deque([n, 2, 3], 4)\n", "q = deque(maxlen=3)\nfor i in range(n):\n    q.append(i)\n"]
HEAD = "import copy\nfrom collections import deque\nimport numpy as np\n"


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
        "return np.array(q), np.sum(q), np.stack([np.array(q), np.asarray(q)])",
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


def records() -> dict[str, Any]:
    """Return the records of an agent, which are there before a call."""
    return {"few": deque([1.0, 2.0], maxlen=3), "all": deque([1.0])}


@pytest.mark.parametrize(
    "code",
    [
        "self.few.append(float(x.sum()))\nreturn x * 2",
        "self.few.append(float(x.sum()))\nreturn list(self.few), sum(self.few), self.few[-1]",
        "for i in range(n):\n    self.few.append(i)\nreturn list(self.few), len(self.few)",
        "for i in range(n):\n    self.all.append(i)\nreturn list(self.all), self.all[n]",
        "if n > 1:\n    self.all.extend(x)\nreturn list(self.all), len(self.all), bool(self.all)",
        "for i in range(n):\n    self.few.pop()\nreturn len(self.few)",
        "q = self.few if n > 1 else self.all\nq.append(n)\nreturn list(self.all), q is self.few",
        "q = self.few\nq *= 2\nq += [n]\nreturn list(self.few), q is self.few, list(q + self.all)",
        "self.few.rotate(1)\nself.few.remove(1.0)\nreturn [*self.few, n], self.few.count(2.0)",
        "try:\n    for v in self.all:\n        self.all.append(n)\n"
        "except RuntimeError:\n    self.all.append(7)\nreturn list(self.all)",
    ],
)
def test_one_that_was_there_before(code: str) -> None:
    program = Program(program_from(f"{HEAD}{code}", "x, n"), INPUTS, attributes=records)
    check(program, compiled(program))


def test_verification_puts_back_what_was_there() -> None:
    code = "self.few.append(float(x.sum()))\nreturn sum(self.few)"
    chain = chain_of(Program(program_from(code, "x"), [], attributes=records))
    held = chain.few
    model = elichika.compile_model(chain, INPUTS[0][:1])
    assert list(held) == [1.0, 2.0]
    assert "/few" in model.report.notes[0][1]
