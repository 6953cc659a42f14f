"""Python's operators on numbers and arrays, at least one of which is symbolic.

Python numbers follow Python (`python_numbers`), everything else follows numpy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.numbers import numpy_numbers as numerics
from elichika.numbers import python_comparisons, python_numbers
from elichika.numbers.kernels import cast, every
from elichika.numbers.promotion import (
    ask,
    broadcast,
    depends_on_values,
    representative,
    result_dtype,
    wrap,
)
from elichika.values.kinds import is_array, is_listed, is_number
from elichika.values.symbolic import Scalar
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph import compare as compare_sizes

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

Operator = Callable[..., Any]

_BINARY: dict[Operator, numerics.Binary] = {
    operator.add: numerics.add,
    operator.sub: numerics.subtract,
    operator.mul: numerics.multiply,
    operator.truediv: numerics.true_divide,
    operator.floordiv: numerics.floor_divide,
    operator.mod: numerics.remainder,
    operator.and_: numerics.bitwise_and,
    operator.or_: numerics.bitwise_or,
    operator.xor: numerics.bitwise_xor,
    operator.lshift: numerics.shift_left,
    operator.rshift: numerics.shift_right,
}

_COMPARE: dict[Operator, numerics.Binary] = {
    operator.lt: numerics.less,
    operator.le: numerics.less_equal,
    operator.gt: numerics.greater,
    operator.ge: numerics.greater_equal,
    operator.eq: numerics.equal,
    operator.ne: numerics.not_equal,
}

_UNARY: dict[Operator, Callable[[Any, Value], Value]] = {
    operator.neg: numerics.negate,
    operator.pos: lambda g, value: value,
    operator.invert: numerics.invert,
}

_INPLACE: dict[Operator, Operator] = {
    operator.add: operator.iadd,
    operator.sub: operator.isub,
    operator.mul: operator.imul,
    operator.truediv: operator.itruediv,
    operator.floordiv: operator.ifloordiv,
    operator.mod: operator.imod,
    operator.pow: operator.ipow,
    operator.matmul: operator.imatmul,
    operator.and_: operator.iand,
    operator.or_: operator.ior,
    operator.xor: operator.ixor,
    operator.lshift: operator.ilshift,
    operator.rshift: operator.irshift,
}


def is_python(operand: Any) -> bool:
    """Tell whether an operand is a Python number, symbolic or not."""
    if isinstance(operand, Scalar):
        return operand.is_python
    return type(operand) in (bool, int, float)


def _require_numbers(w: LoweringContext, *operands: Any) -> None:
    for operand in operands:
        if not is_array(operand) and not is_number(operand):
            w.refuse(f"this operator is not compiled for {type(operand).__name__}")


def binary(w: LoweringContext, op: Operator, a: Any, b: Any) -> Any:
    """Return `op(a, b)` for an arithmetic operator of module `operator`."""
    a, b = w.narrow(a), w.narrow(b)
    _require_numbers(w, a, b)
    if is_python(a) and is_python(b):
        return python_numbers.binary(w, op, a, b)
    return wrap(w, _emit(w, op, a, b))


def _emit(w: LoweringContext, op: Operator, a: Any, b: Any) -> Value:
    """Return the graph value of a binary operator that follows numpy."""
    dtype = result_dtype(w, op, a, b)
    if op is operator.matmul:
        return matmul(w, a, b, dtype)
    broadcast(w, w.dims(a), w.dims(b))
    if op is operator.pow:
        if dtype.kind == "f" and is_array(a):
            base, exponent = w.value_of(a, dtype), w.value_of(b, dtype)
            number = not is_array(b)
            return numerics.array_power(w.graph, base, exponent, number)
        return power(w, a, b, dtype)
    return _BINARY[op](w.graph, w.value_of(a, dtype), w.value_of(b, dtype))


def power(w: LoweringContext, a: Any, b: Any, dtype: np.dtype[Any]) -> Value:
    """Return `a ** b` in `dtype`, which numpy gave."""
    base = w.value_of(a, dtype)
    g = w.graph
    if dtype.kind == "f":
        return numerics.float_power(g, base, w.value_of(b, dtype))
    known = b if not w.is_symbolic(b) else None
    if known is not None and np.size(known) and np.asarray(known).dtype.kind in "biu":
        exponents = np.unique(np.asarray(known))
        if exponents.size == 1 and exponents[0] >= 0:
            result = numerics.integer_power(g, base, int(exponents[0]))
            shape = np.shape(known)
            return result if not shape else g.Add(result, np.zeros(shape, dtype))
    exponent = w.value_of(b, dtype)
    if dtype.kind == "i":
        legal = every(g, g.GreaterOrEqual(exponent, np.array(0, dtype)))
        w.check(legal, ValueError, "Integers to negative integer powers are not allowed.")
    exact = g.Round(g.Pow(cast(g, base, np.float64), cast(g, exponent, np.float64)))
    fits = every(g, g.Less(g.Abs(exact), np.float64(2**53)))
    w.check(fits, OverflowError, "an integer power beyond 2**53 is not exact in the model")
    return cast(g, cast(g, exact, np.int64), dtype)


def matmul(w: LoweringContext, a: Any, b: Any, dtype: np.dtype[Any]) -> Value:
    """Return `a @ b` in `dtype`, which numpy gave."""
    left, right = w.value_of(a, dtype), w.value_of(b, dtype)
    inner, other = dims_of(left)[-1], dims_of(right)[-2 if numerics.rank(right) > 1 else 0]
    if compare_sizes(inner, "==", other) is False:
        w.raise_static(
            ValueError(
                "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                f"signature (n?,k),(k,m?)->(n?,m?) (size {other} is different from {inner})"
            )
        )
    broadcast(w, dims_of(left)[:-2], dims_of(right)[:-2])
    return numerics.matmul(w.graph, left, right)


def compare(w: LoweringContext, op: Operator, a: Any, b: Any) -> Any:
    """Return `op(a, b)` for a comparison of module `operator`."""
    a, b = w.narrow(a), w.narrow(b)
    _require_numbers(w, a, b)
    if is_python(a) and is_python(b):
        return python_comparisons.compare(w, op, a, b)
    return wrap(w, comparison(w, op, a, b))


def comparison(w: LoweringContext, op: Operator, a: Any, b: Any) -> Value:
    """Return the graph value of a comparison that follows numpy."""
    ask(w, op, representative(w, a), representative(w, b))
    left, right = w.value_of(a), w.value_of(b)
    whole = all(dtype_of(v).kind in "bi" or dtype_of(v).itemsize < 8 for v in (left, right))
    if whole and all(dtype_of(v).kind in "biu" for v in (left, right)):
        common = np.result_type(dtype_of(left), dtype_of(right))  # also where a number is large
    elif _is_exact_in_float64(left, right) and depends_on_values(w, np.add, a, b):
        common = np.dtype(np.float64)
    else:
        common = result_dtype(w, np.add, a, b)
    broadcast(w, w.dims(a), w.dims(b))
    if common.kind == "f" and dtype_of(left).kind in "iu" and dtype_of(right).kind in "iu":
        w.refuse(
            "comparing uint64 with signed integers is not compiled",
            "use int64: `x.astype('int64')`",
        )
    return _COMPARE[op](w.graph, cast(w.graph, left, common), cast(w.graph, right, common))


def _is_exact_in_float64(left: Value, right: Value) -> bool:
    """Tell whether these are short floats and an int that numpy 1 compares as short as it fits.

    They compare as in float64: numpy takes a dtype that holds the int, or float64 itself.
    """
    kinds = {dtype_of(left).kind, dtype_of(right).kind}
    return kinds in ({"f", "i"}, {"f", "u"}) and all(
        dtype_of(value) != np.float64 for value in (left, right)
    )


def unary(w: LoweringContext, op: Operator, a: Any) -> Any:
    """Return `op(a)` for `neg`, `pos` or `invert` of module `operator`."""
    a = w.narrow(a)
    _require_numbers(w, a)
    if is_python(a):
        return python_numbers.unary(w, op, a)
    dtype = result_dtype(w, op, a)
    return wrap(w, _UNARY[op](w.graph, w.value_of(a, dtype)))


def inplace(w: LoweringContext, op: Operator, array: Any, b: Any) -> Any:
    """Return what `array op= b` binds: the array itself, changed; a new number for numbers."""
    array, b = w.narrow(array), w.narrow(b)
    if not is_array(array):
        return binary(w, op, array, b)
    if is_listed(b):
        b = w.native_array(b)
    _require_numbers(w, b)
    target = representative(w, array)
    target = np.ones(target.shape, target.dtype)
    ask(w, _INPLACE[op], target, representative(w, b))
    changed = w.as_array(array)
    value = cast(w.graph, _emit(w, op, changed, b), target.dtype)
    require_shape(w, value, w.dims(changed), "non-broadcastable output operand")
    w.write(changed, value)
    return array


def require_shape(w: LoweringContext, value: Value, dims: Any, message: str) -> None:
    """Raise, or check, that a value has exactly these sizes."""
    actual = dims_of(value)
    if len(actual) != len(dims):
        w.raise_static(
            ValueError(
                f"{message} with shape {_text(dims)} doesn't match the "
                f"broadcast shape {_text(actual)}"
            )
        )
    for size, wanted in zip(actual, dims, strict=True):
        decided = compare_sizes(size, "==", wanted)
        if decided is False:
            w.raise_static(
                ValueError(
                    f"{message} with shape {_text(dims)} doesn't match the "
                    f"broadcast shape {_text(actual)}"
                )
            )
        if decided is None:
            g = w.graph
            same = g.Equal(g.dim_value(size), g.dim_value(wanted))
            w.check(same, ValueError, message, exact=True)


def _text(dims: Any) -> str:
    return f"({', '.join(map(str, dims))}{',' if len(dims) == 1 else ''})"
