"""Sorting, and the methods of lists, tuples, dicts and sets."""

from __future__ import annotations

import bisect
import builtins
import collections
import functools
import heapq
import itertools
import operator
import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.idioms.queues import Deque, steady
from elichika.iterators import Steady
from elichika.iterators.base import DictView, InstanceDict
from elichika.lowerings.python.iterables import dict_, is_long, list_, listed
from elichika.program import native_code as natives
from elichika.registry import always, lowers, takes_choices
from elichika.state.joins import ArrayType, ChoiceType, ScalarType, TypeReader
from elichika.state.joins.references import RefType
from elichika.state.joins.rows import row_parts
from elichika.values.functions import Closure
from elichika.values.symbolic import Array, Choice, Scalar, Seq, Symbolic
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.walker.walker import Walker

#: What may be sorted when the model runs.
NUMBERS = (Scalar, bool, int, float, np.generic)


@lowers(functools.cmp_to_key)
def cmp_to_key(w: LoweringContext, mycmp: Any) -> Any:
    """A comparison that is walked gives no key."""
    w.refuse("`cmp_to_key` is not supported", "sort by a key")


def ordered(w: Walker, iterable: Any, key: Any, reverse: Any) -> Any:
    """Return a fresh list of the items in order."""
    if isinstance(reverse, Scalar):
        return w.branch(
            w.truth(reverse),
            lambda: ordered(w, iterable, key, True),
            lambda: ordered(w, iterable, key, False),
        )
    if isinstance(iterable, (set, frozenset)):
        iterable = tuple(w.sure_items(iterable) if isinstance(iterable, set) else iterable)
    iterable = listed(w, iterable)
    if isinstance(key, functools.cmp_to_key(lambda a, b: 0).__class__):
        w.refuse("`cmp_to_key` is not supported", "sort by a key")
    if is_long(w, iterable):
        items = w.call(list, [iterable], {})
        keys = items if key is None else w.call(idioms.lists.keys_of, [items, key], {})
        return _by_numbers(w, items, keys, bool(reverse))
    items = w.static_items(iterable)
    keys = items if key is None else [w.call(key, [item], {}) for item in items]
    walked = any(_is_ordered(w, cls) for cls in _classes(w, keys))
    if not walked and not w.is_symbolic(tuple(keys)):
        try:
            places = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(reverse))
        except TypeError as error:
            w.raise_static(error)
        return w.new_list([items[i] for i in places])
    settled = _settled_order(w, keys, bool(reverse))
    if settled is not None:
        return w.new_list([items[i] for i in settled])
    return _by_numbers(w, w.new_list(items), keys, bool(reverse))


def _settled_order(w: LoweringContext, keys: list[Any], reverse: bool) -> list[int] | None:
    """Return the order of tuples that begin with known parts, if these alone decide it."""
    keys = list(map(w.narrow, keys))
    if not all(isinstance(key, tuple) for key in keys):
        return None
    heads = [tuple(itertools.takewhile(lambda part: not w.is_symbolic(part), key)) for key in keys]
    shared = min(map(len, heads))
    heads = [head[:shared] for head in heads]
    try:
        places = sorted(range(len(heads)), key=heads.__getitem__, reverse=reverse)
    except TypeError:
        return None
    if any(heads[a] == heads[b] for a, b in itertools.pairwise(places)):
        return None
    return places


def _by_numbers(w: Walker, items: Any, keys: Any, reverse: bool) -> Any:
    """Sort a list by numbers, or by tuples as far as they begin with numbers."""
    columns, whole = _columns(w, keys)
    if not columns:
        return w.call(idioms.lists.picked, [items, _order_by_less(w, keys, reverse)], {})
    order = w.call(np.arange, [w.call(len, [items], {})], {})
    for column in reversed(columns):
        order = w.call(idioms.lists.refined, [order, column, reverse], {})
    if not whole:
        w.call(idioms.lists.require_apart, [order, columns], {})
    return w.call(idioms.lists.picked, [items, order], {})


def _order_by_less(w: Walker, keys: Any, reverse: bool) -> Any:
    """Return the order of objects whose class defines `<` in Python."""
    if not all(_is_ordered(w, cls) for cls in _classes(w, keys)):
        w.refuse(
            "only numbers, tuples of numbers and objects with `__lt__` are sorted",
            "give a key that is a number",
        )
    mark = w.store.mark()
    order = w.call(idioms.lists.order_by_less, [keys, reverse], {})
    w.require_unseen(None, mark)
    return order


