"""The commands, their options and exit codes.

0 is done, 1 unsupported, 2 bad input, 3 wrong, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import chainer
import typer

from elichika.cli.inputs import read_examples
from elichika.cli.operators import ops
from elichika.cli.run import INTERRUPTED, UNSUPPORTED, Run
from elichika.cli.sources import load_object, make_chain
from elichika.errors import InputError
from elichika.model.files import require_folder, require_writable
from elichika.model.snapshots import load_weights
from elichika.model.testcase import write_testcase

__all__ = ["app", "main"]

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
Method = Annotated[
    str | None, typer.Option(help="The method to compile, such as predict; else what a call runs.")
]
Opset = Annotated[int, typer.Option(help="Version of the ONNX operators.")]
Train = Annotated[bool, typer.Option("--train", help="Compile for chainer.config.train = True.")]
SourceInfo = Annotated[bool, typer.Option(help="Let the file say which of your lines made a node.")]
Random = Annotated[
    str | None, typer.Option(help="onnx: the model draws its own random numbers; else refused.")
]
Unroll = Annotated[int, typer.Option(help="Loops known now of more turns are kept as loops.")]
UnrollNodes = Annotated[int, typer.Option(help="So are loops that would come to more nodes.")]
Nodes = Annotated[int, typer.Option(help="How many nodes the model may have.")]
Seconds = Annotated[float, typer.Option(help="How long compiling and verifying may take.")]
Runtime = Annotated[str, typer.Option(help="onnxruntime, openvino or reference.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")]


app.command()(ops)


def main() -> None:
    """Run the command line."""
    try:
        app()
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:
            raise
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)


@app.command()
def export(
    source: Source,
    output: Annotated[Path, typer.Option("-o", "--output", help="The .onnx file to write.")],
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    method: Method = None,
    static: Static = None,
    opset: Opset = 18,
    train: Train = False,
    random: Random = None,
    verify: Annotated[bool, typer.Option(help="Compare the model with the chain.")] = True,
    source_info: SourceInfo = True,
    max_unroll: Unroll = 64,
    max_unroll_nodes: UnrollNodes = 2000,
    max_nodes: Nodes = 100_000,
    max_seconds: Seconds = 600.0,
    testcase: Annotated[
        Path | None,
        typer.Option(help="A folder for the model with its example, as ONNX's own tests are."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile a chain and write it to an .onnx file."""
    from elichika.compiler import compile_model

    with Run(as_json) as run:
        require_writable(output)
        if testcase is not None:
            require_folder(testcase)
        subject = _Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("compiling and verifying" if verify else "compiling"):
            model = compile_model(
                subject.chain,
                subject.inputs,
                output,
                method=method,
                dynamic_axes=subject.dynamic_axes,
                static=tuple(static or ()),
                opset_version=opset,
                train=train,
                random=random,
                verify=verify,
                source_info=source_info,
                max_unroll=max_unroll,
                max_unroll_nodes=max_unroll_nodes,
                max_nodes=max_nodes,
                max_seconds=max_seconds,
            )
        if testcase is not None:
            write_testcase(model, testcase)
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
        notes = [f"{place}: {text}" if place else text for place, text in model.report.notes]
        if notes:
            run.show("notes", "\n".join(notes), notes)


@app.command()
def check(
    source: Source,
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    method: Method = None,
    static: Static = None,
    opset: Opset = 18,
    train: Train = False,
    random: Random = None,
    max_unroll: Unroll = 64,
    max_unroll_nodes: UnrollNodes = 2000,
    max_nodes: Nodes = 100_000,
    max_seconds: Seconds = 600.0,
    as_json: Json = False,
) -> None:
    """Say whether a chain can be compiled, and show all that it cannot."""
    from elichika.check import find_unsupported

    with Run(as_json) as run:
        subject = _Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("compiling"):
            found = find_unsupported(
                subject.chain,
                subject.inputs,
                method=method,
                dynamic_axes=subject.dynamic_axes,
                static=tuple(static or ()),
                opset_version=opset,
                train=train,
                random=random,
                budgets={
                    "max_unroll": max_unroll,
                    "max_unroll_nodes": max_unroll_nodes,
                    "max_nodes": max_nodes,
                    "max_seconds": max_seconds,
                },
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
    runtime: Runtime = "onnxruntime",
    as_json: Json = False,
) -> None:
    """Compare a model that elichika wrote with its chain."""
    from elichika.model.compiled import load

    with Run(as_json) as run:
        model = load(model_file)
        subject = _Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("verifying"):
            report = model.verify(subject.inputs, chain=subject.chain, runtime=runtime)
        run.show("model", str(model_file))
        run.show("runtime", runtime)
        run.show_verification(report)


@app.command()
def canonical(
    source: Annotated[
        str, typer.Argument(metavar="FUNCTION", help="file.py:fn or module:Class.fn")
    ],
) -> None:
    """Print a function as the compiler reads it."""
    from elichika.program.source import canonical_source

    with Run(as_json=False):
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
        run: Run,
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
