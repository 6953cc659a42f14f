"""Runs a case eagerly while recording each FunctionNode, then each lowering in onnxruntime."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest import mock

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import onnxruntime
from chainer.function import FunctionAdapter

import elichika.lowerings
from elichika.registry import lowering_of
from elichika.walker.walker import Walker
from onnx_graph import Dim, ONNXGraph, dims_of, substitute
from tests.lowerings.chainer.cases import Case, as_variables

TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2}


@dataclass
class Recorded:
    """One `FunctionNode.apply`: the node as it was before it ran, and its arrays."""

    node: Any
    inputs: list[np.ndarray]
    fixed: list[bool]
    outputs: list[np.ndarray | None]


def array_of(value: Any) -> np.ndarray:
    return np.asarray(value.array if isinstance(value, chainer.Variable) else value)


def record(
    expression: str,
    inputs: Mapping[str, Any],
    attributes: Mapping[str, Any] | None = None,
    *,
    train: bool = False,
    scope: Mapping[str, Any] | None = None,
) -> list[Recorded]:
    """Run an expression over inputs, attributes of `self`, and the names of a scope."""
    calls: list[Recorded] = []
    apply = chainer.FunctionNode.apply
    depth = 0

    def recording(self: Any, inputs: Sequence[Any]) -> Any:
        nonlocal depth
        node = copy.copy(self._function if isinstance(self, FunctionAdapter) else self)
        before = [array_of(item).copy() for item in inputs]
        depth += 1
        try:
            results = apply(self, inputs)
        finally:
            depth -= 1
        if depth == 0:
            fixed = [isinstance(item, chainer.Parameter) for item in inputs]
            outputs = [None if item is None else array_of(item).copy() for item in results]
            calls.append(Recorded(node, before, fixed, outputs))
        return results

    names: dict[str, Any] = {"F": F, "L": L, "np": np, "chainer": chainer, **(scope or {})}
    names["self"] = SimpleNamespace(**attributes or {})
    names |= {name: as_variables(value) for name, value in inputs.items()}
    with (
        mock.patch.object(chainer.FunctionNode, "apply", recording),
        chainer.using_config("train", train),
        chainer.using_config("enable_backprop", False),
        mock.patch.object(np, "float", float, create=True),  # resize_images asks for it
        np.errstate(all="ignore"),
    ):
        eval(expression, names)
    return calls


def resized(case: Case, arrays: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Other sizes: each axis of the first input at 0, 1, 2, …, and of the others that match."""
    dynamic = {name: value for name, value in arrays.items() if isinstance(value, np.ndarray)}
    if not dynamic or not case.resize:
        return
    first = next(iter(dynamic.values()))
    for axis in range(first.ndim):
        if case.resize is not True and axis not in case.resize:
            continue
        for size in sorted({0, 1, 2, 5, first.shape[axis] + 1, 2 * first.shape[axis]}):
            if size == first.shape[axis] or (size == 0 and axis and case.resize is not True):
                continue
            changed = dict(arrays)
            for name, value in dynamic.items():
                if value.ndim > axis and (value is first or value.shape[axis] == first.shape[axis]):
                    shape = (*value.shape[:axis], size, *value.shape[axis + 1 :])
                    changed[name] = np.resize(value, shape)
            yield changed


@dataclass
class Built:
    graph: ONNXGraph
    session: onnxruntime.InferenceSession
    feeds: list[str | None]
    results: list[Any]
    dims: dict[str, tuple[Any, int]]


def build(call: Recorded, symbolic: bool) -> Built:
    """Build and load the graph of one lowering."""
    graph = ONNXGraph()
    values, feeds = [], []
    dims: dict[str, tuple[Any, int]] = {}
    for index, (array, fixed) in enumerate(zip(call.inputs, call.fixed, strict=True)):
        if fixed:
            values.append(graph.initializer(f"w{index}", array))
            feeds.append(None)
            continue
        shape = [f"i{index}d{axis}" if symbolic else s for axis, s in enumerate(array.shape)]
        dims |= {f"i{index}d{axis}": (index, axis) for axis in range(array.ndim)}
        values.append(graph.input(f"i{index}", array.dtype, shape))
        feeds.append(f"i{index}")
    assert elichika.lowerings is not None
    lowering = lowering_of(type(call.node))
    assert lowering is not None, f"{type(call.node).__name__} has no lowering"
    results = lowering(Walker(graph, {}, None), copy.copy(call.node), *values)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    results = [
        None if value is None else graph.output(f"o{index}", value)
        for index, value in enumerate(results)
    ]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    model = graph.to_model().SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return Built(graph, session, feeds, results, dims)


