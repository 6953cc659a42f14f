"""What is done with lists and with the items of any container: `in`, append, extend."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor
from elichika.lowerings.python import named
from elichika.state.joins import ArrayType, ScalarType, VarType
from elichika.state.joins.containers import row_parts
from elichika.state.joins.rows import RowType
from elichika.state.store import ITEMS, Mark
from elichika.values.symbolic import Array, Choice, DynamicTuple, Scalar, Seq, Text, Var
from elichika.walker.containers.iterators import Iterators
from elichika.walker.containers.text_keys import goes_whole
from elichika.walker.core import PLAIN
from elichika.walker.kinds import kind_of
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk

#: Types whose items stand one after another.
_ROWS = (RowType, ArrayType, VarType)
#: What is compared element by element, unless it is one object.
ARRAYS = (Array, Var, np.ndarray, chainer.Variable)


class Lists:
    """The part of the walker that adds to lists and looks for items."""

    def __init__(self, w: Walk, iterators: Iterators, sharing: Sharing) -> None:
        self.w = w
        self.iterators = iterators
        self.sharing = sharing

    def columns(self, rows: Any, *filler: Any) -> Any:
        """Return `zip(*rows)` of a list of dynamic length: the columns, one by one.

        Of no rows Python makes no columns. Where each row is known to have as many items, so many
        columns are made, and the model fails then.

        Args:
            rows: A tuple of dynamic length.
            filler: Of `itertools.zip_longest(*rows)` what stands where a row has ended.
        """
        items = self.w.items_of(self.w.narrow(rows))
        width = len(row_parts(self.w.arenas.seen(items.element)))
        if filler or not width:
            self._require_rows(items, "zip_longest" if filler else "zip")
            idiom = idioms.lists.columns_filled if filler else idioms.lists.columns
            return self.w.call(idiom, [rows, *filler], {})
        some = self.w.scalar(bool, self.w.sequences.not_empty(items))
        self.w.check(some, ValueError, "`zip(*rows)` without rows gives no columns")
        columns = [self.w.call(idioms.lists.column, [rows, number], {}) for number in range(width)]
        return self.w.call(iter, [tuple(columns)], {})

    def _require_rows(self, items: Seq, name: str) -> None:
        """Refuse what goes through the items of a list side by side, but of lists and arrays."""
        seen = self.w.arenas.seen(items.element)
        if not all(type(one) in _ROWS or one.listed is not None for one in seen.options):
            self.w.refuse(f"`{name}(*rows)` takes lists, tuples or arrays, not {seen.shown()}")

    def is_dynamic(self, value: Any) -> bool:
        """Tell whether a value is a list or tuple of dynamic length."""
        value = self.w.narrow(value)
        return isinstance(value, list) and isinstance(self.w.held(value, ITEMS), Seq)

    def native_array(self, value: Any) -> Any:
        """Return a list or tuple as numpy sees it."""
        return self.w.call(np.array, [value], {})

    def numbers_in(self, value: Any) -> Any:
        """Return a list of dynamic length of ints or bools as an array; None of another value."""
        if not self.is_dynamic(value) or isinstance(self.w.narrow(value), DynamicTuple):
            return None
        element = self.w.items_of(self.w.narrow(value)).element
        if not isinstance(element, ScalarType) or element.dtype.kind not in "iub":
            return None
        dtype = np.dtype(bool) if element.dtype.kind == "b" else np.dtype(np.int64)
        return self.w.call(np.array, [value, dtype], {})

    def append(self, obj: list[Any], value: Any) -> None:
        """Run `obj.append(value)`."""
        items = self.w.items_of(obj)
        if isinstance(items, Seq):
            with self.w.located():
                self.w.set_items(obj, self.w.sequences.append(items, value))
        else:
            self.w.arenas.escape(value)
            self.w.set_items(obj, (*items, value))

    def extend(self, obj: list[Any], value: Any) -> None:
        """Run `obj.extend(value)`."""
        generator = self.w.as_generator(value)
        if generator is not None:
            self.w.consume(generator, lambda item: self.append(obj, item))
            return
        value = self.w.settled(value)
        if not self.iterators.is_known(value):
            if value is obj:
                value = self.w.call(list, [value], {})
            made = self.w.sequences.like([], self.w.items_of(obj))  # past an own `append`
            self.w.call(idioms.lists.extend, [made, value], {})
            self.w.set_items(obj, self.w.items_of(made))
            return
        for item in self.w.static_items(value):
            self.append(obj, item)

    def contains(self, container: Any, value: Any) -> Any:
        """Return `value in container`."""
        container, value = self.w.narrow(container), self.w.narrow(value)
        if type(value) is Text and type(container) not in (dict, set, frozenset):
            return self._holds_text(container, value)
        split = type(value) is Choice and type(container) is not Choice
        if split and not goes_whole(self.w, container, value):
            return self.w.choices.apply(value, lambda v: self.contains(container, v))
        return kind_of(container).contains(self.w, container, value)

    def _holds_text(self, container: Any, text: Text) -> Any:
        """Return whether a text of the run is among known ones."""
        listed = type(container) in (list, tuple) and not self.w.is_dynamic(container)
        names = self.w.items(container) if listed else (None,)
        if {*map(type, names)} - {str}:
            self.w.refuse(Text.MESSAGE)
        return named.is_one(self.w, text, dict.fromkeys(names))

    def is_given(self, iterator: Any, value: Any) -> Any:
        """Return whether an iterator gives a value; it is asked no further then."""
        if self.w.is_iterator(iterator):
            by = self.w.sequences.comparison_with(value)
            asked = self.w.call(idioms.iterators.asked, [iterator], {})
            return self.w.call(idioms.lists.contains, [asked, value, by], {})
        mark, site = self.w.store.mark(), self.iterators.site()
        iterator = self.iterators.ready(iterator)
        if not self.iterators.is_known(iterator) or self.iterators.is_stepwise(site):
            by = self.w.sequences.comparison_with(value)
            return self.w.call(idioms.lists.contains, [iterator, value, by], {})
        seen: list[Mark] = []
        decided = True

        def given() -> Iterator[Any]:
            for item in self.iterators.remaining(iterator):
                if decided:
                    seen.append(self.w.store.mark())
                yield item

        def same(item: Any) -> Any:
            nonlocal decided
            truth = self.same_item(item, value)
            decided = decided and not isinstance(truth, Scalar)
            return truth

        found = self.any_of(given(), same)
        if not decided:
            alone = isinstance(iterator, Cursor) or id(iterator) not in self.sharing.reachable()
            self.iterators.require_unseen(iterator if alone else None, mark, seen[-1])
            self.iterators.leave(iterator, site)
        return found

    def same_item(self, item: Any, value: Any) -> Any:
        """Tell whether `item is value or item == value`, which differ for nan."""
        if item is value:
            return True
        item, value = self.w.narrow(item), self.w.narrow(value)
        if type(item) is Choice and any(map(_may_be_nan, (*item.alternatives, value))):
            return self.w.truth(self.w.choices.apply(item, lambda one: self.same_item(one, value)))
        if type(value) is Choice and any(map(_may_be_nan, (*value.alternatives, item))):
            return self.w.truth(self.w.choices.apply(value, lambda one: self.same_item(item, one)))
        if isinstance(item, ARRAYS) and isinstance(value, ARRAYS):
            return self.w.branch(
                self.w.identical(item, value),
                lambda: True,
                lambda: self.w.truth(self.w.binary(operator.eq, item, value)),
            )
        if _may_be_nan(item) and _may_be_nan(value):
            sides = (self.w.binary(operator.ne, side, side) for side in (item, value))
            both = self.w.both(*map(self.w.truth, sides))
            text = "whether a nan is among items asks for its identity"
            self.w.check(self.w.not_(both), ValueError, text)
        return self.w.truth(self.w.binary(operator.eq, item, value))

    def any_of(self, items: Iterable[Any], test: Callable[[Any], Any]) -> Any:
        """Tell whether a test holds for one of some items; those after it are not asked."""
        result: Any = False
        for item in items:
            if isinstance(result, Scalar) and not _is_plain(item):
                result = self.w.truth(self.w.branch(result, _yes, functools.partial(test, item)))
            else:
                result = self.w.not_(self.w.both(self.w.not_(result), self.w.not_(test(item))))
            if result is True:
                break
        return result


def _yes() -> bool:
    return True


def _is_plain(item: Any) -> bool:
    """Tell whether a comparison with an item, or of a pair of items, has no effect and no error."""
    if type(item) is tuple:
        return all(isinstance(part, Scalar) or type(part) in PLAIN for part in item)
    return isinstance(item, Scalar) or type(item) in PLAIN


def _may_be_nan(value: Any) -> bool:
    if isinstance(value, Scalar):
        return issubclass(value.type, (float, np.floating))
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))
