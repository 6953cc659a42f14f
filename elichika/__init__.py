"""elichika compiles Chainer models to standard ONNX; see `compile_model`.

The command line loads what is here by its first use: `elichika --help` needs no Chainer.
"""

import difflib
import logging
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from elichika.model.version import __version__

if TYPE_CHECKING:
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
    from elichika.model.compiled import CompiledModel
    from elichika.model.loading import load
    from elichika.program.printed import canonical_source
    from elichika.recording.files import load_calls
    from elichika.recording.recorder import profile
    from elichika.training.steps import gradients, training_step
    from elichika.walker.limits import Limits

logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "BudgetError",
    "CompiledModel",
    "ElichikaError",
    "InputError",
    "Limits",
    "LoweringContext",
    "ModelRuntimeError",
    "StagingError",
    "UnsupportedFunction",
    "UnsupportedSyntax",
    "VerificationError",
    "__version__",
    "canonical_source",
    "compile_model",
    "gradients",
    "load",
    "load_calls",
    "lowers",
    "lowers_to",
    "profile",
    "training_step",
]

#: Where the public names are, in the order in which their modules are loaded.
MODULES = {
    "elichika.compiler": ("compile_model",),
    "elichika.errors": tuple(n for n in __all__ if n.endswith("Error") or n[:2] == "Un"),
    "elichika.extending": ("lowers", "lowers_to"),
    "elichika.lowerings.context": ("LoweringContext",),
    "elichika.model.compiled": ("CompiledModel",),
    "elichika.model.loading": ("load",),
    "elichika.program.printed": ("canonical_source",),
    "elichika.recording.files": ("load_calls",),
    "elichika.recording.recorder": ("profile",),
    "elichika.training.steps": ("gradients", "training_step"),
    "elichika.walker.limits": ("Limits",),
}


def _load() -> None:
    import_module("elichika.process.compat")  # before anything that imports Chainer
    for module, names in MODULES.items():
        found = vars(import_module(module))
        globals().update({name: found[name] for name in names})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        near = difflib.get_close_matches(name, __all__, n=1)
        said = f"; did you mean `{near[0]}`?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{said}")
    _load()
    return globals()[name]


if "elichika_command" not in sys.modules:
    _load()
