"""Holds lists of numbers that Loops carry, push to, pop from and write as tensors.

l = Loop(n, True, SequenceEmpty()) body (…, l) => (True, If(c) { SequenceInsert(l, v) }
                                                               { SequenceErase(l, -1) })
t = Loop(n, True, [])              body (…, t) => (True, If(c) { Concat(t, [v]) }
                                                               { Slice(t, 0, -1) })

m = SequenceErase(SequenceInsert(l, v, i), i + 1)     # l[i] = v, with i from 0 up
s = ScatterElements(t, [i], [v])

onnxruntime copies a reference for each element of a list wherever a list is changed or a branch
gives one; to copy the numbers takes far less. All that a list flows through becomes a tensor, or
nothing: what reads it may ask for an element, the length, or all of it; a result of the model is
split again. The elements have one known size that is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from onnx_graph.passes.number_lists.tensors import retype, rewrite, split_results
from onnx_graph.passes.number_lists.webs import is_copied, is_copy, is_inside, webs

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "stacks": "what is only appended to needs no list in the Loop at all",
    "branched_stacks": "which takes lists out of branches as stacks",
    "conditional_stacks": "what is only appended to needs no list in the Loop at all",
}


def run(graph: ONNXGraph) -> int:
    """Turn lists into tensors; return how many."""
    found = list(webs(graph))
    for web in found:
        sizes = web.sizes()
        assert sizes is not None
        split_results(graph, web)
        for value in web.values:
            if value.producer() is None or value.producer() not in web.nodes:
                retype(graph, web, value, sizes)
        copies = {node for node in web.nodes if is_copy(node) or is_copied(node)}
        for node in web.nodes:
            rewrite(graph, web, node, sizes, copied=node in copies)
        for node in filter(is_inside, web.nodes):
            assert node.graph is not None
            node.graph.remove(node, safe=True)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop carries a list of small elements of one size."""
    for web in webs(graph):
        yield f"a list goes through {len(web.values)} values"
