"""Builtins that make iterators and containers, and those that consume them."""

from __future__ import annotations

import builtins
import operator
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NoReturn

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators import Backwards, Enumerate, Map, Over, Zip
from elichika.iterators.base import ENDED, Cursor, DictView, SymbolicRange
from elichika.program import native_code as natives
from elichika.program.raised import genuine
from elichika.registry import always, lowers, takes_choices, takes_spreads
from elichika.values import python_words
from elichika.values.functions import GeneratorCall
from elichika.values.kinds import (
    is_function,
    is_listed,
    is_number_of_the_run,
    is_set,
    is_spread,
)
from elichika.values.symbolic import COUNTER_BOUND, Choice, Conflict, DynamicTuple, Scalar
from onnx_graph import compare

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def _bound(w: ContainerContext, value: Any) -> Any:
    """Return a bound of a range: an int of numpy's as one of Python's, which never wraps."""
    match w.whole(value):
        case np.integer() as known:
            return int(known)
        case Scalar(type=kind) as bound if issubclass(kind, np.integer):
            return w.call(int, [bound], {})
        case Scalar(type=kind) if not issubclass(kind, int):
            w.raise_static(
                TypeError(f"'{kind.__name__}' object cannot be interpreted as an integer")
            )
        case Choice() as bound:
            return w.choices.apply(bound, lambda one: _bound(w, one))
        case bound:
            index_of(w, bound)
            return bound


