"""elichika compiles Chainer models to standard ONNX; see `compile_model`."""

import logging

# isort: off
import elichika.process.compat  # noqa: F401  before anything that imports Chainer
# isort: on

from elichika.compiler import compile_model
from elichika.errors import (
    BudgetError,
    ElichikaError,
    InputError,
    ModelRuntimeError,
    StagingError,
    UnsupportedFunction,
    UnsupportedSyntax,
    VerificationError,
)
from elichika.extending import lowers, lowers_to
from elichika.lowerings.context import LoweringContext
from elichika.model.compiled import CompiledModel, load
from elichika.model.version import __version__
from elichika.program.source import canonical_source

logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "BudgetError",
    "CompiledModel",
    "ElichikaError",
    "InputError",
    "LoweringContext",
    "ModelRuntimeError",
    "StagingError",
    "UnsupportedFunction",
    "UnsupportedSyntax",
    "VerificationError",
    "__version__",
    "canonical_source",
    "compile_model",
    "load",
    "lowers",
    "lowers_to",
]
