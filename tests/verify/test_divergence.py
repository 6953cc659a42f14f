"""Where a model leaves its chain: operators of models are exchanged, one at a time."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import chainer
import numpy as np
import onnx
import pytest
from chainer import functions as F
from chainer import links as L

import elichika
from elichika.model.protos import bodies
from elichika.model.trace import traced
from elichika.verify.divergence import TOLERANCE, parting
from tests.programs import f32
from tests.sources import module_of

OTHER = {
    "Tanh": "Sigmoid",
    "Sigmoid": "Tanh",
    "Relu": "Neg",
    "Add": "Sub",
    "Sub": "Add",
    "Mul": "Add",
    "Greater": "Less",
    "ReduceSum": "ReduceMax",
}
HEAD = """import chainer
import numpy as np
from chainer import functions as F, links as L


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a = L.Linear(3, 3, initial_bias=chainer.initializers.Normal())
            self.lstm = L.LSTM(3, 3)

"""
PROGRAMS = {
    "straight": """
    def forward(self, x, n):
        y = F.tanh(self.a(x))
        z = F.relu(x) * 3
        w = y + z
        return F.sum(w * w, axis=1)
    """,
    "loop": """
    def forward(self, x, n):
        y = x
        for i in range(n):
            y = F.tanh(self.a(y))
            y = y * 2 + x
        return y - 1
    """,
    "branch": """
    def forward(self, x, n):
        y = F.sigmoid(x)
        if F.sum(y).array > 2:
            y = self.twice(y)
        else:
            y = y - 4
        return y * x

    def twice(self, y):
        z = y * 2
        return z + F.tanh(z)
    """,
    "recurrent": """
    def forward(self, x, n):
        self.lstm.reset_state()
        for i in range(n):
            h = self.lstm(x + i)
        return F.tanh(h) + self.a(x)
    """,
    "numpy": """
    def forward(self, x, n):
        y = np.tanh(x)
        rows = []
        for i in range(n):
            rows.append(y * i)
        z = np.stack(rows).sum(axis=0)
        return z + y * 5
    """,
    "sequence": """
    def forward(self, x, n):
        self.lstm.reset_state()
        ys = []
        for t in range(n):
            h = self.lstm(F.tanh(x) * 2 + x)
            ys.append(h)
        y = F.stack(ys, axis=1)
        return F.sum(y, axis=1) - x
    """,
}


def compiled(name: str) -> tuple[Any, Any]:
    chain = module_of(HEAD + PROGRAMS[name].strip("\n"), f"{name}.py")["Net"]()
    return chain, elichika.compile_model(chain, (f32(2, 3), 3), verify=False)


def nodes(graph: Any) -> Iterator[Any]:
    for node in graph.node:
        yield node
        for body in bodies(node).values():
            yield from nodes(body)


def found(chain: Any, model: Any, proto: Any, *inputs: Any) -> Any:
    steps = list(traced(proto, model.source_map, model.report.shown.feeds(inputs)))
    return parting(model.signature, chain, inputs, steps)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_difference(name: str) -> None:
    chain, model = compiled(name)
    for turns in (1, 2, 5):
        assert found(chain, model, model.proto, f32(2, 3), turns) is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_line_of_an_exchanged_operator(name: str) -> None:
    chain, model = compiled(name)
    x = np.array([[0.3, -0.7, 1.2], [0.9, 0.4, -1.1]], np.float32)
    steps = traced(model.proto, model.source_map, model.report.shown.feeds((x, 3)))
    kinds = {step.name: next(iter(step.outputs.values())) for step in steps}
    unchanged = plain(model, model.proto, x)
    count = 0
    for number, node in enumerate(nodes(model.proto.graph)):
        place = model.source_map.label(node.name)
        if node.op_type not in OTHER or place is None or node.name not in kinds:
            continue
        if kinds[node.name].dtype == np.int64:  # positions show where they are used
            continue
        proto = onnx.ModelProto()
        proto.CopyFrom(model.proto)
        other = list(nodes(proto.graph))[number]
        other.op_type = OTHER[node.op_type]
        try:
            first = found(chain, model, proto, x, 3)
        except elichika.ModelRuntimeError:
            continue
        now, atol = plain(model, proto, x), TOLERANCE * np.abs(unchanged).max()
        close = np.allclose(now, unchanged, rtol=TOLERANCE, atol=atol)
        assert (first is None) == close, node
        if first is not None:
            count += 1
            print(node.name, first.label)
            assert first.label == place, node
    assert count >= 2


SEARCH = """
    def forward(self, x, n):
        scores = F.log_softmax(self.a(x)).array[0]
        kept = [(0.0, [0])]
        for i in range(n):
            found = []
            for score, words in kept:
                for word in np.argsort(-scores)[:2]:
                    found.append((score + float(scores[word]), [*words, int(word)]))
            kept = sorted(found, key=lambda one: -one[0])[:2]
        return [words for score, words in kept]
