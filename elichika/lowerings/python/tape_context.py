"""What a lowering may ask of the tape: which function, branch, loop or list made which Variable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from elichika.values.symbolic import Scalar, Seq, Var
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.joins import Type
    from elichika.state.store import Mark
    from elichika.values.tape import Application, Chosen, Looped, TapeArm, VariableNode, Way

__all__ = ["Tape"]


class ListTape(Protocol):
    """Lists of dynamic length on the tape."""

    def is_followed(self, element: Type) -> bool:
        """Tell whether the tape goes through lists of such elements."""

    def join(self, items: Seq, made: Var, back: Any, *arguments: Any) -> None:
        """Note that a function made a Variable of those in a list, and how to go back."""

    def part(self, variable: Any, made: Sequence[Var], back: Any, *arguments: Any) -> None:
        """Note that a function made a known number of Variables of one, and how to go back."""

    def split(self, variable: Any, made: Seq, back: Any, *arguments: Any) -> None:
        """Note that a function made Variables in a list of one, and how to go back."""


class Identities(Protocol):
    """Which Variable a Variable is."""

    def require(self, wanted: VariableNode, starts: Iterable[VariableNode]) -> None:
        """See that no way back from some nodes comes by one that may be the Variable itself."""


class ControlTape(Protocol):
    """What branches and loops hand on."""

    def was_written_since(self, application: Chosen) -> bool:
        """Tell whether an array that a branch or loop gave or wrote was written after it."""


class Reentries(Protocol):
    """Ways back into branches and loops, which may be gone back again."""

    def stacks(self, application: Looped) -> tuple[VariableNode, ...]:
        """Return, for each of the heads of a loop, what stands for it in all of the turns."""

    def heads(
        self,
        application: Looped,
        stacks: Sequence[VariableNode],
        turn: tuple[Scalar, Any],
        last: bool,
    ) -> dict[VariableNode, VariableNode]:
        """Return what stands outside of a turn for what it began with: of how many, and which."""

    def left(
        self,
        through: Chosen,
        arm: TapeArm,
        turn: Value | None,
        gradients: Sequence[Any],
        since: Mark,
        ends: Collection[VariableNode],
    ) -> Way:
        """Note what comes out of a side or turn that is left now, which was entered at `since`."""

    def give(
        self, way: Way, gradients: Sequence[Any], outside: Mapping[VariableNode, VariableNode]
    ) -> None:
        """Let what came out of a side or turn have its past there."""


class Totals(Protocol):
    """The gradients of Variables that sides and turns have made."""

    slot: str
    retains: bool | None
    begun: Mapping[VariableNode, Any]

    @property
    def are_known(self) -> bool:
        """Whether what sweeps gave is all that there is."""

    def sweeping(self, retains: bool, slot: str = ...) -> AbstractContextManager[None]:
        """Let a sweep give gradients to leaves, or to all Variables that it comes by."""

    def passes(self, application: Application) -> None:
        """Note that a sweep comes to something, such as a branch or loop."""

    def of(self, arm: TapeArm) -> Mapping[VariableNode, int]:
        """Return the Variables of a side or turn that one after it may be, and in what loops."""

    def given(self, arm: TapeArm) -> Mapping[VariableNode, int]:
        """Return those of them that the present sweep may give gradients to."""

    def ask(self) -> None:
        """See that these gradients are kept."""

    def forget(self, node: VariableNode) -> None:
        """Let all Variables that one may be, or that are in a list, have no gradient."""

    def behind(
        self, nodes: Iterable[VariableNode | None]
    ) -> Iterator[tuple[VariableNode, Application | None]]:
        """Yield what some Variables may be, of those that are made here, and what made these."""

    def held(self, nodes: Iterable[VariableNode]) -> list[Any]:
        """Return what the locations of some nodes have; `MISSING` for those never set."""

    def begin(self, nodes: Iterable[VariableNode], held: Sequence[Any]) -> None:
        """Let some nodes have what they got since, in the side or turn that is reopened."""

    def beginning(self, begun: Mapping[VariableNode, Any]) -> AbstractContextManager[None]:
        """Let what a turn begins with have these gradients."""

    def each_turn(self, node: VariableNode) -> tuple[Looped, VariableNode] | None:
        """Return the loop that made a list, one item each turn, and what it adds."""


class Tape(Protocol):
    """Which function made which Variable."""

    @property
    def is_kept(self) -> bool:
        """Whether this walk notes what functions are applied."""

    def ask(self) -> None:
        """See that there is a tape."""

    def leaf(self, variable: Var, requires_grad: bool) -> Var:
        """Note that no function made a Variable; return it."""

    def node(self, variable: Any) -> VariableNode:
        """Return the node of a Variable, which has to be known."""

    def refuse_unknown(self) -> NoReturn:
        """Refuse to take a gradient through a Variable of which it is not known what made it."""

    @property
    def identities(self) -> Identities:
        """Which Variable a Variable is."""

    @property
    def control(self) -> ControlTape:
        """What branches and loops hand on."""

    @property
    def lists(self) -> ListTape:
        """Lists of dynamic length on the tape."""

    @property
    def totals(self) -> Totals:
        """What Variables of sides and turns got."""

    @property
    def reentries(self) -> Reentries:
        """Ways back into branches and loops."""

    def applied(self, function: Any) -> Application:
        """Return how a function was applied."""

    def needs_record(self, inputs: Sequence[Any]) -> bool:
        """Tell whether a gradient may go through what is made of these inputs."""

    def record(self, function: Any, inputs: Sequence[Any], outputs: Any, draws: bool) -> None:
        """Note that a function made `outputs` of `inputs`."""

    def creator(self, node: VariableNode) -> Application | None:
        """Return the application that made a Variable, None of a leaf."""

    def unchain(self, node: VariableNode) -> None:
        """Forget what made a Variable."""

    def unchain_backward(self, node: VariableNode) -> None:
        """Forget what made a Variable, and all that it was made of."""

    def gradient(self, node: VariableNode) -> Any:
        """Return the gradient of a Variable: a Variable, None, or one of these."""

    def set_gradient(self, node: VariableNode, gradient: Any) -> None:
        """Give a Variable a gradient."""

    def set_loss_scale(self, node: VariableNode, scale: Any) -> None:
        """Note what the gradient of a Variable was multiplied by."""

    def reopened(self, arm: TapeArm, turn: Value | None = None) -> AbstractContextManager[None]:
        """Be back in one side of a branch, or in a turn, as it was at its end."""

    def replayed(self, changes: Mapping[Any, Any]) -> AbstractContextManager[None]:
        """Let what was made in a side or a turn be there again."""

    def is_clear(self, node: VariableNode) -> bool:
        """Tell whether a Variable has no gradient, whichever of several it is."""

    def require_one(self, node: VariableNode, name: str) -> None:
        """Refuse to tell of one of several Variables what each of them would."""

    def refuse_several(self, name: str) -> NoReturn:
        """Refuse to tell of one of several Variables what each of them would."""

    def has(self, name: str) -> bool:
        """Tell whether an attribute of a Variable is set on the tape."""

    def change(self, variable: Any, name: str, value: Any) -> None:
        """Run `variable.name = value`."""
