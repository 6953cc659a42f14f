"""Compiles a case once for each dtype and holds the model against Chainer on several inputs."""

from __future__ import annotations

import linecache
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import chainer
import numpy as np
import onnx_ir

from elichika.compiler import compile_model
from elichika.errors import ElichikaError
from elichika.model.compiled import CompiledModel
from elichika.signature import BoundCall
from elichika.verify.compare import TOLERANCES, compare
from elichika.verify.draws import LEVELS
from elichika.verify.eager import Eager
from tests.lowerings.chainer.cases import Case, as_dtype, as_variables

HEADER = """\
import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import numpy as np
"""


@dataclass(frozen=True)
class Failure:
    """A call that does not do what the table says.

    Attributes:
        kind: `refused`, `crashed`, `wrong` or `accepted` (where it must be refused).
    """

    kind: str
    expression: str
    dtype: str
    text: str


@dataclass
class Outcome:
    """What a case came to: its failures, the runs that agreed, the operators of the first model."""

    failures: list[Failure] = field(default_factory=list)
    runs: int = 0
    operators: set[str] = field(default_factory=set)


def check_whole(case: Case, *, quick: bool = False) -> Outcome:
    """Compile a case and compare it with Chainer: for each dtype, on dynamic and static sizes.

    Args:
        case: The calls.
        quick: Only the first dtype, on dynamic sizes where the case has any. The operators are
            those of these models either way.
    """
    outcome = Outcome()
    sizes = (False,) if case.axes is None else (True, False)
    settings = [(dtype, dynamic) for dtype in case.dtypes for dynamic in sizes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (dtype, dynamic) in enumerate(settings[:1] if quick else settings):
            check = _Check(case, dtype, dynamic, outcome)
            check.run()
            if number == 0:
                outcome.operators |= check.operators
    return outcome


class _Check:
    def __init__(self, case: Case, dtype: str, dynamic: bool, outcome: Outcome) -> None:
        self.case = case
        self.dtype = dtype
        self.dynamic = dynamic
        self.outcome = outcome
        self.operators: set[str] = set()
        self.inputs, self.attributes = case.converted(dtype)
        self._initialize()
        self.axes = _axes(self.inputs, case.axes or () if dynamic else ())

    def _initialize(self) -> None:
        """Run the calls once where a link makes its parameters when it is first called."""
        links = [link for link in self.attributes.values() if isinstance(link, chainer.Link)]
        if all(parameter.is_initialized for link in links for parameter in link.params()):
            return
        dtype = chainer.using_config("dtype", np.dtype(self.dtype))
        with chainer.using_config("train", False), dtype:
            self._chain(self.case.expressions).forward(*arguments(self.inputs))
        for link in links:
            if hasattr(link, "reset_state"):
                link.reset_state()

    def run(self) -> None:
        """Compile all calls together, or one by one where that fails."""
        if self.case.refused:
            self._must_refuse()
            return
        calls = self.case.expressions
        try:
            model = self._compile(calls)
        except Exception as error:  # an internal error is a finding as well
            if len(calls) == 1:
                self._fail(_kind(error), calls[0], error)
                return
            for call in calls:
                try:
                    alone = self._compile((call,))
                except Exception as single:
                    self._fail(_kind(single), call, single)
                else:
                    self._compare(alone, (call,))
            return
        self._compare(model, calls)

    def _must_refuse(self) -> None:
        (call,) = self.case.expressions
        try:
            self._compile((call,))
        except ElichikaError as error:
            if self.case.refused not in str(error):
                self._fail("refused", call, error)
            self.outcome.runs += 1
        except Exception as error:
            self._fail("crashed", call, error)
        else:
            self._fail("accepted", call, "must be refused")

    def _chain(self, calls: Sequence[str]) -> chainer.Chain:
        return make_chain(calls, tuple(self.inputs), self.attributes)

    def _compile(self, calls: Sequence[str]) -> CompiledModel:
        return compile_model(
            self._chain(calls),
            arguments(self.inputs),
            dynamic_axes=self.axes or None,
            train=self.case.train,
            random="onnx" if self.case.draws else None,
            verify=False,
        )

    def _compare(self, model: CompiledModel, calls: Sequence[str]) -> None:
        assert model.graph is not None
        nodes = onnx_ir.traversal.RecursiveGraphIterator(model.graph.model().graph)
        self.operators |= {node.op_type for node in nodes}
        chains = [Eager(self._chain((call,)), train=self.case.train) for call in calls]
        tolerances = {**TOLERANCES, **self.case.tolerance}
        outputs = model.signature.outputs
        levels = cycle(LEVELS if self.case.draws else [None])
        for (must, inputs), level in zip(self._trials(), levels, strict=False):
            expected = []
            for chain, call in zip(chains, calls, strict=True):
                chain.level = level
                eager = chain.run(lambda: BoundCall(arguments(inputs), {}))  # noqa: B023  called at once
                if eager.error is not None:
                    if must:
                        self._fail("crashed", call, f"Chainer itself fails: {eager.error!r}")
                    break
                expected.append(eager.value[0])
            if len(expected) != len(calls):
                continue
            try:
                leaves = model.signature.inputs.leaves(arguments(inputs), {})
                actual = model.call_with(leaves, level=level)
            except Exception as error:
                shown = ", ".join(f"{n}{np.shape(v)}" for n, v in inputs.items())
                self._fail("crashed", " and ".join(calls), f"on {shown}: {error}")
                return
            found = compare(tuple(expected), actual, outputs.structure, outputs.specs, tolerances)
            for difference in found.differences:
                index = int(difference.where[1 : difference.where.index("]")])
                shown = ", ".join(f"{n}{np.shape(v)}" for n, v in inputs.items())
                self._fail("wrong", calls[index], f"on {shown}: {difference.text}")
            if found.differences:
                return
            self.outcome.runs += 1

    def _trials(self) -> Iterator[tuple[bool, dict[str, Any]]]:
        yield True, self.inputs
        for other in self.case.others:
            changed = {name: as_dtype(value, self.dtype) for name, value in other.items()}
            yield True, self.inputs | changed
        random = np.random.RandomState(0)
        yield False, {name: _shuffled(value, random) for name, value in self.inputs.items()}
        for axis in self.case.axes or () if self.dynamic else ():
            yield from ((False, inputs) for inputs in _resized(self.inputs, axis, random))

    def _fail(self, kind: str, call: str, error: object) -> None:
        text = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)
        where = f"{self.dtype}{', dynamic sizes' if self.dynamic else ''}"
        self.outcome.failures.append(Failure(kind, call, where, text))


