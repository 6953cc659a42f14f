"""Sums and products that surely fit 64 bits are not checked."""

# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.checks import check as fails_unless
from onnx_graph.passes import fitting_sums
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, built, check, same

N = [{"n": np.array(n)} for n in (0, 1, 4, 50)]
LIMIT = float(2**63 - 2**14)


def product(g: ONNXGraph, kept: int = 1009) -> None:
    n = g.input("n", I64, ())
    body = g.body("turn", loop=True)
    k = body.input(I64, (), "k")
    token = body.input(I64, (), "token")
    with body:
        large = g.Abs(g.Mul(g.Cast(k, to=np.float64), np.float64(3)))
        token_of = fails_unless(g, g.Less(large, np.float64(LIMIT)), "an int exceeds 64 bits")
        following = g.Mod(g.Mul(k, 3), np.int64(kept))
        passed = g.Add(token, token_of)
    starts = [np.int64(1), np.int64(0)]
    made = g.Loop(n, None, body, starts, carried=[following, passed])
    g.output("y", made[0])


def test_a_product_that_a_loop_carries() -> None:
    graph = built(product)
    assert checked(fitting_sums).run(graph) == 1
    assert "Less" not in graph.to_text() and "Cast<to=11>(True)" in graph.to_text()
    same(built(product), graph, N)


@pytest.mark.parametrize("kept", [2**62, 2**63 - 1])
def test_a_product_that_may_not_fit(kept: int) -> None:
    assert not fitting_sums.run(built(lambda g: product(g, kept)))


def sums(g: ONNXGraph, op: str = "Add", most: int = 2**62, *, turned: bool = False) -> None:
    n = g.input("n", I64, ())
    x = g.Sub(g.Mod(n, np.int64(most)), np.int64(1))
    y = g.Mod(g.Mul(n, 7), np.int64(most))
    made = g.emit(op, [x, y])
    rises: Value = (g.GreaterOrEqual if (op == "Add") is not turned else g.LessOrEqual)(made, x)
    natural = g.GreaterOrEqual(y, np.int64(0))
    fails_unless(g, g.Equal(rises, natural), "an int exceeds 64 bits")
    g.output("y", made)


def test_a_sum() -> None:
    before = """
    mod_1: int64[] = Mod(n, 4611686018427387904)
    sub_1: int64[] = Sub(mod_1, 1)
    mul_1: int64[] = Mul(n, 7)
    mod_2: int64[] = Mod(mul_1, 4611686018427387904)
    y: int64[] = Add(sub_1, mod_2)
    greaterorequal_1: bool[] = GreaterOrEqual(y, sub_1)
    greaterorequal_2: bool[] = GreaterOrEqual(mod_2, 0)
    equal_1: bool[] = Equal(greaterorequal_1, greaterorequal_2)
    cast_1: double[] = Cast<to=11>(equal_1)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: an int exceeds 64 bits
    size_1: int64[] = Size(range_1)
    """
    after = """
    mod_1: int64[] = Mod(n, 4611686018427387904)
    sub_1: int64[] = Sub(mod_1, 1)
    mul_1: int64[] = Mul(n, 7)
    mod_2: int64[] = Mod(mul_1, 4611686018427387904)
    y: int64[] = Add(sub_1, mod_2)
    cast_1: double[] = Cast<to=11>(True)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: an int exceeds 64 bits
    """
    check(fitting_sums, sums, before, after, N)


def test_a_difference() -> None:
    graph = built(lambda g: sums(g, "Sub"))
    assert checked(fitting_sums).run(graph) == 1
    same(built(lambda g: sums(g, "Sub")), graph, N)


@pytest.mark.parametrize(
    "options", [{"most": 2**62 + 2}, {"op": "Sub", "turned": True}, {"turned": True}], ids=str
)
def test_what_stays(options: dict[str, object]) -> None:
    graph = built(lambda g: sums(g, **options))  # type: ignore[arg-type]
    assert not list(fitting_sums.ensures(graph)) and not fitting_sums.run(graph)
