"""The functions of `numpy.random` and `random`, as programs over one of them: uniform numbers.

They are walked where a model draws its own random numbers, and run where a chain is compared with
such a model, with `numpy.random.random_sample` held at a number. Each draws from the distribution
that the function of its name does, and raises what that raises.
"""

from __future__ import annotations

import random as stdlib
from typing import Any

import numpy as np

from elichika.idioms.signals import refuse

__all__ = ["NUMPY", "STDLIB"]


def _shape(size: Any, *parameters: Any) -> Any:
    """Return what shape a draw has; None for a number."""
    if size is None and any(np.ndim(one) > 0 for one in parameters):
        return np.broadcast_arrays(*parameters)[0].shape
    return size


def _number(drawn: Any, shape: Any) -> Any:
    """Return a number where no shape is asked for."""
    return float(drawn) if shape is None else drawn


def _require(holds: Any, message: str) -> None:
    if not np.all(holds):
        raise ValueError(message)


def _positive_uniform(shape: Any) -> Any:
    """Draw from (0, 1], which has a logarithm."""
    return 1.0 - np.random.random_sample(shape)


# Without parameters


def rand(*sizes: Any) -> Any:
    return np.random.random_sample(sizes or None)


def random_sample(size: Any = None) -> Any:
    return np.random.random_sample(size)


def standard_normal(size: Any = None) -> Any:
    """By the transformation of Box and Muller."""
    radius = np.sqrt(-2.0 * np.log(_positive_uniform(size)))
    return _number(radius * np.cos(2.0 * np.pi * np.random.random_sample(size)), size)


def randn(*sizes: Any) -> Any:
    return standard_normal(sizes or None)


def standard_exponential(size: Any = None) -> Any:
    return _number(-np.log(_positive_uniform(size)), size)


def standard_cauchy(size: Any = None) -> Any:
    return _number(np.tan(np.pi * (np.random.random_sample(size) - 0.5)), size)


# Location and scale


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    shape = _shape(size, low, high)
    return low + (high - low) * np.random.random_sample(shape)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    return loc + scale * standard_normal(_shape(size, loc, scale))


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(sigma) >= 0, "sigma < 0")
    shape = _shape(size, mean, sigma)
    return _number(np.exp(mean + sigma * standard_normal(shape)), shape)


def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    shape = _shape(size, loc, scale)
    centred = 0.5 - np.random.random_sample(shape)
    return _number(loc - scale * np.sign(centred) * np.log1p(-2.0 * np.abs(centred)), shape)


def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    shape = _shape(size, loc, scale)
    drawn = _positive_uniform(shape)
    return _number(loc + scale * (np.log(drawn) - np.log1p(-drawn)), shape)


def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    shape = _shape(size, loc, scale)
    return _number(loc - scale * np.log(-np.log(_positive_uniform(shape))), shape)


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    return scale * standard_exponential(_shape(size, scale))


