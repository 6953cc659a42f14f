"""`scipy.optimize.brentq`: Brent's search for a root between two numbers."""

from __future__ import annotations

import math
from typing import Any

from elichika.idioms.signals import refuse

#: What scipy raises by these words.
SIGNS = "f(a) and f(b) must have different signs"
NAN = "The function value is NaN; solver cannot continue."
RTOL = 8.881784197001252e-16


def brentq(
    f: Any,
    a: Any,
    b: Any,
    args: Any = (),
    xtol: Any = 2e-12,
    rtol: Any = RTOL,
    maxiter: Any = 100,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    """Return where a function of one number is 0, to a tolerance; the steps are scipy's."""
    if full_output or not disp or type(args) is not tuple:
        refuse("`brentq` is compiled without `full_output`, with `disp` and a tuple of `args`")
    if xtol <= 0 or rtol < RTOL:
        raise ValueError("xtol is too small, or rtol")
    before, here = float(a), float(b)
    value_before, value = _value(f, before, args), _value(f, here, args)
    if value_before == 0:
        return before
    if value == 0:
        return here
    if (value_before < 0) == (value < 0):
        raise ValueError(SIGNS)
    other, value_other, step_before, step = before, value_before, here - before, here - before
    for _ in range(maxiter):
        if value_before != 0 and (value_before < 0) != (value < 0):
            other, value_other = before, value_before
            step_before = step = here - before
        if abs(value_other) < abs(value):
            before, here, other = here, other, here
            value_before, value, value_other = value, value_other, value
        near = (xtol + rtol * abs(here)) / 2
        half = (other - here) / 2
        if value == 0 or abs(half) < near:
            return here
        tried = half
        if abs(step_before) > near and abs(value) < abs(value_before):
            tried = _tried(before, here, other, value_before, value, value_other)
        if 2 * abs(tried) < min(abs(step_before), 3 * abs(half) - near):
            step_before, step = step, tried
        else:
            step_before = step = half
        before, value_before = here, value
        least = near if half > 0 else -near
        here = here + (step if abs(step) > near else least)
        value = _value(f, here, args)
    raise RuntimeError("Failed to converge")


def _tried(before: Any, here: Any, other: Any, v_before: Any, v_here: Any, v_other: Any) -> Any:
    """Return a step along a line through two points, or a parabola through three."""
    if before == other:
        return -v_here * (here - before) / (v_here - v_before)
    first = (v_before - v_here) / (before - here)
    second = (v_other - v_here) / (other - here)
    below = second * first * (v_other - v_before)
    if below == 0:
        return math.inf
    return -v_here * (v_other * second - v_before * first) / below


def _value(f: Any, x: Any, args: Any) -> Any:
    found = float(f(x, *args))
    if math.isnan(found):
        raise ValueError(NAN)
    return found
