"""Recurrences as people write them, each beside the ONNX operators that an expert would write.

Inputs are `xs` (time, batch, units); `UnlikeLengths` takes a list of such without the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import onnx

from benchmarks.loops_by_hand import FLOAT, info, model, node

__all__ = ["ROWS"]

#: In ONNX's order: places among Chainer's four gates of a unit, a, i, f, o.
ORDER = (1, 3, 2, 0)


class _Cells(chainer.Chain):
    def __init__(self, units: int, *kinds: Callable[[int, int], Any]) -> None:
        super().__init__()
        with self.init_scope():
            for number, kind in enumerate(kinds):
                setattr(self, f"cell{number}", kind(units, units))


class LastState(_Cells):
    """The last state of `L.LSTM`."""

    def __init__(self, units: int) -> None:
        super().__init__(units, L.LSTM)

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        self.cell0.reset_state()
        for t in range(xs.shape[0]):
            h = self.cell0(xs[t])
        return h


class AllStates(LastState):
    """All states of `L.LSTM`."""

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        self.cell0.reset_state()
        return F.stack([self.cell0(xs[t]) for t in range(xs.shape[0])])


class Stateless(_Cells):
    """The last state of `L.StatelessLSTM`, from None."""

    def __init__(self, units: int) -> None:
        super().__init__(units, L.StatelessLSTM)

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        c = h = None
        for t in range(xs.shape[0]):
            c, h = self.cell0(c, h, xs[t])
        return h


class Gated(_Cells):
    """The last state of `L.StatefulGRU`."""

    def __init__(self, units: int) -> None:
        super().__init__(units, L.StatefulGRU)

    forward = LastState.forward


class Tanh(chainer.Chain):
    """A recurrence of tanh units by `F.linear`."""

    def __init__(self, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.inner = L.Linear(units, units)
            self.outer = L.Linear(units, units)

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        h = np.zeros((xs.shape[1], xs.shape[2]), np.float32)
        for t in range(xs.shape[0]):
            inner = F.linear(xs[t], self.inner.W, self.inner.b)
            h = F.tanh(inner + F.linear(h, self.outer.W, self.outer.b))
        return h


class Stacked(_Cells):
    """The last state of two layers of `L.LSTM`."""

    def __init__(self, units: int) -> None:
        super().__init__(units, L.LSTM, L.LSTM)

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        self.cell0.reset_state()
        self.cell1.reset_state()
        for t in range(xs.shape[0]):
            h = self.cell1(self.cell0(xs[t]))
        return h


class BothWays(_Cells):
    """All states of two `L.LSTM`, of which one reads backwards."""

    def __init__(self, units: int) -> None:
        super().__init__(units, L.LSTM, L.LSTM)

    def forward(self, xs: Any) -> Any:
        """Run over time, twice."""
        self.cell0.reset_state()
        self.cell1.reset_state()
        there = [self.cell0(xs[t]) for t in range(xs.shape[0])]
        back = [self.cell1(xs[t]) for t in range(xs.shape[0] - 1, -1, -1)]
        return F.concat((F.stack(there), F.stack(back[::-1])), axis=2)


class UnlikeLengths(chainer.Chain):
    """The last states of `L.NStepLSTM` over sequences of unlike lengths."""

    def __init__(self, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.cell0 = L.NStepLSTM(1, units, units, 0.0)

    def forward(self, xs: Any) -> Any:
        """Run over all of them."""
        hy, _, _ = self.cell0(None, None, xs)
        return hy[0]


def _gates(array: Any) -> Any:
    split = array.reshape(len(array) // 4, 4, -1)
    return np.concatenate([split[:, gate] for gate in ORDER])


def _lstm(cell: Any, prefix: str = "") -> dict[str, Any]:
    bias = _gates(cell.upward.b.array)[:, 0]
    return {
        f"{prefix}w": _gates(cell.upward.W.array)[None],
        f"{prefix}r": _gates(cell.lateral.W.array)[None],
        f"{prefix}b": np.concatenate([bias, np.zeros_like(bias)])[None],
    }


def _graph(nodes: list[onnx.NodeProto], constants: dict[str, Any], units: int, all_: bool) -> Any:
    sizes = ["time", "batch", "width"] if all_ else ["batch", units]
    constants = {**constants, "first": np.array([0], np.int64), "second": np.array([1], np.int64)}
    given = [info("xs", FLOAT, ["time", "batch", units])]
    return model(nodes, given, [info("h", FLOAT, sizes)], constants)


def _last(op: str, constants: dict[str, Any], units: int) -> onnx.ModelProto:
    nodes = [
        node(op, ["xs", "w", "r", "b"], ["", "last"], hidden_size=units),
        node("Squeeze", ["last", "first"], ["h"]),
    ]
    return _graph(nodes, constants, units, False)


def _lstm_last(chain: Any, units: int) -> onnx.ModelProto:
    return _last("LSTM", _lstm(chain.cell0), units)


def _lstm_all(chain: Any, units: int) -> onnx.ModelProto:
    nodes = [
        node("LSTM", ["xs", "w", "r", "b"], ["all"], hidden_size=units),
        node("Squeeze", ["all", "second"], ["h"]),
    ]
    return _graph(nodes, _lstm(chain.cell0), units, True)


def _gru_last(chain: Any, units: int) -> onnx.ModelProto:
    cell = chain.cell0
    signs = (-1, 1, 1)  # ONNX's update gate says how much stays
    inner, outer = (cell.W_z, cell.W_r, cell.W), (cell.U_z, cell.U_r, cell.U)

    def together(links: Any, name: str) -> Any:
        arrays = (getattr(link, name).array for link in links)
        return np.concatenate([s * array for s, array in zip(signs, arrays, strict=True)])

    constants = {
        "w": together(inner, "W")[None].astype(np.float32),
        "r": together(outer, "W")[None].astype(np.float32),
        "b": np.concatenate([together(inner, "b"), together(outer, "b")])[None].astype(np.float32),
    }
    return _last("GRU", constants, units)


def _rnn_last(chain: Any, units: int) -> onnx.ModelProto:
    constants = {
        "w": chain.inner.W.array[None],
        "r": chain.outer.W.array[None],
        "b": np.concatenate([chain.inner.b.array, chain.outer.b.array])[None],
    }
    return _last("RNN", constants, units)


def _stacked(chain: Any, units: int) -> onnx.ModelProto:
    nodes = [
        node("LSTM", ["xs", "w", "r", "b"], ["all"], hidden_size=units),
        node("Squeeze", ["all", "second"], ["below"]),
        node("LSTM", ["below", "2w", "2r", "2b"], ["", "last"], hidden_size=units),
        node("Squeeze", ["last", "first"], ["h"]),
    ]
    constants = {**_lstm(chain.cell0), **_lstm(chain.cell1, "2")}
    return _graph(nodes, constants, units, False)


def _both(chain: Any, units: int) -> onnx.ModelProto:
    one, two = _lstm(chain.cell0), _lstm(chain.cell1)
    constants = {name: np.concatenate([one[name], two[name]]) for name in one}
    constants["sizes"] = np.array([0, 0, 2 * units], np.int64)
    names = ["xs", "w", "r", "b"]
    nodes = [
        node("LSTM", names, ["all"], hidden_size=units, direction="bidirectional"),
        node("Transpose", ["all"], ["beside"], perm=[0, 2, 1, 3]),
        node("Reshape", ["beside", "sizes"], ["h"]),
    ]
    return _graph(nodes, constants, units, True)


def _unlike(chain: Any, units: int) -> onnx.ModelProto:
    """Take the sequences padded, and their lengths, as ONNX has them."""
    layer = chain.cell0[0]

    def gates(kind: str, numbers: Any) -> Any:
        return np.concatenate([getattr(layer, f"{kind}{k}").array for k in numbers])

    inner, outer = (0, 3, 1, 2), (4, 7, 5, 6)  # of i, f, a, o
    constants = {
        "w": gates("w", inner)[None],
        "r": gates("w", outer)[None],
        "b": np.concatenate([gates("b", inner), gates("b", outer)])[None],
        "first": np.array([0], np.int64),
    }
    nodes = [
        node("LSTM", ["xs", "w", "r", "b", "lengths"], ["", "last"], hidden_size=units),
        node("Squeeze", ["last", "first"], ["h"]),
    ]
    lengths = onnx.helper.make_tensor_value_info("lengths", onnx.TensorProto.INT32, ["batch"])
    given = [info("xs", FLOAT, ["time", "batch", units]), lengths]
    return model(nodes, given, [info("h", FLOAT, ["batch", units])], constants)


#: The chain, what makes its operators, and whether its input is a list of sequences.
ROWS = {
    "L.LSTM, last state": SimpleNamespace(make=LastState, by_hand=_lstm_last, listed=False),
    "L.LSTM, all states": SimpleNamespace(make=AllStates, by_hand=_lstm_all, listed=False),
    "L.StatelessLSTM": SimpleNamespace(make=Stateless, by_hand=_lstm_last, listed=False),
    "L.StatefulGRU": SimpleNamespace(make=Gated, by_hand=_gru_last, listed=False),
    "tanh by F.linear": SimpleNamespace(make=Tanh, by_hand=_rnn_last, listed=False),
    "two layers": SimpleNamespace(make=Stacked, by_hand=_stacked, listed=False),
    "both directions": SimpleNamespace(make=BothWays, by_hand=_both, listed=False),
    "unlike lengths": SimpleNamespace(make=UnlikeLengths, by_hand=_unlike, listed=True),
}