def same(built: Built, call: Recorded, tolerance: Mapping[str, float]) -> None:
    """Run on the call's inputs and compare values, dtypes, shapes and claimed sizes."""
    feeds = {name: array for name, array in zip(built.feeds, call.inputs, strict=True) if name}
    outputs = iter(built.session.run(None, feeds))
    assert len(built.results) == len(call.outputs)
    sizes: dict[str, int | Dim] = {
        name: call.inputs[index].shape[axis] for name, (index, axis) in built.dims.items()
    }
    for value, expected in zip(built.results, call.outputs, strict=True):
        assert (value is None) == (expected is None)
        if value is None or expected is None:
            continue
        actual = next(outputs)
        assert actual.dtype == expected.dtype
        assert actual.shape == expected.shape
        for size, dim in zip(expected.shape, dims_of(value), strict=True):
            claimed = substitute(dim, sizes)
            assert isinstance(claimed, Dim) or claimed == size, f"{dim} is claimed for {size}"
        close(actual, expected, tolerance.get(expected.dtype.name))


def close(actual: np.ndarray, expected: np.ndarray, tolerance: float | None) -> None:
    """Compare relative to the largest finite magnitude; ints, bools, nan and inf exactly."""
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(actual, expected)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(actual[~finite], expected[~finite])
    if finite.any():
        wide = np.longdouble
        scale = np.abs(expected[finite]).max().astype(wide)
        bound = (tolerance or TOLERANCE[expected.dtype.name]) * scale
        error = np.abs(actual[finite].astype(wide) - expected[finite].astype(wide)).max()
        assert error <= bound, f"differs by {error} where {bound} is allowed"


def attributes(node: Any) -> dict[str, str]:
    """What the node was made with, comparable."""
    return {name: repr(value) for name, value in vars(node).items()}


def check_alone(
    case: Case, expression: str, dtype: str, build: Callable[[Recorded, bool], Built] = build
) -> None:
    """Hold every lowering of a call against eager Chainer, at fixed and at unknown sizes."""
    with chainer.using_config("train", case.train):
        _check(case, expression, dtype, build)


def _check(
    case: Case, expression: str, dtype: str, build: Callable[[Recorded, bool], Built]
) -> None:
    inputs, attributes = case.converted(dtype)
    calls = record(expression, inputs, attributes, train=case.train)
    assert calls, "no FunctionNode was applied"
    fixed = [build(call, False) for call in calls]
    models = [build(call, True) for call in calls] if case.symbolic else fixed
    for each in (fixed, models):
        for built, call in zip(each, calls, strict=True):
            same(built, call, case.tolerance)
    for required, other in others(case, inputs):
        try:
            again = record(expression, other, attributes, train=case.train)
        except Exception:
            if required:
                raise
            continue
        for built, call, first in zip(models, again, calls, strict=False):
            if fits(call, first, symbolic=case.symbolic):
                same(built, call, case.tolerance)


def fits(call: Recorded, first: Recorded, *, symbolic: bool) -> bool:
    """Tell whether a call is of the kind that a model was made from."""
    alike = type(call.node) is type(first.node) and call.fixed == first.fixed
    sizes = [(a.ndim if symbolic else a.shape) for a in call.inputs]
    others = [(a.ndim if symbolic else a.shape) for a in first.inputs]
    return alike and sizes == others and attributes(call.node) == attributes(first.node)


def others(case: Case, arrays: Mapping[str, Any]) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Return the inputs that a case is run on besides its example, and whether eager takes them."""
    for other in case.others:
        yield True, {**arrays, **{n: converted_like(arrays[n], v) for n, v in other.items()}}
    for other in (*resized(case, arrays), *varied(arrays)):
        yield False, other


def varied(arrays: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Other values of the same sizes: the same in another order, and other floats and bools."""
    yield {n: np.flip(v) if isinstance(v, np.ndarray) else v for n, v in arrays.items()}
    yield {n: _other(v) if isinstance(v, np.ndarray) else v for n, v in arrays.items()}


def _other(value: np.ndarray) -> np.ndarray:
    if value.dtype.kind == "f":
        return np.where(value == 1, 0.5, 1 - value).astype(value.dtype)
    return ~value if value.dtype.kind == "b" else np.roll(value, 1)


def converted_like(example: Any, value: np.ndarray) -> np.ndarray:
    return value.astype(example.dtype) if isinstance(example, np.ndarray) else value
