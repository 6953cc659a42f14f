"""From functions to canonical programs; what was read once in a process is not read again."""

from __future__ import annotations

import types
from functools import lru_cache
from typing import Any

import gast

import canonicalizer
from elichika.errors import SourceFrame, UnsupportedSyntax
from elichika.program import native_code as natives
from elichika.program.names import Liveness, bound_names
from elichika.program.places import Program
from elichika.program.source import read_source

#: More functions than one model walks.
REMEMBERED = 4096


@lru_cache(maxsize=REMEMBERED)
def program_of(code: types.CodeType, file: str, lines: bytes) -> Program:
    """Return the canonical program of a function's code.

    Programs are never changed, so all walks share them.

    Args:
        code: What the function runs.
        file: Its `co_filename`, which the equality of codes leaves out.
        lines: Its `co_linetable`, likewise: with both, equal codes have the same definition.

    Raises:
        SourceUnavailable: Its source cannot be read.
        UnsupportedSyntax: It has a statement or expression that is not compiled.
    """
    source = read_source(code)
    library = natives.is_library(source.file)
    try:
        tree = canonicalizer.canonicalize(source.tree)
    except canonicalizer.UnsupportedSyntax as error:
        node = error.node
        place = SourceFrame(
            source.file,
            getattr(node, "lineno", 0),
            getattr(source.tree, "name", "<lambda>"),
            getattr(node, "col_offset", None),
            getattr(node, "end_lineno", None),
            getattr(node, "end_col_offset", None),
            library,
        )
        raise UnsupportedSyntax(str(error.why), (place,)) from None
    return nested_program(tree, source.file, library)


@lru_cache(maxsize=REMEMBERED)
def nested_program(tree: Any, file: str, library: bool) -> Program:
    """Return the program of a function whose tree is canonical already."""
    own = tree.body if isinstance(tree.body, list) else [tree.body]
    return Program(
        tree,
        file,
        getattr(tree, "name", "<lambda>"),
        bound_names(tree),
        getattr(tree, "generated_names", frozenset()),
        Liveness(tree),
        any(_yields(node) for node in own),
        library,
    )


def _yields(node: Any) -> bool:
    if isinstance(node, (gast.Yield, gast.YieldFrom)):
        return True
    if isinstance(node, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
        return False
    return any(_yields(child) for child in gast.iter_child_nodes(node))
