"""Snapshots, as Chainer writes and reads them, of what a model with state has learned."""

from __future__ import annotations

import json
import os
from ast import literal_eval
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

from elichika.call.streams import OPTIMIZERS_KEY, read_specs
from elichika.errors import InputError, meant
from elichika.model.files import refusing, require_writable, temporary_folder
from elichika.model.protos import metadata_of
from elichika.model.snapshots import read_snapshot
from elichika.model.storage import Parts
from elichika.model.weights import described_weights, with_snapshot

__all__ = ["load", "save"]

State = Mapping[str, Any]


def save(parts: Parts, held: State, path: str | os.PathLike[str], of: str | None) -> None:
    """Write what a model has learned, or what an optimizer of it keeps; whole or not at all.

    Args:
        parts: The model.
        held: The state that it has come to, by the names of its inputs.
        path: Where to write, in the form of `chainer.serializers.save_npz`.
        of: The attribute of the chain that is an optimizer; None for the chain.

    Raises:
        InputError: The file cannot be written, there is no such optimizer, or the model was made
            for the weights that it has.
    """
    entries = _of_chain(parts, held) if of is None else _of_optimizer(parts, held, of)
    target = require_writable(path)
    with refusing("write", path), temporary_folder(target.parent) as folder:
        with open(folder / "snapshot", "wb") as file:
            np.savez_compressed(file, **entries)
        os.replace(folder / "snapshot", target)


def load(
    parts: Parts, held: State, path: str | os.PathLike[str], prefix: str, of: str | None
) -> tuple[Parts, State]:
    """Return a model with the weights of a snapshot, and the state that it goes on from.

    Args:
        parts: The model.
        held: The state that it has come to.
        path: The snapshot.
        prefix: Where in it.
        of: The optimizer that it is of; None for the chain.

    Raises:
        InputError: The file is missing or no snapshot, does not fit, there is no such optimizer, or
            the model was made for the weights that it has.
    """
    if of is not None:
        return parts, _to_optimizer(parts, held, of, path, prefix)
    specs = read_specs(metadata_of(parts[0]))
    made, loose = with_snapshot(parts, path, prefix, [spec.input for spec in specs])
    specs = read_specs(metadata_of(made[0]))
    weights = {spec.input: spec.initial for spec in specs if spec.weight}
    return made, {**weights, **{name: np.asarray(value) for name, value in loose.items()}}


def _of_chain(parts: Parts, held: State) -> dict[str, Any]:
    model, parameters = parts
    metadata = metadata_of(model)
    described = described_weights(metadata)
    states = {spec.weight: held[spec.input] for spec in read_specs(metadata) if spec.weight}
    stored = {tensor.name: tensor for tensor in model.graph.initializer}

    def array(name: str) -> Any:
        if name in states:
            return states[name]
        if name in parameters:
            return parameters[name]
        return onnx.numpy_helper.to_array(stored[name])

    found = {key: array(name) for key, name in described.names.items()}
    fixed = {key: held.get(key, literal_eval(was)) for key, was in described.fixed.items()}
    return {**found, **fixed, **dict.fromkeys(described.unused)}


def _of_optimizer(parts: Parts, held: State, name: str) -> dict[str, Any]:
    places = _optimizer(parts, name).items()
    return {key: value if port is None else held[port] for key, (port, value) in places}


def _to_optimizer(
    parts: Parts, held: State, name: str, path: str | os.PathLike[str], prefix: str
) -> dict[str, Any]:
    places = _optimizer(parts, name)
    inputs = {key: port for key, (port, _) in places.items() if port is not None}
    wanted = {key: np.asarray(held[port]) for key, port in inputs.items()}
    stored = read_snapshot(path, prefix, wanted, set(places))
    return {port: stored[key].astype(wanted[key].dtype) for key, port in inputs.items()}


def _optimizer(parts: Parts, name: str) -> dict[str, Any]:
    """Return where the entries of a snapshot of an optimizer are; see `optimizers_of`."""
    known = json.loads(metadata_of(parts[0]).get(OPTIMIZERS_KEY, "{}"))
    if name not in known:
        raise InputError(
            f"The model has no optimizer `{name}` whose state it keeps.", hint=meant(name, known)
        )
    places: dict[str, Any] = known[name]
    return places
