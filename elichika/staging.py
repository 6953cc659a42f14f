"""The abstract run of a method: a chain and the signature of its inputs give a graph."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from textwrap import shorten
from typing import Any, TypeVar

import chainer

from elichika.call.boundary import declare_inputs, open_weights
from elichika.call.entry import runs_forward
from elichika.call.outliving import Names, left_behind
from elichika.call.results import gone_through
from elichika.call.streams import Stream
from elichika.call.variants import call_variants
from elichika.errors import BudgetError, ElichikaError, InputError
from elichika.model.report import Report
from elichika.program.raised import Raised
from elichika.signature import BoundCall, InputSignature
from elichika.signature.names import unique_name
from elichika.verify.parameters import named_arrays
from elichika.walker.limits import Limits
from elichika.walker.plan import Plan
from elichika.walker.walker import Walker
from onnx_graph import ONNXGraph

Read = TypeVar("Read")


def stage(
    chain: chainer.Link,
    method: str | None,
    signature: InputSignature,
    new_graph: Callable[[], ONNXGraph],
    report: Report,
    limits: Limits,
    read: Callable[[Walker, Any], Read],
    *,
    stream: Stream | None = None,
    debug: bool = False,
) -> tuple[Walker, Read]:
    """Walk a method on symbolic inputs, again where a walk shows that another one is needed.

    Without a method it is what a call of the chain runs. `Plan` says what each walk assumes, and
    which error is told. What a stream carries from call to call is settled by further walks. `read`
    makes the outputs of a walk that is over; another walk may get over what it refuses, too. With
    `debug` the walk follows what the program prints.

    Returns:
        The walker, which has the graph and the changed state, and what was read.

    Raises:
        ElichikaError: No walk gets through: `Plan.give_up` has which error it is.
    """
    plan, before = Plan(), report.entries()
    while True:
        report.restore(before)
        given = limits.unrolling_more() if plan.unrolls_more else limits
        names = initializer_names(chain, {spec.name for spec in signature.specs})
        walker = Walker(new_graph(), names, report, given, plan)
        walker.prints.enabled = debug
        limits.here, limits.counted = walker.here, partial(_nodes, walker.graph)
        leaves = declare_inputs(walker, signature)
        if walker.graph.open_weights:
            open_weights(walker, named_arrays(chain))
        if stream is not None:
            stream.enter(walker)
        try:
            result = _run(walker, chain, method, signature, leaves)
            if stream is None or stream.settle(walker):
                return walker, read(walker, result)
        except ElichikaError as error:
            plan.give_up(
                error,
                peeled=walker.peeling.peeled,
                spared=walker.peeling.spared,
                rolled=walker.loops.rolled,
                streams=stream is not None,
                made=walker.made_classes,
            )


def stage_kinds(
    signature: InputSignature, report: Report, walk: Callable[[InputSignature], Read]
) -> tuple[InputSignature, Read]:
    """Walk a method for all kinds of calls, or for those that are not refused.

    Args:
        signature: The inputs.
        report: Takes which kinds are left out, and why.
        walk: Walks it with some inputs.

    Returns:
        The inputs of the kinds that are not left out, and what their walk gave.

    Raises:
        ElichikaError: A kind that an example shows is refused, or all of them together are.
    """
    before = report.entries()
    try:
        return signature, walk(signature)
    except (InputError, BudgetError):
        raise
    except ElichikaError as error:
        if len(signature.variants) == 1:
            raise
        refused = error
    for way in signature.shown:
        try:
            walk(signature.of_kinds([way]))
        except ElichikaError as error:
            error.also = f"this is of calls with {signature.kind_in_words(way)}"
            raise
    kept, texts = list(signature.shown), []
    for way in signature.variants:
        if way not in kept:
            try:
                walk(signature.of_kinds([way]))
                kept.append(way)
            except ElichikaError as error:
                shown = f"the model takes no call with {signature.kind_in_words(way)}"
                texts.append(f"{shown}, which no example shows: {error.message}")
    report.restore(before)
    for text in texts:
        report.note(None, text)
    if len(kept) == len(signature.variants):
        raise refused
    narrowed = signature.of_kinds(kept)
    return narrowed, walk(narrowed)


def _nodes(graph: ONNXGraph) -> str:
    return f"{graph.nodes:,} nodes"


def _run(
    walker: Walker, chain: Any, method: str | None, signature: InputSignature, leaves: list[Any]
) -> Any:
    walker.checks.layers = {id(link): path.rstrip("/") for path, link in chain.namedlinks()}
    walker.roots.append(chain)
    name = "forward" if method is None and runs_forward(chain) else method

    def run(call: BoundCall) -> Any:
        function = chain if name is None else walker.get_attribute(chain, name)
        return gone_through(walker, walker.call(function, list(call.args), dict(call.kwargs)))

    try:
        return call_variants(walker, signature, leaves, run)
    except Raised as raised:
        raise raised.refusal() from raised.error
    except ElichikaError:
        raise
    except Exception as error:
        raise ElichikaError(
            shorten(f"internal error: {type(error).__name__}: {error}", 400, placeholder=" ..."),
            walker.here(),
            "this is a bug of elichika, not of the program",
        ) from error


def note_state(walker: Walker, names: Names, report: Report) -> None:
    """Say what a call changes that outlives it: a second call of the chain would start there."""
    locations = list(left_behind(walker))
    if locations:
        changed = {names.of(owner, slot).shown for owner, slot in locations}
        report.note(
            None,
            f"a call changes {', '.join(sorted(changed))}; the model always starts from the state "
            "that the chain had when it was compiled",
        )


def initializer_names(chain: chainer.Link, taken: Collection[str]) -> dict[int, str]:
    """Name parameters and persistent arrays as `namedparams` does, by the id of their array.

    What has the name of an input gets another one.
    """
    used, names = set(taken), dict[int, str]()
    for name, array in named_arrays(chain):
        if id(array) not in names:
            names[id(array)] = unique_name(name, used)
            used.add(names[id(array)])
    return names
