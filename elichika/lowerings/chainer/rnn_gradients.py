"""The gradients of steps of gated cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chainer.functions.rnn.lstm import LSTMGrad

from elichika import idioms
from elichika.registry import always, lowers

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext


@lowers(LSTMGrad.forward)
@always
def lstm_gradient(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Put the gates together where Chainer writes them into an array one by one."""
    return w.call(idioms.cells.lstm_back, list(w.static_items(inputs)), {})
