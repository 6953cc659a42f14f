"""What is told of arguments that several examples showed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chainer import functions as F
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from elichika.model.inspection import inspect_model
from elichika.signature.profile import equal_sizes
from tests.programs import chain_with, f32


def several(self: Any, x: Any, mode: Any = None, s: Any = 1.5, ys: Any = ()) -> Any:
    if mode == "none":
        return None
    return F.sum(x, axis=1) * s + sum(len(y) for y in ys)


def model_of(forward: Any, calls: list[Any], **options: Any) -> elichika.CompiledModel:
    chain, (first, *more) = chain_with(forward), calls
    return elichika.compile_model(chain, first, examples=more, verify=False, **options)


CALLS = [
    (f32(2, 3),),
    (f32(5, 3), "none", 2),
    (f32(3, 3), None, 3.5, [f32(2, 4), f32(1, 4)]),
    (f32(3, 3), None, 4, [f32(7, 4)]),
]


def test_each_argument_has_a_line() -> None:
    model = model_of(several, CALLS, dynamic_axes={"x": {1: "c"}})
    assert [str(line) for line in model.report.profile] == [
        "x: float32[x_0, c]; seen: float32[2..5, 3] in 4 calls; axis 0 differs, axis 1 is c by "
        "dynamic_axes",
        "mode: None or 'none'; seen: None in 3 calls, 'none' in 1 call; its kind differs",
        "s: float or int; seen: float 1.5..3.5 in 2 calls, int 2..4 in 2 calls; its kind differs, "
        "numbers are inputs",
        "ys: () or list of float32[?, 4]; seen: () in 2 calls, list of 1..2 float32[1..7, 4] in 2 "
        "calls; its kind differs, axis 0 differs",
    ]
    assert str(model.report.profile[0]) in str(model.report)


def test_one_example_has_no_profile() -> None:
    model = model_of(several, CALLS[:1])
    assert model.report.profile == [] and "elichika.profile" not in str(model.proto.metadata_props)


def test_calls_are_counted() -> None:
    chain = chain_with(several)
    with elichika.profile(chain) as calls:
        for size in (3, 4, 3, 3, 9, 4):
            chain(f32(size, 3))
        chain(f32(2, 3), "none")
    model = elichika.compile_model(chain, calls, verify=False)
    assert [line.seen for line in model.report.profile] == [
        (("float32[2..9, 3]", 7),),
        (("None", 6), ("'none'", 1)),
    ]


def test_inspected(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model = model_of(several, CALLS, path=path)
    found = inspect_model(path)
    assert found.arguments == tuple(map(str, model.report.profile))
    assert found.result == "None or float32[x_0]"
    shown = CliRunner().invoke(app, ["inspect", str(path)]).stdout
    assert "│ result     │ None or float32[x_0]" in shown and "None in 3 calls" in shown


def test_nothing_to_tell_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model_of(several, CALLS[:1], path=path)
    found = inspect_model(path)
    assert found.arguments == () and found.result == ""
    shown = CliRunner().invoke(app, ["inspect", str(path)]).stdout
    assert "arguments" not in shown and "result" not in shown


def added(self: Any, x: Any, y: Any, z: Any = None) -> Any:
    return x + y if z is None else x + y + z


@pytest.mark.parametrize(
    ("calls", "groups"),
    [
        ([(f32(2), f32(2)), (f32(3), f32(3))], [["x_0", "y_0"]]),
        ([(f32(2), f32(1)), (f32(3), f32(3))], []),
        ([(f32(2), f32(2)), (f32(3), f32(3), f32(3)), (f32(4), f32(4), f32(4))]
        , [["x_0", "y_0", "z_0"]]),
        ([(f32(2), f32(1)), (f32(3), f32(3), f32(3)), (f32(4), f32(4), f32(4))]
        , [["x_0", "z_0"]]),
    ],
)  # fmt: skip
def test_sizes_that_were_equal_are_told(calls: Any, groups: Any) -> None:
    model = model_of(added, calls)
    assert equal_sizes(model.signature.inputs) == groups
    notes = [text for _, text in model.report.notes if "were equal in all examples" in text]
    assert [text.partition(" were")[0] for text in notes] == [", ".join(names) for names in groups]


def test_they_are_verified_together_and_apart() -> None:
    chain = chain_with(added)
    model = elichika.compile_model(chain, (f32(2), f32(2)), examples=[(f32(3), f32(3))])
    verified = model.report.verification
    assert "x_0=3" in verified.agreed
    assert [text for text, _ in verified.failed] == ["each size alone: x_0=3, y_0=5"]
