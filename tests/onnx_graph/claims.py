"""Compares the sizes and contents that a graph claims with what onnxruntime returns."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime as ort

from onnx_graph import Dim, ONNXGraph, Value, dims_of, dtype_of, is_sequence, rank_of, substitute
from onnx_graph.dims import ANY, symbols

SIZES = (0, 1, 2, 3, 7)
Inputs = Mapping[str, tuple[Any, tuple[object, ...]]]


def session(model: bytes, level: str = "ORT_ENABLE_ALL") -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def bindings(
    names: Sequence[str], rng: random.Random, limit: int, sizes: Sequence[int]
) -> Iterator[dict[str, int]]:
    """Return assignments of sizes to symbols, all of them if there are few."""
    every = list(itertools.product(sizes, repeat=len(names)))
    rng.shuffle(every)
    for chosen in every[:limit]:
        yield dict(zip(names, chosen, strict=True))


def check_claim(dims: Sequence[int | Dim], actual: Sequence[int], bound: dict[str, int]) -> None:
    """Compare sizes; a symbol that is not bound yet takes what is there."""
    for dim, size in zip(dims, actual, strict=True):
        if isinstance(dim, Dim) and dim.symbol is not None and dim != ANY:
            bound.setdefault(dim.symbol, size)
    for dim, size in zip(dims, actual, strict=True):
        if dim != ANY and symbols(dim) <= bound.keys():
            assert substitute(dim, bound) == size, f"claimed {dim}, is {size}; {bound}"


def feed(inputs: Inputs, bound: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    """Return random inputs; a callable in place of a dtype makes its own array."""
    arrays: dict[str, Any] = {}
    for name, (dtype, dims) in inputs.items():
        shape = [substitute(Dim(dim), bound) if isinstance(dim, str) else dim for dim in dims]
        kind = np.dtype(dtype).kind
        array = rng.integers(0, 3, shape) if kind in "iub" else rng.standard_normal(shape)
        arrays[name] = np.asarray(array).astype(dtype)
    return arrays


def check_types(
    build: Callable[..., Any],
    inputs: Inputs,
    *,
    seed: int = 0,
    limit: int = 30,
    sizes: Sequence[int] = SIZES,
    fixed: Mapping[str, Any] | None = None,
) -> tuple[int, int]:
    """Build a graph, run it at many sizes, and hold every claim against what comes out.

    Returns:
        How many runs succeeded, and how many failed (these prove nothing).
    """
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    g = ONNXGraph()
    values = {name: g.input(name, dtype, dims) for name, (dtype, dims) in inputs.items()}
    built = build(g, **values)
    results: list[Value] = list(built) if isinstance(built, (list, tuple)) else [built]
    claims = [(v, None if rank_of(v) is None else dims_of(v), dtype_of(v)) for v in results]
    contents = [g.known(value) if not is_sequence(value) else None for value in results]
    for index, value in enumerate(results):
        g.output(f"out{index}", value)
    import onnx_ir as ir

    from onnx_graph.naming import finished_model

    proto = ir.to_proto(finished_model(g))
    for output in proto.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    run = session(proto.SerializeToString())
    names = sorted(
        {
            s
            for _, dims in inputs.values()
            for d in dims
            if isinstance(d, str)
            for s in symbols(Dim(d))
        }
    )
    passed = failed = 0
    for assignment in bindings(names, rng, limit, sizes):
        arrays = feed(inputs, assignment, numbers) | dict(fixed or {})
        try:
            outputs = run.run(None, arrays)
        except Exception:
            failed += 1
            continue
        passed += 1
        bound = dict(assignment)
        for _ in range(2):  # the second round checks expressions of symbols bound in the first
            for (_, dims, dtype), known, output in zip(claims, contents, outputs, strict=True):
                elements = output if isinstance(output, list) else [output]
                for element in elements:
                    assert element.dtype == dtype or dtype.kind == "O"
                    if dims is not None:
                        assert len(dims) == element.ndim
                        check_claim(dims, element.shape, bound)
                if known is not None:
                    check_claim(
                        known if isinstance(known, list) else [known], np.ravel(output), bound
                    )
    return passed, failed
