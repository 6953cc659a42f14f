"""What code of the program changes besides what it gives, as its instructions tell.

What native code calls by itself, as it calls `__eq__` and `__hash__` of a key, would change the
user's own objects.
"""

from __future__ import annotations

import dis
import types
from functools import cache
from typing import Any

from elichika.program import native_code as natives

__all__ = ["acts", "changes", "only_looks"]

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


#: Names of functions and attributes that only look.
_LOOKING = {
    *("object", "super", "type", "len", "isinstance", "str", "int", "bool", "tuple", "repr"),
    *("AttributeError", "KeyError", "__getattribute__", "startswith", "endswith", "get", "format"),
}


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


def only_looks(function: types.FunctionType) -> bool:
    """Tell whether a function surely changes nothing: it calls nothing that may.

    Names of attributes and functions are told apart by what is known to look only; a name of the
    program's own, which may be anything, is not followed.
    """
    code = function.__code__
    free = {*code.co_freevars} - {"__class__"}
    return not (free or changes(code)) and _LOOKING.issuperset(code.co_names)


def acts(function: Any) -> bool:
    """Tell whether a function of C changes something, or gives another result each time."""
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if type(owner) is types.ModuleType or owner is None:
        return name in _BUILTINS or natives.is_impure(function)
    return name in _METHODS or natives.is_impure(function)
