"""What operators give of lists and tuples: `+`, `*`, `==` and the orders, `+=` and `*=`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.values.symbolic import Array, Scalar, Seq
from elichika.walker.kinds.kind import are_compared
from elichika.walker.native.costs import too_many

if TYPE_CHECKING:
    from elichika.walker.kinds.context import KindContext

__all__ = ["augmented", "binary"]

#: What arrays are made of, beside symbolic ones.
_ARRAYS = (Array, np.ndarray)


def binary(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    """Return `left op right`, one of which is a list or tuple; NotImplemented where it cannot be.

    A number or array of numpy's makes an array of the other side, but where it is a count.
    """
    for sequence, other, swapped in ((left, right, False), (right, left, True)):
        if _base(w, sequence) is None or not _is_of_numpy(other):
            continue
        if op is operator.mul and not isinstance(other, _ARRAYS):
            return _times(w, op, sequence, other)
        made = w.native_array(sequence)
        return w.binary(op, other, made) if swapped else w.binary(op, made, other)
    if _base(w, left) is None:
        return (
            _times(w, op, right, left)
            if op is operator.mul and _is_count(left)
            else (NotImplemented)
        )
    told = _OPERATORS.get(op)
    return NotImplemented if told is None else told(w, op, left, right)


def augmented(w: KindContext, op: Any, current: list[Any], operand: Any) -> Any:
    """Run `current += operand` or `current *= operand`; numpy makes an array of the first."""
    if op is operator.add and type(current) is list and _is_of_numpy(operand):
        return w.binary(op, current, operand)
    if op is operator.add:
        w.extend(current, operand)
        return current
    if op is operator.mul and isinstance(operand, (int, Scalar)):
        w.set_items(current, w.items_of(_times(w, op, current, operand)))
        return current
    return NotImplemented


def _base(w: KindContext, value: Any) -> type | None:
    """Return list or tuple for what Python compares and joins as such."""
    kind = w.type_of(value)
    return next((base for base in (tuple, list) if issubclass(kind, base)), None)


def _items(w: KindContext, value: Any) -> Any:
    """Return the items: a tuple where their number is known, else a `Seq`."""
    match value:
        case list():
            return w.items_of(value)
        case tuple():  # of a class that may have its own `__iter__`
            return tuple.__getitem__(value, slice(None))
    return value


def _is_of_numpy(value: Any) -> bool:
    """Tell whether a value makes an array of the list that it is combined with."""
    if isinstance(value, Scalar):
        return not value.is_python
    return isinstance(value, (*_ARRAYS, np.generic))


def _is_count(value: Any) -> bool:
    return value.type in (int, bool) if isinstance(value, Scalar) else isinstance(value, int)


# -- one operator each ------------------------------------------------------------------------


def _plus(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    base, other = _base(w, left), _base(w, right)
    if other is None:
        return NotImplemented
    if base is not other:
        ours, theirs = w.type_of(left).__name__, w.type_of(right).__name__
        w.raise_static(TypeError(f'can only concatenate {ours} (not "{theirs}") to {ours}'))
    items, others = _items(w, left), _items(w, right)
    if isinstance(items, tuple) and isinstance(others, tuple):
        return _like(w, left, tuple(items) + tuple(others))
    if others == () or items == ():
        return w.sequences.like(left, items if others == () else others)
    if not isinstance(items, Seq):
        items = w.sequences.promoted(items)
    made = w.sequences.like([], items)
    w.extend(made, right)
    return w.sequences.like(left, w.items_of(made))


def _times(w: KindContext, op: Any, left: Any, count: Any) -> Any:
    items = _items(w, left)
    if isinstance(count, int) and isinstance(items, tuple):
        w.require_room(too_many(len(items) * count))
        return _like(w, left, items * count)
    if not isinstance(count, (int, Scalar)):
        return NotImplemented
    if isinstance(count, Scalar):
        _require_count(w, count)
    if items == ():
        return _like(w, left, ())
    if not isinstance(items, Seq):
        items = w.sequences.promoted(items)
    g = w.graph
    with w.located():
        length = w.sequences.length_of(items)
        turns = g.Max(w.value_of(count, np.int64), g.constant(0))
        repeated = w.sequences.collected(
            g.Mul(turns, length),
            items.element,
            lambda i: w.sequences.build(items, g.Mod(i, length)),
        )
    return w.sequences.like(left, repeated)


def _require_count(w: KindContext, count: Scalar) -> None:
    """Numpy's ints repeat a list, too, and so do its bools, of which it warns."""
    name = count.type.__name__
    if count.type is np.bool_:
        w.refuse("a list times a numpy bool is not compiled", "make an int of it: `[1] * int(n)`")
    if not issubclass(count.type, (int, np.integer)):
        w.raise_static(TypeError(f"can't multiply sequence by non-int of type '{name}'"))


def _equal(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    if _base(w, left) is not _base(w, right):
        return NotImplemented
    if left is right:  # Python asks for the identity of items first
        return op is operator.eq
    mine, other = _items(w, left), _items(w, right)
    if _require_comparable(w, left, right):
        ints = all(map(_are_ints, (mine, other)))
        compare = idioms.lists.same_ints if ints else idioms.lists.same_lists
        same = w.call(compare, [left, right], {})
        return same if op is operator.eq else w.not_(same)
    if len(mine) != len(other):
        return op is operator.ne
    pairs = list(zip(mine, other, strict=True))
    differ = w.any_of(pairs, lambda pair: w.not_(w.same_item(*pair)))
    return differ if op is operator.ne else w.not_(differ)


def _are_ints(items: Any) -> bool:
    """Tell whether all that a list holds are ints that the model holds."""
    if type(items) is Seq:
        return getattr(items.element, "type", None) in (int, bool)
    fits = [type(one) in (int, bool) and -(2**63) <= one < 2**63 for one in items]
    kinds = [type(one) is Scalar and one.type in (int, bool) for one in items]
    return all(map(operator.or_, fits, kinds))


def _require_comparable(w: KindContext, left: Any, right: Any) -> bool:
    """Tell whether one of two has a dynamic length: then its items have to be numbers."""
    dynamic = [one for one in (left, right) if w.is_dynamic(one)]
    for one in dynamic:
        w.sequences.require_numbers(one)
    return bool(dynamic)


def _order(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    if _base(w, left) is not _base(w, right):
        return NotImplemented
    known = not w.is_symbolic((left, right))
    if known and not are_compared(w, *_items(w, left), *_items(w, right)):
        return w.native(op, [left, right], {})
    if _require_comparable(w, left, right):
        return w.call(idioms.lists.ordered_lists, [op, left, right], {})
    return _first_that_differ(w, op, _items(w, left), _items(w, right))


def _first_that_differ(
    w: KindContext, op: Any, ours: tuple[Any, ...], others: tuple[Any, ...]
) -> Any:
    if not ours or not others:
        return op(len(ours), len(others))
    return w.branch(
        w.same_item(ours[0], others[0]),
        lambda: _first_that_differ(w, op, ours[1:], others[1:]),
        lambda: w.truth(w.binary(op, ours[0], others[0])),
    )


def _like(w: KindContext, left: Any, items: tuple[Any, ...]) -> Any:
    return tuple(items) if isinstance(left, tuple) else w.new_list(items)


_OPERATORS: dict[Any, Callable[[KindContext, Any, Any, Any], Any]] = {
    operator.add: _plus,
    operator.mul: _times,
    operator.eq: _equal,
    operator.ne: _equal,
    operator.lt: _order,
    operator.le: _order,
    operator.gt: _order,
    operator.ge: _order,
}
