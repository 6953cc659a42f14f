"""Size expressions against Python's own integers."""

from __future__ import annotations

import operator
import random

import pytest

from onnx_graph import Dim, compare, parse, same, substitute
from onnx_graph.dims import bounds, possible

H, W = Dim("H"), Dim("W")
PYTHON = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (H * 2 + 1 - H, "H + 1"),
        (H - H, "0"),
        ((H + 6 - 7) // 2 + 1, "(H + 1)//2"),
        (((H + 1) // 2 + 1) // 2, "(H + 3)//4"),
        (5 * H // 2, "2*H + H//2"),
        (W * H * 12 // (W * 6), "2*H"),
        (H % 2 - H % 2, "0"),
        ((4 * H + 3) // 6, "(2*H + 1)//3"),
        (-(H % 2), "-(H % 2)"),
        (7 - H, "-H + 7"),
        (7 % H, "7 % H"),
        (H * (W + 1), "H*W + H"),
        (parse("max(H - 1, 0)"), "max(0, H - 1)"),
        (parse("max(H, 0)"), "H"),
        (parse("max(H, 1)"), "max(1, H)"),
        (parse("min(H, H + 1)"), "H"),
        (parse("size of batch"), "size of batch"),
        (parse("2 + 3"), "5"),
    ],
)
def test_canonical_text(size: int | Dim, text: str) -> None:
    assert str(size) == text
    assert same(parse(text), size)


def test_a_size_that_may_be_zero_is_not_positive() -> None:
    assert compare(H, ">=", 0) is True
    assert compare(H, ">", 0) is None
    assert compare(H + 1, ">", 0) is True
    assert compare(H, "==", W) is None
    assert compare(H + 1, "!=", H) is True
    assert compare(parse("max(H - 1, 0)"), "<=", H) is True
    assert compare(H // 2, "<=", H) is True
    assert compare(parse("min(H, 2)"), "<", 3) is True
    assert compare(2 * H, "==", H) is None


def test_a_constant_is_no_dim() -> None:
    with pytest.raises(ValueError, match="constant"):
        Dim("3 - 1")
    with pytest.raises(ZeroDivisionError):
        H // 0


def _expression(rng: random.Random, depth: int) -> str:
    if not depth or rng.random() < 0.2:
        return rng.choice(["H", "W"]) if rng.random() < 0.6 else str(rng.randint(-3, 4))
    op = rng.choice([*PYTHON, "max", "min"])
    left = _expression(rng, depth - 1)
    divides = op in ("//", "%") and rng.random() < 0.7
    right = str(rng.choice([1, 2, 3, 4, -2])) if divides else _expression(rng, depth - 1)
    return f"{op}({left}, {right})" if op in ("max", "min") else f"({left}){op}({right})"


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        text, other = _expression(rng, 4), _expression(rng, 3)
        size, second = parse(text), parse(other)
        if isinstance(size, Dim):
            assert same(parse(size.text), size)
        low, high = bounds(size)
        decided = {op: compare(size, op, second) for op in ("<", "<=", "==", "!=", ">", ">=")}
        for h in (0, 1, 2, 3):
            for w in (0, 1, 5):
                names = {"H": h, "W": w, "max": max, "min": min}
                try:
                    expected, against = eval(text, names), eval(other, names)
                except ZeroDivisionError:
                    continue
                assert substitute(size, {"H": h, "W": w}) == expected, text
                assert low is None or low <= expected
                assert high is None or expected <= high
                for op, answer in decided.items():
                    assert answer is None or answer == eval(f"{expected} {op} {against}")


def test_sizes_that_are_possible() -> None:
    """In a branch that is not taken a size may be negative, or divide by zero."""
    assert possible(H * 2 + 1) == H * 2 + 1 and possible(-3) == 0
    assert str(possible(H - 2)) == "max(0, H - 2)"
    assert possible(H // 2) == H // 2 and possible(W // (H + 1)) == W // (H + 1)
    assert possible(W // H) == possible(H + W % H) == possible(2 * (W // H) // 3) == 0


def test_bounds_do_not_hang_on_what_was_asked_before() -> None:
    text = "max((N - 1)//2 + 1, min(M, 4)) - min(M, 4) + (N % 3)"
    asked = [bounds(parse(text), depth) for depth in (0, 1, 2)]
    assert asked == [bounds(parse(text), depth) for depth in (2, 1, 0)][::-1]
    assert bounds(parse("max((N//2)//2, 3) - 3"))[0] == 0
