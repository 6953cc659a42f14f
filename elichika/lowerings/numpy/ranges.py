"""Numerical ranges: evenly spaced numbers, and grids of them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import axis_of, listed, size_item, static
from elichika.lowerings.numpy.creation import dtype_asked
from elichika.lowerings.numpy.operands import counted, operand, require_step, stand, tensor
from elichika.numbers.kernels import cast, choose, where
from elichika.numbers.promotion import ask, wrap
from elichika.registry import lowers
from elichika.values.kinds import is_array, is_number, type_of_number
from onnx_graph import dims_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(np.arange)
def arange(
    w: LoweringContext, *args: Any, dtype: Any = None, like: Any = None, **kwargs: Any
) -> Any:
    """Numbers from start up to stop; ints only, floats where all is known but the stop."""
    if len(args) > 3:
        args, dtype = args[:3], args[3]
    names = dict(zip(("start", "stop", "step"), args, strict=False))
    if len(args) == 1:
        names = {"stop": args[0]}
    names |= kwargs
    if "stop" not in names and "start" in names:
        names = {**names, "stop": names["start"], "start": 0}
    start, stop, step = (
        operand(w, names.get(n, d)) for n, d in (("start", 0), ("stop", 0), ("step", 1))
    )
    stands = [stand(w, n) for n in (start, stop, step)]
    wanted = dtype_asked(w, dtype)
    natural = ask(w, np.arange, *stands[:2], stands[2], dtype=wanted).dtype
    if natural == np.bool_:
        w.refuse("`arange` of bools is not compiled", "make it of ints, then `astype`")
    if any(np.asarray(one).dtype.kind == "f" for one in stands):
        return _float_range(w, start, stop, step, natural)
    ends = [type_of_number(end) for end in (start, stop) if is_number(end)]
    if len(ends) == 2 and any(issubclass(end, np.integer) for end in ends):
        # numpy subtracts as the program does: of uint8, the way from 6 to 3 is 253
        way = w.call(int, [w.binary(operator.sub, stop, start)], {})
        start = w.call(int, [start], {})
        stop = w.binary(operator.add, start, way)
    return w.new_array(cast(w.graph, w.value_of(counted(w, start, stop, step)), natural))


def _float_range(w: LoweringContext, start: Any, stop: Any, step: Any, dtype: np.dtype[Any]) -> Any:
    """Compute as numpy: the length in float64, then `start + i * (start + step - start)`."""
    g = w.graph
    first, last, by = (tensor(w, n, np.float64) for n in (start, stop, step))
    require_step(w, step, by, "float division by zero")
    way, none = g.Sub(last, first), np.float64(0)
    steps = g.Div(way, by)
    length = g.Ceil(steps)
    legal = g.Less(g.Abs(length), np.float64(2**40))
    w.check(legal, ValueError, "Maximum allowed size exceeded")
    reached = g.Or(g.Not(g.Equal(steps, none)), g.Equal(way, none))
    w.check(reached, OverflowError, "a step beyond all measure is not compiled")
    places = g.Range(np.int64(0), g.Cast(length, to=np.int64), np.int64(1))
    if dtype.kind in "iu":
        w.refuse(
            "`arange` of ints with a float bound is not compiled",
            "make the bound an int: `math.ceil(stop)`",
        )
    low = cast(g, first, dtype)
    delta = g.Sub(cast(g, g.Add(first, by), dtype), low)
    return w.new_array(g.Add(low, g.Mul(cast(g, places, dtype), delta)))


@lowers(np.linspace)
def linspace(
    w: LoweringContext,
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    """Evenly spaced numbers between two numbers; numpy's own code takes twice the nodes."""
    g = w.graph
    closed = bool(static(w, endpoint, "endpoint"))
    first, last = tensor(w, start), tensor(w, stop)
    if dims_of(first) or dims_of(last):
        w.refuse("`linspace` between arrays is not compiled", "scale a `linspace` from 0 to 1")
    wanted = dtype_asked(w, dtype) or ask(w, np.linspace, stand(w, start), stand(w, stop), 1).dtype
    work = np.float64
    first, last = cast(g, first, work), cast(g, last, work)
    axis_of(w, 1, axis)
    amount = size_item(w, num)
    legal, total = g.compare(amount, ">=", 0), g.dim_value(amount)
    shown = f"Number of samples, {amount}, must" if legal is False else "Number of samples must"
    w.check(legal, ValueError, f"{shown} be non-negative.")
    places = cast(g, g.Range(np.int64(0), total, np.int64(1)), work)
    pieces = cast(g, g.Sub(total, np.int64(1)) if closed else total, work)
    none = g.Less(pieces, np.float64(1))
    step = g.Div(g.Sub(last, first), where(g, none, g.constant(np.float64(1)), pieces))
    values = g.Add(first, g.Mul(places, step))
    if closed:
        end = g.And(g.Equal(places, pieces), g.Not(none))
        values = choose(g, end, last, values)
    if wanted.kind in "iu":
        values = g.Floor(values)
    made = w.new_array(cast(g, values, wanted))
    if not static(w, retstep, "retstep"):
        return made
    step_or_nan = w.branch(w.scalar(bool, none), lambda: float("nan"), lambda: wrap(w, step))
    return made, step_or_nan


@lowers(np.meshgrid)
def meshgrid(
    w: LoweringContext, *xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy"
) -> Any:
    """Coordinate matrices from vectors."""
    viewed = [] if static(w, copy, "copy") else list(filter(is_array, xi))
    g = w.graph
    vectors = [g.Reshape(tensor(w, x), [-1]) for x in xi]
    rank = len(vectors)
    places = list(range(rank))
    how = static(w, indexing, "indexing")
    if how not in ("xy", "ij"):
        w.raise_static(ValueError("Valid values for `indexing` are 'xy' and 'ij'."))
    if how == "xy" and rank > 1:
        places[0], places[1] = 1, 0
    shape: list[Any] = [1] * rank
    grids = []
    for vector, place in zip(vectors, places, strict=True):
        shape[place] = dims_of(vector)[0]
        grids.append(g.Unsqueeze(vector, [i for i in range(rank) if i != place]))
    if not static(w, sparse, "sparse"):
        grids = [g.Expand(grid, g.shape_tensor(shape)) for grid in grids]
    made = list(map(w.new_array, grids))
    for array in made if viewed else ():
        w.share(array, *map(w.as_array, viewed))
    return listed(w, np.meshgrid, made)
