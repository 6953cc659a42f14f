"""`chainer.grad` through functions whose backward passes have lowerings, on several sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from elichika.cli.operators import operators
from elichika.compiler import compile_model
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.differentiated import KNOWN, differentiated, each
from tests.lowerings.chainer.table import ROWS, Row
from tests.lowerings.chainer.whole import make_chain

#: Functions whose gradients need more than a walk of what Chainer does.
NAMES = (
    *("add", "where", "broadcast", "sum_to", "im2col", "decov", "hinge", "tree_lstm"),
    *("convolution_2d", "convolution_3d", "deconvolution_1d", "deconvolution_2d"),
    *("average_pooling_2d", "average_pooling_nd", "max_pooling_2d", "max_pooling_1d"),
    *("unpooling_2d", "unpooling_1d", "upsampling_2d", "softmax_cross_entropy"),
    *("batch_normalization", "fixed_batch_normalization"),
    *("group_normalization", "local_response_normalization"),
)
#: What the page says, by name.
FOUND = {row.name: row for row in operators()}
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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("case", "call"), [*calls()])
def test_gradients(case: Case, call: str) -> None:
    # Of batches of two nearly all of the gradient of a normalization cancels.
    dtype = "float64" if call.startswith("F.batch_normalization") else "float32"
    found = differentiated(case, call, dtype)
    assert found is None or found.difference(dtype) is None


def first_calls() -> Iterator[Any]:
    """Yield the first call that Chainer differentiates of each function and link."""
    for row in ROWS:
        if row.name[:2] in ("F.", "L.") and FOUND[row.name].gradient == "yes":
            yield pytest.param(row, id=row.name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", [*first_calls()])
def test_what_is_said_of_gradients_holds(row: Row) -> None:
    """The page has all calls, on more sizes."""
    call, found, dtype = next(each(row.whole))
    assert found.difference(dtype, quick=True) is None or call in KNOWN


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
