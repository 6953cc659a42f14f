"""Sizes known as expressions: integer polynomials over nonnegative symbols.

A size is an ``int`` or a :class:`Dim`. A ``Dim`` is a polynomial with integer coefficients whose
atoms are symbols (any integer from 0 up), ``a//b``, ``a % b``, ``max(a, b)`` and ``min(a, b)``.
It is kept in one canonical form, so equal texts mean equal sizes; it subclasses onnx-ir's
``SymbolicDim`` and lives in ``onnx_ir.Shape`` as it is. No sympy: onnx-ir's own arithmetic takes
symbols to be positive, which makes ``max(N, 1)`` an ``N``, false for an empty batch.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.atoms import Atom, Monomial, polynomial_text

if TYPE_CHECKING:
    from typing import TypeGuard

    from typing_extensions import TypeIs

Size = "int | Dim"
Interval = tuple[int | None, int | None]


class Dim(ir.SymbolicDim):
    """A size that is known only as an expression; ``Dim("N")`` or ``Dim("2*N + 1")``.

    Arithmetic with ints and other dims (``+ - * // %``, negation) gives an ``int`` where the
    symbols cancel out. ``==`` and ``hash`` go by the canonical text.
    """

    __slots__ = ("intervals", "terms", "weight")

    terms: Mapping[Monomial, int]
    intervals: dict[int, Interval]
    weight: int

    def __init__(self, text: str) -> None:
        """Parse ``text``; what is no expression is one opaque symbol.

        Raises:
            ValueError: ``text`` is a constant; use an int.
        """
        terms = terms_of(parse_terms(text))
        if all(not monomial for monomial in terms):
            raise ValueError(f"{text!r} is a constant, not a symbolic size")
        super().__init__(polynomial_text(terms))
        self._know(terms)

    def _know(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = terms
        self.intervals = {}
        self.weight = sum(1 + sum(atom.weight for atom in monomial) for monomial in terms)

    @classmethod
    def of(cls, terms: Mapping[Monomial, int]) -> int | Dim:
        """Return the canonical size for a polynomial."""
        kept = {monomial: factor for monomial, factor in terms.items() if factor}
        if not kept:
            return 0
        if len(kept) == 1 and () in kept:
            return kept[()]
        return _dim(tuple(kept.items()))

    def __eq__(self, other: object) -> bool:
        """Tell whether another size is of the same text; of two equal ones most are one object."""
        if other is self or type(other) is int:
            return other is self
        return self.value == other.value if type(other) is Dim else super().__eq__(other)

    __hash__ = ir.SymbolicDim.__hash__

    @property
    def text(self) -> str:
        """The canonical expression."""
        value = self.value
        assert value is not None
        return value

    @property
    def symbol(self) -> str | None:
        """The name, if the dim is one bare symbol."""
        if len(self.terms) == 1:
            ((monomial, factor),) = self.terms.items()
            if factor == 1 and len(monomial) == 1 and monomial[0].kind == "symbol":
                return monomial[0].text
        return None

    def __add__(self, other: int | Dim) -> int | Dim:  # type: ignore[override]
        """Add."""
        return add(self, other)

    def __radd__(self, other: int) -> int | Dim:  # type: ignore[override]
        """Add."""
        return add(other, self)

    def __sub__(self, other: int | Dim) -> int | Dim:  # type: ignore[override]
        """Subtract."""
        return add(self, multiply(other, -1))

    def __rsub__(self, other: int) -> int | Dim:  # type: ignore[override]
        """Subtract."""
        return add(other, multiply(self, -1))

    def __mul__(self, other: int | Dim) -> int | Dim:  # type: ignore[override]
        """Multiply."""
        return multiply(self, other)

    def __rmul__(self, other: int) -> int | Dim:  # type: ignore[override]
        """Multiply."""
        return multiply(other, self)

    def __floordiv__(self, other: int | Dim) -> int | Dim:  # type: ignore[override]
        """Divide and round down, as Python does."""
        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> int | Dim:
        """Divide and round down, as Python does."""
        return floordiv(other, self)

    def __mod__(self, other: int | Dim) -> int | Dim:  # type: ignore[override]
        """Return the remainder, which has the sign of the divisor as in Python."""
        return modulo(self, other)

    def __rmod__(self, other: int) -> int | Dim:
        """Return the remainder, which has the sign of the divisor as in Python."""
        return modulo(other, self)

    def __neg__(self) -> int | Dim:  # type: ignore[override]
        """Negate."""
        return multiply(self, -1)

    def free_symbols(self) -> frozenset[str]:
        """Return the names of the symbols."""
        return frozenset(
            name for monomial in self.terms for atom in monomial for name in symbols_of(atom)
        )

    def __repr__(self) -> str:
        """Return ``Dim('…')``."""
        return f"Dim({self.value!r})"


ANY: Dim
"""The size of sequence elements that may differ from element to element; of no tensor."""


def is_size(item: object) -> TypeIs[int | Dim]:
    """Tell whether something is a size."""
    return isinstance(item, (int, Dim))


def is_known(size: object) -> TypeIs[int]:
    """Tell whether a size, or what may stand for one, is a number."""
    return isinstance(size, int)


def all_known(sizes: Iterable[object]) -> TypeGuard[tuple[int, ...]]:
    """Tell whether sizes are all numbers."""
    return all(map(is_known, sizes))


def symbols_of(atom: Atom) -> frozenset[str]:
    """Return the names of the symbols in an atom."""
    if atom.kind == "symbol":
        return frozenset((atom.text,))
    return frozenset(
        name for part in atom.parts if isinstance(part, Dim) for name in part.free_symbols()
    )


def symbols(size: int | Dim) -> frozenset[str]:
    """Return the names of the symbols in a size."""
    return frozenset(
        n for monomial in terms_of(size) for atom in monomial for n in symbols_of(atom)
    )


def terms_of(size: int | Dim) -> Mapping[Monomial, int]:
    """Return the factors of the monomials in a size; a number is the factor of the empty one."""
    return size.terms if isinstance(size, Dim) else {(): size}


@functools.lru_cache(maxsize=1 << 14)
def _dim(terms: tuple[tuple[Monomial, int], ...]) -> Dim:
    """Return the size of a polynomial: one object, so that what is known of it is found once."""
    dim = Dim.__new__(Dim)
    kept = dict(terms)
    ir.SymbolicDim.__init__(dim, polynomial_text(kept))
    dim._know(kept)
    return dim


def _atom(kind: str, left: int | Dim, right: int | Dim) -> int | Dim:
    return Dim.of({(Atom.of(kind, left, right),): 1})


def weight(size: int | Dim) -> int:
    """Return how many symbols and operators an expression holds."""
    return 0 if is_known(size) else size.weight


def add(left: int | Dim, right: int | Dim) -> int | Dim:
    """Return ``left + right``."""
    if is_known(left) and is_known(right):
        return left + right
    total = dict(terms_of(left))
    for monomial, factor in terms_of(right).items():
        total[monomial] = total.get(monomial, 0) + factor
    return Dim.of(total)


def multiply(left: int | Dim, right: int | Dim) -> int | Dim:
    """Return ``left * right``."""
    if is_known(left) and is_known(right):
        return left * right
    total: dict[Monomial, int] = {}
    for one, factor in terms_of(left).items():
        for other, by in terms_of(right).items():
            monomial = tuple(sorted(one + other, key=lambda atom: atom.text))
            total[monomial] = total.get(monomial, 0) + factor * by
    return Dim.of(total)


def product(sizes: Iterable[int | Dim]) -> int | Dim:
    """Return the product of sizes; 1 for none."""
    total: int | Dim = 1
    for size in sizes:
        total = multiply(total, size)
    return total


def exact_quotient(left: int | Dim, right: int | Dim) -> int | Dim | None:
    """Return q with ``left == right * q`` as polynomials, for a ``right`` of one term."""
    terms = terms_of(right)
    if len(terms) != 1:
        return 1 if same(left, right) else None
    ((divisor, factor),) = terms.items()
    if factor == 0:
        return None
    quotient: dict[Monomial, int] = {}
    for monomial, by in terms_of(left).items():
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if by % factor:
            return None
        quotient[tuple(rest)] = by // factor
    return Dim.of(quotient)


def floordiv(left: int | Dim, right: int | Dim) -> int | Dim:
    """Return ``left // right`` rounded down.

    Raises:
        ZeroDivisionError: ``right`` is the int 0. A symbolic ``right`` is taken to be nonzero.
    """
    if isinstance(right, Dim):
        quotient = exact_quotient(left, right)
        return _atom("//", left, right) if quotient is None else quotient
    if is_known(left):
        return left // right
    if right < 0:
        return floordiv(multiply(left, -1), -right)
    if right == 1:
        return left
    if right == 0:
        raise ZeroDivisionError("division of a size by zero")
    whole = {monomial: factor // right for monomial, factor in left.terms.items()}
    rest = {monomial: factor % right for monomial, factor in left.terms.items()}
    return add(Dim.of(whole), _reduced_floor(Dim.of(rest), right))


def _reduced_floor(left: int | Dim, right: int) -> int | Dim:
    """Divide a polynomial whose coefficients lie in ``[0, right)``."""
    if is_known(left):
        return left // right
    common = math.gcd(right, *(by for monomial, by in left.terms.items() if monomial))
    if common > 1:
        left = Dim.of({monomial: by // common for monomial, by in left.terms.items()})
        right //= common
        if right == 1 or is_known(left):
            return floordiv(left, right)
    constant = left.terms.get((), 0)
    single = add(left, -constant)
    if isinstance(single, Dim) and len(single.terms) == 1:
        ((monomial, factor),) = single.terms.items()
        if factor == 1 and len(monomial) == 1 and monomial[0].kind == "//":
            inner, by = monomial[0].parts
            if is_known(by) and by > 0:
                assert is_size(inner)
                return floordiv(add(inner, constant * by), by * right)
    low, high = bounds(left, 1)
    if low is not None and low >= 0 and high is not None and high < right:
        return 0
    return _atom("//", left, right)


def modulo(left: int | Dim, right: int | Dim) -> int | Dim:
    """Return ``left % right`` with the sign of ``right``.

    Raises:
        ZeroDivisionError: ``right`` is the int 0.
    """
    if isinstance(right, Dim):
        return 0 if exact_quotient(left, right) is not None else _atom("%", left, right)
    if is_known(left):
        return left % right
    if right < 0:
        return multiply(modulo(multiply(left, -1), -right), -1)
    if right == 0:
        raise ZeroDivisionError("remainder of a size by zero")
    rest = Dim.of({monomial: factor % right for monomial, factor in left.terms.items()})
    low, high = bounds(rest, 1)
    if is_known(rest) or (low is not None and low >= 0 and high is not None and high < right):
        return rest
    return _atom("%", rest, right)


def maximum(left: int | Dim, right: int | Dim) -> int | Dim:
    """Return the larger size."""
    return _extreme("max", left, right)


def possible(dim: int | Dim) -> int | Dim:
    """Return a size that an array can have whatever the symbols are: the dim, where it is one.

    That of an array in a branch may be negative, or divide by zero, where the branch is not taken.
    """
    return 0 if _may_divide_by_zero(dim) else maximum(dim, 0)


def _may_divide_by_zero(dim: int | Dim) -> bool:
    if is_known(dim):
        return False
    for atom in {atom for monomial in dim.terms for atom in monomial if atom.kind != "symbol"}:
        left, right = _parts(atom)
        low = bounds(right)[0]
        if atom.kind in ("//", "%") and (low is None or low < 1):
            return True
        if _may_divide_by_zero(left) or _may_divide_by_zero(right):
            return True
    return False


def minimum(left: int | Dim, right: int | Dim) -> int | Dim:
    """Return the smaller size."""
    return _extreme("min", left, right)


def _extreme(kind: str, left: int | Dim, right: int | Dim) -> int | Dim:
    if compare(left, ">=", right):
        return left if kind == "max" else right
    if compare(left, "<=", right):
        return right if kind == "max" else left
    first, second = sorted((left, right), key=str)
    return _atom(kind, first, second)


def same(left: int | Dim, right: int | Dim) -> bool:
    """Tell whether two sizes are equal for all values of the symbols."""
    return bool(left == right)


def compare(left: int | Dim, op: str, right: int | Dim) -> bool | None:
    """Decide ``left op right`` for all values of the symbols, or return None.

    Args:
        left: A size.
        op: One of ``== != < <= > >=``.
        right: A size.
    """
    low, high = bounds(add(right, multiply(left, -1)))
    if op in ("==", "!="):
        if low == 0 and high == 0:
            return op == "=="
        apart = (low is not None and low > 0) or (high is not None and high < 0)
        return op == "!=" if apart else None
    if op in (">", ">="):
        return _not(compare(left, "<=" if op == ">" else "<", right))
    threshold = 1 if op == "<" else 0
    if low is not None and low >= threshold:
        return True
    if high is not None and high < threshold:
        return False
    return None


def _not(decided: bool | None) -> bool | None:
    return None if decided is None else not decided


_DEPTH = 2


def bounds(size: int | Dim, depth: int = _DEPTH) -> Interval:
    """Return the least and greatest value over all symbols ≥ 0; None is unbounded.

    Args:
        size: The size.
        depth: How many atoms are looked into one after the other, beside others of the size; what
            they are made of is looked into wholly, and once.
    """
    if is_known(size):
        return size, size
    found = size.intervals.get(depth)
    if found is None:
        found = size.intervals[depth] = _bounds(size, depth)
    return found


def _bounds(size: Dim, depth: int) -> Interval:
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in size.terms.items():
        part = _scaled(_monomial_bounds(monomial), factor)
        low = None if low is None or part[0] is None else low + part[0]
        high = None if high is None or part[1] is None else high + part[1]
    if depth and (low is None or high is None or low != high):
        for monomial, factor in size.terms.items():
            if len(monomial) == 1 and monomial[0].kind != "symbol":
                rest = add(size, Dim.of({monomial: -factor}))
                closer = _split_bounds(monomial[0], factor, rest, depth - 1)
                low = _tighter(low, closer[0], max)
                high = _tighter(high, closer[1], min)
    return low, high


def _tighter(one: int | None, other: int | None, pick: Callable[..., int]) -> int | None:
    known = [bound for bound in (one, other) if bound is not None]
    return pick(known) if known else None


def _scaled(interval: Interval, factor: int) -> Interval:
    ends = [None if end is None else end * factor for end in interval]
    return (ends[0], ends[1]) if factor > 0 else (ends[1], ends[0])


def _monomial_bounds(monomial: Monomial) -> Interval:
    low: int | None = 1
    high: int | None = 1
    for atom in monomial:
        least, greatest = _atom_bounds(atom)
        if low is None or least is None or low < 0 or least < 0:
            return None, None
        low *= least
        if high == 0 or greatest == 0:
            high = 0
        else:
            high = None if high is None or greatest is None else high * greatest
    return low, high


def _atom_bounds(atom: Atom) -> Interval:
    if atom.kind == "symbol":
        return 0, None
    left, right = map(bounds, _parts(atom))
    if atom.kind == "max":
        return (
            _tighter(left[0], right[0], max),
            None if left[1] is None or right[1] is None else max(left[1], right[1]),
        )
    if atom.kind == "min":
        return (
            None if left[0] is None or right[0] is None else min(left[0], right[0]),
            _tighter(left[1], right[1], min),
        )
    if right[0] is None or right[0] < 1:
        return None, None
    if atom.kind == "%":
        return 0, None if right[1] is None else right[1] - 1
    if right[0] == right[1]:
        return (
            None if left[0] is None else left[0] // right[0],
            None if left[1] is None else left[1] // right[0],
        )
    nonnegative = left[0] is not None and left[0] >= 0
    return (0 if nonnegative else None), (
        left[1] // right[0] if nonnegative and left[1] is not None else None
    )


def _parts(atom: Atom) -> tuple[int | Dim, int | Dim]:
    left, right = atom.parts
    assert is_size(left) and is_size(right)
    return left, right


def _split_bounds(atom: Atom, factor: int, rest: int | Dim, depth: int) -> Interval:
    """Bound ``factor * atom + rest`` through the meaning of the atom."""
    left, right = _parts(atom)
    if atom.kind in ("max", "min"):
        one = bounds(add(rest, multiply(left, factor)), depth)
        other = bounds(add(rest, multiply(right, factor)), depth)
        if (atom.kind == "max") == (factor > 0):
            ends = None if one[1] is None or other[1] is None else max(one[1], other[1])
            return _tighter(one[0], other[0], max), ends
        starts = None if one[0] is None or other[0] is None else min(one[0], other[0])
        return starts, _tighter(one[1], other[1], min)
    if atom.kind == "//" and is_known(right) and right > 0:
        # right * (left//right) lies in [left - right + 1, left]
        scaled = add(multiply(rest, right), multiply(left, factor))
        slack = factor * (right - 1)
        low = bounds(add(scaled, -max(slack, 0)), depth)[0]
        high = bounds(add(scaled, -min(slack, 0)), depth)[1]
        return (
            None if low is None else -(-low // right),
            None if high is None else high // right,
        )
    return None, None


def substitute(size: int | Dim, values: Mapping[str, int | Dim]) -> int | Dim:
    """Replace symbols by sizes.

    Raises:
        ZeroDivisionError: a divisor becomes 0.
    """
    if is_known(size) or not symbols(size) & values.keys():
        return size
    total: int | Dim = 0
    for monomial, factor in size.terms.items():
        total = add(total, multiply(factor, product(_replaced(atom, values) for atom in monomial)))
    return total


def _replaced(atom: Atom, values: Mapping[str, int | Dim]) -> int | Dim:
    if atom.kind == "symbol":
        return values[atom.text] if atom.text in values else Dim.of({(atom,): 1})
    left, right = (substitute(part, values) for part in _parts(atom))
    return OPERATIONS[atom.kind](left, right)


OPERATIONS: Mapping[str, Callable[[int | Dim, int | Dim], int | Dim]] = {
    "+": add,
    "-": lambda left, right: add(left, multiply(right, -1)),
    "*": multiply,
    "//": floordiv,
    "%": modulo,
    "max": maximum,
    "min": minimum,
}

_SYNTAX = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}


def parse(text: str) -> int | Dim:
    """Read a size such as ``N``, ``2*N + 1``, ``max(H - 2, 0)//2`` or ``7``.

    Text that is no such expression is one opaque symbol.
    """
    return parse_terms(text)


def parse_terms(text: str) -> int | Dim:
    """See :func:`parse`."""
    if text.isidentifier():
        return named(text)
    try:
        return _evaluate(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return named(text)
    except SystemError:  # CPython below 3.11.8 and 3.12.2, when two threads parse at once
        return parse_terms(text)


def named(name: str) -> Dim:
    """Return the size that a symbol is, whose name may be no identifier."""
    return _dim((((Atom(name, "symbol"),), 1),))


def _evaluate(tree: ast.expr) -> int | Dim:
    match tree:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return named(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return multiply(_evaluate(operand), -1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SYNTAX:
            return OPERATIONS[_SYNTAX[type(op)]](_evaluate(left), _evaluate(right))
        case ast.Call(func=ast.Name(id="max" | "min" as kind), args=[first, *rest], keywords=[]):
            total = _evaluate(first)
            for argument in rest:
                total = OPERATIONS[kind](total, _evaluate(argument))
            return total
        case _:
            raise ValueError("not a size expression")


ANY = Dim("?")
