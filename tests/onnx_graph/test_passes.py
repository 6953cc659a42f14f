"""Each pass in text, before and after; then all of them on random programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnx_graph import GraphError, ONNXGraph, Value, dims_of
from onnx_graph.passes import (
    conditions,
    constants,
    duplicates,
    hoisting,
    identities,
    invariants,
    settled,
    truths,
    unused,
    unused_results,
)
from onnx_graph.passes import float64_barriers as barriers
from tests.onnx_graph.claims import check_claim, session

F, I64 = np.float32, np.int64


def _nodes(g: ONNXGraph) -> str:
    """Return the text without sizes and braces of the main graph."""
    lines = g.to_text().splitlines()[1:-1]
    return "\n".join(line[2:] for line in lines)


def check(
    run: Callable[[ONNXGraph], int],
    build: Callable[[ONNXGraph], None],
    after: str,
    feeds: list[dict[str, Any]],
) -> None:
    """Compare the text after a pass, and what both graphs compute; twice is once."""
    plain, passed = ONNXGraph(), ONNXGraph()
    build(plain)
    build(passed)
    assert run(passed)
    unused.run(passed)
    wanted = "\n".join(line[4:] for line in after.strip("\n").rstrip().splitlines())
    assert _nodes(passed) == wanted
    assert not run(passed) or run in (hoisting.run,)
    first, second = (session(g.to_model().SerializeToString()) for g in (plain, passed))
    for feed in feeds:
        expected, got = first.run(None, feed), second.run(None, feed)
        for one, other in zip(expected, got, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


X = [{"x": np.arange(4, dtype=F)}, {"x": np.zeros(0, F)}]
NX = [{"x": np.arange(3, dtype=F), "n": np.array(n)} for n in (0, 1, 4)]
CX = [{"x": np.arange(3, dtype=F), "c": np.array(c)} for c in (True, False)]


def test_unused() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N",))
        g.initializer("w", np.zeros(3, F))
        g.Exp(g.Sin(x))
        g.check(g.Less(g.size(x, 0), 9), "short")
        g.output("y", g.Relu(x))

    after = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    less_1: bool[] = Less(gather_1, 9)
    not_1: bool[] = Not(less_1)
    cast_1: int64[] = Cast<to=7>(not_1)
    gather_2: int64[] = Gather<axis=0>([0], cast_1)  # check: short
    y: float[N] = Relu(x)
    """
    check(unused.run, build, after, X)


def _carrying(g: ONNXGraph) -> None:
    x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        a, b, c = body.input(F, ("N",), "a"), body.input(F, (), "b"), body.input(F, (), "c")
        ends = [g.Add(a, c), g.Mul(b, 2), g.Add(c, 1)]
        scan = g.ReduceSum(a, keepdims=0)
    y, _, _, _ = g.Loop(n, None, body, [x, 1.0, 1.0], carried=ends, scans=[scan])
    g.output("y", y)


