"""The canonical program as text, for people to read and Python to run."""

from __future__ import annotations

import ast
from typing import Any

import gast

from .copies import copied
from .forms import is_constant, is_number
from .template import expression, template
from .walking import replace_children, walk

__all__ = ["canonical_source_of", "source_line"]

MARK = "__comment_"


def canonical_source_of(tree: gast.AST) -> str:
    """Print a canonical tree, with a comment on each line that stands for something else.

    The comment is what the line stands for in the program, or that line's number.

    Args:
        tree: what `canonicalize` returned; it is left as it is.

    Returns:
        Python source that runs as it stands and means what the tree means.
    """
    marker = _Marker()
    printable = _printable(copied(tree))
    if isinstance(tree, gast.stmt):  # the root itself may have a comment
        module = gast.Module(body=[], type_ignores=[])
        module.body, printable = [printable], module
    text = ast.unparse(gast.gast_to_ast(marker.visit(printable)))
    return _with_comments(text, marker.comments).lstrip("\n")


def source_line(node: gast.AST, length: int = 60) -> str:
    """The first line of a node's source, shortened, for comments."""
    text = ast.unparse(gast.gast_to_ast(_printable(copied(node))))
    line = text.split("\n", 1)[0]
    return line if len(line) <= length else line[: length - 1] + "…"


def _printable(tree: gast.AST) -> Any:
    """Undo what prints wrong, in place: a negative constant as in `-1 ** 2`."""
    for node in walk(tree):
        replace_children(node, _with_minus)
    return _with_minus(tree)


def _with_minus(node: Any) -> Any:
    """A minus before a positive constant, where a node is a negative one."""
    if not is_constant(node) or not is_number(node.value):
        return node
    if not repr(node.value).startswith(("-", "(-")):
        return node
    positive = copied(node)
    positive.value = -node.value
    return expression("-positive", at=node, positive=positive)


class _Marker:
    """Puts a name that stands for its comment before each statement that has one."""

    def __init__(self) -> None:
        self.comments: list[str] = []

    def visit(self, node: Any) -> Any:
        """A node with the marks in its blocks."""
        for name in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                marked = [new for inner in block for new in self.marked(inner)]
                is_elif = name == "orelse" and isinstance(node, gast.If) and len(block) == 1
                setattr(node, name, marked[-1:] if is_elif and _is_plain_if(block[0]) else marked)
        return node

    def marked(self, node: Any) -> list[Any]:
        """A statement or handler, with its mark before it."""
        node = self.visit(node)
        comment = getattr(node, "comment", "")
        if not comment and (hasattr(node, "origin") or not isinstance(node, gast.stmt)):
            return [node]
        comment = comment or f"line {node.lineno}"
        self.comments.append(comment if isinstance(comment, str) else source_line(comment))
        return [*template(f"{MARK}{len(self.comments) - 1}", at=node), node]


def _is_plain_if(node: Any) -> bool:
    """Whether a statement is an `if` without a comment, so that `elif` can say it."""
    return isinstance(node, gast.If) and not getattr(node, "comment", "")


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
