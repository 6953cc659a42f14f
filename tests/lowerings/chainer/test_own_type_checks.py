"""`check_type_forward` of the program's own function nodes, on sizes that the model learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainer
import numpy as np
import pytest
from chainer.utils import type_check

import elichika
from elichika import registry
from tests.programs import REFUSED, Program, check, compiled, f32

SIZES = [(4, 2), (2, 2), (1, 2), (3, 2), (0, 2), (6, 2)]
EXPECTED: dict[str, Callable[[Any], Any]] = {
    "shapes": lambda t: type_check.expect(t.size() == 2, t[0].shape == t[1].shape),
    "even": lambda t: type_check.expect(t[0].shape[0] % 2 == 0),
    "more than": lambda t: type_check.expect(t[0].shape[0] > 2, t[0].ndim == 2),
    "sums": lambda t: type_check.expect(t[0].shape[0] * 2 == t[1].shape[0] + t[0].shape[0]),
    "number": lambda t: type_check.expect(t[0].size <= 8),
    "halves": lambda t: type_check.expect(t[0].shape[0] // 2 >= 1, t[0].shape[0] < 5),
    "axes": lambda t: type_check.expect(t[0].ndim < t[0].shape[0]),
    "known": lambda t: type_check.expect(t[0].shape[1] == 2, t[0].dtype.kind == "f"),
}


def node(expect: Callable[[Any], Any], base: type = chainer.FunctionNode) -> type:
    """Return a class of function nodes with a check."""

    class Own(base):
        def check_type_forward(self, in_types):
            expect(in_types)

        def forward(self, xs):
            return (xs[0] * 2 + xs[1].sum(),)

    return Own


@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_expected_of_sizes_is_asked_by_the_model(name: str, cut: int) -> None:
    own = node(EXPECTED[name])

    def forward(self, x):
        return own().apply((x, x[cut:]))[0]

    program = Program(forward, [(f32(*size),) for size in SIZES], {"x": {0: "rows"}})
    try:
        model = compiled(program)
    except REFUSED as error:
        assert "InvalidType" in str(error)
        assert cut and name in ("shapes", "sums")  # never equal
        return
    check(program, model)


def test_functions_of_the_old_style() -> None:
    old = node(lambda t: type_check.expect(t[0].shape[0] == 4), chainer.Function)

    def forward(self, x):
        return old()(x, x)

    program = Program(forward, [(f32(*size),) for size in SIZES], {"x": {0: "rows"}})
    check(program, compiled(program))


def test_a_lowering_does_not_replace_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))
    own = node(EXPECTED["even"])

    @elichika.lowers(own, fresh=True)
    def lowered(context: elichika.LoweringContext, one: Any, x: Any, y: Any) -> Any:
        g = context.graph
        return g.Add(g.Mul(x, 2), g.ReduceSum(y, keepdims=0))

    def forward(self, x):
        return own().apply((x, x))[0]

    program = Program(forward, [(f32(*size),) for size in SIZES], {"x": {0: "rows"}})
    check(program, compiled(program))


def decides(t: Any) -> None:
    if type_check.eval(t[0].shape[0]) == 1:
        type_check.expect(t[0].shape[1] == 3)


@pytest.mark.parametrize(
    "expect", [decides, lambda t: type_check.expect(t[0].shape[:1] != t[1].shape[:1])]
)
def test_a_check_that_decides_by_sizes_of_the_run_is_refused(expect: Callable[[Any], Any]) -> None:
    own = node(expect)

    def forward(self, x):
        return own().apply((x, x[1:]))[0]

    program = Program(forward, [(f32(4, 2),)], {"x": {0: "rows"}})
    with pytest.raises(elichika.StagingError, match="check_type_forward` decides by sizes"):
        compiled(program)
    program = Program(forward, [(np.ones((4, 2), np.float32),)])
    check(program, compiled(program))
