"""Example inputs become specs, the call around them, and JSON; what does not fit is one line."""

# ruff: noqa: E501

from __future__ import annotations

import json
from collections import namedtuple
from typing import Any

import chainer
import numpy as np
import pytest

from elichika.errors import InputError
from elichika.signature import InputSignature, read_inputs
from elichika.signature.feeds import feeds_from_leaves, feeds_from_names
from tests.programs import f32

Pair = namedtuple("Pair", "left right")


def one(x: Any) -> Any: ...
def two(x: Any, y: Any = None) -> Any: ...
def many(*xs: Any, **options: Any) -> Any: ...
def unlike(x: Any, y: Any = 1j) -> Any: ...


def f64(*shape: int) -> np.ndarray[Any, Any]:
    return np.zeros(shape)


def described(function: Any, inputs: Any, **options: Any) -> list[str]:
    return [spec.describe() for spec in read_inputs(function, inputs, **options).specs]


@pytest.mark.parametrize(
    ("function", "inputs", "options", "expected"),
    [
        (one, f32(2, 3), {}, ["x float32[2, 3]"]),
        (one, (chainer.Variable(f32(2)),), {}, ["x float32[2]"]),
        (two, {"y": f32(2), "x": 3}, {}, ["x int", "y float32[2]"]),
        (two, (f32(2), None), {}, ["x float32[2]"]),
        (two, (f32(2), ["fc6", "prob"]), {}, ["x float32[2]"]),
        (two, (f32(2), 4), {"static": ("y",)}, ["x float32[2]"]),
        (one, True, {}, ["x bool"]),
        (one, np.float32(2), {}, ["x float32"]),
        (one, ([f32(2, 3), f32(4, 3)],), {}, ["x list of float32[?, 3]"]),
        (one, ([1, 2],), {}, ["x list of int"]),
        (one, ((f32(1), {"k": 2, "l": f32(3)}),), {}, ["x_0 float32[1]", "x_1_k int", "x_1_l float32[3]"]),
        (one, (Pair(f32(1), 2.0),), {}, ["x_left float32[1]", "x_right float"]),
        (many, {"xs": f32(1)}, {}, ["options_xs float32[1]"]),
        (many, (f32(1), f32(2)), {}, ["xs_0 float32[1]", "xs_1 float32[2]"]),
        (one, f32(2, 3), {"dynamic_axes": "batch"}, ["x float32[batch, 3]"]),
        (one, f32(2, 3), {"dynamic_axes": {0: {-1: "n"}}}, ["x float32[2, n]"]),
        (many, (f32(1), f32(2)), {"dynamic_axes": {1: {0: "n"}}}, ["xs_0 float32[1]", "xs_1 float32[n]"]),
        (one, ([f32(2, 3)],), {"dynamic_axes": {"x": {0: "t", "len": "b"}}}, ["x list of float32[t, 3]"]),
        (two, (f32(2), f32(3)), {"input_names": ["a", "b"]}, ["a float32[2]", "b float32[3]"]),
        (two, (f32(2), f32(3)), {"input_names": {"y": "b"}}, ["x float32[2]", "b float32[3]"]),
        (one, ([],), {"examples": [([f32(2)],)]}, ["x list of float32[2]"]),
        (one, ([f32(2)],), {"examples": [([f32(3)],)]}, ["x list of float32[?]"]),
        (one, f32(2, 3), {"examples": [f32(2, 4)]}, ["x float32[2, x_1]"]),
        (two, (f32(2), f32(2)), {"examples": [(f32(3), f32(3))]}, ["x float32[x_0]", "y float32[y_0]"]),
        (two, (f32(2), f32(2)), {"examples": [(f32(3), f32(3))], "dynamic_axes": {"x": {0: "y_0"}}}, ["x float32[y_0]", "y float32[y_0_2]"]),
        (one, f32(2), {"examples": [f32(3), 1]}, ["x_kind int", "x_float32 float32[x_float32_0]", "x_int int"]),
        (two, (f32(2),), {"examples": [(f32(2), 1.5)]}, ["x float32[2]", "y_kind int", "y float"]),
        (two, (f32(2), 3), {"static": ("y",), "examples": [(f32(2), 4)]}, ["x float32[2]", "y_kind int"]),
        (one, f32(2), {"examples": [f64(2)], "merge_dtypes": True}, ["x_kind int", "x_float32 float32[2]", "x_float64 float64[2]"]),
        (one, [{"a": 1}], {"examples": [[{"a": 2, "b": None}]]}, ["x_kind int", "x_a int"]),
        (one, [(1, f32(2))], {"examples": [[(1, f32(3), 2.0)]]}, ["x_kind int", "x_0 int", "x_1 float32[x_1_0]", "x_2 float"]),
        (many, (), {"examples": [{"a": 1}, {"a": True}]}, ["options_kind int", "options_a_kind int", "options_a_int int", "options_a_bool bool"]),
    ],
)  # fmt: skip
def test_specs(function: Any, inputs: Any, options: Any, expected: list[str]) -> None:
    assert described(function, inputs, **options) == expected


