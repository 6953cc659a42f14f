"""The tape: what a walk notes so that `backward` can go back over it.

It is kept where the program asks for gradients, which the first walk finds out. A Variable of which
it is not known how it was made has no node, and no gradient goes through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

import chainer

from elichika import idioms
from elichika.state.homes import home
from elichika.state.store import Key, Note
from elichika.values.kinds import is_variable
from elichika.values.symbolic import Choice, Var
from elichika.values.tape import (
    Application,
    Branched,
    Listed,
    TapeArm,
    VariableNode,
)
from elichika.walker.plan import TapeAsked
from elichika.walker.tape import unchaining
from elichika.walker.tape.control import ControlTape
from elichika.walker.tape.identities import Identities
from elichika.walker.tape.lists import ListTape
from elichika.walker.tape.reentries import Reentries
from elichika.walker.tape.totals import Totals
from elichika.walker.tape.unchaining import CREATOR, DOUBT
from elichika.walker.walk import Walk
from onnx_graph import Value

__all__ = ["Tape"]

#: How a function was applied.
APPLIED: Note[Application] = Note("applied")
#: The location of a node, or of a known Variable, of the scale of its gradient.
LOSS_SCALE = "_loss_scale"


#: What is set of a Variable.
_CHANGED = frozenset(
    ("grad", "grad_var", "_grad", "_grad_var", "_loss_scale", "creator", "creator_node")
)


class Tape:
    """The part of the walker that knows which function made which Variable."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._of_known: dict[int, VariableNode] = {}
        self._opened = 0
        self.control = ControlTape(self)
        self.lists = ListTape(self)
        self.identities = Identities(self)
        self.reentries = Reentries(self)
        self.totals = Totals(self)

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
            variable.node = self.new(variable, requires_grad)
        return variable

    def node(self, variable: Any) -> VariableNode:
        """Return the node of a Variable, in symbolic form or known while compiling.

        Raises:
            TapeAsked: There is no tape yet.
            StagingError: It is not known what made the Variable.
        """
        self.ask()
        found = self._found(self.w.narrow(variable))
        if found is None or found.requires_grad is None:
            self.refuse_unknown()
        return found

    def refuse_unknown(self) -> NoReturn:
        """Refuse to take a gradient through a Variable of which it is not known what made it."""
        self.w.refuse(
            "it is known only when the model runs which function made this Variable, so no "
            "gradient can be taken through it",
            "call `backward` in the branch or loop that makes the Variable",
        )

    def known(self, variable: chainer.Variable) -> VariableNode:
        """Return the node of a Variable that is known while compiling."""
        if id(variable) not in self._of_known:
            if variable.creator_node is not None:
                self.w.refuse(
                    "this Variable was computed before the program began, and its gradient "
                    "would continue into that computation",
                    "compute it in the method that is compiled, or call `unchain()` before",
                )
            node = VariableNode(variable, variable.requires_grad, known=variable)
            self._of_known[id(variable)] = node
        return self._of_known[id(variable)]

    def _found(self, variable: Any) -> VariableNode | None:
        if type(variable) is Choice:
            return None
        return variable.node if type(variable) is Var else self.known(variable)

    def new(self, variable: Any, requires_grad: bool | None, rank: int = 0) -> VariableNode:
        """Return a new node."""
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
        taken = tuple(map(self.taken, inputs))
        requires, rank = self.above(taken)
        enabled = self.is_enabled()
        nodes = tuple(self._made(one, requires, rank if enabled else 0) for one in outputs)
        if enabled:
            held = tuple(None if x is None else self.w.value_of(x) for x in inputs)
            application = Application(function, taken, nodes, held, draws)
            if not isinstance(function, chainer.Function):  # which has a property of that name
                self.w.store.set(function, "inputs", taken)
            self.w.store.note(function, APPLIED, application)
            for node in nodes:
                if node is not None:
                    self.w.store.set(node, CREATOR, application)

    def _made(self, output: Any, requires: bool | None, rank: int) -> VariableNode | None:
        """Return a node for what a function made, which may be known while compiling."""
        if type(output) is Var:
            output.node = self.new(output, requires, rank)
            return output.node
        if not self.w.is_static_variable(output):
            return None
        self._of_known[id(output)] = made = VariableNode(output, requires, rank, known=output)
        return self.w.store.born(made)

    def above(self, taken: Iterable[VariableNode]) -> tuple[bool | None, int]:
        """Return whether a gradient goes through what is made of some nodes, and its rank."""
        needs = {node.requires_grad for node in taken}
        rank = 1 + max((node.rank for node in taken), default=0)
        return (None if None in needs else True in needs), rank

    def is_enabled(self) -> bool:
        """Tell whether functions leave a trace, as the program has set it."""
        enabled = self.w.get_attribute(chainer.config, "enable_backprop")
        if not isinstance(enabled, bool):
            self.w.refuse("whether gradients are followed is known only when the model runs")
        return enabled

    @contextmanager
    def reopened(self, arm: TapeArm, turn: Value | None = None) -> Iterator[None]:
        """Be back in one side of a branch, or in a turn, as it was at its end.

        The configuration is that of now: it says whether what is computed leaves a trace.
        """
        settings = {id(home(chainer.config)), id(chainer.global_config)}
        changes = {key: held for key, held in arm.changes.items() if key[0] not in settings}
        with self.replayed(changes), self.w.graph.lifting.reopened(arm.body, turn):
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

    def is_clear(self, node: VariableNode) -> bool:
        """Tell whether a Variable has no gradient, whichever of several it is."""
        before: list[VariableNode] = []
        return self._is_clear(node, before) and not before

    def _is_clear(self, node: VariableNode, before: list[VariableNode]) -> bool:
        """Tell whether a Variable has no gradient if those of the turn before, added, have none."""
        if not node.joined:
            return self.gradient(node) is None
        if node.head:
            before.append(node)
            return True
        made = self.creator(node)
        if made is None or self.totals.is_in_doubt(made):
            return False
        if type(made) is Listed:
            return all(self._is_clear(one, before) for one in made.inputs)
        open_, seen = [made.outputs.index(node)], set[int]()
        heads = [made.begun(place) for place in range(len(made.outputs))]
        while open_:
            place = open_.pop()
            seen.add(place)
            within: list[VariableNode] = []
            if not all(self._is_clear_at(*source, within) for source in made.sources(place)):
                return False
            before += [head for head in within if head not in heads]
            open_ += {heads.index(head) for head in within if head in heads} - seen
        return True

    def _is_clear_at(
        self, node: VariableNode, changes: Mapping[Key, Any], before: list[VariableNode]
    ) -> bool:
        """Tell whether a Variable has no gradient, neither now nor at the end of a side."""
        if not node.joined and self.gradient(node) is not None:
            return False
        with self.replayed(changes if self.w.store.was_undone(node) else {}):
            return self._is_clear(node, before)

    def taken(self, value: Any) -> VariableNode:
        """Return the node of what a function takes; an array is a Variable without a gradient."""
        if value is None:
            return self.new(None, False)
        if is_variable(value):
            return self._found(value) or self.new(value, None)
        made = self.w.variable_of(self.w.as_array(value), leaf=True, requires_grad=False)
        assert made.node is not None
        return made.node

    def creator(self, node: VariableNode) -> Application | None:
        """Return the application that made a Variable, None of a leaf."""
        if not self._opened and self.w.store.was_undone(node):
            self.refuse_unknown()
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
            self.refuse_several(name)

    def refuse_several(self, name: str) -> NoReturn:
        """Refuse to tell of one of several Variables what each of them would."""
        self.w.refuse(
            f"`{name}` is asked of a Variable that comes from a branch or a loop; which one "
            "it is, is known only when the model runs",
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
        held = self.w.narrow(self.w.held(_owner(node), self.totals.slot))
        alternatives = held.alternatives if type(held) is Choice else (held,)
        if any(one is DOUBT for one in alternatives):
            self._refuse_doubt()
        return held

    def gradient_of_one(self, node: VariableNode, name: str) -> Any:
        """Return the gradient of a Variable; of one that control flow gave, that of the one it is.

        What a side of a branch took from before it has its own, and what a function made there has
        none; all else is known where it is kept.
        """
        made = self.creator(node) if node.joined and not node.head else None
        if not self.w.plan.keeps_gradients and type(made) is Branched:
            place = made.outputs.index(node)
            sides = [partial(self._gradient_on, made, arm, place, name) for arm in made.arms]
            return self.w.branch(self.w.scalar(bool, made.condition), *sides)
        if node.joined:
            self.totals.ask()
        return self.w.call(idioms.gradients.gradient, [node, name], {})

    def _gradient_on(self, made: Branched, arm: TapeArm, place: int, name: str) -> Any:
        """Return the gradient of what a side of a branch gave."""
        node = arm.nodes[place]
        if node is None:
            self.refuse_several(name)
        if not self.w.store.was_undone(node):
            return self.gradient_of_one(node, name)
        with self.replayed(arm.changes):
            leaf = node.joined or self.creator(node) is None
            if leaf or self.gradient(node) is not None:
                self.totals.ask()
        if self.totals.was_passed(made, retaining=True):
            self.totals.ask()
        return None

    def set_gradient(self, node: VariableNode, gradient: Any) -> None:
        """Give a Variable a gradient: a Variable, None, or one of these."""
        self.w.store.set(_owner(node), self.totals.slot, gradient)
        others = [other for other in node.others if not self.w.store.was_undone(other)]
        if others and gradient is not None:
            for one in others if node.is_turns else (node, *others):
                self.w.store.set(_owner(one), self.totals.slot, DOUBT)

    def may_be_one(self, node: VariableNode, others: Sequence[VariableNode]) -> None:
        """Note that a Variable of control flow, which has no past, may be one of before it."""
        every = dict.fromkeys(one for other in others for one in (other, *other.others))
        node.others, node.is_turns = (*node.others, *every), True
        for other in every:
            other.others = (*other.others, node)

    def loss_scale(self, node: VariableNode) -> Any:
        """Return what the gradient of a Variable was multiplied by, None if by nothing."""
        return self.w.narrow(self.w.held(_owner(node), LOSS_SCALE))

    def set_loss_scale(self, node: VariableNode, scale: Any) -> None:
        """Note what the gradient of a Variable was multiplied by."""
        if scale is not None or self.w.held(_owner(node), LOSS_SCALE) is not None:
            self.w.store.set(_owner(node), LOSS_SCALE, scale)


def _owner(node: VariableNode) -> Any:
    return node if node.known is None else node.known
