"""Generators of random numbers: those that `forward` seeds draw the same in each call of the chain.

What a seeded generator draws next is a location of the store: draws in a branch or a loop that is
decided at run time leave it open, and a draw after them is refused. Any other generator is refused,
but those of the functions of `numpy.random` and `random`, where the model may draw itself.
"""

from __future__ import annotations

import copy
import functools
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.errors import UnsupportedFunction
from elichika.lowerings.numpy.random_numbers import draws_itself
from elichika.program.native_code import GENERATORS
from elichika.registry import always, lowers
from elichika.state.store import MISSING, RANDOM
from elichika.values.kinds import is_array
from onnx_graph import dims_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

#: The generators that the functions of `numpy.random` and `random` belong to.
NUMPY: Any = np.random.mtrand._rand
PYTHON: Any = random._inst


def _draw(w: ContainerContext, method: Any, generator: Any, args: Any, kwargs: Any) -> Any:
    """Call a method of a seeded generator on a copy of it, which is then what it holds.

    Raises:
        StagingError: How often it was drawn from before is decided when the model runs.
    """
    ahead = w.narrow(w.store.get(generator, RANDOM))
    if not isinstance(ahead, GENERATORS):
        w.refuse(
            "how many random numbers were drawn before is known only when the model runs",
            "seed a generator for each place: `np.random.RandomState(0)`",
        )
    if w.is_symbolic((args, tuple(kwargs.values()))) and method.__name__ != "shuffle":
        w.refuse(
            f"`{method.__name__}` of a seeded generator is given a value known only when the model "
            "runs",
            "pass the random numbers as an input",
        )
    live = copy.deepcopy(ahead)
    if method.__name__ == "shuffle":
        _shuffle(w, live, *args, **kwargs)
        result = None
    else:
        result = w.native(_named(functools.partial(method, live), method), list(args), kwargs)
    w.store.set(generator, RANDOM, live)
    return result


def _named(call: Any, function: Any) -> Any:
    """Let messages name what is called."""
    call.__module__, call.__qualname__ = "builtins", function.__qualname__
    return call


def _shuffle(w: LoweringContext, live: Any, items: Any, *args: Any, **kwargs: Any) -> None:
    """Shuffle the numbers of the elements, then bring these into that order."""
    count = w.narrow(w.call(len, [items], {}))
    if not isinstance(count, int) or args or kwargs:
        w.refuse(
            "how many elements are shuffled must be known before the model runs",
            "pass their order as an input",
        )
    order: Any = list(range(count))
    if is_array(items):
        order = np.array(order).reshape(count, *[1] * (len(dims_of(w.value_of(items))) - 1))
    live.shuffle(order)
    w.call(idioms.draws.reorder, [items, np.ravel(order)], {})


def _method(cls: type, name: str, programs: dict[str, Any], owner: Any) -> None:
    """Lower a method of generators.

    Args:
        cls: The class.
        name: Of the method.
        programs: How a model draws itself, by the names of the methods.
        owner: The generator that this is meant of.
    """
    method = getattr(cls, name)

    @lowers(method)
    @always
    def lowering(w: ContainerContext, generator: Any, *args: Any, **kwargs: Any) -> Any:
        if w.store.get(generator, RANDOM) is not MISSING:
            return _draw(w, method, generator, args, kwargs)
        program = programs.get(name) if generator is owner else None
        return draws_itself(w, f"{cls.__name__}.{name}", program, args, kwargs)


def _methods(cls: type) -> list[str]:
    """Return what draws, or tells of what was drawn."""
    return [n for n in dir(cls) if n[0] != "_" and n != "seed" and callable(getattr(cls, n))]


for _name in _methods(np.random.RandomState):
    _method(np.random.RandomState, _name, idioms.draws.NUMPY, NUMPY)
for _name in _methods(random.Random):
    _method(random.Random, _name, idioms.draws.STDLIB, PYTHON)
for _name in _methods(np.random.Generator):
    _method(np.random.Generator, _name, {}, None)


def _seeded(w: ContainerContext, made: Any, args: Any, kwargs: Any) -> Any:
    """Return a new generator of a seed that is known while compiling.

    Raises:
        UnsupportedFunction: There is no seed, so that it would be another one each time.
    """
    seeds = [w.narrow(seed) for seed in (*args, *kwargs.values())]
    if w.is_symbolic(tuple(seeds)):
        w.refuse(
            "a seed must be known before the model runs", "pass the random numbers as an input"
        )
    if not seeds or seeds[0] is None:
        raise UnsupportedFunction(
            f"`{made.__name__}` without a seed draws other random numbers each time",
            w.here(),
            "seed it, or pass the random numbers as an input",
        )
    return w.native(_named(functools.partial(_call, made), made), list(args), kwargs)


def _call(made: Any, *args: Any, **kwargs: Any) -> Any:
    return made(*args, **kwargs)


def _maker(made: Any) -> None:
    @lowers(made)
    @always
    def lowering(w: ContainerContext, *args: Any, **kwargs: Any) -> Any:
        generator = w.store.born(_seeded(w, made, args, kwargs))
        w.store.set(generator, RANDOM, copy.deepcopy(generator))
        return generator


def _seeder(seeds: Any, cls: type) -> None:
    @lowers(seeds)
    @always
    def lowering(w: ContainerContext, generator: Any, *args: Any, **kwargs: Any) -> None:
        w.store.set(generator, RANDOM, _seeded(w, cls, args, kwargs))


for _made in (np.random.RandomState, np.random.default_rng, random.Random):
    _maker(_made)
for _class in (np.random.RandomState, random.Random):
    _seeder(_class.seed, _class)


@lowers(np.random.seed)
@always
def seed(w: ContainerContext, *args: Any, **kwargs: Any) -> None:
    """Seed the functions of `numpy.random`."""
    w.store.set(NUMPY, RANDOM, _seeded(w, np.random.RandomState, args, kwargs))
