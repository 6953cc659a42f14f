"""Calls of `chainer.functions.math`."""

from typing import Any

import numpy as np

from elichika.support.cases import REAL, SINGLE, Case, case, f32, i32

ANY = ("absolute", "arctan", "ceil", "cos", "cosh", "erf", "erfc", "erfcx", "exp", "expm1", "fix")
MORE = ("floor", "log_ndtr", "ndtr", "sign", "sin", "sinh", "square")
UNIT = ("arccos", "arcsin", "arctanh", "erfinv")
POSITIVE = ("digamma", "lgamma", "log", "log10", "log1p", "log2", "rsqrt", "sqrt")


def unary(name: str) -> list[Case]:
    """Return calls over the whole range of a function that scales."""
    others = [{"x": f32(3, 40) * scale} for scale in (3, 1e-2)]
    return [case(f"F.{name}(x)", x=f32(3, 40), others=others)]


def within(name: str, low: float, high: float, **options: object) -> list[Case]:
    """Return calls over the interval where a function is defined."""
    return [case(f"F.{name}(x)", x=f32(3, 40, low=low, high=high), **options)]  # type: ignore[arg-type]


def reduction(name: str) -> list[Case]:
    """Return calls of a reduction over each form of axes."""
    rest = ["", ", axis=1", ", axis=(0, -1)", ", (2, 0, 1)"]
    if name != "logsumexp":
        rest.append(", axis=-1, keepdims=True")
    return [
        case(*(f"F.{name}(x{options})" for options in rest), x=f32(2, 3, 4)),
        case(f"F.{name}(x)", x=f32()),
    ]


ELEMENTWISE = {
    **{name: unary(name) for name in ANY + MORE},
    **{name: within(name, -0.99, 0.99) for name in UNIT},
    **{name: within(name, 0.1, 30) for name in POSITIVE},
    "digamma": within("digamma", 0.1, 30)
    + within("digamma", -4.9, -0.1, dtypes=("float64",))
    + within("digamma", 1.2, 1.7),
    "lgamma": within("lgamma", 0.1, 30)
    + within("lgamma", -4.9, -0.1, dtypes=REAL)
    + within("lgamma", 0.9, 2.1, dtypes=REAL),
    "tan": within("tan", -1.5, 1.5) + within("tan", -9, 9, dtypes=REAL),
    "erfcinv": within("erfcinv", 0.01, 1.99),
    "ndtri": within("ndtri", 0.001, 0.999),
}

