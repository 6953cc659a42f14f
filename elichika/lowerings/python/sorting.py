"""`sorted` and `list.sort`: by known keys, by numbers of the run, by `<` of a class."""

from __future__ import annotations

import builtins
import functools
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elichika import idioms
from elichika.iterators.base import DictView
from elichika.lowerings.python.sets import SET_DECIDES, in_any_order, thawed
from elichika.program import native_code as natives
from elichika.registry import always, lowers, takes_choices
from elichika.state.joins import ArrayType, ChoiceType, ScalarType
from elichika.state.joins.containers import row_parts
from elichika.state.joins.references import RefType
from elichika.state.joins.rows import RowType
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import (
    alternatives_of,
    is_function,
    is_listed,
    is_number,
    is_number_of_the_run,
    is_set,
)
from elichika.values.symbolic import Array, Choice, DynamicTuple, Symbolic
from onnx_graph import Value
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


class Rows(NamedTuple):
    """A list of lists or tuples of numbers, each of a length of its own, and their dtype."""

    held: Any
    dtype: np.dtype[Any]


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
    columns, whole = _columns(w, keys)
    numbers = [column for column in columns if type(column) is not Rows]
    if decides and (not whole or len(numbers) < len(columns)):
        w.refuse(SET_DECIDES)
    if not columns:
        return w.call(idioms.lists.picked, [items, _order_by_less(w, keys, reverse)], {})
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
    return type(element) is ChoiceType and all(map(_is_number, element.parts))


def _classes(w: ContainerContext, keys: Any) -> list[Any]:
    """Return the classes of what is sorted, None of what is no object."""
    if not w.is_dynamic(keys):
        held = map(w.narrow, keys)
        return [None if isinstance(key, Symbolic) else _python_s(type(key)) for key in held]
    element = w.items_of(w.narrow(keys)).element
    cls = element.arena.cls if type(element) is RefType else getattr(element, "cls", None)
    return [_python_s(cls)]


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
    parts = [leaf for key in keys for leaf in _flat(w, key)]
    if any(_is_ordered(w, cls) for cls in _classes(w, parts)):
        return True
    alike = {
        type(part).__eq__ for key in keys if type(key) in (list, tuple) for part in _flat(w, key)
    }
    codes = [getattr(method, "__code__", None) for method in alike]
    return any(code is not None and natives.is_of_program(code) for code in codes)


def _columns(w: ContainerContext, keys: Any) -> tuple[list[Any], bool]:
    """Return the numbers that keys begin with, place by place, and whether that is all of them."""
    if w.is_dynamic(keys):
        element = w.items_of(w.narrow(keys)).element
        if _is_float(element) and not _is_number(element):
            return [_as_floats(w, keys)], True
        return _columns_of(w, keys, element)
    keys = list(map(w.narrow, keys))
    column = _column(w, keys)
    if column is not None:
        return [column], True
    if all(map(_is_float_here, keys)):
        return [w.new_list([w.scalar(float, w.value_of(key, np.float64)) for key in keys])], True
    if not all(map(is_listed, keys)) or len({_form(w, key) for key in keys}) != 1:
        return [], True
    places = list(zip(*(_flat(w, key) for key in keys), strict=True))
    columns = (_column(w, place) for place in places)
    found = list(itertools.takewhile(lambda column: column is not None, columns))
    return found, len(found) == len(places)


def _as_number(w: ContainerContext, key: Any) -> Any:
    """Return one of several numbers of one class as one number, and another key as it is."""
    number = w.choices.numbers(key) if type(key) is Choice else None
    return key if number is None else number


def _column(w: ContainerContext, keys: Any) -> Any:
    """Return a list of the numbers that some keys are, or that texts have in their order."""
    keys = [_as_number(w, w.narrow(key)) for key in keys]
    if all(_is_plain(w, key) for key in keys):
        return w.new_list(list(keys))
    rows = {type(w.narrow(key)) for key in keys} in ({list}, {DynamicTuple})
    if rows and all(map(w.is_dynamic, keys)):
        elements = {w.items_of(w.narrow(key)).element for key in keys}
        dtypes = [one.dtype for one in elements if type(one) is ScalarType]
        return Rows(w.new_list(list(keys)), *dtypes) if len(dtypes) == len(elements) == 1 else None
    texts = [one for key in keys for one in alternatives_of(w.narrow(key))]
    if any(type(one) is not str for one in texts):
        return None
    return w.call(idioms.lists.ranks, [w.new_list(list(keys)), tuple(sorted(set(texts)))], {})


