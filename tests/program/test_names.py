"""Which names a loop has to carry."""

from __future__ import annotations

import textwrap

import gast

import canonicalizer
from elichika.program.names import Liveness


def carried(source: str) -> frozenset[str]:
    """Return the names that are live at the loop of a function, or after it."""
    (tree,) = canonicalizer.canonicalize(gast.parse(textwrap.dedent(source))).body
    loop = next(node for node in gast.walk(tree) if type(node) in (gast.While, gast.For))
    return Liveness(tree).carried(loop)


def test_what_a_try_sets_before_it_reads_it_is_not_carried() -> None:
    source = """
    def f(n, g):
        total = 0
        while n > 0:
            try:
                made = g(n)
                n -= made
            except ValueError:
                n -= 1
        return total
    """
    assert carried(source) >= {"n", "g", "total"}
    assert "made" not in carried(source)


def test_what_a_handler_reads_is_carried() -> None:
    source = """
    def f(n, g):
        made = last = 0
        while n > 0:
            n -= 1
            try:
                made = g(n)
                last = made
            except ValueError:
                n -= made
            finally:
                g(last)
        return n
    """
    assert {"made", "last", "n", "g"} <= carried(source)
