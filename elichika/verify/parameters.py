"""Whether the chain has the parameters that a model was made with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import chainer
import numpy as np
import onnx

from elichika.errors import ElichikaError, InputError, VerificationError
from onnx_graph.passes.gates import ORDERED
from onnx_graph.passes.recurrences import RECURRENT
from onnx_graph.passes.shared_weights import TRANSPOSED

__all__ = ["Differences", "named_arrays", "require_initialized"]

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


@dataclass(frozen=True)
class Differences:
    """In which parameters a chain differs from that of which a model was made.

    Attributes:
        chain: The class of the chain.
        missing: Those of the model that the chain does not have.
        owner: The link of the chain that has them, if one has.
        shapes: Those of another shape, in words.
        contents: Those of other contents or types.
    """

    chain: str
    missing: tuple[str, ...] = ()
    owner: str = ""
    shapes: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()

    @classmethod
    def between(cls, chain: Any, graph: onnx.GraphProto, links: Collection[str]) -> Differences:
        """Compare a chain with what a model holds.

        Args:
            chain: The chain; anything else has no parameters to compare.
            graph: The model's.
            links: The paths of the links of which the model has operators.
        """
        name = type(chain).__name__
        if not hasattr(chain, "namedparams"):
            return cls(name)
        stored = {tensor.name: tensor for tensor in graph.initializer}
        kept = {re.sub(r"\..*", "", tensor) for tensor in stored}
        arrays = dict(named_arrays(chain))
        names = {*arrays, *(one.lstrip("/") for one, _ in chain.namedparams())}
        missing = sorted(
            one for one in kept - names if "/" in one and f"/{one.rpartition('/')[0]}" in links
        )
        ends = [
            one.removesuffix(missing[0]) for one in names if missing and one.endswith(missing[0])
        ]
        owner = next((one for one in ends if names.issuperset(one + end for end in missing)), "")
        shapes, contents = [], []
        for one, array in arrays.items():
            for form, held in _forms(one, array, stored):
                if form.shape != held.shape:
                    shapes.append(f"{one} has shape {array.shape} in the chain, not {held.shape}")
                elif not _same(form, held):
                    contents.append(one)
        return cls(name, tuple(missing), owner.rstrip("/"), tuple(shapes), tuple(contents))

    def explained(self, error: ElichikaError) -> ElichikaError:
        """Return what is said where a model is not that of a chain, or the chain fails."""
        if self.missing:
            said = f"Another chain? {self.chain} has no {_listed(self.missing)}, as the model has."
            hint = "verify a model with the chain that it was made of"
            return self._with(
                error, said, hint + (f": /{self.owner} of this one?" * bool(self.owner))
            )
        if self.shapes:
            said = f"Another chain? {_listed(self.shapes)}."
            return self._with(error, said, "make the chain with the arguments of the model's")
        if self.contents and isinstance(error, VerificationError):
            differ = "differs" if len(self.contents) == 1 else "differ"
            said = (
                f"{_listed(self.contents)} {differ} between the chain and the model: other weights?"
            )
            return VerificationError(f"{said} {error.message}", (), WEIGHTS_HINT)
        return error

    @staticmethod
    def _with(error: ElichikaError, said: str, hint: str) -> ElichikaError:
        return type(error)(f"{said} {error.message}", error.frames, hint)


def _forms(
    name: str, array: np.ndarray[Any, Any], stored: Mapping[str, onnx.TensorProto]
) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Yield an array beside what a model holds under its name, in the form in which it holds it."""
    for kept, wanted, form in (
        (name, array, np.asarray),
        (f"{name}{TRANSPOSED}", array.T, np.asarray),
        (f"{name}{ORDERED}", array, _sorted),
        (f"{name}{ORDERED}{TRANSPOSED}", array, _sorted),
        (f"{name}{RECURRENT}", array, _sorted),
    ):
        if kept in stored:
            yield form(wanted), form(onnx.numpy_helper.to_array(stored[kept]))


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


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LARGEST_LIST
    return ", ".join(names[:LARGEST_LIST]) + (f" and {more} more" if more > 0 else "")
