"""The tape: what a walk notes so that `backward` can go back over it.

It is kept where the program asks for gradients, which the first walk finds out. A Variable of which
it is not known how it was made has no node, and no gradient goes through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import chainer

from elichika.state.store import CONTENTS, Key, Mark, Note
from elichika.values.kinds import is_variable
from elichika.values.symbolic import Array, Choice, Var
from elichika.values.tape import (
    Application,
    Branched,
    Chosen,
    Looped,
    TapeArm,
    VariableNode,
)
from elichika.walker import unchaining
from elichika.walker.plan import TapeAsked
from elichika.walker.unchaining import CREATOR, DOUBT, GRADIENT
from elichika.walker.walk import Walk
from onnx_graph import Body, Value

if TYPE_CHECKING:
    from elichika.state.joins import Type
    from elichika.walker.arms import Arm

__all__ = ["Tape"]

#: How a function was applied.
APPLIED: Note[Application] = Note("applied")
#: The location of a node, or of a known Variable, of the scale of its gradient.
LOSS_SCALE = "_loss_scale"


#: What is set of a Variable.
_CHANGED = frozenset(
    ("grad", "grad_var", "_grad", "_grad_var", "_loss_scale", "creator", "creator_node")
)


#: The Variables that types stand for, by the id of the type.
Met = dict[int, list[Var]]


class Turn(Protocol):
    """The turn of a loop after its walk."""

    body: Body
    mark: Mark
    changes: dict[Key, Any]


#: Stands for the node of a Variable that cannot be told from others.
_LOST = VariableNode(None, None)


class Tape:
    """The part of the walker that knows which function made which Variable."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._of_known: dict[int, VariableNode] = {}
        self._met: list[Met] = []
        self._opened = 0

    @property
    def is_kept(self) -> bool:
        """Whether this walk notes what functions are applied."""
        return self.w.plan.keeps_tape

    def ask(self) -> None:
        """See that there is a tape.

        Raises:
            TapeAsked: This walk keeps none; another one will.
        """
        if not self.is_kept:
            raise TapeAsked("gradients are asked for", self.w.here())

    # Nodes

    def leaf(self, variable: Var, requires_grad: bool) -> Var:
        """Note that no function made a Variable; return it."""
        if self.is_kept:
            variable.node = self._new(variable, requires_grad)
        return variable

    def node(self, variable: Any) -> VariableNode:
        """Return the node of a Variable, in symbolic form or known now.

        Raises:
            TapeAsked: There is no tape yet.
            StagingError: It is not known what made the Variable.
        """
        self.ask()
        found = self._found(variable)
        if found is None or found.requires_grad is None:
            self._refuse_unknown()
        return found

    def _refuse_unknown(self) -> NoReturn:
        self.w.refuse(
            "it is known only when the model runs which function made this Variable, so no "
            "gradient can be taken through it",
            "call `backward` in the branch or loop that makes the Variable",
        )

    def known(self, variable: chainer.Variable) -> VariableNode:
        """Return the node of a Variable that is known now."""
        if id(variable) not in self._of_known:
            if variable.creator_node is not None:
                self.w.refuse(
                    "this Variable was computed before the program began, and its gradient goes on "
                    "to where that was",
                    "compute it in the method that is compiled, or call `unchain()` before",
                )
            node = VariableNode(variable, variable.requires_grad, known=variable)
            self._of_known[id(variable)] = node
        return self._of_known[id(variable)]

    def _found(self, variable: Any) -> VariableNode | None:
        return variable.node if type(variable) is Var else self.known(variable)

    def _new(self, variable: Any, requires_grad: bool | None, rank: int = 0) -> VariableNode:
        made: VariableNode = self.w.store.born(VariableNode(variable, requires_grad, rank))
        return made

    # Applications

    def applied(self, function: Any) -> Application:
        """Return how a function was applied.

        Raises:
            StagingError: It was not, or the tape does not go back to where it was.
        """
        found = self.w.store.noted(function, APPLIED)
        if found is None:
            self.w.refuse(f"`{type(function).__name__}` was not applied where this could tell")
        return found

    def needs_record(self, inputs: Sequence[Any]) -> bool:
        """Tell whether a gradient may go through what is made of these inputs."""
        return self.is_kept and any(
            is_variable(x) and self._requires(x) is not False for x in inputs
        )

    def _requires(self, variable: Any) -> bool | None:
        node = self._found(variable)
        return None if node is None else node.requires_grad

    def record(self, function: Any, inputs: Sequence[Any], outputs: Any, draws: bool) -> None:
        """Note that a function made `outputs` of `inputs`."""
        if not self.is_kept or type(outputs) is not tuple:
            return
        taken = tuple(map(self._taken, inputs))
        requires: Any = any(node.requires_grad for node in taken)
        if any(node.requires_grad is None for node in taken):
            requires = None
        rank = 1 + max((node.rank for node in taken), default=0)
        enabled = self.w.get_attribute(chainer.config, "enable_backprop")
        if not isinstance(enabled, bool):
            self.w.refuse("whether gradients are followed is known only when the model runs")
        made = [output if type(output) is Var else None for output in outputs]
        for variable in made:
            if variable is not None:
                variable.node = self._new(variable, requires, rank if enabled else 0)
        if enabled:
            nodes = tuple(None if variable is None else variable.node for variable in made)
            held = tuple(None if x is None else self.w.value_of(x) for x in inputs)
            application = Application(function, taken, nodes, held, draws)
            if not isinstance(function, chainer.Function):  # which has a property of that name
                self.w.store.set(function, "inputs", taken)
            self.w.store.note(function, APPLIED, application)
            for node in nodes:
                if node is not None:
                    self.w.store.set(node, CREATOR, application)

    # Branches

    def meets(self, type_: Type, variable: Var) -> None:
        """Note that a Variable is what a type stands for, on one side or after the join."""
        if self._met:
            self._met[-1].setdefault(id(type_), []).append(variable)

    @contextmanager
    def meeting(self) -> Iterator[Met]:
        """Write down which Variables types stand for within the block."""
        met: Met = {}
        self._met.append(met)
        try:
            yield met
        finally:
            self._met.pop()

    @contextmanager
    def reopened(self, arm: TapeArm, turn: Value | None = None) -> Iterator[None]:
        """Be back in one side of a branch, or in a turn, as it was at its end."""
        with self.replayed(arm.changes), self.w.graph.lifting.reopened(arm.body, turn):
            yield

    @contextmanager
    def replayed(self, changes: Mapping[Key, Any]) -> Iterator[None]:
        """Let what was made in a side or a turn be there again."""
        self._opened += 1
        try:
            with self.w.store.replayed(changes):
                yield
        finally:
            self._opened -= 1

    def begin_turn(self, met: Met) -> None:
        """Give nodes to the Variables that a turn begins with."""
        for variables in met.values():
            for variable in variables if self.is_kept else ():
                if variable.node is None:
                    variable.node = self._new(variable, True)
                    variable.node.joined = variable.node.head = True

    def record_loop(self, turn: Turn, entries: Met, heads: Met, ends: Met, made: Met) -> None:
        """Note which Variables of the turns of a loop those after it are.

        Chainer keeps arrays, and not what they held in a turn: where turns write to one there is no
        going back.
        """
        if not self.is_kept or self._written(turn.changes, turn.mark):
            return
        joined: list[Var] = []
        parts: list[list[Any]] = [[], [], []]
        for key, variables in made.items():
            found = [_one_node(seen.get(key, [])) for seen in (entries, heads, ends)]
            alone = variables[0].node is None and len(variables) == 1
            if alone and _LOST not in found and None not in found[1:]:
                joined.append(variables[0])
                for part, node in zip(parts, found, strict=True):
                    part.append(node)
        if not joined:
            return
        first, begun, ended = map(tuple, parts)
        taken: dict[VariableNode, None] = {node: None for node in first if node is not None}
        with self.replayed(turn.changes):
            self._collect(ended, turn.mark, taken)
        if any(node.requires_grad is None for node in taken):
            return
        rank = 1 + max((node.rank for node in taken), default=0)
        held = self._held([variable.array for variable in joined], turn.changes, turn.mark)
        arm = TapeArm(turn.body, turn.changes, ended)
        nodes = tuple(self._new(variable, True, rank) for variable in joined)
        application = Looped(None, tuple(taken), nodes, (), False, held, arm, begun, first)
        self._give(application, joined)

    def _give(self, application: Application, joined: Sequence[Var]) -> None:
        """Let Variables after a branch or loop be what it gave."""
        for variable, node in zip(joined, application.outputs, strict=True):
            assert node is not None
            variable.node, node.joined = node, True
            self.w.store.set(node, CREATOR, application)

    def record_branch(
        self, condition: Value, arms: Sequence[Arm], met: Sequence[Met], made: Met
    ) -> None:
        """Note which Variables of the sides of a branch those after it are."""
        if not self.is_kept:
            return
        joined: list[Var] = []
        sides: list[list[VariableNode | None]] = [[], []]
        for key, variables in made.items():
            found = [_one_node(seen.get(key, [])) for seen in met]
            if variables[0].node is None and len(variables) == 1 and _LOST not in found:
                joined.append(variables[0])
                for side, node in zip(sides, found, strict=True):
                    side.append(node)
        if not joined:
            return
        kept = [
            TapeArm(arm.body, arm.changes, tuple(nodes))
            for arm, nodes in zip(arms, sides, strict=True)
        ]
        taken: dict[VariableNode, None] = {}
        for arm, nodes in zip(arms, sides, strict=True):
            with self.replayed(arm.changes):
                self._collect(nodes, arm.start, taken)
        if any(node.requires_grad is None for node in taken):
            return
        rank = 1 + max((node.rank for node in taken), default=0)
        requires = any(node.requires_grad for node in (*taken, *sides[0], *sides[1]) if node)
        made_nodes = tuple(self._new(variable, requires, rank) for variable in joined)
        inputs, both = tuple(taken), (kept[0], kept[1])
        arrays = [variable.array for variable in joined]
        held = (*self._held(arrays, arms[0].changes, arms[0].start),)
        held += self._held((), arms[1].changes, arms[1].start)
        application = Branched(None, inputs, made_nodes, (), False, held, condition, both)
        self._give(application, joined)

    def was_written_since(self, application: Chosen) -> bool:
        """Tell whether an array that a branch or loop gave or wrote was written after it."""
        return any(
            any(now is not before for now, before in zip(self._versions(array), held, strict=True))
            for array, held in application.held
        )

    def _versions(self, array: Array) -> tuple[Any, ...]:
        """Return the versions that decide what an array holds: its own, those of its origins."""
        root = array.root
        found = [self.w.store.get_key((id(root), CONTENTS))]
        for _, origin in root.origins:
            found += self._versions(origin)
        return tuple(found)

    def _held(
        self, joined: Iterable[Array], changes: Mapping[Key, Any], start: Mark
    ) -> tuple[tuple[Any, Any], ...]:
        """Return what arrays hold that were given or written: a later write would be missed."""
        arrays = dict.fromkeys((*joined, *self._written(changes, start)))
        return tuple((array, self._versions(array)) for array in arrays)

    def _written(self, changes: Mapping[Key, Any], start: Mark) -> list[Any]:
        """Return the arrays, there before a branch or turn, that it wrote to."""
        owners = [self.w.store.owner(key) for key in changes if key[1] == CONTENTS]
        return [array for array in owners if not self.w.store.is_fresh(array, start)]

    def is_clear(self, node: VariableNode) -> bool:
        """Tell whether a Variable has no gradient, whichever of several it is."""
        if not node.joined:
            return self.gradient(node) is None
        made = self.creator(node)
        if made is None:
            return False
        place = made.outputs.index(node)
        return all(self._is_clear_within(*source) for source in made.sources(place))

    def _is_clear_within(self, node: VariableNode, changes: Mapping[Key, Any]) -> bool:
        """Tell whether a Variable has no gradient, neither now nor at the end of a side."""
        if not node.joined and self.gradient(node) is not None:
            return False
        with self.replayed(changes if self.w.store.was_undone(node) else {}):
            return self.is_clear(node)

    def _collect(
        self, nodes: Iterable[VariableNode | None], start: Mark, taken: dict[VariableNode, None]
    ) -> None:
        """Add what a side of a branch took from before it."""
        open_, seen = [node for node in nodes if node is not None], set[VariableNode]()
        while open_:
            node = open_.pop()
            if node in seen:
                continue
            seen.add(node)
            fresh = self.w.store.is_fresh(node, start)
            if fresh and not node.joined and self.gradient(node) is not None:
                taken[_LOST] = None  # who asks the joined one would not find it
            made = self.creator(node) if fresh else None
            if made is not None:
                open_ += made.inputs
            elif not fresh or node.requires_grad is None:
                taken[node] = None

    def _taken(self, value: Any) -> VariableNode:
        """Return the node of what a function takes; an array is a Variable without a gradient."""
        if value is None:
            return self._new(None, False)
        if is_variable(value):
            return self._found(value) or self._new(value, None)
        return self._new(self.w.variable_of(self.w.as_array(value)), False)

    def creator(self, node: VariableNode) -> Application | None:
        """Return the application that made a Variable, None of a leaf."""
        if not self._opened and self.w.store.was_undone(node):
            self._refuse_unknown()
        held = self.w.narrow(self.w.held(node, CREATOR))
        if type(held) is Choice or held is DOUBT:
            self._refuse_doubt()
        return held

    def _refuse_doubt(self) -> NoReturn:
        self.w.refuse("whether this Variable was unchained is known only when the model runs")

    def unchain(self, node: VariableNode) -> None:
        """Forget what made a Variable."""
        unchaining.unchain(self, node)

    def unchain_backward(self, node: VariableNode) -> None:
        """Forget what made a Variable, and all that it was made of."""
        unchaining.unchain_backward(self, node)

    # Gradients

    def require_one(self, node: VariableNode, name: str) -> None:
        """Refuse to tell of one of several Variables what each of them would."""
        if node.joined:
            self.w.refuse(
                f"`{name}` is asked of a Variable that a branch or a loop gave, and which one that "
                "is is known only when the model runs",
                "ask for it within the branch or loop",
            )

    def has(self, name: str) -> bool:
        """Tell whether an attribute of a Variable is set on the tape."""
        return name in _CHANGED

    def change(self, variable: Any, name: str, value: Any) -> None:
        """Run `variable.name = value`."""
        self.require_one(self.node(variable), name)
        if name in ("creator", "creator_node"):
            if self.w.narrow(value) is not None:
                self.w.refuse(f"assignment of `{name}` of a Variable is compiled for None alone")
            self.unchain(self.node(variable))
        elif name in ("grad", "grad_var"):
            setter = getattr(chainer.Variable, name).fset
            self.w.call(setter, [variable, value], {})
        elif name == "_grad":
            self.w.call(chainer.Variable._set_grad_without_check, [variable, value], {})
        elif name == "_loss_scale":
            self.set_loss_scale(self.node(variable), value)
        elif self.w.narrow(value) is not None:  # `_grad` says that there is none
            self.set_gradient(self.node(variable), value)

    def gradient(self, node: VariableNode) -> Any:
        """Return the gradient of a Variable: a Variable, None, or one of these."""
        held = self.w.narrow(self.w.held(_owner(node), GRADIENT))
        alternatives = held.alternatives if type(held) is Choice else (held,)
        if any(one is DOUBT for one in alternatives):
            self._refuse_doubt()
        return held

    def set_gradient(self, node: VariableNode, gradient: Any) -> None:
        """Give a Variable a gradient: a Variable, None, or one of these."""
        self.w.store.set(_owner(node), GRADIENT, gradient)

    def loss_scale(self, node: VariableNode) -> Any:
        """Return what the gradient of a Variable was multiplied by, None if by nothing."""
        return self.w.narrow(self.w.held(_owner(node), LOSS_SCALE))

    def set_loss_scale(self, node: VariableNode, scale: Any) -> None:
        """Note what the gradient of a Variable was multiplied by."""
        if scale is not None or self.w.held(_owner(node), LOSS_SCALE) is not None:
            self.w.store.set(_owner(node), LOSS_SCALE, scale)


def renamed(met: Met, before: Mapping[Key, Type], after: Mapping[Key, Type]) -> Met:
    """Return what Variables types stand for, by the same types as they were read later."""
    pairs = zip(map(id, _flat(before.values())), map(id, _flat(after.values())), strict=True)
    return {later: met[earlier] for earlier, later in pairs if earlier in met}


def _flat(types: Iterable[Type]) -> Iterator[Type]:
    for type_ in types:
        yield type_
        yield from _flat(type_.parts)


def _one_node(variables: list[Var]) -> VariableNode | None:
    """Return the node of the one Variable, if there is any; `_LOST` where it is not known."""
    if not variables:
        return None
    return _LOST if len(variables) > 1 else variables[0].node or _LOST


def _owner(node: VariableNode) -> Any:
    return node if node.known is None else node.known
