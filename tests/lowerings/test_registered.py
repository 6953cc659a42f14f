"""Lowerings of users: what they give may share memory with what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest
from chainer.functions.activation.relu import ReLU

import elichika
from elichika import registry
from tests.programs import Program, check, compiled, f32


class View(chainer.FunctionNode):
    """Returns a view."""

    def forward(self, inputs):
        return (inputs[0].reshape(-1),)


class New(chainer.FunctionNode):
    """Returns a copy, which the same operator stands for."""

    def forward(self, inputs):
        return (inputs[0].reshape(-1).copy(),)


class Pair(chainer.FunctionNode):
    """Returns two arrays of one memory, which is not the input's."""

    def forward(self, inputs):
        y = inputs[0] * 2
        return y, y.reshape(2, 2)


class Held(chainer.FunctionNode):
    """Returns a view of an attribute."""

    def __init__(self, table):
        self.table = table

    def forward(self, inputs):
        return self.table.reshape(-1), inputs[0] * 2


class Itself(chainer.FunctionNode):
    """Returns what it was given."""

    def forward(self, inputs):
        return inputs


class Old(chainer.Function):
    """An old-style function that returns a view."""

    def forward(self, inputs):
        return (inputs[0].reshape(-1),)


class Twice(View):
    """Computes something else than its base."""

    def forward(self, inputs):
        return (inputs[0].reshape(-1) * 2,)


class Named(View):
    """Computes what its base does."""

    def __init__(self):
        self.name = "named"

    label = "a view"


def first(xs):
    """Return the first item."""
    return xs[0]


def first_anew(xs):
    """Return the numbers of the first item."""
    return xs[0] * 1


def nested(x):
    """Return a structure of views."""
    return [x[:2], {"all": x}]


def nested_anew(x):
    """Return a structure of copies."""
    return [x[:2].copy(), {"all": x.copy()}]


@pytest.fixture(autouse=True, scope="module")
def lowerings() -> Iterator[None]:
    """Register the lowerings of this module, and take them back."""
    before, sharing = dict(registry._registry), list(registry._sharing)

    @elichika.lowers(View, Old)
    @elichika.lowers(New, fresh=True)
    def flat(context: Any, node: Any, x: Any) -> Any:
        return context.graph.Reshape(x, [-1])

    @elichika.lowers(Pair)
    def two(context: Any, node: Any, x: Any) -> Any:
        g = context.graph
        y = g.Mul(x, 2.0)
        return y, g.Reshape(y, [2, 2])

    @elichika.lowers(Held)
    def held(context: Any, node: Any, x: Any) -> Any:
        table = getattr(node.table, "onnx_value", node.table)
        g = context.graph
        return g.Reshape(table, [-1]), g.Mul(x, 2.0)

    elichika.lowers_to("Identity", Itself)

    @elichika.lowers(first)
    def first_(context: Any, xs: Any) -> Any:
        return context.call(first_anew, [xs], {})

    @elichika.lowers(nested)
    def nested_(context: Any, x: Any) -> Any:
        return context.call(nested_anew, [x], {})

    yield
    registry._registry.clear()
    registry._registry.update(before)
    registry._sharing[:] = sharing


def the_result_is_written(self, x, n):
    (h,) = View().apply((x,))
    h.array[...] = 7
    return h, x


def the_input_is_written(self, x, n):
    (h,) = View().apply((x,))
    x[...] = 7
    return h, x


def the_other_result_shows_it(self, x, n):
    a, b = Pair().apply((x,))
    a.array[...] = 7
    return b


def an_attribute_is_shown(self, x, n):
    table = x * 2
    h, _ = Held(table).apply((x,))
    h.array[...] = 7
    return table


def an_array_of_the_chain_is_shown(self, x, n):
    h, _ = Held(self.table).apply((x,))
    self.table[...] = x
    return h


def an_operator_of_one_input(self, x, n):
    (h,) = Itself().apply((x,))
    h.array[0] += 1
    return h, x


def an_old_function(self, x, n):
    h = Old()(x)
    h.array[...] = 7
    return h, x


def written_in_a_loop(self, x, n):
    out = x * 1
    for i in range(n):
        (h,) = View().apply((out,))
        h.array[i] = 7
    return out


def written_after_a_loop(self, x, n):
    out = x * 1
    h = chainer.Variable(out)
    for _ in range(n):
        (h,) = View().apply((out,))
    h.array[...] = 7
    return h, out


def written_after_a_branch(self, x, n):
    out = x * 1
    h = chainer.Variable(out * 2)
    if n > 2:
        (h,) = View().apply((out,))
    h.array[...] = 7
    return h, out


def kept_in_a_list(self, x, n):
    out = x * 1
    kept = []
    for _ in range(n):
        kept.append(View().apply((out,))[0])
    out += 7
    return kept


def in_a_structure(self, x, n):
    h = nested(x)
    h[1]["all"][...] = 7
    return h, x


def an_item_of_a_list(self, x, n):
    h = first([x])
    h[...] = 7
    return h, x


def a_variable_in_a_list(self, x, n):
    h = first([chainer.Variable(x)])
    h.array[...] = 7
    return h, x


def the_same_object(self, x, n):
    return Itself().apply((x,))[0].array is x


def the_same_object_of_a_function(self, x, n):
    return first([x]) is x


REFUSED = [
    *(the_result_is_written, the_input_is_written, the_other_result_shows_it),
    *(an_attribute_is_shown, an_array_of_the_chain_is_shown, an_operator_of_one_input),
    *(an_old_function, written_in_a_loop, written_after_a_loop, written_after_a_branch),
    *(kept_in_a_list, in_a_structure, an_item_of_a_list, a_variable_in_a_list),
    *(the_same_object, the_same_object_of_a_function),
]


def program(forward: Any) -> Program:
    """Return a program, with what it is run on."""
    inputs = [(f32(4), 3), (f32(4, seed=1), 0), (f32(4, seed=2), 1)]
    return Program(forward, inputs, attributes=lambda: {"table": np.ones(4, np.float32)})


@pytest.mark.parametrize("forward", REFUSED, ids=lambda f: f.__name__)
def test_what_may_share_memory_is_not_written_to(forward: Any) -> None:
    with pytest.raises(elichika.StagingError, match=r"this write changes|are one object"):
        compiled(program(forward))


def test_the_hint_names_the_lowering() -> None:
    with pytest.raises(elichika.StagingError, match=r"`@elichika.lowers\(.*View, fresh=True\)`"):
        compiled(program(the_result_is_written))


def fresh_results(self, x, n):
    (h,) = New().apply((x,))
    h.array[...] = 7
    x += 1
    return h, x, h.array is x


def nobody_sees_it(self, x, n):
    (h,) = View().apply((F.relu(x),))
    h.array[...] = 7
    g = F.relu(View().apply((x,))[0])
    g.array[0] = 1
    return h, g, x


def a_class_that_computes_something_else(self, x, n):
    return Twice().apply((x,))[0], Named().apply((x,))[0]


class Doubled(ReLU):
    """Computes something else than Chainer's."""

    def forward_cpu(self, inputs):
        return (inputs[0] * 2,)


def a_class_derived_of_chainers(self, x, n):
    return Doubled().apply((x,))[0]


COMPILED = [
    *(fresh_results, nobody_sees_it, a_class_that_computes_something_else),
    a_class_derived_of_chainers,
]


@pytest.mark.parametrize("forward", COMPILED, ids=lambda f: f.__name__)
def test_programs_that_compile(forward: Any) -> None:
    given = program(forward)
    check(given, compiled(given))
