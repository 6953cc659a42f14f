"""The command that shows one run of a model line by line: `trace`."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elichika.cli.app import app
from elichika.cli.look import ModelFile
from elichika.cli.options import Inputs, InputsFile, Json, Verbose, Weights, WeightsPath
from elichika.cli.run import NARROW, WRONG, Run

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table
    from rich.text import Text

    from elichika.model.trace import Step
    from elichika.signature import Signature

FEW = 6
"""Elements that are shown one by one."""


@app.command()
def trace(
    model_file: ModelFile,
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE", help="The chain: marks the first line where the model leaves it."
        ),
    ] = None,
    weights: Weights = None,
    weights_path: WeightsPath = "",
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what each line of one run gives, in each iteration, and how long it takes.

    Without inputs some are drawn that fit what the file says of them.
    """
    with Run(as_json) as run:
        from elichika import load
        from elichika.cli.inputs import drawn_inputs, read_examples
        from elichika.cli.subject import Subject
        from elichika.model.trace import traced

        model = load(model_file)
        subject = None
        given = drawn_inputs(model.signature)
        if against is not None:
            chosen = (weights, weights_path, inputs, inputs_file, lambda: given)
            subject = Subject.read(run, against, *chosen)
            given = subject.inputs
        elif inputs or inputs_file:
            given = read_examples(inputs or (), inputs_file).given
        assert model.report.shown is not None
        feeds = model.report.shown.feeds(given)
        steps: list[Step] = []
        run.show("model", str(model_file))
        try:
            with run.working("running"):
                steps.extend(traced(model.proto, model.source_map, feeds))
        finally:
            first = subject and _parting(run, model.signature, subject.chain, given, steps)
            rows = list(_rows(steps, first or None))
            run.show("operators", len(steps))
            run.facts["steps"] = rows
            if not as_json:
                run.also(_Rows(rows))
        if subject is not None:
            run.show("differs first at", _place(first) if first else "nowhere")
        if first:
            run.stop(WRONG)


def _parting(
    run: Run, signature: Signature, chain: Any, given: Any, steps: Sequence[Step]
) -> Step | None:
    from elichika.verify.divergence import parting

    with run.working("compiling the chain anew"):
        anew = steps_anew(signature, chain, given)
    with run.working("comparing"):
        return parting(signature, chain, given, steps, anew)


def steps_anew(signature: Signature, chain: Any, given: Any) -> list[Step]:
    """Compile a chain as the model of a signature was, and return the steps of a run.

    There are none where it cannot be compiled by what the signature says.
    """
    from elichika import ElichikaError, compile_model
    from elichika.model.trace import traced

    inputs = signature.inputs
    axes: dict[str, dict[Any, str]] = {}
    for spec in inputs.specs:
        named: dict[Any, str] = {n: dim for n, dim in enumerate(spec.dims) if type(dim) is str}
        axes[spec.name] = named | ({"len": spec.length} if spec.length else {})
    read = {spec.path[0] for spec in inputs.specs}
    try:
        model = compile_model(
            chain,
            given,
            dynamic_axes={name: named for name, named in axes.items() if named},
            static=[name for name in inputs.arguments if name not in read],
            method=signature.method,
            train=signature.train,
            verify=False,
        )
        assert model.report.shown is not None
        return list(traced(model.proto, model.source_map, model.report.shown.feeds(given)))
    except ElichikaError:
        return []


def _place(step: Step) -> str:
    return step.label or step.name


def _beside(steps: Sequence[Step]) -> Iterator[tuple[Any, Step]]:
    """Yield steps with their line and turns; what has no line stands with what is before it."""
    label: str | None = None
    layer = ""
    turns: tuple[int, ...] = ()
    for step in steps:
        if step.label or step.turns != turns:
            label, layer = step.label, step.layer if step.library else ""
        turns = step.turns
        yield (label, layer, turns), step


def _rows(steps: Sequence[Step], first: Step | None) -> Iterator[dict[str, Any]]:
    """Yield a row for the steps of one line that follow one another in one turn."""
    for _, found in groupby(_beside(steps), key=lambda pair: pair[0]):
        group = [step for _, step in found]
        turns = group[0].turns
        frame = next((step.frames[-1] for step in group if step.frames), None)
        name, value = list(group[-1].outputs.items())[-1]
        yield {
            "place": next((step.label for step in group if step.label), ""),
            "iterations": list(turns),
            "source": linecache.getline(frame.file, frame.line).strip() if frame else "",
            "link": next((step.layer for step in group if step.layer), ""),
            "operators": [step.op for step in group],
            "name": name,
            "type": _type(value),
            "value": _value(value),
            "seconds": sum(step.seconds for step in group),
            "differs": any(step is first for step in group),
        }


def _type(value: Any) -> str:
    if type(value) is list or not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return f"list of {len(value)}"
    return f"{value.dtype}{list(value.shape)}"


def _value(value: Any) -> str:
    """Return an array in few words: its elements, or their range and mean."""
    if not hasattr(value, "shape"):
        return ", ".join(map(_type, value[:FEW]))
    if value.size <= FEW or value.dtype.kind not in "iuf":
        return ", ".join(
            f"{one:.5g}" if value.dtype.kind == "f" else str(one) for one in value.flat[:FEW]
        )
    return f"{value.min():.5g} to {value.max():.5g}, mean {value.mean():.5g}"


class _Rows:
    """The rows as a table, or below one another where there is no room for one."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _table(self.rows) if options.max_width >= NARROW else _lines(self.rows)


def _lines(rows: Sequence[dict[str, Any]]) -> Text:
    from rich.text import Text

    shown = Text(overflow="fold")
    for row in rows:
        turn = ".".join(str(number + 1) for number in row["iterations"])
        head = f"{row['place']}{turn and f' iteration {turn}'}".strip()
        lines = [
            ("▶ " if row["differs"] else "") + (head or "no line"),
            *([f"  {row['source'] or row['link']}"] if row["source"] or row["link"] else []),
            f"  {row['type']}, {1e6 * row['seconds']:.0f} µs",
            f"  {row['value']}",
        ]
        shown.append("\n".join(lines) + "\n", style="bold red" if row["differs"] else "")
    return shown


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table("place", "iteration", "line", "gives", "value", "µs")
    for row in rows:
        turn = ".".join(str(number + 1) for number in row["iterations"])
        marked = ("▶ " if row["differs"] else "") + (row["place"] or "no line")
        cells = [
            marked,
            turn,
            row["source"] or row["link"],
            row["type"],
            row["value"],
            f"{1e6 * row['seconds']:.0f}",
        ]
        style = "bold red" if row["differs"] else ""
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table
