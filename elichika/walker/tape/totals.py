"""The gradients of Variables that sides of branches and turns of loops have made.

After the side or turn such a Variable still has its location: of a side, for what it got since; of
a turn, for a tuple of what those of all turns got, the last turn first. They are kept where the
program asks a Variable of control flow for its gradient, which a walk before has found out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from elichika.errors import StagingError
from elichika.idioms import list_gradients as ways
from elichika.state.store import MISSING
from elichika.values.tape import (
    GRADIENT,
    Application,
    Listed,
    Looped,
    TapeArm,
    VariableNode,
)
from elichika.walker.plan import GradientsAsked

if TYPE_CHECKING:
    from elichika.walker.tape.tape import Tape

__all__ = ["Totals"]


class Totals:
    """The part of the tape that knows what Variables of sides and turns got.

    Attributes:
        slot: The location of a node that has its gradient.
        retains: Whether the present sweep gives gradients to all Variables, or to leaves alone;
            None where it gives none.
        begun: What the Variables have that a turn begins with, while a turn is read.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.w = tape.w
        self.slot = GRADIENT
        self.retains: bool | None = None
        self.begun: Mapping[VariableNode, Any] = {}
        self._passed: dict[Application, bool] = {}
        self._lost = False
        self._leaves: set[VariableNode] = set()
        self._made: dict[TapeArm, dict[VariableNode, int]] = {}

    @contextmanager
    def sweeping(self, retains: bool, slot: str = GRADIENT) -> Iterator[None]:
        """Let a sweep give gradients to leaves, or to all Variables that it comes by."""
        before = self.retains, self.slot
        self.retains, self.slot = retains, slot
        try:
            yield
        finally:
            self.retains, self.slot = before

    def ask(self) -> None:
        """See that these gradients are kept.

        Raises:
            GradientsAsked: This walk keeps none; another one will.
        """
        if not self.w.plan.keeps_gradients:
            raise GradientsAsked("gradients of control flow are asked for", self.w.here())

    def passes(self, application: Application) -> None:
        """Note that a sweep comes to something, such as a branch or loop.

        What goes back into a side or turn once more, for the gradient of a gradient, gives a part
        of what the Variables there get, and the rest comes on another way.
        """
        if self.retains is not None:
            self._passed[application] = self._passed.get(application, False) or self.retains
            self._lost |= not application.gives_all

    def was_passed(self, application: Application, *, retaining: bool = False) -> bool:
        """Tell whether a sweep came by; with `retaining`, one that gives gradients to all."""
        found = self._passed.get(application)
        return found is not None and (found or not retaining)

    def is_in_doubt(self, made: Application) -> bool:
        """Tell whether it is not known if the Variables that something gave have gradients."""
        if type(made) is Listed:
            return not is_kept_in_list(made)
        if self.was_passed(made):
            self.ask()
        return self._lost

    @property
    def are_known(self) -> bool:
        """Whether what sweeps gave is all that there is."""
        return not self._lost

    # What is kept

    def of(self, arm: TapeArm) -> Mapping[VariableNode, int]:
        """Return the Variables of a side or turn that one after it may be.

        For each, by how many loops inside of the side or turn it is made.
        """
        if not self.w.plan.keeps_gradients:
            return {}
        if arm not in self._made:
            found: dict[VariableNode, int] = {}
            self._collect(arm, 0, found)
            self._made[arm] = found
        return self._made[arm]

    def given(self, arm: TapeArm) -> Mapping[VariableNode, int]:
        """Return those of them that the present sweep may give gradients to."""
        kept = {} if self.retains is None else self.of(arm)
        return kept if self.retains else {one: kept[one] for one in kept if one in self._leaves}

    def _collect(self, arm: TapeArm, loops: int, found: dict[VariableNode, int]) -> None:
        with self.tape.replayed(arm.changes):
            for node, made in self.behind(arm.nodes):
                if not node.requires_grad:
                    continue
                if not node.joined and loops < 2:
                    found[node] = loops
                    self._leaves |= {node} if made is None else set()
                elif not node.joined:
                    self._lost = True  # of loops in loops in loops, nothing is kept
                for side in made.sides if made is not None else ():
                    self._collect(side, loops + (type(made) is Looped), found)

    def behind(
        self, nodes: Iterable[VariableNode | None]
    ) -> Iterator[tuple[VariableNode, Application | None]]:
        """Yield what some Variables may be, of those that are made here, and what made these."""
        open_ = list(nodes)
        seen: set[VariableNode] = set()
        while open_:
            node = open_.pop()
            if node is None or node in seen or node.others:
                continue
            seen.add(node)
            if node.head:
                yield node, None
            elif self.w.store.was_undone(node):
                made = self._made_by(node)
                yield node, made
                if made is not None and node.joined:
                    open_ += made.inputs if is_kept_in_list(made) else made.first

    def forget(self, node: VariableNode) -> None:
        """Let all Variables that one may be, or that are in a list, have no gradient."""
        open_ = [node]
        seen: set[VariableNode] = set()
        while open_:
            node = open_.pop()
            if node in seen:
                continue
            seen.add(node)
            made = self._made_by(node) if node.joined and not node.head else None
            if not node.joined:
                self.w.store.set(node, self.slot, None)
            for side in made.sides if made is not None else ():
                self.begin(self.of(side), [None] * len(self.of(side)))
                open_ += [one for one in side.nodes if one and not self.w.store.was_undone(one)]
            if made is not None:
                more = made.inputs if is_kept_in_list(made) else made.first
                open_ += [one for one in more if one is not None]

    def _made_by(self, node: VariableNode) -> Application | None:
        try:
            return self.tape.creator(node)
        except StagingError:  # that is in doubt, and told to who asks
            return None

    def held(self, nodes: Iterable[VariableNode]) -> list[Any]:
        """Return what the locations of some nodes have; `MISSING` for those never set."""
        return [self.w.store.get(node, self.slot) for node in nodes]

    def begin(self, nodes: Iterable[VariableNode], held: Sequence[Any]) -> None:
        """Let some nodes have what they got since, in the side or turn that is reopened."""
        for node, one in zip(nodes, held, strict=True):
            if one is not MISSING:
                self.w.store.set(node, self.slot, one)

    @contextmanager
    def beginning(self, begun: Mapping[VariableNode, Any]) -> Iterator[None]:
        """Let what a turn begins with have these gradients."""
        before, self.begun = self.begun, {**self.begun, **begun}
        try:
            yield
        finally:
            self.begun = before

    # Lists to which each turn of a loop adds one

    def each_turn(self, node: VariableNode) -> tuple[Looped, VariableNode] | None:
        """Return the loop that made a list, one item each turn, and what it adds."""
        made = self._made_by(node)
        if type(made) is not Looped:
            return None
        place = made.outputs.index(node)
        first, last = made.entries[place], made.turn.nodes[place]
        started = None if first is None else self._made_by(first)
        if last is None or type(started) is not Listed or started.arguments != (0,):
            return None
        with self.tape.replayed(made.turn.changes):
            added = self._made_by(last)
        if type(added) is not Listed or added.back is not ways.of_appended:
            return None
        before, item = added.inputs
        own = before is made.heads[place] and item in self.of(made.turn)
        set_there = (id(item), self.slot) in made.turn.changes
        return (made, item) if own and not set_there else None


def is_kept_in_list(made: Application | None) -> bool:
    """Tell whether something came out of a list, or is a list, that Python made of others."""
    return type(made) is Listed and made.back in ways.AGAIN
