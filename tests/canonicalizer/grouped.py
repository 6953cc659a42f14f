"""Groups of recursive functions of a module's text, and the loops that they become."""

from __future__ import annotations

import ast
import copy
import textwrap
from typing import Any

import gast

import canonicalizer
from canonicalizer.frames import framed
from canonicalizer.group import Member
from canonicalizer.parsing import parse
from canonicalizer.text import canonical_source_of

__all__ = ["difference", "loop_of", "makes", "outcome", "run"]


def loop_of(source: str, entry: str, limit: int = 1000, **form: bool) -> str:
    """Return the text of a function of a module without its recursion, in a form of `framed`."""
    members: dict[str, Member] = {}

    def callee(call: Any) -> Any:
        match call.func:
            case gast.Name(id=name) if name in members:
                return members[name], []
        return None

    for node in gast.ast_to_gast(parse(textwrap.dedent(source))).body:
        if isinstance(node, gast.FunctionDef):
            parameters = [a.id for a in (*node.args.posonlyargs, *node.args.args)]
            values = [ast.literal_eval(gast.gast_to_ast(one)) for one in node.args.defaults]
            defaults = dict(zip(parameters[::-1], values[::-1], strict=False))
            tree = canonicalizer.canonicalize(node)
            members[node.name] = Member(tree, defaults, callee, makes=makes)
    return canonical_source_of(framed(members[entry], limit, **form))


def makes(call: Any) -> bool:
    """Tell whether a call is one of `np.zeros`, `np.ones` or `np.array`."""
    match call.func:
        case gast.Attribute(value=gast.Name(id="np"), attr=name):
            return name in ("zeros", "ones", "array")
    return False


def run(space: dict[str, Any], name: str, arguments: Any) -> Any:
    """Return what a call gives, or the error that it raises, and what became of its arguments."""
    arguments = copy.deepcopy(arguments)
    try:
        result = space[name](*arguments)
    except Exception as error:
        return type(error), str(error), arguments
    return "result", type(result), result, arguments


def outcome(space: dict[str, Any], left: int, limit: int) -> Any:
    """Return what a random program does: its result, its list, and what it noted."""
    space["log"].clear()
    space["limit"][0] = limit
    return run(space, "f0", (left, [5], 2)), list(space["log"])


def difference(source: str, **form: bool) -> str | None:
    """Return how a random program differs from its loop, None where it does not."""
    text = loop_of(source, "f0", **form)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(source, before)
    exec(source, after)
    exec(text, after)
    for left in (0, 1, 2, 4):
        for limit in (3, 20, 300):
            expected, got = outcome(before, left, limit), outcome(after, left, limit)
            if expected != got:
                return f"n={left}, limit={limit}: expected {expected}, got {got}\n\n{text}"
    return None
