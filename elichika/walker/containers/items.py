"""Items of lists, tuples, dicts and ranges; contents are locations of the store."""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from elichika import idioms
from elichika.iterators.base import SymbolicRange
from elichika.values.symbolic import PYTHON_DTYPES, UNSET, Array, Choice, DynamicTuple, Scalar, Seq
from elichika.walker.core import Core
from onnx_graph import Value


class Containers(Core):
    """The part of the walker that reads, writes and deletes items of Python's containers."""

    def container_get(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]` of a list, tuple, dict, str or range."""
        if isinstance(obj, dict):
            return self._dict_get(obj, index)
        if isinstance(obj, (str, range)):
            if isinstance(obj, str) and isinstance(index, Scalar):
                return self._pick(tuple(obj), index)
            if self.is_symbolic(index):
                if isinstance(obj, range) and not isinstance(index, slice):
                    staged = SymbolicRange(obj.start, obj.stop, obj.step, len(obj))
                    return self.range_get(staged, index)
                self.refuse("an index into text must be known before the model runs")
            return self.native(operator.getitem, [obj, index], {})
        tuples = isinstance(obj, tuple)
        items = tuple(tuple.__iter__(obj)) if tuples else self.version(obj, "[items]")
        if isinstance(items, Seq):
            return self._seq_get(obj, items, index)
        if isinstance(index, slice) and not self.is_symbolic(index):
            try:
                part = tuple(items)[index]
            except (TypeError, ValueError) as error:
                self.raise_static(error)
            return self.new_list(part) if isinstance(obj, list) else part
        if isinstance(index, Scalar):
            return self._pick(items, index)
        if isinstance(index, slice):
            if not items:
                return self.new_list(()) if isinstance(obj, list) else ()
            if isinstance(obj, tuple) and type(obj) is not tuple:
                self.refuse(
                    "a slice of a named tuple must have bounds known before the model runs",
                    "make a tuple of it: `tuple(t)[start:]`",
                )
            return self._seq_get(obj, self.sequences.promoted(items), index)
        if isinstance(index, Array):
            index = self.index_of(index)
            return self.container_get(obj, index)
        try:
            return tuple.__getitem__(tuple(items), operator.index(index))
        except (IndexError, TypeError) as error:
            self.raise_static(error)

    def index_of(self, value: Any) -> Any:
        """Return an array of one int as an index."""
        return self.scalar(
            int,
            self.graph.Reshape(
                self.value_of(value, np.int64), self.graph.constant(np.array([], np.int64))
            ),
        )

    def _pick(self, items: tuple[Any, ...], index: Scalar) -> Any:
        """Return the item at an index that is known when the model runs."""
        g = self.graph
        place = self._place(index, len(items), "list index out of range")
        kind = type(items[0])
        if (kind in PYTHON_DTYPES or _is_number(items[0])) and len({*map(type, items)}) == 1:
            table = g.constant(np.array(items, PYTHON_DTYPES.get(kind, kind)))
            return self.scalar(kind, g.Gather(table, place, axis=0))
        if self.tentative and any(map(callable, items)):
            self.refuse("which function or link this is must be known before the model runs")
        picked = self._pick_between(items, place, 0)
        if isinstance(picked, Array):
            self.picked[id(picked)] = (picked, items, index.onnx_value)
        return picked

    def _was_picked(self, value: Any, items: tuple[Any, ...], index: Scalar) -> bool:
        """Tell whether an array is what stands at this index already."""
        _, before, place = self.picked.get(id(value), (None, (), None))
        return (
            place is index.onnx_value
            and len(items) == len(before)
            and all(map(operator.is_, items, before))
        )

    def _place(self, index: Scalar, count: int, message: str) -> Value:
        """Check an index that is known when the model runs; return it counted from the front."""
        if not count:
            self.raise_static(IndexError(message))
        g = self.graph
        value = self.value_of(index, np.int64)
        inside = g.And(
            g.Less(value, g.constant(np.array(count, np.int64))),
            g.GreaterOrEqual(value, g.constant(np.array(-count, np.int64))),
        )
        self.check(self.scalar(bool, inside), IndexError, message)
        place: Value = g.Mod(value, g.constant(np.array(count, np.int64)))
        return place

    def _pick_between(self, items: tuple[Any, ...], place: Any, first: int) -> Any:
        if first == len(items) - 1:
            return items[first]
        here = self.graph.Equal(place, self.graph.constant(np.array(first, np.int64)))
        return self.branch(
            self.scalar(bool, here),
            lambda: items[first],
            lambda: self._pick_between(items, place, first + 1),
        )

    def _seq_get(self, obj: Any, items: Seq, index: Any) -> Any:
        if isinstance(index, slice):
            with self.located():
                return self.sequences.like(obj, self.sequences.sliced(items, index))
        position = self.sequences.position(items, index)
        return self.sequences.build(items, position)

    def _dict_get(self, obj: dict[Any, Any], index: Any) -> Any:
        index = self.narrow(index)
        known = (None, Counter.__missing__, defaultdict.__missing__)
        if isinstance(index, Scalar) and self.special(obj, "__missing__") in known:
            return self.pick_by_key(obj, index)
        key = self.hashable(index)
        held = self.given_item(obj, key)
        if self.special(obj, "__missing__") is not None:
            return self.or_else(held, lambda: self._missing_item(obj, key), f"key {key!r}")
        if held is UNSET:
            self.raise_static(KeyError(key))
        return self.undefined(held, f"key {key!r}", KeyError)

    def _missing_item(self, obj: dict[Any, Any], key: Any) -> Any:
        """Return what a dict that has its own `__missing__` gives for a key that is not there."""
        missing = self.special(obj, "__missing__")
        if missing is Counter.__missing__:
            return 0
        if self.has_source(missing):
            return self.call(missing, [obj, key], {})
        factory = self.get_attribute(obj, "default_factory", None)
        if factory is None:
            self.raise_static(KeyError(key))
        value = self.call(factory, [], {})
        self.container_set(obj, key, value)
        return value

    def container_set(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value` on a list or dict."""
        items = self.version(obj, "[items]")
        if isinstance(obj, dict):
            if isinstance(index, Scalar) and items:
                self.set_by_key(obj, index, value)
            else:
                self.store.set(obj, "[items]", self.with_item(items, self.hashable(index), value))
            return
        if isinstance(items, Seq):
            self._require_list(obj, "item assignment")
            if isinstance(index, slice):
                self._replace_slice(obj, index, value)
                return
            position = self.sequences.position(items, index, "list assignment index out of range")
            g = self.graph
            length = self.sequences.length_of(items)
            position = g.Where(g.Less(position, g.constant(0)), g.Add(position, length), position)
            changed = self.sequences.insert(items, value, position)
            after = g.Add(position, g.constant(1))
            self.store.set(obj, "[items]", self.sequences.erase(changed, after))
            return
        if isinstance(index, (Array, np.ndarray)):
            index = self.index_of(index)
        if isinstance(index, slice) and (self.is_symbolic(index) or self.is_dynamic(value)):
            self._replace_slice(obj, index, value)
            return
        if isinstance(index, Scalar):
            if self._was_picked(value, items, index):
                return
            message = "list assignment index out of range"
            place = self.scalar(int, self._place(index, len(items), message))

            def replaced(i: int, item: Any) -> Any:
                return self.branch(self.binary(operator.eq, place, i), lambda: value, lambda: item)

            items = tuple(replaced(i, item) for i, item in enumerate(items))
            self.store.set(obj, "[items]", items)
            return
        changed_items = list(items)
        try:
            if isinstance(index, slice):
                changed_items[index] = self.static_items(value)
            else:
                changed_items[index] = value
        except (IndexError, TypeError, ValueError) as error:
            self.raise_static(error)
        self.store.set(obj, "[items]", tuple(changed_items))

    def _replace_slice(self, obj: Any, index: slice, value: Any) -> None:
        """Run `obj[start:stop] = value` where a length or bound is known at run time."""
        if index.step not in (None, 1):
            self.refuse(
                "assignment to every other item of a list whose length or bounds are known only "
                "when the model runs",
                "assign the items one by one in a loop",
            )
        others = self.call(list, [value], {})
        changed = self.call(idioms.lists.with_slice, [obj, index.start, index.stop, others], {})
        self.store.set(obj, "[items]", self.version(changed, "[items]"))

    def _require_list(self, obj: Any, what: str) -> None:
        if isinstance(obj, DynamicTuple):
            self.raise_static(TypeError(f"'tuple' object does not support {what}"))

    def delete_item(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        obj, index = self.narrow(obj), self.narrow(index)
        if isinstance(obj, Choice):
            self.choices.apply(obj, lambda v: self.delete_item(v, index))
            return
        if isinstance(index, Choice):
            self.choices.apply(index, lambda i: self.delete_item(obj, i))
            return
        index = self.as_index(obj, index)
        own = self.overriding(obj, "__delitem__")
        if own is not None:
            self.call(own, [obj, index], {})
            return
        self.container_delete(obj, index)

    def container_delete(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`, past the `__delitem__` of a class that extends a type."""
        items = self.version(obj, "[items]") if isinstance(obj, (list, dict)) else None
        if isinstance(index, slice) and (isinstance(items, Seq) or self.is_symbolic(index)):
            self._replace_slice(obj, index, [])
            return
        if isinstance(items, tuple) and items and isinstance(index, Scalar):
            items = self.sequences.promoted(items)
        if isinstance(obj, dict) and items is not None:
            key = self.hashable(index)
            self._dict_get(obj, key)
            self.store.set(obj, "[items]", {k: v for k, v in items.items() if k != key})
        elif isinstance(items, Seq):
            self._require_list(obj, "item deletion")
            position = self.sequences.position(items, index, "list assignment index out of range")
            self.store.set(obj, "[items]", self.sequences.erase(items, position))
        elif isinstance(items, tuple) and not self.is_symbolic(index):
            left = list(items)
            try:
                del left[index]
            except IndexError as error:
                self.raise_static(error)
            self.store.set(obj, "[items]", tuple(left))
        elif (method := self.special(obj, "__delitem__")) is not None and self.has_source(method):
            self.call(method, [obj, index], {})
        else:
            kind = self.type_of(obj)
            if issubclass(kind, np.ndarray):
                self.raise_static(ValueError("cannot delete array elements"))
            if not hasattr(kind, "__delitem__"):
                text = f"'{kind.__name__}' object doesn't support item deletion"
                self.raise_static(TypeError(text))
            self.refuse(f"`del` of this item of a {kind.__name__} is not compiled")


def _is_number(value: Any) -> bool:
    """Tell whether a value is a numpy scalar that a tensor holds."""
    return isinstance(value, np.generic) and value.dtype.kind in "biuf"
