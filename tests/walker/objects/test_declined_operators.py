"""Operators of objects whose methods have no answer, or come in another order."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(x, np.int64), n)
    for x, n in [([3, 1, 2, 1], 2), ([], 0), ([5], 5), ([2, 2, 2], 3), ([4, 0, 4, 1], 1)]
]
case, refused = Table(INPUTS, {"x": {0: "n"}}), Table(INPUTS, {"x": {0: "n"}})


class Declines:
    """Has an answer for some numbers only."""

    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        if self.a > 1:
            return NotImplemented
        return Declines(self.a + other.a)

    def __iadd__(self, other):
        if self.a > 3:
            return NotImplemented
        self.a += 100
        return self

    def __eq__(self, other):
        if self.a > 1:
            return NotImplemented
        return self.a == other.a

    def __lt__(self, other):
        if self.a > 1:
            return NotImplemented
        return self.a < other.a

    def __gt__(self, other):
        if self.a < 1:
            return NotImplemented
        return self.a > other.a


class Reflected:
    def __init__(self, a):
        self.a = a

    def __radd__(self, other):
        if self.a == 5:
            return NotImplemented
        return Reflected(self.a * 10)


class Base:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Base(self.a + other.a)

    def __radd__(self, other):
        return Base(-100)


class Inherits(Base):
    pass


class Overrides(Base):
    def __radd__(self, other):
        return Base(self.a - 100)


class NoSum(Base):
    def __add__(self, other):
        return NotImplemented


class Plain:
    def __init__(self, a):
        self.a = a


class Extends(Plain):
    def __radd__(self, other):
        return NotImplemented

    def __rsub__(self, other):
        return "reflected"


class Money:
    def __init__(self, currency, amount):
        self.currency, self.amount = currency, amount

    def __add__(self, other):
        if self.currency != other.currency:
            return NotImplemented
        return Money(self.currency, self.amount + other.amount)

    def __lt__(self, other):
        if self.currency != other.currency:
            return NotImplemented
        return self.amount < other.amount


class Whole(int):
    def __add__(self, other):
        if self > 1:
            return NotImplemented
        return 77


class Behind(int):
    def __radd__(self, other):
        return 55


class FurtherBehind(Behind):
    pass


class Rows(list):
    def __add__(self, other):
        return NotImplemented

    def __radd__(self, other):
        return "reflected"


class Same:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return "base" if self.a > 1 else NotImplemented


class SameToo(Same):
    pass


class Other(Same):
    def __eq__(self, other):
        return "extends" if self.a < 2 else NotImplemented


class Scale:
    def __init__(self, a):
        self.a = a

    def __rmul__(self, other):
        return self.a * other

    def __gt__(self, other):
        return self.a


class Opaque(Scale):
    __array_ufunc__ = None


class Prior(Scale):
    __array_priority__ = 1000


def told(ask):
    try:
        return ask()
    except TypeError as error:
        return str(error)


@case()
def of_one_class_only_the_left_one_is_asked(self, x, n):
    return told(lambda: (NoSum(n) + NoSum(n)).a), told(lambda: (NoSum(n) + Base(n)).a)


@case()
def a_class_that_extends_the_other_comes_first_with_a_method_of_its_own(self, x, n):
    mixed = (Inherits(n) + Overrides(n)).a, (Overrides(n) + Inherits(n)).a
    return (Base(1) + Inherits(n)).a, (Base(1) + Overrides(n)).a, (Overrides(n) + Base(1)).a, mixed


@case()
def whether_there_is_an_answer_is_decided_by_the_run(self, x, n):
    return told(lambda: (Declines(n) + Reflected(n)).a), told(lambda: (Declines(n) + Declines(1)).a)


@case()
def in_a_loop(self, x, n):
    total = 0
    for v in x.tolist():
        try:
            total += (Declines(v) + Reflected(v)).a
        except TypeError:
            total -= 1
    return total


@case()
def in_place(self, x, n):
    c = b = Declines(n)
    try:
        c += Declines(4)
        return c.a, b.a, c is b
    except TypeError as error:
        return str(error), b.a, False


@case()
def comparisons(self, x, n):
    two, one = Declines(2), Declines(1)
    order = told(lambda: [Declines(n) < two, two < Declines(n), Declines(n) > Declines(0)])
    return Declines(n) == two, Declines(n) != two, one != Declines(n), two == Declines(n), order


@case()
def comparisons_of_what_a_loop_makes(self, x, n):
    same = [Declines(v) == Declines(1) for v in x.tolist()]
    return same, [Declines(v) != Declines(1) for v in x.tolist()], Declines(0) in [Declines(n)]


@case()
def comparisons_with_what_extends_the_class(self, x, n):
    first = Same(2) == SameToo(3), Same(n) == Other(1), Same(n) == Other(n), Other(n) == Same(n)
    return first, Same(2) == Same(n), Same(n) != Other(1)


@case()
def sums_of_money(self, x, n):
    total, bad = Money(1, 0), 0
    for v in x.tolist():
        try:
            total = total + Money(v % 2, v)
        except TypeError:
            bad += 1
    try:
        least = min(Money(n % 2, 1), Money(1, 2)).amount
    except TypeError:
        least = -1
    return total.amount, bad, least


@case()
def ints_of_a_class(self, x, n):
    sums = Behind(1) + 2, Behind(1) + Behind(2), Behind(1) + FurtherBehind(2)
    more = 1 + FurtherBehind(2), FurtherBehind(1) + Behind(2), n + Behind(2), Behind(3) + n
    return (
        Whole(1) + 2,
        Whole(1) + Whole(3),
        Whole(5) + 2,
        told(lambda: Whole(5) + Whole(2)),
        sums,
        more,
    )


@case()
def lists_of_a_class(self, x, n):
    return told(lambda: Rows([1]) + Rows([n])), [1] + Rows([n]), told(lambda: Rows([n]) + [1])


@case()
def what_python_says_of_none(self, x, n):
    p, q = Plain(n), Extends(n)
    said = [told(lambda: p + q), told(lambda: p - q), told(lambda: q - p), told(lambda: p < q)]
    said += [told(lambda: p >= n), told(lambda: n * p), told(lambda: p**n), told(lambda: p @ q)]
    said += [told(lambda: None + p), told(lambda: p | True), told(lambda: p % 1.5)]
    said += [told(lambda: p // q), told(lambda: p / q), told(lambda: p & q), told(lambda: p ^ q)]
    said += [told(lambda: p << 1), told(lambda: 1 >> p)]
    for _ in range(1):
        try:
            p += n
        except TypeError as error:
            said.append(str(error))
    try:
        p **= n
    except TypeError as error:
        said.append(str(error))
    return said


@case()
def of_one_of_two_objects(self, x, n):
    c = Plain(1) if n > 1 else Extends(2)
    try:
        c += 1
    except TypeError as error:
        return str(error)
    return "sum"


@case()
def behind_what_is_numpy_s(self, x, n):
    return x * Opaque(n), x * Prior(n), x.sum() * Scale(n), np.int64(3) * Scale(1), n * Scale(2)


@refused()
def behind_an_array(self, x, n):
    return x * Scale(n)


@refused()
def behind_a_known_array(self, x, n):
    return np.arange(3) * Scale(n)


@refused()
def behind_an_array_compared(self, x, n):
    return np.shape(x < Scale(n))


class Added(list):
    def __add__(self, other):
        return Added(a + b for a, b in zip(self, other, strict=False))


class Times(list):
    def __mul__(self, other):
        return "product"


class BehindList(list):
    def __radd__(self, other):
        return self[0]


class Each:
    def __init__(self, a):
        self.a = a

    def __radd__(self, other):
        return self.a

    def __iter__(self):
        return iter([5])


@case()
def lists_in_place(self, x, n):
    v = w = Added([n, 1])
    v += [2, 2]
    product, other, one, two = Times([n]), Times([n]), [1], [1]
    product *= 2
    other += [3]
    one += BehindList([n])
    two += Each(n)
    return list(v), v is w, list(v + [3, 4, 5, 6]), product == "product", list(other), one, two


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)