def rayleigh(scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    shape = _shape(size, scale)
    return _number(scale * np.sqrt(2.0 * standard_exponential(shape)), shape)


def pareto(a: Any, size: Any = None) -> Any:
    _require(np.asarray(a) > 0, "a <= 0")
    shape = _shape(size, a)
    return _number(np.expm1(standard_exponential(shape) / a), shape)


def weibull(a: Any, size: Any = None) -> Any:
    _require(np.asarray(a) > 0, "a <= 0")
    shape = _shape(size, a)
    return _number(standard_exponential(shape) ** (1.0 / a), shape)


def power(a: Any, size: Any = None) -> Any:
    _require(np.asarray(a) > 0, "a <= 0")
    shape = _shape(size, a)
    return _number(_positive_uniform(shape) ** (1.0 / a), shape)


# By rejection


def standard_gamma(shape: Any, size: Any = None) -> Any:
    """By the method of Marsaglia and Tsang; below 1 by way of the distribution of `shape` + 1."""
    _require(np.asarray(shape) >= 0, "shape < 0")
    dims = _shape(size, shape)
    lifted = np.where(np.asarray(shape) < 1, shape + 1.0, shape) + np.zeros(dims or ())
    third = lifted - 1.0 / 3.0
    result, waits = np.zeros_like(third), np.ones(third.shape, bool)
    while waits.any():
        tried = standard_normal(third.shape)
        cube = (1.0 + tried / np.sqrt(9.0 * third)) ** 3
        safe = np.where(cube > 0, cube, 1.0)
        bound = 0.5 * tried**2 + third * (1.0 - safe + np.log(safe))
        accepted = (cube > 0) & (np.log(_positive_uniform(third.shape)) < bound)
        result = np.where(waits & accepted, third * safe, result)
        waits = waits & ~accepted
    power_of = 1.0 / np.where((np.asarray(shape) < 1) & (np.asarray(shape) > 0), shape, 1.0)
    lowered = result * _positive_uniform(third.shape) ** power_of
    below = np.where(np.asarray(shape) < 1, lowered, result)
    return _number(np.where(np.asarray(shape) == 0, 0.0, below), dims)


def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    _require(np.asarray(scale) >= 0, "scale < 0")
    return scale * standard_gamma(shape, _shape(size, shape, scale))


def chisquare(df: Any, size: Any = None) -> Any:
    _require(np.asarray(df) > 0, "df <= 0")
    return 2.0 * standard_gamma(df / 2.0, size)


def beta(a: Any, b: Any, size: Any = None) -> Any:
    _require(np.asarray(a) > 0, "a <= 0")
    _require(np.asarray(b) > 0, "b <= 0")
    shape = _shape(size, a, b)
    one = standard_gamma(a, shape)
    return one / (one + standard_gamma(b, shape))


def dirichlet(alpha: Any, size: Any = None) -> Any:
    alpha = np.asarray(alpha)
    _require(alpha > 0, "alpha <= 0")
    outer = () if size is None else size if isinstance(size, tuple) else (size,)
    drawn = standard_gamma(alpha, (*outer, alpha.shape[0]))
    return drawn / drawn.sum(-1, keepdims=True)


# Integers


def _integer(drawn: Any, shape: Any) -> Any:
    return int(drawn) if shape is None else drawn.astype(np.int64)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    if high is None:
        low, high = 0, low
    _require(np.asarray(low) < high, "low >= high")
    shape = _shape(size, low, high)
    drawn = _integer(np.floor(low + (high - low) * np.random.random_sample(shape)), shape)
    if dtype is int:
        return drawn
    return np.dtype(dtype).type(drawn) if shape is None else drawn.astype(dtype)


def binomial(n: Any, p: Any, size: Any = None) -> Any:
    """By as many draws as there are trials; a number of trials for each element is not taken."""
    _require(n >= 0, "n < 0")
    _require((np.asarray(p) >= 0) & (np.asarray(p) <= 1), "p < 0, p > 1 or p is NaN")
    shape = _shape(size, p)
    outer = () if shape is None else shape if isinstance(shape, tuple) else (shape,)
    return _integer((np.random.random_sample((n, *outer)) < p).sum(0), shape)


def geometric(p: Any, size: Any = None) -> Any:
    _require((np.asarray(p) > 0) & (np.asarray(p) <= 1), "p <= 0, p > 1 or p contains NaNs")
    shape = _shape(size, p)
    turns = np.ceil(-standard_exponential(shape) / np.log1p(-np.asarray(p, np.float64)))
    return _integer(np.maximum(turns, 1.0), shape)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """By adding up probabilities until they pass a draw; `exp(-lam)` must not vanish."""
    _require((np.asarray(lam) >= 0) & (np.asarray(lam) < 700), "lam < 0 or lam is NaN or too large")
    shape = _shape(size, lam)
    drawn = np.random.random_sample(() if shape is None else shape)
    chance = np.exp(-np.asarray(lam, np.float64)) + np.zeros_like(drawn)
    passed, count = chance, np.zeros_like(drawn)
    turn = 0
    while ((drawn >= passed) & (chance > 0)).any():
        turn += 1
        count = count + (drawn >= passed)
        chance = chance * lam / turn
        passed = passed + chance
    return _integer(count, shape)


def multinomial(n: Any, pvals: Any, size: Any = None) -> Any:
    """By as many draws as there are trials; the last chance is what the others leave."""
    chances = np.asarray(pvals, np.float64)
    _require(n >= 0, "n < 0")
    _require((chances >= 0) & (chances <= 1), "pvals < 0, pvals > 1 or pvals contains NaNs")
    _require(chances[:-1].sum() <= 1.0 + 1e-12, "sum(pvals[:-1]) > 1.0")
    outer = () if size is None else size if isinstance(size, tuple) else (size,)
    drawn = np.random.random_sample((*outer, n, 1))
    picked = (drawn >= np.cumsum(chances[:-1])).sum(-1)
    return (picked[..., None] == np.arange(len(chances))).sum(-2)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Without replacement only where all are equally likely."""
    amount = a if np.ndim(a) == 0 else len(a)
    if not replace and p is not None:
        refuse("`choice` without replacement and with probabilities is not compiled")
    if not replace and size is not None:
        count = size if not isinstance(size, tuple) else int(np.prod(size))
        _require(count <= amount, "Cannot take a larger sample than population")
        order: Any = np.argsort(np.random.random_sample(amount), kind="stable")
        picked = order[:count].reshape(size)
    elif p is None:
        picked = randint(0, amount, size)
    else:
        chances = np.asarray(p, np.float64)
        _require(len(chances) == amount, "'a' and 'p' must have same size")
        _require(chances >= 0, "probabilities are not non-negative")
        total = np.cumsum(chances)
        floats = np.asarray(p).dtype if np.asarray(p).dtype.kind == "f" else float
        near = np.sqrt(np.finfo(floats).eps)
        _require(np.abs(total[-1] - 1.0) <= near, "probabilities do not sum to 1")
        drawn = np.searchsorted(total / total[-1], np.random.random_sample(size), side="right")
        picked = int(drawn) if size is None else drawn
    return picked if np.ndim(a) == 0 else np.asarray(a)[picked]


def permutation(x: Any) -> Any:
    amount = x if np.ndim(x) == 0 else len(x)
    order = np.argsort(np.random.random_sample(amount), kind="stable")
    return order if np.ndim(x) == 0 else np.asarray(x)[order]


def shuffle(x: Any) -> None:
    reorder(x, permutation(len(x)))


def reorder(x: Any, order: Any) -> None:
    """Bring what is shuffled into an order that is known."""
    x[:] = [x[number] for number in order] if type(x) is list else x[order]


# Of Python's own module


def python_uniform(a: Any, b: Any) -> Any:
    return a + (b - a) * np.random.random_sample()


def python_randint(a: Any, b: Any) -> Any:
    return randint(a, b + 1)


def python_randrange(start: Any, stop: Any = None, step: int = 1) -> Any:
    if stop is None:
        start, stop = 0, start
    _require(start < stop if step > 0 else start > stop, "empty range for randrange()")
    return start + step * randint(0, -((start - stop) // step))


def python_normal(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + sigma * standard_normal()


def python_choice(seq: Any) -> Any:
    if len(seq) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[randint(0, len(seq))]


def python_sample(population: Any, k: Any) -> Any:
    if not 0 <= k <= len(population):
        raise ValueError("Sample larger than population or is negative")
    order = permutation(len(population))
    return [population[number] for number in order[:k]]


def python_choices(
    population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
) -> Any:
    count = len(population)
    drawn = np.random.random_sample(k)
    if weights is None and cum_weights is None:
        if count == 0 and k > 0:
            raise IndexError("Cannot choose from an empty population")
        return [population[number] for number in np.floor(drawn * count).astype(np.int64)]
    if weights is not None and cum_weights is not None:
        raise TypeError("Cannot specify both weights and cumulative weights")
    total = np.asarray(cum_weights) if weights is None else np.cumsum(weights)
    _require(len(total) == count, "The number of weights does not match the population")
    _require(total[-1] > 0, "Total of weights must be greater than zero")
    places = np.searchsorted(total[:-1], drawn * total[-1], side="right")
    return [population[number] for number in places]


def python_exponential(lambd: Any = 1.0) -> Any:
    return standard_exponential() / lambd


NUMPY: dict[str, Any] = {
    program.__name__: program
    for program in (
        rand,
        randn,
        random_sample,
        standard_normal,
        standard_exponential,
        standard_cauchy,
        standard_gamma,
        uniform,
        normal,
        lognormal,
        laplace,
        logistic,
        gumbel,
        exponential,
        rayleigh,
        pareto,
        weibull,
        power,
        gamma,
        chisquare,
        beta,
        dirichlet,
        randint,
        binomial,
        geometric,
        poisson,
        multinomial,
        choice,
        permutation,
        shuffle,
    )
}
NUMPY |= dict.fromkeys(("random", "ranf", "sample"), random_sample)

STDLIB: dict[str, Any] = {
    "random": random_sample,
    "uniform": python_uniform,
    "randint": python_randint,
    "randrange": python_randrange,
    "gauss": python_normal,
    "normalvariate": python_normal,
    "choice": python_choice,
    "choices": python_choices,
    "sample": python_sample,
    "shuffle": shuffle,
    "expovariate": python_exponential,
}
assert set(STDLIB) <= set(dir(stdlib))
