"""Numpy's functions and methods, grouped as numpy's documentation groups them."""

from __future__ import annotations

import numpy as np
import pytest

from elichika import StagingError
from tests.lowerings.numpy.harness import Case, case, check, compiled, model_of, values

F = values("float32", 4, 3)
D = values("float64", 4, 3)
H = values("float16", 4, 3)
I = values("int64", 4, 3)  # noqa: E741
J = values("int32", 4, 3)
U = values("uint8", 4, 3)
B = values("bool", 4, 3)
C = values("float32", 2, 3, 4)
V = values("float32", 5)
P = np.abs(D) + 0.5
KINDS = (F, D, H, I, J, U, B)


def over(code: str, arrays: tuple[np.ndarray, ...] = KINDS) -> list[Case]:
    return [case(code, x=array) for array in arrays]


def legal(cases: list[Case]) -> list[Case]:
    """Leave out the dtypes that numpy itself refuses."""
    kept = []
    for one in cases:
        try:
            with np.errstate(all="ignore"):
                eval(one.code, {"np": np}, dict(one.inputs))
        except TypeError:
            continue
        kept.append(one)
    return kept


ATTRIBUTES = [
    *over("x.shape, x.ndim, x.size, x.dtype.itemsize, x.itemsize, x.nbytes, len(x)", (F, U, C)),
    case("x.T, x.real, x.imag", x=F),
    case("x.T", x=C),
    case("y = x.T\ny[0] = 7\nreturn x, y", x=F),
    case("x[0, 0].shape, x[0, 0].ndim, x[0, 0].size, x[0, 0].dtype.itemsize", x=F, resize=False),
]

CREATION = [
    case("np.zeros(x.shape), np.ones(x.shape, np.int32), np.empty(x.shape).shape", x=F),
    case("y = np.ndarray((n, 2), np.float32)\ny[:] = n\nreturn y", {"n": 0}, {"n": -1}, n=2),
    case("np.full(x.shape, n), np.full((2, n), 1.5, 'f')", {"n": 0}, {"n": -1}, x=F, n=2),
    case("np.zeros((n, 3)), np.zeros(n), np.eye(n), np.identity(n)", {"n": 0}, {"n": -2}, n=2),
    *over("np.zeros_like(x), np.ones_like(x), np.full_like(x, 2), np.empty_like(x).shape"),
    case("np.zeros_like(x, dtype=np.float64)", x=J),
    case("np.array(x), np.array([x, x]), np.array([x[0], x[1]], np.float64)", x=F),
    case("np.array([n, 2, n]), np.array([[n, 1.5], [0, n]])", {"n": -1}, n=3),
    case("np.array(n), np.array([n], 'f'), np.asarray([x[0, 0], n])", x=F, n=3, resize=False),
    case("np.asarray(x, np.float64), np.ascontiguousarray(x), np.array(x, ndmin=3)", x=F),
    case("y = np.asarray(x)\ny += 1\nreturn x, y", x=F),
    case("y = np.array(x)\ny += 1\nreturn x, y", x=F),
    case("y = np.array(x, copy=False)\ny += 1\nreturn x, y", x=F),
    case("y = x.copy()\ny += 1\nreturn x, y, np.copy(x)", x=F),
    case("np.arange(n), np.arange(1, n), np.arange(0, n, 2)", {"n": 0}, {"n": 7}, {"n": -3}, n=4),
    case("np.arange(n, 0, -1), np.arange(n, dtype='f')", {"n": 0}, {"n": 7}, n=4),
    case("np.arange(x.shape[0]), np.arange(x.size).reshape(x.shape)", x=F),
    case("np.arange(0, f, 0.5), np.arange(f)", {"f": 0.0}, {"f": 3.3}, {"f": -1.0}, f=2.0),
    case("np.linspace(0, f, 5), np.linspace(f, 1, n)", {"n": 1}, {"n": 0}, {"f": -2.0}, f=2.0, n=3),
    case("np.linspace(0, n, 4, endpoint=False)", {"n": 0}, n=3),
    case("np.eye(n, 3), np.eye(3, n, 1), np.tri(n), np.tri(n, 3, -1, np.int32)", {"n": 0}, n=2),
    *over("np.tril(x), np.triu(x, 1), np.tril(x, -1)"),
    case("np.triu(x)", x=C),
    case("np.meshgrid(x, y), np.meshgrid(x, y, indexing='ij')", x=V, y=V[:3].copy()),
    case("np.meshgrid(x, y, sparse=True)", x=V, y=V[:3].copy()),
    case("type(np.meshgrid(x, x)) is tuple, type(np.atleast_2d(x, x[0])) is tuple", x=V[:3].copy()),
    case("type(np.broadcast_arrays(x, x[:1])) is tuple, np.atleast_3d(x, x[0])[1]", x=F),
    case("np.diag(x), np.diag(x, 1), np.diag(x, -2)", x=V),
    case("np.diag(x), np.diag(x, 1), np.diag(x, -2)", x=F),
    case("np.float32(n), np.int64(f), np.float64(n) / 2, np.bool_(n)", {"n": 0}, n=3, f=-2.7),
    *over("np.float32(x), np.int32(x), np.float16(x), np.bool_(x)", (F, I, B)),
]