def _classes(w: Walker, keys: Any) -> list[Any]:
    """Return the classes of what is sorted, None of what is no object."""
    if not w.is_dynamic(keys):
        return [None if isinstance(key, Symbolic) else type(key) for key in map(w.narrow, keys)]
    element = w.items_of(w.narrow(keys)).element
    cls = element.arena.cls if isinstance(element, RefType) else getattr(element, "cls", None)
    return [cls]


def _is_ordered(w: Walker, cls: Any) -> bool:
    """Tell whether a class of the program orders its objects."""
    methods = [getattr(cls, name, None) for name in ("__lt__", "__gt__")]
    return any(
        isinstance(m, Closure)
        or (isinstance(m, types.FunctionType) and not natives.is_foreign(m) and w.has_source(m))
        for m in methods
    )


def _columns(w: Walker, keys: Any) -> tuple[list[Any], bool]:
    """Return the numbers that keys begin with, place by place, and whether that is all of them."""
    if w.is_dynamic(keys):
        element = w.items_of(w.narrow(keys)).element
        if _is_number(element):
            return [keys], True
        if _is_float(element):
            return [_as_floats(w, keys)], True
        parts = row_parts(element)
        numbers = list(itertools.takewhile(_is_number, parts))
        columns = [w.call(idioms.lists.column, [keys, place], {}) for place in range(len(numbers))]
        return columns, len(numbers) == len(parts)
    keys = list(map(w.narrow, keys))
    if all(_is_plain(w, key) for key in keys):
        return [w.new_list(keys)], True
    if all(_is_float(TypeReader(w, w.store.mark()).of(key)) for key in keys):
        return [w.new_list([w.scalar(float, w.value_of(key, np.float64)) for key in keys])], True
    rows = [w.static_items(key) for key in keys if isinstance(key, (tuple, list))]
    if len(rows) != len(keys) or len(set(map(len, rows))) != 1:
        return [], True
    places = list(zip(*rows, strict=True))
    leading = itertools.takewhile(lambda place: all(_is_plain(w, key) for key in place), places)
    found = [w.new_list(column) for column in leading]
    return found, len(found) == len(places)


def _is_plain(w: LoweringContext, key: Any) -> bool:
    key = w.narrow(key)
    return isinstance(key, NUMBERS) or (isinstance(key, Array) and not w.dims(key))


def _is_number(type_: Any) -> bool:
    return isinstance(type_, ScalarType) or (isinstance(type_, ArrayType) and not type_.dims)


def _is_float(type_: Any) -> bool:
    """Tell whether keys are floats, maybe of several types, which compare as the widest does."""
    alternatives = type_.alternatives if isinstance(type_, ChoiceType) else (type_,)
    return all(isinstance(one, ScalarType) and one.dtype.kind == "f" for one in alternatives)


def _as_floats(w: Walker, keys: Any) -> Any:
    """Return a list of floats of several types as one of float64."""
    items = w.items_of(w.narrow(keys))
    length = w.sequences.length_of(items)

    def widened(place: Value) -> Any:
        held = w.sequences.build(items, place)
        return w.scalar(float, w.value_of(held, np.float64))

    return w.sequences.like([], w.sequences.collected(length, ScalarType(float), widened))


@lowers(collections.deque)
@always
def deque(w: LoweringContext, *args: Any, **kwargs: Any) -> Any:
    """An object of `idioms.queues`, over a list."""
    return w.call(Deque, list(args), kwargs)


@lowers(steady)
@always
def deque_iterator(w: Walker, given: Any, items: Any) -> Any:
    """Run over a list as long as the items of a deque stay what they are."""
    return w.started(Steady(w, w.container_iterate(given), items))


