"""What `forward` leaves for backward passes is what the table says, of every function in reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer.function import FunctionAdapter

from elichika.lowerings.chainer.left_behind import _LEFT, left_by
from elichika.registry import lowering_of
from tests.lowerings.chainer.cases import Case, as_variables
from tests.lowerings.chainer.table import ROWS

#: What every function has.
COMMON = {*vars(chainer.FunctionNode), *vars(chainer.Function), "_node", "_owned_node", "_function"}


class Watch:
    """Notes which attributes of a function that its `forward` sets are read afterwards.

    Attributes:
        read: By class, what was.
    """

    def __init__(self) -> None:
        self.read: dict[Any, set[str]] = defaultdict(set)
        self._watched: dict[Any, Any] = {}
        self._apply = chainer.FunctionNode.apply

    def apply(self, node: Any, inputs: Any) -> Any:
        """Stand for `FunctionNode.apply`."""
        function = node._function if isinstance(node, FunctionAdapter) else node
        before = dict(vars(function))
        results = self._apply(node, inputs)
        left = {n for n, v in vars(function).items() if n not in before or before[n] is not v}
        if left - COMMON:
            function.__dict__["~left"] = left - COMMON
            function.__class__ = self._watching(type(function))
        return results

    def _watching(self, kind: Any) -> Any:
        def get(obj: Any, name: str) -> Any:
            if name in object.__getattribute__(obj, "__dict__").get("~left", ()):
                self.read[kind].add(name)
            return object.__getattribute__(obj, name)

        if kind not in self._watched:
            body = {"__getattribute__": get, "__module__": kind.__module__}
            self._watched[kind] = type(kind.__name__, (kind,), body)
        return self._watched[kind]


def variables(value: Any) -> Iterator[chainer.Variable]:
    """Yield the Variables of floats in a result."""
    if isinstance(value, chainer.Variable):
        if value.array is not None and value.dtype.kind == "f":
            yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from variables(part)


def seeds(ys: Sequence[chainer.Variable]) -> list[chainer.Variable]:
    """Return gradients to begin with."""
    return [chainer.Variable(np.full(y.shape, 0.5, y.dtype)) for y in ys]


def differentiate(case: Case, call: str) -> None:
    """Take the gradients of a call, and their gradients, where there are any."""
    inputs, attributes = case.converted("float32")
    scope: dict[str, Any] = {"D": D, "F": F, "L": L, "np": np, "chainer": chainer}
    scope["self"] = SimpleNamespace(**attributes)
    scope |= {name: as_variables(value) for name, value in inputs.items()}
    ys = [y for y in variables(eval(call, scope)) if y.creator_node is not None]
    xs = [x for name in inputs for x in variables(scope[name])]
    xs += [held for held in attributes.values() if isinstance(held, chainer.Parameter)]
    if not ys or not xs:
        return
    gys = seeds(ys)
    gxs = chainer.grad(ys, xs, gys, enable_double_backprop=True)
    gxs = [gx for gx in gxs if gx is not None and gx.creator_node is not None]
    if gxs:
        chainer.grad(gxs, [*xs, *gys], seeds(gxs))


#: What is made of functions that have rows of their own.
LAYERS = ("Links", "Containers")
#: What eager Chainer raises where there are no such gradients.
NONE = (NotImplementedError, RuntimeError, TypeError, ValueError, IndexError, AttributeError)


@pytest.mark.filterwarnings("ignore")
def test_all_that_is_read_is_in_the_table() -> None:
    watch = Watch()

    def apply(node: Any, inputs: Any) -> Any:
        return watch.apply(node, inputs)

    cases = [case for row in ROWS if row.section not in LAYERS for case in row.whole]
    with mock.patch.object(chainer.FunctionNode, "apply", apply), np.errstate(all="ignore"):
        for case in cases:
            for call in case.expressions:
                with chainer.using_config("train", case.train):
                    try:
                        differentiate(case, call)
                    except NONE:
                        continue
    found = {kind: names for kind, names in watch.read.items() if lowering_of(kind)}
    assert all(left_by(kind) >= names for kind, names in found.items())
    table = {name: set(names.split()) for name, names in _LEFT.items()}
    assert {kind.__name__: names for kind, names in found.items()} == table
