"""What control flow adds to the tape: which Variables of its sides or turns are those after it.

While a branch or a loop is joined, each type that is met stands for the Variables of one place in
the program: on each side, at the begin and at the end of a turn, after the join.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from elichika.errors import StagingError
from elichika.state.joins import SeqType, VarType
from elichika.state.store import CONTENTS, Key, Mark
from elichika.values.symbolic import Array, Seq, Var
from elichika.values.tape import Application, Branched, Chosen, Looped, TapeArm, VariableNode
from elichika.walker.tape.unchaining import CREATOR
from onnx_graph import Body, Value

if TYPE_CHECKING:
    from elichika.state.joins import Type
    from elichika.walker.arms import Arm
    from elichika.walker.tape.tape import Tape

__all__ = ["ControlTape", "Cut", "renamed"]

#: A Variable, or the contents of a list of such.
Variables = Var | Seq
#: What types stand for, by the id of the type.
Met = dict[int, list[Variables]]
#: Stands for the node of a Variable that cannot be told from others.
_LOST = VariableNode(None, None)


class Turn(Protocol):
    """The turn of a loop after its walk."""

    body: Body
    mark: Mark
    changes: dict[Key, Any]


@dataclass(frozen=True)
class Cut:
    """A location of which no Variable has a past.

    Attributes:
        nodes: For each part of its type, by its id, those of the Variables.
        alone: No other location holds one of them, and none has a gradient.
    """

    nodes: Mapping[int, tuple[VariableNode, ...]]
    alone: bool


class ControlTape:
    """The part of the tape that knows what branches, loops and calls of a stream hand on."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.w = tape.w
        self._met: list[Met] = []

    def meets(self, type_: Type, variable: Variables) -> None:
        """Note that a Variable is what a type stands for, on one side or after the join."""
        if self._met:
            self._met[-1].setdefault(id(type_), []).append(variable)

    def meets_list(self, type_: SeqType, version: Any) -> None:
        """Note that contents of a list are what a type stands for."""
        if self._met and self.tape.lists.is_followed(type_.element):
            self.meets(type_, self.tape.lists.contents(type_.element, version))

    @contextmanager
    def meeting(self) -> Iterator[Met]:
        """Write down which Variables types stand for within the block."""
        met: Met = {}
        self._met.append(met)
        try:
            yield met
        finally:
            self._met.pop()

    def begin_turn(self, met: Met, cut: Mapping[Key, Cut]) -> None:
        """Give nodes to the Variables that a turn begins with, of which some have no past."""
        parts = {part: held for held in cut.values() for part in held.nodes}
        for key, variables in met.items():
            for variable in variables if self.tape.is_kept else ():
                if variable.node is None:
                    node = variable.node = self.tape.new(variable, True)
                    node.head = key not in parts
                    node.joined = node.head or not parts[key].alone
                    node.even = self._is_even(variable)
                    if not node.head:
                        self.tape.may_be_one(node, parts[key].nodes[key])

    def without_past(self, types: Mapping[Key, Type], met: Met) -> dict[Key, Cut]:
        """Return the locations of which no Variable has a past, surely."""
        if not self.tape.is_kept:
            return {}
        every = Counter(one.node for variables in met.values() for one in variables)
        found: dict[Key, Cut] = {}
        for key, type_ in types.items():
            asked = (part for part in _flat([type_]) if _holds_variables(part))
            parts = {id(part): met.get(id(part), []) for part in asked}
            held = [one for variables in parts.values() for one in variables]
            nodes = [one.node for one in held if type(one) is Var and one.node is not None]
            if parts and len(nodes) == len(held) and all(map(self._is_end, nodes)):
                alone = all(every[node] == 1 and self._is_bare(node) for node in nodes)
                ends = {
                    part: tuple(one.node for one in variables if one.node is not None)
                    for part, variables in parts.items()
                }
                found[key] = Cut(ends, alone)
        return found

    def _is_bare(self, node: VariableNode) -> bool:
        """Tell whether a Variable has no gradient, and is one."""
        return not node.joined and self.tape.gradient(node) is None

    def _is_even(self, variable: Variables) -> bool:
        """Tell whether what a turn begins with has the same sizes in all turns."""
        if type(variable) is not Var:
            return False
        version = self._versions(variable.array)[0]
        return type(version) is Value and self.w.graph.lifting.stacks(version)

    def begin_call(self, met: Met) -> None:
        """Give nodes to Variables that the call before has left, which have no past."""
        for variables in met.values():
            for variable in variables if self.tape.is_kept else ():
                if type(variable) is Var and variable.node is None:
                    variable.node = self.tape.new(variable, True)
                    variable.node.joined = True

    def are_cut(self, met: Met) -> bool:
        """Tell whether gradients end at some Variables, surely, and go up to them."""
        nodes = [one.node for variables in met.values() for one in variables if type(one) is Var]
        return not self.tape.is_kept or all(
            node is not None and self._is_end(node) for node in nodes
        )

    def _is_end(self, node: VariableNode) -> bool:
        try:
            past = node.head or self.tape.creator(node) is not None
            return not past and node.requires_grad is True
        except StagingError:  # that is in doubt
            return False

    def record_loop(self, turn: Turn, entries: Met, heads: Met, ends: Met, made: Met) -> None:
        """Note which Variables of the turns of a loop those after it are.

        Chainer keeps arrays, and not what they held in a turn: where turns write to one there is no
        going back.
        """
        if self.tape.is_kept:
            self._tell_apart(turn, entries, heads, ends)
        if not self.tape.is_kept or self._written(turn.changes, turn.mark):
            return
        joined: list[Variables] = []
        parts: list[list[Any]] = [[], [], []]
        begins = [one.node for variables in heads.values() for one in variables]
        cut = not any(node is None or node.head for node in begins)  # nothing leads to the leaves
        for key, variables in made.items():
            found = [_one_node(seen.get(key, [])) for seen in (entries, heads, ends)]
            alone = variables[0].node is None and len(variables) == 1
            begun = found[1]
            if alone and begun is not None and begun is not _LOST and not begun.head:
                leaf = variables[0].node = self.tape.new(variables[0], True)
                leaf.joined = begun.joined or not cut
                self.tape.may_be_one(leaf, begun.others)
            elif alone and _LOST not in found and None not in found[1:]:
                joined.append(variables[0])
                for part, node in zip(parts, found, strict=True):
                    part.append(node)
        if not joined:
            return
        first, heads_, ended = map(tuple, parts)
        taken: dict[VariableNode, None] = {node: None for node in first if node is not None}
        with self.tape.replayed(turn.changes):
            self._collect(ended, turn.mark, taken)
        if any(node.requires_grad is None for node in taken):
            return
        rank = 1 + max((node.rank for node in taken), default=0)
        held = self.held(_arrays(joined), turn.changes, turn.mark)
        span = self.w.store.taken_back(turn.mark)
        arm = TapeArm(turn.body, turn.changes, ended, (span,))
        nodes = tuple(self.tape.new(variable, True, rank) for variable in joined)
        application = Looped(None, tuple(taken), nodes, (), False, held, arm, heads_, first)
        self._give(application, joined)

    def _tell_apart(self, turn: Turn, entries: Met, heads: Met, ends: Met) -> None:
        """See that gradients by what the turns of a loop begin with are those of one Variable."""
        keys = [key for key, variables in heads.items() if len(variables) == 1]
        nodes, firsts, lasts = (
            [_one_node(seen.get(key, [])) for key in keys] for seen in (heads, entries, ends)
        )
        begun = [_LOST if node is None else node for node in nodes]
        asked = [
            one.node for variables in heads.values() for one in variables if one.node is not None
        ]
        asked = [node for node in asked if self.tape.identities.is_asked(node)]
        if asked and (_LOST in (*firsts, *lasts) or not set(asked).issubset(begun)):
            self.tape.refuse_unknown()
        self.tape.identities.close(begun, firsts, lasts, turn.changes)

    def _give(self, application: Application, joined: Sequence[Variables]) -> None:
        """Let Variables after a branch or loop be what it gave."""
        for variable, node in zip(joined, application.outputs, strict=True):
            assert node is not None
            variable.node, node.joined = node, True
            self.w.store.set(node, CREATOR, application)

    def record_branch(
        self, condition: Value, arms: Sequence[Arm], met: Sequence[Met], made: Met
    ) -> None:
        """Note which Variables of the sides of a branch those after it are."""
        if not self.tape.is_kept:
            return
        joined: list[Variables] = []
        sides: list[list[VariableNode | None]] = [[], []]
        for key, variables in made.items():
            found = [_one_node(seen.get(key, [])) for seen in met]
            if variables[0].node is None and len(variables) == 1 and _LOST not in found:
                joined.append(variables[0])
                for side, node in zip(sides, found, strict=True):
                    side.append(node)
        if not joined:
            return
        kept = [self._end(arm, nodes) for arm, nodes in zip(arms, sides, strict=True)]
        taken: dict[VariableNode, None] = {}
        for arm, end in zip(arms, kept, strict=True):
            with self.tape.replayed(end.changes):
                self._collect(end.nodes, arm.start, taken)
        if any(node.requires_grad is None for node in taken):
            return
        rank = 1 + max((node.rank for node in taken), default=0)
        requires = any(node.requires_grad for node in (*taken, *sides[0], *sides[1]) if node)
        made_nodes = tuple(self.tape.new(variable, requires, rank) for variable in joined)
        inputs, both = tuple(taken), (kept[0], kept[1])
        held = (*self.held(_arrays(joined), arms[0].changes, arms[0].start),)
        held += self.held((), arms[1].changes, arms[1].start)
        application = Branched(None, inputs, made_nodes, (), False, held, condition, both)
        self._give(application, joined)

    def _end(self, arm: Arm, nodes: Sequence[VariableNode | None]) -> TapeArm:
        changes = {**arm.changes, **self.tape.lists.made_of(nodes)}
        return TapeArm(arm.body, changes, tuple(nodes), (self.w.store.taken_back(arm.start),))

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

    def held(
        self, joined: Iterable[Array], changes: Mapping[Key, Any], start: Mark
    ) -> tuple[tuple[Any, Any], ...]:
        """Return what arrays hold that were given or written: a later write would be missed."""
        arrays = dict.fromkeys((*joined, *self._written(changes, start)))
        return tuple((array, self._versions(array)) for array in arrays)

    def _written(self, changes: Mapping[Key, Any], start: Mark) -> list[Any]:
        """Return the arrays, there before a branch or turn, that it wrote to."""
        owners = [self.w.store.owner(key) for key in changes if key[1] == CONTENTS]
        return [array for array in owners if not self.w.store.is_fresh(array, start)]

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
            if fresh and not node.joined and self.tape.gradient(node) is not None:
                taken[_LOST] = None  # who asks the joined one would not find it
            made = self.tape.creator(node) if fresh else None
            if made is not None:
                open_ += made.inputs
            elif not fresh or node.requires_grad is None:
                taken[node] = None


def renamed(met: Met, before: Mapping[Key, Type], after: Mapping[Key, Type]) -> Met:
    """Return what Variables types stand for, by the same types as they were read later."""
    pairs = zip(map(id, _flat(before.values())), map(id, _flat(after.values())), strict=True)
    return {later: met[earlier] for earlier, later in pairs if earlier in met}


def _flat(types: Iterable[Type]) -> Iterator[Type]:
    for type_ in types:
        yield type_
        yield from _flat(type_.parts)


def _holds_variables(type_: Type) -> bool:
    return type(type_) in (VarType, SeqType)


def _one_node(variables: Sequence[Variables]) -> VariableNode | None:
    """Return the node of the one Variable, if there is any; `_LOST` where it is not known."""
    if not variables:
        return None
    return _LOST if len(variables) > 1 else variables[0].node or _LOST


def _arrays(joined: Iterable[Variables]) -> list[Array]:
    """Return the arrays of Variables; those in a list are copies, which nobody writes to."""
    return [one.array for one in joined if type(one) is Var]