SHAPE = [
    case("x.reshape(-1), x.reshape(3, 4), x.reshape((2, -1)), x.reshape(-1, 6)", x=F),
    case("x.reshape(x.shape[0], -1), x.reshape(x.shape[1], x.shape[0])", x=F),
    case("np.reshape(x, (x.size,)), x.reshape(1, *x.shape)", x=F),
    case("x.reshape(n, -1)", {"n": 4}, {"n": 5}, {"n": -1}, {"n": 0}, x=F, n=2),
    case("y = x.reshape(-1)\ny[0] = 9\nreturn x, y", x=F),
    case("y = x[1].reshape(3, 1)\ny[0] = 100\nreturn x, y", x=F),
    case("y = x.ravel()\ny += 1\nreturn x", x=F),
    case("y = x.flatten()\ny += 1\nreturn x, y", x=F),
    case("x.T.reshape(-1), x.T.ravel(), (x.T + 1).reshape(2, 6)", x=F, resize=False),
    case("x.ravel(), np.ravel(x), x[0, 0].reshape(1)", x=F, resize=False),
    case("x.transpose(), x.transpose(0, 2, 1), x.transpose((2, 0, 1))", x=C),
    case("np.transpose(x), np.transpose(x, (1, 2, 0)), np.swapaxes(x, 0, -1)", x=C),
    case("x.swapaxes(0, 1), np.moveaxis(x, 0, -1), np.moveaxis(x, [0, 1], [1, 0])", x=C),
    case("np.rollaxis(x, 2), np.rollaxis(x, 2, 1)", x=C),
    case("y = x.transpose(1, 0)\ny[0] += 1\nreturn x", x=F),
    case("y = np.moveaxis(x, 0, -1)\ny[0, 0] = 5\nreturn x", x=C),
    case("np.expand_dims(x, 0), np.expand_dims(x, -1), np.expand_dims(x, (0, 2))", x=F),
    case("y = np.expand_dims(x, 1)\ny[0] = 5\nreturn x", x=F),
    case("x[:, :1].squeeze(1), np.squeeze(x[:1], 0)", x=F),
    case("x.squeeze(), x.squeeze(0), x.squeeze((0, 2))", x=F[:1, :, None].copy(), symbolic=False),
    case("np.broadcast_to(x, (2, 4, 3))", x=F),
    case("np.broadcast_to(x[0], x.shape), np.broadcast_to(x[:1], (n, 3))", {"n": 0}, x=F, n=5),
    case("y = np.broadcast_to(x, (2, 4, 3))\nz = x.diagonal()\nx += 1\nreturn y, z", x=F),
    case("np.broadcast_arrays(x, y)", x=F, y=F[:1].copy()),
    case("np.atleast_1d(n), np.atleast_2d(x), np.atleast_3d(x)", x=V, n=3),
    case("np.atleast_3d(x), np.atleast_2d(x)", x=F),
    case("np.flip(x), np.flip(x, 0), np.flip(x, (0, 1)), np.fliplr(x), np.flipud(x)", x=F),
    case("np.rot90(x), np.rot90(x, 2), np.rot90(x, -1), np.rot90(x, 1, (1, 0))", x=F),
    case("np.roll(x, 1), np.roll(x, -2, 0), np.roll(x, (1, 2), (0, 1))", x=F),
    case("np.roll(x, n), np.roll(x, n, 1)", {"n": -7}, {"n": 0}, x=F, n=2),
    case("np.roll(x, (1, n)), np.roll(x, np.array([n, 2]), (0, 1))", {"n": -7}, {"n": 0}, x=F, n=2),
    case("np.repeat(x, 2), x.repeat(3, 0), np.repeat(x, 2, axis=1)", x=F),
    case("np.repeat(x, n, 1)", {"n": 0}, {"n": -1}, x=F, n=2),
    case("np.repeat(x, [1, 0, 2], 1), x.repeat(r, axis=0)", x=F, r=np.array([2, 0, 1, 3])),
    case("np.tile(x, 2), np.tile(x, (2, 1)), np.tile(x, (2, 1, 2))", x=F),
    case("np.tile(x, n), np.tile(x, (n, 1))", {"n": 0}, x=F, n=2),
    case("np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)", x=F),
    *over("x.astype(np.float64), x.astype('i'), x.astype(bool), x.astype(np.uint8)"),
    case("y = x.astype('f', copy=False)\ny += 1\nreturn x", x=F),
    case("y = x.astype('f')\ny += 1\nreturn x", x=F),
    case("x.fill(3)\nreturn x", x=F),
    case("x.fill(n)\nreturn x", x=J, n=2.5),
    case("x.item(), x[0].item() + 1", x=V[:1].copy(), resize=False),
    case("x.item(1), x.item(0, 2), x.item(-1)", x=F),
    case("x.tolist()", x=F, symbolic=False),
]

