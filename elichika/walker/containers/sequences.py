"""Lists whose length is known only when the model runs."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from elichika import idioms
from elichika.errors import StagingError
from elichika.numbers.python_comparisons import is_positive
from elichika.state.aliases import SOURCES
from elichika.state.joins import (
    ArrayType,
    ConflictType,
    Joiner,
    ScalarType,
    Type,
    TypeReader,
    VarType,
    carried,
    carriers,
)
from elichika.state.joins.mixed_keys import is_float
from elichika.state.store import ITEMS, Mark
from elichika.values.symbolic import (
    COUNTER_BOUND,
    UNORDERED,
    Array,
    Choice,
    Conflict,
    DynamicTuple,
    Scalar,
    Seq,
    Var,
)
from elichika.values.tables import Table
from elichika.walker.lent import Lent
from onnx_graph import Value
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.walker.walk import Walk

INT64 = np.dtype(np.int64)


class Sequences:
    """Operations on lists of dynamic length within one walk."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self.lent = Lent(w)

    # -- what the elements are ----------------------------------------------------------------

    def element_type(self, type_: Type) -> Type:
        """Return the type under which elements of `type_` are stored: copies, no identity."""
        return type_.stored(Joiner(self.w, widen=True))

    def joined(self, element: Type | None, value: Any) -> Type:
        """Return the element type of a list that holds `value` as well.

        Raises:
            StagingError: There is none.
        """
        w = self.w
        w.arenas.escape(value)
        type_ = self.element_type(TypeReader(w, w.store.mark()).of(value))
        return self.storable(
            type_ if element is None else Joiner(w, widen=True).join(element, type_)
        )

    def storable(self, type_: Type) -> Type:
        """Return the element type for a type.

        Raises:
            StagingError: There is none.
        """
        type_ = self.element_type(type_)
        self.require_common(type_)
        return type_

    def require_common(self, type_: Type) -> None:
        """Refuse elements without a common type.

        Raises:
            WalkAgain: They may have one where what they hold lives in arenas.
        """
        if isinstance(type_, ConflictType):
            reason = f"this list's elements have no common type: {type_.reason}"
            apart = [frozenset((site,)) for site in type_.sites]  # they meet where they have to
            self.w.arenas.needed(StagingError(reason, self.w.here()), *apart)
            self.w.refuse(reason)

    # -- from one form to another -------------------------------------------------------------

    def as_sequences(self, version: Any, element: Type) -> list[Value]:
        """Return list contents, of static or dynamic length, as sequences of `element`."""
        w, g = self.w, self.w.graph
        if isinstance(version, Seq):
            if version.element.same_form(element):
                return list(version.sequences)
            return self._converted(version, element)
        leaves = carriers(element)
        columns: list[list[Value]] = [[] for _ in leaves]
        for item in version:
            for column, value in zip(columns, carried(w, element, item), strict=True):
                column.append(value)
            self.freeze(item)
        return [
            g.SequenceConstruct(*column) if column else g.SequenceEmpty(dtype=leaf.dtype)
            for leaf, column in zip(leaves, columns, strict=True)
        ]

    def freeze(self, value: Any, since: Mark | None = None) -> None:
        """Forbid writes to the arrays in a value that a list now holds a copy of.

        Args:
            value: It.
            since: Objects in it that were made since then are copies, too.
        """
        for array in _taken_arrays(self.w, value, since):
            if self.w.lasting(array) is None:
                self.lent.put(array)
                self.w.freeze(array)

    def taken_arrays(self, value: Any) -> list[Array]:
        """Return the arrays in an element; its lists, dicts and objects are written no more."""
        return _taken_arrays(self.w, value, None)

    def settled(self, items: Seq) -> Seq:
        """Return the contents with a copy of each element as it is now, and nothing else."""
        if not items.element.arrays_held:
            return items
        plain = items.element.copied
        made = Seq(plain, tuple(self._converted(items, plain)), items.stored)
        made.node = items.node
        return made

    def promoted(self, items: Sequence[Any]) -> Seq:
        """Return the contents of a list of known length, not empty, as those of a dynamic one."""
        element: Type | None = None
        for item in items:
            element = self.joined(element, item)
        assert element is not None
        made = Seq(element, tuple(self.as_sequences(items, element)))
        self.w.tape.lists.hold(made, items)
        return made

    def _converted(self, version: Seq, element: Type) -> list[Value]:
        """Copy a list, giving each element another form: a tag, say."""
        length = self.length_of(version)

        def item(index: Value) -> Any:
            return self.build(version, index)

        return list(self.collected(length, element, item).sequences)

    def collected(self, length: Value, element: Type, item: Any) -> Seq:
        """Return the list of `item(i)` for each `i` below `length`; `item` is pure.

        Args:
            length: A 0-d int64.
            element: The element type; sizes that differ between elements are None.
            item: Takes a 0-d int64 and gives a value of the program.
        """
        w, g = self.w, self.w.graph
        leaves = carriers(element)
        body = g.body("list", loop=True)
        grown = [body.sequence_input(leaf.dtype, leaf.dims) for leaf in leaves]
        mark = w.store.mark()
        with w.facts.scope(), body:
            values = carried(w, element, item(body.iteration))
            ends = [g.SequenceInsert(s, v) for s, v in zip(grown, values, strict=True)]
        w.store.undo(mark)
        start = [g.SequenceEmpty(dtype=leaf.dtype) for leaf in leaves]
        results = g.Loop(length, None, body, initial=start, cond_out=None, carried=ends, scans=[])
        return Seq(element, tuple(results))

    # -- reading ------------------------------------------------------------------------------

    def length(self, value: Any) -> Any:
        """Return the length of a list, dict or set: an int or an int `Scalar`."""
        items = self.w.items_of(value)
        if isinstance(items, Seq):
            return Scalar(int, self.length_of(items), bound=COUNTER_BOUND)
        if isinstance(items, Table):
            return Scalar(int, self.w.graph.size(items.columns[0], 0), bound=COUNTER_BOUND)
        if not isinstance(items, dict):
            return len(items)
        return self._count([held for key, held in items.items() if key is not UNORDERED])

    def _count(self, held: list[Any]) -> Any:
        """Return how many of some things are there."""
        there = [self.w.is_set(self.w.narrow(one)) for one in held]
        known = sum(one is True for one in there)
        numbers = [self.w.call(int, [one], {}) for one in there if not isinstance(one, bool)]
        return functools.reduce(functools.partial(self.w.binary, operator.add), numbers, known)

    def length_of(self, items: Seq) -> Value:
        """Return the length as a 0-d int64, the same one each time."""
        if not items.sequences:
            self._refuse_nothing(items.element)
        g, sequence = self.w.graph, items.sequences[0]
        owner = g.owner(sequence)
        known = owner.memo.get(("length", sequence))
        if known is None:
            (known,) = g.emit_into(owner, "SequenceLength", [sequence], {}, after=sequence)
            owner.memo[("length", sequence)] = known
        return known

    def _refuse_nothing(self, element: Type) -> NoReturn:
        """Refuse a list of things known while compiling; objects may live in an arena instead.

        Raises:
            WalkAgain: They can live there.
        """
        refusal = StagingError(
            "this list's elements are known while compiling, its length only when the model runs",
            self.w.here(),
            "hold numbers or arrays in it",
        )
        self.w.arenas.typed(refusal, element, *element.parts)
        raise refusal

    def not_empty(self, items: Seq) -> Value:
        """Return a 0-d bool: whether there is an element, the same value each time."""
        return is_positive(self.w.graph, self.length_of(items))

    def build(self, seq: Seq, position: Value) -> Any:
        """Return the element at a position that is in range."""
        values = [surely(self.w.graph.SequenceAt(s, position)) for s in seq.sequences]
        element = self.built(seq.element, values)
        self.w.tape.lists.take(seq, element, position)
        return self.lent.take(element)

    def built(self, type_: Type, values: Sequence[Value]) -> Any:
        """Return an element, a copy, from its graph values."""
        w = self.w
        mark = w.store.mark()
        element = type_.build(w, iter(values), {})
        for array in _taken_arrays(w, element, mark):
            array.frozen = True
            w.store.note(array, SOURCES, None)  # one of them may have changed since
        return element

    def comparison(self, obj: Any, value: Any) -> Any:
        """Return how items of a list are compared with what is looked for among them.

        Raises:
            StagingError: They are arrays, or hold such.
        """
        element = self.w.items_of(obj).element
        if element.is_object:
            return idioms.lists.is_or_equals
        if not self.is_plain(obj) or not isinstance(value, _PLAIN):
            self._refuse_others()
        whole = type(element) is ScalarType and not is_float(element.type)
        if not whole and not isinstance(value, (tuple, list)):
            self._require_number(value)
        return idioms.lists.equals

    def comparison_with(self, value: Any) -> Any:
        """Return how any items are compared with what is looked for among them."""
        number = value.type if isinstance(value, Scalar) else type(value)
        if not issubclass(number, (bool, int, float, np.number)):
            return idioms.lists.is_or_equals
        self._require_number(value)
        return idioms.lists.equals

    def is_plain(self, obj: Any) -> bool:
        """Tell whether the items of a list hold nothing but numbers, texts and None."""
        plain: bool = self.w.items_of(obj).element.is_plain
        return plain

    def require_numbers(self, obj: Any) -> None:
        """Refuse to compare lists whose items are not numbers: Python compares by identity too."""
        if not isinstance(self.w.items_of(obj).element, ScalarType):
            self._refuse_others()

    def _refuse_others(self) -> NoReturn:
        self.w.refuse(
            "only numbers, tuples of numbers and objects can be looked for in a list of dynamic "
            "length",
            "compare in a loop",
        )

    def _require_number(self, value: Any) -> None:
        """Refuse to look for nan, or make the model fail where it is looked for."""
        message = "whether a nan is among items asks for its identity"
        if isinstance(value, Scalar) and issubclass(value.type, (float, np.floating)):
            self.w.check(self.w.binary(operator.eq, value, value), ValueError, message)
        elif isinstance(value, (float, np.floating)) and value != value:
            self.w.refuse(message)

    def tensors(self, items: Seq, what: str) -> Value:
        """Return the one sequence of a list of arrays, Variables or numbers of one kind."""
        if not isinstance(items.element, (ArrayType, VarType, ScalarType)):
            self.w.refuse(f"{what} takes a list of arrays of one dtype and rank")
        return self.settled(items).sequences[0]

    def sliced(self, items: Seq, index: slice) -> Seq:
        """Return the contents of `l[start:stop:step]`; the step is known while compiling."""
        w, g = self.w, self.w.graph
        step = 1 if index.step is None else index.step
        if not isinstance(step, (int, np.integer)):
            w.refuse(
                "the step of a slice of a list must be known before the model runs",
                "take the items in a loop",
            )
        step = int(step)
        if step == 0:
            w.raise_static(ValueError("slice step cannot be zero"))
        length = self.length_of(items)
        whole = index.start is None or (isinstance(index.start, int) and index.start == 0)
        if step == 1 and whole and index.stop is None:
            return items
        low, high = (0, length) if step > 0 else (-1, g.Sub(length, 1))
        start = self._bound(index.start, length, low, high, low if step > 0 else high)
        stop = self._bound(index.stop, length, low, high, high if step > 0 else low)
        span = g.Sub(stop, start) if step > 0 else g.Sub(start, stop)
        if abs(step) != 1:
            span = g.Add(span, abs(step) - 1)
            span = g.Div(g.Max(span, g.constant(0)), g.constant(abs(step)))
        count = g.Max(span, g.constant(0))

        def item(number: Value) -> Any:
            offset = number if step == 1 else g.Mul(number, g.constant(step))
            return self.build(items, g.Add(offset, start))

        made = self.collected(count, items.element, item)
        self.w.tape.lists.cut_out(items, made, start, step)
        return made

    def _bound(self, bound: Any, length: Value, low: Any, high: Any, default: Any) -> Value:
        """Clip a bound of a slice as Python does."""
        w, g = self.w, self.w.graph
        bound = w.narrow(bound)
        if bound is None:
            return default if isinstance(default, Value) else g.constant(int(default))
        if isinstance(bound, (Array, np.ndarray)):
            bound = w.index_of(bound)
        integers = (int, np.integer)
        kind = bound.type if isinstance(bound, Scalar) else type(bound)
        if not issubclass(kind, integers):
            w.raise_static(
                TypeError("slice indices must be integers or None or have an __index__ method")
            )
        value = w.value_of(bound, np.int64)
        value = g.Where(g.Less(value, g.constant(0)), g.Add(value, length), value)
        return g.Max(g.Min(value, high), low)

    # -- changing -----------------------------------------------------------------------------

    def append(self, items: Seq, value: Any) -> Seq:
        """Return the contents with one more element at the end."""
        return self.insert(items, value, None)

    def insert(self, items: Seq, value: Any, position: Value | None) -> Seq:
        """Return the contents with one more element."""
        w, g = self.w, self.w.graph
        self.lent.offer(value)
        element = self.joined(items.element, value)
        old = self.as_sequences(items, element)
        new = carried(w, element, value)
        at = [] if position is None else [position]
        grown = tuple(g.SequenceInsert(s, v, *at) for s, v in zip(old, new, strict=True))
        self.freeze(value)
        made = Seq(element, grown, (*items.stored, *self.taken_arrays(value)))
        self.w.tape.lists.insert(items, made, value, position)
        return self.lent.follow(made, items)

    def erase(self, items: Seq, position: Value) -> Seq:
        """Return the contents without the element at a position that is in range."""
        g = self.w.graph
        left = tuple(surely(g.SequenceErase(s, position)) for s in items.sequences)
        made = replace(items, sequences=left)
        self.w.tape.lists.erase(items, made, position)
        return self.lent.follow(made, items)

    def position(
        self,
        items: Seq,
        index: Any,
        what: str = "list index out of range",
        said: tuple[Any, ...] | None = None,
    ) -> Value:
        """Check an index against the length and return it as a graph value.

        Raises:
            IndexError: In the model, where eager raises it.
        """
        w, g = self.w, self.w.graph
        if any(hasattr(node, "surely") for node in w.node_stack[-1:]):
            return w.value_of(index, np.int64)
        index = w.index_of(index)
        value = w.value_of(index, np.int64)
        length = self.length_of(items)
        inside = g.And(g.Less(value, length), g.GreaterOrEqual(value, g.Neg(length)))
        if isinstance(index, int) and index in (0, -1):
            inside = self.not_empty(items)
        w.check(w.scalar(bool, inside), IndexError, what, said)
        return value

    # -- tuples -------------------------------------------------------------------------------

    def new_tuple(self, items: Seq) -> DynamicTuple:
        """Return a tuple of dynamic length."""
        made: DynamicTuple = self.w.store.born(DynamicTuple())
        self.w.set_items(made, items)
        return made

    def like(self, original: Any, items: Seq) -> Any:
        """Return a fresh list, or a tuple where `original` is one."""
        if isinstance(original, (tuple, DynamicTuple)):
            return self.new_tuple(items)
        made = self.w.new_list(())
        self.w.set_items(made, items)
        return made


