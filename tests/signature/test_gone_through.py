"""What `forward` may return besides tensors: what its caller goes through, constants, nothing."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from elichika.signature.records import GONE_THROUGH
from tests.programs import Program, chain_of, compiled, difference, outcome
from tests.table import ROW_AXES, Table

case = Table()


@case()
def generator_expression(self, x, n, c):
    return (x[i] * 2 for i in range(len(x)))


@case()
def generator(self, x, n, c):
    for i in range(n):
        yield x * i


@case()
def generator_of_two(self, x, n, c):
    yield x
    yield x * n


@case()
def a_range(self, x, n, c):
    return range(n)


@case()
def a_range3(self, x, n, c):
    return range(1, len(x), 2), x


@case()
def a_map(self, x, n, c):
    return map(F.tanh, [x, x * n])


@case()
def a_zip(self, x, n, c):
    return zip(x, range(n), strict=False)


@case()
def enumerated(self, x, n, c):
    return enumerate(x)


@case()
def items(self, x, n, c):
    return {"a": x, "b": x * n}.items()


@case()
def keys(self, x, n, c):
    return {"a": x, "b": x * n}.keys()


@case()
def values(self, x, n, c):
    return {"a": x, "b": x * n}.values()


@case()
def a_number(self, x, n, c):
    return 3


@case()
def nothing(self, x, n, c):
    x = x + 1


@case()
def sometimes_nothing(self, x, n, c):
    if n > 1:
        return x


@case()
def an_array(self, x, n, c):
    return np.arange(3)


@case()
def a_text(self, x, n, c):
    return "a"


@case()
def constants(self, x, n, c):
    return (1, None, "a"), [2.5, True]


@case()
def empty_list(self, x, n, c):
    return []


@case()
def backwards(self, x, n, c):
    return reversed([x, x * n])


@case()
def filtered(self, x, n, c):
    return filter(lambda r: r.sum() > 0, x)


@case()
def within_containers(self, x, n, c):
    return {"a": map(int, [n, 2]), "b": range(3)}, x


@case()
def a_known_range(self, x, n, c):
    return range(3), x


@case()
def an_iterator(self, x, n, c):
    return iter([x, x])


@case()
def twice(self, x, n, c):
    it = iter([x, x * n])
    return it, it


@case()
def partly(self, x, n, c):
    it = iter(x)
    a = next(it, None)
    return it, a


@case()
def changed_later(self, x, n, c):
    d = {"a": x}
    k = d.items()
    d["b"] = x * 2
    return k


@case()
def in_place(self, x, n, c):
    def g():
        y = x.copy()
        for _ in range(n):
            y += 1
            yield y

    return g()


@case()
def in_place_copy(self, x, n, c):
    def g():
        y = x.copy()
        for _ in range(n):
            y += 1
            yield y.copy()

    return g(), x


@case()
def assert_none(self, x, n, c):
    assert n > 0


@case()
def raising(self, x, n, c):
    def g():
        yield x
        if n > 2:
            raise ValueError("a")
        yield x

    return g()


@case()
def range_or_list(self, x, n, c):
    return (range(n) if c else [3]), x


@case()
def range_or_range(self, x, n, c):
    return range(n) if c else range(2, 9)


@case()
def dict_of_ranges(self, x, n, c):
    return {i: range(i) for i in range(3)}, zip([1, 2], [x, x], strict=True)


@case()
def gen_closure(self, x, n, c):
    k = 1
    g = (v * k for v in x)
    k = 5
    return g


@case()
def ordered_dict(self, x, n, c):
    return OrderedDict(a=range(n), b=x)


def listed(value: Any) -> Any:
    """Return what a caller gets who goes through all of it."""
    if isinstance(value, GONE_THROUGH):
        return listed(list(value))
    if type(value) in (tuple, list):
        return type(value)(map(listed, value))
    if type(value) in (dict, OrderedDict):
        return type(value)((key, listed(part)) for key, part in value.items())
    return value


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    model = compiled(program)
    forward = chain_of(program).forward
    for inputs in program.inputs:
        expected = outcome(lambda *given: listed(forward(*given)), inputs)
        assert difference(expected, outcome(model, inputs)) is None


def test_verification_goes_through_the_result_as_well() -> None:
    program = next(p for p in case.programs if p.name == "within_containers")
    model = elichika.compile_model(chain_of(program), program.inputs[0], dynamic_axes=ROW_AXES)
    assert len(model.report.verification.agreed) > 3
    assert any("a list of what it gives" in text for _, text in model.report.notes)


class Counting(chainer.Chain):
    """Its generator changes the chain while it is gone through."""

    def forward(self, x: Any) -> Any:
        self.count = getattr(self, "count", 0)
        for row in x:
            self.count += 1
            yield row * self.count


def test_what_a_generator_changes_is_state() -> None:
    x = np.ones((2, 3), np.float32)
    model = elichika.compile_model(Counting(), [x], dynamic_axes={"x": {0: "n"}}, state=True)
    chain = Counting()
    for rows in (2, 3, 0, 1):
        given = np.ones((rows, 3), np.float32)
        assert [row[0] for row in model(given)] == [row[0] for row in chain(given)]


def test_a_result_without_tensors_is_noted() -> None:
    program = next(p for p in case.programs if p.name == "assert_none")
    model = compiled(program)
    assert [text for _, text in model.report.notes if "does not depend on the inputs" in text]
    assert [spec.name for spec in model.signature.outputs.specs] == ["output"]
    with pytest.raises(elichika.ModelRuntimeError):
        model(*program.inputs[1])


def test_a_list_that_holds_itself_is_refused() -> None:
    def forward(self: Any, x: Any) -> Any:
        items = [x]
        items.append(items)
        return items

    with pytest.raises(elichika.StagingError, match="a list that holds itself"):
        compiled(Program(forward, [(np.ones(2),)]))


def test_a_function_is_refused_with_a_way_out() -> None:
    def forward(self: Any, x: Any) -> Any:
        return lambda y: y + x

    with pytest.raises(elichika.StagingError, match="a function, which is not a tensor") as caught:
        compiled(Program(forward, [(np.ones(2),)]))
    assert "call it in `forward`" in str(caught.value)
