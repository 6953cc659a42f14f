"""The tape: which function of Chainer made which Variable, of which others.

It has the form of Chainer's own computational graph: a Variable has a *node*, a node may have a
function that made it, its *creator*, and a function has the nodes of what it took. All of it is
known while compiling; only arrays are values of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from elichika.values.symbolic import Seq
from elichika.values.words import shown_as
from onnx_graph import Body, Value

__all__ = [
    "GRADIENT",
    *("Application", "Begun", "Branched", "Chosen", "Listed", "Looped", "Reentered", "Span"),
    *("TapeArm", "VariableNode", "Way"),
]


#: The location of a node that has its gradient.
GRADIENT = "grad_var"


@shown_as("VariableNode")
class VariableNode:
    """What stands for a Variable on the tape: Chainer's `VariableNode`.

    Attributes:
        variable: The Variable, in symbolic form or a known one; or a list of such.
        requires_grad: Whether a gradient goes through it; None where that is not known.
        rank: The longest way to it from a leaf.
        known: The Variable of the user's that it belongs to, if it does: the owner of its gradient.
        old_style: The name of the old-style function whose `backward` made it, if one did.
        joined: It stands for one of several Variables.
        head: It stands for what the turn before gave, in the body of a loop.
        even: Such a one has the same sizes in all turns.
        others: Those that may be the same Variable, none of which a function made.
        is_turns: The others were there before the loop that it belongs to.
    """

    __slots__ = (
        *("__weakref__", "even", "head", "joined", "known", "old_style", "others", "rank"),
        *("is_turns", "requires_grad", "variable"),
    )

    def __init__(
        self, variable: Any, requires_grad: bool | None, rank: int = 0, known: Any = None
    ) -> None:
        self.variable = variable
        self.requires_grad = requires_grad
        self.rank = rank
        self.known = known
        self.old_style: str | None = None
        self.joined = False
        self.head = False
        self.even = False
        self.others: tuple[VariableNode, ...] = ()
        self.is_turns = False


#: What was born after a time, up to another one.
Span = tuple[int, int]
#: A Variable, with what the program changed where it was made.
Source = tuple[VariableNode, Mapping[Any, Any]]


@dataclass(frozen=True, eq=False)
class Application:
    """A function that was applied: an edge of the tape.

    Attributes:
        function: The `FunctionNode` or old-style `Function` of the program.
        inputs: The nodes of what it took.
        outputs: The nodes of what it gave; None for what is no Variable.
        values: What its inputs held; None where an old-style function took None.
        draws: Whether it drew random numbers.
        shared: Pairs of gradients within a side or turn of it that may be one array.
        unwritable: Gradients within one that numpy does not write to.
    """

    function: Any
    inputs: tuple[VariableNode, ...]
    outputs: tuple[VariableNode | None, ...]
    values: tuple[Value | None, ...]
    draws: bool
    shared: set[frozenset[Any]] = field(default_factory=set, init=False)
    unwritable: set[Any] = field(default_factory=set, init=False)

    @property
    def rank(self) -> int:
        """The longest way from a leaf to what it took."""
        return max((node.rank for node in self.inputs), default=0)

    @property
    def sides(self) -> tuple[TapeArm, ...]:
        """The sides of a branch, the turn of a loop; none of a function."""
        return ()

    @property
    def gives_all(self) -> bool:
        """Whether all that the Variables of its sides get comes through it."""
        return True

    @property
    def first(self) -> tuple[VariableNode | None, ...]:
        """What the outputs are after no turn of a loop; empty of anything else."""
        return ()

    def begun(self, place: int) -> VariableNode | None:
        """Return what a turn begins with where it gives an output; None of anything else."""
        return None

    def sources(self, place: int) -> tuple[Source, ...]:
        """Return the Variables that an output may be itself, and what the program changed there."""
        return ()


@dataclass(frozen=True, eq=False)
class Listed(Application):
    """What was done with a list of dynamic length, of which one node stands for all Variables.

    The gradient of such a node is a tuple with that of each item, of None where it has none.

    Attributes:
        back: The Python that goes back: it takes the arguments and the gradient of the output, and
            gives the gradients of the inputs.
        arguments: What it takes first, such as places and lengths.
    """

    back: Callable[..., Any]
    arguments: tuple[Any, ...]

    @property
    def hides(self) -> bool:
        """Whether it is known only when the model runs which Variables it takes or gives."""
        return any(type(x.variable) is Seq for x in (*self.inputs, *self.outputs) if x is not None)


@dataclass(frozen=True, eq=False)
class TapeArm:
    """One side of a branch, to go back into.

    Attributes:
        body: Where its values are.
        changes: What the program changed there, as the store has it.
        nodes: What the outputs of the branch are on this side; None where it gives none.
        spans: When what it made was born.
    """

    body: Body
    changes: Mapping[Any, Any]
    nodes: tuple[VariableNode | None, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, eq=False)
class Chosen(Application):
    """What gave Variables by control flow.

    Attributes:
        held: Arrays that it gave or wrote, with their versions right after it.
    """

    held: tuple[tuple[Any, tuple[Any, ...]], ...]


@dataclass(frozen=True, eq=False)
class Branched(Chosen):
    """A branch: an application of either of its sides.

    Attributes:
        condition: Which side ran.
        arms: The side that runs where it holds, and the other.
    """

    condition: Value
    arms: tuple[TapeArm, TapeArm]

    @property
    def sides(self) -> tuple[TapeArm, ...]:
        """Both sides."""
        return self.arms

    def sources(self, place: int) -> tuple[Source, ...]:
        """Return what an output is on either side."""
        return tuple((node, arm.changes) for arm in self.arms if (node := arm.nodes[place]))


@dataclass(frozen=True, eq=False)
class Looped(Chosen):
    """A loop: as many applications of its turn as it made.

    Attributes:
        turn: The end of a turn; its nodes are what the next one begins with.
        heads: What a turn begins with.
        entries: What the first turn begins with; None where that is no Variable.
    """

    turn: TapeArm
    heads: tuple[VariableNode, ...]
    entries: tuple[VariableNode | None, ...]

    @property
    def sides(self) -> tuple[TapeArm, ...]:
        """The turn."""
        return (self.turn,)

    @property
    def first(self) -> tuple[VariableNode | None, ...]:
        """What the outputs are after no turn."""
        return self.entries

    def begun(self, place: int) -> VariableNode | None:
        """Return what a turn begins with where it gives an output."""
        return self.heads[place]

    def sources(self, place: int) -> tuple[Source, ...]:
        """Return what an output is after no turn, and at the end of one."""
        first, last = self.entries[place], self.turn.nodes[place]
        ends = () if last is None else ((last, self.turn.changes),)
        return ends if first is None else ((first, {}), *ends)


@dataclass(frozen=True, eq=False)
class Begun(Looped):
    """A loop, of which what the turns began with is asked for: a stack for each of the heads.

    Only who goes back through a turn takes from these stacks; the program does not see them.
    """

    @property
    def gives_all(self) -> bool:
        """Return False: the loop gives its own Variables, too."""
        return False

    @property
    def first(self) -> tuple[VariableNode | None, ...]:
        """Nothing: without a turn, the stacks are empty."""
        return ()

    def begun(self, place: int) -> VariableNode | None:
        """Return None: a stack is not carried."""
        return None

    def sources(self, place: int) -> tuple[Source, ...]:
        """Return nothing: a stack is no Variable of the program."""
        return ()


@dataclass(frozen=True, eq=False)
class Reentered(Chosen):
    """What going back into a side of a branch, or a turn of a loop, gave.

    Who goes back through this goes on into the side or turn, where it came from.

    Attributes:
        arm: The side or turn, with what going back changed there; its nodes are what that gave.
        turn: Which turn it is; None for a side.
        inner: What the inputs are called inside: what a turn begins with has another node there.
    """

    arm: TapeArm
    turn: Value | None
    inner: tuple[VariableNode, ...]

    @property
    def gives_all(self) -> bool:
        """Return False: the side or turn gives its own Variables, too."""
        return False

    @property
    def sides(self) -> tuple[TapeArm, ...]:
        """The side or turn."""
        return (self.arm,)

    def sources(self, place: int) -> tuple[Source, ...]:
        """Return what an output is inside."""
        node = self.arm.nodes[place]
        return () if node is None else ((node, self.arm.changes),)


@dataclass(frozen=True, eq=False)
class Way:
    """A way back into a side or a turn, as it is at its end.

    Attributes:
        through: What is gone back through.
        arm: The side or turn, with what going back changed; its nodes are what comes out of it.
        turn: Which turn it is; None for a side.
        taken: What that was made of; None where it is not known.
        held: Arrays that were written, with their versions right after it.
    """

    through: Chosen
    arm: TapeArm
    turn: Value | None
    taken: tuple[VariableNode, ...] | None
    held: tuple[tuple[Any, tuple[Any, ...]], ...]
