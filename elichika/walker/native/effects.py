"""Which methods of the program native code may call: those that only look at what nobody changed.

It calls `__eq__` and `__hash__` of a key, `__lt__` in a sort, and how often is its own affair.
"""

from __future__ import annotations

import gc
import types
from typing import Any

import numpy as np

from elichika.program import native_code as natives
from elichika.program.effects import changes
from elichika.state.joins.references import Arena
from elichika.values.constant_views import owner_of
from elichika.values.functions import Frame
from elichika.values.symbolic import Array
from elichika.walker.walk import Walk

__all__ = ["Looking", "is_called", "may_be_seen"]

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
    return type(owner) not in (Arena, Frame) and natives.package_of(type(owner)) != "elichika"


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
