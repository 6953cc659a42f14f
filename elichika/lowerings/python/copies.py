"""The module `copy`: copies that share what they hold, and copies of all of it."""

from __future__ import annotations

import copy
import functools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor, SymbolicRange
from elichika.lowerings.python.iterables import list_
from elichika.registry import always, lowers
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import has_space, is_array, is_choice, is_container
from elichika.values.symbolic import UNSET, Array, Choice, DynamicTuple, Symbolic, Var
from elichika.values.tables import FrozenSet
from elichika.values.words import a_or_an, a_value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

_IMMUTABLE = (
    *(bool, int, float, complex, str, bytes, type, np.generic, np.dtype, frozenset, range),
    *(DynamicTuple, FrozenSet, SymbolicRange, Closure, BoundMethod),
)

#: Those whose method `copy` makes one of their own class.
_DICTS = (dict, OrderedDict, defaultdict, Counter)


@lowers(copy.copy)
@always
def copy_(w: ContainerContext, x: Any) -> Any:
    """Return a copy that shares what it holds."""
    x = w.narrow(x)
    if is_array(x):
        return _array_copy(w, x)
    if _is_immutable(x) or isinstance(x, (tuple, Var)):
        return x
    if type(x) in _DICTS and w.tables.of(x) is not None:
        return w.call(type(x).copy, [x], {})
    if is_container(x):
        return _container(w, x, lambda item: item)
    method = w.special(x, "__copy__")
    if method is not None and w.has_source(method):
        return w.call(method, [x], {})
    return _object(w, x, lambda item: item, {})


@lowers(copy.deepcopy)
@always
def deepcopy(w: ContainerContext, x: Any, memo: Any = None) -> Any:
    """Return a copy of an object and of all that it holds."""
    if memo is not None:
        w.refuse("`deepcopy` with a memo is not compiled", "leave the memo out")
    return _deep(w, x, {})


