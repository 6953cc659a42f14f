"""Calls of `chainer.functions.math`."""

from typing import Any

import numpy as np

from tests.lowerings.chainer.cases import REAL, SINGLE, Case, alone, case, f32, i32, whole

ANY = ("absolute", "arctan", "ceil", "cos", "cosh", "erf", "erfc", "erfcx", "exp", "expm1", "fix")
MORE = ("floor", "log_ndtr", "ndtr", "sign", "sin", "sinh", "square")
#: These give no gradient, and have no FunctionNode.
STEPS = ("ceil", "fix", "floor", "sign")
LARGE = ("arctan", "cosh", "erf", "erfc", "erfcx", "expm1", "log_ndtr", "ndtr", "sinh", "square")
SMALL = ("arctan", "erf", "expm1", "log1p", "sinh")
UNIT = ("arccos", "arcsin", "arctanh", "erfinv")
POSITIVE = ("digamma", "lgamma", "log", "log10", "log1p", "log2", "rsqrt", "sqrt")


def unary(name: str) -> list[Case]:
    """Return calls over the whole range of a function that scales."""
    others = [{"x": f32(3, 40) * scale} for scale in (3, 1e-2)]
    made = whole if name in STEPS else case
    found = [made(f"F.{name}(x)", x=f32(3, 40), others=others)]
    return found + extremes(name)


def extremes(name: str) -> list[Case]:
    """Return calls on large and on small numbers."""
    found = []
    if name in LARGE:
        found.append(alone(f"F.{name}(x * 6)", x=f32(3, 40)))
    if name in SMALL:
        x = f32(3, 4, low=-0.9, high=0.9)
        found.append(alone(f"F.{name}(x * 1e-3)", x=x, dtypes=REAL))
    return found


def within(name: str, low: float, high: float, **options: Any) -> list[Case]:
    """Return calls over the interval where a function is defined."""
    return [case(f"F.{name}(x)", x=f32(3, 40, low=low, high=high), **options)]


def reduction(name: str) -> list[Case]:
    """Return calls of a reduction over each form of axes."""
    rest = ["", ", axis=1", ", axis=(0, -1)", ", (2, 0, 1)"]
    if name != "logsumexp":
        rest.append(", axis=-1, keepdims=True")
    return [
        case(*(f"F.{name}(x{options})" for options in rest), x=f32(2, 3, 4)),
        case(f"F.{name}(x)", x=f32()),
    ]


SOME_NAN = [
    {"x": np.array(rows, np.float32)}
    for rows in (
        [[np.nan, 1, 2], [3, np.inf, np.nan]],
        [[np.inf, np.nan, np.nan], [-np.inf, 0, 1]],
        [[-np.inf, np.inf, np.inf], [np.nan, np.nan, np.nan]],
    )
]


def over_nan(name: str) -> list[Case]:
    """Return calls of what chooses elements, some of which are nan."""
    calls = [f"F.{name}(x, axis={axis})" for axis in (0, 1, None)]
    return [alone(call, x=f32(2, 3), others=SOME_NAN, dtypes=SINGLE) for call in calls]


ELEMENTWISE = {
    **{name: unary(name) for name in ANY + MORE},
    **{name: within(name, -0.99, 0.99) for name in UNIT},
    **{name: within(name, 0.1, 30) + extremes(name) for name in POSITIVE},
    "digamma": within("digamma", 0.1, 30)
    + within("digamma", -4.9, -0.1, dtypes=("float64",))
    + within("digamma", 1.2, 1.7),
    "lgamma": within("lgamma", 0.1, 30)
    + within("lgamma", -4.9, -0.1, dtypes=REAL)
    + within("lgamma", 0.9, 2.1, dtypes=REAL),
    "erfc": [*unary("erfc"), alone("F.erfc(x)", x=f32(30, low=5, high=9), dtypes=REAL)],
    "tan": [
        *within("tan", -1.5, 1.5),
        *within("tan", -9, 9, dtypes=REAL),
        alone("F.tan(x * 6)", x=f32(3, 40)),
    ],
    "erfcinv": within("erfcinv", 0.01, 1.99),
    "ndtri": within("ndtri", 0.001, 0.999),
}

