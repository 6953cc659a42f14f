"""What a program has in it: statements, jumps and where they leave, and how deep it is nested."""

from __future__ import annotations

import ast
from collections import Counter

__all__ = ["DEPTH", "features_of"]

DEPTH = "nesting "
DEEP = " out of five and more"
COMPOUND = {
    ast.If: "if", ast.For: "for", ast.While: "while", ast.With: "with", ast.Try: "try",
    ast.Match: "match", ast.FunctionDef: "def", ast.ClassDef: "class",
}  # fmt: skip
JUMPS = {ast.Return: "return", ast.Break: "break", ast.Continue: "continue"}
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


def features_of(source: str) -> Counter[str]:
    """The names of what a program has, each once."""
    found: set[str] = set()
    depth = _visit(ast.parse(source).body[0], (), found)
    return Counter({*found, f"{DEPTH}{depth}"})


def _visit(node: ast.AST, around: tuple[str, ...], found: set[str]) -> int:
    """Note what is in a node; return how many compound statements are nested in each other."""
    found.update(_names(node))
    if type(node) in JUMPS:
        word, left = JUMPS[type(node)], _left(node, around)
        found.update(f"{word} in {place}" for place in left)
        found.update([f"{word}{DEEP}"] * (len(left) >= 5))
    deepest = 0
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                deepest = max(deepest, _visit(child, _around(node, field, around), found))
    return deepest + (type(node) in COMPOUND and bool(around))


def _left(jump: ast.stmt, around: tuple[str, ...]) -> tuple[str, ...]:
    """What a jump leaves, its own loop included."""
    ends = ("def",) if isinstance(jump, ast.Return) else ("for", "while")
    place = next((i for i in reversed(range(len(around))) if around[i] in ends), 0)
    return around[place + (around[place : place + 1] == ("def",)) :]


def _around(node: ast.AST, field: str, around: tuple[str, ...]) -> tuple[str, ...]:
    word = COMPOUND.get(type(node))
    if word is None:
        return (*around, "except") if isinstance(node, ast.ExceptHandler) else around
    part = {"orelse": f"{word}-else", "finalbody": "finally"}.get(field, word)
    return (*around, part)


def _names(node: ast.AST) -> list[str]:
    """What a node is called, with its variants."""
    kind = type(node).__name__
    names = [kind]
    if isinstance(node, ast.For | ast.While) and node.orelse:
        names.append(f"{kind} with else")
    elif isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
        names.append("While True")
    elif isinstance(node, ast.Try) and node.finalbody:
        names.append("Try with finally")
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        names.append("Compare in a chain")
    elif isinstance(node, ast.Assign) and len(node.targets) > 1:
        names.append("Assign in a chain")
    elif isinstance(node, ast.Assign | ast.For):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names += [f"{kind} to {inner}" for inner in _of_target(target)]
    elif isinstance(node, ast.AugAssign | ast.Delete):
        targets = node.targets if isinstance(node, ast.Delete) else [node.target]
        names += [f"{kind} of {type(target).__name__}" for target in targets]
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        names += [f"{kind} with several for"] * (len(node.generators) > 1)
        names += [f"{kind} with several if"] * any(len(c.ifs) > 1 for c in node.generators)
    elif isinstance(node, ast.With) and len(node.items) > 1:
        names.append("With of several")
    elif isinstance(node, ast.expr_context | ast.operator | ast.cmpop | ast.Module):
        return []
    return names


def _of_target(target: ast.expr) -> list[str]:
    if not isinstance(target, ast.Tuple | ast.List):
        return [type(target).__name__]
    nested = any(isinstance(inner, ast.Tuple | ast.List) for inner in target.elts)
    starred = any(isinstance(inner, ast.Starred) for inner in target.elts)
    return ["Tuple"] + ["nested Tuple"] * nested + ["star"] * starred
