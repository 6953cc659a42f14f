"""What an operator asks of its operands, before it, where a handler of the program would catch it.

    try:                            fits = len(x) == len(y) or 1 in (len(x), len(y))
        total = x + y               if fits:
    except ValueError:                  total = x + y
        total = x                   else:
                                        total = x

Elsewhere the operator itself fails, which costs no node.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np

from elichika.indexing.bounds import all_within
from elichika.walker.walk import Walk
from onnx_graph import Value
from onnx_graph.dims import Dim
from onnx_graph.failing import Need, may_fail, needs, reads_within, squeezes
from onnx_graph.values import dims_of

#: Operators that a size of an operand may make fail, which can be asked before.
BY_SIZES = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Mod", "Pow", "Max", "Min", "Sum", "Where", "PRelu"),
        *("And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"),
        *("MatMul", "Concat", "Gemm", "Einsum", "Expand", "Reshape", "Squeeze"),
        *("Gather", "GatherElements"),
    }
)
#: Those that an index makes fail.
INDEXING = frozenset({"Gather", "GatherElements"})
#: Functions, beside the ufuncs of numpy, that raise ValueError where sizes do not fit.
OF_SIZES = frozenset(
    {
        *(
            np.reshape,
            np.ndarray.reshape,
            np.broadcast_to,
            np.where,
            np.squeeze,
            np.ndarray.squeeze,
        ),
        *(np.concatenate, np.stack, np.vstack, np.hstack, np.dot, np.ndarray.dot, np.einsum),
        *(int, float, bool),  # of an array
        *(chainer.FunctionNode.apply, chainer.Function.__call__),  # a node says what itself raises
        *(np.inner, np.tensordot, np.take, np.ndarray.take, np.clip, np.ndarray.clip),
        *(np.ndarray.item, np.repeat, np.ndarray.repeat),
    }
)
SHAPES = "the shapes do not fit"
INDEX = "an index is out of bounds"

Asked = tuple[object, type[BaseException], str]


def raises_exactly(function: Any) -> bool | None:
    """Tell whether a function raises ValueError where sizes do not fit; None for one of Python."""
    if type(function) is np.ufunc or function in OF_SIZES:
        return True
    owner = getattr(function, "__objclass__", function)
    module = getattr(owner, "__module__", None) or ""
    return False if module.partition(".")[0] in ("numpy", "chainer") else None


class Guards:
    """The part of the walker that asks before an operator what makes it fail."""

    def __init__(self, w: Walk, proofs: Callable[[], int]) -> None:
        self.w = w
        #: Tells how many checks of an index or a key there were, and how many when a call began.
        self.proofs = proofs
        self.proved = 0
        #: How many checks of sizes were asked that a lowering makes.
        self.sizes = 0
        #: Whether what fails is an exception of this very class, for each call that is lowered.
        self.exact: list[bool] = []

    @contextmanager
    def within(self, exact: bool | None) -> Iterator[None]:
        """Guard the operators that are emitted in the block; for None, leave that be.

        Args:
            exact: Whether numpy raises ValueError where sizes do not fit, and IndexError where an
                index does not. Else another class may be raised there.
        """
        graph, before, proved = self.w.graph, self.w.graph.guard, self.proved
        graph.guard = self if self.w.guarded and exact is not None else None
        self.exact.append(bool(exact))
        self.proved = self.proofs()
        try:
            yield
        finally:
            self.proved = proved
            self.exact.pop()
            graph.guard = before

    def before(
        self, op: str, values: Sequence[Value | None], attributes: Mapping[str, object]
    ) -> bool:
        """Ask what a node needs that is emitted next; tell whether it never fails then."""
        if op not in BY_SIZES or (op in INDEXING and self.proofs() > self.proved):
            return False
        graph = self.w.graph
        guard, graph.guard = graph.guard, None
        try:
            with graph.draft(op, values, attributes) as node:
                if op == "Squeeze":
                    asked = list(self._sizes(squeezes(node)))
                elif reads_within(node) or (op not in INDEXING and not may_fail(node)):
                    return False
                else:
                    there = [value for value in values if value is not None]
                    asked = list(self._asked(op, there, attributes))
            for condition, kind, message in asked:
                self.w.check(condition, kind, message, exact=all(self.exact))
            return bool(asked)
        finally:
            graph.guard = guard

    def asked(self, condition: Value, message: str) -> bool:
        """Ask what a lowering would let the model check, which then surely holds."""
        graph, (name, _, said) = self.w.graph, message.rpartition(": ")
        kind = getattr(builtins, name, ValueError)
        guard, graph.guard = graph.guard, None
        try:
            self.w.check(condition, kind, said, exact=False)
            self.sizes += 1
        finally:
            graph.guard = guard
        return True

    def _asked(
        self, op: str, values: list[Value], attributes: Mapping[str, object]
    ) -> Iterable[Asked]:
        """Return what must hold, and what is raised where it does not."""
        match op:
            case "Gather" | "GatherElements":
                axis: Any = attributes.get("axis", 0)
                dims, sizes = map(dims_of, values)
                rest = [n for n in range(len(dims)) if n != axis % len(dims)]
                alike = [] if op == "Gather" else [Need((dims[n], sizes[n])) for n in rest]
                others = [dims[n] for n in rest] if op == "Gather" else []
                inside = all_within(self.w.graph, values[1], dims[axis], others)
                return [*self._sizes(alike), (inside, IndexError, INDEX)]
            case "Reshape":
                data, shape = values
                if not attributes.get("allowzero"):
                    shape = self._filled(shape, dims_of(data))
                return [(self._counts(data, shape), ValueError, SHAPES)]
            case "Expand":
                return [(self._expands(*values), ValueError, SHAPES)]
        return self._sizes(needs(op, [dims_of(value) for value in values], attributes) or ())

    def _sizes(self, asked: Iterable[Need]) -> Iterator[Asked]:
        for need in asked:
            if not need.holds():
                for index, size in enumerate(need.sizes):
                    for other in need.sizes[:index]:
                        yield self._alike(other, size, need.ones), ValueError, SHAPES

    def _alike(self, one: int | Dim, other: int | Dim, ones: bool) -> object:
        """Return whether two sizes are equal or, with `ones`, one of them is 1."""
        tests = [(one, other), (one, 1), (other, 1)] if ones else [(one, other)]
        return self._any([self.w.graph.compare(a, "==", b) for a, b in tests])

    def _any(self, answers: list[bool | Value]) -> bool | Value:
        """Return whether one of them holds."""
        if True in answers:
            return True
        result: bool | Value = False
        for answer in answers:
            if answer is not False:
                result = answer if result is False else self.w.graph.Or(result, answer)
        return result

    def _all(self, fits: Value) -> Value:
        """Return whether all of an array of bools are true, of no bools as well."""
        g = self.w.graph
        wrong = g.ReduceSum(g.Cast(g.Not(fits), to=np.dtype(np.int64)), keepdims=0)
        truth: Value = g.Equal(wrong, np.int64(0))
        return truth

    def _counts(self, data: Value, shape: Value) -> Value:
        """Return whether an array has as many elements as a shape, in which a -1 may stand."""
        g = self.w.graph
        size, product = g.Size(data), g.ReduceProd(shape, keepdims=0)
        open_ = g.ReduceSum(g.Cast(g.Less(shape, np.int64(0)), to=np.dtype(np.int64)), keepdims=0)
        legal = self._all(g.GreaterOrEqual(shape, np.int64(-1)))
        rest = g.Max(g.Neg(product), np.int64(1))
        divides = g.And(g.Less(product, np.int64(0)), g.Equal(g.Mod(size, rest), np.int64(0)))
        none, one = g.Equal(open_, np.int64(0)), g.Equal(open_, np.int64(1))
        fits = g.Or(g.And(none, g.Equal(size, product)), g.And(one, divides))
        return g.And(legal, fits)

    def _filled(self, shape: Value, dims: Sequence[int | Dim]) -> Value:
        """Return a shape with the sizes of an array where it has a 0."""
        g, length = self.w.graph, _length(shape)
        known = g.const_value(shape)
        if known is not None and known.all():
            return shape
        own = g.shape_tensor([*dims[:length], *[-2] * (length - len(dims))])
        filled: Value = g.Where(g.Equal(shape, np.int64(0)), own, shape)
        return filled

    def _expands(self, data: Value, shape: Value) -> Value:
        """Return whether an array can be stretched to a shape, or the shape to the array."""
        g, length = self.w.graph, _length(shape)
        sizes = dims_of(data)
        shared = min(length, len(sizes))
        own = g.shape_tensor(sizes[len(sizes) - shared :])
        wanted = g.Slice(shape, [length - shared], [length])
        one = np.int64(1)
        return self._all(g.Or(g.Or(g.Equal(own, one), g.Equal(wanted, one)), g.Equal(own, wanted)))


def _length(shape: Value) -> int:
    """Return how many sizes a shape has, which is how many axes an array has."""
    (length,) = dims_of(shape)
    return int(str(length))
