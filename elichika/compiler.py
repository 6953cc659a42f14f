"""The compiler, in one function: source to canonical program to graph to verified model."""

from __future__ import annotations

import inspect
import json
import logging
import os
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import chainer
import numpy as np

import elichika.lowerings  # noqa: F401  registers the lowerings
from elichika.call.boundary import inputs_apart, read_outputs, read_prints
from elichika.call.entry import entry_of
from elichika.call.host import on_host
from elichika.call.options import require_flags, require_options
from elichika.call.outliving import Names
from elichika.call.streams import OPTIMIZERS_KEY, STATE_KEY, Stream, write_specs
from elichika.errors import BudgetError, ElichikaError, InputError, OptionError, concise, meant
from elichika.lowerings import installed
from elichika.model.compiled import CompiledModel
from elichika.model.files import require_writable
from elichika.model.prints import PRINTS_KEY
from elichika.model.report import Report
from elichika.model.session import require_runtime
from elichika.model.version import __version__
from elichika.model.weights import WEIGHTS_KEY, describe_weights
from elichika.process import progress
from elichika.process.collecting import collecting_seldom
from elichika.process.configuration import configuration
from elichika.program.raised import RAISED
from elichika.program.source import place_of_result
from elichika.recording.calls import shown_calls
from elichika.recording.watched import watched
from elichika.signature import InputSignature, OutputSignature, Signature, read_inputs
from elichika.signature.inputs import show_path
from elichika.signature.profile import PROFILE_KEY, equal_sizes, profile_of, with_one_name
from elichika.staging import note_state, stage, stage_kinds
from elichika.verify import VerificationReport
from elichika.verify.failures import chain_fails, failure_of, in_one_line, is_told, within
from elichika.walker.limits import Limits
from elichika.walker.walker import Walker
from onnx_graph import ONNXGraph
from onnx_graph.checks import equal_sizes as equal_sizes_of

__all__ = ["compile_model"]

log = logging.getLogger(__name__)

LIMITS = ("max_unroll", "max_unroll_nodes", "max_nodes", "max_seconds", "max_depth")
#: What the stages do, in the words of an error.
DOING = {
    "read": "reading the inputs",
    "walk": "walking the program",
    "optimize": "optimizing the graph",
    "verify": "comparing the model with the chain",
    "save": "writing the file",
}