@lowers(builtins.range)
def range_(w: ContainerContext, *bounds: Any) -> Any:
    """Return a range whose length is known when the model runs."""
    if not 1 <= len(bounds) <= 3:
        w.raise_static(TypeError(f"range expected 1 to 3 arguments, got {len(bounds)}"))
    bounds = tuple(_bound(w, bound) for bound in bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    zero = "range() arg 3 must not be zero"
    if is_number_of_the_run(step):
        said = python_words.RANGE_STEP
        w.check(w.binary(operator.ne, step, 0), ValueError, zero, said, exact=True)
    elif step == 0:
        w.check(False, ValueError, zero, python_words.RANGE_STEP)
    span = w.binary(operator.sub, stop, start)
    if is_number_of_the_run(step) or step != 1:
        # ceil(span / step) for either sign of the step
        over = w.binary(operator.floordiv, w.unary(operator.neg, span), step)
        span = w.unary(operator.neg, over)
    if not is_number_of_the_run(span):
        span = max(span, 0)
    elif span.dim is None or compare(span.dim, ">=", 0) is not True:
        g = w.graph
        clipped = g.Max(w.value_of(span, np.int64), g.constant(np.array(0, np.int64)))
        span = w.scalar(int, clipped, COUNTER_BOUND)
    return SymbolicRange(start, stop, step, span)


def index_of(w: LoweringContext, value: Any) -> None:
    """Raise what Python does where a value is no integer."""
    kind = w.type_of(value)
    if not hasattr(kind, "__index__"):
        name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        text = f"'{name}' object cannot be interpreted as an integer"
        w.raise_static(genuine(TypeError(text)))


@lowers(builtins.enumerate)
@always
@takes_choices
def enumerate_(w: ContainerContext, iterable: Any, start: Any = 0) -> Any:
    """Pair each item with its number."""
    index_of(w, start)
    start = w.call(operator.index, [start], {})
    child = w.iterator(iterable)
    if w.as_generator(child) is not None:
        return w.call(idioms.iterators.enumerated, [child, start], {})
    return w.started(Enumerate(child, start))


#: What classes of the program extend that `reversed` knows.
_EXTENDED = (list, tuple, dict, set, frozenset, str, bytes, np.ndarray, chainer.Variable)
#: One of several of these is gone through by one iterator.
_CONTAINERS = {list, tuple, dict, defaultdict, Counter, DictView}


@lowers(builtins.iter)
@always
@takes_choices
def iter_(w: ContainerContext, iterable: Any, *sentinel: Any) -> Any:
    """Return an iterator."""
    iterable = w.narrow(iterable)
    if type(iterable) is Choice and not {*map(type, iterable.alternatives)} <= _CONTAINERS:
        return w.choices.apply(iterable, lambda one: iter_(w, one, *sentinel))
    if sentinel:
        return w.call(idioms.iterators.until, [iterable, *sentinel], {})
    return w.iterator(iterable)


@lowers(builtins.next)
@always
def next_(w: ContainerContext, iterator: Any, *default: Any) -> Any:
    """Take the next item of an iterator."""
    iterator = w.narrow(iterator)
    if type(iterator) is Choice:
        return w.choices.apply(iterator, lambda one: next_(w, one, *default))
    if type(iterator) is Conflict:
        w.undefined(iterator, "this iterator", TypeError)
    if not w.is_asked(iterator):
        method = w.special(iterator, "__next__")
        if method is None:
            w.raise_static(TypeError(f"'{w.type_of(iterator).__name__}' object is not an iterator"))
    elif not isinstance(iterator, (Cursor, GeneratorCall)) and not default:
        return w.call(w.special(iterator, "__next__"), [iterator], {})

    def ended() -> Any:
        if default:
            return default[0]
        w.raise_static(StopIteration("the iterator has no more items"))

    return w.ask(iterator, lambda item: item, ended)


@lowers(builtins.zip)
@always
@takes_choices
@takes_spreads
def zip_(w: ContainerContext, *iterables: Any, strict: Any = False) -> Any:
    """Run several iterables side by side, as far as the shortest."""
    strict = w.truth(strict)
    if is_number_of_the_run(strict):
        w.refuse(
            "whether `zip` is strict must be known before the model runs",
            "compare the lengths with `assert`",
        )
    if any(map(is_spread, iterables)):
        if strict:
            w.refuse(
                "`zip(*rows, strict=True)` of rows whose number the run decides is not compiled",
                "compare the lengths with `assert`",
            )
        return w.columns(w.together(list(iterables)))
    return w.started(Zip(tuple(map(w.iterator, iterables)), strict))


@lowers(builtins.reversed)
@always
def reversed_(w: ContainerContext, iterable: Any) -> Any:
    """Run an iterable backwards."""
    iterable = w.narrow(iterable)
    if type(iterable) is Choice and any(_is_of_program(w, one) for one in iterable.alternatives):
        return w.choices.apply(iterable, lambda one: reversed_(w, one))
    method = None if type(iterable) is Choice else w.special(iterable, "__reversed__")
    if is_function(method):
        return w.call(iter, [w.call(method, [iterable], {})], {})
    if type(iterable) is not Choice and _is_of_program(w, iterable):
        if w.special(iterable, "__getitem__") is None:
            _raise_not_reversible(w, iterable)
        return w.call(idioms.iterators.backwards, [iterable, w.call(len, [iterable], {})], {})
    for name in ("__len__", "__getitem__"):
        if isinstance(iterable, tuple) and w.overriding(iterable, name) is not None:
            w.refuse(f"`reversed` of a tuple whose class has its own `{name}` is not compiled")
    if w.is_asked(iterable) or is_set(iterable):
        _raise_not_reversible(w, iterable)
    kept = is_listed(iterable)
    staged = w.container_iterate(iterable) if kept else w.iterate(w.settled(iterable))
    return w.started(Backwards(staged, w.binary(operator.sub, staged.length, 1), iterable))


def _is_of_program(w: ContainerContext, value: Any) -> bool:
    """Tell whether a value is an object of a class of the program that extends no container."""
    kind = w.type_of(value)
    return not natives.is_native(kind) and not issubclass(kind, _EXTENDED)


def _raise_not_reversible(w: ContainerContext, value: Any) -> NoReturn:
    kind = w.type_of(value).__name__
    w.raise_static(genuine(TypeError(f"'{kind}' object is not reversible")))


@lowers(builtins.map)
@always
def map_(w: ContainerContext, function: Any, *iterables: Any) -> Any:
    """Apply a function to each item, when the item is asked for."""
    if not iterables:
        w.raise_static(TypeError("map() must have at least two arguments."))
    children = tuple(map(w.iterator, iterables))
    if len(children) == 1 and w.as_generator(children[0]) is not None:
        return w.call(idioms.iterators.mapped, [function, *children], {})
    return w.started(Map(function, children))


@lowers(builtins.filter)
@always
def filter_(w: ContainerContext, function: Any, iterable: Any) -> Any:
    """Keep the items that pass a test."""
    child = w.iterator(iterable)
    if w.is_iterator(child):
        child = w.call(idioms.iterators.asked, [child], {})
    return w.call(idioms.iterators.kept, [function, child], {})


@lowers(builtins.list)
@always
def list_(w: ContainerContext, iterable: Any = ()) -> Any:
    """Make a list."""
    iterable = w.narrow(iterable)
    own = (w.overriding(iterable, name) for name in ("__iter__", "__len__"))
    if isinstance(iterable, list) and not any(own):
        made = w.new_list(())
        w.set_items(made, w.items_of(iterable))
        return made
    settled = w.settled(iterable)
    if settled is not iterable and isinstance(settled, list):
        return settled
    iterable = settled
    whole = _whole_list(w, iterable)
    if whole is not None:
        return list_(w, whole)
    if not w.is_known(iterable):
        return w.call(idioms.lists.listed, [iterable], {})
    return w.new_list(w.static_items(iterable))


def _whole_list(w: ContainerContext, iterator: Any) -> Any:
    """Return the list that an iterator runs over, which is used up; None if it runs over none."""
    if type(iterator) is not Over or iterator.reading is not None:
        return None
    place = w.position(iterator)
    if not isinstance(iterator.source, list) or not isinstance(place, int) or place:
        return None
    w.stand(iterator, ENDED)
    return iterator.source


@lowers(builtins.tuple)
@always
def tuple_(w: ContainerContext, iterable: Any = ()) -> Any:
    """Make a tuple."""
    iterable = w.narrow(iterable)
    if isinstance(iterable, DynamicTuple):
        return iterable
    iterable = w.settled(iterable)
    if not w.is_known(iterable):
        return w.sequences.new_tuple(w.items_of(list_(w, iterable)))
    return tuple(w.static_items(iterable))
