"""The commands that look into a model file: `inspect` and `explain`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elichika.cli.app import app
from elichika.cli.options import Json, Verbose
from elichika.cli.run import Run
from elichika.errors import InputError
from elichika.values.words import several

if TYPE_CHECKING:
    from rich.tree import Tree

    from elichika.model.inspection import Block, Inspection

BIGGEST = 10
"""Parameters in the summary; JSON has all."""
MOST_SHOWN = 200
"""Inputs, outputs and notes in the summary."""
MOST_COPIES = 4
"""Copies in the summary, of those in each loop."""
READS = "{} on the GPU, where an index out of range gives 0 and does not fail"
IN_LOOP = ", in a loop"
MOST_TEXT = 2**20
"""Characters of an error's text that are read."""

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="The .onnx file.")]
Provider = Annotated[
    str | None,
    typer.Option(metavar="cuda", help="Show what would run on a GPU, and what would be copied."),
]


@app.command()
def inspect(
    model_file: ModelFile,
    provider: Provider = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what a model holds: sizes, operators, loops and branches with your lines."""
    with Run(as_json) as run:
        import_module("elichika.process.compat")  # before Chainer
        from elichika.model.inspection import inspect_model

        if provider not in (None, "cuda"):
            raise InputError(f"--provider is cuda, not {provider}.")

        found = inspect_model(model_file)
        for name, value in asdict(found).items():
            if value or name not in ("arguments", "result"):
                run.show(name, _text(found, name), value)
        if provider is not None:
            _show_placement(run, model_file)
        if found.blocks and not as_json:
            run.also(_tree(found.blocks))


@app.command()
def explain(
    model_file: ModelFile,
    error: Annotated[
        str, typer.Option("--error", help="A file with onnxruntime's message; - is standard input.")
    ] = "-",
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Say which of your lines an error message of onnxruntime is about."""
    with Run(as_json) as run:
        import_module("elichika.process.compat")  # before Chainer
        from elichika.model.inspection import read_model
        from elichika.model.source_map import SourceMap

        model = read_model(model_file)
        text = _message(error)
        try:
            lines = SourceMap.from_metadata({m.key: m.value for m in model.metadata_props})
        except ValueError:
            raise InputError(f"The source map of {model_file} is damaged.") from None
        explained = lines.error(RuntimeError(text))
        if explained is None:
            raise InputError(
                "The text names no node of this model.",
                hint="onnxruntime's message has the words: running … node. Name:'…'",
            )
        run.show("message", explained.message)
        places = [f"{frame.file}:{frame.line} in {frame.function}" for frame in explained.frames]
        run.show("lines", "\n".join(places) or "not known", places)


def _show_placement(run: Run, model_file: Path) -> None:
    """Add where the nodes run with onnxruntime's CUDA provider, and what is copied."""
    from elichika.model.inspection import read_model
    from elichika.model.keeping import kept_nodes, setting
    from elichika.model.placement import placement_of
    from elichika.model.protos import metadata_of
    from elichika.model.session import OPTION
    from elichika.model.source_map import SourceMap

    model = read_model(model_file)
    lines, told = SourceMap.if_whole(metadata_of(model)), setting(model)
    found = placement_of(model, lines, kept_nodes(model))
    plain = placement_of(model, lines)
    text = f"{found.gpu} nodes on the GPU, {found.cpu} on the CPU beside sizes that are there"
    run.show("cuda", f"{text} (by the table of onnxruntime {found.version})", asdict(found))
    if found.lacking:
        listed = [f"{one.op_type}: {one.why}{IN_LOOP * one.in_loop}" for one in found.lacking]
        counted = Counter(listed).items()
        run.rows.append(("no kernel", "\n".join(f"{n} {text}" for text, n in counted)))
    if found.reads:
        run.rows.append(("indices", READS.format(found.reads)))
    shown = [f"once: {_copies(found.copies)}"]
    for loop, before in zip(found.loops, plain.loops, strict=True):
        place = "" if loop.place is None else f" of {loop.place}"
        less = f", {len(before.values)} without the setting" * (before.values != loop.values)
        shown.append(f"in each iteration{place}: {_copies(loop.values)}{less}")
    run.rows.append(("copies", "\n".join(shown)))
    if told:
        run.show("setting", f"{OPTION} = {told}", {OPTION: told})


def _copies(values: Sequence[str]) -> str:
    """Say how many values are copied, and the first ones."""
    more = [f"and {len(values) - MOST_COPIES} more"] if len(values) > MOST_COPIES else []
    listed = ", ".join([*values[:MOST_COPIES], *more])
    return f"{len(values)} ({listed})" if values else "none"


def _message(source: str) -> str:
    if source == "-":
        return sys.stdin.read(MOST_TEXT)
    try:
        with open(source, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_TEXT)
    except OSError as error:
        raise InputError(f"Cannot read {source}: {error.strerror or error}.") from None


def _text(found: Inspection, name: str) -> str:
    """Return the summary's row of one field."""
    match name:
        case "bytes":
            return f"{found.bytes:,}"
        case "operators":
            return ", ".join(f"{op} {count}" for op, count in found.operators.items())
        case "blocks":
            return str(sum(_count(block) for block in found.blocks))
        case "parameters":
            rows = [
                f"{n}: {d}{list(s)}, {b:,} byte{'s' * (b != 1)}"
                for n, d, s, b in found.parameters[:BIGGEST]
            ]
            more = len(found.parameters) - BIGGEST
            return "\n".join([*rows, f"… and {more} more"] if more > 0 else rows)
        case "inputs" | "outputs" | "layers" | "notes" | "arguments":
            items = [str(item) for item in getattr(found, name)]
            more = len(items) - MOST_SHOWN
            return "\n".join([*items[:MOST_SHOWN], f"… and {more} more"] if more > 0 else items)
        case _:
            return str(getattr(found, name))


def _count(block: Block) -> int:
    return 1 + sum(_count(inner) for inner in block.blocks)


def _tree(blocks: Iterable[Block]) -> Tree:
    """Draw loops and branches as they nest."""
    from rich.tree import Tree

    root = Tree("loops and branches")
    pending = [(root, block) for block in blocks]
    for parent, block in pending:
        place = "" if block.place is None else f"  {block.place}"
        branch = parent.add(f"{block.op_type}{place}  ({several(block.nodes, 'node')})")
        pending.extend((branch, inner) for inner in block.blocks)
    return root