#: What is looked for among elements that are plain.
_PLAIN = (Scalar, np.generic, bool, int, float, str, type(None), tuple, list)


def _taken_arrays(
    w: Walk, value: Any, since: Mark | None, around: tuple[Any, ...] = ()
) -> list[Array]:
    """Return the arrays in an element; its lists, dicts and objects are written no more.

    Args:
        w: The walker.
        value: The element.
        since: Objects that were made since then are copies, as those of a branch or loop are.
        around: What it stands in.
    """
    if isinstance(value, Array):
        return [value]
    if isinstance(value, Var):
        return [value.array]
    if isinstance(value, np.ndarray):
        return [w.as_array(value)]
    if w.is_static_variable(value):
        return [w.as_var(value).array]
    parts: Iterable[Any] = ()
    if isinstance(value, tuple):
        parts = value
    elif isinstance(value, Choice):
        parts = value.alternatives
    elif w.arenas.holds(value) or any(one is value for one in around):
        parts = ()
    elif isinstance(value, (list, dict)) or w.made_inside(value) or _is_since(w, value, since):
        w.sealed(value)
        parts, around = _parts(w, value), (*around, value)
    return [a for part in parts for a in _taken_arrays(w, part, since, around)]


def _is_since(w: Walk, value: Any, mark: Mark | None) -> bool:
    return mark is not None and w.store.was_born(value) and w.store.is_fresh(value, mark)


def _parts(w: Walk, value: Any) -> list[Any]:
    """Return what a list of known length, dict or object holds."""
    found: list[Any] = []
    for slot in w.heap_slots(value):
        held = w.held(value, slot)
        if slot != ITEMS:
            found.append(held)
        elif not isinstance(held, (Seq, Table, Conflict)):
            found += held.values() if isinstance(held, dict) else held
    return found
