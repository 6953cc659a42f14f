"""What kind of thing a value of the program is, known while compiling or only when it runs."""

from __future__ import annotations

import types
from typing import Any

import chainer
import numpy as np

from elichika.values.functions import Closure
from elichika.values.symbolic import Array, Choice, Scalar, Spread, Var
from elichika.values.tables import FrozenSet


class OneOfSeveral(chainer.Variable):  # type: ignore[misc]
    """The class of a Variable that may be a Parameter: it comes from a branch or a loop."""

    REFUSAL = (
        "whether this Variable is a Parameter is known only when the model runs",
        "ask within the branch or loop that it comes from",
    )


def is_array(value: Any) -> bool:
    """Tell whether a value is an array."""
    return isinstance(value, (Array, np.ndarray))


def is_number(value: Any) -> bool:
    """Tell whether a value is a number of Python's or numpy's, a bool included."""
    return isinstance(value, (Scalar, np.generic, bool, int, float))


def type_of_number(number: Any) -> type:
    """Return the type that a number has in the program, known while compiling or not."""
    found: type = number.type if isinstance(number, Scalar) else type(number)
    return found


def is_integral(value: Any) -> bool:
    """Tell whether a value is an int of Python's or numpy's or a bool of Python's."""
    return is_number(value) and issubclass(type_of_number(value), (int, np.integer))


def is_integer(value: Any) -> bool:
    """Tell whether a value is an int of Python's or numpy's that is known while compiling."""
    return isinstance(value, (int, np.integer))


def is_listed(value: Any) -> bool:
    """Tell whether a value is a list or a tuple."""
    return isinstance(value, (list, tuple))


def is_number_of_the_run(value: Any) -> bool:
    """Tell whether a value is a number that is known only when the model runs."""
    return isinstance(value, Scalar)


def magnitude(number: Any) -> int:
    """Return a bound on the magnitude of an int, known while compiling or not."""
    if is_number_of_the_run(number):
        bound: int = 1 if number.type is bool else number.bound
        return bound
    return abs(int(number))


def has_space(value: Any) -> bool:
    """Tell whether an object has a `__dict__`; its class, which may answer for it, is not asked."""
    return any("__dict__" in vars(base) for base in type(value).__mro__)


def is_tensor(value: Any) -> bool:
    """Tell whether a value is an array or a number that is known only when the model runs."""
    return isinstance(value, (Array, Scalar))


def is_variable(value: Any) -> bool:
    """Tell whether a value is a Variable."""
    return isinstance(value, (Var, chainer.Variable))


def is_choice(value: Any) -> bool:
    """Tell whether a value is one of several, of which the model tells which one."""
    return isinstance(value, Choice)


def alternatives_of(value: Any) -> tuple[Any, ...]:
    """Return what a value may be: the alternatives of a choice, of others the value itself."""
    return value.alternatives if is_choice(value) else (value,)


def is_spread(argument: Any) -> bool:
    """Tell whether an argument stands for several, in a number that the model tells."""
    return isinstance(argument, Spread)


def is_set(value: Any) -> bool:
    """Tell whether a value is a set or a frozenset."""
    return isinstance(value, (set, frozenset))


def is_frozen(value: Any) -> bool:
    """Tell whether a value is a frozenset."""
    return not {frozenset, FrozenSet}.isdisjoint(type(value).__mro__)


def is_container(value: Any) -> bool:
    """Tell whether a value is a list, dict or set: what it holds is a location of the store."""
    return isinstance(value, (list, dict, set))


def is_function(value: Any) -> bool:
    """Tell whether a value is a function in Python, a known one or one that the program made."""
    return isinstance(value, (types.FunctionType, Closure))
