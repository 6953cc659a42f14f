"""The gradients of the calls of the table, by inputs and parameters, against Chainer's."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

from elichika.compiler import compile_model
from elichika.errors import ElichikaError
from tests.lowerings.chainer.cases import Case, as_dtype, as_variables
from tests.lowerings.chainer.whole import _axes, _resized, arguments, make_chain
from tests.programs import difference, unsigned

#: Where a gradient is compared, and how closely.
TOLERANCES = {"float32": 1e-3, "float64": 1e-8}
#: What a message says of the calls that are made here.
GENERATED = re.compile(r"^`chainer\.grad\(.*\)` calls")
#: Calls whose gradients differ in what the contract leaves open, or are known to fail, and why.
KNOWN = {
    "F.cast(x, 'e')": "in half precision",
    "F.digamma(x)": "of numbers from 0",
}


@dataclass(frozen=True)
class Differentiated:
    """A chain that gives the gradients of a call.

    Attributes:
        chain: The chain.
        inputs: What it is called with.
        case: The calls that it is one of.
    """

    chain: chainer.Chain
    inputs: dict[str, Any]
    case: Case

    @property
    def options(self) -> dict[str, Any]:
        """How it is compiled."""
        axes = _axes(self.inputs, self.case.axes or ())
        return {"dynamic_axes": axes or None, "train": self.case.train, "verify": False}

    def difference(self, dtype: str, *, quick: bool = False) -> str | None:
        """Compile it; return how it differs from Chainer, on other sizes too unless `quick`."""
        model = compile_model(self.chain, arguments(self.inputs), **self.options)
        trials = [self.inputs]
        if not quick:
            for other in self.case.others:
                trials.append(self.inputs | {n: as_dtype(v, dtype) for n, v in other.items()})
            random = np.random.RandomState(0)
            for axis in self.case.axes or ():
                trials += _resized(self.inputs, axis, random)
        for trial in trials:
            expected = eager(self.chain, trial, self.case.train)
            try:
                actual = model(*arguments(trial))
            except Exception as error:
                actual = error
            if not isinstance(actual, Exception):
                actual = unsigned(actual)  # eager adds up zeros of either sign
            if not isinstance(expected, Exception):
                expected = unsigned(expected)
            found = difference(expected, actual, TOLERANCES)
            if found is not None:
                return f"{found} on {[np.shape(value) for value in trial.values()]}"
        return None


def eager(chain: Any, inputs: Mapping[str, Any], train: bool) -> Any:
    """Return what a copy of a chain gives, or the exception that it raises."""
    try:
        with chainer.using_config("train", train), np.errstate(all="ignore"):
            return copy.deepcopy(chain).forward(*arguments(inputs))
    except Exception as error:
        return error


def places(value: Any, at: str) -> Iterator[str]:
    """Yield how to reach the Variables of floats in a structure."""
    if isinstance(value, chainer.Variable):
        if value.dtype.kind == "f":
            yield at
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from places(part, f"{at}[{index}]")


def parameters(attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield how to reach the parameters among the attributes of a chain."""
    for name, held in attributes.items():
        if isinstance(held, chainer.Link):
            for path, parameter in sorted(held.namedparams()):
                if parameter.array is not None and parameter.dtype.kind == "f":
                    parts = path.strip("/").split("/")
                    steps = (f"[{part}]" if part.isdigit() else f".{part}" for part in parts)
                    yield f"self.{name}{''.join(steps)}"
        elif getattr(getattr(held, "dtype", None), "kind", "") == "f":
            yield f"self.{name}"


def differentiated(case: Case, call: str, dtype: str) -> Differentiated | None:
    """Return what gives the gradients of a call; None where there are none in Chainer."""
    inputs, attributes = case.converted(dtype)
    chain = make_chain((call,), tuple(inputs), attributes)
    if any(not parameter.is_initialized for parameter in chain.params()):
        settings = chainer.using_config("dtype", np.dtype(dtype)), chainer.no_backprop_mode()
        with chainer.using_config("train", False), settings[0], settings[1]:
            chain.forward(*arguments(inputs))
        for held in attributes.values():
            if hasattr(held, "reset_state"):
                held.reset_state()
    result = eager(chain, inputs, case.train)
    if isinstance(result, Exception):
        return None
    ys = list(places(result[0], "found"))
    xs = [place for name in inputs for place in places(as_variables(inputs[name]), name)]
    xs += parameters(attributes)
    if not ys or not xs:
        return None
    seeds = "chainer.Variable(F.cos(v / (1 + abs(v))).array)"
    grad = (
        f"(lambda found: [None if g is None else g.array for g in chainer.grad([{', '.join(ys)}], "
        f"[{', '.join(xs)}], [{seeds} for v in [{', '.join(ys)}]])])({call})"
    )
    chain = make_chain((grad,), tuple(inputs), attributes)
    if isinstance(eager(chain, inputs, case.train), Exception):
        return None
    return Differentiated(chain, inputs, case)


def each(cases: Any) -> Iterator[tuple[str, Differentiated, str]]:
    """Yield the calls of some cases that Chainer differentiates, with what does it and a dtype."""
    for case in cases:
        if case.refused or case.draws:
            continue
        dtype = "float64" if "float64" in case.dtypes else "float32"
        for call in dict.fromkeys(case.expressions):
            found = differentiated(case, call, dtype)
            if found is not None:
                yield call, found, dtype


def gradient(cases: Any) -> str:
    """Return what came of the gradients of some cases: `yes`, `no: why`, or nothing without any.

    Raises:
        AssertionError: One of them is wrong.
    """
    refused, good = "", False
    for call, found, dtype in each(cases):
        try:
            wrong = found.difference(dtype)
        except ElichikaError as error:
            assert "internal error" not in error.message, f"{call}: {error}"
            refused = refused or GENERATED.sub("it calls", error.message.partition(", so ")[0])
            continue
        assert wrong is None or call in KNOWN, f"{call}: {wrong}"
        good = True
    if refused:
        return f"{'partly' if good else 'no'}: {refused}"
    return "yes" if good else ""
