"""Lowerings of `chainer.distributions`; what has none here is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chainer.distributions.bernoulli import BernoulliLogProb

from elichika import idioms
from elichika.registry import lowers
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(BernoulliLogProb)
def bernoulli_log_prob(w: LoweringContext, node: Any, logit: Value, x: Value) -> Value:
    """It lets numpy raise where x is not within 0 and 1."""
    given = [w.new_array(logit), w.new_array(x), node.binary_check]
    made = w.call(idioms.distributions.bernoulli_log_prob, given, {})
    y, node.logit_ispinf, node.logit_isminf, node.invalid = map(w.value_of, w.static_items(made))
    result: Value = y
    return result