@lowers(builtins.sorted)
@always
def sorted_(w: Walker, iterable: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """Return the items in order; items that are equal keep theirs."""
    return ordered(w, iterable, key, reverse)


@lowers(list.sort)
@always
def list_sort(w: Walker, obj: Any, *, key: Any = None, reverse: Any = False) -> None:
    """Sort in the store."""
    made = ordered(w, obj, key, reverse)
    w.set_items(obj, w.items_of(made))


def _first(w: Walker, items: Any, value: Any, start: int, kind: str) -> Any:
    """Return where the first item that equals `value` is, among items of known number."""
    if start == len(items):
        w.raise_static(ValueError(f"the value is not in {kind}"))
    same = w.same_item(items[start], value)
    return w.branch(same, lambda: start, lambda: _first(w, items, value, start + 1, kind))


@lowers(list.index, tuple.index)
@always
def index(w: Walker, obj: Any, value: Any, *bounds: Any) -> Any:
    """Find an item that equals a value."""
    if bounds:
        w.refuse(
            "`index` with bounds is not compiled",
            "cut the list first: `l[start:].index(v) + start`",
        )
    if isinstance(obj, list) and isinstance(w.items_of(obj), Seq):
        same = w.sequences.comparison(obj, value)
        return w.call(idioms.lists.position, [obj, value, same], {})
    return _first(w, w.items(obj), value, 0, w.type_of(obj).__name__)


@lowers(list.count, tuple.count)
@always
def count(w: Walker, obj: Any, value: Any) -> Any:
    """Count the items that equal a value."""
    if isinstance(obj, list) and isinstance(w.items_of(obj), Seq):
        same = w.sequences.comparison(obj, value)
        return w.call(idioms.lists.count, [obj, value, same], {})
    total: Any = 0
    for item in w.items(obj):
        same = w.same_item(item, value)
        total = w.binary(operator.add, total, w.call(int, [same], {}))
    return total


@lowers(list.remove)
@always
def list_remove(w: Walker, obj: Any, value: Any) -> None:
    """Take out the first item that equals a value."""
    place = index(w, obj, value)
    if isinstance(place, Choice):
        place = w.choices.numbers(place)
    w.container_delete(obj, place)


@lowers(dict.clear, OrderedDict.clear, set.clear)
@always
def clear(w: Walker, obj: Any) -> None:
    """Empty in the store."""
    w.set_items(obj, {})


@lowers(dict.popitem)
@always
def popitem(w: Walker, obj: Any) -> Any:
    """Take the last item out."""
    items = w.sure_items(obj)
    if not items:
        w.raise_static(KeyError("popitem(): dictionary is empty"))
    key = list(items)[-1]
    w.container_delete(obj, key)
    return key, items[key]


@lowers(dict.fromkeys)
@always
def fromkeys(w: Walker, keys: Any, value: Any = None) -> Any:
    """Make a dict with one value for all keys."""
    return w.new_dict({w.hashable(key): value for key in w.static_items(keys)})


@lowers(set.pop)
@always
def set_pop(w: Walker, obj: Any) -> Any:
    """Take the only key out; which one of several, Python does not say."""
    items = w.sure_items(obj)
    if len(items) > 1:
        w.refuse(
            "which item `pop` of a set takes is not fixed", "take it from `sorted(...)` of the set"
        )
    if not items:
        w.raise_static(KeyError("pop from an empty set"))
    (key,) = items
    w.set_items(obj, {})
    return key


def _in_place(method: Any, op: Callable[[Any, Any], Any]) -> None:
    @lowers(method)
    @always
    def lowering(w: Walker, obj: Any, *others: Any) -> None:
        for other in others:
            w.augmented("", op, obj, set_(w, other))


_in_place(set.update, operator.or_)
_in_place(set.difference_update, operator.sub)
_in_place(set.intersection_update, operator.and_)
_in_place(set.symmetric_difference_update, operator.xor)


@lowers(list.append)
@always
@takes_choices
def list_append(w: Walker, obj: Any, value: Any) -> None:
    """Append in the store."""
    w.append(obj, value)


@lowers(list.extend)
@always
def list_extend(w: Walker, obj: Any, value: Any) -> None:
    """Extend in the store."""
    w.extend(obj, value)


@lowers(list.pop)
@always
def list_pop(w: Walker, obj: Any, index: Any = -1) -> Any:
    """Take an element out."""
    items = w.items_of(obj)
    if not isinstance(items, Seq) and len(items) == 0:
        w.raise_static(IndexError("pop from empty list"))
    index = w.whole(index)
    value = w.container_get(obj, index)
    w.container_delete(obj, index)
    return value


@lowers(list.insert)
@always
def list_insert(w: Walker, obj: Any, index: Any, value: Any) -> None:
    """Insert before a position that is clamped to the list, as Python does."""
    items = w.items_of(obj)
    if isinstance(items, tuple) and items and isinstance(index, Scalar):
        items = w.sequences.promoted(items)
    if not isinstance(items, Seq):
        if isinstance(index, Scalar):
            index = 0
        left = list(items)
        left.insert(index, value)
        w.set_items(obj, tuple(left))
        return
    g = w.graph
    length = w.sequences.length_of(items)
    place = g.Max(g.Min(w.value_of(index, np.int64), length), g.Neg(length))
    w.set_items(obj, w.sequences.insert(items, value, place))


@lowers(list.reverse)
@always
def list_reverse(w: Walker, obj: Any) -> None:
    """Reverse in the store."""
    items = w.items_of(obj)
    if isinstance(items, Seq):
        w.set_items(obj, w.sequences.sliced(items, slice(None, None, -1)))
        return
    w.set_items(obj, items[::-1])


@lowers(list.clear)
@always
def list_clear(w: Walker, obj: Any) -> None:
    """Empty the list in the store."""
    w.set_items(obj, ())


@lowers(list.copy)
@always
def list_copy(w: LoweringContext, obj: Any) -> Any:
    """Return a fresh list of the same items."""
    return list_(w, obj)


@lowers(dict.get)
@always
def dict_get(w: Walker, obj: Any, key: Any, default: Any = None) -> Any:
    """Return an item or a default."""
    if isinstance(obj, InstanceDict):
        return w.or_else(w.own(obj.obj, w.hashable(key)), lambda: default, f"key {key!r}")
    present = w.container_contains(obj, key)
    return w.branch(present, lambda: w.container_get(obj, key), lambda: default)


@lowers(dict.items, OrderedDict.items)
@always
def dict_items(w: LoweringContext, obj: Any) -> Any:
    """Return the pairs."""
    return DictView(obj, "items")


@lowers(dict.keys, OrderedDict.keys)
@always
def dict_keys(w: LoweringContext, obj: Any) -> Any:
    """Return the keys."""
    return DictView(obj, "keys")


@lowers(dict.values, OrderedDict.values)
@always
def dict_values(w: LoweringContext, obj: Any) -> Any:
    """Return the values."""
    return DictView(obj, "values")


@lowers(dict.update, OrderedDict.update)
@always
def dict_update(w: Walker, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Set items in the store."""
    new = w.items_of(dict_(w, source, **more))
    items = w.items_of(obj)
    for key, value in new.items():
        items = w.with_item(items, key, value)
    w.set_items(obj, items)


@lowers(dict.setdefault, OrderedDict.setdefault)
@always
def dict_setdefault(w: Walker, obj: Any, key: Any, default: Any = None) -> Any:
    """Return an item, set first if it is not there."""
    present = w.container_contains(obj, key)
    w.branch(present, lambda: None, lambda: w.container_set(obj, key, default))
    return w.container_get(obj, key)


@lowers(dict.pop, OrderedDict.pop)
@always
def dict_pop(w: Walker, obj: Any, key: Any, *default: Any) -> Any:
    """Take an item out."""
    if default:
        present = w.container_contains(obj, key)
        if present is False:
            return default[0]
        if isinstance(present, Scalar) and isinstance(w.narrow(key), Scalar):
            w.refuse("whether this key is there is known only when the model runs")
        if isinstance(present, Scalar):
            value = w.branch(present, lambda: w.container_get(obj, key), lambda: default[0])
            left = {k: v for k, v in w.items_of(obj).items() if k != w.hashable(key)}
            w.set_items(obj, left)
            return value
    value = w.container_get(obj, key)
    w.container_delete(obj, key)
    return value


@lowers(dict.copy)
@always
def dict_copy(w: Walker, obj: Any) -> Any:
    """Return a fresh dict of the same items."""
    return w.new_dict(w.sure_items(obj))


@lowers(builtins.set)
@always
def set_(w: Walker, iterable: Any = ()) -> Any:
    """Make a set of values known now."""
    if isinstance(iterable, (set, frozenset)):
        items = list(w.items_of(iterable))
    else:
        items = w.static_items(iterable)
    made: set[Any] = w.store.born(set())
    w.set_items(made, dict.fromkeys([w.hashable(i) for i in items], True))
    return made


@lowers(set.add)
@always
def set_add(w: Walker, obj: Any, key: Any) -> None:
    """Add to the store's version."""
    w.set_items(obj, {**w.items_of(obj), w.hashable(key): True})


@lowers(set.discard)
@always
def set_discard(w: Walker, obj: Any, key: Any) -> None:
    """Take a key out, if it is there."""
    items = w.items_of(obj)
    w.set_items(obj, {k: v for k, v in items.items() if k != w.hashable(key)})


@lowers(set.remove)
@always
def set_remove(w: Walker, obj: Any, key: Any) -> None:
    """Take a key out that must be there."""
    present = w.container_contains(obj, key)
    if isinstance(present, Scalar):
        w.check(present, KeyError, repr(key))
    elif not present:
        w.raise_static(KeyError(key))
    set_discard(w, obj, key)


@lowers(OrderedDict)
@always
def ordered_dict(w: Walker, source: Any = (), /, **more: Any) -> Any:
    """Make a dict that knows the order of its keys as a part of its value."""
    made = w.store.born(OrderedDict())
    w.set_items(made, dict(w.items_of(dict_(w, source, **more))))
    return made


@lowers(OrderedDict.fromkeys)
@always
def ordered_fromkeys(w: LoweringContext, keys: Any, value: Any = None) -> Any:
    """Make an OrderedDict with one value for all keys."""
    return ordered_dict(w, fromkeys(w, keys, value))


@lowers(OrderedDict.copy)
@always
def ordered_copy(w: LoweringContext, obj: Any) -> Any:
    """Return a fresh OrderedDict of the same items."""
    return ordered_dict(w, obj)


@lowers(defaultdict)
@always
def default_dict(w: Walker, factory: Any = None, source: Any = (), /, **more: Any) -> Any:
    """Make a dict that makes what is not there; what makes it is a part of its state."""
    if factory is not None and not w.call(callable, [factory], {}):
        w.raise_static(TypeError("first argument must be callable or None"))
    made = w.store.born(defaultdict())
    w.set_items(made, dict(w.items_of(dict_(w, source, **more))))
    w.store.set(made, "default_factory", factory)
    return made


@lowers(defaultdict.copy, defaultdict.__copy__)
@always
def default_copy(w: LoweringContext, obj: Any) -> Any:
    """Return a fresh defaultdict of the same items."""
    return default_dict(w, w.get_attribute(obj, "default_factory"), obj)


@lowers(OrderedDict.move_to_end)
@always
def move_to_end(w: Walker, obj: Any, key: Any, last: Any = True) -> None:
    """Put an item behind or before the others."""
    items = dict(w.sure_items(obj))
    key = w.hashable(key)
    if key not in items:
        w.raise_static(KeyError(key))
    moved = {key: items.pop(key)}
    w.set_items(obj, {**items, **moved} if w.truth(last) else {**moved, **items})


@lowers(OrderedDict.popitem)
@always
def ordered_popitem(w: Walker, obj: Any, last: Any = True) -> Any:
    """Take the last or the first item out."""
    items = w.sure_items(obj)
    if not items:
        w.raise_static(KeyError("dictionary is empty"))
    key = list(items)[-1 if w.truth(last) else 0]
    w.container_delete(obj, key)
    return key, items[key]


def _walked(function: Any, idiom: Any) -> None:
    @lowers(function)
    @always
    def lowering(w: LoweringContext, *args: Any, **kwargs: Any) -> Any:
        return w.call(idiom, list(args), kwargs)


for _name in idioms.heaps.__all__:
    _walked(getattr(heapq, _name), getattr(idioms.heaps, _name))
for _name in idioms.searches.__all__:
    _walked(getattr(bisect, _name), getattr(idioms.searches, _name))


@lowers(Counter)
@always
def counter(w: Walker, source: Any = (), /, **more: Any) -> Any:
    """Make a dict of how often each key occurs; keys are known now."""
    made = w.store.born(Counter())
    counter_init(w, made, source, **more)
    return made


@lowers(Counter.__init__)
@always
def counter_init(w: Walker, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Count the items of an iterable, or hold the amounts of a mapping."""
    w.set_items(obj, {})
    _count(w, obj, source, more, operator.add)


@lowers(Counter.update)
@always
def counter_update(w: Walker, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Count more."""
    _count(w, obj, source, more, operator.add)


@lowers(Counter.subtract)
@always
def counter_subtract(w: Walker, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Count less."""
    _count(w, obj, source, more, operator.sub)


@lowers(Counter.total)
@always
def counter_total(w: LoweringContext, obj: Any) -> Any:
    """Add up all amounts."""
    return w.call(sum, [DictView(obj, "values")], {})


def _count(w: Walker, obj: Any, source: Any, more: dict[str, Any], op: Any) -> None:
    source = w.narrow(source)
    if isinstance(source, dict):
        pairs = list(w.mapping_items(source).items())
    else:
        pairs = [] if source is None else [(key, 1) for key in w.static_items(source)]
    for key, amount in [*pairs, *more.items()]:
        w.set_item(obj, key, w.binary(op, w.get_item(obj, key), amount))