"""


def test_the_steps_of_a_new_model_tell_what_values_do_not() -> None:
    """A search has the same few numbers at each line, and a wrong one gives a list of right words.

    The nodes of the new model have other numbers in their names.
    """
    chain = module_of(HEAD + SEARCH.strip("\n"), "search.py")["Net"]()
    given = (f32(1, 3), 4)
    model = elichika.compile_model(chain, given, verify=False)
    anew = list(traced(model.proto, model.source_map, model.report.shown.feeds(given)))
    other = [replace(step, name=f"{step.name}0") for step in anew]
    count = 0
    for number, node in enumerate(nodes(model.proto.graph)):
        place = model.source_map.label(node.name)
        if node.op_type not in ("Add", "Neg") or place not in ("search.py:20", "search.py:21"):
            continue
        proto = onnx.ModelProto()
        proto.CopyFrom(model.proto)
        list(nodes(proto.graph))[number].op_type = OTHER.get(node.op_type, "Identity")
        steps: list[Any] = []
        with suppress(elichika.ModelRuntimeError):  # an index that is out of range
            steps.extend(traced(proto, model.source_map, model.report.shown.feeds(given)))
        first = parting(model.signature, chain, given, steps, anew)
        if first is None:
            continue  # the words are the same
        count += 1
        assert (first.name, first.label) == (node.name, place)
        known = parting(model.signature, chain, given, anew, other)
        assert known is None
        found = parting(model.signature, chain, given, steps, other)
        assert found is not None and found.label == place
    assert count >= 2


class Words(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.lstm = L.EmbedID(9, 4), L.LSTM(4, 3)
            self.out = L.Linear(3, 2)

    def forward(self, ids: Any) -> Any:
        self.lstm.reset_state()
        for t in range(ids.shape[1]):
            h = self.bent(self.lstm(self.embed(ids[:, t])))
        y = self.out(h)
        if F.max(y).array > 1:
            y = F.normalize(y)
        return y

    def bent(self, h: Any) -> Any:
        return h


class BentWords(Words):
    def bent(self, h: Any) -> Any:
        return F.tanh(h)


def test_what_has_no_line_is_not_where_a_chain_differs() -> None:
    """A sum of sizes that checks look at has no line, and another value in the new model."""
    ids = np.array([[3, 1, 4], [1, 5, 2]], np.int32)
    axes = {"ids": {0: "batch", 1: "time"}}
    chain, bent = Words(), BentWords()
    bent.copyparams(chain)
    models = [
        elichika.compile_model(one, [ids], dynamic_axes=axes, verify=False) for one in (chain, bent)
    ]
    steps, anew = (
        list(traced(model.proto, model.source_map, model.report.shown.feeds((ids,))))
        for model in models
    )
    first = parting(models[0].signature, bent, (ids,), steps, anew)
    assert first is not None
    assert "self.bent(" in linecache.getline(__file__, int(str(first.label).rsplit(":")[1]))


def test_what_waits_for_a_check_is_not_where_a_chain_differs() -> None:
    """The ids of a model are added to the 0 that its checks give, on no line of the chain."""
    ids = np.array([[3, 1, 4], [1, 5, 2]], np.int32)
    axes = {"ids": {0: "batch", 1: "time"}}
    chain = Words()
    model = elichika.compile_model(chain, [ids], dynamic_axes=axes, verify=False)
    chain.embed.W.array[...] += 1
    steps = list(traced(model.proto, model.source_map, model.report.shown.feeds((ids,))))
    first = parting(model.signature, chain, (ids,), steps)
    assert first is not None
    assert "self.embed(" in linecache.getline(__file__, int(str(first.label).rsplit(":")[1]))


def plain(model: Any, proto: Any, x: Any) -> Any:
    steps = list(traced(proto, model.source_map, model.report.shown.feeds((x, 3))))
    return steps[-1].outputs[proto.graph.output[0].name]


def test_lines_of_chainer_where_there_are_no_others() -> None:
    """The line alone does not tell; the link does."""
    chain = chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 4), F.relu, L.Linear(4, 2))
    for link in chain.links():
        if isinstance(link, L.Linear):
            link.b.array[...] = 0.5
    x = f32(2, 3) + 1
    model = elichika.compile_model(chain, x, verify=False)
    assert found(chain, model, model.proto, x) is None
    gemms = [node.name for node in model.proto.graph.node if node.op_type == "Gemm"]
    assert len(gemms) == 3
    for name in gemms:
        proto = onnx.ModelProto()
        proto.CopyFrom(model.proto)
        (node,) = [one for one in proto.graph.node if one.name == name]
        node.attribute.append(onnx.helper.make_attribute("alpha", 2.0))
        first = found(chain, model, proto, x)
        assert (first.name, first.layer) == (name, model.source_map.layer(name))
        assert first.label.startswith("linear.py:") and not first.frames
