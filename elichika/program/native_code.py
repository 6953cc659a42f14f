"""Which code is run now, with Python itself, when all its operands are known.

Natives are known to be pure: their result depends on their arguments alone and they change nothing.
"""

from __future__ import annotations

import builtins
import functools
import os
import random
import sys
import sysconfig
import types
from functools import cache
from typing import Any

import numpy as np

from elichika import idioms

#: Modules (by prefix) whose functions and classes are pure on static arguments.
PURE_MODULES = (
    "numpy",
    "math",
    "operator",
    "_operator",
    "itertools",
    "functools",
    "collections",
    "_collections",
    "copy",
    "string",
    "re",
    "six",
    "numbers",
    "fractions",
    "decimal",
    "inspect",
    "typing",
    "abc",
    "enum",
    "textwrap",
    "types",
    "warnings",
    "_warnings",
    "logging",
    "scipy",
    "chainer.backend",
    "chainer._backend",
    "chainer.backends",
    "chainer.utils.type_check",
    "chainer.initializers",
    "chainer.memory_layouts",
    "chainerx",
    "contextlib",
    "weakref",
    "_weakref",
    "threading",
    "sys",
)

#: Calls whose result is not a function of their arguments: it would be baked into the model.
IMPURE_BUILTINS = {
    "input",
    "open",
    "id",
    "hash",
    "exec",
    "eval",
    "compile",
    "breakpoint",
    "globals",
    "locals",
    "vars",
    "__import__",
}
IMPURE_MODULES = (
    "time",
    "random",
    "secrets",
    "uuid",
    "datetime",
    "os",
    "posix",
    "nt",
    "_uuid",
    "io",
    "_io",
    "socket",
    "numpy.random",
)

#: Of types that are made while a program runs, as a `class` makes one.
_MADE = 1 << 9
#: What draws random numbers.
GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
#: Why what draws is not run.
FREEZES = "draws random numbers while compiling, which would freeze them into the model"


def name_of(function: Any) -> str:
    """Return the name of a callable as its user knows it."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    module = getattr(function, "__module__", None)
    if name is None:
        return type(function).__name__
    if module and module not in ("builtins", "__main__"):
        return f"{module}.{name}"
    return str(name)


def package_of(cls: type) -> str:
    """Return the package of a class; an `exec`ed one says it is Python's, or of no module."""
    package = str(cls.__module__).split(".")[0]
    unsaid = package in ("builtins", "None") and cls.__flags__ & _MADE
    return "" if unsaid and getattr(builtins, cls.__name__, None) is not cls else package


def _module_of(function: Any) -> str:
    if isinstance(function, type) and not package_of(function):
        return ""
    if hasattr(type(function), "__getattr__"):  # which is not asked for names of ours
        return str(type(function).__module__)
    owner = getattr(function, "__objclass__", None)
    module = getattr(function, "__module__", None)
    if module is None and owner is not None:
        module = owner.__module__
    if module is None:
        module = getattr(type(function), "__module__", "")
    return str(module)


@cache
def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == p or module.startswith(p + ".") for p in packages)


def is_native(function: Any) -> bool:
    """Tell whether a function or class is run natively rather than walked."""
    module = _module_of(function)
    if module == "builtins":  # as `exec`ed code without a `__name__` says it is from, too
        return not isinstance(function, types.FunctionType)
    code = getattr(function, "__code__", None) if module == "functools" else None
    if "_from_" in getattr(code, "co_name", ""):
        return False  # what `total_ordering` adds calls methods of the program
    return _is_in(module, PURE_MODULES)


@cache
def _public() -> dict[int, Any]:
    """Return numpy's functions by the identity of what they run."""
    runs = ((value, getattr(value, "_implementation", None)) for value in vars(np).values())
    return {id(inner): value for value, inner in runs if inner is not None}


def public(function: Any) -> Any:
    """Return the function of numpy that runs this one; None if there is none."""
    return _public().get(id(function))


def is_numpy(function: Any) -> bool:
    """Tell whether a function is one of numpy's."""
    return _is_in(_module_of(function), ("numpy",))


def is_numpys_own(function: Any) -> bool:
    """Tell whether a function is one of numpy's or an operator: it writes to what it is given to.

    Others may look first whether they may, and then do.
    """
    return is_numpy(function) or _module_of(function) in ("_operator", "builtins")


def numpy_body(function: Any) -> types.FunctionType | None:
    """Return the Python code of a function of numpy, if it is written in Python."""
    if not is_numpy(function):
        return None
    body = getattr(function, "_implementation", function)
    return body if isinstance(body, types.FunctionType) else None


