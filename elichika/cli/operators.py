"""The `ops` command: what of Chainer compiles, as the tests of this version found it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from elichika.cli.options import Json
from elichika.cli.run import Run
from elichika.errors import InputError, meant

__all__ = ["DATA", "Operator", "line", "markdown", "named", "operators", "ops"]

DATA = Path(__file__).with_name("operators.json")
"""Written by `python -m tests.lowerings.document`, with the page."""

DRAWN = " with `random='onnx'`"
"""What is said of calls that draw random numbers."""

SHORT = {"chainer.": "", "functions.": "F.", "links.": "L.", "distributions.": "D."}
"""How what users import is written in the table."""

SHOWN = 6
"""Calls that a row shows."""
SAID = {"supported": "supported, by one operator", "composite": "supported, by several operators"}
"""What the words of the table mean, where it is not at hand."""


@dataclass(frozen=True)
class Operator:
    """A public name of Chainer and what its calls came to.

    Attributes:
        section: The heading it stands under.
        name: As users write it.
        status: `supported`, `composite` (more than one ONNX operator), `refused` or `failing`.
        why: Of what is refused or failing, in one line.
        operators: The ONNX operators of its models.
        runs: Inputs on which a model agreed with Chainer.
        calls: The calls that compile.
        drawn: Those that compile where the model may draw random numbers.
        refused: Those that the compiler refuses.
        gradient: `yes`, `partly: why` or `no: why`; nothing where Chainer differentiates none.
    """

    section: str
    name: str
    status: str
    why: str
    operators: Sequence[str]
    runs: int
    calls: Sequence[str]
    drawn: Sequence[str]
    refused: Sequence[str]
    gradient: str = ""


def operators() -> list[Operator]:
    """Return all rows of the table, in its order."""
    return [Operator(**fields) for fields in json.loads(DATA.read_text(encoding="utf-8"))]


def ops(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="F.relu, L.LSTM; all without any.")
    ] = None,
    format: Annotated[str, typer.Option(help="`text`: what each came to; `md`: a table.")] = "text",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file for it.")] = None,
    as_json: Json = False,
) -> None:
    """Say which functions, links and members of Chainer compile, as found by the tests."""
    if format not in ("text", "md"):
        raise typer.BadParameter("text or md", param_hint="--format")
    if as_json and (output is not None or format != "text"):
        raise typer.BadParameter("goes to standard output, without --format", param_hint="--json")
    with Run(as_json) as run:
        known = {row.name: row for row in operators()}
        asked = dict.fromkeys(found for name in names or () for found in named(name, known))
        if as_json:
            run.facts["names"] = [asdict(known[name]) for name in asked or known]
            return
        if format == "md":
            text = markdown([row for row in known.values() if not names or row.name in asked])
        else:
            text = "".join(_said(known[name]) for name in asked or known)
        if output is None or str(output) == "-":
            sys.stdout.write(text)
            return
        from elichika.model.files import require_writable
        from onnx_graph.export import replacing

        with replacing(require_writable(output)) as file:
            file.write(text.encode())


def named(asked: str, known: Mapping[str, Operator]) -> Sequence[str]:
    """Return the rows that a name means: `F.relu`, `chainer.functions.relu`, or `relu` alone.

    Raises:
        InputError: There is none.
    """
    name = asked.removesuffix("()")
    if name in known:
        return [name]
    for long, short in SHORT.items():
        name = short + name.removeprefix(long) if name.startswith(long) else name
    if name in known:
        return [name]
    last = name.rpartition(".")[2].lower()
    ends = {row: row.rpartition(".")[2].lower() for row in known}
    found = [row for row, end in ends.items() if end == last and "." not in name]
    if found:
        return found
    near = meant(name, known) or meant(last, ends.values())
    like = [row for row, end in ends.items() if near and f"`{end}`" in near]
    hint = f"did you mean `{like[0]}`?" if like else near or "`elichika ops` lists all names"
    raise InputError(f"`{asked}` is not a public name of Chainer that elichika knows.", hint=hint)


def _said(row: Operator) -> str:
    return f"{row.name}: {SAID.get(row.status, row.status)}{row.why and ': '}{row.why}\n"


def markdown(rows: Sequence[Operator]) -> str:
    """Return the table as a document."""
    lines = [
        "# What of Chainer compiles",
        "",
        "Written by `make docs`, which compiles every call below and compares each model with",
        "Chainer: on the inputs that it was compiled with and on others, with fixed and with",
        "dynamic sizes, and in float32, float64 and float16 where Chainer takes them.",
        "",
        "- *supported*: the call becomes one operator of ONNX.",
        "- *composite*: it becomes several operators.",
        "- *refused*: compiling ends with an error that gives the reason and your line.",
        "- *gradient*: whether its gradients by all inputs and parameters compile too. They are",
        "  compared with `chainer.grad`, on other sizes as well.",
        "",
        "Calls with `random='onnx'` draw random numbers. They are compared with the same numbers",
        "put in on both sides.",
        "",
        *_summary(rows),
    ]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines += ["", f"## {section}", "", "| name | status | gradient | tested calls |"]
            lines.append("|---|---|---|---|")
        lines.append(line(row))
    return "\n".join([*lines, ""])


def _summary(rows: Sequence[Operator]) -> Iterator[str]:
    """Yield the lines of the document that count the names of each group."""
    yield "| | compile | of |"
    yield "|---|---|---|"
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(row.section.split(":")[0], []).append(row.status)
    for group, found in groups.items():
        good = sum(status in ("supported", "composite") for status in found)
        yield f"| {group} | {good} | {len(found)} |"


def line(row: Operator) -> str:
    """Return a row of the document."""
    calls = [*(f"`{call}`" for call in row.calls), *(f"`{call}`{DRAWN}" for call in row.drawn)]
    more = len(calls) - SHOWN
    shown = ", ".join(calls[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    if calls and row.refused:
        shown += "; refused: " + ", ".join(f"`{call}`" for call in row.refused)
    what = f"{row.status}: {row.why}" if row.why else row.status
    cells = [f"`{row.name}`", what, row.gradient, shown]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
