"""`check_type_forward` of function nodes, on sizes that are known only when the model runs.

Chainer's own checks run as far as sizes are known; its lowerings ask for the rest in their terms.
What a function of the program expects of such sizes is asked by the model.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import operator
import sys
import types
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.utils import type_check

from elichika.values.kinds import is_listed, is_number_of_the_run
from elichika.values.symbolic import Array, Scalar, Symbolic, SymbolicUse, Var
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["check_all_types", "check_own_types", "check_types"]

Infos = tuple[Any, ...]


class _AnySize(int):
    """A size known only when the model runs: no type check of Chainer's can fail on it."""

    def _yes(self, *_: Any) -> bool:
        return True

    def _any(self, *_: Any) -> _AnySize:
        return self

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _yes
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _any
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _any
    __truediv__ = __rtruediv__ = _any
    __hash__ = int.__hash__


class _Sizes(tuple[Any, ...]):
    """Sizes of which not all are known: `numpy.prod` would make numbers of them, of an array."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return _Sizes(found) if isinstance(index, slice) else found

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if func is np.prod and len(args) == 1:
            return functools.reduce(operator.mul, self, 1)
        plain = (tuple(arg) if type(arg) is _Sizes else arg for arg in args)
        return func(*plain, **kwargs)


class _CheckedSize:
    """A size known only when the model runs, in a type check of the program's own.

    What `type_check.expect` compares becomes a check of the model. Another use of a comparison is
    refused: there is no answer yet.
    """

    def __init__(self, w: LoweringContext, value: Any) -> None:
        self._w = w
        self._value = value

    def __repr__(self) -> str:
        return "?"

    def _computed(self, op: Any, left: Any, right: Any) -> Any:
        return _CheckedSize(self._w, self._w.binary(op, _plain_size(left), _plain_size(right)))

    def _compared(self, op: Any, other: Any) -> bool:
        match other:
            case type_check.Expr():  # which makes the expectation, as of a number
                return NotImplemented
        holds = self._w.truth(self._w.binary(op, self._value, _plain_size(other)))
        if isinstance(holds, Scalar):
            if not _is_expected(op, sys._getframe(2)):
                raise SymbolicUse(holds)
            self._w.check(holds, type_check.InvalidType, "sizes do not fit", exact=True)
            return True
        return bool(holds)

    def __eq__(self, other: object) -> bool:
        return self._compared(operator.eq, other)

    def __ne__(self, other: object) -> bool:
        return self._compared(operator.ne, other)

    def __lt__(self, other: Any) -> bool:
        return self._compared(operator.lt, other)

    def __le__(self, other: Any) -> bool:
        return self._compared(operator.le, other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(operator.ge, other)

    def __add__(self, other: Any) -> Any:
        return self._computed(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._computed(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._computed(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._computed(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._computed(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._computed(operator.mul, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._computed(operator.floordiv, self, other)

    def __mod__(self, other: Any) -> Any:
        return self._computed(operator.mod, self, other)

    def _refuse(self, *_: Any) -> Any:
        raise SymbolicUse(self._value)

    __hash__ = __bool__ = __index__ = __int__ = __neg__ = __truediv__ = _refuse


def _is_expected(op: Any, frame: types.FrameType) -> bool:
    """Tell whether a comparison is the very one that `type_check.expect` asks for.

    That of tuples compares their items too: by `==`, whatever is asked of the tuples.
    """
    if frame.f_code is not type_check.BoolBinaryOperator.expect.__code__:
        return False
    asked = frame.f_locals["self"].func.__name__
    return asked in (op.__name__, _MIRRORED.get(op.__name__))


_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def _plain_size(value: Any) -> Any:
    return value._value if isinstance(value, _CheckedSize) else value


def check_types(w: LoweringContext, node: Any, tensors: list[Any]) -> None:
    """Run Chainer's own check of dtypes and shapes, as far as sizes are known."""
    open_ = {name: held for name, held in vars(node).items() if isinstance(held, Symbolic)}
    stands = {name: _stand_in(w, held) for name, held in open_.items()}
    if any(stand is None for stand in stands.values()):
        return
    infos = tuple(
        type_check.TypeInfo(
            _Sizes(d if isinstance(d, int) and not stands else _AnySize(1) for d in dims_of(t)),
            dtype_of(t),
        )
        for t in tensors
    )
    node = copy.copy(node)
    vars(node).update(stands)
    for name, held in vars(node).items():
        setattr(node, name, _standing(held, lambda _: _AnySize(1)))
    # An open attribute may say which size is asked for: then dtypes and ranks alone are checked.
    with contextlib.suppress(*((IndexError, AttributeError, TypeError) if stands else ())):
        _run(w, node, infos, sure=not stands)


