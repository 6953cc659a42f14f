"""Recurrent networks over lists of sequences of unlike lengths, in any order.

The rows of all sequences are packed into one tensor [time, batch, units], ONNX's LSTM, GRU and RNN
run over it with the length of each sequence, and the rows that are there are taken out again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer import links as L
from chainer.functions.rnn import n_step_gru, n_step_lstm, n_step_rnn
from chainer.links.rnn import n_step_rnn as links

from elichika.lowerings import ragged
from elichika.lowerings.chainer.lists import require_descending
from elichika.lowerings.chainer.recurrent_layers import GRU, LSTM, RELU, TANH, Cell, Network, run
from elichika.lowerings.joined_lists import (
    array_type,
    arrays_in,
    require_alike,
    require_some,
    variables,
)
from elichika.lowerings.numpy.random_numbers import HINT
from elichika.lowerings.ragged import Ragged
from elichika.numbers.sizes import require_same
from elichika.registry import always, lowers, takes_choices
from elichika.values.kinds import is_choice, is_listed
from elichika.values.symbolic import Choice, DynamicTuple, Scalar
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

INT64 = np.dtype(np.int64)

# -- the links -----------------------------------------------------------------------------------


def _kind(link: Any) -> tuple[Cell, int] | None:
    """Return cell and directions of a link, unless it has an `rnn` of its own."""
    kinds = {
        L.NStepLSTM: (LSTM, 1),
        L.NStepBiLSTM: (LSTM, 2),
        L.NStepGRU: (GRU, 1),
        L.NStepBiGRU: (GRU, 2),
        L.NStepRNNTanh: (TANH, 1),
        L.NStepBiRNNTanh: (TANH, 2),
        L.NStepRNNReLU: (RELU, 1),
        L.NStepBiRNNReLU: (RELU, 2),
    }
    for cls in type(link).__mro__:
        if cls in kinds:
            return kinds[cls] if type(link).rnn is vars(cls)["rnn"] else None
    return None


@lowers(links.NStepRNNBase._call)
@takes_choices
def call_link(w: ContainerContext, link: Any, hs: Any, xs: Any, **kwargs: Any) -> Any:
    """Sequences in the caller's order; states start from zero where they are None.

    Walking it would sort the list by lengths that are known when the model runs: as many orders as
    there are sequences, and none for a list of dynamic length. ONNX's operators need no order.
    """
    xs = w.narrow(xs)
    kind = _kind(link)
    states = [w.narrow(h) for h in w.static_items(hs)]
    if is_choice(xs):
        w.refuse("the sequences are one of several things", "call the link in the branch")
    if kind is None or kwargs or not is_listed(xs) or w.tape.is_kept:
        return w.walked(links.NStepRNNBase._call, [link, hs, xs], kwargs)
    for index, state in enumerate(states):
        if is_choice(state):
            return w.choices.apply(state, partial(_with_state, w, link, states, xs, index))
    network = _network_of(w, link, *kind, states)
    with w.located():
        return _in_any_order(w, network, xs)


def _with_state(
    w: LoweringContext, link: Any, states: list[Any], xs: Any, index: int, state: Any
) -> Any:
    """Call a stacked recurrent link with one of its initial states replaced."""
    return call_link(w, link, w.new_list([*states[:index], state, *states[index + 1 :]]), xs)


def _network_of(
    w: LoweringContext, link: Any, cell: Cell, directions: int, states: list[Any]
) -> Network:
    layers = w.get_attribute(link, "n_layers")
    return Network(
        cell,
        layers,
        directions,
        [w.static_items(row) for row in w.static_items(w.get_attribute(link, "ws"))],
        [w.static_items(row) for row in w.static_items(w.get_attribute(link, "bs"))],
        [None if state is None else w.value_of(state) for state in states],
        _dropout(w, layers, w.get_attribute(link, "dropout")),
    )


def _in_any_order(w: ContainerContext, network: Network, xs: Any) -> tuple[Any, Any]:
    """Return the last states as a list, and the outputs as a list."""
    g = w.graph
    arrays = _arrays(w, xs)
    shortest = g.ReduceMin(arrays.lengths, [0], keepdims=0)
    some = g.Greater(shortest, g.constant(np.array(0)))
    w.check(some, IndexError, "a sequence of length 0")
    network = _with_batch(w, network, g.size(arrays.lengths, 0))
    limit = ragged.longest(g, arrays.lengths)
    zero = g.constant(np.zeros((), dtype_of(arrays.rows)))
    packed = ragged.padded(g, arrays, limit, zero, steps_first=True)
    ys, last = run(w, network, packed, arrays.lengths)
    rows = ragged.unpadded(g, arrays, g.Transpose(ys, perm=[1, 0, 2]))
    outputs = _split(w, rows, arrays.lengths, xs, [])
    return w.new_list([w.new_var(h) for h in last]), outputs


def _dropout(w: LoweringContext, layers: int, ratio: Any) -> float:
    """Return how much is left out between layers.

    Raises:
        StagingError: Something is, and the model must not draw random numbers.
    """
    ratio = w.narrow(ratio)
    if layers < 2 or not w.get_attribute(chainer.config, "train"):
        return 0.0
    if w.is_symbolic(ratio):
        w.refuse("the dropout of an n-step network must be known before the model runs")
    if ratio != 0 and not w.graph.random:
        what = "dropout between the layers of an n-step network draws random numbers"
        w.refuse(what, f"{HINT}, or with a dropout of 0")
    return float(ratio)


def _arrays(w: ContainerContext, xs: Any) -> Ragged:
    """Return the rows of a list of sequences [length, units], of known length or not."""
    g = w.graph
    if w.is_dynamic(xs):
        seq = arrays_in(w, xs)
        _require_matrices(w, seq.element)
        sequence = w.sequences.tensors(seq, "an n-step network")
        require_some(w, seq, IndexError, "list index out of range")
        require_alike(w, seq, TypeError, "the sequences differ along axis 1", 0)
        return ragged.from_sequence(g, sequence)
    items = w.static_items(xs)
    if not items:
        w.raise_static(IndexError("list index out of range"))
    arrays = [w.value_of(item) for item in items]
    if any(len(dims_of(a)) != 2 for a in arrays) or len({dtype_of(a) for a in arrays}) > 1:
        w.refuse("an n-step network takes matrices of one dtype")
    for array in arrays[1:]:
        units = [dims_of(a)[1] for a in (arrays[0], array)]
        require_same(w, units[:1], units[1:], TypeError, "the sequences differ along axis 1")
    return ragged.from_arrays(g, arrays)


def _require_matrices(w: LoweringContext, element: Any) -> None:
    array = array_type(element)
    if array is None or len(array.dims) != 2:
        w.refuse("an n-step network takes a list of matrices of one dtype")


def _with_batch(w: LoweringContext, network: Network, batch: Value) -> Network:
    """Cut initial states to the batch, as indexing by the order of the sequences does."""
    g = w.graph
    hs: list[Value | None] = []
    for h in network.hs:
        if h is None:
            hs.append(None)
            continue
        if len(dims_of(h)) != 3:
            w.refuse("the initial state of an n-step network has three axes")
        enough = g.GreaterOrEqual(g.size(h, 1), batch)
        w.check(enough, IndexError, "fewer initial states than sequences")
        # Not a slice, which may be too short: onnxruntime would read on behind it.
        hs.append(g.Gather(h, ragged.count_up(g, batch), axis=1))
    return replace(network, hs=hs)


def _split(w: ContainerContext, rows: Value, lengths: Value, xs: Any, like: Any) -> Any:
    """Return rows as a list or tuple of the arrays they are made of, as many as in `xs`."""
    g = w.graph
    if w.is_dynamic(xs):
        pieces = g.SplitToSequence(rows, lengths, axis=0)
        return variables(w, pieces, DynamicTuple() if like == () else [])
    count = len(w.static_items(xs))
    parts = (rows,) if count == 1 else g.Split(rows, lengths, axis=0, outputs=count)
    made = [w.new_var(part) for part in parts]
    return tuple(made) if like == () else w.new_list(made)


# -- the functions: sequences come transposed, one array for each time ---------------------------


@lowers(n_step_lstm.n_step_lstm_base)
@takes_choices
def lstm_base(
    w: ContainerContext,
    n_layers: Any,
    dropout_ratio: Any,
    hx: Any,
    cx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    use_bi_direction: Any,
) -> Any:
    """States h and c."""
    if w.tape.is_kept:
        args = [n_layers, dropout_ratio, hx, cx, ws, bs, xs, use_bi_direction]
        return w.walked(n_step_lstm.n_step_lstm_base, args, {})
    return _transposed(w, LSTM, n_layers, dropout_ratio, [hx, cx], ws, bs, xs, use_bi_direction)


@lowers(n_step_gru.n_step_gru_base)
@takes_choices
def gru_base(
    w: ContainerContext,
    n_layers: Any,
    dropout_ratio: Any,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    use_bi_direction: Any,
) -> Any:
    """State h."""
    if w.tape.is_kept:
        args = [n_layers, dropout_ratio, hx, ws, bs, xs, use_bi_direction]
        return w.walked(n_step_gru.n_step_gru_base, args, {})
    return _transposed(w, GRU, n_layers, dropout_ratio, [hx], ws, bs, xs, use_bi_direction)


@lowers(n_step_rnn.n_step_rnn_base)
@takes_choices
def rnn_base(
    w: ContainerContext,
    n_layers: Any,
    dropout_ratio: Any,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    activation: Any,
    use_bi_direction: Any,
) -> Any:
    """State h."""
    if w.tape.is_kept:
        args = [n_layers, dropout_ratio, hx, ws, bs, xs, activation, use_bi_direction]
        return w.walked(n_step_rnn.n_step_rnn_base, args, {})
    if activation not in ("tanh", "relu"):
        w.raise_static(ValueError(f"Invalid activation: {activation}"))
    cell = TANH if activation == "tanh" else RELU
    return _transposed(w, cell, n_layers, dropout_ratio, [hx], ws, bs, xs, use_bi_direction)


def _transposed(
    w: ContainerContext,
    cell: Cell,
    layers: Any,
    ratio: Any,
    hs: list[Any],
    ws: Any,
    bs: Any,
    xs: Any,
    two_ways: Any,
) -> Any:
    states, xs = [w.narrow(h) for h in hs], w.narrow(xs)
    if any(isinstance(v, (Choice, Scalar)) or v is None for v in (*states, xs)):
        w.refuse("an n-step network needs states and sequences that are certain to be there")
    network = Network(
        cell,
        layers,
        2 if two_ways else 1,
        [w.static_items(row) for row in w.static_items(ws)],
        [w.static_items(row) for row in w.static_items(bs)],
        [w.value_of(state) for state in states],
        _dropout(w, layers, ratio),
    )
    with w.located():
        return _time_by_time(w, network, xs)


def _time_by_time(w: ContainerContext, network: Network, xs: Any) -> tuple[Any, ...]:
    """Return the last states, and the outputs of each time as a tuple."""
    g = w.graph
    arrays = _arrays(w, xs)
    steps = arrays.lengths
    if not is_listed(xs) or w.is_dynamic(xs) or len(w.static_items(xs)) > 1:
        require_descending(w, steps)
    h = network.hs[0]
    assert h is not None
    if len(dims_of(h)) != 3:
        w.refuse("the initial state of an n-step network has three axes")
    batch = g.size(h, 1)
    fits = g.LessOrEqual(ragged.longest(g, steps), batch)
    w.check(fits, ValueError, "fewer initial states than sequences")
    network = _with_batch(w, network, batch)
    zero = g.constant(np.zeros((), dtype_of(arrays.rows)))
    packed = ragged.padded(g, arrays, batch, zero, steps_first=False)
    # Tied, as onnxruntime ends the process where it runs a layer before the check.
    packed = g.tie(packed, g.check(fits, "ValueError: fewer initial states than sequences"))
    numbers = g.Unsqueeze(ragged.count_up(g, batch), [1])
    there = g.Less(numbers, g.Unsqueeze(steps, [0]))
    lengths = g.ReduceSum(g.Cast(there, to=INT64), [1], keepdims=0)
    ys, last = run(w, network, packed, lengths)
    rows = ragged.unpadded(g, arrays, ys)
    return (*map(w.new_var, last), _split(w, rows, steps, xs, ()))


# -- what is for ChainerX alone ------------------------------------------------------------------


@lowers(*(module._combine_inputs for module in (n_step_gru, n_step_lstm, n_step_rnn)))
@always
def combine_inputs(w: ContainerContext, *args: Any) -> Any:
    """Put nothing into the list of what ChainerX would take: parameters are not in a list then."""
    return w.new_list(())


@lowers(*(module._extract_apply_in_data for module in (n_step_gru, n_step_lstm, n_step_rnn)))
@always
def extract_data(w: ContainerContext, inputs: Any) -> Any:
    """There is no array of ChainerX."""
    return False, ()


@lowers(n_step_gru._seperate_inputs, n_step_rnn._seperate_inputs)
@always
def separate_inputs(w: ContainerContext, *args: Any) -> Any:
    """There is nothing in that list: states, weights, biases, sequences."""
    return None, None, None, None


@lowers(n_step_lstm._seperate_inputs)
@always
def separate_lstm_inputs(w: ContainerContext, *args: Any) -> Any:
    """There is nothing in that list: states and cells, weights, biases, sequences."""
    return None, None, None, None, None
