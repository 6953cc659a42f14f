"""A file says of each input and output what it is to Python; the names of choices speak."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from elichika import compile_model
from tests.programs import f32
from tests.verify.hand import Program

Pair = namedtuple("Pair", "a b")


def told(forward: Any, *inputs: Any, **options: Any) -> dict[str, str]:
    """Return what each output is, and see that the model gives what the chain gives."""
    chain = Program(lambda self, *args: forward(*args))
    model = compile_model(chain, list(inputs), **options)
    assert all(port.doc_string for port in (*model.proto.graph.input, *model.proto.graph.output))
    return {port.name: port.doc_string for port in model.proto.graph.output}


def by_kind(x: Any, n: Any) -> Any:
    if n > 2:
        return x, n
    if n > 1:
        return x.astype("d")
    if n > 0:
        return {"y": x}
    return None if n > -1 else (x,)


OUTPUTS: dict[str, tuple[Any, dict[str, str]]] = {
    "array": (lambda x, n: x, {"output": "result, an array"}),
    "parts": (
        lambda x, n: {"y": [x, n], "z": Pair(x, "text")},
        {
            "y_0": "result['y'][0], an array",
            "y_1": "result['y'][1], a number",
            "z_a": "result['z'].a, an array",
        },
    ),
    "two dtypes": (
        lambda x, n: x if n > 1 else x.astype("d"),
        {
            "output_kind": "which of several things result is: "
            "true: output_float32; false: output_float64",
            "output_float32": "result, an array, where output_kind is true",
            "output_float64": "result, an array, where output_kind is false",
        },
    ),
    "None second": (
        lambda x, n: x if n > 1 else None,
        {
            "output_is_none": "which of several things result is: true: None; false: output",
            "output": "result, an array, where output_is_none is false",
        },
    ),
    "None first": (
        lambda x, n: [None if n > 1 else x],
        {
            "output_0_is_none": "which of several things result[0] is: true: None; false: output_0",
            "output_0": "result[0], an array, where output_0_is_none is false",
        },
    ),
    "texts": (
        lambda x, n: "a" if n > 1 else "b",
        {"output_kind": "which of several things result is: true: 'a'; false: 'b'"},
    ),
    "one dtype twice": (
        lambda x, n: x[0] if n > 1 else x[0].sum(),
        {
            "output_kind": "which of several things result is: "
            "true: output_array_float32; false: output_numpy_float32",
            "output_array_float32": "result, an array, where output_kind is true",
            "output_numpy_float32": "result, a number, where output_kind is false",
        },
    ),
    "many": (
        by_kind,
        {
            "output_kind": "which of several things result is: "
            "0: tuple of output_tuple_0, output_tuple_1; 1: output_float64; "
            "2: dict of output_dict_y; 3: None; 4: tuple of output_tuple_2_0",
            "output_tuple_0": "result[0], an array, where output_kind is 0",
            "output_tuple_1": "result[1], a number, where output_kind is 0",
            "output_float64": "result, an array, where output_kind is 1",
            "output_dict_y": "result['y'], an array, where output_kind is 2",
            "output_tuple_2_0": "result[0], an array, where output_kind is 4",
        },
    ),
    "list": (
        lambda x, n: [(x[:i], i) for i in range(n)],
        {
            "output_0": "for each i, as a sequence or along axis 0: result[i][0], an array",
            "output_1": "for each i, as a sequence or along axis 0: result[i][1], a number",
        },
    ),
    "dict": (
        lambda x, n: {i: x * i for i in range(n)},
        {
            "output_keys": "for each i, as a sequence or along axis 0: key i of result, a number",
            "output_values": "for each i, as a sequence or along axis 0: "
            "value i of result, an array",
        },
    ),
}


@pytest.mark.parametrize("what", OUTPUTS)
@pytest.mark.parametrize("n", [3, 0])
def test_outputs(what: str, n: int) -> None:
    forward, wanted = OUTPUTS[what]
    examples = [(f32(2, 3), k) for k in (3, 2, 1, 0, -1)]
    assert told(forward, f32(2, 3), n, examples=examples) == wanted


def test_inputs() -> None:
    chain = Program(lambda self, x, state, n: x + state["h"][0] * n)
    names = {"args_0": "x"}
    model = compile_model(chain, [f32(2), {"h": [f32(2)]}, 2], input_names=names)
    assert {port.name: port.doc_string for port in model.proto.graph.input} == {
        "x": "the argument args[0], an array",
        "args_1_h": "the argument args[1]['h'], a list: a sequence of its arrays",
        "args_2": "the argument args[2], a number",
    }


def test_names_of_the_users_come_first() -> None:
    names = {"output_is_none": "nothing", "output": "y"}
    found = told(lambda x, n: x if n > 1 else None, f32(2), 2, output_names=names)
    assert found["y"] == "result, an array, where nothing is false"
    assert list(found) == ["nothing", "y"]


def test_state() -> None:
    def forward(self: Any, x: Any) -> Any:
        self.h = x + getattr(self, "h", np.float32(0))
        return self.h

    model = compile_model(Program(forward), [f32(3)], state=True)
    assert [port.doc_string.split(" ")[:2] for port in model.proto.graph.output[1:]] == [
        ["state", "after"]
    ] * (len(model.proto.graph.output) - 1)
