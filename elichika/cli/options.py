"""The options that several commands have."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from elichika.errors import DEBUG
from elichika.model.version import __version__

__all__ = [
    "Depth",
    "Examples",
    "FoldNorms",
    "Initialize",
    "Inputs",
    "InputsFile",
    "Json",
    "Method",
    "Nodes",
    "Opset",
    "Random",
    "Reweightable",
    "Runtime",
    "Seconds",
    "Source",
    "SourceInfo",
    "State",
    "Static",
    "Tensors",
    "Train",
    "Unroll",
    "UnrollNodes",
    "Verbose",
    "Version",
    "Weights",
    "WeightsPath",
]


def _say_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"elichika {__version__}\n")
        raise typer.Exit()


def _say_all(asked: bool) -> None:
    if asked:
        os.environ[DEBUG] = "1"
        logging.basicConfig(format="%(message)s")
        logging.getLogger("elichika").setLevel(logging.DEBUG)


Verbose = Annotated[
    bool,
    typer.Option(
        "-v",
        "--verbose",
        callback=_say_all,
        help="Log each step; show errors with all their frames.",
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="file.py:name or package.module:name of a class or function that makes the chain;"
        " name(100, n=3) gives it arguments.",
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A snapshot of chainer.serializers.save_npz to load."),
]
WeightsPath = Annotated[
    str, typer.Option(metavar="PATH", help="Where in it the chain is, such as updater/model:main.")
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="EXAMPLE",
        help="x=float32[batch,3,h:224,w:224], ids=int32[n]<1000, k=3; once for each"
        " argument. Without a name it is positional.",
    ),
]
InputsFile = Annotated[
    Path | None,
    typer.Option("--inputs", metavar="FILE", help="An .npz file of arguments by parameter name."),
]
Examples = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Calls that `elichika profile` recorded; may be repeated."),
]
Static = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A parameter that stays at its example."),
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The method to compile, such as predict; else what a call runs."
    ),
]
Train = Annotated[bool, typer.Option("--train", help="Compile for chainer.config.train = True.")]
Optimizer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="With --train: one step of an optimizer, such as Adam; keeps state."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An argument of it, such as alpha=1e-3."),
]
State = Annotated[
    bool, typer.Option("--state", help="What a call leaves on the chain goes into the next one.")
]
Tensors = Annotated[
    bool,
    typer.Option("--tensors", help="Let the file take and give tensors alone, lists padded."),
]
Reweightable = Annotated[
    bool,
    typer.Option(
        "--reweightable", help="Compute nothing from the weights: `reweight` can put in others."
    ),
]
FoldNorms = Annotated[
    bool, typer.Option(help="Make batch normalizations part of the weights before them.")
]
Initialize = Annotated[
    bool, typer.Option("--initialize", help="Run the chain once first, to create its parameters.")
]
Random = Annotated[
    str | None,
    typer.Option(
        metavar="onnx", help="onnx: the model draws its own random numbers; else refused."
    ),
]
Opset = Annotated[int, typer.Option(metavar="N", help="Version of the ONNX operators.")]
SourceInfo = Annotated[bool, typer.Option(help="Let the file say which of your lines made a node.")]
Unroll = Annotated[
    int, typer.Option(metavar="N", help="Loops with more known iterations than this stay loops.")
]
UnrollNodes = Annotated[
    int, typer.Option(metavar="N", help="Loops that would unroll to more nodes stay loops.")
]
Nodes = Annotated[int, typer.Option(metavar="N", help="The most nodes the model may have.")]
Seconds = Annotated[
    float, typer.Option(metavar="S", help="The longest that compiling and verifying may take.")
]
Depth = Annotated[int, typer.Option(metavar="N", help="How deep a recursion may go when it runs.")]
Runtime = Annotated[str, typer.Option(metavar="NAME", help="onnxruntime, openvino or reference.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")]
Version = Annotated[
    bool,
    typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
]
