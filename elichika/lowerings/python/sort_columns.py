"""What the keys of a sort are compared by: columns of numbers, place by place."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elichika import idioms
from elichika.numbers.python_comparisons import WITH_A_FLOAT
from elichika.numbers.python_operands import require_within
from elichika.registry import lowers, takes_choices
from elichika.state.joins import ArrayType, ScalarType
from elichika.state.joins.containers import row_parts
from elichika.state.joins.rows import RowType
from elichika.values.kinds import alternatives_of, is_listed, is_number, is_number_of_the_run
from elichika.values.symbolic import Array, Choice, DynamicTuple
from onnx_graph import Value
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["Rows", "columns_of_keys", "flat", "is_number_type", "require_exact"]


class Rows(NamedTuple):
    """A list of lists or tuples of numbers, each of a length of its own, and their dtype."""

    held: Any
    dtype: np.dtype[Any]


def columns_of_keys(w: ContainerContext, keys: Any) -> tuple[list[Any], bool]:
    """Return the numbers that keys begin with, place by place, and whether that is all of them."""
    if w.is_dynamic(keys):
        element = w.items_of(w.narrow(keys)).element
        if _is_float(element) and not is_number_type(element):
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
    places = list(zip(*(flat(w, key) for key in keys), strict=True))
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
    if is_number_type(element):
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
        if row is None and not (row_parts(part) or is_number_type(part) or _texts(part)):
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


def flat(w: ContainerContext, key: Any) -> list[Any]:
    """Return the parts of a key, of tuples and lists in it too."""
    key = w.narrow(key)
    if not is_listed(key) or not w.is_known(key):
        return [key]
    return [leaf for part in w.static_items(key) for leaf in flat(w, part)]


def _is_plain(w: LoweringContext, key: Any) -> bool:
    key = w.narrow(key)
    return is_number(key) or (isinstance(key, Array) and not w.dims(key))


def is_number_type(type_: Any) -> bool:
    """Tell whether items of a type are numbers."""
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


def require_exact(w: ContainerContext, column: Any) -> None:
    """Check that no int beside floats is one that a float64 does not hold."""
    held = w.items_of(w.narrow(column))
    if type(held) is tuple:
        ints = [one for one in held if w.type_of(w.narrow(one)) is int]
        if _has_floats({w.type_of(w.narrow(one)) for one in held}):
            for one in ints:
                require_within(w, w.narrow(one), 2**53, WITH_A_FLOAT)
        return
    kinds = {one.type for one in held.element.options if type(one) is ScalarType}
    if int in kinds and _has_floats(kinds):
        w.call(idioms.lists.require_exact, [column], {})


def _has_floats(kinds: set[type]) -> bool:
    return any(issubclass(kind, (float, np.floating)) for kind in kinds)