BASIC = {
    "add": [
        case("F.add(x, y)", "F.add(x, y, x)", x=f32(2, 3), y=f32(3)),
        whole("F.add(x, 1)", "F.add(x, x)", x=i32(2, 3)),
    ],
    "arctan2": [
        case("F.arctan2(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
        case(
            "F.arctan2(x, y)",
            x=np.array([0, -0.0, 0, -0.0, 1, -1, 0.5, 0.5], "f"),
            y=np.array([0, -1, -1, 1, 0, 0, 0.5, -0.5], "f"),
            resize=False,
        ),
    ],
    "average": [
        whole(
            "F.average(x)",
            "F.average(x, axis=1)",
            "F.average(x, (0, -1), keepdims=True)",
            x=f32(2, 3, 4),
        ),
        case("F.average(x, axis=1, weights=w)", x=f32(2, 3), w=f32(3, low=1)),
        whole("F.average(x, weights=w)", x=f32(2, 3), w=f32(2, 3, low=1)),
    ],
    "bias": [
        whole("F.bias(x, y)", x=f32(2, 3, 4), y=f32(3)),
        whole("F.bias(x, y, axis=0)", x=f32(2, 3, 4), y=f32(2, 3)),
        whole("F.bias(x, y)", x=f32(2, 3), y=f32()),
    ],
    "scale": [
        whole("F.scale(x, y)", x=f32(2, 3, 4), y=f32(3)),
        whole("F.scale(x, y, axis=0)", x=f32(2, 3, 4), y=f32(2, 3)),
        whole("F.scale(x, y)", x=f32(2, 3), y=f32()),
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
        whole("F.polygamma(n, x)", n=i32(3, 4, high=4), x=f32(3, 4, low=0.5, high=20)),
        whole("F.polygamma(n, x)", n=i32(high=1, low=0), x=f32(3, 4, low=0.5, high=20)),
    ],
    "zeta": [
        whole(
            "F.zeta(x.array, q)",
            x=f32(3, 4, low=1.5, high=9),
            q=f32(3, 4, low=0.3, high=20, seed=1),
            dtypes=REAL,
        ),
    ],
    "sum_to": [
        case("F.sum_to(x, (3, 1))", "F.sum_to(x, (1,))", x=f32(2, 3, 4), axes=(0, 2), resize=(0,)),
        whole("F.sum_to(x, (1, 3, 1))", "F.sum_to(x, ())", x=f32(2, 3, 4), axes=(0,)),
    ],
}

REDUCTIONS = {
    "sum": reduction("sum"),
    "max": [*reduction("max"), *over_nan("max")],
    "min": [*reduction("min"), *over_nan("min")],
    "prod": reduction("prod"),
    "logsumexp": [
        *reduction("logsumexp"),
        alone("F.logsumexp(x * 100, axis=1)", x=f32(2, 3)),
    ],
    "mean": [
        *reduction("mean"),
        whole("F.mean(x, axis=1, weights=w)", x=f32(2, 3), w=f32(3, low=1)),
        alone("F.mean(x, axis=0)", x=f32(7)),
    ],
    "argmax": [
        case("F.argmax(x)", "F.argmax(x, axis=-1)", "F.argmax(x, 0)", x=f32(2, 3)),
        whole("F.argmax(x, 1)", x=f32(5, 4, 3)),
        *over_nan("argmax"),
    ],
    "argmin": [
        case("F.argmin(x)", "F.argmin(x, axis=-1)", "F.argmin(x, 0)", x=f32(2, 3)),
        *over_nan("argmin"),
    ],
    "cumprod": [case("F.cumprod(x)", "F.cumprod(x, axis=0)", "F.cumprod(x, -1)", x=f32(2, 3, 4))],
    "cumsum": [case("F.cumsum(x)", "F.cumsum(x, axis=0)", "F.cumsum(x, -1)", x=f32(2, 3, 4))],
    "batch_l2_norm_squared": [
        case("F.batch_l2_norm_squared(x)", x=f32(2, 3, 4)),
        whole("F.batch_l2_norm_squared(x)", x=f32(2, 3)),
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
        whole("F.batch_det(x)", x=BATCH, dtypes=REAL, axes=(0,)),
        whole(
            "F.batch_det(x)",
            x=f32(2, 4, 4),
            dtypes=REAL,
            others=[{"x": f32(2, 4, 4)[:, ::-1].copy()}],
        ),
        alone("F.batch_det(x)", x=f32(5, 3, 3), dtypes=REAL, symbolic=False),
    ],
    "batch_inv": [
        whole("F.batch_inv(x)", x=BATCH, dtypes=REAL, axes=(0,)),
        whole("F.batch_inv(x)", x=np.stack([well_conditioned(40)] * 2), dtypes=REAL, axes=None),
        alone("F.batch_inv(x)", x=f32(5, 3, 3), dtypes=REAL, symbolic=False),
    ],
    "batch_matmul": [
        case("F.batch_matmul(x, y)", x=f32(2, 3, 4), y=f32(2, 4), dtypes=SINGLE),
        case("F.batch_matmul(x, y, transa=True)", x=f32(2, 3, 4), y=f32(2, 3, 5), dtypes=SINGLE),
        whole("F.batch_matmul(x, y, True, True)", x=f32(2, 3, 4), y=f32(2, 5, 3), dtypes=SINGLE),
    ],
    "cholesky": [
        whole("F.cholesky(x)", x=POSITIVE_DEFINITE, dtypes=REAL),
        whole(
            "F.cholesky(x)",
            x=np.asarray(well_conditioned(7) @ well_conditioned(7).T, np.float32),
            dtypes=REAL,
            axes=None,
        ),
    ],
    "det": [
        whole("F.det(x)", x=SQUARE, dtypes=REAL, others=[{"x": SQUARE[::-1].copy()}]),
        whole("F.det(x)", x=well_conditioned(9), dtypes=REAL, axes=None),
        alone("F.det(x)", x=f32(4, 4), dtypes=REAL, symbolic=False),
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
        whole("F.einsum(x, [0, 1], y, [1, 2], [0, 2])", x=f32(2, 3), y=f32(3, 4)),
    ],
    "fft": [
        case("F.fft((x, y))", x=f32(2, 6), y=f32(2, 6, seed=1)),
        whole("F.fft((x, y))", x=f32(5), y=f32(5, seed=1)),
    ],
    "ifft": [
        whole("F.ifft((x, y))", x=f32(2, 6), y=f32(2, 6, seed=1)),
        case("F.ifft((x, y))", x=f32(5), y=f32(5, seed=1)),
    ],
    "inv": [
        whole("F.inv(x)", x=SQUARE, dtypes=REAL),
        whole("F.inv(x)", x=f32(4, 4)[::-1].copy() + np.eye(4, dtype="f")[::-1] * 4, dtypes=REAL),
        whole("F.inv(x)", x=well_conditioned(40), dtypes=REAL, axes=None),
        alone("F.inv(x)", x=f32(3, 3) + 2 * np.eye(3, dtype="f"), dtypes=REAL, symbolic=False),
        alone("F.inv(x)", x=f32(4, 4)[::-1].copy(), dtypes=REAL, symbolic=False),
    ],
    "matmul": [
        case("F.matmul(x, y)", x=f32(2, 3), y=f32(3, 4)),
        case("F.matmul(x, y)", x=f32(3), y=f32(3)),
        case("F.matmul(x, y)", x=f32(2, 3), y=f32(3)),
        case(
            "F.matmul(x, y, transa=True, transb=True)", x=f32(5, 3, 2), y=f32(4, 3), resize=(2, 1)
        ),
    ],
    "tensordot": [
        case("F.tensordot(x, y)", "F.tensordot(x, y, 2)", x=f32(2, 3, 4), y=f32(3, 4, 5)),
        case("F.tensordot(x, y, ([0, 2], [1, 0]))", x=f32(2, 3, 4), y=f32(4, 2, 5)),
        whole("F.tensordot(x, y, axes=0)", x=f32(2), y=f32(3)),
    ],
    "sparse_matmul": [
        whole(
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