def test_unused_results() -> None:
    after = """
    y: float[N], loop_1: float[] = Loop(n, True, x, float32(1.0))
      body (iteration: int64[], condition: bool[], a: float[N], c: float[]) => (identity_1, add_1, add_2) {
        add_1: float[N] = Add(a, c)
        add_2: float[] = Add(c, float32(1.0))
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    check(unused_results.run, _carrying, after, NX)


def test_unused_results_of_if() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a, b = g.Exp(x), g.Sin(x)
        with other:
            d, e = g.Neg(x), g.Cos(x)
        g.output("y", g.If(c, then, [a, b], other, [d, e])[1])

    after = """
    y: float[N] = If(c)
      else_branch () => (cos_1) {
        cos_1: float[N] = Cos(x)
      }
      then_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
    """
    check(unused_results.run, build, after, CX)


def test_identities() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N",))
        y = g.Transpose(g.Cast(g.Identity(g.Relu(g.Identity(x))), to=F), perm=[0])
        g.output("y", g.Identity(y))
        g.output("z", x)
        g.output("t", g.Or(g.Not(g.Not(g.IsNaN(y))), g.IsInf(x)))

    after = """
    y: float[N] = Relu(x)
    z: float[N] = Identity(x)
    isnan_1: bool[N] = IsNaN(y)
    isinf_1: bool[N] = IsInf(x)
    t: bool[N] = Or(isnan_1, isinf_1)
    """
    check(identities.run, build, after, X)


def test_constants() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N",))
        two = g.Cast(g.Add([1, 1], g.Shape(np.zeros((3, 4)))), to=F)
        g.output("y", g.Mul(x, g.ReduceMax(two, keepdims=0)))

    after = """
    y: float[N] = Mul(x, float32(5.0))
    """
    check(constants.run, build, after, X)


def test_what_fails_is_not_folded() -> None:
    g = ONNXGraph()
    x = g.input("x", F, ("N",))
    g.output("y", g.Add(x, g.Cast(g.Div(1, 0), to=F)))
    g.optimize()
    assert "Div(1, 0)" in g.to_text()


def test_duplicates() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        a = g.Exp(x)
        then, other = g.body("then"), g.body("else")
        with then:
            b = g.Neg(g.Exp(x))
        with other:
            d = g.Neg(g.Exp(x))
        (e,) = g.If(c, then, [b], other, [d])
        g.output("y", g.Add(g.Add(a, e), g.Exp(x)))

    after = """
    exp_1: float[N] = Exp(x)
    if_1: float[N] = If(c)
      else_branch () => (neg_1) {
        neg_1: float[N] = Neg(exp_1)
      }
      then_branch () => (neg_2) {
        neg_2: float[N] = Neg(exp_1)
      }
    add_1: float[N] = Add(exp_1, if_1)
    y: float[N] = Add(add_1, exp_1)
    """
    check(duplicates.run, build, after, CX)


def test_random_numbers_are_no_duplicates() -> None:
    g = ONNXGraph(random=True)
    x = g.input("x", F, ("N",))
    g.output("y", g.Sub(g.RandomNormalLike(x), g.RandomNormalLike(x)))
    assert duplicates.run(g) == 0


def test_conditions() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Exp(x)
        with other:
            b = g.Sin(x)
        results = g.If(c, then, [a, True, False, x], other, [b, False, True, x])
        for name, value in zip("pqrs", results, strict=True):
            g.output(name, g.Identity(value))
        inner, outer = g.body("then"), g.body("else")
        with inner:
            e = g.Cos(x)
        g.output("e", g.If(True, inner, [e], outer, [x])[0])

    after = """
    not_1: bool[] = Not(c)
    if_1: float[N] = If(c)
      else_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
      then_branch () => (exp_1) {
        exp_1: float[N] = Exp(x)
      }
    p: float[N] = Identity(if_1)
    q: bool[] = Identity(c)
    r: bool[] = Identity(not_1)
    s: float[N] = Identity(x)
    e: float[N] = Cos(x)
    """
    check(lambda g: conditions.run(g) and 1 + unused_results.run(g), build, after, CX)


def test_conditions_are_joined_with_truths() -> None:
    def build(g: ONNXGraph) -> None:
        c, d = g.input("c", np.bool_, ()), g.input("d", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        left, right = [True, False, d, d, c, d, False], [d, d, True, False, d, c, c]
        for name, value in zip("pqrstuv", g.If(c, then, left, other, right), strict=True):
            g.output(name, g.Identity(value))

    after = """
    or_1: bool[] = Or(c, d)
    not_1: bool[] = Not(c)
    and_1: bool[] = And(not_1, d)
    not_2: bool[] = Not(c)
    or_2: bool[] = Or(not_2, d)
    and_2: bool[] = And(c, d)
    or_3: bool[] = Or(c, d)
    and_3: bool[] = And(c, d)
    p: bool[] = Identity(or_1)
    q: bool[] = Identity(and_1)
    r: bool[] = Identity(or_2)
    s: bool[] = Identity(and_2)
    t: bool[] = Identity(or_3)
    u: bool[] = Identity(and_3)
    v: bool[] = Identity(False)
    """
    truths = [np.array(False), np.array(True)]
    feeds = [{"c": c, "d": d} for c in truths for d in truths]
    check(lambda g: conditions.run(g) and 1 + unused_results.run(g), build, after, feeds)


def test_branches_of_a_negation_are_swapped() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Exp(x)
        with other:
            b = g.Sin(x)
        g.output("y", g.If(g.Not(c), then, [a], other, [b])[0])

    after = """
    y: float[N] = If(c)
      then_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
      else_branch () => (exp_1) {
        exp_1: float[N] = Exp(x)
      }
    """
    check(conditions.run, build, after, CX)


def test_a_branch_knows_its_condition() -> None:
    def build(g: ONNXGraph) -> None:
        c, d = g.input("c", np.bool_, ()), g.input("d", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Xor(g.Xor(c, d), g.Not(c))
        with other:
            b = g.Xor(c, d)
        g.output("y", g.If(g.And(c, g.Not(d)), then, [a], other, [b])[0])

    after = """
    not_1: bool[] = Not(d)
    and_1: bool[] = And(c, not_1)
    y: bool[] = If(and_1)
      else_branch () => (xor_1) {
        xor_1: bool[] = Xor(c, d)
      }
      then_branch () => (xor_3) {
        xor_2: bool[] = Xor(True, False)
        not_2: bool[] = Not(True)
        xor_3: bool[] = Xor(xor_2, not_2)
      }
    """
    truths_ = [np.array(False), np.array(True)]
    check(settled.run, build, after, [{"c": c, "d": d} for c in truths_ for d in truths_])


def _searching(start: bool) -> Callable[[ONNXGraph], None]:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            done = body.input(np.bool_, (), "done")
            now = g.Or(g.Less(np.float32(1), g.ReduceSum(x, keepdims=0)), done)
        (last,) = g.Loop(n, None, body, [start], cond_out=g_not(g, body, now), carried=[now])
        g.output("y", last)

    return build


def g_not(g: ONNXGraph, body: Any, value: Value) -> Value:
    with body:
        result: Value = g.Not(value)
    return result


def test_a_turn_begins_with_what_let_it_begin() -> None:
    after = """
    y: bool[] = Loop(n, True, False)
      body (iteration: int64[], condition: bool[], done: bool[]) => (not_1, or_1) {
        reducesum_1: float[] = ReduceSum<keepdims=0>(x)
        less_1: bool[] = Less(float32(1.0), reducesum_1)
        or_1: bool[] = Or(less_1, False)
        not_1: bool[] = Not(or_1)
      }
    """
    check(settled.run, _searching(False), after, NX)
    g = ONNXGraph()
    _searching(True)(g)  # the first turn begins with True
    assert not settled.run(g)


def test_truths() -> None:
    def build(g: ONNXGraph) -> None:
        c, n = g.input("c", np.bool_, ()), g.input("n", I64, ())
        z = g.input("z", F, ())
        pairs = [g.Or(c, False), g.And(True, c), g.Or(c, c), g.And(c, False), g.Or(True, c)]
        pairs += [g.Not(g.Greater(n, 2)), g.Not(g.Less(n, 2)), g.Not(g.Less(z, 2.0))]
        for name, value in zip("pqrstuvw", pairs, strict=True):
            g.output(name, g.Identity(value))

    after = """
    lessorequal_1: bool[] = LessOrEqual(n, 2)
    greaterorequal_1: bool[] = GreaterOrEqual(n, 2)
    less_1: bool[] = Less(z, float32(2.0))
    not_1: bool[] = Not(less_1)
    p: bool[] = Identity(c)
    q: bool[] = Identity(c)
    r: bool[] = Identity(c)
    s: bool[] = Identity(False)
    t: bool[] = Identity(True)
    u: bool[] = Identity(lessorequal_1)
    v: bool[] = Identity(greaterorequal_1)
    w: bool[] = Identity(not_1)
    """
    feeds = [
        {"c": np.array(c), "n": np.array(n), "z": np.array(z, F)}
        for c in (False, True)
        for n, z in ((1, np.nan), (2, 2), (3, 1))
    ]
    check(truths.run, build, after, feeds)


def test_neutral_numbers() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        for name, value in (
            ("p", g.Mul(x, 1.0)),
            ("q", g.Div(x, 1.0)),
            ("r", g.Add(x, 0.0)),
            ("s", g.Mul(x, g.constant(np.ones((1, 1), F)))),
            ("t", g.Add(g.Mul(n, 1), 0)),
            ("u", g.Sub(n, 0)),
            ("v", g.Sub(0, n)),
        ):
            g.output(name, g.Identity(value))

    after = """
    neg_1: float[N] = Neg(x)
    r: float[N] = Sub(float32(0.0), neg_1)
    s: float[1, N] = Mul(x, float32([[1.0]]))
    v: int64[] = Sub(0, n)
    p: float[N] = Identity(x)
    q: float[N] = Identity(x)
    t: int64[] = Identity(n)
    u: int64[] = Identity(n)
    """
    check(lambda g: identities.run(g), build, after, NX)


def test_a_check_that_holds_is_a_constant() -> None:
    def build(g: ONNXGraph) -> None:
        c = g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.check(c, "held")
        with other:
            b = g.check(c, "failed")
        g.output("y", g.If(c, then, [a], other, [b])[0])

    g = ONNXGraph()
    build(g)
    g.optimize()
    text = g.to_text()
    assert "held" not in text and "failed" in text
    run = session(g.to_model().SerializeToString())
    assert run.run(None, {"c": np.array(True)}) == [0]
    with pytest.raises(Exception, match="failed"):
        run.run(None, {"c": np.array(False)})


def _products(far: bool) -> Callable[[ONNXGraph], None]:
    def build(g: ONNXGraph) -> None:
        x, y = g.input("x", np.float64, (3, 3)), g.input("y", np.float64, (3, 3))
        product = g.Max(g.MatMul(g.Max(g.Sub(x, y)), g.Max(g.Transpose(y, perm=[1, 0]))))
        moved = g.Add(g.Squeeze(g.Unsqueeze(product, [0]), [0]), 1.0)
        scale = g.ReduceSum(y, keepdims=0) if far else g.Cast(g.Size(g.Shape(x)), to=np.float64)
        g.output("z", g.Div(moved, scale))

    return build


def test_barriers_stay_where_a_constant_factor_is_near() -> None:
    random = np.random.RandomState(0)
    feeds = [{name: random.randn(3, 3) for name in "xy"}]
    after = """
    sub_1: double[3, 3] = Sub(x, y)
    transpose_1: double[3, 3] = Transpose<perm=(1, 0)>(y)
    matmul_1: double[3, 3] = MatMul(sub_1, transpose_1)
    unsqueeze_1: double[1, 3, 3] = Unsqueeze(matmul_1, [0])
    squeeze_1: double[3, 3] = Squeeze(unsqueeze_1, [0])
    add_1: double[3, 3] = Add(squeeze_1, float64(1.0))
    reducesum_1: double[] = ReduceSum<keepdims=0>(y)
    z: double[3, 3] = Div(add_1, reducesum_1)
    """
    check(barriers.run, _products(far=True), after, feeds)
    g = ONNXGraph()
    _products(far=False)(g)
    assert barriers.run(g) == 2  # those of the operands
    assert "matmul_1: double[3, 3] = MatMul(sub_1, transpose_1)" in g.to_text()
    assert "= Max(matmul_1)" in g.to_text()


def test_invariants() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            a, b = body.input(F, ("N",), "a"), body.input(F, ("N",), "b")
            end = g.Add(a, b)
        y, z = g.Loop(n, None, body, [g.Relu(x), x], carried=[end, b])
        g.output("y", g.Add(y, z))

    after = """
    relu_1: float[N] = Relu(x)
    loop_1: float[N] = Loop(n, True, relu_1)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_1, add_1) {
        add_1: float[N] = Add(a, x)
        identity_1: bool[] = Identity(True)
      }
    y: float[N] = Add(loop_1, x)
    """
    check(invariants.run, build, after, NX)


def test_hoisting() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            a = body.input(F, ("N",), "a")
            can_fail = g.Gather(x, g.constant([7]))
            end = g.Add(a, g.Add(g.Exp(x), can_fail))
        g.output("y", g.Loop(n, None, body, [x], carried=[end])[0])

    after = """
    exp_1: float[N] = Exp(x)
    y: float[N] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_1, add_2) {
        gather_1: float[1] = Gather(x, [7])
        add_1: float[N] = Add(exp_1, gather_1)
        add_2: float[N] = Add(a, add_1)
        identity_1: bool[] = Identity(True)
      }
    """
    check(hoisting.run, build, after, NX[:1])


class Program:
    """A random program with nested branches, loops, checks and sequences."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.g = ONNXGraph()
        self.n = self.g.input("n", I64, ())
        self.c = self.g.input("c", np.bool_, ())
        x = self.g.input("x", F, ("N", 2))
        values = [x, self.g.Exp(x), self.g.constant(np.ones((1, 2), F))]
        self.token: Value = self.g.constant(0)
        self.block(values, 9, 3)
        for index, value in enumerate(values[-6:]):
            self.g.output(f"y{index}", self.g.tie(value, self.token))

    def tensor(self, values: list[Value]) -> Value:
        return self.rng.choice(values)

    def condition(self, values: list[Value]) -> Value:
        g = self.g
        total = g.ReduceSum(self.tensor(values), keepdims=0)
        pick = self.rng.randrange(5)
        if pick == 0:
            return self.c
        if pick == 1:
            return g.constant(self.rng.random() < 0.5)
        if pick == 2:
            return g.Not(self.c)  # type: ignore[no-any-return]
        return g.Less(total, float(self.rng.randint(-3, 20)))  # type: ignore[no-any-return]

    def block(self, values: list[Value], length: int, depth: int) -> None:
        for _ in range(length):
            before = len(values)
            try:
                self.statement(values, depth)
            except GraphError:
                del values[before:]
                raise

    def statement(self, values: list[Value], depth: int) -> None:
        g, pick = self.g, self.rng.randrange(12 if depth else 8)
        a, b = self.tensor(values), self.tensor(values)
        if pick == 0:
            values.append(g.Add(g.ReduceMean(a, [0]), b))
        elif pick == 1:
            values.append(g.Mul(a, 0.5))
        elif pick == 2:
            values.append(g.Identity(a))
        elif pick == 3:
            values.append(g.Tanh(a))
        elif pick == 4:
            rows = g.Cast(g.size(a, 0), to=F)
            values.append(g.Add(a, rows))
        elif pick == 5:
            values.append(g.Tanh(g.Concat(a, b, axis=0)))
        elif pick == 6:
            ok = g.Less(g.ReduceMax(a, keepdims=0), 1.0 + 9 * self.rng.random())
            self.token = g.Add(self.token, g.check(ok, "large"))
        elif pick == 7:
            values.append(g.Slice(a, [0], [self.rng.randint(1, 3)], [0]))
        elif pick in (8, 9):
            self.branch(values, depth)
        else:
            self.loop(values, depth)

    def branch(self, values: list[Value], depth: int) -> None:
        g, before = self.g, self.token
        condition = self.condition(values)
        then, other = g.body("then"), g.body("else")
        sides, tokens = [], []
        for body in (then, other):
            self.token, inside = before, list(values)
            with body:
                self.block(inside, self.rng.randint(0, 3), depth - 1)
            sides.append([self.tensor(inside[-3:]), self.tensor(inside), g.constant(body is then)])
            tokens.append(self.token)
        *results, flag, self.token = g.If(
            condition, then, [*sides[0], tokens[0]], other, [*sides[1], tokens[1]]
        )
        values.extend(results)
        values.append(g.Where(flag, values[-1], g.constant(0.0)))

    def loop(self, values: list[Value], depth: int) -> None:
        g, before = self.g, self.token
        starts = [self.tensor(values) for _ in range(self.rng.randint(1, 3))]
        body = g.body("loop", loop=True)
        with body:
            carried = [body.input(F, (None, 2)) for _ in starts]
            token = self.token = body.input(I64, ())
            inside = [*values, *carried]
            self.block(inside, self.rng.randint(1, 4), depth - 1)
            ends = [self.rng.choice([old, self.tensor(inside)]) for old in carried]
            scan = g.ReduceSum(self.tensor(inside), [0], keepdims=0)
            more = self.rng.choice([None, g.Less(body.iteration, 2)])
            assert token is not None
        trip = self.rng.choice([self.n, g.constant(2), g.constant(0)])
        *results, self.token, stacked = g.Loop(
            trip,
            None,
            body,
            [*starts, before],
            cond_out=more,
            carried=[*ends, self.token],
            scans=[scan],
        )
        values.extend([*results, stacked])
        assert len(dims_of(stacked)) == 2