JOINING = [
    case("np.concatenate((x, y)), np.concatenate([x, y], 0)", x=F, y=values("float32", 2, 3)),
    case("np.concatenate((x, x, x), axis=-1), np.concatenate((x, x), None)", x=F),
    case("np.concatenate((x, n), None), np.concatenate((n, x.astype('i')), axis=None)", x=F, n=2),
    case("np.concatenate((x, y), 1)", x=F, y=I),
    case("np.tensordot(x, n, 0), np.tensordot(x.astype('b'), n, 0)", x=F, n=2),
    case("np.concatenate((x, y), dtype=np.float16)", x=F, y=D),
    case("np.stack((x, y)), np.stack([x, y], 1), np.stack([x, y], axis=-1)", x=F, y=D),
    case("np.vstack((x, x)), np.hstack((x, x)), np.dstack((x, x))", x=F),
    case("np.vstack((x, x)), np.hstack((x, x)), np.dstack((x, x))", x=V),
    case("np.vstack((x[0], x)), np.hstack((x, x[:, :1])), np.dstack((x[0], x[0]))", x=F),
    case("np.hstack((n, x)), np.vstack((x, [n] * len(x)))", {"n": -1}, x=V, n=2, resize=False),
    case("np.vstack(x), np.hstack(x), np.dstack(x)", x=F, resize=False, symbolic=False),
    case("np.column_stack((x, x)), np.append(x, x), np.append(x, 3)", x=V),
    case("np.append(x, x, 0), np.column_stack((x, x[:, 0]))", x=F),
    case("np.split(x, 2), np.split(x, 3, 1), np.split(x, [1, 3]), np.vsplit(x, 2)", x=F),
    case("np.array_split(x, 3), np.array_split(x, 2, 1), np.hsplit(x, [1])", x=F),
    case("np.split(x, [n, 3])", {"n": 0}, {"n": -1}, x=F, n=1),
    case("y = np.split(x, 2)[1]\ny += 1\nreturn x", x=F),
    case("np.pad(x, 1), np.pad(x, ((1, 2), (0, 1))), np.pad(x, (2, 0))", x=F),
    case("np.pad(x, 1, 'constant', constant_values=3), np.pad(x, 1, mode='edge')", x=F),
    case("np.pad(x, ((n, 0), (0, 1)), 'edge')", {"n": 0}, {"n": -1}, x=F, n=2),
    case("np.pad(x, 1, 'reflect'), np.pad(x, ((2, 1), (0, 2)), 'reflect')", x=F, resize=False),
    case(
        "np.pad(x, ((n, 0), (0, 3 * n)), 'reflect'), np.pad(x, n, 'symmetric')",
        {"n": 0},
        {"n": 9},
        {"n": -1},
        x=F,
        n=2,
    ),
    case("np.pad(x, ((0, n), (2 * n, 1)), 'wrap')", {"n": 0}, {"n": 7}, x=F, n=1),
    case("np.pad(x, 2)", x=J),
]

