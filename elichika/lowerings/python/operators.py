"""The `operator` module, and the builtins that are operators: divmod, pow, round."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.numbers import numpy_numbers as numerics
from elichika.registry import always, lowers, takes_choices
from elichika.values import python_words
from elichika.values.kinds import is_number, is_number_of_the_run, is_tensor
from elichika.values.symbolic import Array, Var

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and_", "or_", "xor", "lshift", "rshift"),
)
_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def _binary(op: Any) -> None:
    @lowers(op)
    @always
    @takes_choices
    def lowering(w: LoweringContext, left: Any, right: Any) -> Any:
        return w.binary(op, left, right)


def _unary(op: Any) -> None:
    @lowers(op)
    @always
    @takes_choices
    def lowering(w: LoweringContext, operand: Any) -> Any:
        return w.unary(operator.invert if op is operator.inv else op, operand)


def _in_place(op: Any, changing: Any, name: str) -> None:
    @lowers(changing)
    @always
    def lowering(w: ContainerContext, current: Any, operand: Any) -> Any:
        return w.augmented(name, op, current, operand)


for _name in _BINARY:
    _binary(getattr(operator, _name))
    _special = f"__i{_name.rstrip('_')}__"
    _in_place(getattr(operator, _name), getattr(operator, _special), _special)
for _op in _COMPARISONS:
    _binary(_op)
for _sign in (operator.neg, operator.pos, operator.invert, operator.inv):
    _unary(_sign)


@lowers(operator.abs)
@always
def abs_(w: LoweringContext, value: Any) -> Any:
    """Return the magnitude."""
    return w.call(builtins.abs, [value], {})


@lowers(operator.not_)
@always
@takes_choices
def not_(w: LoweringContext, value: Any) -> Any:
    """Return `not value`."""
    return w.not_(w.truth(value))


@lowers(operator.truth)
@always
@takes_choices
def truth(w: LoweringContext, value: Any) -> Any:
    """Return the truth of a value."""
    return w.truth(value)


@lowers(operator.is_)
@always
@takes_choices
def is_(w: ContainerContext, left: Any, right: Any) -> Any:
    """Return `left is right`."""
    return w.identical(left, right)


@lowers(operator.is_not)
@always
@takes_choices
def is_not(w: ContainerContext, left: Any, right: Any) -> Any:
    """Return `left is not right`."""
    return w.not_(w.identical(left, right))


@lowers(operator.contains)
@always
@takes_choices
def contains(w: ContainerContext, container: Any, value: Any) -> Any:
    """Return `value in container`."""
    return w.contains(container, value)


@lowers(operator.getitem)
@always
@takes_choices
def getitem(w: LoweringContext, obj: Any, index: Any) -> Any:
    """Return `obj[index]`."""
    return w.get_item(obj, index)


@lowers(operator.setitem)
@always
def setitem(w: LoweringContext, obj: Any, index: Any, value: Any) -> None:
    """Run `obj[index] = value`."""
    w.set_item(obj, index, value)


@lowers(operator.delitem)
@always
def delitem(w: ContainerContext, obj: Any, index: Any) -> None:
    """Run `del obj[index]`."""
    w.delete_item(obj, index)


@lowers(operator.concat)
@always
def concat(w: LoweringContext, left: Any, right: Any) -> Any:
    """Join two sequences."""
    return w.binary(operator.add, left, right)


@lowers(operator.index)
def index(w: LoweringContext, value: Any) -> Any:
    """Return an int as an int."""
    if is_number_of_the_run(value) and issubclass(value.type, (int, np.integer)):
        return w.call(int, [value], {})
    whole = w.whole(value)
    if whole is not value:
        return whole
    w.raise_static(TypeError("the object cannot be interpreted as an integer"))


if hasattr(operator, "call"):  # from Python 3.11 on

    @lowers(operator.call)
    @always
    def call(w: LoweringContext, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function."""
        return w.call(function, list(args), kwargs)


def _get_by(getter: Any, get: Any) -> None:
    @lowers(getter.__call__)
    def lowering(w: LoweringContext, made: Any, obj: Any) -> Any:
        found = [get(w, obj, key) for key in made.__reduce__()[1]]
        return found[0] if len(found) == 1 else tuple(found)


