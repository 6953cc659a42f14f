"""Arrays and Variables."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika import indexing
from elichika.iterators.base import Staged
from elichika.numbers import operators
from elichika.state.store import MISSING
from elichika.values.symbolic import UNSET, Choice, Var
from elichika.values.tape import VariableNode
from elichika.walker.kinds.kind import Kind, is_known, told_truth
from onnx_graph.dims import compare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elichika.walker.kinds.context import KindContext

__all__ = ["KnownArrays", "KnownVariables", "SymbolicArrays", "VariableNodes", "Variables"]

_AMBIGUOUS = (
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
)


def _nothing_is_false() -> bool:
    """Tell whether this numpy takes an array without elements for False; later ones raise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return not np.zeros(0)
        except ValueError:
            return False


_NOTHING_IS_FALSE = _nothing_is_false()


class SymbolicArrays(Kind):
    """An array of which something is known only when the model runs."""

    is_plain = True

    def unary(self, w: KindContext, op: Any, operand: Any) -> Any:
        """Return `-x`, `+x` or `~x`."""
        with w.located():
            return operators.unary(w, op, w.as_symbolic(operand))

    def augmented(self, w: KindContext, name: str, op: Any, current: Any, operand: Any) -> Any:
        """Run `current op= operand`; with a Variable it makes another one."""
        if isinstance(operand, Var):
            return NotImplemented
        made = w.as_array(current)
        with w.located(True):
            operators.inplace(w, op, made, w.as_symbolic(operand))
        return made

    def type_of(self, value: Any) -> type:
        """Return numpy's type of arrays."""
        return np.ndarray

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Return `obj.name`."""
        return w.array_attribute(obj, name, default)

    def set_attribute(
        self, w: KindContext, obj: Any, name: str, value: Any, *, plain: bool
    ) -> None:
        """Refuse what numpy takes: it changes the array itself."""
        if hasattr(np.ndarray, name):
            w.refuse(f"assignment to `{name}` of ndarray is not supported")
        super().set_attribute(w, obj, name, value, plain=plain)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return the truth of its one element, checked to be the only one."""
        tensor = w.read(value)
        size: Any = 1
        for dim in w.dims(value):
            size = size * dim
        if compare(size, ">", 1):
            w.raise_static(ValueError(_AMBIGUOUS))
        if type(size) is int and size == 0:
            if not _NOTHING_IS_FALSE:
                w.raise_static(ValueError(_AMBIGUOUS))
            return False
        g = w.graph
        if not isinstance(size, int):
            one, count = g.constant(np.array(1, np.int64)), g.dim_value(size)
            if _NOTHING_IS_FALSE and not compare(size, ">=", 1):
                w.check(g.LessOrEqual(count, one), ValueError, _AMBIGUOUS)
                whole = g.ReduceSum(g.Cast(g.Cast(tensor, to=np.bool_), to=np.int64), keepdims=0)
                return w.scalar(bool, g.Cast(whole, to=np.bool_))
            w.check(g.Equal(count, one), ValueError, _AMBIGUOUS)
        flat = g.Reshape(g.Cast(tensor, to=np.dtype(bool)), g.constant(np.array([], np.int64)))
        return w.scalar(bool, flat)

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return its rows."""
        dims = w.dims(value)
        if not dims:
            w.raise_static(TypeError("iteration over a 0-d array"))
        return Staged(w.dim_scalar(dims[0]), lambda i: w.get_item(value, i))

    def get_item(self, w: KindContext, obj: Any, index: Any) -> Any:
        """Return `obj[index]`, a view where numpy gives one."""
        with w.located(True):
            return indexing.getitem(w, w.as_array(obj), index)

    def set_item(self, w: KindContext, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`; all views of the array see it."""
        held = w.narrow(value)
        if isinstance(held, Choice) and not w.choices.is_uniform(held):
            w.choices.apply(held, lambda v: w.set_item(obj, index, v))
            return
        with w.located(True):
            indexing.setitem(w, w.as_array(obj), index, w.as_symbolic(value))

    def contains(self, w: KindContext, container: Any, value: Any) -> Any:
        """Return whether any element equals a value."""
        if is_known(w, container, value):
            return w.native(operator.contains, [container, value], {})
        hits = w.binary(operator.eq, container, value)
        return w.truth(w.call(np.any, [hits], {}))


