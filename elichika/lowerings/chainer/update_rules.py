"""What the update rules of optimizers compute, in fewer operators than their Python.

A rule is walked like any program. For a small model most operators of a step would be checks of
single numbers, once for each parameter, that cannot fail where its hyperparameters are known.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from chainer.optimizers import adam

from elichika import idioms
from elichika.lowerings.python.context import ContainerContext
from elichika.registry import lowers
from elichika.values.symbolic import Scalar

_NOT_STARTED = (
    "Can't determine the learning rate of Adam optimizer because the update steps have not been "
    "started."
)


@lowers(adam._learning_rate)
def learning_rate(w: ContainerContext, hyperparam: Any, t: Any) -> Any:
    """Compute the rate of Adam; after the first update nothing fails if averages forget."""
    names = ("alpha", "beta1", "beta2")
    alpha, beta1, beta2 = (w.narrow(w.get_attribute(hyperparam, name)) for name in names)
    if not (type(t) is Scalar and t.type is int and _is_known(alpha, beta1, beta2)):
        return w.walked(adam._learning_rate, [hyperparam, t], {})
    g, zero = w.graph, w.graph.constant(0)
    w.check(w.scalar(bool, g.Not(g.Equal(t.onnx_value, zero))), RuntimeError, _NOT_STARTED)
    text = "math domain error or math range error"
    w.check(w.scalar(bool, g.Greater(t.onnx_value, zero)), ValueError, text)
    count = w.scalar_value(t, np.dtype(np.float64))
    first, second = (
        g.Sub(np.float64(1), g.Pow(np.float64(beta), count)) for beta in (beta1, beta2)
    )
    rate = g.Div(g.Mul(np.float64(alpha), g.Sqrt(second)), first)
    return w.scalar(float, rate, bound=math.ceil(abs(alpha) / (1 - beta1)) + 1)


def _is_known(alpha: Any, beta1: Any, beta2: Any) -> bool:
    """Tell whether hyperparameters are known, and such that the rate is a number."""
    if not all(type(one) in (int, float) for one in (alpha, beta1, beta2)):
        return False
    return 0 < beta1 < 1 and 0 < beta2 < 1 and math.isfinite(alpha / (1 - beta1))


@lowers(adam._inplace_axpby)
def add_in_place(w: ContainerContext, x: Any, a: Any, b: Any, y: Any) -> None:
    """Subtract what is added as its negative."""
    if type(a) is type(b) is float and (a, b) == (1.0, -1.0):
        w.call(idioms.gradients.subtract, [x, y], {})
    else:
        w.walked(adam._inplace_axpby, [x, a, b, y], {})