def _deep(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    x = w.narrow(x)
    if id(x) not in memo:
        memo[id(x)] = _deep_new(w, x, memo)
    return memo[id(x)]


def _deep_new(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    """Copy what was not copied before under this name."""
    if is_choice(x) and any(map(w.arenas.holds, x.alternatives)):
        _close(w, memo)
        return w.choices.apply(x, lambda one: _deep(w, one, {}))
    if w.arenas.holder(x) is not None:
        return _of_arena(w, x, memo)
    if w.is_dynamic(x) and not w.sequences.is_plain(x):
        _close(w, memo)
    if is_array(x) or w.store.is_sealed(x):
        return _copied_once(w, x, memo, lambda: _deep_of(w, x, memo))
    return _deep_of(w, x, memo)


def _in_list(w: ContainerContext, x: Any) -> bool:
    """Tell whether a list of dynamic length may hold an object."""
    return w.in_list(x) if isinstance(x, Array) else w.arenas.holds(x) or w.store.is_sealed(x)


def _close(w: ContainerContext, memo: dict[Any, Any]) -> None:
    """Refuse further objects of lists, and those before: what is one of them has one copy."""
    if memo.get("closed") or any(_in_list(w, one) for one, _ in memo.get("met", ())):
        w.arenas.refuse_deep()
    memo["closed"] = True


def _copied_once(
    w: ContainerContext, x: Any, memo: dict[Any, Any], copied: Callable[[], Any]
) -> Any:
    """Copy what may be an object that was copied before: then that copy is meant."""
    if memo.get("closed") and _in_list(w, x):
        w.arenas.refuse_deep()
    met = memo.setdefault("met", [])

    def made(others: list[tuple[Any, Any]]) -> Any:
        for place, (other, before) in enumerate(others, 1):
            same = w.identical(other, x)
            if same is not False:
                rest = functools.partial(made, others[place:])
                return w.branch(w.truth(same), functools.partial(_given, before), rest)
        return copied()

    result = made(list(met))
    met.append((x, result))
    return result


def _given(value: Any) -> Any:
    return value


def _of_arena(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    """Copy an object that changes while lists hold it, or a list of such objects."""
    arena = w.arenas.holder(x)
    assert arena is not None
    cls = arena.cls
    if hasattr(cls, "__deepcopy__"):
        _refuse_own(w, cls)
    _require_plain(w, cls)
    if not w.is_dynamic(x):
        return _copied_once(w, x, memo, lambda: w.arenas.another(x))
    _close(w, memo)
    if w.store.passed.holds(arena):
        w.store.passed.tell(arena)
    made = w.call(idioms.lists.copied, [x, copy.deepcopy], {})
    return w.call(tuple, [made], {}) if w.type_of(x) is tuple else made


def _deep_of(w: ContainerContext, x: Any, memo: dict[Any, Any]) -> Any:
    if is_array(x):
        return _array_copy(w, x)
    if w.store.passed.holds(x) and memo.setdefault(("passed", type(x)), x) is not x:
        w.store.passed.tell(x)
    if isinstance(x, Var):
        return Var(_deep(w, x.array, memo), x.kind)
    if is_choice(x):
        return Choice(x.tag, tuple(_deep(w, one, memo) for one in x.alternatives))
    if isinstance(x, BoundMethod):
        return BoundMethod(x.function, _deep(w, x.receiver, memo))
    if w.is_dynamic(x) and type(x) in (list, DynamicTuple):
        return w.sequences.like(x, w.sequences.settled(w.items_of(x)))
    if _is_immutable(x):
        return x
    if isinstance(x, tuple):
        return tuple.__new__(type(x), [_deep(w, item, memo) for item in x])
    if type(x) in _DICTS and w.tables.of(x) is not None:
        if not w.items_of(x).type.element.is_plain:
            w.refuse(
                "`deepcopy` of a dict whose keys the run decides copies numbers alone",
                "make a dict of copies: `{key: list(held) for key, held in d.items()}`",
            )
        return w.call(type(x).copy, [x], {})
    if is_container(x):
        return _container(w, x, lambda item: _deep(w, item, memo))
    method = w.special(x, "__deepcopy__")
    if method is not None:
        _refuse_own(w, type(x))
    return _object(w, x, lambda item: _deep(w, item, memo), memo)


def _refuse_own(w: LoweringContext, cls: type) -> None:
    w.refuse(f"`deepcopy` of {a_or_an(cls.__name__)}, which has `__deepcopy__`, is not compiled")


def _is_immutable(x: Any) -> bool:
    return (
        x is None
        or x is UNSET
        or isinstance(x, _IMMUTABLE)
        or (callable(x) and not has_space(x))
        or (isinstance(x, Symbolic) and not isinstance(x, (Array, Var)))
        or hasattr(type(x), "__code__")
    )


def _array_copy(w: LoweringContext, x: Any) -> Any:
    return w.call(np.ndarray.copy, [x], {})


def _container(w: ContainerContext, x: Any, each: Any) -> Any:
    if isinstance(x, dict):
        if type(x) not in (dict, OrderedDict):
            w.refuse(f"a copy of {a_value(x)} is not compiled")
        copied = w.new_dict({k: each(v) for k, v in w.sure_items(x).items()})
        return copied if type(x) is dict else w.call(OrderedDict, [copied], {})
    if isinstance(x, set):
        return w.call(set, [x], {})
    if type(x) is not list:
        w.refuse(f"a copy of {a_value(x)} is not compiled")
    if w.is_dynamic(x):
        return list_(w, x)
    return w.new_list([each(item) for item in w.items(x)])


def _require_plain(w: LoweringContext, cls: type) -> None:
    """Refuse a class that says itself how its objects are copied, or that is asked for that."""
    special = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getattr__")
    if any(getattr(cls, n, None) is not getattr(object, n, None) for n in special):
        w.refuse(f"a copy of {a_or_an(cls.__name__)} is not compiled")


def _object(w: ContainerContext, x: Any, each: Any, memo: dict[Any, Any]) -> Any:
    """Copy an object of a class of the program, attribute by attribute."""
    _require_plain(w, type(x))
    held = has_space(x) or w.store.was_born(x)
    if not held or isinstance(x, (chainer.Variable, BaseException, Cursor)):
        w.refuse(f"a copy of {a_value(x)} is not compiled")
    made = w.store.born(object.__new__(type(x)))
    memo[id(x)] = made
    for name, value in w.open_attributes_of(x).items():
        w.store.set(made, name, each(value))
    return made
