"""Operators and methods of Python's containers: `+`, `*`, `==`, `<`, `in`, append and extend."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor, DictView
from elichika.state.joins import ScalarType
from elichika.state.joins.containers import row_parts
from elichika.state.store import ITEMS, Mark
from elichika.values.symbolic import Array, Choice, DynamicTuple, Scalar, Seq, Text, Var
from elichika.walker.containers.iterators import Iterators
from elichika.walker.containers.mappings import Mappings
from elichika.walker.core import PLAIN
from elichika.walker.kinds import kind_of
from elichika.walker.native.costs import too_many
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk

#: What is compared element by element, unless it is one object.
ARRAYS = (Array, Var, np.ndarray, chainer.Variable)
#: What `mapping_binary` knows.
_MAPPINGS = (dict, set, frozenset, DictView)


class Lists:
    """The part of the walker that combines and compares Python's containers."""

    def __init__(self, w: Walk, iterators: Iterators, mappings: Mappings, sharing: Sharing) -> None:
        self.w = w
        self.iterators = iterators
        self.mappings = mappings
        self.sharing = sharing

    def container_binary(self, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right` where one is a container, or NotImplemented."""
        if isinstance(left, _MAPPINGS) or isinstance(right, _MAPPINGS):
            return self.mappings.mapping_binary(op, left, right)
        if not isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            if op is operator.mul and (
                isinstance(left, int) or (isinstance(left, Scalar) and left.type in (int, bool))
            ):
                return self.container_binary(op, right, left)
            if self._is_of_numpy(left) and self.w.is_symbolic((left, right)):
                if op is operator.mul and not isinstance(left, (Array, np.ndarray)):
                    return self.container_binary(op, right, left)
                return self.w.binary(op, left, self.native_array(right))
            return NotImplemented
        if isinstance(left, (list, tuple)) and self._is_of_numpy(right):
            number = not isinstance(right, (Array, np.ndarray))
            if not (number and op is operator.mul) and self.w.is_symbolic((left, right)):
                return self.w.binary(op, self.native_array(left), right)
        if not isinstance(left, (list, tuple)):
            return NotImplemented
        items = self.w.items_of(left) if isinstance(left, list) else left
        if op is operator.mul and isinstance(right, int) and isinstance(items, tuple):
            self.w.require_room(too_many(len(items) * right))
            return self._like(left, items * right)
        if op is operator.mul and isinstance(right, (int, Scalar)):
            return self._repeated(left, items, right)
        alike = _sequence_kind(left) is _sequence_kind(right)
        if op is operator.add and alike:
            others = self.w.items_of(right) if isinstance(right, list) else right
            if isinstance(items, tuple) and isinstance(others, tuple):
                return self._like(left, tuple(items) + tuple(others))
            return self._concatenated(left, items, right, others)
        if op is operator.add and isinstance(right, (list, tuple)):
            self.w.raise_static(
                TypeError(
                    f"can only concatenate {self.w.type_of(left).__name__} "
                    f'(not "{self.w.type_of(right).__name__}") to {self.w.type_of(left).__name__}'
                )
            )
        if op in (operator.eq, operator.ne) and alike:
            return self._equal(op, left, right)
        if op in (operator.lt, operator.le, operator.gt, operator.ge):
            if not self.w.is_symbolic((left, right)):
                return self.w.native(op, [left, right], {})
            return self._lexical(op, self.w.items(left), self.w.items(right))
        return NotImplemented

    def _is_of_numpy(self, value: Any) -> bool:
        """Tell whether a value makes an array of the list that it is combined with."""
        if isinstance(value, Scalar):
            return not value.is_python
        return isinstance(value, (Array, np.ndarray, np.generic))

    def _concatenated(self, left: Any, items: Any, right: Any, others: Any) -> Any:
        """Return `left + right` where one of the two has a dynamic length."""
        if others == () or items == ():
            kept = items if others == () else others
            return self.w.sequences.like(left, kept)
        if not isinstance(items, Seq):
            items = self.w.sequences.promoted(items)
        made = self.w.sequences.like([], items)
        self.extend(made, right)
        return self.w.sequences.like(left, self.w.items_of(made))

    def _repeated(self, left: Any, items: Any, count: Any) -> Any:
        """Return `left * count` where either has a length or value known at run time."""
        if isinstance(count, Scalar) and not issubclass(count.type, (int, np.integer)):
            self.w.raise_static(
                TypeError(f"can't multiply sequence by non-int of type '{count.type.__name__}'")
            )
        if isinstance(count, Scalar) and not count.is_python:
            self.w.refuse(
                "a list times a numpy number is an array operation",
                "make an int of it: `[1] * int(n)`",
            )
        if items == ():
            return self._like(left, ())
        if not isinstance(items, Seq):
            items = self.w.sequences.promoted(items)
        g = self.w.graph
        with self.w.located():
            length = self.w.sequences.length_of(items)
            turns = g.Max(self.w.value_of(count, np.int64), g.constant(0))
            repeated = self.w.sequences.collected(
                g.Mul(turns, length),
                items.element,
                lambda i: self.w.sequences.build(items, g.Mod(i, length)),
            )
        return self.w.sequences.like(left, repeated)

    def columns(self, rows: Any) -> Any:
        """Return `zip(*rows)` of a list of dynamic length: the columns, one by one.

        Of no rows Python makes no columns; here their number is known before the model runs, so
        that the model fails then.
        """
        items = self.w.items_of(self.w.narrow(rows))
        width = len(row_parts(self.w.arenas.seen(items.element)))
        if not width:
            self.w.refuse("`zip(*rows)` takes tuples of one length, known before the model runs")
        some = self.w.scalar(bool, self.w.sequences.not_empty(items))
        self.w.check(some, ValueError, "`zip(*rows)` without rows gives no columns")
        columns = [self.w.call(idioms.lists.column, [rows, number], {}) for number in range(width)]
        return self.w.call(iter, [tuple(columns)], {})

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

    def _like(self, left: Any, items: Any) -> Any:
        if isinstance(left, tuple):
            return tuple(items)
        made = self.w.new_list(())
        self.w.set_items(made, items)
        return made

    def _equal(self, op: Any, left: Any, right: Any) -> Any:
        if left is right:  # Python asks for the identity of items first
            return op is operator.eq
        mine = self.w.items_of(left) if isinstance(left, list) else left
        other = self.w.items_of(right) if isinstance(right, list) else right
        if isinstance(mine, Seq) or isinstance(other, Seq):
            for one in (left, right):
                if self.is_dynamic(one):
                    self.w.sequences.require_numbers(one)
            same = self.w.call(idioms.lists.same_lists, [left, right], {})
            return same if op is operator.eq else self.w.not_(same)
        if len(mine) != len(other):
            return op is operator.ne
        pairs = list(zip(mine, other, strict=True))
        differ = self.any_of(pairs, lambda pair: self.w.not_(self.same_item(*pair)))
        return differ if op is operator.ne else self.w.not_(differ)

    def _lexical(self, op: Any, ours: tuple[Any, ...], others: tuple[Any, ...]) -> Any:
        """Return `ours op others`, an order: the first items that differ decide."""
        if not ours or not others:
            return op(len(ours), len(others))
        same = self.same_item(ours[0], others[0])
        return self.w.branch(
            same,
            lambda: self._lexical(op, ours[1:], others[1:]),
            lambda: self.w.truth(self.w.binary(op, ours[0], others[0])),
        )

    def container_augmented(self, op: Any, current: Any, operand: Any) -> Any:
        """Run `current op= operand` in place, or return NotImplemented."""
        if isinstance(current, (dict, set)):
            return self.mappings.mapping_augmented(op, current, operand)
        if not isinstance(current, list) or isinstance(current, DynamicTuple):
            return NotImplemented
        if op is operator.add:
            self.extend(current, operand)
            return current
        if op is operator.mul and isinstance(operand, (int, Scalar)):
            repeated = self.container_binary(op, current, operand)
            self.w.set_items(current, self.w.items_of(repeated))
            return current
        return NotImplemented

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
        if isinstance(value, Text):
            self.w.refuse(Text.MESSAGE)
        if isinstance(value, Choice) and not isinstance(container, Choice):
            return self.w.choices.apply(value, lambda v: self.contains(container, v))
        return kind_of(container).contains(self.w, container, value)

    def is_given(self, iterator: Any, value: Any) -> Any:
        """Return whether an iterator gives a value; it is asked no further then."""
        mark, site = self.w.store.mark(), self.iterators.site()
        iterator = self.iterators.ready(iterator)
        if not self.iterators.is_known(iterator) or self.iterators.is_stepwise(site):
            by = self.w.sequences.comparison_with(value)
            return self.w.call(idioms.lists.contains, [iterator, value, by], {})
        asked: list[Mark] = []
        decided = True

        def given() -> Iterator[Any]:
            for item in self.iterators.remaining(iterator):
                if decided:
                    asked.append(self.w.store.mark())
                yield item

        def same(item: Any) -> Any:
            nonlocal decided
            truth = self.same_item(item, value)
            decided = decided and not isinstance(truth, Scalar)
            return truth

        found = self.any_of(given(), same)
        if not decided:
            alone = isinstance(iterator, Cursor) or id(iterator) not in self.sharing.reachable()
            self.iterators.require_unseen(iterator if alone else None, mark, asked[-1])
            self.iterators.leave(iterator, site)
        return found

    def same_item(self, item: Any, value: Any) -> Any:
        """Tell whether `item is value or item == value`, which differ for nan."""
        if item is value:
            return True
        if isinstance(item, ARRAYS) and isinstance(value, ARRAYS):
            return self.w.branch(
                self.w.identical(item, value),
                lambda: True,
                lambda: self.w.truth(self.w.binary(operator.eq, item, value)),
            )
        if _may_be_nan(item) and _may_be_nan(value):
            number = self.w.binary(operator.eq, value, value)
            self.w.check(number, ValueError, "whether a nan is among items asks for its identity")
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
    return isinstance(value, Scalar) and value.type is float


def _sequence_kind(value: Any) -> type | None:
    """Return list or tuple for what Python compares and joins as such."""
    if isinstance(value, (tuple, DynamicTuple)):
        return tuple
    return list if isinstance(value, list) else None
