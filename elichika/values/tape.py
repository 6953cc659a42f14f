"""The tape: which function of Chainer made which Variable, of which others.

It has the form of Chainer's own computational graph: a Variable has a *node*, a node may have a
function that made it, its *creator*, and a function has the nodes of what it took. All of it is
known while compiling; only arrays are values of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elichika.values.words import shown_as
from onnx_graph import Value

__all__ = ["Application", "VariableNode"]


@shown_as("VariableNode")
class VariableNode:
    """What stands for a Variable on the tape: Chainer's `VariableNode`.

    Attributes:
        variable: The Variable, in symbolic form or as it is known now.
        requires_grad: Whether a gradient goes through it; None where that is not known.
        rank: The longest way to it from a leaf.
        known: The Variable of the user's that it belongs to, if it does: the owner of its gradient.
        old_style: The name of the old-style function whose `backward` made it, if one did.
    """

    __slots__ = ("__weakref__", "known", "old_style", "rank", "requires_grad", "variable")

    def __init__(
        self, variable: Any, requires_grad: bool | None, rank: int = 0, known: Any = None
    ) -> None:
        self.variable = variable
        self.requires_grad = requires_grad
        self.rank = rank
        self.known = known
        self.old_style: str | None = None


@dataclass(frozen=True, eq=False)
class Application:
    """A function that was applied: an edge of the tape.

    Attributes:
        function: The `FunctionNode` or old-style `Function` of the program.
        inputs: The nodes of what it took.
        outputs: The nodes of what it gave; None for what is no Variable.
        values: What its inputs held.
        draws: Whether it drew random numbers.
    """

    function: Any
    inputs: tuple[VariableNode, ...]
    outputs: tuple[VariableNode | None, ...]
    values: tuple[Value, ...]
    draws: bool

    @property
    def rank(self) -> int:
        """The longest way from a leaf to what it took."""
        return max((node.rank for node in self.inputs), default=0)
