"""Items of containers, past the methods of a class that extends a built-in type."""

from __future__ import annotations

import operator
import types
import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from elichika.iterators.base import SymbolicRange
from elichika.lowerings.python import named
from elichika.program import native_code as natives
from elichika.values.functions import Closure
from elichika.values.symbolic import Array, Choice, Symbolic
from elichika.values.tables import FrozenSet
from elichika.values.words import a_value
from elichika.walker.choices import choice_in
from elichika.walker.containers.known_keys import PAIRS
from elichika.walker.containers.table_keys import as_tuple
from elichika.walker.containers.text_keys import TAKEN, goes_whole
from elichika.walker.core import PLAIN
from elichika.walker.kinds import Kind, builtin_kind, kind_of
from elichika.walker.native.effects import Looking
from elichika.walker.native.entered import Entered, noticed
from elichika.walker.walk import Walk
from onnx_graph import dims_of, dtype_of

#: What is not asked for its `__index__`: an int of a class of the program is what it holds.
_WHOLE = (Symbolic, list, int, np.ndarray, np.generic)
#: What asks an index for its `__index__`.
_INDEXED = frozenset({list, tuple, str, range, SymbolicRange, Array, np.ndarray})


def _indices() -> tuple[type, ...]:
    """Return the classes of numbers that are indices; numpy's bools are up to numpy 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            operator.index(cast(Any, np.bool_(True)))
        except TypeError:
            return int, np.integer
    return int, np.integer, np.bool_


_INDICES = _indices()
_UNFIT = "list indices must be integers or slices, not {}"


class Subscripts:
    """The part of the walker that asks built-in types for their items."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        #: Objects that were keys, whose class has its own `__hash__`.
        self._own_keys: dict[int, Any] = {}

    def container_get(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""
        return builtin_kind(obj).get_item(self.w, obj, index)

    def container_set(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        builtin_kind(obj).set_item(self.w, obj, index, value)

    def container_delete(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        builtin_kind(obj).delete_item(self.w, obj, index)

    def container_contains(self, container: Any, value: Any) -> Any:
        """Return `value in container`."""
        return builtin_kind(container).contains(self.w, container, value)

    def index_of(self, value: Any, unfit: str = _UNFIT) -> Any:
        """Return an int, or an array of one that has no axes, as an index.

        Raises:
            TypeError: It is something else, as for `operator.index`. `unfit` says so of a type.
        """
        if isinstance(value, (Array, np.ndarray)):
            held = self.w.value_of(value)
            if len(dims_of(held)) > 0 or dtype_of(held).kind not in "iu":
                text = "only integer scalar arrays can be converted to a scalar index"
                self.w.raise_static(TypeError(text))
            return self.w.scalar(int, self.w.value_of(value, np.int64))
        kind = self.w.type_of(value)
        if not issubclass(kind, _INDICES):
            self.w.raise_static(TypeError(unfit.format(kind.__name__)))
        return value

    def get_item(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""
        return self._at(obj, index, lambda kind, o, i: kind.get_item(self.w, o, i))

    def set_item(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        index = named.told_apart(self.w, self.w.narrow(index))
        if goes_whole(self.w, self.w.narrow(obj), index, value):
            self.container_set(self.w.narrow(obj), self.w.narrow(index), value)
            return
        self._at(obj, index, lambda kind, o, i: kind.set_item(self.w, o, i, value))

    def delete_item(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        obj, index = self.w.narrow(obj), named.told_apart(self.w, self.w.narrow(index))
        split = type(index) is Choice and type(obj) is not Choice
        if split and not goes_whole(self.w, obj, index, TAKEN):
            self.w.choices.apply(index, lambda i: self.delete_item(obj, i))
        else:
            kind_of(obj).delete_item(self.w, obj, self.as_index(obj, index))

    def _at(self, obj: Any, index: Any, verb: Callable[[Kind, Any, Any], Any]) -> Any:
        """Ask the kind of an object about an item, for each that the index may name."""
        obj, index = self.w.narrow(obj), self.w.narrow(index)
        kind = kind_of(obj)
        if isinstance(obj, Choice) or goes_whole(self.w, obj, index):
            return verb(kind, obj, index)
        index = self.as_index(obj, self._with_numbers(index, type(obj) in _INDEXED))
        chosen = choice_in(index)
        if chosen is None:
            return verb(kind, obj, index)
        choice, made = chosen
        return self.w.choices.apply(choice, lambda v: self._at(obj, made(v), verb))

    def _with_numbers(self, index: Any, whole: bool = True) -> Any:
        """Return an index in which choices between numbers are numbers.

        Args:
            index: The index.
            whole: Whether the classes of whole numbers make no difference.
        """
        index = self.w.narrow(index)
        if isinstance(index, Choice):
            number = self.w.choices.numbers(index)
            if number is None and whole:
                number = self.w.choices.whole(index)
            return index if number is None else number
        if type(index) is tuple:
            return tuple(self._with_numbers(part, whole) for part in index)
        if isinstance(index, slice):
            ends = (index.start, index.stop, index.step)
            return slice(*(self._with_numbers(end, whole) for end in ends))
        return index

    def as_index(self, obj: Any, index: Any) -> Any:
        """Return an index in which what `__index__` of the program gives stands for its objects."""
        if type(obj) not in _INDEXED:
            return index
        if type(index) is tuple:
            return tuple(self.as_index(obj, part) for part in index)
        if isinstance(index, slice):
            ends = (index.start, index.stop, index.step)
            return slice(*(self.as_index(obj, end) for end in ends))
        if type(index) is list and not self.w.is_dynamic(index):
            items = self.w.items_of(index)
            numbers = list(map(self._with_numbers, items))
            same = all(map(operator.is_, numbers, items))
            return index if same else self.w.new_list(numbers)
        return self.whole(index)

    def whole(self, value: Any, *, by_numpy: bool = False) -> Any:
        """Return what `__index__` of a class of the program gives, other values as they are.

        With `by_numpy`, which may ask it more than once, it may change nothing.
        """
        if type(value) in PLAIN or isinstance(value, _WHOLE):
            return value
        method = self.w.special(value, "__index__")
        if not isinstance(method, (types.FunctionType, Closure)) or not self.w.has_source(method):
            return value
        mark = self.w.store.mark()
        made = self.w.call(method, [value], {})
        changed = (key for key in self.w.store.changes_since(mark) if not key[1].startswith("~"))
        if by_numpy and any(
            not self.w.store.is_fresh(self.w.store.owner(k), mark) for k in changed
        ):
            self.w.refuse(
                f"`__index__` of {a_value(value)} changes something: how often numpy asks it is "
                "not followed",
                "pass a number: `int(n)`",
            )
        return made

    def _hashes_by_itself(self, key: Any) -> bool:
        """Tell whether an object has a `__hash__` that cannot be asked while compiling."""
        if type(key) in PLAIN or vars(object)["__hash__"] is type(key).__hash__:
            return False
        if self.w.store.was_born(key):
            return True
        if not (natives.may_call_program(key) and type(type(key).__hash__) is types.FunctionType):
            return False
        self._own_keys[id(key)] = key
        slots = (slot for one in self._own_keys.values() for slot in self.w.store.slots(one))
        if not all(slot.startswith("~") for slot in slots):
            return True
        try:
            with noticed(True, Looking(self.w).only):
                return (hash(key), key == key)[0] is None
        except Entered:
            return True

    def hashable(self, key: Any) -> Any:
        """Return a dict key, refusing what is known only when the model runs."""
        key = self.w.narrow(key)
        if FrozenSet in map(type, (key, *as_tuple(key))):
            self.w.refuse(
                "a frozenset of values known only when the model runs is no key here",
                "use `tuple(sorted(...))` of it as the key",
            )
        if self.w.is_symbolic(key):
            self.w.refuse("a dict key must be known before the model runs", PAIRS)
        for part in filter(self._hashes_by_itself, (*as_tuple(key), key)):
            self.w.refuse(
                f"{a_value(part)}, whose class has its own `__hash__`, cannot be a key here",
                "use a tuple or a number of it as the key",
            )
        try:
            hash(key)
        except TypeError as error:
            self.w.raise_static(error)
        return key
