"""One run of a model, step by step, is what onnxruntime gives for the whole."""

from __future__ import annotations

import re
from typing import Any

import chainer
import numpy as np
import onnx
import pytest
from chainer import functions as F

import elichika
from elichika.model.source_map import SourceMap
from elichika.model.trace import traced
from tests.programs import f32


class Nested(chainer.Chain):
    def forward(self, x: Any, n: Any, m: Any) -> Any:
        y, rows = x, []
        for i in range(n):
            for k in range(m):
                y = F.tanh(y) * k + i
            rows.append(y)
        if n > 2:
            y = y * 2
        return y, rows, [x[i] for i in range(n) if i != 1]


class Counting(chainer.Chain):
    def forward(self, x: Any, n: Any) -> Any:
        k = 0
        while F.sum(x).array < n:
            x = x + 1
            k += 1
        assert k < 6, "too many"
        return x, k


def steps_of(model: Any, *inputs: Any) -> list[Any]:
    shown = model.report.shown
    return list(traced(model.proto, model.source_map, shown.feeds(inputs)))


def outputs_of(model: Any, steps: list[Any]) -> list[Any]:
    values = {name: value for step in steps for name, value in step.outputs.items()}
    return [values[spec.name] for spec in model.signature.outputs.specs]


def same(ours: Any, theirs: Any) -> None:
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, list):
            same(a, b)
        else:
            assert np.asarray(a).dtype == b.dtype
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("n", "m"), [(3, 2), (0, 2), (1, 1), (2, 0), (2, 5)])
def test_outputs_are_those_of_the_model(n: int, m: int) -> None:
    model = elichika.compile_model(Nested(), (f32(4, 3), 3, 2), verify=False)
    steps = steps_of(model, f32(4, 3), n, m)
    feeds = model.report.shown.feeds((f32(4, 3), n, m))
    same(outputs_of(model, steps), model.run(feeds))


def test_turns() -> None:
    model = elichika.compile_model(Nested(), (f32(4, 3), 3, 2), verify=False)
    steps = steps_of(model, f32(4, 3), 3, 2)
    turns = [step.turns for step in steps if step.op == "Tanh"]
    assert turns[-6:] == sorted(turns[-6:]) and len(set(turns)) == 6
    assert {step.label.split(":")[0] for step in steps if step.label} == {"test_trace.py"}
    assert all(step.seconds > 0 for step in steps if step.op == "Tanh")


def test_steps_before_one_that_fails() -> None:
    model = elichika.compile_model(Counting(), (f32(2), 3), verify=False)
    seen = []
    with pytest.raises(elichika.ModelRuntimeError, match="too many") as caught:
        for step in traced(model.proto, model.source_map, model.report.shown.feeds((f32(2), 99))):
            seen.append(step.op)
    assert caught.value.frames[-1].function == "forward"
    assert "Loop" in seen
    x, k = model(np.zeros(2, np.float32), 7)
    same(outputs_of(model, steps_of(model, np.zeros(2, np.float32), 7)), [x, np.array(k)])


def test_a_whole_network_of_control_flow() -> None:
    class Net(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.lstm = chainer.links.LSTM(3, 4)

        def forward(self, xs: Any) -> Any:
            self.lstm.reset_state()
            out = []
            for x in xs:
                out.append(self.lstm(x))
            return F.stack(out, axis=1)

    model = elichika.compile_model(Net(), ([f32(2, 3), f32(2, 3)],), verify=False)
    for length in (1, 2, 5):
        given = [f32(2, 3)] * length
        steps = steps_of(model, given)
        same(outputs_of(model, steps), [model(given)])


def test_an_operator_with_another_body() -> None:
    make = onnx.helper
    float_ = onnx.TensorProto.FLOAT
    row = make.make_tensor_value_info("row", float_, [3])
    end = make.make_tensor_value_info("end", float_, [3])
    body = make.make_graph([make.make_node("Neg", ["row"], ["end"])], "body", [row], [end])
    scan = make.make_node("Scan", ["x"], ["y"], body=body, num_scan_inputs=1)
    ports = [make.make_tensor_value_info(name, float_, [2, 3]) for name in "xy"]
    model = make.make_model(make.make_graph([scan], "main", ports[:1], ports[1:]))
    with pytest.raises(elichika.InputError, match=re.escape("`trace` does not look into Scan.")):
        list(traced(model, SourceMap({}), {"x": f32(2, 3)}))
