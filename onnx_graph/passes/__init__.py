"""Graph passes, one a file; none of `PASSES` is needed for correctness.

A pass is a file with a function ``run(graph) -> int`` that changes the graph in place and returns
how often; `contract.py` has the rest of what it says of itself. None changes a result, drops a
check, or makes a node run that would not have run and can fail.

`FOR_ONNXRUNTIME` runs once, last: with what these put in, onnxruntime and its tools are right where
they are not without. What stands next to a node at last decides about it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from onnx_graph.passes import (
    at_once,
    branched_stacks,
    checks_first,
    chosen_indices,
    comparisons,
    conditional_stacks,
    conditions,
    constants,
    counted,
    counted_lists,
    counters,
    duplicates,
    empties,
    fission,
    fitting_sums,
    float64_barriers,
    folded_norms,
    fusions,
    gates,
    hoisting,
    identities,
    invariants,
    learned_sizes,
    lookups,
    narrow_indices,
    number_lists,
    ranges,
    recurrences,
    settled,
    shared_lists,
    shared_weights,
    sinking,
    size_checks,
    spellings,
    stacks,
    summed_products,
    truths,
    unread_cycles,
    unused,
    unused_results,
    wide_integers,
    zero_sums,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.passes.contract import Pass

log = logging.getLogger(__name__)

# Unused things go first, so that the others do not work on them; what the others leave over goes
# in the next round. Each file has the reasons for its own place.
PASSES: dict[str, Pass] = {
    "unused": unused,
    "unused_results": unused_results,
    "unread_cycles": unread_cycles,
    "conditions": conditions,
    "settled": settled,
    "empties": empties,
    "truths": truths,
    "comparisons": comparisons,
    "identities": identities,
    "learned_sizes": learned_sizes,
    "constants": constants,
    "invariants": invariants,
    "stacks": stacks,
    "branched_stacks": branched_stacks,
    "hoisting": hoisting,
    "duplicates": duplicates,
    "ranges": ranges,
    "conditional_stacks": conditional_stacks,
    "gates": gates,
    "counted": counted,
    "counted_lists": counted_lists,
}

# A list that is a tensor is no list any more, which the others may still have done without; they
# make simpler what it becomes. The turns of a loop are computed at once where they still are when
# the others have made them simple. An operator hides what it computes in between, and the others
# would keep weights twice where a branch reads them in another shape. Weights that take in what
# comes after them are no longer those of the program. So these run once.
ONCE: dict[str, Pass] = {
    "folded_norms": folded_norms,
    "number_lists": number_lists,
    "fitting_sums": fitting_sums,
    "at_once": at_once,
    "summed_products": summed_products,
    "checks_first": checks_first,
    "lookups": lookups,
    "recurrences": recurrences,
    "fission": fission,
    "sinking": sinking,
}

FOR_ONNXRUNTIME: dict[str, Pass] = {
    "wide_integers": wide_integers,
    "size_checks": size_checks,
    "chosen_indices": chosen_indices,
    "narrow_indices": narrow_indices,
    "zero_sums": zero_sums,
    "float64_barriers": float64_barriers,
    "fusions": fusions,
    "shared_lists": shared_lists,
    "shared_weights": shared_weights,
    "counters": counters,
    "spellings": spellings,
}

_ROUNDS = 10


def optimize(graph: ONNXGraph) -> dict[str, int]:
    """Run all passes until nothing changes; return how many changes each made.

    What the builder remembers of sizes and constants is forgotten: its nodes may be gone.
    """
    graph.lifting.settle()
    changes = dict.fromkeys([*PASSES, *ONCE], 0)
    _go_round(graph, changes)
    for name, step in ONCE.items():
        count = 1
        while count:
            graph.forget()
            count = step.run(graph)
            changes[name] += count
            graph.forget()
            if step is recurrences:
                break
            if count:
                _go_round(graph, changes)
        changes["unused"] += PASSES["unused"].run(graph)
    graph.forget()
    for name, step in FOR_ONNXRUNTIME.items():
        changes[name] = step.run(graph)
    return changes


def _go_round(graph: ONNXGraph, changes: dict[str, int]) -> None:
    """Run the passes, one after the other and round and round, until none changes anything."""
    idle, last = 0, dict(changes)
    for name, step in [*PASSES.items()] * _ROUNDS:
        if name == next(iter(PASSES)):
            last = dict(changes)
        graph.forget()
        count = step.run(graph)
        changes[name] += count
        idle = 0 if count else idle + 1
        if idle == len(PASSES):
            break
    else:
        unfinished({name: changes[name] - count for name, count in last.items()})


def unfinished(last: Mapping[str, int]) -> None:
    """Note that the last round changed something still; the tests make an error of it."""
    changed = ", ".join(f"{name} {count}" for name, count in last.items() if count)
    log.info("the passes are not done after %d rounds: %s", _ROUNDS, changed)
