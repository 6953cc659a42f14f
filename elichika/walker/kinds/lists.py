"""Lists and tuples: of known length, or of one that is known only when the model runs."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators.base import Staged
from elichika.values import python_words
from elichika.values.symbolic import PYTHON_DTYPES, Array, Choice, DynamicTuple, Scalar, Seq
from elichika.walker.kinds import list_operators
from elichika.walker.kinds.kind import Kind, are_compared, is_known

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext
    from onnx_graph import Value

__all__ = ["DynamicTuples", "Lists", "Tuples", "note_picked", "picked", "was_picked"]

#: How many alternatives a join may leave.
_JOINED = 8
_CLASSES: dict[str, type[list[Any]] | type[tuple[Any, ...]]] = {"list": list, "tuple": tuple}
#: What Python says of an index beyond the end.
_SAID = {"list": python_words.LIST_INDEX, "tuple": python_words.TUPLE_INDEX}
_OUTSIDE = "list assignment index out of range", python_words.LIST_ASSIGNMENT


class Lists(Kind):
    """A list, or a tuple of dynamic length; the contents are a location of the store."""

    rank = 2

    def parts(self, w: KindContext, value: list[Any]) -> Iterable[Any]:
        """Return its items, or what stands for them."""
        items = w.items_of(value)
        return items if isinstance(items, tuple) else (items,)

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`."""
        return list_operators.binary(w, op, left, right)

    def augmented(
        self, w: KindContext, name: str, op: Any, current: list[Any], operand: Any
    ) -> Any:
        """Run `current += operand` or `current *= operand`."""
        return list_operators.augmented(w, op, current, operand)

    def truth(self, w: KindContext, value: list[Any]) -> Any:
        """Return whether it has an item."""
        items = w.items_of(value)
        if isinstance(items, Seq):
            return w.truth(w.scalar(bool, w.sequences.not_empty(items)))
        return w.truth(w.sequences.length(value))

    def iterate(self, w: KindContext, value: list[Any]) -> Staged:
        """Return its items, which are asked of what it holds then."""

        def item(index: Any) -> Any:
            items = w.items_of(value)
            if isinstance(items, Seq) and isinstance(index, Scalar):  # no loop asks beyond the end
                return _built(w, items, w.value_of(index, np.int64))
            return self.get_item(w, value, index)

        length = w.sequences.length(value)
        return Staged(length, item, False, lambda: w.sequences.length(value))

    def get_item(self, w: KindContext, obj: list[Any], index: Any) -> Any:
        """Return `obj[index]`; a slice is a new list."""
        items = w.items_of(obj)
        if isinstance(items, Seq):
            return _dynamic_item(w, obj, items, index)
        if isinstance(index, slice):
            if not w.is_symbolic(index):
                return w.new_list(_part(w, items, index))
            if not items:
                return w.new_list(())
            return _dynamic_item(w, obj, w.sequences.promoted(items), index)
        return _item(w, items, index, "list")

    def set_item(self, w: KindContext, obj: list[Any], index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        items = w.items_of(obj)
        if isinstance(items, Seq):
            _require_list(w, obj, "item assignment")
        elif w.is_symbolic(index) and type(index) is not slice:
            index = w.index_of(index)
        if isinstance(index, slice):
            value = w.iterator(value) if w.is_iterator(value) else value  # Python asks it twice
            whole = isinstance(items, Seq) or w.is_symbolic(index) or w.is_dynamic(value)
            if whole:
                _replace_slice(w, obj, index, value)
                return
        if isinstance(items, Seq):
            position = w.sequences.position(items, index, *_OUTSIDE)
            g = w.graph
            length = w.sequences.length_of(items)
            position = g.Where(g.Less(position, g.constant(0)), g.Add(position, length), position)
            changed = w.sequences.insert(items, value, position)
            after = g.Add(position, g.constant(1))
            w.set_items(obj, w.sequences.erase(changed, after))
        elif isinstance(index, Scalar):
            if not was_picked(w, value, items, index):
                w.set_items(obj, _replaced(w, items, index, value))
        else:
            changed_items = list(items)
            try:
                changed_items[index] = w.static_items(value) if isinstance(index, slice) else value
            except (IndexError, TypeError, ValueError) as error:
                w.raise_static(error)
            w.set_items(obj, tuple(changed_items))

    def delete_item(self, w: KindContext, obj: list[Any], index: Any) -> None:
        """Run `del obj[index]`."""
        items = w.items_of(obj)
        if isinstance(index, slice) and (isinstance(items, Seq) or w.is_symbolic(index)):
            _replace_slice(w, obj, index, None)
            return
        if w.is_symbolic(index):
            index = w.index_of(index)
        if items and isinstance(index, Scalar) and isinstance(items, tuple):
            items = w.sequences.promoted(items)
        if isinstance(items, Seq):
            _require_list(w, obj, "item deletion")
            position = w.sequences.position(items, index, *_OUTSIDE)
            w.set_items(obj, w.sequences.erase(items, position))
        elif not w.is_symbolic(index):
            left = list(items)
            try:
                del left[index]
            except (IndexError, TypeError, ValueError) as error:
                w.raise_static(error)
            w.set_items(obj, tuple(left))
        else:
            super().delete_item(w, obj, index)

    def contains(self, w: KindContext, container: list[Any], value: Any) -> Any:
        """Return whether an item is a value, or equals it."""
        if is_known(w, container, value) and not are_compared(w, value, *w.items_of(container)):
            return w.native(operator.contains, [container, value], {})
        if w.is_dynamic(container):
            same = w.sequences.comparison(container, value)
            return w.call(idioms.lists.contains, [container, value, same], {})
        return w.is_given(w.iterator(w.items_of(container)), value)  # past its own `__iter__`


class DynamicTuples(Lists):
    """A tuple whose length is known only when the model runs."""

    def type_of(self, value: DynamicTuple) -> type:
        """Return the type of tuples."""
        return tuple

    def augmented(
        self, w: KindContext, name: str, op: Any, current: list[Any], operand: Any
    ) -> Any:
        """Tell that a tuple changes no more."""
        return NotImplemented


class Tuples(Kind):
    """A tuple of known length; of a named one the class is the program's."""

    rank = 2

    def parts(self, w: KindContext, value: tuple[Any, ...]) -> Iterable[Any]:
        """Return its items."""
        return tuple.__getitem__(value, slice(None))

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`."""
        return list_operators.binary(w, op, left, right)

    def truth(self, w: KindContext, value: tuple[Any, ...]) -> bool:
        """Return whether it has an item."""
        return tuple.__len__(value) > 0

    def iterate(self, w: KindContext, value: tuple[Any, ...]) -> Staged:
        """Return its items."""
        items = tuple(tuple.__iter__(value))
        return Staged(len(items), lambda i: self.get_item(w, items, i), uniform=False)

    def get_item(self, w: KindContext, obj: tuple[Any, ...], index: Any) -> Any:
        """Return `obj[index]`; a slice is a tuple."""
        items = tuple(tuple.__iter__(obj))
        if not isinstance(index, slice):
            return _item(w, items, index, "tuple")
        if not w.is_symbolic(index):
            return _part(w, items, index)
        if not items:
            return ()
        if type(obj) is not tuple:
            w.refuse(
                "a slice of a named tuple must have bounds known before the model runs",
                "make a tuple of it: `tuple(t)[start:]`",
            )
        return _dynamic_item(w, obj, w.sequences.promoted(items), index)

    def contains(self, w: KindContext, container: tuple[Any, ...], value: Any) -> Any:
        """Return whether an item is a value, or equals it."""
        if is_known(w, container, value) and not are_compared(w, value, *self.parts(w, container)):
            return w.native(operator.contains, [container, value], {})
        return w.is_given(w.iterator(self.parts(w, container)), value)


def _part(w: KindContext, items: tuple[Any, ...], index: slice) -> tuple[Any, ...]:
    try:
        return tuple(items)[index]
    except (TypeError, ValueError) as error:
        w.raise_static(error)


def _item(w: KindContext, items: tuple[Any, ...], index: Any, of: str) -> Any:
    """Return the item of a known number of items at an index that is no slice."""
    if w.is_symbolic(index):
        index = w.index_of(index, f"{of} indices must be integers or slices, not {{}}")
        return picked(w, items, index, _SAID[of])
    try:
        return _CLASSES[of](items)[operator.index(index)]
    except (IndexError, TypeError) as error:
        w.raise_static(error)


def _dynamic_item(w: KindContext, obj: Any, items: Seq, index: Any) -> Any:
    """Return an item, or a part, of items of dynamic length."""
    if isinstance(index, slice):
        with w.located():
            return w.sequences.like(obj, w.sequences.sliced(items, index))
    of = python_words.TUPLE_INDEX if type(obj) is DynamicTuple else python_words.LIST_INDEX
    return _built(w, items, w.sequences.position(items, index, of[0], of))


def _built(w: KindContext, items: Seq, position: Value) -> Any:
    """Return the item at a position that is in range."""
    return w.tables.floats.take(items, position, w.sequences.build(items, position))


# -- an index that is known when the model runs -----------------------------------------------


def picked(
    w: KindContext, items: tuple[Any, ...], index: Scalar, said: tuple[Any, ...] | None = None
) -> Any:
    """Return the item at an index that is known when the model runs; `said` is as of `check`."""
    g = w.graph
    position = _counted(w, index, len(items), "list index out of range", said)
    kind = type(items[0])
    if (kind in PYTHON_DTYPES or _is_number(items[0])) and len({*map(type, items)}) == 1:
        table = g.constant(np.array(items, PYTHON_DTYPES.get(kind, kind)))
        return w.scalar(kind, g.Gather(table, position, axis=0))
    if w.tentative and any(map(callable, items)):
        w.refuse("which function or link this is must be known before the model runs")
    if kind is str and len(items) > 1 and {*map(type, items)} == {str}:
        return _text_at(w, items, position)
    if len(items) > _JOINED and all(issubclass(type(item), chainer.Link) for item in items):
        return Choice(position, items)
    found = _between(w, items, position, 0)
    if isinstance(found, Array):
        note_picked(w, found, items, index)
    return found


def note_picked(w: KindContext, found: Array, items: tuple[Any, ...], index: Scalar) -> None:
    """Note that an array is what stands at an index, or by a key, among some items."""
    w.picked[id(found)] = (found, items, index.onnx_value)


def _text_at(w: KindContext, items: tuple[str, ...], position: Value) -> Any:
    """Return the text at a place: one of those that there are, each once."""
    g, texts = w.graph, list(dict.fromkeys(items))
    if len(texts) < len(items):
        position = g.Gather(g.constant(np.array(list(map(texts.index, items)))), position, axis=0)
    if len(texts) == 1:
        return texts[0]
    return Choice(position if len(texts) > 2 else g.Equal(position, 0), tuple(texts))


def was_picked(w: KindContext, value: Any, items: tuple[Any, ...], index: Scalar) -> bool:
    """Tell whether an array is what stands at this index, or by this key, already."""
    _, before, position = w.picked.get(id(value), (None, (), None))
    return (
        position is index.onnx_value
        and len(items) == len(before)
        and all(map(operator.is_, items, before))
    )


def _counted(
    w: KindContext, index: Scalar, count: int, message: str, said: tuple[Any, ...] | None
) -> Value:
    """Check an index that is known when the model runs; return it counted from the front."""
    if not count:
        w.check(False, IndexError, message, said)
    g = w.graph
    value = w.value_of(index, np.int64)
    inside = g.And(
        g.Less(value, g.constant(np.array(count, np.int64))),
        g.GreaterOrEqual(value, g.constant(np.array(-count, np.int64))),
    )
    w.check(w.scalar(bool, inside), IndexError, message, said)
    position: Value = g.Mod(value, g.constant(np.array(count, np.int64)))
    return position


def _between(w: KindContext, items: tuple[Any, ...], position: Any, first: int) -> Any:
    if first == len(items) - 1:
        return items[first]
    here = w.graph.Equal(position, w.graph.constant(np.array(first, np.int64)))
    return w.branch(
        w.scalar(bool, here),
        lambda: items[first],
        lambda: _between(w, items, position, first + 1),
    )


def _replaced(w: KindContext, items: tuple[Any, ...], index: Scalar, value: Any) -> tuple[Any, ...]:
    """Return items of which that at an index is a value."""
    position = w.scalar(int, _counted(w, index, len(items), *_OUTSIDE))

    def replaced(i: int, item: Any) -> Any:
        return w.branch(w.binary(operator.eq, position, i), lambda: value, lambda: item)

    return tuple(replaced(i, item) for i, item in enumerate(items))


def _is_number(value: Any) -> bool:
    """Tell whether a value is a numpy scalar that a tensor holds."""
    return isinstance(value, np.generic) and value.dtype.kind in "biuf"


# -- lists of dynamic length ------------------------------------------------------------------


def _replace_slice(w: KindContext, obj: Any, index: slice, value: Any) -> None:
    """Run `obj[start:stop:step] = value` where a length or bound is known at run time.

    Args:
        w: The walk.
        obj: The list.
        index: The slice.
        value: What is assigned; None where the items are deleted.
    """
    text = "slice indices must be integers or None or have an __index__ method"
    step = 1 if index.step is None else w.index_of(index.step, text)
    if w.is_symbolic(step):
        w.refuse(
            "every other item of a list, by a step that is known only when the model runs, is not "
            "assigned or deleted",
            "go through the items in a loop",
        )
    others = w.call(list, [()] if value is None else [value], {})
    ends = [end if end is None else w.index_of(end, text) for end in (index.start, index.stop)]
    if step == 1:
        changed = w.call(idioms.slices.with_slice, [obj, *ends, others], {})
    elif value is None:
        changed = w.call(idioms.slices.without_steps, [obj, *ends, step], {})
    else:
        w.call(idioms.slices.with_steps, [obj, *ends, step, others], {})
        return
    w.set_items(obj, w.items_of(changed))


def _require_list(w: KindContext, obj: Any, what: str) -> None:
    if isinstance(obj, DynamicTuple):
        w.raise_static(TypeError(f"'tuple' object does not support {what}"))
