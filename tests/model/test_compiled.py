"""A compiled model runs, saves, loads and fails in the user's terms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elichika.errors import InputError, ModelRuntimeError
from elichika.model.compiled import CompiledModel
from elichika.model.loading import load
from elichika.signature import DynamicList, OutputLeaf
from tests.programs import f32
from tests.verify.hand import FRAME, compiled

F32, I64 = np.dtype("f"), np.dtype(np.int64)


def build(g: Any, x: Any, n: Any, xs: Any) -> Any:
    small = g.check(g.Less(g.ReduceSum(x, keepdims=0), 100.0), "x is too large")
    y = g.tie(g.Add(x, g.Cast(n, to=np.float32)), small)
    return {
        "y": (OutputLeaf("variable", y, F32), None),
        "n": OutputLeaf("python", g.Add(n, 1), I64),
        "xs": DynamicList(OutputLeaf("ndarray", g.SequenceErase(xs, 0), F32)),
        "r": OutputLeaf("variable", g.Gather(x, g.Sub(n, 2), axis=0), F32),
    }


@pytest.fixture(params=["built", "loaded"])
def model(request: Any, tmp_path: Path) -> Iterator[CompiledModel]:
    made = compiled(
        lambda self, x, n, xs: None,
        build,
        (f32(2, 3), 2, [f32(1), f32(2)]),
        dynamic_axes={"x": {0: "b"}},
    )
    if request.param == "loaded":
        made.save(tmp_path / "m.onnx")
        made = load(tmp_path / "m.onnx")
    yield made


def test_run_and_call(model: CompiledModel) -> None:
    x, xs = f32(2, 3), [f32(1), f32(2)]
    y, n, rest, r = model.run({"x": x, "n": np.array(2), "xs": xs})
    np.testing.assert_array_equal(y, x + 2)
    result = model(x, 2, xs)
    assert list(result) == ["y", "n", "xs", "r"] and result["y"][1] is None
    assert result["n"] == 3 and type(result["n"]) is int and n == 3
    assert [item.shape for item in result["xs"]] == [(2,)] == [item.shape for item in rest]
    assert r.shape == (3,)
    assert model(xs=xs, n=2, x=x)["n"] == 3


def test_a_check_fails_with_its_message_and_line(model: CompiledModel) -> None:
    with pytest.raises(ModelRuntimeError) as caught:
        model(f32(2, 3) + 500, 2, [f32(1)])
    assert caught.value.message == "x is too large"
    assert caught.value.frames == (FRAME,)


def test_a_kernel_fails_with_the_line(model: CompiledModel) -> None:
    with pytest.raises(ModelRuntimeError) as caught:
        model(f32(2, 3), 5, [f32(1)])
    assert caught.value.message == (
        "Gather failed: indices element out of data bounds, idx=3 must be within the inclusive "
        "range [-2,1]"
    )
    assert caught.value.frames == (FRAME,)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((f32(2, 3),), "The model cannot be called like this"),
        ((f32(2, 3), 2.0, []), "`n` takes one int, not float 2.0"),
        ((f32(2, 4), 2, []), "`x` has size 4 on axis 1; the model was compiled for 3"),
    ],
)
def test_calls_that_do_not_fit(model: CompiledModel, args: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model(*args)


def test_source_map_and_place(model: CompiledModel) -> None:
    assert set(model.source_map.values()) == {(FRAME,)}
    assert model.place_of_output("y_0") == (FRAME,)


def test_a_saved_model_can_be_saved_again(model: CompiledModel, tmp_path: Path) -> None:
    model.save(tmp_path / "again.onnx")
    assert load(tmp_path / "again.onnx")(f32(2, 3), 2, [f32(1)])["n"] == 3
    assert model.proto.ir_version == 8


def test_unwritable_path(model: CompiledModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot write .*: there is no folder"):
        model.save(tmp_path / "no" / "m.onnx")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="Cannot write"):
        model.save(tmp_path / "folder")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_files_that_are_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot read .*m\.onnx: there is no such file"):
        load(tmp_path / "m.onnx")
    (tmp_path / "m.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match="holds no ONNX model"):
        load(tmp_path / "m.onnx")


def test_unknown_provider() -> None:
    model = compiled(lambda self, x: x, lambda g, x: OutputLeaf("ndarray", x, F32), (f32(1),))
    model._session._providers = ["NoProvider"]
    with pytest.raises(InputError, match="onnxruntime has no provider NoProvider here"):
        model(f32(1))
