"""From a callable to its gast tree, with absolute lines and columns."""

from __future__ import annotations

import ast
import inspect
import linecache
import tokenize
import types
from dataclasses import dataclass
from typing import Any

import gast

import canonicalizer
from canonicalizer.flow import own_jumps
from canonicalizer.forms import blocks_of
from canonicalizer.parsing import parse
from elichika.errors import SourceFrame, UnsupportedSyntax
from elichika.program.compiled import is_compiled_from
from elichika.program.native_code import is_library
from elichika.program.places import frame_of


class SourceUnavailable(Exception):
    """The callable has no Python source that can be read.

    Attributes:
        hint: A way out, where there is a special one.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class FunctionSource:
    """A function's definition.

    Attributes:
        tree: `gast.FunctionDef` or `gast.Lambda`; lines and columns are those of the file.
        file: Where it stands.
    """

    tree: Any
    file: str


def read_source(code: types.CodeType) -> FunctionSource:
    """Return the definition of a Python function or lambda.

    Raises:
        SourceUnavailable: Built-in code, `exec`ed code without a `linecache` entry, a file that
            changed since it was imported.
    """
    lines, first = linecache.getlines(code.co_filename), code.co_firstlineno
    if len(lines) < first:
        raise SourceUnavailable(f"cannot read {code.co_filename}")
    if not is_library(code.co_filename) and not is_compiled_from(code, "".join(lines)):
        raise SourceUnavailable(
            f"{code.co_filename}:{first} no longer holds {code.co_name} as it was imported",
            "import it again: its file has changed since",
        )
    if code.co_name == "<lambda>":
        return FunctionSource(_find_lambda(code), code.co_filename)
    try:
        text = "".join(inspect.getblock(lines[first - 1 :]))
    except (IndentationError, SyntaxError, tokenize.TokenError) as error:
        raise SourceUnavailable(str(error)) from None
    indented = text[:1] in " \t"
    try:
        module = parse("if 1:\n" + text if indented else text)
    except SyntaxError as error:
        raise SourceUnavailable(str(error)) from None
    body: Any = module.body[0].body if indented else module.body  # type: ignore[attr-defined]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    if not body or not isinstance(body[0], kinds) or body[0].name != code.co_name:
        raise SourceUnavailable(f"{code.co_filename}:{first} no longer holds {code.co_name}")
    definition = body[0]
    ast.increment_lineno(definition, max(first, 1) - (2 if indented else 1))
    return FunctionSource(_gast_of(definition, code), code.co_filename)


def _gast_of(node: ast.AST, code: types.CodeType) -> Any:
    try:
        return gast.ast_to_gast(node)
    except RecursionError:
        where = f"{code.co_filename}:{code.co_firstlineno}"
        raise SourceUnavailable(f"{where}: {code.co_name} is nested too deeply") from None


def _find_lambda(code: types.CodeType) -> Any:
    """Find a lambda in its file by its line and, where a line holds several, by its bytecode.

    All that an inner lambda does lies within the outer ones as well, so the innermost is meant.
    """
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise SourceUnavailable(f"cannot read {code.co_filename}")
    try:
        module = parse("".join(lines))
    except SyntaxError as error:
        raise SourceUnavailable(str(error)) from None
    lambdas = (node for node in ast.walk(module) if isinstance(node, ast.Lambda))
    found = [node for node in lambdas if node.lineno == code.co_firstlineno]
    if len(found) > 1:
        found = [node for node in found if _same_code(node, code)]
        around = [node for node in found if any(inner in ast.walk(node.body) for inner in found)]
        found = [node for node in found if node not in around]
    if len({ast.dump(node, include_attributes=False) for node in found}) != 1:
        raise SourceUnavailable(
            f"{code.co_filename}:{code.co_firstlineno}: more than one lambda on this line"
        )
    return _gast_of(found[0], code)


def _same_code(node: ast.Lambda, code: types.CodeType) -> bool:
    names = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
    if tuple(names) != code.co_varnames[: len(names)]:
        return False
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return True
    columns = [
        (line, col, end_line, end)
        for line, end_line, col, end in positions()
        if line is not None and col is not None and col != end
    ]
    body = node.body
    return all(
        (body.lineno, body.col_offset) <= (line, col)
        and (end_line, end) <= (body.end_lineno, body.end_col_offset)
        for line, col, end_line, end in columns
    )


def place_of_result(function: Any) -> SourceFrame | None:
    """Return where a function returns its result: its only `return`, or else its definition."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(function, types.FunctionType):
        return None
    code = function.__code__
    try:
        blocks = blocks_of(read_source(code).tree)
        returns: list[Any] = [jump for body in blocks for jump in own_jumps(body, gast.Return)]
    except SourceUnavailable:
        returns = []
    if len(returns) != 1 or returns[0].value is None:
        return SourceFrame(code.co_filename, code.co_firstlineno, code.co_name)
    return frame_of(returns[0].value, code.co_filename, code.co_name)


def unsupported_syntax(function: types.FunctionType) -> list[UnsupportedSyntax]:
    """Return every statement and expression of a function that has no canonical form."""
    try:
        source = read_source(function.__code__)
    except SourceUnavailable:
        return []
    found: list[UnsupportedSyntax] = []
    while True:
        try:
            canonicalizer.canonicalize(source.tree)
        except canonicalizer.UnsupportedSyntax as error:
            found.append(refusal(error, source.file, function.__name__))
            if not _leave_out(source.tree, error.node):
                return found
        else:
            return found


def refusal(
    error: canonicalizer.UnsupportedSyntax, file: str, function: str, *, library: bool = False
) -> UnsupportedSyntax:
    """Return what users are told of syntax without a canonical form."""
    place = frame_of(error.node, file, function, library=library)
    return UnsupportedSyntax(str(error.why), (place,))


def _leave_out(around: Any, refused: Any) -> bool:
    """Put `pass` in the place of the innermost statement around a node; tell whether there is."""
    place = getattr(refused, "lineno", 0), getattr(refused, "col_offset", 0)
    for block in blocks_of(around):
        for index, statement in enumerate(block):
            start = statement.lineno, statement.col_offset
            end = statement.end_lineno, statement.end_col_offset
            if start <= place < end and not isinstance(statement, gast.Pass):
                if not _leave_out(statement, refused):
                    block[index] = gast.copy_location(gast.Pass(), statement)
                return True
    return False
