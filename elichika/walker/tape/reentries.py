"""Ways back into branches and loops on the tape: what they gave may be differentiated again.

Who goes back into a side or a turn computes there, with the values of then, and takes gradients out
of it. These are what an application gave, `Reentered`: to go back through it is to be in that side
or turn once more, with what was computed on going back the first time, and so on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import chainer

from elichika.idioms import list_gradients as ways
from elichika.state.store import Mark
from elichika.values.symbolic import Choice, DynamicTuple, Scalar, Seq, Var
from elichika.values.tape import (
    Begun,
    Chosen,
    Listed,
    Looped,
    Reentered,
    TapeArm,
    VariableNode,
    Way,
)
from elichika.walker.tape.unchaining import CREATOR
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.walker.tape.tape import Tape

__all__ = ["Reentries"]

#: What has a node in a side or turn, and another one outside of it.
Outside = Mapping[VariableNode, VariableNode]


class Reentries:
    """The part of the tape that goes on where a gradient went back into a side or a turn."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.w = tape.w
        #: What ways back came by, inside of sides and turns; None where that is not known.
        self.passed: set[VariableNode | None] = set()

    def stacks(self, application: Looped) -> tuple[VariableNode, ...]:
        """Return, for each of the heads of a loop, what stands for it in all of the turns."""
        rank = 1 + application.rank
        made = tuple(self.tape.new(None, True, rank) for _ in application.heads)
        for node in made:
            node.joined = True
        begun = Begun(
            None,
            application.inputs,
            made,
            (),
            False,
            application.held,
            application.turn,
            application.heads,
            application.entries,
        )
        for node in made:
            self.w.store.set(node, CREATOR, begun)
        return made

    def heads(
        self,
        application: Looped,
        stacks: Sequence[VariableNode],
        turn: tuple[Scalar, Any],
        last: bool,
    ) -> dict[VariableNode, VariableNode]:
        """Return what stands outside of a turn for what it began with: of how many, and which."""
        found: dict[VariableNode, VariableNode] = {}
        for head, stack in zip(application.heads, stacks, strict=True):
            node = self.tape.new(None, True, 1 + stack.rank)
            node.joined = True
            way: Any = ways.of_last_turn if last else ways.of_turn
            back = Listed(
                None, (stack,), (node,), (), False, way if head.even else ways.of_item, turn
            )
            self.w.store.set(node, CREATOR, back)
            found[head] = node
        return found

    def left(
        self,
        through: Chosen,
        arm: TapeArm,
        turn: Value | None,
        gradients: Sequence[Any],
        since: Mark,
        ends: Collection[VariableNode],
    ) -> Way:
        """Note what comes out of a side or turn that is left now, which was entered at `since`.

        Args:
            through: What is gone back through.
            arm: The side or turn.
            turn: Which turn it is; None for a side.
            gradients: What comes out of it.
            since: Where going back began.
            ends: What has a node outside, too.
        """
        nodes = tuple(self._node(one) for one in self._variables(gradients))
        own = self.w.store.changes_since(since)
        spans = (*arm.spans, (since.clock, self.w.store.mark().clock))
        inside = TapeArm(arm.body, {**arm.changes, **own}, nodes, spans)
        held = self.tape.control.held((), own, since)
        return Way(through, inside, turn, self._taken(inside, ends), held)

    def give(self, way: Way, gradients: Sequence[Any], outside: Outside) -> None:
        """Let what came out of a side or turn have its past there."""
        variables = list(self._variables(gradients))
        made = [
            None if node is None or node.requires_grad is None or way.taken is None else variable
            for variable, node in zip(variables, way.arm.nodes, strict=True)
        ]
        if all(one is None for one in made):
            return
        assert way.taken is not None
        inputs = tuple(outside.get(node, node) for node in way.taken)
        rank = 1 + max((node.rank for node in inputs), default=0)
        nodes: list[VariableNode | None] = []
        for variable, inner in zip(made, way.arm.nodes, strict=True):
            if variable is None or inner is None:
                nodes.append(None)
                continue
            variable.node = self.tape.new(variable, inner.requires_grad, rank)
            variable.node.joined = True
            nodes.append(variable.node)
        held = (*way.through.held, *way.held)
        application = Reentered(
            None, inputs, tuple(nodes), (), False, held, way.arm, way.turn, way.taken
        )
        for node in nodes:
            if node is not None:
                self.w.store.set(node, CREATOR, application)

    def _node(self, variable: Any) -> VariableNode | None:
        node: VariableNode | None = (
            variable.node if type(variable) in (Var, Seq) else self.tape.known(variable)
        )
        return node

    def _variables(self, held: Any) -> Iterator[Any]:
        """Yield the Variables of some gradients, and the contents of lists of such."""
        held = self.w.narrow(held)
        match held:
            case Var() | chainer.Variable():
                yield held
            case DynamicTuple():
                yield self.w.items_of(held)
            case Choice():
                yield from self._all(held.alternatives)
            case list() | tuple():
                yield from self._all(held)

    def _all(self, parts: Iterable[Any]) -> Iterator[Any]:
        for part in parts:
            yield from self._variables(part)

    def _taken(
        self, arm: TapeArm, ends: Collection[VariableNode]
    ) -> tuple[VariableNode, ...] | None:
        """Return what comes from outside of a side or turn, and what has a name there."""
        taken: dict[VariableNode, None] = {}
        seen: set[VariableNode] = set()
        open_ = [node for node in arm.nodes if node is not None and node.requires_grad is not None]
        while open_:
            node = open_.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.requires_grad is None:
                return None
            if node in ends or not self.w.store.was_born_in(node, arm.spans):
                taken[node] = None
                continue
            self.passed |= self.tape.identities.same(node) or {None}
            made = self.tape.creator(node)
            open_ += () if made is None else made.inputs
        return tuple(taken)
