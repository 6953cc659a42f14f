"""From functions to canonical programs; what was read once in a process is not read again."""

from __future__ import annotations

import types
from functools import lru_cache
from typing import Any

import canonicalizer
from canonicalizer.check import check
from canonicalizer.collecting import collected
from canonicalizer.copies import copied
from canonicalizer.frame_names import rename
from canonicalizer.resuming import resumed
from canonicalizer.scopes import kind_of
from elichika.idioms.resuming import asked, delegated
from elichika.program import native_code as natives
from elichika.program.names import Liveness
from elichika.program.places import Program
from elichika.program.source import read_source, refusal

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
        name = getattr(source.tree, "name", "<lambda>")
        raise refusal(error, source.file, name, library=library) from None
    return nested_program(tree, source.file, library)


@lru_cache(maxsize=REMEMBERED)
def resumable(program: Program) -> Program:
    """Return the program of a function that gives what resumes a generator.

    Raises:
        Unframed: A `yield` stands where a generator cannot be cut.
    """
    tree = resumed(program.tree, delegated, asked)
    check(tree)
    return nested_program(tree, program.file, program.library)


@lru_cache(maxsize=REMEMBERED)
def listing(program: Program) -> Program:
    """Return the program of a function that returns a list of what a generator yields.

    Raises:
        Unframed: A list of its items is not all that there is to it.
    """
    tree = collected(program.tree)
    check(tree)
    return nested_program(tree, program.file, program.library)


@lru_cache(maxsize=REMEMBERED)
def reading(program: Program, names: tuple[tuple[str, str], ...]) -> Program:
    """Return a function that reads names of functions around it under other names.

    Args:
        program: The function.
        names: The names that it reads, each with the other one.
    """
    tree = copied(program.tree)
    rename(tree, dict(names))
    return nested_program(tree, program.file, program.library)


@lru_cache(maxsize=REMEMBERED)
def nested_program(tree: Any, file: str, library: bool) -> Program:
    """Return the program of a function whose tree is canonical already."""
    kind = kind_of(tree)
    return Program(
        tree,
        file,
        getattr(tree, "name", "<lambda>"),
        frozenset(kind.locals),
        getattr(tree, "generated_names", frozenset()),
        Liveness(tree),
        kind.generator,
        library,
    )
