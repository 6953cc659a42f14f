"""What Python's exceptions hold."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

__all__ = ["OF_TWO", "PLAIN", "holds_args", "own_attributes"]

#: Classes of Python whose exceptions hold their arguments, and nothing else.
PLAIN = frozenset(
    {
        *(object, BaseException, Exception, ArithmeticError, ZeroDivisionError, OverflowError),
        *(FloatingPointError, AssertionError, AttributeError, LookupError, IndexError, KeyError),
        *(NameError, UnboundLocalError, RuntimeError, NotImplementedError, RecursionError),
        *(StopIteration, TypeError, ValueError, EOFError, GeneratorExit, BufferError),
        *(ReferenceError, SystemError, Warning, UserWarning, RuntimeWarning),
        *(DeprecationWarning, FutureWarning),
    }
)
#: What exceptions of the system hold beside their arguments if they are given two or more.
OF_TWO = frozenset({"errno", "strerror", "filename", "filename2"})
NOTHING = object()


def holds_args(cls: type, args: Sequence[Any]) -> bool:
    """Tell whether exceptions hold their arguments and what is assigned to them, and no more.

    Those of the system hold a number and words, too, where they are given two.
    """
    own = [base for base in cls.__mro__ if base not in PLAIN]
    if issubclass(cls, OSError) and len(args) < 2:
        if type(cls.__init__) is not types.WrapperDescriptorType:
            return False  # it need not hand its arguments on, and would hold none then
        own = [base for base in own if base.__module__ != "builtins"]
    return not any(base.__module__ == "builtins" or "__new__" in vars(base) for base in own)


def own_attributes(error: BaseException) -> dict[str, Any]:
    """Return what was assigned to an exception of Python's, in its `__slots__`, too."""
    slots = {
        name: getattr(error, name, NOTHING)
        for cls in type(error).__mro__
        if cls.__module__ != "builtins"
        for name, member in vars(cls).items()
        if type(member) is types.MemberDescriptorType
    }
    held = {name: one for name, one in slots.items() if one is not NOTHING}
    return held | {name: one for name, one in vars(error).items() if not name.startswith("__")}