def _stand_in(w: LoweringContext, held: Any) -> Any:
    """Return what a check is given for an attribute of the run: a size, or what has a shape."""
    if is_number_of_the_run(held):
        return _AnySize(1)
    if not isinstance(held, (Array, Var)):
        return None
    return _AnyArray(tuple(_AnySize(1) for _ in w.dims(held)), dtype_of(w.value_of(held)))


class _AnyArray(type_check.TypeInfo):  # type: ignore[misc]
    """An array of the run: its rank and dtype, and for `isinstance` an array of numpy's."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ndarray


def _run(w: LoweringContext, node: Any, infos: Infos, *, sure: bool = True) -> None:
    """Run a check on sizes that are all numbers, as Chainer does: briefly, then for the text.

    Raises:
        IndexError: It looks at an axis that is not there, or whose stand-in is not.
    """
    try:
        with type_check.light_mode:
            node.check_type_forward(type_check.LightTypeInfoTuple(infos))
    except type_check.InvalidType:
        try:
            with type_check.get_function_check_context(node):
                node.check_type_forward(_named(infos))
        except (type_check.InvalidType, RuntimeError) as error:  # some make a bool of an Expr
            w.raise_static(error)
    except IndexError as error:
        if not sure:
            raise
        w.raise_static(error)


def _named(infos: Infos) -> Any:
    """Return what a check is given, with a name for each part."""
    named = type_check.TypeInfoTuple(
        type_check.Variable(info, f"in_types[{i}]") for i, info in enumerate(infos)
    )
    named.name = "in_types"
    return named


def check_own_types(w: LoweringContext, node: Any, tensors: list[Value]) -> None:
    """Run the check of a function of the program; of sizes of the run the model asks."""
    check = type(node).check_type_forward
    if str(getattr(check, "__module__", "")).split(".")[0] != "chainer":
        check_all_types(w, node, tensors)


def check_all_types(w: LoweringContext, node: Any, tensors: list[Value]) -> None:
    """Run a check whole: of sizes and numbers of the run the model asks.

    Lowerings ask what Chainer's own checks say of these; code that is walked instead does not.
    """
    if not ask_types(w, node, tensors):
        w.refuse(
            f"`{type(node).__name__}.check_type_forward` decides by sizes that are known only when "
            "the model runs",
            "say what is expected with `type_check.expect` alone",
        )


def ask_types(w: LoweringContext, node: Any, tensors: list[Value]) -> bool:
    """Run a check whole; return whether it has asked all.

    It does not where it decides by sizes of the run, as `expect_broadcast_shapes` does.
    """
    infos = tuple(type_check.TypeInfo(_sizes(w, t), dtype_of(t)) for t in tensors)
    numbers = {name: _checked(w, held) for name, held in vars(node).items()}
    open_ = {name: number for name, number in numbers.items() if number is not vars(node)[name]}
    if not open_ and all(isinstance(size, int) for info in infos for size in info.shape):
        _run(w, node, infos)
        return True
    node = copy.copy(node)
    vars(node).update(open_)
    try:
        with type_check.get_function_check_context(node):
            node.check_type_forward(_named(infos))
    except (type_check.InvalidType, IndexError) as error:
        w.raise_static(error)
    except (SymbolicUse, RuntimeError, TypeError):  # it makes a bool or a number of a size
        return False
    return True


def _checked(w: LoweringContext, held: Any) -> Any:
    """Return an attribute with sizes that the model compares in the place of those of the run."""
    match held:
        case Array() | Var():
            value = w.value_of(held)
            return _AnyArray(_sizes(w, value), dtype_of(value))
    return _standing(held, partial(_CheckedSize, w))


def _standing(held: Any, stand: Callable[[Scalar], Any]) -> Any:
    """Return an attribute, or a tuple of its parts, with something in the place of run numbers."""
    if is_listed(held):
        parts = tuple(_standing(part, stand) for part in held)
        return held if all(map(operator.is_, parts, held)) else parts
    return stand(held) if is_number_of_the_run(held) else held


def _sizes(w: LoweringContext, tensor: Value) -> tuple[Any, ...]:
    dims = dims_of(tensor)
    return _Sizes(d if isinstance(d, int) else _CheckedSize(w, w.dim_scalar(d)) for d in dims)
