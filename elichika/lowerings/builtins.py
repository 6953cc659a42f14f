"""Python's builtins, and the methods of its containers, on values known when the model runs."""

from __future__ import annotations

import builtins
import operator
from collections import OrderedDict
from typing import Any

import numpy as np

from elichika import idioms
from elichika.iteration import ENDLESS, DictView, InstanceDict, Staged, SymbolicRange
from elichika.registry import lowers
from elichika.store import MISSING
from elichika.values import (
    COUNTER_BOUND,
    PYTHON_DTYPES,
    UNSET,
    Array,
    Choice,
    DynamicTuple,
    Scalar,
    Seq,
    Symbolic,
    Var,
)
from elichika.walker.core import Raised
from elichika.walker.loops import StopConsuming
from onnx_graph import compare, dtype_of


def always(lowering: Any) -> Any:
    """Mark a lowering that is used for static arguments too (it reads or changes the store)."""
    lowering.always = True
    return lowering


def takes_choices(lowering: Any) -> Any:
    """Mark a lowering that handles choices among its arguments itself."""
    lowering.takes_choices = True
    return lowering


@lowers(builtins.isinstance)
@always
@takes_choices
def isinstance_(w: Any, value: Any, kinds: Any) -> Any:
    """Decide by the type the value has in the program."""
    value = w.narrow(value)
    if isinstance(value, Choice):
        return w._tag_test(value, lambda a: isinstance_(w, a, kinds))
    if isinstance(kinds, (list, tuple)):
        return any(isinstance_(w, value, k) for k in kinds)
    return issubclass(w.class_of(value), kinds)


@lowers(builtins.type)
@always
def type_(w: Any, value: Any, *rest: Any) -> Any:
    """Return the type the value has in the program."""
    if rest:
        w.refuse("classes cannot be made inside a walked function")
    return w.class_of(value)


@lowers(builtins.callable)
def callable_(w: Any, value: Any) -> Any:
    """Functions of the walked program are callable; tensors are not."""
    return not isinstance(value, Symbolic)


@lowers(builtins.len)
@always
def len_(w: Any, value: Any) -> Any:
    """Return a size: an int where known."""
    value = w.narrow(value)
    if isinstance(value, (Array, np.ndarray)):
        dims = w.dims(value)
        if not dims:
            w.raise_static(TypeError("len() of unsized object"))
        return w.dim_scalar(dims[0])
    if isinstance(value, (list, dict, set)):
        return w.sequences.length(value)
    if isinstance(value, SymbolicRange):
        return value.length
    if isinstance(value, DictView):
        return len(w.view_items(value))
    if isinstance(value, InstanceDict):
        return len(w.attributes_of(value.obj))
    if isinstance(value, tuple) and type(value).__len__ is tuple.__len__:
        return len(value)
    method = w.special(value, "__len__")
    if method is not None and w.has_source(method) and method is not len:
        return w.call(method, [value], {})
    return w.native(len, [value], {})


@lowers(builtins.range)
def range_(w: Any, *bounds: Any) -> Any:
    """Return a range whose length is known when the model runs."""
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    for bound in (start, stop, step):
        if isinstance(bound, Scalar) and not issubclass(bound.type, (int, np.integer)):
            w.raise_static(
                TypeError(f"'{bound.type.__name__}' object cannot be interpreted as an integer")
            )
    zero = "range() arg 3 must not be zero"
    if isinstance(step, Scalar):
        w.check(w.binary(operator.ne, step, 0), ValueError, zero)
    elif step == 0:
        w.raise_static(ValueError(zero))
    span = w.binary(operator.sub, stop, start)
    if isinstance(step, Scalar) or step != 1:
        # ceil(span / step) for either sign of the step
        over = w.binary(operator.floordiv, w.unary(operator.neg, span), step)
        span = w.unary(operator.neg, over)
    if isinstance(span, Scalar) and not (
        span.dim is not None and compare(span.dim, ">=", 0) is True
    ):
        g = w.graph
        clipped = g.Max(w.value_of(span, np.int64), g.constant(np.array(0, np.int64)))
        span = w.scalar(int, clipped, COUNTER_BOUND)
    elif not isinstance(span, Scalar):
        span = max(span, 0)
    return SymbolicRange(start, stop, step, span)


