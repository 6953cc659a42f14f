"""Graph passes, one a file; none of `PASSES` is needed for correctness.

A pass is a function ``run(graph) -> int`` that changes the graph in place and returns how often.
None changes a result, drops a check, or makes a node run that would not have run and can fail.

`FOR_ONNXRUNTIME` runs once, last: with what these put in, onnxruntime is right where it is not
without. What stands next to a node at last decides about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_graph.passes import conditional_stacks as picked
from onnx_graph.passes import (
    conditions,
    constants,
    duplicates,
    fusions,
    hoisting,
    identities,
    invariants,
    settled,
    shared_lists,
    stacks,
    truths,
    unused,
    unused_results,
)
from onnx_graph.passes import float64_barriers as barriers

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

# Unused things go first, so that the others do not work on them; what the others leave over goes
# in the next round.
PASSES = {
    "unused": unused.run,
    "unused_results": unused_results.run,
    "conditions": conditions.run,
    "settled": settled.run,
    "truths": truths.run,
    "identities": identities.run,
    "constants": constants.run,
    "invariants": invariants.run,
    "stacks": stacks.run,
    "hoisting": hoisting.run,
    "duplicates": duplicates.run,
    "picked": picked.run,
}

FOR_ONNXRUNTIME = {
    "barriers": barriers.run,
    "fusions": fusions.run,
    "shared_lists": shared_lists.run,
}

_ROUNDS = 10


def optimize(graph: ONNXGraph) -> dict[str, int]:
    """Run all passes until nothing changes; return how many changes each made.

    What the builder remembers of sizes and constants is forgotten: its nodes may be gone.
    """
    changes = dict.fromkeys(PASSES, 0)
    for _ in range(_ROUNDS):
        before = sum(changes.values())
        for name, run in PASSES.items():
            graph.forget()
            changes[name] += run(graph)
        if sum(changes.values()) == before:
            break
    graph.forget()
    changes["unused"] += unused.run(graph)
    graph.forget()
    for name, run in FOR_ONNXRUNTIME.items():
        changes[name] = run(graph)
    return changes
