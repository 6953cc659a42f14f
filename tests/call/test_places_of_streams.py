"""`state=True`: attributes that are rebound, handed on, hold one object, or have one name."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import chain_with, difference, f32, outcome

CALLS = [(f32(3), 2), (f32(3), 0), (f32(3, seed=1), 1), (f32(3, seed=2), 3), (f32(3), -1)]
Program = Callable[..., Any]
PROGRAMS: list[tuple[Program, Callable[[], dict[str, Any]]]] = []


def case(**attributes: Any) -> Callable[[Program], Program]:
    """Add a program; functions among the attributes make what a chain begins with."""

    def added(program: Program) -> Program:
        def made() -> dict[str, Any]:
            return {k: v() if callable(v) else v for k, v in attributes.items()}

        PROGRAMS.append((program, made))
        return program

    return added


class Total:
    def __init__(self) -> None:
        self.tot = 0
        self.next: Any = None


class Plain:
    """Nothing."""


@case(o=Total)
def a_new_object_each_time(self: Any, x: Any, n: Any) -> Any:
    self.o.tot += n
    self.o = Total()
    return self.o.tot


@case(o=Total)
def a_new_object_at_times(self: Any, x: Any, n: Any) -> Any:
    self.o.tot += n
    if n > 1:
        self.o = Total()
    return self.o.tot


@case(l=lambda: [1, 2, 3])
def a_slice_and_one_more(self: Any, x: Any, n: Any) -> Any:
    self.l = self.l[1:] + [n] if n > 1 else self.l  # noqa: RUF005
    self.l[0] += 1
    return self.l


@case(a=lambda: [0, 0])
def the_old_list_is_written(self: Any, x: Any, n: Any) -> Any:
    t = self.a
    self.a = [n, t[0]]
    t[0] = 50
    return self.a, t


@case(a=lambda: [0, 0])
def backwards_at_times(self: Any, x: Any, n: Any) -> Any:
    self.a = self.a[::-1] if n > 1 else self.a
    self.a[0] += 1
    return self.a


@case(a=lambda: [0, 0], b=lambda: [1, 1])
def two_lists_become_one(self: Any, x: Any, n: Any) -> Any:
    if n == 0:
        self.b = self.a
    self.a[0] += 1
    self.b[1] += n
    return self.a, self.b, self.a is self.b


@case(o=None)
def an_object_of_containers(self: Any, x: Any, n: Any) -> Any:
    made: Any = Plain()
    made.held, made.listed = {n: 1}, [n]
    if n > 1:
        self.o = made
    return n if self.o is None else self.o.listed[0]


@case(o=Total)
def an_object_that_may_hold_itself(self: Any, x: Any, n: Any) -> Any:
    self.o.next = self.o if n > 1 else None
    self.o.tot += n
    return self.o.next.tot if self.o.next else -1


@case(last=np.float32(1))
def the_last_one(self: Any, x: Any, n: Any) -> Any:
    last = self.last
    self.last = x.sum()
    return last


@case(a=lambda: f32(3), b=lambda: f32(3, seed=5))
def handed_on(self: Any, x: Any, n: Any) -> Any:
    given = self.b
    self.b, self.a = self.a, x
    return given


@case(a=lambda: (1, f32(3)), b=lambda: (1, f32(3)), c=lambda: (1, f32(3)))
def handed_on_twice(self: Any, x: Any, n: Any) -> Any:
    self.a, self.b, self.c = self.b, self.c, (n, x if n > 1 else 2 * x)
    if n > 2:
        self.b = self.a
    return self.a[1]


@case(a=lambda: [0, 0], b=(None, np.float32(3)), c=4)
def one_list_in_two_places(self: Any, x: Any, n: Any) -> Any:
    given = self.b[1]
    self.a = [n, self.c]
    self.b = (self.a, x.sum())
    self.c += 1
    return given


@case(p=np.float32(1), p_2=4, q=0)
def results_of_those_names(self: Any, x: Any, n: Any) -> Any:
    given = {"p": self.p, "q": self.p_2, "p_3": n}
    self.p, self.p_2, self.q = x.sum(), n, x
    return given


@case(d=lambda: {"k": [0, 5], "n": 0})
def an_int_beside_a_list(self: Any, x: Any, n: Any) -> Any:
    self.d["k"][0] += 1
    self.d["n"] = x.sum()
    return self.d


@case(d=lambda: {1: 1, "1": 5, ("k", 1): 1, "('k', 1)": 2, None: 5, "None": 6})
def keys_with_one_name(self: Any, x: Any, n: Any) -> Any:
    for place, key in enumerate(self.d):
        self.d[key] += n * place + 1
    return self.d


@case(d=lambda: {"": 1, "/": 2, "a/b": 4, "a": {"b": 9, 0: None}, "a/0": 3, "a/0/tag": 1})
def keys_with_slashes(self: Any, x: Any, n: Any) -> Any:
    for key in ("", "/", "a/b", "a/0", "a/0/tag"):
        self.d[key] += n
    self.d["a"]["b"] += 2
    self.d["a"][0] = None if n > 1 else self.d["a"][0] if n > 0 else 1.5
    return self.d


@case(a=lambda: {"b": f32(2)}, a_b=lambda: f32(4))
def sizes_with_one_name(self: Any, x: Any, n: Any) -> Any:
    given = self.a["b"].sum(), self.a_b.sum(), self.a["b"].shape, self.a_b.shape
    self.a["b"] = x if n > 0 else x[1:]
    self.a_b = x[1:] if n > 1 else x
    return given, self.a["b"][:1] + self.a_b[:1]


ODD = {"a": 1, "a/next": 2, "x": 5, "n": 6, "output_0": 9, "x/next": 1, "": 4, "state": 5}
MADE = {f"constant_{number}": number for number in range(1, 40)}


@case(**ODD, **MADE)
def attributes_with_names_of_others(self: Any, x: Any, n: Any) -> Any:
    y = x * 5 + 3
    for name in (*ODD, *MADE):
        setattr(self, name, getattr(self, name) + n)
    y = y * 17 - 4 if n > 1 else y / 8 + 6
    return [y * 11, *(getattr(self, name) for name in (*ODD, *MADE))]


@pytest.mark.parametrize(("program", "made"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_stream_goes_like_the_chain(program: Program, made: Callable[[], dict[str, Any]]) -> None:
    def new() -> chainer.Chain:
        chain = chain_with(program)
        for name, value in made().items():
            setattr(chain, name, value)
        return chain

    model = elichika.compile_model(new(), CALLS[0], state=True, verify=False)
    names = [port.name for port in (*model.proto.graph.input, *model.proto.graph.output)]
    assert len(set(names)) == len(names)
    assert {f"{name}/next" for name in model.state} <= set(names)
    random_ = random.Random(program.__name__)
    for stream in [CALLS, *([random_.choice(CALLS) for _ in range(4)] for _ in range(5))]:
        chain = new()
        model.reset()
        for number, call in enumerate(stream):
            with chainer.using_config("train", False), chainer.no_backprop_mode():
                expected = outcome(chain.forward, call)
            assert not difference(expected, outcome(model, call)), (stream[: number + 1], expected)


def test_names_of_what_a_dict_holds() -> None:
    chain = chain_with(keys_with_one_name)
    chain.d = {1: 1, "1": 5}
    model = elichika.compile_model(chain, CALLS[0], state=True)
    assert list(model.state) == ["d/1", "d/1_2"]
    chain = chain_with(keys_with_slashes)
    chain.d = {"": 1, "/": 2, "a/b": 4, "a": {"b": 9, 0: None}, "a/0": 3, "a/0/tag": 1}
    model = elichika.compile_model(chain, CALLS[0], state=True)
    assert "d/a_2/0/tag" in model.state or "d/a_2/b" in model.state, list(model.state)


def test_inputs_with_names_of_constants() -> None:
    def forward(self: Any, constant_1: Any, n: Any) -> Any:
        return constant_1 + 5 + n * 7

    model = elichika.compile_model(chain_with(forward), CALLS[0])
    np.testing.assert_array_equal(model(f32(3), 3), f32(3) + 26)
