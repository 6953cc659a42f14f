"""Which names a program reads and does not define: it need not be run to see that it fails."""

from __future__ import annotations

import ast
import builtins
from functools import cache

import chainer

__all__ = ["missing"]


def missing(tree: ast.Module) -> frozenset[str]:
    """Return names, and attributes of `self`, that are read and set nowhere in the file."""
    read: set[str] = set()
    made: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                made.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
                read.add(f"self.{name}")
            case ast.Attribute(attr=name, ctx=ast.Store()):
                made.add(f"self.{name}")
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                made |= {name, f"self.{name}"}
            case ast.alias(name=name, asname=other):
                made.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                made.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                made |= set(names)
    assigned = {f"self.{name}" for name in made if not name.startswith("self.")}
    return frozenset(read - made - assigned - _known())


@cache
def _known() -> frozenset[str]:
    """Return the builtins, and what every chain has."""
    links = {*dir(chainer.Chain()), *dir(chainer.ChainList()), *dir(chainer.FunctionNode())}
    return frozenset({*dir(builtins), "__file__", "__name__", *(f"self.{one}" for one in links)})
