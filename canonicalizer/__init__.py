"""Python programs with one way to say each thing.

`canonicalize` takes a gast tree and returns one that means the same, written in the small part of
Python that `check.py` lists. It is still an ordinary program: `canonical_source_of` prints it, and
Python runs it.
"""

from __future__ import annotations

from typing import Any

import gast

from .asserts import Asserts
from .augmented import Augmented
from .breaks import Breaks
from .check import check
from .compares import Compares
from .comprehensions import Comprehensions, function_of, has_comprehension
from .continues import Continues
from .copies import copied
from .declarations import Declarations
from .errors import UnsupportedSyntax
from .finals import Finals
from .kinds import Kinds
from .locations import complete
from .matches import Matches
from .names import Names
from .negatives import Negatives
from .returns import Returns
from .rewrite import Rewrite
from .targets import Targets
from .template import template
from .text import canonical_source_of
from .walking import by_type
from .yields import Yields

__all__ = ["PASSES", "UnsupportedSyntax", "canonical_source_of", "canonicalize"]

PASSES: tuple[type[Rewrite], ...] = (
    Declarations,  # first: later passes look for `global` at the start of a function
    Matches,  # before comprehensions: a guard is hoisted to its own condition
    Comprehensions,  # before all that splits: gives each scope its statements
    Finals,  # before all that makes names: what it copies is as the program has it
    Asserts,  # gives a condition, whose comparisons are split below
    Augmented,  # before targets: its own assignments are single
    Targets,  # after comprehensions: their loops have targets too
    Compares,  # after comprehensions: a lambda is a scope for the names it makes
    Negatives,
    Yields,  # makes returns
    Returns,  # makes breaks
    Continues,  # before breaks: what a `continue` leaves out may hold a `break`
    Breaks,
    Kinds,  # last: after all that drops code that never runs
)

SCOPES = (gast.Module, gast.FunctionDef, gast.Lambda, gast.ClassDef)


def canonicalize(tree: Any) -> Any:
    """Write a program in canonical form.

    Args:
        tree: a `gast.FunctionDef`, `gast.Lambda` or `gast.Module`; it is left as it is. Decorators
            and defaults of the function itself belong to the scope around it and stay as they are.

    Returns:
        A new tree of the same type; a lambda with a comprehension in it comes back as a function.
        The root and each function, lambda and class in it have an attribute `generated_names`.

    Raises:
        UnsupportedSyntax: the program has something that has no canonical form.
    """
    names = Names(tree)
    tree = copied(tree, with_origin=True)
    complete(tree)
    if isinstance(tree, gast.Module):
        return _passed(tree, names)
    if isinstance(tree, gast.Lambda) and has_comprehension(tree.body):
        tree = function_of(tree, "function")
    outside = _take_outside(tree)
    module = gast.Module(body=[], type_ignores=[])
    module.body = template("x", at=tree, x=tree if isinstance(tree, gast.Lambda) else [tree])
    (root,) = _passed(module, names).body
    root = getattr(root, "value", root)
    _put_outside(root, outside)
    return root


def _passed(module: gast.Module, names: Names) -> gast.Module:
    """A module after all passes that concern it, checked."""
    nodes = by_type(module)
    try:
        for rewrite in PASSES:
            if rewrite.concerns(nodes):
                module = rewrite(names).visit(module)
                nodes = by_type(module) if rewrite.makes_work else nodes
        check(module)
    except RecursionError:
        raise UnsupportedSyntax(module.body[0], "this is nested too deeply") from None
    for node in [node for kind in SCOPES for node in nodes[kind]]:
        node.generated_names = frozenset(getattr(node, "generated_names", ()))
        node.__dict__.pop("kind", None)
    return module


def _take_outside(tree: Any) -> list[Any]:
    """Take decorators and defaults off a function."""
    outside = [tree.args.defaults, tree.args.kw_defaults, getattr(tree, "decorator_list", [])]
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kw_defaults)
    if outside[2]:
        tree.decorator_list = []
    return outside


def _put_outside(tree: Any, outside: list[Any]) -> None:
    tree.args.defaults, tree.args.kw_defaults, decorators = outside
    if decorators:
        tree.decorator_list = decorators
