"""What the source of a class of functions says without being run."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import chainer

__all__ = ["arguments_of", "assigned_by", "read_by"]

#: Methods that run on other devices.
ELSEWHERE = ("gpu", "cudnn", "ideep", "chainerx")


class _Reader(ast.NodeVisitor):
    """Collects the attributes of `self` in a method, and the first arguments of its calls."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.assigned: set[str] = set()
        self.arguments: dict[str, set[str]] = {}

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note what is read or assigned of `self`."""
        if getattr(node.value, "id", None) == "self":
            (self.assigned if type(node.ctx) is ast.Store else self.read).add(node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Note the first argument of a call of a method."""
        name = getattr(node.func, "attr", None)
        if name is not None and node.args:
            self.arguments.setdefault(name, set()).add(ast.unparse(node.args[0]))
        self.generic_visit(node)


@cache
def _methods(kind: Any) -> dict[str, list[_Reader]]:
    """Return what the methods of a class say, those of its bases after its own."""
    found: dict[str, list[_Reader]] = {}
    for base in _own_bases(kind):
        for name, method in vars(base).items():
            if inspect.isfunction(method) and not any(part in name for part in ELSEWHERE):
                reader = _Reader()
                with suppress(OSError, TypeError, SyntaxError):
                    reader.visit(ast.parse(_source(method)))
                found.setdefault(name, []).append(reader)
    return found


def _source(method: Any) -> str:
    """Return the source of a method; its text may hold lines that stand further left."""
    source = inspect.getsource(method)
    return f"if True:\n{source}" if source[:1].isspace() else textwrap.dedent(source)


def _own_bases(kind: Any) -> Iterator[Any]:
    for base in kind.__mro__:
        if base in (chainer.FunctionNode, chainer.Function):
            return
        yield base


def assigned_by(kind: Any, *names: str) -> frozenset[str]:
    """Return the attributes that methods of a class assign."""
    own = [_methods(kind)[name][0] for name in names if name in _methods(kind)]
    return frozenset(name for reader in own for name in reader.assigned)


def read_by(kind: Any) -> frozenset[str]:
    """Return the attributes that methods of a class read."""
    readers = [reader for readers in _methods(kind).values() for reader in readers]
    return frozenset(name for reader in readers for name in reader.read)


def arguments_of(kind: Any, called: str) -> frozenset[str]:
    """Return the first arguments of all calls of a method in a class, as text."""
    readers = [reader for readers in _methods(kind).values() for reader in readers]
    return frozenset(text for reader in readers for text in reader.arguments.get(called, ()))
