"""Lists, tuples, dicts and what can be iterated; contents are locations of the store."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from elichika import idioms
from elichika.iteration import ENDLESS, DictView, InstanceDict, Staged, SymbolicRange
from elichika.joins.rows import row_parts
from elichika.store import MISSING, Mark
from elichika.values import (
    COUNTER_BOUND,
    PYTHON_DTYPES,
    UNSET,
    Array,
    Choice,
    Conflict,
    DynamicTuple,
    Scalar,
    Seq,
    Symbolic,
    Text,
    Var,
)
from elichika.walker.amounts import too_many
from elichika.walker.core import Core, Raised
from elichika.walker.scopes import GeneratorCall
from onnx_graph import Value

#: The most items that an iterator may give while compiling.
MAX_ITEMS = 10_000


class Containers(Core):
    """The part of the walker that knows Python's containers."""

    # -- iteration ----------------------------------------------------------------------------

    def iterate(self, value: Any) -> Staged:
        """Return what a loop runs over."""
        value = self.narrow(value)
        if isinstance(value, Conflict):
            self.undefined(value, "what this loop runs over", UnboundLocalError)
        if isinstance(value, Choice):
            return self._one_of(value)
        if isinstance(value, Text):
            self.refuse(Text.MESSAGE)
        if isinstance(value, Staged):
            return self._rest(value)
        if isinstance(value, GeneratorCall):
            return self.iterate(self.store.get(value, "rest"))
        if isinstance(value, SymbolicRange):
            return Staged(value.length, lambda i: self._range_item(value, i))
        if isinstance(value, (Array, Var, np.ndarray)):
            return self._rows(value)
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, tuple):
            return Staged(len(value), lambda i: self.get_item(value, i), uniform=False)
        if isinstance(value, (set, frozenset)) and len(self.version(value, "[items]")) > 1:
            self.refuse("the order of a set is not fixed", "iterate over `sorted(...)` of it")
        if isinstance(value, (dict, set)):
            return self.iterated(value, lambda: list(self.sure_items(value)))
        if isinstance(value, DictView):
            return self.iterated(value.mapping, lambda: self.view_items(value))
        if isinstance(value, InstanceDict):
            self.arenas.require_order(value.obj)
            return self.iterate(tuple(self.attributes_of(value.obj)))
        if isinstance(value, range):
            return Staged(len(value), lambda i: self.container_get(value, i))
        if isinstance(value, Scalar):
            self.raise_static(TypeError(f"'{value.type.__name__}' object is not iterable"))
        if self.is_iterator(value):
            return self.iterate(self._exhausted(value))
        method = self.special(value, "__iter__")
        if method is not None and self.has_source(method):
            made = self.call(method, [value], {})
            generator = self.as_generator(made)
            return self.iterate(made if generator is None else self.gathered(generator))
        if method is None and self.special(value, "__getitem__") is not None:
            items = self.special(value, "__len__")
            if items is not None and self.has_source(items):
                length = self.call(items, [value], {})
                return Staged(length, lambda i: self.get_item(value, i), uniform=False)
        items = self.items(self.native(list, [value], {}))
        return Staged(len(items), lambda i: self._nth(items, i), uniform=False)

    def _one_of(self, value: Choice) -> Staged:
        """Return what a loop over one of several things runs over: each turn chooses again."""
        if any(isinstance(a, (GeneratorCall, Staged)) for a in value.alternatives):
            self.refuse(
                "this loop runs over one of several iterators",
                "loop inside the branch that decides",
            )

        def length() -> Any:
            return self.choices.apply(value, lambda v: self.iterate(v).current_length())

        def item(index: Any) -> Any:
            return self.choices.apply(value, lambda v: self.iterate(v).item(index))

        grows = any(isinstance(a, list) for a in value.alternatives)
        return Staged(length(), item, False, length if grows else None)

    def _nth(self, items: tuple[Any, ...], index: Any) -> Any:
        return items[index] if isinstance(index, int) else self.get_item(items, index)

    def _rows(self, value: Any) -> Staged:
        dims = self.dims(value)
        if not dims:
            self.raise_static(TypeError("iteration over a 0-d array"))
        return Staged(self.dim_scalar(dims[0]), lambda i: self.get_item(value, i))

    def _list(self, value: list[Any]) -> Staged:
        def item(index: Any) -> Any:
            items = self.version(value, "[items]")
            if isinstance(items, Seq) and isinstance(index, Scalar):  # no loop asks beyond the end
                return self.sequences.build(items, self.value_of(index, np.int64))
            return self.get_item(value, index)

        length = self.sequences.length(value)
        return Staged(length, item, False, lambda: self.sequences.length(value))

    def _range_item(self, value: SymbolicRange, index: Any) -> Any:
        plain = isinstance(value.step, int) and value.step == 1
        step = index if plain else self.binary(operator.mul, index, value.step)
        result = self.binary(operator.add, value.start, step)
        if isinstance(result, Scalar):
            result.bound = min(result.bound, COUNTER_BOUND)
        return result

    def settled(self, value: Any) -> Any:
        """Return a list of what an object of the program gives, which may give it only once.

        What can be looked at again and again stays as it is.
        """
        value = self.narrow(value)
        generator = self.as_generator(value)
        if generator is not None:
            return self.gathered(generator)
        if isinstance(value, (Symbolic, Staged, GeneratorCall, list, tuple, dict, set, str)):
            return value
        if self.is_iterator(value):
            return self.new_list(self._exhausted(value))
        method = self.special(value, "__iter__")
        if method is None or not self.has_source(method):
            return value
        return self.settled(self.call(method, [value], {}))

    def is_iterator(self, value: Any) -> bool:
        """Tell whether a value is an object whose class defines `__next__` in Python."""
        method = None if isinstance(value, Staged) else self.special(value, "__next__")
        return method is not None and self.has_source(method)

    def advanced(self, iterator: Any) -> tuple[bool, Any]:
        """Call `__next__`; return whether the iterator has ended, and the item."""
        self.handlers.append((StopIteration,))
        try:
            return False, self.call(self.special(iterator, "__next__"), [iterator], {})
        except Raised as raised:
            if not isinstance(raised.error, StopIteration):
                raise
            return True, None
        finally:
            self.handlers.pop()

    def _exhausted(self, iterator: Any) -> tuple[Any, ...]:
        items: list[Any] = []
        while True:
            ended, item = self.advanced(iterator)
            if ended:
                return tuple(items)
            items.append(item)
            if len(items) >= MAX_ITEMS:
                self.refuse(f"this iterator gives more than {MAX_ITEMS} items")

    def range_get(self, value: SymbolicRange, index: Any) -> Any:
        """Return `range(...)[index]`."""
        below = self.truth(self.binary(operator.lt, index, 0))
        place = self.branch(
            below, lambda: self.binary(operator.add, index, value.length), lambda: index
        )
        inside = self.both(
            self.truth(self.binary(operator.ge, place, 0)),
            self.truth(self.binary(operator.lt, place, value.length)),
        )
        self.check(inside, IndexError, "range object index out of range")
        return self._range_item(value, place)

    def one_shot(self, staged: Staged) -> Staged:
        """Return a Python iterator: it can be used up once."""
        made: Staged = self.store.born(replace(staged, once=True))
        self.store.set(made, "position", 0)
        return made

    def _rest(self, staged: Staged) -> Staged:
        """Return what is left of an iterator of which `next` took items."""
        taken = self.store.get(staged, "position")
        if taken is MISSING or (isinstance(taken, int) and taken == 0):
            return staged
        left = self.binary(operator.sub, staged.length, taken)
        return Staged(
            self.call(len, [self.call(range, [left], {})], {}),
            lambda i: staged.item(self.binary(operator.add, i, taken)),
            staged.uniform,
        )

    def take(self, staged: Staged, *default: Any) -> Any:
        """Return the next item of an iterator, or the default."""
        if self.store.get(staged, "spent") not in (MISSING, UNSET):
            self.refuse("this iterator was used before", "make a list of it first")
        position = self.store.get(staged, "position")
        some = self.truth(self.binary(operator.lt, position, staged.current_length()))
        self.store.set(staged, "position", self.binary(operator.add, position, 1))
        if default:
            return self.branch(some, lambda: staged.item(position), lambda: default[0])
        self.check(some, StopIteration, "the iterator has no more items")
        return staged.item(position)

    def ahead(self, generator: GeneratorCall) -> Staged:
        """Return an iterator over what a generator yields, which is walked to its end now.

        Items after the one asked for are computed too: a check among them fails too early.

        Raises:
            StagingError: It changes what others can see: Python would do that later, or never.
        """
        mark = self.store.mark()
        items = self.gathered(generator)
        self.require_unseen(generator, mark)
        staged = self.one_shot(self.iterate(items))
        self.store.set(generator, "rest", staged)
        return staged

    def require_unseen(self, iterator: Any, mark: Mark, since: Mark | None = None) -> None:
        """Refuse what an iterator did if others can see it: Python may not do it.

        Args:
            iterator: What is asked for items.
            mark: When it was asked for the first one.
            since: What it did before is done in any case.
        """
        for key in self.store.changes_since(mark if since is None else since):
            owner = self.store.owner(key)
            ours = key[1].startswith("~") or key[1] == "spent"
            ours = ours or owner is iterator or owner is self.token
            if not ours and not self.store.is_fresh(owner, mark):
                self.refuse(
                    "this iterator changes something after the item asked for",
                    "make a list of its items first",
                )

    def drawn(self, value: Any) -> Any:
        """Return what `settled` does, for what is asked for items one by one later.

        Raises:
            StagingError: To give the items changes what the program can see meanwhile.
        """
        value = self.narrow(value)
        mark = self.store.mark()
        found = self.settled(value)
        if found is not value:
            alone = isinstance(value, GeneratorCall) or id(value) not in self.reachable()
            self.require_unseen(value if alone else None, mark)
        return found

    def spend(self, value: Any) -> None:
        """Use an iterator up, if `value` is one.

        Raises:
            StagingError: It was used before; where, is not followed.
        """
        value = self.narrow(value)
        if isinstance(value, GeneratorCall):
            value = self.store.get(value, "rest")
        if isinstance(value, Staged) and value.once:
            if self.store.get(value, "spent") not in (MISSING, UNSET):
                self.refuse("this iterator was used before", "make a list of it first")
            self.store.set(value, "spent", True)

    def gathered(self, generator: Any) -> list[Any]:
        """Return a list, of known length or not, of what a generator yields."""
        made = self.new_list(())
        self.consume(generator, lambda item: self.append(made, item))
        return made

    def static_items(self, value: Any) -> list[Any]:
        """Return the items of an iterable of known length."""
        value = self.settled(value)
        self.spend(value)
        staged = self.iterate(value)
        if not isinstance(staged.length, int):
            self.refuse("the number of items must be known before the model runs here")
        if staged.length >= ENDLESS:
            self.refuse("this iterator has no end")
        self.require_room(too_many(staged.length))
        return [staged.item(i) for i in range(staged.length)]

    def mapping_items(self, value: Any) -> dict[str, Any]:
        """Return the items of a mapping that is spread by `**`."""
        value = self.narrow(value)
        if isinstance(value, InstanceDict):
            self.arenas.require_order(value.obj)
            return self.attributes_of(value.obj)
        if not isinstance(value, dict):
            self.refuse("`**` of something that is not a dict known now")
        return self.sure_items(value)

    # -- reading ------------------------------------------------------------------------------

    def container_get(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]` of a list, tuple, dict, str or range."""
        if isinstance(obj, dict):
            return self._dict_get(obj, index)
        if isinstance(obj, (str, range)):
            if isinstance(obj, str) and isinstance(index, Scalar):
                return self._pick(tuple(obj), index)
            if self.is_symbolic(index):
                if isinstance(obj, range) and not isinstance(index, slice):
                    offset = self.binary(operator.mul, index, obj.step)
                    return self.binary(operator.add, offset, obj.start)
                self.refuse("an index into text must be known before the model runs")
            return self.native(operator.getitem, [obj, index], {})
        items = self.version(obj, "[items]") if isinstance(obj, list) else obj
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
                self.refuse("a slice of a named tuple must have bounds known before the model runs")
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
        if isinstance(index, Scalar) and self.special(obj, "__missing__") is None:
            return self.pick_by_key(obj, index)
        key = self._key(index)
        items = self.version(obj, "[items]")
        held = self.narrow(items.get(key, UNSET))
        if self.special(obj, "__missing__") is None:
            if key not in items:
                self.raise_static(KeyError(key))
            return self.undefined(held, f"key {key!r}", KeyError)
        if isinstance(held, Choice) and any(a is UNSET for a in held.alternatives):
            return self.choices.apply(
                held, lambda value: self._missing_item(obj, key) if value is UNSET else value
            )
        if held is UNSET:
            return self._missing_item(obj, key)
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

    def _key(self, index: Any) -> Any:
        return self.hashable(index)

    # -- writing ------------------------------------------------------------------------------

    def container_set(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value` on a list or dict."""
        items = self.version(obj, "[items]")
        if isinstance(obj, dict):
            self.store.set(obj, "[items]", {**items, self._key(index): value})
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
        changed = self.call(idioms.with_slice, [obj, index.start, index.stop, others], {})
        self.store.set(obj, "[items]", self.version(changed, "[items]"))

    def delete_item(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        obj, index = self.narrow(obj), self.narrow(index)
        if isinstance(obj, Choice):
            self.choices.apply(obj, lambda v: self.delete_item(v, index))
            return
        if isinstance(index, Choice):
            self.choices.apply(index, lambda i: self.delete_item(obj, i))
            return
        items = self.version(obj, "[items]") if isinstance(obj, (list, dict)) else None
        if isinstance(index, slice) and (isinstance(items, Seq) or self.is_symbolic(index)):
            self._replace_slice(obj, index, [])
            return
        if isinstance(items, tuple) and items and isinstance(index, Scalar):
            items = self.sequences.promoted(items)
        if isinstance(obj, dict) and items is not None:
            key = self._key(index)
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
            self.refuse(f"`del` of an item of {type(obj).__name__} is not supported")

    # -- operators ----------------------------------------------------------------------------

    def container_binary(self, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right` where one is a container, or NotImplemented."""
        if isinstance(left, _MAPPINGS) or isinstance(right, _MAPPINGS):
            return self.mapping_binary(op, left, right)
        if not isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            if op is operator.mul and (
                isinstance(left, int) or (isinstance(left, Scalar) and left.type in (int, bool))
            ):
                return self.container_binary(op, right, left)
            if self._is_of_numpy(left) and self.is_symbolic((left, right)):
                if op is operator.mul and not isinstance(left, (Array, np.ndarray)):
                    return self.container_binary(op, right, left)
                return self.binary(op, left, self.native_array(right))
            return NotImplemented
        if isinstance(left, (list, tuple)) and self._is_of_numpy(right):
            number = not isinstance(right, (Array, np.ndarray))
            if not (number and op is operator.mul) and self.is_symbolic((left, right)):
                return self.binary(op, self.native_array(left), right)
        if not isinstance(left, (list, tuple)):
            return NotImplemented
        items = self.version(left, "[items]") if isinstance(left, list) else left
        if op is operator.mul and isinstance(right, int) and isinstance(items, tuple):
            self.require_room(too_many(len(items) * right))
            return self._like(left, items * right)
        if op is operator.mul and isinstance(right, (int, Scalar)):
            return self._repeated(left, items, right)
        if op is operator.add and self.type_of(left) is self.type_of(right):
            others = self.version(right, "[items]") if isinstance(right, list) else right
            if isinstance(items, tuple) and isinstance(others, tuple):
                return self._like(left, tuple(items) + tuple(others))
            return self._concatenated(left, items, right, others)
        if op is operator.add and isinstance(right, (list, tuple)):
            self.raise_static(
                TypeError(
                    f"can only concatenate {self.type_of(left).__name__} "
                    f'(not "{self.type_of(right).__name__}") to {self.type_of(left).__name__}'
                )
            )
        if op in (operator.eq, operator.ne) and self.type_of(left) is self.type_of(right):
            return self._equal(op, left, right)
        if op in (operator.lt, operator.le, operator.gt, operator.ge):
            if not self.is_symbolic((left, right)):
                return self.native(op, [left, right], {})
            return self._lexical(op, self.items(left), self.items(right))
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
            return self.sequences.like(left, kept)
        if not isinstance(items, Seq):
            items = self.sequences.promoted(items)
        made = self.sequences.like([], items)
        self.extend(made, right)
        return self.sequences.like(left, self.version(made, "[items]"))

    def _repeated(self, left: Any, items: Any, count: Any) -> Any:
        """Return `left * count` where either has a length or value known at run time."""
        if isinstance(count, Scalar) and not issubclass(count.type, (int, np.integer)):
            self.raise_static(
                TypeError(f"can't multiply sequence by non-int of type '{count.type.__name__}'")
            )
        if isinstance(count, Scalar) and not count.is_python:
            self.refuse("a list times a numpy number is an array operation")
        if items == ():
            return self._like(left, ())
        if not isinstance(items, Seq):
            items = self.sequences.promoted(items)
        g = self.graph
        with self.located():
            length = self.sequences.length_of(items)
            turns = g.Max(self.value_of(count, np.int64), g.constant(0))
            repeated = self.sequences.collected(
                g.Mul(turns, length),
                items.element,
                lambda i: self.sequences.build(items, g.Mod(i, length)),
            )
        return self.sequences.like(left, repeated)

    def columns(self, rows: Any) -> Any:
        """Return `zip(*rows)` of a list of dynamic length: the columns, one by one.

        Of no rows Python makes no columns; here their number is known before the model runs, so
        that the model fails then.
        """
        items = self.version(self.narrow(rows), "[items]")
        width = len(row_parts(items.element))
        if not width:
            self.refuse("`zip(*rows)` takes tuples of one length, known before the model runs")
        some = self.scalar(bool, self.sequences.not_empty(items))
        self.check(some, ValueError, "`zip(*rows)` without rows gives no columns")
        columns = [self.call(idioms.column, [rows, place], {}) for place in range(width)]
        return self.call(iter, [tuple(columns)], {})

    def is_dynamic(self, value: Any) -> bool:
        """Tell whether a value is a list or tuple of dynamic length."""
        value = self.narrow(value)
        return isinstance(value, list) and isinstance(self.held(value, "[items]"), Seq)

    def _require_list(self, obj: Any, what: str) -> None:
        if isinstance(obj, DynamicTuple):
            self.raise_static(TypeError(f"'tuple' object does not support {what}"))

    def native_array(self, value: Any) -> Any:
        """Return a list or tuple as numpy sees it."""
        return self.call(np.array, [value], {})

    def _like(self, left: Any, items: Any) -> Any:
        if isinstance(left, tuple):
            return tuple(items)
        made = self.new_list(())
        self.store.set(made, "[items]", items)
        return made

    def _equal(self, op: Any, left: Any, right: Any) -> Any:
        mine = self.version(left, "[items]") if isinstance(left, list) else left
        other = self.version(right, "[items]") if isinstance(right, list) else right
        if isinstance(mine, Seq) or isinstance(other, Seq):
            for one in (left, right):
                if self.is_dynamic(one):
                    self.sequences.require_numbers(one, 0)
            same = self.call(idioms.same_lists, [left, right], {})
            return same if op is operator.eq else self.not_(same)
        if len(mine) != len(other):
            return op is operator.ne
        result: Any = True
        for a, b in zip(mine, other, strict=True):
            result = self.both(result, self._same_item(a, b))
        return result if op is operator.eq else self.not_(result)

    def _lexical(self, op: Any, ours: tuple[Any, ...], others: tuple[Any, ...]) -> Any:
        """Return `ours op others`, an order: the first items that differ decide."""
        if not ours or not others:
            return op(len(ours), len(others))
        same = self._same_item(ours[0], others[0])
        return self.branch(
            same,
            lambda: self._lexical(op, ours[1:], others[1:]),
            lambda: self.truth(self.binary(op, ours[0], others[0])),
        )

    def container_augmented(self, op: Any, current: Any, operand: Any) -> Any:
        """Run `current op= operand` in place, or return NotImplemented."""
        if isinstance(current, (dict, set)):
            return self.mapping_augmented(op, current, operand)
        if not isinstance(current, list) or isinstance(current, DynamicTuple):
            return NotImplemented
        if op is operator.add:
            self.extend(current, operand)
            return current
        if op is operator.mul and isinstance(operand, (int, Scalar)):
            repeated = self.container_binary(op, current, operand)
            self.store.set(current, "[items]", self.version(repeated, "[items]"))
            return current
        return NotImplemented

    def append(self, obj: list[Any], value: Any) -> None:
        """Run `obj.append(value)`."""
        items = self.version(obj, "[items]")
        if isinstance(items, Seq):
            with self.located():
                self.store.set(obj, "[items]", self.sequences.append(items, value))
        else:
            self.arenas.escape(value)
            self.store.set(obj, "[items]", (*items, value))

    def extend(self, obj: list[Any], value: Any) -> None:
        """Run `obj.extend(value)`."""
        generator = self.as_generator(value)
        if generator is not None:
            self.consume(generator, lambda item: self.append(obj, item))
            return
        value = self.settled(value)
        staged = self.iterate(value)
        if not isinstance(staged.length, int):
            if value is obj:
                value = self.call(list, [value], {})
            self.call(idioms.extend, [obj, value], {})
            return
        for item in self.static_items(value):
            self.append(obj, item)

    def contains(self, container: Any, value: Any) -> Any:
        """Return `value in container`."""
        container, value = self.narrow(container), self.narrow(value)
        if isinstance(container, Text) or isinstance(value, Text):
            self.refuse(Text.MESSAGE)
        if isinstance(container, Choice):
            return self.choices.apply(container, lambda v: self.contains(v, value))
        if isinstance(value, Choice):
            return self.choices.apply(value, lambda v: self.contains(container, v))
        if isinstance(container, InstanceDict):
            return value in self.attributes_of(container.obj)
        if isinstance(container, DictView):
            if container.kind == "keys":
                return self.contains(container.mapping, value)
            container = tuple(self.view_items(container))
        if isinstance(container, (dict, set, frozenset)):
            if isinstance(value, Scalar):
                return self._any_of(s for _, s in self.matching(self.sure_items(container), value))
            items = self.version(container, "[items]")
            key = self._key(value)
            if key not in items:
                return False
            held = self.narrow(items[key])
            if isinstance(held, Choice) and any(a is UNSET for a in held.alternatives):
                return self.not_(self._tag_test(held, lambda a: a is UNSET))
            return held is not UNSET
        if not self.is_symbolic((container, value)):
            return self.native(operator.contains, [container, value], {})
        if isinstance(container, (Array, np.ndarray)):
            hits = self.binary(operator.eq, container, value)
            return self.truth(self.call(np.any, [hits], {}))
        method = self.special(container, "__contains__")
        if method is not None and self.has_source(method):
            return self.truth(self.call(method, [container, value], {}))
        if isinstance(container, list) and self.is_dynamic(container):
            self.sequences.require_numbers(container, value)
            return self.call(idioms.contains, [container, value], {})
        if isinstance(container, str) and not isinstance(value, str):
            kind = self.type_of(value).__name__
            message = f"'in <string>' requires string as left operand, not {kind}"
            self.raise_static(TypeError(message))
        mark = self.store.mark()
        items = self.static_items(container)
        self.require_unseen(container, mark)
        return self._any_of(self._same_item(i, value) for i in items)

    def _same_item(self, item: Any, value: Any) -> Any:
        """Tell whether `item is value or item == value`, which differ for nan."""
        if item is value:
            return True
        if _may_be_nan(item) and _may_be_nan(value):
            number = self.binary(operator.eq, value, value)
            self.check(number, ValueError, "whether a nan is among items asks for its identity")
        return self.truth(self.binary(operator.eq, item, value))

    def _any_of(self, truths: Iterable[Any]) -> Any:
        result: Any = False
        for one in truths:
            result = self.not_(self.both(self.not_(result), self.not_(one)))
        return result


#: What `mapping_binary` knows.
_MAPPINGS = (dict, set, frozenset, DictView)


def _may_be_nan(value: Any) -> bool:
    return isinstance(value, Scalar) and value.type is float


def _is_number(value: Any) -> bool:
    """Tell whether a value is a numpy scalar that a tensor holds."""
    return isinstance(value, np.generic) and value.dtype.kind in "biuf"
