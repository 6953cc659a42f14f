"""What kernels of Chainer's backward passes compute, where they write into arrays in place."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer.functions.connection.bilinear import _as_mat as as_matrix
from chainer.functions.rnn.lstm import _extract_gates as extract_gates
from chainer.functions.rnn.tree_lstm import _extract_gates as extract_tree_gates


def sum_to(x: Any, shape: Any) -> Any:
    """Do what `chainer.utils.sum_to` computes."""
    return chainer.functions.sum_to(x, shape).array


def lstm(c_prev: Any, x: Any, c_next: Any, gc: Any, gh: Any) -> Any:
    """Do what the backward pass of `F.lstm` computes."""
    batch, none = len(x), c_prev.dtype.type(0)
    a, i, f, o = extract_gates(x)
    a, co = np.tanh(a), np.tanh(c_next[:batch])
    i, f, o = (chainer.functions.sigmoid(gate).array for gate in (i, f, o))
    gh = none if gh is None else gh
    through = gh * o * (1 - co * co) + (none if gc is None else gc[:batch])
    ga = through * i * (1 - a * a)
    gi = through * a * i * (1 - i)
    gf = through * c_prev[:batch] * f * (1 - f)
    go = gh * co * o * (1 - o)
    gx = np.stack([ga, gi, gf, go], axis=2).reshape(x.shape)
    through = through * f
    if batch == len(c_prev):
        return through, gx
    rest = np.zeros_like(c_prev[batch:]) if gc is None else gc[batch:]
    return np.concatenate([through, rest]), gx


def tree_lstm(cells: Any, x: Any, gc: Any, gh: Any) -> Any:
    """Do what the backward pass of `F.tree_lstm` computes."""
    none = x.dtype.type(0)
    a, i, o, *forget = extract_tree_gates(x, 3 + len(cells))
    a = np.tanh(a)
    i, o = chainer.functions.sigmoid(i).array, chainer.functions.sigmoid(o).array
    forget = [chainer.functions.sigmoid(f).array for f in forget]
    c = a * i
    for f, cell in zip(forget, cells, strict=True):
        c = c + f * cell
    co = np.tanh(c)
    gh = none if gh is None else gh
    through = gh * o * (1 - co * co) + (none if gc is None else gc)
    ga = through * i * (1 - a * a)
    gi = through * a * i * (1 - i)
    go = gh * co * o * (1 - o)
    gates = [ga, gi, go]
    for f, cell in zip(forget, cells, strict=True):
        gates.append(through * cell * f * (1 - f))
    return [through * f for f in forget] + [np.concatenate(gates, axis=1)]


def prelu(x: Any, weight: Any, gy: Any, cond: Any, reduce_axes: Any, extended_shape: Any) -> Any:
    """Do what the backward pass of `F.prelu` computes."""
    positive = cond >= 0
    by_weight = np.where(positive, gy.dtype.type(0), x * gy)
    if reduce_axes is not None:
        by_weight = np.asarray(by_weight.sum(axis=reduce_axes))
    return np.where(positive, gy, gy * weight.reshape(extended_shape)), by_weight


def diagonal(gy: Any, shape: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Do what the backward pass of `F.diagonal` computes."""
    axis1, axis2 = axis1 % len(shape), axis2 % len(shape)
    rest = [size for axis, size in enumerate(shape) if axis not in (axis1, axis2)]
    gx = np.zeros([shape[axis1], shape[axis2], *rest], gy.dtype)
    places = np.arange(gy.shape[-1])
    gx[places + max(-offset, 0), places + max(offset, 0)] = np.moveaxis(gy, -1, 0)
    return np.moveaxis(gx, (0, 1), (axis1, axis2))


def einsum(in_subs: str, out_sub: str, out_shape: Any, *inputs: Any) -> Any:
    """Do what the backward pass of `F.einsum` computes where no index is there twice."""
    known = "".join(name for name in out_sub if name in in_subs)
    subscripts = f"{in_subs}->{known}"
    if "@" in in_subs and "@" not in known:
        y = np.einsum(subscripts.replace("->", "->@").replace("@", "..."), *inputs)
        y = y.sum(axis=tuple(range(y.ndim - len(known))))
    else:
        y = np.einsum(subscripts.replace("@", "..."), *inputs)
    if known == out_sub:
        return y
    return np.broadcast_to(
        y[tuple(slice(None) if c in known else None for c in out_sub)], out_shape
    )


def bilinear(*inputs: Any) -> Any:
    """Do what the backward pass of `F.bilinear` computes."""
    e1, e2 = as_matrix(inputs[0]), as_matrix(inputs[1])
    weight, gy = inputs[2], inputs[-1]
    by_weight = np.einsum("ij,ik->jki", e1, e2).dot(gy)
    gy_weight = np.tensordot(gy, weight, axes=(1, 2))
    ge1 = np.einsum("ik,ijk->ij", e2, gy_weight)
    ge2 = np.einsum("ij,ijk->ik", e1, gy_weight)
    more: Any = ()
    if len(inputs) == 6:
        v1, v2 = inputs[3:5]
        more = (e1.T.dot(gy), e2.T.dot(gy), gy.sum(0))
        ge1 = ge1 + gy.dot(v1.T)
        ge2 = ge2 + gy.dot(v2.T)
    return (ge1.reshape(inputs[0].shape), ge2.reshape(inputs[1].shape), by_weight, *more)


def log_or(x: Any, least: float) -> Any:
    """Return logarithms, a given number where there is none."""
    known = x > 0
    return np.where(known, np.log(np.where(known, x, x.dtype.type(1))), x.dtype.type(least))


def of_labels(size: int, path: Any, length: Any, sequences: Any) -> Any:
    """Sum what paths give in [steps, batch, places] over the places of each label."""
    inside = np.arange(path.shape[1]) < length[:, None]
    chosen = np.logical_and(path[:, :, None] == np.arange(size), inside[:, :, None])
    found = np.matmul(sequences.transpose(1, 0, 2), chosen.astype(sequences.dtype))
    return found.transpose(1, 0, 2)
