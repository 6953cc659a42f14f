"""`sorted` and `list.sort`: by known keys, by numbers of the run, by `<` of a class."""

from __future__ import annotations

import builtins
import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.iterators.base import DictView
from elichika.lowerings.python.sets import SET_DECIDES, in_any_order, thawed
from elichika.lowerings.python.sort_columns import (
    Rows,
    columns_of_keys,
    flat,
    is_number_type,
    require_exact,
)
from elichika.program import native_code as natives
from elichika.registry import always, lowers
from elichika.state.joins import ChoiceType
from elichika.state.joins.containers import row_parts
from elichika.state.joins.references import RefType
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import (
    alternatives_of,
    is_function,
    is_number_of_the_run,
    is_set,
)
from elichika.values.symbolic import DynamicTuple, Symbolic

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(functools.cmp_to_key)
def cmp_to_key(w: LoweringContext, mycmp: Any) -> Any:
    """A comparison that is walked gives no key."""
    w.refuse("`cmp_to_key` is not supported", "sort by a key")


def ordered(w: ContainerContext, iterable: Any, key: Any, reverse: Any) -> Any:
    """Return a fresh list of the items in order."""
    try:
        sorted((), reverse=reverse.type(0) if is_number_of_the_run(reverse) else reverse)
    except TypeError as error:  # Python up to 3.11 takes integers alone
        w.raise_static(error)
    if is_number_of_the_run(reverse):
        return w.branch(
            w.truth(reverse),
            lambda: ordered(w, iterable, key, True),
            lambda: ordered(w, iterable, key, False),
        )
    iterable = thawed(w, iterable)
    if is_set(iterable):
        if key is not None and not w.tables.sets.is_ordered(iterable):
            w.tables.sets.ask_order()
            return _sorted_apart(w, iterable, key, bool(reverse))
        shown = in_any_order(w, iterable) if key is None else iterable
        iterable = w.call(list, [shown], {})
    return _sorted(w, iterable, key, bool(reverse))


def _sorted(
    w: ContainerContext, iterable: Any, key: Any, reverse: bool, decides: str | None = None
) -> Any:
    """Sort what has an order.

    `decides`: what else decides the order of items with equal keys; it is not known.
    """
    iterable, key = w.settled(iterable), sure_key(iterable, key)
    if isinstance(key, functools.cmp_to_key(lambda a, b: 0).__class__):
        w.refuse("`cmp_to_key` is not supported", "sort by a key")
    if not w.is_known(iterable):
        items = w.call(list, [iterable], {})
        keys = items if key is None else w.call(idioms.lists.keys_of, [items, key], {})
        return _by_numbers(w, items, keys, reverse, decides)
    items = w.static_items(iterable)
    keys = items if key is None else [w.call(key, [item], {}) for item in items]
    known = not w.is_symbolic(tuple(keys))
    if known and _are_compared(w, keys):
        if decides:
            w.refuse(SET_DECIDES, "give a key that is a number")
        order = _order_by_less(w, w.new_list(keys), reverse)
        return w.call(idioms.lists.picked, [w.new_list(items), order], {})
    if known:
        held = list(map(w.materialised, keys))
        try:
            places = sorted(range(len(keys)), key=held.__getitem__, reverse=reverse)
        except TypeError as error:
            w.raise_static(error)
        if decides and not all(held[a] != held[b] for a, b in itertools.pairwise(places)):
            w.refuse(SET_DECIDES)
        return w.new_list([items[i] for i in places])
    settled = _settled_order(w, keys, reverse)
    if settled is not None:
        return w.new_list([items[i] for i in settled])
    return _by_numbers(w, w.new_list(items), keys, reverse, decides)


def sure_key(iterable: Any, key: Any) -> Any:
    """Return `d.__getitem__` for `d.get` where the keys of `d` are gone through: all are there."""
    mapping = getattr(iterable, "mapping", iterable)
    asked = (key.function, key.receiver) if isinstance(key, BoundMethod) else (None, None)
    keys = getattr(iterable, "kind", "keys") == "keys"
    sure = keys and asked[0] is dict.get and asked[1] is mapping
    return BoundMethod(dict.__getitem__, mapping) if sure else key


def _settled_order(w: ContainerContext, keys: list[Any], reverse: bool) -> list[int] | None:
    """Return the order of tuples that begin with known parts, if these alone decide it."""
    keys = list(map(w.narrow, keys))
    if not all(isinstance(key, tuple) for key in keys):
        return None
    heads = [tuple(itertools.takewhile(lambda part: not w.is_symbolic(part), key)) for key in keys]
    shared = min(map(len, heads))
    heads = [head[:shared] for head in heads]
    if _are_compared(w, heads):
        return None
    heads = list(map(w.materialised, heads))
    try:
        places = sorted(range(len(heads)), key=heads.__getitem__, reverse=reverse)
    except TypeError:
        return None
    if any(heads[a] == heads[b] for a, b in itertools.pairwise(places)):
        return None
    return places


def _sorted_apart(w: ContainerContext, held: Any, key: Any, reverse: bool) -> Any:
    """Sort a set whose order is not known: no two of its items may have equal keys."""
    items = w.call(list, [DictView(held, "keys")], {})
    mark = w.store.mark()
    made = _sorted(w, items, key, reverse, "the set itself")
    w.require_unseen(None, mark)
    return made


