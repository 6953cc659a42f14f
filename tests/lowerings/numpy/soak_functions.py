"""Draws calls of numpy's functions with their arguments, and holds models of many against numpy.

`python -m tests.lowerings.numpy.soak_functions 3000` prints how many were held, and fails at the
first that differs. The draws are the same each time; a second argument chooses others.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.lowerings.numpy.harness import eager, model_of
from tests.lowerings.numpy.soak_indexing import DTYPES, TOGETHER, refused

#: Sizes of axis 0 and of the others, and the two numbers, of the runs; the first is the example.
RUNS = ((3, 2, 1, 2), (2, 2, 0, 4), (1, 1, 5, 3), (4, 3, 2, 0), (0, 2, 1, 1), (2, 0, 3, 2))

FLOAT_UFUNCS = (
    *("exp", "expm1", "sin", "cos", "tanh", "arctan", "sinh", "arcsinh", "cbrt", "exp2", "sqrt"),
    *("log", "log1p", "log2", "log10", "degrees", "radians", "tan", "cosh"),
)
ANY_UFUNCS = (
    *("abs", "square", "floor", "ceil", "rint", "trunc", "sign", "isnan", "isfinite", "signbit"),
    *("logical_not", "positive", "fix", "nan_to_num", "real", "imag", "negative", "invert"),
)
BINARY = (
    *("add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "fmod", "maximum"),
    *("minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp", "copysign", "less", "equal"),
    *("not_equal", "greater_equal", "logical_and", "logical_or", "logical_xor", "heaviside"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "divmod"),
)
REDUCTIONS = (
    *("sum", "mean", "max", "min", "std", "var", "any", "all", "ptp", "median", "nansum"),
    *("nanmax", "nanmin", "nanmean", "amax", "amin", "count_nonzero"),
)
METHODS = ("sum", "mean", "max", "min", "std", "var", "any", "all", "ptp")

Draw = Callable[[random.Random, int], str]


def axis_of(draw: random.Random, rank: int) -> int:
    return draw.randrange(-rank, rank)


def unary(draw: random.Random, rank: int) -> str:
    name = draw.choice(draw.choice((FLOAT_UFUNCS, ANY_UFUNCS)))
    return f"np.{name}({draw.choice(('x', 'x', 'abs(x)', 'y', 'x.T'))})"


def binary(draw: random.Random, rank: int) -> str:
    other = draw.choice(("y", "n", "2", "1.5", "x", "y[:1]", "np.float32(3)", "True", "-1"))
    pair = ["x", other]
    draw.shuffle(pair)
    operator = draw.choice(("+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">=", "&"))
    if draw.random() < 0.4:
        return f"{pair[0]} {operator} {pair[1]}"
    return f"np.{draw.choice(BINARY)}({pair[0]}, {pair[1]})"


def reduction(draw: random.Random, rank: int) -> str:
    axes = [f"axis={axis_of(draw, rank)}"] if rank else []
    if rank > 1:
        axes.append(f"axis={tuple(sorted(draw.sample(range(rank), 2)))}")
    axis = draw.choice(("", "axis=None", *axes, *axes))
    keep = draw.choice(("", "", "keepdims=True", "keepdims=False"))
    more = ", ".join(filter(None, (axis, keep)))
    array = draw.choice(("x", "x", "y", "x.T", "-x", "x > 1"))
    if draw.random() < 0.4:
        return f"({array}).{draw.choice(METHODS)}({more})"
    name = draw.choice(REDUCTIONS)
    if name == "median" and "(" in axis:  # numpy cannot reshape what is empty
        name = "mean"
    return f"np.{name}({array}{', ' if more else ''}{more})"


def along(draw: random.Random, rank: int) -> str:
    axis = axis_of(draw, rank)
    return draw.choice(
        (
            f"np.argmax(x, {axis})",
            f"x.argmin({axis})",
            f"np.cumsum(x, {axis})",
            f"np.sort(x, {axis})",
            f"np.argsort(x, {axis}, kind='stable')",
            f"np.diff(x, axis={axis})",
            f"np.flip(x, {axis})",
            f"np.roll(x, n, {axis})",
            f"np.roll(x, {draw.randrange(-3, 4)}, {axis})",
            f"np.repeat(x, {draw.randrange(3)}, {axis})",
            f"np.repeat(x, abs(n), {axis})",
            f"x.take([], {axis})",
            f"np.concatenate((x, y), {axis})",
            f"np.stack((x, y, x), {axis})",
            f"np.array_split(x, {draw.randrange(1, 4)}, {axis})",
            f"np.expand_dims(x, {axis})",
            f"np.insert(x, 0, 1, {axis})",
            f"np.append(x, y, {axis})",
            f"np.gradient(x, axis={axis})",
            f"np.linalg.norm(x, axis={axis})",
            f"np.trapz(x, axis={axis})",
            f"np.lexsort((x, y), {axis})",
            f"np.take_along_axis(x, np.argsort(x, {axis}, kind='stable'), {axis})",
            f"np.nancumsum(x, {axis})",
        )
    )


def shape(draw: random.Random, rank: int) -> str:
    order = list(range(rank))
    draw.shuffle(order)
    one, other = axis_of(draw, rank), axis_of(draw, rank)
    return draw.choice(
        (
            f"np.transpose(x, {order})",
            f"x.transpose({', '.join(map(str, order))})",
            f"np.swapaxes(x, {one}, {other})",
            f"np.moveaxis(x, {one}, {other})",
            f"np.rollaxis(x, {one})",
            "x.reshape(-1)",
            "x.T.ravel()",
            "np.ravel(x)",
            "x.reshape(x.shape[::-1])",
            "x.reshape(x.size, 1)",
            "np.broadcast_to(x, (2, *x.shape))",
            f"np.tile(x, {draw.choice(('2', '(2, 1)', 'abs(n)'))})",
            "np.atleast_2d(x), np.atleast_3d(x)",
            "x.shape, x.ndim, x.size, len(x)",
            "np.zeros_like(x), np.ones_like(x, dtype=np.int32), np.full_like(x, n)",
            "x[None].squeeze(0)",
            "x.flatten(), x.copy()",
            "np.indices(x.shape).sum(0)",
            "np.rot90(x[None, ..., None])" if rank == 1 else "np.rot90(x)",
            "np.outer(x, y)",
            "np.pad(x, 1)",
            "np.pad(x, n, 'edge'), np.pad(x, n, 'reflect')",
            "np.pad(x, n, 'symmetric'), np.pad(x, n, 'wrap')",
            "np.pad(x, 1, constant_values=n)",
            "np.resize(x, (2, 3))",
            "np.delete(x, 0, 0)[:0]",
        )
    )


def choosing(draw: random.Random, rank: int) -> str:
    return draw.choice(
        (
            "np.where(x > y, x, y)",
            "np.where(x, n, 0)",
            "np.where(x > 1)",
            "np.nonzero(x)",
            "np.argwhere(x > 1)",
            "np.flatnonzero(x)",
            "np.clip(x, 0, 2)",
            "np.clip(x, n, None)",
            "x.clip(1, 3)",
            "np.isin(x, [0, 1, 5])",
            "np.isclose(x, y)",
            "np.allclose(x, x)",
            "np.array_equal(x, y)",
            "np.round(x, 1)",
            "np.around(x)",
            "np.select([x > 2, x > 0], [x, y], 7)",
            "np.extract(x > 0, x)",
            "np.count_nonzero(x)",
            "np.searchsorted(np.arange(5), x)",
            "np.digitize(x, [0, 2, 4])",
            "np.choose(np.abs(x).astype(int) % 2, [x, y])",
            "np.unique(x.astype(int))",
            "np.bincount(np.abs(x).astype(int).ravel())",
            "x.nonzero()",
            "np.union1d(x.astype(int), y.astype(int))",
            "np.setdiff1d(x.astype(int), y.astype(int))",
            "np.unravel_index(np.arange(x.size), x.shape)",
            "np.ediff1d(x)",
            "np.tril(x), np.triu(x, 1)" if rank > 1 else "np.diag(x)",
            "np.trace(x), np.diagonal(x)" if rank > 1 else "np.vdot(x, y)",
        )
    )


def kinds(draw: random.Random, rank: int) -> str:
    target = draw.choice(DTYPES)
    return draw.choice(
        (
            f"x.astype('{target}')",
            f"np.asarray(x, '{target}')",
            f"np.sum(x, dtype='{target}')" if target != "bool" else "np.bool_(x)",
            f"np.mean(x, dtype='{draw.choice(('float32', 'float64'))}')",
            f"np.{target if target not in ('bool', 'float64') else 'bool_'}(x)",
            f"np.add(x, y, dtype='{draw.choice(('float64', 'float32'))}')",
            "np.result_type(x, y) == np.float64, x",
            "np.matmul(x, y.swapaxes(-1, -2))" if rank > 1 else "np.dot(x, y)",
            "np.dot(x, 2)",
            "np.einsum('...i,...i->...', x, y)",
            "np.tensordot(x, y, 0)",
            "np.inner(x, y)",
            "np.kron(x, y)" if rank < 3 else "np.add.reduce(x)",
        )
    )


FAMILIES: tuple[Draw, ...] = (unary, binary, reduction, reduction, along, shape, choosing, kinds)


def runs_of(draw: random.Random, dtypes: tuple[str, str], rank: int) -> list[dict[str, Any]]:
    """Return the inputs of all runs."""
    made = []
    for first, others, n, m in RUNS:
        size = (first, *(others,) * (rank - 1))[:rank]
        arrays = []
        for dtype in dtypes:
            state = np.random.RandomState(draw.randrange(2**31))
            numbers = state.randint(0 if dtype == "uint8" else -3, 6, size)
            halves = 0.25 if np.dtype(dtype).kind == "f" else 0
            arrays.append(np.asarray(numbers + halves).astype(dtype))
        made.append({"x": arrays[0], "y": arrays[1], "n": n, "m": m})
    return made


def soak(count: int, seed: int) -> tuple[int, int]:
    """Hold at least `count` draws; return how many were held, and how many refused."""
    draw = random.Random(seed)
    held = left = 0
    while held < count:
        rank = draw.randint(0, 4)
        runs = runs_of(draw, (draw.choice(DTYPES), draw.choice(DTYPES)), rank)
        codes: list[str] = []
        for _ in range(20 * TOGETHER):
            family = draw.choice(FAMILIES if rank else (unary, binary, reduction))
            code = f"out.append(({family(draw, rank)},))"
            model = model_of(f"out = []\n{code}\nreturn out", list(runs[0]))
            if not isinstance(eager(model, runs[0]), Exception):
                codes.append(code)
            if len(codes) == TOGETHER:
                break
        missed = refused(codes, runs)
        held, left = held + len(codes) - missed, left + missed
    return held, left


def main() -> None:
    """Run as a program."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    start = time.time()
    held, left = soak(count, seed)
    print(f"{held} calls held, {left} refused, {time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
