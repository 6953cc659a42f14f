"""What a body computes in each turn without its state, for all turns at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import compare
from onnx_graph.inference.elementwise import BROADCAST
from onnx_graph.integers import Integers
from onnx_graph.passes.at_once.checked import checked
from onnx_graph.passes.at_once.filled import asked
from onnx_graph.passes.at_once.planned import Planned, begins, condition_of, is_small, once
from onnx_graph.passes.at_once.read import read
from onnx_graph.passes.editing import bodies, stays
from onnx_graph.passes.recurrences.spread import at_source
from onnx_graph.passes.safety import cannot_fail
from onnx_graph.signed_zeros import chosen
from onnx_graph.values import const_array, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["DEEPEST", "Turns"]

DEEPEST = 2
"""How many loops, one in the other, are computed at once."""

_UNARY = frozenset(
    {
        *("Cast", "Not", "Neg", "Abs", "Sign", "Exp", "Log", "Sqrt", "Floor", "Ceil", "Round"),
        *("Sin", "Cos", "Tan", "Tanh", "Sigmoid", "Relu", "Erf", "IsNaN", "Reciprocal"),
    }
)
MOST = 1 << 22
"""How many turns are computed at once where nothing else bounds them."""
_CHOSEN = frozenset({ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.INT32, ir.DataType.INT64})
"""The types that onnxruntime's Where takes."""