def _by_numbers(
    w: ContainerContext, items: Any, keys: Any, reverse: bool, decides: str | None = None
) -> Any:
    """Sort a list by numbers, or by tuples as far as they begin with numbers.

    `decides`: what else decides the order of items with equal keys; it is not known.
    """
    columns, whole = columns_of_keys(w, keys)
    numbers = [column for column in columns if type(column) is not Rows]
    if decides and (not whole or len(numbers) < len(columns)):
        w.refuse(SET_DECIDES)
    if not columns or (not whole and _ends_in_objects(w, keys)):
        return w.call(idioms.lists.picked, [items, _order_by_less(w, keys, reverse)], {})
    for column in numbers:
        require_exact(w, column)
    order = w.call(np.arange, [w.call(len, [items], {})], {})
    with w.sure():
        for column in reversed(columns):
            order = _refined(w, order, column, reverse)
    if decides or not whole:
        because = decides or "something else than a number"
        w.call(idioms.lists.require_apart, [order, numbers, because], {})
    return w.call(idioms.lists.picked, [items, order], {})


def _refined(w: ContainerContext, order: Any, column: Any, reverse: bool) -> Any:
    """Sort places by a column; places that are equal in it keep their order."""
    if type(column) is Rows:
        asked = [order, column.held, column.dtype, reverse]
        return w.call(idioms.lists.refined_by_rows, asked, {})
    return w.call(idioms.lists.refined, [order, column, reverse], {})


def _order_by_less(w: ContainerContext, keys: Any, reverse: bool) -> Any:
    """Return the order of objects whose class defines `<` in Python, or of lists or tuples."""
    classes = {*_classes(w, keys)}
    known = classes in ({list}, {tuple}) or _are_of_several_kinds(w, keys)
    if not known and not all(_is_ordered(w, cls) for cls in classes):
        w.refuse(
            "only numbers, lists and tuples of numbers, and objects with `__lt__` are sorted",
            "give a key that is a number",
        )
    mark = w.store.mark()
    order = w.call(idioms.lists.order_by_less, [keys, reverse], {})
    w.require_unseen(None, mark)
    return order


def _are_of_several_kinds(w: ContainerContext, keys: Any) -> bool:
    """Tell whether what is sorted are numbers of unlike classes."""
    element = w.items_of(w.narrow(keys)).element if w.is_dynamic(keys) else None
    return type(element) is ChoiceType and all(map(is_number_type, element.parts))


def _classes(w: ContainerContext, keys: Any) -> list[Any]:
    """Return the classes of what is sorted, None of what is no object."""
    if not w.is_dynamic(keys):
        held = map(w.narrow, keys)
        return [None if isinstance(key, Symbolic) else _python_s(type(key)) for key in held]
    element = w.items_of(w.narrow(keys)).element
    cls = element.arena.cls if type(element) is RefType else getattr(element, "cls", None)
    return [_python_s(cls)]


def _ends_in_objects(w: ContainerContext, keys: Any) -> bool:
    """Tell whether tuples and lists hold objects that their class orders, after equal numbers."""
    if w.is_dynamic(keys):
        classes = _classes_in(w.items_of(w.narrow(keys)).element)
    else:
        leaves = (leaf for key in keys for leaf in flat(w, key))
        classes = [type(one) for leaf in leaves for one in alternatives_of(w.narrow(leaf))]
    return any(_is_ordered(w, cls) for cls in classes)


def _classes_in(type_: Any) -> list[Any]:
    """Return the classes of the objects that items of a type hold."""
    own = [type_.arena.cls] if type(type_) is RefType else [getattr(type_, "cls", None)]
    return own + [cls for part in row_parts(type_) for cls in _classes_in(part)]


def _python_s(cls: Any) -> Any:
    """Return the class that Python has for one of ours."""
    return tuple if cls is DynamicTuple else cls


def _is_ordered(w: ContainerContext, cls: Any) -> bool:
    """Tell whether a class of the program orders its objects."""
    methods: list[Any] = [getattr(cls, name, None) for name in ("__lt__", "__gt__")]
    return any(
        w.has_source(method) and (isinstance(method, Closure) or not natives.is_foreign(method))
        for method in methods
        if is_function(method)
    )


def _are_compared(w: ContainerContext, keys: list[Any]) -> bool:
    """Tell whether methods of the program compare known keys, or what tuples and lists hold."""
    parts = [leaf for key in keys for leaf in flat(w, key)]
    if any(_is_ordered(w, cls) for cls in _classes(w, parts)):
        return True
    alike = {
        type(part).__eq__ for key in keys if type(key) in (list, tuple) for part in flat(w, key)
    }
    codes = [getattr(method, "__code__", None) for method in alike]
    return any(code is not None and natives.is_of_program(code) for code in codes)


@lowers(builtins.sorted)
@always
def sorted_(w: ContainerContext, iterable: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """Return the items in order; items that are equal keep theirs."""
    return ordered(w, iterable, key, reverse)


@lowers(list.sort)
@always
def list_sort(w: ContainerContext, obj: Any, *, key: Any = None, reverse: Any = False) -> None:
    """Sort in the store, past an `__iter__` of the class."""
    held = obj
    if type(obj) is not list:
        held = w.new_list(())
        w.set_items(held, w.items_of(obj))
    w.set_items(obj, w.items_of(ordered(w, held, key, reverse)))
