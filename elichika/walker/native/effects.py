"""What code of the program changes besides what it gives.

Native code calls methods of the program by itself: `__eq__` and `__hash__` of a key, `__lt__` in a
sort. How often is its own affair, and what they change would be the user's own objects.
"""

from __future__ import annotations

import dis
import gc
import types
from functools import cache
from typing import Any

import numpy as np

from elichika.program import native_code as natives
from elichika.state.joins.references import Arena
from elichika.values.constant_views import owner_of
from elichika.values.functions import Frame
from elichika.values.symbolic import Array
from elichika.walker.walk import Walk

__all__ = ["Looking", "acts", "changes", "is_called", "may_be_seen"]

#: Where the walk's own objects come from.
_OURS = "elichika."
#: How deep what a function reads is looked for, and what leads to all that there is.
_DEEP = 4
_NOT_FOLLOWED = {types.ModuleType, types.FunctionType}

#: Methods that code without Python source calls by itself.
_CALLED = frozenset(
    f"__{name}__"
    for name in (
        *("bool", "len", "length_hint", "int", "float", "complex", "index", "abs", "trunc"),
        *("floor", "ceil", "iter", "next", "reversed", "getitem", "contains", "eq", "ne", "lt"),
        *("le", "gt", "ge", "hash", "array", "str", "repr", "format", "bytes", "dir"),
        *("round", "matmul", "and", "or", "xor"),
        *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "mod", "rmod", "pow"),
        *("neg", "fspath", "instancecheck", "missing"),
    )
)


def is_called(name: str) -> bool:
    """Tell whether code without Python source calls methods of this name by itself."""
    return name in _CALLED


def may_be_seen(owner: Any) -> bool:
    """Tell whether a change is of something that a method may read: no mere part of the walk."""
    if type(owner) is Array:
        return owner.source is not None
    return not isinstance(owner, (Arena, Frame)) and not type(owner).__module__.startswith(_OURS)


#: Instructions that change something that is not the function's own.
_CHANGING = {
    *("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"),
    *("STORE_GLOBAL", "DELETE_GLOBAL"),
}
#: The same on names of functions around it.
_OF_CELLS = {"STORE_DEREF", "DELETE_DEREF"}
#: Functions of Python that change what they are given, or the world.
_BUILTINS = {"setattr", "delattr", "next", "print", "input", "exec", "eval", "open"}
#: Methods of containers of Python that change them.
_METHODS = {
    *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update"),
    *("setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft", "rotate"),
    *("__setitem__", "__delitem__", "__setattr__", "__delattr__", "__next__", "send", "fill"),
    *("difference_update", "intersection_update", "symmetric_difference_update", "write"),
}


#: Names by which a function changes what the instructions do not show.
_NAMES = {"__setattr__", "__delattr__", "__setitem__", "__delitem__", "__dict__", "__iadd__"}


@cache
def changes(code: types.CodeType) -> bool:
    """Tell whether the instructions of a function may change what is not its own."""
    if not _NAMES.isdisjoint(code.co_names):
        return True
    for one in dis.get_instructions(code):
        if one.opname in _CHANGING or (one.opname in _OF_CELLS and one.argval in code.co_freevars):
            return True
        if one.opname.startswith("INPLACE_") or (
            one.opname == "BINARY_OP" and one.argrepr.endswith("=")
        ):
            return True
    return False


def acts(function: Any) -> bool:
    """Tell whether a function of C changes something, or gives another result each time."""
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if type(owner) is types.ModuleType or owner is None:
        return name in _BUILTINS or natives.is_impure(function)
    return name in _METHODS or natives.is_impure(function)


class Looking:
    """Which functions of the program native code may call: those that only look.

    And what they look at is as it was before the walk.

    Args:
        walk: What the program has changed so far.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._changed: dict[int, set[str]] | None = None

    def only(self, frame: types.FrameType) -> bool:
        """Tell whether a function that was just called only looks."""
        code, caller = frame.f_code, frame.f_back
        inner = caller is not None and natives.is_of_program(caller.f_code)
        if not (inner or is_called(code.co_name)) or changes(code):
            return False
        changed = self._changes()
        return not changed or not _reads(frame, changed)

    def _changes(self) -> dict[int, set[str]]:
        """Return what the program has changed, and the names of it."""
        if self._changed is None:
            self._changed = {}
            for owner, slot in self._walk.store.written():
                if may_be_seen(owner):
                    seen = owner.source if type(owner) is Array else owner
                    self._changed.setdefault(id(seen), set()).add(slot)
        return self._changed


def _reads(frame: types.FrameType, changed: dict[int, set[str]]) -> bool:
    """Tell whether a function may read something that the program has changed."""
    names, space = frame.f_code.co_names, frame.f_globals
    if not changed.get(id(space), set()).isdisjoint(names):
        return True
    layer: list[Any] = [*frame.f_locals.values(), *(space[name] for name in names if name in space)]
    seen = {id(space)}
    for _ in range(_DEEP):
        layer = [one for one in layer if id(one) not in seen]
        if any(id(owner_of(one) if type(one) is np.ndarray else one) in changed for one in layer):
            return True
        seen.update(map(id, layer))
        layer = gc.get_referents(*(one for one in layer if type(one) not in _NOT_FOLLOWED))
    return False
