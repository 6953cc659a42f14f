"""Arrays that only one name of a recursive function holds."""

from __future__ import annotations

import textwrap
from typing import Any

import gast
import numpy as np
import pytest

import canonicalizer
from canonicalizer.owned import owned

from .grouped import loop_of, makes

#: What is done with an array `a` in a function that calls itself, and whether it is owned.
USES = {
    "a[0] = f(n - 1)[0] + a.sum()\nreturn a": True,
    "a[0] += f(n - 1)[1]\na *= 2\nreturn a": True,
    "b = f(n - 1)\nreturn np.array([a[0], b[0]])": True,
    "a[1] = len(a) + a.shape[0] + int(a[0] < 3)\na[0] = f(n - 1)[0]\nreturn a": True,
    "for i in range(2):\n    a[i] = f(n - 1)[i]\n    if a[i] > 5:\n        break\nreturn a": True,
    "a[0] = f(n - 1)[0]\nb = a\nb[1] = 7\nreturn a": False,
    "b = a[:1]\nb[0] = f(n - 1)[0]\nreturn a": False,
    "kept.append(a)\na[0] = f(n - 1)[0]\nreturn a": False,
    "g = lambda: a\na[0] = f(n - 1)[0]\nreturn g()": False,
    "for b in [a]:\n    b[0] = f(n - 1)[0]\nreturn a": False,
    "try:\n    return a\nfinally:\n    a[0] = f(n - 1)[0]": False,
    "a = a if n % 2 else f(n - 2)\na[0] = f(n - 1)[1]\nreturn a": False,
    "def g():\n    nonlocal a\n    a = kept[0]\ng()\na[0] = f(n - 1)[0]\nreturn a": False,
    "(a := f(n - 1))[0] += 1\nreturn a": False,
}


def source_of(use: str) -> str:
    """Return a function that makes an array and uses it."""
    body = textwrap.indent(use, "    ")
    head = "    a = np.zeros(2)\n    if n <= 0:\n        return a + n\n"
    return f"def f(n):\n{head}    a[1] = n\n{body}\n"


def outcome(source: str, n: int) -> Any:
    """Return what a call of a function gives, and what became of a list of arrays."""
    space: dict[str, Any] = {"np": np, "kept": [np.ones(2)]}
    exec(source, space)
    return space["f"](n).tolist(), [a.tolist() for a in space["kept"]]


@pytest.mark.parametrize("use", USES)
def test_owned(use: str) -> None:
    tree = canonicalizer.canonicalize(gast.parse(source_of(use)).body[0])
    assert ("a" in owned(tree, makes, lambda name: True)) is USES[use]


@pytest.mark.parametrize("use", [use for use, fine in USES.items() if fine])
def test_copies_are_the_array_itself(use: str) -> None:
    source = source_of(use)
    text = loop_of(source, "f")
    assert "a_stack.append(a.copy())" in text or "a_stack" not in text
    for n in range(6):
        assert outcome(text, n) == outcome(source, n)
