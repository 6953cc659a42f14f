"""What the passes say of themselves holds, and a pass that breaks it is found out."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

import elichika
import onnx_graph.passes
from models import MODELS
from onnx_graph import ONNXGraph
from onnx_graph.passes import FOR_ONNXRUNTIME, ONCE, PASSES, unfinished
from onnx_graph.passes.contract import DROPS_CHECKS, Pass, faults
from tests import standin_rates
from tests.onnx_graph.passes.checked import Checked, check_all
from tests.onnx_graph.passes.random_graphs import Program

F, I64 = np.float32, np.int64
ORDER = [*PASSES, *ONCE, *FOR_ONNXRUNTIME]
GROUPS = standin_rates.groups()
SAMPLE = {"walker": 25, "lists": 10, "language": 25, "numpy": 10}


class Compiled(Exception):
    """The model need not run."""


def _compiler(*args: Any, **options: Any) -> Any:
    elichika.compile_model(*args, **{**options, "verify": False})
    raise Compiled


@pytest.mark.parametrize(
    ("name", "pass_"), [*PASSES.items(), *ONCE.items(), *FOR_ONNXRUNTIME.items()]
)
def test_a_pass_stands_where_it_says(name: str, pass_: Pass) -> None:
    for earlier, reason in pass_.AFTER.items():
        assert ORDER.index(earlier) < ORDER.index(name), reason
    assert pass_.AFTER or name == ORDER[0]


@pytest.mark.parametrize("seed", range(100, 112))
def test_on_random_graphs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(monkeypatch)
    graph = Program(seed).g
    assert sum(graph.optimize().values())
    assert not sum(graph.optimize().values())


@pytest.mark.parametrize("group", SAMPLE)
def test_on_programs(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(monkeypatch)
    held = 0
    for case in random.Random(2).sample(GROUPS[group], SAMPLE[group]):
        try:
            case.check(_compiler)
        except Compiled:
            held += 1
        except (elichika.StagingError, elichika.UnsupportedFunction) as error:
            assert error.frames, case.name  # a program that may be refused
    assert held >= SAMPLE[group] / 2


@pytest.mark.parametrize("name", ["MLP", "AlexNet", "LSTM language model", "NStepLSTM tagger"])
def test_on_models(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(monkeypatch)
    (model,) = (model for model in MODELS if model.name == name)
    options = {"method": model.method, "dynamic_axes": model.dynamic_axes, "static": model.static}
    elichika.compile_model(model.build(), model.inputs(), verify=False, **options)


# Passes that break what all passes keep.


def graph() -> ONNXGraph:
    """Return two checks, an If, a Loop, and a result of two sizes."""
    g = ONNXGraph()
    x, n, c = g.input("x", F, ("N", 3)), g.input("n", I64, ()), g.input("c", np.bool_, ())
    token = g.check(g.Less(n, 9), "few")
    then, other, body = g.body("then"), g.body("else"), g.body("loop", loop=True)
    with then:
        a = g.Exp(x)
    with other:
        b = g.tie(g.Sin(x), g.check(g.Less(0, n), "some"))
    (y,) = g.If(c, then, [a], other, [b])
    with body:
        carried = body.input(F, ("N", 3))
        end = g.Add(carried, y)
    (z,) = g.Loop(n, None, body, [x], carried=[end])
    g.output("z", g.tie(z, g.Add(token, g.check(g.Less(n, 99), "not many"))))
    return g


def node_of(g: ONNXGraph, op: str) -> ir.Node:
    return next(node for node in g.main.graph.all_nodes() if node.op_type == op)


def take_a_result_of_a_body(g: ONNXGraph) -> None:
    del node_of(g, "Loop").attributes["body"].as_graph().outputs[1]


def use_a_value_of_a_body(g: ONNXGraph) -> None:
    node_of(g, "Loop").replace_input_with(2, node_of(g, "Exp").outputs[0])


def use_a_value_before_it_is_there(g: ONNXGraph) -> None:
    if_ = node_of(g, "If")
    less = node_of(g, "Less")
    less.graph.remove(less)  # type: ignore[union-attr]
    if_.graph.append(less)  # type: ignore[union-attr]


def return_what_is_not_its_own(g: ONNXGraph) -> None:
    body = node_of(g, "Loop").attributes["body"].as_graph()
    body.outputs[1] = body.inputs[0]


def give_an_operand_of_another_type(g: ONNXGraph) -> None:
    node_of(g, "Exp").replace_input_with(0, g.main.graph.inputs[1])


def rename_a_result(g: ONNXGraph) -> None:
    g.outputs["w"] = g.outputs.pop("z")


def retype_a_result(g: ONNXGraph) -> None:
    g.outputs["z"].shape = ir.Shape(["N", 4])


def drop_a_check(g: ONNXGraph) -> None:
    check = next(node for node in g.main.graph if "onnx_graph.check" in node.meta)
    check.outputs[0].replace_all_uses_with(g.constant(0))
    check.graph.remove(check, safe=True)  # type: ignore[union-attr]


def turn_checks_round(g: ONNXGraph) -> None:
    first, *_, last = (node for node in g.main.graph if "onnx_graph.check" in node.meta)
    user = next(user for user, _ in first.outputs[0].uses())
    moved = [first, user]
    g.main.graph.remove(moved)
    g.main.graph.insert_after(last, moved)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (take_a_result_of_a_body, "1 results of a body for 1"),
        (use_a_value_of_a_body, "operand 2 of this Loop, .* is not visible"),
        (use_a_value_before_it_is_there, "is not visible"),
        (return_what_is_not_its_own, "which is not its own"),
        (give_an_operand_of_another_type, "Exp: operand 0 .* is of type"),
        (rename_a_result, "z: .* has become w"),
        (retype_a_result, "has become"),
        (drop_a_check, "'few'. are gone"),
        (turn_checks_round, "'few' comes after 'not many' now"),
    ],
)
def test_a_pass_that_breaks_a_graph(fault: Callable[[ONNXGraph], None], message: str) -> None:
    def run(g: ONNXGraph) -> int:
        fault(g)
        return 1

    g = graph()
    assert not list(faults(g))
    bad: Any = SimpleNamespace(AFTER={}, run=run, ensures=lambda g: iter(()))
    with pytest.raises(AssertionError, match=message):
        Checked("bad", bad).run(g)


def test_a_pass_that_leaves_work_and_says_it_is_done() -> None:
    g = graph()
    lazy: Any = SimpleNamespace(AFTER={}, run=lambda g: 0, ensures=PASSES["duplicates"].ensures)
    with pytest.raises(AssertionError, match="left over by lazy: this Cos is computed before"):
        x = g.main.graph.inputs[0]
        g.output("w", g.Add(g.Cos(x), g.Cos(x)))
        Checked("lazy", lazy).run(g)


def test_only_some_passes_may_drop_a_check() -> None:
    assert DROPS_CHECKS.keys() <= {**PASSES, **ONCE, **FOR_ONNXRUNTIME}.keys()
    g = graph()
    dropping: Any = SimpleNamespace(
        AFTER={}, run=lambda g: drop_a_check(g) or 1, ensures=lambda g: iter(())
    )
    assert Checked("constants", dropping).run(g) == 1


def test_passes_that_never_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    restless: Any = SimpleNamespace(AFTER={}, run=lambda g: 1, ensures=lambda g: iter(()))
    monkeypatch.setitem(onnx_graph.passes.PASSES, "restless", restless)
    with pytest.raises(AssertionError, match="'restless': 1"):  # by tests/conftest.py
        graph().optimize()
    monkeypatch.setattr(onnx_graph.passes, "unfinished", unfinished)
    with caplog.at_level("INFO", "onnx_graph"):
        graph().optimize()
    assert caplog.messages == ["the passes are not done after 10 rounds: restless 1"]


def test_a_chain_of_branches_takes_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each If is used only by the next one, and the last one by nobody."""
    check_all(monkeypatch)
    g = ONNXGraph()
    x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
    values, last = [x, x], None
    for _ in range(20):
        then, other = g.body("then"), g.body("else")
        with then:
            ends = [g.Exp(values[0]), g.Sin(values[1])]
        with other:
            others = [g.Cos(values[0]), g.Tan(values[1])]
        values = g.If(c, then, ends, other, others)
        last = values[0]
    g.output("y", last)
    assert g.optimize()["unused_results"] == 20