def refusal(function: Any, receiver: Any = None) -> str | None:
    """Say why a call must not be run while compiling, or return None.

    Args:
        function: What is called.
        receiver: Its first argument, if there is one.
    """
    module = _module_of(function)
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if module == "builtins" and isinstance(owner, type):
        module = owner.__module__
    if isinstance(owner, GENERATORS) or isinstance(receiver, GENERATORS):
        return FREEZES
    if (
        module == "builtins"
        and name in IMPURE_BUILTINS
        and getattr(builtins, name, None) is function
    ):
        return "gives a result that is not a function of its arguments"
    about = receiver if owner is None else owner
    asked = "__repr__" if function in (str, repr, ascii, format) else name
    if asked in ("__hash__", "__repr__") and vars(object)[asked] is getattr(type(about), asked):
        return "gives the address of an object, which would be frozen into the model"
    if name == "fspath":
        return None
    if module == "numpy" and name in ("empty", "empty_like"):
        return None
    if module == "threading" and name in ("Thread", "Timer"):
        return "runs code besides the call, which is not followed"
    if _is_in(module, IMPURE_MODULES):
        return (
            "gives a result that is not a function of its arguments, which would be frozen into "
            "the model"
        )
    return None


def is_impure(function: Any) -> bool:
    """Tell whether what a function gives is no function of its arguments: a clock, a generator."""
    drawn = issubclass(type(getattr(function, "__self__", None)), GENERATORS)
    return drawn or _is_in(_module_of(function), IMPURE_MODULES)


def may_draw(function: Any, trusted: bool) -> bool:
    """Tell whether a call may draw random numbers unseen: native code of users and of Chainer."""
    return trusted or _is_in(_module_of(function), ("chainer", "scipy"))


def may_overwrite(function: Any) -> bool:
    """Tell whether a call may write to arrays that are read-only, as scipy's `overwrite_a` does."""
    return _is_in(_module_of(function), ("scipy",))


def drew(before: Any) -> bool:
    """Tell whether numpy's generator has moved on from a state, and put it back."""
    now: Any = np.random.get_state()
    moved = bool(now[2:] != before[2:] or not np.array_equal(now[1], before[1]))
    if moved:
        np.random.set_state(before)
    return moved


def is_opaque(value: Any) -> bool:
    """Tell whether an object is of a kind that native code may see as it is."""
    return package_of(type(value)) in ("numpy", "builtins", "types", "functools")


def may_call_program(value: Any) -> bool:
    """Tell whether native code that is given an object may run code of the program by it."""
    match value:
        case types.FunctionType():
            return is_of_program(value.__code__)
        case types.MethodType():
            return may_call_program(value.__func__)
        case functools.partial():
            return may_call_program(value.func)
        case np.vectorize():
            return may_call_program(value.pyfunc)
        case np.ufunc():  # which `np.frompyfunc` made of a function
            return value.types[0].startswith("O")
    return not (is_opaque(value) or is_foreign(type(value)))


def is_foreign(function: types.FunctionType | type) -> bool:
    """Tell whether a method or class is of Python's, Chainer's or our own code: no program's."""
    if isinstance(function, type):
        root = package_of(function)
    elif type(function) is types.FunctionType and function.__module__ in (None, "builtins"):
        root = ""  # an `exec`ed one: Python's own are in C
    else:
        root = str(function.__module__).split(".")[0]
    return root in ("chainer", "elichika", "numpy") or root in sys.stdlib_module_names


def is_of_program(code: types.CodeType) -> bool:
    """Tell whether code is in a file that is neither of an installed package nor ours."""
    file = code.co_filename
    return not (file.startswith(("<", _OURS)) or is_library(file))


_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_IDIOMS = os.path.dirname(os.path.abspath(idioms.__file__)) + os.sep
#: Folders of packages beside those of this Python: a user's own, or a distribution's.
_FOLDERS = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_ROOTS = tuple({sysconfig.get_paths()[k] for k in ("purelib", "platlib", "stdlib", "platstdlib")})


def is_library(file: str) -> bool:
    """Tell whether a file belongs to an installed package rather than to the user."""
    return _is_library(file if os.path.isabs(file) else os.path.abspath(file))


@cache
def _is_library(path: str) -> bool:
    path = os.path.normpath(path)
    if path.startswith(_IDIOMS):
        return True
    if path.startswith(tuple(root + os.sep for root in _ROOTS)):
        return True
    return any(folder in path for folder in _FOLDERS)
