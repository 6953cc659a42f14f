"""Lists of dynamic length on the tape: one node stands for all Variables that a list holds.

What Python does with such a list is an edge of the tape like a function of Chainer's: its way back
is a function of `idioms.list_gradients`. A list whose items are no Variables has no node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from elichika.idioms import list_gradients as ways
from elichika.state.joins import ArrayType, Static, VarType
from elichika.state.store import Key
from elichika.values.symbolic import COUNTER_BOUND, Choice, Scalar, Seq, Var
from elichika.values.tape import Listed, VariableNode
from elichika.walker.tape.unchaining import CREATOR
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.joins import Type
    from elichika.walker.tape.tape import Tape

__all__ = ["ListTape"]


class ListTape:
    """The part of the tape that knows what lists of dynamic length hold."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._made: dict[VariableNode, Listed] = {}

    def is_followed(self, element: Type) -> bool:
        """Tell whether the tape goes through lists of such elements: Variables, or None."""
        return (
            self.tape.is_kept
            and any(_is_variable(one) for one in element.options)
            and all(_is_variable(one) or _is_none(one) for one in element.options)
        )

    # What Python does with a list

    def contents(self, element: Type, version: Any) -> Seq:
        """Return contents of a list, of static or dynamic length, that have a node."""
        if type(version) is Seq:
            return version
        made = Seq(element, ())
        self.hold(made, version)
        return made

    def hold(self, made: Seq, items: Sequence[Any]) -> None:
        """Note that contents are a known number of items."""
        if self.is_followed(made.element):
            taken = tuple(map(self._taken, items))
            self._give(made, ways.of_items, (len(taken),), taken)

    def insert(self, items: Seq, made: Seq, value: Any, position: Value | None) -> None:
        """Note that contents are others with one more item, the last one without a position."""
        if self.is_followed(made.element):
            taken = self._node(items), self._taken(value)
            if position is None:
                self._give(made, ways.of_appended, (), taken)
            else:
                self._give(made, ways.of_inserted, (self._number(position),), taken)

    def erase(self, items: Seq, made: Seq, position: Value) -> None:
        """Note that contents are others without one item."""
        if self.is_followed(made.element):
            self._give(made, ways.of_erased, (self._number(position),), [self._node(items)])

    def cut_out(self, items: Seq, made: Seq, start: Value, step: int) -> None:
        """Note that contents are a slice of others: where it begins, and its step."""
        if self.is_followed(made.element):
            arguments = self._length(items), self._number(start), step
            self._give(made, ways.of_sliced, arguments, [self._node(items)])

    def take(self, items: Seq, element: Any, position: Value) -> None:
        """Note that a Variable is the one at a position."""
        variables = _variables(element)
        if len(variables) == 1 and self.is_followed(items.element):
            arguments = self._length(items), self._number(position)
            self._give(variables[0], ways.of_item, arguments, [self._node(items)])

    # What functions do with a list

    def join(self, items: Seq, made: Var, back: Any, *arguments: Any) -> None:
        """Note that a function made a Variable of those in a list."""
        if self.is_followed(items.element):
            self._apply(made, back, arguments, [self._node(items)])
        elif self.tape.is_kept and type(items.element) is ArrayType:
            made.node = self.tape.new(made, False)

    def split(self, variable: Any, made: Seq, back: Any, *arguments: Any) -> None:
        """Note that a function made Variables in a list of one."""
        if self.is_followed(made.element):
            self._apply(made, back, arguments, [self.tape.taken(variable)])

    def part(self, variable: Any, made: Sequence[Var], back: Any, *arguments: Any) -> None:
        """Note that a function made a known number of Variables of one."""
        if not self.tape.is_kept:
            return
        taken = (self.tape.taken(variable),)
        requires, rank = self.tape.above(taken)
        enabled = self.tape.is_enabled()
        for one in made:
            one.node = self.tape.new(one, requires, rank if enabled else 0)
        nodes = tuple(one.node for one in made)
        application = Listed(None, taken, nodes, (), False, back, arguments)
        for node in nodes if enabled else ():
            self.tape.w.store.set(node, CREATOR, application)

    def _apply(
        self, made: Var | Seq, back: Any, arguments: tuple[Any, ...], taken: Iterable[VariableNode]
    ) -> None:
        """Note what a function gave, which leaves no trace where the program forbids it."""
        if self.tape.is_enabled():
            self._give(made, back, arguments, taken)
        else:
            requires, _ = self.tape.above(tuple(taken))
            made.node = self.tape.new(made, requires)
        made.node.joined = type(made) is Seq  # type: ignore[union-attr]

    # What branches and loops end with

    def made_of(self, nodes: Iterable[VariableNode | None]) -> dict[Key, Listed]:
        """Return the locations that say how lists were made, to be added to those of a side.

        A list of known length gets its node where a side is left, and one of dynamic length begins.
        """
        return {
            (id(node), CREATOR): self._made[node]
            for node in nodes
            if node in self._made and type(node.variable) is Seq
        }

    def _give(
        self, made: Var | Seq, back: Any, arguments: tuple[Any, ...], taken: Iterable[VariableNode]
    ) -> None:
        inputs = tuple(taken)
        node = self.tape.new(made, *self.tape.above(inputs))
        node.joined = True
        made.node = node
        application = Listed(None, inputs, (node,), (), False, back, arguments)
        self._made[node] = application
        self.tape.w.store.set(node, CREATOR, application)

    def _node(self, items: Seq) -> VariableNode:
        return items.node or self.tape.new(items, None)

    def _taken(self, item: Any) -> VariableNode:
        """Return the node of what goes into a list: a Variable, None, or one of these."""
        item = self.tape.w.narrow(item)
        if type(item) is not Choice:
            return self.tape.taken(item)
        given = [one for one in item.alternatives if one is not None]
        return self.tape.taken(given[0]) if len(given) == 1 else self.tape.new(None, None)

    def _number(self, value: Value) -> Scalar:
        return self.tape.w.scalar(int, value, bound=COUNTER_BOUND)

    def _length(self, items: Seq) -> Scalar:
        return self._number(self.tape.w.sequences.length_of(items))


def _variables(item: Any) -> list[Var]:
    alternatives = item.alternatives if type(item) is Choice else (item,)
    return [one for one in alternatives if type(one) is Var]


def _is_variable(element: Type) -> bool:
    return type(element) is VarType


def _is_none(element: Type) -> bool:
    return type(element) is Static and element.value is None
