"""What classes of the program call of the list, dict, set or tuple that they extend."""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict
from typing import TYPE_CHECKING, Any

from elichika.lowerings.python.builtins import len_
from elichika.lowerings.python.dicts import dict_
from elichika.lowerings.python.sets import set_
from elichika.registry import always, lowers

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(list.__init__)
@always
def list_init(w: ContainerContext, obj: Any, iterable: Any = (), /) -> None:
    """Hold the items of an iterable."""
    w.set_items(obj, ())
    w.extend(obj, iterable)


@lowers(dict.__init__)
@always
def dict_init(w: ContainerContext, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Hold the items of a mapping or of pairs, past a `__setitem__` of the class."""
    new = w.sure_items(dict_(w, source, **more))
    w.set_items(obj, {**w.sure_items(obj), **new})


@lowers(OrderedDict.__init__)
@always
def ordered_init(w: ContainerContext, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Hold the items of a mapping or of pairs, by the class's own `__setitem__`."""
    for key, value in w.sure_items(dict_(w, source, **more)).items():
        w.set_item(obj, key, value)


@lowers(defaultdict.__init__)
@always
def default_init(
    w: ContainerContext, obj: Any, factory: Any = None, source: Any = (), /, **more: Any
) -> None:
    """Hold what makes values, and items."""
    w.store.set(obj, "default_factory", factory)
    dict_init(w, obj, source, **more)


@lowers(set.__init__)
@always
def set_init(w: ContainerContext, obj: Any, iterable: Any = (), /) -> None:
    """Hold the items of an iterable."""
    w.set_items(obj, w.items_of(set_(w, iterable)))


@lowers(tuple.__new__)
@always
def tuple_new(w: LoweringContext, cls: Any, iterable: Any = (), /) -> Any:
    """Make a tuple of a class, of a number of items that is known while compiling."""
    return tuple.__new__(cls, w.static_items(iterable))


@lowers(list.__getitem__, dict.__getitem__, tuple.__getitem__)
@always
def getitem(w: ContainerContext, obj: Any, index: Any, /) -> Any:
    """Return an item, past a `__getitem__` of the class."""
    return w.container_get(obj, index)


@lowers(list.__setitem__, dict.__setitem__, OrderedDict.__setitem__)
@always
def setitem(w: ContainerContext, obj: Any, index: Any, value: Any, /) -> None:
    """Set an item, past a `__setitem__` of the class."""
    w.container_set(obj, index, value)


@lowers(list.__delitem__, dict.__delitem__, OrderedDict.__delitem__)
@always
def delitem(w: ContainerContext, obj: Any, index: Any, /) -> None:
    """Take an item out, past a `__delitem__` of the class."""
    w.container_delete(obj, index)


@lowers(list.__contains__, dict.__contains__, set.__contains__, tuple.__contains__)
@always
def contains(w: ContainerContext, obj: Any, value: Any, /) -> Any:
    """Tell whether an item is there, past a `__contains__` of the class."""
    return w.container_contains(obj, value)


@lowers(list.__len__, dict.__len__, set.__len__)
@always
def length(w: ContainerContext, obj: Any, /) -> Any:
    """Return how many items there are, past a `__len__` of the class."""
    return w.sequences.length(obj)


@lowers(tuple.__len__)
@always
def tuple_length(w: LoweringContext, obj: Any, /) -> Any:
    """Return how many items there are, past a `__len__` of the class."""
    return tuple.__len__(obj) if isinstance(obj, tuple) else len_(w, obj)


@lowers(list.__iter__, dict.__iter__, set.__iter__, tuple.__iter__, OrderedDict.__iter__)
@always
def iterator(w: ContainerContext, obj: Any, /) -> Any:
    """Run over the items, past an `__iter__` of the class."""
    return w.over(obj)


def _operator(op: Any, *methods: Any) -> None:
    @lowers(*methods)
    @always
    def lowering(w: ContainerContext, left: Any, right: Any, /) -> Any:
        return w.builtin_binary(op, w.narrow(left), w.narrow(right))


_operator(operator.add, list.__add__, tuple.__add__)
_operator(operator.mul, list.__mul__, tuple.__mul__)
_operator(operator.eq, list.__eq__, tuple.__eq__, dict.__eq__)
_operator(operator.ne, list.__ne__, tuple.__ne__, dict.__ne__)


@lowers(list.__iadd__)
@always
def extend_in_place(w: ContainerContext, obj: Any, others: Any, /) -> Any:
    """Extend, past an `__iadd__` of the class."""
    w.extend(obj, others)
    return obj
