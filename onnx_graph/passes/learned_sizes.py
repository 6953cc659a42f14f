"""Infers sizes again where operands have become better known.

    a: float[unk_1] = NonZero(…)          # another pass puts b: float[3] in the place of a
    c: float[2*unk_1] = Concat(a, a)      # c: float[6]

Who replaces a value knows the sizes of the new one; what is computed from it was typed with those
of the old one. An If whose condition asks for such a size has one outcome only, and onnxruntime
takes it apart when it finds that out by itself, not always rightly. A size is learned where it is
a number or follows from the sizes of the inputs; what nobody knows keeps its name.

    x: float[unk_1] = Slice(…)            # its check that unk_1 is 2 stays: only who makes the size
    y: float[unk_1] = Expand([0, 1], …)   # tells what it is, not who needs it to be 2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, is_known, is_size, same, substitute, symbols
from onnx_graph.errors import GraphError
from onnx_graph.inference import inferred_contents, inferred_sizes
from onnx_graph.passes.editing import OUTPUTS_FIRST, bodies
from onnx_graph.passes.sizes import is_unknown, rename
from onnx_graph.values import Dims, contents_of, is_tensor, set_contents, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"identities": "who reads an operand itself has its sizes"}

Entries = tuple[int | Dim | None, ...]


class Told(NamedTuple):
    """What is written down of a value, and what follows from its operands now."""

    value: Value
    is_shape: bool
    old: Entries
    new: Entries

    @property
    def better(self) -> Entries:
        """What is known of each entry, `old` itself where nothing is learned."""
        if all(not _is_learned(*pair) for pair in zip(self.old, self.new, strict=True)):
            return self.old
        pairs = zip(self.old, self.new, strict=True)
        return tuple(new if _is_learned(old, new) else old for old, new in pairs)


def run(graph: ONNXGraph) -> int:
    """Learn sizes; return of how many values."""
    names: dict[str, int | Dim] = {}
    makers = _makers(graph.main.graph, {})
    learned = 0
    for told in _all_told(graph, graph.main.graph):
        better = told.better
        if better is told.old:
            continue
        learned += 1
        for old, new in zip(told.old, better, strict=True):
            if old is None or new is None or not is_unknown(old):
                continue
            if makers.get(str(old)) is told.value:
                _name(names, str(old), new)
        if told.is_shape:
            told.value.shape = ir.Shape([size for size in better if size is not None])
        else:
            is_vector = shape_or_none(told.value) != ()
            set_contents(told.value, better if is_vector else better[0])
    rename(graph, names)
    return learned


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No rule knows more of a size than is written down."""
    for told in _all_told(graph, graph.main.graph):
        if told.better is not told.old:
            yield f"{told.value.name}, of which {told.new} is known and {told.old} written down"


def _makers(scope: ir.Graph, makers: dict[str, Value]) -> dict[str, Value]:
    """Return for each unknown size the first value that has it; bodies come before their node."""
    for value in scope.inputs:
        _note(value, makers)
    for node in scope:
        for body in bodies(node):
            _makers(body, makers)
        for value in node.outputs:
            _note(value, makers)
    return makers


def _note(value: Value, makers: dict[str, Value]) -> None:
    for entry in (*(shape_or_none(value) or ()), *(_entries(contents_of(value)) or ())):
        if entry is not None and is_unknown(entry):
            makers.setdefault(str(entry), value)


def _is_open(entry: int | Dim | None) -> bool:
    """Tell whether an entry depends on what nobody knows."""
    return entry is None or any(name.startswith(("unk_", "?")) for name in symbols(entry))


def _is_learned(old: int | Dim | None, new: int | Dim | None) -> bool:
    return _is_open(old) and not _is_open(new)


def _name(names: dict[str, int | Dim], unknown: str, size: int | Dim) -> None:
    """Note what an unknown size is, within what the others are as well."""
    if unknown not in names:
        for name, other in names.items():
            names[name] = substitute(other, {unknown: size})
        names[unknown] = size


