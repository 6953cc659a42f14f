"""Which special methods an operator of two operands asks, and in which order: CPython's."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from elichika.values.symbolic import Choice
from elichika.walker.walk import Walk

COMPARING = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}
COMPUTING = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
}

Try = Callable[[], Any]
"""Asks one method of one operand; gives NotImplemented where it does not know the other one."""


def asks_right_first(op: Any, reflected: str, left: type, right: type) -> bool:
    """Tell whether the right operand is asked first: one of a class that extends the left one's.

    For arithmetic only where that class has a reflected method that is not the left one's.
    """
    if left is right or not issubclass(right, left):
        return False
    own = getattr(right, reflected, None)
    return op in COMPARING or (own is not None and own is not getattr(left, reflected, None))


def in_order(
    op: Any, reflected: str, kinds: tuple[type, type], ours: list[Try], theirs: list[Try]
) -> list[Try]:
    """Return what to ask of a left operand and of a right one, in order.

    Arithmetic of two operands of one class does not ask the right one.
    """
    if asks_right_first(op, reflected, *kinds):
        return [*theirs, *ours]
    return ours if kinds[0] is kinds[1] and op not in COMPARING else [*ours, *theirs]


def first_answer(w: Walk, tries: Sequence[Try], otherwise: Try) -> Any:
    """Return the first answer that is not NotImplemented, else what `otherwise` gives.

    Whether a method has an answer may be decided by the run.
    """
    if not tries:
        return otherwise()
    return answered(w, tries[0](), _itself, lambda: first_answer(w, tries[1:], otherwise))


def answered(
    w: Walk, result: Any, then: Callable[[Any], Any], otherwise: Try = lambda: NotImplemented
) -> Any:
    """Return what follows from an answer, or from there being none, if need be in a branch each."""
    if result is NotImplemented:
        return otherwise()
    if type(result) is Choice and _may_decline(result):
        return w.choices.apply(result, lambda one: answered(w, one, then, otherwise))
    return then(result)


def unsupported(op: Any, kinds: tuple[type, type], assigns: str) -> str:
    """Return what Python says of an operator that no operand of two classes has.

    Args:
        op: The function of `operator`.
        kinds: The classes.
        assigns: "=" for `left op= right`.
    """
    left, right = (f"'{kind.__name__}'" for kind in kinds)
    if op in COMPARING:
        return f"'{COMPARING[op]}' not supported between instances of {left} and {right}"
    sign = COMPUTING[op] + (assigns or (" or pow()" if op is operator.pow else ""))
    return f"unsupported operand type(s) for {sign}: {left} and {right}"


def _may_decline(result: Any) -> bool:
    if type(result) is Choice:
        return any(map(_may_decline, result.alternatives))
    return result is NotImplemented


def _itself(result: Any) -> Any:
    return result