REDUCTIONS = [
    *legal(over("x.sum(), x.sum(0), x.sum(axis=1, keepdims=True), np.sum(x, (0, 1))")),
    *legal(over("x.prod(), x.prod(0), np.prod(x, axis=-1)", (D, I, U, B))),
    *legal(over("x.mean(), x.mean(0), np.mean(x, axis=(0, 1), keepdims=True)")),
    *legal(over("x.max(), x.min(), x.max(0), np.min(x, axis=1, keepdims=True), np.amax(x, -1)")),
    *legal(over("x.argmax(), x.argmin(), x.argmax(0), np.argmin(x, axis=1)")),
    *legal(over("x.std(), np.std(x, 0), x.var(1), np.var(x, axis=0, keepdims=True)")),
    *over("x.any(), x.all(), np.any(x, 0), np.all(x, axis=1, keepdims=True)"),
    *legal(over("x.cumsum(), x.cumsum(0), np.cumsum(x, axis=-1)")),
    *legal(over("x.cumprod(), x.cumprod(0), np.cumprod(x, axis=1)", (D, I, U))),
    *over("np.count_nonzero(x), np.count_nonzero(x, 0)"),
    case("x.sum(dtype=np.float64), x.sum(0, np.float16), x.sum(axis=())", x=F),
    case("x.sum(2), x.max((0, 2)), x.mean((1, 2)), x.any(1)", x=C),
    case("x.std(ddof=1), x.var(0, ddof=1)", x=D),
    case("np.ptp(x), np.ptp(x, 0), x.ptp(1)", x=F),
    case("np.average(x), np.average(x, 0), np.average(x, weights=y)", x=D, y=P),
    case("np.average(x, 1, weights=y)", x=D, y=np.array([1.0, 2.0, 3.0])),
    case("np.diff(x), np.diff(x, axis=0), np.diff(x, 2, 0)", x=F),
    case("np.diff(x)", x=B),
    case("np.diff(x, prepend=0), np.diff(x, axis=0, append=x[:1]), np.diff(x, 0)", x=F),
    case("np.max(x, initial=0), np.min(x, 0, initial=1)", x=F),
    case("np.nansum(x), np.nanmean(x, 0), np.nanprod(x, 1)", x=np.where(B, np.nan, D)),
    case("np.nanmean(x, 0, 'float32'), np.nanmean(x, dtype='f')", x=np.where(B, np.nan, D)),
    case("np.linalg.norm(np.asarray(f)), np.repeat(x, 0, 1)", {"f": -2.0}, x=D, f=3.0),
    case("np.fmod(1, x), np.fmod([1], x), np.fmod(x, -2)", x=I),
    case("np.unique(x, axis=0)", x=np.array([np.nan, 1, np.nan, 0, -0.0])),
    case("np.average(x, axis=(-1,))", {"x": np.zeros((0, 3))}, x=D),
    case("np.repeat(x, n, 1)", {"x": D[:, :0], "n": -1}, {"n": -1}, {"n": 0}, x=D, n=2),
    case("y = np.asarray(n, np.uint8)\nreturn np.lcm(y.T, y)", {"n": 200}, {"n": 0}, n=3),
    case("x.max(), x.max(0), x.argmax(1), x.argmin(), x.min(1)", x=np.where(B, np.nan, F)),
    case("np.sort(x), np.argsort(x, 0, 'stable')", x=np.where(B, np.nan, F)),
    *over("np.take_along_axis(x, np.argsort(x, 0), 0)", (np.where(B, np.nan, F), J, B)),
    case("out = np.zeros(3)\nnp.sum(x, 0, out=out)\nreturn out", x=D, resize=False),
    case("np.add.reduce(x), np.add.reduce(x, 1), np.maximum.reduce(x, axis=None)", x=F),
    case("np.median(x), np.median(x, 0)", x=D, symbolic=False),
]

