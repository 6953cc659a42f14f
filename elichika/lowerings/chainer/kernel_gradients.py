"""Kernels of backward passes that write in place, by programs that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
from chainer.functions.activation.prelu import PReLUFunctionGrad
from chainer.functions.array.diagonal import DiagonalGrad
from chainer.functions.connection.bilinear import BilinearFunctionGrad
from chainer.functions.math.einsum import DiagEinSum
from chainer.functions.rnn.lstm import LSTMGrad
from chainer.functions.rnn.tree_lstm import TreeLSTM

from elichika import idioms
from elichika.registry import always, lowers

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext


@lowers(chainer.utils.sum_to)
@always
def sum_to(w: ContainerContext, x: Any, shape: Any) -> Any:
    """Its axes may be known only when the model runs."""
    return w.call(idioms.backward.sum_to, [x, shape], {})


@lowers(LSTMGrad.forward)
@always
def lstm(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Chainer writes the gates into an array one by one."""
    return w.call(idioms.backward.lstm, list(w.static_items(inputs)), {})


@lowers(TreeLSTM.backward)
@always
def tree_lstm(w: ContainerContext, node: Any, inputs: Any, gradients: Any) -> Any:
    """Chainer writes the gates into an array one by one."""
    *cells, x = w.static_items(inputs)
    return w.call(idioms.backward.tree_lstm, [tuple(cells), x, *w.static_items(gradients)], {})


@lowers(PReLUFunctionGrad.forward_cpu)
@always
def prelu(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Chainer computes with a masked array."""
    settings = [w.get_attribute(node, name) for name in ("cond", "reduce_axes", "extended_shape")]
    w.call(w.get_attribute(node, "retain_inputs"), [(0, 1, 2)], {})
    return w.call(idioms.backward.prelu, [*w.static_items(inputs), *settings], {})


@lowers(DiagonalGrad.forward)
@always
def diagonal(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Chainer writes to the diagonal of zeros."""
    settings = [w.get_attribute(node, name) for name in ("out_shape", "offset", "axis1", "axis2")]
    return (w.call(idioms.backward.diagonal, [*w.static_items(inputs), *settings], {}),)


@lowers(DiagEinSum.forward)
@always
def einsum(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Chainer tries what old versions of numpy lack, and writes to diagonals of zeros."""
    in_subs, out_sub = w.get_attribute(node, "in_subs"), w.get_attribute(node, "out_sub")
    lacking = set(out_sub) - set(in_subs)
    if len(set(out_sub)) < len(out_sub) or "@" in lacking or (lacking and "@" in out_sub):
        w.refuse("the gradient of an einsum of these subscripts is not compiled")
    w.call(w.get_attribute(node, "retain_inputs"), [tuple(range(len(w.items(inputs))))], {})
    settings = [in_subs, out_sub, w.get_attribute(node, "out_shape")]
    y = w.call(idioms.backward.einsum, [*settings, *w.static_items(inputs)], {})
    return (y,)


@lowers(BilinearFunctionGrad.forward)
@always
def bilinear(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Chainer adds to arrays of which others are views."""
    w.call(w.get_attribute(node, "retain_inputs"), [tuple(range(len(w.items(inputs))))], {})
    return w.call(idioms.backward.bilinear, list(w.static_items(inputs)), {})
