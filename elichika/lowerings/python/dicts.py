"""Dicts, and the dicts of `collections`, and their methods."""

from __future__ import annotations

import builtins
import operator
import types
from collections import Counter, OrderedDict, defaultdict
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.iterators.base import DictView, InstanceDict
from elichika.program.raised import genuine
from elichika.registry import always, lowers
from elichika.values import python_words
from elichika.values.kinds import is_number_of_the_run, is_set
from elichika.values.set_orders import Added
from elichika.values.symbolic import Choice
from elichika.values.words import a_value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(builtins.dict)
@always
def dict_(w: ContainerContext, source: Any = (), /, **more: Any) -> Any:
    """Make a dict."""
    made = w.new_dict({})
    source = w.narrow(source)
    if isinstance(source, Choice):
        return w.choices.apply(source, lambda one: dict_(w, one, **more))
    if w.tables.of(source) is not None:
        w.set_items(made, w.items_of(source))
    elif isinstance(source, (dict, InstanceDict)):
        w.set_items(made, dict(w.mapping_items(source)))
    elif w.is_known(source := w.settled(source)):
        pairs = [w.static_items(pair) for pair in w.static_items(source)]
        w.tables.stores.fill(made, [(key, value) for key, value in pairs])
    else:
        w.call(idioms.dicts.fill, [made, source], {})
    for key, value in more.items():
        w.set_item(made, key, value)
    return made


@lowers(dict.fromkeys)
@always
def fromkeys(w: ContainerContext, keys: Any, value: Any = None) -> Any:
    """Make a dict with one value for all keys."""
    made, keys = w.new_dict({}), w.settled(keys)
    if not w.is_known(keys):
        w.call(idioms.dicts.fill_all, [made, keys, value], {})
        return made
    return w.tables.stores.fill(made, [(key, value) for key in w.static_items(keys)])


@lowers(dict.copy)
@always
def dict_copy(w: ContainerContext, obj: Any) -> Any:
    """Return a fresh dict of the same items."""
    made = w.new_dict({})
    w.set_items(made, w.sure_items(obj) if w.tables.of(obj) is None else w.items_of(obj))
    return made


# -- reading ---------------------------------------------------------------------------------------


def _view(kind: str) -> None:
    @lowers(getattr(dict, kind), getattr(OrderedDict, kind))
    @always
    def lowering(w: LoweringContext, obj: Any) -> Any:
        return DictView(obj, kind)


for _kind in ("items", "keys", "values"):
    _view(_kind)


@lowers(dict.get)
@always
def dict_get(w: ContainerContext, obj: Any, key: Any, default: Any = None) -> Any:
    """Return an item or a default."""
    if isinstance(obj, InstanceDict):
        return w.or_else(w.own(obj.obj, w.hashable(key)), lambda: default, f"key {key!r}")
    if w.tables.of(obj) is not None:
        return w.tables.get(obj, key, default)
    present = w.container_contains(obj, key)
    return w.branch(present, lambda: w.container_get(obj, key), lambda: default)


# -- changing --------------------------------------------------------------------------------------


@lowers(dict.clear, OrderedDict.clear, set.clear)
@always
def clear(w: ContainerContext, obj: Any) -> None:
    """Empty in the store; a set goes on to pop from the place where it popped last."""
    w.set_items(obj, Added() if is_set(obj) and w.tables.sets.is_added(obj) else {})