def make_chain(
    calls: Sequence[str], names: Sequence[str], attributes: Mapping[str, Any]
) -> chainer.Chain:
    """Return a chain whose `forward` returns the tuple of the calls' results."""
    lines = [f"def forward(self, {', '.join(names)}):", "    return ("]
    text = HEADER + "\n".join([*lines, *(f"        {call}," for call in calls), "    )\n"])
    file = f"<calls {zlib.crc32(text.encode()):08x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "calls"}
    exec(compile(text, file, "exec"), scope)
    chain = type("Calls", (chainer.Chain,), {"forward": scope["forward"]})()
    with chain.init_scope():
        for name, value in attributes.items():
            setattr(chain, name, value)
    assert isinstance(chain, chainer.Chain)
    return chain


def arguments(inputs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the arguments of a call: fresh Variables."""
    return tuple(map(as_variables, inputs.values()))


def _axes(inputs: Mapping[str, Any], axes: Sequence[int]) -> dict[str | int, Any]:
    return {
        name: {axis: f"{name}_{axis}" for axis in axes if axis < value.ndim}
        for name, value in inputs.items()
        if isinstance(value, np.ndarray)
    }


def _shuffled(value: Any, random: np.random.RandomState) -> Any:
    """Return the elements of an array in another order, each perhaps at half its size."""
    if isinstance(value, (list, tuple)):
        return type(value)(_shuffled(item, random) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    moved = random.permutation(value.ravel()).reshape(value.shape)
    if value.dtype.kind == "f":
        moved = moved * random.choice([0.5, 1], value.shape).astype(value.dtype)
    return np.asarray(moved, value.dtype)


def _resized(
    inputs: Mapping[str, Any], axis: int, random: np.random.RandomState
) -> Iterator[dict[str, Any]]:
    """Yield other sizes of an axis of the first input, and of the others where they match."""
    arrays = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    first = next(iter(arrays.values()), np.zeros(()))
    if axis >= first.ndim:
        return
    size = first.shape[axis]
    for other in (1, 2, size + 1, 2 * size + 1):
        if other == size:
            continue
        changed = dict(inputs)
        for name, value in arrays.items():
            if axis < value.ndim and value.shape[axis] == size:
                shape = (*value.shape[:axis], other, *value.shape[axis + 1 :])
                changed[name] = np.resize(_shuffled(value, random), shape)
        yield changed


def _kind(error: Exception) -> str:
    internal = isinstance(error, ElichikaError) and "internal error" in str(error)
    return "refused" if isinstance(error, ElichikaError) and not internal else "crashed"
