"""The abstract run of a method: a chain and the signature of its inputs give a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainer
import numpy as np

from elichika.call.boundary import declare_inputs
from elichika.call.entry import runs_forward
from elichika.call.outliving import Names, left_behind
from elichika.call.streams import Stream
from elichika.errors import BudgetError, ElichikaError
from elichika.model.report import Report
from elichika.signature import InputSignature
from elichika.walker.containers.arenas import Plan, WalkAgain
from elichika.walker.core import HeldInList, Raised
from elichika.walker.limits import Limits
from elichika.walker.objects.presence import PresenceAsked
from elichika.walker.walker import Walker
from onnx_graph import ONNXGraph


def stage(
    chain: chainer.Link,
    method: str | None,
    signature: InputSignature,
    new_graph: Callable[[], ONNXGraph],
    report: Report,
    limits: Limits,
    *,
    stream: Stream | None = None,
) -> tuple[Walker, Any]:
    """Walk a method on symbolic inputs, again where a walk shows that another one is needed.

    Without a method it is what a call of the chain runs.
    Objects that change in a list of dynamic length, and iterators that others ask too, start the
    walk again (`WalkAgain`). Such a list holds copies of its arrays; where that is refused, another
    walk keeps their identity. Where it matters which of an object and its class has an attribute,
    a walk tells these apart. Where a long loop is rolled and something is refused, another walk
    unrolls more: what the loop leaves may be needed now. What a stream carries from call to call
    is settled by further walks.

    Returns:
        The walker, which has the graph and the changed state, and what the method returned.

    Raises:
        ElichikaError: The first walk's, where the others are refused too; with arenas the last's.
    """
    refused: ElichikaError | None = None
    keeps_identity, keeps_presence, unrolls, plan = False, False, False, Plan()
    before = report.entries()
    while True:
        report.restore(before)
        given = limits.unrolling_more() if unrolls else limits
        walker = Walker(new_graph(), initializer_names(chain), report, given)
        limits.here = walker.here
        walker.keeps_identity, walker.keeps_presence = keeps_identity, keeps_presence
        walker.arenas.plan = plan
        leaves = declare_inputs(walker, signature)
        if stream is not None:
            stream.enter(walker)
        try:
            result = _run(walker, chain, method, signature.rebuild(leaves))
        except ElichikaError as error:
            if isinstance(error, WalkAgain):
                refused = refused or error.refusal
                if stream is not None and refused is not None:  # it carries no arenas
                    raise refused from None
                continue
            refused = refused or error
            if isinstance(error, PresenceAsked) and not keeps_presence:
                keeps_presence, refused = True, None
            elif isinstance(error, HeldInList) and not keeps_identity:
                keeps_identity = True
            elif walker.rolled and not unrolls and not isinstance(error, BudgetError):
                unrolls = True
            elif refused is error:
                raise
            else:
                raise (error if plan else refused) from None  # arenas got over the first
            continue
        if stream is None or stream.settle(walker):
            return walker, result


def _run(walker: Walker, chain: Any, method: str | None, call: Any) -> Any:
    walker.roots.extend([chain, *call.args, *call.kwargs.values()])
    try:
        name = "forward" if method is None and runs_forward(chain) else method
        function = chain if name is None else walker.get_attribute(chain, name)
        return walker.call(function, list(call.args), dict(call.kwargs))
    except Raised as raised:
        raise raised.refusal() from raised.error
    except ElichikaError:
        raise
    except Exception as error:
        raise ElichikaError(
            f"internal error: {type(error).__name__}: {error}",
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


def initializer_names(chain: chainer.Link) -> dict[int, str]:
    """Name parameters and persistent arrays as `namedparams` does, by the id of their array."""
    names: dict[int, str] = {}
    for name, parameter in sorted(chain.namedparams()):
        if parameter.array is not None:
            names.setdefault(id(parameter.array), name.lstrip("/"))
    for prefix, link in sorted(chain.namedlinks()):
        for name in sorted(link._persistent):
            value = link.__dict__.get(name)
            if isinstance(value, np.ndarray):
                names.setdefault(id(value), f"{prefix.lstrip('/')}/{name}".lstrip("/"))
    return names
