"""The compiled model: run it, save it, load it, hold it against the chain."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from elichika.call.streams import read_specs
from elichika.errors import InputError, SourceFrame, concise, no_link
from elichika.model import learned
from elichika.model.binding import BoundModel
from elichika.model.converting import converted
from elichika.model.files import refusing, require_writable
from elichika.model.keeping import setting
from elichika.model.prints import Prints
from elichika.model.protos import metadata_of
from elichika.model.report import Report
from elichika.model.runtimes import Runner, runner
from elichika.model.session import Providers, Session
from elichika.model.showing import Shown, in_one_line
from elichika.model.source_map import SourceMap
from elichika.model.storage import InGraph, InMemory, Parts, Storage
from elichika.model.verifying import verified
from elichika.model.weights import with_snapshot
from elichika.signature import SIGNATURE_KEY, Signature
from elichika.signature.feeds import feeds_from_leaves, feeds_from_names
from elichika.signature.twice import what_is_twice
from elichika.verify import draws
from onnx_graph import ONNXGraph

if TYPE_CHECKING:
    from elichika.verify import VerificationReport

__all__ = ["CompiledModel"]

log = logging.getLogger(__name__)

ONNXRUNTIME = "onnxruntime"


class CompiledModel:
    """A chain as an ONNX model.

    Attributes:
        signature: Its inputs and outputs.
        report: What the compiler did.

    It pickles and copies: a copy holds the whole model and its state, and neither chain nor graph.
    """

    def __init__(
        self,
        storage: Storage,
        signature: Signature,
        *,
        chain: Any = None,
        report: Report | None = None,
        providers: Providers | None = None,
        metadata: Mapping[str, str],
        threads: int = 0,
    ) -> None:
        """Wrap a model, with its metadata.

        A graph's outputs are declared already, under the names of `signature.outputs.specs`.
        """
        self._storage = storage
        self.signature = signature
        self.report = report if report is not None else Report()
        self.report.shown = Shown.of(storage, signature, chain)
        self._chain = chain
        #: What calls of the chain change outside it, as `(object, slot)`; put back by `verify`.
        self.outside: list[tuple[Any, str]] | None = None
        self._providers = providers
        self._threads = threads
        self._runtime = ONNXRUNTIME
        self._specs = read_specs(metadata)
        self._prints = Prints(metadata)
        self._held: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.reset()
        self._session = self._new_session()
        self._runner: Runner = self._session

    def _new_session(self) -> Session:
        return Session(
            lambda: self.source_map,
            path=self._storage.path,
            write=self._storage.write,
            providers=self._providers,
            threads=self._threads,
            kept_on_cpu=lambda: setting(self._storage.outline),
        )

    @property
    def session(self) -> Any:
        """The `onnxruntime.InferenceSession` that runs it, loaded now if it was not.

        Raises:
            InputError: A provider does not exist here, or the file holds no model.
        """
        return self._session.inference

    @classmethod
    def of_graph(cls, graph: ONNXGraph, signature: Signature, **options: Any) -> CompiledModel:
        """Wrap a finished graph, which is told the signature."""
        graph.metadata[SIGNATURE_KEY] = signature.to_json()
        return cls(InGraph(graph), signature, metadata=graph.metadata, **options)

    @property
    def graph(self) -> ONNXGraph | None:
        """The graph that it was made of; None for one that was loaded, or came from elsewhere."""
        return self._storage.graph

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of: the model itself, in memory, and no chain or session."""
        return {
            "storage": InMemory(self._storage.parts),
            "signature": self.signature.to_json(),
            "report": self.report,
            "providers": self._providers,
            "threads": self._threads,
            "runtime": self._runtime,
            "state": self.state,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Make a model of that; its session is loaded when it runs first."""
        storage: InMemory = state["storage"]
        CompiledModel.__init__(
            self,
            storage,
            Signature.from_json(state["signature"]),
            report=state["report"],
            providers=state["providers"],
            metadata=metadata_of(storage.outline),
            threads=state["threads"],
        )
        self._run_in(state["runtime"])
        self.state = state["state"]

    def __repr__(self) -> str:
        return in_one_line(self.signature, self.report, self._storage.nodes, self._storage.path)

    @property
    def proto(self) -> onnx.ModelProto:
        """The model as protobuf, with all its parameters in memory.

        Raises:
            InputError: Parameters beside the file cannot be read.
        """
        return self._storage.proto

    @cached_property
    def source_map(self) -> SourceMap:
        """The user's lines behind the nodes."""
        return self._storage.source_map

    @concise
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all.

        Raises:
            InputError: The file cannot be written.
        """
        target = require_writable(path)
        with refusing("write", path):
            self._storage.write(target)
        log.info("wrote %s: %d bytes", path, target.stat().st_size)

    @concise
    def with_weights(self, path: str | os.PathLike[str], prefix: str = "") -> CompiledModel:
        """Return the model with the weights of a snapshot of Chainer's `save_npz`.

        For models that were compiled with `reweightable=True`. Nothing is compiled.

        Args:
            path: The snapshot.
            prefix: Where in it the chain is: `updater/model:main` in the snapshot of a trainer.

        Raises:
            InputError: The file is missing or no snapshot, does not fit, or the model was made for
                the weights that it has.
        """
        return self._made_of(with_snapshot(self._storage.parts, path, prefix)[0])

    def _made_of(self, parts: Parts, **options: Any) -> CompiledModel:
        """Return a model of the same signature, made of other parts."""
        return CompiledModel(
            InMemory(parts),
            self.signature,
            providers=self._providers,
            metadata=metadata_of(parts[0]),
            threads=self._threads,
            **options,
        )

    @concise
    def converted(self, *conversions: str) -> CompiledModel:
        """Return the model made smaller by tools for ONNX; hold it against the chain again.

        `verify` allows for what each of them loses, and says how much that is.

        Args:
            *conversions: `simplify` by onnxsim, which is to be installed; `fp16`, half precision,
                or `quantize`, eight bits, by onnxruntime.

        Raises:
            InputError: There is no such conversion, or a tool is not installed or failed.
        """
        parts = converted(self._storage.parts, conversions)
        report = replace(self.report, verification=None)
        return self._made_of(parts, chain=self._chain, report=report)

    @concise
    def save_npz(self, path: str | os.PathLike[str], *, of: str | None = None) -> None:
        """Write what the model has learned as a snapshot, for Chainer's `load_npz`.

        Args:
            path: Where to write it.
            of: An attribute of the chain, to write what that optimizer keeps (`optimizer` of a
                `training_step`); the chain's own parameters and values by default.

        Raises:
            InputError: The file cannot be written, the chain has no such optimizer, or the model
                was not made with `reweightable=True` (`training_step` does).
        """
        learned.save(self._storage.parts, self._held, path, of)

    @concise
    def load_npz(
        self, path: str | os.PathLike[str], prefix: str = "", *, of: str | None = None
    ) -> None:
        """Go on from a snapshot of Chainer's `save_npz`.

        Args:
            path: The snapshot.
            prefix: Where in it: `updater/model:main` in the snapshot of a trainer.
            of: An optimizer, as for `save_npz`; the chain by default.

        Raises:
            InputError: The file is missing or no snapshot, or does not fit; nothing is changed.
        """
        parts, state = learned.load(self._storage.parts, self._held, path, prefix, of)
        if of is None:
            self._storage = InMemory(parts)
            self._specs = read_specs(metadata_of(self._storage.outline))
            self._session = self._runner = self._new_session()
            self._run_in(self._runtime)
        self._held |= state

    @concise
    def run(self, feeds: Mapping[str, Any]) -> list[Any]:
        """Run the model on arrays by input name; return its outputs as they are, in order.

        Raises:
            InputError: A name, dtype, rank or size does not fit.
            ModelRuntimeError: The model failed, as the chain does; with the user's lines.
        """
        return self._shown(self._step(feeds_from_names(self.signature.inputs, feeds)))

    @concise
    def bind(
        self,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any] | None = None,
        device: str = "cpu",
    ) -> BoundModel:
        """Return the model with its inputs and outputs bound: a call of that copies nothing.

        It takes no arguments, runs on what the inputs hold then, and returns the outputs by name.

        Args:
            inputs: By name, arrays that are read in place, or values on a device
                (`onnxruntime.OrtValue`).
            outputs: By name, arrays or values that are written in place, of the shapes that come
                out. For what is left out each call makes a new one.
            device: Where those are: `cpu`, or a device such as `cuda` on which they stay.

        Raises:
            InputError: A name, dtype, rank or size does not fit; an array is not contiguous, or
                shares memory with another that is written; the model takes or gives lists, keeps
                state, or runs in another runtime.
        """
        if self._specs or self._runner is not self._session:
            raise InputError("A model that keeps state, or runs elsewhere, is not bound.")
        return BoundModel(self._session, self.signature, inputs, outputs or {}, device)

    def run_file(self, feeds: Mapping[str, Any], seconds: float | None = None) -> list[Any]:
        """Run on all inputs of the file, the state's too; return all its outputs, in order."""
        return self._session.run(feeds, seconds=seconds)

    @concise
    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        """Run the model as the chain is called; return what the chain returns.

        Variables come back as arrays. Arguments that are static may be left out.

        Raises:
            InputError: The inputs have another form, dtype, rank or size.
            ModelRuntimeError: The model failed, as the chain does; with the user's lines.
        """
        leaves = self.signature.inputs.leaves(inputs, keywords)
        self.signature.require_apart(leaves)
        if self.signature.once:
            given = self.signature.inputs.assigned(inputs, keywords)
            self.signature.require_once(what_is_twice(given))
        feeds = feeds_from_leaves(self.signature.inputs, leaves)
        return self.signature.outputs.rebuild(self._shown(self._step(feeds)))

    def _shown(self, results: list[Any]) -> list[Any]:
        """Print what the program prints; return the other results."""
        count = len(self.signature.outputs.specs)
        self._prints.show(results[count:])
        return results[:count]

    def call_with(
        self, leaves: list[Any], *, seconds: float | None = None, level: float | None = None
    ) -> Any:
        """Run the model on leaves in the order of its inputs, within some seconds.

        Args:
            leaves: Arrays, numbers and lists of them.
            seconds: The deadline.
            level: What random numbers are held at; None lets the model draw them.
        """
        feeds = feeds_from_leaves(self.signature.inputs, leaves)
        results = self._step(feeds, seconds, level)
        return self.signature.outputs.rebuild(results[: len(self.signature.outputs.specs)])

    def _step(
        self, feeds: Mapping[str, Any], seconds: float | None = None, level: float | None = None
    ) -> list[Any]:
        """Run once; the state goes in, and what comes out of it is kept for the next call."""
        chosen: Runner = self._runner
        if level is not None:
            chosen, feeds = self._held_session, {**feeds, draws.LEVEL: np.array(level)}
        if not self._specs:
            return chosen.run(feeds, seconds=seconds)
        with self._lock:
            held = {spec.input: self._held[spec.input] for spec in self._specs}
            results = chosen.run({**feeds, **held}, seconds=seconds)
            count = len(results) - len(self._specs)
            for spec, value in zip(self._specs, results[count:], strict=True):
                self._held[spec.input] = value
        return results[:count]

    @cached_property
    def draws(self) -> bool:
        """Whether the model draws random numbers."""
        return draws.has_draws(self._storage.outline.graph)

    @cached_property
    def _held_session(self) -> Session:
        """The model with its draws as an input."""

        def write(path: Path) -> None:
            onnx.save_model(draws.with_held_draws(self.proto), os.fspath(path))

        return Session(lambda: self.source_map, write=write, providers=self._providers)

    @property
    def state(self) -> dict[str, Any]:
        """What the next call starts from, by input name; empty without `state=True`."""
        return dict(self._held)

    @state.setter
    def state(self, values: Mapping[str, Any]) -> None:
        """Take what `state` gave at another time.

        Raises:
            InputError: The names are others.
        """
        if set(values) != set(self._held):
            raise InputError(f"The state has {', '.join(self._held) or 'no parts'}.")
        self._held = {name: np.asarray(value) for name, value in values.items()}

    def reset(self) -> None:
        """Start the next call from the state that the chain had when it was compiled."""
        self._held = {spec.input: spec.initial for spec in self._specs}

    @concise
    def on(self, runtime: str) -> CompiledModel:
        """Return the same model in another runtime, for a second opinion.

        Args:
            runtime: `onnxruntime`; `openvino`, a package to install; or `reference`, the evaluator
                of onnx itself, which is slow.

        Raises:
            InputError: The runtime is not installed or cannot load the model.
        """
        if runtime == ONNXRUNTIME:
            return self
        if self.draws:
            raise InputError(
                f"A model that draws random numbers is compared in onnxruntime, not in {runtime}."
            )
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._lock = threading.Lock()
        other._run_in(runtime)
        other.reset()
        return other

    def _run_in(self, runtime: str) -> None:
        self._runtime = runtime
        if runtime != ONNXRUNTIME:
            self._runner = runner(runtime, self._storage.write)

    @concise
    def verify(
        self,
        *more_inputs: Any,
        chain: Any = None,
        runtime: str = "onnxruntime",
        **options: Any,
    ) -> VerificationReport:
        """Compare the model with the chain on these inputs and on inputs derived from them.

        Args:
            *more_inputs: Each a tuple of positional inputs, a dict of keywords or one array, as
                for `compile_model`. Without any, the examples are used.
            chain: The chain; needed for a model that was loaded from a file.
            runtime: What runs the model, as for `on`.
            **options: As for `elichika.verify.verify`.

        Raises:
            VerificationError: They differ.
            InputError: An input does not fit, or the chain itself fails on it.
        """
        subject = chain if chain is not None else self._chain
        if subject is None:
            raise InputError("A model loaded from a file is verified with chain=….")
        if issubclass(type(subject), type):
            raise no_link(subject)
        method = self.signature.method or "__call__"
        if not callable(getattr(subject, method, None)):
            raise InputError(f"{type(subject).__name__} lacks the method `{method}`.")
        _ = self.session  # which says what of a file is damaged
        report = verified(subject, self.on(runtime), self._specs, more_inputs, options)
        self.report.verification = report
        log.info("%s in %s: %s", type(subject).__name__, runtime, report)
        return report

    def place_of_output(self, name: str) -> tuple[SourceFrame, ...]:
        """Return the user's lines behind an output, outermost call first; none if unknown."""
        return self.source_map.of_value(self._storage.outline.graph, name)
