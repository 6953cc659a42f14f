"""Random numbers that a model draws itself, where the caller of the compiler asks for them.

All come from ONNX's RandomUniformLike; `elichika.idioms.draws` makes other distributions of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.distributions import one_hot_categorical

from elichika import idioms
from elichika.errors import UnsupportedFunction
from elichika.lowerings.numpy.arguments import shape_items
from elichika.program.native_code import FREEZES
from elichika.registry import always, lowers
from onnx_graph import ONNXGraph, Value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["HINT", "draws_itself", "kept", "normal", "uniform"]

HINT = (
    "pass the random numbers as an input, or compile with random='onnx' so that the model draws "
    "its own"
)
OTHERS = "draw by another function of numpy.random, or pass what is drawn as an input"
_FIRST = 100_003


def uniform(g: ONNXGraph, sizes: Sequence[Any], what: str) -> Value:
    """Draw float64 numbers from [0, 1).

    onnxruntime seeds a node by its number in its graph: nodes of two bodies draw the same, those
    beside each other nearly so. Each place of ours draws from [0, p) with a prime p of its own and
    takes the fraction; fractions of unlike primes are as good as independent.

    Raises:
        UnsupportedFunction: The caller did not ask for random numbers.
    """
    if not g.random:
        raise UnsupportedFunction(f"{what} draws random numbers", hint=HINT)
    like = g.ConstantOfShape(g.shape_tensor(list(sizes))) if sizes else g.constant(0.0)
    g.draws = _next_prime(g.draws or _FIRST)
    drawn = g.RandomUniformLike(like, dtype=np.float64, low=0.0, high=float(g.draws))
    return g.Mod(drawn, g.constant(1.0, np.float64), fmod=1)


def normal(g: ONNXGraph, sizes: Sequence[Any], what: str) -> Value:
    """Draw float64 numbers from the normal distribution, as `idioms.draws` does.

    Raises:
        UnsupportedFunction: The caller did not ask for random numbers.
    """
    one = g.constant(1.0, np.float64)
    logarithm = g.Log(g.Sub(one, uniform(g, sizes, what)))
    radius = g.Sqrt(g.Mul(g.constant(-2.0, np.float64), logarithm))
    angle = g.Mul(g.constant(2.0 * np.pi, np.float64), uniform(g, sizes, what))
    return g.Mul(radius, g.Cos(angle))


def kept(g: ONNXGraph, sizes: Any, ratio: float, what: str) -> Value:
    """Draw a mask that keeps all but a ratio."""
    return g.GreaterOrEqual(uniform(g, sizes, what), g.constant(ratio, np.float64))


def _next_prime(number: int) -> int:
    number += 2
    while any(number % divisor == 0 for divisor in range(3, int(number**0.5) + 1, 2)):
        number += 2
    return number


def draws_itself(w: LoweringContext, name: str, program: Any, args: Any, kwargs: Any) -> Any:
    """Let the model draw what a function of `numpy.random` or `random` does.

    Args:
        w: The walker.
        name: Of the function, for its refusal.
        program: What does the same over `random_sample`; that itself; or None, of others.
        args: Of the call.
        kwargs: Of the call.

    Raises:
        UnsupportedFunction: The caller did not ask for random numbers.
    """
    if not w.graph.random:
        raise UnsupportedFunction(f"`{name}` {FREEZES}", w.here(), HINT)
    if program is None:
        raise UnsupportedFunction(f"`{name}` is not among what a model draws", w.here(), OTHERS)
    if program is idioms.draws.random_sample:
        return _random_sample(w, *args, **kwargs)
    return w.call(program, list(args), kwargs)


def _random_sample(w: LoweringContext, size: Any = None) -> Any:
    """An array of uniform numbers, or one as a Python float."""
    if w.narrow(size) is None:
        return w.scalar(float, uniform(w.graph, [], "random_sample"))
    return w.new_array(uniform(w.graph, shape_items(w, size), "random_sample"))


@lowers(one_hot_categorical._random_choice)
@always
def random_choice(w: LoweringContext, xp: Any, a: Any, size: Any, p: Any) -> Any:
    """Choose by probabilities; what Chainer tries where numpy refuses them fails as well."""
    return w.call(np.random.choice, [a, size], {"p": p})
