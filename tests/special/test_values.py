"""Zeros of both signs, nan and infinities in numpy's and Python's own arithmetic."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.programs import Program, check, compiled
from tests.special.trials import program_from

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBERS = (0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5, 2.0, -2.0, 0.25)
PAIRS = np.array(list(itertools.product(NUMBERS, NUMBERS))).T

ARRAYS = [
    "np.expm1(x), np.log1p(x), np.sinh(x), np.arcsinh(x), np.arctanh(x), np.cbrt(x)",
    "np.trunc(x), np.fix(x), np.arctan(x), np.arcsin(x), np.tan(x), np.tanh(x), np.sin(x)",
    "np.rint(x), np.ceil(x), np.floor(x), np.round(x), np.round(x, 1), -x, abs(x), np.sign(x)",
    "x // y, x % y, divmod(x, y), np.fmod(x, y), np.remainder(x, y), np.floor_divide(x, y)",
    "x // 2, x // -2, x % 2, x % -2, 2 // x, -2 % x, x // 0.0, x % -0.0",
    "np.copysign(x, y), np.copysign(x, -1), np.signbit(x), np.heaviside(x, y), np.arctan2(x, y)",
    "np.where(y > 0, x, y), np.where(x > y, x, 0), np.where(x > y, 0, x), np.where(x > 0, -0.0, y)",
    "np.where(~(x > 0), 1.0, -0.0), np.where(~(x > 0), y, -0.0), np.where(~(x > y), x, y)",
    "np.select([x > 1, y > 1], [x, y], -0.0), np.modf(x), np.hypot(x, y), np.nan_to_num(x)",
    "x ** 2, x ** 3, x ** 0.5, x ** -1, x ** 0, np.power(x, 0.5), x ** y, np.sqrt(x)",
    "x * 0, x * -1, x - x, x + 0.0, x * y, x / y, x + y, x - y, np.reciprocal(x)",
    "np.tril(x.reshape(10, 10)), np.triu(x.reshape(10, 10)), np.diag(x[:4])",
    "z = x.copy()\nz[y > 0] = -0.0\nz[y < -1] = y[0]\nreturn z",
    "z = y.copy()\nnp.copyto(z, x, where=y > 0)\nreturn z",
    "z = x.copy()\nz **= 0.5\nreturn z",
    "F.where(y > 0, x, y).array, (chainer.Variable(x) ** 0.5).array",
    "1 / (-x + 0.0), 1 / (0 + -x), 1 / (-x - 0.0), 1 / (-x - -0.0), 1 / np.add(-x, 0.0)",
    "z = -x\nfor i in range(3):\n    z = z + 0.0\nreturn 1 / z",
    "1 / (chainer.Variable(-x) + 0.0).array, 1 / (0.0 - x), 1 / (-x + np.zeros(1, x.dtype))",
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("code", ARRAYS)
def test_arrays(code: str, dtype: str) -> None:
    x, y = PAIRS.astype(dtype)
    program = Program(program_from(code, "x, y"), [(x, y)])
    check(program, compiled(program))


SCALARS = [
    "f % 2, f // 2, -f % 2, f % -2, f // -2, divmod(f, 3), divmod(f, -3), f // 0.5 * f",
    "math.copysign(2, f), math.copysign(f, -1), math.fmod(f, 2), math.fabs(f), math.ldexp(f, 3)",
    "abs(f), -f, +f, round(f, 1), f * 0, f * -1, f + 0.0, f - f, 0.0 - f, f / 3, f / -3",
    "math.atan2(f, 1), math.atan2(0.0, f), math.atan(f), math.tanh(f), math.degrees(f)",
    "math.copysign(1, -f + 0.0), math.copysign(1, 0 + -f), math.copysign(1, sum([-f]))",
    "f if f else 1.0, f or -0.0, f and 2.0, max(f, 0.0), min(0.0, f), f == 0, f < 0",
]


@pytest.mark.parametrize("code", SCALARS)
def test_python_floats(code: str) -> None:
    inputs = [(f,) for f in (1.0, 0.0, -0.0, -2.0, 0.3, -0.3, -1e-300)]
    program = Program(program_from(code, "f"), inputs)
    check(program, compiled(program))


@pytest.mark.parametrize("code", ["f % g, f // g, divmod(f, g)", "max(f, g), min(f, g), f - g"])
def test_two_python_floats(code: str) -> None:
    inputs: list[Any] = [(1.0, 2.0), *itertools.product(NUMBERS, NUMBERS)]
    program = Program(program_from(code, "f, g"), inputs)
    check(program, compiled(program))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numpy_scalars(dtype: str) -> None:
    code = "s, t = x[0], x[1]\nreturn s % t, s // t, divmod(s, t), -s, abs(s), s * 0, s ** 0.5"
    inputs = [(np.array(pair, dtype),) for pair in itertools.product(NUMBERS, NUMBERS)]
    program = Program(program_from(code, "x"), inputs)
    check(program, compiled(program))


def test_an_array_to_the_power_of_a_number_of_the_run() -> None:
    x = np.array(NUMBERS, np.float32)
    program = Program(program_from("x ** f", "x, f"), [(x, f) for f in (0.5, 1.0, 2.0, -1.0, 0.0)])
    check(program, compiled(program))


SPECIAL = [
    "F.lgamma(x), F.digamma(x), F.ndtri(x), F.erfcinv(x), F.erfinv(x), F.erf(x), F.softplus(x)",
    "F.elu(x), F.leaky_relu(x), F.selu(x), F.sigmoid(x), F.tanh(x), F.arctan(x), F.sign(x)",
    "F.floor(x), F.ceil(x), F.fix(x), F.expm1(x), F.log1p(x), F.sqrt(x), F.sinh(x), F.arcsin(x)",
]


@pytest.mark.parametrize("code", SPECIAL)
def test_functions_of_chainer(code: str) -> None:
    x = np.array(NUMBERS, np.float32)
    program = Program(program_from(code, "x"), [(x,)])
    check(program, compiled(program))


MATRICES = [
    np.eye(3),
    np.zeros((3, 3)),
    -np.zeros((3, 3)),
    np.ones((3, 3)),
    np.diag([1.0, 0, 2]),
    np.full((3, 3), np.nan),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("code", ["F.inv(x)", "F.batch_inv(x[None])", "np.linalg.inv(x)"])
def test_singular_matrices_have_no_inverse(code: str, dtype: str) -> None:
    """Also where the first pivot is 0, and those after it are nan."""
    program = Program(program_from(code, "x"), [(m.astype(dtype),) for m in MATRICES])
    check(program, compiled(program))


def test_determinants_of_nan_are_nan() -> None:
    matrices = [*MATRICES, np.diag([2.0, np.nan, 1]), np.diag([np.nan, 2, 1])]
    program = Program(program_from("F.batch_det(x[None]) + 1", "x"), [(m,) for m in matrices])
    check(program, compiled(program))


def test_signs_of_determinants_of_nan() -> None:
    """LAPACK counts the negative pivots, and stops at one of 0; nan is none of them."""
    diagonals = [(1, 2, np.nan), (1, -2, np.nan), (0, 1, 2), (1, 0, np.nan), (-1, -2, -3)]
    runs = [(np.diag(np.array(numbers, float)),) for numbers in diagonals]
    runs += [(m[::-1].copy(),) for (m,) in runs[2:3] + runs[4:]] + [(m,) for m in MATRICES[:-1]]
    program = Program(program_from("np.linalg.slogdet(x), np.linalg.det(x)", "x"), runs)
    check(program, compiled(program))


@pytest.mark.parametrize("binary_check", [False, True])
@pytest.mark.parametrize("parameter", ["logit", "p"])
def test_bernoulli_where_numpy_is_told_to_raise(parameter: str, binary_check: bool) -> None:
    """`invalid='raise'` while the logarithms of x and 1 - x are asked, whatever the logit."""
    numbers = (0.0, -0.0, 1.0, 0.5, 2.0, -1.0, np.nan, np.inf, -np.inf)
    logits = (0.3, 0.0, -3.0, np.inf, -np.inf, np.nan, 1.0)
    pairs = np.array(list(itertools.product(logits, numbers))).T.astype(np.float32)
    runs: list[Any] = [(pair[:1], pair[1:]) for pair in pairs.T]
    fine = pairs[:, (pairs[1] >= 0) & (pairs[1] <= 1)]
    runs += [(fine[0], fine[1]), (fine[0, :0], fine[1, :0])]
    code = f"D.Bernoulli({parameter}=t, binary_check={binary_check}).log_prob(x)"
    program = Program(
        program_from(f"import chainer.distributions as D\nreturn {code}", "t, x"),
        runs[::-1],
        {0: {0: "n"}, 1: {0: "n"}},
    )
    check(program, compiled(program))


@pytest.mark.parametrize("labels", [[0, 1], [1, 1], [2, 1], [-1, 0]])
def test_bernoulli_of_ints(labels: list[int]) -> None:
    code = "import chainer.distributions as D\nreturn D.Bernoulli(logit=t).log_prob(x)"
    t = np.array([0.3, -np.inf], np.float32)
    program = Program(program_from(code, "t, x"), [(t, np.array([0, 0])), (t, np.array(labels))])
    check(program, compiled(program))


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dynamic", [False, True])
def test_poolings_of_single_pixels(dynamic: bool, stride: int) -> None:
    x = np.array([0.0, -0.0, 1.0, -1.0] * 6, np.float32).reshape(2, 1, 3, 4)
    code = f"1 / F.average_pooling_2d(x, 1, {stride}).array"
    axes = {0: {0: "n", 1: "c"}} if dynamic else None
    program = Program(program_from(code, "x"), [(x,), (-x,)], axes)
    check(program, compiled(program))


@pytest.mark.parametrize("end", ["True", "False"])
@pytest.mark.parametrize("num", ["m", "0", "1", "3"])
def test_the_step_of_linspace(num: str, end: str) -> None:
    """It is Python's nan, and no number of numpy's, where there is none."""
    code = f"r, s = np.linspace(0, n, {num}, endpoint={end}, retstep=True)\n"
    code += "return r, s, type(s).__name__, hasattr(s, 'dtype'), r * s, s + 1"
    runs = [(3, 4), *itertools.product((0, 1, -2), (0, 1, 2, 5))]
    program = Program(program_from(code, "n, m"), runs)
    check(program, compiled(program))


@pytest.mark.parametrize("code", ["F.cholesky(x)", "np.linalg.cholesky(x)"])
def test_infinities_on_the_diagonal_of_a_matrix_to_factor(code: str) -> None:
    x = np.array([[3.5, -1, -1], [-1, 10, 4], [-1, 4, 9]])
    runs = [(x,), (-x,), (x * 0,)]
    for place in range(3):
        changed = x.copy()
        changed[place, place] = np.inf
        runs.append((changed,))
    program = Program(program_from(f"abs({code})", "x"), runs)
    check(program, compiled(program))


@pytest.mark.parametrize("kind", ["", "transa=True, transb=True"])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_nothing_is_multiplied_with_what_a_sparse_matrix_lacks(
    batch: tuple[int, ...], kind: str
) -> None:
    code = f"F.sparse_matmul(chainer.utils.CooMatrix(d, r, c, (3, 4)), x, {kind})"
    state = np.random.RandomState(3)
    runs = []
    for columns in (2, 1, 3, 0):
        for entries in (6, 0, 1, 9):
            rows, cols = (state.randint(0, n, (*batch, entries)).astype("i") for n in (3, 4))
            if batch:
                rows[1, entries // 2 :] = cols[1, entries // 2 :] = -1
            sizes = (columns, 3) if kind else (4, columns)
            for numbers in ((0.5, 1, 2), (0.0, -0.0, np.inf, 1, np.nan)):
                d, x = (state.choice(numbers, (*batch, *s)) for s in ((entries,), sizes))
                runs.append((d.astype("f"), rows, cols, x.astype("f")))
    last = {name: {len(batch): "entries"} for name in ("d", "r", "c")}
    axes = last | {"x": {len(batch) + (0 if kind else 1): "columns"}}
    program = Program(program_from(code, "d, r, c, x"), runs, axes)
    check(program, compiled(program))


@pytest.mark.parametrize("sizes", ["open", "given"])
@pytest.mark.parametrize("function", ["F", "np"])
@pytest.mark.parametrize("equation", ["ij,kj->", "ij,jk->k", "ij,kl->jl"])
def test_sums_of_products_keep_a_nan(function: str, equation: str, sizes: str) -> None:
    state = np.random.RandomState(3)
    draw = lambda: state.choice([1, 2, -1, 0, np.inf], (2, 2)).astype("f")  # noqa: E731
    runs = [(np.ones((2, 2), "f"),) * 2, *((draw(), draw()) for _ in range(20))]
    if sizes == "open":
        runs += [(x[:n], y[:, :n]) for n in (0, 1) for x, y in runs[:9]]
    axes = {"x": {0: "n"}, "y": {1: "m"}} if sizes == "open" else None
    code = f"{function}.einsum({equation!r}, x, y)"
    program = Program(program_from(code, "x, y"), runs, axes)
    check(program, compiled(program))
