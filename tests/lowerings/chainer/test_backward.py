"""`chainer.grad` through functions whose backward passes have lowerings, on several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import chainer
import numpy as np
import pytest

from elichika.compiler import compile_model
from tests.lowerings.chainer.cases import Case, as_dtype, as_variables
from tests.lowerings.chainer.table import ROWS
from tests.lowerings.chainer.whole import _axes, _resized, arguments, make_chain
from tests.programs import difference

#: Functions whose gradients need more than a walk of what Chainer does.
NAMES = (
    *("add", "where", "broadcast", "sum_to", "im2col", "decov", "hinge", "tree_lstm"),
    *("convolution_2d", "convolution_3d", "deconvolution_1d", "deconvolution_2d"),
    *("average_pooling_2d", "average_pooling_nd", "max_pooling_2d", "max_pooling_1d"),
    *("unpooling_2d", "unpooling_1d", "upsampling_2d", "softmax_cross_entropy"),
    *("batch_normalization", "fixed_batch_normalization"),
    *("group_normalization", "local_response_normalization"),
)
#: Calls of which no gradient is compiled yet.
LEFT_OUT = ("enable_double_backprop", "F.pad(")


def calls() -> Iterator[Any]:
    """Yield the calls of the table."""
    for row in ROWS:
        if row.name.removeprefix("F.") in NAMES and row.name.startswith("F."):
            for number, case in enumerate(row.whole):
                for call in dict.fromkeys(case.expressions):
                    if not case.refused and not any(part in call for part in LEFT_OUT):
                        yield pytest.param(case, call, id=f"{call}-{number}")


def places(value: Any, at: str) -> Iterator[str]:
    """Yield how to reach the Variables of floats in a structure."""
    if isinstance(value, chainer.Variable):
        if value.dtype.kind == "f":
            yield at
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from places(part, f"{at}[{index}]")


def eager(chain: Any, inputs: Mapping[str, Any], train: bool) -> Any:
    """Return what a chain gives, or the exception that it raises."""
    try:
        with chainer.using_config("train", train), np.errstate(all="ignore"):
            return chain.forward(*arguments(inputs))
    except Exception as error:
        return error


def dtype_of(call: str) -> str:
    """Return what a call is compared in: of batches of two nearly all of the gradient cancels."""
    return "float64" if call.startswith("F.batch_normalization") else "float32"


def differentiating(case: Case, call: str) -> tuple[chainer.Chain, dict[str, Any]] | None:
    """Return a chain that gives the gradients of a call, and its inputs; None without any."""
    inputs, attributes = case.converted(dtype_of(call))
    result = eager(make_chain((call,), tuple(inputs), attributes), inputs, case.train)
    ys = list(places(result[0], "found"))
    xs = [place for name in inputs for place in places(as_variables(inputs[name]), name)]
    xs += [f"self.{name}" for name, held in attributes.items() if held.dtype.kind == "f"]
    if not ys or not xs:
        return None
    seeds = "chainer.Variable(F.cos(v / (1 + abs(v))).array)"
    grad = (
        f"(lambda found: [None if g is None else g.array for g in chainer.grad([{', '.join(ys)}], "
        f"[{', '.join(xs)}], [{seeds} for v in [{', '.join(ys)}]])])({call})"
    )
    return make_chain((grad,), tuple(inputs), attributes), inputs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("case", "call"), [*calls()])
def test_gradients(case: Case, call: str) -> None:
    found = differentiating(case, call)
    if found is None:
        return
    chain, inputs = found
    axes = _axes(inputs, case.axes or ())
    options: Any = {"dynamic_axes": axes or None, "train": case.train, "verify": False}
    model = compile_model(chain, arguments(inputs), **options)
    trials = [
        inputs,
        *(inputs | {n: as_dtype(v, dtype_of(call)) for n, v in o.items()} for o in case.others),
    ]
    random = np.random.RandomState(0)
    for axis in case.axes or ():
        trials += _resized(inputs, axis, random)
    for trial in trials:
        expected = eager(chain, trial, case.train)
        try:
            actual = model(*arguments(trial))
        except Exception as error:
            actual = error
        assert difference(expected, actual, {"float32": 1e-3, "float64": 1e-8}) is None, trial


@pytest.mark.parametrize(
    ("call", "slope"),
    [
        ("F.dropout(v, 0.4)", lambda x, y: y / x),
        ("F.gaussian(v, v * 0)", lambda x, y: np.ones_like(x)),
        ("F.zoneout(v * 0, v, 0.3)", lambda x, y: y / x),
        ("F.rrelu(v)", lambda x, y: y / x),
    ],
)
def test_what_was_drawn_is_what_gradients_see(call: str, slope: Any) -> None:
    text = (
        f"(lambda v, y: (y, chainer.grad([y], [v])))(*(lambda v: (v, {call}))(chainer.Variable(x)))"
    )
    chain = make_chain([text], ["x"], {})
    x = np.random.RandomState(0).randn(40, 3).astype("f")
    model = compile_model(
        chain, [x], train=True, random="onnx", verify=False, dynamic_axes={"x": {0: "n"}}
    )
    for rows in (x, x[:1], x[:0]):
        ((y, (gx,)),) = model(rows)
        np.testing.assert_allclose(gx, slope(rows, y), rtol=1e-5)
