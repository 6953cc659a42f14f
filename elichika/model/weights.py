"""Other weights in a model that is made already, where no walk knew what its parameters hold."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import chainer
import numpy as np
import onnx

from elichika.call.streams import STATE_KEY, read_specs, write_specs
from elichika.errors import InputError
from elichika.model.protos import metadata_of
from elichika.model.snapshots import entries_of, read_snapshot
from elichika.model.storage import Parts
from onnx_graph.passes.shared_weights import TRANSPOSED

__all__ = ["WEIGHTS_KEY", "describe_weights", "described_weights", "with_snapshot"]

WEIGHTS_KEY = "elichika.weights"
"""Of a model's metadata."""

Arrays = Mapping[str, np.ndarray[Any, Any]]


def describe_weights(chain: chainer.Link, names: Mapping[int, str]) -> str:
    """Return JSON text for a model's metadata: what a snapshot of the chain holds.

    Args:
        chain: What was compiled.
        names: Of the model's parameters, by the id of their array.
    """
    arrays, fixed, unused = {}, {}, []
    parameters = {name.lstrip("/") for name, _ in chain.namedparams()}
    for key, value in entries_of(chain).items():
        if value is not None and id(value) in names and value.dtype.kind in "biuf":
            arrays[key] = [names[id(value)], value.dtype.str, list(value.shape)]
        elif key not in parameters:
            fixed[key] = repr(None if value is None else value.tolist())
        else:  # without a size yet: the program would have asked for it
            unused.append(key)
    described = {"arrays": arrays, "fixed": fixed, "unused": unused}
    return json.dumps(described, separators=(",", ":"))


def described_weights(metadata: Mapping[str, str]) -> _Described:
    """Return what a model says of the snapshots that it takes.

    Raises:
        InputError: It is not made for other weights.
    """
    if WEIGHTS_KEY not in metadata:
        raise InputError(
            "The model was made for the weights that it has.",
            hint="compile it with reweightable=True (`elichika export --reweightable`)",
        )
    return _Described(metadata[WEIGHTS_KEY])


def with_snapshot(
    parts: Parts,
    path: str | os.PathLike[str],
    prefix: str = "",
    states: Collection[str] = (),
) -> tuple[Parts, dict[str, Any]]:
    """Return a model with the weights of a snapshot.

    Args:
        parts: The model.
        path: The snapshot.
        prefix: Where in it the chain is.
        states: Names of inputs that take values which are no weights, if the chain keeps these.

    Returns:
        The model, and such values by name.

    Raises:
        InputError: It is not made for other weights, or these do not fit; says which and why.
    """
    model, parameters = parts
    metadata = metadata_of(model)
    described = described_weights(metadata)
    found, loose = _read(described, path, prefix, states)
    specs = [
        replace(spec, initial=found[spec.weight]) if spec.weight else spec
        for spec in read_specs(metadata)
    ]
    for entry in model.metadata_props:
        if entry.key == STATE_KEY:
            entry.value = write_specs(specs)
    kept = {
        stored: array
        for name, whole in found.items()
        for stored, array in ((name, whole), (f"{name}{TRANSPOSED}", whole.T))
        if stored == name or stored not in found
    }
    for tensor in model.graph.initializer:
        if tensor.name in kept:
            tensor.CopyFrom(onnx.numpy_helper.from_array(kept[tensor.name], tensor.name))
    return (model, {name: kept.get(name, array) for name, array in parameters.items()}), loose


class _Described:
    """What a model says of the snapshots that it takes.

    Attributes:
        names: Of its parameters, by the key that they have in a snapshot.
        wanted: Arrays of their shapes and dtypes.
        fixed: What else a snapshot holds, as text: parts of the program.
        unused: What it may hold besides.
    """

    def __init__(self, text: str) -> None:
        """Read what `describe_weights` wrote.

        Raises:
            InputError: It is damaged.
        """
        try:
            parts = json.loads(text)
            arrays = parts["arrays"].items()
            self.names = {key: str(name) for key, (name, _, _) in arrays}
            self.wanted = {
                key: np.broadcast_to(np.zeros((), dtype), shape)
                for key, (_, dtype, shape) in arrays
            }
            self.fixed = {key: str(was) for key, was in parts["fixed"].items()}
            self.unused = set(map(str, parts["unused"]))
        except (AttributeError, LookupError, TypeError, ValueError):
            raise InputError("What the model says of its weights is damaged.") from None


def _read(
    described: _Described, path: str | os.PathLike[str], prefix: str, states: Collection[str]
) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a snapshot by the names that they have in the model, and its state."""
    fixed: dict[str, Any] = dict.fromkeys(described.fixed)
    stored = read_snapshot(path, prefix, {**described.wanted, **fixed}, described.unused)
    loose = {key: stored[key] for key in described.fixed if key in states}
    for key, was in described.fixed.items():
        if key not in loose and repr(stored[key].tolist()) != was:
            raise InputError(
                f"{key} is {stored[key].tolist()!r} in {path}, and the model was made with {was}.",
                hint="it is a part of the program: compile the chain again",
            )
    found: dict[str, np.ndarray[Any, Any]] = {}
    first: dict[str, str] = {}
    for key, name in described.names.items():
        array = stored[key].astype(described.wanted[key].dtype)
        other = first.setdefault(name, key)
        if other != key and array.tobytes() != found[name].tobytes():
            raise InputError(f"{other} and {key} are one in the model, and differ in {path}.")
        found[name] = array
    return found, loose
