"""Files that take and give tensors alone; called from Python, models give what the chain gives."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import onnxruntime
import pytest
from chainer import functions as F

from elichika import CompiledModel, ModelRuntimeError, compile_model, load
from tests.programs import assert_equal, f32


def chain_of(forward: Any) -> chainer.Chain:
    return type("Net", (chainer.Chain,), {"forward": forward})()


def model_of(forward: Any, inputs: Any, **options: Any) -> CompiledModel:
    model = compile_model(chain_of(forward), inputs, tensors=True, **options)
    for port in (*model.proto.graph.input, *model.proto.graph.output):
        assert port.type.HasField("tensor_type"), port.name
        assert port.doc_string
    return model


def check(forward: Any, inputs: list[Any], tmp_path: Path, **options: Any) -> CompiledModel:
    """Compile from the first inputs; compare on all, also from a file and from a copy."""
    model = model_of(forward, inputs[0], **options)
    model.save(tmp_path / "m.onnx")
    models = [model, load(tmp_path / "m.onnx"), pickle.loads(pickle.dumps(model))]
    for call in inputs:
        with chainer.using_config("train", False):
            wanted = chain_of(forward)(*copy.deepcopy(call))
        for one in models:
            assert_equal(wanted, one(*copy.deepcopy(call)), "result: ")
    return models[1]


def raw(model: CompiledModel, **feeds: Any) -> dict[str, Any]:
    """Run the file in onnxruntime alone."""
    session = onnxruntime.InferenceSession(
        model.proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [port.name for port in session.get_outputs()]
    return dict(zip(names, session.run(None, feeds), strict=True))


def suffixes(self: Any, x: Any, n: int) -> Any:
    parts, sums = [], []
    for i in range(n):
        parts.append(x[i:])
        sums.append((i, x[i:].sum()))
    return {"parts": parts, "sums": sums}


def alike(self: Any, x: Any, n: int) -> Any:
    found = []
    for i in range(n):
        if i % 2 == 0:
            found.append(x * i)
    return found


def blocks(self: Any, x: Any, n: int) -> Any:
    return [F.tanh(x[: i + 1, i:]) for i in range(n)]


X = f32(4, 3)


def test_unlike_arrays_are_padded(tmp_path: Path) -> None:
    calls = [[X, 2], [X, 0], [X, 1], [X[:1], 3], [X, 4]]
    model = check(suffixes, calls, tmp_path, dynamic_axes={"x": {0: "n"}})
    found = raw(model, x=X, n=np.array(3))
    assert {name: value.shape for name, value in found.items()} == {
        "parts": (3, 4, 3),
        "parts_lengths": (3,),
        "sums_0": (3,),
        "sums_1": (3,),
    }
    assert found["parts_lengths"].tolist() == [4, 3, 2]
    np.testing.assert_array_equal(found["parts"][1, :3], X[1:])
    assert not found["parts"][1, 3:].any()
    docs = {port.name: port.doc_string for port in model.proto.graph.output}
    assert docs["parts"].endswith("padded with zeros to the largest; parts_lengths has the sizes")
    assert docs["parts_lengths"] == "the sizes of the arrays in parts along axis 1"


def test_alike_arrays_are_one(tmp_path: Path) -> None:
    model = check(alike, [[X, 3], [X, 0], [X, 1], [X, 9]], tmp_path)
    assert {name: value.shape for name, value in raw(model, x=X, n=np.array(5)).items()} == {
        "output": (3, 4, 3)
    }


def test_several_axes_are_padded(tmp_path: Path) -> None:
    calls = [[X, 2], [X, 0], [X, 3]]
    model = check(blocks, calls, tmp_path, dynamic_axes={"x": {0: "n"}})
    found = raw(model, x=X, n=np.array(3))
    assert found["output"].shape == (3, 3, 3)
    assert found["output_lengths"].tolist() == [[1, 3], [2, 2], [3, 1]]


@pytest.mark.parametrize("dtype", ["int32", "int64", "bool", "uint8", "float64", "float16"])
def test_of_each_dtype(dtype: str, tmp_path: Path) -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        return [x[i:] for i in range(n)], [x[0] for i in range(n)]

    x = np.array([3, 0, 1, 1], dtype)
    check(forward, [[x, 2], [x, 0], [x, 4]], tmp_path)


def test_a_number_of_several_types_is_one(tmp_path: Path) -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        if n > 3:
            y, z = 0.5, n
        elif n > 1:
            y, z = x.sum(), None
        else:
            y, z = n, n > 0
        return {"y": y, "z": z}

    calls = [[X, n] for n in (4, 3, 1, 0, -7)]
    model = check(forward, calls, tmp_path)
    found = raw(model, x=X, n=np.array(4))
    assert found["y"] == 0.5 and found["y"].dtype == np.float64 and found["z"] == 4
    assert raw(model, x=X, n=np.array(3))["y"] == pytest.approx(X.sum(), rel=1e-5)
    assert {"y_float32", "y_int64", "z_bool"}.isdisjoint(found)
    assert model(X, -(2**53))["y"] == -(2**53)
    with pytest.raises(ModelRuntimeError, match=r"an int beyond 2\*\*53"):
        model(X, -(2**53) - 1)


def test_a_zero_keeps_its_sign_beside_other_types(tmp_path: Path) -> None:
    def forward(self: Any, x: Any, flag: bool) -> Any:
        return -x if flag else True

    check(forward, [(1.0, True), (0.0, True), (-0.0, True), (np.nan, True), (2.0, False)], tmp_path)


def test_numbers_of_several_types_in_a_list(tmp_path: Path) -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        found: list[Any] = []
        for i in range(n):
            found.append(x[0, 0] if i % 2 else 0.1)
        return found

    model = check(forward, [[X, 3], [X, 0], [X, 2]], tmp_path)
    found = raw(model, x=X, n=np.array(3))
    assert found["output"].dtype == np.float64 and found["output"].shape == (3,)


def test_lists_come_in_as_tensors(tmp_path: Path) -> None:
    def forward(self: Any, xs: Any, ks: Any) -> Any:
        total = 0.0
        for x, k in zip(xs, ks, strict=True):
            total = total + x.sum() * k
        return total, [x[::-1] for x in xs]

    def call(*sizes: int) -> list[Any]:
        return [[f32(n, 3).round() for n in sizes], [0.5 * n for n in range(len(sizes))]]

    calls = [call(2, 5, 1), call(), call(4), call(0, 2), call(1, 1, 1, 1)]
    model = check(forward, calls, tmp_path)
    given = {port.name for port in model.proto.graph.input}
    assert {port.name for port in model.proto.graph.output} == {
        "output_0_kind",
        "output_0",
        "output_1",
        "output_1_lengths",
    }
    assert given == {"xs", "xs_lengths", "ks"}
    padded = np.zeros((2, 4, 3), np.float32)
    padded[0], padded[1, :1] = 2, 3
    found = raw(model, xs=padded, xs_lengths=np.array([4, 1]), ks=np.array([1.0, 10.0]))
    assert found["output_0"] == 24 + 90
    by_name = model.run({"xs": [padded[0], padded[1, :1]], "ks": [1.0, 10.0]})
    for one, other in zip(by_name, found.values(), strict=True):
        np.testing.assert_array_equal(one, other)
    docs = {port.name: port.doc_string for port in model.proto.graph.input}
    assert docs["xs_lengths"].startswith("the sizes of the arrays in xs along axis 1")


def test_alike_arrays_come_in_as_one(tmp_path: Path) -> None:
    def forward(self: Any, xs: Any) -> Any:
        return [x * 2 for x in xs], len(xs)

    calls = [[[f32(2, 3)] * n] for n in (2, 1, 0, 5)]
    model = check(forward, calls, tmp_path)
    found = raw(model, xs=np.ones((3, 2, 3), np.float32))
    assert found["output_0"].shape == (3, 2, 3) and found["output_1"] == 3


def test_arrays_of_unlike_ranks_are_told_apart(tmp_path: Path) -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        return [x[i:] if i % 2 else x[i:, 0] for i in range(n)]

    check(forward, [[X, 3], [X, 0], [X, 1], [X, 4]], tmp_path)


def test_lists_in_lists_and_dicts_of_the_run(tmp_path: Path) -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        rows, found = [], {}
        for i in range(n):
            rows.append([i * k for k in range(i)])
            found[i % 3] = x[i % 2].sum()
        return rows, found

    check(forward, [[X, 3], [X, 0], [X, 1], [X, 5]], tmp_path, verify=False)


def test_state_and_choices_of_lists(tmp_path: Path) -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        if n > 2:
            return [x[i:] for i in range(n)]
        if n > 1:
            return None
        return x, n

    check(forward, [[X, 3], [X, 2], [X, 1], [X, 6]], tmp_path)


def test_without_it_nothing_changes(tmp_path: Path) -> None:
    model = compile_model(chain_of(suffixes), [X, 2])
    kinds = [port.type.WhichOneof("value") for port in model.proto.graph.output]
    assert kinds == ["sequence_type"] * 3 or "sequence_type" in kinds
    assert "tensors" not in onnx.load_from_string(model.proto.SerializeToString()).metadata_props


def test_commands_read_such_files(tmp_path: Path) -> None:
    """A test case has the file's own inputs, and a trace and a second runtime take lists."""
    from elichika.model.testcase import write_testcase

    def forward(self: Any, xs: Any) -> Any:
        return [x * 2 for x in xs]

    model = model_of(forward, [[f32(n, 3) for n in (2, 4)]])
    write_testcase(model, tmp_path / "case")
    stored = sorted(path.name for path in (tmp_path / "case" / "test_data_set_0").glob("input*"))
    assert stored == ["input_0.pb", "input_1.pb"]
    given = [f32(1, 3), f32(3, 3)]
    for one, item in zip(model.on("reference")(given), given, strict=True):
        np.testing.assert_array_equal(one, item * 2)
