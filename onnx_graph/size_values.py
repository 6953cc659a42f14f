"""Sizes as values: reading them off tensors, computing expressions, building shape tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from onnx_ir import Value

from onnx_graph import operands
from onnx_graph.atoms import Atom
from onnx_graph.dims import Dim, bounds, compare, is_known, is_size
from onnx_graph.errors import GraphError
from onnx_graph.scopes import Scope
from onnx_graph.values import contents_of, describe, dims_of, is_tensor, is_value

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def size(graph: ONNXGraph, value: Value, axis: int) -> Value:
    """Return a size of a tensor as an int64 scalar: a constant, or Gather of Shape.

    The nodes go right behind the tensor's producer, so they are visible wherever it is.

    Raises:
        GraphError: no tensor, unknown rank, or no such axis.
    """
    if not is_tensor(value):
        raise GraphError(f"{describe(value)} has no sizes")
    graph.require_visible("size", [value])
    dims = dims_of(value)
    if not -len(dims) <= axis < len(dims):
        raise GraphError(f"{describe(value)} has no axis {axis}")
    axis %= len(dims)
    dim = dims[axis]
    if is_known(dim):
        return graph.constant(dim)
    owner = graph.owner(value)
    known = graph.memoised(owner, ("dim", dim.text))
    if known is not None:
        return known
    result = read(graph, owner, value, axis)
    owner.memo[("dim", dim.text)] = result
    return result


def read(graph: ONNXGraph, owner: Scope, value: Value, axis: int) -> Value:
    """Return a size of a tensor, read in the scope that the tensor belongs to."""
    shape = owner.memo.get(("shape", value))
    if shape is None:
        (shape,) = graph.emit_into(owner, "Shape", [value], {}, after=value)
        owner.memo[("shape", value)] = shape
    index = graph.constant(axis)
    return graph.emit_into(owner, "Gather", [shape, index], {"axis": 0}, after=shape)[0]


_OPERATORS = {
    "==": "Equal",
    "!=": "Equal",
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
}


def compare_sizes(
    graph: ONNXGraph, left: int | Dim | Value, op: str, right: int | Dim | Value
) -> bool | Value:
    """Return how two sizes or int64 scalars compare: a bool where sizes decide it, else a 0-d bool.

    Args:
        graph: The graph that computes it.
        left: A size, or an int64 scalar.
        op: One of ``== != < <= > >=``.
        right: A size, or an int64 scalar.
    """
    known = decided(left, op, right)
    if known is not None:
        return known
    holds = graph.emit(_OPERATORS[op], [dim_value(graph, left), dim_value(graph, right)])
    return graph.emit("Not", [holds]) if op == "!=" else holds


def decided(left: int | Dim | Value, op: str, right: int | Dim | Value) -> bool | None:
    """Return how two sizes compare; None where that is open, as of an int64 scalar."""
    if is_value(left) or is_value(right):
        return None
    return compare(left, op, right)


def dim_value(graph: ONNXGraph, dim: int | Dim | Value) -> Value:
    """Return an int64 scalar that computes a size from tensors that carry its symbols.

    It is emitted in the outermost scope that sees these tensors; in the current scope if it
    divides by what may be zero. An int64 scalar is a size as it is.

    Raises:
        GraphError: no visible tensor carries one of the symbols.
    """
    if is_value(dim):
        return dim
    if isinstance(dim, (int, np.integer)):
        return graph.constant(int(dim))
    found = graph.memoised(graph.scope, ("dim", dim.text))
    if found is not None:
        return found
    for scope in graph.scope.chain():
        if (source := scope.sources.get(dim.text)) is not None:
            return size(graph, *source)
    if dim.symbol is not None:
        if (lifted := graph.lifting.size(dim)) is not None:
            return lifted
        raise GraphError(f"no visible value has the size {dim}")
    total: Value | None = None
    for monomial, factor in dim.terms.items():
        term: Value | None = None
        for atom in monomial:
            part = _atom_value(graph, atom)
            term = part if term is None else _compute(graph, "Mul", term, part)
        if term is None:
            term = graph.constant(factor)
        elif factor == -1 and total is not None:
            total = _compute(graph, "Sub", total, term)
            continue
        elif factor != 1:
            term = _compute(graph, "Mul", term, graph.constant(factor))
        total = term if total is None else _compute(graph, "Add", total, term)
    assert total is not None
    graph.owner(total).memo[("dim", dim.text)] = total
    return total


def _atom_value(graph: ONNXGraph, atom: Atom) -> Value:
    if atom.kind == "symbol":
        return dim_value(graph, _size(Dim.of({(atom,): 1})))
    left, right = (_size(part) for part in atom.parts)
    first, second = dim_value(graph, left), dim_value(graph, right)
    if atom.kind in ("max", "min"):
        return _compute(graph, atom.kind.capitalize(), first, second)
    low = bounds(right)[0]
    here = graph.scope if low is None or low < 1 else None
    if atom.kind == "%":
        return _compute(graph, "Mod", first, second, here)
    start = bounds(left)[0]
    if start is None or start < 0 or here is not None:
        rest = _compute(graph, "Mod", first, second, here)
        first = _compute(graph, "Sub", first, rest, here)
    return _compute(graph, "Div", first, second, here)


def _size(part: object) -> int | Dim:
    assert is_size(part)
    return part


def _compute(
    graph: ONNXGraph, op: str, left: Value, right: Value, scope: Scope | None = None
) -> Value:
    if scope is None:
        scope = max((graph.owner(left), graph.owner(right)), key=lambda owner: owner.depth)
    key = ("compute", op, left, right)
    found = graph.memoised(scope, key)
    if found is None:
        (found,) = graph.emit_into(scope, op, [left, right], {})
        scope.memo[key] = found
    return found


def shape_tensor(graph: ONNXGraph, items: Sequence[object]) -> Value:
    """Return an int64 vector of ints, sizes and int64 scalars (or objects with one).

    Raises:
        GraphError: an item is none of these.
    """
    parts: list[Value] = []
    run: list[int] = []
    for item in items:
        number = _as_int(item)
        if number is not None:
            run.append(number)
            continue
        scalar = operands.as_value(graph, item)
        if not operands.is_int64_scalar(scalar):
            raise GraphError(f"a shape takes int64 scalars, not {describe(scalar)}")
        if run:
            parts.append(graph.constant(np.array(run, np.int64)))
            run = []
        parts.append(_vector(graph, scalar))
    if run or not parts:
        parts.append(graph.constant(np.array(run, np.int64)))
    return parts[0] if len(parts) == 1 else graph.emit("Concat", parts, {"axis": 0})


def _vector(graph: ONNXGraph, scalar: Value) -> Value:
    owner = graph.owner(scalar)
    key = ("vector", scalar)
    found = owner.memo.get(key)
    if found is None:
        axes = graph.constant(np.array([0], np.int64))
        (found,) = graph.emit_into(owner, "Unsqueeze", [scalar, axes], {}, after=scalar)
        owner.memo[key] = found
    return found


def _as_int(item: object) -> int | None:
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        return int(item)
    value = item if is_value(item) else getattr(item, "onnx_value", None)
    if is_value(value) and value.const_value is not None:
        contents = contents_of(value)
        return contents if is_known(contents) else None
    return None
