"""Loops of recurrent steps become operators; others stay."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import recurrences, unused
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import F, built, text_of

UNITS, WIDTH = 3, 2
Step = Callable[..., list[Value]]


@functools.cache
def _weight(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(sum(shape) + seed).uniform(-1, 1, shape).astype(F)


def _product(g: ONNXGraph, value: Value, name: str, width: int, *, bias: bool = True) -> Value:
    rows = WIDTH if name.startswith("x") else UNITS
    weight = g.initializer(f"{name}.W", _weight(rows, width))
    added = [g.initializer(f"{name}.b", _weight(width))] if bias else []
    return g.Gemm(value, weight, *added)


def lstm(g: ONNXGraph, x: Value, h: Value, c: Value) -> list[Value]:
    z = g.Add(_product(g, x, "x", 4 * UNITS), _product(g, h, "h", 4 * UNITS, bias=False))
    o, f, a, i = g.Split(z, [UNITS] * 4, axis=1, outputs=4)
    c = g.Add(g.Mul(c, g.Sigmoid(f)), g.Mul(g.Tanh(a), g.Sigmoid(i)))
    return [g.Mul(g.Tanh(c), g.Sigmoid(o)), c]


def lstm_of_both(g: ONNXGraph, x: Value, h: Value, c: Value) -> list[Value]:
    """One product of x and h side by side."""
    both = g.Concat(h, x, axis=1)
    gates = [
        g.Add(
            g.MatMul(both, g.initializer(f"{name}.W", _weight(UNITS + WIDTH, UNITS, seed=k))),
            g.initializer(f"{name}.b", _weight(UNITS, seed=k)),
        )
        for k, name in enumerate("ifoa")
    ]
    i, f, o = map(g.Sigmoid, gates[:3])
    c = g.Add(g.Mul(i, g.Tanh(gates[3])), g.Mul(f, c))
    return [g.Mul(o, g.Tanh(c)), c]


def _gates(g: ONNXGraph, x: Value, h: Value) -> tuple[Value, Value]:
    return (
        g.Sigmoid(g.Add(_product(g, x, "xr", UNITS), _product(g, h, "hr", UNITS))),
        g.Sigmoid(g.Add(_product(g, x, "xz", UNITS), _product(g, h, "hz", UNITS))),
    )


def gru(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    """As Chainer has it: what is new comes with z."""
    r, z = _gates(g, x, h)
    new = g.Tanh(g.Add(_product(g, x, "xn", UNITS), _product(g, g.Mul(r, h), "hn", UNITS)))
    return [g.Add(g.Mul(z, new), g.Mul(g.Sub(F(1), z), h))]


def gru_of_product(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    """As others have it: r takes from the product, and what is new comes with 1 - z."""
    r, z = _gates(g, x, h)
    new = g.Tanh(g.Add(_product(g, x, "xn", UNITS), g.Mul(_product(g, h, "hn", UNITS), r)))
    return [g.Add(g.Mul(h, z), g.Mul(new, g.Sub(F(1), z)))]


def tanh(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    return [g.Tanh(g.Add(_product(g, x, "x", UNITS), _product(g, h, "h", UNITS)))]


def recurrence(
    g: ONNXGraph,
    step: Step,
    *,
    taken: bool = False,
    backwards: bool = False,
    given: bool = True,
    count: Callable[[ONNXGraph, Value], Value] | None = None,
    more: Callable[..., Value] | None = None,
) -> None:
    """Write a loop over the second axis of x.

    Args:
        g: Where.
        step: What a turn does.
        taken: Whether its first turn stands before the loop.
        backwards: Whether it begins at the end.
        given: Whether the first states are inputs; else zeros.
        count: How many turns to make; all by default.
        more: What else a turn gives, of x and of the states before and after.
    """
    x = g.input("x", F, ("batch", "time", WIDTH))
    size = g.Gather(g.Shape(x), 1)
    turns = size if count is None else count(g, size)
    number = 2 if step in (lstm, lstm_of_both) else 1
    zero = g.Expand(F(0), g.shape_tensor([g.size(x, 0), UNITS]))
    starts = [g.input(f"s{k}", F, ("batch", UNITS)) if given else zero for k in range(number)]
    first = g.Add(size, -1) if backwards else g.constant(0)

    def loop(starts: list[Value], turns: Value) -> list[Value]:
        body = g.body("turn", loop=True)
        with body:
            states = [body.input(F, ("batch", UNITS)) for _ in starts]
            k = g.Add(body.iteration, 1) if taken else body.iteration
            row = g.Gather(x, g.Sub(first, k) if backwards else k, axis=1)
            after = step(g, row, *states)
            scans = [more(g, row, states, after) if more else after[0]]
        return g.Loop(turns, None, body, starts, carried=after, scans=scans)

    if taken:
        then, other = g.body("then"), g.body("else")
        with then:
            head = step(g, g.Gather(x, first, axis=1), *starts)
            *last, stack = loop(head, g.Sub(turns, 1))
            found = [*last, g.Concat(g.Unsqueeze(head[0], [0]), stack, axis=0)]
        with other:
            none = g.Expand(F(0), g.shape_tensor([0, g.size(x, 0), UNITS]))
        results = g.If(g.Greater(turns, 0), then, found, other, [*starts, none])
    else:
        results = loop(starts, turns)
    for index, value in enumerate(results):
        g.output(f"y{index}", value)


def feeds(number: int) -> Iterator[dict[str, Any]]:
    """Yield inputs of many sizes, finite and not."""
    random = np.random.RandomState(0)
    for batch in (0, 1, 3):
        for time in (1, 0, 2, 5):
            for odd in (0, np.nan, np.inf, -np.inf, 3e38):
                x = random.randn(batch, time, WIDTH).astype(F)
                states = [random.randn(batch, UNITS).astype(F) for _ in range(number)]
                for array in [x, *states]:
                    if array.size and random.rand() < 0.6:
                        array.flat[random.randint(array.size)] += F(odd)
                yield {"x": x, **{f"s{k}": state for k, state in enumerate(states)}}


def alike(build: Callable[[ONNXGraph], None], operators: dict[str, int], least: int = 0) -> str:
    """Compare what both graphs give, and return the text of the second."""
    graph = built(build)
    assert bool(list(recurrences.ensures(graph))) == bool(operators)
    assert bool(checked(recurrences).run(graph)) == bool(operators)
    checked(unused).run(graph)
    assert not recurrences.run(graph)
    text = text_of(graph)
    for name in ("LSTM", "GRU", "RNN"):
        assert text.count(f" {name}<") == operators.get(name, 0), text
    one, other = (session(g.to_model().SerializeToString()) for g in (built(build), graph))
    for feed in feeds(2):
        if feed["x"].shape[1] < least:
            continue
        known = {value.name for value in one.get_inputs()}
        feed = {name: array for name, array in feed.items() if name in known}
        for left, right in zip(one.run(None, feed), other.run(None, feed), strict=True):
            if 0 in left.shape and 0 in right.shape:
                assert left.ndim == right.ndim  # onnxruntime's Loop forgets sizes after no turn
                continue
            assert left.shape == right.shape
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)
    return text


PICTURE = """\
w.recurrent: float[1, 1] = initializer
r.recurrent: float[1, 1] = initializer
w.rnn.B: float[1, 2] = initializer
size_1: int64[] = Size(x)
greater_1: bool[] = Greater(size_1, 0)
y: float[2, 1] = If(greater_1)
  else_branch () => (loop_1) {
    split_1: float[1, 1], split_2: float[1, 1] = Split<axis=1>(w.rnn.B, [1, 1])
    shape_1: int64[1] = Shape<end=1>(x)
    squeeze_1: int64[] = Squeeze(shape_1, [0])
    loop_1: float[2, 1] = Loop(squeeze_1, True, h0)
      body (iteration: int64[], condition: bool[], carried: float[2, 1]) => (identity_1, tanh_1) {
        gather_1: float[2, 1] = Gather<axis=0>(x, iteration)
        gemm_1: float[2, 1] = Gemm<transB=1>(gather_1, w.recurrent, split_1)
        gemm_2: float[2, 1] = Gemm<transB=1>(carried, r.recurrent, split_2)
        add_1: float[2, 1] = Add(gemm_1, gemm_2)
        tanh_1: float[2, 1] = Tanh(add_1)
        identity_1: bool[] = Identity(True)
      }
  }
  then_branch () => (squeeze_2) {
    unsqueeze_1: float[1, 1, 1] = Unsqueeze(w.recurrent, [0])
    unsqueeze_2: float[1, 1, 1] = Unsqueeze(r.recurrent, [0])
    unsqueeze_3: float[1, 2, 1] = Unsqueeze(h0, [0])
    rnn_1: float[t, 1, 2, 1], rnn_2: float[1, 2, 1] = RNN<hidden_size=1>(x, unsqueeze_1, unsqueeze_2, w.rnn.B, -, unsqueeze_3)
    squeeze_2: float[2, 1] = Squeeze(rnn_2, [0])
  }"""  # noqa: E501
KINDS: dict[Step, str] = {
    lstm: "LSTM",
    lstm_of_both: "LSTM",
    gru: "GRU",
    gru_of_product: "GRU",
    tanh: "RNN",
}


@pytest.mark.parametrize("step", KINDS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_cells(step: Step, backwards: bool, given: bool) -> None:
    def build(g: ONNXGraph) -> None:
        recurrence(g, step, backwards=backwards, given=given)

    alike(build, {KINDS[step]: 1})


@pytest.mark.parametrize("step", KINDS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_a_turn_before_the_loop_is_taken_in(step: Step, backwards: bool, given: bool) -> None:
    def build(g: ONNXGraph) -> None:
        recurrence(g, step, taken=True, backwards=backwards, given=given)

    text = alike(build, {KINDS[step]: 1})
    stays = given or step is not tanh  # the loop, for nan or for no turn
    assert text.count("Tanh(") == (2 if "lstm" in step.__name__ else int(stays))
    assert "Slice(" not in text or backwards


def test_a_turn_before_the_loop_without_a_state() -> None:
    """A product of zeros is left out there; with a bias it is another turn."""

    def step(bias: bool) -> Step:
        def of(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
            inner = _product(g, x, "x", UNITS)
            node = h.producer()
            if node is not None and node.op_type == "Expand":
                return [g.Tanh(inner)]
            return [g.Tanh(g.Add(inner, _product(g, h, "h", UNITS, bias=bias)))]

        return of

    def build(bias: bool) -> Callable[[ONNXGraph], None]:
        return lambda g: recurrence(g, step(bias), taken=True, given=False)

    assert alike(build(False), {"RNN": 1}).count("Tanh(") == 0
    assert alike(build(True), {"RNN": 1}).count("Tanh(") == 2


def test_two_layers_and_what_follows_them() -> None:
    def two(g: ONNXGraph, x: Value, h: Value, k: Value) -> list[Value]:
        (h,) = tanh(g, x, h)
        wide = g.Gemm(g.Relu(h), g.initializer("y.W", _weight(UNITS, UNITS)))
        return [h, g.Tanh(g.Add(wide, _product(g, k, "k", UNITS)))]

    def build(g: ONNXGraph) -> None:
        def more(g: ONNXGraph, x: Value, before: list[Value], after: list[Value]) -> Value:
            both = g.Concat(g.Neg(x), _product(g, after[1], "out", 4), axis=1)
            return g.Softmax(g.Mul(both, F(2)), axis=1)

        x = g.input("x", F, ("batch", "time", WIDTH))
        starts = [g.input(f"s{k}", F, ("batch", UNITS)) for k in range(2)]
        body = g.body("turn", loop=True)
        with body:
            states = [body.input(F, ("batch", UNITS)) for _ in starts]
            row = g.Gather(x, body.iteration, axis=1)
            after = two(g, row, *states)
            scan = more(g, row, states, after)
        size = g.Gather(g.Shape(x), 1)
        for k, value in enumerate(g.Loop(size, None, body, starts, carried=after, scans=[scan])):
            g.output(f"y{k}", value)

    alike(build, {"RNN": 2})


def test_words_of_a_table_are_finite() -> None:
    """There is no loop then, and a number that is no word fails as it did."""

    def build(g: ONNXGraph) -> None:
        words = g.input("ids", np.int64, ("time", "batch"))
        table = g.initializer("table", _weight(7, WIDTH))
        body = g.body("turn", loop=True)
        with body:
            h = body.input(F, ("batch", UNITS))
            (after,) = tanh(g, g.Gather(table, g.Gather(words, body.iteration)), h)
        zero = g.Expand(F(0), g.shape_tensor([g.size(words, 1), UNITS]))
        size = g.Gather(g.Shape(words), 0)
        g.output("y", g.Loop(size, None, body, [zero], carried=[after])[0])

    graph = built(build)
    assert recurrences.run(graph) == 1
    checked(unused).run(graph)
    assert "Loop" not in text_of(graph)
    one, other = (session(g.to_model().SerializeToString()) for g in (built(build), graph))
    for shape in ((0, 0), (0, 2), (3, 0), (1, 1), (4, 2)):
        ids = {"ids": np.arange(np.prod(shape), dtype=np.int64).reshape(shape) % 7}
        (left,), (right,) = one.run(None, ids), other.run(None, ids)
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6)
        assert left.shape == right.shape
    for runner in (one, other):
        with pytest.raises(Exception, match="out of data bounds"):
            runner.run(None, {"ids": np.full((2, 1), 7)})


def _stays(step: Step = tanh, **options: Any) -> Callable[[ONNXGraph], None]:
    return lambda g: recurrence(g, step, **options)


def _state_before(g: ONNXGraph, x: Value, before: list[Value], after: list[Value]) -> Value:
    return g.Add(before[0], after[0])


def _all_cells(g: ONNXGraph, x: Value, before: list[Value], after: list[Value]) -> Value:
    return g.Neg(after[1])


def _scaled(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    product = g.Gemm(h, g.initializer("h.W", _weight(UNITS, UNITS)), alpha=2.0)
    return [g.Tanh(g.Add(_product(g, x, "x", UNITS), product))]


def _infinite(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    weight = g.initializer("h.W", np.full((UNITS, UNITS), np.inf, F))
    return [g.Tanh(g.Add(_product(g, x, "x", UNITS), g.Gemm(h, weight)))]


def _unlike(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    """The reset gate has no part of h: zeros in its place are not the same for infinities."""
    r = g.Sigmoid(_product(g, x, "xr", UNITS))
    _, z = _gates(g, x, h)
    new = g.Tanh(g.Add(_product(g, x, "xn", UNITS), _product(g, g.Mul(r, h), "hn", UNITS)))
    return [g.Add(g.Mul(z, new), g.Mul(g.Sub(F(1), z), h))]


def _of_two(g: ONNXGraph, x: Value, h: Value) -> list[Value]:
    r, z = _gates(g, x, h)
    new = g.Tanh(g.Add(_product(g, x, "xn", UNITS), _product(g, g.Mul(r, h), "hn", UNITS)))
    return [g.Add(g.Mul(z, new), g.Mul(g.Sub(F(2), z), h))]


@pytest.mark.parametrize(
    "build",
    [
        _stays(more=_state_before),
        _stays(lstm, more=_all_cells),
        _stays(_scaled),
        _stays(_infinite),
        _stays(_unlike),
        _stays(_of_two),
    ],
)
def test_what_stays(build: Callable[[ONNXGraph], None]) -> None:
    alike(build, {})


def test_some_of_the_rows() -> None:
    alike(_stays(count=lambda g, n: g.Div(n, 2)), {"RNN": 1})
    beyond = built(_stays(count=lambda g, n: g.Add(n, 1)))
    assert not recurrences.run(beyond)  # it fails where it reads too far


def test_other_weights_stay_possible() -> None:
    graph = ONNXGraph()
    graph.open_weights = True
    recurrence(graph, tanh)
    assert not recurrences.run(graph)


def test_the_picture() -> None:
    def build(g: ONNXGraph) -> None:
        x, h0 = g.input("x", F, ("t", 2, 1)), g.input("h0", F, (2, 1))
        body = g.body("turn", loop=True)
        with body:
            h = body.input(F, (2, 1))
            w, r = g.initializer("w", np.ones((1, 1), F)), g.initializer("r", np.full((1, 1), 2, F))
            after = g.Tanh(g.Add(g.MatMul(g.Gather(x, body.iteration), w), g.MatMul(h, r)))
        size = g.Gather(g.Shape(x), 0)
        g.output("y", g.Loop(size, None, body, [h0], carried=[after])[0])

    graph = built(build)
    assert recurrences.run(graph) == 1
    checked(unused).run(graph)
    assert text_of(graph) == PICTURE
