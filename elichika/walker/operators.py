"""Operators of the program: unary, binary, augmented and comparisons."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from elichika.numbers import operators
from elichika.program import native_code as natives
from elichika.program.raised import genuine
from elichika.state.store import MISSING
from elichika.values.functions import Closure
from elichika.values.symbolic import UNDEF, Array, Choice, Conflict, Scalar, Symbolic, Var
from elichika.values.words import a_or_an, a_value
from elichika.walker.binary_methods import (
    COMPARING,
    Try,
    answered,
    first_answer,
    in_order,
    unsupported,
)
from elichika.walker.kinds import Kind, kind_of, texts
from elichika.walker.objects.extensions import Extensions
from elichika.walker.walk import Walk

#: Operators by the names of their nodes.
OPERATORS = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}
IN_PLACE = {
    "Add": "__iadd__",
    "Sub": "__isub__",
    "Mult": "__imul__",
    "Div": "__itruediv__",
    "FloorDiv": "__ifloordiv__",
    "Mod": "__imod__",
    "Pow": "__ipow__",
    "MatMult": "__imatmul__",
    "BitAnd": "__iand__",
    "BitOr": "__ior__",
    "BitXor": "__ixor__",
    "LShift": "__ilshift__",
    "RShift": "__irshift__",
}
COMPARISONS = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}
UNARY = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}
#: What numpy asks a number of another class for.
CONVERTING = ("__int__", "__float__", "__index__")
#: The special methods of an operator, its own and the reflected one.
SPECIAL = {
    operator.add: ("__add__", "__radd__"),
    operator.sub: ("__sub__", "__rsub__"),
    operator.mul: ("__mul__", "__rmul__"),
    operator.truediv: ("__truediv__", "__rtruediv__"),
    operator.floordiv: ("__floordiv__", "__rfloordiv__"),
    operator.mod: ("__mod__", "__rmod__"),
    operator.pow: ("__pow__", "__rpow__"),
    operator.matmul: ("__matmul__", "__rmatmul__"),
    operator.and_: ("__and__", "__rand__"),
    operator.or_: ("__or__", "__ror__"),
    operator.xor: ("__xor__", "__rxor__"),
    operator.lshift: ("__lshift__", "__rlshift__"),
    operator.rshift: ("__rshift__", "__rrshift__"),
    operator.eq: ("__eq__", "__eq__"),
    operator.ne: ("__ne__", "__ne__"),
    operator.lt: ("__lt__", "__gt__"),
    operator.le: ("__le__", "__ge__"),
    operator.gt: ("__gt__", "__lt__"),
    operator.ge: ("__ge__", "__le__"),
}


#: Types whose `+` and `*` no other operand knows.
SEQUENCES = (list, tuple, str, bytes)
#: What tells which method a method is.
_OF_METHOD = ("__func__", "__self__")
#: What stands for itself, or for its items by their names, behind `%`.
CONTAINERS = frozenset({list, dict, set})


class Operators:
    """What operators give."""

    def __init__(self, w: Walk, extensions: Extensions) -> None:
        self.w = w
        self.extensions = extensions

    def unary(self, op: Any, operand: Any) -> Any:
        """Return `-x`, `+x` or `~x`."""
        operand = self.w.narrow(operand)
        self._require_reached(operand)
        return kind_of(operand).unary(self.w, op, operand)

    def _require_reached(self, *operands: Any) -> None:
        """Leave what no run gets to: an operand is set in later turns only. Refuse conflicts."""
        for operand in operands:
            if operand is UNDEF or type(operand) is Conflict:
                self.w.undefined(operand, "this value", UnboundLocalError)

    def binary(self, op: Any, left: Any, right: Any, assigns: str = "") -> Any:
        """Return `left op right`, an arithmetic operator or a comparison.

        Args:
            op: The function of `operator`.
            left: The left operand.
            right: The right one.
            assigns: "=" where the program writes `left op= right`, of which Python speaks.
        """
        left, right = self._float(self.w.narrow(left)), self._float(self.w.narrow(right))
        self._require_reached(left, right)
        kinds = kind_of(left), kind_of(right)
        first = max(kinds, key=_rank)
        if first.rank >= texts.Texts.rank:
            return first.binary(self.w, op, left, right)
        if op is operator.mod and isinstance(left, str):
            if self.w.is_symbolic(right):
                return texts.combined(self.w, op, left, right)
            if type(right) in CONTAINERS:
                return self.w.native(op, [left, right], {})
        tries = self.extensions.overrides(op, SPECIAL[op], left, right)

        def rest() -> Any:
            if tries and self._is_settled(op, left, right, tries):
                return self._unanswered(op, left, right, assigns)
            result = self.builtin_binary(op, left, right)
            if result is NotImplemented:
                return self._special_binary(op, left, right, assigns)
            return result

        return first_answer(self.w, tries, rest)

    def _is_settled(self, op: Any, left: Any, right: Any, tries: list[Try]) -> bool:
        """Tell whether Python asks no built-in type where the methods asked have no answer.

        A class that overrides the method has no built-in one; that of the other operand may be.
        """
        if self.extensions.overriding(left, SPECIAL[op][0]) is None:
            return False
        kinds = self.w.type_of(left), self.w.type_of(right)
        joins = op in (operator.add, operator.mul) and issubclass(kinds[0], SEQUENCES)
        return joins or kinds[0] is kinds[1] or len(tries) > 1

    def builtin_binary(self, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right` as built-in types have it; NotImplemented where they do not."""
        kinds = kind_of(left).builtin, kind_of(right).builtin
        if all(kind.is_plain for kind in kinds):
            return self._plain(op, left, right)
        return max(kinds, key=_rank).binary(self.w, op, left, right)

    def _plain(self, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right` of numbers, arrays and texts."""
        if any(isinstance(side, Symbolic) for side in (left, right)):
            for side, other in ((left, right), (right, left)):
                self._require_converted(side, other)
            plain = self.extensions.plain_number
            return self._numeric(op, plain(left), plain(right))
        if self.w.is_overlaid(left) or self.w.is_overlaid(right):
            return self._numeric(op, self.w.as_symbolic(left), self.w.as_symbolic(right))
        return self.w.native(op, [left, right], {})

    def _require_converted(self, number: Any, other: Any) -> None:
        """Refuse a number that says itself what numpy makes of it."""
        cls: Any = type(number)
        of_numpy = type(other) is Array or (type(other) is Scalar and not other.is_python)
        if of_numpy and issubclass(cls, (int, float)):
            methods = {name: type(getattr(cls, name, None)) for name in CONVERTING}
            own = [n for n, kind in methods.items() if kind in (types.FunctionType, Closure)]
            if own:
                self.w.refuse(
                    f"{a_value(number)}, whose class has its own `{own[0]}`, and numpy's numbers "
                    "are not compiled",
                    f"take the number first: `{cls.__mro__[1].__name__}(n)`",
                )

    def _float(self, value: Any) -> Any:
        """Return a choice of floats as one float: nothing needs to know which of them it is."""
        if type(value) is not Choice:
            return value
        number = self.w.choices.numbers(value)
        return value if number is None or number.type is not float else number

    def _numeric(self, op: Any, left: Any, right: Any) -> Any:
        if any(isinstance(side, str) for side in (left, right)):
            if any(isinstance(one, (Array, np.ndarray)) for one in (left, right)):
                self.w.refuse(
                    "an array cannot be combined with a text",
                    "test first: `isinstance(value, str)`",
                )
            if op in (operator.eq, operator.ne):
                return op is operator.ne
            self.w.refuse("text cannot be combined with a value known only when the model runs")
        with self.w.located(None if op in (operator.eq, operator.ne) else True):
            if op in COMPARISONS.values():
                return operators.compare(self.w, op, left, right)
            result = operators.binary(self.w, op, left, right)
        return result if result is left or result is right else self.w.tables.floats.note(result)

    def _special_binary(self, op: Any, left: Any, right: Any, assigns: str) -> Any:
        """Return `left op right` by the methods of what the program made, else by Python's own."""
        forward, reflected = SPECIAL[op]
        kinds = self.w.type_of(left), self.w.type_of(right)
        left = self._deferring(op, left, right)
        ours: Try = lambda: self._operated(left, forward, right)  # noqa: E731
        theirs: Try = lambda: self._operated(right, reflected, left)  # noqa: E731
        tries = in_order(op, reflected, kinds, [ours], [theirs])
        if isinstance(left, (Array, np.ndarray)) and type(right) is Var:
            tries.reverse()  # numpy defers: Variable has the higher __array_priority__
        is_followed = (
            Var in (type(left), type(right))
            or any(self.w.store.was_born(v) or self.w.is_symbolic(v) for v in (left, right))
            or issubclass(kinds[0], BaseException)
        )
        if is_followed:
            return first_answer(self.w, tries, lambda: self._unanswered(op, left, right, assigns))
        return first_answer(self.w, tries, lambda: self.w.native(op, [left, right], {}))

    def _deferring(self, op: Any, left: Any, right: Any) -> Any:
        """Return what of a left operand numpy hands to the reflected method of an object.

        Source: `binop_override.h` of numpy.
        """
        kind = self.w.type_of(right)
        arrays = issubclass(self.w.type_of(left), (np.ndarray, np.generic))
        if not arrays or natives.is_native(kind) or self.w.special(right, SPECIAL[op][1]) is None:
            return left
        ufunc = getattr(kind, "__array_ufunc__", MISSING)
        priority: Any = getattr(kind, "__array_priority__", 0)
        if ufunc in (None, np.ndarray.__array_ufunc__) or (
            ufunc is MISSING and type(priority) in (int, float) and priority > 0
        ):
            return left
        if op in COMPARING or not issubclass(self.w.type_of(left), np.generic):
            self.w.refuse(
                f"numpy asks this {kind.__name__} for each element of what stands before it, and "
                "makes an array of objects",
                "write the object first, or set `__array_ufunc__ = None` in its class",
            )
        return self.w.call(self.w.get_attribute(left, "item"), [], {})

    def _unanswered(self, op: Any, left: Any, right: Any, assigns: str) -> Any:
        """Return what `left op right` is where no method of the two has an answer."""
        kinds = self.w.type_of(left), self.w.type_of(right)
        if op in (operator.eq, operator.ne):
            same = self._same(left, right, kinds)
            return same if op is operator.eq else self.w.not_(same)
        if _makes_arrays(op, kinds):
            self.w.refuse(
                f"`{op.__name__}` of {a_or_an(kinds[0].__name__)} and "
                f"{a_or_an(kinds[1].__name__)} is not compiled"
            )
        counted = self._counted(op, left, right)
        if counted is not NotImplemented:
            return counted
        error = TypeError(unsupported(op, kinds, assigns))
        right_too = op is not operator.mul and kinds[1] in (list, tuple, dict, set, str, bytes)
        is_told = _is_named(kinds[0]) and (right_too or _is_named(kinds[1]))
        self.w.raise_static(genuine(error) if is_told else error)

    def _same(self, left: Any, right: Any, kinds: tuple[type, type]) -> Any:
        """Tell whether two operands are one; two methods are, of one function and one object."""
        if kinds != (types.MethodType, types.MethodType):
            return self.w.identical(left, right)
        parts = [[self.w.get_attribute(m, name) for name in _OF_METHOD] for m in (left, right)]
        (one, ours), (other, theirs) = parts
        return self.w.both(self.w.identical(one, other), self.w.identical(ours, theirs))

    def _counted(self, op: Any, left: Any, right: Any) -> Any:
        """Return a sequence so many times as an object says by `__index__`, or NotImplemented."""
        for repeated, count in ((left, right), (right, left)):
            counts = self.w.special(count, "__index__") is not None
            if op is operator.mul and counts and self.w.type_of(repeated) in SEQUENCES:
                return self.w.binary(op, repeated, self.w.call(operator.index, [count], {}))
        return NotImplemented

    def _operated(self, owner: Any, name: str, other: Any) -> Any:
        """Call a special method of two operands, or return NotImplemented."""
        method = self.w.special(owner, name)
        if name == "__ne__" and method is object.__ne__:  # Python's own asks __eq__
            same = self._operated(owner, "__eq__", other)
            return answered(self.w, same, lambda one: self.w.not_(self.w.truth(one)))
        if method is None or not self.w.has_source(method):
            return NotImplemented
        return self.w.call(method, [owner, other], {})

    def augmented(self, in_place: str, op: Any, current: Any, operand: Any) -> Any:
        """Return what the name holds after `name op= operand`."""
        current = self.w.narrow(current)
        operand = self.w.narrow(operand)
        self._require_reached(current, operand)
        if type(operand) is Choice and type(current) is not Choice:
            return self.w.choices.apply(operand, lambda v: self.augmented(in_place, op, current, v))
        own = self.extensions.overriding(current, in_place)
        tries = [] if own is None else [lambda: self.w.call(own, [current, operand], {})]
        return first_answer(self.w, tries, lambda: self._augmented(in_place, op, current, operand))

    def _augmented(self, in_place: str, op: Any, current: Any, operand: Any) -> Any:
        """Return what a name holds after `name op= operand`, by what is no extended type's own."""
        forward, reflected = SPECIAL[op]
        if isinstance(current, list):
            # a list's own `+=` is found first in classes that extend it, and its `*=` last
            own = self.extensions.overriding(current, forward) if op is operator.mul else None
            theirs = self.w.special(operand, reflected) if type(current) is list else None
            if own is not None or (theirs is not None and self.w.has_source(theirs)):
                return self.binary(op, current, operand, "=")
        result = kind_of(current).augmented(self.w, in_place, op, current, operand)
        if result is not NotImplemented:
            return result
        method = None if isinstance(current, Scalar) else self.w.special(current, in_place)
        walked = method is not None and self.w.has_source(method)
        tries = [lambda: self.w.call(method, [current, operand], {})] if walked else []
        return first_answer(self.w, tries, lambda: self.binary(op, current, operand, "="))


def _is_named(kind: type) -> bool:
    """Tell whether Python names the class of an operand where there is no operator for it."""
    return kind in (int, float, bool, types.NoneType) or not natives.is_native(kind)


def _makes_arrays(op: Any, kinds: tuple[type, type]) -> bool:
    """Tell whether numpy makes an array of each operand: not of None beside a number."""
    arrays = any(issubclass(kind, (np.ndarray, np.generic)) for kind in kinds)
    raises = type(None) in kinds and np.ndarray not in kinds and op is not operator.matmul
    return arrays and not raises


def _rank(kind: Kind) -> int:
    return kind.rank
