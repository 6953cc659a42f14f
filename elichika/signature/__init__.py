"""Inputs and outputs of a compiled model as data.

Inputs: `read_inputs` makes an `InputSignature` of example inputs. Its `specs` say, in order, what
each input of the model is; `rebuild(values)` gives the call `(args, kwargs)` with other leaves in
the place of the examples, so that the walker calls `forward` with symbolic values in the structure
that the user passes.

Outputs: the walker hands over what `forward` returned, a nest of tuples, lists, dicts and
namedtuples, with an `OutputLeaf` for each tensor, a `DynamicList` for a list whose length is known
only when the model runs, and `Alternatives` for a value that is one of several structures. Plain
constants stay as they are. `OutputSignature.from_structure` names the leaves (`specs`, with their
graph values in `values`) and `rebuild(values)` gives the structure back.

    outputs = OutputSignature.from_structure(
        {"prob": OutputLeaf("variable", y, np.dtype("f")), "mode": "test"}
    )
    for spec, value in zip(outputs.specs, outputs.values):
        graph.output(spec.name, value)

A `Signature` holds both; its JSON is kept in a model's metadata under `SIGNATURE_KEY`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from elichika.errors import InputError
from elichika.signature.checking import require_whole
from elichika.signature.inputs import BoundCall, InputSignature, InputSpec
from elichika.signature.leaves import arrays_of, share_memory
from elichika.signature.outputs import (
    Alternatives,
    DynamicList,
    OutputLeaf,
    OutputSignature,
    OutputSpec,
)
from elichika.signature.reading import read_inputs

__all__ = [
    "SIGNATURE_KEY",
    "Alternatives",
    "BoundCall",
    "DynamicList",
    "InputSignature",
    "InputSpec",
    "OutputLeaf",
    "OutputSignature",
    "OutputSpec",
    "Signature",
    "read_inputs",
]

SIGNATURE_KEY = "elichika.signature"


@dataclass(frozen=True)
class Signature:
    """What a model keeps of the call that it was compiled from.

    Attributes:
        inputs: The inputs.
        outputs: The outputs.
        method: The method of the chain; None for what a call of the chain runs.
        train: The value of `chainer.config.train`.
        apart: The inputs that may share no memory with another one: the program could tell.
        once: The classes of lists and dicts of which none may stand twice in a call, likewise.
    """

    inputs: InputSignature
    outputs: OutputSignature
    method: str | None = None
    train: bool = False
    apart: tuple[str, ...] = ()
    once: tuple[str, ...] = ()

    def require_once(self, twice: Mapping[str, str]) -> None:
        """Refuse what stands twice in a call, by class, where that matters.

        Raises:
            InputError: Something does.
        """
        for kind in self.once:
            if kind in twice:
                raise InputError(twice[kind], hint="pass a copy of one of them")

    def require_apart(self, leaves: Sequence[Any]) -> None:
        """Check that no array of a call is in the memory of another one where that matters.

        Raises:
            InputError: One is.
        """
        if not self.apart:
            return
        named = [(spec.name, leaf) for spec, leaf in zip(self.inputs.specs, leaves, strict=True)]
        arrays = [(name, array) for name, leaf in named for array in arrays_of(leaf)]
        for (name, one), (other, two) in combinations(arrays, 2):
            if not {name, other}.isdisjoint(self.apart) and share_memory(one, two):
                raise InputError(
                    f"`{name}` and `{other}` share memory, and the program can tell: it writes to "
                    "one of them, asks whether they are one, or takes gradients.",
                    hint="pass a copy of one of them",
                )

    def to_json(self) -> str:
        """Return compact JSON text, for the model's metadata under `SIGNATURE_KEY`."""
        data = {
            "version": 1,
            "method": self.method,
            "train": self.train,
            "inputs": self.inputs.to_json(),
            "outputs": self.outputs.to_json(),
            **({"apart": list(self.apart)} if self.apart else {}),
            **({"once": list(self.once)} if self.once else {}),
        }
        return json.dumps(data, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Signature:
        """Return the signature that `to_json` wrote.

        Raises:
            AttributeError, LookupError, RecursionError, TypeError, ValueError: It wrote no such
                text.
        """
        data = json.loads(text)
        read = cls(
            InputSignature.from_json(data["inputs"]),
            OutputSignature.from_json(data["outputs"]),
            data["method"],
            data["train"],
            tuple(map(str, data.get("apart", ()))),
            tuple(map(str, data.get("once", ()))),
        )
        require_whole(read)
        return read
