"""The `ops` command: what of Chainer compiles, tried in this build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from elichika.cli.run import Run
from elichika.model.files import require_writable
from onnx_graph.export import replacing

__all__ = ["ops"]


def ops(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="F.relu, L.LSTM; all without any.")
    ] = None,
    format: Annotated[str, typer.Option(help="`text`: what each came to; `md`: a table.")] = "text",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file for it.")] = None,
    quick: Annotated[bool, typer.Option(help="One dtype, on dynamic sizes.")] = False,
) -> None:
    """Say which functions, links and members of Chainer compile, by compiling their calls."""
    from elichika.support.table import judge, markdown, rows

    if format not in ("text", "md"):
        raise typer.BadParameter("text or md", param_hint="--format")
    try:
        chosen = rows(names or ())
    except KeyError as error:
        raise typer.BadParameter(f"{error.args[0]} is no row of the table") from None
    with Run(as_json=False):
        target = None if output is None else require_writable(output)
        verdicts, lines = {}, []
        for row in chosen:
            verdict = verdicts[row.name] = judge(row, quick=quick)
            lines.append(f"{row.name}: {verdict.status}{verdict.why and ': '}{verdict.why}\n")
            if target is None and format == "text":
                sys.stdout.write(lines[-1])
        text = markdown(verdicts) if format == "md" else "".join(lines)
        if target is not None:
            with replacing(target) as file:
                file.write(text.encode())
        elif format == "md":
            sys.stdout.write(text)
    if any(verdict.status == "failing" for verdict in verdicts.values()):
        raise typer.Exit(3)