@lowers(builtins.enumerate)
@always
@takes_choices
def enumerate_(w: Any, iterable: Any, start: Any = 0) -> Any:
    """Pair each item with its number."""
    staged = _staged(w, iterable)
    return w.one_shot(
        Staged(
            staged.length,
            lambda i: (w.binary(operator.add, i, start), staged.item(i)),
            staged.uniform,
            staged.current,
        )
    )


@lowers(builtins.iter)
@always
def iter_(w: Any, iterable: Any) -> Any:
    """Return an iterator."""
    if w.as_generator(iterable) is not None:
        return iterable
    return w.one_shot(_staged(w, iterable))


@lowers(builtins.next)
@always
def next_(w: Any, iterator: Any, *default: Any) -> Any:
    """Take the next item of an iterator."""
    iterator = w.narrow(iterator)
    if w.as_generator(iterator) is not None:
        iterator = w.ahead(iterator)
    method = None if isinstance(iterator, Staged) else w.special(iterator, "__next__")
    if method is not None and w.has_source(method):
        return w.call(method, [iterator], {})
    if not isinstance(iterator, Staged) or not iterator.once:
        w.raise_static(TypeError(f"'{w.type_of(iterator).__name__}' object is not an iterator"))
    return w.take(iterator, *default)


@lowers(builtins.zip)
@always
@takes_choices
def zip_(w: Any, *iterables: Any, strict: Any = False) -> Any:
    """Run several iterables side by side, as far as the shortest."""
    if not iterables:
        return w.new_list(())
    strict = w.truth(strict)
    if isinstance(strict, Scalar):
        w.refuse("whether `zip` is strict must be known before the model runs")
    staged = [_staged(w, i) for i in iterables]

    apart = _shortest(w, staged)[1] is not False

    def asked(one: Staged, index: Any) -> Any:
        """Python asks for one item more than it uses, of those before the shortest."""
        mark = w.store.mark()
        item = one.item(index)
        if apart and one.calls and one is not staged[-1]:
            w.require_unseen(one, mark)
        return item

    def turns() -> Any:
        """One turn more, which raises, where `strict` finds that lengths differ."""
        least, differ = _shortest(w, staged)
        if not strict or differ is False:
            return least
        return w.binary(operator.add, least, w.call(int, [differ], {}))

    def item(index: Any) -> Any:
        if strict:
            least, differ = _shortest(w, staged)
            if differ is not False:
                there = w.truth(w.binary(operator.lt, index, least))
                w.check(there, ValueError, "the arguments of zip() are not of one length")
        return tuple(asked(s, index) for s in staged)

    grows = any(s.grows for s in staged)
    uniform = all(s.uniform for s in staged)
    return w.one_shot(Staged(turns(), item, uniform, turns if grows else None))


def _shortest(w: Any, staged: list[Staged]) -> tuple[Any, Any]:
    """Return the least of the present lengths, and whether they differ."""
    least, *others = (one.current_length() for one in staged)
    first, differ = least, False
    for other in others:
        if isinstance(other, int) and isinstance(first, int):
            differ = True if other != first else differ
        elif _minimum(w, first, other) is not first:
            apart = w.truth(w.binary(operator.ne, first, other))
            differ = apart if differ is False else w.not_(w.both(w.not_(differ), w.not_(apart)))
        least = _shorter(w, least, other)
    return least, differ