@pytest.mark.parametrize(
    ("function", "inputs", "options", "message"),
    [
        (one, (f32(1), f32(1)), {}, "The inputs do not fit one(x): too many positional arguments."),
        (two, {"z": f32(1)}, {}, "The inputs do not fit two(x, y): missing a required argument: 'x'.\nHint: two has no argument `z`"),
        (one, "x", {}, "inputs is a tuple of positional examples, a dict of keyword examples or one array, not a str."),
        (one, (object(),), {}, "`x` is an object, not an array, number, list, tuple, dict, str or None (name it in static to keep it as it is)."),
        (one, (np.array([None]),), {}, "`x` is an array of dtype object, which no model takes."),
        (one, (np.zeros(1, np.complex64),), {}, "`x` is an array of dtype complex64, which no model takes."),
        (one, (np.array("a"),), {}, "`x` is an array of dtype <U1, which no model takes."),
        (one, (chainer.Parameter(),), {}, "`x` is a Variable without data."),
        (one, ([],), {}, "`x` is an empty list, whose elements have no type; give an example with elements."),
        (one, ([f32(1), 2],), {}, "`x` mixes ndarray float32 and Python int (element 1); the elements of a list have one type."),
        (one, ([[1, 2]],), {}, "`x[0]` is a list; a list holds arrays or numbers of one kind (use a tuple for a fixed number of unlike things, or name it in static).\nHint: for an array of numbers pass np.array(x)"),
        (one, ([f32(1), None],), {}, "`x[1]` is a NoneType; a list holds arrays or numbers of one kind (use a tuple for a fixed number of unlike things, or name it in static)."),
        (one, ([f32(1), f32(1, 1)],), {}, "The arrays in `x` have ranks 1 and 2; those of a list have one."),
        (one, 2**63, {}, "`x` is 9223372036854775808, which does not fit into 64 bits."),
        (one, f32(1), {"static": ("n",)}, "static names `n`, but the arguments are `x`."),
        (one, f32(1), {"dynamic_axes": {"y": {0: "n"}}}, "dynamic_axes names 'y', but the inputs are `x`."),
        (many, (f32(1),), {"dynamic_axes": {1: {0: "n"}}}, "dynamic_axes names 1, but the inputs are `xs_0`."),
        (one, f32(1), {"dynamic_axes": {"x": {1: "n"}}}, "dynamic_axes: `x` has rank 1, so no axis 1."),
        (one, f32(1), {"dynamic_axes": {"x": {"len": "n"}}}, "dynamic_axes: `x` is not a list and has no 'len'."),
        (one, f32(1), {"dynamic_axes": {"x": {0: "2n"}}}, "dynamic_axes: the name of an axis of `x` is an identifier, not '2n'."),
        (one, f32(2, 3), {"dynamic_axes": {"x": {0: "n", 1: "n"}}}, "`n` is 2 at axis 0 of x and 3 at axis 1 of x."),
        (one, f32(1), {"input_names": "x"}, "input_names must be a list, such as ['x'], not 'x'."),
        (one, f32(1), {"input_names": ["a", "b"]}, "input_names has 2 names, but the inputs are `x`."),
        (one, f32(1), {"examples": [(f64(1),)]}, "`x` is float32[1] in inputs and float64[1] in examples[0]; give one dtype, or let the model take both with merge_dtypes=True."),
        (one, [[f32(1)]], {"examples": [(f32(1),), ([f64(1)],)]}, "`x` is a list of float32 in inputs and a list of float64 in examples[1]; give one dtype, or let the model take both with merge_dtypes=True."),
        (one, f32(2), {"examples": [f32(3)], "dynamic_axes": {"x": {0: None}}}, "dynamic_axes keeps axis 0 of `x` as it is, but its size is 2 in inputs and 3 in examples[0]."),
        (two, (f32(2), f32(2)), {"examples": [(f32(3), f32(4))], "dynamic_axes": "n"}, "examples[0]: `n` is 3 at axis 0 of x and 4 at axis 0 of y."),
        (unlike, (f32(2),), {"examples": [(f32(3), f32(4))]}, "`y` is left out in inputs and given in examples[0], and its default is a complex; give it in all examples, or in none."),
        (one, f32(1), {"examples": [(f32(1), 2)]}, "examples[0] does not fit one(x): too many positional arguments."),
        (two, ("a", "a"), {"examples": [(str(i), str(i)) for i in range(8)]}, "the kinds of arguments combine to 81 kinds of calls, 9 of `x`, 9 of `y`; a model takes up to 64."),
    ],
)  # fmt: skip
def test_bad_inputs(function: Any, inputs: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_inputs(function, inputs, **options)
    assert str(caught.value) == message


def test_rebuild_keeps_the_structure() -> None:
    signature = read_inputs(two, ((f32(1), {"k": 2}), ["fc6"]))
    call = signature.rebuild(["a", "b"])
    assert call.args == (("a", {"k": "b"}), ["fc6"]) and call.kwargs == {}


def test_keywords_and_gaps() -> None:
    def function(a: Any, b: Any = 1, *, c: Any = 2) -> Any: ...

    signature = read_inputs(function, {"c": f32(1), "a": f32(2)})
    assert [spec.name for spec in signature.specs] == ["a", "c"]
    assert signature.rebuild([1, 2]).kwargs == {"c": 2}
    with pytest.raises(InputError, match="`b` was left at its default when it was compiled"):
        signature.leaves((f32(2), 3), {"c": f32(1)})


def loaded(signature: InputSignature) -> InputSignature:
    return InputSignature.from_json(json.loads(json.dumps(signature.to_json())))


def test_json_keeps_everything_but_the_example() -> None:
    signature = read_inputs(
        two,
        (([f32(2, 3)], Pair(1, np.int8(3))), {"k": f32(2), 3: "text"}),
        dynamic_axes={"x_0": {"len": "n"}},
    )
    again = loaded(signature)
    assert again.specs == signature.specs and again.arguments == signature.arguments
    leaves = again.leaves((([f32(2, 3)], Pair(4, np.int8(5))), {"k": f32(2), 3: "text"}), {})
    assert feeds_from_leaves(again, leaves).keys() == {"x_0", "x_1_left", "x_1_right", "y_k"}


def test_a_static_argument_may_be_left_out_but_not_changed() -> None:
    signature = loaded(read_inputs(two, (f32(2), [1.5, float("inf")]), static=("y",)))
    assert len(signature.leaves((f32(2),), {})) == 1
    assert len(signature.leaves((f32(2), [1.5, float("inf")]), {})) == 1
    with pytest.raises(InputError, match="`y` is 3, but the model was compiled for"):
        signature.leaves((f32(2), 3), {})


def test_a_static_array_is_recognised_after_loading() -> None:
    signature = loaded(read_inputs(two, (f32(2), f32(5)), static=("y",)))
    assert len(signature.leaves((f32(2), f32(5)), {})) == 1
    with pytest.raises(InputError, match=r"`y` was fixed at float32\[5\]"):
        signature.leaves((f32(2), f32(5) + 1), {})


FEEDS = read_inputs(
    lambda x, n, xs, flag: None,
    (f32(2, 3), 3, [f32(2, 4)], True),
    dynamic_axes={"x": {0: "b"}, "xs": {0: "b"}},
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": 1}, "The model has no input `y`; its inputs are x, n, xs, flag."),
        ({"x": None}, "`x` must be an array, not a NoneType."),
        ({"x": f32(2, 3).astype("d")}, "`x` has dtype float64, not float32."),
        ({"x": f32(2)}, "`x` has rank 1, not 2."),
        ({"x": f32(2, 4)}, "`x` has size 4 on axis 1; the model was compiled for 3 (dynamic_axes leaves a size open)."),
        ({"x": f32(3, 3)}, "`b` is 3 at axis 0 of x and 2 at axis 0 of xs[0]."),
        ({"n": 2**64}, "`n` is 18446744073709551616, which does not fit into 64 bits."),
        ({"n": 2.0}, "`n` takes one int, not float 2.0."),
        ({"n": f32(1)}, "`n` takes one int, not an array of float32[1]."),
        ({"flag": 1}, "`flag` takes one bool, not int 1."),
        ({"xs": f32(1)}, "`xs` is a list, not ndarray."),
        ({"xs": [f32(2)]}, "`xs[0]` has rank 1, not 2."),
    ],
)  # fmt: skip
def test_bad_feeds(change: dict[str, Any], message: str) -> None:
    feeds = {"x": f32(2, 3), "n": 3, "xs": [f32(2, 4)], "flag": True}
    with pytest.raises(InputError) as caught:
        feeds_from_names(FEEDS, {**feeds, **change})
    assert str(caught.value) == message


def test_a_missing_feed() -> None:
    with pytest.raises(InputError, match="The input x float32\\[b, 3\\] is missing"):
        feeds_from_names(FEEDS, {})
