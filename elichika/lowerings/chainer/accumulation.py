"""Gradients on the way back over the tape: those yet to be added up, and what comes next."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.values.tape import Application, VariableNode

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = [
    *("Candidates", "Gradient", "Gradients", "inputs_of", "of_output", "require_new_style"),
    *("require_past", "requires", "takes"),
]

#: A gradient: a Variable, None, or one of these.
Gradient = Any


class Gradients:
    """The gradients that a sweep has come to: for each node those that are yet to be added up."""

    def __init__(
        self, w: ContainerContext, takes_over: Callable[[VariableNode], bool] = lambda node: False
    ) -> None:
        """Begin with none; a leaf that `takes_over` tells of begins with the gradient it has."""
        self.w = w
        self._takes_over = takes_over
        self._held: dict[VariableNode, list[Gradient]] = {}

    def of(self, node: VariableNode) -> list[Gradient]:
        """Return the gradients of a node, to be added to."""
        if node not in self._held:
            takes = self._takes_over(node) and self.w.tape.creator(node) is None
            if takes:
                require_new_style(self.w, node)
            self._held[node] = self._taken_over(node) if takes else []
        return self._held[node]

    def begin(self, node: VariableNode, gradient: Gradient) -> None:
        """Let a node have one gradient."""
        self._held[node] = [] if gradient is None else [gradient]

    def pop(self, node: VariableNode) -> Gradient:
        """Return the sum of the gradients of a node, which is forgotten; None without any."""
        if node in self._held:
            return self.sum(self._held.pop(node))
        found = self._taken_over(node) if self._takes_over(node) else []
        return found[0] if found else None

    def sum(self, gradients: list[Gradient]) -> Gradient:
        """Put the sum of some gradients in their place, and return it."""
        if len(gradients) > 1:
            total = gradients[0]
            for gradient in gradients[1:]:
                total = self.w.call(idioms.gradients.added, [total, gradient], {})
            gradients[:] = [total]
        return gradients[0] if gradients else None

    def _taken_over(self, node: VariableNode) -> list[Gradient]:
        held = self.w.tape.gradient(node)
        if held is None:
            return []
        self.w.tape.set_gradient(node, None)
        return [held]


class Candidates:
    """The applications to go back through, those of the highest rank first."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Application]] = []
        self._seen: set[Application] = set()

    def push(self, application: Application) -> None:
        if application not in self._seen:
            heapq.heappush(self._heap, (-application.rank, len(self._seen), application))
            self._seen.add(application)

    def __iter__(self) -> Candidates:
        return self

    def __next__(self) -> Application:
        if not self._heap:
            raise StopIteration
        return heapq.heappop(self._heap)[-1]


def requires(w: ContainerContext, node: VariableNode, ends: Container[VariableNode] = ()) -> bool:
    """Tell whether a gradient goes through a Variable, which has to be known."""
    if node not in ends:
        require_past(w, node)
    return takes(w, node)


def takes(w: ContainerContext, node: VariableNode) -> bool:
    """Tell whether a Variable takes a gradient, if there comes one."""
    if node.requires_grad is None:
        w.tape.refuse_unknown()
    return node.requires_grad is True


def require_past(w: ContainerContext, node: VariableNode) -> None:
    """Refuse to go back from what a turn begins with, within the loop."""
    if node.head:
        w.refuse(
            "this gradient would continue into the iterations of the loop before this one",
            "call `backward` after the loop",
        )


def require_new_style(w: ContainerContext, node: VariableNode) -> None:
    if node.old_style is not None:
        w.raise_static(
            RuntimeError(f'cannot twice-differentiate an old style Function "{node.old_style}"')
        )


def inputs_of(application: Application, targets: Sequence[int]) -> list[VariableNode]:
    return list(dict.fromkeys(application.inputs[i] for i in targets))


def of_output(w: ContainerContext, gradients: Gradients, y: VariableNode | None) -> Gradient:
    if y is None or w.tape.creator(y) is None:
        return None
    return gradients.pop(y)