def _all_told(graph: ONNXGraph, scope: ir.Graph) -> Iterator[Told]:
    """Go through a graph in its order, bodies before what they give."""
    for node in scope:
        if node.op_type == "Loop":
            yield from _carried(node)
        for body in bodies(node):
            yield from _all_told(graph, body)
        if node.op_type in OUTPUTS_FIRST:
            yield from _given(node)
        else:
            yield from _by_rules(graph, node)


def _by_rules(graph: ONNXGraph, node: ir.Node) -> Iterator[Told]:
    """Ask the rules of an operator; a node that cannot run is left to fail."""
    tensors = [value for value in node.outputs if is_tensor(value)]
    if any(_is_unsettled(shape_or_none(value)) for value in tensors):
        try:
            found = inferred_sizes(graph, node)
        except GraphError:
            return
        for value, dims in zip(node.outputs, found, strict=True):
            if dims is not None and is_tensor(value):
                yield from _of_shape(value, dims)
    first = node.outputs[0]
    if _is_unsettled(_entries(contents_of(first))):
        new = _entries(inferred_contents(graph, node))
        if new is not None:
            old = _entries(contents_of(first)) or (None,) * len(new)
            yield Told(first, False, old, new)


def _of_shape(value: Value, dims: Dims) -> Iterator[Told]:
    old = shape_or_none(value)
    if old is not None and len(old) == len(dims):
        yield Told(value, True, old, dims)
    elif old is None and not any(map(_is_open, dims)):
        yield Told(value, True, (None,) * len(dims), dims)


def _is_unsettled(entries: Entries | None) -> bool:
    return entries is None or any(map(_is_open, entries))


def _entries(contents: int | Dim | Entries | None) -> Entries | None:
    return (contents,) if is_size(contents) else contents


def _carried(loop: ir.Node) -> Iterator[Told]:
    """What a Loop hands on begins with its operand, and stays so where no turn changes it."""
    (body,) = bodies(loop)
    for start, inner, end in zip(loop.inputs[2:], body.inputs[2:], body.outputs[1:], strict=False):
        first, before, after = _sizes(start), _sizes(inner), _sizes(end)
        if first is None or before is None or after is None:
            continue
        if len(first) == len(before) == len(after):
            sizes = zip(first, before, after, strict=True)
            kept = (a if same(c, b) or same(c, a) else b for a, b, c in sizes)
            yield Told(inner, True, before, tuple(kept))


def _given(node: ir.Node) -> Iterator[Told]:
    """What an If or Loop gives has the sizes that it has in each way in which it comes about."""
    if node.op_type == "If":
        one, other = bodies(node)
        for value, left, right in zip(node.outputs, one.outputs, other.outputs, strict=True):
            yield from _alike(value, _sizes(left), _sizes(right))
        return
    (body,) = bodies(node)
    carried = len(node.inputs) - 2
    for value, inner in zip(node.outputs[:carried], body.inputs[2:], strict=True):
        yield from _alike(value, _sizes(inner), _sizes(inner))
    for value, end in zip(node.outputs[carried:], body.outputs[1 + carried :], strict=True):
        element = _sizes(end)
        if element is not None:  # after no turn, onnxruntime makes sizes 0 that are no numbers
            known = (None, *(size if is_known(size) else None for size in element))
            yield from _alike(value, known, known)


def _alike(value: Value, one: Entries | None, other: Entries | None) -> Iterator[Told]:
    """Tell the sizes in which two ways agree."""
    old = _sizes(value)
    if one is None or other is None or old is None:
        return
    if len(one) == len(other) == len(old):
        agreed = tuple(a if a == b else None for a, b in zip(one, other, strict=True))
        yield Told(value, True, old, agreed)


def _sizes(value: Value | None) -> Dims | None:
    """Return the sizes of a tensor; those of a sequence's elements are left as they are."""
    return shape_or_none(value) if value is not None and is_tensor(value) else None
