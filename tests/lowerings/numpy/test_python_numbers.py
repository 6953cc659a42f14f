"""Arithmetic of Python's numbers and of sizes, in-place operators, and promotion by value."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elichika import ModelRuntimeError
from tests.lowerings.numpy.harness import (
    Case,
    case,
    check,
    compiled,
    copies,
    hold,
    model_of,
    values,
)

INTS = (0, 1, 2, 3, -1, -2, 7, -7, 40)
FLOATS = (0.0, 1.0, -1.5, 2.5, 7.25, -3.0, 1e3)
OPERATORS = ("+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=")
BITS = ("&", "|", "^", "<<", ">>")
X = values("float32", 4, 3)

#: Where Python's ints leave 64 bits, or become floats by value, the model fails instead.
BEYOND = 2**63


PAIRS = [
    (op, one, other)
    for op, one, other in itertools.product([*OPERATORS, *BITS, "**"], "ifb", "ifb")
    if op not in BITS or "f" not in (one, other)
]


@pytest.mark.parametrize(("op", "one", "other"), PAIRS)
def test_two_numbers(op: str, one: str, other: str) -> None:
    choices = {"i": INTS, "f": FLOATS, "b": (True, False)}
    first = {"a": choices[one][1], "b": choices[other][1]}
    model = model_of(f"a {op} b", ["a", "b"])
    made = compiled(model, first, symbolic=False)
    for a, b in itertools.product(choices[one], choices[other]):
        _hold_or_fail(model, made, op, a, b)


def _hold_or_fail(model: object, made: object, op: str, a: object, b: object) -> None:
    inputs = {"a": a, "b": b}
    try:
        exact = eval(f"a {op} b", {}, dict(inputs))
    except Exception:
        exact = None
    kind = type(exact)
    leaves = (kind is int and abs(exact) >= 2**53) or kind is complex
    changes = op == "**" and kind is float and not isinstance(a, float) and not isinstance(b, float)
    if leaves or changes:
        with pytest.raises(ModelRuntimeError):
            made(*copies(inputs))  # type: ignore[operator]
        return
    hold(model, made, inputs)  # type: ignore[arg-type]


@pytest.mark.parametrize("static", ["3", "-3", "2.5", "-0.5", "1", "0.0", "True"])
@pytest.mark.parametrize("op", OPERATORS)
def test_number_and_constant(op: str, static: str) -> None:
    for kind, numbers in ((int, INTS), (float, FLOATS), (bool, (True, False))):
        for code in (f"a {op} {static}", f"{static} {op} a"):
            if op in ("/", "//", "%") and static in ("0.0",) and code.startswith("a"):
                continue
            first = {"a": numbers[1] if kind is not bool else True}
            model = model_of(code, ["a"])
            made = compiled(model, first, symbolic=False)
            for number in numbers:
                hold(model, made, {"a": number})


@pytest.mark.parametrize("code", ["a ** 2", "a ** 0", "a ** 5", "a ** -1", "2 ** a", "a ** 0.5"])
def test_powers(code: str) -> None:
    model = model_of(code, ["a"])
    made = compiled(model, {"a": 2}, symbolic=False)
    numbers = (0, 1, 2, 3, 50) if code.endswith(("0.5", " a")) else (0, 1, 2, 3, -4, 50)
    for number in numbers:
        hold(model, made, {"a": number})


OVERFLOWS = [
    ("a + b", {"a": 2**62, "b": 2**62}),
    ("a - b - 1", {"a": -(2**62), "b": 2**62}),
    ("a * b", {"a": 2**32, "b": 2**31}),
    ("a * b * b", {"a": 2**40, "b": -(2**20)}),
    ("a << b", {"a": 3, "b": 62}),
    ("a ** 9", {"a": 10**7, "b": 0}),
    ("a * 4 * 4 * 4", {"a": 2**60, "b": 0}),
    ("a ** b", {"a": 10, "b": 30}),
]


@pytest.mark.parametrize(("code", "inputs"), OVERFLOWS, ids=lambda v: str(v))
def test_beyond_64_bits_fails(code: str, inputs: dict[str, int]) -> None:
    model = model_of(code, ["a", "b"])
    made = compiled(model, {"a": 1, "b": 1}, symbolic=False)
    assert hold(model, made, {"a": 2, "b": 3})
    assert abs(eval(code, {}, dict(inputs))) >= BEYOND
    with pytest.raises(ModelRuntimeError, match="64 bits"):
        made(*copies(inputs))


SIZES = [
    case("x.shape[0] + x.shape[1], x.shape[0] - 5, x.size * 2 - 1", x=X),
    case("x.shape[0] // 2, x.shape[0] % 3, -x.shape[1], x.shape[0] * x.shape[1]", x=X),
    case("x.shape[0] / 2, x.shape[0] ** 2, 2 ** x.shape[0], x.size // 3 * 3", x=X),
    case("7 // x.shape[0], 7 % x.shape[1]", x=X),
    case("x.shape[0] / x.shape[1]", x=X),
    case("x.shape[0] < x.shape[1], x.shape[0] >= 0, x.shape[0] == x.size, x.shape[1] != 3", x=X),
    case("x.shape[0] > 2.5, x.shape[0] <= 1e9, x.shape[0] == 4.0, 2.5 < x.shape[0]", x=X),
    case("x / x.shape[0], x * x.size, x + x.ndim, x ** x.shape[1]", x=X),
    case("x[: x.shape[0] // 2].shape[0] + x[x.shape[0] // 2 :].shape[0] - x.shape[0]", x=X),
    case("x.shape[0] + n, n * x.shape[1], x.shape[0] // n", {"n": 0}, {"n": -3}, x=X, n=2),
]

IN_PLACE = [
    *(
        case(f"x {op}= y\nreturn x", x=values(one, 4, 3), y=values(other, 3))
        for op, one, other in (
            *itertools.product(("+", "-", "*", "/", "//", "%"), ("float32", "float16"), ("int64",)),
            *itertools.product(("+", "*", "//"), ("float32",), ("float64", "uint8", "bool")),
            *itertools.product(("+", "-", "*", "//", "%"), ("int32",), ("int64", "uint8")),
            *itertools.product(("&", "|", "^", "<<", ">>"), ("int32", "uint8"), ("uint8",)),
        )
    ),
    case("x += 1\nx *= n\nx -= 0.5\nx /= n\nreturn x", {"n": -1}, x=X, n=2),
    case("x **= 2\nreturn x", x=X),
    case("x @= y\nreturn x", x=X, y=values("float32", 3, 3)),
    case("y = x\ny += 1\nreturn x", x=X),
    case("y = x[0, 0]\ny += 1\nreturn x, y", x=X),
    case("y = x.T\ny += y\nreturn x", x=X),
    case("x += x[::-1]\nreturn x", x=X),
    case("x[:, 1:] -= x[:, :-1]\nreturn x", x=X),
]

BY_VALUE = [
    case("x + n", {"n": 127}, {"n": -128}, x=values("int8", 3), n=2, resize=False),
    case("x * f", {"f": 64999.0}, {"f": float("inf")}, x=values("float16", 3), f=0.5, resize=False),
    case("x * n", {"n": 255}, {"n": -128}, x=values("float16", 3), n=2, resize=False),
    case("x * n", {"n": 65535}, {"n": -32768}, x=values("float32", 3), n=2, resize=False),
    case(
        "x + y[0]",
        {"y": np.array([2**31 - 1])},
        x=values("int32", 3),
        y=np.array([5]),
        resize=False,
    ),
    case("x[0] + n, x[0] + 1.5, x[0] * True, x[0] / 2", {"n": 300}, x=values("uint8", 3), n=2),
    case("x.sum() * 1.0, x.sum() * n, x[0] + x[1]", x=X[0].copy(), n=2, resize=False),
]


@pytest.mark.parametrize("given", [*SIZES, *IN_PLACE, *BY_VALUE], ids=lambda c: c.id)
def test_numbers(given: Case) -> None:
    check(given)


@pytest.mark.parametrize(
    ("code", "x", "number"),
    [
        ("x + n", values("int8", 3), 128),
        ("x + n", values("uint8", 3), -1),
        ("x * n", values("float32", 3), 65536),
        ("x * n", values("float32", 3), 1e39),
        ("x * n", values("float16", 3), 70000.0),
    ],
    ids=str,
)
def test_a_number_that_changes_the_dtype_fails(code: str, x: np.ndarray, number: float) -> None:
    model = model_of(code, ["x", "n"])
    made = compiled(model, {"x": x, "n": type(number)(1)}, symbolic=False)
    assert eval(code, {}, {"x": x, "n": number}).dtype != x.dtype
    with pytest.raises(ModelRuntimeError, match="dtype"):
        made(x, number)


integers = st.one_of(st.integers(-20, 20), st.integers(-(2**62), 2**62))


@pytest.fixture(scope="module")
def arithmetic() -> tuple[object, object]:
    model = model_of("a // b, a % b, a < b, a == b, a & b, a ^ b, ~a, abs(a)", ["a", "b"])
    return model, compiled(model, {"a": 7, "b": 2}, symbolic=False)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(a=integers, b=integers)
def test_any_ints(arithmetic: tuple[object, object], a: int, b: int) -> None:
    model, made = arithmetic
    hold(model, made, {"a": a, "b": b})  # type: ignore[arg-type]


whole = st.integers(-(2**63), 2**63 - 1)


@pytest.fixture(scope="module")
def wrapping() -> tuple[object, object]:
    x = np.array([7, 1])
    model = model_of("x + y, x - y, x * y, x // y, x % y, x >> 3, x << 5, -x", ["x", "y"])
    return model, compiled(model, {"x": x, "y": x}, symbolic=False)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(x=st.lists(whole, min_size=2, max_size=2), y=st.lists(whole, min_size=2, max_size=2))
def test_int64_arrays_wrap(wrapping: tuple[object, object], x: list[int], y: list[int]) -> None:
    model, made = wrapping
    for divisor in (np.array(y), np.array([0, -1])):
        hold(model, made, {"x": np.array(x), "y": divisor})  # type: ignore[arg-type]
