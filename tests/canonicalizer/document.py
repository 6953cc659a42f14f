"""Writes `docs/canonical-form.md` from the table of constructs and the canonical grammar."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import indent

import gast

from canonicalizer import canonical_source_of, canonicalize

from .constructs import REWRITTEN, ROWS, Row

EXAMPLE = """\
def first_above(rows, least):
    for row in rows:
        if row is None:
            continue
        if row.sum() > least:
            return row
    return None"""

__all__ = ["PATH", "document", "program_of"]

PATH = Path(__file__).parents[2] / "docs" / "canonical-form.md"

HEAD = """# The canonical form

Written by `make docs` from the table of constructs in `tests/canonicalizer/constructs.py`; a test
keeps it up to date and checks each row against what the canonicalizer does.

Before a program is compiled, it is rewritten into a small subset of Python in which there is one
way to say each thing. The result is still an ordinary program with the same meaning: `elichika
canonical model.py:Net.forward` and `elichika.canonical_source(fn)` print it, and Python can run
it. For example, this function

```python
{before}
```

becomes the following, with one `return`, and a `break` in one place:

```python
{after}```

The tables say of each construct of Python which of these holds:

- *kept*: the construct stays as it is.
- *rewritten*: it is expressed by others, as shown [below](#how-they-are-rewritten).
- *refused*: compiling ends with an `UnsupportedSyntax`, with its line and column.

The last column names the Python version that introduced a construct, if not all of 3.10 to 3.13
have it.

## What holds of every canonical program

- There is no `continue` and no `else` of a loop. A `while` has no `break`: a flag in its test
  takes its place. A `for` has at most one, `if done: break`, as its last statement.
- A function has at most one `return`, as its last statement.
- An assignment has one target, which is not a tuple. The target of `+=`, `for` and `with` is a
  name.
- A comparison has one operator. There is no comprehension, no `assert` and no `match`. Negative
  numbers are constants. `global` and `nonlocal` stand at the start of a function.
- Each node has the line, column and end of what it stands for in the source.

## What is not kept

A program gives the same values, raises the same exceptions and does things in the same order as
before. What may differ:

- What looks at the program from outside: `locals()`, `vars()` and `dir()` without arguments,
  frames, tracebacks, `eval`, and the names of functions that stand for comprehensions and lambdas.
- An iterator with too many items for its targets is read to its end before the ValueError (if it
  is endless, for ever). Python stops at the first item too many.
- How often the truth of a comparison is tested in `a < b < c or d`: once, as in `(a < b and b < c)
  or d`.
- How often a `match` asks an object of your own class for its length and items.
- A class body that is watched while it runs (an `Enum`, a metaclass with `__prepare__`) sees the
  temporary names, which are deleted at its end.

If a program gives another meaning to a builtin that is needed here (`set`, `iter`, `ValueError`,
…), it is refused. So is code that is nested too deeply for Python's recursion limit.
"""


def program_of(row: Row) -> str:
    """The example of a row in a function."""
    return "def f():\n" + indent(row.example, "    ")


def document() -> str:
    """The whole document."""
    after = canonical_source_of(canonicalize(gast.parse(EXAMPLE)))
    parts = [HEAD.replace("{before}", EXAMPLE).replace("{after}", after)]
    for title, rows in ROWS.items():
        parts.append(f"\n## {title}\n\n| construct | nodes | | since |\n|---|---|---|---|\n")
        parts += [_line(row) for row in rows]
    parts.append("\n## How they are rewritten\n\nThe comments are those of the printed program.\n")
    for rows in ROWS.values():
        parts += [_picture(row) for row in rows if row.verdict == REWRITTEN]
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