@concise
def compile_model(
    chain: chainer.Link,
    inputs: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dynamic_axes: Mapping[str | int, Any] | str | None = None,
    examples: Sequence[Any] | None = None,
    merge_dtypes: bool = False,
    static: Sequence[str] = (),
    method: str | None = None,
    train: bool = False,
    state: bool = False,
    random: str | None = None,
    initialize: bool = False,
    verify: bool = True,
    input_names: Sequence[str] | Mapping[str, str] | None = None,
    output_names: Sequence[str] | None = None,
    tensors: bool = False,
    opset_version: int = 18,
    source_info: bool = True,
    reweightable: bool = False,
    fold_norms: bool = True,
    debug: bool = False,
    providers: Sequence[Any] | None = None,
    limits: Limits | None = None,
    **more_limits: Any,
) -> CompiledModel:
    """Compile a chain into a standard ONNX model that gives what the chain gives.

    Args:
        chain: The model. It, its links and its attributes stay as they are.
        inputs: Example inputs: a tuple or list of positional ones, a dict of keyword ones, or one
            array. Arrays and numbers become graph inputs; None and text stay as they are. Or the
            calls that `elichika.profile` recorded: their examples.
        path: Where to write the `.onnx` file, if anywhere.
        dynamic_axes: Names of sizes that may change: `{"x": {0: "batch"}}`, or `"batch"` for axis
            0 of every array. None in the place of a name keeps a size as it is.
        examples: Further inputs. A size that differs between them is dynamic; an argument that is
            a number here and None there may be either. They are verified as well.
        merge_dtypes: Whether arrays of unlike dtypes may be one argument.
        static: Names of arguments that stay at their example.
        method: The method to compile; the default is what calling the chain runs: a `__call__` of
            its class, or `forward` with the link hooks around it.
        train: Compile for `chainer.config.train = True`.
        state: What a call changes on the chain (a recurrent link's `h`, counters, running
            statistics) becomes inputs and outputs; the model keeps it between calls.
        random: `"onnx"` lets the model draw its own random numbers, by ONNX's random operators,
            where the chain draws some; else what draws is refused. Drawn values are verified as
            distributions, see `elichika.verify.draws`.
        initialize: Run the chain once first, so that it creates uninitialized parameters.
        verify: Compare the model with the chain, on these inputs and on others derived from them.
        input_names: Names of the graph inputs; the default is the parameter names.
        output_names: Names of the graph outputs.
        tensors: Let the file take and give tensors alone: a list of alike arrays is one array, one
            of unlike arrays is padded, with their lengths beside it, and a number of several types
            is one of a type that holds them all. Called from Python the model still takes and gives
            what the chain does.
        opset_version: 18 to 21 run in the most runtimes.
        source_info: Whether the file says which of your lines made a node: the names of your
            files (relative to their package or the working folder), lines and functions.
        reweightable: Make it for any weights: nothing is computed from what parameters and
            persistent values hold, so that `CompiledModel.with_weights` can put others in their
            place.
        fold_norms: Whether a batch normalization by known statistics becomes part of the weights
            and the bias of the layer before it; with `reweightable` none does.
        debug: Let a call of the model print and log what the program prints and logs, once it has
            run: the values are further outputs of the file. Otherwise the report notes each such
            line, which has no effect then.
        providers: onnxruntime execution providers for verification and for running the model.
        limits: How much a compile may take: `elichika.Limits(max_unroll, max_unroll_nodes,
            max_nodes, max_seconds, max_depth)`.
        **more_limits: One of these five by its own name, such as `max_seconds=60`.

    Returns:
        The model; call it with inputs like the examples.

    Raises:
        InputError: The inputs or options cannot be used, or onnxruntime is not installed.
        UnsupportedSyntax: A statement or expression has no compiled form.
        UnsupportedFunction: A call on values of the run has neither a lowering nor source.
        BudgetError: It takes more nodes or seconds than it may, or values known while compiling do
            not fit into memory.
        StagingError: A value has no common type, or is needed before the model runs.
        VerificationError: The model differs from the chain.
    """
    chain = on_host(chain)
    job = _Job(chain, method, train, debug, _limits(limits, more_limits))
    first, more, counts = shown_calls(chain, method, inputs, examples)
    require_options(opset_version, random)
    flags = merge_dtypes, train, state, initialize, verify, tensors
    require_flags((*flags, source_info, reweightable, fold_norms, debug))
    if debug and tensors:
        raise InputError("debug=True is for models that take and give what the chain does")
    if path is not None:
        require_writable(path)
    require_runtime()
    installed.register()
    kept = {"source_info": source_info, "open_weights": reweightable, "folds_norms": fold_norms}
    new_graph = partial(_new_graph, opset_version, random, kept)

    def compiled() -> CompiledModel:
        with job.stage("read"):
            signature = read_inputs(
                job.function,
                first,
                dynamic_axes=dynamic_axes,
                static=static,
                input_names=input_names,
                examples=more,
                merge_dtypes=merge_dtypes,
            )
            signature = replace(signature, tensors=tensors)
            _note_lists(signature, job.report)
            if initialize:
                job.initialize(signature)
        with job.stage("walk"):
            graph, whole, outside, signature = job.walk(signature, new_graph, output_names, state)
        if more:
            _note_examples(signature, counts, job.report)
        if more and verify:
            job.watch(signature)
        if job.report.profile:
            graph.metadata[PROFILE_KEY] = json.dumps(list(map(str, job.report.profile)))
        with job.stage("optimize"):
            job.report.passes = graph.optimize()
            graph.own_parameters()
        model = CompiledModel.of_graph(
            graph, whole, chain=chain, report=job.report, providers=providers
        )
        model.outside = outside
        if verify:
            with job.stage("verify"):
                found = VerificationReport()
                job.limits.counted = lambda: f"{len(found.agreed)} inputs agree"
                model.verify(*more, report=found)
        return model

    with configuration(train), progress.shown(job.limits.progress), collecting_seldom():
        model = job.limits.kept(compiled)
    if path is not None:
        with job.stage("save"):
            model.save(Path(path))
    job.write_log(model)
    return model