def _attribute(w: LoweringContext, obj: Any, path: str) -> Any:
    for name in path.split("."):
        obj = w.get_attribute(obj, name)
    return obj


_get_by(operator.itemgetter, lambda w, obj, key: w.get_item(obj, key))
_get_by(operator.attrgetter, _attribute)


@lowers(operator.methodcaller.__call__)
def methodcaller(w: LoweringContext, made: Any, obj: Any) -> Any:
    """Call a method by its name."""
    maker, rest = made.__reduce__()[:2]
    kwargs = getattr(maker, "keywords", {})
    name, *args = rest if not kwargs else (*maker.args, *rest)
    return w.call(w.get_attribute(obj, name), args, dict(kwargs))


@lowers(builtins.divmod)
@takes_choices
def divmod_(w: ContainerContext, left: Any, right: Any) -> Any:
    """Return the floor of the quotient, and the rest."""
    method = w.special(left, "__divmod__")
    if not is_tensor(left) and method is not None and w.has_source(method):
        return w.call(method, [left, right], {})
    kinds = [w.type_of(one) for one in (left, right)]
    if w.guarded and all(kind in (int, float, bool) for kind in kinds):
        said = python_words.of_division(divmod, *kinds)
        w.check(w.truth(right), ZeroDivisionError, "division by zero", said)
    return w.binary(operator.floordiv, left, right), w.binary(operator.mod, left, right)


@lowers(builtins.pow)
@takes_choices
def pow_(w: LoweringContext, base: Any, exp: Any, mod: Any = None) -> Any:
    """Return a power; with three arguments, its rest: the power itself must fit 64 bits."""
    if w.narrow(mod) is None:
        return w.binary(operator.pow, base, exp)
    if not all(issubclass(w.type_of(w.narrow(part)), int) for part in (base, exp, mod)):
        w.refuse("`pow` with three arguments is compiled for ints only")
    if not w.is_symbolic(mod) and mod == 0:
        w.raise_static(ValueError("pow() 3rd argument cannot be 0"))
    if w.is_symbolic(exp):
        w.check(w.truth(w.binary(operator.ge, exp, 0)), ValueError, "`pow` of a negative exponent")
    elif exp < 0:
        w.refuse("`pow` of a negative exponent with a third argument is not compiled")
    return w.binary(operator.mod, w.binary(operator.pow, base, exp), mod)


@lowers(builtins.round)
def round_(w: ContainerContext, number: Any, ndigits: Any = None) -> Any:
    """Round half to even."""
    if is_number(number):
        if ndigits is not None and not is_number(ndigits):
            ndigits = w.call(operator.index, [ndigits], {})
        if is_number_of_the_run(ndigits):
            w.refuse("how many digits `round` keeps must be known before the model runs")
    if not is_number_of_the_run(number):
        method = None if isinstance(number, (Array, Var)) else w.special(number, "__round__")
        if method is None or not w.has_source(method):
            w.raise_static(TypeError("this type doesn't define __round__ method"))
        return w.call(method, [number] if ndigits is None else [number, ndigits], {})
    if ndigits is None:
        if issubclass(number.type, (int, np.integer, np.bool_)):
            return w.call(int, [number], {})
        rounded = w.graph.Round(w.value_of(number))
        return w.call(int, [w.scalar(number.type, rounded)], {})
    if not number.is_python:
        return w.call(np.round, [number, ndigits], {})
    if number.type is not float:
        whole = w.call(int, [number], {})
        if ndigits >= 0:
            return whole
        if ndigits < -18:
            w.refuse(
                "`round` to this many digits is not compiled",
                "up to 18 zeros compile",
            )
        return w.call(idioms.arithmetic.rounded, [whole, 10**-ndigits], {})
    if not 0 <= ndigits <= 22:
        w.refuse("`round` to this many digits is not compiled", "0 to 22 digits compile")
    return w.scalar(float, numerics.round_decimal(w.graph, w.value_of(number), ndigits))