@lowers(dict.update, OrderedDict.update)
@always
def dict_update(w: ContainerContext, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Set items in the store."""
    source = w.narrow(source)
    if isinstance(source, Choice):
        w.choices.apply(source, lambda one: dict_update(w, obj, one, **more))
        return
    _require_plain_items(w, obj)
    made = dict_(w, source, **more)
    if w.tables.of(made) is not None or w.tables.of(obj) is not None:
        w.call(idioms.dicts.fill, [obj, DictView(made, "items")], {})
        return
    new, items = w.items_of(made), w.items_of(obj)
    for key, value in new.items():
        items = w.with_item(items, key, value)
    w.set_items(obj, items)


@lowers(dict.setdefault, OrderedDict.setdefault)
@always
def dict_setdefault(w: ContainerContext, obj: Any, key: Any, default: Any = None) -> Any:
    """Return an item, set first if it is not there."""
    _require_plain_items(w, obj)
    if w.tables.decides(obj, key) or type(w.narrow(key)) is Choice:
        return w.tables.stores.set_default(obj, key, default)
    present = w.container_contains(obj, key)
    w.branch(present, lambda: None, lambda: w.container_set(obj, key, default))
    return w.container_get(obj, key)


@lowers(dict.pop, OrderedDict.pop)
@always
def dict_pop(w: ContainerContext, obj: Any, key: Any, *default: Any) -> Any:
    """Take an item out."""
    if w.tables.decides(obj, key):
        value = w.tables.get(obj, key, *default) if default else w.tables.pick_there(obj, key)
        w.tables.stores.discard(obj, key)
        return value
    present = w.container_contains(obj, key)
    if present is False:
        if not default:
            w.raise_static(genuine(KeyError(key)))
        return default[0]
    if default and w.is_symbolic(present):
        if is_number_of_the_run(w.narrow(key)):
            w.refuse("whether this key is there is known only when the model runs")
        value = w.branch(present, lambda: w.container_get(obj, key), lambda: default[0])
        left = {k: v for k, v in w.items_of(obj).items() if k != w.hashable(key)}
        w.set_items(obj, left)
        return value
    value = w.container_get(obj, key)
    w.container_delete(obj, key)
    return value


@lowers(dict.popitem)
@always
def popitem(w: ContainerContext, obj: Any) -> Any:
    """Take the last item out."""
    return _popped(w, obj, -1, "popitem(): dictionary is empty", dict)


def _popped(w: ContainerContext, obj: Any, place: int, message: str, cls: type) -> Any:
    said = python_words.popped_of(cls)
    if w.tables.of(obj) is not None:
        w.check(w.truth(obj), KeyError, message, said)
        entry = w.get_item(w.call(list, [w.call(dict.items, [obj], {})], {}), place)
        w.tables.stores.discard(obj, entry[0])
        return entry
    items = w.sure_items(obj)
    if not items:
        w.check(False, KeyError, message, said)
    key = list(items)[place]
    w.container_delete(obj, key)
    return key, items[key]


# -- OrderedDict and defaultdict -------------------------------------------------------------------


@lowers(OrderedDict)
@always
def ordered_dict(w: ContainerContext, source: Any = (), /, **more: Any) -> Any:
    """Make a dict that knows the order of its keys as a part of its value."""
    made = w.store.born(OrderedDict())
    w.set_items(made, w.items_of(dict_(w, source, **more)))
    return made


@lowers(OrderedDict.fromkeys)
@always
def ordered_fromkeys(w: LoweringContext, keys: Any, value: Any = None) -> Any:
    """Make an OrderedDict with one value for all keys."""
    return ordered_dict(w, fromkeys(w, keys, value))


@lowers(OrderedDict.copy)
@always
def ordered_copy(w: ContainerContext, obj: Any) -> Any:
    """Return a fresh OrderedDict of the same items."""
    _require_plain(w, obj, OrderedDict)
    return ordered_dict(w, obj)


@lowers(OrderedDict.move_to_end)
@always
def move_to_end(w: ContainerContext, obj: Any, key: Any, last: Any = True) -> None:
    """Put an item behind or before the others."""
    behind = w.truth(last)
    if w.is_symbolic(behind):
        sides = (lambda: move_to_end(w, obj, key), lambda: move_to_end(w, obj, key, False))
        return w.branch(behind, *sides)
    if w.tables.decides(obj, key):
        value = w.container_get(obj, key)
        w.tables.stores.discard(obj, key)
        w.container_set(obj, key, value)
        if not behind:
            w.tables.stores.last_to_front(obj)
        return None
    items = dict(w.sure_items(obj))
    key = w.hashable(key)
    if key not in items:
        w.raise_static(genuine(KeyError(key)))
    moved = {key: items.pop(key)}
    w.set_items(obj, {**items, **moved} if behind else {**moved, **items})


@lowers(OrderedDict.popitem)
@always
def ordered_popitem(w: ContainerContext, obj: Any, last: Any = True) -> Any:
    """Take the last or the first item out."""
    return _popped(w, obj, -1 if w.truth(last) else 0, "dictionary is empty", OrderedDict)


@lowers(defaultdict)
@always
def default_dict(w: ContainerContext, factory: Any = None, source: Any = (), /, **more: Any) -> Any:
    """Make a dict that makes what is not there; what makes it is a part of its state."""
    if factory is not None and not w.call(callable, [factory], {}):
        w.raise_static(TypeError("first argument must be callable or None"))
    made = w.store.born(defaultdict())
    w.set_items(made, w.items_of(dict_(w, source, **more)))
    w.store.set(made, "default_factory", factory)
    return made


@lowers(defaultdict.copy, defaultdict.__copy__)
@always
def default_copy(w: ContainerContext, obj: Any) -> Any:
    """Return a fresh defaultdict of the same items."""
    _require_plain(w, obj, defaultdict)
    return default_dict(w, w.get_attribute(obj, "default_factory"), obj)


def _require_plain_items(w: ContainerContext, obj: Any) -> None:
    """Refuse an OrderedDict that sets items by a method of the program; a dict sets them itself."""
    own = type(w.special(obj, "__setitem__")) is types.FunctionType
    if own and OrderedDict in w.type_of(obj).__mro__:
        w.refuse(
            f"this sets items of {a_value(obj)}, whose class has its own `__setitem__`",
            "set them one by one: `d[key] = value`",
        )


def _require_plain(w: ContainerContext, obj: Any, cls: type) -> None:
    """Refuse what would be of a class of the program: it may say itself what it holds."""
    if w.type_of(obj) is not cls:
        w.refuse(
            f"a copy of {a_value(obj)}, whose class extends one of Python's, is not compiled",
            "make a new one and put the items into it",
        )


# -- Counter ---------------------------------------------------------------------------------------


@lowers(Counter)
@always
def counter(w: ContainerContext, source: Any = (), /, **more: Any) -> Any:
    """Make a dict of how often each key occurs."""
    made = w.store.born(Counter())
    counter_init(w, made, source, **more)
    return made


@lowers(Counter.copy)
@always
def counter_copy(w: LoweringContext, obj: Any) -> Any:
    """Return a fresh Counter of the same counts."""
    return w.call(type(obj), [obj], {})


@lowers(Counter.__init__)
@always
def counter_init(w: ContainerContext, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Count the items of an iterable, or hold the amounts of a mapping."""
    w.set_items(obj, {})
    _count(w, obj, source, more, 1)


@lowers(Counter.update)
@always
def counter_update(w: ContainerContext, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Count more."""
    _count(w, obj, source, more, 1)


@lowers(Counter.subtract)
@always
def counter_subtract(w: ContainerContext, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Count less."""
    _count(w, obj, source, more, -1)


@lowers(Counter.most_common)
def most_common(w: LoweringContext, obj: Any, n: Any = None) -> Any:
    """List the keys that occur most, with how often."""
    return w.call(idioms.dicts.most_common, [DictView(obj, "items"), n], {})


@lowers(Counter.elements)
def elements(w: LoweringContext, obj: Any) -> Any:
    """Repeat each key as often as it occurs."""
    return w.call(idioms.dicts.elements, [DictView(obj, "items")], {})


@lowers(Counter.__pos__)
@always
def counter_pos(w: LoweringContext, obj: Any) -> Any:
    """Keep the amounts that are positive."""
    return w.binary(operator.add, obj, w.call(Counter, [], {}))


@lowers(Counter.__neg__)
@always
def counter_neg(w: LoweringContext, obj: Any) -> Any:
    """Keep the amounts that are negative, with the other sign."""
    return w.binary(operator.sub, w.call(Counter, [], {}), obj)


@lowers(idioms.dicts.same)
def same(w: ContainerContext, one: Any, other: Any) -> Any:
    """Compare as containers do."""
    return w.same_item(one, other)


@lowers(Counter.total)
@always
def counter_total(w: LoweringContext, obj: Any) -> Any:
    """Add up all amounts."""
    return w.call(sum, [DictView(obj, "values")], {})


def _count(w: ContainerContext, obj: Any, source: Any, more: dict[str, Any], sign: int) -> None:
    source = w.settled(w.narrow(source))
    if isinstance(source, dict) and sign > 0 and w.items_of(obj) == {}:
        w.set_items(obj, w.items_of(dict_(w, source)))  # the amounts as they are
        pairs = []
    elif isinstance(source, dict):
        if w.tables.of(source) is not None:
            w.call(idioms.dicts.count, [obj, DictView(source, "items"), sign], {})
            source = None
        pairs = list(w.mapping_items(source).items()) if source is not None else []
    elif source is None or w.is_known(source):
        pairs = [] if source is None else [(key, 1) for key in w.static_items(source)]
    else:
        w.call(idioms.dicts.count_each, [obj, source, sign], {})
        pairs = []
    op = operator.add if sign > 0 else operator.sub
    for key, amount in pairs:
        held = w.call(w.get_attribute(obj, "get"), [key, 0], {})
        w.set_item(obj, key, w.binary(op, held, amount))
    if more:
        _count(w, obj, w.new_dict(more), {}, sign)
