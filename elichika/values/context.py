"""What the parts of the compiler that hold no walk of their own ask of the one they serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

if TYPE_CHECKING:
    from elichika.state.store import Store
    from elichika.values.symbolic import Array
    from onnx_graph import ONNXGraph, Value

__all__ = ["TensorContext", "WalkContext"]


class TensorContext(Protocol):
    """A walk as what asks for the contents of arrays sees it."""

    graph: ONNXGraph

    def read(self, array: Array) -> Value:
        """Return what an array holds now."""

    def as_array(self, value: Any) -> Array:
        """Return an array of numpy, or of the program, as a symbolic one."""


class WalkContext(Protocol):
    """A walk as what reads and writes the state of the program sees it."""

    graph: ONNXGraph
    store: Store

    def held(self, obj: Any, slot: str) -> Any:
        """Return what a location holds, conflicts too."""

    def items_of(self, obj: Any) -> Any:
        """Return what a list, dict or set holds now: a tuple, a `Seq`, or a dict."""

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        """Stop the compile with the user's line.

        Raises:
            StagingError: Always.
        """
