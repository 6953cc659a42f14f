"""Whether the chain has the parameters that a model was made with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import chainer
import numpy as np
import onnx

from elichika.errors import InputError, VerificationError
from onnx_graph.passes.gates import ORDERED
from onnx_graph.passes.recurrences import RECURRENT
from onnx_graph.passes.shared_weights import TRANSPOSED

__all__ = ["changed_parameters", "named_arrays", "other_weights", "require_initialized"]

LARGEST_LIST = 3
WEIGHTS_HINT = "give the chain the weights that the model was made with"


def named_arrays(chain: chainer.Link) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """Return parameters and persistent arrays of a chain by name; those without a size left out."""
    found: list[tuple[str, Any]] = [
        (name.lstrip("/"), parameter.array) for name, parameter in sorted(chain.namedparams())
    ]
    for prefix, link in sorted(chain.namedlinks(), key=itemgetter(0)):
        names = [(f"{prefix}/{name}".lstrip("/"), name) for name in sorted(link._persistent)]
        found += [(shown, link.__dict__.get(name)) for shown, name in names]
    return [(name, array) for name, array in found if isinstance(array, np.ndarray)]


def changed_parameters(chain: Any, graph: onnx.GraphProto) -> list[str]:
    """Return the parameters that a model holds under the chain's names, and with other contents."""
    if not hasattr(chain, "namedparams"):
        return []
    stored = {tensor.name: tensor for tensor in graph.initializer}
    changed = []
    for name, array in named_arrays(chain):
        for kept, wanted, form in (
            (name, array, np.asarray),
            (f"{name}{TRANSPOSED}", array.T, np.asarray),
            (f"{name}{ORDERED}", array, _sorted),
            (f"{name}{ORDERED}{TRANSPOSED}", array, _sorted),
            (f"{name}{RECURRENT}", array, _sorted),
        ):
            if kept in stored:
                held = onnx.numpy_helper.to_array(stored[kept])
                changed += [] if _same(form(wanted), form(held)) else [name]
    return changed


def require_initialized(chain: Any, graph: onnx.GraphProto) -> None:
    """See that a chain has the values of what a model holds under its names.

    Raises:
        InputError: The first call of the chain would draw them, others in each run.
    """
    if not hasattr(chain, "namedparams"):
        return
    stored = {re.sub(r"\..*", "", tensor.name) for tensor in graph.initializer}
    bare = [name.lstrip("/") for name, one in sorted(chain.namedparams()) if one.array is None]
    found = [name for name in bare if name in stored]
    if found:
        raise InputError(
            f"{_listed(found)} of the chain {'is' if len(found) == 1 else 'are'} not initialized "
            "yet: its first call would draw other values than the model has.",
            hint=WEIGHTS_HINT,
        )


def _sorted(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the numbers of an array whose columns may stand in another order."""
    return np.sort(array, axis=None)


def _same(array: np.ndarray[Any, Any], stored: np.ndarray[Any, Any]) -> bool:
    same = array.dtype == stored.dtype and array.shape == stored.shape
    return same and array.tobytes() == stored.tobytes()


def other_weights(names: Sequence[str], error: VerificationError) -> VerificationError:
    """Return what is said where a model differs from a chain that has other parameters."""
    differ = "differs" if len(names) == 1 else "differ"
    return VerificationError(
        f"{_listed(names)} {differ} between the chain and the model: other weights? "
        f"{error.message}",
        (),
        WEIGHTS_HINT,
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LARGEST_LIST
    return ", ".join(names[:LARGEST_LIST]) + (f" and {more} more" if more > 0 else "")