class KnownArrays(SymbolicArrays):
    """An array of numpy's; the program may have written to it what the model knows."""

    def parts(self, w: KindContext, value: np.ndarray[Any, Any]) -> Iterable[Any]:
        """Return what it holds now, where the program wrote to it."""
        return (w.contents_version(value),)

    def unary(self, w: KindContext, op: Any, operand: Any) -> Any:
        """Return `-x`, `+x` or `~x`."""
        kind = SymbolicArrays if w.is_overlaid(operand) else Kind
        return kind.unary(self, w, op, operand)

    def type_of(self, value: Any) -> type:
        """Return its own type."""
        return type(value)

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Return `obj.name`; what `flat` and `data` show may be written later."""
        if name in ("flat", "data") or w.is_overlaid(obj):
            return w.array_attribute(obj, name, default)
        return Kind.attribute(self, w, obj, name, default)

    def truth(self, w: KindContext, value: Any) -> Any:
        """Return the truth of its one element."""
        if w.is_symbolic(value):
            return w.truth(w.as_array(value))
        return Kind.truth(self, w, value)

    def get_item(self, w: KindContext, obj: np.ndarray[Any, Any], index: Any) -> Any:
        """Return `obj[index]`."""
        if w.is_symbolic((obj, index)):
            return super().get_item(w, obj, index)
        return w.native(operator.getitem, [obj, index], {})


#: What each Parameter has of its own.
OF_ONE = {"name", "initializer", "update_rule", "_initial_device"}
#: What a Parameter has beside what all Variables have.
OF_PARAMETERS = OF_ONE | (set(dir(chainer.Parameter)) - set(dir(chainer.Variable)))


class Variables(Kind):
    """A `chainer.Variable` of the program: its own Python is walked."""

    def type_of(self, value: Var) -> type:
        """Return `chainer.Variable`, or the class of the program that it is of."""
        return value.kind

    def attribute(self, w: KindContext, obj: Var, name: str, default: Any) -> Any:
        """Return `obj.name`: what is known of all Variables, else what Chainer defines."""
        parameter = obj.kind is not chainer.Variable and name in OF_PARAMETERS
        if obj.again and (name == "name" or (parameter and name in OF_ONE)):
            w.tape.refuse_several(name)
        if parameter:
            w.class_of(obj)  # which is refused where it may be a Parameter
        found = w.variable_fact(obj, name)
        return super().attribute(w, obj, name, default) if found is MISSING else found

    def set_attribute(
        self, w: KindContext, obj: Var, name: str, value: Any, *, plain: bool
    ) -> None:
        """Note what is not followed; refuse the rest."""
        if w.tape.is_kept and w.tape.has(name):
            w.tape.change(obj, name, value)
            return
        if name in ("array", "data") and value is obj.array:
            return  # what `v.array += ...` stores
        if name not in ("name", "grad", "layout", "_grad_valid", "volatile") or value is UNSET:
            w.refuse(f"assignment to `{name}` of {obj.kind.__name__} is not supported")
        if value is not None:
            w.touch_fact(name, written=True)

    def truth(self, w: KindContext, value: Var) -> Any:
        """Return `bool(value)`, which Chainer defines."""
        return told_truth(w, value, w.special, lambda: True)

    def iterate(self, w: KindContext, value: Var) -> Staged:
        """Return its rows."""
        return _ARRAYS.iterate(w, value)

    def get_item(self, w: KindContext, obj: Var, index: Any) -> Any:
        """Return `obj[index]`, which Chainer defines."""
        return w.call(w.special(obj, "__getitem__"), [obj, index], {})


class KnownVariables(Kind):
    """A `chainer.Variable` that is known while compiling."""

    def parts(self, w: KindContext, value: chainer.Variable) -> Iterable[Any]:
        """Return its array."""
        return (w.variable_array(value),)

    def iterate(self, w: KindContext, value: chainer.Variable) -> Staged:
        """Return its rows."""

        def length() -> Any:
            return w.call(w.special(value, "__len__"), [value], {})

        return Staged(length(), lambda i: w.get_item(value, i), False, length)

    def attribute(self, w: KindContext, obj: chainer.Variable, name: str, default: Any) -> Any:
        """Return `obj.name`, unless it tells of the function that the Variable came of."""
        found = w.known_variable_fact(obj, name)
        return super().attribute(w, obj, name, default) if found is MISSING else found

    def set_attribute(
        self, w: KindContext, obj: chainer.Variable, name: str, value: Any, *, plain: bool
    ) -> None:
        """Run `obj.name = value`; its array is a location of its own."""
        if name in ("array", "data") and value is not UNSET:
            if not w.store.is_handled(obj):
                w.store.set(obj, "array", value)
            elif w.as_array(w.variable_array(obj)) is not w.as_array(value):  # else it was `+=`
                w.refuse(
                    f"another name may hold this {type(obj).__name__} and keep its old array",
                    f"write into the array: `v.{name}[...] = new`",
                )
        elif w.tape.is_kept and w.tape.has(name):
            w.tape.change(obj, name, value)
        else:
            super().set_attribute(w, obj, name, value, plain=plain)


class VariableNodes(Kind):
    """What stands for a Variable on the tape."""

    def type_of(self, value: VariableNode) -> type:
        """Return Chainer's own."""
        return chainer.variable.VariableNode

    def parts(self, w: KindContext, value: VariableNode) -> Iterable[Any]:
        """Return nothing: it is no value of the program's."""
        return ()

    def attribute(self, w: KindContext, obj: VariableNode, name: str, default: Any) -> Any:
        """Return what its Variable answers to most names."""
        if name in ("data", "_data"):
            w.refuse(
                f"`{name}` of a Variable's node exists only if a function has retained it",
                "take the array of the Variable itself",
            )
        if name == "name" and obj.known is not None:
            w.touch_fact(name)
            return obj.known.name
        if name in _OF_NODE:
            return w.get_attribute(obj.variable, name)
        return super().attribute(w, obj, name, default)

    def set_attribute(
        self, w: KindContext, obj: VariableNode, name: str, value: Any, *, plain: bool
    ) -> None:
        """Set it of its Variable."""
        if name == "name" and obj.known is not None:
            w.touch_fact(name, written=True)
        else:
            w.set_attribute(obj.variable, name, value)


#: What a node answers as its Variable does.
_OF_NODE = {
    *("creator", "creator_node", "dtype", "grad", "grad_var", "name", "ndim"),
    *("rank", "requires_grad", "shape", "size"),
}
_ARRAYS = SymbolicArrays()