BASIC = {
    "add": [
        case("F.add(x, y)", "F.add(x, y, x)", x=f32(2, 3), y=f32(3)),
        case("F.add(x, 1)", "F.add(x, x)", x=i32(2, 3)),
    ],
    "arctan2": [
        case("F.arctan2(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
        case(
            "F.arctan2(x, y)",
            x=np.array([0, -0.0, 0, -0.0, 1, -1, 0.5, 0.5], "f"),
            y=np.array([0, -1, -1, 1, 0, 0, 0.5, -0.5], "f"),
        ),
    ],
    "average": [
        case(
            "F.average(x)",
            "F.average(x, axis=1)",
            "F.average(x, (0, -1), keepdims=True)",
            x=f32(2, 3, 4),
        ),
        case("F.average(x, axis=1, weights=w)", x=f32(2, 3), w=f32(3, low=1)),
        case("F.average(x, weights=w)", x=f32(2, 3), w=f32(2, 3, low=1)),
    ],
    "bias": [
        case("F.bias(x, y)", x=f32(2, 3, 4), y=f32(3)),
        case("F.bias(x, y, axis=0)", x=f32(2, 3, 4), y=f32(2, 3)),
        case("F.bias(x, y)", x=f32(2, 3), y=f32()),
    ],
    "scale": [
        case("F.scale(x, y)", x=f32(2, 3, 4), y=f32(3)),
        case("F.scale(x, y, axis=0)", x=f32(2, 3, 4), y=f32(2, 3)),
        case("F.scale(x, y)", x=f32(2, 3), y=f32()),
    ],
    "clip": [
        case(
            "F.clip(x, -0.5, 1)",
            "F.clip(x, None, 1.0)",
            "F.clip(x, x_min=-0.1, x_max=None)",
            x=f32(2, 3),
        )
    ],
    "fmod": [
        case(
            "F.fmod(x, y)",
            x=f32(3, 4, low=-9),
            y=f32(3, 4, low=0.5, seed=1),
            tolerance={"float16": 0.03},
        )
    ],
    "identity": [case("F.identity(x)", "F.identity(x, y)", x=f32(2, 3), y=f32(2))],
    "linear_interpolate": [
        case(
            "F.linear_interpolate(x, y, z)",
            x=f32(2, 3),
            y=f32(2, 3, seed=1),
            z=f32(2, 3, seed=2),
        )
    ],
    "maximum": [
        case("F.maximum(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1)),
        case("F.maximum(x, y)", x=f32(2, 1), y=f32(3)),
    ],
    "minimum": [
        case("F.minimum(x, y)", x=f32(2, 3), y=f32(2, 3, seed=1)),
        case("F.minimum(x, y)", x=f32(2, 1), y=f32(3)),
    ],
    "polygamma": [
        case("F.polygamma(n, x)", n=i32(3, 4, high=4), x=f32(3, 4, low=0.5, high=20)),
        case("F.polygamma(n, x)", n=i32(high=1, low=0), x=f32(3, 4, low=0.5, high=20)),
    ],
    "zeta": [
        case(
            "F.zeta(x.array, q)",
            x=f32(3, 4, low=1.5, high=9),
            q=f32(3, 4, low=0.3, high=20, seed=1),
            dtypes=REAL,
        ),
    ],
    "sum_to": [
        case("F.sum_to(x, (3, 1))", "F.sum_to(x, (1,))", x=f32(2, 3, 4), axes=(0, 2)),
        case("F.sum_to(x, (1, 3, 1))", "F.sum_to(x, ())", x=f32(2, 3, 4), axes=(0,)),
    ],
}

REDUCTIONS = {
    **{name: reduction(name) for name in ("sum", "max", "min", "prod", "logsumexp")},
    "mean": [
        *reduction("mean"),
        case("F.mean(x, axis=1, weights=w)", x=f32(2, 3), w=f32(3, low=1)),
    ],
    "argmax": [
        case("F.argmax(x)", "F.argmax(x, axis=-1)", "F.argmax(x, 0)", x=f32(2, 3)),
        case("F.argmax(x, 1)", x=f32(5, 4, 3)),
    ],
    "argmin": [case("F.argmin(x)", "F.argmin(x, axis=-1)", "F.argmin(x, 0)", x=f32(2, 3))],
    "cumprod": [case("F.cumprod(x)", "F.cumprod(x, axis=0)", "F.cumprod(x, -1)", x=f32(2, 3, 4))],
    "cumsum": [case("F.cumsum(x)", "F.cumsum(x, axis=0)", "F.cumsum(x, -1)", x=f32(2, 3, 4))],
    "batch_l2_norm_squared": [
        case("F.batch_l2_norm_squared(x)", x=f32(2, 3, 4)),
        case("F.batch_l2_norm_squared(x)", x=f32(2, 3)),
    ],
}

SQUARE = f32(3, 3) + 3 * np.eye(3, dtype="f")
BATCH = f32(5, 3, 3) + 3 * np.eye(3, dtype="f")
POSITIVE_DEFINITE = np.asarray(SQUARE @ SQUARE.T + np.eye(3), np.float32)


def well_conditioned(size: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return a matrix whose inverse loses little to rounding."""
    return np.asarray(f32(size, size, seed=seed) / 3 + 2 * np.eye(size), np.float32)


LINEAR_ALGEBRA = {
    "batch_det": [
        case("F.batch_det(x)", x=BATCH, dtypes=REAL, axes=(0,)),
        case(
            "F.batch_det(x)",
            x=f32(2, 4, 4),
            dtypes=REAL,
            others=[{"x": f32(2, 4, 4)[:, ::-1].copy()}],
        ),
    ],
    "batch_inv": [
        case("F.batch_inv(x)", x=BATCH, dtypes=REAL, axes=(0,)),
        case("F.batch_inv(x)", x=np.stack([well_conditioned(40)] * 2), dtypes=REAL, axes=None),
    ],
    "batch_matmul": [
        case("F.batch_matmul(x, y)", x=f32(2, 3, 4), y=f32(2, 4), dtypes=SINGLE),
        case("F.batch_matmul(x, y, transa=True)", x=f32(2, 3, 4), y=f32(2, 3, 5), dtypes=SINGLE),
        case("F.batch_matmul(x, y, True, True)", x=f32(2, 3, 4), y=f32(2, 5, 3), dtypes=SINGLE),
    ],
    "cholesky": [
        case("F.cholesky(x)", x=POSITIVE_DEFINITE, dtypes=REAL),
        case(
            "F.cholesky(x)",
            x=np.asarray(well_conditioned(7) @ well_conditioned(7).T, np.float32),
            dtypes=REAL,
            axes=None,
        ),
    ],
    "det": [
        case("F.det(x)", x=SQUARE, dtypes=REAL, others=[{"x": SQUARE[::-1].copy()}]),
        case("F.det(x)", x=well_conditioned(9), dtypes=REAL, axes=None),
    ],
    "einsum": [
        case(
            "F.einsum('ij,kj->ik', x, y)",
            "F.einsum('...j,kj', x, y)",
            "F.einsum('ij,kj->', x, y)",
            "F.einsum('ij->ji', x)",
            x=f32(2, 3),
            y=f32(4, 3),
        ),
        case("F.einsum('...j,jk->...k', x, y)", x=f32(2, 5, 3), y=f32(3, 4)),
        case("F.einsum('ii', x)", "F.einsum('ii->i', x)", x=f32(3, 3)),
        case("F.einsum(x, [0, 1], y, [1, 2], [0, 2])", x=f32(2, 3), y=f32(3, 4)),
    ],
    "fft": [
        case("F.fft((x, y))", x=f32(2, 6), y=f32(2, 6, seed=1)),
        case("F.fft((x, y))", x=f32(5), y=f32(5, seed=1)),
    ],
    "ifft": [
        case("F.ifft((x, y))", x=f32(2, 6), y=f32(2, 6, seed=1)),
        case("F.ifft((x, y))", x=f32(5), y=f32(5, seed=1)),
    ],
    "inv": [
        case("F.inv(x)", x=SQUARE, dtypes=REAL),
        case("F.inv(x)", x=f32(4, 4)[::-1].copy() + np.eye(4, dtype="f")[::-1] * 4, dtypes=REAL),
        case("F.inv(x)", x=well_conditioned(40), dtypes=REAL, axes=None),
    ],
    "matmul": [
        case("F.matmul(x, y)", x=f32(2, 3), y=f32(3, 4)),
        case("F.matmul(x, y)", x=f32(3), y=f32(3)),
        case("F.matmul(x, y)", x=f32(2, 3), y=f32(3)),
        case("F.matmul(x, y, transa=True, transb=True)", x=f32(5, 3, 2), y=f32(4, 3)),
    ],
    "tensordot": [
        case("F.tensordot(x, y)", "F.tensordot(x, y, 2)", x=f32(2, 3, 4), y=f32(3, 4, 5)),
        case("F.tensordot(x, y, ([0, 2], [1, 0]))", x=f32(2, 3, 4), y=f32(4, 2, 5)),
        case("F.tensordot(x, y, axes=0)", x=f32(2), y=f32(3)),
    ],
    "sparse_matmul": [
        case(
            "F.sparse_matmul(chainer.utils.CooMatrix(d.array, self.row, self.col, (4, 3)), y)",
            "F.sparse_matmul(z, chainer.utils.CooMatrix(d.array, self.row, self.col, (4, 3)))",
            "F.sparse_matmul(chainer.utils.CooMatrix(d.array, self.row, self.col, (4, 3)), z,"
            " transa=True, transb=True)",
            links={
                "row": lambda: np.array([0, 1, 3, 3], "i"),
                "col": lambda: np.array([2, 0, 1, 1], "i"),
            },
            d=f32(4),
            y=f32(3, 5),
            z=f32(2, 4),
            axes=None,
            dtypes=REAL,
        ),
    ],
}
