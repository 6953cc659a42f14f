"""The networks of `recurrent` as ONNX graphs written by hand: as a Loop, and as one operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

__all__ = ["lstm_loop", "lstm_operator", "newton_loop", "rnn_loop", "rnn_operator"]

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node = helper.make_node


def info(name: str, dtype: int, shape: Sequence[Any]) -> onnx.ValueInfoProto:
    """Describe a tensor."""
    return helper.make_tensor_value_info(name, dtype, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    constants: dict[str, Any],
) -> onnx.ModelProto:
    """Make a model of opset 18."""
    initializers = [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    graph = helper.make_graph(nodes, "by_hand", inputs, outputs, initializers)
    opset = [helper.make_opsetid("", 18)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=8)
    onnx.checker.check_model(made, full_check=True)
    return made


def weights(chain: Any) -> dict[str, Any]:
    """Return the parameters of the two links of a network by name."""
    found = {"w": chain.inner.W.array, "b": chain.inner.b.array, "u": chain.outer.W.array}
    if chain.outer.b is not None:
        found["c"] = chain.outer.b.array
    return found


def over_time(body: onnx.GraphProto, states: int, chain: Any, more: dict[str, Any]) -> Any:
    """Make the model of a loop over the rows of `xs` from zero states."""
    units = chain.outer.W.shape[1]
    constants = {
        **weights(chain),
        **more,
        "yes": np.array(True),
        "first": np.array([0], np.int64),
        "second": np.array([1], np.int64),
        "none": np.array([], np.int64),
    }
    zero = numpy_helper.from_array(np.zeros(1, np.float32))
    names = [f"h{i}" for i in range(states)]
    nodes = [
        node("Shape", ["xs"], ["shape"]),
        node("Slice", ["shape", "first", "second"], ["times"]),
        node("Reshape", ["times", "none"], ["length"]),
        node("Slice", ["shape", "second", "end"], ["sizes"]),
        node("ConstantOfShape", ["sizes"], ["zeros"], value=zero),
        node("Loop", ["length", "yes", *["zeros"] * states], names, body=body),
    ]
    constants["end"] = np.array([3], np.int64)
    inputs = [info("xs", FLOAT, ["time", "batch", units])]
    return model(nodes, inputs, [info(names[-1], FLOAT, ["batch", units])], constants)


def rnn_loop(chain: Any) -> onnx.ModelProto:
    """`recurrent.RNN` as a Loop."""
    units = chain.outer.W.shape[1]
    state = ["batch", units]
    body = helper.make_graph(
        [
            node("Identity", ["go"], ["again"]),
            node("Gather", ["xs", "i"], ["x"], axis=0),
            node("Gemm", ["x", "w", "b"], ["p"], transB=1),
            node("Gemm", ["h_in", "u", "c"], ["q"], transB=1),
            node("Add", ["p", "q"], ["r"]),
            node("Tanh", ["r"], ["h_out"]),
        ],
        "body",
        [info("i", INT64, []), info("go", BOOL, []), info("h_in", FLOAT, state)],
        [info("again", BOOL, []), info("h_out", FLOAT, state)],
    )
    return over_time(body, 1, chain, {})


def lstm_loop(chain: Any) -> onnx.ModelProto:
    """`recurrent.LSTM` as a Loop; Chainer keeps the four gates of a unit side by side."""
    units = chain.outer.W.shape[1]
    state = ["batch", units]
    body = helper.make_graph(
        [
            node("Identity", ["go"], ["again"]),
            node("Gather", ["xs", "i"], ["x"], axis=0),
            node("Gemm", ["x", "w", "b"], ["p"], transB=1),
            node("MatMul", ["h_in", "ut"], ["q"]),
            node("Add", ["p", "q"], ["r"]),
            node("Reshape", ["r", "gates"], ["s"]),
            node("Split", ["s"], ["a4", "i4", "f4", "o4"], axis=2, num_outputs=4),
            *[node("Squeeze", [f"{gate}4", "two"], [f"{gate}3"]) for gate in "aifo"],
            node("Tanh", ["a3"], ["a"]),
            *[node("Sigmoid", [f"{gate}3"], [f"{gate}_"]) for gate in "ifo"],
            node("Mul", ["a", "i_"], ["new"]),
            node("Mul", ["f_", "c_in"], ["old"]),
            node("Add", ["new", "old"], ["c_out"]),
            node("Tanh", ["c_out"], ["t"]),
            node("Mul", ["o_", "t"], ["h_out"]),
        ],
        "body",
        [
            info("i", INT64, []),
            info("go", BOOL, []),
            info("c_in", FLOAT, state),
            info("h_in", FLOAT, state),
        ],
        [info("again", BOOL, []), info("c_out", FLOAT, state), info("h_out", FLOAT, state)],
    )
    more = {
        "ut": np.ascontiguousarray(chain.outer.W.array.T),
        "gates": np.array([0, units, 4], np.int64),
        "two": np.array([2], np.int64),
    }
    return over_time(body, 2, chain, more)


def rnn_operator(chain: Any) -> onnx.ModelProto:
    """`recurrent.RNN` as the operator RNN."""
    found = weights(chain)
    units = chain.outer.W.shape[1]
    constants = {
        "w": found["w"][None],
        "u": found["u"][None],
        "b": np.concatenate([found["b"], found["c"]])[None],
        "first": np.array([0], np.int64),
    }
    return _operator("RNN", ["xs", "w", "u", "b"], units, constants)


def lstm_operator(chain: Any) -> onnx.ModelProto:
    """`recurrent.LSTM` as the operator LSTM, whose gates are in the order i, o, f, a."""
    found = weights(chain)
    units = chain.outer.W.shape[1]

    def gates(array: Any) -> Any:
        a, i, f, o = (array.reshape(units, 4, -1)[:, gate] for gate in range(4))
        return np.concatenate([i, o, f, a])

    bias = gates(found["b"])[:, 0]
    constants = {
        "w": gates(found["w"])[None],
        "u": gates(found["u"])[None],
        "b": np.concatenate([bias, np.zeros_like(bias)])[None],
        "first": np.array([0], np.int64),
    }
    return _operator("LSTM", ["xs", "w", "u", "b"], units, constants)


def _operator(kind: str, inputs: list[str], units: int, constants: dict[str, Any]) -> Any:
    nodes = [
        node(kind, inputs, ["", "last"], hidden_size=units),
        node("Squeeze", ["last", "first"], ["h"]),
    ]
    given = [info("xs", FLOAT, ["time", "batch", units])]
    return model(nodes, given, [info("h", FLOAT, ["batch", units])], constants)


def newton_loop() -> onnx.ModelProto:
    """`recurrent.Newton` as a Loop."""
    test = [
        ("Mul", ["{0}", "{0}"], "{1}s"),
        ("Sub", ["{1}s", "x"], "{1}d"),
        ("Abs", ["{1}d"], "{1}a"),
        ("Greater", ["{1}a", "bound"], "{1}"),
    ]

    def tested(value: str, result: str) -> list[onnx.NodeProto]:
        return [
            node(op, [name.format(value, result) for name in given], [made.format(value, result)])
            for op, given, made in test
        ]

    body = helper.make_graph(
        [
            node("Div", ["x", "y_in"], ["q"]),
            node("Add", ["y_in", "q"], ["t"]),
            node("Mul", ["t", "half"], ["y_out"]),
            *tested("y_out", "again"),
        ],
        "body",
        [info("i", INT64, []), info("go", BOOL, []), info("y_in", FLOAT, [])],
        [info("again", BOOL, []), info("y_out", FLOAT, [])],
    )
    nodes = [
        node("Mul", ["x", "small"], ["bound"]),
        *tested("x", "start"),
        node("Loop", ["", "start", "x"], ["y"], body=body),
    ]
    constants = {"small": np.float32(1e-6), "half": np.float32(0.5)}
    return model(nodes, [info("x", FLOAT, [])], [info("y", FLOAT, [])], constants)
