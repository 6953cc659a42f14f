"""Models from files that elichika wrote."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import onnx

from elichika.errors import InputError, concise
from elichika.model.compiled import CompiledModel
from elichika.model.inspection import read_model
from elichika.model.protos import metadata_of
from elichika.model.session import Providers
from elichika.model.storage import InFile
from elichika.signature import SIGNATURE_KEY, Signature

__all__ = ["load"]

#: What reading metadata that is damaged, or a structure of them that does not hold, may raise.
DAMAGE = (AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


@concise
def load(
    path: str | os.PathLike[str], *, providers: Providers | None = None, threads: int = 0
) -> CompiledModel:
    """Load a model that elichika wrote.

    Args:
        path: The file.
        providers: For onnxruntime; the CPU by default.
        threads: How many onnxruntime uses within one operator; 0 is one for each core.

    Raises:
        InputError: There is no such file, or it holds something else.
    """
    source = Path(path)
    outline = read_model(source)
    metadata = metadata_of(outline)
    if SIGNATURE_KEY not in metadata:
        raise InputError(f"{source} was not written by elichika: it has no signature.")
    try:
        signature = Signature.from_json(metadata[SIGNATURE_KEY])
        model = CompiledModel(
            InFile(source),
            signature,
            providers=providers,
            metadata=metadata,
            threads=threads,
        )
        _require_ports(outline.graph, signature, model.state)
    except DAMAGE:
        raise InputError(f"{source} is damaged: its signature cannot be read.") from None
    return model


def _require_ports(graph: onnx.GraphProto, signature: Signature, state: Collection[str]) -> None:
    """Check that a signature is that of a graph.

    Raises:
        ValueError: It has other inputs or outputs.
    """
    inputs = [*signature.inputs.names, *state]
    outputs = [spec.name for spec in signature.outputs.specs]
    given = {value.name for value in graph.input}
    if given != set(inputs) or [value.name for value in graph.output][: len(outputs)] != outputs:
        raise ValueError("other inputs or outputs")
