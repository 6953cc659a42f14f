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
from dataclasses import dataclass

from elichika.signature.checking import require_whole
from elichika.signature.inputs import BoundCall, InputSignature, InputSpec
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
    """

    inputs: InputSignature
    outputs: OutputSignature
    method: str | None = None
    train: bool = False

    def to_json(self) -> str:
        """Return compact JSON text, for the model's metadata under `SIGNATURE_KEY`."""
        data = {
            "version": 1,
            "method": self.method,
            "train": self.train,
            "inputs": self.inputs.to_json(),
            "outputs": self.outputs.to_json(),
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
        )
        require_whole(read)
        return read
