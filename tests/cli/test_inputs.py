"""The grammar of `--input`, and what it says of mistakes."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elichika.cli.inputs import read_examples
from elichika.errors import InputError

NEITHER = "is neither an array such as float32[batch,3] nor a Python value"


@pytest.mark.parametrize(
    ("text", "shape", "dtype", "axes"),
    [
        ("x=float32[2,3]", (2, 3), "float32", {}),
        ("x = float32[batch, 3, height:224]", (3, 3, 224), "float32", {0: "batch", 2: "height"}),
        ("x=int32[batch,time]<1000", (3, 5), "int32", {0: "batch", 1: "time"}),
        ("x=bool[4]", (4,), "bool", {}),
        ("x=float64[]", (), "float64", {}),
        ("x=float16[n,n]", (3, 3), "float16", {0: "n", 1: "n"}),
    ],
)
def test_arrays(text: str, shape: Any, dtype: str, axes: Any) -> None:
    examples = read_examples([text])
    x = examples.inputs["x"]
    assert (x.shape, x.dtype, examples.dynamic_axes.get("x", {})) == (shape, dtype, axes)
    assert np.array_equal(read_examples([text]).inputs["x"], x)


def test_bounds_are_kept_and_reached() -> None:
    ids = read_examples(["ids=int32[1000]<7"]).inputs["ids"]
    assert ids.min() == 0 and ids.max() == 6


@pytest.mark.parametrize(
    ("text", "value"),
    [("n=3", 3), ("n=True", True), ("n=0.5", 0.5), ("n=None", None), ("n=['fc6', 'prob']", ["fc6", "prob"]), ("n=(1, 2)", (1, 2))],
)  # fmt: skip
def test_python_values(text: str, value: Any) -> None:
    assert read_examples([text]).inputs == {"n": value}


def test_lists() -> None:
    for text in ("xs=[int32[3],int32[7]]<500", "xs=[int32[3]<500,int32[7] < 500]"):
        xs = read_examples([text]).inputs["xs"]
        assert [x.shape for x in xs] == [(3,), (7,)] and 10 < max(x.max() for x in xs) < 500
    assert [x.shape for x in read_examples(["xs=[float32[2,3], float32[4,3]]"]).inputs["xs"]] == [
        (2, 3),
        (4, 3),
    ]


def test_one_name_is_one_size_over_all_inputs() -> None:
    inputs = read_examples(["x=float32[batch:4,3]", "y=int32[batch,other]"]).inputs
    assert inputs["y"].shape == (4, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x=float33[3]", "float33 is not a dtype of numpy.\nHint: did you mean `float32`?"),
        ("x=float[3]", "float is not a dtype of numpy.\nHint: did you mean `float32`?"),
        ("x=[batch,4]", f"[batch,4] {NEITHER}.\nHint: did you mean float32[batch,4]?"),
        ("x=np.float32[3]", f"np.float32[3] {NEITHER}.\nHint: did you mean float32[3]?"),
        ("xs=[int32[3]<0]", "the bound must be at least 1."),
        (
            "xs=[int32[3]<5,int32[4]<5",
            "only an array can have a bound.\nHint: a bracket is not closed",
        ),
        ("x=complex64[3]", "no model takes complex64."),
        ("x=f[3]", "f is not a dtype of numpy."),
        ("x=float32[3,-1]", "'-1' is neither a size nor a name."),
        ("x=f32", "f32 is neither an array such as float32[batch,3] nor a Python value."),
        ("x=int8[3]<1000", "int8 holds no numbers up to 1000."),
        ("x=int8[3]<0", "the bound must be at least 1."),
        ("x=[1,2]<5", "only an array can have a bound."),
        ("x=float32[n:3,n:4]", "`n` is 3 elsewhere."),
        (
            "x=[float32[a],float32[b]]",
            "the elements of a list have the same names of sizes.\nHint: for a size that each "
            "element has of its own, give unlike numbers, as in [float32[3],float32[5]]",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_examples([text])
    assert str(caught.value) == f"--input {text}: {message}"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    arrays = {"x": np.ones((2, 3), "f"), "n": np.array(3), "xs.0": np.zeros(1), "xs.1": np.zeros(2)}
    np.savez(path, **arrays)
    found = read_examples((), path).inputs
    assert found["x"].shape == (2, 3) and type(found["n"]) is int
    assert [x.shape for x in found["xs"]] == [(1,), (2,)]
    both = read_examples(["x=float32[batch,3]"], path)
    assert both.dynamic_axes == {"x": {0: "batch"}} and both.inputs["x"].shape == (2, 3)
    with pytest.raises(InputError, match=r"the file's x is float32\[2, 3\]"):
        read_examples(["x=float32[batch,4]"], path)


def test_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    with pytest.raises(InputError, match=r"Cannot read .*: No such file or directory"):
        read_examples((), path)
    path.write_bytes(b"text")
    with pytest.raises(InputError, match=r"is not an \.npz file of arrays"):
        read_examples((), path)
    np.savez(path, x=np.array([None]))
    with pytest.raises(InputError, match="x is not a plain array"):
        read_examples((), path)
    np.savez(path, **{"xs.1": np.zeros(1)})
    with pytest.raises(InputError, match="the elements of xs are not numbered from 0"):
        read_examples((), path)
