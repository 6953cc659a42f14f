"""A deep copy holds arrays of its own, whatever held the arrays; `copy.copy` shares them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled
from tests.special.trials import program_from

INPUTS: list[tuple[Any, ...]] = [
    (np.array([1, 2, -1], np.float32), np.array([0.5, 2, -1], np.float32), n) for n in (2, 0, 1, 3)
]

#: What fills `m` with the arrays.
FILLED = {
    "list": "m = [x]\nfor i in range(n):\n    m.append(y)\n",
    "copies too": "m = [x]\nfor i in range(n):\n    m.append(y)\n    m.append(y.copy())\n",
    "twice": "m = [x]\nfor _ in range(2):\n    m = copy.deepcopy(m)\n"
    "    for i in range(n):\n        m.append(y)\n",
    "tuple": "m = [x]\nfor i in range(n):\n    m.append(y)\nm = tuple(m)\n",
    "tuples": "m = []\nfor i in range(n):\n    m.append((y, i))\n",
    "dicts": "m = []\nfor i in range(n):\n    m.append({'a': y})\n",
    "nothing": "m = []\nfor i in range(n):\n    m.append(None if i % 2 else y)\n",
    "views": "m = []\nfor i in range(n):\n    m.append(y[i:])\n",
    "variables": "m = []\nfor i in range(n):\n    m.append(chainer.Variable(y))\n",
    "in a dict": "m = {'a': []}\nfor i in range(n):\n    m['a'].append(y)\n",
    "of known length": "m = [x, y, (y, {'a': y})]\n",
}


@pytest.mark.parametrize("copied", ["copy.copy(m)", "copy.deepcopy(m)"])
@pytest.mark.parametrize("filled", FILLED)
def test_writes_after_a_copy(filled: str, copied: str) -> None:
    code = f"import copy\n{FILLED[filled]}k = {copied}\ny += 64\nreturn m, k"
    program = Program(program_from(code, "x, y, n"), INPUTS)
    check(program, compiled(program))


@pytest.mark.parametrize("copied", ["copy.copy(m)", "copy.deepcopy(m)"])
@pytest.mark.parametrize("grown", ["", "for i in range(n):\n    m.append(y)\n"])
def test_a_copy_of_a_class_over_list_is_refused(grown: str, copied: str) -> None:
    code = f"import copy\nclass Rows(list):\n    pass\nm = Rows()\n{grown}return len({copied})"
    with pytest.raises(elichika.StagingError, match="a copy of a Rows is not compiled"):
        compiled(Program(program_from(code, "x, y, n"), INPUTS))


SLOTS = """\
import copy
class Slotted:
    __slots__ = ("a", "b")
    def __init__(self, a):
        self.a = a
class More(Slotted):
    __slots__ = ("c",)
class Open(Slotted):
    pass
"""


@pytest.mark.parametrize("cls", ["Slotted", "More", "Open"])
@pytest.mark.parametrize("body", ["", "if n > 1:\n    q.b = y\n"])
def test_copies_of_objects_with_slots(cls: str, body: str) -> None:
    code = (
        f"{SLOTS}q = {cls}(x)\n{body}k, d = copy.copy(q), copy.deepcopy(q)\nx += 1\ny += 1\n"
        "return q.a, k.a, d.a, hasattr(k, 'b'), hasattr(d, 'b')"
    )
    program = Program(program_from(code, "x, y, n"), INPUTS)
    check(program, compiled(program))


@pytest.mark.parametrize("cls", ["Slotted", "More"])
def test_objects_with_slots_have_no_dict(cls: str) -> None:
    code = (
        f"{SLOTS}q = {cls}(x)\ntry:\n    found = len(q.__dict__)\nexcept AttributeError:\n"
        "    found = n\nreturn found, hasattr(q, '__dict__'), getattr(q, '__dict__', n)"
    )
    program = Program(program_from(code, "x, y, n"), INPUTS)
    check(program, compiled(program))


def test_the_dict_beside_slots_is_refused() -> None:
    code = f"{SLOTS}q = Open(x)\nreturn n + len(q.__dict__)"
    with pytest.raises(elichika.StagingError, match="`__slots__` too"):
        compiled(Program(program_from(code, "x, y, n"), INPUTS))