def _shorter(w: Any, a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return _minimum(w, a, b)


def _minimum(w: Any, a: Any, b: Any) -> Any:
    if a is b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.dim is not None and a.dim == b.dim:
        return a
    g = w.graph
    return w.scalar(int, g.Min(w.value_of(a, np.int64), w.value_of(b, np.int64)), COUNTER_BOUND)


def _staged(w: Any, iterable: Any) -> Staged:
    iterable = w.settled(iterable)
    w.spend(iterable)
    staged: Staged = w.iterate(iterable)
    return staged


def _listed(w: Any, iterable: Any) -> Any:
    """Return what a generator or an iterator gives as a list, other things as they are."""
    return w.settled(iterable)


@lowers(builtins.reversed)
@always
def reversed_(w: Any, iterable: Any) -> Any:
    """Run an iterable backwards."""
    staged = _staged(w, iterable)

    def item(index: Any) -> Any:
        last = w.binary(operator.sub, staged.length, 1)
        return staged.item(w.binary(operator.sub, last, index))

    return w.one_shot(Staged(staged.length, item, staged.uniform))


@lowers(builtins.map)
@always
def map_(w: Any, function: Any, *iterables: Any) -> Any:
    """Apply a function to each item, when the item is asked for."""
    staged = [_staged(w, i) for i in iterables]
    base = zip_(w, *staged)
    return w.one_shot(
        Staged(
            base.length,
            lambda i: w.call(function, list(base.item(i)), {}),
            base.uniform,
            base.current,
            calls=True,
        )
    )


@lowers(builtins.filter)
@always
def filter_(w: Any, function: Any, iterable: Any) -> Any:
    """Keep the items that pass a test."""
    iterable = _listed(w, iterable)
    if _is_long(w, iterable):
        return w.call(idioms.kept, [function, iterable], {})
    kept = []
    mark = w.store.mark()
    for item in w.static_items(iterable):
        test = w.truth(item if function is None else w.call(function, [item], {}))
        if isinstance(test, Scalar):
            w.refuse("what `filter` keeps must be known before the model runs")
        if test:
            kept.append(item)
    w.require_unseen(iterable, mark)
    return w.new_list(kept)


@lowers(builtins.list)
@always
def list_(w: Any, iterable: Any = ()) -> Any:
    """Make a list."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, list):
        made = w.new_list(())
        w.store.set(made, "[items]", w.version(iterable, "[items]"))
        return made
    settled = _listed(w, iterable)
    if settled is not iterable and isinstance(settled, list):
        return settled
    iterable = settled
    if _is_long(w, iterable):
        return w.call(idioms.listed, [iterable], {})
    return w.new_list(w.static_items(iterable))


def _is_long(w: Any, iterable: Any) -> bool:
    """Tell whether an iterable has a length that is known only when the model runs."""
    return not isinstance(w.iterate(iterable).length, int)


@lowers(builtins.tuple)
@always
def tuple_(w: Any, iterable: Any = ()) -> Any:
    """Make a tuple."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, DynamicTuple):
        return iterable
    iterable = _listed(w, iterable)
    if _is_long(w, iterable):
        return w.sequences.new_tuple(w.version(list_(w, iterable), "[items]"))
    return tuple(w.static_items(iterable))


@lowers(builtins.dict, OrderedDict)
@always
def dict_(w: Any, source: Any = (), /, **more: Any) -> Any:
    """Make a dict."""
    source = w.narrow(source)
    if isinstance(source, dict):
        items = dict(w.sure_items(source))
    else:
        pairs = [w.static_items(pair) for pair in w.static_items(source)]
        items = {w.hashable(k): v for k, v in pairs}
    return w.new_dict({**items, **more})


@lowers(builtins.sum)
@always
def sum_(w: Any, iterable: Any, start: Any = 0) -> Any:
    """Add up items from the left."""
    iterable = _listed(w, iterable)
    if _is_long(w, iterable):
        return w.call(idioms.total, [iterable, start], {})
    total = start
    for item in w.static_items(iterable):
        total = w.binary(operator.add, total, item)
    return total


@lowers(builtins.any)
@always
def any_(w: Any, iterable: Any) -> Any:
    """Tell whether some item is true."""
    return _quantified(w, iterable, False)


@lowers(builtins.all)
@always
def all_(w: Any, iterable: Any) -> Any:
    """Tell whether all items are true."""
    return _quantified(w, iterable, True)


class _ManyItems(Exception):
    """How often a generator yields is known only when the model runs."""


def _quantified(w: Any, iterable: Any, conjunction: bool) -> Any:
    result: list[Any] = [conjunction]
    if w.is_iterator(iterable):
        iterable = w.call(idioms.each, [iterable], {})
    generator = w.as_generator(iterable)
    if generator is None:
        iterable = w.settled(iterable)
    if generator is None and _is_long(w, iterable):
        return w.call(idioms.all_of if conjunction else idioms.any_of, [iterable], {})
    scope = w.graph.scope
    stops: list[Any] = []

    def take(item: Any) -> None:
        if w.graph.scope is not scope:
            raise _ManyItems
        truth = w.truth(item)
        if not isinstance(truth, Scalar):
            if bool(truth) != conjunction:
                result[0] = not conjunction
                raise StopConsuming
            return
        stops.append(w.store.mark())
        if conjunction:
            result[0] = w.both(result[0], truth)
        else:
            result[0] = w.not_(w.both(w.not_(result[0]), w.not_(truth)))

    mark = w.store.mark()
    if generator is not None:
        try:
            w.consume(generator, take)
            if stops:
                w.require_unseen(generator, mark, stops[0])
        except _ManyItems:
            w.store.undo(mark)
            result[0] = _quantified(w, w.ahead(generator), conjunction)
    else:
        w.spend(iterable)
        staged = w.iterate(iterable)
        if not isinstance(staged.length, int) or staged.length >= ENDLESS:
            w.refuse("the number of items must be known before the model runs here")
        try:
            for index in range(staged.length):
                take(staged.item(index))
            if stops:
                w.require_unseen(iterable, mark, stops[0])
        except StopConsuming:
            pass
    return result[0]


@lowers(builtins.max)
@always
def max_(w: Any, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the largest items."""
    return _extreme(w, operator.gt, args, key, default)


@lowers(builtins.min)
@always
def min_(w: Any, *args: Any, key: Any = None, default: Any = MISSING) -> Any:
    """Return the first of the smallest items."""
    return _extreme(w, operator.lt, args, key, default)


def _extreme(w: Any, better: Any, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    if len(args) == 1:
        args = (_listed(w, args[0]),)
    if len(args) == 1 and _is_long(w, args[0]):
        return _dynamic_extreme(w, better, args[0], key, default)
    items = w.static_items(args[0]) if len(args) == 1 else list(args)
    if not items:
        if default is MISSING:
            w.raise_static(ValueError("arg is an empty sequence"))
        return default
    best = items[0]
    best_key = best if key is None else w.call(key, [best], {})
    for item in items[1:]:
        item_key = item if key is None else w.call(key, [item], {})
        test = w.truth(w.binary(better, item_key, best_key))
        new, new_key, old, old_key = item, item_key, best, best_key
        best, best_key = w.branch(
            test, lambda n=new, k=new_key: (n, k), lambda o=old, k=old_key: (o, k)
        )
    return best


def _dynamic_extreme(w: Any, better: Any, iterable: Any, key: Any, default: Any) -> Any:
    if key is not None:
        from elichika.lowerings.python_containers import extreme_by_key

        return extreme_by_key(w, better, iterable, key, default)
    items = list_(w, iterable)
    length = w.sequences.length(items)
    some = w.truth(w.binary(operator.gt, length, 0))
    walked = idioms.largest if better is operator.gt else idioms.smallest
    if default is not MISSING:
        return w.branch(some, lambda: w.call(walked, [items, length], {}), lambda: default)
    w.check(some, ValueError, "arg is an empty sequence")
    return w.call(walked, [items, length], {})


@lowers(builtins.abs)
def abs_(w: Any, value: Any) -> Any:
    """Return the magnitude."""
    if isinstance(value, Var) or not isinstance(value, (Array, Scalar)):
        method = w.special(value, "__abs__")
        return w.call(method, [value], {})
    if isinstance(value, Array) or not value.is_python:
        return w.call(np.absolute, [value], {})
    kind = int if value.type is bool else value.type
    number = w.value_of(value, PYTHON_DTYPES[kind])
    return w.scalar(kind, w.graph.Abs(number), value.bound)


@lowers(builtins.bool)
def bool_(w: Any, value: Any) -> Any:
    """Return the truth of a value."""
    return w.truth(value)


@lowers(builtins.int)
def int_(w: Any, value: Any) -> Any:
    """Truncate towards zero; nan, inf and values beyond int64 fail as in Python."""
    return _number(w, value, int)


@lowers(builtins.float)
def float_(w: Any, value: Any) -> Any:
    """Return a Python float."""
    return _number(w, value, float)


def _number(w: Any, value: Any, kind: type) -> Any:
    if not isinstance(value, (Array, Scalar)):
        method = w.special(value, f"__{kind.__name__}__")
        if method is not None:
            return w.call(method, [value], {})
        given = w.type_of(value).__name__
        w.raise_static(TypeError(f"{kind.__name__}() argument must be a number, not '{given}'"))
    if isinstance(value, Scalar) and value.type is kind:
        return value
    g = w.graph
    tensor = w.value_of(value)
    dims = w.dims(value)
    size: Any = 1
    for dim in dims:
        size = size * dim
    message = "only size-1 arrays can be converted to Python scalars"
    if isinstance(size, int):
        if size != 1:
            w.raise_static(TypeError(message))
    else:
        one = g.Equal(g.dim_value(size), g.constant(np.array(1, np.int64)))
        w.check(w.scalar(bool, one), TypeError, message)
    if dims:
        tensor = g.Reshape(tensor, g.constant(np.array([], np.int64)))
    source = dtype_of(tensor)
    if kind is int and source.kind == "f":
        inside = g.Less(
            g.Abs(g.Cast(tensor, to=np.dtype(np.float64))), g.constant(np.array(2.0**63))
        )
        w.check(w.scalar(bool, inside), ValueError, "cannot convert float to an int64 integer")
    bound = value.bound if isinstance(value, Scalar) and value.type in (int, bool) else None
    if kind is int and source.itemsize < 8 and source.kind in "iub":
        bound = 2 ** (8 * source.itemsize)
    return w.scalar(kind, g.Cast(tensor, to=PYTHON_DTYPES[kind]), bound)


@lowers(builtins.getattr)
@always
def getattr_(w: Any, obj: Any, name: Any, *default: Any) -> Any:
    """Return an attribute."""
    return w.get_attribute(obj, name, *default)


@lowers(builtins.hasattr)
@always
def hasattr_(w: Any, obj: Any, name: Any) -> Any:
    """Tell whether there is an attribute."""
    try:
        found = w.get_attribute(obj, name, MISSING_ATTRIBUTE)
        if isinstance(found, Choice):
            return w._tag_test(found, lambda a: a is not MISSING_ATTRIBUTE)
        return found is not MISSING_ATTRIBUTE
    except Raised as raised:
        if isinstance(raised.error, AttributeError):
            return False
        raise


class _Absent:
    """Stands for an attribute that is not there."""


MISSING_ATTRIBUTE = _Absent()


@lowers(builtins.setattr)
@always
def setattr_(w: Any, obj: Any, name: Any, value: Any) -> None:
    """Set an attribute in the store."""
    w.set_attribute(obj, name, value)


@lowers(builtins.delattr, object.__delattr__)
@always
def delattr_(w: Any, obj: Any, name: Any) -> None:
    """Delete an attribute in the store; it must be there."""
    w.undefined(w.version(obj, name), f"attribute `{name}`", AttributeError)
    w.store.set(obj, name, UNSET)


@lowers(object.__setattr__)
@always
def object_setattr(w: Any, obj: Any, name: Any, value: Any) -> None:
    """Set an attribute, past the class's own `__setattr__`."""
    w.set_attribute(obj, name, value, plain=True)


@lowers(object.__init__)
@always
def object_init(w: Any, obj: Any, /, *args: Any, **kwargs: Any) -> None:
    """Do nothing, as Python does."""


@lowers(builtins.super)
@always
def super_(w: Any, *args: Any) -> Any:
    """Return the proxy that looks attributes up past a class."""
    if args:
        return super(*args)
    frame = w.frames[-1]
    while frame.parent is not None and frame.owner is None:
        frame = frame.parent
    if frame.owner is None or frame.first_argument is None:
        w.raise_static(RuntimeError("super(): no arguments"))
    return super(frame.owner, w.version(frame, frame.first_argument))


@lowers(builtins.print)
@always
def print_(w: Any, *args: Any, **kwargs: Any) -> None:
    """Do nothing in the model; the report says so."""
    w.report.note(w.user_frame(), "print has no effect in the model")


@lowers(list.append)
@always
@takes_choices
def list_append(w: Any, obj: Any, value: Any) -> None:
    """Append in the store."""
    w.append(obj, value)


@lowers(list.extend)
@always
def list_extend(w: Any, obj: Any, value: Any) -> None:
    """Extend in the store."""
    w.extend(obj, value)


@lowers(list.pop)
@always
def list_pop(w: Any, obj: Any, index: Any = -1) -> Any:
    """Take an element out."""
    items = w.version(obj, "[items]")
    if not isinstance(items, Seq) and len(items) == 0:
        w.raise_static(IndexError("pop from empty list"))
    value = w.container_get(obj, index)
    w.delete_item(obj, index)
    return value


@lowers(list.insert)
@always
def list_insert(w: Any, obj: Any, index: Any, value: Any) -> None:
    """Insert before a position that is clamped to the list, as Python does."""
    items = w.version(obj, "[items]")
    if isinstance(items, tuple) and items and isinstance(index, Scalar):
        items = w.sequences.promoted(items)
    if not isinstance(items, Seq):
        if isinstance(index, Scalar):
            index = 0
        left = list(items)
        left.insert(index, value)
        w.store.set(obj, "[items]", tuple(left))
        return
    g = w.graph
    length = w.sequences.length_of(items)
    place = g.Max(g.Min(w.value_of(index, np.int64), length), g.Neg(length))
    w.store.set(obj, "[items]", w.sequences.insert(items, value, place))


@lowers(list.reverse)
@always
def list_reverse(w: Any, obj: Any) -> None:
    """Reverse in the store."""
    items = w.version(obj, "[items]")
    if isinstance(items, Seq):
        w.store.set(obj, "[items]", w.sequences.sliced(items, slice(None, None, -1)))
        return
    w.store.set(obj, "[items]", items[::-1])


@lowers(list.clear)
@always
def list_clear(w: Any, obj: Any) -> None:
    """Empty the list in the store."""
    w.store.set(obj, "[items]", ())


@lowers(list.copy)
@always
def list_copy(w: Any, obj: Any) -> Any:
    """Return a fresh list of the same items."""
    return list_(w, obj)


@lowers(dict.get)
@always
def dict_get(w: Any, obj: Any, key: Any, default: Any = None) -> Any:
    """Return an item or a default."""
    present = w.contains(obj, key)
    return w.branch(present, lambda: w.container_get(obj, key), lambda: default)


@lowers(dict.items)
@always
def dict_items(w: Any, obj: Any) -> Any:
    """Return the pairs."""
    return DictView(obj, "items")


@lowers(dict.keys)
@always
def dict_keys(w: Any, obj: Any) -> Any:
    """Return the keys."""
    return DictView(obj, "keys")


@lowers(dict.values)
@always
def dict_values(w: Any, obj: Any) -> Any:
    """Return the values."""
    return DictView(obj, "values")


@lowers(dict.update)
@always
def dict_update(w: Any, obj: Any, source: Any = (), /, **more: Any) -> None:
    """Set items in the store."""
    new = w.version(dict_(w, source, **more), "[items]")
    w.store.set(obj, "[items]", {**w.version(obj, "[items]"), **new})


@lowers(dict.setdefault)
@always
def dict_setdefault(w: Any, obj: Any, key: Any, default: Any = None) -> Any:
    """Return an item, set first if it is not there."""
    present = w.contains(obj, key)
    w.branch(present, lambda: None, lambda: w.container_set(obj, key, default))
    return w.container_get(obj, key)


@lowers(dict.pop)
@always
def dict_pop(w: Any, obj: Any, key: Any, *default: Any) -> Any:
    """Take an item out."""
    if default:
        present = w.contains(obj, key)
        if present is False:
            return default[0]
        if isinstance(present, Scalar):
            w.refuse(f"whether the key {key!r} is there is known only when the model runs")
    value = w.container_get(obj, key)
    w.delete_item(obj, key)
    return value


@lowers(dict.copy)
@always
def dict_copy(w: Any, obj: Any) -> Any:
    """Return a fresh dict of the same items."""
    return w.new_dict(w.sure_items(obj))


@lowers(builtins.set)
@always
def set_(w: Any, iterable: Any = ()) -> Any:
    """Make a set of values known now."""
    if isinstance(iterable, (set, frozenset)):
        items = list(w.version(iterable, "[items]"))
    else:
        items = w.static_items(iterable)
    made: set[Any] = w.store.born(set())
    w.store.set(made, "[items]", dict.fromkeys([w.hashable(i) for i in items], True))
    return made


@lowers(set.add)
@always
def set_add(w: Any, obj: Any, key: Any) -> None:
    """Add to the store's version."""
    w.store.set(obj, "[items]", {**w.version(obj, "[items]"), w.hashable(key): True})


@lowers(set.discard)
@always
def set_discard(w: Any, obj: Any, key: Any) -> None:
    """Take a key out, if it is there."""
    items = w.version(obj, "[items]")
    w.store.set(obj, "[items]", {k: v for k, v in items.items() if k != w.hashable(key)})


@lowers(set.remove)
@always
def set_remove(w: Any, obj: Any, key: Any) -> None:
    """Take a key out that must be there."""
    present = w.contains(obj, key)
    if isinstance(present, Scalar):
        w.check(present, KeyError, repr(key))
    elif not present:
        w.raise_static(KeyError(key))
    set_discard(w, obj, key)
