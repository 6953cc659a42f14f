"""The compiler, in one function: source to canonical program to graph to verified model."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx

import elichika.lowerings  # noqa: F401  registers the lowerings
from elichika.call.boundary import read_outputs
from elichika.call.entry import entry_of
from elichika.call.outliving import Names
from elichika.call.streams import STATE_KEY, Stream, write_specs
from elichika.errors import BudgetError, ElichikaError, InputError
from elichika.lowerings.chainer import detection
from elichika.model.compiled import CompiledModel
from elichika.model.files import require_writable
from elichika.model.report import Report
from elichika.model.session import require_runtime
from elichika.model.version import __version__
from elichika.program.source import place_of_result
from elichika.signature import InputSignature, Signature, read_inputs
from elichika.signature.inputs import show_path
from elichika.staging import note_state, stage
from elichika.verify.failures import failure_of, in_one_line, is_told, within
from elichika.walker.limits import Limits
from onnx_graph import ONNXGraph

__all__ = ["compile_model"]

log = logging.getLogger(__name__)

LAST_RANDOM_OPSET = 21
#: What the stages do, in the words of an error.
DOING = {
    "read": "reading the inputs",
    "walk": "walking the program",
    "optimize": "optimizing the graph",
    "verify": "comparing the model with the chain",
    "save": "writing the file",
}
RAISED = "the program raises this for every input of this kind"
"""The hint of what the program itself raises while it is walked."""
OPSETS = range(18, onnx.defs.onnx_opset_version() + 1)


def compile_model(
    chain: chainer.Link,
    inputs: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    method: str | None = None,
    examples: Sequence[Any] | None = None,
    dynamic_axes: Mapping[str | int, Any] | str | None = None,
    static: Sequence[str] = (),
    train: bool = False,
    input_names: Sequence[str] | Mapping[str, str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int = 18,
    verify: bool = True,
    initialize: bool = False,
    max_unroll: int = 64,
    max_unroll_nodes: int = 2000,
    max_nodes: int | None = 100_000,
    max_seconds: float | None = 600.0,
    providers: Sequence[Any] | None = None,
    state: bool = False,
    source_info: bool = True,
    random: str | None = None,
) -> CompiledModel:
    """Compile a chain into a standard ONNX model that gives what the chain gives.

    Args:
        chain: The model. It, its links and its attributes stay as they are.
        inputs: Example inputs: a tuple or list of positional ones, a dict of keyword ones, or one
            array. Arrays and numbers become graph inputs; None and text stay as they are.
        path: Where to write the `.onnx` file, if anywhere.
        method: The method to compile; the default is what calling the chain runs: a `__call__` of
            its class, or `forward` with the link hooks around it.
        examples: Further inputs of the same form, to be verified as well.
        dynamic_axes: Names of sizes that may change: `{"x": {0: "batch"}}`, or `"batch"` for axis
            0 of every array.
        static: Names of arguments that stay at their example.
        train: Compile for `chainer.config.train = True`.
        input_names: Names of the graph inputs; the default is the parameter names.
        output_names: Names of the graph outputs.
        opset_version: 18 to 21 run in the most runtimes.
        verify: Compare the model with the chain, on these inputs and on others derived from them.
        initialize: Run the chain once first, so that it creates uninitialized parameters.
        max_unroll: Loops known now of more turns are kept as loops where they can be.
        max_unroll_nodes: So are loops that would come to more nodes.
        max_nodes: How many nodes the model may have; None for any number.
        max_seconds: How long compiling and verifying may take; None for any time. One long call
            of native code is waited for.
        providers: onnxruntime execution providers for verification and for running the model.
        state: What a call changes on the chain (a recurrent link's `h`, counters, running
            statistics) becomes inputs and outputs; the model keeps it between calls.
        source_info: Whether the file says which of your lines made a node: the names of your
            files (relative to their package or the working folder), lines and functions.
        random: `"onnx"` lets the model draw its own random numbers, by ONNX's random operators,
            where the chain draws some; else what draws is refused. Drawn values are verified as
            distributions, see `elichika.verify.draws`.

    Returns:
        The model; call it with inputs like the examples.

    Raises:
        InputError: The inputs or options cannot be used, or onnxruntime is not installed.
        UnsupportedSyntax: A statement or expression has no compiled form.
        UnsupportedFunction: A call on values of the run has neither a lowering nor source.
        BudgetError: It takes more nodes or seconds than it may, or values known now that do not
            fit into memory.
        StagingError: A value has no common type, or is needed before the model runs.
        VerificationError: The model differs from the chain.
    """
    function = entry_of(chain, method)
    _require_options(opset_version, random)
    limits = Limits(max_unroll, max_unroll_nodes, max_nodes, max_seconds)
    if path is not None:
        require_writable(path)
    require_runtime()
    detection.register()
    report = Report()

    def compiled() -> CompiledModel:
        with _stage(report, limits, "read"):
            signature = read_inputs(
                function,
                inputs,
                dynamic_axes=dynamic_axes,
                static=static,
                input_names=input_names,
                examples=examples,
            )
            _note_lists(signature, report)
            if initialize and any(p.array is None for p in chain.params()):
                _run_once(function, signature)
        new_graph = partial(_new_graph, opset_version, source_info, random)
        with _stage(report, limits, "walk"):
            stream = Stream(chain) if state else None
            with _told(chain, method, signature, train, limits):
                walker, result = stage(
                    chain, method, signature, new_graph, report, limits, stream=stream
                )
            place = place_of_result(function)
            outputs = read_outputs(walker, result, signature, output_names, place)
            graph = walker.graph
            names = Names(chain, walker)
            if stream is None:
                note_state(walker, names, report)
            outside = names.outside()
            if stream is not None:
                graph.metadata[STATE_KEY] = write_specs(stream.leave(walker))
        with _stage(report, limits, "optimize"):
            report.passes = graph.optimize()
        described = Signature(signature, outputs, method, train)
        model = CompiledModel(graph, described, chain=chain, report=report, providers=providers)
        model.outside = outside
        if verify:
            with _stage(report, limits, "verify"):
                report.verification = model.verify(*(examples or ()))
        return model

    with configuration(train):
        model = limits.kept(compiled)
    if path is not None:
        with _stage(report, limits, "save"):
            model.save(Path(path))
    name = str(method or getattr(function, "__name__", "__call__"))
    _log_compile(chain, name, model, report)
    return model


@contextmanager
def _told(
    chain: chainer.Link, method: str | None, signature: InputSignature, train: bool, limits: Limits
) -> Iterator[None]:
    """Say what is wrong where no walk gets through.

    It is how the chain itself fails, where the walk failed as if the program did, or below the same
    line; of what is not compiled elsewhere, the chain's error is said besides.
    """
    try:
        yield
    except (InputError, BudgetError):
        raise
    except ElichikaError as error:
        limits.begin("running the chain on the example")
        fails = failure_of(chain, method, signature, train=train, seconds=limits.max_seconds)
        if fails is None or is_told(error, fails):
            raise
        by_program = error.hint == RAISED or error.message.startswith("internal error")
        if by_program or within(error, fails):
            raise fails from fails.__cause__
        error.also = f"Chainer refuses the example, too: {in_one_line(fails)}"
        raise


def _note_lists(signature: InputSignature, report: Report) -> None:
    """Say of which lists the elements must have the sizes of the example."""
    for spec in signature.specs:
        if spec.kind == "list" and spec.dims and spec.dims == np.shape(spec.example[0]):
            text = (
                f"every array in `{show_path(spec.path)}` must have the sizes {list(spec.dims)} of "
                "the example; to let a size change, give examples of unlike sizes or name the "
                "axis in dynamic_axes"
            )
            report.note(None, text)


def _log_compile(chain: Any, method: str, model: CompiledModel, report: Report) -> None:
    """Say what was compiled, and of what became of it what a reader of logs asks for."""
    name, seconds = f"{type(chain).__name__}.{method}", sum(report.stages.values())
    nodes = 0 if model.graph is None else model.graph.nodes
    log.info("compiled %s: %d nodes, %.2f s", name, nodes, seconds)
    for place, (what, why) in (*report.loops.items(), *report.branches.items()):
        log.debug("%s: %s (%s)", place, what, why)
    for place, text in report.notes:
        log.info("%s: %s", place or name, text)


def _new_graph(opset: int, source_info: bool, random: str | None) -> ONNXGraph:
    graph = ONNXGraph(opset=opset, random=random is not None)
    graph.producer = ("elichika", __version__)
    graph.source_info = source_info
    return graph


def _require_options(opset_version: int, random: str | None) -> None:
    if opset_version not in OPSETS:
        shown = f"{OPSETS[0]} to {OPSETS[-1]}"
        raise InputError(f"opset_version is {shown} with this onnx, not {opset_version!r}")
    if random not in (None, "onnx"):
        raise InputError(f"random is None or 'onnx', not {random!r}")
    if random is not None and opset_version > LAST_RANDOM_OPSET:
        raise InputError(
            f"random='onnx' needs an opset_version up to {LAST_RANDOM_OPSET}, not {opset_version}",
            hint="onnxruntime draws no random numbers in later ones",
        )


@contextmanager
def _stage(report: Report, limits: Limits, name: str) -> Iterator[None]:
    limits.begin(DOING[name])
    start = time.perf_counter()
    yield
    report.stages[name] = seconds = time.perf_counter() - start
    log.debug("%s: %.3f s", name, seconds)


@contextmanager
def configuration(train: bool) -> Iterator[None]:
    """Set what a chain is compiled and run under."""
    with (
        chainer.using_config("train", train),
        np.errstate(all="ignore"),
    ):
        yield


def _run_once(function: Any, signature: InputSignature) -> None:
    call = signature.bound()
    try:
        function(*call.args, **call.kwargs)
    except Exception as error:  # whatever the chain raises
        text = " ".join(str(error).split())
        raise InputError(
            f"The chain itself fails on the example: {type(error).__name__}: {text}."
        ) from error