def _outcome(run: Any, feed: dict[str, Any]) -> Any:
    try:
        return run.run(None, feed)
    except Exception as error:
        return "check" if "Check(large)" in str(error) else str(error)


@pytest.mark.parametrize("seed", range(36))
def test_random_programs_keep_their_meaning(seed: int) -> None:
    plain, better = Program(seed).g, Program(seed).g
    assert plain.to_text() == better.to_text()
    better.optimize()
    again = better.optimize()
    assert not sum(again.values()), again
    runs = [session(g.to_model().SerializeToString(), "ORT_DISABLE_ALL") for g in (plain, better)]
    for n in (0, 1, 3):
        for c in (True, False):
            for rows in (0, 1, 3):
                x = np.random.default_rng(seed + rows).standard_normal((rows, 2)).astype(F)
                feed = {"n": np.array(n), "c": np.array(c), "x": x}
                one, other = _outcome(runs[0], feed), _outcome(runs[1], feed)
                if isinstance(one, str) or isinstance(other, str):
                    assert isinstance(one, str) and isinstance(other, str), (one, other)
                    assert (one == "check") == (other == "check"), (one, other)
                    continue
                bound = {"N": rows}
                for value, left in zip(plain.outputs.values(), one, strict=True):
                    check_claim(dims_of(value), left.shape, bound)
                for left, right in zip(one, other, strict=True):
                    np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6)
                    assert left.shape == right.shape and left.dtype == right.dtype
