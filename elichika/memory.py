"""Which function nodes give a result that may share memory with an input."""

from __future__ import annotations

from chainer.functions.array.broadcast import BroadcastTo
from chainer.functions.array.cast import Cast
from chainer.functions.array.expand_dims import ExpandDims
from chainer.functions.array.get_item import GetItem
from chainer.functions.array.reshape import Reshape
from chainer.functions.array.split_axis import SplitAxis
from chainer.functions.array.squeeze import Squeeze
from chainer.functions.array.swapaxes import Swapaxes
from chainer.functions.array.transpose import Transpose

VIEW_FUNCTIONS: frozenset[type] = frozenset(
    {BroadcastTo, Cast, ExpandDims, GetItem, Reshape, SplitAxis, Squeeze, Swapaxes, Transpose}
)
