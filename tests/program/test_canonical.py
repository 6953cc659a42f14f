"""`elichika.canonical_source` and `elichika canonical`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli.app import app

PROGRAM = '''
import functools


def search(rows, wanted):
    """Find a row."""
    for index, row in enumerate(rows):
        if row is None:
            continue
        if 0 < row < wanted:
            return index
    return -1


def traced(function):
    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)

    return call


@traced
def decorated(x):
    assert x, "none"
    return x


class Model:
    scale = 2

    def forward(self, x):
        self.count, total = 0, [x * self.scale for x in x]
        return total

    @staticmethod
    def static(x):
        return -x

    @property
    def size(self):
        return self.scale if self.scale else 1

    def __call__(self, x):
        return x


model = Model()
double = lambda x: [2 * y for y in x]
partial = functools.partial(search, [1])
exec("def nowhere(x):\\n    return x")
number = 3


def fine(x):
    return x


async def later(x):
    return x
'''

SEARCH = '''
def search(rows, wanted):
    """Find a row."""
    returned = False  # no return yet
    return_value = None  # no value yet
    for item in enumerate(rows):
        items = [*item]  # (index, row)
        if len(items) != 2:  # line 7
            raise ValueError('too many values to unpack (expected 2)' if len(items) > 2 else f'not enough values to unpack (expected 2, got {len(items)})')  # line 7
        index = items[0]  # line 7
        row = items[1]  # line 7
        if not row is None:
            if 0 < row and row < wanted:
                return_value = index  # return index
                returned = True  # line 11
        if returned:  # line 11
            break  # line 11
    if not returned:  # unless a return came before
        return_value = -1  # return -1
    return return_value  # line 12
'''  # noqa: E501

FORWARD = """
def forward(self, x):

    def listcomp(iterable):  # [x * self.scale for x in x]
        result = []  # line 33
        for x in iterable:  # line 33
            result.append(x * self.scale)  # line 33
        return result  # line 33
    new_total = listcomp(x)  # self.count, total = (0, [x * self.scale for x in x])
    self.count = 0  # line 33
    total = new_total  # line 33
    return total
"""

DECORATED = """
@traced
def decorated(x):
    if not x:  # assert x, 'none'
        raise AssertionError('none')  # line 25
    return x
"""

DOUBLE = """
def function(x):  # lambda x: [2 * y for y in x]

    def listcomp(iterable):  # [2 * y for y in x]
        result = []  # line 49
        for y in iterable:  # line 49
            result.append(2 * y)  # line 49
        return result  # line 49
    return listcomp(x)  # line 49
"""

SHOWN = {
    "search": SEARCH,
    "partial": SEARCH,
    "Model.forward": FORWARD,
    "model.forward": FORWARD,
    "decorated": DECORATED,
    "double": DOUBLE,
    "Model.size": "@property\ndef size(self):\n    return self.scale if self.scale else 1\n",
    "Model.static": "@staticmethod\ndef static(x):\n    return -x\n",
}

REFUSED = {
    "nothing": "{0} has no nothing.",
    "Model.nothing": "{0} has no Model.nothing.",
    "number": "3 is not a Python function",
    "Model": "`Model` is a class, not a Python function; name one of its methods, as in "
    "Model.forward",
    "model": "an object of `Model` is not a Python function; name one of its methods, as in "
    "Model.__call__",
    "functools.reduce": "`reduce` is built in: it has no Python source",
    "nowhere": "the source of nowhere cannot be read: cannot read <string>",
    "later": "`async def` is not supported\n"
    '  File "{0}", line 59, in later\n    async def later(x):',
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("canonical") / "program.py"
    path.write_text(PROGRAM)
    return path


def printed(source: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["canonical", source])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("name", SHOWN)
def test_shown(file: Path, name: str) -> None:
    assert printed(f"{file}:{name}") == (0, SHOWN[name].lstrip("\n"), "")


@pytest.mark.parametrize("name", REFUSED)
def test_refused(file: Path, name: str) -> None:
    code, output, error = printed(f"{file}:{name}")
    assert code != 0 and output == ""
    shown = " ".join(error.split())
    assert " ".join(REFUSED[name].format(file).split()) in shown


def deep(x: int) -> int:
    return x


def test_what_is_printed_runs(file: Path) -> None:
    space: dict[str, Any] = {}
    exec(PROGRAM, space)
    exec(printed(f"{file}:search")[1], canonical := {})
    rows = ([], [None, 1], [5, None, 0, 2, 1], [9], [None])
    for arguments in [(row, wanted) for row in rows for wanted in (0, 2, 6)]:
        assert canonical["search"](*arguments) == space["search"](*arguments)


def test_a_function_nested_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    tests = "".join(f"    elif x == {n}:\n        return {n}\n" for n in range(400))
    path.write_text(f"def long(x):\n    if x:\n        return 0\n{tests}")
    code, _, error = printed(f"{path}:long")
    assert code != 0 and "nested too deeply" in error and "Traceback" not in error


def test_the_inner_of_two_lambdas_on_a_line() -> None:
    around = lambda a: lambda b: a - b  # noqa: E731
    inner = around(1)
    if hasattr(inner.__code__, "co_positions"):  # Python 3.10 tells no columns
        assert "a - b" in elichika.canonical_source(inner)
        assert "lambda" in elichika.canonical_source(around)


def test_canonical_source_of_python_values() -> None:
    text = "def deep(x: int) -> int:\n    return x\n"
    for value in (deep, functools.partial(deep, 1), functools.wraps(deep)(lambda *a: deep(*a))):
        assert dedent(elichika.canonical_source(value)) == text
    builtin: Callable[..., Any] = len
    with pytest.raises(elichika.InputError, match="`len` is built in: it has no Python source"):
        elichika.canonical_source(builtin)


RECURSIVE = """
class Tree:
    def depth(self, tree, extra=0):
        if isinstance(tree, int):
            return extra
        return max(self.depth(tree[0]), self.depth(tree[1], extra)) + 1


def tangled(tree):
    def leaves(tree):
        if isinstance(tree, int):
            return [tree]
        return leaves(tree[0]) + leaves(tree[1])

    return sum(leaves(tree))


def even(n):
    return n == 0 or not odd(n - 1)


def odd(n):
    return n != 0 and not even(n - 1)
"""


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("Tree.depth", [(1,), ((1, 2), 7), (((1, (2, 3)), 4),)]),
        ("tangled", [(5,), (((1, 2), (3, 4)),)]),
        ("even", [(0,), (1,), (8,)]),
    ],
)
def test_a_recursion_is_shown_as_its_loop(name: str, inputs: list[Any], tmp_path: Path) -> None:
    (tmp_path / "recursive.py").write_text(RECURSIVE)
    shown = CliRunner().invoke(app, ["canonical", "--frames", f"{tmp_path}/recursive.py:{name}"])
    space: dict[str, Any] = {}
    before: dict[str, Any] = {}
    exec(shown.output, space)
    exec(RECURSIVE, before)
    own = eval(name, before)
    assert "while" in shown.output and "RecursionError" in shown.output
    receiver = [before["Tree"]()] if "." in name else []
    for arguments in inputs:
        got = space[name.split(".")[-1]](*receiver, *arguments)
        assert got == own(*receiver, *arguments)