FLOATS = (F, D, H, J)
MATH = [
    *(
        case(f"np.{name}(x)", x=array, resize=array is D)
        for name in (
            *("exp", "sin", "cos", "tan", "arctan", "tanh", "sinh", "cosh", "arcsinh", "expm1"),
            *("floor", "ceil", "rint", "trunc", "fix", "sign", "abs", "fabs", "square", "negative"),
            *("exp2", "cbrt", "degrees", "radians", "isnan", "isinf", "isfinite", "signbit"),
            *("logical_not", "nan_to_num", "isposinf", "isneginf"),
        )
        for array in FLOATS
    ),
    *(
        case(f"np.{name}(x)", x=array.astype(dtype), resize=False)
        for name, array in (
            *(("log", P), ("sqrt", P), ("log2", P), ("log10", P), ("reciprocal", P)),
            *(("log1p", P - 0.9), ("log1p", P * 1e-9), ("expm1", P * 1e-9), ("sinh", P * 1e-9)),
            *(("arcsin", P / 6), ("arccos", P / 6), ("arctanh", P / 6), ("arccosh", P + 1)),
            *(("arcsinh", P * 1e-9), ("arctan", P * 1e9), ("arctan", P * 1e-9)),
        )
        for dtype in ("float32", "float64")
    ),
    *(
        case("np.expm1(x), np.sinh(x), np.cosh(x)", x=np.linspace(-top, top, 701, dtype=dtype))
        for dtype, top in (("float32", 89.4), ("float64", 710.4), ("float16", 11.7))
    ),
    *(
        case("np.arccosh(x)", x=np.append(-np.logspace(-3, 30, 67), P[0]).astype(dtype))
        for dtype in ("float32", "float64")
    ),
    case("np.exp(n), np.sqrt(n), np.floor(f), abs(np.float32(f))", {"f": -3.5}, n=3, f=2.5),
    case(
        "np.log(x), np.sqrt(x), np.exp(x), np.log1p(x), np.expm1(x), np.sinh(x), np.arcsinh(x), "
        "np.isnan(x), np.isinf(x), np.isfinite(x), np.sign(x), np.floor(x), np.arctan(x), "
        "np.tanh(x), np.nan_to_num(x), np.cosh(x), np.signbit(x), np.isposinf(x)",
        x=np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e300, -1e300]),
        resize=False,
    ),
    *(
        case(f"np.{name}(x, y)", x=a, y=b, resize=False)
        for name in (
            *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "mod", "fmod"),
            *("maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp", "copysign"),
            *("less", "greater_equal", "equal", "logical_and", "logical_xor", "heaviside"),
        )
        for a, b in ((F, F[::-1].copy()), (D, J), (I, U))
    ),
    *(case(f"np.{name}(x, y)", x=I, y=U) for name in ("bitwise_and", "left_shift", "power")),
    case("np.power(x, 2), np.power(x, 0.5), np.float_power(x, 2)", x=P),
    case("np.add(x, n), np.multiply(n, x), np.maximum(x, n)", {"n": -1}, x=F, n=2),
    case("np.add(x, 1, out=x)\nreturn x", x=F),
    case("np.exp(x, out=x)\nreturn x", x=F),
    case("np.add(x, x, dtype=np.float64)", x=F),
    case("np.divmod(x, y), np.modf(x)", x=F, y=D),
    case(
        "np.arctan2(x, y)",
        x=np.array([0.0, -0.0, 1, -1, 0, 2]),
        y=np.array([0, -0.0, 0, 0, -1, -3]),
    ),
    *over("np.round(x), np.round(x, 1), x.round(2)", (F, D, J)),
    case("np.round(x, -1)", x=D * 10),
    *over("np.clip(x, 0, 2), x.clip(1, 3), np.clip(x, None, 1)", (F, D, J, I, U)),
    case("np.clip(x, n, m), np.clip(x, y, 5)", {"n": 3, "m": 0}, x=F, n=-1, m=1, y=F[0].copy()),
    case("np.isclose(x, y), np.allclose(x, y), np.allclose(x, x)", x=F, y=F + 1e-6),
    case("np.array_equal(x, x), np.array_equal(x, x + 1), np.array_equal(x, x[:, :2])", x=F),
    case("np.add.at(x, i, 1)\nreturn x", x=F, i=np.array([0, 0, 3]), resize=False),
    case("np.add.at(x, i, y)\nreturn x", x=J, i=np.array([1, 1]), y=J[:2].copy(), resize=False),
    case("np.add.at(x, (i, 0), 2)\nreturn x", x=H, i=np.array([0, 0, 3]), resize=False),
    case("np.multiply.outer(x, x), np.add.accumulate(x)", x=V),
]

