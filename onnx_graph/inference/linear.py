"""Matrix products, Einsum and recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_graph.dims import Dim
from onnx_graph.inference.call import Call, MismatchError, Rule
from onnx_graph.values import Dims


def mat_mul(call: Call) -> Sequence[Dims | None]:
    """Multiply as numpy.matmul does."""
    left, right = call.dims(0), call.dims(1)
    if left is None or right is None:
        return [None]
    if not left or not right:
        raise MismatchError("a scalar is no matrix")
    rows: Dims = left[-2:-1]
    columns: Dims = right[-1:] if len(right) > 1 else ()
    call.equal_size(left[-1], right[-2] if len(right) > 1 else right[0], "inner sizes")
    batch = call.broadcast([left[:-2], right[:-2]])
    assert batch is not None
    return [batch + rows + columns]


def gemm(call: Call) -> Sequence[Dims | None]:
    """Multiply two matrices."""
    left, right = call.dims(0), call.dims(1)
    if left is None or right is None:
        return [call.unknown(2)]
    if len(left) != 2 or len(right) != 2:
        raise MismatchError("both operands are matrices")
    left = left[::-1] if call.attribute("transA", 0) else left
    right = right[::-1] if call.attribute("transB", 0) else right
    call.equal_size(left[1], right[0], "inner sizes")
    added = call.dims(2)
    if added is not None:
        if len(added) > 2:
            raise MismatchError("the addend is no matrix")
        call.broadcast([added, (left[0], right[1])])
    return [(left[0], right[1])]


def einsum(call: Call) -> Sequence[Dims | None]:
    """Read the equation; an ellipsis gives an unknown shape."""
    equation = call.attribute("equation").replace(" ", "")
    if "." in equation:
        return [None]
    operands, arrow, result = equation.partition("->")
    sizes: dict[str, int | Dim] = {}
    terms = operands.split(",")
    if len(terms) != len(call.inputs):
        raise MismatchError(f"{len(terms)} terms in the equation")
    for index, term in enumerate(terms):
        dims = call.dims(index)
        if dims is not None and len(dims) != len(term):
            raise MismatchError(f"term {term!r} for rank {len(dims)}")
        for letter, dim in zip(term, dims or [None] * len(term), strict=True):
            size = call.fresh() if dim is None else dim
            known = sizes.get(letter)
            sizes[letter] = size if known is None else call.broadcast_size(known, size)
    if not arrow:
        letters = sorted(set(operands.replace(",", "")))
        result = "".join(letter for letter in letters if operands.count(letter) == 1)
    return [tuple(sizes[letter] for letter in result)]


def recurrent(call: Call) -> Sequence[Dims | None]:
    """Return the shapes of all states, the last hidden state and the last cell."""
    dims, weights = call.dims(0), call.dims(2)
    directions = 2 if call.attribute("direction", "forward") == "bidirectional" else 1
    hidden: int | Dim | None = call.attribute("hidden_size")
    if hidden is None:
        hidden = weights[2] if weights is not None and len(weights) == 3 else call.fresh()
    if call.attribute("layout", 0):
        return [call.unknown(4), call.unknown(3), call.unknown(3)][: call.results]
    length, batch = (call.fresh(), call.fresh()) if dims is None or len(dims) != 3 else dims[:2]
    last: Dims = (directions, batch, hidden)
    return [(length, directions, batch, hidden), last, last][: call.results]


RULES: dict[str, Rule] = {
    "MatMul": mat_mul,
    "Gemm": gemm,
    "Einsum": einsum,
    "RNN": recurrent,
    "GRU": recurrent,
    "LSTM": recurrent,
}
