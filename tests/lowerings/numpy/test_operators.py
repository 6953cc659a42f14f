"""Operators over dtypes, ranks and kinds of operands, against numpy and Python."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.lowerings.numpy.harness import Case, case, check, values

DTYPES = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64")
ARITHMETIC = ("+", "-", "*", "/", "//", "%")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
BITS = ("&", "|", "^", "<<", ">>")


def legal(code: str, inputs: dict[str, Any]) -> bool:
    """Tell whether numpy has the operator for these dtypes."""
    tiny = {n: np.ones_like(v) if isinstance(v, np.ndarray) else v for n, v in inputs.items()}
    try:
        with np.errstate(all="ignore"):
            eval(code, {}, tiny)
    except TypeError:
        return False
    return True


#: One pair for each way in which numpy promotes.
MIXED = [
    *(("int64", "float32"), ("int32", "int64"), ("uint8", "int32"), ("bool", "float16")),
    *(("float16", "float32"), ("float32", "float64"), ("int32", "float16"), ("bool", "int32")),
    *(("uint8", "bool"), ("int8", "uint8"), ("uint16", "int16"), ("uint32", "int32")),
]
RARE = ("int8", "int16", "uint16", "uint32", "uint64")


def pairs() -> list[Case]:
    cases = []
    for op in (*ARITHMETIC, *COMPARISONS, *BITS):
        same = [(dtype, dtype) for dtype in (*DTYPES, *RARE)]
        mixed = MIXED if op in ARITHMETIC else MIXED[:4]
        for one, other in (*same, *mixed, *((b, a) for a, b in mixed[:4])):
            inputs = {"x": values(one, 3, 2), "y": values(other, 2, seed=1)}
            if legal(f"x {op} y", inputs):
                more = {"x": values(one, 3, 2, seed=5), "y": values(other, 2, seed=6)}
                cases.append(case(f"x {op} y", more, **inputs, resize=one == other))
    return cases


def numbers() -> list[Case]:
    cases = []
    for op, dtype in itertools.product((*ARITHMETIC, *COMPARISONS, "**", "&"), DTYPES):
        if op in COMPARISONS and dtype not in ("uint8", "int64", "float32"):
            continue
        for number, others in ((3, (0, 1, 200, 255)), (2.5, (0.0, -1.5, 1e3)), (True, (False,))):
            inputs = {"x": values(dtype, 2, 3), "n": number}
            more = [{"n": n} for n in others]
            if op == "**" and isinstance(number, int):
                more = more[:2]
            for code in (f"x {op} n", f"n {op} x"):
                if legal(code, inputs) and not (op == "**" and code.startswith("n")):
                    cases.append(case(code, *more, **inputs, resize=False))
            static = f"x {op} {number}"
            if legal(static, inputs):
                cases.append(case(static, x=values(dtype, 2, 3), resize=False))
    return cases


def zero_d() -> list[Case]:
    cases = []
    for op, dtype in itertools.product((*ARITHMETIC, "<", "**"), DTYPES):
        for code in (f"x[0] {op} x[1]", f"x[0] {op} 2", f"2.0 {op} x[1]", f"x[1] {op} n"):
            inputs = {"x": np.array([1, 2]).astype(dtype), "n": 3}
            if legal(code, inputs):
                cases.append(case(code, **inputs, resize=False))
    return cases


@pytest.mark.parametrize("given", pairs(), ids=lambda c: c.id)
def test_two_arrays(given: Case) -> None:
    check(given)


@pytest.mark.parametrize("given", numbers(), ids=lambda c: c.id)
def test_array_and_python_number(given: Case) -> None:
    check(given)


@pytest.mark.parametrize("given", zero_d(), ids=lambda c: c.id)
def test_numpy_scalars(given: Case) -> None:
    check(given)
