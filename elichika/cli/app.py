"""The commands, their options and exit codes.

0 is done, 1 unsupported, 2 bad input, 3 wrong, 130 interrupted. What takes long to import is
imported where a command needs it: `--help` and the completion of shells are asked often.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elichika.cli.calls import profile as profile_calls
from elichika.cli.conversions import Fp16, Quantize, Simplify, Tolerance, converted, names_of
from elichika.cli.narrow import Narrow
from elichika.cli.operators import ops
from elichika.cli.options import (
    Depth,
    Examples,
    FoldNorms,
    Initialize,
    Inputs,
    InputsFile,
    Json,
    Method,
    Nodes,
    Opset,
    Optimizer,
    Random,
    Reweightable,
    Runtime,
    Seconds,
    Set,
    Source,
    SourceInfo,
    State,
    Static,
    Tensors,
    Train,
    Unroll,
    UnrollNodes,
    Verbose,
    Version,
    Weights,
    WeightsPath,
)
from elichika.cli.run import INTERRUPTED, UNSUPPORTED, Run, in_options
from elichika.errors import InputError

if TYPE_CHECKING:
    from elichika.cli.subject import Subject

__all__ = ["app", "main"]

LARGEST_LIST = 3

app = Narrow(
    help="Compile Chainer models to standard ONNX.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its markup takes [batch] for a colour
)


def main() -> None:
    """Run the command line."""
    try:
        app()
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:
            raise
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)


@app.callback()
def common(
    version: Version = False,
    verbose: Verbose = False,
) -> None:
    """Compile Chainer models to standard ONNX."""


@app.command()
def export(
    source: Source,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The .onnx file to write; - is standard output.")
    ],
    weights: Weights = None,
    weights_path: WeightsPath = "",
    inputs: Inputs = None,
    inputs_file: InputsFile = None,
    examples: Examples = None,
    method: Method = None,
    static: Static = None,
    train: Train = False,
    optimizer: Optimizer = None,
    settings: Set = None,
    state: State = False,
    random: Random = None,
    initialize: Initialize = False,
    verify: Annotated[bool, typer.Option(help="Compare the model with the chain.")] = True,
    opset: Opset = 18,
    source_info: SourceInfo = True,
    reweightable: Reweightable = False,
    fold_norms: FoldNorms = True,
    tensors: Tensors = False,
    simplify: Simplify = False,
    fp16: Fp16 = False,
    quantize: Quantize = False,
    tolerance: Tolerance = None,
    testcase: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="For the model with its example, as ONNX's own tests are."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For a page of HTML that shows what became of it."),
    ] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Let that page show what each line takes.")
    ] = False,
    max_unroll: Unroll = 64,
    max_unroll_nodes: UnrollNodes = 2000,
    max_nodes: Nodes = 100_000,
    max_seconds: Seconds = 600.0,
    max_depth: Depth = 1000,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Compile a chain and write it to an .onnx file."""
    to_stdout = str(output) == "-"
    with Run(as_json, aside=to_stdout) as run:
        from elichika import Limits
        from elichika.cli.calls import as_options, recorded_calls
        from elichika.cli.subject import Subject
        from elichika.cli.training import compiler_of
        from elichika.model.files import require_folder, require_writable

        if not to_stdout:
            require_writable(output)
        if testcase is not None:
            require_folder(testcase)
        if report is not None:
            require_writable(report)
        elif profile:
            raise InputError("--profile is for the page of --report FILE.")
        conversions = names_of(simplify, fp16, quantize, tolerance)
        recorded = recorded_calls(examples)
        subject = Subject.read(
            run, source, weights, weights_path, inputs, inputs_file, lambda: recorded
        )
        if (optimizer is not None and not train) or (settings and optimizer is None):
            raise InputError("--optimizer is for --train, and --set for --optimizer.")
        compiled = compiler_of(subject.chain, optimizer, settings or (), state, reweightable)
        with subject.explained(method):
            model = compiled(
                recorded or subject.inputs,
                None if to_stdout or conversions else output,
                method=method,
                dynamic_axes=subject.dynamic_axes,
                static=tuple(static or ()),
                train=train,
                random=random,
                initialize=initialize,
                verify=verify,
                opset_version=opset,
                source_info=source_info,
                fold_norms=fold_norms,
                **({"tensors": True} if tensors else {}),
                limits=Limits(max_unroll, max_unroll_nodes, max_nodes, max_seconds, max_depth),
            )
        if conversions:
            more = recorded.of(subject.chain, method)[1:] if recorded else ()
            model = converted(run, model, conversions, more if verify else None, tolerance)
            if not to_stdout:
                model.save(output)
        size = _write_out(model) if to_stdout else os.path.getsize(output)
        if testcase is not None:
            from elichika.model.testcase import write_testcase

            write_testcase(model, testcase)
        if report is not None:
            shown = recorded.of(subject.chain, method)[0] if recorded else subject.inputs
            model.report.save_html(report, shown if profile else None)
        _summarize(run, subject, model, str(output), size)
        if recorded is not None:
            run.show("the same", "\n".join(as_options(model.signature.inputs)))