SORTING = [
    *over("np.sort(x), np.sort(x, 0), np.sort(x, axis=None)"),
    *over("np.argsort(x, kind='stable'), x.argsort(0, kind='stable')", (F, J, B)),
    case("x.sort()\nreturn x", x=F),
    case("x.sort(0)\nreturn x", x=J),
    *over("np.where(x > 1, x, 0), np.where(x > 1, x, -x)", (F, D, H, I, J)),
    *over("np.where(x, 1, 0), np.where(x, 1.5, x), np.nonzero(x), np.argwhere(x)"),
    case("np.where(x > 0, x, y), np.where(x > 0)", x=F, y=D[0].copy()),
    case("np.where(n > 0, x, 0), np.where(n > 0, 1, 2.5)", {"n": -1}, x=F, n=1),
    case("x.nonzero(), np.flatnonzero(x)", x=C),
    case(
        "np.searchsorted(np.array([1, 3, 5]), x), np.searchsorted(np.arange(5.0), y, 'right')",
        x=J,
        y=D,
    ),
    case("np.unique(x), np.unique(x, return_inverse=True)[1].ravel()", x=J),
    case("np.unique(x, return_index=True, return_counts=True)", x=U),
    case(
        "np.bincount(x), np.bincount(x, minlength=9)", {"x": np.array([-1])}, x=np.array([1, 4, 1])
    ),
    case("np.take(x, [0, 2], 1), x.take(1), np.take(x, i, axis=0)", x=F, i=np.array([0, -1])),
    case("np.take(x, i, 0, mode='clip'), np.take(x, i, 0, mode='wrap')", x=F, i=np.array([9, -9])),
    case("np.take_along_axis(x, np.argsort(x, 0, kind='stable'), 0)", x=F),
    case("np.compress([True, False, True], x, 1)", x=F, strict=False),
    case("np.extract(x > 0, x), np.extract(x[0] > 0, x)", x=F),
    case("np.select([x > 1, x < 0], [x, -x], 5)", x=F),
    case("np.isin(x, [1, 2]), np.isin(x, y, invert=True)", x=J, y=np.array([3, 0])),
]

ALGEBRA = [
    case("np.dot(x, y), x.dot(y), x @ y, np.matmul(x, y)", x=F, y=values("float32", 3, 2)),
    case("np.dot(x, y), x @ y, y @ x.T, np.inner(x, y)", x=D, y=D[0].copy()),
    case("np.dot(x, x), np.inner(x, x), np.outer(x, x), np.vdot(x, x), x @ x", x=V),
    case("x @ y", x=C, y=values("float32", 4, 2)),
    case("x @ y, np.dot(x, y)", x=C, y=values("float32", 2, 4, 3)),
    *(
        case("x @ y", x=a, y=b.T.copy())
        for a, b in ((I, I), (J, I), (U, U), (B, B), (H, H), (J, F))
    ),
    case("np.dot(x, 2), np.dot(n, x)", x=F, n=3),
    case("np.tensordot(x, y, 1), np.tensordot(x, y, ([1], [0]))", x=F, y=values("float32", 3, 2)),
    case("np.tensordot(x, y, ((0, 2), (0, 1)))", x=C, y=values("float32", 2, 4, 5), resize=False),
    case("np.einsum('ij,jk->ik', x, y), np.einsum('ij->ji', x)", x=F, y=values("float32", 3, 2)),
    case(
        "np.einsum('ijk,ij->k', x, y), np.einsum('ijk->', x)", x=C, y=C[..., 0].copy(), resize=False
    ),
    case("np.diagonal(x), x.diagonal(1), x.trace(), np.trace(x, -1)", x=F),
    case("np.diagonal(x, 0, 1, 2), np.diagonal(x), np.trace(x)", x=C),
    *over("np.linalg.norm(x), np.linalg.norm(x, axis=1), np.linalg.norm(x, 1, 0)", (F, D, J)),
    case("np.linalg.norm(x, np.inf, axis=1), np.linalg.norm(x, 'fro')", x=F, resize=False),
]