def _columns_of(w: ContainerContext, keys: Any, element: Any) -> tuple[list[Any], bool]:
    """Return the numbers that keys of a type begin with, those of tuples in them too."""
    if _is_number(element):
        return [keys], True
    texts = _texts(element)
    if texts:
        return [w.call(idioms.lists.ranks, [keys, texts], {})], True
    row = _row_dtype(w, element)
    if row is not None:
        return [Rows(keys, row)], True
    columns: list[Any] = []
    for place, part in enumerate(row_parts(element)):
        row = _row_dtype(w, part)
        if row is None and not (row_parts(part) or _is_number(part) or _texts(part)):
            return columns, False
        more, whole = _columns_of(w, w.call(idioms.lists.column, [keys, place], {}), part)
        columns += more
        if not whole:
            return columns, False
    return columns, True


def _row_dtype(w: ContainerContext, element: Any) -> np.dtype[Any] | None:
    """Return the dtype of lists or tuples of numbers, each of a length of its own."""
    seen = w.arenas.seen(element)
    if type(seen) is not RowType or seen.cls not in (list, DynamicTuple):
        return None
    return seen.element.dtype if type(seen.element) is ScalarType else None


def _texts(element: Any) -> tuple[str, ...]:
    """Return the texts, in order, one of which an element is; none for another element."""
    held: list[Any] = [getattr(one, "value", None) for one in element.options]
    return tuple(sorted(set(held))) if all(type(one) is str for one in held) else ()


@lowers(idioms.lists.rank)
@takes_choices
def rank(w: ContainerContext, text: Any, texts: tuple[str, ...]) -> Any:
    """Read it off a table, by which text it is."""
    chosen = w.narrow(text)
    held = alternatives_of(chosen)
    if len(held) < 3 or {*map(type, held)} != {str}:
        return w.choices.apply(chosen, texts.index)
    places = w.graph.constant(np.array(list(map(texts.index, held))))
    return w.scalar(int, surely(w.graph.Gather(places, chosen.tag, axis=0)))


def _form(w: ContainerContext, key: Any) -> Any:
    """Return how tuples and lists of a key nest."""
    key = w.narrow(key)
    if not is_listed(key) or not w.is_known(key):
        return None
    return type(key), tuple(_form(w, part) for part in w.static_items(key))


def _flat(w: ContainerContext, key: Any) -> list[Any]:
    """Return the parts of a key, of tuples and lists in it too."""
    key = w.narrow(key)
    if not is_listed(key) or not w.is_known(key):
        return [key]
    return [leaf for part in w.static_items(key) for leaf in _flat(w, part)]


def _is_plain(w: LoweringContext, key: Any) -> bool:
    key = w.narrow(key)
    return is_number(key) or (isinstance(key, Array) and not w.dims(key))


def _is_number(type_: Any) -> bool:
    return type(type_) is ScalarType or (type(type_) is ArrayType and not type_.dims)


def _is_float(type_: Any) -> bool:
    """Tell whether keys are floats, maybe of several types, which compare as the widest does."""
    parts = getattr(type_, "alternatives", (type_,))
    return all(type(one) is ScalarType and one.dtype.kind == "f" for one in parts)


def _is_float_here(key: Any) -> bool:
    parts = alternatives_of(key)
    return all(is_number_of_the_run(one) and one.dtype.kind == "f" for one in parts)


def _as_floats(w: ContainerContext, keys: Any) -> Any:
    """Return a list of floats of several types as one of float64."""
    items = w.items_of(w.narrow(keys))
    length = w.sequences.length_of(items)

    def widened(place: Value) -> Any:
        held = w.sequences.build(items, place)
        return w.scalar(float, w.value_of(held, np.float64))

    return w.sequences.like([], w.sequences.collected(length, ScalarType(float), widened))


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