def _write_out(model: Any) -> int:
    """Write a model to standard output; return its size."""
    try:
        data: bytes = model.proto.SerializeToString()
    except ValueError:
        raise InputError("The model is too large for standard output: give a file.") from None
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return len(data)


def _summarize(run: Run, subject: Subject, model: Any, output: str, size: int) -> None:
    from elichika.model.inspection import opset_of, ports

    run.show("model", output)
    run.show("size", f"{size:,} bytes", size)
    run.show("opset", opset_of(model.proto))
    for what, shown in zip(("inputs", "outputs"), ports(model.proto.graph), strict=True):
        asked = [str(port) for port in shown if port.name.removesuffix("/next") not in model.state]
        run.show(what, "\n".join(asked), [asdict(port) for port in shown])
    if model.state:
        parts = f"{len(model.state)} more inputs, such as {next(iter(model.state))}"
        run.show("state", f"{parts}, and as many outputs, such as {next(iter(model.state))}/next")
    run.show_verification(model.report.verification)
    random = subject.random_parameters()
    if random:
        more = len(random) - LARGEST_LIST
        names = ", ".join(random[:LARGEST_LIST]) + (f" and {more} more" if more > 0 else "")
        run.show(
            "weights", f"random, as initialized: {names}\nfor trained ones: --weights FILE", random
        )
    seconds = sum(model.report.stages.values())
    run.show("seconds", f"{seconds:.2f}", round(seconds, 3))
    noted = [(place, in_options(text)) for place, text in model.report.notes]
    notes = [f"{place}: {text}" if place else text for place, text in noted]
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
    train: Train = False,
    random: Random = None,
    opset: Opset = 18,
    max_unroll: Unroll = 64,
    max_unroll_nodes: UnrollNodes = 2000,
    max_nodes: Nodes = 100_000,
    max_seconds: Seconds = 600.0,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Say whether a chain can be compiled, and show all that it cannot."""
    with Run(as_json) as run:
        from elichika import compile_model  # noqa: F401  before Chainer
        from elichika.check import find_unsupported
        from elichika.cli.subject import Subject

        subject = Subject.read(run, source, weights, weights_path, inputs, inputs_file)
        with run.working("compiling"):
            found = find_unsupported(
                subject.chain,
                subject.inputs,
                method=method,
                dynamic_axes=subject.dynamic_axes,
                static=tuple(static or ()),
                train=train,
                random=random,
                opset_version=opset,
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
    verbose: Verbose = False,
) -> None:
    """Compare a model that elichika wrote with its chain.

    Without examples, inputs are drawn that fit what the file says of them.
    """
    with Run(as_json) as run:
        from elichika import load
        from elichika.cli.inputs import drawn_inputs
        from elichika.cli.subject import Subject

        model = load(model_file)
        drawn: list[Any] = []

        def draw() -> Any:
            kinds = model.signature.inputs.variants
            drawn.extend(drawn_inputs(model.signature, kind) for kind in kinds)
            return drawn[0]

        subject = Subject.read(
            run,
            source,
            weights,
            weights_path,
            inputs,
            inputs_file,
            draw,
        )
        with run.working("verifying"):
            report = model.verify(subject.inputs, *drawn[1:], chain=subject.chain, runtime=runtime)
        run.show("model", str(model_file))
        run.show("runtime", runtime)
        run.show_verification(report)


@app.command()
def canonical(
    source: Annotated[
        str,
        typer.Argument(metavar="FUNCTION", help="file.py:function or package.module:Class.method"),
    ],
    frames: Annotated[
        bool,
        typer.Option("--frames", help="Show the loop that a function that calls itself becomes."),
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Print a function as the compiler reads it."""
    with Run(as_json=False):
        from elichika import canonical_source
        from elichika.cli.sources import load_object

        sys.stdout.write(canonical_source(load_object(source), frames=frames).rstrip("\n") + "\n")


app.command()(profile_calls)
app.command()(ops)
