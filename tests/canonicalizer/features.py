"""What a program has in it: statements, jumps and where they leave, and how deep it is nested."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

__all__ = ["DEEP", "DEPTH", "features_of"]

DEPTH = "nesting "
DEEP = " out of five and more"
COMPOUND = {
    ast.If: "if", ast.For: "for", ast.While: "while", ast.With: "with", ast.Try: "try",
    ast.Match: "match", ast.FunctionDef: "def", ast.ClassDef: "class",
}  # fmt: skip
LOOPS = ("for", "while")
JUMPS = {ast.Return: "return", ast.Break: "break", ast.Continue: "continue"}
Around = tuple[str, ...]  # the compound statements around a node, the outermost first


def features_of(source: str) -> Counter[str]:
    """The names of what a program has, each once."""
    found: set[str] = set()
    depth = _visit(ast.parse(source).body[0], (), found)
    return Counter({*found, f"{DEPTH}{depth}"})


def _visit(node: ast.AST, around: Around, found: set[str]) -> int:
    """Note what is in a node; return how many compound statements are nested in each other."""
    found.add(type(node).__name__)
    found.update(getattr(_Variants, f"visit_{type(node).__name__}", _nothing)(node))
    found.update(_of_jump(node, around))
    found.update(_of_loop(node, around))
    deepest = 0
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                deepest = max(deepest, _visit(child, _around(node, field, around), found))
    return deepest + (type(node) in COMPOUND and bool(around))


def _around(node: ast.AST, field: str, around: Around) -> Around:
    word = COMPOUND.get(type(node))
    if word is None:
        return (*around, "except") if isinstance(node, ast.ExceptHandler) else around
    part = {"orelse": f"{word}-else", "finalbody": "finally"}.get(field, word)
    return (*around, part)


def _since(words: Around, around: Around) -> Around:
    """What is around a node from the last of some words on, that one included."""
    places = [index for index, word in enumerate(around) if word in words]
    return around[places[-1] :] if places else around


def _of_jump(node: ast.AST, around: Around) -> Iterator[str]:
    """Where a jump stands, of the statements that it leaves."""
    word = JUMPS.get(type(node))
    if word is None:
        return
    returns = isinstance(node, ast.Return)
    left = _since(("def",), around)[1:] if returns else _since(LOOPS, around)
    yield from (f"{word} in {place}" for place in left)
    if len(left) >= 5:
        yield word + DEEP


def _of_loop(node: ast.AST, around: Around) -> Iterator[str]:
    """Which loops a loop is in."""
    if not isinstance(node, ast.For | ast.While):
        return
    loops = [COMPOUND[type(node)]]
    for word in reversed(_since(("def", "class"), around)):
        if word in LOOPS:
            loops.append(word)
            yield " in ".join(loops)


def _nothing(node: Any) -> list[str]:
    return []


def _to(target: ast.expr, what: str) -> Iterator[str]:
    """What kind of target something assigns to."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield f"{what} to {type(target).__name__}"
        return
    yield f"{what} to Tuple"
    if any(isinstance(inner, ast.Tuple | ast.List) for inner in target.elts):
        yield f"{what} to nested Tuple"
    if any(isinstance(inner, ast.Starred) for inner in ast.walk(target)):
        yield f"{what} to star"


def _test(test: ast.expr) -> Iterator[str]:
    """What the condition of an `if` or a `while` has in it."""
    return (f"test with {type(node).__name__}" for node in ast.walk(test))


def _comprehension(node: Any) -> Iterator[str]:
    kind = type(node).__name__
    if len(node.generators) > 1:
        yield f"{kind} with several for"
    if any(len(clause.ifs) > 1 for clause in node.generators):
        yield f"{kind} with several if"


class _Variants:
    """The variants of nodes, by type."""

    visit_ListComp = visit_SetComp = visit_DictComp = staticmethod(_comprehension)
    visit_GeneratorExp = staticmethod(_comprehension)

    @staticmethod
    def visit_comprehension(node: ast.comprehension) -> Iterator[str]:
        return _to(node.target, "comprehension")

    @staticmethod
    def visit_If(node: ast.If) -> Iterator[str]:
        return _test(node.test)

    @staticmethod
    def visit_For(node: ast.For) -> Iterator[str]:
        yield from _to(node.target, "For")
        if node.orelse:
            yield "For with else"

    @staticmethod
    def visit_While(node: ast.While) -> Iterator[str]:
        yield from _test(node.test)
        if node.orelse:
            yield "While with else"
        if isinstance(node.test, ast.Constant):
            yield "While True"

    @staticmethod
    def visit_Try(node: ast.Try) -> list[str]:
        return ["Try with finally"] * bool(node.finalbody) + ["Try with else"] * bool(node.orelse)

    @staticmethod
    def visit_With(node: ast.With) -> list[str]:
        return ["With of several"] * (len(node.items) > 1)

    @staticmethod
    def visit_Return(node: ast.Return) -> list[str]:
        return ["return without value" if node.value is None else "return with value"]

    @staticmethod
    def visit_FunctionDef(node: ast.FunctionDef) -> list[str]:
        returns = any(isinstance(inner, ast.Return) for inner in ast.walk(node))
        return [] if returns else ["no return"]

    @staticmethod
    def visit_Compare(node: ast.Compare) -> list[str]:
        return ["Compare in a chain"] * (len(node.ops) > 1)

    @staticmethod
    def visit_Assign(node: ast.Assign) -> Iterator[str]:
        for target in node.targets:
            yield from _to(target, "Assign")
        if len(node.targets) > 1:
            yield "Assign in a chain"
        if ast.unparse(node) == "a, b = (b, a)":
            yield "swap"

    @staticmethod
    def visit_AugAssign(node: ast.AugAssign) -> Iterator[str]:
        yield f"AugAssign of {type(node.target).__name__}"
        if any(isinstance(inner, ast.Slice) for inner in ast.walk(node.target)):
            yield "AugAssign of Slice"

    @staticmethod
    def visit_Delete(node: ast.Delete) -> Iterator[str]:
        return (f"Delete of {type(target).__name__}" for target in node.targets)
