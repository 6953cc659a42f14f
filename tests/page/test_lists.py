"""A file whose lists are two tensors each gives what the file with lists gives."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import elichika
from elichika.page.lists import FLAT, SIZES, with_flat_lists
from tests.programs import f32


class Mixed(chainer.Chain):
    """Takes and gives lists of arrays, of rows and of numbers."""

    def forward(self, parts: Any, ids: Any, numbers: Any) -> Any:
        doubled = [part * 2 for part in parts if len(part) != 1]
        return {"doubled": doubled, "turned": [row[::-1] for row in ids], "back": numbers[::-1]}


def run(model: onnx.ModelProto, feeds: dict[str, Any]) -> dict[str, Any]:
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [port.name for port in session.get_outputs()]
    return dict(zip(names, session.run(None, feeds), strict=True))


def as_tensors(name: str, items: Any) -> dict[str, Any]:
    arrays = [np.asarray(item) for item in items]
    flat = np.concatenate([array.reshape(-1) for array in arrays])
    sizes = np.array([array.shape for array in arrays], np.int64).reshape(len(arrays), -1)
    return {f"{name}{FLAT}": flat, f"{name}{SIZES}": sizes}


def of_tensors(found: dict[str, Any], name: str) -> list[Any]:
    sizes, flat = found[f"{name}{SIZES}"], found[f"{name}{FLAT}"]
    ends = np.cumsum(sizes.prod(axis=1))
    pairs = zip(np.split(flat, ends[:-1]), sizes, strict=True) if len(sizes) else []
    return [part.reshape(size) for part, size in pairs]


@pytest.mark.parametrize("lengths", [(2, 3), (1, 4, 1, 2), (1,), (0, 2)])
def test_lists_of_any_lengths(lengths: tuple[int, ...]) -> None:
    given = [f32(2, 3), f32(4, 3)], [np.arange(3), np.arange(2)], [1.5, 2.5]
    model = elichika.compile_model(Mixed(), given, verify=False)
    flat = with_flat_lists(model.proto)
    parts = [f32(length, 3) for length in lengths]
    ids, numbers = [np.arange(length) for length in lengths], [0.5 * one for one in lengths]
    feeds = as_tensors("parts", parts) | as_tensors("ids", ids) | as_tensors("numbers", numbers)
    known = {port.name for port in flat.graph.input}
    plain = {"parts": parts, "ids": ids, "numbers": np.array(numbers)}
    feeds = {name: feeds.get(name, plain.get(name)) for name in known}
    found, expected = run(flat, feeds), model(parts, ids, numbers)
    for name, items in expected.items():
        ours = of_tensors(found, name) if f"{name}{FLAT}" in found else list(found[name])
        assert len(ours) == len(items)
        for one, other in zip(ours, items, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == np.asarray(other).dtype


def test_a_file_without_lists_stays() -> None:
    port = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    graph = helper.make_graph([], "plain", [port], [port])
    model = helper.make_model(graph)
    assert with_flat_lists(model) is model


def a_list(opset: int, shape: Any) -> onnx.ModelProto:
    port = helper.make_tensor_sequence_value_info("xs", TensorProto.FLOAT, shape)
    end = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    node = helper.make_node("SequenceLength", ["xs"], ["n"])
    graph = helper.make_graph([node], "list", [port], [end])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def test_lists_that_have_no_such_form() -> None:
    flat = with_flat_lists(a_list(14, [None, 2]))
    assert run(flat, as_tensors("xs", [f32(3, 2), f32(0, 2)]))["n"] == 2
    with pytest.raises(elichika.InputError) as caught:
        with_flat_lists(a_list(13, [None]))
    assert caught.value.message == "A page takes lists from files of opset 14 or newer."
    with pytest.raises(elichika.InputError) as caught:
        with_flat_lists(a_list(14, None))
    assert caught.value.message == (
        "`xs` is a list of arrays whose number of axes the file does not say."
    )
