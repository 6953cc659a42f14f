"""One turn of a function that calls itself last, before and after."""

from __future__ import annotations

import ast
import textwrap

import gast
import pytest

from canonicalizer.parsing import parse
from canonicalizer.tail_calls import turn_of


def turn(code: str, **defaults: int) -> str | None:
    """Return the text of the turn of a function `f`."""
    tree = gast.ast_to_gast(parse(textwrap.dedent(code))).body[0]
    before = gast.dump(tree)
    made = turn_of(
        tree, lambda called: isinstance(called, gast.Name) and called.id == "f", defaults
    )
    assert gast.dump(tree) == before
    return None if made is None else ast.unparse(gast.gast_to_ast(made))


def test_returns() -> None:
    code = """
    def f(x, n=3, *, k=1):
        if n <= 0:
            return x
        for y in x:
            if y:
                return f(y, n - 1, k=k)
        if k:
            return
        return f(x, k=2) if n else x + 1
    """
    after = """
    def f(x, n, k):
        if n <= 0:
            return (False, x, (None, None, None))
        for y in x:
            if y:
                return (True, None, (y, n - 1, k))
        if k:
            return (False, None, (None, None, None))
        return (True, None, (x, 3, 2)) if n else (False, x + 1, (None, None, None))
    """
    assert turn(code, n=3, k=1) == textwrap.dedent(after).strip()


def test_end_of_the_function() -> None:
    code = """
    def f(x):
        if x:
            return f(x - 1)
    """
    after = """
    def f(x):
        if x:
            return (True, None, (x - 1,))
        return (False, None, (None,))
    """
    assert turn(code) == textwrap.dedent(after).strip()


@pytest.mark.parametrize(
    "body",
    [
        "return 1 + f(x)",
        "return x and f(x)",
        "return f(*x)",
        "return f(**x)",
        "return f()",
        "return f(x, x)",
        "return f(x, y=x)",
        "with x:\n        return f(x)",
        "try:\n        return f(x)\n    finally:\n        pass",
        "try:\n        pass\n    except x:\n        return f(x)",
        "def g():\n        return f(x)\n    return g",
        "f(x)\n    return x",
    ],
)
def test_not_the_last_act(body: str) -> None:
    assert turn(f"def f(x):\n    {body}\n") is None


def test_order_of_arguments_is_kept() -> None:
    assert turn("def f(a, b):\n    return f(b=a(), a=b())\n") is None
