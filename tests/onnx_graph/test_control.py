"""If, Loop, captures, checks and scopes, run in onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from onnx_graph import Dim, GraphError, ONNXGraph, Value, describe, dims_of, rank_of
from onnx_graph.checks import equal_sizes
from tests.onnx_graph.claims import session

F, I64 = np.float32, np.int64
LEVELS = ["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"]


def run(g: ONNXGraph, level: str = "ORT_ENABLE_ALL", **inputs: Any) -> list[Any]:
    model = g.to_model().SerializeToString()
    return session(model, level).run(None, inputs)  # type: ignore[no-any-return]


def nested(g: ONNXGraph) -> None:
    """``for i in range(n): if c: for j in range(i): h += x[0].sum() + rows  else: h -= w``."""
    x, n, c = g.input("x", F, ("N", 3)), g.input("n", I64, ()), g.input("c", np.bool_, ())
    w = g.initializer("w", np.array(2, F))
    body = g.body("outer", loop=True)
    with body:
        h = body.input(F, (), "h")
        then, other = g.body("then"), g.body("else")
        with then:
            inner = g.body("inner", loop=True)
            with inner:
                k = inner.input(F, (), "k")
                rows = g.Cast(g.size(x, 0), to=F)
                end = g.Add(g.Add(k, rows), g.ReduceSum(x, keepdims=0))
            (result,) = g.Loop(body.iteration, None, inner, [h], carried=[end])
        with other:
            less = g.Sub(h, w)
        (joined,) = g.If(c, then, [result], other, [less])
    total, steps = g.Loop(n, None, body, [0.0], carried=[joined], scans=[joined])
    g.output("y", total)
    g.output("steps", steps)


def expected(x: np.ndarray[Any, Any], n: int, c: bool) -> tuple[float, list[float]]:
    h, steps = 0.0, []
    for i in range(n):
        if c:
            for _ in range(i):
                h += len(x) + float(x.sum())
        else:
            h -= 2
        steps.append(h)
    return h, steps


@pytest.mark.parametrize("optimize", [False, True])
def test_nested_captures(optimize: bool) -> None:
    g = ONNXGraph()
    nested(g)
    if optimize:
        g.optimize()
    for n in (0, 1, 4):
        for c in (True, False):
            for rows in (0, 2):
                x = np.ones((rows, 3), F)
                y, steps = run(g, x=x, n=np.array(n), c=np.array(c))
                want, wanted = expected(x, n, c)
                assert y == want
                assert steps.shape == (n,) and steps.tolist() == wanted


def test_construction_is_deterministic() -> None:
    texts, models = set(), set()
    for _ in range(2):
        for optimize in (False, True):
            g = ONNXGraph()
            nested(g)
            if optimize:
                g.optimize()
            texts.add(g.to_text())
            models.add(g.to_model().SerializeToString(deterministic=True))
            assert g.to_model().SerializeToString(deterministic=True) in models
    assert len(texts) == len(models) == 2


def test_a_value_is_hidden_outside_its_body() -> None:
    g = ONNXGraph()
    x = g.input("x", F, ("N",))
    body = g.body("then")
    with body:
        y = g.Relu(x)
    with pytest.raises(GraphError, match="belongs to body 'then' and is not visible in 'main'"):
        g.Exp(y)
    other = g.body("else")
    with other, pytest.raises(GraphError, match="not visible in 'else'"):
        g.Exp(y)
    with pytest.raises(GraphError, match="not visible"):
        g.size(y, 0) and g.Exp(g.NonZero(y))


def test_a_discarded_body_uses_nothing() -> None:
    g = ONNXGraph()
    x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
    body = g.body("trial", loop=True)
    with body:
        h = body.input(F, (None,))
        inner = g.body("inner")
        with inner:
            y = g.Mul(x, 2)
        nothing = g.body("else")
        with nothing:
            z = g.Mul(x, 3)
        (r,) = g.If(g.Equal(n, 1), inner, [y], nothing, [z])
        s = g.size(r, 0)
    body.discard()
    assert not x.uses() and not n.uses()
    for hidden in (h, y, r, s):
        with pytest.raises(GraphError, match="belongs to"):
            g.Neg(hidden)
    with pytest.raises(GraphError, match="discarded"), body:
        pass
    g.output("y", g.Add(x, g.Cast(g.size(x, 0), to=F)))
    assert run(g, x=np.ones(3, F), n=np.array(0))[0].tolist() == [4, 4, 4]


def test_sizes_asked_for_in_a_body_belong_to_the_tensor() -> None:
    g = ONNXGraph()
    x, c = g.input("x", F, ("N", "M")), g.input("c", np.bool_, ())
    h = g.Relu(x)
    then, other = g.body("then"), g.body("else")
    with then:
        one = g.dim_value(dims_of(g.Reshape(h, [-1]))[0] // 2)
    with other:
        two = g.Add(g.size(h, 0), 1)
    (r,) = g.If(c, then, [one], other, [two])
    g.output("y", g.Add(r, g.dim_value(Dim("N*M//2"))))
    for n, m in ((0, 2), (3, 3)):
        for flag in (True, False):
            (y,) = run(g, x=np.ones((n, m), F), c=np.array(flag))
            assert y == (n * m // 2 if flag else n + 1) + n * m // 2
    with pytest.raises(GraphError, match="no visible value has the size K"):
        g.dim_value(Dim("K + 1"))


def test_if_joins_types_honestly() -> None:
    g = ONNXGraph()
    x, y = g.input("x", F, ("N", 3)), g.input("y", F, ("M", 3))
    c = g.input("c", np.bool_, ())
    then, other = g.body("then"), g.body("else")
    with then:
        flat, nonzero = g.Flatten(x, axis=0), g.NonZero(x)
    with other:
        other_nonzero = g.NonZero(y)
    a, b, d = g.If(c, then, [x, flat, nonzero], other, [y, y, other_nonzero])
    assert describe(a).endswith("[unk_3, 3]")
    assert rank_of(b) == 2
    assert dims_of(d)[1] != dims_of(nonzero)[1]
    other_rank = g.body("then"), g.body("else")
    (e,) = g.If(c, other_rank[0], [x], other_rank[1], [0.0])
    assert rank_of(e) is None
    with pytest.raises(GraphError, match=r"If: result 0 is .*float32.*int64"):
        g.If(c, g.body("then"), [x], g.body("else"), [g.Cast(x, to=I64)])


def test_loop_requires_a_fixed_point() -> None:
    g = ONNXGraph()
    x, n = g.input("x", F, ("N", 3)), g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        h = body.input(F, ("N", 3))
        longer = g.Concat(h, h, axis=0)
    with pytest.raises(GraphError, match=r"carried value 0 .*\[N, 3\].*\[2\*N, 3\] after one turn"):
        g.Loop(n, None, body, [x], carried=[longer])
    open_body = g.body("loop", loop=True)
    with open_body:
        h = open_body.input(F, (None, 3))
        longer = g.Concat(h, h, axis=0)
    (y,) = g.Loop(n, None, open_body, [x], carried=[longer])
    assert dims_of(y)[1] == 3 and dims_of(y)[0] != dims_of(h)[0]
    g.output("y", y)
    for turns in (0, 3):
        (out,) = run(g, x=np.ones((1, 3), F), n=np.array(turns))
        assert out.shape == (2**turns, 3)


def test_sequences_pass_through_branches() -> None:
    g = ONNXGraph()
    q = g.sequence_input("q", F, (None, 2))
    x, c = g.input("x", F, ("N", 2)), g.input("c", np.bool_, ())
    then, other = g.body("then"), g.body("else")
    with then:
        longer = g.SequenceInsert(q, x)
    (r,) = g.If(c, then, [longer], other, [q])
    first = g.SequenceAt(r, 0)
    assert dims_of(first)[1] == 2
    g.output("first", first)
    g.output("q2", r)
    for flag in (True, False):
        got = run(g, q=[np.ones((3, 2), F)], x=np.zeros((1, 2), F), c=np.array(flag))
        assert got[0].shape == (3, 2) and len(got[1]) == 1 + flag


def test_while_with_an_early_exit() -> None:
    g = ONNXGraph()
    n = g.input("n", I64, ())
    body = g.body("while", loop=True)
    with body:
        h = body.input(I64, ())
        after = g.Mul(h, 2)
        go_on = g.Less(after, n)
    y, steps = g.Loop(None, g.Less(1, n), body, [1], cond_out=go_on, carried=[after], scans=[after])
    g.output("y", y)
    g.output("steps", steps)
    assert run(g, n=np.array(10))[0] == 16
    assert run(g, n=np.array(0))[1].shape == (0,)


def test_stacks_have_their_sizes_after_no_turn() -> None:
    g = ONNXGraph()
    x, n = g.input("x", F, ("N", 2)), g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        h = body.input(F, (None, 2))
        end = g.Concat(h, x, axis=0)
        scan, unknown = g.Relu(x), g.NonZero(x)
    _, stack, changing = g.Loop(n, None, body, [x], carried=[end], scans=[scan, unknown])
    assert dims_of(stack)[1:] == (Dim("N"), 2)
    assert dims_of(changing)[1] == 2
    g.output("stack", stack)
    g.output("sizes", g.Shape(stack))
    g.output("changing", changing)
    for optimize in (False, True):
        if optimize:
            g.optimize()
        for turns in (0, 2):
            for rows in (0, 3):
                got = run(g, x=np.ones((rows, 2), F), n=np.array(turns))
                assert got[0].shape == (turns, rows, 2) and got[1].tolist() == [turns, rows, 2]


@pytest.mark.parametrize("level", LEVELS)
def test_the_iteration_number_can_be_kept(level: str) -> None:
    """Without a copy, onnxruntime stacks the last number everywhere."""
    g = ONNXGraph()
    n = g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        last, before = body.input(I64, ()), body.input(I64, ())
    results = g.Loop(
        n,
        None,
        body,
        [-1, -1],
        carried=[body.iteration, last],
        scans=[body.iteration, last, g.constant(True), body.condition],
    )
    for index, value in enumerate(results):
        g.output(f"y{index}", value)
    for optimize in (False, True):
        if optimize:
            g.optimize()
        last_, before_, *stacks = run(g, level, n=np.array(3))
        assert (last_, before_) == (2, 1)
        assert [stack.tolist() for stack in stacks[:2]] == [[0, 1, 2], [-1, 0, 1]]
        assert [stack.tolist() for stack in stacks[2:]] == [[True] * 3] * 2
    assert dims_of(before) == ()


def test_a_loop_that_only_checks_is_kept() -> None:
    g = ONNXGraph()
    n = g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        g.check(g.Less(body.iteration, 3), "three at most")
    assert g.Loop(n, None, body) == []
    assert g.Loop(n, None, g.body("loop", loop=True)) == []
    g.output("y", g.Add(n, 1))
    g.optimize()
    assert run(g, n=np.array(3))[0] == 4
    with pytest.raises(Exception, match="three at most"):
        run(g, n=np.array(4))


def test_an_output_needs_a_rank() -> None:
    g = ONNXGraph()
    x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
    (y,) = g.If(c, g.body("then"), [x], g.body("else"), [1.0])
    with pytest.raises(GraphError, match="output 'y': ONNX asks for a rank"):
        g.output("y", y)


def test_a_trial_may_be_repeated() -> None:
    g = ONNXGraph()
    x, n = g.input("x", F, (4,)), g.input("n", I64, ())
    for trial in range(3):
        body = g.body("loop", loop=True)
        with body:
            h = body.input(F, ("K",))
            end = g.Neg(h)
        if trial < 2:
            body.discard()
    (y,) = g.Loop(n, None, body, [x], carried=[end])
    assert not isinstance(dims_of(y)[0], int)
    g.output("y", y)
    assert run(g, x=np.ones(4, F), n=np.array(1))[0].tolist() == [-1] * 4


def _checked(g: ONNXGraph, kind: type, dims: tuple[object, ...] | None) -> None:
    x = g.input("x", kind, dims) if dims is not None else g.sequence_input("x", kind, ("N",))
    n = g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        token = body.input(I64, (), "token")
        then, other = g.body("then"), g.body("else")
        with then:
            one = g.check(g.Less(body.iteration, 3), "it's too far")
        (joined,) = g.If(g.Greater(n, 1), then, [one], other, [token])
        both = g.Add(token, joined)
    (token,) = g.Loop(n, None, body, [0], carried=[both])
    g.output("y", g.tie(x, token))


TIES: list[tuple[type, tuple[object, ...] | None, Any]] = [
    (F, ("N", 2), np.array([[-0.0, np.nan]], F)),
    (np.float16, (), np.array(-0.0, np.float16)),
    (F, ("N", 2), np.zeros((0, 2), F)),
    (np.bool_, (2,), np.array([True, False])),
    (I64, (), np.array(2**62)),
    (np.uint8, ("N", "M"), np.array([[255]], np.uint8)),
    (F, None, [np.ones(3, F), np.zeros(3, F)]),
    (F, None, []),
]


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("index", range(len(TIES)))
def test_checks_survive_optimizers(index: int, level: str, optimize: bool) -> None:
    kind, dims, x = TIES[index]
    g = ONNXGraph()
    with g.at("model.py:7"):
        _checked(g, kind, dims)
    if optimize:
        g.optimize()
    for n in (0, 1, 3):
        (y,) = run(g, level, x=x, n=np.array(n))
        if isinstance(x, list):
            assert len(y) == len(x)
        else:
            assert y.dtype == x.dtype and y.shape == x.shape and y.tobytes() == x.tobytes()
    with pytest.raises(Exception, match=r"model\.py:7/Check\(it\"s too far\)#\d+"):
        run(g, level, x=x, n=np.array(4))


@pytest.mark.parametrize("level", LEVELS)
def test_a_check_that_nothing_uses_still_fails(level: str) -> None:
    for constant in (False, True):
        g = ONNXGraph()
        x = g.input("x", F, ("N",))
        condition = g.constant(False) if constant else g.Greater(g.size(x, 0), 1)
        token = g.check(condition, "needs two")
        g.output("y", g.tie(g.Relu(x), token))
        g.check(g.Less(g.size(x, 0), 3), "at most two")
        g.optimize()
        assert "at most two" in g.to_text()
        with pytest.raises(Exception, match=r"needs two|needs_two|indices"):
            run(g, level, x=np.ones(1, F))
        with pytest.raises(Exception, match=r"at most two|indices"):
            run(g, level, x=np.ones(3, F))


def test_names_are_unique_and_say_where(tmp_path: Any) -> None:
    class Source:
        label = "net.py:3"
        frames = (("net.py", 3, "forward"),)

    g = ONNXGraph()
    x = g.input("relu", F, ("N",))
    with g.at(Source()):
        h = g.Relu(x)
    g.hint(h, "h")
    body = g.body("then")
    with body:
        inner = g.Exp(h)
        g.hint(inner, "h")
    other = g.body("else")
    (y,) = g.If(g.Equal(g.size(x, 0), 1), body, [inner], other, [h])
    g.output("y", y)
    model = g.to_model()
    assert model.graph.node[-1].op_type == "If"
    assert [node.name for node in model.graph.node if node.op_type == "Relu"] == [
        "net.py:3/h/Relu#3"
    ]
    assert '"frames":[["net.py",3,"forward"]]' in model.metadata_props[0].value
    assert model.metadata_props[0].key == "elichika.source_map"
    text = g.to_text()
    assert "h: float[N] = Relu(relu)" in text and "h_1: float[N] = Exp(h)" in text


def test_outputs_that_are_inputs_or_twice() -> None:
    g = ONNXGraph(opset=21)
    x, q = g.input("x", F, ("N",)), g.sequence_input("q", F)
    h = g.Relu(x)
    for name, value in {"a": x, "b": h, "c": h, "d": 1.5, "e": q}.items():
        g.output(name, value)
    model = g.to_model()
    assert model.ir_version == 10 and model.opset_import[0].version == 21
    got = run(g, x=np.ones(2, F), q=[np.ones(1, F)])
    assert [np.shape(item) for item in got] == [(2,), (2,), (2,), (), (1, 1)]
    with pytest.raises(GraphError, match="input or output 'x' already"):
        g.output("x", h)


def test_an_initializer_shares_memory() -> None:
    g = ONNXGraph()
    array = np.ones((3, 3), F)
    value = g.initializer("w", array)
    assert g.initializer("w", array) is value
    contents = g.const_value(value)
    assert contents is not None and np.shares_memory(contents, array)
    with pytest.raises(GraphError, match="another initializer"):
        g.initializer("w", np.ones((3, 3), F))
    assert g.constant(2) is g.constant(np.int64(2)) and g.constant(2) is not g.constant(2.0)
    assert isinstance(g.constant([[1]]), Value)
    assert onnx.__version__


def test_sizes_that_are_checked_to_be_equal() -> None:
    """Those of the main graph alone, and of two names: a branch may not be taken."""
    g = ONNXGraph()
    x, y = (g.input(name, np.float32, [f"{name}_0", f"{name}_1"]) for name in "xy")
    (a, b), (c, d) = dims_of(x), dims_of(y)
    g.check(g.compare(a, "==", c), "first")
    g.check(g.compare(b, "==", 3), "a number")
    g.check(g.compare(b, "<", d), "another comparison")
    with g.body("branch"):
        g.check(g.compare(b, "==", d), "within")
    assert equal_sizes(g) == [("x_0", "y_0")]


def test_sizes_that_a_product_sums_over() -> None:
    g = ONNXGraph()
    x, y, z = (g.input(name, np.float32, [f"{name}_0", f"{name}_1"]) for name in "xyz")
    g.MatMul(x, y)
    g.MatMul(x, g.input("v", np.float32, ["n"]))
    g.Gemm(x, z, transA=1, transB=1)
    g.MatMul(x, g.constant(np.ones((3, 2), np.float32)))
    assert equal_sizes(g) == [("x_1", "y_0"), ("x_1", "n"), ("x_0", "z_1")]