RAISES = [
    Case("y = np.broadcast_to(x, (2, 4, 3))\ny += 1\nreturn y", {"x": F}, fails=True),
    Case("y = x.diagonal()\ny += 1\nreturn y", {"x": F}, fails=True),
    Case("np.max(x[:0])", {"x": F}, fails=True),
    Case("np.searchsorted(x, 1)", {"x": F}, fails=True),
    Case("np.searchsorted(x[0], 1, side='middle')", {"x": F}, fails=True),
    Case("np.sum(x, 2)", {"x": F}, fails=True),
    Case("np.concatenate((x, x[:, :1]), 0)", {"x": F}, fails=True),
    Case("x.reshape(5, 5)", {"x": F}, fails=True),
    Case("x @ x", {"x": F}, fails=True),
    Case("x.nothing", {"x": F}, fails=True),
    Case("np.stack((x, x[0]))", {"x": F}, fails=True),
    Case("x += 1.5\nreturn x", {"x": J}, fails=True),
    Case("np.transpose(x, (0, 0))", {"x": F}, fails=True),
]


#: Whether these are views depends on memory layout: a write is refused where that matters.
REFUSED = [
    "y = (x.T + 1)\nz = y.reshape(-1)\nz[0] = 100\nreturn y, z",
    "y = x[::2].reshape(-1)\ny[0] = 100\nreturn x, y",
    "y = x[:, 1].ravel()\ny[0] = 100\nreturn x, y",
    "y = x.T * 2\ny[:] = x.T.copy()\nw = y.reshape(-1)\nw[0] = 5\nreturn y, w",
    "y = x.T * 2\ny[:] = x.T.copy()\nz = y + 1\nv = z.ravel()\nv[0] = 1\nreturn z, v",
    "y = np.zeros_like(x.T)\nw = y.reshape(-1)\nw[0] = 5\nreturn y, w",
    "y = np.full_like(x.T, 3)\nw = y.reshape(-1)\nw[0] = 5\nreturn y, w",
    "y = x.copy('F')\nw = y.reshape(-1)\nw[0] = 5\nreturn y, w",
    "y = np.ones(x.shape, order='F') * 2\nw = y.ravel()\nw[0] = 5\nreturn y, w",
    "x.view(np.int32)",
    "x.tobytes()",
    "np.interp(x, x, x)",
]


@pytest.mark.parametrize("code", REFUSED)
def test_refused(code: str) -> None:
    with pytest.raises(StagingError):
        compiled(model_of(code, ["x"]), {"x": F}, symbolic=True)


def every() -> list[Case]:
    groups = (ATTRIBUTES, CREATION, SHAPE, JOINING, REDUCTIONS, MATH, SORTING, ALGEBRA, RAISES)
    return [one for group in groups for one in group]


@pytest.mark.parametrize("given", every(), ids=lambda c: c.id)
def test_function(given: Case) -> None:
    check(given)


def test_memory_that_exists_is_refused() -> None:
    message = "`numpy.ndarray` of memory that exists is not compiled"
    model = model_of("np.ndarray((2, 2), np.float32, x.copy())", ["x"])
    with pytest.raises(StagingError, match=message):
        compiled(model, {"x": F}, symbolic=False)
