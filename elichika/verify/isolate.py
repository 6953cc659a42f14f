"""Copies of a chain to run eagerly, so that the user's own stays as it is.

A copy owns all state but the parameters, whose arrays it sees through read-only views: a network
of hundreds of megabytes is copied in milliseconds. A program that writes into a parameter fails on
the view and gets a full copy instead. Functions that closed over the chain (`self.f = lambda x:
self.g(x)`) are rebuilt around the copy. What cannot be copied at all (locks, open files,
generators) is shared, and so is what is reached only through globals and classes. An array that
shows a part of another one still does.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch
from typing import Any

import chainer
import numpy as np

from elichika.values.constant_views import owner_of

__all__ = ["copied", "reachable", "writes_to_a_parameter"]


def copied(chain: Any, *, share_parameters: bool = True, shared: Iterable[Any] = ()) -> Any:
    """Return a copy of a chain that shares nothing a program could change, but for `shared`."""
    memo: dict[int, Any] = {id(item): item for item in shared}
    for parameter in _parameters(chain):
        grad = parameter._grad  # `grad` fails where there is no array
        for array in (parameter.array, *_kept_by(parameter.update_rule)):
            if share_parameters and isinstance(array, np.ndarray):
                view = array.view()
                view.flags.writeable = False
                memo[id(array)] = view
        if grad is not None:
            memo[id(grad)] = grad
    functions = []
    for item in reachable(chain):
        if isinstance(item, types.FunctionType) and item.__closure__:
            memo[id(item)] = _with_empty_cells(item)
            functions.append(item)
        elif type(item) is np.ndarray and item.base is not None and id(item) not in memo:
            _copy_view(item, memo)
        elif not isinstance(item, _CONTAINERS) and not _can_be_copied(item):
            memo[id(item)] = item
    result = copy.deepcopy(chain, memo)
    for function in functions:
        _fill_cells(function, memo)
    return result


def _kept_by(rule: Any) -> Iterable[Any]:
    """Return the arrays that an update rule keeps, which are as large as its parameter."""
    return () if rule is None or rule.state is None else rule.state.values()


def _copy_view(view: np.ndarray[Any, Any], memo: dict[int, Any]) -> None:
    """Copy an array as a view of the copy of the array that owns its memory."""
    owner = owner_of(view)
    if type(owner) is not np.ndarray or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        return
    if id(owner) not in memo:
        memo[id(owner)] = owner.copy(order="K")
    there = memo[id(owner)]
    memory = there if there.flags.c_contiguous else there.T
    first = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    memo[id(view)] = np.ndarray(view.shape, view.dtype, memory, first, view.strides)


def writes_to_a_parameter(error: BaseException) -> bool:
    """Tell whether an error comes from a write into a read-only view."""
    return isinstance(error, ValueError) and "read-only" in str(error)


def _parameters(chain: Any) -> list[chainer.Parameter]:
    return list(chain.params()) if isinstance(chain, chainer.Link) else []


_CONTAINERS = (Mapping, list, tuple, set, frozenset, np.ndarray, types.FunctionType, type)


def reachable(root: Any) -> Iterator[Any]:
    """Yield the objects that a copy would visit, each once."""
    seen: dict[int, Any] = {}
    pending = [root]
    while pending:
        item = pending.pop()
        if id(item) in seen or isinstance(item, (type, str, bytes, int, float)):
            continue
        seen[id(item)] = item
        yield item
        pending.extend(_held_by.dispatch(type(item))(item))


@singledispatch
def _held_by(item: Any) -> Iterable[Any]:
    """Return what a copy of an object copies, too."""
    return getattr(item, "__dict__", {}).values()


@_held_by.register(Mapping)
def _(item: Mapping[Any, Any]) -> Iterable[Any]:
    return item.values()


@_held_by.register(list)
@_held_by.register(tuple)
@_held_by.register(set)
@_held_by.register(frozenset)
def _(item: Iterable[Any]) -> Iterable[Any]:
    return item


@_held_by.register(np.ndarray)
@_held_by.register(chainer.Variable)
@_held_by.register(types.ModuleType)
def _(item: Any) -> Iterable[Any]:
    return ()


@_held_by.register
def _(item: types.MethodType) -> Iterable[Any]:
    return [item.__self__]


@_held_by.register(types.FunctionType)
def _(function: types.FunctionType) -> list[Any]:
    found = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not bound yet
            continue
    return found


def _can_be_copied(item: Any) -> bool:
    if hasattr(type(item), "__deepcopy__") or isinstance(item, chainer.Link):
        return True
    try:
        if getattr(item, "__deepcopy__", None) is not None:  # its class has a `__getattr__`
            return False
        item.__reduce_ex__(4)
    except Exception:  # whatever an object raises to say that it cannot be copied
        return False
    return True


def _with_empty_cells(function: types.FunctionType) -> types.FunctionType:
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    return made


def _fill_cells(function: types.FunctionType, memo: dict[int, Any]) -> None:
    made = memo[id(function)]
    for old, new in zip(function.__closure__ or (), made.__closure__, strict=True):
        try:
            new.cell_contents = copy.deepcopy(old.cell_contents, memo)
        except ValueError:  # not bound yet
            continue
