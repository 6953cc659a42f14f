"""Nodes say which link they are of, in their names and in what `inspect` counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
from chainer import functions as F
from chainer import links as L

from elichika import compile_model
from elichika.model.inspection import inspect_model
from tests.programs import f32


class Block(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(3, 3)

    def twice(self, x: Any) -> Any:
        return F.tanh(self.fc(x))

    def forward(self, x: Any, n: Any) -> Any:
        for _ in range(n):
            x = self.twice(x)
        return x


class Network(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.blocks = chainer.ChainList(Block(), Block())
            self.out = L.Linear(3, 2)

    def forward(self, x: Any, n: Any) -> Any:
        for block in self.blocks:
            x = block(x, n)
        return self.out(F.exp(x))


class Named(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        hidden = F.relu(self.fc(x))
        weights = F.softmax(hidden).array
        same = hidden * weights
        again = same
        return F.exp(again)


def test_variables_are_in_the_names() -> None:
    """Those of the program, not those of Chainer or of the canonical form."""
    model = compile_model(Named(), [f32(2, 3)])
    nodes = {node.op_type: node for node in model.proto.graph.node}
    assert {kind: node.name.split("/")[-2] for kind, node in nodes.items()} == {
        "Gemm": "test_layers.py:52",
        "Relu": "hidden",
        "Softmax": "weights",
        "Mul": "again",
        "Exp": "test_layers.py:56",
    }
    assert list(nodes["Mul"].input) == ["hidden", "weights"]
    bare = compile_model(Named(), [f32(2, 3)], source_info=False)
    assert [node.name for node in bare.proto.graph.node][1] == "Relu#2"
    assert "hidden" not in str(bare.proto.graph)


def test_names_and_counts(tmp_path: Path) -> None:
    model = compile_model(Network(), [f32(2, 3), 2], tmp_path / "m.onnx")
    found = inspect_model(tmp_path / "m.onnx")
    names = {name.rpartition("#")[0]: name for name in model.source_map}
    assert {
        "test_layers.py:42/Exp",
        "/out/test_layers.py:42/Gemm",
        "/blocks/0/fc/test_layers.py:24/Gemm",
        "/blocks/1/fc/test_layers.py:24/Gemm",
        "/blocks/1/test_layers.py:27/Loop",
    } <= set(names)
    frames = model.source_map[names["/blocks/1/fc/test_layers.py:24/Gemm"]]
    assert [frame.function for frame in frames] == ["forward", "forward", "twice"]
    layers = {layer.path: layer for layer in found.layers}
    assert list(layers)[:2] == ["/blocks/0", "/blocks/0/fc"]
    assert [layers[f"/blocks/{i}/fc"].bytes for i in (0, 1)] == [48, 48]
    assert sum(layer.nodes for layer in found.layers) < found.nodes
    assert str(layers["/out"]) == "/out: 1 node, 32 bytes" and layers["/out"].parameters == 2


class Reader(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.lstm = L.LSTM(3, 2)

    def forward(self, x: Any) -> Any:
        for t in range(len(x)):
            h = self.lstm(x[t])
        return h


def test_a_loop_that_became_an_operator_is_in_its_link() -> None:
    model = compile_model(Reader(), [f32(4, 2, 3)], dynamic_axes={"x": {0: "time", 1: "batch"}})
    (name,) = (name for name in model.source_map if "LSTM" in name)
    assert name.startswith("/lstm/test_layers.py:")
    assert model.source_map.layer(name) == "/lstm" and model.source_map[name]


def test_metadata_of_nodes() -> None:
    """There is none before IR version 10, which comes with opset 21."""
    told = {"elichika.line": "test_layers.py:52", "elichika.variable": "hidden"}
    for opset, wanted in ((20, {}), (21, told)):
        model = compile_model(Named(), [f32(2, 3)], opset_version=opset)
        (node,) = (node for node in model.proto.graph.node if node.op_type == "Relu")
        assert {one.key: one.value for one in node.metadata_props} == wanted


def test_a_file_without_sources_names_no_links(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    model = compile_model(Network(), [f32(2, 3), 2], path, source_info=False)
    assert all(node.name.startswith(node.op_type) for node in model.proto.graph.node)
    assert {layer.nodes for layer in inspect_model(path).layers} == {0}
