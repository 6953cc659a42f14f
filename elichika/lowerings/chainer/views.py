"""Which function nodes give a result that may share memory with an input."""

from __future__ import annotations

from chainer.functions.array.as_strided import AsStrided
from chainer.functions.array.broadcast import Broadcast, BroadcastTo
from chainer.functions.array.cast import Cast
from chainer.functions.array.copy import Copy
from chainer.functions.array.depth2space import Depth2Space
from chainer.functions.array.diagonal import Diagonal
from chainer.functions.array.expand_dims import ExpandDims
from chainer.functions.array.flip import Flip
from chainer.functions.array.fliplr import FlipLR
from chainer.functions.array.flipud import FlipUD
from chainer.functions.array.get_item import GetItem
from chainer.functions.array.moveaxis import Moveaxis
from chainer.functions.array.reshape import Reshape
from chainer.functions.array.rollaxis import Rollaxis
from chainer.functions.array.separate import Separate
from chainer.functions.array.space2depth import Space2Depth
from chainer.functions.array.split_axis import SplitAxis
from chainer.functions.array.squeeze import Squeeze
from chainer.functions.array.swapaxes import Swapaxes
from chainer.functions.array.transpose import Transpose
from chainer.functions.math.basic_math import MultiAdd
from chainer.functions.math.einsum import EinSum
from chainer.functions.math.identity import Identity
from chainer.functions.math.sum import SumTo
from chainer.functions.util.forget import Forget

#: These may even give an array that they were given.
SAME_FUNCTIONS: frozenset[type] = frozenset(
    {Broadcast, Cast, Copy, Forget, Identity, MultiAdd, Squeeze, SumTo}
)
#: What numpy forbids to write to.
READ_ONLY_FUNCTIONS: frozenset[type] = frozenset({BroadcastTo, Diagonal})
#: These may hold several elements in one place.
SPREAD_FUNCTIONS: frozenset[type] = frozenset({AsStrided, Broadcast})
#: Some share only at times: Cast to the same dtype, MultiAdd of one array, EinSum that transposes.
VIEW_FUNCTIONS: frozenset[type] = frozenset(
    {
        AsStrided,
        Broadcast,
        BroadcastTo,
        Cast,
        Copy,
        Depth2Space,
        Diagonal,
        EinSum,
        ExpandDims,
        Flip,
        FlipLR,
        FlipUD,
        Forget,
        GetItem,
        Identity,
        Moveaxis,
        MultiAdd,
        Reshape,
        Rollaxis,
        Separate,
        Space2Depth,
        SplitAxis,
        Squeeze,
        SumTo,
        Swapaxes,
        Transpose,
    }
)
