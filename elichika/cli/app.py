"""The commands, their options and exit codes: 0 done, 1 unsupported, 2 bad input, 3 wrong."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, NoReturn

import chainer
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from elichika.cli.inputs import read_examples
from elichika.cli.sources import load_object, make_chain
from elichika.errors import ElichikaError, InputError, VerificationError
from elichika.snapshots import load_weights

__all__ = ["app", "main"]

WIDTH = 110
"""Of the summary where standard output is no terminal."""
DONE, UNSUPPORTED, BAD_INPUT, WRONG = 0, 1, 2, 3
STATUS = {DONE: "done", UNSUPPORTED: "unsupported", BAD_INPUT: "bad input", WRONG: "wrong"}

app = typer.Typer(
    help="Compile Chainer models to standard ONNX.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="package.module:factory or file.py:factory")
]
Weights = Annotated[
    Path | None, typer.Option(help="A snapshot of chainer.serializers.save_npz to load.")
]
WeightsPath = Annotated[
    str, typer.Option(help="Where in it the chain is, such as updater/model:main.")
]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", help="x=float32[batch,3,height:224,width:224], ids=int32[n]<1000, k=3"),
]
InputsFile = Annotated[
    Path | None, typer.Option("--inputs", help="An .npz file of arguments by parameter name.")
]
Static = Annotated[list[str] | None, typer.Option(help="A parameter that stays at its example.")]
Opset = Annotated[int, typer.Option(help="Version of the ONNX operators.")]
Train = Annotated[bool, typer.Option("--train", help="Compile for chainer.config.train = True.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")]


def main() -> None:
    """Run the command line."""
    app()


@app.command()
def export(
    source: Source,
    output: Annotated[Path, typer.Option("-o", "--output", help="The .onnx file to write.")],
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    static: Static = None,
    opset: Opset = 18,
    train: Train = False,
    verify: Annotated[bool, typer.Option(help="Compare the model with the chain.")] = True,
    as_json: Json = False,
) -> None:
    """Compile a chain and write it to an .onnx file."""
    from elichika.compiler import compile_model

    with _Run(as_json) as run:
        _require_writable(output)
        subject = _Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("compiling and verifying" if verify else "compiling"):
            model = compile_model(
                subject.chain,
                subject.inputs,
                output,
                dynamic_axes=subject.dynamic_axes,
                static=tuple(static or ()),
                opset_version=opset,
                train=train,
                verify=verify,
            )
        signature = model.signature
        assert model.graph is not None
        run.show("model", str(output))
        run.show("size", f"{os.path.getsize(output):,} bytes", os.path.getsize(output))
        run.show("opset", opset)
        inputs_shown = [spec.describe() for spec in signature.inputs.specs]
        outputs_shown = [f"{spec.name} {spec.dtype}" for spec in signature.outputs.specs]
        run.show("inputs", "\n".join(inputs_shown), inputs_shown)
        run.show("outputs", "\n".join(outputs_shown), outputs_shown)
        run.show_verification(model.report.verification)
        seconds = sum(model.report.stages.values())
        run.show("seconds", f"{seconds:.2f}", round(seconds, 3))
        notes = [f"{place}: {text}" for place, text in model.report.notes]
        if notes:
            run.show("notes", "\n".join(notes), notes)


@app.command()
def check(
    source: Source,
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    static: Static = None,
    opset: Opset = 18,
    train: Train = False,
    as_json: Json = False,
) -> None:
    """Say whether a chain can be compiled, and show all that it cannot."""
    from elichika.check import find_unsupported
    from elichika.compiler import compile_model

    with _Run(as_json) as run:
        subject = _Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("compiling"):
            found = find_unsupported(
                subject.chain,
                lambda: compile_model(
                    subject.chain,
                    subject.inputs,
                    dynamic_axes=subject.dynamic_axes,
                    static=tuple(static or ()),
                    opset_version=opset,
                    train=train,
                    verify=False,
                    initialize=True,
                ),
            )
        for error in found:
            run.report(error)
        run.show("chain", type(subject.chain).__name__)
        run.show("unsupported", len(found))
        if found:
            run.stop(UNSUPPORTED)


@app.command()
def verify(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="The .onnx file.")],
    source: Source,
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    as_json: Json = False,
) -> None:
    """Compare a model that elichika wrote with its chain."""
    from elichika.compiled import load

    with _Run(as_json) as run:
        model = load(model_file)
        subject = _Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("verifying"):
            report = model.verify(subject.inputs, chain=subject.chain)
        run.show("model", str(model_file))
        run.show_verification(report)


@app.command()
def canonical(
    source: Annotated[
        str, typer.Argument(metavar="FUNCTION", help="file.py:fn or module:Class.fn")
    ],
) -> None:
    """Print a function as the compiler reads it."""
    from elichika.source import canonical_source

    with _Run(as_json=False):
        sys.stdout.write(canonical_source(load_object(source)).rstrip("\n") + "\n")


@dataclass
class _Subject:
    """The chain of a command, with its weights and example inputs."""

    chain: chainer.Link
    inputs: Any
    dynamic_axes: Any

    @classmethod
    def read(
        cls,
        run: _Run,
        source: str,
        weights: Path | None,
        weights_path: str,
        inputs: list[str] | None,
        inputs_file: Path | None,
    ) -> _Subject:
        examples = read_examples(inputs or (), inputs_file)
        with run.working(f"making {source}"):
            chain, own = make_chain(source)
            if weights is not None:
                load_weights(chain, weights, weights_path)
            elif weights_path:
                raise InputError("--weights-path is for --weights.")
        if examples.inputs:
            return cls(chain, examples.inputs, examples.dynamic_axes or None)
        if own is None:
            raise InputError(
                "There are no example inputs.",
                hint="pass --input x=float32[batch,3], --inputs file.npz, or return (chain, inputs)"
                " from the factory",
            )
        return cls(chain, own, None)


@dataclass
class _Run:
    """One command: what it says, and how it ends."""

    as_json: bool
    facts: dict[str, Any] = field(default_factory=dict)
    errors: list[ElichikaError] = field(default_factory=list)
    rows: list[tuple[str, str]] = field(default_factory=list)
    code: int = DONE

    def __post_init__(self) -> None:
        self.console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
        self.progress = Console(stderr=True, quiet=self.as_json)
        self.start = time.perf_counter()

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something takes its time, where someone is looking."""
        if not self.progress.is_terminal:
            yield
            return
        with self.progress.status(f"{what} …"):
            yield

    def show(self, name: str, text: object, value: Any = None) -> None:
        """Add a row to the summary; `value` is what JSON gets instead of the text."""
        self.rows.append((name, str(text)))
        self.facts[name] = text if value is None else value

    def show_verification(self, report: Any) -> None:
        """Add what was verified."""
        if report is None:
            self.show("verified", "no")
            return
        text = f"on {len(report.agreed)} inputs, worst relative error {report.worst:.1e}"
        names = tuple(item.name for item in fields(report))
        self.show("verified", text, {name: getattr(report, name) for name in names})
        for name in ("unstable", "widened", "refused_by_eager", "not_tried"):
            entries = [f"{what}: {why}" for what, why in getattr(report, name)]
            if entries:
                self.rows.append((name.replace("_", " "), "\n".join(entries)))

    def report(self, error: ElichikaError) -> None:
        """Say an error."""
        self.errors.append(error)
        if not self.as_json:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")

    def stop(self, code: int) -> NoReturn:
        """End with an exit code, after the summary."""
        self.code = code
        raise typer.Exit(code)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, ElichikaError):
            self.report(error)
            self.code = _exit_code(error)
        elif error is not None and not isinstance(error, typer.Exit):
            return
        if self.as_json:
            sys.stdout.write(json.dumps(self._json(), ensure_ascii=False) + "\n")
        elif self.rows and not (self.errors and self.code in (BAD_INPUT, WRONG)):
            table = Table(show_header=False, title=STATUS[self.code])
            for name, text in self.rows:
                table.add_row(name, Text(text))  # plain: sizes in brackets are no markup
            self.console.print(table)
        if isinstance(error, ElichikaError):
            raise typer.Exit(self.code) from None

    def _json(self) -> dict[str, Any]:
        errors = [
            {
                "type": type(error).__name__,
                "message": error.message,
                "frames": [
                    {"file": frame.file, "line": frame.line, "function": frame.function}
                    for frame in error.frames
                ],
                "hint": error.hint,
            }
            for error in self.errors
        ]
        return {"status": STATUS[self.code], "exit_code": self.code, **self.facts, "errors": errors}


def _exit_code(error: ElichikaError) -> int:
    if isinstance(error, InputError):
        return BAD_INPUT
    return WRONG if isinstance(error, VerificationError) else UNSUPPORTED


def _require_writable(path: Path) -> None:
    """Say before long work that a file cannot be written.

    Raises:
        InputError: Its folder is missing or closed, or it is a folder itself.
    """
    folder = path.absolute().parent
    if path.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder.")
    if not folder.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {path.parent}.")
    if not os.access(folder, os.W_OK):
        raise InputError(f"Cannot write {path}: the folder is not writable.")
