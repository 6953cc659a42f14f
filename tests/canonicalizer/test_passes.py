"""Each pass: before and after as text, the same meaning, and twice is once."""

from __future__ import annotations

import ast
from typing import Any

import gast
import pytest

import canonicalizer
from canonicalizer import PASSES
from canonicalizer.copies import copied
from canonicalizer.locations import complete
from canonicalizer.names import Names

from .pictures import PICTURES
from .running import run_tree
from .world import outcome


def apply(passes: str, tree: gast.Module) -> gast.Module:
    """What some passes make of a program, and nothing else."""
    by_name = {rewrite.__name__: rewrite for rewrite in PASSES}
    tree = copied(tree, with_origin=True)
    complete(tree)
    names = Names(tree)
    for name in passes.split(", "):
        tree = by_name[name](names).visit(tree)
    return tree


def text_of(tree: gast.AST) -> str:
    return ast.unparse(gast.gast_to_ast(tree)).strip()


ROWS = [
    pytest.param(passes, before, after, id=f"{passes}-{index}")
    for passes, pairs in PICTURES.items()
    for index, (before, after) in enumerate(pairs)
]


@pytest.mark.parametrize(("passes", "before", "after"), ROWS)
def test_text(passes: str, before: str, after: str) -> None:
    assert text_of(apply(passes, gast.parse(before))) == text_of(gast.parse(after))


@pytest.mark.parametrize(("passes", "before", "after"), ROWS)
def test_twice_is_once(passes: str, before: str, after: str) -> None:
    once = apply(passes, gast.parse(before))
    assert gast.dump(apply(passes, once)) == gast.dump(once)


@pytest.mark.parametrize(("passes", "before", "after"), ROWS)
def test_same_meaning(passes: str, before: str, after: str) -> None:
    tree = gast.parse(before)
    program = run_tree(tree)
    for changed in (apply(passes, tree), canonicalizer.canonicalize(tree)):
        other = run_tree(changed)
        for seed in range(40):
            assert outcome(other, seed) == outcome(program, seed)


def test_every_pass_has_a_picture() -> None:
    shown = {name for passes in PICTURES for name in passes.split(", ")}
    assert shown == {rewrite.__name__ for rewrite in PASSES}


@pytest.mark.parametrize("rewrite", PASSES)
def test_every_pass_has_a_picture_in_its_docstring(rewrite: Any) -> None:
    documentation = __import__(rewrite.__module__, fromlist=["x"]).__doc__
    assert any(line.startswith("    ") for line in documentation.split("\n"))
