"""The canonical grammar: every type of node is decided on, shown, and documented."""

from __future__ import annotations

import re
import sys
from textwrap import indent
from typing import Any

import gast
import pytest

from canonicalizer import UnsupportedSyntax, canonicalize
from canonicalizer.check import EXPRESSIONS, REFUSED, STATEMENTS, check

from . import constructs, document
from .constructs import KEPT, NOT_SYNTAX, REWRITTEN, ROWS, Row
from .form import broken_rule

ALL = [row for rows in ROWS.values() for row in rows]
BASES = {"AST", "boolop", "cmpop", "excepthandler", "expr", "expr_context", "mod", "operator"}
BASES |= {"pattern", "slice", "stmt", "type_ignore", "type_param", "unaryop"}
SHOWN = gast.stmt | gast.expr | gast.slice


def bare(kind: type[Any]) -> Any:
    """A node with nothing in it."""
    return kind(*[None] * len(kind._fields))


def node_types() -> dict[str, type[Any]]:
    """All types of gast nodes that can stand in a tree."""
    types = {name: getattr(gast, name) for name in dir(gast)}
    return {
        name: kind
        for name, kind in types.items()
        if isinstance(kind, type) and issubclass(kind, gast.AST) and name not in BASES
    }


def test_every_node_type_is_in_the_table() -> None:
    named = {name for row in ALL for name in row.nodes.split()}
    assert named.isdisjoint(NOT_SYNTAX)
    assert named | NOT_SYNTAX == set(node_types())


def test_the_table_is_the_grammar() -> None:
    """A type is kept somewhere just if the checker takes it, and it refuses what never is."""
    kinds = {name: kind for name, kind in node_types().items() if name not in NOT_SYNTAX}
    visible = {n for n, kind in kinds.items() if issubclass(kind, SHOWN)}
    kept = {name for row in ALL if row.verdict == KEPT for name in row.nodes.split()}
    changed = {name for row in ALL if row.verdict == REWRITTEN for name in row.nodes.split()}
    assert visible & kept == STATEMENTS.keys() | EXPRESSIONS.keys()
    assert visible - kept - changed == set(REFUSED)
    assert STATEMENTS.keys().isdisjoint(REFUSED) and EXPRESSIONS.keys().isdisjoint(REFUSED)


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.construct)
def test_row(row: Row) -> None:
    if sys.version_info < row.since:
        for name in set(row.nodes.split()) & set(REFUSED):
            with pytest.raises(UnsupportedSyntax, match="is not supported"):
                check(bare(getattr(gast, name)))
        return
    tree = gast.parse(document.program_of(row))
    held = {type(node).__name__ for node in gast.walk(tree)}
    assert set(row.nodes.split()) <= held
    if row.verdict == constructs.REFUSED:
        with pytest.raises(UnsupportedSyntax) as caught:
            canonicalize(tree)
        assert row.why in str(caught.value) and caught.value.lineno is not None
        return
    canonical = canonicalize(tree)
    same = gast.dump(canonical) == gast.dump(tree)
    assert same == (row.verdict == KEPT)
    left = {type(node).__name__ for node in gast.walk(canonical)}
    lost = {name for name in row.nodes.split() if issubclass(getattr(gast, name), SHOWN)}
    assert left & lost <= STATEMENTS.keys() | EXPRESSIONS.keys()
    assert broken_rule(canonical) is None


def test_the_document_is_up_to_date() -> None:
    assert document.PATH.read_text() == document.document(), "run `make docs`"


def test_the_checker_refuses_what_no_pass_has_removed() -> None:
    sources = {
        "for x in xs:\n    continue": "`Continue`",
        "while a:\n    break": "`if done: break` at the end of a `for`",
        "for x in xs:\n    if x:\n        break\n    f()": "a `break` that is not",
        "def f():\n    return 1\n    g()": "a `return` that is not the end of a function",
        "a = b = c": "more than one target",
        "a, b = c": "more than one target",
        "a.b += c": "a target that is not a name",
        "for a.b in c: pass": "a target that is not a name",
        "for a in c: pass\nelse: pass": "the `else` of a loop",
        "with a, b: pass": "more than one context manager",
        "a < b < c": "a chained comparison",
        "[a for a in b]": "`ListComp`",
        "assert a": "`Assert`",
        "f(-1)": "a minus before a number",
    }
    for source, why in sources.items():
        with pytest.raises(UnsupportedSyntax) as caught:
            check(gast.parse(source))
        assert why in str(caught.value) and str(caught.value).startswith("line ")


GROUPS = pytest.mark.skipif(sys.version_info < (3, 11), reason="`except*` is of Python 3.11")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(f"try:\n    {jump}\nexcept* E:\n    g()\n{end}h()", "`except*`", marks=GROUPS)
        for jump in ("return 1", "if x: return", "continue", "break")
        for end in ("", "finally:\n    i()\n")
    ]
    + [
        (f"async {head}:\n    if x: {jump}\n    g()", "`async def`")
        for head in ("with x", "for x in xs")
        for jump in ("return 1", "continue", "break")
    ],
)
def test_jumps_out_of_what_is_refused(body: str, why: str) -> None:
    word = "async def" if "async" in body else "def"
    source = f"{word} f(xs):\n    for x in xs:\n{indent(body, ' ' * 8)}\n    return 2"
    with pytest.raises(UnsupportedSyntax, match=re.escape(f"{why} is not supported")):
        canonicalize(gast.parse(source).body[0])


def test_locations_are_those_of_the_source() -> None:
    """Each generated node stands where the statement stands that it comes from."""
    loop = "    for i, x in xs:\n        if i < x < 3:\n            return [x for x in x]\n"
    source = "\n\n\ndef f(xs):\n" + loop
    tree = canonicalize(gast.parse(source))
    lines = source.split("\n")
    for node in gast.walk(tree):
        if "lineno" in node._attributes:
            assert 4 <= node.lineno <= node.end_lineno <= 7
            assert 0 <= node.col_offset < len(lines[node.lineno - 1])
            assert 0 < node.end_col_offset <= len(lines[node.end_lineno - 1])
    made = [node for node in gast.walk(tree) if getattr(node, "id", "") == "return_value"]
    flag = next(node for node in made if node.lineno == 7)
    assert (flag.col_offset, flag.end_col_offset) == (12, len(lines[6]))
