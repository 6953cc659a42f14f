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

SEEDS = range(30)


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


def difference(source: str, thorough: bool = True) -> str | None:
    """What is wrong with the canonical form of a program, or None.

    It must do what the program does, and it must have the canonical form. If `thorough`, its
    printed text must do the same, and canonicalizing it again must change nothing.
    """
    from .form import broken_rule
    from .world import outcome

    tree = gast.parse(source)
    before = run_text(source)
    canonical = canonicalizer.canonicalize(tree)
    if rule := broken_rule(canonical):
        return rule
    versions = [("tree", run_tree(canonical))]
    if thorough:
        if gast.dump(canonicalizer.canonicalize(canonical)) != gast.dump(canonical):
            return "canonicalizing twice is not canonicalizing once"
        versions.append(("text", run_text(canonical_source_of(canonical))))
    outcomes = [outcome(before, seed) for seed in SEEDS]
    for kind, after in versions:
        for seed, expected in zip(SEEDS, outcomes, strict=True):
            got = outcome(after, seed)
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
