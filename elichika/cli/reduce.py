"""`elichika reduce`: a few lines of a program that still go wrong as the whole does."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elichika.cli.app import app
from elichika.cli.options import (
    Initialize,
    Inputs,
    InputsFile,
    Json,
    Method,
    Random,
    Source,
    State,
    Static,
    Train,
    Verbose,
    Weights,
    WeightsPath,
)
from elichika.cli.run import Run
from elichika.errors import InputError

if TYPE_CHECKING:
    from elichika.cli.trials import Question, Trials

__all__ = ["reduce"]


@app.command()
def reduce(
    source: Source,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The .py file to write.")
    ] = Path("reduced.py"),
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    method: Method = None,
    static: Static = None,
    train: Train = False,
    state: State = False,
    random: Random = None,
    initialize: Initialize = False,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="How long to search; what was found by then is kept.")
    ] = 600.0,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Shrink a program that is refused, fails or differs to a few lines that still do.

    Parts of it are left out and run again and again, each time in a process of its own.
    """
    with Run(as_json) as run:
        from elichika import compile_model  # noqa: F401  before Chainer
        from elichika.cli.sources import file_of
        from elichika.cli.trials import Question, Trials
        from elichika.model.files import require_writable

        require_writable(output)
        file, name = file_of(source)
        for folder in (str(file.resolve().parent), os.getcwd()):
            sys.path.append(folder)
        question = Question(
            name,
            tuple(inputs or ()),
            inputs_file,
            weights,
            weights_path,
            {"method": method, "static": tuple(static or ()), "train": train, "random": random},
            state,
            initialize,
        )
        with (
            tempfile.TemporaryDirectory() as folder,
            Trials(question, Path(folder)) as trials,
        ):
            _reduce(run, trials, file, output, seconds)


def _reduce(run: Run, trials: Trials, file: Path, output: Path, seconds: float) -> None:
    from rich.text import Text

    from elichika.reduction.bundle import bundled

    text = file.read_text(encoding="utf-8")
    found = trials.first(text)
    if found is None:
        raise InputError(
            f"{file} shows no fault: it compiles, or the chain itself fails.",
            hint="`elichika export` with the same options says which",
        )
    whole = bundled(text, file.parent)
    with run.working("reducing"):
        small, inputs, last = trials.smallest(found, [whole, text], seconds)
    output.write_text(small, encoding="utf-8")
    run.show("fault", last.text.replace(str(trials.path), str(output)))
    run.show("lines", f"{_lines(small)} of {_lines(whole)}", _lines(small))
    run.show("tried", f"{trials.count} programs", trials.count)
    run.show("program", output, small)
    run.show("again", _again(output, trials.question, inputs))
    run.also(Text(f"\n{small}"))


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _again(output: Path, question: Question, inputs: tuple[str, ...]) -> str:
    """Return the command that shows the fault in the small program."""
    options = "".join(f" --input '{text}'" for text in inputs)
    more = f" --inputs {question.inputs_file}" if question.inputs_file else ""
    return f"elichika export '{output}:{question.name}'{options}{more} -o model.onnx"
