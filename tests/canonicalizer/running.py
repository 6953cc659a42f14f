"""Running programs: as text, as trees, before and after."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any

import gast

import canonicalizer
from canonicalizer.text import canonical_source_of

__all__ = ["difference", "run_text", "run_tree"]

SEEDS = range(5)


def run_text(source: str, name: str = "program") -> Callable[..., Any]:
    """The function that a source defines."""
    return _run(source, name)


def run_tree(tree: gast.Module, name: str = "program") -> Callable[..., Any]:
    """The function that a module defines."""
    return _run(ast.fix_missing_locations(gast.gast_to_ast(tree)), name)


def _run(program: Any, name: str) -> Callable[..., Any]:
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "<program>", "exec"), space)
    return space[name]


def difference(source: str) -> str | None:
    """What is wrong with the canonical form of a program, or None.

    It must do what the program does, from the tree and from the printed text; canonicalizing it
    again must change nothing; and it must have the canonical form. A refusal is no difference.
    """
    from .form import broken_rule
    from .world import outcome

    tree = gast.parse(source)
    try:
        before = run_text(source)
    except SyntaxError:
        return None
    canonical = canonicalizer.canonicalize(tree)
    if gast.dump(canonicalizer.canonicalize(canonical)) != gast.dump(canonical):
        return "canonicalizing twice is not canonicalizing once"
    if rule := broken_rule(canonical):
        return rule
    text = canonical_source_of(canonical)
    for kind, after in ("tree", run_tree(canonical)), ("text", run_text(text)):
        for seed in SEEDS:
            expected, got = outcome(before, seed), outcome(after, seed)
            if expected != got:
                pairs = zip(expected, got, strict=False)
                step = next((i for i, (x, y) in enumerate(pairs) if x != y), None)
                if step is None:
                    step = min(len(expected), len(got)) - 1
                return (
                    f"{kind}, seed {seed}, step {step}:\n  expected {expected[step]}\n"
                    f"  got      {got[step]}"
                )
    return None