@dataclass
class Turns:
    """The turns of a loop, within those of another one perhaps; nothing is emitted by a plan.

    Attributes:
        graph: The graph.
        loop: The loop.
        outer: The turns that it stands in.
        integers: What is known of the graph's integers.
        result: Plans a result of a loop, by the turns and its number.
        found: Plans what each turn finds of what is carried, by its number.
        endless: Whether turns count that are not made: none ends the loop.
        planned: The nodes that plans stand for.
        written: What turns write to an array that they carry, each to another place: what it was
            before the loop, and the place.
        branches: The branches that turns may take: of which If, and whether it is the first.
    """

    graph: ONNXGraph
    loop: ir.Node
    outer: Turns | None
    integers: Integers
    result: Callable[[Turns, int], Planned | None]
    found: Callable[[Turns, int], Planned | None]
    endless: bool = False
    planned: set[ir.Node] = field(default_factory=set)
    written: dict[Value, tuple[Value, Value]] = field(default_factory=dict)
    branches: dict[ir.Graph, tuple[ir.Node, bool]] = field(default_factory=dict)
    _places: list[ir.Graph] = field(default_factory=list)
    _plans: dict[Value, Planned | None] = field(default_factory=dict)
    _inner: dict[ir.Node, Turns] = field(default_factory=dict)
    _asked: set[ir.Node] = field(default_factory=set)
    _is_begun: bool = False
    _kept: list[Callable[[], Value]] = field(default_factory=list)
    _shared: dict[Hashable, Callable[[], Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with the body."""
        (self.body,) = bodies(self.loop)
        self._places.append(self.body)
        self.depth: int = 1 if self.outer is None else self.outer.depth + 1
        trip = self.loop.inputs[0]
        self.trip = None if trip is None else self.of_outer(trip)
        self.size = None if trip is None else self.integers.number(trip)
        self._is_sure = self.size is not None and compare(self.size, ">=", 0) is True
        self.iteration = once(self._iteration)
        self.mask = once(self._mask)
        self.count = once(self._count)
        self.ends = None if self.endless else condition_of(self.body)
        self.goes_on = None if self.ends is None else self.plan(self.ends) or self._goes_on()
        self._plans = {value: plan for value, plan in self._plans.items() if plan is not None}
        self._is_begun = True

    def _goes_on(self) -> Planned | None:
        """Plan what ends the turns by sums that each finds: up to the end they are of all turns."""
        assert self.ends is not None
        parts = self.graph, self.loop, self.outer, self.integers, self.result, self.found
        every = Turns(*parts, endless=True)
        planned = every.plan(self.ends)
        # rows that turns read are there whether these are made or not: `read` sees to that
        failing = any(stays(node) and node.op_type != "Gather" for node in every.planned)
        if planned is None or failing or every._inner or not every._asked <= every.planned:
            return None
        self.planned |= every.planned
        return planned

    @property
    def is_ragged(self) -> bool:
        """Whether the turns of the outer loop have unlike numbers of these."""
        return self.trip is not None and self.trip.depth > 0

    @property
    def is_known(self) -> bool:
        """Whether it can be had which turns there are, and they are not too many in any case."""
        trip = self.loop.inputs[0]
        number = None if trip is None else const_array(trip)
        few = number is None or number.item() <= MOST
        return self.trip is not None and few and (self.ends is None or self.goes_on is not None)

    @property
    def made(self) -> Planned | None:
        """Which turns come before the end; None where nothing but their number ends them."""
        return None if self.ends is None else Planned(self.depth, 0, self.mask)

    @property
    def may_end(self) -> bool:
        """Whether turns, or those around them, may end before the last one."""
        ends = self.ends is not None or self.endless
        return ends or (self.outer is not None and self.outer.may_end)

    @property
    def _is_masked(self) -> bool:
        return self.is_ragged or self.ends is not None

    def _count(self) -> Value:
        """Emit how many turns there are at most."""
        assert self.trip is not None
        g, trip = self.graph, self.trip.emit()
        if self.is_ragged:
            return g.ReduceMax(g.Concat(g.constant([0]), g.Reshape(trip, [-1]), axis=0), keepdims=0)
        return trip if self._is_sure else g.Max(trip, 0)

    def _iteration(self) -> Value:
        g = self.graph
        numbers = g.Range(g.constant(0), self.count(), g.constant(1))
        return numbers if self.depth == 1 else g.Unsqueeze(numbers, [0])

    def there(self) -> Value:
        """Emit which of the turns there may be, where the loop is ragged."""
        assert self.trip is not None
        return self.graph.Less(self.iteration(), self.trip.aligned(self.graph, self.depth, 0))

    def _mask(self) -> Value:
        """Emit which of the turns there are."""
        if self.goes_on is None:
            return self.there()
        g, axis = self.graph, self.depth - 1
        ended = g.Cast(g.Not(self.full(self.goes_on)), to=np.int64)
        made = g.Equal(g.CumSum(ended, g.constant(axis), exclusive=1), 0)
        return g.And(self.there(), made) if self.is_ragged else made

    def shared(self, key: Hashable, emit: Callable[[], Value]) -> Callable[[], Value]:
        """Return what emits something once for all results that need it."""
        return self._shared.setdefault(key, once(emit))

    def counts(self) -> list[Value]:
        """Emit the sizes of the axes of turns."""
        outer = [] if self.outer is None else self.outer.counts()
        return [*outer, self.count()]

    def of_start(self, number: int) -> Planned | None:
        """Plan what a loop carries first."""
        start = self.loop.inputs[2 + number]
        return None if start is None else self.of_outer(start)

    def column(self, planned: Planned) -> Value:
        """Emit a number before the loop, to be put before those of the turns."""
        first = planned.emit() if self.outer is None else self.outer.full(planned)
        return self.graph.Unsqueeze(first, [self.depth - 1])

    def full(self, planned: Planned) -> Value:
        """Emit a value with all its turns."""
        g = self.graph
        value = planned.aligned(g, self.depth, planned.rank)
        if planned.depth == self.depth == 1:
            return value
        sizes = [g.Unsqueeze(count, [0]) for count in self.counts()]
        sizes += [g.constant([1] * planned.rank)] if planned.rank else []
        return g.Expand(value, sizes[0] if len(sizes) == 1 else g.Concat(*sizes, axis=0))

    def flat(self, planned: Planned) -> Value:
        """Emit a number of each turn of a loop that stands in no other one."""
        if not planned.rank:
            return self.full(planned)
        g, depth = self.graph, planned.depth
        return self.full(Planned(depth, 0, lambda: g.Squeeze(planned.emit(), [depth])))

    def every(self, planned: Planned, nothing: Any) -> Value:
        """Emit a value with all its turns, and another one where there is no turn."""
        if not self._is_masked:
            return self.full(planned)
        g, mask = self.graph, self.mask()
        if planned.rank:
            mask = g.Unsqueeze(mask, list(range(self.depth, self.depth + planned.rank)))
        return chosen(g, mask, planned.aligned(g, self.depth, planned.rank), g.constant(nothing))

    def of_outer(self, value: Value) -> Planned | None:
        """Plan a value that is there before the loop."""
        if self.outer is not None:
            return self.outer.plan(value)
        rank = rank_of(value)
        return None if rank is None else Planned(0, rank, lambda: value)

    def plan(self, value: Value) -> Planned | None:
        """Plan a value of a turn; None if it depends on what turns before it did, or may not."""
        if value.graph is None or not any(value.graph is place for place in self._places):
            return self.of_outer(value)
        if value is self.body.inputs[0]:
            return Planned(self.depth, 0, self.iteration)
        if value not in self._plans:
            self._plans[value] = None  # while it is looked at
            if value in self.body.inputs:
                number = list(self.body.inputs).index(value) - 2
                self._plans[value] = self._found(number)
            else:
                self._plans[value] = self._planned(value)
        return self._plans[value]

    def _found(self, number: int) -> Planned | None:
        """Plan what a turn finds, but for what decides which turns there are."""
        return self.found(self, number) if number >= 0 and self._is_begun else None

    def _planned(self, value: Value) -> Planned | None:
        node = value.producer()
        if node is None:
            return None
        found = self._rule(node, value)
        if found is None:
            return None
        self.planned.add(node)
        emit = found.emit

        def placed() -> Value:
            with at_source(self.graph, node):
                return emit()

        planned = replace(found, emit=once(placed))
        if found.is_token or stays(node):
            self._kept.append(planned.emit)
        return planned

    def _rule(self, node: ir.Node, value: Value) -> Planned | None:
        if None in node.inputs:
            return None
        if node.op_type == "Gather":
            return read(self, node)
        if node.op_type == "Size":
            return checked(self, node)
        if node.op_type == "Identity" and node.inputs[0] is not None:
            return self.plan(node.inputs[0])
        if not is_small(value):
            return None
        if node.op_type in _UNARY or node.op_type in BROADCAST:
            return asked(self, node) or self._combined(node)
        if node.op_type == "If":
            return self._chosen(node, value)
        inner = self.inner(node)
        return None if inner is None else self.result(inner, value.index() or 0)

    def inner(self, node: ir.Node) -> Turns | None:
        """Return the turns of a loop in each turn."""
        if node.op_type != "Loop" or node.graph is not self.body or self.depth == DEEPEST:
            return None
        if not begins(node) or not self.is_bounded:
            return None
        if node not in self._inner:
            inner = Turns(self.graph, node, self, self.integers, self.result, self.found)
            self._inner[node] = inner
        return self._inner[node] if self._inner[node].is_known else None

    def all_counts(self) -> list[Value]:
        """Emit how many turns there are at most, and how many within each of them."""
        inner = [turns.count() for turns in self._inner.values()]
        more = [inner[0] if len(inner) == 1 else self.graph.Max(*inner)] if inner else []
        return [self.count(), *more]

    @property
    def first(self) -> ir.Node:
        """The outermost loop, before which everything is emitted."""
        return self.loop if self.outer is None else self.outer.first

    @property
    def has_inner(self) -> bool:
        """Whether turns of a loop within are computed as well."""
        return bool(self._inner)

    @property
    def is_bounded(self) -> bool:
        """Whether there are no more turns than some array of the model has rows."""
        trip = self.loop.inputs[0]
        return trip is not None and self.size is not None and self.integers.is_bounded(trip)

    def keep(self) -> None:
        """Emit all that may fail, whether anything is made of it or not."""
        for emit in self._kept:
            emit()
        for inner in self._inner.values():
            inner.keep()

    def is_whole(self) -> bool:
        """Tell whether plans stand for all that may fail."""
        failing = {node for node in self.body if stays(node)} | self._asked
        return failing <= self.planned and all(inner.is_whole() for inner in self._inner.values())

    def _combined(self, node: ir.Node) -> Planned | None:
        plans = [self.plan(value) for value in node.inputs if value is not None]
        parts = [plan for plan in plans if plan is not None]
        if len(parts) < len(plans) or not cannot_fail(node):
            return None
        g, depth, rank = self.graph, max(p.depth for p in parts), max(p.rank for p in parts)
        if node.op_type == "Where" and node.outputs[0].dtype not in _CHOSEN:
            return None
        attributes = {name: attribute.value for name, attribute in node.attributes.items()}

        def emit() -> Value:
            return g.emit(node.op_type, [p.aligned(g, depth, rank) for p in parts], attributes)

        return Planned(depth, rank, emit)

    def enter(self, node: ir.Node) -> tuple[ir.Graph, ir.Graph] | None:
        """Return the branches of an If, whose nodes may all run in each turn; None if not so."""
        then, other = (node.attributes[name].as_graph() for name in ("then_branch", "else_branch"))
        if node not in self.planned:
            asked = [inner for branch in (then, other) for inner in branch if _is_asked(inner)]
            if any(inner.op_type not in ("Gather", "If", "Range") for inner in asked):
                return None
            self._asked |= {inner for inner in asked if inner.op_type != "If"}
            self.branches.update({then: (node, True), other: (node, False)})
            self._places += [then, other]
        self.planned.add(node)
        return then, other

    def _chosen(self, node: ir.Node, value: Value) -> Planned | None:
        branches = self.enter(node)
        condition = node.inputs[0]
        if branches is None or condition is None:
            return None
        test = self.plan(condition)
        one, other = (self.plan(branch.outputs[value.index() or 0]) for branch in branches)
        if test is None or one is None or other is None:
            return None
        return self.where(test, one, other, value.dtype)

    def where(
        self, test: Planned, one: Planned, other: Planned, dtype: ir.DataType | None
    ) -> Planned | None:
        """Plan one of two values of a type, by a truth."""
        parts = (test, one, other)
        depth, rank, g = max(p.depth for p in parts), max(p.rank for p in parts), self.graph
        if one.rank != other.rank or test.rank or dtype not in {*_CHOSEN, ir.DataType.BOOL}:
            return None

        def emit() -> Value:
            condition, a, b = (p.aligned(g, depth, rank) for p in parts)
            if dtype is ir.DataType.BOOL:
                return g.Or(g.And(condition, a), g.And(g.Not(condition), b))
            return chosen(g, condition, a, b)

        return Planned(depth, rank, emit)

    def every_truth(self, planned: Planned) -> Value:
        """Emit a truth of all turns, False where there is no turn."""
        if not self._is_masked:
            return self.full(planned)
        return self.graph.And(self.mask(), planned.aligned(self.graph, self.depth, 0))

    def negated(self, planned: Planned) -> Planned:
        """Plan the contrary of a truth."""
        return Planned(planned.depth, planned.rank, lambda: self.graph.Not(planned.emit()))

    def opposite(self, planned: Planned) -> Planned:
        """Plan a number with the other sign."""
        return Planned(planned.depth, planned.rank, lambda: self.graph.Neg(planned.emit()))

    def both(self, one: Planned, other: Planned | None) -> Planned:
        """Plan that two truths hold."""
        if other is None:
            return one
        g, depth, two = self.graph, max(one.depth, other.depth), other
        return Planned(depth, 0, lambda: g.And(one.aligned(g, depth, 0), two.aligned(g, depth, 0)))


def _is_asked(node: ir.Node) -> bool:
    return stays(node) or bool(bodies(node))