class _Job:
    """What the stages of one compile share: the chain, what is called, limits and report."""

    def __init__(
        self, chain: chainer.Link, method: str | None, train: bool, debug: bool, limits: Limits
    ) -> None:
        self.chain, self.method, self.train, self.limits = chain, method, train, limits
        self.debug = debug
        self.function = entry_of(chain, method)
        self.entered: dict[int, types.FunctionType] = {}
        self.report = Report()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Say what is done, and measure how long it takes."""
        self.limits.begin(DOING[name])
        start = time.perf_counter()
        yield
        self.report.stages[name] = seconds = time.perf_counter() - start
        log.debug("%s: %.3f s", name, seconds)

    def initialize(self, signature: InputSignature) -> None:
        """Run the chain once, if it has parameters without a size."""
        if all(parameter.array is not None for parameter in self.chain.params()):
            return
        call = signature.bound()
        try:
            self.function(*call.args, **call.kwargs)
        except Exception as error:  # whatever the chain raises
            raise chain_fails("the example", error) from error

    def walk(
        self,
        signature: InputSignature,
        new_graph: Callable[[], ONNXGraph],
        output_names: Sequence[str] | None,
        state: bool,
    ) -> tuple[ONNXGraph, Signature, list[tuple[Any, str]], InputSignature]:
        """Walk the program, and again where that shows that two sizes are one.

        Returns:
            The graph, its inputs and outputs, what calls change outside the chain, and the inputs
            with the examples.
        """
        place = place_of_result(self.function)

        def read(walker: Walker, result: Any) -> OutputSignature:
            walker.resuming.require_ended()
            outputs = read_outputs(walker, result, output_names, place, tensors=signature.tensors)
            if walker.prints.places:
                walker.graph.metadata[PRINTS_KEY] = read_prints(walker, outputs)
            return outputs

        def walked(inputs: InputSignature) -> tuple[Walker, OutputSignature, Stream | None]:
            stream = Stream(self.chain) if state else None
            parts = self.chain, self.method, inputs, new_graph, self.report, self.limits, read
            walker, result = stage(*parts, stream=stream, debug=self.debug)
            self.entered.update(walker.functions.entered_functions)
            return walker, result, stream

        with self._told(signature):
            inputs, (walker, outputs, stream) = stage_kinds(signature, self.report, walked)
        needed = [] if len(signature.variants) > 1 else equal_sizes_of(walker.graph)
        same, became = with_one_name(signature, needed)
        if became:
            for last, first in became.items():
                text = f"{last} is {first}: they were equal in all examples, and have to be"
                self.report.note(None, text)
            return self.walk(same, new_graph, output_names, state)
        if walker.graph.open_weights:
            described = describe_weights(self.chain, walker.names)
            walker.graph.metadata[WEIGHTS_KEY] = described
        names = Names(self.chain, walker) if stream is None else stream.names
        outside = names.outside()
        if stream is None:
            note_state(walker, names, self.report)
        else:
            walker.graph.metadata[STATE_KEY] = write_specs(stream.leave(walker))
            walker.graph.metadata[OPTIMIZERS_KEY] = json.dumps(stream.optimizers())
        made = Signature(inputs, outputs, self.method, self.train, *inputs_apart(walker))
        made.require_once(signature.twice)
        return walker.graph, made, outside, signature

    def watch(self, signature: InputSignature) -> None:
        """See which way the program goes on the examples, and what its functions are given."""
        self.limits.begin("running the chain on the examples")
        parts = self.chain, self.method, signature, self.entered.values(), self.train
        went, ran = watched(*parts)
        self.report.profile += went
        if ran < len(signature.examples):
            text = (
                f"the ways that the program goes are those of {ran} of {len(signature.examples)} "
                "examples; with more, running the chain takes too long"
            )
            self.report.note(None, text)

    @contextmanager
    def _told(self, signature: InputSignature) -> Iterator[None]:
        """Say what is wrong where no walk gets through.

        It is how the chain itself fails, where the walk failed as if the program did, or below the
        same line; of what is not compiled elsewhere, the chain's error is said besides.
        """
        try:
            yield
        except (InputError, BudgetError):
            raise
        except ElichikaError as error:
            self.limits.begin("running the chain on the example")
            fails = failure_of(
                self.chain,
                self.method,
                signature,
                train=self.train,
                seconds=self.limits.max_seconds,
            )
            if fails is None or is_told(error, fails):
                raise
            by_program = error.message.startswith("internal error")
            by_program |= (error.hint or "").startswith(RAISED)
            if by_program or within(error, fails):
                raise fails from fails.__cause__
            error.also = f"Chainer refuses the example, too: {in_one_line(fails)}"
            raise

    def write_log(self, model: CompiledModel) -> None:
        """Say what was compiled, and what became of it, as far as readers of logs ask."""
        method = self.method or getattr(self.function, "__name__", "__call__")
        name, report = f"{type(self.chain).__name__}.{method}", self.report
        nodes = 0 if model.graph is None else model.graph.nodes
        log.info("compiled %s: %d nodes, %.2f s", name, nodes, sum(report.stages.values()))
        for place, (what, why) in (*report.loops.items(), *report.branches.items()):
            log.debug("%s: %s (%s)", place, what, why)
        for place, text in report.notes:
            log.info("%s: %s", place or name, text)


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


def _note_examples(signature: InputSignature, counts: Sequence[int], report: Report) -> None:
    """Say what became of the arguments, and which sizes are not held to be equal."""
    report.profile += profile_of(signature, counts)
    for names in equal_sizes(signature):
        text = (
            f"{', '.join(names)} were equal in all examples; the model does not ask for that, one "
            "name for them in dynamic_axes does"
        )
        report.note(None, text)


def _new_graph(opset: int, random: str | None, kept: Mapping[str, bool]) -> ONNXGraph:
    graph = ONNXGraph(opset=opset, random=random is not None)
    graph.producer = ("elichika", __version__)
    vars(graph).update(kept)
    return graph


def _limits(given: Limits | None, more: Mapping[str, Any]) -> Limits:
    """Return limits of this compile alone.

    Raises:
        OptionError: There is no such option.
        InputError: `given` is something else.
    """
    if type(given) not in (Limits, type(None)):
        raise InputError(f"limits must be elichika.Limits(…), not {given!r}.")
    for name in more:
        if name not in LIMITS:
            options = [*LIMITS, *inspect.signature(compile_model).parameters]
            longer = [option for option in options if option.startswith(f"{name}_")]
            near = meant(longer[0] if longer else name, options)
            said = f"; {near}" if near else ""
            raise OptionError(f"compile_model() got an unexpected keyword argument {name!r}{said}")
    return replace(given or Limits(), **more)
