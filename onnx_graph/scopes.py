"""Scopes: the main graph and the bodies of If and Loop, with what each of them remembers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim
from onnx_graph.errors import GraphError
from onnx_graph.values import data_type_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


class Scope:
    """A graph under construction and the memo of what was computed in it."""

    def __init__(self, name: str, parent: Scope | None, opset: int) -> None:
        """Make an empty scope below ``parent``."""
        self.graph = ir.Graph([], [], nodes=[], name=name, opset_imports={"": opset})
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.memo: dict[Hashable, Value] = {}
        self.sources: dict[str, tuple[Value, int]] = {}
        self.born: set[str] = set()
        self.unknowns: dict[tuple[str, ...], Dim] = {}
        self.closed = False

    def encloses(self, other: Scope) -> bool:
        """Tell whether what belongs to this scope is visible in ``other``."""
        scope: Scope | None = other
        while scope is not None and scope.depth > self.depth:
            scope = scope.parent
        return scope is self

    def chain(self) -> list[Scope]:
        """Return the scopes from the main graph to this one."""
        scopes: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            scopes.append(scope)
            scope = scope.parent
        return scopes[::-1]


class Body(Scope):
    """The subgraph of an If branch or a Loop; use it as a context manager to emit into it.

    ``iteration`` (int64 scalar) and ``condition`` (bool scalar) exist for Loop bodies only.
    ``node`` is the If or Loop that took the body, ``height`` how many turns that Loop makes.
    """

    def __init__(self, owner: ONNXGraph, name: str, parent: Scope, loop: bool) -> None:
        """Make an empty body below ``parent``."""
        super().__init__(name, parent, owner.opset)
        self._owner = owner
        self.loop = loop
        self.label = name
        self.discarded = False
        self.node: ir.Node | None = None
        self.height: int | Dim | None = None
        self._entered: list[Scope] = []
        if loop:
            self.iteration = self._add(ir.TensorType(ir.DataType.INT64), (), "iteration")
            self.condition = self._add(ir.TensorType(ir.DataType.BOOL), (), "condition")

    def _add(
        self,
        type_: ir.TypeProtocol,
        dims: Sequence[int | str | Dim | None] | None,
        name: str | None,
    ) -> Value:
        value = self._owner.declare(self, type_, dims, name)
        self.graph.inputs.append(value)
        return value

    def input(
        self,
        dtype: npt.DTypeLike,
        dims: Sequence[int | str | Dim | None] | None,
        name: str | None = None,
    ) -> Value:
        """Declare a carried tensor of a Loop body.

        Args:
            dtype: Element type.
            dims: Sizes; None for a size that may change from turn to turn. ``dims=None`` leaves
                the rank open.
            name: A hint for the name.
        """
        return self._add(ir.TensorType(data_type_of(dtype)), dims, name)

    def sequence_input(
        self,
        dtype: npt.DTypeLike,
        dims: Sequence[int | str | Dim | None] | None = None,
        name: str | None = None,
    ) -> Value:
        """Declare a carried sequence; ``dims`` are sizes that every element has."""
        element = ir.TensorType(data_type_of(dtype))
        return self._add(ir.SequenceType(element), dims, name)

    def __enter__(self) -> Body:
        """Emit into this body from now on.

        Raises:
            GraphError: the body was discarded, is closed, or belongs to another scope.
        """
        if self.discarded or self.closed:
            raise GraphError(f"body {self.label!r} is {'discarded' if self.discarded else 'used'}")
        if self._owner.scope is not self.parent:
            raise GraphError(
                f"body {self.label!r} is entered outside the scope that it was made in"
            )
        self._entered.append(self._owner.scope)
        self._owner.scope = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Emit into the enclosing scope again; a body that an error leaves is thrown away."""
        self._owner.scope = self._entered.pop()
        if kind is not None and not self.closed:
            self.discard()

    @property
    def carried_inputs(self) -> list[Value]:
        """The inputs of a Loop body that go from turn to turn, in their order."""
        return list(self.graph.inputs[2:])

    def discard(self) -> None:
        """Throw the body away: its nodes no longer use anything, its memo is forgotten.

        Raises:
            GraphError: an If or Loop has taken the body already.
        """
        if self.closed:
            raise GraphError(f"body {self.label!r} belongs to a node and cannot be discarded")
        if not self.discarded:
            self._owner.nodes -= sum(1 for _ in self.graph.all_nodes())
        self.discarded = True
        detach(self.graph)
        self.memo.clear()
        self.sources.clear()


def detach(graph: ir.Graph) -> None:
    """Remove the uses that the nodes of a graph and of its subgraphs make of any value."""
    for node in list(graph.all_nodes()):
        for index in range(len(node.inputs)):
            node.replace_input_with(index, None)
