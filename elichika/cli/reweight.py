"""The command that gives a model other weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elichika.cli.app import app
from elichika.cli.options import Json, Verbose, WeightsPath
from elichika.cli.run import Run


@app.command()
def reweight(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="The .onnx file.")],
    weights: Annotated[
        Path, typer.Argument(metavar="WEIGHTS", help="The .npz snapshot of Chainer's save_npz.")
    ],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The .onnx file to write.")],
    weights_path: WeightsPath = "",
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Put other weights into a model of `export --reweightable`, without compiling."""
    with Run(as_json) as run:
        from elichika import load
        from elichika.model.files import require_writable

        require_writable(output)
        with run.working("writing"):
            load(model_file).with_weights(weights, weights_path).save(output)
        run.show("model", str(output))
        size = output.stat().st_size
        run.show("size", f"{size:,} bytes", size)
