"""Python's functions of numbers, over its operators."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np


def quotient(above: Any, below: Any) -> Any:
    """Divide."""
    return above / below


def close(a: Any, b: Any, relative: Any, absolute: Any) -> bool:
    """Tell whether two numbers are close, as `math.isclose` does."""
    if relative < 0 or absolute < 0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    apart = abs(b - a)
    return bool(apart <= abs(relative * b) or apart <= abs(relative * a) or apart <= absolute)


def product_of(items: Any, start: Any) -> Any:
    """Multiply from the left."""
    result = start
    for item in items:
        result = result * item
    return result


def rounded(number: int, unit: int) -> int:
    """Round an int to a multiple of an even `unit`, half to the even one."""
    count, rest = divmod(number, unit)
    if rest > unit // 2 or (rest == unit // 2 and count % 2 == 1):
        count += 1
    return count * unit


def bit_length(number: int) -> int:
    """Return how many binary digits a number has."""
    return int((abs(number) >= 2 ** np.arange(63)).sum())


def bit_count(number: int) -> int:
    """Return how many binary digits of a number are one."""
    return int(((abs(number) >> np.arange(63)) & 1).sum())


def divisor(a: int, b: int) -> int:
    """Return the greatest common divisor of two ints."""
    a, b = operator.index(a), operator.index(b)
    while b != 0:
        a, b = b, a % b
    return abs(a)


def multiple(a: int, b: int) -> int:
    """Return the least common multiple of two ints."""
    shared = divisor(a, b)
    return 0 if shared == 0 else abs(a // shared * b)


def factorial(n: int) -> int:
    """Return `n!`."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1
    for number in range(2, n + 1):
        result *= number
    return result
