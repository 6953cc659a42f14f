"""Where a compiled model is: in its graph, in a file, or in memory as what a file would hold."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnx

from elichika.errors import InputError
from elichika.model.inspection import count_nodes, inspect_model
from elichika.model.protos import metadata_of
from elichika.model.source_map import SourceMap
from onnx_graph import ONNXGraph, export
from onnx_graph.passes.editing import nested

__all__ = ["InFile", "InGraph", "InMemory", "Storage"]


Parts = tuple[onnx.ModelProto, Mapping[str, np.ndarray[Any, Any]]]
"""A model without its large parameters, and these by name."""


class Storage(Protocol):
    """A model that can be read and written."""

    @property
    def graph(self) -> ONNXGraph | None:
        """The graph that it was made of."""

    @property
    def path(self) -> Path | None:
        """The file that it is in."""

    @property
    def nodes(self) -> int:
        """How many nodes it has, those of bodies included."""

    @property
    def outline(self) -> onnx.ModelProto:
        """The model as protobuf; large parameters may be left out."""

    @property
    def proto(self) -> onnx.ModelProto:
        """The model as protobuf, with all its parameters.

        Raises:
            InputError: Parameters beside the file cannot be read.
        """

    @property
    def parts(self) -> Parts:
        """The same in parts, for a model that is too large to be one."""

    @property
    def source_map(self) -> SourceMap:
        """The user's lines behind the nodes."""

    def write(self, target: Path) -> None:
        """Write the model to a file, whole or not at all."""


class InGraph:
    """A model as the graph that was compiled."""

    path = None

    def __init__(self, graph: ONNXGraph) -> None:
        self.graph = graph

    @property
    def nodes(self) -> int:
        """How many nodes it has."""
        return sum(1 for scope in nested(self.graph.main.graph) for _ in scope)

    @cached_property
    def proto(self) -> onnx.ModelProto:
        """The model as protobuf."""
        return self.graph.to_model()

    @property
    def outline(self) -> onnx.ModelProto:
        """The same."""
        return self.proto

    @property
    def parts(self) -> Parts:
        """The same in parts."""
        return export.split(self.graph)

    @property
    def source_map(self) -> SourceMap:
        """The user's lines, by the names that their files have here."""
        return SourceMap(self.graph.source_map())

    def write(self, target: Path) -> None:
        """Write the model to a file."""
        export.save(self.graph, target)


class InFile:
    """A model in a file, with its large parameters in another one beside it, if it has many."""

    graph = None

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def nodes(self) -> int:
        """How many nodes it has."""
        return inspect_model(self.path).nodes

    @cached_property
    def proto(self) -> onnx.ModelProto:
        """The model as protobuf."""
        try:
            return onnx.load(os.fspath(self.path))
        except Exception as error:  # onnx has an error class for each kind of damage
            first = str(error).strip().split("\n")[0]
            raise InputError(f"{self.path} is damaged: {first}") from None

    @property
    def outline(self) -> onnx.ModelProto:
        """The model without what is beside its file."""
        return onnx.load(os.fspath(self.path), load_external_data=False)

    @property
    def parts(self) -> Parts:
        """The same in parts."""
        model = onnx.ModelProto()
        model.CopyFrom(self.proto)
        return model, export.take_parameters(model)

    @property
    def source_map(self) -> SourceMap:
        """The user's lines, as far as the file says them."""
        return SourceMap.if_whole(metadata_of(self.outline))

    def write(self, target: Path) -> None:
        """Copy the file, and what is beside it under the same name."""
        if target.parent.resolve() != self.path.parent.resolve():
            for beside in export.data_files(self.path):
                _copy_whole(beside, target.with_name(beside.name))
        _copy_whole(self.path, target)


class InMemory:
    """A model as a file would hold it, in memory; this can be pickled."""

    graph = path = None

    def __init__(self, parts: Parts) -> None:
        model, self._parameters = parts
        self._outline = model.SerializeToString()

    @property
    def nodes(self) -> int:
        """How many nodes it has."""
        return count_nodes(self.outline.graph)

    @property
    def outline(self) -> onnx.ModelProto:
        """The model without its large parameters."""
        return onnx.load_model_from_string(self._outline)

    @cached_property
    def proto(self) -> onnx.ModelProto:
        """The model as protobuf."""
        return export.joined(*self.parts)

    @property
    def parts(self) -> Parts:
        """The same in parts."""
        return self.outline, self._parameters

    @property
    def source_map(self) -> SourceMap:
        """The user's lines, as far as a file says them."""
        return SourceMap.if_whole(metadata_of(self.outline))

    def write(self, target: Path) -> None:
        """Write the model to a file."""
        export.write(*self.parts, target)


def _copy_whole(source: Path, target: Path) -> None:
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, partial)
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
