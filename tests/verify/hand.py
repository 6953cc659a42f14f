"""Models built by hand beside the chains that they should equal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import chainer

from elichika.errors import SourceFrame
from elichika.model.compiled import CompiledModel
from elichika.signature import OutputSignature, Signature, read_inputs
from onnx_graph import ONNXGraph


@dataclass(frozen=True)
class Place:
    """A source as the walker hands it to the graph."""

    line: int
    file: str = "decoder.py"

    @property
    def label(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def frames(self) -> tuple[tuple[str, int, str], ...]:
        return ((self.file, self.line, "Decoder.forward"),)


class Program(chainer.Chain):
    """A chain around one function."""

    def __init__(self, function: Callable[..., Any], **links: Any) -> None:
        super().__init__()
        self.function = function
        with self.init_scope():
            for name, link in links.items():
                setattr(self, name, link)

    def forward(self, *args: Any) -> Any:
        return self.function(self, *args)


@contextmanager
def at(graph: ONNXGraph, line: int) -> Any:
    with graph.at(Place(line)):
        yield


def compiled(
    function: Callable[..., Any],
    build: Callable[..., Any],
    inputs: tuple[Any, ...],
    **options: Any,
) -> CompiledModel:
    """Build a model by hand.

    Args:
        function: What the chain computes, as `function(self, *inputs)`.
        build: Its model: `build(graph, *values)` returns a nest of `OutputLeaf`.
        inputs: The example.
        **options: For `read_inputs`; `chain` for another chain than one around `function`.
    """
    chain = options.pop("chain", None) or Program(function)
    signature = read_inputs(partial(function, chain), inputs, **options)
    graph = ONNXGraph()
    values = [
        graph.sequence_input(spec.name, spec.dtype, spec.dims)
        if spec.kind == "list"
        else graph.input(spec.name, spec.dtype, spec.dims)
        for spec in signature.specs
    ]
    with at(graph, 31):
        outputs = OutputSignature.from_structure(
            build(graph, *values), taken=[spec.name for spec in signature.specs]
        )
    for spec, value in zip(outputs.specs, outputs.values, strict=True):
        graph.output(spec.name, value)
    return CompiledModel.of_graph(graph, Signature(signature, outputs), chain=chain)


FRAME = SourceFrame("decoder.py", 31, "Decoder.forward")
