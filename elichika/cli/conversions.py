"""Options of `export` that let tools make the model smaller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elichika.cli.run import Run
from elichika.errors import InputError, VerificationError

if TYPE_CHECKING:
    from elichika.model.compiled import CompiledModel

__all__ = ["Fp16", "Quantize", "Simplify", "Tolerance", "converted", "names_of"]

FLOATS = ("float64", "float32", "float16")
LOSSY = "the file differs since it was converted: --tolerance allows more, --no-verify all"

Simplify = Annotated[bool, typer.Option("--simplify", help="Let onnxsim simplify the model.")]
Fp16 = Annotated[bool, typer.Option("--fp16", help="Let the model compute in half precision.")]
Quantize = Annotated[
    bool, typer.Option("--quantize", help="Let the model multiply by weights of eight bits.")
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        metavar="E",
        help="The largest error to allow, relative to the largest number of an output;"
        " 1e-4 of float32, 0.02 with --fp16, 0.2 with --quantize.",
    ),
]


def names_of(simplify: bool, fp16: bool, quantize: bool, tolerance: float | None) -> list[str]:
    """Return the conversions that are asked for.

    Raises:
        InputError: There is a tolerance and nothing that it would be for.
    """
    asked = {"fp16": fp16, "quantize": quantize, "simplify": simplify}
    if tolerance is not None and not any(asked.values()):
        raise InputError("--tolerance is for --fp16, --quantize and --simplify.")
    return [name for name, wanted in asked.items() if wanted]


def converted(
    run: Run,
    model: CompiledModel,
    names: Sequence[str],
    more: Sequence[Any] | None,
    tolerance: float | None,
) -> CompiledModel:
    """Return a model after conversions, held against its chain again.

    Args:
        run: The command.
        model: As it was compiled.
        names: Of the conversions.
        more: Examples besides the first; None to compare nothing.
        tolerance: Of floats, in the place of what is usual.

    Raises:
        InputError: A tool is not installed or failed.
        VerificationError: The converted model differs by more than is allowed.
    """
    before = len(model.proto.SerializeToString())
    with run.working("converting"):
        made = model.converted(*names)
    if more is not None:
        options: dict[str, Any] = {}
        if tolerance is not None:
            options["tolerances"] = dict.fromkeys(FLOATS, tolerance)
        with run.working("verifying"):
            try:
                made.verify(*more, **options)
            except VerificationError as error:
                error.hint = f"{LOSSY}; {error.hint}" if error.hint else LOSSY
                raise
    run.show("converted", f"{', '.join(names)}; before, {before:,} bytes", list(names))
    return made
