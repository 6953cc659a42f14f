"""Lowerings of `chainer.functions.math.basic_math`: the operators of Variables.

Constants take the dtype of the Variable.  Chainer's type checks let ints through + and - only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math import basic_math

from elichika.lowerings.numeric import constant_like
from elichika.numbers.numpy_numbers import array_power
from elichika.registry import lowers, lowers_to
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

lowers_to("Neg", basic_math.Neg)
lowers_to("Abs", basic_math.Absolute)


def _add(g: ONNXGraph, left: Value, right: Value) -> Value:
    """In numpy, the sum of bools is their or."""
    return g.emit("Or" if dtype_of(left) == np.bool_ else "Add", [left, right])


@lowers(basic_math.Add, basic_math.MultiAdd)
def add(w: LoweringContext, node: Any, x: Value, *others: Value) -> Value:
    """A chain of additions: Sum has no kernel for ints."""
    for other in others:
        x = _add(w.graph, x, other)
    return x


@lowers(basic_math.AddConstant)
def add_constant(w: LoweringContext, node: Any, x: Value) -> Value:
    """x + value."""
    g = w.graph
    return _add(g, x, constant_like(g, node.value, x))


@lowers(basic_math.Sub)
def sub(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """x - y."""
    return w.graph.Sub(x, y)


@lowers(basic_math.SubFromConstant)
def sub_from_constant(w: LoweringContext, node: Any, x: Value) -> Value:
    """value - x."""
    g = w.graph
    return g.Sub(constant_like(g, node.value, x), x)


@lowers(basic_math.Mul)
def mul(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """x * y."""
    return w.graph.Mul(x, y)


@lowers(basic_math.MulConstant)
def mul_constant(w: LoweringContext, node: Any, x: Value) -> Value:
    """x * value; the quotient of an int Variable by 2 is a product with int(0.5), so 0."""
    g = w.graph
    value = constant_like(g, node.value, x)
    return g.And(x, value) if dtype_of(x) == np.bool_ else g.Mul(x, value)


@lowers(basic_math.Div)
def div(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """x / y."""
    return w.graph.Div(x, y)


@lowers(basic_math.DivFromConstant)
def div_from_constant(w: LoweringContext, node: Any, x: Value) -> Value:
    """value / x."""
    g = w.graph
    return g.Div(constant_like(g, node.value, x), x)


@lowers(basic_math.PowVarVar)
def pow_var_var(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """x ** y."""
    return array_power(w.graph, x, y, number=False)


@lowers(basic_math.PowVarConst)
def pow_var_const(w: LoweringContext, node: Any, x: Value) -> Value:
    """x ** value."""
    g = w.graph
    return array_power(g, x, constant_like(g, node.value, x))


@lowers(basic_math.PowConstVar)
def pow_const_var(w: LoweringContext, node: Any, x: Value) -> Value:
    """value ** x."""
    g = w.graph
    return g.Pow(constant_like(g, node.value, x), x)
