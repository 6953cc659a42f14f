"""`scipy.optimize.brentq`: its steps, and where it raises."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import elichika
from tests.programs import Program, check, compiled


def cubic(x: Any, c: Any, slope: Any) -> Any:
    return x**3 + slope * x - c


def root(self, c, slope):
    return optimize.brentq(cubic, -3, 3, args=(c, slope)), optimize.brentq(cubic, 0, 9, (9, 0.5))


def root_or_none(self, c, slope):
    try:
        found = optimize.brentq(cubic, a=-3, b=3, args=(c, slope))
    except ValueError:
        found = 0
    return found


ARGS = ((1.5, 2.0), (27.0, 0.0), (-27.0, 0.0), (1e3, 1.0), (1e-9, 0.0), (4.0, -2.5), (np.nan, 1.0))


@pytest.mark.parametrize("forward", [root, root_or_none], ids=lambda f: f.__name__)
def test_roots(forward: Any) -> None:
    program = Program(forward, ARGS)
    check(program, compiled(program))


def test_options_are_refused() -> None:
    def forward(self, c):
        return optimize.brentq(cubic, -3, 3, (c, 0), full_output=True)[0]

    message = "`brentq` is compiled without `full_output`, with `disp` and a tuple of `args`"
    with pytest.raises(elichika.StagingError, match=re.escape(message)):
        compiled(Program(forward, [(1.0,)]))
