"""The canonical program as text, for people to read and Python to run."""

from __future__ import annotations

import ast
from typing import Any

import gast

from .copies import copied
from .template import expression, template

__all__ = ["canonical_source_of", "source_line"]

MARK = "__comment_"


def canonical_source_of(tree: gast.AST) -> str:
    """Print a canonical tree, with a comment on each line that stands for something else.

    Args:
        tree: what `canonicalize` returned; it is left as it is.

    Returns:
        Python source that runs as it stands and means what the tree means.
    """
    marker = _Marker()
    marked = marker.visit(_printable(copied(tree)))
    if isinstance(marked, list):  # the root itself has a comment
        module = gast.Module(body=[], type_ignores=[])
        module.body, marked = marked, module
    return _with_comments(ast.unparse(gast.gast_to_ast(marked)), marker.comments)


def source_line(node: gast.AST, length: int = 60) -> str:
    """The first line of a node's source, shortened, for comments."""
    text = ast.unparse(gast.gast_to_ast(_printable(copied(node))))
    line = text.split("\n", 1)[0]
    return line if len(line) <= length else line[: length - 1] + "…"


def _printable(tree: gast.AST) -> Any:
    """Undo what prints wrong: a negative constant as in `-1 ** 2`."""
    return _Negatives().visit(tree)


class _Negatives(ast.NodeTransformer):
    """Writes a negative constant as a minus before a positive one."""

    def visit_Constant(self, node: gast.Constant) -> gast.expr:
        if type(node.value) in (int, float, complex) and repr(node.value).startswith(("-", "(-")):
            positive = copied(node)
            positive.value = -node.value
            return expression("-positive", at=node, positive=positive)
        return node


class _Marker(ast.NodeTransformer):
    """Puts a name that stands for its comment before each statement that has one."""

    def __init__(self) -> None:
        self.comments: list[str] = []

    def visit(self, node: gast.AST) -> Any:
        node = self.generic_visit(node)
        if not getattr(node, "comment", ""):
            return node
        comment = node.comment
        self.comments.append(comment if isinstance(comment, str) else source_line(comment))
        (mark,) = template(f"{MARK}{len(self.comments) - 1}", at=node)
        return [mark, node]


def _with_comments(text: str, comments: list[str]) -> str:
    lines: list[str] = []
    pending = ""
    for line in text.split("\n"):
        name = line.strip()
        if name.startswith(MARK):
            pending = comments[int(name.removeprefix(MARK))]
        elif not name:
            lines.append(line)
        elif pending and ("'''" in line or '"""' in line):
            indent = line[: len(line) - len(line.lstrip())]
            lines += [f"{indent}# {pending}", line]
            pending = ""
        else:
            lines.append(f"{line}  # {pending}" if pending else line)
            pending = ""
    return "\n".join(lines) + "\n"
