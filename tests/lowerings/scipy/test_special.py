"""`scipy.special`: values of all sizes and dtypes, and what is beyond the domains."""

from __future__ import annotations

import re

import numpy as np
import pytest

import elichika
from tests.lowerings.numpy.harness import Case, case, check, model_of, values

special = pytest.importorskip("scipy.special")

EDGES = np.array([0, -0.0, 0.25, 0.5, 0.64, 0.66, 1, 1.5, 2, 30, 1e-9, 1e-30, 1e9, np.inf, np.nan])
BOTH = np.concatenate([EDGES, -EDGES])
ROWS = values("float32", 4, 3)
INTS = values("int32", 4, 3)
#: Functions of one argument; of the gamma functions only what is not left of a pole.
FUNCTIONS = (
    *("erf", "erfc", "erfcx", "erfinv", "erfcinv", "ndtr", "log_ndtr", "ndtri"),
    *("expit", "logit", "entr", "gammaln", "digamma"),
)


def of(code: str, **inputs: object) -> Case:
    return case(f"from scipy import special\nreturn {code}", **inputs)


PAIRS = np.array([(a, b) for a in (-1, 0, 0.5, 2, np.inf, np.nan) for b in (*EDGES[::2], -1)]).T
CASES = [
    *(of(f"special.{name}(x)", x=BOTH[:, None]) for name in FUNCTIONS),
    *(of(f"special.{name}(x)", x=ROWS / 9) for name in FUNCTIONS),
    of("special.erf(x), special.expit(x), special.entr(x)", x=INTS),
    of("special.erf(f), special.logit(f), special.xlogy(f, 2)", f=0.3),
    *(
        of(f"special.{name}(x, y)", x=PAIRS[0].copy(), y=PAIRS[1].copy())
        for name in ("xlogy", "xlog1py", "rel_entr", "kl_div")
    ),
    of("special.xlogy(x, y[0]), special.rel_entr(x, x + 1)", x=INTS, y=ROWS),
    of("special.zeta(abs(x) + 1.5, abs(y) + 0.5)", x=ROWS, y=ROWS[::-1].copy()),
    of("special.polygamma(1, abs(x) + 0.5), special.polygamma(0, abs(x) + 0.5)", x=ROWS),
    of("special.polygamma(n, abs(x) + 0.5)", x=ROWS.astype("float64"), n=2),
    *(
        of(f"special.{name}(x), special.{name}(x, axis=1), special.{name}(x, 0)", x=x)
        for name in ("logsumexp", "softmax", "log_softmax")
        for x in (ROWS, INTS, np.where(ROWS > 0, np.inf, ROWS), np.where(ROWS > 0, -np.inf, ROWS))
    ),
    of("special.logsumexp(x, axis=(0, 1), keepdims=True), special.logsumexp(f)", x=ROWS, f=2.0),
]


@pytest.mark.parametrize("given", CASES, ids=lambda c: c.id)
@pytest.mark.filterwarnings("ignore")
def test_function(given: Case) -> None:
    check(given)


REFUSED = [
    (
        "of the options of `logsumexp` only `axis` and `keepdims` are compiled",
        "special.logsumexp(x, b=x)",
    ),
    ("`zeta` of one argument is not compiled", "special.zeta(x)"),
    (
        "`polygamma` of short floats and an array of orders is not compiled",
        "special.polygamma(np.arange(4)[:, None], x)",
    ),
    ("`expit` is compiled for 1 arguments and no `out`", "special.expit(x, x)"),
]


@pytest.mark.parametrize(("message", "code"), REFUSED)
def test_refused(message: str, code: str) -> None:
    model = model_of(f"from scipy import special\nreturn {code}", ["x"])
    with pytest.raises(elichika.ElichikaError, match=re.escape(message)):
        elichika.compile_model(model, (ROWS,), verify=False)
