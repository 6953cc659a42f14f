"""What catches exceptions that are raised when the model runs, and which of them it may catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chainer.utils import type_check

from elichika import idioms
from elichika.program.raised import Unreached
from elichika.values.symbolic import Conflict

#: What is handled by what runs in any case: an exception, or none.
EITHER_WAY = Conflict("it comes of a `finally` or `__exit__`, which may have been given another")

#: Classes of which a check is raised exactly where Python raises one, and no other.
EXACT = (
    *(ZeroDivisionError, IndexError, KeyError, StopIteration),
    *(AssertionError, AttributeError, NameError, RecursionError),
)
#: What else is raised exactly where Python raises it.
SURE = frozenset(
    {
        *("the value is not in list", "arg is an empty sequence"),
        "The truth value of an array with more than one element is ambiguous. "
        "Use a.any() or a.all()",
        "can only convert an array of size 1 to a Python scalar",
        "only size-1 arrays can be converted to Python scalars",
        *("the arguments of zip() are not of one length", "maxlen must be non-negative"),
        *("an integer is required", "repeats may not contain negative values."),
        "dictionary changed size during iteration",
        *(idioms.roots.SIGNS, idioms.roots.NAN),
        *("cannot convert float NaN to integer", "cannot convert float infinity to integer"),
    }
)
#: What only a model fails with, where Python goes on: no handler of the program catches it.
LIMITS = frozenset(
    {
        "an int exceeds 64 bits",
        "an integer power beyond 2**53 is not exact in the model",
        "dictionary keys changed during iteration",
        "weights of no items have another dtype",
        "`<` of these items gives no order",
        "comparing this int with a float is not exact in the model",
        "numbers are equal, and something else than a number decides the order",
        "numbers are equal, and the set itself decides the order",
        "whether a nan is among items asks for its identity",
        "whether a nan is among keys asks for its identity",
    }
)
#: What an operation of the graph may fail with where numpy or Chainer raise.
RUN_TIME_FAILURES = (
    *(ValueError, IndexError, TypeError, ArithmeticError, RuntimeError),
    type_check.InvalidType,
)
#: An exception that may be of another class.
VAGUE = Conflict("which exception numpy or Chainer raise is known only when the model runs")
#: What the words of an exception are that Python raises elsewhere than the walk does.
UNREAD = Conflict("what this exception says is known only when the model runs")
#: Classes of which those that Python raises hold one text.
WORDED = frozenset({IndexError, ZeroDivisionError, ValueError, TypeError, AttributeError})


@dataclass(eq=False)
class Handler:
    """Something around the present place that catches exceptions.

    Attributes:
        kinds: The classes that it catches.
        handle: What it does with one.
        final: It is a `finally`, which only delays what a handler further out catches.
        blind: It does the same with each exception that an operation of numpy or Chainer raises.
        yields: How many generators are being consumed there.
        start: How much of the log of pending exceptions was written before.
    """

    kinds: tuple[type, ...]
    handle: Callable[[BaseException], Any]
    final: bool = False
    blind: bool = False
    yields: int = 0
    start: int = 0

    def catches(self, kind: type) -> bool:
        """Tell whether it catches exceptions of a class."""
        return issubclass(kind, self.kinds) and not issubclass(kind, Unreached)

    def may_catch(self, kind: type) -> bool:
        """Tell whether it catches some that are of a class."""
        return any(may_be(kind, k) for k in self.kinds)

    def may_be_meant(self, kind: type) -> bool:
        """Tell whether it catches what Chainer may raise where a check is of another class."""
        return kind not in EXACT and self.catches(type_check.InvalidType)


def may_be(kind: type, other: type) -> bool:
    """Tell whether something is of both classes, perhaps."""
    return kind in other.__mro__ or other in kind.__mro__


def is_blind(kinds: list[tuple[type, ...]]) -> bool:
    """Tell whether one `except`, of these, catches whatever numpy or Chainer raise."""
    for these in kinds:
        if Exception in these or BaseException in these:
            return True
        if any(may_be(kind, one) for kind in RUN_TIME_FAILURES for one in these):
            return False
    return False


def with_words(kind: type[BaseException], message: str) -> BaseException:
    """Return an exception of a class with words of ours."""
    if kind is type_check.InvalidType:
        return type_check.InvalidType("", "", message)
    return kind(message)
