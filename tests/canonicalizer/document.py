"""Writes `docs/canonical-form.md` from the table of constructs and the canonical grammar."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import indent

import gast

from canonicalizer import canonical_source_of, canonicalize

from .constructs import CANONICALISED, ROWS, Row

__all__ = ["PATH", "document", "program_of"]

PATH = Path(__file__).parents[2] / "docs" / "canonical-form.md"

HEAD = """# The canonical form

Written by `make docs` from the table of constructs in `tests/canonicalizer/constructs.py`; a test
holds it up to date, and each row to what the canonicalizer does.

Before a program is compiled it is rewritten into a small part of Python that has one way to say
each thing. What comes out is still an ordinary program with the same meaning: `elichika canonical
model.py:Net.forward` and `elichika.canonical_source(fn)` print it, and Python runs it.

*kept*: it stays as it is. *canonicalised*: it is said in other words, shown below. *refused*:
`UnsupportedSyntax`, with its line and column. The last column is the Python that brought a
construct that not all of 3.10 to 3.13 have.

## What holds of every canonical program

- no `continue`; no `break` in a `while`: the flag is part of its test; in a `for` at most one
  `if done: break`, its last statement; no `else` of a loop;
- one `return` in a function at most, its last statement;
- one target of an assignment, no tuple; a name as the target of `+=`, `for` and `with`;
- one operator in a comparison; no comprehension, `assert` or `match`; negative numbers are
  constants; `global` and `nonlocal` stand at the start of a function;
- each node has the line, column and end of what it stands for in the source.

## What is not kept

The value of a program, its exceptions and the order of what it does stay as they are. These do not:

- what looks at a program from outside: `locals()`, `vars()` and `dir()` without arguments, frames,
  tracebacks, `eval`, and the names of functions that stand for comprehensions and lambdas;
- an iterator with too many items for its targets is read to its end before the ValueError, an
  endless one for ever; Python stops at the first item too many;
- how often the truth of the same comparison is asked in `a < b < c or d`: once, as for
  `(a < b and b < c) or d`;
- how often a `match` asks an object of one's own class for its length and items;
- a class body that is watched while it runs (an `Enum`, a metaclass with `__prepare__`) sees the
  temporary names, which are deleted at its end.

A program that gives a builtin needed here (`set`, `iter`, `ValueError`, …) another meaning is
refused where it is needed. Code that is nested too deeply for Python's recursion limit is refused.
"""


def program_of(row: Row) -> str:
    """The example of a row in a function."""
    return "def f():\n" + indent(row.example, "    ")


def document() -> str:
    """The whole document."""
    parts = [HEAD]
    for title, rows in ROWS.items():
        parts.append(f"\n## {title}\n\n| construct | nodes | | since |\n|---|---|---|---|\n")
        parts += [_line(row) for row in rows]
    parts.append("\n## In other words\n\nThe comments are those of the printed program.\n")
    for rows in ROWS.values():
        parts += [_picture(row) for row in rows if row.verdict == CANONICALISED]
    return "".join(parts)


def _line(row: Row) -> str:
    construct = row.construct.replace("|", "\\|")
    nodes = ", ".join(f"`{node}`" for node in row.nodes.split())
    since = "" if row.since == (3, 10) else f"{row.since[0]}.{row.since[1]}"
    verdict = row.verdict + (f": {row.why}" if row.why else "")
    return f"| {construct} | {nodes} | {verdict} | {since} |\n"


def _picture(row: Row) -> str:
    before = ast.unparse(ast.parse(program_of(row)))
    after = canonical_source_of(canonicalize(gast.parse(program_of(row))))
    return f"\n### {row.construct}\n\n```python\n{before}\n```\n\n```python\n{after}```\n"


if __name__ == "__main__":
    PATH.write_text(document())
