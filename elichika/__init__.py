"""elichika compiles Chainer models to standard ONNX; see `compile_model`."""

import logging

# isort: off
import elichika.compat  # noqa: F401  before anything that imports Chainer
# isort: on

from elichika.compiled import CompiledModel, load
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
from elichika.source import canonical_source
from elichika.version import __version__

logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "BudgetError",
    "CompiledModel",
    "ElichikaError",
    "InputError",
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
