"""One verification of a model that is compiled or loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.call.host import on_host
from elichika.errors import ElichikaError
from elichika.model.converting import allowed
from elichika.model.protos import metadata_of
from elichika.signature.feeds import feeds_from_leaves
from elichika.verify import draws
from elichika.verify.parameters import Differences, require_initialized
from elichika.verify.probe import has_control
from elichika.verify.thresholds import thresholds

if TYPE_CHECKING:
    from elichika.call.streams import StateSpec
    from elichika.model.compiled import CompiledModel
    from elichika.verify import VerificationReport
    from elichika.verify.reached import Probe

__all__ = ["verified"]

FLOATS = ("float64", "float32", "float16")


def verified(
    chain: Any,
    model: CompiledModel,
    specs: Sequence[StateSpec],
    inputs: Sequence[Any],
    options: Mapping[str, Any],
) -> VerificationReport:
    """Compare a model with a chain, as closely as can be asked of what was done to it.

    Args:
        chain: The chain.
        model: The model, in the runtime to try.
        specs: Of its state.
        inputs: To try, besides the examples that it knows.
        options: Of `elichika.verify.verify`.

    Raises:
        VerificationError: They differ.
        InputError: An input does not fit, or the chain itself fails on it.
    """
    from elichika.verify import verify

    chain = on_host(chain)
    proto = model.proto
    expected = allowed(metadata_of(proto))
    chosen: dict[str, Any] = {"about": thresholds(proto.graph)}
    if expected is not None:
        chosen["tolerances"] = dict.fromkeys(FLOATS, expected[0])
    chosen |= options
    found = Differences(type(chain).__name__)
    if expected is None:
        found = Differences.between(chain, proto.graph, model.source_map.links)
    try:
        require_initialized(chain, proto.graph)
        report = verify(chain, model, examples=inputs, probe=_probe(model, specs), **chosen)
    except ElichikaError as error:
        if (said := found.explained(error)) is not error:
            raise said from error
        raise
    report.other_weights = list(found.contents)
    if expected is not None:
        most = max(chosen["tolerances"].values())
        report.allowed = f"{most:.0e} is allowed, for {expected[1]}"
    return report


def _probe(model: CompiledModel, specs: Sequence[StateSpec]) -> Probe | None:
    """Return what counts the branches and turns that inputs reach; None without any."""
    from elichika.verify.reached import Probe

    proto = model.proto
    if not has_control(proto.graph):
        return None
    if model.draws:
        proto = draws.with_held_draws(proto)

    def feeds(leaves: list[Any], level: float | None) -> dict[str, Any]:
        found = dict(feeds_from_leaves(model.signature.inputs, leaves))
        found |= {spec.input: spec.initial for spec in specs}
        return found if level is None else {**found, draws.LEVEL: np.array(level)}

    kept = [place for place, (what, _) in model.report.branches.items() if what == "kept"]
    return Probe(proto, feeds, model.source_map.label, kept)
