"""Which float object a float of the run is: Python finds a nan among keys if it is the very one.

for v in x.tolist():          each item is an object of its own: it gets a number when it is first
    if v not in seen:         looked for, and the key that is put in keeps it
        seen[v] = 0
    seen[v] += 1              the same object, so the same number: found, nan or not

Where it is not known which object a float is, its number is 0.
"""

from __future__ import annotations

import math
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from elichika import idioms
from elichika.iterators import Enumerate
from elichika.iterators.base import Staged
from elichika.state.joins.mixed_keys import is_float
from elichika.values.symbolic import COUNTER_BOUND, Array, Scalar, Seq
from elichika.walker.core import Numbering
from elichika.walker.plan import WalkAgain
from elichika.walker.walk import Walk
from onnx_graph import Value

__all__ = ["NAN_AMONG_KEYS", "FloatObjects"]

NAN_AMONG_KEYS = "whether a nan is among keys asks for its identity"


class FloatObjects:
    """The part of the walker that knows which float objects are the same one."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._made: dict[int, tuple[Scalar, Any]] = {}
        self._numbers: dict[int, tuple[Scalar, Value, Any]] = {}
        self._listed: tuple[Any, Any] = None, None
        #: Lists of new floats, with the number before that of the first one.
        self._rows: dict[int, tuple[Seq, Value | None]] = {}
        self._unnumbered: dict[int, Scalar] = {}
        self._numbering: Numbering = w.store.always(Numbering())

    def note(self, value: Any) -> Any:
        """Note that Python makes a float here, which is returned."""
        if type(value) is Scalar and is_float(value.type):
            self._made[id(value)] = value, self._turn()
        return value

    def _item(self, value: Any) -> Any:
        """Note an item that is an object of its own, which is returned."""
        self.note(value)
        if self.w.plan.numbers_floats:
            self.number(value)
        return value

    def list_of(self, made: Any) -> Any:
        """Note that Python makes a list of new numbers here, which is returned."""
        self._listed = made, self.w.node_stack[-1]
        items = self.w.items_of(made)
        if type(items) is Seq:
            self._rows[id(items)] = items, self._room_for(items)
        else:
            for item in items:
                self._item(item)
        return made

    def _room_for(self, items: Seq) -> Value | None:
        """Return the number before that of the first item, if items are numbered at once."""
        if not self.w.plan.numbers_floats or not is_float(getattr(items.element, "type", int)):
            return None
        before = self.w.held(self._numbering, "count")
        length = Scalar(int, self.w.sequences.length_of(items), bound=COUNTER_BOUND)
        self.w.store.set(self._numbering, "count", self.w.binary(operator.add, before, length))
        return self.w.value_of(before, np.int64)

    def take(self, items: Seq, position: Value, value: Any) -> Any:
        """Note which item of a list a number is, which is returned."""
        held, before = self._rows.get(id(items), (None, None))
        if held is not items or type(value) is not Scalar or not is_float(value.type):
            return value
        if before is None:
            self._unnumbered[id(value)] = value
            return value
        g = self.w.graph
        behind = g.Add(position, self.w.sequences.length_of(items))
        place = g.Where(g.Less(position, g.constant(0)), behind, position)
        self.known_as(value, g.Add(g.Add(before, place), g.constant(1)))
        return value

    def iterated(self, node: Any, iterable: Any) -> Staged:
        """Return what a `for` runs over: items of an array, and in `for v in x.tolist()`, are new.

        The list has no other name then: what makes it is the call that the `for` holds, or a call
        that is given to `set` or `Counter`, which go through it once.
        """
        items = self.w.iterate(iterable)
        listed, call = self._listed
        held = iterable is listed and (node.iter is call or self._is_given(call))
        new = type(iterable) is Array or held
        return replace(items, item=lambda index: self._item(items.item(index))) if new else items

    def enumerated(self, node: Any, iterator: Any, staged: Staged) -> Staged:
        """Return what a `for` runs over by number: new floats too where they are enumerated."""
        if type(iterator) is not Enumerate:
            return staged
        source = getattr(iterator.children[0], "source", None)
        listed, call = self._listed
        if type(source) is not Array and not (
            source is listed and any(call is given for given in getattr(node.iter, "args", ()))
        ):
            return staged

        def item(index: Any) -> Any:
            number, value = staged.item(index)
            return number, self._item(value)

        return replace(staged, item=item)

    def _is_given(self, call: Any) -> bool:
        """Tell whether what a call gives is an argument of what a loop of ours does."""
        ours = self.w.frames[-1].globals.get("__name__") == idioms.dicts.__name__
        return ours and any(
            call is given for node in self.w.node_stack for given in getattr(node, "args", ())
        )

    # -- the number of a float ------------------------------------------------------------------

    def number(self, value: Any) -> Value | None:
        """Return the number of a float object as an int64 of the graph; None of an unknown one.

        A float has one number: where it was given in an arm that is closed, the next walk gives
        it at once.

        Raises:
            WalkAgain: It does.
        """
        constants = [place for place, one in enumerate((np.nan, math.nan), 1) if one is value]
        if constants:
            return self.w.graph.constant(np.array(-constants[0]))
        held, number, scope = self._numbers.get(id(value), (None, None, None))
        if held is value:
            if scope in self.w.graph.scope.chain():
                return number
            self._number_at_once()
            return None
        made, turn = self._made.get(id(value), (None, None))
        if made is value and turn is self._turn():
            return self._next(value)
        if made is value or self._unnumbered.get(id(value)) is value:
            self._number_at_once()
        return None

    def _next(self, value: Any) -> Value:
        """Give a float the next number."""
        count = self.w.binary(operator.add, self.w.held(self._numbering, "count"), 1)
        self.w.store.set(self._numbering, "count", count)
        return self.known_as(value, self.w.value_of(count, np.int64))

    def _number_at_once(self) -> None:
        """Let the next walk number floats where they are made, if this one does not."""
        if not self.w.plan.numbers_floats:
            if self.w.tentative:
                self.w.refuse(NAN_AMONG_KEYS)
            self.w.plan.numbers_floats = True
            raise WalkAgain(None)

    def known_as(self, value: Any, number: Value) -> Value:
        """Note the number of a float that was a key, which is returned."""
        self._numbers[id(value)] = value, number, self.w.graph.scope
        return number

    def _turn(self) -> Any:
        """Return the body of the innermost Loop around the present place."""
        scope: Any = self.w.graph.scope
        while not getattr(scope, "loop", True):
            scope = scope.parent
        return scope
