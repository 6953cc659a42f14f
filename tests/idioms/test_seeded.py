"""Generators that `forward` seeds draw the same numbers in each call: they are compiled."""

from __future__ import annotations

import random
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled, f32

INPUTS = [(f32(4), 2), (f32(7), 0), (f32(3), 1)]
AXES = {0: {0: "n"}}
HELD = random.Random(1)


def numbers_of_all_kinds(self, x, n):
    rng = np.random.RandomState(0)
    y = x[:3] * rng.rand(3) + rng.randn(3).astype("f") * n
    other = np.random.default_rng(seed=5)
    return y, rng.randint(5), other.normal() * n, other.choice(5, 3), rng.permutation(4)


def the_functions_of_numpy(self, x, n):
    np.random.seed(3)
    y = x * np.random.rand()
    if n > 1:
        y = y + 1
    return y + np.random.normal(size=(2, 1)), np.random.permutation(4)


def the_functions_of_python(self, x, n):
    own = random.Random(1)
    random.seed(2)
    drawn = own.random(), own.choice([1, 2, 3]), random.sample(range(9), 3), random.uniform(1, 2)
    return x * own.gauss(0, 1), drawn, random.randint(1, 6) + n


def a_generator_for_each_turn(self, x, n):
    for _ in range(n):
        rng = np.random.RandomState(7)
        x = x * rng.rand() + rng.rand()
    return x


def a_draw_in_a_branch(self, x, n):
    rng = np.random.RandomState(0)
    return x * rng.rand() if n > 0 else x


def a_seed_after_draws_of_any_number(self, x, n):
    rng = np.random.RandomState(0)
    if n > 0:
        x = x * rng.rand()
    rng.seed(4)
    return x + rng.rand()


def states(self, x, n):
    rng = np.random.RandomState(4)
    state = rng.get_state()
    first = rng.rand()
    rng.set_state(state)
    same = rng
    return x * n + (same.rand() - first), rng.rand()


def shuffled(self, x, n):
    rng = np.random.RandomState(4)
    rows, items, flat = np.arange(6.0).reshape(3, 2), [x, n, 3, 4, 5], np.arange(6)
    for held in (rows, items, flat):
        rng.shuffle(held)
    random.Random(3).shuffle(items)
    np.random.default_rng(3).shuffle(rows)
    views = np.stack([x, x * 2, x * 3])
    rng.shuffle(views)
    return rows, items, flat, views, rng.rand()


COMPILED = [
    numbers_of_all_kinds,
    the_functions_of_numpy,
    the_functions_of_python,
    a_generator_for_each_turn,
    a_draw_in_a_branch,
    a_seed_after_draws_of_any_number,
    states,
    shuffled,
]


@pytest.mark.parametrize("forward", COMPILED, ids=lambda f: f.__name__)
def test_compiled_once_right_on_other_inputs(forward: Any) -> None:
    program = Program(forward, INPUTS, AXES)
    check(program, compiled(program))


def draw_after_a_branch(self, x, n):
    rng = np.random.RandomState(0)
    if n > 1:
        x = x * rng.rand()
    return x * rng.rand()


def draw_in_a_loop(self, x, n):
    rng = np.random.RandomState(0)
    for _ in range(n):
        x = x * rng.rand()
    return x


def no_seed(self, x, n):
    return x * np.random.RandomState().rand()


def seeded_by_chance(self, x, n):
    rng = np.random.RandomState(4)
    rng.seed()
    return x * rng.rand()


def seeded_by_an_input(self, x, n):
    return x * np.random.RandomState(n).rand()


def draw_before_the_seed(self, x, n):
    y = x * np.random.rand()
    np.random.seed(0)
    return y


def generator_of_the_module(self, x, n):
    return x * HELD.random()


def as_many_as_the_input_has(self, x, n):
    return np.random.RandomState(4).rand(len(x)) * x


def shuffle_of_any_length(self, x, n):
    np.random.RandomState(4).shuffle(x)
    return x


def given_to_others(self, x, n):
    w = np.zeros((2, 3), "f")
    chainer.initializers.Normal(0.1, rng=np.random.RandomState(1))(w)
    return x, w


OPEN = "how many random numbers were drawn before is known only when the model runs"
REFUSED = [
    (draw_after_a_branch, OPEN),
    (draw_in_a_loop, OPEN),
    (no_seed, "without a seed draws other random numbers each time"),
    (seeded_by_chance, "without a seed draws other random numbers each time"),
    (seeded_by_an_input, "a seed must be known before the model runs"),
    (draw_before_the_seed, "draws random numbers while compiling"),
    (generator_of_the_module, "draws random numbers while compiling"),
    (as_many_as_the_input_has, "`rand` of a seeded generator is given a value known only when"),
    (shuffle_of_any_length, "how many elements are shuffled must be known"),
    (given_to_others, "is given a generator of random numbers"),
]


@pytest.mark.parametrize(("forward", "message"), REFUSED, ids=lambda f: getattr(f, "__name__", ""))
def test_refused(forward: Any, message: str) -> None:
    with pytest.raises(elichika.ElichikaError, match=message):
        compiled(Program(forward, INPUTS, AXES))
