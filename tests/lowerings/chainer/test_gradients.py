"""Lowerings of the functions that backward passes of Chainer apply, each held alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest
from chainer.functions.connection.convolution_2d import Convolution2DGradW
from chainer.functions.connection.convolution_nd import ConvolutionNDGradW
from chainer.functions.loss import softmax_cross_entropy as sce

from tests.lowerings.chainer import alone
from tests.lowerings.chainer.cases import Case, as_variables
from tests.lowerings.chainer.table import ALONE, alone_id
from tests.lowerings.chainer.test_left_behind import seeds, variables

#: The functions of Chainer whose backward passes apply functions that have lowerings, and these.
OF = {
    "F.convolution": (Convolution2DGradW, ConvolutionNDGradW),
    "F.deconvolution": (Convolution2DGradW, ConvolutionNDGradW),
    "F.softmax_cross_entropy": (sce._SoftmaxCrossEntropyGrad_NoDoubleBackprop,),
}
CASES = [
    pytest.param(case, call, dtype, kinds, id=f"{alone_id(case, call)}-{dtype}")
    for case, call in ALONE
    for name, kinds in OF.items()
    if call.startswith(name) and "enable_double_backprop" not in call
    for dtype in case.dtypes
]


def record(
    call: str, inputs: Mapping[str, Any], attributes: Mapping[str, Any], kinds: tuple[Any, ...]
) -> list[alone.Recorded]:
    """Return what the backward pass of a call applies of some classes."""
    names = {name: as_variables(value) for name, value in inputs.items()}
    scope = SimpleNamespace(**attributes)
    ys = list(variables(eval(call, {"F": F, "np": np, "chainer": chainer, "self": scope} | names)))
    xs = [*variables(list(names.values())), *variables(list(attributes.values()))]

    def grad() -> None:
        chainer.grad(ys, xs, seeds(ys))

    calls = alone.record("grad()", {}, {}, scope={"grad": grad})
    return [call for call in calls if isinstance(call.node, kinds)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("case", "call", "dtype", "kinds"), CASES)
def test_each_gradient_alone(case: Case, call: str, dtype: str, kinds: tuple[Any, ...]) -> None:
    inputs, attributes = case.converted(dtype)
    calls = record(call, inputs, attributes, kinds)
    assert calls
    for symbolic in (False, True):
        models = [alone.build(call, symbolic) for call in calls]
        for built, recorded in zip(models, calls, strict=True):
            alone.same(built, recorded, case.tolerance)
    for required, other in alone.others(case, inputs):
        try:
            again = record(call, other, attributes, kinds)
        except Exception:
            if required:
                raise
            continue
        for built, recorded, first in zip(models, again, calls, strict=False):
            if alone.fits(recorded, first, symbolic=True):
                alone.same(built, recorded, case.tolerance)
